//! Clients that go, and clients that come back just while something is said to them.

use crate::client::{Got, Polled, World, request};
use std::sync::{Arc, Mutex};
use wellhead::http::Progress;
use wellhead::{Answer, Contents, Event, Limits, Responder, Server, SharedText};

const PROGRESS: &str = r#""_meta":{"progressToken":7},"uri":"test://later""#;

/// A server that keeps little for clients that take nothing, and whose sessions keep so much for those that come back.
fn world(output_bytes: usize, replay_bytes: usize) -> World {
    let mut limits = Limits::default();
    limits.output_bytes = output_bytes;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    World::on(&server, server.endpoint().replay_bytes(replay_bytes).build(|| {}).unwrap())
}

/// A read that the application holds.
fn hold(world: &World, session: &str) -> (Polled, Got, Responder<Answer>) {
    let mut held = None;
    let (exchange, got) = world.hold(session, 1, PROGRESS, |call| held = Some(call.into_responder()));
    assert!(got.head.is_none());
    (exchange, got, held.expect("the application was asked"))
}

fn ids(got: &Got) -> Vec<String> {
    got.events().into_iter().map(|(id, _)| id).collect()
}

/// A text that does something once it is read.
#[derive(Default)]
struct Trap {
    text: String,
    sprung: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl AsRef<str> for Trap {
    fn as_ref(&self) -> &str {
        let sprung = self.sprung.lock().unwrap().take();
        if let Some(spring) = sprung {
            spring();
        }
        &self.text
    }
}

#[test]
fn output_for_a_client_that_left_before_its_response_head_makes_room_for_others() {
    // A notification that belongs to no stream goes to one stream only ("Multiple Connections" in the transport).
    let world = world(1_000, 0);
    let session = world.session("2025-11-25");
    let (exchange, _, held) = hold(&world, &session);
    drop(exchange);
    assert!(held.progress(1.0, None, None));
    assert!(world.endpoint.poll_event().is_none());
    assert!(held.finish("too late".repeat(200)));
    assert!(world.endpoint.poll_event().is_none());
    let (_, got) = world.within(&session, 2, "resources/list", "");
    assert!(got.done && got.body.contains("test://later"), "{got:?}");
}

#[test]
fn an_answer_that_is_ready_when_its_client_leaves_is_dropped() {
    let world = world(16 << 20, 1 << 20);
    let session = world.session("2025-11-25");
    let (exchange, _, held) = hold(&world, &session);
    let answer = Arc::new("too late".repeat(20_000));
    let text: SharedText = answer.clone();
    assert!(held.finish(text));
    assert!(world.endpoint.poll_event().is_none());
    assert_eq!(Arc::strong_count(&answer), 2);
    drop(exchange);
    assert_eq!(Arc::strong_count(&answer), 1);
}

#[test]
fn a_client_that_comes_back_while_its_answer_is_being_taken_gets_it_once() {
    // row: H-46
    for replay_bytes in [1 << 20, 100] {
        let world = Arc::new(world(16 << 20, replay_bytes));
        let session = world.session("2025-11-25");
        let (mut exchange, mut first, held) = hold(&world, &session);
        assert!(held.progress(1.0, None, None));
        world.proceed(&mut exchange, &mut first, Event::run);
        assert_eq!(ids(&first), ["1-0", "1-1"]);

        let answer = Arc::new(Trap { text: "found".repeat(20_000), ..Trap::default() });
        let text: SharedText = answer.clone();
        assert!(held.finish(text));
        let back = Arc::new(Mutex::new(None));
        let comes_back = {
            let (world, session, back) = (world.clone(), session.clone(), back.clone());
            move || *back.lock().unwrap() = Some(world.get(&session, &[("Last-Event-ID", "1-1")]))
        };
        *answer.sprung.lock().unwrap() = Some(Box::new(comes_back));
        world.proceed(&mut exchange, &mut first, Event::run);
        assert_eq!((ids(&first).len(), first.done), (2, true), "another request goes on with the stream");

        let (mut exchange, mut got) = back.lock().unwrap().take().expect("it came back");
        assert_eq!((got.body.as_str(), got.done), ("", false), "the answer is in other hands");
        assert!(exchange.is_ready());
        world.proceed(&mut exchange, &mut got, Event::run);
        assert_eq!((ids(&got), got.done), (vec!["1-2".to_owned()], true), "{replay_bytes}");
        assert!(got.events()[0].1.contains(&answer.text));
    }
}

#[test]
fn a_client_that_leaves_during_a_replay_gets_whole_messages_when_it_comes_back() {
    // row: H-46
    let world = world(16 << 20, 1 << 20);
    let session = world.session("2025-11-25");
    let (mut exchange, mut got, held) = hold(&world, &session);
    assert!(held.progress(1.0, None, Some(&"so far ".repeat(10_000))));
    world.proceed(&mut exchange, &mut got, Event::run);
    assert_eq!(ids(&got), ["1-0", "1-1"]);
    drop(exchange);
    assert!(held.finish("found".repeat(100_000)));
    for polls in 1..5 {
        let mut again = world.begin(
            "GET",
            "/mcp",
            &[("Accept", "text/event-stream"), ("Mcp-Session-Id", &session), ("Last-Event-ID", "1-0")],
        );
        for _ in 0..polls {
            again.poll(world.now(), &mut Vec::new());
        }
        drop(again);
    }
    let (_, got) = world.get(&session, &[("Last-Event-ID", "1-1")]);
    assert_eq!((ids(&got), got.done), (vec!["1-2".to_owned()], true));
    let answer: serde_json::Value = serde_json::from_str(&got.events()[0].1).expect("a whole message");
    assert_eq!(answer["result"]["contents"][0]["text"], "found".repeat(100_000));
}

#[test]
fn a_client_that_comes_back_does_not_wait_for_its_old_connection_to_read() {
    // row: H-46
    let world = world(16 << 20, 1 << 20);
    let session = world.session("2025-11-25");
    let (mut exchange, mut got, held) = hold(&world, &session);
    assert!(held.progress(1.0, None, None));
    world.proceed(&mut exchange, &mut got, Event::run);
    assert!(held.progress(2.0, None, Some(&"so far ".repeat(10_000))));
    assert!(held.finish("found"));
    assert!(matches!(exchange.poll(world.now(), &mut Vec::new()), Progress::Data));
    let (_, got) = world.get(&session, &[("Last-Event-ID", "1-1")]);
    assert_eq!((ids(&got), got.done), (vec!["1-2".to_owned(), "1-3".to_owned()], true));
}

#[test]
fn a_client_that_comes_back_before_its_head_was_sent_is_let_in_at_once() {
    // row: H-46
    let world = world(16 << 20, 1 << 20);
    let session = world.session("2025-11-25");
    let (mut exchange, mut first, held) = hold(&world, &session);
    assert!(held.progress(1.0, None, None));
    let mut sent = Vec::new();
    assert!(matches!(exchange.poll(world.now(), &mut sent), Progress::Respond(_)));
    // The head is on its way, and the driver of this exchange polls it again only once that was taken.
    let (mut back, mut got) = world.get(&session, &[("Last-Event-ID", "1-0")]);
    assert_eq!((got.status(), ids(&got)), (200, vec!["1-1".to_owned()]));
    assert!(held.finish("found"));
    world.proceed(&mut back, &mut got, Event::run);
    assert_eq!((ids(&got), got.done), (vec!["1-1".to_owned(), "1-2".to_owned()], true));
    world.proceed(&mut exchange, &mut first, Event::run);
    assert_eq!((first.body.as_str(), first.done), ("", true), "another request has gone on with the stream");
}

#[test]
fn streams_that_were_not_resumed_are_dropped_when_other_requests_need_their_room() {
    let world = world(1_000, 1 << 20);
    let session = world.session("2025-11-25");
    let mut held = Vec::new();
    for (id, length) in [(1, 10), (2, 5_000)] {
        let (mut exchange, mut got) =
            world.hold(&session, id, PROGRESS, |call| held.push(call.into_responder()));
        assert!(held[0].progress(1.0, None, None));
        world.proceed(&mut exchange, &mut got, |_| {});
        assert_eq!(got.header("content-type"), Some("text/event-stream"));
        drop(exchange);
        assert!(held.remove(0).finish("x".repeat(length)));
        assert!(world.endpoint.poll_event().is_none());
    }
    let (_, got) = world.within(&session, 3, "resources/list", "");
    assert_eq!(got.status(), 200, "it has not to wait");
    let (_, small) = world.get(&session, &[("Last-Event-ID", "1-1")]);
    assert!(small.body.contains("xxxxxxxxxx"), "{small:?}");
    assert_eq!(world.get(&session, &[("Last-Event-ID", "2-1")]).1.status(), 400);
}

#[test]
fn a_stream_without_output_is_kept_even_if_others_have_much() {
    let world = world(1_000, 1 << 20);
    let session = world.session("2025-11-25");
    let (mut exchange, mut got, held) = hold(&world, &session);
    assert!(held.progress(1.0, None, None));
    world.proceed(&mut exchange, &mut got, Event::run);
    let mut other = None;
    let (_slow, _) = world.hold(&session, 2, PROGRESS, |call| other = Some(call.into_responder()));
    assert!(other.expect("the application is asked").finish("x".repeat(5_000)));
    drop(exchange);
    assert!(world.endpoint.poll_event().is_none());
    let (mut back, mut got) = world.get(&session, &[("Last-Event-ID", "1-1")]);
    assert_eq!(got.status(), 200);
    assert!(held.finish("found"));
    world.proceed(&mut back, &mut got, Event::run);
    assert_eq!((ids(&got), got.done), (vec!["1-2".to_owned()], true));
}

/// Reads a resource as an event stream, takes the head of the response, and leaves.
fn leave_after_the_head(world: &World, session: &str, uri: &str) {
    let accept =
        [("Content-Type", "application/json"), ("Accept", "text/event-stream"), ("Mcp-Session-Id", session)];
    let mut exchange = world.begin("POST", "/mcp", &accept);
    exchange.body(request(9, "resources/read", &format!(r#""uri":"{uri}""#)).as_bytes());
    exchange.end(world.now());
    loop {
        match exchange.poll(world.now(), &mut Vec::new()) {
            Progress::Event(event) => event.run(),
            Progress::Respond(head) => return assert_eq!(head.status, 200),
            other => panic!("{other:?}"),
        }
    }
}

/// A text that is so large that answers share it. Its count says how many answers there are.
fn shared_text(server: &Server) -> Arc<String> {
    let text = Arc::new("x".repeat(100_000));
    let shared: SharedText = text.clone();
    server.resource("test://shared", move |_| Contents::new(shared.clone())).unwrap();
    text
}

#[test]
fn answers_whose_heads_were_sent_to_clients_that_left_stay_under_the_limit() {
    let world = world(1_000_000, 1 << 20);
    let text = shared_text(&world.server);
    let session = world.session("2025-11-25");
    for _ in 0..100 {
        leave_after_the_head(&world, &session, "test://shared");
    }
    let answers = Arc::strong_count(&text) - 2;
    assert!((5..=10).contains(&answers), "{answers}");
    let (_, got) = world.get(&session, &[("Last-Event-ID", "1-0")]);
    assert!(got.done && got.body.contains("xxxx"), "the first ones are still there");
    assert_eq!(world.get(&session, &[("Last-Event-ID", "100-0")]).1.status(), 400, "it would be too much");
}

#[test]
fn answers_of_streams_that_are_forgotten_are_dropped() {
    let mut limits = Limits::default();
    limits.session_streams = 4;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    let world = World::new(&server);
    let text = shared_text(&server);
    let session = world.session("2025-11-25");
    let (mut exchange, mut got, held) = hold(&world, &session);
    assert!(held.progress(1.0, None, None));
    world.proceed(&mut exchange, &mut got, Event::run);
    drop(exchange);
    for _ in 0..20 {
        leave_after_the_head(&world, &session, "test://shared");
        assert!(Arc::strong_count(&text) - 2 <= 4);
    }
    let late: SharedText = text.clone();
    assert!(held.finish(late));
    assert!(world.endpoint.poll_event().is_none());
    assert_eq!(Arc::strong_count(&text) - 2, 4, "the answer to the first request has no stream");
    let (_stream, got) = world.get(&session, &[]);
    assert_eq!((got.status(), Arc::strong_count(&text) - 2), (200, 3), "a GET stream needs a place, too");
}

#[test]
fn a_request_that_waits_for_a_half_sent_answer_continues_once_that_is_read() {
    let world = world(1_000, 1 << 20);
    let session = world.session("2025-11-25");
    let (mut exchange, mut got, held) = hold(&world, &session);
    assert!(held.progress(1.0, None, Some(&"so far ".repeat(1_000))));
    assert!(matches!(exchange.poll(world.now(), &mut Vec::new()), Progress::Respond(_)));
    let (mut second, mut listed) = world.within(&session, 2, "resources/list", "");
    assert!(listed.head.is_none(), "the client has not read what there is: {listed:?}");
    world.proceed(&mut exchange, &mut got, Event::run);
    world.proceed(&mut second, &mut listed, Event::run);
    assert!(listed.done && listed.body.contains("test://later"), "{listed:?}");
}
