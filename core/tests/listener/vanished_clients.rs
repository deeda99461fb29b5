//! Clients that vanish, or take nothing: what they held is free again.

use super::{Client, Service};
use std::time::{Duration, Instant};
use wellhead::serve::Http;
use wellhead::{Limits, Server};

/// A service with room for one of each.
fn narrow(idle_ms: u64) -> Service {
    let mut limits = Limits::default();
    (limits.calls_in_flight, limits.listen_streams) = (1, 1);
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.text("test://large", "x".repeat(16 << 20)).unwrap();
    server.text(watched(), "found").unwrap();
    let http = Http::new(server.endpoint().idle_ms(idle_ms)).tcp_connection_limit(2);
    Service::bind(server, http)
}

/// A URI whose changes soon fill the buffers of a socket.
fn watched() -> String {
    format!("test://{}", "x".repeat(4_000))
}

fn listening(service: &Service) -> Client {
    let mut client = service.client();
    let members = format!(r#""notifications":{{"resourceSubscriptions":["{}"]}},"#, watched());
    client.send_request("subscriptions/listen", &members, "");
    assert_eq!(client.head().0, 200);
    assert!(client.event().contains("acknowledged"));
    client
}

fn reading(service: &Service) -> Client {
    let mut client = service.client();
    client.send_request("resources/read", r#""uri":"test://large","#, "Mcp-Name: test://large\r\n");
    assert_eq!(client.head().0, 200);
    client
}

/// Waits, meanwhile doing that, until no client is connected and nothing watched.
fn until_nothing_is_held(server: &Server, meanwhile: impl Fn()) {
    let until = Instant::now() + Duration::from_secs(120);
    loop {
        let now = server.counters();
        // The one that is left is the listener's own, which hears of the server's end.
        if (now.connections_open, now.subscriptions_open, now.uris_subscribed) == (1, 0, 0) {
            return;
        }
        assert!(Instant::now() < until, "{now:?}");
        meanwhile();
        std::thread::yield_now();
    }
}

#[test]
fn clients_that_vanish_leave_their_places_to_others() {
    let service = narrow(3_600_000);
    for _ in 0..3 {
        let (stream, answer) = (listening(&service), reading(&service));
        assert_eq!(service.server.counters().subscriptions_open, 1);
        drop((stream, answer));
        until_nothing_is_held(&service.server, || {});
    }
    service.ends();
}

#[test]
fn clients_that_do_not_read_lose_their_places_to_others() {
    let service = narrow(1_000);
    let deaf = (listening(&service), reading(&service));
    until_nothing_is_held(&service.server, || drop(service.server.notify_updated(&watched())));
    drop((listening(&service), reading(&service), deaf));
    service.ends();
}
