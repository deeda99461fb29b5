//! Builds an endpoint from its settings.

use super::endpoint::Endpoint;
use super::origin::OriginGate;
use super::protection::Protection;
use crate::error::{Error, ErrorKind, Result};
use crate::event::{Verification, Verifier, VerifyCall};
use crate::options::{EndpointOptions, OptionEntry, OptionValue, SetOption};
use crate::provider::{IntoReply, verifier};
use crate::revision::Era;
use crate::server::Server;
use std::fmt;
#[cfg(feature = "http")]
use std::net::IpAddr;
use std::sync::Arc;

/// Builds an endpoint. Every setting has a default.
#[derive(Clone)]
pub struct EndpointBuilder {
    server: Server,
    options: Options,
    /// The allowed origins. They are parsed when the endpoint is made, which can fail.
    origins: Vec<String>,
    hosts: Vec<String>,
}

impl EndpointBuilder {
    /// Sets the path that clients POST to. It must begin with a slash. Default: `/mcp`.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.options.values.path.set(path);
        self
    }

    /// Sets whether the endpoint refuses requests whose `Host`, or whose `Origin` if there is one, is not a loopback
    /// name such as `localhost`. Default: true, against DNS rebinding. The native listener ignores this setting: it
    /// refuses such requests if it is bound to a loopback address.
    #[must_use]
    pub fn loopback_only(mut self, loopback_only: bool) -> Self {
        self.options.values.loopback_only = loopback_only;
        self
    }

    /// The server that the endpoint will belong to.
    #[cfg(feature = "http")]
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// Fails if [`EndpointBuilder::build`] would fail.
    #[cfg(feature = "http")]
    pub(crate) fn check(&self) -> Result<()> {
        self.options.check()?;
        self.server.check_apps()?;
        self.gate().map(drop)
    }

    /// Allows requests to name the address that the listener is bound to, which is a loopback address but need not be
    /// `127.0.0.1`.
    #[cfg(feature = "http")]
    pub(crate) fn bound(mut self, address: IpAddr) -> Self {
        let plain = address.to_canonical(); // `::ffff:127.0.0.1` is an address of this machine
        self.options.values.loopback_only = plain.is_loopback();
        if let (true, IpAddr::V4(plain)) = (plain.is_loopback(), plain) {
            self.hosts.push(plain.to_string());
        }
        self
    }

    /// Sets the origins whose pages may send requests, each as `scheme://host[:port]`. An endpoint on a loopback address
    /// also allows the origins of this machine. `*` allows any origin, `https://*.example.com` any subdomain.
    #[must_use]
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the hosts that the `Host` of requests may name, with or without a port. `*` allows any host,
    /// `*.example.com` any subdomain. Default: those of this machine, or any after `loopback_only(false)`.
    #[must_use]
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.hosts = hosts.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether pages of the allowed origins may read the responses (CORS, WHATWG Fetch). The endpoint then also
    /// answers `OPTIONS`, and shows pages `Mcp-Session-Id` and `WWW-Authenticate`. Default: false. Then browsers keep
    /// the responses from pages.
    #[must_use]
    pub fn cors(mut self, on: bool) -> Self {
        self.options.values.cors = on;
        self
    }

    /// Sets whether requests are refused whose `Accept` lacks `application/json` or `text/event-stream`. Default:
    /// false.
    #[must_use]
    pub fn strict_accept(mut self, strict: bool) -> Self {
        self.options.values.strict_accept = strict;
        self
    }

    /// Sets whether clients of the handshake era get sessions. Default: true. Without sessions any instance can answer
    /// any request, but these clients cannot subscribe, and get no notifications except those of their own calls.
    #[must_use]
    pub fn sessions(mut self, on: bool) -> Self {
        self.options.values.sessions = on;
        self
    }

    /// Sets how long an unused session is kept, in milliseconds. Default: 3,600,000.
    #[must_use]
    pub fn session_ms(mut self, ms: u64) -> Self {
        self.options.values.session_ms = ms;
        self
    }

    /// Sets the greatest number of open sessions, at least 1. Default: 10,000. A further session replaces one that has
    /// no request in progress. That one's client has sent no request since the handshake and has no GET stream, or did
    /// not use the session for [`EndpointBuilder::idle_ms`]. Sessions with a GET stream go last. If no session can end,
    /// the client gets status 503. A caller with a token also gets it if it has its [`crate::Limits::caller_percent`]
    /// of sessions.
    #[must_use]
    pub fn session_limit(mut self, most: usize) -> Self {
        self.options.values.session_limit = most;
        self
    }

    /// Sets whether clients may end their session with DELETE. Default: true.
    #[must_use]
    pub fn delete(mut self, offered: bool) -> Self {
        self.options.values.delete = offered;
        self
    }

    /// Sets after how many milliseconds without an event an event stream gets a comment, which keeps it open. Default:
    /// 15,000.
    #[must_use]
    pub fn keep_alive_ms(mut self, ms: u64) -> Self {
        self.options.values.keep_alive_ms = ms;
        self
    }

    /// Sets how long the head of a request may take to arrive, in milliseconds. Default: 10,000. The native listener
    /// applies it. The servers of other drivers have settings of their own.
    #[must_use]
    pub fn head_ms(mut self, ms: u64) -> Self {
        self.options.values.head_ms = ms;
        self
    }

    /// Sets how long a TCP connection without a request is kept, and one whose client does not read its response, in
    /// milliseconds. Default: 60,000. The native listener applies it. The tower service applies it to responses.
    #[must_use]
    pub fn idle_ms(mut self, ms: u64) -> Self {
        self.options.values.idle_ms = ms;
        self
    }

    /// Sets how long the body of a request may take to arrive, in milliseconds. Default: 30,000.
    #[must_use]
    pub fn body_ms(mut self, ms: u64) -> Self {
        self.options.values.body_ms = ms;
        self
    }

    /// Sets how many bytes of events a session keeps for a client whose event stream broke and that reconnects.
    /// Default: 1 MiB.
    #[must_use]
    pub fn replay_bytes(mut self, bytes: usize) -> Self {
        self.options.values.replay_bytes = bytes;
        self
    }

    /// Sets whether requests without a bearer token are refused before the callback that judges tokens. Default: true.
    /// If false, the callback judges them too, with an empty token: by other header fields, such as a cookie or an API
    /// key. Its grant then needs no audience.
    #[must_use]
    pub fn token_required(mut self, required: bool) -> Self {
        self.options.values.token_required = required;
        self
    }

    /// Answers only requests with a bearer token that the application accepts. [`crate::Event::Verify`] asks about the
    /// token of each request, also inside a session. `protection` is what clients learn about tokens. The application
    /// judges them by [`EndpointBuilder::verify`], or in an event loop of its own.
    #[must_use]
    pub fn protect(mut self, protection: Protection) -> Self {
        self.options.protection = Some(protection);
        self
    }

    /// Sets the callback that judges bearer tokens, at once or later. Without [`EndpointBuilder::protect`], it also
    /// requires tokens with the default [`Protection`].
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

    /// Makes the endpoint. It calls `wake` when [`Endpoint::poll_event`] may have something to do: on any thread, without
    /// a lock held.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for an allowed origin or host that no request can name, for a
    /// path that does not begin with a slash, and for a time or a `session_limit` of 0. Likewise if a tool opens an app
    /// that is not registered.
    pub fn build(mut self, wake: impl Fn() + Send + Sync + 'static) -> Result<Endpoint> {
        self.options.check()?;
        self.server.check_apps()?;
        self.options.gate = self.gate()?;
        let has_handshake = self.server.revisions().newest(Era::Handshake).is_some();
        self.options.values.sessions &= has_handshake; // the other era has none
        Ok(Endpoint::new(self.server, self.options, wake))
    }

    fn gate(&self) -> Result<OriginGate> {
        let loopback_only = self.options.values.loopback_only;
        let mut gate = OriginGate { loopback_only, ..OriginGate::default() };
        gate.allow(&self.origins, &self.hosts)?;
        Ok(gate)
    }
}

impl SetOption for EndpointBuilder {
    const OPTIONS: &'static [OptionEntry] = EndpointOptions::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        match (name, value) {
            ("allowed_origins", OptionValue::List(origins)) => Ok(self.allowed_origins(origins)),
            ("allowed_hosts", OptionValue::List(hosts)) => Ok(self.allowed_hosts(hosts)),
            (_, value) => self.options.values.put(name, &value).map(|()| self),
        }
    }
}

/// The settings of an endpoint.
#[derive(Clone)]
pub(super) struct Options {
    pub(super) values: EndpointOptions,
    /// The check of `Origin` and `Host`, which `EndpointBuilder::build` makes of the values.
    pub(super) gate: OriginGate,
    pub(super) protection: Option<Protection>,
    pub(super) verifier: Option<Arc<Verifier>>,
}

impl Options {
    fn check(&self) -> Result<()> {
        let path = self.values.path.get();
        if !path.starts_with('/') {
            let message = format!("`path` must begin with `/` (got {path:?})");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        self.values.check_zeros()
    }
}

impl Server {
    /// Returns a builder of an endpoint for Streamable HTTP.
    pub fn endpoint(&self) -> EndpointBuilder {
        EndpointBuilder {
            server: self.clone(),
            origins: Vec::new(),
            hosts: Vec::new(),
            options: Options {
                values: EndpointOptions::DEFAULT,
                gate: OriginGate::default(),
                protection: None,
                verifier: None,
            },
        }
    }
}

impl fmt::Debug for EndpointBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndpointBuilder")
            .field("path", &self.options.values.path.get())
            .finish_non_exhaustive()
    }
}
