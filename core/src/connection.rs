//! The connection to one client: takes bytes, returns events, takes answers, returns bytes.

mod drain;
mod links;
mod lookup;
mod method_calls;
mod named_requests;
mod resource_tools;
mod shared;
mod tool_limits;

use crate::access::{Caller, RequestContext};
use crate::account::Permit;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::group;
use crate::jsonrpc::{Parsed, trimmed};
use crate::log::Severity;
use crate::protocol::{
    Arrival, Chunk, InputLine, Machine, NextWork, RequestHead, Route, RouteOutput, Routes, Start,
    UnfinishedLine,
};
use crate::revision::Revision;
use crate::server::ServerState;
use crate::sync::Running;
use std::fmt;
use std::sync::Arc;

pub use drain::{Drain, DrainStart, Transmit};

pub(crate) use method_calls::{no_arguments, with_arguments};
pub(crate) use shared::ConnectionState;

/// One ordered channel of messages with one client. Cheap to clone; any thread may use it.
///
/// [`Connection::receive`] takes the client's bytes. [`Connection::poll_event`] returns work for the application.
/// [`Connection::drain`] returns bytes for the client. Nothing blocks.
#[derive(Clone)]
#[must_use = "a connection ends when its last handle is dropped"]
pub struct Connection(pub(crate) Arc<ConnectionState>);

/// The result of [`Connection::handle`].
#[derive(Debug)]
pub enum Handled {
    /// The answer to the message.
    Answer(Vec<u8>),
    /// A notification, a response, or a request that was cancelled: there is nothing to answer.
    Nothing,
    /// The answer will be output of this route: take it with [`Connection::drain`] or [`Connection::take`], or give it
    /// up with [`Connection::forget`].
    Later(Route),
}

impl Connection {
    pub(crate) fn new(
        id: u64,
        server: Arc<ServerState>,
        group: Option<Arc<group::GroupState>>,
        caller: Caller,
    ) -> Connection {
        Connection(Arc::new(ConnectionState::new(id, server, group, caller)))
    }

    /// Returns a number that is unique among the connections of its server. An application can find its own data by it,
    /// for the connection that [`crate::Group::next`] returns.
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Sets the id that the session has over HTTP.
    pub(crate) fn name_session(&self, id: &str) {
        self.0.machine.with(|m, _| m.set_session_id(id.into()));
    }

    pub(crate) fn join(&self) {
        self.0.join();
    }

    /// Takes input: messages that end with a newline, in pieces of any size. It buffers them, and parses nothing.
    ///
    /// Returns how many bytes were accepted. If it is fewer than given, stop reading until `wake` is called, and offer
    /// the rest again. While the client is asked for something, four times as much is buffered; a client that sends more
    /// is closed, and the log says so. After the end, input counts as accepted and is discarded.
    pub fn receive(&self, bytes: &[u8]) -> usize {
        let (accepted, flooded) = self.0.machine.with(|m, _| (m.handle_input(bytes), m.is_flooded()));
        if flooded {
            let line =
                "the connection was closed: the client sent four times its input budget while it was asked";
            self.0.server.log.write(Severity::Error, line);
            self.close();
            return bytes.len();
        }
        accepted
    }

    /// Notes that there is no more input. A last line without a newline still counts. Received messages are still
    /// answered.
    pub fn end(&self) {
        self.end_with(UnfinishedLine::Counts);
    }

    /// Notes that there is no more input, and what becomes of a last line without a newline.
    pub(crate) fn end_with(&self, unfinished: UnfinishedLine) {
        self.0.step(|m, _| m.handle_end_of_input(unfinished));
    }

    /// Returns the next question to the application: first those of requests in progress, then those of new messages,
    /// then the server's own events. `None`: all received messages were handled; drain now.
    ///
    /// Several threads may poll at once; each event is returned once. A thread gets `None` while another thread handles
    /// a message. A thread that stops polling before `None`, to run a slow callback, must have another thread poll.
    pub fn poll_event(&self) -> Option<Event> {
        self.poll_own().or_else(|| self.0.server.poll_event())
    }

    /// Polls this connection alone, without the server's own events.
    fn poll_own(&self) -> Option<Event> {
        let shared = &self.0;
        let mut next = shared.polled_step(Machine::poll_next);
        loop {
            match next {
                NextWork::ApplicationCall(application_call, context) => {
                    if let Some(event) = shared.event(application_call, context) {
                        return Some(event);
                    }
                }
                NextWork::Cancel(call) => return Some(Event::Cancel(call)),
                NextWork::Response(number, answer) => return Some(shared.responded(number, answer)),
                NextWork::Message { line, route, arrival } => {
                    let turn = Turn { shared, chunk: None };
                    let event = shared.message(&line, route, arrival).event;
                    if event.is_some() {
                        return event;
                    }
                    next = turn.end();
                    continue;
                }
                NextWork::Chunk(chunk) => {
                    let mut turn = Turn { shared, chunk: Some(chunk) };
                    let event = turn.poll();
                    if event.is_some() {
                        return event;
                    }
                    next = turn.end();
                    continue;
                }
                NextWork::Nothing => return None,
            }
            next = shared.polled_step(Machine::poll_next);
        }
    }

    /// Begins to take the output of a route, unless there is none or another drain takes it.
    pub fn drain(&self, route: Route) -> DrainStart {
        let start = self.0.machine.with(|m, _| {
            if !m.outbox().is_busy(route) {
                m.write_marks(route);
            }
            m.outbox().start(route)
        });
        match start {
            Start::Ready(partial) => {
                if partial.is_some() {
                    self.0.output_taken(); // it counted as unread until now
                }
                DrainStart::Ready(Drain::new(self.0.clone(), route, partial))
            }
            Start::Empty => DrainStart::Empty,
            Start::Busy => DrainStart::Busy,
        }
    }

    /// Handles one message apart from the input, and runs the callbacks that it leads to on this thread. Its answer
    /// does not mix with the connection's other output. A listen stream is refused, because it sends more than an
    /// answer.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the connection or server was closed.
    pub fn handle(&self, message: &[u8]) -> Result<Handled> {
        self.handle_with(message, Event::run)
    }

    /// Handles one message apart from the input, and passes each callback to `run` as an event instead of running it.
    /// Everything else is as with [`Connection::handle`].
    ///
    /// # Errors
    /// As [`Connection::handle`].
    pub fn handle_with(&self, message: &[u8], run: impl FnMut(Event)) -> Result<Handled> {
        self.handle_for(message, None, run)
    }

    /// Handles one message apart from the input, with a context of the application, which the message's callbacks find.
    /// For the context, see [`crate::http::Endpoint::begin_with_context`]. Everything else is as with
    /// [`Connection::handle_with`].
    ///
    /// # Errors
    /// As [`Connection::handle`].
    pub fn handle_with_context(
        &self,
        message: &[u8],
        context: RequestContext,
        run: impl FnMut(Event),
    ) -> Result<Handled> {
        let caller = Caller::clone(&self.0.caller).in_context(Some(context));
        self.handle_for(message, Some(caller), run)
    }

    fn handle_for(&self, message: &[u8], caller: Option<Caller>, run: impl FnMut(Event)) -> Result<Handled> {
        let (route, event) = self.open_and_handle(message, RouteOutput::AnswerOnly, caller)?;
        let handled = self.follow_up(route, event, run);
        // What the callbacks produced for other routes was quiet, and is not taken here.
        if self.0.machine.with(|m, _| m.has_work() && m.set_ready()) {
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
                return self.take(route).unwrap_or(Handled::Later(route));
            }
        }
    }

    /// Takes the answer that [`Handled::Later`] promised. `None`: there is none yet. After the connection was closed it
    /// returns [`Handled::Nothing`].
    pub fn take(&self, route: Route) -> Option<Handled> {
        match self.drain(route) {
            DrainStart::Ready(mut drain) => {
                Some(drain.take_message().map_or(Handled::Nothing, Handled::Answer))
            }
            DrainStart::Empty if self.is_closed() => Some(Handled::Nothing), // nothing will ever come
            DrainStart::Empty | DrainStart::Busy => None,
        }
    }

    /// Discards the output of a route so far. Returns whether the route is over.
    pub(crate) fn discard(&self, route: Route) -> bool {
        if let DrainStart::Ready(drain) = self.drain(route) {
            drain.discard();
        }
        !self.0.machine.with(|m, _| m.outbox().has_route(route))
    }

    /// Returns whether requests wait because clients do not read their output, and this route has some of that output.
    pub(crate) fn is_crowded_by(&self, route: Route) -> bool {
        self.0.machine.with(|m, _| m.is_crowded_by(route))
    }

    /// Answers "internal error" in place of each answer that the application still owes a route. The answer can be
    /// [taken](Connection::take) at once.
    pub fn expire(&self, route: Route) {
        if let Route::Message(number) = route {
            self.0.step(|m, trash| m.on_route_timeout(number, trash));
        }
    }

    /// Takes one message on a route of its own, apart from the input, and runs no callback. Returns the event of the
    /// first callback if there is one at once; [`Connection::poll_event`] returns others.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after the connection or server was closed.
    pub fn handle_on_route(&self, message: &[u8]) -> Result<(Route, Option<Event>)> {
        let (route, event) = self.open_and_handle(message, RouteOutput::Stream, None)?;
        self.wake_for_others(route);
        Ok((route, event))
    }

    /// Takes the message of a POST, which is parsed already, on a route of its own, and runs no callback. `caller` is
    /// `None` if it is that of the connection; `permit` counts the requests of the POST. Everything else is as with
    /// [`Connection::handle_on_route`].
    pub(crate) fn handle_parsed_on_route(
        &self,
        message: &[u8],
        parsed: Parsed<'_>,
        output: RouteOutput,
        caller: Option<Caller>,
        permit: Arc<Permit>,
    ) -> Result<(Route, Option<Event>)> {
        let route = self.open_route(output, caller, Some(permit))?;
        let event = self.0.parsed(message, parsed, route, Arrival::New, None).event;
        self.wake_for_others(route);
        Ok((route, event))
    }

    /// Handles one message on a connection that exists only for it. Returns the event of the first call if there is
    /// one, which saves a poll. If the message came by POST, it has to agree with `head`, the POST's head.
    pub(crate) fn handle_alone(
        &self,
        message: &[u8],
        parsed: Parsed<'_>,
        output: RouteOutput,
        head: Option<&RequestHead<'_>>,
        permit: Arc<Permit>,
    ) -> Result<(Route, Option<Event>)> {
        let route = self.open_route(output, None, Some(permit))?;
        let event = self.0.parsed(message, parsed, route, Arrival::New, head).event;
        let event = event.or_else(|| self.poll_own());
        self.wake_for_others(route);
        Ok((route, event))
    }

    /// Runs a callback whose answer this thread takes from `route` afterwards.
    #[cfg(feature = "http")]
    pub(crate) fn run_for(&self, route: Route, callback: impl FnOnce()) {
        self.run(callback);
        self.wake_for_others(route);
    }

    /// Wakes the group for the effects of this thread's steps, except for output of `route`, which this thread takes.
    fn wake_for_others(&self, route: Route) {
        // The caller takes this answer, drains no other route, and does not poll: the elements of a batch, the
        // responses of the client, and routes that this one has cancelled are left to a poller. A poller also ends a
        // session of a closed server whose last answer this was.
        let closed = self.0.server.is_closed();
        if self.0.machine.with(|m, _| (closed || m.has_work_other_than(route)) && m.set_ready()) {
            self.0.push();
        }
    }

    /// Sets the caller for questions that no request causes, because a request has shown who the caller is by now.
    pub(crate) fn renew_caller(&self, caller: Caller) {
        let caller = Arc::new(caller);
        self.0.machine.with(|m, trash| m.set_caller(caller, trash));
    }

    fn open_route(
        &self,
        output: RouteOutput,
        caller: Option<Caller>,
        permit: Option<Arc<Permit>>,
    ) -> Result<Route> {
        let mut caller = caller.map(Arc::new);
        let number = self.0.machine.with(|m, trash| m.handle_new_route(output, caller.take(), permit, trash));
        number.map(Route::Message).ok_or_else(closed)
    }

    fn open_and_handle(
        &self,
        message: &[u8],
        output: RouteOutput,
        caller: Option<Caller>,
    ) -> Result<(Route, Option<Event>)> {
        let route = self.open_route(output, caller, None)?;
        let message = &message[trimmed(message)];
        if message.len() > self.0.server.settings.limits.message_bytes {
            self.0.polled_step(|m, _| m.handle_too_long(route));
            return Ok((route, None));
        }
        Ok((route, self.0.message(message, route, Arrival::New).event))
    }

    /// Gives a route up: cancels its request, or ends its listen stream. Its output is discarded.
    pub fn forget(&self, route: Route) {
        if let Route::Message(number) = route {
            self.0.step(|m, trash| m.cancel_route(number, trash));
            self.0.output_taken();
        }
    }

    /// Notes that the client of a route has gone and cannot come back for its event stream. Requests whose callback
    /// has not begun are cancelled.
    pub(crate) fn handle_lost_client(&self, route: Route) {
        if let Route::Message(number) = route {
            self.0.step(|m, trash| m.handle_lost_client(number, trash));
        }
    }

    /// Runs `callbacks`, which run callbacks of this connection. Output of this thread does not call `wake` meanwhile,
    /// because the caller polls and drains afterwards.
    pub fn run<R>(&self, callbacks: impl FnOnce() -> R) -> R {
        let _running = Running::enter(&self.0);
        callbacks()
    }

    /// Returns the time by which [`Connection::tick`] must be called, in milliseconds of the application's clock.
    /// `None`: no deadline is running.
    pub fn poll_timeout(&self) -> Option<u64> {
        self.0.machine.with(|m, _| m.poll_timeout())
    }

    /// Returns the shortest time limit of any call, in milliseconds.
    #[cfg(feature = "stdio")]
    pub(crate) fn shortest_call_ms(&self) -> u64 {
        self.0.server.shortest_call_ms()
    }

    /// Returns the next deadline of a route, in milliseconds of the application's clock; `None` if it has none.
    pub(crate) fn route_deadline(&self, route: Route) -> Option<u64> {
        self.0.machine.with(|m, _| m.route_deadline(route))
    }

    /// Sets the time, in milliseconds of any monotonic clock. Calls that are not answered in time are answered with
    /// errors.
    ///
    /// The clock of the connection is the latest `now`, at first 0, and each call's deadline counts from it. So call
    /// this before a poll that comes after a while. Otherwise the next tick answers calls too early with errors.
    pub fn tick(&self, now: u64) {
        self.0.step(|m, trash| m.on_timeout(now, trash));
    }

    /// Sets the time, in milliseconds of any monotonic clock, and answers overdue calls with errors. Unlike
    /// [`Connection::tick`], this costs hardly anything if no deadline has passed.
    pub(crate) fn advance_clock(&self, now: u64) {
        let is_overdue = self.0.machine.with(|m, _| {
            m.advance_clock(now);
            m.is_overdue()
        });
        if is_overdue {
            self.tick(now);
        }
    }

    /// Returns whether a request is being answered or waits for room.
    pub(crate) fn is_answering(&self) -> bool {
        self.0.machine.with(|m, _| m.is_answering())
    }

    /// Returns whether no request, subscription or client request is open. The end of the connection then concerns
    /// neither the application nor the hub.
    pub(crate) fn is_vacant(&self) -> bool {
        self.0.machine.with(|m, _| m.is_vacant())
    }

    /// Takes the routes that got output or a deadline since the last call. The caller notifies their drivers.
    pub(crate) fn poll_pending_routes(&self) -> Routes {
        self.0.machine.with(|m, trash| {
            m.drop_unused_callers(trash);
            m.poll_pending_routes()
        })
    }

    /// Notes that the connection exists for one message only. `revision` is that of the message, or `None` for a
    /// handshake.
    pub(crate) fn stand_alone(&self, revision: Option<Revision>) {
        self.0.machine.with(|m, _| m.set_stand_alone(revision));
    }

    /// Returns the revision that the session's handshake agreed on; `None` if there was no handshake.
    pub(crate) fn session_revision(&self) -> Option<Revision> {
        self.0.machine.with(|m, _| m.session_revision())
    }

    /// Notes that a client has come back for the event stream of that route.
    pub(crate) fn reopen_stream(&self, route: Route) {
        self.0.machine.with(|m, _| m.outbox().reopen_stream(route));
    }

    /// Makes the messages of the connection's own route come without newlines, as those of other routes do.
    pub(crate) fn frame_elsewhere(&self) {
        self.0.machine.with(|m, _| m.outbox().bare = true);
    }

    /// Returns whether the connection has ended or was closed, and nothing is left to poll, to answer or to drain. A
    /// cancelled call is not waited for.
    pub fn is_finished(&self) -> bool {
        self.0.machine.with(|m, _| m.is_finished())
    }

    /// Returns whether a poll would find messages to handle.
    #[cfg(feature = "stdio")]
    pub(crate) fn has_input(&self) -> bool {
        self.0.machine.with(|m, _| m.has_input())
    }

    /// Returns whether the connection was closed.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Ends listen streams with the result that the protocol defines for it. Everything else continues.
    pub fn end_streams(&self) {
        self.0.step(|m, _| m.end_streams());
    }

    /// Ends listen streams with the result that the protocol defines for it, drops all calls, and takes no more input.
    /// Output that is queued can still be drained.
    pub fn shut_down(&self) {
        self.0.step(Machine::shut_down);
        self.0.forget_continuations();
        self.0.server.hub.remove_connection(self.0.id);
    }

    /// Shuts the connection down because the server is closed. A session over HTTP shuts down only after its calls are
    /// answered; [`crate::http::Endpoint::poll_event`] does that.
    pub(crate) fn wind_down(&self) {
        if self.0.machine.with(|m, _| m.outbox().bare && m.is_answering()) {
            self.end_streams();
        } else {
            self.shut_down();
        }
    }

    /// Closes the connection as [`Connection::close`] does. Returns the events that tell the application which calls
    /// are cancelled, and that its requests to the client have no response.
    pub(crate) fn close_with_events(&self) -> Vec<Event> {
        let (calls, answers) =
            self.0.machine.with(|m, _| (m.cancelled_by_closing(), m.poll_client_answers()));
        let answers = answers.into_iter().map(|(number, answer)| self.0.responded(number, answer));
        let events = calls.into_iter().map(Event::Cancel).chain(answers).collect();
        self.close();
        events
    }

    /// Drops all calls and all output at once. Later output is discarded.
    pub fn close(&self) {
        self.0.step(Machine::close);
        self.0.forget_continuations();
        self.0.server.hub.remove_connection(self.0.id);
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

/// The turn of a poller, which alone may handle input. Dropping it ends the turn, also after a panic.
struct Turn<'a> {
    shared: &'a Arc<ConnectionState>,
    chunk: Option<Chunk>,
}

impl Turn<'_> {
    /// Handles messages until one has a question for the application, which it returns, or until none is left.
    fn poll(&mut self) -> Option<Event> {
        let chunk = self.chunk.as_mut()?;
        loop {
            match chunk.next_line() {
                InputLine::None => return None,
                InputLine::TooLong => {
                    if self.shared.polled_step(|m, _| m.handle_too_long(Route::Connection)) {
                        return None;
                    }
                }
                InputLine::Whole(from, to) => {
                    let line = chunk.line(from, to);
                    let dealt = self.shared.message(line, Route::Connection, Arrival::New);
                    if dealt.event.is_some() || dealt.must_stop {
                        return dealt.event;
                    }
                }
            }
        }
    }
}

impl Turn<'_> {
    /// Ends the turn and looks for the next work, in one step.
    fn end(mut self) -> NextWork {
        let (shared, chunk) = (self.shared, self.chunk.take());
        std::mem::forget(self);
        shared.polled_step(|m, trash| {
            m.release_input(chunk);
            m.poll_next(trash)
        })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let chunk = self.chunk.take();
        self.shared.polled_step(|m, _| m.release_input(chunk));
    }
}
