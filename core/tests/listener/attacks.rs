//! Clients that cost much and take nothing: while they are at it, another client's read is answered within a second.

use super::h2c::{self, run};
use super::{Client, Service};
use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use wellhead::http::{EndpointBuilder, Grant};
use wellhead::serve::Http;
use wellhead::{Caller, Contents, Limits, Server, SharedBytes};

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
    (Service::bind(server, http), begun)
}

/// The time within which another client has its answer. Wine makes a system call of Windows out of many of its own.
const SOON: Duration = Duration::from_secs(if cfg!(windows) { 10 } else { 1 });

/// Another client reads 1 KB, through a callback and without one, and has it soon.
pub(crate) fn others_are_answered(service: &Service) {
    for uri in ["test://small".to_owned(), format!("test://echo/{}", "x".repeat(1_000))] {
        another_is_answered(service, &uri);
    }
}

/// Another client reads this, and has it soon. The machine may have had other things to do, so it has three tries.
pub(crate) fn another_is_answered(service: &Service, uri: &str) {
    let in_time = || {
        let began = Instant::now();
        let mut client = service.client();
        client.send_request("resources/read", &format!(r#""uri":"{uri}","#), &format!("Mcp-Name: {uri}\r\n"));
        let (status, body) = client.whole();
        assert_eq!(status, 200, "{body}");
        began.elapsed() < SOON
    };
    assert!(in_time() || in_time() || in_time(), "another client waits for longer than {SOON:?}");
}

/// Waits until `count` of the clients are refused, whichever they are: which bodies cost most is a matter of milliseconds.
pub(crate) fn are_refused(clients: &[Client], count: usize) {
    let until = Instant::now() + Duration::from_secs(60);
    let mut waiting: Vec<_> = clients.iter().collect();
    while clients.len() - waiting.len() < count {
        assert!(Instant::now() < until, "{} of {} wait for an answer", waiting.len(), clients.len());
        waiting.retain(|client| {
            client.stream.set_read_timeout(Some(Duration::from_millis(10))).expect("a timeout can be set");
            let mut status = [0; 12];
            let answered = client.stream.peek(&mut status).is_ok_and(|read| read == status.len());
            assert!(!answered || &status == b"HTTP/1.1 503", "{}", status.escape_ascii());
            !answered
        });
    }
}

/// Repeats a step for a number of rounds, and goes on until other clients were answered meanwhile, four times.
fn others_are_answered_during(service: &Service, rounds: usize, round: impl FnMut() + Send) {
    repeat_during(rounds, round, || others_are_answered(service));
}

/// Repeats a step for a number of rounds, and goes on until `others` has returned four times meanwhile.
pub(crate) fn repeat_during(rounds: usize, mut round: impl FnMut() + Send, others: impl Fn()) {
    /// Ends the rounds, also after a panic.
    struct Ends<'a>(&'a AtomicBool);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let (done, answered) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while done.fetch_add(1, Ordering::SeqCst) < rounds || !answered.load(Ordering::SeqCst) {
                round();
            }
        });
        let ends = Ends(&answered);
        for part in 1..=4 {
            until(|| done.load(Ordering::SeqCst) > rounds / 5 * part);
            others();
        }
        drop(ends);
    });
}

fn until(so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !so() {
        assert!(Instant::now() < until, "it takes too long");
        std::thread::yield_now();
    }
}

#[test]
fn reads_over_http_2_of_a_client_that_does_not_read_hold_no_calls_and_are_dropped() {
    let (service, _) = service(|endpoint| endpoint.idle_ms(5_000));
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
            // All clients at once may have more calls in flight than a busy machine answers, and then get 503.
            for response in &mut responses {
                assert_eq!(response.await.expect("a response").status(), 200);
            }
            clients.push((client, responses));
        }
        assert!(Arc::strong_count(&large) > 2, "some are unread");
        others_are_answered(&service);
        until(|| Arc::strong_count(&large) == 2);
        drop(clients);
    });
    service.ends();
}

#[test]
fn reads_of_clients_that_leave_at_once_do_not_begin() {
    let (service, begun) = service(|endpoint| endpoint);
    for id in 0..600 {
        let mut client = service.client();
        let uri = format!("test://slow/{id}");
        client.send_request("resources/read", &format!(r#""uri":"{uri}","#), &format!("Mcp-Name: {uri}\r\n"));
        drop(client);
        if id % 150 == 149 {
            others_are_answered(&service);
        }
    }
    let begun = begun.load(Ordering::SeqCst);
    assert!(begun < 300, "most were not begun: {begun}");
    service.ends();
}

#[test]
fn calls_of_sessions_do_not_begin_if_their_clients_leave_at_once() {
    let (service, begun) = service(|endpoint| endpoint);
    let sessions: Vec<String> = (0..4).map(|_| service.client().session()).collect();
    for id in 0..600 {
        let mut client = service.client();
        let read = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{{"uri":"test://slow/{id}"}}}}"#
        );
        client.send("POST", &sessions[id % 4], &read);
        drop(client);
        if id % 150 == 149 {
            others_are_answered(&service);
        }
    }
    let begun = begun.load(Ordering::SeqCst);
    assert!(begun < 300, "most were not begun: {begun}");
    service.ends();
}

impl Client {
    /// Begins a session, and reads 200 KB in it that the endpoint keeps for replay.
    pub(crate) fn keep_an_answer(&mut self) {
        let session = self.session();
        let read = r#"{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"test://large/1"}}"#;
        self.send_accepting("text/event-stream", &session, read);
        assert_eq!(self.head().0, 200);
        self.chunks();
    }

    fn send_accepting(&mut self, accept: &str, headers: &str, body: &str) {
        let head = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n{headers}");
        let head = format!("{head}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        self.stream.write_all(format!("{head}{body}").as_bytes()).expect("it reads");
    }

    /// Takes a chunked body to its end.
    fn chunks(&mut self) {
        loop {
            let mut length = String::new();
            self.reader.read_line(&mut length).expect("a length");
            let length = usize::from_str_radix(length.trim_end(), 16).expect("a number");
            let mut chunk = vec![0; length + 2];
            self.reader.read_exact(&mut chunk).expect("a chunk");
            if length == 0 {
                return;
            }
        }
    }
}

/// A service whose clients together may hold this many bytes.
pub(crate) fn with_buffer(buffer_bytes: usize) -> Service {
    let mut limits = Limits::default();
    limits.buffer_bytes = buffer_bytes;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    server.text("test://small", "x".repeat(1_000)).unwrap();
    server.template("test://echo/{id}", |call| call.var("id").map(str::to_owned)).unwrap();
    server.template("test://large/{id}", |_| Some("x".repeat(200_000))).unwrap();
    // What gives way makes room, and not what is late.
    let http = Http::new(server.endpoint().body_ms(3_600_000));
    Service::bind(server, http)
}

/// Another client sends a body of 256 KiB, and is answered.
pub(crate) fn others_may_send_much(service: &Service) {
    let mut client = service.client();
    let members = format!(r#""uri":"test://small","x":"{}","#, "x".repeat(256 << 10));
    client.send_request("resources/read", &members, "Mcp-Name: test://small\r\n");
    assert_eq!(client.head().0, 200);
}

#[test]
fn bodies_that_lack_their_end_stay_under_the_budget_and_keep_no_client_out() {
    let service = with_buffer(32 << 20);
    let size = 4 << 20;
    let body = vec![b'x'; size - 10];
    let mut clients = Vec::new();
    for at in 0..100 {
        let mut client = service.client();
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
        write!(client.stream, "{head}Content-Length: {size}\r\n\r\n").unwrap();
        let _ = client.stream.write_all(&body); // it may be refused by then
        clients.push(client);
        if at % 20 == 19 {
            others_are_answered(&service);
            others_may_send_much(&service);
        }
    }
    are_refused(&clients, 80);
    drop(clients);
    service.ends();
}

#[test]
fn bodies_of_one_connection_of_http_2_have_a_part_of_the_budget() {
    let service = with_buffer(24 << 20);
    run(async {
        let mut client = h2c::Client::connect(&service).await;
        let mut bodies = Vec::new();
        for _ in 0..20 {
            let fields = [("mcp-name", "test://small"), ("content-length", "1000000")];
            bodies.push(client.begin("resources/read", &fields).await.expect("it is sent"));
        }
        for (_, sender) in &mut bodies {
            sender.send_data(vec![b'x'; 999_990].into(), false).expect("it is queued");
        }
        // Whichever they are: those that are not refused wait for their end.
        let until = Instant::now() + Duration::from_secs(60);
        let mut refused = 0;
        while refused < 14 {
            assert!(
                Instant::now() < until,
                "a sixth of the budget is four bodies, and {refused} are refused"
            );
            let mut waiting = Vec::new();
            for (mut response, sender) in bodies {
                match tokio::time::timeout(Duration::from_millis(10), &mut response).await {
                    Ok(answer) => refused += usize::from(answer.is_ok_and(|answer| answer.status() == 503)),
                    Err(_) => waiting.push((response, sender)),
                }
            }
            bodies = waiting;
        }
        others_are_answered(&service);
    });
    service.ends();
}

#[test]
fn events_that_many_sessions_keep_for_replay_keep_no_client_out() {
    let service = with_buffer(8 << 20);
    let mut client = service.client();
    others_are_answered_during(&service, 100, || client.keep_an_answer());
    others_are_answered(&service);
    service.ends();
}

#[test]
fn handshakes_of_one_client_keep_no_other_client_out() {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.text("test://small", "x".repeat(1_000)).unwrap();
    server.template("test://echo/{id}", |call| call.var("id").map(str::to_owned)).unwrap();
    let http = Http::new(server.endpoint().session_limit(200));
    let service = Service::bind(server, http);
    let mut client = service.client();
    others_are_answered_during(&service, 1_000, || drop(client.session()));
    others_are_answered(&service);
    let session = service.client().session();
    let mut other = service.client();
    other.send("POST", &session, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(other.whole().0, 200);
    service.ends();
}

#[test]
fn listen_streams_of_one_caller_leave_some_to_others() {
    let mut limits = Limits::default();
    limits.listen_streams = 40;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let endpoint = server.endpoint().verify(|call| Some(Grant::new(Caller::new(call.token().as_bytes()))));
    let service = Service::bind(server, Http::new(endpoint));
    let listen = |token: &str| {
        let mut client = service.client();
        let field = format!("Authorization: Bearer {token}\r\n");
        client.send_request("subscriptions/listen", r#""notifications":{},"#, &field);
        (client.head().0, client)
    };
    let streams: Vec<_> = (0..40).map(|_| listen("greedy")).collect();
    assert_eq!(streams.iter().filter(|(status, _)| *status == 200).count(), 10);
    assert_eq!(listen("other").0, 200);
    drop(streams);
    service.ends();
}

#[test]
fn listen_streams_of_clients_without_tokens_keep_no_client_out() {
    let mut limits = Limits::default();
    limits.listen_streams = 40;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let http = Http::new(server.endpoint());
    let service = Service::bind(server, http);
    let listen = || {
        let mut client = service.client();
        client.send_request("subscriptions/listen", r#""notifications":{},"#, "");
        (client.head().0, client)
    };
    let streams: Vec<_> = (0..100).map(|_| listen()).collect();
    assert!(streams.iter().all(|(status, _)| *status == 200));
    let (status, _other) = listen();
    assert_eq!(status, 200);
    for (_, mut client) in streams.into_iter().take(60) {
        client.chunks(); // it ends
    }
    service.ends();
}

#[test]
fn calls_of_a_few_connections_that_are_never_answered_leave_some_to_others() {
    let mut limits = Limits::default();
    limits.calls_in_flight = 256;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let held = Arc::new(std::sync::Mutex::new(Vec::new()));
    let keep = held.clone();
    server
        .resource("test://held", move |call| {
            let (later, responder) = call.defer();
            keep.lock().unwrap().push(responder);
            later
        })
        .unwrap();
    server.template("test://echo/{id}", |call| call.var("id").map(str::to_owned)).unwrap();
    server.text("test://small", "x".repeat(1_000)).unwrap();
    let http = Http::new(server.endpoint());
    let service = Service::bind(server, http);
    run(async {
        let mut clients = Vec::new();
        for _ in 0..6 {
            let mut client = h2c::Client::connect_with_window(&service, 65_535).await;
            let mut responses = Vec::new();
            for _ in 0..150 {
                let uri = r#""uri":"test://held","#;
                let sent = client.send("resources/read", uri, &[("mcp-name", "test://held")]).await;
                responses.push(sent.expect("it is sent"));
            }
            clients.push((client, responses));
        }
        let until = Instant::now() + Duration::from_secs(60);
        while held.lock().unwrap().len() < 200 {
            assert!(Instant::now() < until, "it takes too long");
            tokio::task::yield_now().await; // the clients write meanwhile
        }
        others_are_answered(&service);
        assert!(held.lock().unwrap().len() < 250, "each has a part of what the others leave");
        held.lock().unwrap().clear();
        drop(clients);
    });
    service.ends();
}

#[test]
fn large_answers_that_are_not_read_are_dropped_when_others_need_the_room() {
    let service = with_buffer(8 << 20);
    service
        .server
        .template("test://own/{size}", |call| Some("x".repeat(call.var("size")?.parse().ok()?)))
        .unwrap();
    let read_large = || {
        let mut client = service.client();
        let uri = "test://own/200000";
        client.send_request("resources/read", &format!(r#""uri":"{uri}","#), &format!("Mcp-Name: {uri}\r\n"));
        client.whole()
    };
    run(async {
        let mut clients = Vec::new();
        for _ in 0..60 {
            let mut client = h2c::Client::connect_with_window(&service, 0).await;
            let uri = r#""uri":"test://own/150000","#;
            let sent = client.send("resources/read", uri, &[("mcp-name", "test://own/150000")]).await;
            let response = sent.expect("it is sent").await.expect("a response");
            assert_eq!(response.status(), 200);
            clients.push((client, response));
        }
        for _ in 0..3 {
            let (status, body) = read_large();
            assert_eq!(status, 200);
            assert!(body.len() > 200_000, "{body}");
        }
        others_are_answered(&service);
        drop(clients);
    });
    service.ends();
}
