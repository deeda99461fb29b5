//! An application in one place.

use super::messages;
use wellhead::{Caller, Connection, Event, Limits, Server};

pub(crate) use messages::{answers, cancel, drain, feed, note, on_uri, request};

pub(crate) fn server() -> Server {
    limited(|_| {})
}

/// A server with other limits than by default.
pub(crate) fn limited(change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    messages::limited(limits)
}

/// A connection through its handshake, with nothing left to drain.
pub(crate) fn connect(server: &Server) -> Connection {
    connect_as(server, "2025-11-25")
}

/// Makes an application with a client of that revision.
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
    feed(connection, &note("initialized", "{}"));
    serve(connection);
    drain(connection);
}

/// Runs every callback there is to run.
pub(crate) fn serve(connection: &Connection) {
    while let Some(event) = connection.poll_event() {
        connection.run(|| event.run());
    }
}

/// One message, its callbacks, and what there is to write then.
pub(crate) fn send_request(connection: &Connection, message: &str) -> String {
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
