//! The share that one client has of an endpoint's calls, sessions and listen streams, and the sessions and streams that
//! end first.

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
    World::on(&server, endpoint.build(|| {}).unwrap())
}

/// Returns whether a session of that id is there.
fn is_known(world: &World, session: &str) -> bool {
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    world.post(&[("Mcp-Session-Id", session)], initialized).status() == 202
}

fn list(world: &World, session: &str) {
    assert_eq!(world.within(session, 1, "resources/list", "").1.status(), 200);
}

#[test]
fn sessions_without_requests_end_first_and_of_those_the_least_recently_used() {
    let world = world(|_| (), 3, false);
    let (used, older) = (world.session("2025-06-18"), world.session("2025-06-18"));
    list(&world, &used);
    world.advance_clock(1);
    let newer = world.session("2025-06-18");
    world.advance_clock(1);
    let next = world.session("2025-06-18");
    assert_eq!(world.endpoint.sessions(), 3);
    assert_eq!((is_known(&world, &used), is_known(&world, &older)), (true, false));
    world.advance_clock(1);
    assert!(is_known(&world, &newer), "which uses it");
    world.advance_clock(1);
    world.session("2025-06-18");
    assert_eq!((is_known(&world, &newer), is_known(&world, &next)), (true, false));
}

#[test]
fn ten_thousand_handshakes_keep_no_client_out() {
    let server = server();
    let world = World::on(&server, server.endpoint().session_limit(100).build(|| {}).unwrap());
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
fn sessions_in_use_stay_and_those_long_unused_go() {
    let world = world(|_| (), 2, false);
    let sessions: Vec<_> = (0..2).map(|_| world.session("2025-06-18")).collect();
    for session in &sessions {
        list(&world, session);
    }
    let stream = world.get(&sessions[0], &[]);
    let refused = world.post(&[], &initialize("2025-06-18"));
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.json()["error"]["data"], serde_json::json!({"limit": "session_limit", "max": 2}));
    world.advance_clock(59_999);
    assert_eq!(world.post(&[], &initialize("2025-06-18")).status(), 503);
    world.advance_clock(1);
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
    let world = world(|_| (), 12, true);
    for at in 1..=3 {
        assert_eq!(begin(&world, "ann").status(), 200, "{at}");
    }
    let refused = begin(&world, "ann");
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.json()["error"]["data"], serde_json::json!({"limit": "caller_percent", "max": 3}));
    assert_eq!(begin(&world, "bob").status(), 200);
    let whole = self::world(|limits| limits.caller_percent = 100, 8, true);
    for _ in 0..8 {
        assert_eq!(begin(&whole, "ann").status(), 200);
    }
}

/// A request of the stateless era from a peer, or with a token.
fn send_request(
    world: &World,
    peer: &[u8],
    token: &str,
    method: &str,
    members: &str,
) -> (Polled, Got, Vec<Event>) {
    let authorization = format!("Bearer {token}");
    let mut headers = vec![
        ("Content-Type", "application/json"),
        ("Accept", BOTH),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    headers.extend((!token.is_empty()).then_some(("Authorization", &*authorization)));
    headers.extend((method == "resources/read").then_some(("Mcp-Name", "test://held")));
    let mut exchange = world.begin_as(peer, "POST", "/mcp", &headers, None);
    exchange.body(request(1, method, &format!("{members},{META}")).as_bytes());
    exchange.end(world.now());
    let (mut got, mut reads) = (Got::default(), Vec::new());
    world.proceed(&mut exchange, &mut got, |event| match event {
        Event::Read(_) => reads.push(event),
        _ => event.run(),
    });
    (exchange, got, reads)
}

fn listen_from(world: &World, peer: &[u8], token: &str) -> (Polled, Got) {
    let (exchange, got, _) =
        send_request(world, peer, token, "subscriptions/listen", r#""notifications":{}"#);
    (exchange, got)
}

fn listen(world: &World, token: &str) -> (Polled, Got) {
    listen_from(world, b"", token)
}

#[test]
fn a_caller_has_its_share_of_the_listen_streams() {
    let world = world(|limits| limits.listen_streams = 12, 8, true);
    let mut streams: Vec<_> = (0..3).map(|_| listen(&world, "ann")).collect();
    assert!(streams.iter().all(|(_, got)| got.status() == 200));
    let (_, refused) = listen(&world, "ann");
    assert_eq!((refused.status(), refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.json()["error"]["data"], serde_json::json!({"limit": "caller_percent", "max": 3}));
    assert_eq!(listen(&world, "bob").1.status(), 200);
    streams.pop();
    assert_eq!(listen(&world, "ann").1.status(), 200);
}

fn has_ended(world: &World, (exchange, got): &mut (Polled, Got)) -> bool {
    world.proceed(exchange, got, Event::run);
    got.done
}

#[test]
fn a_new_listen_stream_ends_the_oldest_one_of_the_peer_that_has_most() {
    let world = world(|limits| limits.listen_streams = 4, 8, false);
    let mut streams: Vec<_> =
        [b"a", b"b", b"b", b"b"].iter().map(|peer| listen_from(&world, *peer, "")).collect();
    let ended = |streams: &mut Vec<_>| -> Vec<_> {
        streams.iter_mut().map(|stream| has_ended(&world, stream)).collect()
    };
    assert_eq!(ended(&mut streams), [false; 4]);
    let other = listen_from(&world, b"c", "");
    assert_eq!(other.1.status(), 200);
    assert_eq!(ended(&mut streams), [false, true, false, false]);
    assert!(
        streams[1].1.body.contains(r#""resultType":"complete""#),
        "it ends with its result: {:?}",
        streams[1].1
    );
    drop(other);
    assert_eq!(listen_from(&world, b"b", "").1.status(), 200);
    assert_eq!(ended(&mut streams), [false, true, false, false], "there was a place");
}

#[test]
fn listen_streams_of_clients_that_cannot_be_distinguished_end_no_others() {
    let world = world(|limits| limits.listen_streams = 10, 8, false);
    let mut streams: Vec<_> = (0..12).map(|_| listen(&world, "")).collect();
    let status: Vec<_> = streams.iter().map(|(_, got)| got.status()).collect();
    assert_eq!((&status[..10], &status[10..]), (&[200; 10][..], &[503; 2][..]));
    let error = &streams[10].1.json()["error"];
    assert_eq!(error["data"], serde_json::json!({"limit": "listen_streams", "max": 10}));
    assert!(streams[..10].iter_mut().all(|stream| !has_ended(&world, stream)));
    assert_eq!(listen_from(&world, b"peer", "").1.status(), 200);
    assert!(has_ended(&world, &mut streams[0]), "the oldest ends for a client that is known");
}

#[test]
fn sessions_with_a_stream_go_after_those_without_and_when_long_unused() {
    let world = world(|_| (), 3, false);
    let later = |_| {
        world.advance_clock(1);
        world.session("2025-06-18")
    };
    let sessions = [0, 1, 2].map(later);
    let mut streams = [0, 1].map(|at| {
        world.advance_clock(1);
        world.get(&sessions[at], &[])
    });
    let next = world.session("2025-06-18");
    let mut newest = world.get(&next, &[]);
    assert!(!is_known(&world, &sessions[2]), "it has no stream");
    assert_eq!(world.post(&[], &initialize("2025-06-18")).status(), 503);
    world.advance_clock(60_000);
    world.session("2025-06-18");
    assert!(has_ended(&world, &mut streams[0]), "its session is the least recently used one");
    assert!(!has_ended(&world, &mut streams[1]) && !has_ended(&world, &mut newest));
    assert!(!is_known(&world, &sessions[0]));
}

#[test]
fn sessions_with_a_stream_that_were_used_go_when_long_unused() {
    let world = world(|_| (), 1, false);
    let session = world.session("2025-06-18");
    list(&world, &session);
    let mut stream = world.get(&session, &[]);
    assert_eq!(world.post(&[], &initialize("2025-06-18")).status(), 503);
    world.advance_clock(60_000);
    assert_eq!(world.post(&[], &initialize("2025-06-18")).status(), 200);
    assert!(has_ended(&world, &mut stream));
}

fn read(world: &World, peer: &[u8], token: &str) -> (Polled, Got, Vec<Event>) {
    send_request(world, peer, token, "resources/read", r#""uri":"test://held""#)
}

#[test]
fn calls_of_one_client_that_are_never_answered_leave_some_to_others() {
    for protected in [false, true] {
        let world = world(|limits| limits.calls_in_flight = 16, 8, protected);
        world.server.resource("test://held", |_| Some("found")).unwrap();
        let held =
            |who: &str| if protected { read(&world, b"", who) } else { read(&world, who.as_bytes(), "") };
        let calls: Vec<_> = (0..16).map(|_| held("greedy")).collect();
        let (begun, refused): (Vec<_>, Vec<_>) = calls.iter().partition(|(_, _, reads)| reads.len() == 1);
        assert_eq!((begun.len(), refused.len()), (4, 12));
        for (_, got, _) in refused {
            assert_eq!((got.status(), got.header("retry-after")), (503, Some("1")));
            let data = serde_json::json!({"limit": "caller_percent", "max": 4});
            assert_eq!(got.json()["error"]["data"], data);
        }
        let others: Vec<_> = ["ann", "bob", "eve"].map(held).into_iter().collect();
        assert!(others.iter().all(|(_, _, reads)| reads.len() == 1));
        drop(calls);
        assert_eq!(held("greedy").2.len(), 1, "the room of an ended request is free again");
    }
}
