//! The calls of an endpoint that count: each until its callback ends, even if its client has gone.

use crate::client::{BOTH, Got, META, Polled, World, request};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wellhead::http::Grant;
use wellhead::{Caller, Event, Limits, Server, Verdict};

/// An endpoint with room for this many calls, and how often its callback was begun.
fn world(most: usize) -> (World, Arc<AtomicUsize>) {
    let mut limits = Limits::default();
    (limits.calls_in_flight, limits.caller_percent) = (most, 100); // a batch may have them all
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let begun = Arc::new(AtomicUsize::new(0));
    let count = begun.clone();
    server
        .template("test://slow/{id}", move |call| {
            count.fetch_add(1, Ordering::SeqCst);
            call.var("id").map(str::to_owned)
        })
        .unwrap();
    server.text("test://text", "found").unwrap();
    (World::new(&server), begun)
}

/// A read of the stateless era, and what it asks the host.
fn read(world: &World, uri: &str) -> (Polled, Got, Vec<Event>) {
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", BOTH),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "resources/read"),
        ("Mcp-Name", uri),
    ];
    let mut exchange = world.begin("POST", "/mcp", &headers);
    let body = request(1, "resources/read", &format!(r#""uri":"{uri}",{META}"#));
    exchange.body(body.as_bytes());
    exchange.end(world.now());
    gather(world, exchange)
}

fn gather(world: &World, mut exchange: Polled) -> (Polled, Got, Vec<Event>) {
    let (mut got, mut events) = (Got::default(), Vec::new());
    world.proceed(&mut exchange, &mut got, |event| events.push(event));
    (exchange, got, events)
}

fn within(world: &World, session: &str, id: u32) -> (Polled, Got, Vec<Event>) {
    let read = request(id, "resources/read", r#""uri":"test://slow/7""#);
    gather(world, world.begin_within(session, &read))
}

fn is_busy(got: &Got, limit: &str, max: usize) {
    assert_eq!((got.status(), got.header("retry-after")), (503, Some("1")), "{got:?}");
    assert_eq!(got.json()["error"]["data"], serde_json::json!({"limit": limit, "max": max}));
}

#[test]
fn a_call_of_a_client_that_left_counts_until_its_event_is_over_and_does_not_begin() {
    let (world, begun) = world(2);
    let (one, _, mut events) = read(&world, "test://slow/1");
    let (_two, _, _kept) = read(&world, "test://slow/2");
    drop(one);
    is_busy(&read(&world, "test://slow/3").1, "calls_in_flight", 2);
    events.remove(0).run();
    assert_eq!(begun.load(Ordering::SeqCst), 0, "no client waits for it");
    let (mut four, mut got, events) = read(&world, "test://slow/4");
    events.into_iter().for_each(Event::run);
    world.proceed(&mut four, &mut got, |_| {});
    assert_eq!((got.status(), begun.load(Ordering::SeqCst)), (200, 1));
}

#[test]
fn a_call_of_a_session_does_not_begin_either_once_its_client_left() {
    let (world, begun) = world(2);
    let session = world.session("2025-06-18");
    let (one, _, mut events) = within(&world, &session, 1);
    let (_two, _, _kept) = within(&world, &session, 2);
    drop(one);
    is_busy(&within(&world, &session, 3).1, "calls_in_flight", 2);
    events.remove(0).run();
    assert_eq!(begun.load(Ordering::SeqCst), 0, "no client waits for it");
    let (mut four, mut got, events) = within(&world, &session, 4);
    events.into_iter().for_each(Event::run);
    world.proceed(&mut four, &mut got, |_| {});
    assert_eq!((got.status(), begun.load(Ordering::SeqCst)), (200, 1));
}

#[test]
fn a_call_of_a_session_that_has_begun_continues_without_its_client_and_counts() {
    let (world, _) = world(1);
    let kept = Arc::new(std::sync::Mutex::new(Vec::new()));
    let keep = kept.clone();
    world
        .server
        .resource("test://held", move |call| {
            let (later, responder) = call.defer();
            keep.lock().unwrap().push(responder);
            later
        })
        .unwrap();
    let session = world.session("2025-06-18");
    let held = request(1, "resources/read", r#""uri":"test://held""#);
    let (exchange, _, events) = gather(&world, world.begin_within(&session, &held));
    events.into_iter().for_each(Event::run);
    drop(exchange);
    while world.endpoint.poll_event().is_some() {}
    assert!(!kept.lock().unwrap()[0].is_cancelled(), "a client that left has not cancelled");
    is_busy(&within(&world, &session, 2).1, "calls_in_flight", 1);
    kept.lock().unwrap().clear();
    assert!(within(&world, &session, 3).1.head.is_none(), "there is room again");
}

#[test]
fn no_further_call_begins_for_a_client_that_has_gone_during_the_one_before() {
    let (world, begun) = world(1);
    world.server.authorize(|_| Vec::new()).unwrap();
    let session = world.session("2025-06-18");
    let (exchange, _, mut events) = within(&world, &session, 1);
    let Some(Event::Authorize(call)) = events.pop() else { panic!("the caller is judged first") };
    let question = call.into_responder();
    drop(exchange);
    assert!(question.finish(vec![Verdict::Allow]), "a client that left has not cancelled");
    while let Some(event) = world.endpoint.poll_event() {
        event.run();
    }
    assert_eq!(begun.load(Ordering::SeqCst), 0, "no client waits for it");
    assert!(within(&world, &session, 2).1.head.is_none(), "there is room again");
}

#[test]
fn the_requests_of_a_batch_count_each() {
    let (world, begun) = world(3);
    let session = world.session("2025-03-26");
    let read = |id| request(id, "resources/read", r#""uri":"test://slow/7""#);
    let batch = format!("[{},{}]", read(1), read(2));
    let (exchange, _, events) = gather(&world, world.begin_within(&session, &batch));
    assert_eq!(events.len(), 2);
    is_busy(
        &gather(&world, world.begin_within(&session, &format!("[{},{}]", read(3), read(4)))).1,
        "calls_in_flight",
        3,
    );
    drop(exchange);
    events.into_iter().for_each(Event::run);
    assert_eq!(begun.load(Ordering::SeqCst), 0, "no client waits for them");
    let long = format!("[{}]", (10..20).map(read).collect::<Vec<_>>().join(","));
    let (mut exchange, mut got, events) = gather(&world, world.begin_within(&session, &long));
    events.into_iter().for_each(Event::run);
    world.proceed(&mut exchange, &mut got, Event::run);
    assert_eq!(
        (got.status(), begun.load(Ordering::SeqCst)),
        (200, 10),
        "a long one counts as all that may be"
    );
}

#[test]
fn a_token_under_judgement_counts_until_the_verifier_is_done_with_it() {
    let mut limits = Limits::default();
    limits.calls_in_flight = 1;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.text("test://text", "found").unwrap();
    let judged = Arc::new(AtomicUsize::new(0));
    let counts = judged.clone();
    let endpoint = server.endpoint().verify(move |call| {
        counts.fetch_add(1, Ordering::SeqCst);
        Some(Grant::new(Caller::new(call.token().as_bytes())))
    });
    let world = World::on(&server, endpoint.build(|| {}).unwrap());
    let send_request = || {
        let headers = [
            ("Authorization", "Bearer ann"),
            ("Content-Type", "application/json"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "server/discover"),
        ];
        let mut exchange = world.begin("POST", "/mcp", &headers);
        exchange.body(request(1, "server/discover", META).as_bytes());
        exchange.end(world.now());
        gather(&world, exchange)
    };
    let (exchange, _, events) = send_request();
    drop(exchange);
    assert_eq!(send_request().1.status(), 503);
    events.into_iter().for_each(Event::run);
    assert_eq!(judged.load(Ordering::SeqCst), 0, "no client waits for it");
    let (mut exchange, mut got, events) = send_request();
    events.into_iter().for_each(Event::run);
    world.proceed(&mut exchange, &mut got, Event::run);
    assert_eq!((got.status(), judged.load(Ordering::SeqCst)), (200, 1));
}

#[test]
fn a_finished_answer_holds_no_call_while_its_client_does_not_read() {
    let (world, _) = world(1);
    let (_unread, _, events) = read(&world, "test://slow/1");
    events.into_iter().for_each(Event::run);
    let streamed = world.begin(
        "POST",
        "/mcp",
        &[
            ("Content-Type", "application/json"),
            ("Accept", "text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "resources/read"),
            ("Mcp-Name", "test://text"),
        ],
    );
    let mut streamed = streamed;
    streamed.body(request(1, "resources/read", &format!(r#""uri":"test://text",{META}"#)).as_bytes());
    streamed.end(world.now());
    let (_third, got, events) = read(&world, "test://slow/3");
    assert!(got.head.is_none() && events.len() == 1, "{got:?}");
    is_busy(&read(&world, "test://slow/4").1, "calls_in_flight", 1);
}

#[test]
fn listen_streams_of_clients_that_left_count_until_their_question_is_over() {
    let mut limits = Limits::default();
    limits.listen_streams = 1;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.text("test://text", "found").unwrap();
    server.authorize(|call| vec![Verdict::Allow; call.targets().len()]).unwrap();
    let world = World::new(&server);
    let listen = || {
        let headers = [
            ("Content-Type", "application/json"),
            ("Accept", BOTH),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "subscriptions/listen"),
        ];
        let mut exchange = world.begin("POST", "/mcp", &headers);
        let params = format!(r#""notifications":{{"resourceSubscriptions":["test://text"]}},{META}"#);
        exchange.body(request(1, "subscriptions/listen", &params).as_bytes());
        exchange.end(world.now());
        gather(&world, exchange)
    };
    let (exchange, _, events) = listen();
    assert_eq!(events.len(), 1);
    drop(exchange);
    is_busy(&listen().1, "listen_streams", 1);
    drop(events);
    let (mut exchange, mut got, events) = listen();
    events.into_iter().for_each(Event::run);
    world.proceed(&mut exchange, &mut got, Event::run);
    assert_eq!(got.status(), 200);
    drop(exchange);
    assert_eq!(listen().2.len(), 1, "its place is free");
}
