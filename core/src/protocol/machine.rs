//! The state of one connection, and its steps.

use super::CallId;
use super::application_call::ApplicationCall;
use super::batch::{Element, Elements};
use super::call_context::Context;
use super::client_requests::ClientRequests;
use super::dispatch::{Admitted, Arrival, Cancellable, MessageOrigin};
use super::effects::Causes;
use super::inflight::{IdOwner, Inflight};
use super::input::{Chunk, InputBuffer, UnfinishedLine};
use super::lifecycle::Lifecycle;
use super::list_topics::ListTopics;
use super::outbox::{MessageKind, Outbox, Route, Stage};
use super::partial_message::PartialMessage;
use super::pending_routes::Routes;
use super::subscriptions::{MarkQueue, Subscriptions};
use crate::access::AccessCheck;
use crate::jsonrpc::{Parsed, RequestId};
use crate::limits::Limits;
use crate::model::{Cache, CacheHint, ClientAnswer};
use crate::policy::{Cacheable, Policy};
use crate::revision::{Revision, Revisions};
use crate::sync::Trash;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::wire::{self, Identity};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The settings that all connections of a server share.
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    pub(crate) revisions: Revisions,
    pub(crate) policy: Policy,
    pub(crate) identity: Identity,
    pub(crate) list_topics: ListTopics,
    /// The identifier of the extension that each `resultType` belongs to. Result types of no extension are missing.
    pub(crate) result_types: BTreeMap<String, String>,
    /// True if the application has an authorizer.
    pub(crate) authorises: AtomicBool,
    /// True if the server offers resources, because one was registered at some time, or because the application says
    /// so.
    pub(crate) has_resources: AtomicBool,
    /// True if the application registered a method for a notification at some time.
    pub(crate) hears_notifications: AtomicBool,
}

impl Settings {
    pub(crate) fn has_resources(&self) -> bool {
        self.has_resources.load(Ordering::Acquire)
    }

    pub(crate) fn hears_notifications(&self) -> bool {
        self.hears_notifications.load(Ordering::Acquire)
    }

    pub(crate) fn access_check(&self) -> AccessCheck {
        if self.authorises.load(Ordering::Acquire) { AccessCheck::Required } else { AccessCheck::NotRequired }
    }

    /// Returns the caching hint of an answer. `said` is the hint that the application gave for this answer only.
    pub(crate) fn cache(&self, kind: Cacheable, said: CacheHint) -> Cache {
        self.policy.cache(kind, said, self.access_check())
    }
}

/// A request that was read but waits for room. It stays in the list until it is admitted. So a step that ends it finds
/// it there, even while a poller has a copy of its text.
pub(super) struct Waiting {
    pub(super) id: RequestId,
    pub(super) route: Route,
    pub(super) line: Vec<u8>,
    pub(super) cancellable: Cancellable,
}

/// The next thing that a poller does.
pub(crate) enum NextWork {
    ApplicationCall(ApplicationCall, Arc<Context>),
    Cancel(CallId),
    Response(u64, ClientAnswer),
    /// A message to handle that had waited, or that is an element of a batch. The poller has the input token.
    Message {
        line: Vec<u8>,
        route: Route,
        arrival: Arrival,
    },
    /// Bytes to parse. The poller has the input token.
    Chunk(Chunk),
    Nothing,
}

/// The state of one connection, and its steps. The caller of a step holds the connection's lock, and carries out
/// [`Machine::take_effects`] after it; `handle_input`, `handle_new_route` and the parts of steps have no effects. The
/// first word of a method says of which group it is:
///
/// - `handle_…`: something came in from the client, the hub or a driver: bytes, a message, a change of a resource.
/// - `begin_…`: a request takes its next step after a lookup, or after the verdict "allow". It becomes a call of the
///   application, or is answered.
/// - `answer_…`: a request gets its answer, which is often an error.
/// - `poll_…`: returns the next thing to do: a call of the application, a message to deal with, output, a registration
///   at the hub. `release_…` gives a turn back.
/// - `finish_…`: the application has answered a call. `send_…`: the application sends something in the middle of one.
/// - `on_…`: time has passed. `advance_clock` sets the time, and `poll_timeout` returns the next deadline.
/// - `cancel_…`, `drop_…`, `end_…`, `close…` and `shut_down`: something ends, up to the connection itself.
///
/// Other methods that change the machine are parts of such steps: `queue_…`, `write_…`, `take_…`, `set_…` and `clear_…`.
/// Getters are nouns, or `is_…`, `has_…`, `may_…` and `must_…`. `tests/signatures.py` compares the methods with this list.
#[allow(clippy::struct_excessive_bools, reason = "facts of their own, not the states of one thing")]
pub(crate) struct Machine {
    pub(super) settings: Arc<Settings>,
    pub(super) lifecycle: Lifecycle,
    pub(super) inflight: Inflight,
    pub(super) subscriptions: Subscriptions,
    pub(super) outbox: Outbox,
    pub(super) client_requests: ClientRequests,
    pub(super) application_calls: VecDeque<ApplicationCall>,
    /// Notifications that are held back until the session is ready.
    pub(super) held: MarkQueue,
    /// Requests that wait for room, in the order of their arrival. The key is a number that counts up.
    pub(super) waiting: BTreeMap<u64, Waiting>,
    next_waiting: u64,
    pub(super) waiting_bytes: usize,
    input: InputBuffer,
    /// The elements of batches that wait to be handled.
    pub(super) elements: Elements,
    /// True if input was refused because the buffer was full.
    starved: bool,
    /// True if input was left unread because the client does not read its output.
    full: bool,
    /// True if the group has this connection on its list of those to poll.
    ready: bool,
    pub(super) closed: bool,
    /// True if listen streams are to end: a stream that is opened from now on ends at once.
    pub(super) ending: bool,
    pub(super) next_route: u64,
    pub(super) now: u64,
    pub(super) causes: Causes,
}

impl Machine {
    /// Makes the state of a new connection. `connection` is its id, which the ids of its calls contain.
    pub(crate) fn new(connection: u64, settings: Arc<Settings>) -> Self {
        Machine {
            lifecycle: Lifecycle::new(settings.policy.options.dialect),
            inflight: Inflight::new(connection),
            subscriptions: Subscriptions::default(),
            outbox: Outbox::default(),
            client_requests: ClientRequests::default(),
            application_calls: VecDeque::new(),
            held: MarkQueue::new(),
            waiting: BTreeMap::new(),
            next_waiting: 0,
            waiting_bytes: 0,
            input: InputBuffer::new(settings.limits.message_bytes),
            elements: Elements::default(),
            starved: false,
            full: false,
            ready: false,
            closed: false,
            ending: false,
            next_route: 1,
            now: 0,
            causes: Causes::default(),
            settings,
        }
    }

    /// Returns the calls that the application has and that closing cancels, with those whose
    /// cancellation is still queued.
    pub(crate) fn cancelled_by_closing(&self) -> Vec<CallId> {
        let queued = self.application_calls.iter().filter_map(|application_call| match application_call {
            ApplicationCall::Cancel { call } => Some(*call),
            _ => None,
        });
        queued.chain(self.inflight.handed_out()).collect()
    }

    // ---- the ready mark

    /// Notes that the connection is on its group's list. Returns true if it was not, so that the caller adds it.
    pub(crate) fn set_ready(&mut self) -> bool {
        !std::mem::replace(&mut self.ready, true)
    }

    /// Notes that the group took the connection off its list. The group calls this before it polls.
    pub(crate) fn clear_ready(&mut self) {
        self.ready = false;
    }

    // ---- input

    pub(crate) fn handle_input(&mut self, bytes: &[u8]) -> usize {
        if self.closed || self.input.is_ended() {
            return bytes.len();
        }
        // What the client is asked for may stand behind all that it sent before.
        let times = if self.has_client_requests() { 4 } else { 1 };
        let room = self.settings.limits.input_bytes().saturating_mul(times).saturating_sub(self.backlog());
        let accepted = self.input.receive(bytes, room);
        self.starved = accepted < bytes.len();
        accepted
    }

    /// Returns whether input was refused because the buffer was full.
    pub(super) fn is_starved(&self) -> bool {
        self.starved
    }

    /// The bytes that the limit of buffered input counts in addition to unread ones: requests that wait, and answers to
    /// `ping` and errors that exceed the limit of the output.
    fn backlog(&self) -> usize {
        let over = self.outbox.free_len().saturating_sub(self.settings.limits.output_bytes);
        self.waiting_bytes + self.elements.len() + over
    }

    /// Returns whether so much output is unread that no further message is read, even one that is answered at once.
    pub(crate) fn is_full(&self) -> bool {
        let Limits { output_bytes, .. } = self.settings.limits;
        self.outbox.free_len() >= output_bytes.saturating_add(self.settings.limits.input_bytes())
    }

    /// Returns whether no further message may be handled now.
    pub(crate) fn must_stop_reading(&self) -> bool {
        self.is_full() || self.has_elements()
    }

    /// Returns true once if input had been refused and there is room for it again.
    fn take_room_again(&mut self) -> bool {
        // A line may fill half of the budget and still lack its end.
        let room = self.input.len() + self.backlog() <= self.settings.limits.input_bytes() / 2;
        room && std::mem::take(&mut self.starved)
    }

    pub(crate) fn handle_end_of_input(&mut self, unfinished: UnfinishedLine) {
        self.causes.ended |= !self.input.is_ended();
        self.input.end(unfinished);
    }

    /// Returns whether the limits leave room for one more call, on this route. Answers that wait in the route's own
    /// batch do not count, because only the rest of the batch frees their bytes. If no call is in flight, answers that
    /// wait in other batches do not count either.
    fn has_slot(&self, route: Route) -> bool {
        let Limits { calls_in_flight, output_bytes, .. } = self.settings.limits;
        let batches = &self.outbox.batches;
        let gathered = if self.inflight.len() == 0 { batches.len() } else { batches.gathered_with(route) };
        self.inflight.len() < calls_in_flight.max(1) && self.outbox.len() - gathered < output_bytes.max(1)
    }

    /// Returns whether requests wait because clients do not read their output, and this route has some of that output.
    pub(crate) fn is_crowded_by(&mut self, route: Route) -> bool {
        let crowded = self.outbox.len() >= self.settings.limits.output_bytes;
        crowded && self.outbox.has_output_on(route)
    }

    /// Returns whether another request of this route may be dispatched.
    pub(super) fn has_room(&self, route: Route) -> bool {
        self.waiting.is_empty() && self.has_slot(route)
    }

    /// Returns whether the first request that waits may be dispatched.
    pub(super) fn may_dispatch(&self) -> bool {
        self.waiting.first_key_value().is_some_and(|(_, waiting)| self.has_slot(waiting.route))
    }

    /// Returns whether elements of a batch wait for a poller.
    pub(crate) fn has_elements(&self) -> bool {
        !self.elements.is_empty()
    }

    /// Returns whether there are messages that may be handled now.
    #[cfg(feature = "stdio")]
    pub(crate) fn has_input(&self) -> bool {
        self.may_dispatch() || !self.is_full() && (self.has_elements() || self.input.has_more())
    }

    /// Returns what a poller does next: first calls of the application, then input.
    pub(crate) fn poll_next(&mut self, trash: &mut Trash) -> NextWork {
        while let Some(application_call) = self.application_calls.pop_front() {
            let application_call = match application_call {
                ApplicationCall::Cancel { call } => return NextWork::Cancel(call),
                ApplicationCall::Response { number, answer, .. } => {
                    return NextWork::Response(number, answer);
                }
                application_call => application_call,
            };
            if let Some(context) = self.begin_application_call(application_call.call(), trash) {
                return NextWork::ApplicationCall(application_call, context);
            }
            trash.put(application_call); // cancelled before anyone took it: no event at all
        }
        if self.may_dispatch()
            && self.input.hold()
            && let Some(mut first) = self.waiting.first_entry()
        {
            let arrival = Arrival::Resumed(*first.key());
            let Waiting { line, route, .. } = first.get_mut();
            let line = std::mem::take(line);
            self.waiting_bytes -= line.len();
            return NextWork::Message { line, route: *route, arrival };
        }
        if self.is_full() {
            self.full = true;
            return NextWork::Nothing;
        }
        if self.has_elements()
            && self.input.hold()
            && let Some(Element { line, route }) = self.elements.take_line()
        {
            return NextWork::Message { line, route, arrival: Arrival::Element };
        }
        self.input.take().map_or(NextWork::Nothing, NextWork::Chunk)
    }

    /// Notes that the application gets a call, and starts the call's deadline. Returns `None` if its request is over.
    /// If the client has gone, the request ends here.
    pub(super) fn begin_application_call(&mut self, call: CallId, trash: &mut Trash) -> Option<Arc<Context>> {
        if self.inflight.get(call)?.client_gone {
            self.end_request(call, trash);
            return None;
        }
        let context = self.inflight.hand_out(call)?;
        self.set_deadline(call);
        Some(context)
    }

    /// Gives a poller's turn at the input back. Wakes the group if input had been refused and there is room for it
    /// again, because a reader on another thread may be waiting.
    pub(crate) fn release_input(&mut self, chunk: Option<Chunk>) {
        match chunk {
            Some(chunk) if !self.closed => self.input.release_input(chunk),
            _ => self.input.release(),
        }
        self.causes.has_room |= self.take_room_again();
    }

    /// Keeps a message until there is room for its call.
    pub(crate) fn queue_message(
        &mut self,
        id: RequestId,
        cancellable: Cancellable,
        line: &[u8],
        route: Route,
    ) {
        self.waiting_bytes += line.len();
        self.inflight.own(id.clone(), IdOwner::Waiting(self.next_waiting));
        self.waiting.insert(self.next_waiting, Waiting { id, route, line: line.to_vec(), cancellable });
        self.next_waiting += 1;
    }

    /// Handles one message, unless the connection is closed or the message was ended while it waited.
    pub(crate) fn handle_message(
        &mut self,
        parsed: Parsed<'_>,
        origin: MessageOrigin<'_>,
        trash: &mut Trash,
    ) -> Admitted {
        if self.closed || !self.take_from_list(origin.route, origin.arrival) {
            return Admitted::Done;
        }
        self.handle_parsed(parsed, origin, trash)
    }

    /// Takes a message out of the list in which it waited. Returns false if it is not there, because it was ended.
    fn take_from_list(&mut self, route: Route, arrival: Arrival) -> bool {
        match arrival {
            Arrival::New => true,
            Arrival::Element => self.elements.remove_first(route),
            Arrival::Resumed(number) => {
                let waited = self.waiting.remove(&number);
                if let Some(Waiting { id, .. }) = &waited {
                    self.inflight.disown(id);
                }
                waited.is_some()
            }
        }
    }

    // ---- the session

    /// Notes that the connection exists for one message only: see [`Lifecycle::stand_alone`].
    pub(crate) fn set_stand_alone(&mut self, revision: Option<Revision>) {
        self.lifecycle.stand_alone(revision);
    }

    /// Returns the session, if there is one that outlasts the request at hand.
    pub(crate) fn lasting_session(&self) -> Option<&Lifecycle> {
        self.lifecycle.lasting_session().map(|_| &self.lifecycle)
    }

    /// Sets the id that the session has over HTTP.
    pub(crate) fn set_session_id(&mut self, id: Arc<str>) {
        self.lifecycle.set_id(id);
    }

    /// Returns the index in [`LOG_LEVELS`](super::LOG_LEVELS) of the lowest level that the session's client wants.
    pub(crate) fn log_level(&self) -> usize {
        self.lifecycle.log_level()
    }

    /// Sets the lowest level that the session's client wants, an index in [`LOG_LEVELS`](super::LOG_LEVELS).
    pub(crate) fn set_log_level(&mut self, level: usize) {
        self.lifecycle.set_log_level(level);
    }

    /// The revision that the session's handshake agreed on; `None` if there was no handshake.
    pub(crate) fn session_revision(&self) -> Option<Revision> {
        self.lifecycle.session()
    }

    // ---- output

    pub(crate) fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// Returns the next message for a drain, or `None` if the route has none. `used` is the buffer of the message
    /// before; it is used again if there is need for it, so that an idle connection keeps none.
    pub(crate) fn poll_message(&mut self, route: Route, used: &mut Vec<u8>) -> Option<PartialMessage> {
        self.write_marks(route);
        let mut next = self.outbox.next(route);
        if let Some(partial) = &mut next {
            partial.lend(used);
        }
        if route == Route::Connection && (self.inflight.len() > 0 || self.input.len() > 0) {
            self.outbox.reuse(used);
        }
        next
    }

    /// Deals with output that was taken. Wakes the group if that made room for input or requests that wait.
    pub(crate) fn handle_taken_output(&mut self) {
        let reads = self.full && !self.is_full();
        self.full &= !reads;
        self.causes.has_room |= self.take_room_again() || self.may_dispatch() || reads;
    }

    /// Takes the routes that got output or a deadline since the last call.
    pub(crate) fn poll_pending_routes(&mut self) -> Routes {
        let routes = self.outbox.take_pending_routes();
        if self.closed { Routes::All } else { routes }
    }

    /// Returns whether a request is being answered, waits for room, or is being looked up.
    pub(crate) fn is_answering(&self) -> bool {
        let read = !self.waiting.is_empty() || self.has_elements() || self.input.is_held();
        !self.inflight.is_idle() || read
    }

    // ---- the end

    /// Ends listen streams with the result that the protocol defines. Streams that are not acknowledged yet end after
    /// their acknowledgement.
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
            self.outbox.write(stream.route, MessageKind::Final(Stage::Dispatched), |p| {
                wire::stream_ended(p.out, stream.revision, &stream.id, identity);
            });
            if stream.route == Route::Connection {
                self.outbox
                    .write(stream.route, MessageKind::Message, |p| wire::cancelled_stream(p.out, &stream.id));
            }
            self.inflight.disown(&stream.id);
        }
    }

    /// Ends listen streams, drops all calls, and takes no more input. Output that is queued can still be drained.
    pub(crate) fn shut_down(&mut self, trash: &mut Trash) {
        self.end_streams();
        self.drop_calls(trash);
    }

    /// Drops all calls and all output at once.
    pub(crate) fn close(&mut self, trash: &mut Trash) {
        self.drop_calls(trash);
        trash.put(self.outbox.clear());
    }

    /// Returns whether no request, subscription or client request is open. The end of the connection then concerns
    /// neither the application nor the hub.
    pub(crate) fn is_vacant(&self) -> bool {
        let subscribes = self.subscriptions.len() + self.subscriptions.streams() > 0;
        let reported = self.application_calls.is_empty() && !self.subscriptions.is_unsynced();
        reported && !subscribes && !self.is_answering() && !self.has_client_requests()
    }

    fn drop_calls(&mut self, trash: &mut Trash) {
        self.closed = true;
        self.subscriptions.clear();
        self.held.clear();
        self.waiting.clear();
        self.waiting_bytes = 0;
        self.input.clear();
        self.client_requests.clear();
        self.elements.clear();
        trash.put(self.outbox.forget_batches());
        trash.put(std::mem::take(&mut self.application_calls));
        let open = self.inflight.clear();
        for open in &open {
            self.causes.cancelled(&open.context);
        }
        trash.put(open);
        trash.put(self.outbox.callers.clear());
        self.causes.ended = true;
        self.causes.has_room = true;
    }

    /// Returns whether the call is still to be answered.
    pub(crate) fn is_open(&mut self, call: CallId) -> bool {
        self.inflight.get(call).is_some()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns whether the input has ended, no request is open, and all output was taken.
    pub(crate) fn is_finished(&self) -> bool {
        let read = self.waiting.is_empty() && self.elements.is_empty();
        let ended = self.closed || self.input.is_spent() && !self.inflight.is_awaited();
        ended && self.application_calls.is_empty() && read && self.outbox.is_spent()
    }
}
