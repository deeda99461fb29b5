//! A session that the application keeps beyond its calls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use wellhead::{Caller, Connection, DrainStart, Limits, MethodCall, Route, Server, Session};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn server() -> (Server, mpsc::Receiver<Session>) {
    let server = Server::new("s", "1");
    let (sender, sessions) = mpsc::channel();
    server
        .method("notifications/initialized", move |call: MethodCall| {
            sender.send(call.session().expect("a session has a handle")).unwrap();
        })
        .unwrap();
    (server, sessions)
}

#[test]
fn a_call_without_a_limit_has_no_deadline_before_the_first_tick() {
    let mut limits = Limits::default();
    limits.call_ms = u64::MAX;
    let server = Server::builder("s", "1").limits(limits).build().unwrap();
    let (sender, held) = mpsc::channel();
    server.method("x/y", move |mut call: MethodCall| sender.send(call.take_responder()).unwrap()).unwrap();
    let connection = server.connect(Caller::default());
    run(&connection);
    connection.receive(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x/y\"}\n");
    connection.poll_event().expect("the call").run();
    assert_eq!(connection.poll_timeout(), None);
    drop(held.recv());
}

fn run(connection: &Connection) -> String {
    connection.receive(format!("{INITIALIZE}\n{INITIALIZED}\n").as_bytes());
    while let Some(event) = connection.poll_event() {
        event.run();
    }
    drained(connection)
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
fn a_notification_from_another_thread_wakes_the_idle_group() {
    let (server, sessions) = server();
    let wakes = Arc::new(AtomicUsize::new(0));
    let counted = wakes.clone();
    let group = server.group(move || {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let connection = group.connect(Caller::default());
    run(&connection);
    while group.next().is_some() {}
    let session = sessions.recv().unwrap();
    let before = wakes.load(Ordering::SeqCst);
    assert!(std::thread::spawn(move || session.notify("notifications/x", None)).join().unwrap().unwrap());
    assert_eq!(wakes.load(Ordering::SeqCst), before + 1);
    assert_eq!(group.next().map(|ready| ready.id()), Some(connection.id()));
    assert_eq!(drained(&connection), "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n");
}

#[test]
fn a_session_keeps_no_connection_alive_and_knows_its_client_after_its_end() {
    let (server, sessions) = server();
    let connection = server.connect(Caller::default());
    run(&connection);
    let session = sessions.recv().unwrap();
    assert!(!session.is_closed());
    drop(connection);
    assert!(session.is_closed());
    assert!(!session.notify("notifications/x", None).unwrap());
    assert_eq!(session.client(), Some(r#"{"name":"c","version":"1"}"#));
}

#[test]
fn sessions_of_one_server_have_ids_of_their_own() {
    let (server, sessions) = server();
    let connections = [server.connect(Caller::default()), server.connect(Caller::default())];
    for connection in &connections {
        run(connection);
    }
    assert_ne!(sessions.recv().unwrap().id(), sessions.recv().unwrap().id());
}
