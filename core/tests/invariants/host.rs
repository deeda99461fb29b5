//! A host in one place, and messages.

use wellhead::{Caller, Connection, DrainStart, Event, Limits, Route, Server};

pub(crate) fn server() -> Server {
    limited(|_| {})
}

/// A server whose log is silent, with other limits than by default.
pub(crate) fn limited(change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    Server::builder("invariants", "1").cursor_key([7; 32]).limits(limits).on_log(|_, _| {}).build().unwrap()
}

/// A connection through its handshake, with nothing left to drain.
pub(crate) fn connect(server: &Server) -> Connection {
    connect_as(server, "2025-11-25")
}

/// The same with a client of that revision.
pub(crate) fn connect_as(server: &Server, version: &str) -> Connection {
    let connection = server.connect(Caller::default());
    greet_as(&connection, version);
    connection
}

pub(crate) fn greet(connection: &Connection) {
    greet_as(connection, "2025-11-25");
}

fn greet_as(connection: &Connection, version: &str) {
    let params = format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}"#
    );
    feed(connection, &request(usize::MAX, "initialize", &params));
    feed(connection, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    serve(connection);
    drain(connection);
}

pub(crate) fn feed(connection: &Connection, message: &str) {
    assert_eq!(connection.receive(message.as_bytes()), message.len());
    assert_eq!(connection.receive(b"\n"), 1);
}

/// Runs every callback there is to run.
pub(crate) fn serve(connection: &Connection) {
    while let Some(event) = connection.poll_event() {
        connection.run(|| event.run());
    }
}

pub(crate) fn drain(connection: &Connection) -> String {
    let mut taken = Vec::new();
    if let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) {
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            let length = transmit.bytes.len();
            taken.extend_from_slice(transmit.bytes);
            drain.wrote(length);
        }
    }
    String::from_utf8(taken).expect("output is text")
}

/// One message, its callbacks, and what there is to write then.
pub(crate) fn ask(connection: &Connection, message: &str) -> String {
    feed(connection, message);
    serve(connection);
    drain(connection)
}

/// The next event, which is a read.
pub(crate) fn next_read(connection: &Connection) -> wellhead::Call {
    match connection.poll_event() {
        Some(Event::Read(call)) => call,
        other => panic!("not a read but {other:?}"),
    }
}

pub(crate) fn request(id: usize, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

pub(crate) fn on_uri(id: usize, method: &str, uri: &str) -> String {
    request(id, &format!("resources/{method}"), &format!(r#"{{"uri":"{uri}"}}"#))
}

pub(crate) fn cancel(id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// How many of the messages answer that id.
pub(crate) fn answers(output: &str, id: usize) -> usize {
    let id = format!(r#""id":{id},"#);
    output.lines().filter(|line| line.contains(&id)).count()
}
