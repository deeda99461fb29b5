//! Host code never runs, and host values are never dropped, while a lock is held. Debug builds assert it in every
//! [`wellhead`] call, so these tests make the application come back in from everywhere it can.

use crate::support::{
    answers, cancel, connect, drain, feed, next_read, on_uri, request, send_request, serve, server,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use wellhead::{
    Body, Call, Event, ListCall, Page, Provider, Resource, Server, SharedBytes, SharedText, Template, Verdict,
};

/// Calls the server when it is dropped, and when it is looked at.
struct Meddler {
    server: Server,
    text: String,
    dropped: Arc<AtomicUsize>,
}

impl Meddler {
    fn meddle(&self) {
        // Each takes a lock: the catalog's, the hub's, and those of all connections.
        let _ = self.server.notify_updated("m://watched");
        let _ = self.server.notify_resource_list_changed();
        let _ = self.server.remove_resource("m://nothing");
    }
}

impl Drop for Meddler {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
        self.meddle();
    }
}

impl AsRef<str> for Meddler {
    fn as_ref(&self) -> &str {
        self.meddle();
        &self.text
    }
}

impl AsRef<[u8]> for Meddler {
    fn as_ref(&self) -> &[u8] {
        self.meddle();
        self.text.as_bytes()
    }
}

impl Provider for Meddler {}

/// Makes meddlers of one server and counts those that are gone.
struct Maker {
    server: Server,
    made: AtomicUsize,
    dropped: Arc<AtomicUsize>,
}

impl Maker {
    fn new() -> Maker {
        let server = server();
        server.text("m://watched", "x").unwrap();
        Maker { server, made: AtomicUsize::new(0), dropped: Arc::default() }
    }

    fn meddler(&self, length: usize) -> Meddler {
        self.made.fetch_add(1, Ordering::SeqCst);
        Meddler { server: self.server.clone(), text: "x".repeat(length), dropped: self.dropped.clone() }
    }

    fn text(&self, length: usize) -> Body {
        Body::from(Arc::new(self.meddler(length)) as SharedText)
    }

    fn blob(&self, length: usize) -> Body {
        Body::from(Arc::new(self.meddler(length)) as SharedBytes)
    }

    fn provider(&self) -> Arc<dyn Provider> {
        Arc::new(self.meddler(0))
    }

    /// Every one that was made is gone.
    fn assert_none_is_left(&self) {
        assert_eq!(self.dropped.load(Ordering::SeqCst), self.made.load(Ordering::SeqCst));
    }
}

const SIZES: [usize; 3] = [10, 64 << 10, 500 << 10];

/// Invariant 3.
#[test]
fn a_body_may_call_the_server_when_it_is_looked_at_and_when_it_is_dropped() {
    let maker = Maker::new();
    let connection = connect(&maker.server);
    feed(&connection, &on_uri(1, "subscribe", "m://watched"));
    serve(&connection);
    for (n, size) in SIZES.into_iter().enumerate() {
        let uri = format!("m://fixed/{n}");
        let handle = maker.server.value(uri.as_str(), maker.text(size)).unwrap();
        assert!(send_request(&connection, &on_uri(2, "read", &uri)).contains(&"x".repeat(size)));
        handle.set(maker.blob(size)).unwrap();
        assert_eq!(answers(&send_request(&connection, &on_uri(2, "read", &uri)), 2), 1);
        handle.remove().unwrap();
    }
    maker.assert_none_is_left();
}

/// Invariant 3.
#[test]
fn a_callback_that_is_refused_at_registration_is_dropped_without_a_lock() {
    let maker = Maker::new();
    let server = &maker.server;
    assert!(server.value("m://watched", maker.text(1)).is_err());
    assert!(server.value("no uri", maker.text(1)).is_err());
    assert!(server.set("m://unknown", maker.text(1)).is_err());
    assert!(server.add_resource("m://watched", Some(maker.provider())).is_err());
    assert!(server.add_template(Template::new("m://{"), Some(maker.provider()), false).is_err());
    server.add_list(Some("rows".into()), None).unwrap();
    assert!(server.add_list(Some("rows".into()), Some(maker.provider())).is_err());
    server.set_fallback(Some(maker.provider())).unwrap();
    server.set_fallback(None).unwrap();
    maker.assert_none_is_left();
}

/// Invariant 3.
#[test]
fn answers_of_every_fate_are_dropped_without_a_lock() {
    let maker = Maker::new();
    let server = &maker.server;
    server.fallback(|_| "").unwrap();
    for size in SIZES {
        let connection = connect(server);
        let held: Vec<_> = (1..=4)
            .map(|id| {
                feed(&connection, &on_uri(id, "read", "m://x"));
                next_read(&connection).into_responder()
            })
            .collect();
        let mut held = held.into_iter();
        let mut next = || held.next().unwrap();
        next().finish(maker.text(size)); // taken below
        drain(&connection);
        feed(&connection, &cancel(2));
        serve(&connection);
        next().finish(maker.blob(size)); // cancelled
        next().finish(maker.text(size)); // never taken
        connection.close();
        next().finish(maker.text(size)); // late
    }
    maker.assert_none_is_left();
}

/// Invariant 3.
#[test]
fn callbacks_that_were_removed_while_their_call_was_under_way_are_dropped_without_a_lock() {
    let maker = Maker::new();
    let server = &maker.server;
    server.authorize(|_| Vec::<Verdict>::new()).unwrap();
    for closes in [false, true] {
        let connection = connect(server);
        server.add_resource("m://read", Some(maker.provider())).unwrap();
        server.add_list(Some("rows".into()), Some(maker.provider())).unwrap();
        feed(&connection, &on_uri(1, "read", "m://read"));
        feed(&connection, &request(2, "resources/list", "{}"));
        let mut questions = Vec::new();
        while let Some(event) = connection.poll_event() {
            let Event::Authorize(call) = event else { panic!("only verdicts") };
            let uris = call.targets().len();
            questions.push((uris, call.into_responder()));
        }
        // The verdicts lead to a read and a list call that are queued, and never taken.
        for (uris, responder) in questions {
            responder.finish(vec![Verdict::Allow; uris]);
        }
        server.remove_resource("m://read").unwrap();
        server.remove_list("rows").unwrap();
        if closes {
            connection.close();
        } else {
            feed(&connection, &cancel(1));
            feed(&connection, &cancel(2));
        }
        while let Some(event) = connection.poll_event() {
            drop(event);
        }
    }
    maker.assert_none_is_left();
}

/// Invariant 3.
#[test]
fn a_callback_may_change_registrations_announce_changes_and_finish_its_own_responder() {
    let server = server();
    server.text("m://watched", "x").unwrap();
    let inside = server.clone();
    server
        .template("m://{id}", move |call: Call| {
            inside.notify_updated("m://watched").unwrap();
            inside.set("m://watched", "y").unwrap();
            inside.text(format!("made://{}", call.uri().len()).as_str(), "z").ok();
            inside.notify_resource_list_changed().unwrap();
            let (deferred, responder) = call.defer();
            assert!(responder.finish("from inside"));
            deferred
        })
        .unwrap();
    let inside = server.clone();
    server
        .list("rows", move |_: ListCall| {
            inside.notify_updated("m://watched").unwrap();
            Page::new([Resource::new("r://1")])
        })
        .unwrap();
    let inside = server.clone();
    server
        .on_interest(move |_| {
            inside.notify_updated("m://watched").unwrap();
        })
        .unwrap();
    let connection = connect(&server);
    assert_eq!(answers(&send_request(&connection, &on_uri(1, "subscribe", "m://watched")), 1), 1);
    let output = send_request(&connection, &on_uri(2, "read", "m://1"));
    assert!(output.contains("from inside") && output.contains("resources/updated"), "{output}");
    assert!(send_request(&connection, &request(3, "resources/list", "{}")).contains("r://1"));
}

/// Invariant 3.
#[test]
fn an_observer_may_read_the_counters_and_announce_changes() {
    static SERVER: OnceLock<Server> = OnceLock::new();
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    let observe = |_: &wellhead::Observed<'_>| {
        let server = SERVER.get().unwrap();
        assert_eq!(server.counters().connections, 1);
        server.notify_updated("m://watched").unwrap();
        TOLD.fetch_add(1, Ordering::SeqCst); // not if one of these has panicked, which is caught
    };
    let server = Server::builder("s", "1").observe(observe).on_log(|_, _| {}).build().unwrap();
    SERVER.set(server.clone()).unwrap();
    server.text("m://watched", "x").unwrap();
    server.fallback(|_| "read").unwrap();
    server.list("rows", |_: ListCall| Page::default()).unwrap();
    server.authorize(|call: wellhead::AuthorizeCall| vec![Verdict::Allow; call.targets().len()]).unwrap();
    server.on_interest(|_| ()).unwrap();
    let connection = connect(&server);
    assert_eq!(answers(&send_request(&connection, &on_uri(1, "subscribe", "m://watched")), 1), 1);
    let output = send_request(&connection, &on_uri(2, "read", "m://x"));
    assert!(output.contains("resources/updated"), "{output}");
    send_request(&connection, &request(3, "resources/list", "{}"));
    for id in 4..7 {
        feed(&connection, &on_uri(id, "read", "m://x"));
    }
    let mut events = Vec::new();
    while let Some(event) = connection.poll_event() {
        events.push(event);
    }
    feed(&connection, &cancel(4));
    drop(events); // unanswered, one of them unwanted
    connection.close();
    let begun = server.counters().calls;
    assert!(begun > 5, "{begun} calls");
    assert_eq!(TOLD.load(Ordering::SeqCst) as u64, 2 * begun, "each was told of twice");
}

/// Invariant 3.
#[test]
fn wake_and_log_may_call_the_server() {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let meddle = || {
        if let Some(server) = SERVER.get() {
            let _ = server.notify_updated("m://watched");
        }
    };
    let server = Server::builder("s", "1").on_log(move |_, _| meddle()).build().unwrap();
    server.text("m://watched", "x").unwrap();
    server.fallback(|_| "").unwrap();
    SERVER.set(server.clone()).unwrap();
    let connection = server.group(meddle).connect(wellhead::Caller::default());
    crate::support::greet(&connection);
    assert_eq!(answers(&send_request(&connection, &on_uri(1, "subscribe", "m://watched")), 1), 1);
    feed(&connection, &on_uri(2, "read", "m://x"));
    drop(next_read(&connection)); // logged
    server.notify_updated("m://watched").unwrap(); // woken
    assert!(drain(&connection).contains("resources/updated"));
}
