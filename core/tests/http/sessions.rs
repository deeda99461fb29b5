//! The handshake era: sessions, their streams, and streams that are resumed.

use crate::client::{Got, World, hold, initialize, request, server};
use std::sync::{Arc, Mutex};
use wellhead::{ClientAnswer, Event, Json, Limits, MethodAnswer, MethodCall, Page, Server};

fn world() -> World {
    World::new(&server())
}

#[test]
fn a_session_is_begun_used_and_ended() {
    // row: H-20, H-21, H-22, H-23, H-24, H-25, H-26, X-24, X-25, L-10, D-11
    let world = world();
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let got = world.post(&[("MCP-Protocol-Version", revision)], &initialize(revision));
        assert_eq!(got.json()["result"]["protocolVersion"], revision);
        let id = got.header("mcp-session-id").unwrap().to_owned();
        assert!(id.len() >= 32 && id.bytes().all(|byte| (0x21..0x7f).contains(&byte)));
        let (_, got) = world.within(&id, 1, "ping", "");
        assert_eq!((got.status(), got.body.as_str()), (200, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert!(got.header("mcp-session-id").is_none());
        assert_eq!(world.within(&id, 2, "unknown/method", "").1.status(), 200);
        let again = [("Mcp-Session-Id", id.as_str())];
        let twice = world.post(&again, &initialize(revision));
        assert_eq!((twice.status(), twice.json()["error"]["code"].as_i64()), (400, Some(-32600)));
        assert_eq!(world.send("DELETE", &again, "").1.status(), 204);
        assert_eq!(world.send("DELETE", &again, "").1.status(), 404);
        let dead = world.within(&id, 3, "ping", "").1;
        assert_eq!((dead.status(), dead.json()["id"].as_i64()), (404, Some(3)));
    }
    let without = world.post(&[], &request(4, "ping", ""));
    assert_eq!((without.status(), without.json()["id"].as_i64()), (400, Some(4)));
    assert_eq!(world.endpoint.sessions(), 0);
}

#[test]
fn a_handshake_that_is_refused_begins_no_session() {
    let world = world();
    let got = world.post(&[], &request(1, "initialize", ""));
    assert_eq!((got.status(), got.json()["error"]["code"].as_i64()), (200, Some(-32602)));
    assert!(got.header("mcp-session-id").is_none());
    let token = "x".repeat(Limits::default().id_bytes + 1);
    let meta = format!(r#""params":{{"_meta":{{"progressToken":"{token}"}},"#);
    let long = initialize("2025-06-18").replacen(r#""params":{"#, &meta, 1);
    let got = world.post(&[], &long);
    assert_eq!(got.json()["error"]["data"]["limit"], "id_bytes");
    assert!(got.header("mcp-session-id").is_none());
    assert_eq!(world.endpoint.sessions(), 0);
}

#[test]
fn unused_sessions_end_and_used_ones_continue() {
    let world = world();
    let (idle, used) = (world.session("2025-06-18"), world.session("2025-06-18"));
    world.advance_clock(3_000_000);
    world.within(&used, 1, "ping", "");
    world.advance_clock(60_000); // call_ms: whatever the request began is over
    assert_eq!(world.endpoint.poll_timeout(), Some(3_600_000));
    world.advance_clock(540_000);
    assert_eq!(world.within(&idle, 2, "ping", "").1.status(), 404);
    assert_eq!(world.within(&used, 2, "ping", "").1.status(), 200);
}

#[test]
fn messages_of_no_request_go_to_the_standalone_stream() {
    // row: H-40, H-41, H-42, H-43, H-11
    let world = world();
    let session = world.session("2025-06-18");
    world.within(&session, 1, "resources/subscribe", r#""uri":"test://text""#);
    world.server.notify_updated("test://text").unwrap();
    world.server.notify_updated("test://text").unwrap();
    let (mut stream, mut got) = world.get(&session, &[]);
    assert_eq!((got.status(), got.events().len()), (200, 1), "{got:?}");
    world.server.notify_resource_list_changed().unwrap();
    world.proceed(&mut stream, &mut got, Event::run);
    let ids: Vec<_> = got.events().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["1-1", "1-2"]);
    let (_second, second) = world.get(&session, &[]);
    assert_eq!((second.status(), second.body.as_str()), (200, ""));
    world.proceed(&mut stream, &mut got, Event::run);
    assert_eq!((got.done, got.events().len()), (true, 2), "the second stream takes over");
    assert_eq!(
        world.send("GET", &[("Accept", "application/json"), ("Mcp-Session-Id", &session)], "").1.status(),
        406
    );
    assert_eq!(world.send("GET", &[("Accept", "text/event-stream")], "").1.status(), 400);
}

#[test]
fn a_stream_that_broke_is_resumed_where_it_broke() {
    // row: H-45, H-46, H-47, H-48, H-50
    let world = world();
    let session = world.session("2025-11-25");
    let (mut stream, mut got) = world.get(&session, &[]);
    assert_eq!(got.events(), [("1-0".to_owned(), String::new())]);
    world.within(&session, 1, "resources/subscribe", r#""uri":"test://text""#);
    world.server.notify_updated("test://text").unwrap();
    world.proceed(&mut stream, &mut got, Event::run);
    drop(stream);
    world.server.notify_resource_list_changed().unwrap();
    let (mut resumed, mut again) = world.get(&session, &[("Last-Event-ID", "1-0")]);
    let ids = |got: &Got| got.events().into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids(&again), ["1-1", "1-2"]);
    assert_eq!(again.events()[0], got.events()[1], "the same event, again");
    let (_newer, newest) = world.get(&session, &[("Last-Event-ID", "1-2")]);
    assert_eq!((newest.status(), newest.body.as_str()), (200, ""));
    world.proceed(&mut resumed, &mut again, Event::run);
    assert!(again.done, "another request goes on with the stream");
    for unknown in ["1-9", "7-1", "x"] {
        assert_eq!(world.get(&session, &[("Last-Event-ID", unknown)]).1.status(), 400, "{unknown}");
    }
}

#[test]
fn a_stream_of_a_call_is_primed_in_the_revisions_that_require_it() {
    // row: H-48, H-50
    let server = server();
    server
        .resource("test://telling", |call| {
            call.progress(1.0, None, None);
            "told"
        })
        .unwrap();
    let world = World::new(&server);
    for (revision, primed) in [("2025-06-18", 0), ("2025-11-25", 1)] {
        let session = world.session(revision);
        let params = r#""uri":"test://telling","_meta":{"progressToken":7}"#;
        let (_, got) = world.within(&session, 1, "resources/read", params);
        assert_eq!((got.status(), got.done), (200, true), "{revision}");
        assert_eq!(got.header("content-type"), Some("text/event-stream"));
        let events = got.events();
        assert_eq!(events.len(), primed + 2, "{events:?}");
        assert!(events[..primed].iter().all(|(id, data)| !id.is_empty() && data.is_empty()));
        assert!(events[primed].1.contains("notifications/progress"));
        assert!(events[primed + 1].1.contains("told"));
    }
}

#[test]
fn a_cancelled_post_ends_empty() {
    // row: E-67
    let world = world();
    let session = world.session("2025-06-18");
    let mut held = Vec::new();
    let (mut exchange, mut got) = hold(&world, &session, 1, &mut held);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let other = world.session("2025-06-18");
    assert_eq!(world.post(&[("Mcp-Session-Id", &other)], cancel).status(), 202);
    assert!(!held[0].is_cancelled(), "another session's cancel is none of ours");
    assert_eq!(world.post(&[("Mcp-Session-Id", &session)], cancel).status(), 202);
    world.proceed(&mut exchange, &mut got, |_| {});
    assert_eq!((got.status(), got.body.as_str(), got.done), (202, "", true));
}

#[test]
fn a_client_of_a_session_that_goes_does_not_cancel_its_request() {
    // A notification that belongs to no stream goes to one stream only ("Multiple Connections" in the transport).
    let world = world();
    let session = world.session("2025-06-18");
    let mut held = Vec::new();
    let (exchange, _) = hold(&world, &session, 1, &mut held);
    drop(exchange);
    assert!(!held[0].is_cancelled());
    assert!(held.remove(0).finish("too late"));
    assert!(world.endpoint.poll_event().is_none());
    let (_, got) = world.within(&session, 1, "ping", "");
    assert_eq!(got.status(), 200, "the id is free again");
}

#[test]
fn no_message_follows_the_end_of_a_call_with_a_request_to_its_client() {
    let server = server();
    server.method("x/ask", |_| Json::parse("{}")).unwrap();
    let world = World::new(&server);
    let session = world.session_with_roots();
    for (id, cancelled) in [(1, false), (2, true)] {
        let mut exchange = world.begin_within(&session, &request(id, "x/ask", ""));
        let (mut got, mut held) = (Got::default(), None);
        world.proceed(&mut exchange, &mut got, |event| {
            let Event::Method(call) = event else { return event.run() };
            let responder = call.into_responder();
            responder.send_request("roots/list", None, |_| {}).unwrap();
            held = Some(responder);
        });
        if cancelled {
            let params = format!(r#"{{"requestId":{id}}}"#);
            let cancel =
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#);
            assert_eq!(world.post(&[("Mcp-Session-Id", &session)], &cancel).status(), 202);
        }
        drop(held);
        world.proceed(&mut exchange, &mut got, Event::run);
        assert!(got.done, "{got:?}");
        let said = got.events().into_iter().map(|(_, data)| data);
        let kinds = ["roots/list", "notifications/cancelled", "error"];
        let kinds: Vec<_> = said.map(|data| kinds.into_iter().find(|kind| data.contains(kind))).collect();
        let expected = [Some("roots/list"), Some("notifications/cancelled"), Some("error")];
        assert_eq!(kinds, expected[..if cancelled { 2 } else { 3 }], "{got:?}");
    }
}

#[test]
fn a_driver_that_ends_ends_streams_and_leaves_calls_their_answers() {
    let world = world();
    let session = world.session("2025-06-18");
    let (mut listen, mut told) = world.send_request("subscriptions/listen", r#""notifications":{},"#, &[]);
    let (mut get, mut got) = world.get(&session, &[]);
    let mut held = Vec::new();
    let (mut call, mut answer) = hold(&world, &session, 1, &mut held);
    for (exchange, got) in [(&mut listen, &mut told), (&mut get, &mut got), (&mut call, &mut answer)] {
        assert!(!got.done);
        exchange.end_stream();
        exchange.end_stream();
        world.proceed(exchange, got, Event::run);
    }
    assert!(told.done && told.events().last().unwrap().1.contains(r#""result""#), "{told:?}");
    assert!(got.done && got.body.ends_with("retry: 1000\n\n"), "{}", got.body);
    assert!(!answer.done && held.remove(0).finish("at last"));
    world.proceed(&mut call, &mut answer, Event::run);
    assert!(answer.done && answer.body.contains("at last"));
    assert_eq!(world.get(&session, &[]).1.status(), 200, "the session goes on");
}

#[test]
fn a_closed_server_ends_a_session_when_the_application_drops_its_last_call() {
    let server = server();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    let (mut stream, mut got) = world.get(&session, &[]);
    let mut held = Vec::new();
    let (mut exchange, mut cancelled) = hold(&world, &session, 1, &mut held);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(world.post(&[("Mcp-Session-Id", &session)], cancel).status(), 202);
    world.proceed(&mut exchange, &mut cancelled, |_| {});
    server.close();
    while world.endpoint.poll_event().is_some() {}
    assert!(cancelled.done && !got.done);
    stream.is_ready();
    held.clear();
    assert!(world.endpoint.poll_event().is_none());
    assert!(stream.is_ready());
    world.proceed(&mut stream, &mut got, |_| {});
    assert!(got.done);
}

#[test]
fn a_client_may_cancel_a_call_of_a_closed_server_whose_application_hears_notifications() {
    let server = server();
    server.method("notifications/x", |_: MethodCall| MethodAnswer::Result(Json::default())).unwrap();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    let mut held = Vec::new();
    let (mut exchange, mut cancelled) = hold(&world, &session, 1, &mut held);
    server.close();
    while world.endpoint.poll_event().is_some() {}
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(world.post(&[("Mcp-Session-Id", &session)], cancel).status(), 202);
    world.proceed(&mut exchange, &mut cancelled, |_| {});
    assert!(cancelled.done && held[0].is_cancelled());
}

#[test]
fn a_closed_server_ends_a_session_when_the_application_returns_an_unwanted_page() {
    let server = server();
    server.list("later", |call| call.defer().0).unwrap();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    let (mut stream, mut got) = world.get(&session, &[]);
    let mut exchange = world.begin_within(&session, &request(1, "resources/list", ""));
    let mut held = None;
    world.proceed(&mut exchange, &mut Got::default(), |event| {
        let Event::List(call) = event else { panic!("{event:?}") };
        held = Some(call.into_responder());
    });
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(world.post(&[("Mcp-Session-Id", &session)], cancel).status(), 202);
    server.close();
    while world.endpoint.poll_event().is_some() {}
    world.proceed(&mut stream, &mut got, |_| {});
    assert!(!got.done);
    assert!(!held.expect("the application is asked").finish(Page::default()));
    assert!(world.endpoint.poll_event().is_none());
    world.proceed(&mut stream, &mut got, |_| {});
    assert!(got.done);
}

#[test]
fn a_message_that_comes_after_the_server_was_closed_keeps_no_session() {
    let server = server();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    server.close();
    while world.endpoint.poll_event().is_some() {}
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(world.post(&[("Mcp-Session-Id", &session)], notification).status(), 503);
    world.advance_clock(3_600_000);
    assert_eq!((world.endpoint.sessions(), world.endpoint.poll_timeout()), (0, None));
}

#[test]
fn ending_a_session_ends_its_streams_and_frees_its_room() {
    let world = world();
    let session = world.session("2025-06-18");
    let (mut stream, mut got) = world.get(&session, &[]);
    let mut held = Vec::new();
    let (mut exchange, mut answer) = hold(&world, &session, 1, &mut held);
    assert_eq!(world.send("DELETE", &[("Mcp-Session-Id", &session)], "").1.status(), 204);
    world.proceed(&mut stream, &mut got, |_| {});
    world.proceed(&mut exchange, &mut answer, |_| {});
    assert!(got.done && answer.done);
    assert_eq!(answer.status(), 404);
    assert!(held[0].is_cancelled());
}

#[test]
fn a_batch_is_answered_where_the_revision_has_batches() {
    // row: E-41, E-42, E-50
    let world = world();
    let batch = format!("[{},{}]", request(1, "ping", ""), request(2, "ping", ""));
    let old = world.session("2025-03-26");
    let got = world.post(&[("Mcp-Session-Id", &old)], &batch);
    assert_eq!((got.status(), got.json().as_array().map(Vec::len)), (200, Some(2)));
    let notifications = r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#;
    assert_eq!(world.post(&[("Mcp-Session-Id", &old)], notifications).status(), 202);
    let new = world.session("2025-06-18");
    assert_eq!(world.post(&[("Mcp-Session-Id", &new)], &batch).status(), 400);
}

#[test]
fn the_number_of_sessions_is_limited() {
    // row: X-38
    let server = server();
    let world = World::on(&server, server.endpoint().session_limit(1).build(|| {}).unwrap());
    let session = world.session("2025-06-18");
    world.within(&session, 1, "resources/list", "");
    let _in_use = world.get(&session, &[]);
    let busy = world.post(&[], &initialize("2025-06-18"));
    assert_eq!(
        (busy.status(), busy.header("retry-after"), busy.json()["id"].as_i64()),
        (503, Some("1"), Some(0))
    );
    assert_eq!(busy.json()["error"]["data"], serde_json::json!({"limit": "session_limit", "max": 1}));
    assert_eq!(world.send("DELETE", &[("Mcp-Session-Id", &session)], "").1.status(), 204);
    world.session("2025-06-18");
}

#[test]
fn responses_that_calls_wait_for_are_accepted_while_calls_are_at_their_limit() {
    // row: H-12, E-69
    let mut limits = Limits::default();
    limits.calls_in_flight = 1;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    let world = World::new(&server);
    let session = world.session("2025-06-18");
    let mut held = Vec::new();
    let (mut exchange, mut got) = hold(&world, &session, 1, &mut held);
    let busy = world.within(&session, 2, "resources/list", "").1;
    assert_eq!(
        (busy.status(), busy.json()["error"]["data"]["limit"].as_str()),
        (503, Some("calls_in_flight"))
    );
    let within = [("Mcp-Session-Id", session.as_str())];
    assert_eq!(world.post(&within, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#).status(), 202);
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(world.post(&within, cancel).status(), 202);
    world.proceed(&mut exchange, &mut got, |_| {});
    assert!(got.done && held[0].is_cancelled());
    held.clear(); // until then the application is still at it
    assert_eq!(world.within(&session, 3, "resources/list", "").1.status(), 200);
}

#[test]
fn a_session_at_its_limit_of_streams_refuses_further_requests() {
    let mut limits = Limits::default();
    limits.calls_in_flight = 10_000;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let world = World::new(&server);
    let session = world.session("2025-11-25");
    let headers = [("Content-Type", "application/json"), ("Mcp-Session-Id", &*session)];
    let begin = |id| world.begin_within(&session, &request(id, "ping", ""));
    let mut under_way: Vec<_> = (0..4_096).map(begin).collect();
    let (_, refused) = world.within(&session, 5_000, "ping", "");
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    assert!(refused.body.contains(r#""limit":"session_streams","max":4096"#), "{refused:?}");
    assert_eq!(world.get(&session, &[]).1.status(), 503);
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(world.post(&headers[1..], notification).status(), 202, "it holds no stream");
    drop(under_way.pop());
    assert_eq!(world.get(&session, &[]).1.status(), 200);
}

#[test]
fn a_request_to_the_client_of_a_session_that_ends_is_given_up() {
    let server = server();
    let answers: Arc<Mutex<Vec<ClientAnswer>>> = Arc::default();
    let told = answers.clone();
    server
        .tool("ask", &Json::parse("{}").unwrap(), move |call: MethodCall| {
            let (deferred, responder) = call.defer();
            let told = told.clone();
            responder
                .send_request("roots/list", None, move |answer| told.lock().unwrap().push(answer))
                .unwrap();
            responder.send_request_by_number("roots/list", None).unwrap();
            std::mem::forget(responder); // the application waits for the client
            deferred
        })
        .unwrap();
    let world = World::new(&server);
    let ends: [fn(&World, &str); 2] = [
        |world, session| assert_eq!(world.send("DELETE", &[("Mcp-Session-Id", session)], "").1.status(), 204),
        |world, _| world.advance_clock(3_600_001),
    ];
    for end in ends {
        let session = world.session_with_roots();
        let (exchange, got) = world.within(&session, 1, "tools/call", r#""name":"ask""#);
        assert_eq!(got.body.matches("roots/list").count(), 2, "{got:?}");
        drop(exchange);
        end(&world, &session);
        let mut by_number = 0;
        while let Some(event) = world.endpoint.poll_event() {
            if let Event::Response(response) = &event {
                assert!(matches!(response.answer(), ClientAnswer::GivenUp));
                by_number += 1;
            }
            event.run();
        }
        assert_eq!(by_number, 2);
        assert!(matches!(answers.lock().unwrap().drain(..).as_slice(), [ClientAnswer::GivenUp]));
    }
}

#[test]
fn a_request_that_is_given_up_with_its_call_is_so_though_the_session_ends_before_a_poll() {
    let server = server();
    server
        .tool("ask", &Json::parse("{}").unwrap(), move |call: MethodCall| {
            let (deferred, responder) = call.defer();
            responder.send_request_by_number("roots/list", None).unwrap();
            responder.finish(MethodAnswer::Failed("no".to_owned()));
            deferred
        })
        .unwrap();
    let world = World::new(&server);
    let session = world.session_with_roots();
    let (exchange, _) = world.within(&session, 1, "tools/call", r#""name":"ask""#);
    drop(exchange);
    assert_eq!(world.send("DELETE", &[("Mcp-Session-Id", &session)], "").1.status(), 204);
    let events = std::iter::from_fn(|| world.endpoint.poll_event());
    let given_up = events.filter(|event| {
        matches!(event, Event::Response(response) if matches!(response.answer(), ClientAnswer::GivenUp))
    });
    assert_eq!(given_up.count(), 1);
}
