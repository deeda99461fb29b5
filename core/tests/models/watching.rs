//! Subscribe, acknowledge, change, unsubscribe and close, across connections and the hub.

use crate::models::support::{
    Driver, answers, drain, explore, feed, greet, limited, note, on_uri, request, server, updates,
};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::thread;
use std::sync::Arc;
use wellhead::{Connection, Event, InterestCall, Limits, Server, Verdict};

const URI: &str = "a://b";

/// A server that serves [`URI`], asks about everything and tells what is watched.
fn watched_server(authorise: bool, interest: bool) -> Server {
    let server = server();
    server.text(URI, "x").expect("a new URI");
    if authorise {
        server.authorize(|_| Vec::new()).expect("the server is open");
    }
    if interest {
        server.on_interest(|_| ()).expect("the server is open");
    }
    server
}

fn allow(event: Event) {
    match event {
        Event::Authorize(call) => {
            let verdicts: Vec<_> = call.targets().map(|_| Verdict::Allow).collect();
            call.into_responder().finish(verdicts);
        }
        Event::Interest(call) => drop(call.into_responder().finish(())),
        _ => {}
    }
}

/// Checks that the application hears "wanted" and "not wanted" in turn, beginning with "wanted".
#[derive(Default)]
struct Interests(Mutex<Vec<bool>>);

impl Interests {
    fn hear(&self, call: InterestCall) {
        let mut heard = self.0.lock().expect("no panic");
        assert_ne!(heard.last().copied().unwrap_or(false), call.wanted(), "it was told so already");
        heard.push(call.wanted());
        drop(heard);
        call.into_responder().finish(());
    }

    fn is_watched(&self) -> bool {
        self.0.lock().expect("no panic").last().copied().unwrap_or(false)
    }
}

/// A client that has been acknowledged and then looks sees either the newest value or a notification.
pub(crate) fn subscribe_while_it_changes() {
    let server = watched_server(true, true);
    let driver = Driver::new(&server);
    let connection = driver.connect();
    greet(&connection);
    let value = Arc::new(AtomicUsize::new(0));
    let changes = thread::spawn({
        let (server, value) = (server.clone(), value.clone());
        move || {
            for _ in 0..3 {
                value.fetch_add(1, Ordering::SeqCst);
                server.notify_updated(URI).expect("the server is open");
            }
        }
    });
    feed(&connection, &[on_uri(1, "subscribe", URI)]);
    while let Some(event) = connection.poll_event() {
        thread::spawn(move || allow(event)); // a continuation that only a wake tells of
    }
    let output = Mutex::new(drain(&connection));
    let (mut changes, mut seen) = (Some(changes), None);
    driver.serve(
        |event| drop(thread::spawn(move || allow(event))),
        |connection| output.lock().expect("one thread").push_str(&drain(connection)),
        || {
            let output = output.lock().expect("one thread");
            if answers(&output, 1) == 0 {
                return false;
            }
            assert!(output.find("updated").is_none_or(|at| output[..at].contains(r#""id":1,"#)), "{output}");
            let at_acknowledgement = *seen.get_or_insert_with(|| value.load(Ordering::SeqCst));
            if let Some(changes) = changes.take() {
                changes.join().expect("it ends");
            }
            // Otherwise the next wake is still to come; without it this hangs.
            at_acknowledgement == 3 || updates(&output, URI) > 0
        },
    );
}

#[test]
fn no_change_falls_between_the_acknowledgement_and_the_first_notification() {
    explore(7_500, subscribe_while_it_changes);
}

#[test]
fn every_subscribe_and_unsubscribe_is_answered_and_the_hub_is_empty_afterwards() {
    explore(5_000, || {
        let server = watched_server(false, true);
        let driver = Driver::new(&server);
        let interests = Arc::new(Interests::default());
        let connections = [driver.connect(), driver.connect()];
        let clients: Vec<_> = connections
            .iter()
            .map(|connection| {
                greet(connection);
                let connection = connection.clone();
                thread::spawn(move || {
                    feed(&connection, &[on_uri(1, "subscribe", URI), on_uri(2, "unsubscribe", URI)]);
                    connection.end(); // wakes, so that the driver polls
                })
            })
            .collect();
        let changes = thread::spawn({
            let server = server.clone();
            move || server.notify_updated(URI).expect("the server is open")
        });
        let outputs: Vec<_> = connections.iter().map(|_| Mutex::new(String::new())).collect();
        driver.serve(
            |event| {
                if let Event::Interest(call) = event {
                    interests.hear(call);
                }
            },
            |ready| {
                for (connection, output) in connections.iter().zip(&outputs) {
                    if connection.id() == ready.id() {
                        output.lock().expect("one thread").push_str(&drain(ready));
                    }
                }
            },
            || {
                let answered = |output: &Mutex<String>| {
                    let output = output.lock().expect("one thread");
                    answers(&output, 1) == 1 && answers(&output, 2) == 1
                };
                outputs.iter().all(answered) && server.watched_uris() == 0
            },
        );
        assert!(!interests.is_watched());
        for thread in clients.into_iter().chain([changes]) {
            thread.join().expect("it ends");
        }
    });
}

#[test]
fn an_unsubscribe_overtakes_a_verdict_and_an_interest_under_way() {
    explore(5_000, || {
        let server = watched_server(true, true);
        let driver = Driver::new(&server);
        let connection = driver.connect();
        greet(&connection);
        feed(&connection, &[on_uri(1, "subscribe", URI)]);
        let mut threads = Vec::new();
        while let Some(event) = connection.poll_event() {
            threads.push(thread::spawn(move || allow(event)));
        }
        threads.push(thread::spawn({
            let connection = connection.clone();
            move || {
                feed(&connection, &[on_uri(2, "unsubscribe", URI)]);
                while let Some(event) = connection.poll_event() {
                    allow(event);
                }
            }
        }));
        let output = Mutex::new(drain(&connection));
        for thread in threads {
            thread.join().expect("it ends");
        }
        output.lock().expect("one thread").push_str(&drain(&connection));
        driver.serve(
            allow,
            |connection| output.lock().expect("one thread").push_str(&drain(connection)),
            || {
                let output = output.lock().expect("one thread");
                answers(&output, 1) == 1 && answers(&output, 2) == 1 && server.watched_uris() == 0
            },
        );
        server.notify_updated(URI).expect("the server is open");
        assert_eq!(updates(&drain(&connection), URI), 0, "it is not subscribed");
    });
}

#[test]
fn closing_a_subscriber_empties_its_place_in_the_hub_and_hangs_no_other() {
    explore(5_000, || {
        let server = watched_server(false, true);
        let driver = Driver::new(&server);
        let interests = Arc::new(Interests::default());
        let (stays, goes) = (driver.connect(), driver.connect());
        let id = stays.id();
        greet(&stays);
        greet(&goes);
        feed(&goes, &[on_uri(1, "subscribe", URI)]);
        let leaves = thread::spawn({
            let interests = interests.clone();
            move || {
                if let Some(Event::Interest(call)) = goes.poll_event() {
                    interests.hear(call);
                }
                goes.close();
                drop(goes);
            }
        });
        feed(&stays, &[on_uri(1, "subscribe", URI)]);
        let hear = |event| {
            if let Event::Interest(call) = event {
                interests.hear(call);
            }
        };
        while let Some(event) = stays.poll_event() {
            hear(event);
        }
        let output = Mutex::new(drain(&stays));
        let take = |ready: &Connection| {
            let taken = drain(ready);
            if ready.id() == id {
                output.lock().expect("one thread").push_str(&taken);
            }
        };
        driver.serve(hear, take, || answers(&output.lock().expect("one thread"), 1) == 1);
        leaves.join().expect("it ends");
        assert!(interests.is_watched(), "one still watches");
        server.notify_updated(URI).expect("the server is open");
        driver.serve(hear, take, || updates(&output.lock().expect("one thread"), URI) == 1);
        drop(stays);
        driver.serve(hear, |_| {}, || server.watched_uris() == 0);
        assert!(!interests.is_watched());
    });
}

#[test]
fn a_failed_interest_refuses_the_waiting_subscribers_and_leaves_room_for_others() {
    explore(3_000, || {
        let mut limits = Limits::default();
        limits.subscriptions_total = 1;
        let server = limited(limits);
        server.text(URI, "x").expect("a new URI");
        server.text("a://other", "x").expect("a new URI");
        server.on_interest(|_| ()).expect("the server is open");
        let driver = Driver::new(&server);
        let connection = driver.connect();
        greet(&connection);
        feed(&connection, &[on_uri(1, "subscribe", URI), on_uri(2, "subscribe", URI)]);
        let Some(Event::Interest(call)) = connection.poll_event() else { panic!("an interest") };
        let fails = thread::spawn(move || drop(call));
        let output = Mutex::new(drain(&connection));
        let accept = |event| {
            if let Event::Interest(call) = event {
                call.into_responder().finish(());
            }
        };
        driver.serve(
            accept,
            |connection| output.lock().expect("one thread").push_str(&drain(connection)),
            || (1..=2).all(|id| answers(&output.lock().expect("one thread"), id) == 1),
        );
        fails.join().expect("it ends");
        feed(&connection, &[on_uri(3, "unsubscribe", URI), on_uri(4, "subscribe", "a://other")]);
        while let Some(event) = connection.poll_event() {
            accept(event);
        }
        let output = drain(&connection);
        assert!(
            output.lines().any(|line| line.contains(r#""id":4,"#) && line.contains("result")),
            "{output}"
        );
    });
}

/// A listen stream of the stateless revision.
fn listen(id: usize, uris: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let params = format!(
        r#"{{"notifications":{{"resourcesListChanged":true,"resourceSubscriptions":[{uris}]}},{meta}}}"#
    );
    request(id, "subscriptions/listen", &params)
}

#[test]
fn a_listen_stream_is_acknowledged_before_its_changes_and_ends_without_a_trace() {
    explore(5_000, || {
        let server = watched_server(true, true);
        server.text("a://other", "x").expect("a new URI");
        let driver = Driver::new(&server);
        let connection = driver.connect();
        feed(&connection, &[listen(1, r#""a://b","a://other""#)]);
        let mut threads = Vec::new();
        while let Some(event) = connection.poll_event() {
            threads.push(thread::spawn(move || allow(event)));
        }
        threads.push(thread::spawn({
            let server = server.clone();
            move || {
                server.notify_updated(URI).expect("the server is open");
                server.notify_updated("a://other").expect("the server is open");
                server.notify_resource_list_changed().expect("the server is open");
            }
        }));
        let output = Mutex::new(drain(&connection));
        driver.serve(
            allow,
            |connection| output.lock().expect("one thread").push_str(&drain(connection)),
            || output.lock().expect("one thread").contains("acknowledged"),
        );
        for thread in threads {
            thread.join().expect("it ends");
        }
        output.lock().expect("one thread").push_str(&drain(&connection));
        let output = output.into_inner().expect("one thread");
        let first = output.lines().next().unwrap_or_default();
        assert!(first.contains("acknowledged"), "{output}");
        feed(&connection, &[note("cancelled", r#"{"requestId":1}"#)]);
        let polls = |connection: &Connection| {
            while let Some(event) = connection.poll_event() {
                allow(event);
            }
        };
        polls(&connection);
        driver.serve(allow, polls, || server.watched_uris() == 0);
        server.notify_updated(URI).expect("the server is open");
        server.notify_resource_list_changed().expect("the server is open");
        assert_eq!(drain(&connection), "");
    });
}

#[test]
fn a_server_that_closes_ends_new_connections_and_forgets_their_subscriptions() {
    explore(5_000, || {
        let server = watched_server(false, false);
        let closes = thread::spawn({
            let server = server.clone();
            move || server.close()
        });
        let connects = thread::spawn({
            let server = server.clone();
            move || {
                let connection = server.connect(wellhead::Caller::default());
                feed(
                    &connection,
                    &[crate::models::support::INITIALIZE.to_owned(), on_uri(1, "subscribe", URI)],
                );
                while connection.poll_event().is_some() {}
                connection
            }
        });
        let connection = connects.join().expect("it ends");
        closes.join().expect("it ends");
        assert!(connection.is_closed());
        drain(&connection);
        assert!(connection.is_finished());
        assert_eq!(server.watched_uris(), 0);
    });
}
