//! Exchanges of an endpoint, with a driver that polls each only when it was rung for or its time has come.
//!
//! - Every exchange gets all its messages, and none after its answer.
//! - No question outlives its deadline or is given up before it, even if its client has gone or reads nothing.
//! - A session that has ended leaves nothing behind.

use crate::bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::http::{Endpoint, Exchange, Progress, RequestHead};
use wellhead::{Answer, Event, Json, Limits, MethodAnswer, Page, Responder, Server, Verdict};

const CALL_MS: u64 = 60_000;
const SESSION_MS: u64 = 3_600_000;
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const BOTH: &str = "application/json, text/event-stream";
const LARGE: usize = 100_000;

#[allow(clippy::struct_excessive_bools, reason = "facts of their own, not the states of one thing")]
struct Client {
    exchange: Exchange,
    rung: Arc<AtomicBool>,
    /// The bytes that it was sent.
    body: Vec<u8>,
    /// The request that it made, and when. Its first question counts from then, no matter when a driver takes it.
    id: Option<u32>,
    began: u64,
    waits: bool,
    until: Option<u64>,
    /// It takes nothing, so its driver does not poll.
    stuck: bool,
    /// Its request stands for itself.
    alone: bool,
    done: bool,
}

/// A question that the application has not answered.
struct Held {
    question: Question,
    since: u64,
    /// The request that it sent its client: no deadline runs meanwhile.
    asked: Vec<u64>,
}

enum Question {
    Read(Responder<Answer>),
    Method(Responder<MethodAnswer>),
    List(Responder<Page>),
    Verdicts(Responder<Vec<Verdict>>, usize),
    Other(Event),
}

impl Question {
    fn answer(self, text: String, allowed: bool) {
        match self {
            Question::Read(responder) => drop(responder.finish(text)),
            Question::Method(responder) => drop(responder.finish(Json::parse("{}").expect("an object"))),
            Question::List(responder) => drop(responder.finish(Page::default())),
            Question::Verdicts(responder, uris) => {
                let verdict = if allowed { Verdict::Allow } else { Verdict::Deny };
                responder.finish(vec![verdict; uris]);
            }
            Question::Other(event) => event.run(),
        }
    }
}

struct World {
    server: Server,
    endpoint: Endpoint,
    session: String,
    clients: Vec<Client>,
    held: Vec<Held>,
    /// No client goes, or cancels anything.
    patient: bool,
    /// The driver tells the time before it polls for events; otherwise only when it is asked to.
    punctual: bool,
    now: u64,
    ids: u32,
}

pub(crate) fn run(choices: &mut Bytes<'_>) {
    let mut world = World::new(choices);
    while !choices.is_empty() {
        world.step(choices);
        if !choices.flag() {
            world.settle();
        }
    }
    world.end(choices);
}

fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#)
}

impl World {
    fn new(choices: &mut Bytes<'_>) -> World {
        let mut limits = Limits::default();
        limits.call_ms = CALL_MS;
        limits.output_bytes = [1_000, 200_000, 16 << 20][choices.below(3)];
        let server =
            Server::builder("fuzz", "1").limits(limits).on_log(|_, _| {}).build().expect("it has limits");
        server.text("f://text", "found").expect("a new URI");
        server.resource("f://later", |call| call.defer().0).expect("a new URI");
        server.list("later", |call| call.defer().0).expect("a new name");
        server.method("x/ask", |_| Json::parse("{}")).expect("a new method");
        if choices.flag() {
            server.authorize(|_| Vec::new()).expect("the first");
        }
        if choices.flag() {
            server.on_interest(|_| Ok::<_, wellhead::Error>(())).expect("the first");
        }
        let endpoint = server
            .endpoint()
            .replay_bytes([0, 100, 1 << 20][choices.below(3)])
            .keep_alive_ms([15_000, 600_000][choices.below(2)])
            .session_ms(SESSION_MS)
            .build(|| {})
            .unwrap();
        let revision = ["2025-03-26", "2025-06-18", "2025-11-25"][choices.below(3)];
        let mut world = World {
            server,
            endpoint,
            session: String::new(),
            clients: Vec::new(),
            held: Vec::new(),
            patient: choices.flag(),
            punctual: choices.flag(),
            now: 0,
            ids: 0,
        };
        world.begin_session(revision);
        world
    }

    fn begin_session(&mut self, revision: &str) {
        let client = r#""capabilities":{"roots":{}},"clientInfo":{"name":"fuzz","version":"1"}"#;
        let params = format!(r#""protocolVersion":"{revision}",{client}"#);
        let handshake = request(0, "initialize", &params);
        let mut first = self.begin("POST", &[("accept", BOTH)], &handshake);
        let Progress::Respond(response) = first.exchange.poll(0, &mut Vec::new()) else {
            panic!("a handshake is answered at once")
        };
        let (_, id) =
            response.headers.into_iter().find(|(name, _)| *name == "mcp-session-id").expect("a session");
        self.session = id;
        self.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, true);
        self.settle();
    }

    fn begin(&self, method: &str, more: &[(&str, &str)], body: &str) -> Client {
        let mut fields = vec![("host", "localhost"), ("content-type", "application/json")];
        fields.extend_from_slice(more);
        let headers: Vec<(&str, &[u8])> =
            fields.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        let rung = Arc::new(AtomicBool::new(false));
        let rings = rung.clone();
        let head = RequestHead { method, target: "/mcp", headers: &headers, peer: &[] };
        let mut exchange = self.endpoint.begin(&head, self.now, move || rings.store(true, Ordering::Relaxed));
        exchange.body(body.as_bytes());
        exchange.end(self.now);
        Client {
            exchange,
            rung,
            body: Vec::new(),
            id: None,
            began: self.now,
            waits: false,
            until: None,
            stuck: false,
            alone: false,
            done: false,
        }
    }

    fn send_request(&mut self, method: &str, params: &str, takes_streams: bool) {
        let id = self.ids;
        self.post(&request(id, method, params), takes_streams);
        if let Some(client) = self.clients.last_mut() {
            client.id = Some(id);
        }
    }

    fn post(&mut self, body: &str, takes_streams: bool) {
        let accept = if takes_streams { BOTH } else { "application/json" };
        let client = self.begin("POST", &[("accept", accept), ("mcp-session-id", &self.session)], body);
        self.clients.push(client);
    }

    fn stateless(&mut self, method: &str, name: Option<&str>, members: &str) {
        self.ids += 1;
        let body = request(self.ids, method, &format!("{members}{META}"));
        let mut fields =
            vec![("accept", BOTH), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        fields.extend(name.map(|name| ("mcp-name", name)));
        let client = self.begin("POST", &fields, &body);
        self.clients.push(Client { alone: true, id: Some(self.ids), ..client });
    }

    // ---- what happens

    fn step(&mut self, choices: &mut Bytes<'_>) {
        self.ids += 1;
        let (id, streams) = (self.ids, choices.below(4) > 0);
        let progress = format!(r#""_meta":{{"progressToken":{id}}}"#);
        let later = format!(r#""uri":"f://later",{progress}"#);
        match choices.below(24) {
            0 | 1 => self.send_request("resources/read", &later, streams),
            2 => self.send_request("x/ask", &progress, streams),
            3 => self.send_request("resources/subscribe", r#""uri":"f://text""#, streams),
            4 => self.send_request("resources/unsubscribe", r#""uri":"f://text""#, streams),
            5 => self.send_request("resources/list", &progress, streams),
            6 => self.batch(choices, streams),
            7 => self.get(choices),
            8 => self.answer_of_client(choices),
            9 if !self.patient => {
                let cancelled = 1 + choices.below(id as usize);
                let params = format!(r#"{{"requestId":{cancelled}}}"#);
                let method = "notifications/cancelled";
                self.post(&format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#), streams);
            }
            10 if !self.patient => drop(self.one(choices).map(|at| self.clients.remove(at))), // it goes
            11 if !self.patient => {
                self.clients.clear();
                self.advance_clock(3 * CALL_MS);
            }
            12 => drop(self.one(choices).map(|at| self.clients[at].stuck ^= true)),
            13 => self.server.notify_updated("f://text").expect("the server is open"),
            14 => self.server.notify_resource_list_changed().expect("the server is open"),
            15 => self.server.access_changed(b"").expect("the server is open"),
            16 => self.advance_clock([1, 100, 20_000, CALL_MS + 1_500][choices.below(4)]),
            17 => self.stateless("resources/read", Some("f://later"), r#""uri":"f://later","#),
            18 => {
                let wanted = r#""notifications":{"resourceSubscriptions":["f://text"]},"#;
                self.stateless("subscriptions/listen", None, wanted);
            }
            _ => self.host(choices),
        }
    }

    fn one(&self, choices: &mut Bytes<'_>) -> Option<usize> {
        (!self.clients.is_empty()).then(|| choices.below(self.clients.len()))
    }

    fn batch(&mut self, choices: &mut Bytes<'_>, streams: bool) {
        let methods = ["resources/read", "ping", "resources/list"];
        let several: Vec<_> = (0..=choices.below(3))
            .map(|n| request(10_000 + self.ids * 10 + n as u32, methods[n], r#""uri":"f://later""#))
            .collect();
        self.post(&format!("[{}]", several.join(",")), streams);
    }

    fn get(&mut self, choices: &mut Bytes<'_>) {
        let place = format!("{}-{}", 1 + choices.below(6), choices.below(4));
        let mut fields = vec![("accept", "text/event-stream"), ("mcp-session-id", &*self.session)];
        if choices.flag() {
            fields.push(("last-event-id", &place));
        }
        let client = self.begin("GET", &fields, "");
        self.clients.push(client);
    }

    fn answer_of_client(&mut self, choices: &mut Bytes<'_>) {
        let number = 1 + choices.below(8) as u64;
        self.post(&format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{{"roots":[]}}}}"#), true);
        for held in &mut self.held {
            if held.asked.contains(&number) {
                held.asked.retain(|asked| *asked != number);
                held.since = self.now;
            }
        }
    }

    /// The application says something about a question, answers it, or lets go of it.
    fn host(&mut self, choices: &mut Bytes<'_>) {
        if self.held.is_empty() {
            return;
        }
        let at = choices.below(self.held.len());
        let text = "x".repeat(if choices.below(3) == 0 { LARGE } else { 1 });
        let (what, far) = (choices.below(8), f64::from(self.ids));
        let held = &mut self.held[at];
        match (&held.question, what) {
            (Question::Read(responder), 0) => drop(responder.progress(far, None, Some(&text))),
            (Question::Method(responder), 0) => drop(responder.progress(far, None, Some(&text))),
            (Question::Read(responder), 1) => drop(responder.close_event_stream(1)),
            (Question::Method(responder), 1) => drop(responder.close_event_stream(1)),
            (Question::Method(responder), 2 | 3) => {
                held.asked.extend(responder.send_request("roots/list", None, |_| {}).ok());
            }
            (_, 4) => drop(self.held.remove(at)),
            _ => self.held.remove(at).question.answer(text, choices.below(4) != 0),
        }
    }

    // ---- the driver

    fn take(&mut self, event: Event, since: u64) {
        let question = match event {
            Event::Read(call) => Question::Read(call.into_responder()),
            Event::Method(call) => Question::Method(call.into_responder()),
            Event::List(call) => Question::List(call.into_responder()),
            Event::Authorize(call) => {
                let uris = call.targets().count();
                Question::Verdicts(call.into_responder(), uris)
            }
            Event::Cancel(_) => return,
            other => Question::Other(other),
        };
        self.held.push(Held { question, since, asked: Vec::new() });
    }

    /// Polls an exchange until it waits.
    fn poll(&mut self, at: usize) {
        loop {
            let client = &mut self.clients[at];
            match client.exchange.poll(self.now, &mut client.body) {
                Progress::Wait(until) => {
                    (client.waits, client.until) = (true, until);
                    return;
                }
                Progress::Done => {
                    client.done = true;
                    return client.check();
                }
                Progress::Event(event) => {
                    let since = client.began;
                    self.take(event, since);
                }
                _ => {}
            }
        }
    }

    /// Does exactly what a driver is told to do by now. After that, no work is left.
    fn settle(&mut self) {
        if self.punctual {
            self.endpoint.tick(self.now);
        }
        let (mut busy, mut turns) = (true, 0);
        while busy {
            busy = false;
            turns += 1;
            assert!(turns < 1_000, "there is something to do without end at {}", self.now);
            while let Some(event) = self.endpoint.poll_event() {
                busy = true;
                self.take(event, self.now);
            }
            for at in 0..self.clients.len() {
                let client = &self.clients[at];
                if client.done || client.stuck {
                    continue;
                }
                let due = client.until.is_some_and(|until| until <= self.now);
                if client.rung.swap(false, Ordering::Relaxed) || due || !client.waits {
                    busy = true;
                    self.poll(at);
                }
            }
            if self.endpoint.poll_timeout().is_some_and(|at| at <= self.now) {
                busy = true;
                self.endpoint.tick(self.now);
            }
        }
        for client in self.clients.iter_mut().filter(|client| !client.done && !client.stuck) {
            let left = client.exchange.poll(self.now, &mut Vec::new());
            assert!(matches!(left, Progress::Wait(_)), "an exchange that waited was not told: {left:?}");
        }
        assert!(self.endpoint.poll_event().is_none(), "there was something to poll for all the same");
    }

    /// Sets the clock forward, from one deadline to the next.
    fn advance_clock(&mut self, ms: u64) {
        let end = self.now + ms;
        self.settle();
        while self.now < end {
            let waiting = self.clients.iter().filter(|client| !client.done && !client.stuck);
            let next = waiting.filter_map(|client| client.until).chain(self.endpoint.poll_timeout()).min();
            self.now = next.unwrap_or(end).clamp(self.now + 1, end);
            self.settle();
        }
        if self.clients.iter().any(|client| client.stuck && client.alone && !client.done) {
            return; // only that client's driver could advance its request's clock, and no client waits for that
        }
        for held in self.held.iter().filter(|held| held.asked.is_empty()) {
            let (what, cancelled) = match &held.question {
                Question::Read(responder) => ("read", responder.is_cancelled()),
                Question::Method(responder) => ("method", responder.is_cancelled()),
                Question::List(responder) => ("list", responder.is_cancelled()),
                Question::Verdicts(responder, _) => ("verdict", responder.is_cancelled()),
                Question::Other(_) => continue,
            };
            let (since, now) = (held.since, self.now);
            assert!(cancelled || since + CALL_MS >= now, "a {what} of {since} is overdue at {now}");
            let may_be_early = !self.patient || !self.punctual || what == "verdict"; // an unsubscribe overtakes one
            let early = !may_be_early && cancelled && now < since + CALL_MS;
            assert!(!early, "a {what} of {since} is given up at {now}");
        }
    }

    fn end(mut self, choices: &mut Bytes<'_>) {
        self.advance_clock(2 * CALL_MS);
        self.clients.retain(|client| !client.stuck);
        if choices.flag() {
            let session = self.session.clone();
            let ended = self.begin("DELETE", &[("mcp-session-id", &session)], "");
            self.clients.push(ended);
        }
        self.server.close();
        self.settle();
        while let Some(held) = self.held.pop() {
            if choices.flag() {
                held.question.answer("found".to_owned(), true);
            }
        }
        self.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, true);
        self.settle();
        assert!(self.clients.iter().all(|client| client.done), "a response goes on when all is over");
        self.clients.clear();
        self.advance_clock(SESSION_MS + 2 * CALL_MS);
        assert_eq!((self.endpoint.sessions(), self.endpoint.poll_timeout()), (0, None), "a session is left");
    }
}

impl Client {
    /// Its request has one answer at most, and nothing comes behind it.
    fn check(&self) {
        let Some(id) = self.id else { return };
        let body = String::from_utf8_lossy(&self.body);
        let answers = [format!(r#""id":{id},"result""#), format!(r#""id":{id},"error""#)];
        let Some(at) = answers.iter().find_map(|answer| body.find(answer)) else { return };
        let behind = body[at..].split_once("\n\n").map_or("", |(_, behind)| behind);
        assert!(behind.is_empty(), "something follows an answer: {behind}");
    }
}
