//! Several pollers share the input: requests keep their order, every event is handed out once, and a reader that was
//! refused is woken.

use crate::models::support::{
    Driver, answered, answers, cancel, drain, explore, feed, greet, limited, on_uri, ping, server,
};
use shuttle::sync::Mutex;
use shuttle::thread;
use std::collections::BTreeSet;
use std::sync::Arc;
use wellhead::{Caller, Connection, Event, Limits};

#[test]
fn several_pollers_keep_the_order_of_requests_and_hand_each_event_out_once() {
    explore(5_000, || {
        let server = server();
        server.text("a://fixed", "x").expect("a new URI");
        server.fallback(|_| "").expect("the server is open");
        let connection = server.connect(Caller::default());
        greet(&connection);
        let text: String = [
            ping(1),
            on_uri(2, "read", "a://fixed"),
            on_uri(10, "read", "b://1"),
            ping(3),
            on_uri(11, "read", "b://2"),
            on_uri(4, "read", "a://fixed"),
            on_uri(12, "read", "b://3"),
            ping(5),
        ]
        .map(|message| message + "\n")
        .concat();
        let calls = Arc::new(Mutex::new(Vec::new()));
        let poll = |connection: &Connection, calls: &Mutex<Vec<_>>| {
            while let Some(event) = connection.poll_event() {
                let Event::Read(call) = event else { panic!("only reads") };
                calls.lock().expect("no panic").push(call.call().expect("armed"));
                call.into_responder().finish("y");
            }
        };
        let pollers: Vec<_> = (0..2)
            .map(|_| {
                let (connection, calls) = (connection.clone(), calls.clone());
                thread::spawn(move || {
                    for _ in 0..3 {
                        poll(&connection, &calls);
                        thread::yield_now();
                    }
                })
            })
            .collect();
        for piece in text.as_bytes().chunks(90) {
            assert_eq!(connection.receive(piece), piece.len());
            thread::yield_now();
        }
        poll(&connection, &calls);
        for poller in pollers {
            poller.join().expect("it ends");
        }
        poll(&connection, &calls);
        let output = drain(&connection);
        let at_once: Vec<_> = answered(&output).into_iter().filter(|id| *id < 10).collect();
        assert_eq!(at_once, [1, 2, 3, 4, 5]);
        for id in 10..13 {
            assert_eq!(answers(&output, id), 1, "{output}");
        }
        let calls = calls.lock().expect("no panic");
        assert_eq!(calls.len(), 3);
        assert_eq!(calls.iter().collect::<BTreeSet<_>>().len(), 3);
    });
}

#[test]
fn of_two_exchanges_with_one_id_at_once_only_one_calls_the_application() {
    explore(2_000, || {
        let server = server();
        server.fallback(|_| "").expect("the server is open");
        let connection = server.connect(Caller::default());
        greet(&connection);
        let exchange = |connection: Connection| {
            let message = on_uri(7, "read", "b://1");
            let (_, event) = connection.handle_on_route(message.as_bytes()).expect("the connection is open");
            event
        };
        let other = connection.clone();
        let other = thread::spawn(move || exchange(other));
        let events = [exchange(connection), other.join().expect("it ends")];
        assert_eq!(events.iter().flatten().count(), 1);
    });
}

#[test]
fn a_reader_that_was_refused_is_woken_when_there_is_room() {
    explore(600, || {
        let mut limits = Limits::default();
        limits.calls_in_flight = 1;
        limits.message_bytes = 30 << 10; // the input budget is 64 KiB then
        let server = limited(limits);
        server.fallback(|_| "").expect("the server is open");
        let driver = Driver::new(&server);
        let connection = driver.connect();
        greet(&connection);
        let padded = |id| on_uri(id, "read", &format!("a://{}", "x".repeat(8_000))) + "\n";
        let text: String = (1..=12).map(padded).collect();
        let (questions, asked) = shuttle::sync::mpsc::channel::<Event>();
        let rest = Mutex::new(text.as_bytes());
        let output = Mutex::new(String::new());
        let queue = |event| questions.send(event).expect("the worker waits");
        let take = |connection: &Connection| output.lock().expect("one thread").push_str(&drain(connection));
        let read = || {
            let mut rest = rest.lock().expect("one thread");
            loop {
                let accepted = connection.receive(&rest);
                *rest = &rest[accepted..];
                while let Some(event) = connection.poll_event() {
                    queue(event);
                }
                take(&connection);
                if accepted == 0 || rest.is_empty() {
                    return rest.is_empty();
                }
            }
        };
        assert!(!read(), "no answer has come yet, so the reader is refused");
        let worker = thread::spawn(move || asked.into_iter().for_each(Event::run));
        // The reader offers the rest after every wake, and at no other time.
        driver.serve(queue, take, read);
        driver
            .serve(queue, take, || (1..=12).all(|id| answers(&output.lock().expect("one thread"), id) == 1));
        drop(questions);
        worker.join().expect("it ends");
    });
}

#[test]
fn unread_input_is_read_again_when_the_client_reads_its_output() {
    explore(300, || {
        let mut limits = Limits::default();
        limits.message_bytes = 1 << 10;
        limits.output_bytes = 100;
        let server = limited(limits);
        let driver = Driver::new(&server);
        let connection = driver.connect();
        greet(&connection);
        // Refused at once, each with an answer that is longer than itself.
        let flood = "x\n".repeat(2_000) + &ping(1) + "\n";
        assert_eq!(connection.receive(flood.as_bytes()), flood.len());
        while connection.poll_event().is_some() {}
        let drainer = thread::spawn({
            let connection = connection.clone();
            move || drain(&connection)
        });
        let output = Mutex::new(String::new());
        let drainer = Mutex::new(Some(drainer));
        driver.serve(
            drop,
            |connection| output.lock().expect("one thread").push_str(&drain(connection)),
            || {
                if let Some(drainer) = drainer.lock().expect("one thread").take() {
                    let taken = drainer.join().expect("it ends");
                    output.lock().expect("one thread").push_str(&taken);
                }
                answers(&output.lock().expect("one thread"), 1) == 1
            },
        );
        assert_eq!(output.lock().expect("one thread").lines().count(), 2_001);
    });
}

#[test]
fn the_end_of_input_is_seen_only_after_every_answer() {
    explore(5_000, || {
        let server = server();
        server.text("a://fixed", "x").expect("a new URI");
        server.authorize(|_| Vec::new()).expect("the server is open");
        let connection = server.connect(Caller::default());
        greet(&connection);
        feed(&connection, &[on_uri(1, "read", "a://fixed"), on_uri(2, "read", "a://fixed"), cancel(2)]);
        connection.end();
        let mut questions = Vec::new();
        while let Some(event) = connection.poll_event() {
            if let Event::Authorize(call) = event {
                questions.push(call.into_responder());
            }
        }
        let hosts: Vec<_> = questions
            .into_iter()
            .map(|question| thread::spawn(move || question.finish(vec![wellhead::Verdict::Allow])))
            .collect();
        let mut output = String::new();
        while !connection.is_finished() {
            output += &drain(&connection);
            thread::yield_now();
        }
        assert_eq!(answers(&output, 1), 1, "finished before the answer was taken");
        for host in hosts {
            host.join().expect("it ends");
        }
    });
}
