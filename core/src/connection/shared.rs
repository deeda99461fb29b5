//! The state behind a connection, and its steps with their effects outside of it.

use crate::access::{AccessCheck, Caller, Verdict};
use crate::catalog::{Content, Found, Sealer, Surroundings, Walk, Walked};
use crate::event::{AuthorizeCall, Call, CompleteCall, Continuation, Event, ListCall, MethodCall};
use crate::group::{self, GroupClient};
use crate::jsonrpc::{Parsed, parse};
use crate::log::LogLine;
use crate::model::{Answer, Borrowed, Completion, Contents, Page, Report};
use crate::observer::RunningCalls;
use crate::protocol::{
    Admitted, ApplicationCall, Arrival, CallId, Context, Effects, HubOp, Machine, MessageOrigin, RequestHead,
    Route,
};
use crate::refusals::RefusalKind;
use crate::server::ServerState;
use crate::sync::{Fault, Lock, Trash, is_planted, is_running};
use crate::wall_clock::WallClock;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The state behind a [`Connection`]. Its lock is the only one around protocol state.
#[doc(hidden)]
#[allow(
    unnameable_types,
    missing_debug_implementations,
    reason = "internal; in the signature of a sealed trait"
)]
pub struct ConnectionState {
    pub(crate) id: u64,
    pub(super) machine: Lock<Machine>,
    pub(super) server: Arc<ServerState>,
    pub(super) group: Option<Arc<group::GroupState>>,
    wall_clock: WallClock,
    pub(super) caller: Arc<Caller>,
    /// The callbacks for the client's responses, by the number of the server's request.
    pub(super) continuations: Lock<BTreeMap<u64, Continuation>>,
    observed: Option<Arc<RunningCalls>>,
}

/// A change is marked in this number of connections before their groups are woken.
const MARKED_AT_ONCE: usize = 64;

/// The result of handling one message.
pub(super) struct Dealt {
    /// The event of the call that the message leads to, if it begins one at once.
    pub(super) event: Option<Event>,
    /// True if no further message may be handled now.
    pub(super) must_stop: bool,
}

/// Says whether a step put its connection onto its group's list. Then the group has to be woken.
enum Wake {
    Due,
    None,
}

impl ConnectionState {
    pub(super) fn new(
        id: u64,
        server: Arc<ServerState>,
        group: Option<Arc<group::GroupState>>,
        caller: Caller,
    ) -> Self {
        let machine = Lock::new(Machine::new(id, server.settings.clone()));
        let continuations = Lock::new(BTreeMap::new());
        let observed = server.metrics.running_calls();
        let (caller, wall_clock) = (Arc::new(caller), WallClock::default());
        ConnectionState { id, machine, server, group, wall_clock, caller, continuations, observed }
    }

    /// Runs one step of the machine outside of a poll, and carries out its effects. Returns what `step` returns.
    pub(super) fn step<R>(self: &Arc<Self>, step: impl FnOnce(&mut Machine, &mut Trash) -> R) -> R {
        let (found, wake) = self.step_and_mark(step);
        if let Wake::Due = wake {
            self.push();
        }
        found
    }

    /// Runs one step of the machine outside of a poll, and carries out its effects except for the wake. The caller
    /// wakes the groups of several connections at once. Everything else is as with [`ConnectionState::step`].
    fn step_and_mark<R>(self: &Arc<Self>, step: impl FnOnce(&mut Machine, &mut Trash) -> R) -> (R, Wake) {
        let quiet = is_running(self);
        let early = is_planted(Fault::EarlyMark).then(|| self.machine.with(|m, _| m.set_ready()));
        let (found, effects, mut marked) = self.machine.with(|m, trash| {
            m.advance_clock(self.group.as_ref().map_or(0, |group| group.now()));
            let ending = self.server.is_closed() && m.is_answering();
            m.begin_effects();
            let found = step(m, trash);
            m.cancel_dropped_requests();
            let effects = m.take_effects();
            let ended = ending && !m.is_answering(); // who polls ends a session whose last call this was
            let marked = early.unwrap_or_else(|| (effects.has_new_work || ended) && !quiet && m.set_ready());
            (found, effects, marked)
        });
        let synced = effects.is_unsynced;
        self.carry_out(effects);
        marked = marked || synced && !quiet && self.machine.with(|m, _| m.has_work() && m.set_ready());
        (found, if marked { Wake::Due } else { Wake::None })
    }

    /// Runs one step of the machine during a poll or a drain, and carries out its effects. New work needs no wake, since
    /// the poller continues to poll, and a drain makes none.
    pub(super) fn polled_step<R>(self: &Arc<Self>, step: impl FnOnce(&mut Machine, &mut Trash) -> R) -> R {
        let (found, effects) = self.machine.with(|m, trash| (step(m, trash), m.take_effects()));
        self.carry_out(effects);
        found
    }

    /// Carries out the effects of a step, except for the wake of pollers.
    #[inline]
    fn carry_out(self: &Arc<Self>, effects: Effects) {
        // Every step of every request comes here, and few have effects: this check is inlined, the rest is not.
        if effects.is_unsynced || effects.has_room || effects.rare.is_some() {
            self.carry_out_all(effects);
        }
    }

    #[cold]
    fn carry_out_all(self: &Arc<Self>, effects: Effects) {
        if effects.is_unsynced {
            self.sync();
        }
        if effects.has_room {
            self.wake();
        }
        if let Some(rare) = effects.rare {
            for line in rare.lines {
                self.server.log.write(line.0, &line.1);
            }
            for limit in rare.exceeded {
                let why = format!("a message was refused: {}", limit.reason());
                let kind = RefusalKind::Limit(limit.name);
                self.server.refusals.report(&self.server.log, kind, self.now(), &why);
            }
            for context in rare.cancelled {
                context.hooks.run();
            }
        }
    }

    /// Wakes the group unless the connection is on its list already.
    pub(super) fn wake(self: &Arc<Self>) {
        if self.machine.with(|m, _| m.set_ready()) {
            self.push();
        }
    }

    pub(super) fn push(self: &Arc<Self>) {
        if let Some(group) = &self.group {
            group.push([Arc::downgrade(self)]);
        }
    }

    /// Registers the connection at the hub for changes that concern all connections.
    pub(super) fn join(self: &Arc<Self>) {
        self.server.hub.add_connection(self.id, Arc::downgrade(self));
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.machine.with(|m, _| m.is_closed())
    }

    pub(crate) fn clear_ready(&self) {
        self.machine.with(|m, _| m.clear_ready());
    }

    /// Updates the URIs that the hub has. One thread does so, one change at a time and in order; it never
    /// holds two locks.
    fn sync(self: &Arc<Self>) {
        if !self.machine.with(|m, _| m.take_hub_turn()) {
            return;
        }
        while let Some(op) = self.machine.with(|m, _| m.poll_hub_op()) {
            let then = match op {
                HubOp::Add(uri, call) => {
                    let then = self.server.hub.add(self.id, Arc::downgrade(self), &uri, call);
                    #[cfg(feature = "directory")]
                    self.server.subscribed(&uri);
                    then
                }
                HubOp::Remove(uri) => self.server.hub.remove(self.id, &uri),
            };
            self.server.carry_out(then);
        }
    }

    // ---- messages

    /// Parses and handles one message.
    pub(super) fn message(self: &Arc<Self>, line: &[u8], route: Route, arrival: Arrival) -> Dealt {
        let parsed = parse(line, &self.server.settings.limits.of_parsing());
        self.parsed(line, parsed, route, arrival, None)
    }

    /// Handles one parsed message. If it came by POST, it has to agree with `head`, the POST's head.
    pub(super) fn parsed(
        self: &Arc<Self>,
        line: &[u8],
        parsed: Parsed<'_>,
        route: Route,
        arrival: Arrival,
        head: Option<&RequestHead<'_>>,
    ) -> Dealt {
        let (admitted, must_stop) = self.polled_step(|m, trash| {
            let origin = MessageOrigin { route, arrival, head, caller: &self.caller };
            let admitted = m.handle_message(parsed, origin, trash);
            m.cancel_dropped_requests();
            if let Admitted::Wait { id, cancellable } = &admitted {
                m.queue_message(id.clone(), *cancellable, line, route);
            }
            (admitted, m.must_stop_reading())
        });
        let event = match admitted {
            Admitted::Lookup(request, lookup) => self.look_up(&request, lookup),
            Admitted::Done | Admitted::Wait { .. } => None,
        };
        Dealt { event, must_stop }
    }

    pub(crate) fn server(&self) -> &Arc<ServerState> {
        &self.server
    }

    /// Returns the Unix time in milliseconds, which advances with the clock of the driver.
    pub(super) fn unix_ms(&self) -> u64 {
        let now = self.machine.with(|m, _| m.now());
        match &self.group {
            Some(group) => group.wall_clock.unix_ms(now.max(group.now())),
            None => self.wall_clock.unix_ms(now),
        }
    }

    pub(crate) fn sealer(&self) -> &Sealer {
        &self.server.sealer
    }

    pub(super) fn around(&self) -> Surroundings<'_> {
        Surroundings {
            catalog: &self.server.catalog,
            sealer: if self.group.as_ref().is_some_and(|group| group.client == GroupClient::ParentProcess) {
                &self.server.local_sealer
            } else {
                &self.server.sealer
            },
            limits: &self.server.settings.limits,
            caller: self.caller.id(),
        }
    }

    /// Makes the event of a call of the application. Returns `None` if it is answered without the application.
    pub(super) fn event(
        self: &Arc<Self>,
        application_call: ApplicationCall,
        context: Arc<Context>,
    ) -> Option<Event> {
        let application_call = self.check_arguments(self.read_again(application_call)?, &context)?;
        let counted = self.count_call(&application_call, &context).ok()?;
        let target = Arc::downgrade(self);
        let attached = match application_call {
            ApplicationCall::Cancel { .. } | ApplicationCall::Response { .. } => None,
            _ => {
                let number = self.server.metrics.began();
                self.observed
                    .as_ref()
                    .and_then(|observed| observed.began(number, &application_call, &context))
            }
        };
        let mut event = match application_call {
            ApplicationCall::Read { call, uri, handler, vars } => {
                Event::Read(Call::new(target, call, context, uri, handler, vars))
            }
            ApplicationCall::Method { call, handler, params } => {
                let call = MethodCall::new(target, call, context, handler, params);
                Event::Method(call.counted(counted))
            }
            ApplicationCall::List { call, handler, of, after, limit } => {
                Event::List(ListCall::new(target, call, context, handler, of, (after, limit)))
            }
            ApplicationCall::Complete { call, handler, argument } => {
                Event::Complete(CompleteCall::new(target, call, context, handler, argument))
            }
            ApplicationCall::Authorize { call, operation, uris } => {
                let gatekeeper = self.server.gatekeeper();
                let uris = self.server.judged(operation, uris);
                Event::Authorize(AuthorizeCall::new(target, call, context, operation, uris, gatekeeper))
            }
            ApplicationCall::ReadAgain { .. }
            | ApplicationCall::Cancel { .. }
            | ApplicationCall::Response { .. } => return None,
        };
        if let Some(observed) = &self.observed {
            event.observe(observed, attached);
        }
        if let Some(arounds) = self.server.arounds() {
            event.surround(arounds);
        }
        Some(event)
    }

    /// Finds the variables of a read that runs again. If its registration was removed, answers "not found" and returns
    /// `None`.
    fn read_again(self: &Arc<Self>, application_call: ApplicationCall) -> Option<ApplicationCall> {
        let ApplicationCall::ReadAgain { call, uri, handler } = application_call else {
            return Some(application_call);
        };
        match self.server.catalog.with(|c, _| c.find(&uri)) {
            Found::Call { handler: found, vars } if found.id == handler.id => {
                Some(ApplicationCall::Read { call, uri, handler, vars })
            }
            _ => {
                self.finish_read(call, Answer::NotFound);
                None
            }
        }
    }

    // ---- answers

    pub(crate) fn finish_read(self: &Arc<Self>, call: CallId, answer: Answer) -> bool {
        if matches!(answer, Answer::Waiting) {
            return self.wait_for_client(call);
        }
        let mut answer = check_answer(answer);
        if let Answer::Found(contents) = &mut answer
            && contents.iter().any(|contents| !contents.entries().is_empty())
            && self.server.settings.access_check() == AccessCheck::Required
            && let Some(directory) = contents.pop()
        {
            return self.step(|m, trash| m.queue_entries(call, directory, trash));
        }
        let contents: &[_] = if let Answer::Found(contents) = &answer { contents } else { &[] };
        let mut over = None; // dropped without the lock
        Borrowed::all(contents, Borrowed::of_answer, |contents| {
            self.step(|m, trash| m.finish_read(call, &answer, contents, &mut over, trash))
        })
    }

    pub(crate) fn finish_page(self: &Arc<Self>, call: CallId, page: Page) -> bool {
        self.continue_walk(call, |walk, around, lines| walk.feed(page, around, lines))
    }

    pub(crate) fn finish_completion(self: &Arc<Self>, call: CallId, completion: &Completion) -> bool {
        self.step(|m, trash| m.finish_completion(call, completion, trash))
    }

    /// Takes a list walk out of its slot, continues it without a lock, and puts it back.
    fn continue_walk<F>(self: &Arc<Self>, call: CallId, go: F) -> bool
    where
        F: FnOnce(Box<Walk>, &Surroundings<'_>, &mut Vec<LogLine>) -> Walked,
    {
        let Some((walk, _context)) = self.machine.with(|m, _| m.take_walk(call)) else {
            self.step(|m, _| m.finish_unwanted(call));
            return false;
        };
        let mut lines = Vec::new();
        let walked = go(walk, &self.around(), &mut lines);
        self.step(|m, trash| m.finish_walk(call, walked, trash));
        for line in lines {
            self.server.log.write(line.0, &line.1);
        }
        true
    }

    pub(crate) fn finish_verdicts(self: &Arc<Self>, call: CallId, verdicts: &[Verdict]) -> bool {
        let Some(wanted) = self.machine.with(|m, _| m.wanted_verdicts(call)) else {
            self.step(|m, _| m.finish_unwanted(call));
            return false;
        };
        if verdicts.len() != wanted.uris {
            let why = format!("has {} verdicts for {} URIs; give one for each", verdicts.len(), wanted.uris);
            return self.give_up(call, &why);
        }
        if wanted.walks {
            return self.continue_walk(call, |walk, around, _| walk.judge(verdicts, around));
        }
        let contents: &[_] = match wanted.fixed.as_ref().map(|fixed| &fixed.content) {
            Some(Content::Value { contents, .. }) => contents,
            _ => &[],
        };
        Borrowed::all(contents, Borrowed::new, |contents| {
            self.step(|m, trash| m.finish_verdicts(call, verdicts, contents, trash))
        })
    }

    pub(crate) fn give_up(self: &Arc<Self>, call: CallId, why: &str) -> bool {
        self.step(|m, trash| m.finish_failed(call, why, trash))
    }

    /// Returns whether the call is still to be answered.
    pub(crate) fn is_open(&self, call: CallId) -> bool {
        self.machine.with(|m, _| m.is_open(call))
    }

    pub(crate) fn progress(self: &Arc<Self>, call: CallId, report: Report) -> bool {
        let wanted = self.step(|m, _| m.send_progress(call, report));
        self.hurry();
        wanted
    }

    pub(crate) fn close_event_stream(self: &Arc<Self>, call: CallId, retry_ms: u64) -> bool {
        let closed = self.step(|m, _| m.close_event_stream(call, retry_ms));
        if closed {
            self.hurry();
        }
        closed
    }

    /// Has the driver send now what a callback wrote, before the callback returns.
    pub(super) fn hurry(self: &Arc<Self>) {
        if !self.group.as_ref().is_some_and(|group| group.hurry()) {
            self.wake();
        }
    }

    // ---- what the hub says

    pub(crate) fn registered(
        self: &Arc<Self>,
        call: CallId,
        uri: &Arc<str>,
        outcome: crate::hub::Registered,
    ) {
        self.step(|m, trash| m.handle_registration(call, uri, outcome, trash));
    }

    /// Marks a change in each of these connections. Those with something to send are then put onto their groups' lists,
    /// many at a time.
    pub(crate) fn notify_all(connections: &[Arc<Self>], mark: impl Fn(&mut Machine)) {
        for some in connections.chunks(MARKED_AT_ONCE) {
            let mut wake = Vec::with_capacity(some.len());
            for connection in some {
                if let ((), Wake::Due) = connection.step_and_mark(|m, _| mark(m)) {
                    wake.push(connection);
                }
            }
            for of_group in wake.chunk_by(|a, b| a.group_address() == b.group_address()) {
                if let Some(group) = &of_group[0].group {
                    group.push(of_group.iter().map(|connection| Arc::downgrade(connection)));
                }
            }
        }
    }

    fn group_address(&self) -> Option<*const group::GroupState> {
        self.group.as_ref().map(Arc::as_ptr)
    }

    /// Asks the authorizer again about the connection's subscriptions, if the connection is that of this caller.
    pub(crate) fn access_changed(self: &Arc<Self>, caller: &[u8]) {
        if self.caller.id() == caller {
            self.step(|m, _| m.handle_access_change(&self.caller));
        }
    }

    // ---- output, for the drain

    /// Returns the next message of a route. To take it may make room for requests that wait. `used` is the buffer of
    /// the message before.
    pub(crate) fn poll_message(
        self: &Arc<Self>,
        route: Route,
        mut used: Vec<u8>,
    ) -> Option<crate::protocol::PartialMessage> {
        self.polled_step(|m, trash| {
            let next = m.poll_message(route, &mut used);
            m.drop_unused_callers(trash);
            if next.is_some() {
                m.handle_taken_output();
            }
            next
        })
    }

    /// Notes that output was dropped, so that requests that wait for room may continue.
    pub(crate) fn output_taken(self: &Arc<Self>) {
        self.polled_step(|m, _| m.handle_taken_output());
    }

    /// Keeps the half-written message of a drain that was dropped early, and wakes the group for the next drain.
    pub(crate) fn park(self: &Arc<Self>, route: Route, partial: Option<crate::protocol::PartialMessage>) {
        let left = self.machine.with(|m, trash| {
            let left = m.outbox().park(route, partial, trash);
            m.drop_unused_callers(trash);
            left
        });
        if left {
            self.wake();
        }
    }
}

impl Drop for ConnectionState {
    fn drop(&mut self) {
        // The last handle is gone, so the hub forgets the subscriptions of the connection.
        let (ops, rare) = self.machine.with(|m, trash| {
            let mut ops = Vec::new();
            if m.is_vacant() {
                return (ops, None);
            }
            m.close(trash);
            while let Some(op) = m.poll_hub_op() {
                ops.push(op);
            }
            (ops, m.take_effects().rare)
        });
        for op in ops {
            if let HubOp::Remove(uri) = op {
                let then = self.server.hub.remove(self.id, &uri);
                self.server.carry_out(then);
            }
        }
        self.server.hub.remove_connection(self.id);
        for context in rare.map(|rare| rare.cancelled).into_iter().flatten() {
            context.hooks.run();
        }
    }
}

/// Returns the answer, or a failure if its contents cannot be sent.
fn check_answer(answer: Answer) -> Answer {
    let Answer::Found(contents) = &answer else { return answer };
    match contents.iter().try_for_each(Contents::check) {
        Ok(()) => answer,
        Err(e) => Answer::Failed(e.to_string()),
    }
}
