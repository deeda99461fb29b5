//! One server, its clients, and the answers that its application still holds.

use crate::bytes::Bytes;
use crate::client::{Client, FIXED};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{
    Answer, Body, Caller, Contents, Event, Group, Handled, Limits, Page, Resource, Route, Server, Template,
    Verdict,
};

pub(crate) struct Outcome {
    /// The bytes that each connection was sent.
    pub(crate) output: Vec<Vec<u8>>,
    /// Input had to wait for room.
    pub(crate) refused: bool,
}

pub(crate) struct World {
    server: Server,
    group: Group,
    rung: Arc<AtomicBool>,
    limits: Limits,
    clients: Vec<Client>,
    /// Questions that the application has not answered, with the client whose connection they came from.
    held: Vec<(usize, Event)>,
    /// Messages in hand that are to be answered later.
    later: Vec<(usize, Route)>,
    /// The last interest that the application was told of each URI.
    watched: BTreeMap<String, bool>,
    /// The application acts on wakes only, and takes all output at once.
    woken: bool,
    piece: usize,
    now: u64,
    rows: usize,
    /// More was sent at once than may be answered at once.
    flooded: bool,
}

/// Bytes of output beyond `output_bytes` that a connection may have: the answers to the input that it still admits.
const INPUT: usize = 64 << 10;
const LARGE: usize = 70_000;

impl World {
    pub(crate) fn run(input: &[u8], piece: usize) -> Outcome {
        let mut choices = Bytes(input);
        let mut world = World::new(&mut choices, piece);
        while !choices.is_empty() {
            world.step(&mut choices);
            world.check_wakes();
        }
        world.end()
    }

    fn new(choices: &mut Bytes<'_>, piece: usize) -> World {
        let mut limits = Limits::default();
        limits.message_bytes = 4_000;
        limits.page_items = 1 + choices.below(3);
        if choices.flag() {
            limits.calls_in_flight = 1 + choices.below(3);
            limits.output_bytes = 300;
            limits.subscriptions = 3;
            limits.subscriptions_total = 4;
            limits.listen_streams = 2;
        }
        let server = Server::builder("fuzz", "1")
            .cursor_key([7; 32])
            .instance_name("fuzz") // it goes into cursors, too
            .limits(limits.clone())
            .on_log(|_, _| {})
            .build()
            .expect("the key is given");
        for uri in FIXED {
            let size = if uri == "f://large" { LARGE } else { 10 };
            server.text(uri, "x\n".repeat(size / 2)).expect("a new URI");
        }
        server.add_template(Template::new("t://{id}"), None, false).expect("a template");
        server.add_list(Some("rows".into()), None).expect("a new name");
        let flags = choices.byte();
        if flags & 1 == 1 {
            server.authorize(|_| Vec::<Verdict>::new()).expect("the server is open");
        }
        if flags & 2 == 2 {
            server.on_interest(|_| ()).expect("the server is open");
        }
        let rung = Arc::new(AtomicBool::new(false));
        let rings = rung.clone();
        let group = server.group(move || rings.store(true, Ordering::SeqCst));
        World {
            server,
            group,
            rung,
            limits,
            clients: Vec::new(),
            held: Vec::new(),
            later: Vec::new(),
            watched: BTreeMap::new(),
            woken: flags & 4 == 4,
            piece,
            now: 0,
            rows: 0,
            flooded: false,
        }
    }

    fn step(&mut self, choices: &mut Bytes<'_>) {
        let step = choices.below(16);
        if self.clients.is_empty() || step == 15 && self.clients.len() < 4 {
            let connection = self.group.connect(Caller::default());
            self.clients.push(Client::new(self.clients.len(), connection));
            return;
        }
        let at = choices.below(self.clients.len());
        match step {
            0..=4 if !self.clients[at].ended => {
                let message = self.clients[at].message(choices);
                self.clients[at].send(message.as_bytes());
                self.feed(at);
            }
            5 if !self.clients[at].ended => {
                let length = choices.below(60);
                // Without quotes, so that no client's id is made up.
                let garbage: Vec<_> =
                    choices.take(length).iter().map(|b| if *b == b'"' { b'\'' } else { *b }).collect();
                let times = [1, 1, 1, 2_000][choices.below(4)];
                self.flooded |= times > 1;
                for _ in 0..times {
                    self.clients[at].send(&garbage);
                }
                self.feed(at);
            }
            6 | 7 if !self.held.is_empty() => {
                let (client, event) = self.held.swap_remove(choices.below(self.held.len()));
                let quiet = choices.flag();
                let connection = self.clients[client].connection.clone();
                if quiet {
                    connection.run(|| self.answer(client, event, choices));
                    self.feed(client); // which polls and, if need be, drains
                } else {
                    self.answer(client, event, choices);
                }
            }
            8 if !self.held.is_empty() => {
                let (_, event) = self.held.swap_remove(choices.below(self.held.len()));
                if let Event::Interest(call) = &event
                    && !call.wanted()
                {
                    self.watched.insert(call.uri().to_owned(), false);
                }
                drop(event);
            }
            9 if self.woken => self.serve(),
            9 => self.clients[at].take(choices),
            10 => {
                let uri = FIXED[choices.below(FIXED.len())];
                match choices.below(4) {
                    0 => self.server.set(uri, "y").expect("it is registered"),
                    1 => self.server.notify_resource_list_changed().expect("the server is open"),
                    _ => self.server.notify_updated(uri).expect("the server is open"),
                }
            }
            11 => {
                self.rows = choices.below(8);
                let uri = format!("e://{}", choices.below(3));
                if self.server.text(uri.as_str(), "extra").is_err() {
                    self.server.remove_resource(&uri).expect("it is registered");
                }
            }
            12 => {
                self.now += [1, 1_000, 70_000][choices.below(3)];
                for client in &mut self.clients {
                    client.connection.tick(self.now);
                }
            }
            13 => self.hand(at, choices),
            14 => self.disconnect(at, choices),
            _ => self.serve(),
        }
    }

    /// Offers what the client has to say, and polls.
    fn feed(&mut self, at: usize) {
        let mut stuck = false;
        loop {
            let offered = self.clients[at].offer(self.piece);
            // Polling amid a line would hand out what the server asks before what that line asks.
            if offered && !self.clients[at].ended_a_line {
                continue;
            }
            self.poll(at);
            if self.woken {
                self.take_all(at);
            }
            if !offered && std::mem::replace(&mut stuck, true) {
                return;
            }
        }
    }

    fn poll(&mut self, at: usize) {
        while let Some(event) = self.clients[at].connection.poll_event() {
            self.hold(at, event);
        }
    }

    fn hold(&mut self, at: usize, event: Event) {
        match event {
            Event::Cancel(call) => {
                let cancelled = self.held.iter().find_map(|(client, event)| match event {
                    Event::Read(read) if (*client, read.call()) == (at, Some(call)) => Some(read),
                    _ => None,
                });
                if let Some(read) = cancelled {
                    assert!(read.is_cancelled());
                    let id = read.uri().trim_start_matches("t://").to_owned();
                    self.unwanted(at, &id);
                }
            }
            event => self.held.push((at, event)),
        }
    }

    /// The application heard that an answer is no longer wanted: the request was cancelled or has timed out.
    fn unwanted(&mut self, at: usize, id: &str) {
        if self.now == 0 {
            self.clients[at].never(id);
        }
    }

    fn answer(&mut self, client: usize, event: Event, choices: &mut Bytes<'_>) {
        let kind = choices.below(8);
        match event {
            Event::Read(call) => {
                let (id, was_cancelled) =
                    (call.uri().trim_start_matches("t://").to_owned(), call.is_cancelled());
                let answer = match kind {
                    0 => Answer::NotFound,
                    1 => Answer::Denied,
                    2 => Answer::Failed("why".into()),
                    3 => {
                        Answer::Found(vec![Contents::new("a"), Contents::new(Body::from(vec![1_u8; LARGE]))])
                    }
                    4 => Contents::new("x").uri("not a uri").into(),
                    _ => "text".into(),
                };
                let wanted = call.into_responder().finish(answer);
                assert!(!(wanted && was_cancelled), "the client does not wait for what was cancelled");
                if !wanted {
                    self.unwanted(client, &id);
                }
            }
            Event::List(call) => {
                let from = call.after().and_then(|key| key.parse().ok()).map_or(0, |key: usize| key + 1);
                let to = (from + call.limit() + kind / 7).min(self.rows);
                let items = (from..to).map(|n| Resource::new(format!("r://{n}")).key(n.to_string()));
                let page = Page::new(items).more(to < self.rows || kind == 6);
                call.into_responder().finish(if kind == 5 { Page::failed("why") } else { page });
            }
            Event::Authorize(call) => {
                let count = call.targets().len() + usize::from(kind == 7);
                let verdict =
                    |n| [Verdict::Allow, Verdict::Allow, Verdict::Deny, Verdict::Hide][(n + kind) % 4];
                let verdicts: Vec<_> = (0..count).map(verdict).collect();
                call.into_responder().finish(verdicts);
            }
            Event::Interest(call) => {
                let ok = kind > 1;
                let told = self.watched.entry(call.uri().to_owned()).or_default();
                assert_ne!(*told, call.wanted(), "the application knows that of {}", call.uri());
                if ok || !call.wanted() {
                    *told = call.wanted();
                }
                call.into_responder().finish(wellhead::InterestAnswer::from(if ok {
                    Ok(())
                } else {
                    Err("why")
                }));
            }
            _ => {}
        }
    }

    /// A message in hand.
    fn hand(&mut self, at: usize, choices: &mut Bytes<'_>) {
        if let Some(which) = self.later.iter().position(|(client, _)| *client == at)
            && choices.flag()
        {
            let (_, route) = self.later.swap_remove(which);
            let connection = &self.clients[at].connection;
            match choices.below(3) {
                0 => connection.forget(route),
                1 => {
                    connection.expire(route);
                    // A subscription waits for no callback of its own and may still do so.
                    let answer = connection.take(route);
                    assert!(!matches!(answer, Some(Handled::Later(_))));
                    connection.forget(route);
                }
                _ if connection.take(route).is_none() => self.later.push((at, route)),
                _ => {}
            }
            return;
        }
        let mut other = Client::new(usize::MAX, self.clients[at].connection.clone());
        let message = other.message(choices);
        let connection = self.clients[at].connection.clone();
        let mut events = Vec::new();
        match connection.handle_with(message.as_bytes(), |event| events.push(event)) {
            Ok(Handled::Later(route)) => self.later.push((at, route)),
            Ok(Handled::Answer(answer)) => {
                serde_json::from_slice::<serde_json::Value>(&answer).expect("an answer is JSON");
            }
            Ok(Handled::Nothing) => {}
            Err(_) => assert!(connection.is_closed()),
        }
        for event in events {
            self.hold(at, event);
        }
    }

    fn disconnect(&mut self, at: usize, choices: &mut Bytes<'_>) {
        let client = &mut self.clients[at];
        match choices.below(8) {
            0 => {
                client.connection.close();
                (client.closed, client.ended) = (true, true);
            }
            1 => {
                client.connection.shut_down();
                (client.closed, client.ended) = (true, true);
            }
            2 if client.has_sent_all() => {
                client.ended = true;
                client.connection.end();
                self.feed(at);
            }
            _ => {}
        }
    }

    /// Does the work of an application that was woken.
    fn serve(&mut self) {
        self.rung.store(false, Ordering::SeqCst);
        loop {
            let mut ready = Vec::new();
            while let Some(connection) = self.group.next() {
                ready.push(connection.id());
            }
            for id in &ready {
                if let Some(at) = self.clients.iter().position(|client| client.connection.id() == *id) {
                    self.feed(at);
                    self.take_all(at);
                }
            }
            let mut asked = false;
            while let Some(event) = self.server.poll_event() {
                self.hold(0, event);
                asked = true;
            }
            if ready.is_empty() && !asked {
                return;
            }
        }
    }

    fn take_all(&mut self, at: usize) {
        let fresh = !self.clients[at].is_draining();
        let taken = self.clients[at].take_all();
        let calls = self.limits.calls_in_flight.min(1_024) + 3;
        let most = self.limits.output_bytes + INPUT + calls * 2 * LARGE + 10_000 * 400;
        assert!(!fresh || taken <= most, "{taken} bytes of output were kept for one client");
    }

    /// Checks that there is no work if no wake came.
    fn check_wakes(&mut self) {
        if !self.woken {
            return;
        }
        if self.rung.load(Ordering::SeqCst) {
            self.serve();
            return;
        }
        for at in 0..self.clients.len() {
            let held = self.held.len();
            self.poll(at);
            assert_eq!(self.held.len(), held, "an event of connection {at} came without a wake");
            assert_eq!(self.clients[at].take_all(), 0, "output of connection {at} came without a wake");
        }
    }

    /// Answers all, takes all, and sees that nothing is left.
    fn end(mut self) -> Outcome {
        for at in 0..self.clients.len() {
            loop {
                for (client, route) in std::mem::take(&mut self.later) {
                    self.clients[client].connection.forget(route); // else what they have to say fills the output
                }
                let before = self.clients[at].output.len();
                self.feed(at); // which may take output by itself
                let dropped = !self.held.is_empty();
                for (client, event) in std::mem::take(&mut self.held) {
                    if let Event::Interest(_) = event {
                        self.answer(client, event, &mut Bytes(&[7]));
                    }
                }
                self.clients[at].take_all();
                if self.clients[at].output.len() == before && !dropped {
                    break;
                }
            }
            if !self.clients[at].ended {
                self.clients[at].connection.end();
                self.poll(at);
                self.clients[at].take_all();
            }
            self.clients[at].check_end();
            assert!(self.clients[at].connection.is_finished(), "connection {at} does not finish");
        }
        let refused = self.flooded || self.clients.iter().any(|client| client.refused);
        let output = std::mem::take(&mut self.clients).into_iter().map(|client| client.output).collect();
        while let Some(event) = self.server.poll_event() {
            self.answer(0, event, &mut Bytes(&[7]));
        }
        assert!(
            self.watched.values().all(|watched| !watched),
            "the application still watches: {:?}",
            self.watched
        );
        Outcome { output, refused }
    }
}
