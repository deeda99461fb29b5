//! Output passes from drainer to drainer: every byte in order, exactly once.

use crate::models::support::{Bell, answered, answers, explore, feed, greet, on_uri, ping, server};
use shuttle::sync::Mutex;
use shuttle::thread;
use std::sync::Arc;
use wellhead::{Caller, Connection, DrainStart, Handled, Route};

/// Takes at most this many bytes in at most this many pieces, then hands the drain over. Returns whether it got it.
fn take_some(connection: &Connection, wire: &Mutex<Vec<u8>>, bytes: usize, pieces: usize) -> bool {
    let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else { return false };
    for _ in 0..pieces {
        let Some(transmit) = drain.poll_transmit(bytes) else { return true };
        let half = transmit.bytes.len().div_ceil(2);
        wire.lock().expect("no drainer panics").extend_from_slice(&transmit.bytes[..half]);
        thread::yield_now();
        drain.wrote(half);
    }
    true
}

pub(crate) fn several_drainers() {
    let server = server();
    let large = "0123456789".repeat(7_000); // more than what is escaped at once
    server.text("a://large", large.clone()).expect("a new URI");
    server.resource("a://later", |_| "").expect("a new URI");
    let bell = Arc::new(Bell::default());
    let group = server.group({
        let bell = bell.clone();
        move || bell.ring()
    });
    let connection = group.connect(Caller::default());
    greet(&connection);
    feed(
        &connection,
        &[ping(1), on_uri(2, "read", "a://large"), ping(3), on_uri(4, "read", "a://later"), ping(5)],
    );
    let mut later = Vec::new();
    while let Some(event) = connection.poll_event() {
        later.push(event);
    }
    let wire = Arc::new(Mutex::new(Vec::new()));
    let finishes = thread::spawn(move || later.into_iter().for_each(wellhead::Event::run));
    let other = thread::spawn({
        let (connection, wire) = (connection.clone(), wire.clone());
        move || {
            take_some(&connection, &wire, 50, 2);
            take_some(&connection, &wire, 30_000, 1);
            take_some(&connection, &wire, 3, 3);
        }
    });
    take_some(&connection, &wire, 10, 3);
    loop {
        while group.next().is_some() {}
        while take_some(&connection, &wire, 40_000, 5) {}
        let complete = {
            let wire = wire.lock().expect("no drainer panics");
            let wire = String::from_utf8_lossy(&wire);
            wire.ends_with('\n') && (1..=5).all(|id| answers(&wire, id) > 0)
        };
        if complete {
            break;
        }
        bell.wait();
    }
    finishes.join().expect("it ends");
    other.join().expect("it ends");
    let wire = wire.lock().expect("no drainer panics");
    let wire = std::str::from_utf8(&wire).expect("no character was torn for good");
    let mut ids = answered(wire);
    assert_eq!(ids.iter().copied().filter(|id| *id != 4).collect::<Vec<_>>(), [1, 2, 3, 5], "in order");
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4, 5], "exactly once");
    assert_eq!(wire.matches(&large).count(), 1, "nothing is torn");
    assert_eq!(wire.lines().count(), 5);
}

#[test]
fn drainers_hand_half_written_messages_over_without_loss_or_repetition() {
    explore(3_000, several_drainers);
}

#[test]
fn a_drain_that_ends_while_output_arrives_leaves_no_output_behind() {
    explore(5_000, || {
        let server = server();
        server.resource("a://later", |_| "").expect("a new URI");
        let bell = Arc::new(Bell::default());
        let group = server.group({
            let bell = bell.clone();
            move || bell.ring()
        });
        let connection = group.connect(Caller::default());
        greet(&connection);
        feed(&connection, &[ping(1), on_uri(2, "read", "a://later"), on_uri(3, "read", "a://later")]);
        let mut later = Vec::new();
        while let Some(event) = connection.poll_event() {
            later.push(event);
        }
        let finishers: Vec<_> = later.into_iter().map(|event| thread::spawn(move || event.run())).collect();
        let wire = Mutex::new(Vec::new());
        loop {
            while group.next().is_some() {}
            while take_some(&connection, &wire, 1_000, 100) {}
            if answered(&String::from_utf8_lossy(&wire.lock().expect("one thread"))).len() == 3 {
                break;
            }
            bell.wait();
        }
        for finisher in finishers {
            finisher.join().expect("it ends");
        }
    });
}

#[test]
fn messages_in_hand_get_their_own_answers_from_several_threads() {
    explore(2_000, || {
        let server = server();
        server.resource("a://1", |_| "one").expect("a new URI");
        server.resource("a://2", |_| "two").expect("a new URI");
        let connection = server.connect(Caller::default());
        greet(&connection);
        let hands: Vec<_> = [(1, "one"), (2, "two")]
            .into_iter()
            .map(|(id, text)| {
                let connection = connection.clone();
                thread::spawn(move || {
                    let message = on_uri(id, "read", &format!("a://{id}"));
                    let answer = match connection.handle(message.as_bytes()).expect("it is open") {
                        Handled::Answer(answer) => answer,
                        // The other thread runs the callback.
                        Handled::Later(route) => loop {
                            if let DrainStart::Ready(mut drain) = connection.drain(route) {
                                let transmit = drain.poll_transmit(usize::MAX).expect("it is ready");
                                assert!(transmit.first && transmit.last);
                                assert_eq!(transmit.total, Some(transmit.bytes.len() as u64));
                                let answer = transmit.bytes.to_vec();
                                drain.wrote(answer.len());
                                break answer;
                            }
                            thread::yield_now();
                        },
                        Handled::Nothing => panic!("a request has an answer"),
                    };
                    let answer = String::from_utf8(answer).expect("output is text");
                    assert_eq!(answers(&answer, id), 1, "{answer}");
                    assert!(answer.contains(text), "{answer}");
                })
            })
            .collect();
        for hand in hands {
            hand.join().expect("it ends");
        }
        connection.end();
        assert!(connection.is_finished(), "no exchange is left");
    });
}
