//! Many connections in one group.

use crate::support::{answers, drain, greet, on_uri, send_request, server};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wellhead::Caller;

#[test]
fn one_change_reaches_ten_thousand_connections_of_a_group_through_one_wake() {
    let server = server();
    server.text("m://x", "x").unwrap();
    let wakes = Arc::new(AtomicUsize::new(0));
    let count = wakes.clone();
    let group = server.group(move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let connections: Vec<_> = (0..10_000)
        .map(|_| {
            let connection = group.connect(Caller::default());
            greet(&connection);
            assert_eq!(answers(&send_request(&connection, &on_uri(1, "subscribe", "m://x")), 1), 1);
            connection
        })
        .collect();
    while group.next().is_some() {}
    wakes.store(0, Ordering::SeqCst);
    server.notify_updated("m://x").unwrap();
    assert_eq!(wakes.load(Ordering::SeqCst), 1);
    let mut reached = 0;
    while let Some(connection) = group.next() {
        assert!(connection.poll_event().is_none());
        reached += drain(&connection).matches("resources/updated").count();
    }
    assert_eq!(reached, connections.len());
    drop(connections);
    server.notify_updated("m://x").unwrap();
    assert!(group.next().is_none(), "those that are gone are not told");
}
