//! The observer and the counters.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wellhead::{
    Answer, Call, Caller, Connection, Event, Json, MethodCall, Observed, Server, Template, Verdict,
};

type Seen = Arc<Mutex<Vec<String>>>;

/// Each observation in a line; the clock goes on by a millisecond whenever it is looked at.
fn observed() -> (Server, Seen) {
    let seen = Seen::default();
    let lines = seen.clone();
    let now = AtomicU64::new(0);
    let server = Server::builder("s", "1")
        .observe(move |observed: &Observed<'_>| {
            let mut line = format!("{} {}", observed.call, observed.method);
            for part in [observed.registered_as, observed.traceparent].into_iter().flatten() {
                write!(line, " {part}").unwrap();
            }
            if let Some(end) = observed.end {
                let time = end.time.expect("there is a clock").as_millis();
                let wanted = if end.client_waiting { "" } else { " unwanted" };
                write!(line, ": {}{wanted}, {} bytes, {time} ms", end.outcome, end.bytes).unwrap();
            }
            lines.lock().unwrap().push(line);
        })
        .clock(move || Duration::from_millis(now.fetch_add(1, Ordering::Relaxed)))
        .on_log(|_, _| ())
        .build()
        .unwrap();
    (server, seen)
}

fn send_request(connection: &Connection, id: u32, method: &str, params: &str) {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"traceparent":"00-a-b-01"}"#;
    let params = if params.is_empty() { String::new() } else { format!("{params},") };
    let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{meta}}}}}"#);
    connection.receive(format!("{line}\n").as_bytes());
    while let Some(event) = connection.poll_event() {
        event.run();
    }
}

#[test]
fn the_observer_gets_the_begin_and_the_end_of_each_call() {
    let (server, seen) = observed();
    server.text("n:fixed", "fixed").unwrap();
    server
        .template(Template::new("n:{id}"), |call: Call| match call.var("id") {
            Some("none") => Answer::NotFound,
            Some("bad") => Answer::Failed("no".to_owned()),
            _ => "four".into(),
        })
        .unwrap();
    server.list("l", |_| wellhead::Page::default()).unwrap();
    server.tool("t", &Json::parse("{}").unwrap(), |_: MethodCall| Json::parse(r#"{"content":[]}"#)).unwrap();
    let connection = server.connect(Caller::default());
    for (id, uri) in [(1, "n:fixed"), (2, "n:1"), (3, "n:none"), (4, "n:bad")] {
        send_request(&connection, id, "resources/read", &format!(r#""uri":"{uri}""#));
    }
    send_request(&connection, 5, "resources/list", "");
    send_request(&connection, 6, "tools/call", r#""name":"t""#);
    server.authorize(|call: wellhead::AuthorizeCall| vec![Verdict::Deny; call.targets().len()]).unwrap();
    send_request(&connection, 7, "resources/read", r#""uri":"n:1""#);
    let expected = [
        "1 resources/read n:{id} 00-a-b-01",
        "1 resources/read n:{id} 00-a-b-01: found, 4 bytes, 1 ms",
        "2 resources/read n:{id} 00-a-b-01",
        "2 resources/read n:{id} 00-a-b-01: not_found, 0 bytes, 1 ms",
        "3 resources/read n:{id} 00-a-b-01",
        "3 resources/read n:{id} 00-a-b-01: failed, 0 bytes, 1 ms",
        "4 resources/list l 00-a-b-01",
        "4 resources/list l 00-a-b-01: page, 0 bytes, 1 ms",
        "5 tools/call t 00-a-b-01",
        "5 tools/call t 00-a-b-01: result, 14 bytes, 1 ms",
        "6 authorize 00-a-b-01",
        "6 authorize 00-a-b-01: verdicts, 0 bytes, 1 ms",
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[test]
fn a_call_ends_with_its_responder_even_if_it_was_cancelled() {
    let (server, seen) = observed();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = kept.clone();
    server
        .fallback(move |call: Call| {
            let (later, responder) = call.defer();
            keep.lock().unwrap().push(responder);
            later
        })
        .unwrap();
    let connection = server.connect(Caller::default());
    send_request(&connection, 1, "resources/read", r#""uri":"n:1""#);
    send_request(&connection, 2, "resources/read", r#""uri":"n:2""#);
    connection.receive(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n",
    );
    while let Some(event) = connection.poll_event() {
        event.run();
    }
    assert_eq!(seen.lock().unwrap().len(), 2, "both have begun");
    let late: Vec<_> = kept.lock().unwrap().drain(..).collect();
    for responder in late {
        drop(responder);
    }
    let ends = seen.lock().unwrap().split_off(2);
    assert_eq!(ends.len(), 2);
    assert!(ends[0].contains(": dropped unwanted"), "{}", ends[0]);
    assert!(ends[1].contains(": dropped, "), "{}", ends[1]);
    let counters = server.counters();
    assert_eq!((counters.calls, counters.calls_answered, counters.calls_failed), (2, 1, 1));
}

#[test]
fn an_observer_that_panics_does_no_harm_and_is_logged() {
    let lines = Seen::default();
    let logged = lines.clone();
    let server = Server::builder("s", "1")
        .observe(|_| panic!("on purpose"))
        .on_log(move |_, line| logged.lock().unwrap().push(line.to_owned()))
        .build()
        .unwrap();
    server.resource("n:1", |_: Call| "one").unwrap();
    let connection = server.connect(Caller::default());
    send_request(&connection, 1, "resources/read", r#""uri":"n:1""#);
    assert_eq!(server.counters().calls_answered, 1);
    let lines = lines.lock().unwrap();
    assert_eq!(lines.len(), 2, "its begin and its end: {lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("the observer panicked")), "{lines:?}");
}

#[test]
fn counters_count_open_things_and_finished_calls() {
    let server = Server::new("s", "1");
    server.text("n:1", "one").unwrap();
    let (a, b) = (server.connect(Caller::default()), server.connect(Caller::default()));
    for connection in [&a, &b] {
        send_request(
            connection,
            1,
            "subscriptions/listen",
            r#""notifications":{"resourceSubscriptions":["n:1"]}"#,
        );
    }
    let before = server.counters().changes;
    server.notify_updated("n:1").unwrap();
    server.notify_resource_list_changed().unwrap();
    let counters = server.counters();
    assert_eq!((counters.connections, counters.connections_open), (2, 2));
    assert_eq!((counters.uris_subscribed, counters.subscriptions_open), (1, 2));
    assert_eq!(counters.changes - before, 2);
    b.close();
    let counters = server.counters();
    assert_eq!((counters.connections, counters.connections_open, counters.subscriptions_open), (2, 1, 1));
}

#[test]
fn the_observer_gets_the_end_of_a_call_after_its_connection_is_gone() {
    let (server, seen) = observed();
    server.resource("n:answered", |_: Call| Answer::from("four")).unwrap();
    server.resource("n:dropped", |_: Call| Answer::NotFound).unwrap();
    let connection = server.connect(Caller::default());
    for (id, uri) in [(1, "n:answered"), (2, "n:dropped")] {
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let params = format!(r#"{{"uri":"{uri}",{meta}}}"#);
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{params}}}"#);
        connection.receive(format!("{line}\n").as_bytes());
    }
    let calls: Vec<Event> = std::iter::from_fn(|| connection.poll_event()).collect();
    drop(connection);
    for call in calls {
        let Event::Read(call) = call else { panic!("{call:?}") };
        let is_dropped = call.uri() == "n:dropped";
        let responder = call.into_responder();
        if !is_dropped {
            assert!(!responder.finish("four"));
        }
    }
    let mut seen = seen.lock().unwrap().clone();
    seen.sort();
    assert_eq!(
        seen,
        [
            "1 resources/read n:answered",
            "1 resources/read n:answered: found unwanted, 4 bytes, 2 ms",
            "2 resources/read n:dropped",
            "2 resources/read n:dropped: dropped unwanted, 0 bytes, 2 ms",
        ]
    );
}
