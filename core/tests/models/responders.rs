//! Finish, cancel, close and drop meet: a request has exactly one answer, or none.

use crate::models::support::{answers, cancel, drain, explore, feed, greet, on_uri, server};
use shuttle::sync::Mutex;
use shuttle::thread;
use std::sync::Arc;
use wellhead::{Call, Caller, Connection, Event, Responder};

type Responding = Responder<wellhead::Answer>;

/// A connection with pending reads, in the order of their ids from 1.
fn reading(count: usize) -> (Connection, Vec<Call>) {
    let server = server();
    server.fallback(|_| "").expect("the server is open");
    let connection = server.connect(Caller::default());
    greet(&connection);
    let messages: Vec<_> = (1..=count).map(|id| on_uri(id, "read", &format!("a://{id}"))).collect();
    feed(&connection, &messages);
    let mut calls = Vec::new();
    while let Some(event) = connection.poll_event() {
        if let Event::Read(call) = event {
            calls.push(call);
        }
    }
    assert_eq!(calls.len(), count);
    std::mem::forget(server); // as an application does that serves until its process ends
    (connection, calls)
}

fn cancels(connection: &Connection, id: usize) {
    feed(connection, &[cancel(id)]);
    while let Some(event) = connection.poll_event() {
        if let Event::Read(call) = event {
            call.into_responder().finish("later");
        }
    }
}

/// Two handles of one question answer while the client cancels and asks again: every answer is its own request's.
pub(crate) fn finish_twice_and_cancel() {
    let (connection, mut calls) = reading(1);
    let call = calls.pop().expect("one");
    let (deferred, twin) = call.defer();
    drop(deferred);
    let first = call.into_responder();
    let finishes = |responder: Responding| thread::spawn(move || responder.finish("early"));
    let (one, two) = (finishes(first), finishes(twin));
    let client = thread::spawn({
        let connection = connection.clone();
        move || {
            cancels(&connection, 1);
            feed(&connection, &[on_uri(2, "read", "a://2")]);
            let mut held = Vec::new();
            while let Some(event) = connection.poll_event() {
                if let Event::Read(call) = event {
                    held.push(call.into_responder());
                }
            }
            thread::yield_now();
            for responder in held {
                responder.finish("later");
            }
        }
    });
    client.join().expect("it ends");
    let wanted = [one, two].map(|thread| thread.join().expect("it ends"));
    let output = drain(&connection);
    let early = wanted.iter().filter(|wanted| **wanted).count();
    assert!(early <= 1, "only one answer is wanted");
    assert_eq!(answers(&output, 1), early, "an answer that was wanted is sent, another is not: {output}");
    assert_eq!(output.matches("early").count(), early, "{output}");
    assert_eq!(answers(&output, 2), 1, "{output}");
    assert_eq!(output.matches("later").count(), 1, "{output}");
    connection.end();
    while connection.poll_event().is_some() {}
    assert!(connection.is_finished(), "every slot is free");
}

#[test]
fn a_request_is_answered_once_however_finish_and_cancel_meet() {
    explore(7_500, finish_twice_and_cancel);
}

#[test]
fn a_request_is_answered_once_or_not_at_all_however_finish_drop_and_close_meet() {
    explore(7_500, || {
        let (connection, calls) = reading(3);
        let [one, two, three]: [Call; 3] = calls.try_into().expect("three");
        let cancelled = three.into_responder();
        let answering: [thread::JoinHandle<bool>; 3] = [
            thread::spawn(move || one.into_responder().finish("x")),
            thread::spawn(move || {
                drop(two); // an internal error
                true
            }),
            thread::spawn(move || {
                let late = cancelled.is_cancelled();
                let wanted = cancelled.finish("z");
                assert!(!(late && wanted), "the client does not wait for what was cancelled");
                wanted
            }),
        ];
        let closes = thread::spawn({
            let connection = connection.clone();
            move || connection.close()
        });
        let drained = drain(&connection);
        let wanted = answering.map(|thread| thread.join().expect("it ends"));
        closes.join().expect("it ends");
        let output = drained + &drain(&connection);
        for id in 1..=3 {
            let sent = answers(&output, id);
            assert!(sent <= 1 && (wanted[id - 1] || sent == 0), "{id}: {wanted:?} {output}");
        }
        assert!(connection.is_finished());
    });
}

#[test]
fn responders_may_outlive_their_connection_and_server() {
    explore(3_000, || {
        let server = server();
        server.fallback(|_| "").expect("the server is open");
        server.on_interest(|_| ()).expect("the server is open");
        let connection = server.connect(Caller::default());
        greet(&connection);
        feed(
            &connection,
            &[on_uri(1, "read", "a://1"), on_uri(2, "read", "a://2"), on_uri(3, "subscribe", "a://3")],
        );
        let held: Vec<_> = std::iter::from_fn(|| connection.poll_event()).collect();
        assert_eq!(held.len(), 3);
        let answering: Vec<_> = held.into_iter().map(|event| thread::spawn(move || event.run())).collect();
        let gone = [thread::spawn(move || drop(connection)), thread::spawn(move || drop(server))];
        for thread in answering.into_iter().chain(gone) {
            thread.join().expect("it ends");
        }
    });
}

#[test]
fn a_slot_is_kept_until_the_responder_of_a_cancelled_call_is_gone() {
    explore(4_000, || {
        let mut limits = wellhead::Limits::default();
        limits.calls_in_flight = 1;
        let server = crate::models::support::limited(limits);
        server.fallback(|_| "").expect("the server is open");
        let driver = crate::models::support::Driver::new(&server);
        let connection = driver.connect();
        greet(&connection);
        feed(&connection, &[on_uri(1, "read", "a://1")]);
        let Some(Event::Read(call)) = connection.poll_event() else { panic!("a read") };
        feed(&connection, &[on_uri(2, "read", "a://2"), cancel(1)]);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let holder = thread::spawn({
            let seen = seen.clone();
            move || {
                seen.lock().expect("no panic").push("gone");
                drop(call);
            }
        });
        let polls = |event: Event| {
            if let Event::Read(call) = event {
                seen.lock().expect("no panic").push("second");
                call.into_responder().finish("x");
            }
        };
        while let Some(event) = connection.poll_event() {
            polls(event);
        }
        let output = Mutex::new(drain(&connection));
        driver.serve(
            polls,
            |connection| output.lock().expect("no panic").push_str(&drain(connection)),
            || answers(&output.lock().expect("no panic"), 2) == 1,
        );
        holder.join().expect("it ends");
        assert_eq!(*seen.lock().expect("no panic"), ["gone", "second"]);
    });
}
