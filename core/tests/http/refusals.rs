//! Log lines about refused requests.

use crate::client::{META, World, request};
use std::sync::{Arc, Mutex};
use wellhead::{Level, Limits, Server, Spelling};

type Lines = Arc<Mutex<Vec<String>>>;

fn world(spelling: Spelling) -> (World, Lines) {
    let lines = Lines::default();
    let told = lines.clone();
    let mut limits = Limits::default();
    limits.listen_streams = 1;
    let server = Server::builder("s", "1").limits(limits).spelling(spelling);
    let server = server.on_log(move |level, line| {
        assert_eq!(level, Level::Warning);
        told.lock().unwrap().push(line.to_owned());
    });
    let server = server.build().unwrap();
    server.text("test://text", "found").unwrap();
    (World::new(&server), lines)
}

fn told(lines: &Lines) -> Vec<String> {
    std::mem::take(&mut *lines.lock().unwrap())
}

#[test]
fn refusals_are_told_to_the_host_once_a_minute_and_kind() {
    let (world, lines) = world(Spelling::Snake);
    let foreign = || world.send("POST", &[("Host", "evil.example")], "").1;
    assert_eq!(foreign().status(), 403);
    let line = "a request was answered 403: the host 'evil.example' is not allowed; see `allowed_hosts`";
    assert_eq!(told(&lines), [line]);
    for _ in 0..3 {
        foreign();
    }
    world.pass(59_999);
    foreign();
    assert_eq!(told(&lines), Vec::<String>::new());
    world.send("POST", &[("Origin", "null")], "");
    let origin = "a request was answered 403: the origin 'null' is not allowed; see `allowed_origins`";
    assert_eq!(told(&lines), [origin]);
    world.pass(1);
    foreign();
    assert_eq!(told(&lines), [format!("{line} (4 more since the last such line)")]);
}

#[test]
fn each_kind_of_refusal_says_what_to_do() {
    let (world, lines) = world(Spelling::Camel);
    world.go_on(&mut world.begin("POST", "/other", &[]), &mut crate::client::Got::default(), |_| {});
    let path =
        "a request was answered 404: the path '/other' is not that of the endpoint, '/mcp'; see `path`";
    assert_eq!(told(&lines), [path]);
    assert_eq!(world.within("unknown", 1, "ping", "").1.status(), 404);
    assert_eq!(world.get("unknown", &[]).1.status(), 404);
    let session = "a request was answered 404: the session is unknown or has ended; see `sessionMs`. If another \
        process began it, share `cursorKey` among them and turn `sessions` off";
    assert_eq!(told(&lines), [session]);
    let known = world.session("2025-06-18");
    world.within(&known, 1, "resources/list", r#""cursor":"of another process""#);
    let cursor =
        "a list was refused: its cursor is invalid. If another process gave it, share `cursorKey` among them";
    assert_eq!(told(&lines), [cursor]);
    let _open = world.listen_from(b"peer");
    assert_eq!(world.listen_from(b"peer").1.status(), 200);
    assert_eq!(
        told(&lines),
        ["a listen stream ended for a new one: the limit `listenStreams` is reached (1)"]
    );
    assert_eq!(world.post(&[], &request(1, "x", META)).status(), 400);
    assert_eq!(
        told(&lines),
        Vec::<String>::new(),
        "a fault of the client's is nothing that a setting would mend"
    );
}

#[test]
fn tokens_that_are_missing_or_not_good_enough_are_told() {
    let (world, lines) = world(Spelling::Snake);
    let protection = wellhead::http::Protection::default().scopes(["read"]).unwrap();
    let endpoint = world.server.endpoint().protect(protection).verify(|call| {
        (call.token() == "good").then(|| wellhead::http::Grant::new(wellhead::Caller::new(*b"ann")))
    });
    let world = World::with(&world.server, endpoint.build(|| {}).unwrap());
    let ask = |more: &[(&str, &str)]| world.ask("server/discover", "", more).1.status();
    assert_eq!(ask(&[]), 401);
    assert_eq!(told(&lines), ["a request was answered 401: it has no bearer token; see `verify`"]);
    world.pass(60_000);
    assert_eq!(ask(&[("Authorization", "Bearer bad")]), 401);
    assert_eq!(told(&lines), ["a request was answered 401: its token is not valid; see `verify`"]);
    assert_eq!(ask(&[("Authorization", "Bearer good")]), 403);
    assert_eq!(told(&lines), ["a request was answered 403: its token lacks a scope of 'read'; see `scopes`"]);
}
