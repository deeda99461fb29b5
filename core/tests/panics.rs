//! Panics in code of the application other than the body of a callback: the request is answered, and no other is
//! harmed.

use std::fmt;
use std::sync::{Arc, Mutex};
use wellhead::{Call, Caller, Connection, DrainStart, Event, Provider, Route, Server};

const READ: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"test://a\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n";

/// A server, and the lines of its log.
fn logging() -> (Server, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let logged = lines.clone();
    let server = Server::builder("s", "1")
        .on_log(move |_, line| logged.lock().unwrap().push(line.to_owned()))
        .build()
        .unwrap();
    (server, lines)
}

fn answered(connection: &Connection) -> String {
    connection.receive(READ);
    while let Some(event) = connection.poll_event() {
        event.run();
    }
    let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else { panic!("no answer") };
    let transmit = drain.poll_transmit(usize::MAX).unwrap();
    String::from_utf8(transmit.bytes.to_vec()).unwrap()
}

#[derive(Debug)]
struct Unprintable;

impl fmt::Display for Unprintable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no text for this error")
    }
}

#[test]
fn an_error_that_cannot_be_printed_is_an_internal_error() {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.resource("test://a", |_| Err::<String, _>(Unprintable)).unwrap();
    assert!(answered(&server.connect(Caller::default())).contains("-32603"));
}

struct Unreadable;

impl AsRef<str> for Unreadable {
    fn as_ref(&self) -> &str {
        panic!("no text here")
    }
}

#[test]
fn a_text_that_cannot_be_borrowed_is_an_internal_error() {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.resource("test://a", |_| wellhead::Body::Text(Arc::new(Unreadable))).unwrap();
    assert!(answered(&server.connect(Caller::default())).contains("-32603"));
}

#[test]
fn a_log_that_panics_while_a_panic_unwinds_does_not_end_the_process() {
    let server = Server::builder("s", "1").on_log(|_, _| panic!("no room for the line")).build().unwrap();
    server.resource("test://a", |_: Call| -> String { panic!("no answer") }).unwrap();
    assert!(answered(&server.connect(Caller::default())).contains("-32603"));
}

#[test]
fn a_publisher_that_panics_is_logged_and_the_change_is_announced_here() {
    let (server, lines) = logging();
    server.text("test://a", "a").unwrap();
    server.on_publish(|_| panic!("no bus")).unwrap();
    server.notify_updated("test://a").unwrap();
    assert_eq!(server.counters().changes, 2, "a resource that was registered, and one that changed");
    let lines = lines.lock().unwrap();
    assert!(lines.len() == 1 && lines[0].starts_with("on_publish panicked"), "{lines:?}");
}

#[test]
fn a_wake_that_panics_leaves_the_server_whole_and_is_logged() {
    let (server, lines) = logging();
    server.add_resource("test://a", None).unwrap();
    let group = server.group(|| panic!("wake panics"));
    let connection = group.connect(Caller::default());
    connection.receive(READ);
    let Some(Event::Read(call)) = connection.poll_event() else { panic!("no question") };
    assert!(call.into_responder().finish("found"));
    assert!(group.next().is_some());
    let lines = lines.lock().unwrap();
    assert!(lines.len() == 1 && lines[0].starts_with("wake panicked"), "{lines:?}");
}

struct Forgetful;

impl Provider for Forgetful {
    fn exists(&self, _: &str) -> bool {
        panic!("what was the question?")
    }
}

#[test]
fn a_provider_that_panics_about_existence_keeps_no_client_from_subscribing() {
    let server = Server::new("s", "1");
    server.add_resource("test://a", Some(Arc::new(Forgetful))).unwrap();
    server.test_client().unwrap().subscribe("test://a").unwrap();
}

#[test]
fn a_tool_that_panics_is_answered_with_a_result() {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    let panics = |_: wellhead::MethodCall| -> wellhead::MethodAnswer { panic!("in a tool") };
    server.tool("t", &wellhead::Json::parse("{}").unwrap(), panics).unwrap();
    let call = server.test_client().unwrap().call_tool("t", "{}");
    assert_eq!(call.unwrap(), r#"{"content":[{"type":"text","text":"The tool failed"}],"isError":true}"#);
}
