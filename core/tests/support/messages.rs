//! A server for tests, messages, and what comes out: shared by the test programs that name this file.

use wellhead::{Connection, DrainStart, Limits, Route, Server};

/// A server whose log is silent.
pub(crate) fn limited(limits: Limits) -> Server {
    Server::builder("tests", "1")
        .cursor_key([7; 32])
        .instance_name("one")
        .limits(limits)
        .on_log(|_, _| {})
        .build()
        .expect("all is well")
}

pub(crate) fn feed(connection: &Connection, message: &str) {
    assert_eq!(connection.receive(message.as_bytes()), message.len());
    assert_eq!(connection.receive(b"\n"), 1);
}

/// Takes all output of the connection, unless another thread is taking it.
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

pub(crate) fn request(id: usize, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

pub(crate) fn on_uri(id: usize, method: &str, uri: &str) -> String {
    request(id, &format!("resources/{method}"), &format!(r#"{{"uri":"{uri}"}}"#))
}

pub(crate) fn note(name: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/{name}","params":{params}}}"#)
}

pub(crate) fn cancel(id: usize) -> String {
    note("cancelled", &format!(r#"{{"requestId":{id}}}"#))
}

/// Returns how many of the messages answer that id.
pub(crate) fn answers(output: &str, id: usize) -> usize {
    let id = format!(r#""id":{id},"#);
    output.lines().filter(|line| line.contains(&id)).count()
}
