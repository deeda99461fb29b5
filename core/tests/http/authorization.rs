//! Endpoints that ask for a bearer token, and what belongs to whom.

use crate::client::{BOTH, Got, META, Polled, World, initialize, request};
use std::sync::{Arc, Mutex};
use wellhead::http::{EndpointBuilder, Grant, Protection, Verification};
use wellhead::{Call, Caller, Event, Page, Responder, Server, Template, Verdict};

const URL: &str = "https://h.example/mcp";
const METADATA: &str = "resource_metadata=\"https://h.example/.well-known/oauth-protected-resource/mcp\"";

/// Tokens are names, of those whom they were issued to.
fn grant(name: &str) -> Grant {
    Grant::new(Caller::new(name.as_bytes()).with_value(name.to_owned())).audience([URL]).scopes(["read"])
}

fn protection() -> Protection {
    Protection::new(URL, ["https://as.example"]).unwrap().scopes(["read"]).unwrap()
}

fn server() -> Server {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.text("test://text", "found").unwrap();
    server
}

/// An endpoint for ann and bob, and for tokens that are good for less.
fn protected(server: &Server) -> EndpointBuilder {
    server.endpoint().protect(protection()).verify(|call| match call.token() {
        name @ ("ann" | "bob") => Verification::Granted(grant(name)),
        "elsewhere" => grant("ann").audience(["https://other.example/mcp"]).into(),
        "nowhere" => grant("ann").audience(Vec::<String>::new()).into(),
        "useless" => grant("ann").scopes(["write"]).into(),
        "expired" => grant("ann").expires_in_ms(0).into(),
        "more" => Verification::InsufficientScope(vec!["read".into(), "admin".into()]),
        "broken" => Verification::Failed("the database is away".into()),
        _ => Verification::Refused,
    })
}

fn world(server: &Server) -> World {
    World::on(server, protected(server).build(|| {}).unwrap())
}

/// A request of the stateless era with a token.
fn discover(world: &World, authorization: &[&str]) -> Got {
    let headers: Vec<_> = authorization.iter().map(|value| ("Authorization", *value)).collect();
    world.send_request("server/discover", "", &headers).1
}

fn refused(got: &Got) -> (u16, String) {
    assert!(got.done);
    let error = got.json();
    assert!(error["error"]["code"].is_i64() && error.get("id").is_none(), "{error}");
    (got.status(), got.header("www-authenticate").unwrap_or_default().to_owned())
}

#[test]
fn requests_without_a_good_token_are_challenged() {
    // row: A-01, A-02, A-03, A-06, A-07, A-20, A-23, X-27
    let server = server();
    let world = world(&server);
    let none = (401, format!("Bearer {METADATA}, scope=\"read\""));
    assert_eq!(refused(&discover(&world, &[])), none);
    assert_eq!(refused(&discover(&world, &["Basic YTpi"])), none);
    let bad = (401, format!("Bearer error=\"invalid_token\", {METADATA}, scope=\"read\""));
    for token in ["Bearer nobody", "Bearer expired", "Bearer elsewhere", "Bearer nowhere"] {
        assert_eq!(refused(&discover(&world, &[token])), bad, "{token}");
    }
    assert_eq!(discover(&world, &["Bearer ann"]).status(), 200);
    assert_eq!(discover(&world, &["bearer bob"]).status(), 200);
    let mut in_query = Got::default();
    world.proceed(&mut world.begin("POST", "/mcp?access_token=ann", &[]), &mut in_query, Event::run);
    assert_eq!(refused(&in_query), none);
    for method in ["GET", "DELETE"] {
        assert_eq!(world.send(method, &[("Accept", BOTH)], "").1.status(), 401, "{method}");
    }
}

#[test]
fn malformed_requests_and_tokens_with_too_small_a_scope_get_errors_of_their_own() {
    // row: A-08, A-09, A-10, A-12, A-25, X-28, X-29
    let server = server();
    let world = world(&server);
    for bad in [&["Bearer"][..], &["Bearer a b"], &["Bearer ann", "Bearer ann"]] {
        let malformed = (400, format!("Bearer error=\"invalid_request\", {METADATA}"));
        assert_eq!(refused(&discover(&world, bad)), malformed, "{bad:?}");
    }
    let lacks =
        |scopes: &str| (403, format!("Bearer error=\"insufficient_scope\", scope=\"{scopes}\", {METADATA}"));
    assert_eq!(refused(&discover(&world, &["Bearer useless"])), lacks("read"));
    assert_eq!(refused(&discover(&world, &["Bearer more"])), lacks("read admin"));
}

#[test]
fn a_token_is_judged_after_the_origin_and_the_method_and_before_everything_else() {
    // row: A-24
    let server = server();
    let world = world(&server);
    assert_eq!(world.send("POST", &[("Host", "evil.example")], "").1.status(), 403);
    assert_eq!(world.send("PUT", &[], "").1.status(), 405);
    assert_eq!(world.send("POST", &[("Content-Type", "text/plain")], "").1.status(), 401);
    let known = ("Authorization", "Bearer ann");
    assert_eq!(world.send("POST", &[known, ("Content-Type", "text/plain")], "").1.status(), 415);
}

#[test]
fn metadata_is_served_without_a_token_at_the_well_known_places() {
    // row: A-04, A-05, A-21
    let server = server();
    let world = world(&server);
    for place in ["", "/mcp"] {
        let path = format!("/.well-known/oauth-protected-resource{place}");
        assert!(world.endpoint.serves(&path));
        let mut got = Got::default();
        world.proceed(&mut world.begin("GET", &path, &[]), &mut got, |_| {});
        assert_eq!((got.status(), got.header("content-type")), (200, Some("application/json")));
        let document = got.json();
        assert_eq!(document["resource"], URL);
        assert_eq!(document["authorization_servers"][0], "https://as.example");
        assert_eq!(document["scopes_supported"][0], "read");
        let mut got = Got::default();
        world.proceed(&mut world.begin("POST", &path, &[]), &mut got, |_| {});
        assert_eq!((got.status(), got.header("allow")), (405, Some("GET")));
        let mut got = Got::default();
        world.proceed(&mut world.begin("GET", &path, &[("Host", "evil.example")]), &mut got, |_| {});
        assert_eq!(got.status(), 403);
    }
    let open = World::new(&server);
    assert!(!open.endpoint.serves("/.well-known/oauth-protected-resource"));
    assert!(open.endpoint.serves("/mcp?x") && !open.endpoint.serves("/mcp/x"));
    let elsewhere = Server::new("s", "1").endpoint().path("/notes/mcp").build(|| {}).unwrap();
    assert!(elsewhere.serves("/notes/mcp") && !elsewhere.serves("/mcp"));
}

#[test]
fn without_a_url_for_clients_tokens_have_no_audience_and_challenges_no_metadata() {
    let server = server();
    let builder =
        server.endpoint().verify(|call| (call.token() == "ann").then(|| Grant::new(Caller::new(*b"ann"))));
    let world = World::on(&server, builder.build(|| {}).unwrap());
    assert_eq!(discover(&world, &["Bearer ann"]).status(), 200);
    assert_eq!(
        refused(&discover(&world, &["Bearer bob"])),
        (401, "Bearer error=\"invalid_token\"".to_owned())
    );
    assert_eq!(refused(&discover(&world, &[])), (401, "Bearer".to_owned()));
}

/// A request whose token the application holds.
fn held(world: &World, held: &mut Vec<Responder<Verification>>) -> (Polled, Got) {
    let headers = [
        ("Content-Type", "application/json"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "server/discover"),
        ("Authorization", "Bearer ann"),
    ];
    let mut exchange = world.begin("POST", "/mcp", &headers);
    let mut got = Got::default();
    world.proceed(&mut exchange, &mut got, |event| {
        let Event::Verify(call) = event else { panic!("no token") };
        assert_eq!((call.token(), call.header("MCP-METHOD")), ("ann", Some("server/discover")));
        assert!(!format!("{call:?}").contains("ann"), "tokens are not for logs");
        held.push(call.into_responder());
    });
    assert!(got.head.is_none());
    (exchange, got)
}

#[test]
fn the_application_may_judge_a_token_later_and_the_body_is_read_after_that() {
    let server = server();
    let world = World::on(&server, server.endpoint().protect(protection()).build(|| {}).unwrap());
    let mut questions = Vec::new();
    let (mut exchange, mut got) = held(&world, &mut questions);
    world.advance_clock(59_000);
    assert!(questions.remove(0).finish(grant("ann")));
    world.proceed(&mut exchange, &mut got, |_| panic!("nothing else is asked"));
    assert!(got.head.is_none(), "the body is waited for");
    exchange.body(request(1, "server/discover", META).as_bytes());
    exchange.end(world.now());
    world.proceed(&mut exchange, &mut got, Event::run);
    assert_eq!(got.status(), 200);
}

#[test]
fn a_token_that_the_verifier_does_not_judge_is_an_internal_error_and_a_log_line() {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = lines.clone();
    let server = Server::builder("s", "1").on_log(move |_, line| told.lock().unwrap().push(line.to_owned()));
    let server = server.build().unwrap();
    let world = World::on(&server, protected(&server).build(|| {}).unwrap());
    assert_eq!(discover(&world, &["Bearer broken"]).status(), 500);
    let unjudged = World::on(&server, server.endpoint().protect(protection()).build(|| {}).unwrap());
    assert_eq!(discover(&unjudged, &["Bearer ann"]).status(), 500);
    let mut questions = Vec::new();
    let (mut exchange, mut got) = held(&unjudged, &mut questions);
    unjudged.advance_clock(60_000);
    unjudged.proceed(&mut exchange, &mut got, |_| {});
    assert_eq!((got.status(), got.json()["error"]["code"].as_i64()), (500, Some(-32603)));
    assert!(!questions.remove(0).finish(grant("ann")), "it is too late");
    let lines = lines.lock().unwrap();
    for (line, why) in
        lines.iter().zip(["the database is away", "dropped without an answer", "held for too long"])
    {
        assert!(line.contains(why), "{line}");
    }
    assert_eq!(lines.len(), 3);
}

#[test]
fn a_client_that_leaves_while_its_token_is_judged_frees_its_room() {
    // row: H-12
    let mut limits = wellhead::Limits::default();
    limits.calls_in_flight = 1;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let world = World::on(&server, server.endpoint().protect(protection()).build(|| {}).unwrap());
    let mut questions = Vec::new();
    let (exchange, _) = held(&world, &mut questions);
    assert_eq!(discover(&world, &["Bearer ann"]).status(), 503, "a token under judgement is a call");
    assert!(!questions[0].is_cancelled());
    drop(exchange);
    assert!(questions[0].is_cancelled());
    assert_eq!(discover(&world, &["Bearer ann"]).status(), 503, "the application is still at it");
    questions.clear();
    held(&world, &mut questions);
}

/// A request in a session with a token, or the start of one.
fn within(world: &World, token: &str, session: &str, body: &str) -> Got {
    let authorization = format!("Bearer {token}");
    let mut headers = vec![("Authorization", authorization.as_str())];
    if !session.is_empty() {
        headers.push(("Mcp-Session-Id", session));
    }
    world.post(&headers, body)
}

fn session(world: &World, token: &str) -> String {
    let got = within(world, token, "", &initialize("2025-11-25"));
    let session = got.header("mcp-session-id").expect("a session").to_owned();
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(within(world, token, &session, initialized).status(), 202);
    session
}

fn stream(world: &World, token: &str, session: &str, last: &str) -> (Polled, Got) {
    let authorization = format!("Bearer {token}");
    let mut headers = vec![("Authorization", authorization.as_str())];
    if !last.is_empty() {
        headers.push(("Last-Event-ID", last));
    }
    world.get(session, &headers)
}

#[test]
fn a_session_and_its_streams_belong_to_one_client() {
    // row: A-24, H-21, H-25
    let server = server();
    let world = world(&server);
    let (ann, bob) = (session(&world, "ann"), session(&world, "bob"));
    let subscribe = request(1, "resources/subscribe", r#""uri":"test://text""#);
    assert_eq!(within(&world, "ann", &ann, &subscribe).status(), 200);
    let (mut of_ann, mut anns) = stream(&world, "ann", &ann, "");
    let (mut of_bob, mut bobs) = stream(&world, "bob", &bob, "");
    server.notify_updated("test://text").unwrap();
    world.proceed(&mut of_ann, &mut anns, Event::run);
    world.proceed(&mut of_bob, &mut bobs, Event::run);
    assert_eq!((anns.events().len(), bobs.events().len()), (2, 1), "each has its priming event");

    let ping = request(2, "ping", "");
    assert_eq!(within(&world, "bob", &ann, &ping).status(), 404);
    assert_eq!(world.post(&[("Mcp-Session-Id", &ann)], &ping).status(), 401, "an id is no token");
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(within(&world, "bob", &ann, cancel).status(), 404);
    for last in ["", "1-0"] {
        assert_eq!(stream(&world, "bob", &ann, last).1.status(), 404);
    }
    let (_, resumed) = stream(&world, "bob", &bob, "1-0");
    assert_eq!((resumed.status(), resumed.body.as_str()), (200, ""), "the same place of another's stream");
    let authorization = [("Authorization", "Bearer bob"), ("Mcp-Session-Id", ann.as_str())];
    assert_eq!(world.send("DELETE", &authorization, "").1.status(), 404);
    assert_eq!(within(&world, "ann", &ann, &ping).status(), 200);
    assert_eq!(world.endpoint.sessions(), 2);
}

#[test]
fn the_caller_reaches_every_callback() {
    // row: A-26
    let server = server();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let note = |what: &'static str| {
        let seen = seen.clone();
        move |caller: &Caller| {
            seen.lock()
                .unwrap()
                .push(format!("{what} {}", caller.value::<String>().map_or("-", |name| name)));
        }
    };
    let (read, listed, asked, completed) = (note("read"), note("list"), note("authorize"), note("complete"));
    let template = Template::new("test://of/{name}").complete("name", move |call: wellhead::CompleteCall| {
        completed(call.caller());
        wellhead::Completion::default()
    });
    server
        .template(template, move |call| {
            read(call.caller());
            Some("read")
        })
        .unwrap();
    server
        .list("source", move |call: wellhead::ListCall| {
            listed(call.caller());
            Page::default()
        })
        .unwrap();
    server
        .authorize(move |call| {
            asked(call.caller());
            let hidden = call.caller().id() == b"bob";
            call.targets()
                .map(|uri| if hidden && uri.ends_with("/ann") { Verdict::Deny } else { Verdict::Allow })
                .collect::<Vec<_>>()
        })
        .unwrap();
    let world = world(&server);
    let read = |token: &str| {
        let authorization = format!("Bearer {token}");
        let headers = [("Mcp-Name", "test://of/ann"), ("Authorization", authorization.as_str())];
        let (_, got) = world.send_request("resources/read", r#""uri":"test://of/ann","#, &headers);
        (got.status(), got.json()["error"]["code"].as_i64())
    };
    assert_eq!(read("ann"), (200, None));
    assert_eq!(read("bob"), (200, Some(403)), "denied by the application, not by HTTP");
    assert_eq!(*seen.lock().unwrap(), ["authorize ann", "read ann", "authorize bob"]);
    seen.lock().unwrap().clear();
    let bob = session(&world, "bob");
    for body in [
        request(1, "resources/list", ""),
        request(2, "resources/subscribe", r#""uri":"test://text""#),
        request(
            3,
            "completion/complete",
            r#""ref":{"type":"ref/resource","uri":"test://of/{name}"},"argument":{"name":"name","value":""}"#,
        ),
    ] {
        let got = within(&world, "bob", &bob, &body);
        assert_eq!((got.status(), got.json().get("error")), (200, None), "{body}");
    }
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|line| line.ends_with(" bob")), "{seen:?}");
    for what in ["list bob", "authorize bob", "complete bob"] {
        assert!(seen.iter().any(|line| line == what), "{what}: {seen:?}");
    }
}

#[test]
fn a_cursor_serves_no_other_client() {
    let mut limits = wellhead::Limits::default();
    limits.page_items = 1;
    let server = Server::builder("s", "1").limits(limits).build().unwrap();
    for uri in ["test://a", "test://b"] {
        server.text(uri, "").unwrap();
    }
    let world = world(&server);
    let list = |token: &str, cursor: &str| {
        let authorization = format!("Bearer {token}");
        let members = if cursor.is_empty() { String::new() } else { format!(r#""cursor":"{cursor}","#) };
        world.send_request("resources/list", &members, &[("Authorization", &authorization)]).1.json()
    };
    let cursor = list("ann", "")["result"]["nextCursor"].as_str().expect("a cursor").to_owned();
    assert_eq!(list("ann", &cursor)["result"]["resources"][0]["uri"], "test://b");
    assert_eq!(list("bob", &cursor)["error"]["code"], -32602);
}

#[test]
fn a_change_is_announced_to_the_callers_that_may_see_it() {
    let server = server();
    server
        .authorize(|call| {
            let verdict = if call.caller().id() == b"bob" { Verdict::Hide } else { Verdict::Allow };
            vec![verdict; call.targets().len()]
        })
        .unwrap();
    let world = world(&server);
    let filter = r#""notifications":{"resourceSubscriptions":["test://text"]},"#;
    let listen = |token: &str| {
        let authorization = format!("Bearer {token}");
        world.send_request("subscriptions/listen", filter, &[("Authorization", &authorization)])
    };
    let ((mut ann, mut anns), (mut bob, mut bobs)) = (listen("ann"), listen("bob"));
    server.notify_updated("test://text").unwrap();
    world.proceed(&mut ann, &mut anns, Event::run);
    world.proceed(&mut bob, &mut bobs, Event::run);
    assert!(anns.body.contains("notifications/resources/updated"));
    assert!(!bobs.body.contains("notifications/resources/updated"), "{}", bobs.body);
}

#[test]
fn streams_of_changes_end_when_the_token_that_opened_them_expires() {
    // row: H-49
    let server = server();
    let builder = server.endpoint().protect(protection()).verify(|_| grant("ann").expires_in_ms(5_000));
    let world = World::on(&server, builder.build(|| {}).unwrap());
    let known = ("Authorization", "Bearer ann");
    let (mut listen, mut told) =
        world.send_request("subscriptions/listen", r#""notifications":{},"#, &[known]);
    let session = session(&world, "ann");
    let (mut get, mut got) = world.get(&session, &[known]);
    world.advance_clock(4_999);
    world.proceed(&mut listen, &mut told, Event::run);
    world.proceed(&mut get, &mut got, Event::run);
    assert!(!told.done && !got.done);
    world.advance_clock(1);
    world.proceed(&mut listen, &mut told, Event::run);
    world.proceed(&mut get, &mut got, Event::run);
    assert!(told.done && got.done);
    assert!(got.body.ends_with("retry: 1000\n\n"), "{}", got.body);
    assert!(told.events().last().unwrap().1.contains(r#""result""#), "{told:?}");
    assert_eq!(world.get(&session, &[known]).1.status(), 200, "with a new token the client goes on");
}

#[test]
fn a_callback_of_a_session_sees_the_caller_of_the_request_that_it_answers() {
    // row: A-26
    let server = server();
    server
        .template(Template::new("test://scopes/{n}"), |call: Call| {
            let claims = call.caller().value::<String>().cloned().unwrap_or_default();
            format!("{}: {claims}", call.caller().id().escape_ascii())
        })
        .unwrap();
    server.resource("test://held", |call| call.defer().0).unwrap();
    let endpoint =
        server.endpoint().verify(|call| Grant::new(Caller::new(*b"ann").with_value(call.token().to_owned())));
    let world = World::on(&server, endpoint.build(|| {}).unwrap());
    let session = session(&world, "first");
    let asks = |id: u32, uri: &str| request(id, "resources/read", &format!(r#""uri":"{uri}""#));
    let seen = |got: &Got| got.json()["result"]["contents"][0]["text"].as_str().map(str::to_owned);
    for token in ["second", "third", "first"] {
        let got = within(&world, token, &session, &asks(1, "test://scopes/1"));
        assert_eq!(seen(&got), Some(format!("ann: {token}")));
    }
    let headers = [
        ("Content-Type", "application/json"),
        ("Mcp-Session-Id", &*session),
        ("Authorization", "Bearer held"),
    ];
    let mut exchange = world.begin("POST", "/mcp", &headers);
    exchange.body(asks(2, "test://held").as_bytes());
    exchange.end(world.now());
    let mut held = None;
    world.proceed(&mut exchange, &mut Got::default(), |event| match event {
        Event::Read(call) => held = Some(call),
        event => event.run(),
    });
    let got = within(&world, "meanwhile", &session, &asks(3, "test://scopes/1"));
    assert_eq!(seen(&got).as_deref(), Some("ann: meanwhile"));
    assert_eq!(held.unwrap().caller().value::<String>().unwrap(), "held");

    let got = within(&world, "first", "", &initialize("2025-03-26"));
    let old = got.header("mcp-session-id").expect("a session").to_owned();
    let batch = format!("[{},{}]", asks(4, "test://scopes/1"), asks(5, "test://scopes/2"));
    let got = within(&world, "of-a-batch", &old, &batch);
    assert_eq!(got.body.matches("ann: of-a-batch").count(), 2, "{got:?}");
}

#[test]
fn the_callers_of_a_session_are_dropped_with_their_requests() {
    let server = server();
    let alive = Arc::new(());
    let claims = alive.clone();
    let verify = move |_| Grant::new(Caller::new(*b"ann").with_value(claims.clone()));
    let world = World::on(&server, server.endpoint().verify(verify).build(|| {}).unwrap());
    let session = session(&world, "token");
    let ping = request(1, "ping", "");
    within(&world, "token", &session, &ping);
    let before = Arc::strong_count(&alive);
    for _ in 0..20 {
        within(&world, "token", &session, &ping);
    }
    assert_eq!(Arc::strong_count(&alive), before);
    assert_eq!(
        world
            .send("DELETE", &[("Authorization", "Bearer token"), ("Mcp-Session-Id", &session)], "")
            .1
            .status(),
        204
    );
    assert_eq!(Arc::strong_count(&alive), 2, "the verifier's and ours");
}

#[test]
fn the_subscriptions_of_a_session_are_reviewed_for_the_caller_of_its_newest_request() {
    // row: A-24, A-26
    let server = server();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let asked = seen.clone();
    server
        .authorize(move |call| {
            asked.lock().unwrap().extend(call.caller().value::<String>().cloned());
            call.targets().map(|_| Verdict::Allow).collect::<Vec<_>>()
        })
        .unwrap();
    let endpoint =
        server.endpoint().verify(|call| Grant::new(Caller::new(*b"ann").with_value(call.token().to_owned())));
    let world = World::on(&server, endpoint.build(|| {}).unwrap());
    let session = session(&world, "first");
    let got =
        within(&world, "second", &session, &request(1, "resources/subscribe", r#""uri":"test://text""#));
    assert_eq!((got.status(), got.json().get("error")), (200, None));
    let review = || {
        server.access_changed(b"ann").unwrap();
        while let Some(event) = world.endpoint.poll_event() {
            event.run();
        }
    };
    review();
    within(&world, "third", &session, &request(2, "ping", ""));
    review();
    let _stream = stream(&world, "fourth", &session, "");
    review();
    assert_eq!(*seen.lock().unwrap(), ["second", "second", "third", "fourth"]);
}
