//! One message in hand, for applications that run events by themselves.

use wellhead::{
    Caller, Connection, DrainStart, ErrorCondition, Event, Handled, Limits, MessageKind, Responder, Route,
    Server, Stage, Template,
};

const READ: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes://a%20b","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

fn text(handled: Option<Handled>) -> String {
    match handled {
        Some(Handled::Answer(answer)) => String::from_utf8(answer).unwrap(),
        other => panic!("no answer but {other:?}"),
    }
}

#[test]
fn an_exchange_is_answered_by_the_thread_that_runs_its_event() {
    let server = Server::new("s", "1");
    server.add_template(Template::new("notes://{id}"), None, false).unwrap();
    let connection = server.connect(Caller::default());
    let handled = connection.handle_with(READ, |event| {
        let Event::Read(call) = event else { panic!("not a read") };
        assert_eq!((call.var("id"), call.raw("id")), (Some("a b"), Some("a%20b")));
        call.into_responder().finish("found");
    });
    assert!(text(handled.ok()).contains("found"));
}

#[test]
fn an_exchange_that_expires_is_an_internal_error() {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.add_template(Template::new("notes://{id}"), None, false).unwrap();
    let connection = server.connect(Caller::default());
    let mut held: Option<Responder<_>> = None;
    let handled = connection.handle_with(READ, |event| {
        let Event::Read(call) = event else { panic!("not a read") };
        held = Some(call.into_responder());
    });
    let Ok(Handled::Later(route)) = handled else { panic!("not later but {handled:?}") };
    assert!(connection.take(route).is_none());
    connection.expire(route);
    assert!(text(connection.take(route)).contains("-32603"));
    let held = held.unwrap();
    assert!(held.is_cancelled());
    assert!(!held.finish("late"));
}

#[test]
fn a_template_names_its_variables() {
    let variables = Template::new("notes://{id}{/path*}{?q}").variables();
    let variables: Vec<_> = variables.unwrap().into_iter().map(|v| (v.name, v.optional, v.list)).collect();
    let expected = [("id", false, false), ("path", true, true), ("q", true, false)];
    assert_eq!(variables, expected.map(|(name, optional, list)| (name.into(), optional, list)));
    assert!(Template::new("notes://{id").variables().is_err());
}

#[test]
fn a_server_that_forgot_its_connections_does_not_notify_them() {
    let server = Server::new("s", "1");
    let before = server.connect(Caller::default());
    server.forget_connections();
    server.notify_updated("notes://1").unwrap();
    server.close();
    assert!(!before.is_closed());
}

#[test]
fn a_listen_stream_is_refused_where_there_is_room_for_one_answer() {
    let server = Server::new("s", "1");
    let connection = server.connect(Caller::default());
    let listen = br#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let Handled::Answer(answer) = connection.handle(listen).unwrap() else { panic!("no answer") };
    assert!(String::from_utf8(answer).unwrap().contains(r#""id":1,"error":{"code":-32600,"#));
}

#[test]
fn only_the_white_space_of_json_may_be_around_a_message() {
    let connection = Server::new("s", "1").connect(Caller::default());
    for (space, accepted) in [(" \t\r\n", true), ("\x0c", false), ("\x0b", false)] {
        let message = format!(r#"{space}{{"jsonrpc":"2.0","id":1,"method":"ping"}}{space}"#);
        let answer = text(connection.handle(message.as_bytes()).ok());
        assert_eq!((answer.contains("result"), answer.contains("-32700")), (accepted, !accepted), "{answer}");
    }
}

#[test]
fn output_of_the_connection_that_an_exchange_made_wakes_its_group() {
    let server = Server::new("s", "1");
    let group = server.group(|| {});
    let connection = group.connect(Caller::default());
    connection.receive(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}\n");
    assert!(connection.poll_event().is_none());
    let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) else { panic!("no answer") };
    while let Some(transmit) = drain.poll_transmit(1 << 16) {
        let taken = transmit.bytes.len();
        drain.wrote(taken);
    }
    drop(drain);
    while group.next().is_some() {}
    server.notify_resource_list_changed().unwrap(); // held back: the session has not begun
    while group.next().is_some() {}
    connection.handle_on_route(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).unwrap();
    assert_eq!(group.next().map(|connection| connection.id()), Some(connection.id()));
}

/// A connection whose client speaks a revision that has batches.
fn connect_with_batches(server: &Server) -> Connection {
    let connection = server.connect(Caller::default());
    let initialize = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    assert!(matches!(connection.handle(initialize), Ok(Handled::Answer(_))));
    connection
}

const READ_AND_PING: &[u8] = br#"[{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes://1"}},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#;

#[test]
fn a_batch_in_hand_is_answered_in_one_piece() {
    let server = Server::new("s", "1");
    server.template("notes://{id}", |_| "found").unwrap();
    let connection = connect_with_batches(&server);
    let answer = text(connection.handle(READ_AND_PING).ok());
    assert_eq!(
        answer,
        r#"[{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"notes://1","text":"found"}]}},{"jsonrpc":"2.0","id":2,"result":{}}]"#
    );
    let silent = br#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
    assert!(matches!(connection.handle(silent), Ok(Handled::Nothing)));
}

#[test]
fn a_batch_that_expires_has_an_entry_for_each_request() {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.add_template(Template::new("notes://{id}"), None, false).unwrap();
    let connection = connect_with_batches(&server);
    let mut held: Option<Responder<_>> = None;
    let handled = connection.handle_with(READ_AND_PING, |event| {
        let Event::Read(call) = event else { panic!("not a read") };
        held = Some(call.into_responder());
    });
    let Ok(Handled::Later(route)) = handled else { panic!("not later but {handled:?}") };
    connection.expire(route);
    let answer = text(connection.take(route));
    assert!(answer.starts_with(r#"[{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"#), "{answer}");
    assert!(answer.ends_with(r#",{"jsonrpc":"2.0","id":2,"result":{}}]"#), "{answer}");
    assert!(!held.unwrap().finish("late"));
}

#[test]
fn a_batch_that_was_not_begun_expires_with_the_rest() {
    let connection = connect_with_batches(&Server::new("s", "1"));
    let (route, event) = connection.handle_on_route(READ_AND_PING).unwrap();
    assert!(event.is_none());
    connection.expire(route);
    assert_eq!(text(connection.take(route)).matches("-32603").count(), 2);
    assert!(connection.poll_event().is_none());
}

#[test]
fn a_call_that_expires_before_a_poll_has_the_rpc_code_of_the_option() {
    let mut limits = Limits::default();
    limits.calls_in_flight = 1;
    let server = Server::builder("s", "1")
        .limits(limits)
        .rpc_code("2026-07-28", ErrorCondition::InternalError, 1)
        .rpc_code("2025-03-26", ErrorCondition::InternalError, 2)
        .on_log(|_, _| {})
        .build()
        .unwrap();
    server.add_template(Template::new("notes://{id}"), None, false).unwrap();

    let batches = connect_with_batches(&server);
    let (route, _) = batches.handle_on_route(READ_AND_PING).unwrap();
    batches.expire(route);
    assert_eq!(text(batches.take(route)).matches(r#""code":2,"#).count(), 2);

    let connection = server.connect(Caller::default());
    let (_, first) = connection.handle_on_route(READ).unwrap();
    assert!(first.is_some(), "it takes the only place");
    let second = String::from_utf8(READ.to_vec()).unwrap().replace(r#""id":1"#, r#""id":2"#);
    let (route, event) = connection.handle_on_route(second.as_bytes()).unwrap();
    assert!(event.is_none(), "it waits");
    connection.expire(route);
    assert!(text(connection.take(route)).contains(r#""id":2,"error":{"code":1,"#));
}

#[test]
fn a_forgotten_batch_cancels_its_calls() {
    let server = Server::new("s", "1");
    server.add_template(Template::new("notes://{id}"), None, false).unwrap();
    let connection = connect_with_batches(&server);
    let (route, _) = connection.handle_on_route(READ_AND_PING).unwrap();
    let Some(Event::Read(call)) = connection.poll_event() else { panic!("not a read") };
    connection.forget(route);
    assert!(call.is_cancelled());
    call.into_responder().finish("late");
    assert!(matches!(connection.poll_event(), Some(Event::Cancel(_))));
    assert!(connection.poll_event().is_none());
    connection.end();
    assert!(connection.is_finished());
}

#[test]
fn the_id_of_an_answered_handshake_is_free() {
    let connection = connect_with_batches(&Server::new("s", "1"));
    let ping = br#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#;
    assert_eq!(text(connection.handle(ping).ok()), r#"{"jsonrpc":"2.0","id":0,"result":{}}"#);
}

/// row: G-04
#[test]
fn progress_precedes_the_answer_of_an_exchange_and_is_left_out_where_there_is_room_for_an_answer_only() {
    const WITH_TOKEN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes://a","_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let server = Server::new("s", "1");
    server
        .template("notes://{id}", |call| {
            call.progress(1.0, Some(2.0), None);
            "found"
        })
        .unwrap();
    let connection = server.connect(Caller::default());

    let (route, event) = connection.handle_on_route(WITH_TOKEN.as_bytes()).unwrap();
    event.unwrap().run();
    let DrainStart::Ready(mut drain) = connection.drain(route) else { panic!("nothing to drain") };
    let mut kinds = Vec::new();
    while let Some(transmit) = drain.poll_transmit(usize::MAX) {
        let (kind, length) = (transmit.kind, transmit.bytes.len());
        drain.wrote(length);
        kinds.push(kind);
    }
    assert_eq!(kinds, [MessageKind::Progress, MessageKind::Final(Stage::Dispatched)]);

    let answer = text(connection.handle(WITH_TOKEN.as_bytes()).ok());
    assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":1,"result""#), "{answer}");
    assert!(matches!(connection.drain(Route::Connection), DrainStart::Empty));
}
