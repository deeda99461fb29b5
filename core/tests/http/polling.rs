//! An application that lets go of the stream of a call, and the client that comes back for its answer.

use crate::client::{Got, Polled, World};
use wellhead::{Answer, Call, Event, Responder, Server};

fn world() -> World {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    server
        .resource("test://letting-go", |call: Call| {
            format!("{} {}", call.close_event_stream(100), call.close_event_stream(100))
        })
        .unwrap();
    World::new(&server)
}

#[test]
fn a_callback_closes_its_stream_once_and_the_answer_waits_for_its_client() {
    // row: H-49
    let world = world();
    let session = world.session("2025-11-25");
    let (_, got) = world.within(&session, 1, "resources/read", r#""uri":"test://letting-go""#);
    assert_eq!((got.status(), got.done), (200, true));
    assert_eq!(got.body, "id: 1-0\ndata:\n\nretry: 100\n\n");
    let (_, got) = world.get(&session, &[("Last-Event-ID", "1-0")]);
    assert_eq!((got.events().len(), got.done), (1, true));
    assert!(got.events()[0].1.contains("true false"), "{got:?}");
}

#[test]
fn closing_the_stream_of_a_call_that_is_over_has_no_effect() {
    let world = world();
    let session = world.session("2025-11-25");
    let mut held = Vec::new();
    let (mut exchange, mut got) = hold(&world, &session, 1, |call| held.push(call));
    let call = held.pop().unwrap();
    let (_, twin) = call.defer();
    assert!(call.into_responder().finish("found"));
    assert!(!twin.close_event_stream(100));
    assert!(world.endpoint.poll_event().is_none());
    world.proceed(&mut exchange, &mut got, Event::run);
    assert!(got.body.starts_with('{') && got.done, "{got:?}");
}

#[test]
fn many_threads_close_a_stream_once() {
    let world = world();
    let session = world.session("2025-11-25");
    let mut held: Vec<Responder<Answer>> = Vec::new();
    let (mut exchange, mut got) = hold(&world, &session, 1, |call| held.push(call.into_responder()));
    let responder = &held[0];
    let closed: usize = std::thread::scope(|threads| {
        let all: Vec<_> = (0..4).map(|_| threads.spawn(|| responder.close_event_stream(100))).collect();
        all.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
    });
    assert_eq!(closed, 1);
    assert!(world.endpoint.poll_event().is_none());
    assert!(exchange.is_ready());
    world.proceed(&mut exchange, &mut got, Event::run);
    assert_eq!((got.body.as_str(), got.done), ("id: 1-0\ndata:\n\nretry: 100\n\n", true));
}

#[test]
fn a_request_that_takes_a_stream_over_gets_no_retry_field() {
    let world = world();
    let session = world.session("2025-11-25");
    let mut held: Vec<Responder<Answer>> = Vec::new();
    let (exchange, _) = hold(&world, &session, 1, |call| held.push(call.into_responder()));
    assert!(held[0].close_event_stream(1));
    let (_, got) = read_on(&world, exchange);
    assert!(got.body.contains("retry: 1\n"));
    let (second, got) = world.get(&session, &[("Last-Event-ID", "1-0")]);
    assert!(!got.done);
    assert!(held[0].close_event_stream(2));
    let (mut third, mut got) = world.get(&session, &[("Last-Event-ID", "1-0")]);
    assert_eq!((got.body.as_str(), got.done), ("", false));
    assert_eq!(read_on(&world, second).1.body, "", "another request has the stream");
    held.remove(0).finish("found");
    world.proceed(&mut third, &mut got, Event::run);
    assert!(got.body.contains("found") && !got.body.contains("retry") && got.done, "{got:?}");
}

/// A read that the application holds.
fn hold(world: &World, session: &str, id: u32, keep: impl FnMut(Call)) -> (Polled, Got) {
    world.hold(session, id, r#""uri":"test://later""#, keep)
}

/// Returns the output of an exchange from now on.
fn read_on(world: &World, mut exchange: Polled) -> (Polled, Got) {
    let mut got = Got::default();
    world.proceed(&mut exchange, &mut got, Event::run);
    (exchange, got)
}
