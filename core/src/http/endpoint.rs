//! One endpoint: its path, the requests that it answers, and the state that its exchanges share.

use super::RequestHead;
use super::endpoint_builder::Options;
use super::exchange::{Exchange, Ready, Sender};
#[cfg(feature = "http")]
use super::idle_timeout::IdleTimeout;
use super::listeners::{ListenerKey, Listeners};
use super::protection::RequestToken;
use super::request_body::RequestBodies;
use super::sessions::Sessions;
use crate::access::{Caller, RequestContext};
use crate::account::{Account, Holder};
use crate::connection::Connection;
use crate::event::Event;
use crate::group::Group;
use crate::log::Severity;
use crate::protocol::{Route, Routes};
use crate::refusals::Refusals;
use crate::server::Server;
use crate::sync::Lock;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A server's endpoint for Streamable HTTP. Cheap to clone; any thread may use it.
///
/// It does no I/O and has no clock. A driver gives each request to [`Endpoint::begin`]. When `wake` was called, it
/// calls [`Endpoint::poll_event`] until that returns `None`.
#[derive(Clone)]
pub struct Endpoint(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) server: Server,
    pub(super) group: Group,
    pub(super) options: Options,
    pub(super) account: Arc<Account>,
    /// Request bodies that have not arrived completely. The endpoint drops one if another request needs its room.
    pub(super) bodies: Arc<Lock<RequestBodies>>,
    pub(super) refusals: Refusals,
    pub(super) state: Lock<EndpointState>,
}

/// Upper bound, in milliseconds, on how late a deadline fires if no exchange waits for it.
const MAX_LATE_MS: u64 = 1_000;

#[derive(Default)]
pub(super) struct EndpointState {
    /// Events that exchanges found, for the next [`Endpoint::poll_event`].
    events: VecDeque<Event>,
    /// The exchanges that are to be polled when a route gets output.
    listeners: Listeners,
    pub(super) sessions: Sessions,
}

impl Endpoint {
    pub(super) fn new(server: Server, options: Options, wake: impl Fn() + Send + Sync + 'static) -> Endpoint {
        let group = server.group(wake);
        let account = Account::new(server.limits());
        let state = Lock::new(EndpointState::default());
        Endpoint(Arc::new(Inner {
            group,
            server,
            options,
            account,
            bodies: Arc::default(),
            refusals: Refusals::default(),
            state,
        }))
    }

    /// Begins the exchange for a request, of which only the head is known. `now` is the time in milliseconds of any
    /// monotonic clock, the same for all methods of the endpoint. `ready` is called when [`Exchange::poll`] may have
    /// something new to do: on any thread, without a lock held, perhaps in vain.
    pub fn begin(
        &self,
        head: &RequestHead<'_>,
        now: u64,
        ready: impl Fn() + Send + Sync + 'static,
    ) -> Exchange {
        Exchange::begin(self.clone(), head, now, Sender::default(), self.0.holder_of(head), Arc::new(ready))
    }

    /// Begins the exchange for a request whose caller the application knows already, such as by a session of its own.
    /// The request's bearer token is not judged. A session is found only by the caller that began it. `context` is that
    /// of [`Endpoint::begin_with_context`]. Everything else is as with [`Endpoint::begin`].
    ///
    /// ```
    /// use wellhead::Caller;
    /// use wellhead::http::RequestHead;
    ///
    /// let endpoint = wellhead::Server::new("notes", "1.0.0").endpoint().build(|| {})?;
    /// let head = RequestHead { method: "POST", target: "/mcp", headers: &[], peer: b"" };
    /// let exchange = endpoint.begin_with_caller(&head, 0, Caller::new(*b"ann"), None, || {});
    /// # drop(exchange);
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    pub fn begin_with_caller(
        &self,
        head: &RequestHead<'_>,
        now: u64,
        caller: Caller,
        context: Option<RequestContext>,
        ready: impl Fn() + Send + Sync + 'static,
    ) -> Exchange {
        let holder = if head.peer.is_empty() && !caller.id().is_empty() {
            self.0.account.holder_named(&[b"caller ", caller.id()].concat())
        } else {
            self.0.holder_of(head)
        };
        let sender = Sender { caller: Some(caller), context };
        Exchange::begin(self.clone(), head, now, sender, holder, Arc::new(ready))
    }

    /// Begins the exchange for a request, and attaches a context of the application: every callback that the request
    /// causes finds it, on any thread. The endpoint drops the context once the request is over. Everything else is as
    /// with [`Endpoint::begin`].
    pub fn begin_with_context(
        &self,
        head: &RequestHead<'_>,
        now: u64,
        context: RequestContext,
        ready: impl Fn() + Send + Sync + 'static,
    ) -> Exchange {
        let sender = Sender { caller: None, context: Some(context) };
        Exchange::begin(self.clone(), head, now, sender, self.0.holder_of(head), Arc::new(ready))
    }

    /// Begins the exchange for a request whose bytes count for `holder`, for a driver that has one holder for each of
    /// its connections. Everything else is as with [`Endpoint::begin`].
    #[cfg(feature = "http")]
    pub(crate) fn begin_for(
        &self,
        head: &RequestHead<'_>,
        now: u64,
        holder: Arc<Holder>,
        ready: impl Fn() + Send + Sync + 'static,
    ) -> Exchange {
        Exchange::begin(self.clone(), head, now, Sender::default(), holder, Arc::new(ready))
    }

    /// Makes the holder for the requests of one transport connection: their bytes are counted together.
    #[cfg(feature = "http")]
    pub(crate) fn holder(&self) -> Arc<Holder> {
        self.0.account.holder()
    }

    /// Returns the next question to the application; run it on any thread. `None`: there is none, and all exchanges
    /// with new output were notified. A deadline counts from the last `now`, so call [`Endpoint::tick`] first.
    pub fn poll_event(&self) -> Option<Event> {
        loop {
            if let Some(event) = self.0.state.with(|s, _| s.events.pop_front()) {
                return Some(event);
            }
            let Some(connection) = self.0.group.next() else { return self.0.server.poll_event() };
            connection.advance_clock(self.0.group.now()); // for what it asks
            let mut events: VecDeque<_> = std::iter::from_fn(|| connection.poll_event()).collect();
            let routes = connection.poll_pending_routes();
            if matches!(routes, Routes::All) {
                self.0.schedule_tick(&connection);
            }
            if !events.is_empty() {
                self.0.state.with(|s, _| s.events.append(&mut events));
            }
            self.0.notify_routes(&connection, &routes);
            self.0.take_abandoned(&connection, &routes);
            if self.0.server.is_closed() && !connection.is_closed() && !connection.is_answering() {
                connection.shut_down(); // that was the last answer
            }
        }
    }

    /// Returns the latest time for the next [`Endpoint::tick`]; `None` if no call is needed.
    pub fn poll_timeout(&self) -> Option<u64> {
        self.0.state.with(|s, _| s.sessions.deadline(self.0.options.values.session_ms))
    }

    /// Sets the time, in milliseconds. Ends sessions that were unused for too long, and answers calls that take too
    /// long with errors.
    pub fn tick(&self, now: u64) {
        self.0.advance_clock(now);
        let session_ms = self.0.options.values.session_ms;
        for session in self.0.state.with(|s, _| s.sessions.expire(now, session_ms)) {
            self.0.close(&session.connection);
        }
        while let Some((id, connection)) = self.0.state.with(|s, _| s.sessions.take_due(now)) {
            connection.tick(now);
            let next = self.0.next_tick(now);
            // A call that waits for its client may get a nearer deadline when it continues.
            let again = next.filter(|_| connection.is_answering());
            let deadline = [connection.poll_timeout(), again].into_iter().flatten().min();
            self.0.state.with(|s, _| s.sessions.finish_tick(&id, deadline, next));
        }
    }

    /// Ends all sessions, and cancels their calls.
    #[cfg(feature = "http")]
    pub(crate) fn end_sessions(&self) {
        for session in self.0.state.with(|s, _| s.sessions.remove_all()) {
            self.0.close(&session.connection);
        }
    }

    /// The server that the endpoint belongs to.
    #[cfg(feature = "http")]
    pub(crate) fn server(&self) -> &Server {
        &self.0.server
    }

    /// Makes the timeouts for a client's transport connection that opens now.
    #[cfg(feature = "http")]
    pub(crate) fn idle_timeout(&self, now: u64) -> IdleTimeout {
        IdleTimeout::new(self.0.options.values.head_ms, self.0.options.values.idle_ms, now)
    }

    /// The account of what the endpoint's clients cost.
    #[cfg(feature = "http")]
    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.0.account
    }

    #[cfg(feature = "http")]
    pub(crate) fn idle_ms(&self) -> u64 {
        self.0.options.values.idle_ms
    }

    /// Makes a connection that belongs to the endpoint and has no message yet.
    #[cfg(feature = "http")]
    pub(crate) fn connect(&self, caller: Caller) -> Connection {
        self.0.group.connect(caller)
    }

    /// Returns whether requests for this target or path are for the endpoint. For drivers that serve other paths, too.
    pub fn serves(&self, target: &str) -> bool {
        let path = RequestHead { method: "", target, headers: &[], peer: &[] }.path();
        path == self.0.options.values.path.get() || self.0.is_metadata(path)
    }

    /// Returns the number of open sessions.
    pub fn sessions(&self) -> usize {
        self.0.state.with(|s, _| s.sessions.len())
    }
}

impl Inner {
    /// Returns the holder of a request, whose bytes are counted together. A bearer token that is not judged yet makes
    /// no new holder: a client that invents one for each request may hold no more than a client without.
    pub(super) fn holder_of(&self, head: &RequestHead<'_>) -> Arc<Holder> {
        match RequestToken::read(head) {
            _ if !head.peer.is_empty() => self.account.holder_named(&[b"peer ", head.peer].concat()),
            RequestToken::Bearer(token) if self.options.protection.is_some() => {
                self.account.holder_named(format!("token {token}").as_bytes())
            }
            _ => self.account.holder_of_request(),
        }
    }

    /// Closes a connection, and cancels its calls.
    pub(super) fn close(&self, connection: &Connection) {
        let events = connection.close_with_events();
        if !events.is_empty() {
            self.state.with(|s, _| s.events.extend(events));
            self.group.wake();
        }
    }

    /// Returns whether the metadata of a protected endpoint is at this path.
    pub(super) fn is_metadata(&self, path: &str) -> bool {
        let protection = self.options.protection.as_ref();
        protection.is_some_and(|protection| protection.is_metadata(path, self.options.values.path.get()))
    }

    /// Drops kept events, the oldest first, until the endpoint holds no more bytes than its limit.
    pub(super) fn make_room(&self) {
        if self.account.is_over() {
            self.state.with(|s, _| s.sessions.make_room(&self.account));
        }
    }

    /// Advances the clock to `now`. An earlier `now` changes nothing.
    pub(super) fn advance_clock(&self, now: u64) {
        self.group.advance_clock(now);
    }

    /// Discards output of those routes whose clients have gone. If a client may come back for its output, that is
    /// discarded only if other requests would have to wait for it.
    pub(super) fn take_abandoned(&self, connection: &Connection, routes: &Routes) {
        let id = connection.id();
        for (route, stream) in self.state.with(|s, _| s.sessions.abandoned(id, routes)) {
            if stream.is_some() && !connection.is_crowded_by(route) {
                continue;
            }
            let over = connection.discard(route);
            self.state.with(|s, _| {
                if let Some(stream) = stream {
                    s.sessions.lose(id, route, stream);
                }
                if over {
                    s.sessions.forget_abandoned(id, route);
                }
            });
            self.notify_route(connection, route); // a client may have come back just now
        }
    }

    /// Returns when to set the time of a session in use. A deadline that begins from now on is not earlier, or fires
    /// late by less than [`MAX_LATE_MS`]. `None`: there are no deadlines.
    pub(super) fn next_tick(&self, now: u64) -> Option<u64> {
        now.checked_add(self.server.shortest_call_ms().max(MAX_LATE_MS))
    }

    /// Schedules the first deadline of a connection, since no exchange may be waiting for it.
    fn schedule_tick(&self, connection: &Connection) {
        let deadline = connection.poll_timeout();
        self.state.with(|s, _| s.sessions.schedule_tick_of(connection.id(), deadline));
    }

    /// Has `ready` called whenever that route of a connection may have output, until [`Inner::unlisten`].
    pub(super) fn listen(&self, connection: u64, route: Route, ready: Ready) -> ListenerKey {
        self.state.with(|s, _| s.listeners.add(connection, route, ready))
    }

    /// Calls the `ready` of the exchanges that wait for these routes of a connection.
    fn notify_routes(&self, connection: &Connection, routes: &Routes) {
        let id = connection.id();
        let listeners: Vec<_> = self.state.with(|s, _| match routes {
            Routes::All => s.listeners.on_connection(id).collect(),
            Routes::These(routes) => {
                routes.iter().flat_map(|route| s.listeners.on_route(id, *route)).collect()
            }
        });
        for ready in listeners {
            self.notify(&ready);
        }
    }

    /// Calls the `ready` of the exchanges that wait for this route of a connection.
    pub(super) fn notify_route(&self, connection: &Connection, route: Route) {
        let listeners: Vec<_> =
            self.state.with(|s, _| s.listeners.on_route(connection.id(), route).collect());
        for ready in listeners {
            self.notify(&ready);
        }
    }

    /// Calls the `ready` of one exchange, so that its driver polls it.
    pub(super) fn notify(&self, ready: &Ready) {
        if catch_unwind(AssertUnwindSafe(|| ready())).is_err() {
            self.server.log_line(Severity::Error, "ready panicked; its exchange may wait for ever");
        }
    }

    pub(super) fn unlisten(&self, listener: ListenerKey) {
        let gone = self.state.with(|s, _| s.listeners.remove(listener));
        drop(gone); // not under the lock
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("path", &self.0.options.values.path.get()).finish_non_exhaustive()
    }
}
