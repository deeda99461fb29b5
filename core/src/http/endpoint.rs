//! One endpoint: what it is reached by, whom it answers, and what all its exchanges share.

use super::RequestHead;
use super::exchange::{Exchange, Ready};
#[cfg(feature = "http")]
use super::idle_timeout::IdleTimeout;
use super::listeners::{ListenerKey, Listeners};
use super::origin::OriginGate;
use super::protection::{Protection, RequestToken};
use super::request_body::RequestBodies;
use super::sessions::Sessions;
use crate::access::RequestContext;
use crate::account::{Account, Holder};
use crate::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::event::{Event, Verification, Verifier, VerifyCall};
use crate::group::Group;
use crate::limits::zero_error;
use crate::log::Level;
use crate::options::EndpointOptions;
use crate::protocol::{Route, Routes};
use crate::provider::{IntoReply, verifier};
use crate::refusals::Refusals;
use crate::server::Server;
use crate::sync::Lock;
use std::collections::VecDeque;
use std::fmt;
#[cfg(feature = "http")]
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A server's endpoint for Streamable HTTP. Cheap to clone; any thread may use it.
///
/// It does no I/O and has no clock. A driver gives each request to [`Endpoint::begin`], and calls
/// [`Endpoint::poll_event`] when `wake` was called, until there is none.
#[derive(Clone)]
pub struct Endpoint(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) server: Server,
    pub(super) group: Group,
    pub(super) options: Options,
    pub(super) account: Arc<Account>,
    /// Bodies that the endpoint lets go if others need their room.
    pub(super) bodies: Arc<Lock<RequestBodies>>,
    pub(super) refusals: Refusals,
    pub(super) state: Lock<EndpointState>,
}

/// Upper bound, in milliseconds, on how late a deadline fires when no exchange waits for it.
const MAX_LATE_MS: u64 = 1_000;

/// The settings of an endpoint.
#[derive(Clone)]
#[allow(clippy::struct_excessive_bools, reason = "each switch is independent of the others")]
pub(super) struct Options {
    pub(super) path: String,
    pub(super) gate: OriginGate,
    pub(super) cors: bool,
    pub(super) strict_accept: bool,
    pub(super) sessions: bool,
    pub(super) session_ms: u64,
    pub(super) session_limit: usize,
    pub(super) delete: bool,
    pub(super) keep_alive_ms: u64,
    pub(super) head_ms: u64,
    pub(super) body_ms: u64,
    pub(super) idle_ms: u64,
    pub(super) replay_bytes: usize,
    pub(super) protection: Option<Protection>,
    pub(super) verifier: Option<Arc<Verifier>>,
}

impl Options {
    fn check(&self) -> Result<()> {
        if !self.path.starts_with('/') {
            let message = format!("`path` must begin with `/` (got {:?})", self.path);
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        let limits = [
            ("session_limit", self.session_limit as u64),
            ("session_ms", self.session_ms),
            ("keep_alive_ms", self.keep_alive_ms),
            ("head_ms", self.head_ms),
            ("body_ms", self.body_ms),
            ("idle_ms", self.idle_ms),
        ];
        let zero = limits.into_iter().find(|(_, value)| *value == 0);
        zero.map_or(Ok(()), |(name, _)| Err(zero_error(name)))
    }
}

#[derive(Default)]
pub(super) struct EndpointState {
    /// Events that exchanges came upon.
    events: VecDeque<Event>,
    /// Who is to be told when a connection has something to say.
    listeners: Listeners,
    pub(super) sessions: Sessions,
}

/// Builds an endpoint. Every setting has a default.
#[derive(Clone)]
pub struct EndpointBuilder {
    server: Server,
    options: Options,
    /// Read when the endpoint is made, which can fail.
    origins: Vec<String>,
    hosts: Vec<String>,
}

impl EndpointBuilder {
    /// Sets the path that clients POST to. It must begin with a slash. Default: `/mcp`.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.options.path = path.into();
        self
    }

    /// Sets whether the endpoint refuses requests whose `Host`, or `Origin` where there is one, is not a loopback name
    /// such as `localhost`. Default: true, against DNS rebinding. The native listener ignores this setting: it refuses
    /// them if it is bound to a loopback address.
    #[must_use]
    pub fn loopback_only(mut self, loopback_only: bool) -> Self {
        self.options.gate.loopback_only = loopback_only;
        self
    }

    /// The server whose endpoint it will be.
    #[cfg(feature = "http")]
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// Fails as [`EndpointBuilder::build`] would.
    #[cfg(feature = "http")]
    pub(crate) fn check(&self) -> Result<()> {
        self.options.check()?;
        self.options.gate.clone().allow(&self.origins, &self.hosts)
    }

    /// The endpoint is bound to that address: who asks for one of this machine may name it, which need not be the usual one.
    #[cfg(feature = "http")]
    pub(crate) fn bound(mut self, address: IpAddr) -> Self {
        self.options.gate.loopback_only = address.is_loopback();
        if let (true, IpAddr::V4(address)) = (address.is_loopback(), address) {
            self.hosts.push(address.to_string());
        }
        self
    }

    /// Origins whose pages may send requests, `scheme://host[:port]`. An endpoint on a loopback address allows those of this
    /// machine, too.
    /// `*` allows any, `https://*.example.com` any subdomain.
    #[must_use]
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Names that the endpoint goes by, with or without a port; none: any, unless it is bound to a loopback address. `*`
    /// allows any, `*.example.com` any subdomain.
    #[must_use]
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.hosts = hosts.into_iter().map(Into::into).collect();
        self
    }

    /// Lets pages of the allowed origins read the answers (CORS, WHATWG Fetch): they may ask beforehand with `OPTIONS`, and
    /// see `Mcp-Session-Id` and `WWW-Authenticate`. Default: false. Then browsers keep other pages away.
    #[must_use]
    pub fn cors(mut self, on: bool) -> Self {
        self.options.cors = on;
        self
    }

    /// Refuses requests whose `Accept` lacks one of the two types that clients have to accept. Default: false.
    #[must_use]
    pub fn strict_accept(mut self, strict: bool) -> Self {
        self.options.strict_accept = strict;
        self
    }

    /// Whether clients of the handshake era get sessions. Default: true. Without, each of their requests stands for itself
    /// and any instance answers it; they are told of no changes, and cannot subscribe.
    #[must_use]
    pub fn sessions(mut self, on: bool) -> Self {
        self.options.sessions = on;
        self
    }

    /// How long an unused session lives, in milliseconds; 3,600,000 by default.
    #[must_use]
    pub fn session_ms(mut self, ms: u64) -> Self {
        self.options.session_ms = ms;
        self
    }

    /// The number of sessions at once, at least 1; 10,000 by default. One more takes the place of a session without a
    /// request in progress. Its client has sent no request since the handshake and has no GET stream, or it was not used for
    /// [`EndpointBuilder::idle_ms`]. Sessions with a GET stream go last. If no session can end, the client gets status 503.
    /// So does a caller known by its token that has its [`crate::Limits::caller_percent`], and a client with 4,096 requests
    /// and streams of one session in progress (the limit `session_streams`).
    #[must_use]
    pub fn session_limit(mut self, most: usize) -> Self {
        self.options.session_limit = most;
        self
    }

    /// Whether clients may end their session with DELETE. Default: true.
    #[must_use]
    pub fn delete(mut self, offered: bool) -> Self {
        self.options.delete = offered;
        self
    }

    /// After how many milliseconds of silence a stream gets a comment; 15,000 by default.
    #[must_use]
    pub fn keep_alive_ms(mut self, ms: u64) -> Self {
        self.options.keep_alive_ms = ms;
        self
    }

    /// How long the head of a request may take to arrive, in milliseconds; 10,000 by default. Kept by the native
    /// listener; the servers of other drivers have settings of their own.
    #[must_use]
    pub fn head_ms(mut self, ms: u64) -> Self {
        self.options.head_ms = ms;
        self
    }

    /// How long a client's connection is kept that asks nothing, and a response of which the client takes nothing, in
    /// milliseconds; 60,000 by default. Kept by the native listener, as [`EndpointBuilder::head_ms`]; the tower service
    /// keeps it for responses.
    #[must_use]
    pub fn idle_ms(mut self, ms: u64) -> Self {
        self.options.idle_ms = ms;
        self
    }

    /// How long a body may take to arrive, in milliseconds; 30,000 by default.
    #[must_use]
    pub fn body_ms(mut self, ms: u64) -> Self {
        self.options.body_ms = ms;
        self
    }

    /// How many bytes of events a session keeps for clients that come back after their stream broke; 1 MiB by default.
    #[must_use]
    pub fn replay_bytes(mut self, bytes: usize) -> Self {
        self.options.replay_bytes = bytes;
        self
    }

    /// Answers only requests with a bearer token that the application finds good: each is asked about with [`Event::Verify`],
    /// also inside a session. What clients are told of it is given here, who judges by [`EndpointBuilder::verify`], or by
    /// an application that runs events by itself.
    #[must_use]
    pub fn protect(mut self, protection: Protection) -> Self {
        self.options.protection = Some(protection);
        self
    }

    /// Who judges tokens, now or later: see [`EndpointBuilder::protect`], whose default this implies.
    ///
    /// ```
    /// use wellhead::http::Grant;
    /// use wellhead::{Caller, Server};
    ///
    /// let server = Server::new("notes", "1.0.0");
    /// let endpoint = server.endpoint().verify(|call| {
    ///     (call.token() == "secret of ann").then(|| Grant::new(Caller::new(*b"ann")))
    /// });
    /// # let _ = endpoint;
    /// ```
    #[must_use]
    pub fn verify<F, R, M>(mut self, verify: F) -> Self
    where
        F: Fn(VerifyCall) -> R + Send + Sync + 'static,
        R: IntoReply<Verification, M> + 'static,
        M: 'static,
    {
        self.options.protection.get_or_insert_default();
        self.options.verifier = Some(Arc::new(verifier(verify)));
        self
    }

    /// Makes the endpoint. `wake` is called, without any lock held, on any thread, perhaps for nothing, when
    /// [`Endpoint::poll_event`] has something to do.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for an allowed origin or host that no request can name, for a
    /// path that does not begin with a slash, and for a time or a `session_limit` of 0.
    pub fn build(mut self, wake: impl Fn() + Send + Sync + 'static) -> Result<Endpoint> {
        self.options.check()?;
        self.options.gate.allow(&self.origins, &self.hosts)?;
        let group = self.server.group(wake);
        let account = Account::new(self.server.limits());
        let state = Lock::new(EndpointState::default());
        Ok(Endpoint(Arc::new(Inner {
            group,
            server: self.server,
            options: self.options,
            account,
            bodies: Arc::default(),
            refusals: Refusals::default(),
            state,
        })))
    }
}

impl Server {
    /// An endpoint for Streamable HTTP.
    pub fn endpoint(&self) -> EndpointBuilder {
        let EndpointOptions {
            path,
            loopback_only,
            cors,
            strict_accept,
            sessions,
            session_ms,
            session_limit,
            delete,
            keep_alive_ms,
            head_ms,
            body_ms,
            idle_ms,
            replay_bytes,
        } = EndpointOptions::DEFAULT;
        EndpointBuilder {
            server: self.clone(),
            origins: Vec::new(),
            hosts: Vec::new(),
            options: Options {
                path: path.to_owned(),
                gate: OriginGate { origins: Vec::new(), hosts: Vec::new(), loopback_only },
                cors,
                strict_accept,
                sessions,
                session_ms,
                session_limit,
                delete,
                keep_alive_ms,
                head_ms,
                body_ms,
                idle_ms,
                replay_bytes,
                protection: None,
                verifier: None,
            },
        }
    }
}

impl Endpoint {
    /// A request has come, of which so far the head is known. `now` is the time in milliseconds of any monotonic clock,
    /// the same for everything told to the endpoint. `ready` is called, without any lock held, on any thread, perhaps
    /// for nothing, when [`Exchange::poll`] has something to do that it had not before.
    pub fn begin(
        &self,
        head: &RequestHead<'_>,
        now: u64,
        ready: impl Fn() + Send + Sync + 'static,
    ) -> Exchange {
        Exchange::begin(self.clone(), head, now, None, self.0.holder_of(head), Arc::new(ready))
    }

    /// [`Endpoint::begin`] for a request with a context of the application's: every callback that the request causes finds it,
    /// on whichever thread runs it. The endpoint drops it once the request is over.
    pub fn begin_with_context(
        &self,
        head: &RequestHead<'_>,
        now: u64,
        context: RequestContext,
        ready: impl Fn() + Send + Sync + 'static,
    ) -> Exchange {
        Exchange::begin(self.clone(), head, now, Some(context), self.0.holder_of(head), Arc::new(ready))
    }

    /// [`Endpoint::begin`] for a driver that has one holder for each of its connections.
    #[cfg(feature = "http")]
    pub(crate) fn begin_for(
        &self,
        head: &RequestHead<'_>,
        now: u64,
        holder: Arc<Holder>,
        ready: impl Fn() + Send + Sync + 'static,
    ) -> Exchange {
        Exchange::begin(self.clone(), head, now, None, holder, Arc::new(ready))
    }

    /// Makes the holder for the requests of one connection.
    #[cfg(feature = "http")]
    pub(crate) fn holder(&self) -> Arc<Holder> {
        self.0.account.holder()
    }

    /// The next question to the application; run it, on whichever thread suits. None: everything that was to be said has been
    /// said to those who wait. What is asked has its time from the one that was told last: [`Endpoint::tick`] first.
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

    /// When to call [`Endpoint::tick`] at the latest; none: no need to.
    pub fn poll_timeout(&self) -> Option<u64> {
        self.0.state.with(|s, _| s.sessions.deadline(self.0.options.session_ms))
    }

    /// Tells the time: unused sessions end, and calls that take too long are answered with errors.
    pub fn tick(&self, now: u64) {
        self.0.advance_clock(now);
        let session_ms = self.0.options.session_ms;
        for session in self.0.state.with(|s, _| s.sessions.expire(now, session_ms)) {
            self.0.close(&session.connection);
        }
        while let Some((id, connection)) = self.0.state.with(|s, _| s.sessions.take_due(now)) {
            connection.tick(now);
            let next = self.0.next_tick(now);
            let deadline = connection.poll_timeout().or(next.filter(|_| connection.is_answering()));
            self.0.state.with(|s, _| s.sessions.finish_tick(&id, deadline, next));
        }
    }

    /// Whose endpoint it is.
    #[cfg(feature = "http")]
    pub(crate) fn server(&self) -> &Server {
        &self.0.server
    }

    /// The timeouts of a client's connection that opens now.
    #[cfg(feature = "http")]
    pub(crate) fn idle_timeout(&self, now: u64) -> IdleTimeout {
        IdleTimeout::new(self.0.options.head_ms, self.0.options.idle_ms, now)
    }

    /// The costs of the endpoint's clients.
    #[cfg(feature = "http")]
    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.0.account
    }

    #[cfg(feature = "http")]
    pub(crate) fn idle_ms(&self) -> u64 {
        self.0.options.idle_ms
    }

    /// A connection among those of the endpoint, on which nothing is said.
    #[cfg(feature = "http")]
    pub(crate) fn connect(&self, caller: crate::Caller) -> Connection {
        self.0.group.connect(caller)
    }

    /// Whether requests of this target, or path, are for the endpoint: for drivers that serve other things, too.
    pub fn serves(&self, target: &str) -> bool {
        let path = RequestHead { method: "", target, headers: &[], peer: &[] }.path();
        path == self.0.options.path || self.0.is_metadata(path)
    }

    /// How many sessions there are.
    pub fn sessions(&self) -> usize {
        self.0.state.with(|s, _| s.sessions.len())
    }
}

impl Inner {
    /// Who holds what a request costs. A bearer token counts before it is judged: a client that invents one for each request
    /// holds no more than one without.
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
        let told = connection.close_and_tell();
        if !told.is_empty() {
            self.state.with(|s, _| s.events.extend(told));
            self.group.wake();
        }
    }

    /// Whether the metadata of a protected endpoint stands there.
    pub(super) fn is_metadata(&self, path: &str) -> bool {
        let protection = self.options.protection.as_ref();
        protection.is_some_and(|protection| protection.is_metadata(path, &self.options.path))
    }

    /// Lets go of kept events if there is more than may be.
    pub(super) fn make_room(&self) {
        if self.account.is_over() {
            self.state.with(|s, _| s.sessions.make_room(&self.account));
        }
    }

    /// Sets the clock forward; it never goes back.
    pub(super) fn advance_clock(&self, now: u64) {
        self.group.advance_clock(now);
    }

    /// Discards the output on those routes that no client will read. Discards output for clients that may come back only if
    /// other requests would have to wait for it.
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

    /// Returns when to tell a session in use the time. A deadline that begins from now on is not before that, or is late
    /// by less than [`MAX_LATE_MS`]. `None`: there are no deadlines.
    pub(super) fn next_tick(&self, now: u64) -> Option<u64> {
        now.checked_add(self.server.limits().call_ms.max(MAX_LATE_MS))
    }

    /// Notes the first deadline of a connection, for which no exchange may wait.
    fn schedule_tick(&self, connection: &Connection) {
        let deadline = connection.poll_timeout();
        self.state.with(|s, _| s.sessions.schedule_tick_of(connection.id(), deadline));
    }

    /// Calls `ready` whenever that route of a connection has something to say, perhaps for nothing, until
    /// [`Inner::unlisten`].
    pub(super) fn listen(&self, connection: u64, route: Route, ready: Ready) -> ListenerKey {
        self.state.with(|s, _| s.listeners.add(connection, route, ready))
    }

    /// Notifies the drivers that wait for these routes of a connection.
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

    /// Notifies the drivers that wait for this route of a connection.
    pub(super) fn notify_route(&self, connection: &Connection, route: Route) {
        let listeners: Vec<_> =
            self.state.with(|s, _| s.listeners.on_route(connection.id(), route).collect());
        for ready in listeners {
            self.notify(&ready);
        }
    }

    /// Tells the driver of an exchange to poll it.
    pub(super) fn notify(&self, ready: &Ready) {
        if catch_unwind(AssertUnwindSafe(|| ready())).is_err() {
            self.server.log(Level::Error, "ready panicked; its exchange may wait for ever");
        }
    }

    pub(super) fn unlisten(&self, listener: ListenerKey) {
        let gone = self.state.with(|s, _| s.listeners.remove(listener));
        drop(gone); // not under the lock
    }
}

impl fmt::Debug for EndpointBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointBuilder").field("path", &self.options.path).finish_non_exhaustive()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("path", &self.0.options.path).finish_non_exhaustive()
    }
}
