//! The rules for a POST, whatever its head says.

use crate::client::{Got, META, World, initialize, request};
use wellhead::Server;

fn world() -> World {
    let server = Server::new("s", "1");
    server.text("test://text", "found").unwrap();
    World::new(&server)
}

fn code(got: &Got) -> (u16, Option<i64>) {
    (got.status(), got.json()["error"]["code"].as_i64())
}

const STATELESS: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");

#[test]
fn a_request_that_carries_its_revision_stands_for_itself_in_a_session_too() {
    // row: D-10, H-61
    let world = world();
    let session = world.session("2025-06-18");
    let headers = [STATELESS, ("Mcp-Method", "server/discover"), ("Mcp-Session-Id", session.as_str())];
    let got = world.post(&headers, &request(1, "server/discover", META));
    assert_eq!((got.status(), got.header("mcp-session-id")), (200, None));
    assert_eq!(got.json()["result"]["resultType"], "complete");
    let legacy = [("MCP-Protocol-Version", "2025-06-18"), ("Mcp-Method", "server/discover")];
    assert_eq!(code(&world.post(&legacy, &request(1, "server/discover", META))), (400, Some(-32020)));
}

#[test]
fn a_request_without_its_revision_under_the_head_of_one_lacks_it() {
    // row: D-12, D-15, H-73
    let world = world();
    let headers = [STATELESS, ("Mcp-Method", "resources/list")];
    assert_eq!(code(&world.post(&headers, &request(1, "resources/list", ""))), (400, Some(-32602)));
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/whatever"}"#;
    let got = world.post(&[STATELESS, ("Mcp-Method", "something/else")], notification);
    assert_eq!((got.status(), got.body.as_str(), got.header("content-type")), (202, "", None));
}

#[test]
fn in_a_session_its_revision_counts_not_the_one_of_the_head() {
    // row: D-11, D-14, H-30, H-31, H-32, H-33
    let world = world();
    let session = world.session("2025-03-26");
    let within = |version: Option<&str>| {
        let mut headers = vec![("Mcp-Session-Id", session.as_str())];
        headers.extend(version.map(|version| ("MCP-Protocol-Version", version)));
        world.post(&headers, &format!("[{}]", request(1, "ping", "")))
    };
    for version in [None, Some("2025-03-26"), Some("2025-11-25")] {
        assert_eq!(within(version).status(), 200, "batches are of the session's revision: {version:?}");
    }
    assert_eq!(code(&within(Some("2023-01-01"))), (400, Some(-32022)));
    let headers = [("MCP-Protocol-Version", "2023-01-01")];
    assert_eq!(
        world.post(&headers, &initialize("2025-06-18")).status(),
        200,
        "it is the handshake that settles it"
    );
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(code(&world.post(&headers, notification)), (400, Some(-32022)));
}

#[test]
fn a_message_that_needs_no_answer_is_accepted_without_a_body() {
    // row: H-03
    let world = world();
    let session = world.session("2025-06-18");
    let within = |body: &str| world.post(&[("Mcp-Session-Id", &session)], body);
    for accepted in [r#"{"jsonrpc":"2.0","method":"x"}"#, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#] {
        let got = within(accepted);
        assert_eq!(
            (got.status(), got.body.as_str(), got.header("content-type")),
            (202, "", None),
            "{accepted}"
        );
    }
    let refused = world.post(&[], r#"{"jsonrpc":"2.0","method":"x"}"#);
    assert_eq!(refused.status(), 400);
    assert!(refused.json().get("id").is_none());
}

#[test]
fn a_second_handshake_in_a_session_is_refused_with_its_id() {
    // row: H-24, H-27, X-22
    let world = world();
    let session = world.session("2025-06-18");
    let got = world.post(&[("Mcp-Session-Id", &session)], &initialize("2025-06-18"));
    assert_eq!(code(&got), (400, Some(-32600)));
    assert_eq!(got.json()["id"], 0);
    let got = world.post(&[("Mcp-Session-Id", "of nobody")], &initialize("2025-06-18"));
    assert_eq!((got.status(), got.json()["id"].as_i64()), (404, Some(0)));
    assert_eq!(world.endpoint.sessions(), 1);
}

#[test]
fn fields_for_tools_and_fields_that_a_proxy_adds_have_no_effect() {
    // row: H-74, H-75
    let world = world();
    let send_request = |more: &[(&str, &str)]| {
        let headers =
            [("Mcp-Name", "test://text"), ("Mcp-Param-Uri", "test://other"), ("X-Forwarded-Host", "evil")];
        let headers: Vec<_> = headers.iter().chain(more).copied().collect();
        world.send_request("resources/read", r#""uri":"test://text","#, &headers).1
    };
    assert_eq!(send_request(&[]).json()["result"]["contents"][0]["text"], "found");
    let checked = [("Via", "1.1 proxy"), ("Mcp-Name", "test://other")];
    assert_eq!(code(&send_request(&checked)), (400, Some(-32020)), "a proxy's word is not taken for it");
}
