//! The context that an application gives to a request, and the callbacks that the request causes.

use crate::client::{BOTH, Got, META, Polled, World, initialize, request};
use std::sync::{Arc, Mutex};
use wellhead::http::{Grant, Progress};
use wellhead::{
    AuthorizeCall, Call, Caller, Event, ListCall, Observed, Page, RequestContext, Resource, Responder,
    Server, Template, Verdict,
};

type Lines = Arc<Mutex<Vec<String>>>;
type Verdicts = Arc<Mutex<Vec<(Responder<Vec<Verdict>>, usize)>>>;

/// A server whose reads and lists say the context of their request, and whose verdicts the test gives.
struct ContextHost {
    server: Server,
    verdicts: Verdicts,
    /// A line for each question about access, and for each observation.
    lines: Lines,
}

fn context_host() -> ContextHost {
    let (lines, verdicts) = (Lines::default(), Verdicts::default());
    let (seen, asked, held) = (lines.clone(), lines.clone(), verdicts.clone());
    let server = Server::builder("s", "1")
        .on_log(|_, _| {})
        .observe(move |observed: &Observed<'_>| {
            let name = observed.request_context.and_then(|context| context.downcast_ref::<String>());
            let when = if observed.end.is_some() { "ends" } else { "begins" };
            seen.lock().unwrap().push(format!("{} {when} for {}", observed.method, name.unwrap()));
        })
        .build()
        .unwrap();
    server
        .authorize(move |call: AuthorizeCall| {
            let name = call.request_context::<String>().expect("a context");
            asked.lock().unwrap().push(format!("asked for {name}"));
            let uris = call.targets().len();
            let (deferred, responder) = call.defer();
            held.lock().unwrap().push((responder, uris));
            deferred
        })
        .unwrap();
    server.template(Template::new("test://of/{n}"), |call: Call| name(&call)).unwrap();
    for source in ["one", "two"] {
        let list = move |call: ListCall| {
            let name = call.request_context::<String>().expect("a context").clone();
            Page::new([Resource::new(format!("test://of/{source}")).name(name)])
        };
        server.list(source, list).unwrap();
    }
    ContextHost { server, verdicts, lines }
}

fn name(call: &Call) -> String {
    call.request_context::<String>().expect("a context").clone()
}

fn context(name: &str) -> RequestContext {
    Arc::new(name.to_owned())
}

impl ContextHost {
    /// Allows what was asked, the newest question first.
    fn allow(&self) {
        let mut held: Vec<_> = std::mem::take(&mut *self.verdicts.lock().unwrap());
        while let Some((responder, uris)) = held.pop() {
            responder.finish(vec![Verdict::Allow; uris]);
        }
    }

    fn lines(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap())
    }
}

/// A request with a context, whose body is there.
fn post(world: &World, headers: &[(&str, &str)], body: &str, context: RequestContext) -> Polled {
    let mut all = vec![("Content-Type", "application/json"), ("Accept", BOTH)];
    all.extend_from_slice(headers);
    let mut exchange = world.begin_with("POST", "/mcp", &all, Some(context));
    exchange.body(body.as_bytes());
    exchange.end(world.now());
    exchange
}

/// Takes what there is, running whatever event comes up here.
fn proceed(world: &World, exchange: &mut Polled, got: &mut Got) {
    world.proceed(exchange, got, Event::run);
}

#[test]
fn a_callback_has_the_context_of_its_own_request_on_any_polling_thread() {
    let host = context_host();
    let world = World::new(&host.server);
    let session = world.session("2025-11-25");
    let in_session = [("Mcp-Session-Id", &*session)];
    let alone = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "resources/read"),
        ("Mcp-Name", "test://of/x"),
    ];
    let mut open: Vec<(String, Polled, Got)> = Vec::new();
    for n in 1..=6 {
        let name = format!("request {n}");
        let (headers, meta): (&[_], _) =
            if n % 2 == 0 { (&alone, format!(",{META}")) } else { (&in_session, String::new()) };
        let body = request(n, "resources/read", &format!(r#""uri":"test://of/x"{meta}"#));
        let exchange = post(&world, headers, &body, context(&name));
        open.push((name, exchange, Got::default()));
    }
    // The first exchange polls everybody's questions, and then everybody's reads.
    for round in 0..2 {
        for (_, exchange, got) in &mut open {
            proceed(&world, exchange, got);
        }
        if round == 0 {
            host.allow();
        }
    }
    for (name, _, got) in &open {
        assert_eq!(got.json()["result"]["contents"][0]["text"].as_str(), Some(&**name));
    }
    let lines = host.lines();
    for (name, ..) in &open {
        for what in ["asked for", "authorize begins for", "authorize ends for", "resources/read ends for"] {
            let line = format!("{what} {name}");
            assert_eq!(lines.iter().filter(|seen| **seen == line).count(), 1, "{line}: {lines:?}");
        }
    }
}

#[test]
fn a_call_that_continues_without_its_client_keeps_the_context_of_its_request() {
    let host = context_host();
    let world = World::new(&host.server);
    let session = world.session("2025-11-25");
    let mut exchange =
        post(&world, &[("Mcp-Session-Id", &session)], &request(1, "resources/list", ""), context("gone"));
    proceed(&world, &mut exchange, &mut Got::default());
    drop(exchange);
    for _ in 0..3 {
        host.allow();
        while let Some(event) = world.endpoint.poll_event() {
            event.run();
        }
    }
    let lines = host.lines();
    assert!(lines.iter().all(|line| line.ends_with("for gone")), "{lines:?}");
    assert_eq!(lines.last().map(String::as_str), Some("authorize ends for gone"), "no other call followed");
}

#[test]
fn the_calls_of_a_batch_find_the_context_of_their_request() {
    let host = context_host();
    let world = World::new(&host.server);
    let session = world.post(&[], &initialize("2025-03-26")).header("mcp-session-id").unwrap().to_owned();
    let read = |id| request(id, "resources/read", r#""uri":"test://of/x""#);
    let mut exchange = post(
        &world,
        &[("Mcp-Session-Id", &session)],
        &format!("[{},{}]", read(1), read(2)),
        context("the batch"),
    );
    let mut got = Got::default();
    proceed(&world, &mut exchange, &mut got);
    host.allow();
    proceed(&world, &mut exchange, &mut got);
    assert_eq!(got.body.matches(r#""text":"the batch""#).count(), 2, "{got:?}");
}

#[test]
fn the_verifier_and_the_callbacks_after_it_have_the_context() {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.template(Template::new("test://of/{n}"), |call: Call| name(&call)).unwrap();
    let endpoint = server.endpoint().verify(|call| {
        let name = call.request_context::<String>().expect("a context").clone();
        Grant::new(Caller::new(name.into_bytes()))
    });
    let world = World::on(&server, endpoint.build(|| {}).unwrap());
    let headers = [
        ("Authorization", "Bearer x"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "resources/read"),
        ("Mcp-Name", "test://of/x"),
    ];
    let body = request(1, "resources/read", &format!(r#""uri":"test://of/x",{META}"#));
    let mut exchange = post(&world, &headers, &body, context("ann's"));
    let mut got = Got::default();
    proceed(&world, &mut exchange, &mut got);
    assert_eq!(got.json()["result"]["contents"][0]["text"], "ann's");
}

#[test]
fn a_connection_hands_a_message_its_context() {
    let host = context_host();
    let connection = host.server.connect(Caller::default());
    for message in
        [initialize("2025-06-18"), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned()]
    {
        connection.handle(message.as_bytes()).unwrap();
    }
    let asked: Vec<_> = ["a", "b"]
        .into_iter()
        .enumerate()
        .map(|(id, name)| {
            let message = request(id as u32 + 1, "resources/read", r#""uri":"test://of/x""#);
            connection.handle_with_context(message.as_bytes(), context(name), Event::run).unwrap()
        })
        .collect();
    host.allow();
    while let Some(event) = connection.poll_event() {
        event.run();
    }
    for (handled, name) in asked.into_iter().zip(["a", "b"]) {
        let wellhead::Handled::Later(route) = handled else { panic!("it waits for verdicts") };
        let Some(wellhead::Handled::Answer(answer)) = connection.take(route) else { panic!("no answer") };
        let text = format!(r#""text":"{name}""#);
        assert!(String::from_utf8(answer).unwrap().contains(&text));
    }
}

#[test]
fn a_context_is_dropped_with_its_request_even_if_its_session_lives_on() {
    let server = crate::client::server();
    let world = World::new(&server);
    let session = world.session("2025-11-25");
    let of_request: Arc<String> = Arc::default();
    let headers = [("Mcp-Session-Id", &*session)];
    for uri in ["test://text", "test://later", "test://none"] {
        let body = request(1, "resources/read", &format!(r#""uri":"{uri}""#));
        let mut exchange = post(&world, &headers, &body, of_request.clone());
        proceed(&world, &mut exchange, &mut Got::default());
        drop(exchange);
        assert_eq!(Arc::strong_count(&of_request), 1, "{uri}");
    }
    let mut exchange = post(&world, &[], &initialize("2025-11-25"), of_request.clone());
    proceed(&world, &mut exchange, &mut Got::default());
    drop(exchange);
    assert_eq!(world.endpoint.sessions(), 2);
    assert_eq!(Arc::strong_count(&of_request), 1, "the second session has no context");
}

#[test]
fn a_context_is_dropped_with_its_request_even_if_its_answer_waits_for_a_client_that_has_gone() {
    let server = crate::client::server();
    let world = World::new(&server);
    let session = world.session("2025-11-25");
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream"),
        ("Mcp-Session-Id", session.as_str()),
    ];
    let of_request: Arc<String> = Arc::default();
    for (id, uri) in [(1, "test://text"), (2, "test://later"), (3, "test://later")] {
        let mut exchange = world.begin_with("POST", "/mcp", &headers, Some(of_request.clone()));
        let params = format!(r#""uri":"{uri}","_meta":{{"progressToken":1}}"#);
        exchange.body(request(id, "resources/read", &params).as_bytes());
        exchange.end(world.now());
        let mut held = None;
        let response = loop {
            match exchange.poll(world.now(), &mut Vec::new()) {
                Progress::Event(Event::Read(call)) => {
                    let responder = call.into_responder();
                    assert!(responder.progress(1.0, None, None));
                    held = Some(responder);
                }
                Progress::Respond(response) => break response,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(response.status, 200);
        drop(exchange);
        match (id, held) {
            (2, Some(held)) => assert!(held.finish("found")),
            (3, Some(held)) => {
                drop(held);
                let cancel =
                    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
                assert_eq!(world.post(&[("Mcp-Session-Id", &session)], cancel).status(), 202);
            }
            _ => {}
        }
        assert!(world.endpoint.poll_event().is_none());
        assert_eq!(Arc::strong_count(&of_request), 1, "request {id}");
    }
    let (_, got) = world.get(&session, &[("Last-Event-ID", "1-0")]);
    assert!(got.body.contains("found"), "the answer is still there: {got:?}");
}

#[test]
fn a_call_that_is_kept_can_forget_the_context_of_its_request() {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.resource("test://a", |_| Some("a")).unwrap();
    let connection = server.connect(Caller::new(*b"ann"));
    let message = request(1, "resources/read", &format!(r#""uri":"test://a",{META}"#));
    let of_request: Arc<String> = Arc::default();
    let mut kept = None;
    let run = |event: Event| {
        let Event::Read(mut call) = event else { panic!("no read") };
        let responder = call.take_responder().unwrap();
        assert!(call.request_context::<String>().is_some());
        call.forget_request_context();
        assert!(call.request_context::<String>().is_none());
        responder.finish(wellhead::Answer::NotFound);
        kept = Some(call);
    };
    connection.handle_with_context(message.as_bytes(), of_request.clone(), run).unwrap();
    let kept = kept.unwrap();
    assert_eq!(Arc::strong_count(&of_request), 1);
    assert_eq!((kept.uri(), kept.caller().id(), kept.revision()), ("test://a", &b"ann"[..], "2026-07-28"));
    assert!(kept.meta().is_some());
}

#[test]
fn a_value_that_an_observer_attaches_stays_with_the_call_to_its_end() {
    let lines = Lines::default();
    let (observed_lines, asked) = (lines.clone(), lines.clone());
    let name = |context: Option<&String>| context.map_or("none", |name| name).to_owned();
    let server = Server::builder("s", "1")
        .observe(move |observed: &Observed<'_>| {
            let context = observed.request_context.and_then(|context| context.downcast_ref());
            observed_lines.lock().unwrap().push(name(context));
            observed.attach(context_of_call(observed.call));
        })
        .build()
        .unwrap();
    server.resource("test://a", |_| Some("a")).unwrap();
    let connection = server.connect(Caller::default());
    let message = request(1, "resources/read", &format!(r#""uri":"test://a",{META}"#));
    let run = |event: Event| {
        asked.lock().unwrap().push(name(event.request_context()));
        event.run();
    };
    connection.handle_with_context(message.as_bytes(), context("request"), run).unwrap();
    connection.handle_with(message.as_bytes(), run).unwrap();
    assert_eq!(*lines.lock().unwrap(), ["request", "call 1", "call 1", "none", "call 2", "call 2"]);
}

fn context_of_call(call: u64) -> RequestContext {
    context(&format!("call {call}"))
}

#[test]
fn every_callback_of_a_request_sees_its_fields_and_its_query() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let server = Server::builder("s", "1").build().unwrap();
    let note = |seen: &Arc<Mutex<Vec<String>>>, what: &str, header: Option<&str>, query: Option<&str>| {
        seen.lock().unwrap().push(format!("{what} {header:?} {query:?}"));
    };
    let log = seen.clone();
    server
        .authorize(move |call: AuthorizeCall| {
            note(&log, "authorize", call.header("X-TENANT"), call.query());
            vec![Verdict::Allow; call.targets().len()]
        })
        .unwrap();
    let log = seen.clone();
    server
        .list("one", move |call: ListCall| {
            note(&log, "list", call.header("x-tenant"), call.query());
            Page::new([Resource::new("test://a")])
        })
        .unwrap();
    let world = World::new(&server);
    let session = world.session("2025-11-25");
    let headers = [("Content-Type", "application/json"), ("Accept", BOTH), ("Mcp-Session-Id", &*session)];
    for (target, tenant) in [("/mcp?q=1", "a"), ("/mcp", "b")] {
        let mut all = headers.to_vec();
        all.push(("X-Tenant", tenant));
        let mut exchange = world.begin("POST", target, &all);
        exchange.body(request(1, "resources/list", "").as_bytes());
        exchange.end(world.now());
        proceed(&world, &mut exchange, &mut Got::default());
    }
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    for line in [
        r#"authorize Some("a") Some("q=1")"#,
        r#"list Some("a") Some("q=1")"#,
        r#"list Some("b") None"#,
        r#"authorize Some("b") None"#,
    ] {
        assert!(seen.iter().any(|seen| seen == line), "{line}: {seen:?}");
    }
}

#[test]
fn a_head_larger_than_the_limit_is_refused() {
    let world = World::new(&context_host().server);
    let large = "x".repeat(128 << 10);
    let mut exchange = world.begin("POST", "/mcp", &[("X-Large", &large)]);
    let mut got = Got::default();
    proceed(&world, &mut exchange, &mut got);
    assert_eq!(got.status(), 431, "{got:?}");
}
