//! One client: bytes in, events out, answers in, bytes out.

use crate::access::{Caller, Operation, Verdict};
use crate::catalog::{Content, Found, Surroundings, Walk, Walked};
use crate::drain::{Drain, DrainStart};
use crate::error::{Error, ErrorKind, Result};
use crate::event::{AuthorizeCall, Call, Event, ListCall};
use crate::group;
use crate::jsonrpc::{ParseLimits, RpcError, parse};
use crate::model::{Answer, Borrowed, Page};
use crate::protocol::{
    Admitted, After, Ask, CallId, Chunk, Context, HubOp, Line, Machine, Next, Read, Request, Route, Start,
    Work, invalid_uri, not_found,
};
use crate::server::Inner;
use crate::sync::{Fault, Lock, Running, is_planted, is_running};
use crate::uri::check_uri;
use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// One ordered message channel with one client. Cheap to clone; any thread may use it.
///
/// Bytes go in through [`Connection::receive`]; work for the host comes out of [`Connection::poll_event`]; bytes for
/// the client come out of [`Connection::drain`]. Nothing blocks.
#[derive(Clone)]
pub struct Connection(pub(crate) Arc<Shared>);

/// The state behind a [`Connection`]. Its lock is the only one around protocol state.
#[doc(hidden)]
#[allow(
    unnameable_types,
    missing_debug_implementations,
    reason = "internal; in the signature of a sealed trait"
)]
pub struct Shared {
    pub(crate) id: u64,
    machine: Lock<Machine>,
    server: Arc<Inner>,
    group: Option<Arc<group::Inner>>,
    caller: Arc<Caller>,
}

/// What [`Connection::handle`] made of a message.
#[derive(Debug)]
pub enum Handled {
    /// The answer.
    Answer(Vec<u8>),
    /// A notification, a response, or a request that was cancelled: there is nothing to answer.
    Nothing,
    /// The answer will come on this route, to be taken with [`Connection::drain`]. If nobody wants it any more, say
    /// so with [`Connection::forget`].
    Later(Route),
}

impl Connection {
    pub(crate) fn new(
        id: u64,
        server: Arc<Inner>,
        group: Option<Arc<group::Inner>>,
        caller: Caller,
    ) -> Connection {
        let machine = Lock::new(Machine::new(server.settings.clone()));
        Connection(Arc::new(Shared { id, machine, server, group, caller: Arc::new(caller) }))
    }

    /// A number that is unique among the connections of its server, so that a host finds what it keeps for the one that
    /// [`crate::Group::next`] names.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Takes input: newline-delimited messages, split anywhere. It is only buffered.
    ///
    /// Returns how many bytes were accepted. Fewer than given means: stop reading until woken, and offer the rest again.
    pub fn receive(&self, bytes: &[u8]) -> usize {
        self.0.machine.with(|m, _| m.receive(bytes))
    }

    /// No more input. A last line without a newline still counts; what was received is still answered.
    pub fn end(&self) {
        self.0.step(|m, _| m.end());
    }

    /// The next question to the host: first what goes on with requests under way, then what new messages ask, then
    /// the server's own events. `None`: everything received was dealt with; drain now.
    ///
    /// Several threads may poll at once; each event is handed out once.
    pub fn poll_event(&self) -> Option<Event> {
        let shared = &self.0;
        loop {
            match shared.machine.with(Machine::next) {
                Next::Ask(ask, context) => {
                    if let Some(event) = shared.event(ask, context) {
                        return Some(event);
                    }
                }
                Next::Cancel(call) => return Some(Event::Cancel(call)),
                Next::Resume(line, route) => {
                    let turn = Turn { shared, chunk: None };
                    let (event, _) = shared.message(&line, route, true);
                    drop(turn);
                    if event.is_some() {
                        return event;
                    }
                }
                Next::Chunk(chunk) => {
                    let mut turn = Turn { shared, chunk: Some(chunk) };
                    let event = turn.poll();
                    drop(turn);
                    if event.is_some() {
                        return event;
                    }
                }
                Next::Nothing => return shared.server.poll_event(),
            }
        }
    }

    /// Begins to take output from a route, unless there is none or somebody else is taking it.
    pub fn drain(&self, route: Route) -> DrainStart {
        let start = self.0.machine.with(|m, _| {
            if !m.outbox().is_busy(route) {
                m.render(route);
            }
            m.outbox().start(route)
        });
        match start {
            Start::Ready(half) => DrainStart::Ready(Drain::new(self.0.clone(), route, half)),
            Start::Empty => DrainStart::Empty,
            Start::Busy => DrainStart::Busy,
        }
    }

    /// Deals with one message, apart from the input, and runs here the callbacks that it leads to. Its answer does not
    /// mix with the connection's other output. A listen stream is refused: it has more to say than an answer.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the connection or server was closed.
    pub fn handle(&self, message: &[u8]) -> Result<Handled> {
        self.handle_with(message, Event::run)
    }

    /// [`Connection::handle`] for a host that runs events by itself.
    ///
    /// # Errors
    /// As [`Connection::handle`].
    pub fn handle_with(&self, message: &[u8], run: impl FnMut(Event)) -> Result<Handled> {
        let (route, event) = self.open_exchange(message, true)?;
        let handled = self.follow_up(route, event, run);
        // What the callbacks produced for other routes was quiet, and is not taken here.
        if self.0.machine.with(|m, _| m.gained() && m.mark_ready()) {
            self.0.push();
        }
        Ok(handled)
    }

    fn follow_up(&self, route: Route, mut event: Option<Event>, mut run: impl FnMut(Event)) -> Handled {
        loop {
            if let Some(event) = event.take() {
                self.run(|| run(event));
            }
            if let Some(handled) = self.take(route) {
                return handled;
            }
            event = self.poll_event();
            if event.is_none() {
                return Handled::Later(route);
            }
        }
    }

    /// What an exchange that was to answer later has to say by now; none: not yet. After the connection was closed that
    /// is nothing.
    pub fn take(&self, route: Route) -> Option<Handled> {
        match self.drain(route) {
            DrainStart::Ready(mut drain) => {
                Some(drain.take_message().map_or(Handled::Nothing, Handled::Answer))
            }
            DrainStart::Empty if self.is_closed() => Some(Handled::Nothing), // nothing will ever come
            DrainStart::Empty | DrainStart::Busy => None,
        }
    }

    /// Whoever waits for an exchange has waited long enough: what the host still owes becomes an internal error, to be
    /// [taken](Connection::take) at once.
    pub fn expire(&self, route: Route) {
        if let Route::Exchange(exchange) = route {
            self.0.step(|m, trash| m.expire(exchange, trash));
        }
    }

    /// Takes one message on a route of its own, apart from the input, and runs no callback. The question that it leads
    /// to, if there is one at once, comes with it; others come out of [`Connection::poll_event`].
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the connection or server was closed.
    pub fn exchange(&self, message: &[u8]) -> Result<(Route, Option<Event>)> {
        self.open_exchange(message, false)
    }

    fn open_exchange(&self, message: &[u8], single: bool) -> Result<(Route, Option<Event>)> {
        let Some(exchange) = self.0.machine.with(|m, _| m.open_exchange(single)) else {
            return Err(closed());
        };
        let route = Route::Exchange(exchange);
        let message = message.trim_ascii();
        if message.len() > self.0.server.settings.limits.message_bytes {
            self.0.machine.with(|m, _| m.too_long(route));
            return Ok((route, None));
        }
        Ok((route, self.0.message(message, route, false).0))
    }

    /// Nobody wants what an exchange still has to say: its request is cancelled, or its listen stream ended.
    pub fn forget(&self, route: Route) {
        if let Route::Exchange(exchange) = route {
            self.0.step(|m, trash| m.forget_exchange(exchange, trash));
            self.0.output_taken();
        }
    }

    /// Runs callbacks of this connection: what they produce on this thread wakes nobody, because the caller polls and
    /// drains afterwards.
    pub fn run<R>(&self, callbacks: impl FnOnce() -> R) -> R {
        let _running = Running::enter(&self.0);
        callbacks()
    }

    /// When to call [`Connection::tick`] at the latest, in milliseconds of the host's clock. None: no need to.
    pub fn poll_timeout(&self) -> Option<u64> {
        self.0.machine.with(|m, _| m.deadline())
    }

    /// Tells the time, in milliseconds of any monotonic clock. Answers that were held too long become errors.
    ///
    /// A connection's time begins at 0: with a clock that has been running, tell the time once before the first poll,
    /// or the first tick finds everything overdue.
    pub fn tick(&self, now: u64) {
        self.0.step(|m, trash| m.tick(now, trash));
    }

    /// Ended or closed, and nothing is left to poll, to answer or to drain.
    pub fn is_finished(&self) -> bool {
        self.0.machine.with(|m, _| m.is_finished())
    }

    /// Whether the connection was closed.
    pub fn is_closed(&self) -> bool {
        self.0.machine.with(|m, _| m.is_closed())
    }

    /// Ends listen streams with the result that tells clients so. Everything else goes on.
    pub fn end_streams(&self) {
        self.0.step(|m, _| m.end_streams());
    }

    /// Ends listen streams with the result that tells clients so, drops what is in flight, and takes no more input.
    /// What was to be written still can be.
    pub fn shut_down(&self) {
        self.0.step(Machine::shut_down);
        self.0.server.hub.leave(self.0.id);
    }

    /// Drops everything at once, output included.
    pub fn close(&self) {
        self.0.step(Machine::close);
        self.0.server.hub.leave(self.0.id);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("id", &self.0.id).finish_non_exhaustive()
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the connection is closed; make a new one")
}

/// A poller's turn at the input. The token goes back when it is dropped, on unwind too.
struct Turn<'a> {
    shared: &'a Arc<Shared>,
    chunk: Option<Chunk>,
}

impl Turn<'_> {
    /// Deals with messages until one asks the host, or none is left.
    fn poll(&mut self) -> Option<Event> {
        let chunk = self.chunk.as_mut()?;
        loop {
            match chunk.next_line() {
                Line::None => return None,
                Line::TooLong => {
                    if self.shared.machine.with(|m, _| m.too_long(Route::Connection)) {
                        return None;
                    }
                }
                Line::Whole(from, to) => {
                    let (event, full) = self.shared.message(chunk.line(from, to), Route::Connection, false);
                    if event.is_some() || full {
                        return event;
                    }
                }
            }
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let chunk = self.chunk.take();
        if self.shared.machine.with(|m, _| m.give_back(chunk)) {
            self.shared.wake(); // whoever reads may be waiting for room, on another thread
        }
    }
}

impl Shared {
    /// One step of the machine from outside a poll, and what it asks for afterwards.
    fn step<F>(self: &Arc<Self>, step: F) -> bool
    where
        F: FnOnce(&mut Machine, &mut crate::sync::Trash) -> After,
    {
        let quiet = is_running(self);
        let early = is_planted(Fault::EarlyMark).then(|| self.machine.with(|m, _| m.mark_ready()));
        let (after, wake) = self.machine.with(|m, trash| {
            let after = step(m, trash);
            let wake = early.unwrap_or_else(|| after.gained && !quiet && m.mark_ready());
            (after, wake)
        });
        let wanted = after.wanted;
        self.follow(after);
        if wake {
            self.push();
        }
        wanted
    }

    /// What a step asks for, wakes aside.
    fn follow(self: &Arc<Self>, after: After) {
        for line in after.lines {
            self.server.log.write(line.0, &line.1);
        }
        if after.sync {
            self.sync();
        }
        if after.room {
            self.wake();
        }
    }

    /// Wakes the group unless the connection is on its list already.
    fn wake(self: &Arc<Self>) {
        if self.machine.with(|m, _| m.mark_ready()) {
            self.push();
        }
    }

    fn push(self: &Arc<Self>) {
        if let Some(group) = &self.group {
            group.push(Some(Arc::downgrade(self)));
        }
    }

    pub(crate) fn clear_ready(&self) {
        self.machine.with(|m, _| m.clear_ready());
    }

    /// The machine's wishes reach the hub one at a time, in order, by one thread; two locks are never held.
    fn sync(self: &Arc<Self>) {
        if !self.machine.with(|m, _| m.sync_begin()) {
            return;
        }
        while let Some(op) = self.machine.with(|m, _| m.sync_next()) {
            let then = match op {
                HubOp::Add(uri, call) => self.server.hub.add(self.id, Arc::downgrade(self), &uri, call),
                HubOp::Remove(uri) => self.server.hub.remove(self.id, &uri),
            };
            self.server.carry_out(then);
        }
    }

    // ---- messages

    /// Deals with one message: an event if it asks the host, and whether no further message may be dealt with now.
    fn message(self: &Arc<Self>, line: &[u8], route: Route, resumed: bool) -> (Option<Event>, bool) {
        let limits = &self.server.settings.limits;
        let parsed = parse(line, &ParseLimits { nesting: limits.nesting, id_bytes: limits.id_bytes });
        let (admitted, after, full) = self.machine.with(|m, trash| {
            let (admitted, after) = m.offer(parsed, route, resumed, trash);
            if let Admitted::Wait { id, cancellable } = &admitted {
                m.wait(id.clone(), *cancellable, line, route);
            }
            (admitted, after, m.is_full())
        });
        self.follow(after);
        match admitted {
            Admitted::Work(request) => (self.work(request), full),
            Admitted::Done | Admitted::Wait { .. } => (None, full),
        }
    }

    fn around(&self) -> Surroundings<'_> {
        Surroundings {
            catalog: &self.server.catalog,
            sealer: &self.server.sealer,
            limits: &self.server.settings.limits,
            caller: self.caller.id(),
        }
    }

    /// Looks a request up in the catalog, with no lock of the connection held.
    fn work(self: &Arc<Self>, request: Request) -> Option<Event> {
        let authorise = self.server.authorises();
        match &request.work {
            Work::Read { uri } => {
                let uri: Arc<str> = uri.as_str().into();
                self.read(request, uri, authorise)
            }
            Work::List { listing, cursor } => {
                let around = self.around();
                let walk = Walk::new(*listing, request.revision, authorise, cursor.as_deref(), &around);
                let Some(walk) = walk else {
                    return self.refuse(&request, &invalid_cursor());
                };
                match walk.start(&around) {
                    Walked::Page { listing, items, cursor } => {
                        self.machine.with(|m, _| m.answer_list(&request, listing, &items, cursor.as_deref()));
                    }
                    walked => self.machine.with(|m, trash| m.walk(request, &self.caller, walked, trash)),
                }
                None
            }
            Work::Subscribe { uri } => match self.knows(uri) {
                Known::Yes(uri) => {
                    let after = self.machine.with(|m, _| m.subscribe(request, &self.caller, &uri, authorise));
                    self.follow(after);
                    None
                }
                Known::No => self.refuse(&request, &not_found(request.revision, uri)),
                Known::Invalid => self.refuse(&request, &invalid_uri(uri)),
            },
            Work::Listen { lists, uris } => {
                let lists = *lists;
                let mut seen = BTreeSet::new();
                let uris: Vec<Arc<str>> = uris
                    .iter()
                    .filter(|uri| {
                        uri.len() <= self.server.settings.limits.uri_bytes && seen.insert(uri.as_str())
                    })
                    .filter_map(|uri| match self.knows(uri) {
                        Known::Yes(uri) => Some(uri),
                        Known::No | Known::Invalid => None,
                    })
                    .collect();
                let after = self.machine.with(|m, _| m.listen(request, &self.caller, lists, uris, authorise));
                self.follow(after);
                None
            }
        }
    }

    fn refuse(self: &Arc<Self>, request: &Request, fault: &RpcError) -> Option<Event> {
        self.machine.with(|m, _| m.answer_error(request, fault));
        None
    }

    fn read(self: &Arc<Self>, request: Request, uri: Arc<str>, authorise: bool) -> Option<Event> {
        let asked = match self.server.catalog.with(|c, _| c.find(&uri)) {
            Found::Invalid => return self.refuse(&request, &invalid_uri(&uri)),
            Found::Nothing => return self.refuse(&request, &not_found(request.revision, &uri)),
            Found::Value(fixed) if authorise => {
                let read = Read::Fixed(fixed);
                self.machine.with(|m, trash| m.authorize_read(request, &self.caller, uri, read, trash))
            }
            Found::Value(fixed) => {
                if let Content::Value { contents, .. } = &fixed.content {
                    let (defaults, contents) = (fixed.defaults(&uri), Borrowed::all(contents));
                    self.machine.with(|m, _| m.answer_read(&request, &defaults, &contents));
                }
                return None;
            }
            Found::Call { handler, vars } if authorise => {
                let read = Read::Call { handler, vars };
                self.machine.with(|m, trash| m.authorize_read(request, &self.caller, uri, read, trash))
            }
            Found::Call { handler, vars } => {
                self.machine.with(|m, trash| m.read_by_host(request, &self.caller, uri, handler, vars, trash))
            }
        };
        let (ask, context) = asked?;
        self.event(ask, context)
    }

    fn knows(&self, uri: &str) -> Known {
        match self.server.catalog.with(|c, _| c.find(uri)) {
            Found::Value(fixed) => Known::Yes(fixed.uri.clone()),
            Found::Call { handler, .. } => match &handler.provider {
                Some(provider) if !knows(&**provider, uri) => Known::No,
                _ => Known::Yes(uri.into()),
            },
            Found::Nothing => Known::No,
            Found::Invalid => Known::Invalid,
        }
    }

    fn event(self: &Arc<Self>, ask: Ask, context: Arc<Context>) -> Option<Event> {
        let target = Arc::downgrade(self);
        Some(match ask {
            Ask::Read { call, uri, handler, vars } => {
                Event::Read(Call::new(target, call, context, uri, handler, vars))
            }
            Ask::List { call, handler, after, limit } => {
                Event::List(ListCall::new(target, call, context, handler, after, limit))
            }
            Ask::Authorize { call, operation, uris } => {
                let gatekeeper = self.server.gatekeeper();
                Event::Authorize(AuthorizeCall::new(target, call, context, operation, uris, gatekeeper))
            }
            Ask::Cancel { .. } => return None,
        })
    }

    // ---- answers

    pub(crate) fn finish_read(self: &Arc<Self>, call: CallId, answer: Answer) -> bool {
        let answer = check_answer(answer);
        let contents = match &answer {
            Answer::Found(contents) => Borrowed::all(contents),
            _ => Vec::new(),
        };
        self.step(|m, trash| m.finish_read(call, &answer, &contents, trash))
    }

    pub(crate) fn finish_page(self: &Arc<Self>, call: CallId, page: Page) -> bool {
        self.go_on(call, |walk, around, lines| walk.feed(page, around, lines))
    }

    /// Takes a walk out, goes on with it without a lock, and puts it back.
    fn go_on<F>(self: &Arc<Self>, call: CallId, go: F) -> bool
    where
        F: FnOnce(Box<Walk>, &Surroundings<'_>, &mut Vec<crate::log::Line>) -> Walked,
    {
        let Some((walk, _context)) = self.machine.with(|m, _| m.take_walk(call)) else {
            return self.step(|m, _| m.late(call));
        };
        let mut lines = Vec::new();
        let walked = go(walk, &self.around(), &mut lines);
        self.step(|m, trash| {
            let mut after = m.walked(call, walked, trash);
            after.lines.append(&mut lines);
            after
        })
    }

    pub(crate) fn finish_verdicts(self: &Arc<Self>, call: CallId, verdicts: &[Verdict]) -> bool {
        let Some(asked) = self.machine.with(|m, _| m.asked(call)) else {
            return self.step(|m, _| m.late(call));
        };
        if verdicts.len() != asked.uris {
            let why = format!("has {} verdicts for {} URIs; give one for each", verdicts.len(), asked.uris);
            return self.give_up(call, &why);
        }
        if asked.operation == Operation::List {
            return self.go_on(call, |walk, around, _| walk.judge(verdicts, around));
        }
        let contents = match asked.fixed.as_ref().map(|fixed| &fixed.content) {
            Some(Content::Value { contents, .. }) => Borrowed::all(contents),
            _ => Vec::new(),
        };
        self.step(|m, trash| m.finish_verdicts(call, verdicts, &contents, trash))
    }

    pub(crate) fn give_up(self: &Arc<Self>, call: CallId, why: &str) -> bool {
        self.step(|m, trash| m.give_up(call, why, trash))
    }

    // ---- what the hub says

    pub(crate) fn registered(
        self: &Arc<Self>,
        call: CallId,
        uri: &Arc<str>,
        outcome: crate::hub::Registered,
    ) {
        self.step(|m, trash| m.registered(call, uri, outcome, trash));
    }

    pub(crate) fn updated(self: &Arc<Self>, uri: &Arc<str>, sequence: u64, title: Option<&Arc<str>>) {
        self.step(|m, _| After { gained: m.updated(uri, sequence, title), ..After::default() });
    }

    pub(crate) fn list_changed(self: &Arc<Self>) {
        self.step(|m, _| After { gained: m.list_changed(), ..After::default() });
    }

    // ---- output, for the drain

    pub(crate) fn next_message(&self, route: Route) -> Option<crate::protocol::Half> {
        self.machine.with(|m, _| {
            m.render(route);
            m.outbox().next(route)
        })
    }

    /// Output was taken or is not wanted any more: requests that waited for it may go on.
    pub(crate) fn output_taken(self: &Arc<Self>) {
        if self.machine.with(|m, _| m.may_resume()) {
            self.wake();
        }
    }

    /// A drain was dropped before its route was empty: the hand-over is a wake.
    pub(crate) fn park(self: &Arc<Self>, route: Route, half: Option<crate::protocol::Half>) {
        if self.machine.with(|m, trash| m.outbox().park(route, half, trash)) {
            self.wake();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Nobody can use the connection any more. Its watches leave the hub with it.
        let ops = self.machine.with(|m, trash| {
            m.close(trash);
            let mut ops = Vec::new();
            while let Some(op) = m.sync_next() {
                ops.push(op);
            }
            ops
        });
        for op in ops {
            if let HubOp::Remove(uri) = op {
                let then = self.server.hub.remove(self.id, &uri);
                self.server.carry_out(then);
            }
        }
        self.server.hub.leave(self.id);
    }
}

/// Whether there may be a resource at a URI.
enum Known {
    /// The URI, shared with the catalog if it is there.
    Yes(Arc<str>),
    No,
    Invalid,
}

/// A provider that panics knows of nothing that speaks against the URI.
fn knows(provider: &dyn crate::Provider, uri: &str) -> bool {
    catch_unwind(AssertUnwindSafe(|| provider.knows(uri))).unwrap_or(true)
}

/// What a host put into its contents is checked before any lock is taken.
fn check_answer(answer: Answer) -> Answer {
    let Answer::Found(contents) = &answer else { return answer };
    for element in contents {
        if let Some(uri) = &element.uri
            && let Err(e) = check_uri(uri)
        {
            return Answer::Failed(format!("the contents' uri \"{uri}\" is not an absolute URI: {e}"));
        }
        if let Some(meta) = &element.meta
            && let Err(e) = crate::model::check_meta(meta)
        {
            return Answer::Failed(e.to_string());
        }
    }
    answer
}

fn invalid_cursor() -> RpcError {
    let mut fault = RpcError::invalid_params("");
    fault.message = "Invalid cursor".into();
    fault
}
