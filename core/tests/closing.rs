//! Closing a connection while another thread uses it.

use std::sync::{Arc, Mutex};
use wellhead::{Caller, Connection, DrainStart, Event, Route, Server, Verdict};

#[test]
fn a_connection_closed_while_it_is_drained_is_finished_when_the_drain_ends() {
    let server = Server::new("s", "1");
    let connection = server.connect(Caller::default());
    connection.receive(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"unknown\"}\n");
    assert!(connection.poll_event().is_none());
    let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else {
        panic!("nothing to drain")
    };
    assert!(drain.poll_transmit(1).is_some());
    connection.close();
    assert!(!connection.is_finished());
    drop(drain);
    assert!(connection.is_finished());
    assert!(matches!(connection.drain(Route::Connection), DrainStart::Empty));
}

fn drained(connection: &Connection) -> String {
    let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else { return String::new() };
    let mut out = Vec::new();
    while let Some(transmit) = drain.poll_transmit(1 << 16) {
        let taken = transmit.bytes.len();
        out.extend_from_slice(transmit.bytes);
        drain.wrote(taken);
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn a_listen_stream_that_is_not_acknowledged_when_streams_end_ends_once_it_is() {
    let server = Server::new("s", "1");
    server.text("notes://1", "one").unwrap();
    server.authorize(|call| vec![Verdict::Allow; call.targets().len()]).unwrap();
    let connection = server.connect(Caller::default());
    connection.receive(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}},\"notifications\":{\"resourceSubscriptions\":[\"notes://1\"]}}}\n");
    let question = connection.poll_event().expect("the verdict is asked for");
    assert!(matches!(question, Event::Authorize(_)));
    connection.end_streams();
    assert_eq!(drained(&connection), "");
    question.run();
    let lines = drained(&connection);
    let lines: Vec<_> = lines.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].contains("notifications/subscriptions/acknowledged"));
    assert!(lines[1].contains("\"id\":1,\"result\""));
    assert!(lines[2].contains("notifications/cancelled"));
    connection.end();
    assert!(connection.is_finished());
}

#[test]
fn a_connection_of_a_closed_server_wakes_no_thread_when_its_clock_advances() {
    let server = Server::new("s", "1");
    let group = server.group(|| {});
    let connection = group.connect(Caller::default());
    connection.receive(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    assert!(connection.poll_event().is_none());
    server.close();
    while group.next().is_some() {}
    for now in 1..4 {
        connection.tick(now); // its client takes nothing
        assert!(group.next().is_none(), "there is nothing new");
    }
    assert!(drained(&connection).contains("\"result\""));
}

#[test]
fn the_end_of_input_wakes_a_thread_once() {
    let server = Server::new("s", "1");
    let group = server.group(|| {});
    let connection = group.connect(Caller::default());
    while group.next().is_some() {}
    connection.end();
    assert!(group.next().is_some());
    connection.end();
    assert!(group.next().is_none(), "a loop that ends it in each turn would never rest");
}

/// Lists are told many connections at a time, with wakes between.
#[test]
fn a_connection_that_is_closed_during_a_list_change_writes_no_output() {
    const HELLO: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}
{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}
";
    let server = Server::new("s", "1");
    server.text("notes://1", "one").unwrap();
    let last = Arc::new(Mutex::new(None::<Connection>));
    let closed = last.clone();
    let group = server.group(move || {
        if let Some(connection) = closed.lock().unwrap().take() {
            connection.close();
        }
    });
    let begin = |connection: Connection| {
        connection.receive(HELLO);
        assert!(connection.poll_event().is_none());
        assert!(drained(&connection).contains("result"));
        connection
    };
    let others: Vec<_> = (0..100).map(|_| begin(group.connect(Caller::default()))).collect();
    let connection = begin(server.connect(Caller::default()));
    while group.next().is_some() {}
    *last.lock().unwrap() = Some(connection.clone());
    server.text("notes://2", "two").unwrap();
    assert!(connection.is_closed(), "in the middle of it");
    assert!(connection.is_finished());
    assert_eq!(drained(&connection), "");
    assert!(others.iter().all(|other| drained(other).contains("list_changed")));
}
