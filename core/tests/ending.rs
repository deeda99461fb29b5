//! Requests that end before their answer: closed, forgotten, cancelled.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use wellhead::{Caller, Connection, DrainStart, ErrorKind, Event, Handled, Limits, Provider, Route, Server};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn request(id: u32, method: &str, members: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{members}{META}}}}}"#).into_bytes()
}

fn read(id: u32) -> Vec<u8> {
    request(id, "resources/read", r#""uri":"test://held","#)
}

fn output(connection: &Connection) -> String {
    let mut bytes = Vec::new();
    if let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) {
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            let length = transmit.bytes.len();
            bytes.extend_from_slice(transmit.bytes);
            drain.wrote(length);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// A server with one resource that the application answers by itself.
fn server(limits: Limits) -> Server {
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.add_resource("test://held", None).unwrap();
    server
}

fn one_call() -> Limits {
    let mut limits = Limits::default();
    limits.calls_in_flight = 1;
    limits
}

#[test]
fn a_read_that_closes_its_server_fails_at_once_with_closed() {
    let server = Server::new("s", "1");
    let inside = server.clone();
    server
        .resource("test://closes", move |_| {
            inside.close();
            "too late"
        })
        .unwrap();
    let error = server.test_client().unwrap().read("test://closes").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
}

#[test]
fn an_exchange_of_a_closed_connection_has_no_more_output() {
    for close in [Connection::close, Connection::shut_down] {
        let server = server(Limits::default());
        let connection = server.connect(Caller::default());
        let (route, event) = connection.handle_on_route(&read(1)).unwrap();
        assert!(connection.take(route).is_none());
        close(&connection);
        assert!(matches!(connection.take(route), Some(Handled::Nothing)));
        drop(event);
        assert!(connection.is_finished());
    }
}

#[test]
fn a_forgotten_exchange_cancels_its_request_and_frees_its_id_and_slot() {
    let server = server(one_call());
    let connection = server.connect(Caller::default());
    let (first, event) = connection.handle_on_route(&read(1)).unwrap();
    let (second, _) = connection.handle_on_route(&read(2)).unwrap(); // waits for room
    connection.forget(second);
    connection.forget(first);
    let Some(Event::Read(call)) = event else { panic!("no question") };
    assert!(call.is_cancelled());
    assert!(matches!(connection.poll_event(), Some(Event::Cancel(id)) if Some(id) == call.call()));
    drop(call);
    assert!(connection.poll_event().is_none());
    let (_, event) = connection.handle_on_route(&read(2)).unwrap();
    assert!(matches!(event, Some(Event::Read(_))));
}

#[test]
fn a_forgotten_listen_stream_has_no_subscriptions() {
    let mut limits = Limits::default();
    limits.listen_streams = 1;
    let server = server(limits);
    let told: Arc<Mutex<Vec<bool>>> = Arc::default();
    let telling = told.clone();
    server.on_interest(move |call| telling.lock().unwrap().push(call.wanted())).unwrap();
    let connection = server.connect(Caller::default());
    let listen =
        request(1, "subscriptions/listen", r#""notifications":{"resourceSubscriptions":["test://held"]},"#);
    for times in 1..3 {
        let (route, _) = connection.handle_on_route(&listen).unwrap();
        while let Some(event) = connection.poll_event() {
            event.run();
        }
        assert!(matches!(connection.drain(route), DrainStart::Ready(_)), "acknowledged");
        connection.forget(route);
        while let Some(event) = connection.poll_event() {
            event.run();
        }
        assert_eq!(*told.lock().unwrap(), [true, false].repeat(times));
    }
}

#[test]
fn a_message_in_hand_may_be_as_long_as_any() {
    let mut limits = Limits::default();
    limits.message_bytes = 100;
    let connection = server(limits).connect(Caller::default());
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","x":"{}"}}"#, "x".repeat(100));
    let Ok(Handled::Answer(answer)) = connection.handle(long.as_bytes()) else { panic!("no answer") };
    assert!(String::from_utf8(answer).unwrap().contains(r#""data":{"limit":"message_bytes","max":100}"#));
}

#[test]
fn an_initialize_that_waits_for_room_is_not_cancelled() {
    let server = server(one_call());
    let connection = server.connect(Caller::default());
    let initialize = r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;
    connection
        .receive(&[&read(1)[..], b"\n", initialize.as_bytes(), b"\n", cancel.as_bytes(), b"\n"].concat());
    let Some(Event::Read(call)) = connection.poll_event() else { panic!("no question") };
    assert!(connection.poll_event().is_none());
    assert_eq!(output(&connection), "");
    call.into_responder().finish("found");
    assert!(connection.poll_event().is_none());
    assert!(output(&connection).contains(r#""id":2,"result":{"protocolVersion":"2025-06-18""#));
}

#[test]
fn a_responder_taken_twice_answers_once() {
    let server = server(Limits::default());
    let connection = server.connect(Caller::default());
    connection.receive(&read(1));
    connection.end();
    let Some(Event::Read(mut call)) = connection.poll_event() else { panic!("no question") };
    let responder = call.take_responder().unwrap();
    assert!(call.take_responder().is_none());
    assert!(!call.defer().1.finish("too late"));
    assert!(!call.into_responder().finish("nor this"));
    assert!(responder.finish("found"));
    assert!(output(&connection).contains("found"));
    assert!(connection.is_finished());
}

#[test]
fn output_that_was_not_written_still_begins_its_message() {
    let server = Server::new("s", "1");
    let connection = server.connect(Caller::default());
    connection.receive(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    assert!(connection.poll_event().is_none());
    let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else { panic!("no output") };
    drain.poll_transmit(1).unwrap();
    drain.wrote(0);
    assert!(drain.poll_transmit(1).unwrap().first);
    drain.wrote(1);
    assert!(!drain.poll_transmit(1).unwrap().first);
    drain.wrote(usize::MAX);
    assert!(drain.poll_transmit(1).is_none());
}

#[test]
fn a_limit_of_one_call_and_one_byte_of_output_still_lets_one_request_through() {
    let mut limits = Limits::default();
    (limits.calls_in_flight, limits.output_bytes) = (1, 1);
    let server = server(limits);
    server.text("test://fixed", "here").unwrap();
    let connection = server.connect(Caller::default());
    let input =
        [&read(1)[..], b"\n", &request(2, "resources/read", r#""uri":"test://fixed","#), b"\n"].concat();
    connection.receive(&input);
    let Some(Event::Read(call)) = connection.poll_event() else { panic!("no question") };
    call.into_responder().finish("found");
    assert!(connection.poll_event().is_none());
    assert!(output(&connection).contains("found"));
    assert!(connection.poll_event().is_none());
    assert!(output(&connection).contains("here"));
}

/// Ends the connection while a request is looked up, and tells whether it is finished then.
struct Ending(Mutex<Option<Connection>>, Sender<bool>);

impl Provider for Ending {
    fn exists(&self, _: &str) -> bool {
        let connection = self.0.lock().unwrap().take().expect("it is looked up once");
        connection.end();
        self.1.send(connection.is_finished()).is_ok()
    }
}

#[test]
fn a_connection_that_ends_during_a_lookup_is_finished_after_its_answer() {
    let (tell, finished) = channel();
    let ending = Arc::new(Ending(Mutex::new(None), tell));
    let server = Server::new("s", "1");
    server.add_resource("test://known", Some(ending.clone())).unwrap();
    let connection = server.connect(Caller::default());
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    assert!(matches!(connection.handle(hello.as_bytes()), Ok(Handled::Answer(_))));
    *ending.0.lock().unwrap() = Some(connection.clone());
    let subscribe =
        r#"{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://known"}}"#;
    let (route, event) = connection.handle_on_route(subscribe.as_bytes()).unwrap();
    assert_eq!(finished.recv(), Ok(false), "its request is not answered yet");
    assert!(event.is_none() && !connection.is_finished());
    assert!(matches!(connection.take(route), Some(Handled::Answer(_))));
    assert!(connection.is_finished());
}
