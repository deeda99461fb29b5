//! The stateless era: every POST stands for itself.

use crate::client::{Got, META, World, request};
use wellhead::{Event, Server, Template};

fn world() -> World {
    let server = Server::new("s", "1");
    server.text("test://text", "found").unwrap();
    server.text("test://large", "x".repeat(300_000)).unwrap();
    server.template(Template::new("test://by/{id}"), |call| Some(format!("by {}", call.var("id")?))).unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    World::new(&server)
}

fn read(world: &World, uri: &str) -> Got {
    let (_, got) = world.send_request("resources/read", &format!(r#""uri":"{uri}","#), &[("Mcp-Name", uri)]);
    assert!(got.done);
    got
}

#[test]
fn a_request_is_answered_as_json_with_its_length() {
    // row: H-04, H-05, H-61
    let world = world();
    let (_, got) =
        world.send_request("server/discover", "", &[("Mcp-Session-Id", "x"), ("Last-Event-ID", "1-1")]);
    assert_eq!((got.status(), got.header("content-type")), (200, Some("application/json")));
    assert_eq!(got.header("content-length"), Some(got.body.len().to_string().as_str()));
    assert!(got.header("mcp-session-id").is_none());
    assert_eq!(got.json()["result"]["supportedVersions"][0], "2026-07-28");
    assert_eq!(read(&world, "test://text").json()["result"]["contents"][0]["text"], "found");
    assert_eq!(read(&world, "test://by/7").json()["result"]["contents"][0]["text"], "by 7");
    let large = read(&world, "test://large");
    assert_eq!(large.header("content-length"), Some(large.body.len().to_string().as_str()));
    assert_eq!(large.json()["result"]["contents"][0]["text"].as_str().map(str::len), Some(300_000));
}

#[test]
fn the_status_depends_on_how_far_a_request_got() {
    // row: H-71, X-04, X-06, X-12, X-16, X-17
    let world = world();
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "unknown/method"] {
        let (_, got) = world.send_request(method, "", &[]);
        assert_eq!((got.status(), got.json()["error"]["code"].as_i64()), (404, Some(-32601)), "{method}");
        assert_eq!(got.json()["id"], 1);
    }
    let missing = read(&world, "test://none");
    assert_eq!((missing.status(), missing.json()["error"]["code"].as_i64()), (200, Some(-32602)));
    let without = |meta: &str| {
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "server/discover")];
        let got = world.post(&headers, &request(1, "server/discover", meta));
        (got.status(), got.json()["error"]["code"].as_i64(), got.json()["id"].as_i64())
    };
    assert_eq!(without(""), (400, Some(-32602), Some(1)));
    assert_eq!(
        without(r#""_meta":{"io.modelcontextprotocol/clientCapabilities":{}}"#),
        (400, Some(-32602), Some(1))
    );
    let no_capabilities = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    assert_eq!(without(no_capabilities), (400, Some(-32602), Some(1)));
    let (version, method) = ("v999.0.0", "server/discover");
    let unknown = request(1, method, &META.replace("2026-07-28", version));
    let got = world.post(&[("MCP-Protocol-Version", version), ("Mcp-Method", method)], &unknown);
    assert_eq!((got.status(), got.json()["error"]["code"].as_i64()), (400, Some(-32022)));
}

#[test]
fn the_head_must_agree_with_the_body() {
    // row: H-62, H-63, H-64, H-65, H-66, H-67, H-68, H-69, H-70, X-19
    let world = world();
    let code = |headers: &[(&str, &str)], body: &str| {
        let got = world.post(headers, body);
        (got.status(), got.json()["error"]["code"].as_i64())
    };
    let refused = (400, Some(-32020));
    let version = ("MCP-Protocol-Version", "2026-07-28");
    let discover = request(1, "server/discover", META);
    assert_eq!(code(&[("Mcp-Method", "server/discover")], &discover), refused);
    assert_eq!(code(&[version], &discover), refused);
    assert_eq!(code(&[version, ("Mcp-Method", "SERVER/DISCOVER")], &discover), refused);
    assert_eq!(code(&[version, ("MCP-METHOD", " server/discover ")], &discover), (200, None));
    assert_eq!(code(&[version, version, ("Mcp-Method", "server/discover")], &discover), refused);
    let other = request(1, "server/discover", &META.replace("2026-07-28", "v999.0.0"));
    assert_eq!(code(&[version, ("Mcp-Method", "server/discover")], &other), refused);
    let read = request(1, "resources/read", &format!(r#""uri":"test://text",{META}"#));
    let method = ("Mcp-Method", "resources/read");
    assert_eq!(code(&[version, method], &read), refused);
    assert_eq!(code(&[version, method, ("Mcp-Name", "test://other")], &read), refused);
    assert_eq!(code(&[version, method, ("Mcp-Name", "=?base64?dGVzdDovL3RleHQ=?=")], &read), (200, None));
    assert_eq!(code(&[version, method, ("Mcp-Name", "=?base64?dGVzdDovL3RleHQ?=")], &read), refused);
    let nameless = request(1, "resources/read", META);
    assert_eq!(code(&[version, method], &nameless), (200, Some(-32602)));
}

#[test]
fn a_listen_stream_sends_its_acknowledgement_changes_and_end_as_events() {
    // row: H-06, H-07, H-08, M-57, M-59
    let world = world();
    let filter = r#""notifications":{"resourcesListChanged":true,"resourceSubscriptions":["test://text"]},"#;
    let (mut exchange, mut got) = world.send_request("subscriptions/listen", filter, &[]);
    assert_eq!((got.status(), got.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(got.header("x-accel-buffering"), Some("no"));
    assert_eq!(got.events().len(), 1);
    assert!(got.events()[0].1.contains("notifications/subscriptions/acknowledged"));
    world.server.notify_updated("test://text").unwrap();
    world.server.notify_resource_list_changed().unwrap();
    world.proceed(&mut exchange, &mut got, Event::run);
    let said: Vec<_> =
        got.events().into_iter().skip(1).map(|(id, data)| (id, data.contains("list_changed"))).collect();
    assert_eq!(said, [(String::new(), false), (String::new(), true)]);
    world.advance_clock(15_000);
    world.proceed(&mut exchange, &mut got, Event::run);
    assert!(got.body.ends_with(":\n\n"), "{:?}", got.body);
    assert!(!got.done);
    world.server.close();
    world.proceed(&mut exchange, &mut got, Event::run);
    assert!(got.done);
    assert!(got.events().last().unwrap().1.contains(r#""result""#), "{got:?}");
}

#[test]
fn a_client_that_leaves_cancels_its_request_and_frees_its_room() {
    // row: H-72, E-63
    let world = world();
    let mut held = None;
    assert!(world.endpoint.poll_event().is_none());
    let mut exchange = world.begin(
        "POST",
        "/mcp",
        &[
            ("Content-Type", "application/json"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "resources/read"),
            ("Mcp-Name", "test://later"),
        ],
    );
    exchange.body(request(1, "resources/read", &format!(r#""uri":"test://later",{META}"#)).as_bytes());
    exchange.end(world.now());
    let mut got = Got::default();
    world.proceed(&mut exchange, &mut got, |event| {
        let Event::Read(call) = event else { panic!("not a read") };
        held = Some(call.into_responder());
    });
    let held = held.expect("the application was asked");
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(world.post(&[("MCP-Protocol-Version", "2026-07-28")], cancel).status(), 202);
    assert!(!held.is_cancelled(), "an id belongs to no client in particular");
    assert!(world.endpoint.poll_event().is_none());
    drop(exchange);
    assert!(held.is_cancelled());
    let told = world.endpoint.poll_event();
    assert!(matches!(told, Some(Event::Cancel(call)) if Some(call) == held.call()), "{told:?}");
    assert!(world.endpoint.poll_event().is_none());
    assert!(!held.finish("late"));
}

#[test]
fn equal_ids_of_two_posts_are_independent_and_posts_over_the_limit_are_refused() {
    // row: E-63, H-12, X-38
    let mut limits = wellhead::Limits::default();
    limits.calls_in_flight = 2;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    let world = World::new(&server);
    let mut held = Vec::new();
    let begin = |held: &mut Vec<_>| {
        let headers = [
            ("Content-Type", "application/json"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "resources/read"),
            ("Mcp-Name", "test://later"),
        ];
        let mut exchange = world.begin("POST", "/mcp", &headers);
        exchange.body(request(1, "resources/read", &format!(r#""uri":"test://later",{META}"#)).as_bytes());
        exchange.end(world.now());
        let mut got = Got::default();
        world.proceed(&mut exchange, &mut got, |event| held.push(event));
        (exchange, got)
    };
    let (mut first, mut answer) = begin(&mut held);
    let (second, _) = begin(&mut held);
    assert_eq!(held.len(), 2);
    let (_, refused) = begin(&mut held);
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    drop((second, held.pop()));
    let (_third, waiting) = begin(&mut held);
    assert!(waiting.head.is_none());
    let Event::Read(call) = held.remove(0) else { panic!("not a read") };
    call.into_responder().finish("first");
    world.proceed(&mut first, &mut answer, |_| {});
    assert!(answer.done && answer.body.contains("first"));
}

#[test]
fn listen_streams_are_limited_by_themselves_and_take_no_call() {
    // row: M-61, X-38
    let mut limits = wellhead::Limits::default();
    (limits.calls_in_flight, limits.listen_streams) = (1, 2);
    let server = Server::builder("s", "1").limits(limits).build().unwrap();
    server.text("test://text", "found").unwrap();
    let world = World::new(&server);
    let listen = || world.listen_from(b"peer");
    let mut streams = [listen(), listen()];
    let mut is_over = |at: usize| {
        let (exchange, got) = &mut streams[at];
        world.proceed(exchange, got, |_| {});
        got.done
    };
    assert!(!is_over(0) && !is_over(1));
    assert_eq!(read(&world, "test://text").status(), 200);
    assert_eq!(listen().1.status(), 200);
    assert!(is_over(0) && !is_over(1));
    assert_eq!(listen().1.status(), 200, "the place of the third is free");
    assert!(!is_over(1));
}

#[test]
fn methods_that_are_switched_off_are_not_named_as_allowed() {
    // row: X-30
    let server = Server::new("s", "1");
    let world = World::on(&server, server.endpoint().delete(false).build(|| {}).unwrap());
    let (_, got) = world.send("DELETE", &[("Mcp-Session-Id", "x")], "");
    assert_eq!((got.status(), got.header("allow")), (405, Some("POST, GET")));
}

#[test]
fn the_callbacks_that_a_list_needs_are_called_at_once() {
    let server = Server::new("s", "1");
    server
        .list("source", |_: wellhead::ListCall| {
            wellhead::Page::new([wellhead::Resource::new("test://listed")])
        })
        .unwrap();
    let (_, got) = World::new(&server).send_request("resources/list", "", &[]);
    assert_eq!(got.json()["result"]["resources"][0]["uri"], "test://listed");
}

#[test]
fn a_question_that_follows_another_has_its_time_from_then() {
    let server = Server::new("s", "1");
    server.resource("test://later", |call| call.defer().0).unwrap();
    server.authorize(|call| call.defer().0).unwrap();
    let world = World::new(&server);
    let (mut asked, mut read) = (None, None);
    let headers = [
        ("Content-Type", "application/json"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "resources/read"),
        ("Mcp-Name", "test://later"),
    ];
    let mut exchange = world.begin("POST", "/mcp", &headers);
    exchange.body(request(1, "resources/read", &format!(r#""uri":"test://later",{META}"#)).as_bytes());
    exchange.end(world.now());
    let mut got = Got::default();
    world.proceed(&mut exchange, &mut got, |event| match event {
        Event::Authorize(call) => asked = Some(call.into_responder()),
        event => panic!("{event:?}"),
    });
    world.advance_clock(50_000);
    assert!(asked.unwrap().finish(vec![wellhead::Verdict::Allow]));
    world.proceed(&mut exchange, &mut got, |event| match event {
        Event::Read(call) => read = Some(call.into_responder()),
        event => panic!("{event:?}"),
    });
    world.advance_clock(59_999); // of call_ms, 60,000
    world.proceed(&mut exchange, &mut got, |event| panic!("{event:?}"));
    assert!(read.unwrap().finish("in time"));
    world.proceed(&mut exchange, &mut got, |event| panic!("{event:?}"));
    assert_eq!(got.json()["result"]["contents"][0]["text"], "in time");
}
