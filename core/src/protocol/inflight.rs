//! Requests that are not answered yet: by their ids, and by the calls of the application that they wait for.

use super::answer_form::AnswerForm;
use super::application_call::RequestState;
use super::call_context::Context;
use super::named_requests::NamedRequests;
use super::outbox::Route;
use super::progress::ProgressState;
use super::request_ids::RequestIds;
use crate::account::{Full, Permit};
use crate::jsonrpc::RequestId;
use crate::sync::{Fault, is_planted};
use std::collections::VecDeque;
use std::sync::Arc;

/// Identifies one question to the application, unlike any other question of its server. A request may ask several
/// questions in turn; each has an id of its own, used once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallId {
    connection: u64,
    slot: u32,
    generation: u32,
}

impl CallId {
    /// The id of the call's connection, as [`crate::Connection::id`] returns it.
    pub fn connection(self) -> u64 {
        self.connection
    }

    pub(super) fn slot(self) -> u32 {
        self.slot
    }
}

/// A request that is not answered yet.
pub(crate) struct OpenRequest {
    pub(crate) id: RequestId,
    pub(crate) route: Route,
    pub(crate) context: Arc<Context>,
    /// The permit that counts the request over HTTP, until it ends.
    pub(crate) permit: Option<Arc<Permit>>,
    /// The client has gone and takes no answer any more, so no further call begins for the request.
    pub(crate) client_gone: bool,
    pub(crate) progress: ProgressState,
    pub(crate) form: AnswerForm,
    /// The requests to the client that the callback makes by names. `None` if it made none.
    pub(crate) named: Option<Box<NamedRequests>>,
    pub(crate) state: RequestState,
}

impl OpenRequest {
    pub(super) fn new(
        id: RequestId,
        route: Route,
        context: Arc<Context>,
        form: AnswerForm,
        state: RequestState,
    ) -> Self {
        let progress = ProgressState::default();
        OpenRequest {
            id,
            route,
            context,
            permit: None,
            client_gone: false,
            progress,
            form,
            named: None,
            state,
        }
    }

    /// Checks that the server may hold this number of bytes more for the request's client.
    pub(crate) fn fits(&self, bytes: usize) -> Result<(), Full> {
        self.permit.as_ref().map_or(Ok(()), |permit| permit.holder().fits(bytes))
    }
}

enum SlotState {
    Free,
    Open(OpenRequest),
    /// The request was cancelled while the application had its call. The slot is kept until the call's responder is
    /// gone.
    Abandoned,
}

#[allow(clippy::struct_excessive_bools, reason = "facts of their own, not the states of one thing")]
struct CallSlot {
    generation: u32,
    /// True while the request is being looked up in the catalog.
    looked_up: bool,
    /// True if the application has the current call, as an event.
    is_handed_out: bool,
    /// The deadline of the current call, in milliseconds of the application's clock. Deadlines of earlier calls do not
    /// count any more.
    deadline: Option<u64>,
    /// True while the request waits for the client's response to a request of the server.
    paused: bool,
    body: SlotState,
}

/// The owner of a request id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdOwner {
    Slot(u32),
    Stream(u64),
    /// A message that waits for room, under this number; it was read but not dispatched.
    Waiting(u64),
}

#[derive(Default)]
pub(crate) struct Inflight {
    connection: u64,
    slots: Vec<CallSlot>,
    free: Vec<u32>,
    ids: RequestIds,
    /// The deadlines with their calls, the earliest first. Most calls have the same time limit, so a new deadline
    /// mostly goes to the end.
    deadlines: VecDeque<(u64, CallId)>,
    /// Calls that ended while their request waited for the client. Their requests to the client are still to be
    /// withdrawn.
    dropped: Vec<CallId>,
    used: usize,
    /// The number of slots that are still in use although their requests have ended.
    abandoned: usize,
    /// The number of slots whose requests are being looked up.
    lookups: usize,
}

impl Inflight {
    /// Makes an empty table of calls for the connection with this id.
    pub(crate) fn new(connection: u64) -> Self {
        Inflight { connection, ..Inflight::default() }
    }

    /// The number of calls that occupy a slot, with those whose request was cancelled but whose responder still exists.
    /// A lookup is no call.
    pub(crate) fn len(&self) -> usize {
        self.used - self.lookups
    }

    /// Returns whether no slot is in use, for a call or for a lookup.
    pub(crate) fn is_idle(&self) -> bool {
        self.used == 0
    }

    /// Returns whether a client waits for the answer to a request, even if that is still being looked up.
    pub(crate) fn is_awaited(&self) -> bool {
        self.used > self.abandoned
    }

    pub(crate) fn has_id(&self, id: &RequestId) -> bool {
        self.ids.get(id).is_some()
    }

    pub(crate) fn own(&mut self, id: RequestId, owner: IdOwner) {
        self.ids.insert(id, owner);
    }

    pub(crate) fn disown(&mut self, id: &RequestId) {
        self.ids.remove(id);
    }

    pub(crate) fn owner(&self, id: &RequestId) -> Option<IdOwner> {
        self.ids.get(id)
    }

    /// Opens a slot for a request whose id is not in use. Returns the id of its first question to the application.
    pub(crate) fn open(&mut self, open: OpenRequest) -> CallId {
        let id = open.id.clone();
        let call = self.open_own(open);
        self.ids.insert_new(id, IdOwner::Slot(call.slot));
        call
    }

    /// Opens a slot for a request without noting its request id, so that the client cannot cancel the request.
    /// Everything else is as with [`Inflight::open`].
    pub(crate) fn open_own(&mut self, open: OpenRequest) -> CallId {
        let slot = self.free.pop().unwrap_or_else(|| {
            if self.slots.is_empty() {
                self.slots.reserve_exact(1); // an idle connection keeps the slot of its handshake
            }
            self.slots.push(CallSlot {
                generation: 0,
                looked_up: false,
                is_handed_out: false,
                deadline: None,
                paused: false,
                body: SlotState::Free,
            });
            self.slots.len() as u32 - 1
        });
        self.used += 1;
        let looked_up = matches!(open.state, RequestState::Lookup);
        self.lookups += usize::from(looked_up);
        let connection = self.connection;
        let s = &mut self.slots[slot as usize];
        s.generation = s.generation.wrapping_add(1);
        s.looked_up = looked_up;
        s.is_handed_out = false;
        s.deadline = None;
        s.paused = false;
        s.body = SlotState::Open(open);
        CallId { connection, slot, generation: s.generation }
    }

    /// Begins the first question of a request that was looked up. Returns `state` if the request is over.
    pub(crate) fn begin(&mut self, call: CallId, state: RequestState) -> Result<(), RequestState> {
        let Some(slot) = self.current(call) else { return Err(state) };
        let SlotState::Open(open) = &mut slot.body else { return Err(state) };
        open.state = state;
        let looked_up = std::mem::take(&mut slot.looked_up);
        self.lookups -= usize::from(looked_up);
        Ok(())
    }

    fn current(&mut self, call: CallId) -> Option<&mut CallSlot> {
        self.slots
            .get_mut(call.slot as usize)
            .filter(|s| s.generation == call.generation || is_planted(Fault::StaleCall))
    }

    pub(crate) fn get(&mut self, call: CallId) -> Option<&mut OpenRequest> {
        match &mut self.current(call)?.body {
            SlotState::Open(open) => Some(open),
            _ => None,
        }
    }

    /// Returns the request in a slot with its current call, whatever it waits for. `None` if the slot has no open
    /// request.
    pub(crate) fn in_slot(&mut self, slot: u32) -> Option<(CallId, &mut OpenRequest)> {
        let connection = self.connection;
        let s = self.slots.get_mut(slot as usize)?;
        let call = CallId { connection, slot, generation: s.generation };
        match &mut s.body {
            SlotState::Open(open) => Some((call, open)),
            _ => None,
        }
    }

    /// Notes that the application gets the question. Returns `None` if the request is over.
    pub(crate) fn hand_out(&mut self, call: CallId) -> Option<Arc<Context>> {
        let slot = self.current(call)?;
        let SlotState::Open(open) = &slot.body else { return None };
        slot.is_handed_out = true;
        open.context.wait();
        Some(open.context.clone())
    }

    /// Starts the deadline of the current call, unless it has one. `None`: the call may take as long as it likes.
    pub(crate) fn set_deadline(&mut self, call: CallId, deadline: Option<u64>) {
        let Some(slot) = self.current(call) else { return };
        if std::mem::take(&mut slot.paused) || slot.deadline.is_none() {
            self.replace_deadline(call, deadline);
        }
    }

    /// Starts the deadline for the client's answer, in place of that of the call.
    pub(crate) fn pause(&mut self, call: CallId, deadline: Option<u64>) {
        if let Some(slot) = self.current(call) {
            slot.paused = true;
            self.replace_deadline(call, deadline);
        }
    }

    /// Returns whether the call waits for its client.
    pub(crate) fn is_paused(&mut self, call: CallId) -> bool {
        self.current(call).is_some_and(|slot| slot.paused)
    }

    fn replace_deadline(&mut self, call: CallId, deadline: Option<u64>) {
        let Some(slot) = self.current(call) else { return };
        if slot.deadline == deadline {
            return; // it runs already
        }
        slot.deadline = deadline;
        let Some(deadline) = deadline else { return };
        // At most one deadline a slot runs. The others go before they outnumber those.
        if self.deadlines.len() > 2 * self.slots.len() {
            let slots = &self.slots;
            self.deadlines.retain(|(deadline, call)| is_due(slots, *deadline, *call));
        }
        let at = self.deadlines.partition_point(|(other, _)| *other <= deadline);
        self.deadlines.insert(at, (deadline, call));
    }

    /// Returns a call that ended while its request waited for the client, each call once; `None` if there is none left.
    pub(crate) fn take_dropped(&mut self) -> Option<CallId> {
        self.dropped.pop()
    }

    /// Notes that a question is answered. Returns the state of its request, and the caller then calls
    /// [`Inflight::begin_next_call`] or [`Inflight::close`]. Returns `None` if the request is over.
    pub(crate) fn answered(&mut self, call: CallId) -> Option<RequestState> {
        let slot = self.current(call)?;
        match &mut slot.body {
            SlotState::Open(open) => {
                slot.is_handed_out = false;
                slot.deadline = None;
                Some(std::mem::replace(&mut open.state, RequestState::Taken))
            }
            SlotState::Abandoned => {
                self.abandoned -= 1;
                self.release(call.slot);
                None
            }
            SlotState::Free => None,
        }
    }

    /// Begins the next call of the same request. Returns `state` if the request was cancelled meanwhile.
    pub(crate) fn begin_next_call(
        &mut self,
        call: CallId,
        state: RequestState,
    ) -> Result<CallId, RequestState> {
        let Some(slot) = self.current(call) else { return Err(state) };
        let SlotState::Open(open) = &mut slot.body else { return Err(state) };
        open.state = state;
        let dropped = std::mem::take(&mut slot.paused).then_some(call);
        slot.generation = slot.generation.wrapping_add(1);
        slot.is_handed_out = false;
        slot.deadline = None;
        let next = CallId { generation: slot.generation, ..call };
        self.dropped.extend(dropped);
        Ok(next)
    }

    /// Ends a request and returns it. Returns `None` if it was over already.
    pub(crate) fn close(&mut self, call: CallId) -> Option<OpenRequest> {
        let slot = self.current(call)?;
        match std::mem::replace(&mut slot.body, SlotState::Free) {
            SlotState::Open(open) => {
                let dropped = std::mem::take(&mut slot.paused).then_some(call);
                self.dropped.extend(dropped);
                self.ids.remove_of(IdOwner::Slot(call.slot), &open.id);
                self.release(call.slot);
                Some(open)
            }
            other => {
                slot.body = other;
                None
            }
        }
    }

    /// Ends a request for its client and returns it. Its slot is kept while the application has the responder.
    pub(crate) fn abandon(&mut self, call: CallId) -> Option<OpenRequest> {
        let slot = self.current(call)?;
        if !slot.is_handed_out {
            let open = self.close(call)?;
            open.context.cancel();
            return Some(open);
        }
        match std::mem::replace(&mut slot.body, SlotState::Abandoned) {
            SlotState::Open(open) => {
                let dropped = std::mem::take(&mut slot.paused).then_some(call);
                self.dropped.extend(dropped);
                open.context.cancel();
                self.abandoned += 1;
                self.ids.remove_of(IdOwner::Slot(call.slot), &open.id);
                Some(open)
            }
            other => {
                slot.body = other;
                None
            }
        }
    }

    fn release(&mut self, slot: u32) {
        let s = &mut self.slots[slot as usize];
        s.generation = s.generation.wrapping_add(1);
        s.is_handed_out = false;
        s.deadline = None;
        s.body = SlotState::Free;
        self.lookups -= usize::from(std::mem::take(&mut s.looked_up));
        self.free.push(slot);
        self.used -= 1;
    }

    /// Returns the calls of the requests on one route, whatever they wait for.
    pub(crate) fn on(&self, route: Route) -> Vec<CallId> {
        let (connection, slots) = (self.connection, self.slots.iter().enumerate());
        slots
            .filter(|(_, slot)| matches!(&slot.body, SlotState::Open(open) if open.route == route))
            .map(|(at, slot)| CallId { connection, slot: at as u32, generation: slot.generation })
            .collect()
    }

    /// Returns the calls that the application has.
    pub(crate) fn handed_out(&self) -> Vec<CallId> {
        let (connection, slots) = (self.connection, self.slots.iter().enumerate());
        slots
            .filter(|(_, slot)| slot.is_handed_out && matches!(slot.body, SlotState::Open(_)))
            .map(|(at, slot)| CallId { connection, slot: at as u32, generation: slot.generation })
            .collect()
    }

    /// Returns the call with the earliest deadline if that is not later than `now`.
    pub(crate) fn overdue(&mut self, now: u64) -> Option<CallId> {
        self.deadline().filter(|deadline| *deadline <= now)?;
        self.deadlines.pop_front().map(|(_, call)| call)
    }

    /// Returns whether the application has the call.
    pub(crate) fn is_handed_out(&mut self, call: CallId) -> bool {
        self.current(call).is_some_and(|slot| slot.is_handed_out)
    }

    /// Returns the earliest deadline of any call.
    pub(crate) fn deadline(&mut self) -> Option<u64> {
        while let Some((deadline, call)) = self.deadlines.front().copied() {
            if is_due(&self.slots, deadline, call) {
                return Some(deadline);
            }
            self.deadlines.pop_front();
        }
        None
    }

    /// Notes that the client of one route has gone. Returns its requests whose callback has not begun: they are
    /// cancelled now, and the caller ends them.
    pub(crate) fn lose_client(&mut self, route: Route) -> Vec<CallId> {
        let mut calls = self.on(route);
        calls.retain(|call| {
            let is_call = self.is_handed_out(*call);
            let Some(open) = self.get(*call) else { return false };
            open.client_gone = true;
            // Not asked: a lookup or the interest handlers are under way, which are no calls.
            let under_way = matches!(
                open.state,
                RequestState::Lookup | RequestState::Subscribe(_) | RequestState::Listen { .. }
            );
            (is_call || !under_way) && open.context.cancel_waiting()
        });
        calls
    }

    /// Ends every request and returns them. The caller drops them without a lock, because they hold values of the
    /// application.
    pub(crate) fn clear(&mut self) -> Vec<OpenRequest> {
        let mut opens = Vec::new();
        for slot in &mut self.slots {
            slot.generation = slot.generation.wrapping_add(1);
            if let SlotState::Open(open) = std::mem::replace(&mut slot.body, SlotState::Free) {
                open.context.cancel();
                opens.push(open);
            }
        }
        *self = Inflight::new(self.connection);
        opens
    }
}

fn is_due(slots: &[CallSlot], deadline: u64, call: CallId) -> bool {
    slots.get(call.slot as usize).is_some_and(|slot| {
        slot.generation == call.generation
            && slot.deadline == Some(deadline)
            && matches!(slot.body, SlotState::Open(_))
    })
}
