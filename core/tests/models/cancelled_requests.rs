//! A request is given up while a poller has it in hand: from then on no callback begins for it.

use crate::models::resuming::{Got, Polled, begin_session_of};
use crate::models::support::{INITIALIZE, cancel, explore, feed, limited, note, on_uri, server};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{Caller, Connection, Event, Limits, Route};

/// Says whether the client has gone.
type Gone = Arc<AtomicBool>;

/// Polls until nothing is left. No callback may begin once the client has gone.
fn poll(gone: &Gone, mut next: impl FnMut() -> Option<Event>) {
    while let Some(event) = next() {
        let had_gone = gone.load(Ordering::SeqCst);
        let begins = matches!(event, Event::Read(_)) && event.begin();
        assert!(!(begins && had_gone), "a callback begins for a client that has gone");
    }
}

/// A connection of a revision that has batches.
fn connect(limits: Limits) -> Connection {
    let server = limited(limits);
    server.fallback(|_| "x").expect("the server is open");
    let connection = server.connect(Caller::default());
    feed(&connection, &[INITIALIZE.replace("2025-11-25", "2025-03-26"), note("initialized", "{}")]);
    while connection.poll_event().is_some() {}
    connection
}

/// One thread polls while `give_up` ends the request that waits for it.
fn given_up(connection: &Connection, waits: Route, give_up: fn(&Connection, Route)) {
    let gone = Gone::default();
    let poller = thread::spawn({
        let (connection, gone) = (connection.clone(), gone.clone());
        move || poll(&gone, || connection.poll_event())
    });
    give_up(connection, waits);
    gone.store(true, Ordering::SeqCst);
    poller.join().expect("it ends");
}

fn a_request_waits_for_room(give_up: fn(&Connection, Route)) {
    let mut limits = Limits::default();
    limits.calls_in_flight = 1;
    let connection = connect(limits);
    let exchange =
        |id| connection.handle_on_route(on_uri(id, "read", "a://any").as_bytes()).expect("it is open");
    let (_, first) = exchange(1);
    let (waits, none) = exchange(2);
    assert!(none.is_none(), "there is no room");
    drop(first.expect("there is room"));
    given_up(&connection, waits, give_up);
}

fn an_element_waits_for_a_poller(give_up: fn(&Connection, Route)) {
    let connection = connect(Limits::default());
    let batch = format!("[{}]", on_uri(2, "read", "a://any"));
    let (waits, none) = connection.handle_on_route(batch.as_bytes()).expect("it is open");
    assert!(none.is_none(), "the element waits");
    given_up(&connection, waits, give_up);
}

fn cancel_by_id(connection: &Connection, _: Route) {
    connection.handle_on_route(cancel(2).as_bytes()).expect("it is open");
}

/// Has it answered in place of the application.
fn expire(connection: &Connection, waits: Route) {
    connection.expire(waits);
}

#[test]
fn a_request_that_waits_for_room_is_over_once_its_exchange_is_given_up() {
    explore(1_000, || a_request_waits_for_room(Connection::forget));
}

#[test]
fn a_request_that_waits_for_room_is_over_once_it_is_cancelled() {
    explore(1_000, || a_request_waits_for_room(cancel_by_id));
}

#[test]
fn a_request_that_waits_for_room_is_over_once_it_is_overdue() {
    explore(1_000, || a_request_waits_for_room(expire));
}

#[test]
fn an_element_of_a_batch_is_over_once_its_exchange_is_given_up() {
    explore(1_000, || an_element_waits_for_a_poller(Connection::forget));
}

#[test]
fn an_element_of_a_batch_is_over_once_it_is_overdue() {
    explore(1_000, || an_element_waits_for_a_poller(expire));
}

#[test]
fn an_element_of_a_batch_is_over_once_its_client_has_gone() {
    explore(1_000, || {
        let server = server();
        server.fallback(|_| "x").expect("the server is open");
        let endpoint = server.endpoint().build(|| {}).unwrap();
        let session = begin_session_of(&endpoint, "2025-03-26");
        let batch = format!("[{}]", on_uri(2, "read", "a://any"));
        let within = [("mcp-session-id", session.as_str())];
        let mut exchange = Polled::begin(&endpoint, "POST", &within, &batch);
        exchange.proceed(&mut Got::default(), |event| panic!("the element waits: {event:?}"));
        let gone = Gone::default();
        let poller = thread::spawn({
            let (endpoint, gone) = (endpoint.clone(), gone.clone());
            move || poll(&gone, || endpoint.poll_event())
        });
        drop(exchange);
        gone.store(true, Ordering::SeqCst);
        poller.join().expect("it ends");
    });
}
