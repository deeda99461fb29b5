//! Every call is answered exactly once, and handles may go in any order.

use crate::support::{
    answers, cancel, connect, drain, feed, limited, next_read, on_uri, request, send_request, serve, server,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wellhead::{Event, Handled, Page, Route};

/// Invariant 4.
#[test]
fn finish_and_drop_answer_a_request_and_cancel_and_close_do_not() {
    let server = server();
    server.fallback(|_| "").unwrap();
    let connection = connect(&server);
    for id in 1..=4 {
        feed(&connection, &on_uri(id, "read", "m://x"));
    }
    let [one, two, three, four] = [0; 4].map(|_| next_read(&connection));
    assert!(one.into_responder().finish("found"));
    drop(two);
    feed(&connection, &cancel(3));
    assert!(matches!(connection.poll_event(), Some(Event::Cancel(call)) if Some(call) == three.call()));
    assert!(three.is_cancelled());
    assert!(!three.into_responder().finish("late"), "it is no error, but the client did not wait for it");
    let output = drain(&connection);
    assert_eq!([1, 2, 3].map(|id| answers(&output, id)), [1, 1, 0], "{output}");
    connection.close();
    assert!(four.is_cancelled());
    assert!(!four.into_responder().finish("late"));
    assert_eq!(drain(&connection), "");
}

/// Invariant 4.
#[test]
fn a_callback_that_returns_the_handle_of_another_call_is_an_internal_error() {
    let server = server();
    let kept = std::sync::Mutex::new(None);
    let held = Arc::new(std::sync::Mutex::new(Vec::new()));
    let responders = held.clone();
    server
        .fallback(move |call| {
            let (later, responder) = call.defer();
            responders.lock().unwrap().push(responder);
            let before = kept.lock().unwrap().replace(later);
            before.unwrap_or_else(|| {
                let (again, responder) = call.defer();
                responders.lock().unwrap().push(responder);
                again
            })
        })
        .unwrap();
    let connection = connect(&server);
    feed(&connection, &on_uri(1, "read", "m://x"));
    serve(&connection);
    assert_eq!(drain(&connection), "");
    feed(&connection, &on_uri(2, "read", "m://x"));
    serve(&connection);
    let output = drain(&connection);
    assert!(output.contains("\"id\":2,\"error\":{\"code\":-32603"), "{output}");
    let first = held.lock().unwrap().remove(0);
    assert!(first.finish("the first"));
}

/// Invariant 4.
#[test]
fn an_interest_that_is_answered_twice_settles_one_delivery() {
    let server = server();
    server.fallback(|_| "").unwrap();
    server.on_interest(|_| ()).unwrap();
    let connection = connect(&server);
    let next = |connection: &wellhead::Connection| loop {
        match connection.poll_event() {
            Some(Event::Interest(call)) => return call,
            Some(_) => {}
            None => panic!("no interest"),
        }
    };
    feed(&connection, &on_uri(1, "subscribe", "m://x"));
    let watched = next(&connection);
    let (_, twin) = watched.defer();
    watched.into_responder().finish(());
    feed(&connection, &on_uri(2, "unsubscribe", "m://x"));
    let forgotten = next(&connection);
    assert!(!forgotten.wanted());
    forgotten.into_responder().finish(());
    feed(&connection, &on_uri(3, "subscribe", "m://x"));
    let again = next(&connection);
    drain(&connection);
    twin.finish(wellhead::InterestAnswer::Failed("late".into()));
    assert_eq!(drain(&connection), "", "the delivery under way is another");
    again.into_responder().finish(());
    assert_eq!(answers(&drain(&connection), 3), 1);
}

/// Invariant 4.
#[test]
fn a_request_is_over_when_finish_is_accepted() {
    let server = server();
    server.fallback(|_| "").unwrap();
    let connection = connect(&server);
    feed(&connection, &on_uri(1, "read", "m://x"));
    next_read(&connection).into_responder().finish("first");
    feed(&connection, &cancel(1)); // too late
    feed(&connection, &on_uri(1, "read", "m://x")); // the id is free before the answer is taken
    next_read(&connection).into_responder().finish("second");
    let output = drain(&connection);
    assert!(output.contains("first") && output.contains("second"), "{output}");
}

/// Invariant 4.
#[test]
fn a_cancelled_call_keeps_its_slot_until_its_responder_is_gone() {
    let server = limited(|limits| limits.calls_in_flight = 1);
    server.fallback(|_| "").unwrap();
    let connection = connect(&server);
    feed(&connection, &on_uri(1, "read", "m://x"));
    let held = next_read(&connection);
    feed(&connection, &cancel(1));
    feed(&connection, &on_uri(2, "read", "m://x"));
    assert!(matches!(connection.poll_event(), Some(Event::Cancel(_))));
    assert!(connection.poll_event().is_none());
    drop(held);
    next_read(&connection).into_responder().finish("second");
    assert_eq!(answers(&drain(&connection), 2), 1);
}

/// Invariant 4.
#[test]
fn a_call_that_was_not_taken_is_cancelled_without_an_event() {
    let server = server();
    server.list("rows", |_| Page::default()).unwrap();
    let connection = connect(&server);
    feed(&connection, &request(1, "resources/list", "{}"));
    feed(&connection, &cancel(1));
    feed(&connection, r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#);
    let mut events = Vec::new();
    while let Some(event) = connection.poll_event() {
        events.push(event);
    }
    // Either it left before the cancellation was read, and is followed by it, or it never left.
    assert!(matches!(&events[..], [] | [Event::List(_), Event::Cancel(_)]), "{events:?}");
    drop(events);
    assert_eq!(answers(&drain(&connection), 1), 0);
}

/// Invariants 4 and 8.
#[test]
fn an_answer_that_is_taken_half_by_half_leaves_no_exchange_behind() {
    let server = server();
    server.text("m://large", "x".repeat(200_000)).unwrap();
    let connection = connect(&server);
    let (route, event) = connection.handle_on_route(on_uri(1, "read", "m://large").as_bytes()).unwrap();
    assert!(event.is_none());
    let mut bytes = 0;
    while let wellhead::DrainStart::Ready(mut drain) = connection.drain(route) {
        let Some(transmit) = drain.poll_transmit(10_000) else { break };
        let taken = transmit.bytes.len();
        assert_eq!(transmit.first, bytes == 0);
        bytes += taken;
        drain.wrote(taken); // and hand over
    }
    assert!(bytes > 200_000);
    assert!(matches!(
        connection.handle(br#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#),
        Ok(Handled::Answer(_))
    ));
    connection.end();
    serve(&connection);
    assert!(connection.is_finished());
    assert!(matches!(connection.drain(route), wellhead::DrainStart::Empty));
    assert!(matches!(connection.drain(Route::Connection), wellhead::DrainStart::Empty));
}

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Invariant 8.
#[test]
fn handles_go_in_any_order_and_the_last_owner_frees_the_state_once() {
    // Which handle goes when: every order of server, group, connection, drain, responder and event.
    let mut order: Vec<usize> = (0..6).collect();
    let mut orders = Vec::new();
    permutations(&mut order, 0, &mut orders);
    assert_eq!(orders.len(), 720);
    for order in orders {
        let freed = Arc::new(AtomicUsize::new(0));
        let server = server();
        let (a, b, c) = (Counted(freed.clone()), Counted(freed.clone()), Counted(freed.clone()));
        server
            .template("m://{id}", move |_| {
                let _ = &a;
                ""
            })
            .unwrap();
        server
            .on_interest(move |_| {
                let _ = &b;
            })
            .unwrap();
        let group = server.group(move || {
            let _ = &c;
        });
        let connection = group.connect(wellhead::Caller::default().with_value(Counted(freed.clone())));
        crate::support::greet(&connection);
        feed(&connection, &on_uri(1, "read", "m://x"));
        let responder = next_read(&connection).into_responder();
        feed(&connection, &on_uri(2, "subscribe", "m://y"));
        let event = connection.poll_event();
        assert!(matches!(event, Some(Event::Interest(_))));
        feed(&connection, r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
        serve(&connection);
        let wellhead::DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else {
            panic!("there is output")
        };
        drain.poll_transmit(5);
        let mut handles: Vec<Option<Box<dyn std::any::Any>>> = vec![
            Some(Box::new(server)),
            Some(Box::new(group)),
            Some(Box::new(connection)),
            Some(Box::new(drain)),
            Some(Box::new(responder)),
            Some(Box::new(event)),
        ];
        for at in order {
            handles[at].take();
        }
        assert_eq!(freed.load(Ordering::SeqCst), 4);
    }
}

fn permutations(items: &mut Vec<usize>, from: usize, found: &mut Vec<Vec<usize>>) {
    if from == items.len() {
        found.push(items.clone());
        return;
    }
    for at in from..items.len() {
        items.swap(from, at);
        permutations(items, from + 1, found);
        items.swap(from, at);
    }
}

/// Invariant 5: wakes come when something is gained, not while the group is at work, and never get lost between.
#[test]
fn a_group_is_woken_when_it_is_idle_and_not_while_it_is_not() {
    let server = server();
    server.text("m://x", "x").unwrap();
    let wakes = Arc::new(AtomicUsize::new(0));
    let count = wakes.clone();
    let group = server.group(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let connection = group.connect(wellhead::Caller::default());
    crate::support::greet(&connection);
    assert_eq!(answers(&send_request(&connection, &on_uri(1, "subscribe", "m://x")), 1), 1);
    while group.next().is_some() {}
    wakes.store(0, Ordering::SeqCst);
    for _ in 0..3 {
        server.notify_updated("m://x").unwrap();
    }
    assert_eq!(wakes.load(Ordering::SeqCst), 1, "one wake until the group has looked");
    assert_eq!(group.next().map(|ready| ready.id()), Some(connection.id()));
    assert_eq!(drain(&connection).matches("resources/updated").count(), 1);
    server.notify_updated("m://x").unwrap();
    assert_eq!(wakes.load(Ordering::SeqCst), 1, "the group is not idle yet");
    assert!(group.next().is_some(), "but hears of it before it is");
    assert!(group.next().is_none());
    drain(&connection);
    server.notify_updated("m://x").unwrap();
    assert_eq!(wakes.load(Ordering::SeqCst), 2);
}
