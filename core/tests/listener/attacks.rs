//! Clients that cost much and take nothing: while they are at it, another client's read is answered within a second.

use super::Service;
use super::h2c::{self, run};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use wellhead::http::EndpointBuilder;
use wellhead::serve::Http;
use wellhead::{Contents, Server, SharedBytes};

const LARGE: &str = r#""uri":"test://large","#;

/// A server whose slow reads take 20 ms of a callback thread each, and how many of them were begun.
fn service(how: impl FnOnce(EndpointBuilder) -> EndpointBuilder) -> (Service, Arc<AtomicUsize>) {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    let begun = Arc::new(AtomicUsize::new(0));
    let count = begun.clone();
    server
        .template("test://slow/{id}", move |call| {
            count.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(20)); // the work that the attack is about
            call.var("id").map(str::to_owned)
        })
        .unwrap();
    server.template("test://echo/{id}", |call| call.var("id").map(str::to_owned)).unwrap();
    server.text("test://small", "x".repeat(1_000)).unwrap();
    let http = Http::new(how(server.endpoint()));
    (Service::of(server, http), begun)
}

/// Another client reads 1 KB, through a callback and without one, and has it within a second. The machine may have had other
/// things to do, so it has three tries.
fn others_are_answered(service: &Service) {
    for uri in ["test://small".to_owned(), format!("test://echo/{}", "x".repeat(1_000))] {
        let in_time = || {
            let began = Instant::now();
            let mut client = service.client();
            client.ask("resources/read", &format!(r#""uri":"{uri}","#), &format!("Mcp-Name: {uri}\r\n"));
            let (status, body) = client.whole();
            assert_eq!(status, 200, "{body}");
            began.elapsed() < Duration::from_secs(1)
        };
        assert!(in_time() || in_time() || in_time(), "another client waits for longer than a second");
    }
}

fn until(so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !so() {
        assert!(Instant::now() < until, "it takes too long");
        std::thread::yield_now();
    }
}

#[test]
fn reads_over_http_2_whose_client_takes_nothing_take_no_calls_and_are_let_go() {
    let (service, _) = service(|endpoint| endpoint.idle_ms(10_000));
    let large = Arc::new(vec![0; 300_000]);
    let shared: SharedBytes = large.clone();
    service.server.resource("test://large", move |_| Contents::new(shared.clone())).unwrap();
    run(async {
        let mut clients = Vec::new();
        for _ in 0..6 {
            let mut client = h2c::Client::connect_with_window(&service, 0).await;
            let mut responses = Vec::new();
            for _ in 0..190 {
                let sent = client.send("resources/read", LARGE, &[("mcp-name", "test://large")]).await;
                responses.push(sent.expect("it is sent"));
            }
            clients.push((client, responses));
        }
        for (_, responses) in &mut clients {
            for response in responses {
                assert_eq!(response.await.expect("a response").status(), 200);
            }
        }
        assert!(Arc::strong_count(&large) > 2, "some are unread");
        others_are_answered(&service);
        until(|| Arc::strong_count(&large) == 2);
        drop(clients);
    });
    service.ends();
}

#[test]
fn reads_whose_clients_leave_at_once_are_not_begun() {
    let (service, begun) = service(|endpoint| endpoint);
    for id in 0..1_500 {
        let mut client = service.client();
        let uri = format!("test://slow/{id}");
        client.ask("resources/read", &format!(r#""uri":"{uri}","#), &format!("Mcp-Name: {uri}\r\n"));
        drop(client);
        if id % 300 == 299 {
            others_are_answered(&service);
        }
    }
    let begun = begun.load(Ordering::SeqCst);
    assert!(begun < 750, "most were not begun: {begun}");
    service.ends();
}

#[test]
fn calls_of_sessions_whose_clients_leave_at_once_are_not_begun() {
    let (service, begun) = service(|endpoint| endpoint);
    let sessions: Vec<String> = (0..4).map(|_| service.client().session()).collect();
    for id in 0..1_500 {
        let mut client = service.client();
        let read = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{{"uri":"test://slow/{id}"}}}}"#
        );
        client.send("POST", &sessions[id % 4], &read);
        drop(client);
        if id % 300 == 299 {
            others_are_answered(&service);
        }
    }
    let begun = begun.load(Ordering::SeqCst);
    assert!(begun < 750, "most were not begun: {begun}");
    service.ends();
}
