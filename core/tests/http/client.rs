//! A client of an endpoint, and the driver between them: no socket, and a clock that the test sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use wellhead::http::{Endpoint, Exchange, Progress, RequestHead, Response};
use wellhead::{Answer, Call, Event, RequestContext, Responder, Server};

pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
pub(crate) const BOTH: &str = "application/json, text/event-stream";

/// An endpoint of a server with something to read, and its time.
pub(crate) struct World {
    pub(crate) endpoint: Endpoint,
    pub(crate) server: Server,
    now: Arc<AtomicU64>,
}

/// A response, as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct Got {
    pub(crate) head: Option<Response>,
    pub(crate) body: String,
    pub(crate) done: bool,
}

/// An exchange, and whether it has asked to be polled.
pub(crate) struct Polled(Exchange, Arc<AtomicBool>);

/// A server with a fixed text, and a resource whose reads the application holds.
pub(crate) fn server() -> Server {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.text("test://text", "found").unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    server
}

/// A read in a session that the application holds.
pub(crate) fn hold(
    world: &World,
    session: &str,
    id: u32,
    held: &mut Vec<Responder<Answer>>,
) -> (Polled, Got) {
    let keep = |call: Call| held.push(call.into_responder());
    let (exchange, got) = world.hold(session, id, r#""uri":"test://later""#, keep);
    assert!(got.head.is_none());
    (exchange, got)
}

impl Got {
    pub(crate) fn status(&self) -> u16 {
        self.head.as_ref().expect("there is a head").status
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let headers = &self.head.as_ref().expect("there is a head").headers;
        headers.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {:?}", self.body))
    }

    /// The events of a stream: id and data.
    pub(crate) fn events(&self) -> Vec<(String, String)> {
        assert!(self.body.is_empty() || self.body.ends_with("\n\n"), "half an event: {:?}", self.body);
        let field = |event: &str, name: &str| {
            let line = event.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim_start().to_owned()).unwrap_or_default()
        };
        let events = self.body.split("\n\n").filter(|event| !event.is_empty() && *event != ":");
        events.map(|event| (field(event, "id:"), field(event, "data:"))).collect()
    }
}

impl Polled {
    pub(crate) fn body(&mut self, bytes: &[u8]) {
        self.0.body(bytes);
    }

    pub(crate) fn end(&mut self, now: u64) {
        self.0.end(now);
    }

    pub(crate) fn end_stream(&mut self) {
        self.0.end_stream();
    }

    /// One step of its driver, which so far has sent what `out` held.
    pub(crate) fn poll(&mut self, now: u64, out: &mut Vec<u8>) -> Progress {
        self.0.poll(now, out)
    }

    /// Returns whether it has asked to be polled since.
    pub(crate) fn is_ready(&mut self) -> bool {
        self.1.swap(false, Ordering::SeqCst)
    }
}

impl World {
    pub(crate) fn new(server: &Server) -> World {
        World::on(server, server.endpoint().build(|| {}).unwrap())
    }

    pub(crate) fn on(server: &Server, endpoint: Endpoint) -> World {
        World { endpoint, server: server.clone(), now: Arc::default() }
    }

    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// A read in a session, which the application keeps.
    pub(crate) fn hold(
        &self,
        session: &str,
        id: u32,
        params: &str,
        mut keep: impl FnMut(Call),
    ) -> (Polled, Got) {
        let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", session)];
        let mut exchange = self.begin("POST", "/mcp", &headers);
        exchange.body(request(id, "resources/read", params).as_bytes());
        exchange.end(self.now());
        let mut got = Got::default();
        self.proceed(&mut exchange, &mut got, |event| {
            let Event::Read(call) = event else { panic!("not a read") };
            keep(call);
        });
        (exchange, got)
    }

    /// Sets the clock forward, and tells the endpoint.
    pub(crate) fn advance_clock(&self, ms: u64) {
        self.now.fetch_add(ms, Ordering::Relaxed);
        self.endpoint.tick(self.now());
    }

    pub(crate) fn begin(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Polled {
        self.begin_with(method, target, headers, None)
    }

    /// Makes an exchange with a request context.
    pub(crate) fn begin_with(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        context: Option<RequestContext>,
    ) -> Polled {
        self.begin_as(b"", method, target, headers, context)
    }

    /// Makes an exchange of a peer; empty: the driver does not know it.
    pub(crate) fn begin_as(
        &self,
        peer: &[u8],
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        context: Option<RequestContext>,
    ) -> Polled {
        let mut fields: Vec<(&str, &[u8])> = headers.iter().map(|(n, v)| (*n, v.as_bytes())).collect();
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            fields.push(("host", b"localhost"));
        }
        let ready = Arc::new(AtomicBool::new(false));
        let head = RequestHead { method, target, headers: &fields, peer };
        let rings = ready.clone();
        let ring = move || rings.store(true, Ordering::SeqCst);
        let exchange = match context {
            Some(context) => self.endpoint.begin_with_context(&head, self.now(), context, ring),
            None => self.endpoint.begin(&head, self.now(), ring),
        };
        Polled(exchange, ready)
    }

    /// Sends a request with a body and takes its response, running events here, until it is complete or has to wait.
    pub(crate) fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> (Polled, Got) {
        self.go_through(self.begin(method, "/mcp", headers), body)
    }

    fn go_through(&self, mut exchange: Polled, body: &str) -> (Polled, Got) {
        for piece in body.as_bytes().chunks(50) {
            exchange.body(piece);
        }
        exchange.end(self.now());
        let mut got = Got::default();
        self.proceed(&mut exchange, &mut got, Event::run);
        (exchange, got)
    }

    /// Takes what an exchange has to say by now.
    pub(crate) fn proceed(
        &self,
        Polled(exchange, ready): &mut Polled,
        got: &mut Got,
        mut run: impl FnMut(Event),
    ) {
        loop {
            let mut out = Vec::new();
            match exchange.poll(self.now(), &mut out) {
                Progress::Respond(response) => {
                    assert!(got.head.replace(response).is_none(), "a second head");
                }
                Progress::Data => {}
                Progress::Event(event) => run(event),
                Progress::Done => {
                    got.done = true;
                    return;
                }
                Progress::Body(_) => return,
                _ => {
                    // Whatever the application is asked meanwhile may be what this waits for.
                    match self.endpoint.poll_event() {
                        Some(event) => run(event),
                        None if ready.swap(false, Ordering::SeqCst) => {}
                        None => return,
                    }
                }
            }
            got.body.push_str(std::str::from_utf8(&out).expect("text"));
        }
    }

    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> Got {
        let mut all = vec![("Content-Type", "application/json")];
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept")) {
            all.push(("Accept", BOTH));
        }
        all.extend_from_slice(headers);
        self.send("POST", &all, body).1
    }

    /// A request of the stateless era, with the fields that it has to have.
    pub(crate) fn send_request(&self, method: &str, members: &str, more: &[(&str, &str)]) -> (Polled, Got) {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", BOTH),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        headers.extend_from_slice(more);
        self.send("POST", &headers, &request(1, method, &format!("{members}{META}")))
    }

    /// Opens a listen stream of a peer.
    pub(crate) fn listen_from(&self, peer: &[u8]) -> (Polled, Got) {
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", BOTH),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "subscriptions/listen"),
        ];
        let exchange = self.begin_as(peer, "POST", "/mcp", &headers, None);
        let members = format!(r#""notifications":{{}},{META}"#);
        self.go_through(exchange, &request(1, "subscriptions/listen", &members))
    }

    /// Makes a handshake; returns the session's id.
    pub(crate) fn session(&self, revision: &str) -> String {
        let got = self.post(&[], &initialize(revision));
        assert_eq!(got.status(), 200, "{got:?}");
        let id = got.header("mcp-session-id").expect("a session").to_owned();
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(self.post(&[("Mcp-Session-Id", &id)], initialized).status(), 202);
        id
    }

    /// Opens a session whose client has the capability `roots`.
    pub(crate) fn session_with_roots(&self) -> String {
        let client =
            initialize("2025-06-18").replace(r#""capabilities":{}"#, r#""capabilities":{"roots":{}}"#);
        self.post(&[], &client).header("mcp-session-id").expect("a session").to_owned()
    }

    /// Makes a POST in a session, without polling it.
    pub(crate) fn begin_within(&self, session: &str, body: &str) -> Polled {
        let headers = [("Content-Type", "application/json"), ("Accept", BOTH), ("Mcp-Session-Id", session)];
        let mut exchange = self.begin("POST", "/mcp", &headers);
        exchange.body(body.as_bytes());
        exchange.end(self.now());
        exchange
    }

    /// A request in a session.
    pub(crate) fn within(&self, session: &str, id: u32, method: &str, params: &str) -> (Polled, Got) {
        let headers = [("Content-Type", "application/json"), ("Accept", BOTH), ("Mcp-Session-Id", session)];
        self.send("POST", &headers, &request(id, method, params))
    }

    pub(crate) fn get(&self, session: &str, more: &[(&str, &str)]) -> (Polled, Got) {
        let mut headers = vec![("Accept", "text/event-stream"), ("mcp-session-id", session)];
        headers.extend_from_slice(more);
        self.send("GET", &headers, "")
    }
}

pub(crate) fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#)
}

pub(crate) fn initialize(revision: &str) -> String {
    request(
        0,
        "initialize",
        &format!(
            r#""protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}"#
        ),
    )
}
