//! The state of one connection, and its steps.

use super::CallId;
use super::dispatch::{Admitted, Request, limit};
use super::inflight::{Ask, Context, Inflight, Open, Owner, Read, State};
use super::input::{Chunk, Input};
use super::lifecycle::Lifecycle;
use super::outbox::{Kind, Outbox, Route, Stage};
use super::subscriptions::{HubOp, Mark, Queue, Subscriptions, Watcher};
use crate::access::{Caller, Operation, Verdict};
use crate::catalog::{Handler, Listing, Vars, Walk, Walked};
use crate::hub::Registered;
use crate::jsonrpc::{Parsed, RequestId, RpcError};
use crate::limits::Limits;
use crate::log::{Level, Line};
use crate::model::{Answer, Borrowed};
use crate::revision::{Condition, Revision};
use crate::sync::Trash;
use crate::wire::{self, Cache, Defaults, Identity, Payload, ResultWriter};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What every connection of a server has in common.
pub(crate) struct Settings {
    pub(crate) limits: Limits,
    pub(crate) identity: Identity,
}

/// What a step asks of the shell, to be done without a lock.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "what is asked for is independent of each other")]
pub(crate) struct After {
    /// Somebody still wanted the answer.
    pub(crate) wanted: bool,
    /// There is something to poll or to drain that was not there before.
    pub(crate) gained: bool,
    /// The hub has to hear something.
    pub(crate) sync: bool,
    /// Input is accepted again.
    pub(crate) room: bool,
    pub(crate) lines: Vec<Line>,
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
    /// A line that had waited. The poller holds the input token.
    Resume(Vec<u8>, Route),
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
    pub(super) asks: VecDeque<Ask>,
    /// What the session shall be told once it is ready.
    pub(super) held: Queue,
    /// Requests that wait for room, by a number in the order of their arrival.
    pub(super) waiting: BTreeMap<u64, Waiting>,
    next_waiting: u64,
    pub(super) waiting_bytes: usize,
    input: Input,
    /// Input was refused for want of room.
    starved: bool,
    /// Input was left unread because the client takes no output.
    full: bool,
    /// The group has this connection on its list.
    ready: bool,
    closed: bool,
    next_exchange: u64,
    now: u64,
}

impl Machine {
    pub(crate) fn new(settings: Arc<Settings>) -> Self {
        Machine {
            lifecycle: Lifecycle::default(),
            inflight: Inflight::default(),
            subscriptions: Subscriptions::default(),
            outbox: Outbox::default(),
            asks: VecDeque::new(),
            held: Queue::new(),
            waiting: BTreeMap::new(),
            next_waiting: 0,
            waiting_bytes: 0,
            input: Input::new(settings.limits.message_bytes),
            starved: false,
            full: false,
            ready: false,
            closed: false,
            next_exchange: 1,
            now: 0,
            settings,
        }
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

    /// There is something to poll or to drain.
    pub(crate) fn gained(&self) -> bool {
        !self.asks.is_empty() || self.outbox.has_output() || !self.waiting.is_empty() && self.has_slot()
    }

    // ---- input

    pub(crate) fn receive(&mut self, bytes: &[u8]) -> usize {
        if self.closed || self.input.is_ended() {
            return bytes.len();
        }
        let room = self.settings.limits.input_bytes().saturating_sub(self.backlog());
        let accepted = self.input.receive(bytes, room);
        self.starved = accepted < bytes.len();
        accepted
    }

    /// What is charged to the input budget beside unread bytes: requests that wait, and what is answered at once
    /// (`ping`, errors) though the client has more to take than it may.
    fn backlog(&self) -> usize {
        self.waiting_bytes + self.outbox.len().saturating_sub(self.settings.limits.output_bytes)
    }

    /// Even what is answered at once has to wait: nothing more is read until the client takes something.
    pub(crate) fn is_full(&mut self) -> bool {
        let Limits { output_bytes, .. } = self.settings.limits;
        let full = self.outbox.len() >= output_bytes.saturating_add(self.settings.limits.input_bytes());
        self.full |= full;
        full
    }

    /// Whether input is accepted again that was refused.
    fn has_room_again(&mut self) -> bool {
        // A line may fill half of the budget and still lack its end.
        let room = self.input.len() + self.backlog() <= self.settings.limits.input_bytes() / 2;
        room && std::mem::take(&mut self.starved)
    }

    pub(crate) fn end(&mut self) -> After {
        self.input.end();
        After { gained: true, ..After::default() }
    }

    /// A new exchange: a route of its own for one message.
    /// `single`: there is room for an answer only, not for a stream.
    pub(crate) fn open_exchange(&mut self, single: bool) -> Option<u64> {
        if self.closed {
            return None;
        }
        let exchange = self.next_exchange;
        self.next_exchange += 1;
        self.outbox.open(exchange, single);
        Some(exchange)
    }

    /// Nobody waits for an exchange any more: its request is cancelled, or its stream ended.
    pub(crate) fn forget_exchange(&mut self, exchange: u64, trash: &mut Trash) -> After {
        let (mut after, route) = (After::default(), Route::Exchange(exchange));
        trash.put(self.outbox.forget(exchange));
        if let Some(waiting) = self.take_waiting(route) {
            self.inflight.disown(&waiting.id);
        }
        for call in self.inflight.on(route) {
            if let Some(open) = self.drop_call(call, &mut after) {
                trash.put(open);
            }
        }
        for key in self.subscriptions.streams_on(route) {
            if let Some(stream) = self.subscriptions.close_stream(key) {
                self.inflight.disown(&stream.id);
            }
        }
        after.sync = self.subscriptions.is_unsynced();
        after
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
    fn drop_call(&mut self, call: CallId, after: &mut After) -> Option<Open> {
        let asked = self.inflight.is_asked(call);
        let open = self.inflight.abandon(call)?;
        self.undo(call.slot(), &open.state);
        if asked {
            self.asks.push_back(Ask::Cancel { call });
            after.gained = true;
        }
        Some(open)
    }

    fn has_slot(&self) -> bool {
        let Limits { calls_in_flight, output_bytes, .. } = self.settings.limits;
        self.inflight.len() < calls_in_flight.max(1) && self.outbox.len() < output_bytes.max(1)
    }

    /// Whether another request may be dispatched.
    pub(super) fn has_room(&self) -> bool {
        self.waiting.is_empty() && self.has_slot()
    }

    /// What a poller does next: continuations, then input.
    pub(crate) fn next(&mut self, trash: &mut Trash) -> Next {
        while let Some(ask) = self.asks.pop_front() {
            if let Ask::Cancel { call } = ask {
                return Next::Cancel(call);
            }
            let deadline = self.now.checked_add(self.settings.limits.call_ms);
            if let Some(context) = self.inflight.hand_out(ask.call(), deadline) {
                return Next::Ask(ask, context);
            }
            trash.put(ask); // cancelled before anyone took it: no event at all
        }
        if self.has_slot()
            && !self.waiting.is_empty()
            && self.input.hold()
            && let Some((_, waiting)) = self.waiting.pop_first()
        {
            self.waiting_bytes -= waiting.line.len();
            return Next::Resume(waiting.line, waiting.route);
        }
        if self.is_full() {
            return Next::Nothing;
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
        trash: &mut Trash,
    ) -> (Admitted, After) {
        if self.closed {
            return (Admitted::Done, After::default());
        }
        self.admit(parsed, route, resumed, trash)
    }

    // ---- requests that have been looked up

    /// Opens a slot for a request that waits for somebody.
    fn open(&mut self, request: Request, caller: &Arc<Caller>, state: State) -> CallId {
        let context = Context::new(caller.clone(), request.revision);
        self.inflight.open(Open { id: request.id, route: request.route, context, state })
    }

    /// Opens a slot and asks the host at once: the poller that did this takes the question with it.
    fn open_and_hand_out(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        state: State,
    ) -> Option<(CallId, Arc<Context>)> {
        let call = self.open(request, caller, state);
        let deadline = self.now.checked_add(self.settings.limits.call_ms);
        self.inflight.hand_out(call, deadline).map(|context| (call, context))
    }

    pub(crate) fn read_by_host(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        uri: Arc<str>,
        handler: Arc<Handler>,
        vars: Vars,
        trash: &mut Trash,
    ) -> Option<(Ask, Arc<Context>)> {
        if self.closed {
            trash.put(handler);
            return None;
        }
        let state = State::Read { uri: uri.clone(), handler: handler.clone() };
        let (call, context) = self.open_and_hand_out(request, caller, state)?;
        Some((Ask::Read { call, uri, handler, vars }, context))
    }

    pub(crate) fn authorize_read(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        uri: Arc<str>,
        read: Read,
        trash: &mut Trash,
    ) -> Option<(Ask, Arc<Context>)> {
        if self.closed {
            trash.put(read);
            return None;
        }
        let state = State::AuthorizeRead { uri: uri.clone(), read };
        let (call, context) = self.open_and_hand_out(request, caller, state)?;
        Some((Ask::Authorize { call, operation: Operation::Read, uris: vec![uri] }, context))
    }

    /// Opens a slot for a walk that needs the host.
    pub(crate) fn walk(&mut self, request: Request, caller: &Arc<Caller>, walked: Walked, trash: &mut Trash) {
        if self.closed {
            trash.put(walked);
            return;
        }
        let call = self.open(request, caller, State::Taken);
        self.walked(call, walked, trash);
    }

    /// Answers a request that needed no slot.
    pub(crate) fn answer_read(
        &mut self,
        request: &Request,
        defaults: &Defaults<'_>,
        contents: &[Borrowed<'_>],
    ) {
        if !self.closed {
            self.write_read(request.route, request.revision, &request.id, defaults, contents);
        }
    }

    pub(crate) fn answer_list(
        &mut self,
        request: &Request,
        listing: Listing,
        items: &[u8],
        cursor: Option<&str>,
    ) {
        if !self.closed {
            self.write_list(request.route, request.revision, &request.id, listing, items, cursor);
        }
    }

    pub(crate) fn answer_error(&mut self, request: &Request, fault: &RpcError) {
        if !self.closed {
            self.fail(request.route, Stage::Dispatched, &request.id, fault);
        }
    }

    fn write_read(
        &mut self,
        route: Route,
        revision: &Revision,
        id: &RequestId,
        defaults: &Defaults<'_>,
        contents: &[Borrowed<'_>],
    ) {
        let identity = &self.settings.identity;
        self.outbox.write(route, Kind::Final(Stage::Dispatched), |payload| {
            let mut result = ResultWriter::begin(payload.out, revision, id);
            result.member("contents");
            wire::write_contents(payload, revision, contents, defaults);
            ResultWriter::resume(payload.out, revision).end(identity, Cache::NoReuse);
        });
    }

    fn write_list(
        &mut self,
        route: Route,
        revision: &Revision,
        id: &RequestId,
        listing: Listing,
        items: &[u8],
        cursor: Option<&str>,
    ) {
        let identity = &self.settings.identity;
        self.outbox.write(route, Kind::Final(Stage::Dispatched), |payload: &mut Payload<'_>| {
            let mut result = ResultWriter::begin(payload.out, revision, id);
            let list = result.member(listing.member());
            list.push(b'[');
            list.extend_from_slice(items);
            list.push(b']');
            if let Some(cursor) = cursor {
                crate::encode::quote_into(cursor, result.member("nextCursor"));
            }
            result.end(identity, Cache::NoReuse);
        });
    }

    // ---- answers of the host

    /// The answer to a read, and its contents if it has any.
    pub(crate) fn finish_read(
        &mut self,
        call: CallId,
        answer: &Answer,
        contents: &[Borrowed<'_>],
        trash: &mut Trash,
    ) -> After {
        let Some(state) = self.inflight.answered(call) else { return self.unwanted() };
        let (State::Read { uri, handler }, Some(open)) = (&state, self.inflight.close(call)) else {
            trash.put(state);
            return self.unwanted();
        };
        let mut after = After { wanted: true, ..After::default() };
        let revision = open.context.revision;
        match answer {
            Answer::Found(_) => {
                let defaults = handler.defaults(uri);
                self.write_read(open.route, revision, &open.id, &defaults, contents);
            }
            Answer::NotFound => self.fail(open.route, Stage::Dispatched, &open.id, &not_found(revision, uri)),
            Answer::Denied => self.fail(open.route, Stage::Dispatched, &open.id, &denied(revision, uri)),
            Answer::Failed(why) => {
                self.fail(open.route, Stage::Dispatched, &open.id, &RpcError::internal());
                after.lines.push(Line(Level::Error, format!("reading {uri} failed: {why}")));
            }
        }
        trash.put((state, open));
        after.gained = true;
        after
    }

    fn unwanted(&self) -> After {
        After { gained: self.gained(), ..After::default() }
    }

    /// An answer that nobody wants any more: what it occupied is free.
    pub(crate) fn late(&mut self, call: CallId) -> After {
        if self.inflight.get(call).is_none() {
            self.inflight.answered(call);
        }
        self.unwanted()
    }

    /// What verdicts were asked for. Nothing if nobody wants them any more.
    pub(crate) fn asked(&mut self, call: CallId) -> Option<Asked> {
        let (operation, uris, fixed) = match &self.inflight.get(call)?.state {
            State::Walk(walk) => (Operation::List, walk.asked(), None),
            State::AuthorizeRead { read: Read::Fixed(fixed), .. } => {
                (Operation::Read, 1, Some(fixed.clone()))
            }
            State::AuthorizeRead { .. } => (Operation::Read, 1, None),
            State::Subscribe { .. } => (Operation::Subscribe, 1, None),
            State::Listen { stream } => {
                let uris = self.subscriptions.stream(*stream).map_or(0, |s| s.uris.len());
                (Operation::Subscribe, uris, None)
            }
            State::Read { .. } | State::Taken => return None,
        };
        Some(Asked { operation, uris, fixed })
    }

    /// Takes a walk out, to go on with it without a lock. Nothing if nobody wants the answer any more.
    pub(crate) fn take_walk(&mut self, call: CallId) -> Option<(Box<Walk>, Arc<Context>)> {
        match self.inflight.answered(call)? {
            State::Walk(walk) => {
                let context = self.inflight.get(call)?.context.clone();
                Some((walk, context))
            }
            other => {
                let _ = self.inflight.again(call, other);
                None
            }
        }
    }

    /// A walk has come as far as it could.
    pub(crate) fn walked(&mut self, call: CallId, walked: Walked, trash: &mut Trash) -> After {
        let mut after = After { wanted: true, ..After::default() };
        match walked {
            Walked::Ask { walk, handler, after: key, limit } => {
                match self.inflight.again(call, State::Walk(walk)) {
                    Ok(call) => self.asks.push_back(Ask::List { call, handler, after: key, limit }),
                    Err(_) => trash.put(handler),
                }
            }
            Walked::Authorize { walk, uris } => {
                if let Ok(call) = self.inflight.again(call, State::Walk(walk)) {
                    self.asks.push_back(Ask::Authorize { call, operation: Operation::List, uris });
                }
            }
            Walked::Page { listing, items, cursor } => {
                if let Some(open) = self.inflight.close(call) {
                    let revision = open.context.revision;
                    self.write_list(open.route, revision, &open.id, listing, &items, cursor.as_deref());
                }
            }
            Walked::Failed(why) => {
                if let Some(open) = self.inflight.close(call) {
                    self.fail(open.route, Stage::Dispatched, &open.id, &RpcError::internal());
                    after.lines.push(Line(Level::Error, why));
                }
            }
        }
        after.gained = self.gained();
        after
    }

    /// The verdicts about a read, a subscription or a listen stream, and the contents if what is read is fixed. Those
    /// about a list come through [`Machine::take_walk`].
    pub(crate) fn finish_verdicts(
        &mut self,
        call: CallId,
        verdicts: &[Verdict],
        contents: &[Borrowed<'_>],
        trash: &mut Trash,
    ) -> After {
        let Some(state) = self.inflight.answered(call) else { return self.unwanted() };
        let mut after = After { wanted: true, ..After::default() };
        let first = verdicts.first().copied().unwrap_or(Verdict::Deny);
        match state {
            State::AuthorizeRead { uri, read } => match first {
                Verdict::Allow => self.go_on_reading(call, uri, read, contents, trash),
                verdict => {
                    if let Some(open) = self.inflight.close(call) {
                        let fault = refused(open.context.revision, &uri, verdict);
                        self.fail(open.route, Stage::Dispatched, &open.id, &fault);
                    }
                    trash.put(read);
                }
            },
            State::Subscribe { uri } => match first {
                Verdict::Allow => {
                    let waits = self.subscriptions.allow(&uri, call.slot());
                    let again = self.inflight.again(call, State::Subscribe { uri });
                    if let (Ok(_), false) = (again, waits) {
                        self.subscribed(call.slot()); // unsubscribed meanwhile
                    }
                }
                verdict => {
                    self.subscriptions.unwant(&uri, call.slot());
                    if let Some(open) = self.inflight.close(call) {
                        let fault = refused(open.context.revision, &uri, verdict);
                        self.fail(open.route, Stage::Dispatched, &open.id, &fault);
                    }
                }
            },
            State::Listen { stream } => {
                let uris = self.subscriptions.stream(stream).map(|s| s.uris.clone()).unwrap_or_default();
                for (uri, verdict) in uris.iter().zip(verdicts) {
                    if *verdict == Verdict::Allow {
                        self.subscriptions.allow(uri, call.slot());
                    } else {
                        self.subscriptions.stream_drops(stream, uri, call.slot());
                    }
                }
                if let Ok(call) = self.inflight.again(call, State::Listen { stream }) {
                    self.start_stream_if_complete(call, stream);
                }
            }
            other => {
                let _ = self.inflight.again(call, other);
                after.wanted = false;
            }
        }
        after.gained = self.gained();
        after.sync = self.subscriptions.is_unsynced();
        after
    }

    fn go_on_reading(
        &mut self,
        call: CallId,
        uri: Arc<str>,
        read: Read,
        contents: &[Borrowed<'_>],
        trash: &mut Trash,
    ) {
        match read {
            Read::Fixed(fixed) => {
                if let Some(open) = self.inflight.close(call) {
                    let revision = open.context.revision;
                    self.write_read(open.route, revision, &open.id, &fixed.defaults(&uri), contents);
                }
                trash.put(fixed);
            }
            Read::Call { handler, vars } => {
                let state = State::Read { uri: uri.clone(), handler: handler.clone() };
                match self.inflight.again(call, state) {
                    Ok(call) => self.asks.push_back(Ask::Read { call, uri, handler, vars }),
                    Err(state) => trash.put((state, handler)),
                }
            }
        }
    }

    /// The host dropped its responder, failed to answer in time, or answered nonsense.
    pub(crate) fn give_up(&mut self, call: CallId, why: &str, trash: &mut Trash) -> After {
        let Some(state) = self.inflight.answered(call) else { return self.unwanted() };
        let mut after = After { wanted: true, gained: true, ..After::default() };
        self.undo(call.slot(), &state);
        after.sync = self.subscriptions.is_unsynced();
        if let Some(open) = self.inflight.close(call) {
            self.fail(open.route, Stage::Dispatched, &open.id, &RpcError::internal());
            after.lines.push(Line(Level::Error, format!("{} {why}", state.describe())));
            trash.put(open);
        }
        trash.put(state);
        after
    }

    // ---- subscriptions

    pub(crate) fn subscribe(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        uri: &Arc<str>,
        authorise: bool,
    ) -> After {
        if self.closed {
            return After::default();
        }
        let call = self.open(request, caller, State::Subscribe { uri: uri.clone() });
        self.subscriptions.want(uri, Watcher::Session, call.slot(), !authorise);
        if authorise {
            self.asks.push_back(Ask::Authorize {
                call,
                operation: Operation::Subscribe,
                uris: vec![uri.clone()],
            });
        }
        After { gained: authorise, sync: self.subscriptions.is_unsynced(), ..After::default() }
    }

    pub(crate) fn listen(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        lists: bool,
        uris: Vec<Arc<str>>,
        authorise: bool,
    ) -> After {
        if self.closed {
            return After::default();
        }
        let stream =
            self.subscriptions.open_stream(request.id.clone(), request.route, request.revision, lists);
        let call = self.open(request, caller, State::Listen { stream });
        let authorise = authorise && !uris.is_empty();
        self.subscriptions.stream_wants(stream, &uris, call.slot(), !authorise);
        if authorise {
            self.asks.push_back(Ask::Authorize { call, operation: Operation::Subscribe, uris });
        } else {
            self.start_stream_if_complete(call, stream);
        }
        After { gained: true, sync: self.subscriptions.is_unsynced(), ..After::default() }
    }

    fn start_stream_if_complete(&mut self, call: CallId, key: u64) {
        if !self.subscriptions.stream_is_complete(key) {
            return;
        }
        let Some(open) = self.inflight.close(call) else { return };
        self.inflight.own(open.id.clone(), Owner::Stream(key));
        if let Some(stream) = self.subscriptions.stream(key) {
            let (lists, uris) = (stream.lists, stream.uris.clone());
            self.outbox
                .write(open.route, Kind::Message, |p| wire::acknowledged(p.out, &open.id, lists, &uris));
        }
        let queue = self.subscriptions.stream_starts(key, call.slot());
        self.queue(queue);
    }

    /// The request in that slot subscribed, or there is nothing left to subscribe to.
    pub(super) fn subscribed(&mut self, slot: u32) {
        let Some((call, _)) = self.inflight.in_slot(slot) else { return };
        let Some(open) = self.inflight.close(call) else { return };
        let identity = &self.settings.identity;
        self.outbox.write(open.route, Kind::Final(Stage::Dispatched), |p| {
            wire::empty_result(p.out, open.context.revision, &open.id, identity);
        });
    }

    /// The hub registered a URI for a request, or could not.
    pub(crate) fn registered(
        &mut self,
        call: CallId,
        uri: &Arc<str>,
        outcome: Registered,
        trash: &mut Trash,
    ) -> After {
        let Some(open) = self.inflight.get(call) else { return After::default() };
        let slot = call.slot();
        let fault = match outcome {
            Registered::Watched => None,
            Registered::Failed => Some(RpcError::internal()),
            Registered::Full(max) => Some(limit("subscriptions_total", max)),
        };
        match (&open.state, fault) {
            (State::Subscribe { .. }, None) => {
                let queue = self.subscriptions.acknowledge(uri, slot);
                self.subscribed(slot);
                self.queue(queue);
            }
            (State::Subscribe { .. }, Some(fault)) => {
                self.subscriptions.unwant(uri, slot);
                if let Some(open) = self.inflight.close(call) {
                    self.fail(open.route, Stage::Dispatched, &open.id, &fault);
                }
            }
            (State::Listen { stream }, None) => {
                let stream = *stream;
                self.subscriptions.stream_has(stream);
                self.start_stream_if_complete(call, stream);
            }
            (State::Listen { stream }, Some(fault)) => {
                let stream = *stream;
                if let Registered::Full(_) = outcome {
                    self.subscriptions.close_stream(stream);
                    if let Some(open) = self.inflight.close(call) {
                        self.fail(open.route, Stage::Dispatched, &open.id, &fault);
                        trash.put(open);
                    }
                } else {
                    self.subscriptions.stream_drops(stream, uri, slot);
                    self.start_stream_if_complete(call, stream);
                }
            }
            _ => {}
        }
        After {
            wanted: true,
            gained: self.gained(),
            sync: self.subscriptions.is_unsynced(),
            ..After::default()
        }
    }

    pub(crate) fn sync_begin(&mut self) -> bool {
        self.subscriptions.sync_begin()
    }

    pub(crate) fn sync_next(&mut self) -> Option<HubOp> {
        let inflight = &mut self.inflight;
        let deadline = self.now.checked_add(self.settings.limits.call_ms);
        self.subscriptions.sync_next(|slot| {
            let (call, _) = inflight.in_slot(slot)?;
            inflight.expect(call, deadline); // the interest handler may never answer
            Some(call)
        })
    }

    /// A URI changed. True if there is something new to send.
    pub(crate) fn updated(&mut self, uri: &Arc<str>, sequence: u64, title: Option<&Arc<str>>) -> bool {
        let queue = self.subscriptions.updated(uri, sequence, title);
        let gained = !queue.is_empty();
        self.queue(queue);
        gained
    }

    /// The list changed. True if there is something new to send.
    pub(crate) fn list_changed(&mut self) -> bool {
        let session = self.lifecycle.session().is_some();
        let queue = self.subscriptions.list_changed(session);
        let gained = !queue.is_empty();
        self.queue(queue);
        gained
    }

    /// Queues what the client shall be told, or holds it back until the session is ready.
    pub(super) fn queue(&mut self, queue: Queue) {
        for (watcher, uri) in queue {
            match watcher {
                Watcher::Session if !self.lifecycle.is_ready() => self.held.push((watcher, uri)),
                Watcher::Session => self.outbox.mark(Route::Connection, Mark { watcher, uri }),
                Watcher::Stream(key) => {
                    if let Some(stream) = self.subscriptions.stream(key) {
                        self.outbox.mark(stream.route, Mark { watcher, uri });
                    }
                }
            }
        }
    }

    // ---- output

    /// Renders marked changes as they are now.
    pub(crate) fn render(&mut self, route: Route) {
        while let Some(mark) = self.outbox.next_mark(route) {
            let Some(title) = self.subscriptions.take_change(&mark) else { continue };
            let (id, revision) = match mark.watcher {
                Watcher::Session => (None, self.lifecycle.session()),
                Watcher::Stream(key) => match self.subscriptions.stream(key) {
                    Some(stream) => (Some(stream.id.clone()), Some(stream.revision)),
                    None => continue,
                },
            };
            let title = title.filter(|_| revision.is_some_and(|revision| revision.contents_titles));
            self.outbox.write(route, Kind::Message, |p| match &mark.uri {
                Some(uri) => wire::updated(p.out, id.as_ref(), uri, title.as_deref()),
                None => wire::list_changed(p.out, id.as_ref()),
            });
        }
    }

    pub(crate) fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// Whether a wake is due because output was taken: what waited for that may go on.
    pub(crate) fn may_resume(&mut self) -> bool {
        let resumes = !self.waiting.is_empty() && self.has_slot();
        let reads = self.full && !self.is_full() && std::mem::take(&mut self.full);
        self.has_room_again() || resumes || reads
    }

    // ---- time

    pub(crate) fn tick(&mut self, now: u64, trash: &mut Trash) -> After {
        let mut after = After::default();
        self.now = self.now.max(now);
        while let Some(call) = self.inflight.overdue(self.now) {
            self.run_out(call, "within call_ms", &mut after, trash);
        }
        after.sync = self.subscriptions.is_unsynced();
        after
    }

    /// An exchange has been waited for long enough.
    pub(crate) fn expire(&mut self, exchange: u64, trash: &mut Trash) -> After {
        let (mut after, route) = (After::default(), Route::Exchange(exchange));
        if let Some(waiting) = self.take_waiting(route) {
            self.inflight.disown(&waiting.id);
            self.fail(route, Stage::Refused, &waiting.id, &RpcError::internal());
        }
        for call in self.inflight.on(route) {
            self.run_out(call, "in time", &mut after, trash);
        }
        after.sync = self.subscriptions.is_unsynced();
        after
    }

    /// A call that the host did not answer in time.
    fn run_out(&mut self, call: CallId, when: &str, after: &mut After, trash: &mut Trash) {
        let Some(open) = self.drop_call(call, after) else { return };
        self.fail(open.route, Stage::Dispatched, &open.id, &RpcError::internal());
        let why = format!("{} was not answered {when}", open.state.describe());
        after.lines.push(Line(Level::Error, why));
        trash.put(open);
        after.gained = true;
    }

    /// When [`Machine::tick`] has something to do, in the host's milliseconds.
    pub(crate) fn deadline(&mut self) -> Option<u64> {
        self.inflight.deadline()
    }

    // ---- the end

    /// Ends listen streams as the protocol asks.
    pub(crate) fn end_streams(&mut self) -> After {
        for key in self.subscriptions.live_streams() {
            let Some(stream) = self.subscriptions.close_stream(key) else { continue };
            let identity = &self.settings.identity;
            self.outbox.write(stream.route, Kind::Final(Stage::Dispatched), |p| {
                wire::stream_ended(p.out, stream.revision, &stream.id, identity);
            });
            if stream.route == Route::Connection {
                self.outbox.write(stream.route, Kind::Message, |p| wire::cancelled_stream(p.out, &stream.id));
            }
            self.inflight.disown(&stream.id);
        }
        After { gained: true, sync: self.subscriptions.is_unsynced(), ..After::default() }
    }

    /// Ends listen streams, drops what is in flight, and takes no more input.
    pub(crate) fn shut_down(&mut self, trash: &mut Trash) -> After {
        self.end_streams();
        self.drop_calls(trash)
    }

    /// Drops everything, output included.
    pub(crate) fn close(&mut self, trash: &mut Trash) -> After {
        let after = self.drop_calls(trash);
        trash.put(self.outbox.clear());
        after
    }

    fn drop_calls(&mut self, trash: &mut Trash) -> After {
        self.closed = true;
        self.subscriptions.clear();
        self.held.clear();
        self.waiting.clear();
        self.waiting_bytes = 0;
        self.input.clear();
        trash.put(std::mem::take(&mut self.asks));
        trash.put(self.inflight.clear());
        After { gained: true, sync: self.subscriptions.is_unsynced(), room: true, ..After::default() }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// No more input, nothing in flight, nothing to write.
    pub(crate) fn is_finished(&self) -> bool {
        let idle = self.asks.is_empty() && self.waiting.is_empty() && self.outbox.is_spent();
        self.closed && idle || self.input.is_spent() && self.inflight.len() == 0 && idle
    }
}

/// What the host was asked about a request.
pub(crate) struct Asked {
    pub(crate) operation: Operation,
    /// How many verdicts are wanted.
    pub(crate) uris: usize,
    /// What is read, if it is fixed.
    pub(crate) fixed: Option<Arc<crate::catalog::Fixed>>,
}

pub(crate) fn not_found(revision: &Revision, uri: &str) -> RpcError {
    RpcError::new(revision.code(Condition::ResourceNotFound), "Resource not found").with_member("uri", uri)
}

fn denied(revision: &Revision, uri: &str) -> RpcError {
    RpcError::new(revision.code(Condition::PermissionDenied), "Permission denied").with_member("uri", uri)
}

fn refused(revision: &Revision, uri: &str, verdict: Verdict) -> RpcError {
    match verdict {
        Verdict::Hide => not_found(revision, uri),
        _ => denied(revision, uri),
    }
}

impl State {
    fn describe(&self) -> String {
        match self {
            State::Read { uri, .. } => format!("the read of {uri}"),
            State::AuthorizeRead { uri, .. } => format!("the verdict about reading {uri}"),
            State::Walk(walk) => format!("the list source \"{}\"", walk.source_name()),
            State::Subscribe { uri } => format!("the request to watch {uri}"),
            State::Listen { .. } => "the request for a listen stream".to_owned(),
            State::Taken => "a call".to_owned(),
        }
    }
}
