//! Log lines about refused requests.

use crate::client::{META, World, hold, initialize, request};
use std::sync::{Arc, Mutex};
use wellhead::{Limits, Server, Severity, Spelling};

type Lines = Arc<Mutex<Vec<String>>>;

fn world(spelling: Spelling) -> (World, Lines) {
    let lines = Lines::default();
    let told = lines.clone();
    let mut limits = Limits::default();
    (limits.calls_in_flight, limits.listen_streams) = (1, 1);
    let server = Server::builder("s", "1").limits(limits).spelling(spelling);
    let server = server.on_log(move |severity, line| {
        assert_eq!(severity, Severity::Warning);
        told.lock().unwrap().push(line.to_owned());
    });
    let server = server.build().unwrap();
    server.text("test://text", "found").unwrap();
    server.resource("test://later", |call| call.defer().0).unwrap();
    (World::new(&server), lines)
}

fn logged(lines: &Lines) -> Vec<String> {
    std::mem::take(&mut *lines.lock().unwrap())
}

#[test]
fn refusals_of_one_kind_are_logged_once_a_minute() {
    let (world, lines) = world(Spelling::Snake);
    let foreign = || world.send("POST", &[("Host", "evil.example")], "").1;
    assert_eq!(foreign().status(), 403);
    let line = "a request was answered 403: the host 'evil.example' is not allowed; see `allowed_hosts`";
    assert_eq!(logged(&lines), [line]);
    for _ in 0..3 {
        foreign();
    }
    world.advance_clock(59_999);
    foreign();
    assert_eq!(logged(&lines), Vec::<String>::new());
    world.send("POST", &[("Origin", "null")], "");
    let origin = "a request was answered 403: the origin 'null' is not allowed; see `allowed_origins`";
    assert_eq!(logged(&lines), [origin]);
    world.advance_clock(1);
    foreign();
    assert_eq!(logged(&lines), [format!("{line} (4 more since the last such line)")]);
}

#[test]
fn the_log_line_of_each_kind_of_refusal_has_advice() {
    let (world, lines) = world(Spelling::Camel);
    world.proceed(&mut world.begin("POST", "/other", &[]), &mut crate::client::Got::default(), |_| {});
    let path =
        "a request was answered 404: the path '/other' is not that of the endpoint, '/mcp'; see `path`";
    assert_eq!(logged(&lines), [path]);
    assert_eq!(world.within("unknown", 1, "ping", "").1.status(), 404);
    assert_eq!(world.get("unknown", &[]).1.status(), 404);
    let session = "a request was answered 404: the session is unknown or has ended; see `sessionMs`. If another \
        process began it, share `cursorKey` among them and turn `sessions` off";
    assert_eq!(logged(&lines), [session]);
    let known = world.session("2025-06-18");
    world.within(&known, 1, "resources/list", r#""cursor":"of another process""#);
    let cursor =
        "a list was refused: its cursor is invalid. If another process gave it, share `cursorKey` among them";
    assert_eq!(logged(&lines), [cursor]);
    let _open = world.listen_from(b"peer");
    assert_eq!(world.listen_from(b"peer").1.status(), 200);
    assert_eq!(
        logged(&lines),
        ["a listen stream ended for a new one: the limit `listenStreams` is reached (1)"]
    );
    assert_eq!(world.post(&[], &request(1, "x", META)).status(), 400);
    assert_eq!(
        logged(&lines),
        Vec::<String>::new(),
        "a fault of the client's is nothing that a setting would mend"
    );
}

#[test]
fn calls_and_sessions_without_room_are_logged() {
    for (spelling, calls, sessions) in [
        (Spelling::Snake, "calls_in_flight", "session_limit"),
        (Spelling::Camel, "callsInFlight", "sessionLimit"),
    ] {
        let (world, lines) = world(spelling);
        let world = World::on(&world.server, world.server.endpoint().session_limit(1).build(|| {}).unwrap());
        let (session, mut held) = (world.session("2025-06-18"), Vec::new());
        let _first = hold(&world, &session, 1, &mut held);
        assert_eq!(logged(&lines), Vec::<String>::new());
        let second = || world.within(&session, 2, "resources/read", r#""uri":"test://text""#).1.status();
        assert_eq!((second(), second()), (503, 503));
        let line =
            |limit, more| format!("a request was answered 503: the limit `{limit}` is reached (1){more}");
        assert_eq!(logged(&lines), [line(calls, "")]);
        world.advance_clock(60_000);
        assert_eq!(world.post(&[], &initialize("2025-06-18")).status(), 503);
        assert_eq!(logged(&lines), [line(sessions, " (1 more since the last such line)")]);
    }
}

#[test]
fn missing_and_insufficient_tokens_are_logged() {
    let (world, lines) = world(Spelling::Snake);
    let protection = wellhead::http::Protection::default().scopes(["read"]).unwrap();
    let endpoint = world.server.endpoint().protect(protection).verify(|call| {
        (call.token() == "good").then(|| wellhead::http::Grant::new(wellhead::Caller::new(*b"ann")))
    });
    let world = World::on(&world.server, endpoint.build(|| {}).unwrap());
    let send_request = |more: &[(&str, &str)]| world.send_request("server/discover", "", more).1.status();
    assert_eq!(send_request(&[]), 401);
    assert_eq!(logged(&lines), ["a request was answered 401: it has no bearer token; see `verify`"]);
    world.advance_clock(60_000);
    assert_eq!(send_request(&[("Authorization", "Bearer bad")]), 401);
    assert_eq!(logged(&lines), ["a request was answered 401: its token is not valid; see `verify`"]);
    assert_eq!(send_request(&[("Authorization", "Bearer good")]), 403);
    assert_eq!(
        logged(&lines),
        ["a request was answered 403: its token lacks a scope of 'read'; see `scopes`"]
    );
}
