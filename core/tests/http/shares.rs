//! The share that one client has of an endpoint's sessions and listen streams, and the sessions that are dropped
//! first.

use crate::client::{BOTH, Got, META, Polled, World, initialize, request, server};
use wellhead::http::Grant;
use wellhead::{Caller, Event, Limits, Server};

fn world(limits: impl FnOnce(&mut Limits), session_limit: usize, protected: bool) -> World {
    let mut all = Limits::default();
    limits(&mut all);
    let server = Server::builder("s", "1").limits(all).on_log(|_, _| {}).build().unwrap();
    server.text("test://text", "found").unwrap();
    let mut endpoint = server.endpoint().session_limit(session_limit);
    if protected {
        endpoint = endpoint.verify(|call| Some(Grant::new(Caller::new(call.token().as_bytes()))));
    }
    World::with(&server, endpoint.build(|| {}).unwrap())
}

/// Whether a session of that id is there.
fn is_known(world: &World, session: &str) -> bool {
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    world.post(&[("Mcp-Session-Id", session)], initialized).status() == 202
}

fn list(world: &World, session: &str) {
    assert_eq!(world.within(session, 1, "resources/list", "").1.status(), 200);
}

#[test]
fn sessions_that_asked_for_nothing_go_first_and_the_least_recently_used_of_them() {
    let world = world(|_| (), 3, false);
    let (used, older) = (world.session("2025-06-18"), world.session("2025-06-18"));
    list(&world, &used);
    world.pass(1);
    let newer = world.session("2025-06-18");
    world.pass(1);
    let next = world.session("2025-06-18");
    assert_eq!(world.endpoint.sessions(), 3);
    assert_eq!((is_known(&world, &used), is_known(&world, &older)), (true, false));
    world.pass(1);
    assert!(is_known(&world, &newer), "which uses it");
    world.pass(1);
    world.session("2025-06-18");
    assert_eq!((is_known(&world, &newer), is_known(&world, &next)), (true, false));
}

#[test]
fn ten_thousand_handshakes_keep_nobody_out() {
    let server = server();
    let world = World::with(&server, server.endpoint().session_limit(100).build(|| {}).unwrap());
    let first = world.session("2025-06-18");
    list(&world, &first);
    for _ in 0..1_000 {
        assert_eq!(world.post(&[], &initialize("2025-06-18")).status(), 200);
    }
    let last = world.session("2025-06-18");
    list(&world, &last);
    assert!(is_known(&world, &first), "it is used");
    assert_eq!(world.endpoint.sessions(), 100);
}

#[test]
fn sessions_in_use_stay_and_those_that_nobody_has_used_for_long_go() {
    let world = world(|_| (), 2, false);
    let sessions: Vec<_> = (0..2).map(|_| world.session("2025-06-18")).collect();
    for session in &sessions {
        list(&world, session);
    }
    let stream = world.get(&sessions[0], &[]);
    let refused = world.post(&[], &initialize("2025-06-18"));
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.json()["error"]["data"], serde_json::json!({"limit": "session_limit", "max": 2}));
    world.pass(59_999);
    assert_eq!(world.post(&[], &initialize("2025-06-18")).status(), 503);
    world.pass(1);
    let third = world.session("2025-06-18");
    assert_eq!((is_known(&world, &sessions[0]), is_known(&world, &sessions[1])), (true, false));
    assert!(is_known(&world, &third));
    drop(stream);
}

fn begin(world: &World, token: &str) -> Got {
    let authorization = format!("Bearer {token}");
    world.post(&[("Authorization", &authorization)], &initialize("2025-06-18"))
}

#[test]
fn a_caller_has_its_share_of_the_sessions() {
    let world = world(|_| (), 8, true);
    for (at, status) in [(1, 200), (2, 200), (3, 503)] {
        let got = begin(&world, "ann");
        assert_eq!(got.status(), status, "{at}");
        if status == 503 {
            let data = serde_json::json!({"limit": "caller_percent", "max": 2});
            assert_eq!(got.json()["error"]["data"], data);
        }
    }
    assert_eq!(begin(&world, "bob").status(), 200);
    let whole = self::world(|limits| limits.caller_percent = 100, 8, true);
    for _ in 0..8 {
        assert_eq!(begin(&whole, "ann").status(), 200);
    }
}

fn listen(world: &World, token: &str) -> (Polled, Got) {
    let authorization = format!("Bearer {token}");
    let headers = [
        ("Authorization", &*authorization),
        ("Content-Type", "application/json"),
        ("Accept", BOTH),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "subscriptions/listen"),
    ];
    let mut exchange = world.begin("POST", "/mcp", &headers);
    let params = format!(r#""notifications":{{}},{META}"#);
    exchange.body(request(1, "subscriptions/listen", &params).as_bytes());
    exchange.end(world.now());
    let mut got = Got::default();
    world.go_on(&mut exchange, &mut got, Event::run);
    (exchange, got)
}

#[test]
fn a_caller_has_its_share_of_the_listen_streams() {
    let world = world(|limits| limits.listen_streams = 8, 8, true);
    let mut streams: Vec<_> = (0..2).map(|_| listen(&world, "ann")).collect();
    assert!(streams.iter().all(|(_, got)| got.status() == 200));
    let (_, refused) = listen(&world, "ann");
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.json()["error"]["data"], serde_json::json!({"limit": "caller_percent", "max": 2}));
    assert_eq!(listen(&world, "bob").1.status(), 200);
    streams.pop();
    assert_eq!(listen(&world, "ann").1.status(), 200);
}
