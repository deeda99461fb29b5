//! The handshake era where the application wants no sessions: every request stands for itself.

use crate::client::{BOTH, World, initialize, request};
use wellhead::{Json, Server, Template};

fn world() -> World {
    let server =
        Server::builder("s", "1").capability("tools", Json::parse(r#"{"listChanged":true}"#).unwrap());
    let server = server.build().unwrap();
    server.text("test://text", "found").unwrap();
    server.template(Template::new("test://by/{id}"), |call| Some(format!("by {}", call.var("id")?))).unwrap();
    World::on(&server, server.endpoint().sessions(false).build(|| {}).unwrap())
}

#[test]
fn without_sessions_no_session_id_is_sent_required_or_read() {
    // row: H-28, H-31, D-14, E-45
    let world = world();
    let got = world.post(&[("Mcp-Session-Id", "made up")], &initialize("2025-11-25"));
    assert_eq!((got.status(), got.header("mcp-session-id")), (200, None));
    let result = &got.json()["result"];
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["capabilities"]["resources"], serde_json::json!({}));
    assert_eq!(result["capabilities"]["tools"], serde_json::json!({}), "no stream can carry changes");
    assert_eq!(world.endpoint.sessions(), 0);
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(world.post(&[], initialized).status(), 202);
    let read = request(1, "resources/read", r#""uri":"test://by/7""#);
    for headers in [&[][..], &[("Mcp-Session-Id", "x")], &[("MCP-Protocol-Version", "2025-06-18")]] {
        let got = world.post(headers, &read);
        assert_eq!(got.json()["result"]["contents"][0]["text"], "by 7", "{headers:?}");
    }
    assert_eq!(world.post(&[], &request(2, "ping", "")).body, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
}

#[test]
fn a_request_without_a_version_is_one_of_2025_03_26() {
    // row: E-45, H-31
    let world = world();
    let batch = format!("[{},{}]", request(1, "ping", ""), request(2, "ping", ""));
    let got = world.post(&[], &batch);
    assert_eq!((got.status(), got.json().as_array().map(Vec::len)), (200, Some(2)));
    assert_eq!(world.post(&[("MCP-Protocol-Version", "2025-06-18")], &batch).status(), 400);
    let server = Server::builder("s", "1").revisions(["2025-06-18"]).build().unwrap();
    let world = World::on(&server, server.endpoint().sessions(false).build(|| {}).unwrap());
    let got = world.post(&[], &request(3, "ping", ""));
    assert_eq!((got.status(), got.json()["id"].as_i64()), (400, Some(3)));
    assert_eq!(got.json()["error"]["data"]["requested"], "2025-03-26");
    assert_eq!(world.post(&[("MCP-Protocol-Version", "2025-06-18")], &request(3, "ping", "")).status(), 200);
}

#[test]
fn capabilities_that_need_a_session_are_not_offered() {
    // row: H-28, X-30
    let world = world();
    for method in ["GET", "DELETE"] {
        let (_, got) = world.send(method, &[("Accept", BOTH), ("Mcp-Session-Id", "x")], "");
        assert_eq!((got.status(), got.header("allow")), (405, Some("POST")), "{method}");
    }
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let got = world.post(&[], &request(1, method, r#""uri":"test://text""#));
        assert_eq!((got.status(), got.json()["error"]["code"].as_i64()), (200, Some(-32601)), "{method}");
    }
}

#[test]
fn the_stateless_era_is_served_as_ever() {
    let world = world();
    let (_, got) =
        world.send_request("resources/read", r#""uri":"test://text","#, &[("Mcp-Name", "test://text")]);
    assert_eq!(got.json()["result"]["contents"][0]["text"], "found");
    let (_, got) = world.send_request("subscriptions/listen", r#""notifications":{},"#, &[]);
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    let (_, got) = world.send_request("server/discover", "", &[]);
    assert_eq!(got.json()["result"]["capabilities"]["tools"]["listChanged"], true);
}
