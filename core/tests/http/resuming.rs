//! Clients that go before they have their answer.

use crate::client::{Got, Polled, World, request};
use std::sync::Arc;
use wellhead::{Answer, Event, Limits, Responder, Server, SharedText};

const PROGRESS: &str = r#""_meta":{"progressToken":7},"uri":"test://later""#;

/// A server that keeps little for clients that take nothing, and whose sessions keep so much for those that come back.
fn world(output_bytes: usize, replay_bytes: usize) -> World {
    let mut limits = Limits::default();
    limits.output_bytes = output_bytes;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    World::with(&server, server.endpoint().replay_bytes(replay_bytes).build(|| {}))
}

/// A read that the host holds.
fn hold(world: &World, session: &str) -> (Polled, Got, Responder<Answer>) {
    let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", session)];
    let mut exchange = world.begin("POST", "/mcp", &headers);
    exchange.body(request(1, "resources/read", PROGRESS).as_bytes());
    exchange.end(world.now());
    let (mut got, mut held) = (Got::default(), None);
    world.go_on(&mut exchange, &mut got, |event| {
        let Event::Read(call) = event else { panic!("not a read") };
        held = Some(call.into_responder());
    });
    assert!(got.head.is_none());
    (exchange, got, held.expect("the host was asked"))
}

#[test]
fn what_is_said_to_a_client_that_went_before_any_head_makes_room_for_others() {
    // WIRE 6.4.
    let world = world(1_000, 0);
    let session = world.session("2025-11-25");
    let (exchange, _, held) = hold(&world, &session);
    drop(exchange);
    assert!(held.progress(1.0, None, None));
    assert!(world.endpoint.poll_event().is_none());
    assert!(held.finish("for nobody".repeat(200)));
    assert!(world.endpoint.poll_event().is_none());
    let (_, got) = world.within(&session, 2, "resources/list", "");
    assert!(got.done && got.body.contains("test://later"), "{got:?}");
}

#[test]
fn an_answer_that_is_there_when_its_client_goes_is_let_go_with_it() {
    let world = world(16 << 20, 1 << 20);
    let session = world.session("2025-11-25");
    let (exchange, _, held) = hold(&world, &session);
    let answer = Arc::new("for nobody".repeat(20_000));
    let text: SharedText = answer.clone();
    assert!(held.finish(text));
    assert!(world.endpoint.poll_event().is_none());
    assert_eq!(Arc::strong_count(&answer), 2);
    drop(exchange);
    assert_eq!(Arc::strong_count(&answer), 1);
}
