//! The state of one connection, and its steps.

use super::CallId;
use super::asking::Asking;
use super::batch::{Element, Elements};
use super::dispatch::Admitted;
use super::effects::Causes;
use super::faults::internal;
use super::half::Half;
use super::inflight::{Ask, Context, Inflight, Open, Owner};
use super::input::{Chunk, Input};
use super::kinds::Kinds;
use super::lifecycle::Lifecycle;
use super::outbox::{Kind, Outbox, Route, Stage};
use super::subscriptions::{Queue, Subscriptions};
use crate::access::Caller;
use crate::http::{Permit, RequestHead};
use crate::jsonrpc::{Parsed, RequestId, RpcError};
use crate::limits::Limits;
use crate::log::Level;
use crate::model::CacheHint;
use crate::model::ClientAnswer;
use crate::policy::Cacheable;
use crate::policy::Policy;
use crate::revision::{Revision, Revisions};
use crate::sync::Trash;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::wire::{self, Cache, Identity};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What every connection of a server has in common.
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    pub(crate) revisions: Revisions,
    pub(crate) policy: Policy,
    pub(crate) identity: Identity,
    pub(crate) kinds: Kinds,
    /// Somebody decides who may what.
    pub(crate) authorises: AtomicBool,
    /// Resources are offered: something of them was registered once, or the host says so.
    pub(crate) has_resources: AtomicBool,
}

impl Settings {
    pub(crate) fn has_resources(&self) -> bool {
        self.has_resources.load(Ordering::Acquire)
    }

    /// What an answer says of its reuse. `said`: of this answer alone.
    pub(crate) fn cache(&self, kind: Cacheable, said: CacheHint) -> Cache {
        self.policy.cache(kind, said, self.authorises.load(Ordering::Acquire))
    }
}

/// A request that was read but waits for room.
pub(super) struct Waiting {
    id: RequestId,
    pub(super) route: Route,
    pub(super) line: Vec<u8>,
    pub(super) cancellable: bool,
}

/// What a poller does next.
pub(crate) enum Next {
    Ask(Ask, Arc<Context>),
    Cancel(CallId),
    Response(u64, ClientAnswer),
    /// A message that had waited, or an element of a batch. The poller holds the input token.
    Line {
        line: Vec<u8>,
        route: Route,
        resumed: bool,
    },
    /// Bytes to parse. The poller holds the input token.
    Chunk(Chunk),
    Nothing,
}

#[allow(clippy::struct_excessive_bools, reason = "facts of their own, not the states of one thing")]
pub(crate) struct Machine {
    pub(super) settings: Arc<Settings>,
    pub(super) lifecycle: Lifecycle,
    pub(super) inflight: Inflight,
    pub(super) subscriptions: Subscriptions,
    pub(super) outbox: Outbox,
    pub(super) asking: Asking,
    pub(super) asks: VecDeque<Ask>,
    /// What the session shall be told once it is ready.
    pub(super) held: Queue,
    /// Requests that wait for room, by a number in the order of their arrival.
    pub(super) waiting: BTreeMap<u64, Waiting>,
    next_waiting: u64,
    pub(super) waiting_bytes: usize,
    input: Input,
    /// What is left of the batches that were begun.
    pub(super) elements: Elements,
    /// Input was refused for want of room.
    starved: bool,
    /// Input was left unread because the client takes no output.
    full: bool,
    /// The group has this connection on its list.
    ready: bool,
    pub(super) closed: bool,
    /// Listen streams end as soon as they have begun.
    pub(super) ending: bool,
    pub(super) next_exchange: u64,
    pub(super) now: u64,
    pub(super) causes: Causes,
}

impl Machine {
    /// `connection` is a number that calls are told apart by.
    pub(crate) fn new(connection: u64, settings: Arc<Settings>) -> Self {
        Machine {
            lifecycle: Lifecycle::new(settings.policy.dialect),
            inflight: Inflight::of(connection),
            subscriptions: Subscriptions::default(),
            outbox: Outbox::default(),
            asking: Asking::default(),
            asks: VecDeque::new(),
            held: Queue::new(),
            waiting: BTreeMap::new(),
            next_waiting: 0,
            waiting_bytes: 0,
            input: Input::new(settings.limits.message_bytes),
            elements: Elements::default(),
            starved: false,
            full: false,
            ready: false,
            closed: false,
            ending: false,
            next_exchange: 1,
            now: 0,
            causes: Causes::default(),
            settings,
        }
    }

    /// What the host is being asked.
    pub(crate) fn handed_out(&self) -> Vec<CallId> {
        self.inflight.handed_out()
    }

    // ---- the ready mark

    /// Sets the mark. True if it was not set: then the connection goes onto its group's list.
    pub(crate) fn mark_ready(&mut self) -> bool {
        !std::mem::replace(&mut self.ready, true)
    }

    /// Only the group does this, before it polls.
    pub(crate) fn clear_ready(&mut self) {
        self.ready = false;
    }

    // ---- input

    pub(crate) fn receive(&mut self, bytes: &[u8]) -> usize {
        if self.closed || self.input.is_ended() {
            return bytes.len();
        }
        // What the client is asked for may stand behind all that it sent before.
        let times = if self.is_asking() { 4 } else { 1 };
        let room = self.settings.limits.input_bytes().saturating_mul(times).saturating_sub(self.backlog());
        let accepted = self.input.receive(bytes, room);
        self.starved = accepted < bytes.len();
        accepted
    }

    /// Whether input was refused for want of room.
    pub(super) fn is_starved(&self) -> bool {
        self.starved
    }

    /// What is charged to the input budget beside unread bytes: requests that wait, and what is answered at once
    /// (`ping`, errors) though the client has more to take than it may.
    fn backlog(&self) -> usize {
        let over = self.outbox.free_len().saturating_sub(self.settings.limits.output_bytes);
        self.waiting_bytes + self.elements.len() + over
    }

    /// Even what is answered at once has to wait: nothing more is read until the client takes something.
    pub(crate) fn is_full(&mut self) -> bool {
        let Limits { output_bytes, .. } = self.settings.limits;
        let full = self.outbox.free_len() >= output_bytes.saturating_add(self.settings.limits.input_bytes());
        self.full |= full;
        full
    }

    /// Whether input is accepted again that was refused.
    fn has_room_again(&mut self) -> bool {
        // A line may fill half of the budget and still lack its end.
        let room = self.input.len() + self.backlog() <= self.settings.limits.input_bytes() / 2;
        room && std::mem::take(&mut self.starved)
    }

    pub(crate) fn end(&mut self) {
        self.input.end();
        self.causes.ended = true;
    }

    /// A new exchange: a route of its own for one message.
    /// `single`: there is room for an answer only, not for a stream. `caller`: who asks, if not the connection's own.
    /// `permit`: what its requests count as.
    pub(crate) fn open_exchange(
        &mut self,
        single: bool,
        caller: Option<Arc<Caller>>,
        permit: Option<Arc<Permit>>,
        trash: &mut Trash,
    ) -> Option<u64> {
        self.let_go_of_callers(trash);
        if self.closed {
            trash.put(caller); // with the host's values, which may not be dropped here
            return None;
        }
        let exchange = self.next_exchange;
        self.next_exchange += 1;
        self.outbox.open(exchange, single, caller, permit);
        Some(exchange)
    }

    /// Of exchanges that are over, those that no call knows any more.
    pub(crate) fn let_go_of_callers(&mut self, trash: &mut Trash) {
        let unused = self.outbox.callers.take_unused();
        if !unused.is_empty() {
            trash.put(unused);
        }
    }

    /// Whom questions are asked for, from now on, that no request asks.
    pub(crate) fn renew_caller(&mut self, caller: Arc<Caller>, trash: &mut Trash) {
        if self.closed {
            return trash.put(caller);
        }
        self.outbox.callers.renew(caller);
    }

    /// Nobody waits for an exchange any more: its request is cancelled, or its stream ended.
    pub(crate) fn forget_exchange(&mut self, exchange: u64, trash: &mut Trash) {
        let route = Route::Exchange(exchange);
        let routes = self.routes_of(route);
        trash.put(self.outbox.forget(exchange));
        self.elements.remove(&routes);
        for route in routes {
            if let Some(waiting) = self.take_waiting(route) {
                self.inflight.disown(&waiting.id);
            }
            self.inflight.disown_admitted(route);
            for call in self.inflight.on(route) {
                if let Some(open) = self.drop_call(call) {
                    trash.put(open);
                }
            }
        }
        for key in self.subscriptions.streams_on(route) {
            if let Some(stream) = self.subscriptions.close_stream(key) {
                self.inflight.disown(&stream.id);
            }
        }
    }

    /// Nobody waits for an exchange any more, which is no cancellation (WIRE K-20): what has begun goes on, the rest ends.
    pub(crate) fn leave_exchange(&mut self, exchange: u64, trash: &mut Trash) {
        let routes = self.routes_of(Route::Exchange(exchange));
        for route in self.elements.remove(&routes) {
            self.outbox.end(route);
        }
        for route in routes {
            if let Some(waiting) = self.take_waiting(route) {
                self.inflight.disown(&waiting.id);
                self.outbox.end(route);
            }
            for call in self.inflight.cancel_waiting(route) {
                if let Some(open) = self.drop_call(call) {
                    self.outbox.end(route);
                    trash.put(open);
                }
            }
        }
    }

    /// The request of an exchange that waits for room, which it now no longer does.
    fn take_waiting(&mut self, route: Route) -> Option<Waiting> {
        let (number, _) = self.waiting.iter().find(|(_, waiting)| waiting.route == route)?;
        let number = *number;
        let waiting = self.waiting.remove(&number)?;
        self.waiting_bytes -= waiting.line.len();
        Some(waiting)
    }

    /// Ends a request without an answer, and tells the host if that has it.
    fn drop_call(&mut self, call: CallId) -> Option<Open> {
        let asked = self.inflight.is_asked(call);
        let open = self.inflight.abandon(call)?;
        self.undo(call.slot(), &open.state);
        if asked {
            self.queue_host_call(Ask::Cancel { call });
        }
        Some(open)
    }

    /// Whether a request of this route may be dispatched, were it the first that waits. What its own batch has gathered
    /// does not count: only the rest of the batch makes that go out. Nor does what others have if no call is in flight,
    /// since their rest waits behind this.
    fn has_slot(&self, route: Route) -> bool {
        let Limits { calls_in_flight, output_bytes, .. } = self.settings.limits;
        let batches = &self.outbox.batches;
        let gathered = if self.inflight.len() == 0 { batches.len() } else { batches.gathered_with(route) };
        self.inflight.len() < calls_in_flight.max(1) && self.outbox.len() - gathered < output_bytes.max(1)
    }

    /// Requests wait because clients take nothing, such as what this route has to say.
    pub(crate) fn is_crowded_by(&mut self, route: Route) -> bool {
        let crowded = self.outbox.len() >= self.settings.limits.output_bytes;
        crowded && self.outbox.has_output_on(route) == Some(true)
    }

    /// Whether another request of this route may be dispatched.
    pub(super) fn has_room(&self, route: Route) -> bool {
        self.waiting.is_empty() && self.has_slot(route)
    }

    /// Whether the first request that waits may be dispatched.
    pub(super) fn may_dispatch(&self) -> bool {
        self.waiting.first_key_value().is_some_and(|(_, waiting)| self.has_slot(waiting.route))
    }

    /// Whether a batch was begun that nobody has come to the end of.
    pub(crate) fn has_elements(&self) -> bool {
        !self.elements.is_empty()
    }

    /// Whether there are messages that may be dealt with now.
    #[cfg(feature = "stdio")]
    pub(crate) fn has_input(&mut self) -> bool {
        self.may_dispatch() || !self.is_full() && (self.has_elements() || self.input.has_more())
    }

    /// What a poller does next: continuations, then input.
    pub(crate) fn next(&mut self, trash: &mut Trash) -> Next {
        while let Some(ask) = self.asks.pop_front() {
            let ask = match ask {
                Ask::Cancel { call } => return Next::Cancel(call),
                Ask::Response { number, answer, .. } => return Next::Response(number, answer),
                ask => ask,
            };
            if let Some(context) = self.inflight.hand_out(ask.call()) {
                self.expect(ask.call());
                return Next::Ask(ask, context);
            }
            trash.put(ask); // cancelled before anyone took it: no event at all
        }
        if self.may_dispatch()
            && self.input.hold()
            && let Some((_, Waiting { line, route, .. })) = self.waiting.pop_first()
        {
            self.waiting_bytes -= line.len();
            return Next::Line { line, route, resumed: true };
        }
        if self.is_full() {
            return Next::Nothing;
        }
        if self.has_elements()
            && self.input.hold()
            && let Some(Element { line, route }) = self.elements.pop()
        {
            return Next::Line { line, route, resumed: false };
        }
        self.input.take().map_or(Next::Nothing, Next::Chunk)
    }

    /// The poller is done with its turn at the input. True if input is accepted again that was refused.
    pub(crate) fn give_back(&mut self, chunk: Option<Chunk>) -> bool {
        match chunk {
            Some(chunk) if !self.closed => self.input.give_back(chunk),
            _ => self.input.release(),
        }
        self.has_room_again()
    }

    /// Keeps a message until there is room for its call.
    pub(crate) fn wait(&mut self, id: RequestId, cancellable: bool, line: &[u8], route: Route) {
        self.waiting_bytes += line.len();
        self.inflight.own(id.clone(), Owner::Waiting(self.next_waiting));
        self.waiting.insert(self.next_waiting, Waiting { id, route, line: line.to_vec(), cancellable });
        self.next_waiting += 1;
    }

    /// [`Machine::admit`], unless the connection is closed.
    pub(crate) fn offer(
        &mut self,
        parsed: Parsed<'_>,
        route: Route,
        resumed: bool,
        head: Option<&RequestHead<'_>>,
        trash: &mut Trash,
    ) -> Admitted {
        if self.closed {
            return Admitted::Done;
        }
        self.admit(parsed, route, resumed, head, trash)
    }

    // ---- output

    /// There is no session: see [`Lifecycle::stand_alone`].
    pub(crate) fn stand_alone(&mut self, revision: Option<Revision>) {
        self.lifecycle.stand_alone(revision);
    }

    /// The revision of the handshake, if there was one.
    pub(crate) fn session_revision(&self) -> Option<Revision> {
        self.lifecycle.session()
    }

    pub(crate) fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// The next message for a drain. It takes the buffer of the one before if there is use for it: an idle connection
    /// keeps none.
    pub(crate) fn next_message(&mut self, route: Route, used: &mut Vec<u8>) -> Option<Half> {
        self.render(route);
        let mut next = self.outbox.next(route);
        if let Some(half) = &mut next {
            half.lend(used);
        }
        if route == Route::Connection && (self.inflight.len() > 0 || self.input.len() > 0) {
            self.outbox.reuse(used);
        }
        next
    }

    /// Whether a wake is due because output was taken: what waited for that may go on.
    pub(crate) fn may_resume(&mut self) -> bool {
        let resumes = self.may_dispatch();
        let reads = self.full && !self.is_full() && std::mem::take(&mut self.full);
        self.has_room_again() || resumes || reads
    }

    // ---- time

    pub(crate) fn tick(&mut self, now: u64, trash: &mut Trash) {
        self.advance(now);
        while let Some(call) = self.inflight.overdue(self.now) {
            self.run_out(call, "within `call_ms`", trash);
        }
    }

    /// An exchange has been waited for long enough.
    pub(crate) fn expire(&mut self, exchange: u64, trash: &mut Trash) {
        let route = Route::Exchange(exchange);
        let unseen = self.lifecycle.last().map_or_else(RpcError::internal, internal);
        let routes = self.routes_of(route);
        for route in self.elements.remove(&routes) {
            self.refuse(route, None, &unseen);
        }
        for route in routes {
            if let Some(waiting) = self.take_waiting(route) {
                self.inflight.disown(&waiting.id);
                self.fail(route, Stage::Refused, &waiting.id, &unseen);
            }
            if let Some(id) = self.inflight.disown_admitted(route) {
                self.fail(route, Stage::Dispatched, &id, &unseen);
            }
            for call in self.inflight.on(route) {
                self.run_out(call, "in time", trash);
            }
        }
    }

    /// A call that the host did not answer in time.
    fn run_out(&mut self, call: CallId, when: &str, trash: &mut Trash) {
        let Some(open) = self.drop_call(call) else { return };
        self.give_up_requests(); // before the answer: nothing may follow it
        self.fail(open.route, Stage::Dispatched, &open.id, &internal(open.context.revision));
        let why = format!("{} was not answered {when}", open.state.describe());
        self.causes.log(Level::Error, why);
        trash.put(open);
    }

    /// When [`Machine::tick`] has something to do, in the host's milliseconds.
    pub(crate) fn deadline(&mut self) -> Option<u64> {
        self.inflight.deadline()
    }

    /// The deadline that was begun last for what a route will say, while that is to come.
    pub(crate) fn deadline_of(&mut self, route: Route) -> Option<u64> {
        self.outbox.deadline(route).filter(|at| *at > self.now)
    }

    /// It is that time, at least.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    pub(crate) fn advance(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    /// It is that time. Whether something is overdue.
    pub(crate) fn pass(&mut self, now: u64) -> bool {
        self.advance(now);
        self.deadline().is_some_and(|deadline| deadline <= self.now)
    }

    /// Whether a request is under way.
    pub(crate) fn is_answering(&self) -> bool {
        let read = !self.waiting.is_empty() || self.has_elements() || self.input.is_held();
        self.inflight.len() > 0 || read
    }

    /// What a call waits for has to come within `call_ms` from now, which those who wait for its answer have to know.
    pub(super) fn expect(&mut self, call: CallId) {
        let deadline = self.now.checked_add(self.settings.limits.call_ms);
        self.inflight.expect(call, deadline);
        if let Some(open) = self.inflight.get(call) {
            let route = open.route;
            self.outbox.tell(route, deadline);
        }
    }

    /// Of which routes something is new since this was asked; none: of all, as far as anybody knows.
    pub(crate) fn take_news(&mut self) -> Option<Vec<Route>> {
        self.outbox.take_news().filter(|_| !self.closed)
    }

    // ---- the end

    /// Ends listen streams as the protocol asks; those that are not acknowledged yet, once they are.
    pub(crate) fn end_streams(&mut self) {
        self.ending = true;
        self.causes.ended = true;
        for key in self.subscriptions.live_streams() {
            self.end_stream(key);
        }
    }

    pub(super) fn end_stream(&mut self, key: u64) {
        if let Some(stream) = self.subscriptions.close_stream(key) {
            let identity = &self.settings.identity;
            self.outbox.write(stream.route, Kind::Final(Stage::Dispatched), |p| {
                wire::stream_ended(p.out, stream.revision, &stream.id, identity);
            });
            if stream.route == Route::Connection {
                self.outbox.write(stream.route, Kind::Message, |p| wire::cancelled_stream(p.out, &stream.id));
            }
            self.inflight.disown(&stream.id);
        }
    }

    /// Ends listen streams, drops what is in flight, and takes no more input.
    pub(crate) fn shut_down(&mut self, trash: &mut Trash) {
        self.end_streams();
        self.drop_calls(trash);
    }

    /// Drops everything, output included.
    pub(crate) fn close(&mut self, trash: &mut Trash) {
        self.drop_calls(trash);
        trash.put(self.outbox.clear());
    }

    /// Nothing is under way, watched or asked, so that its end concerns nobody.
    pub(crate) fn is_vacant(&self) -> bool {
        let watches = self.subscriptions.len() + self.subscriptions.streams() > 0;
        let told = self.asks.is_empty() && !self.subscriptions.is_unsynced();
        told && !watches && !self.is_answering() && !self.is_asking()
    }

    fn drop_calls(&mut self, trash: &mut Trash) {
        self.closed = true;
        self.subscriptions.clear();
        self.held.clear();
        self.waiting.clear();
        self.waiting_bytes = 0;
        self.input.clear();
        self.asking.clear();
        self.elements.clear();
        trash.put(self.outbox.forget_batches());
        trash.put(std::mem::take(&mut self.asks));
        trash.put(self.inflight.clear());
        trash.put(self.outbox.callers.clear());
        self.causes.ended = true;
        self.causes.has_room = true;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// No more input, nothing in flight, nothing to write.
    pub(crate) fn is_finished(&self) -> bool {
        let read = self.waiting.is_empty() && self.elements.is_empty();
        let ended = self.closed || self.input.is_spent() && !self.inflight.is_awaited();
        ended && self.asks.is_empty() && read && self.outbox.is_spent()
    }
}
