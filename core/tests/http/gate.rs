//! Requests that are refused before anything is read, by path, origin, method, type, size or time.

use crate::client::{BOTH, META, World, request};
use wellhead::{Limits, Server};

fn world() -> World {
    World::new(&Server::new("s", "1"))
}

fn discover() -> String {
    request(1, "server/discover", META)
}

#[test]
fn unknown_paths_and_methods_are_refused() {
    // row: H-09, H-60, O-07, X-30
    let world = world();
    let mut got = crate::client::Got::default();
    world.proceed(&mut world.begin("POST", "/other", &[]), &mut got, |_| {});
    assert_eq!((got.status(), got.body.as_str()), (404, ""));
    for method in ["PUT", "OPTIONS", "PATCH", "HEAD"] {
        let (_, got) = world.send(method, &[], "");
        assert_eq!((got.status(), got.header("allow")), (405, Some("POST, GET, DELETE")), "{method}");
    }
    for method in ["GET", "DELETE"] {
        let headers = [("Accept", BOTH), ("MCP-Protocol-Version", "2026-07-28")];
        assert_eq!(world.send(method, &headers, "").1.status(), 405, "{method}");
    }
}

#[test]
fn a_foreign_origin_or_host_is_refused_for_every_method() {
    // row: O-02, O-04, O-05, X-26
    let world = world();
    for (method, headers) in [
        ("POST", [("Host", "evil.example"), ("Accept", BOTH)]),
        ("GET", [("Origin", "http://evil.example"), ("Accept", BOTH)]),
        ("DELETE", [("Origin", "null"), ("Accept", BOTH)]),
        ("PUT", [("Host", "evil.example"), ("Accept", BOTH)]),
    ] {
        let (_, got) = world.send(method, &headers, "");
        assert_eq!(got.status(), 403, "{method}");
        let error = got.json();
        assert_eq!(error["error"]["code"], -32600);
        assert!(error.get("id").is_none());
    }
}

#[test]
fn types_are_checked_leniently_or_strictly() {
    // row: H-01, H-02, X-31, X-32
    let world = world();
    let status =
        |world: &World, headers: &[(&str, &str)]| world.send("POST", headers, &discover()).1.status();
    let json = ("Content-Type", "application/json; charset=utf-8");
    assert_eq!(status(&world, &[("Content-Type", "text/plain"), ("Accept", BOTH)]), 415);
    assert_eq!(status(&world, &[("Accept", BOTH)]), 415);
    assert_eq!(status(&world, &[json, ("Accept", "text/html")]), 406);
    let strict = Server::new("s", "1");
    let strict = World::on(&strict, strict.endpoint().strict_accept(true).build(|| {}).unwrap());
    let (_, refused) = strict.send("POST", &[json, ("Accept", "application/json")], &discover());
    assert_eq!(refused.status(), 406);
    assert!(refused.body.contains("strict_accept"), "{}", refused.body);
    assert_ne!(status(&strict, &[json, ("Accept", "*/*")]), 406);
}

#[test]
fn a_body_over_the_limit_is_refused_before_it_is_read() {
    // row: X-33
    let mut limits = Limits::default();
    limits.message_bytes = 200;
    let server = Server::builder("s", "1").limits(limits).build().unwrap();
    let world = World::new(&server);
    let headers = [("Content-Type", "application/json"), ("Content-Length", "201")];
    let mut got = crate::client::Got::default();
    world.proceed(&mut world.begin("POST", "/mcp", &headers), &mut got, |_| {});
    assert_eq!(got.status(), 413);
    assert_eq!(got.json()["error"]["data"]["limit"], "message_bytes");
    assert_eq!(world.post(&[], &"x".repeat(201)).status(), 413);
    assert_eq!(world.post(&[], &"x".repeat(200)).status(), 400);
}

#[test]
fn a_body_that_does_not_arrive_in_time_is_given_up() {
    let world = world();
    let mut exchange = world.begin("POST", "/mcp", &[("Content-Type", "application/json")]);
    exchange.body(b"{");
    let mut got = crate::client::Got::default();
    world.proceed(&mut exchange, &mut got, |_| {});
    assert!(got.head.is_none());
    world.advance_clock(30_000);
    world.proceed(&mut exchange, &mut got, |_| {});
    assert_eq!(got.status(), 408);
}

#[test]
fn an_invalid_message_gets_an_error_in_the_form_of_the_revision_in_the_head() {
    // row: E-20, E-21, E-22, E-43, D-13, D-16, X-01, X-02, X-03, X-18
    let world = world();
    let error = |version: &[(&str, &str)], body: &str| {
        let got = world.post(version, body);
        let json = got.json();
        (got.status(), json["error"]["code"].as_i64().unwrap(), json.get("id").cloned())
    };
    let stateless = [("MCP-Protocol-Version", "2026-07-28")];
    let null = Some(serde_json::Value::Null);
    assert_eq!(error(&stateless, "no json"), (400, -32700, None));
    assert_eq!(error(&[("MCP-Protocol-Version", "2025-06-18")], "no json"), (400, -32700, null.clone()));
    assert_eq!(error(&[("MCP-Protocol-Version", "2025-11-25")], "no json"), (400, -32700, None));
    assert_eq!(error(&stateless, "[]"), (400, -32600, None));
    assert_eq!(error(&[], &format!("[{}]", discover())), (400, -32600, null.clone()));
    assert_eq!(error(&stateless, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), (400, -32600, None));
    let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    let unknown = [("MCP-Protocol-Version", "v999.0.0")];
    assert_eq!(error(&unknown, ping), (400, -32022, Some(7.into())));
    assert_eq!(error(&stateless, ping), (400, -32602, Some(7.into())));
    let got = world.post(&unknown, ping);
    assert_eq!(got.json()["error"]["data"]["requested"], "v999.0.0");
}

#[test]
fn pages_of_allowed_origins_may_read_the_answers_if_the_option_allows_it() {
    // row: O-07
    let server = Server::new("s", "1");
    let builder = server.endpoint().allowed_origins(["https://app.example"]).cors(true);
    let world = World::on(&server, builder.build(|| {}).unwrap());
    let page = ("Origin", "https://app.example");
    let (_, got) = world.send("OPTIONS", &[page, ("Access-Control-Request-Method", "POST")], "");
    assert_eq!((got.status(), got.body.as_str()), (204, ""));
    assert_eq!(got.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(got.header("access-control-allow-methods"), Some("POST, GET, DELETE"));
    let allowed = got.header("access-control-allow-headers").unwrap().to_ascii_lowercase();
    for name in ["authorization", "mcp-session-id", "last-event-id", "mcp-protocol-version", "mcp-name"] {
        assert!(allowed.contains(name), "{name}");
    }
    let (_, got) = world.send_request("server/discover", "", &[page]);
    assert_eq!((got.status(), got.header("vary")), (200, Some("Origin")));
    assert_eq!(got.header("access-control-allow-origin"), Some("https://app.example"));
    assert_eq!(got.header("access-control-expose-headers"), Some("Mcp-Session-Id, WWW-Authenticate"));
    let (_, refused) = world.send("POST", &[page, ("Content-Type", "text/plain")], "");
    assert_eq!(refused.status(), 415);
    assert!(refused.header("access-control-allow-origin").is_some(), "refusals, too, are told to the page");

    let other = ("Origin", "https://other.example");
    let (_, got) = world.send("OPTIONS", &[other, ("Access-Control-Request-Method", "POST")], "");
    assert_eq!((got.status(), got.header("access-control-allow-origin")), (403, None));
    assert_eq!(world.send_request("server/discover", "", &[]).1.header("access-control-allow-origin"), None);
    let (_, got) = world.send("OPTIONS", &[], "");
    assert_eq!((got.status(), got.header("allow")), (405, Some("POST, GET, DELETE, OPTIONS")));
    let off = World::new(&server);
    let (_, got) = off.send_request("server/discover", "", &[("Origin", "http://localhost:1234")]);
    assert_eq!((got.status(), got.header("access-control-allow-origin")), (200, None));
}

#[test]
fn a_field_with_two_values_is_refused() {
    let world = world();
    let both = ("Accept", BOTH);
    let json = ("Content-Type", "application/json");
    let mut body = discover();
    for (twice, status) in [
        (("Host", "localhost"), 400),
        (("Origin", "http://localhost"), 403),
        (("Content-Type", "application/json"), 415),
        (("MCP-Protocol-Version", "2026-07-28"), 400),
        (("Mcp-Method", "server/discover"), 400),
    ] {
        let mut headers =
            vec![both, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "server/discover"), json];
        headers.retain(|(name, _)| *name != twice.0);
        assert_eq!(
            world.send("POST", &[&headers[..], &[twice]].concat(), &body).1.status(),
            200,
            "{twice:?}"
        );
        assert_eq!(
            world.send("POST", &[&headers[..], &[twice, twice]].concat(), &body).1.status(),
            status,
            "{twice:?}"
        );
    }
    body = request(1, "ping", "");
    let session = world.session("2025-06-18");
    let within = ("Mcp-Session-Id", session.as_str());
    assert_eq!(world.post(&[within], &body).status(), 200);
    assert_eq!(world.post(&[within, within], &body).status(), 400);
    let last = ("Last-Event-ID", "1-0");
    assert_eq!(world.get(&session, &[]).1.status(), 200);
    assert_eq!(world.get(&session, &[last]).1.status(), 200);
    assert_eq!(world.get(&session, &[last, last]).1.status(), 400);
}
