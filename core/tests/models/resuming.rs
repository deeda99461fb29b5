//! A client that comes back over HTTP while its call goes on: whichever exchange takes what is said, it is said once.

use crate::models::support::{Bell, INITIALIZE, explore, note, request, server};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::Event;
use wellhead::http::{Endpoint, Exchange, Progress, RequestHead, Response};

/// A client's request, and the bell of the driver that polls it.
pub(crate) struct Polled {
    exchange: Exchange,
    bell: Arc<Bell>,
}

/// The parts of a response that have come by now.
#[derive(Default)]
pub(crate) struct Got {
    response: Option<Response>,
    pub(crate) body: Vec<u8>,
    done: bool,
}

impl Polled {
    pub(crate) fn begin(endpoint: &Endpoint, method: &str, more: &[(&str, &str)], body: &str) -> Polled {
        let both = "application/json, text/event-stream";
        let mut fields = vec![("host", "localhost"), ("content-type", "application/json"), ("accept", both)];
        fields.extend_from_slice(more);
        let headers: Vec<(&str, &[u8])> =
            fields.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        let bell = Arc::new(Bell::default());
        let rings = bell.clone();
        let head = RequestHead { method, target: "/mcp", headers: &headers, peer: &[] };
        let mut exchange = endpoint.begin(&head, 0, move || rings.ring());
        exchange.body(body.as_bytes());
        exchange.end(0);
        Polled { exchange, bell }
    }

    /// Takes what there is by now.
    pub(crate) fn proceed(&mut self, got: &mut Got, mut run: impl FnMut(Event)) {
        loop {
            match self.exchange.poll(0, &mut got.body) {
                Progress::Respond(response) => got.response = Some(response),
                Progress::Event(event) => run(event),
                Progress::Done => {
                    got.done = true;
                    return;
                }
                Progress::Wait(_) | Progress::Body(_) => return,
                _ => {}
            }
        }
    }

    /// Takes everything, and acts only when it is rung for.
    pub(crate) fn finish(mut self, got: &mut Got) {
        loop {
            self.proceed(got, Event::run);
            if got.done {
                return;
            }
            self.bell.wait();
        }
    }
}

/// Polls an endpoint whenever it is woken for, until that is over.
pub(crate) fn drive(endpoint: &Endpoint, wake: &Arc<Bell>, over: &Arc<AtomicBool>) -> thread::JoinHandle<()> {
    let (endpoint, wake, over) = (endpoint.clone(), wake.clone(), over.clone());
    thread::spawn(move || {
        while !over.load(Ordering::SeqCst) {
            while let Some(event) = endpoint.poll_event() {
                event.run();
            }
            wake.wait();
        }
        wake.ring(); // another that does the same
    })
}

/// Makes a handshake; returns the session's id.
pub(crate) fn begin_session(endpoint: &Endpoint) -> String {
    begin_session_of(endpoint, "2025-11-25")
}

/// [`begin_session`] of another revision.
pub(crate) fn begin_session_of(endpoint: &Endpoint, revision: &str) -> String {
    let mut got = Got::default();
    let initialize = INITIALIZE.replace("2025-11-25", revision);
    Polled::begin(endpoint, "POST", &[], &initialize).proceed(&mut got, Event::run);
    let headers = got.response.expect("it is answered at once").headers;
    let (_, session) = headers.into_iter().find(|(name, _)| *name == "mcp-session-id").expect("a session");
    let within = [("mcp-session-id", session.as_str())];
    let initialized = note("initialized", "{}");
    Polled::begin(endpoint, "POST", &within, &initialized).proceed(&mut Got::default(), Event::run);
    session
}

/// The ids of a stream's events.
fn ids(body: &[u8]) -> Vec<String> {
    let body = std::str::from_utf8(body).expect("text");
    body.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect()
}

pub(crate) fn a_client_comes_back_during_its_call() {
    let server = server();
    server.resource("a://later", |call| call.defer().0).expect("a new URI");
    let wake = Arc::new(Bell::default());
    let rings = wake.clone();
    let endpoint = server.endpoint().replay_bytes(1 << 20).build(move || rings.ring()).unwrap();

    let session = begin_session(&endpoint);
    let within = [("mcp-session-id", session.as_str())];
    let read = request(1, "resources/read", r#"{"uri":"a://later","_meta":{"progressToken":1}}"#);
    let mut first = Polled::begin(&endpoint, "POST", &within, &read);
    let (mut got, mut held) = (Got::default(), None);
    first.proceed(&mut got, |event| match event {
        Event::Read(call) => held = Some(call.into_responder()),
        event => event.run(),
    });
    let held = held.expect("the application was asked");
    assert!(held.progress(1.0, None, None));
    first.proceed(&mut got, Event::run);
    assert_eq!(ids(&got.body), ["1-0", "1-1"]);

    let over = Arc::new(AtomicBool::new(false));
    let driver = drive(&endpoint, &wake, &over);
    let host = thread::spawn(move || {
        held.progress(2.0, None, None);
        held.finish("found");
    });
    let client = thread::spawn(move || first.finish(&mut got));
    let mut again = Got::default();
    Polled::begin(&endpoint, "GET", &[within[0], ("last-event-id", "1-1")], "").finish(&mut again);
    assert_eq!(ids(&again.body), ["1-2", "1-3"], "each event, once");
    assert!(String::from_utf8_lossy(&again.body).contains("found"));
    client.join().expect("it ends");
    host.join().expect("it ends");
    over.store(true, Ordering::SeqCst);
    wake.ring();
    driver.join().expect("it ends");
}

/// A message that belongs to no request goes to one of the two streams, even if the first loses its place meanwhile.
pub(crate) fn a_stream_takes_over_while_something_changes() {
    let server = server();
    let wake = Arc::new(Bell::default());
    let rings = wake.clone();
    let endpoint = server.endpoint().build(move || rings.ring()).unwrap();

    let session = begin_session(&endpoint);
    let within = [("mcp-session-id", session.as_str())];
    let first = Polled::begin(&endpoint, "GET", &within, "");
    let over = Arc::new(AtomicBool::new(false));
    let driver = drive(&endpoint, &wake, &over);
    let host = thread::spawn(move || server.notify_resource_list_changed().expect("it is open"));
    let client = thread::spawn(move || {
        let mut got = Got::default();
        first.finish(&mut got);
        got
    });
    let (mut second, mut got) = (Polled::begin(&endpoint, "GET", &within, ""), Got::default());
    host.join().expect("it ends");
    let former = client.join().expect("another stream took over");
    let told = |got: &Got| String::from_utf8_lossy(&got.body).matches("list_changed").count();
    loop {
        second.proceed(&mut got, Event::run);
        if told(&former) + told(&got) > 0 {
            break;
        }
        second.bell.wait();
    }
    assert_eq!(told(&former) + told(&got), 1, "on one stream, once");
    over.store(true, Ordering::SeqCst);
    wake.ring();
    driver.join().expect("it ends");
}

#[test]
fn a_change_is_announced_once_while_one_stream_takes_over_from_another() {
    explore(3_000, a_stream_takes_over_while_something_changes);
}

#[test]
fn a_client_that_comes_back_during_its_call_gets_every_event_once() {
    explore(3_000, a_client_comes_back_during_its_call);
}
