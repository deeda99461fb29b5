//! A driver that polls only when woken never hangs, for every thread that answers and everything it waits for.

use crate::models::support::{
    Driver, answers, drain, explore, feed, greet, limited, on_uri, ping, request, server, updates,
};
use shuttle::sync::Mutex;
use shuttle::sync::mpsc::channel;
use shuttle::thread;
use std::sync::Arc;
use wellhead::{Event, Limits, Page, Resource, Verdict};

/// Reads, a listing of several steps, verdicts and an interest, all answered by other threads.
pub(crate) fn answers_from_other_threads() {
    let server = server();
    server.resource("a://b", |_| "x").expect("a new URI");
    server.list("rows", |_| Page::default()).expect("a new name");
    server.authorize(|_| Vec::new()).expect("the server is open");
    server.on_interest(|_| ()).expect("the server is open");
    let driver = Driver::new(&server);
    let connection = driver.connect();
    greet(&connection);
    let (questions, asked) = channel::<Event>();
    let asked = Arc::new(Mutex::new(asked));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let asked = asked.clone();
            thread::spawn(move || {
                loop {
                    let next = asked.lock().expect("no worker panics with it").recv();
                    match next {
                        Ok(event) => answer(event),
                        Err(_) => return,
                    }
                }
            })
        })
        .collect();
    feed(
        &connection,
        &[on_uri(1, "read", "a://b"), request(2, "resources/list", "{}"), on_uri(3, "subscribe", "a://b")],
    );
    // Input wakes no thread: the thread that received it polls.
    while let Some(event) = connection.poll_event() {
        questions.send(event).expect("the workers wait");
    }
    let output = Mutex::new(drain(&connection));
    let all = |output: &str| (1..=3).all(|id| answers(output, id) == 1);
    driver.serve(
        |event| questions.send(event).expect("the workers wait"),
        |connection| output.lock().expect("one thread").push_str(&drain(connection)),
        || all(&output.lock().expect("one thread")),
    );
    drop(questions);
    for worker in workers {
        worker.join().expect("a worker ends");
    }
}

fn answer(event: Event) {
    match event {
        Event::Read(call) => drop(call.into_responder().finish("text")),
        Event::List(call) => {
            let first = call.after().is_none();
            let item = Resource::new(if first { "r://1" } else { "r://2" });
            call.into_responder().finish(Page::new([item]).more(first));
        }
        Event::Authorize(call) => {
            let verdicts: Vec<_> = call.targets().map(|_| Verdict::Allow).collect();
            call.into_responder().finish(verdicts);
        }
        Event::Interest(call) => drop(call.into_responder().finish(())),
        _ => {}
    }
}

#[test]
fn a_driver_that_acts_only_when_woken_sees_every_answer_of_other_threads() {
    explore(3_000, answers_from_other_threads);
}

#[test]
fn a_change_that_another_thread_announces_wakes_the_driver() {
    explore(3_000, || {
        let server = server();
        server.text("a://b", "x").expect("a new URI");
        let driver = Driver::new(&server);
        let connections = [driver.connect(), driver.connect()];
        for connection in &connections {
            greet(connection);
            feed(connection, &[on_uri(1, "subscribe", "a://b")]);
            while connection.poll_event().is_some() {}
            assert_eq!(answers(&drain(connection), 1), 1);
        }
        let told = thread::spawn({
            let server = server.clone();
            move || {
                for _ in 0..2 {
                    server.notify_updated("a://b").expect("the server is open");
                }
                server.notify_resource_list_changed().expect("the server is open");
            }
        });
        let outputs = connections.clone().map(|_| Mutex::new(String::new()));
        driver.serve(
            drop,
            |ready| {
                for (connection, output) in connections.iter().zip(&outputs) {
                    if ready.id() == connection.id() {
                        output.lock().expect("one thread").push_str(&drain(ready));
                    }
                }
            },
            || {
                outputs.iter().all(|output| {
                    let output = output.lock().expect("one thread");
                    updates(&output, "a://b") >= 1 && output.contains("list_changed")
                })
            },
        );
        told.join().expect("it ends");
    });
}

#[test]
fn output_that_a_callback_makes_for_another_connection_wakes_its_driver() {
    explore(2_000, || {
        let (one, other) = (server(), server());
        let here = other.clone();
        one.resource("a://b", move |_| {
            here.notify_resource_list_changed().expect("the server is open");
            "x"
        })
        .expect("a new URI");
        let driver = Driver::new(&other);
        let watched = driver.connect();
        greet(&watched);
        let asking = one.connect(wellhead::Caller::default());
        greet(&asking);
        feed(&asking, &[on_uri(1, "read", "a://b")]);
        let runs = thread::spawn(move || {
            while let Some(event) = asking.poll_event() {
                asking.run(|| event.run());
            }
            assert_eq!(answers(&drain(&asking), 1), 1);
        });
        let told = Mutex::new(0);
        driver.serve(
            drop,
            |connection| {
                *told.lock().expect("one thread") += drain(connection).matches("list_changed").count();
            },
            || *told.lock().expect("one thread") == 1,
        );
        runs.join().expect("it ends");
    });
}

#[test]
fn output_of_an_exchange_for_its_connection_wakes_the_driver() {
    explore(2_000, || {
        let server = server();
        let here = server.clone();
        server
            .resource("a://b", move |_| {
                here.notify_resource_list_changed().expect("the server is open");
                "x"
            })
            .expect("a new URI");
        let driver = Driver::new(&server);
        let connection = driver.connect();
        greet(&connection);
        let hand = thread::spawn({
            let connection = connection.clone();
            move || {
                let handled = connection.handle(on_uri(1, "read", "a://b").as_bytes()).expect("it is open");
                assert!(matches!(handled, wellhead::Handled::Answer(_)), "{handled:?}");
            }
        });
        let told = Mutex::new(0);
        driver.serve(
            drop,
            |connection| {
                *told.lock().expect("one thread") += drain(connection).matches("list_changed").count();
            },
            || *told.lock().expect("one thread") == 1,
        );
        hand.join().expect("it ends");
    });
}

#[test]
fn requests_that_wait_until_the_client_reads_continue_when_it_does() {
    explore(2_000, || {
        let mut limits = Limits::default();
        limits.output_bytes = 1;
        let server = limited(limits);
        server.text("a://b", "x").expect("a new URI");
        let driver = Driver::new(&server);
        let connection = driver.connect();
        greet(&connection);
        let messages: Vec<_> = (1..=3).map(|id| on_uri(id, "read", "a://b")).chain([ping(4)]).collect();
        let feeds = thread::spawn({
            let connection = connection.clone();
            move || {
                feed(&connection, &messages);
                while connection.poll_event().is_some() {}
                drain(&connection)
            }
        });
        let output = Mutex::new(String::new());
        let fed = Mutex::new(Some(feeds));
        driver.serve(
            drop,
            |connection| output.lock().expect("one thread").push_str(&drain(connection)),
            || {
                if let Some(feeds) = fed.lock().expect("one thread").take() {
                    let taken = feeds.join().expect("it ends");
                    output.lock().expect("one thread").push_str(&taken);
                }
                (1..=4).all(|id| answers(&output.lock().expect("one thread"), id) == 1)
            },
        );
    });
}
