//! Clients that close their half of the connection after a request.

use super::{Client, Service, server};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use wellhead::Caller;
use wellhead::http::Grant;
use wellhead::serve::Http;

/// A call that goes on after [`HeldCall::release`].
struct HeldCall {
    begun: Receiver<()>,
    goes_on: Sender<()>,
}

impl HeldCall {
    /// Returns the call, and what it runs.
    fn new() -> (HeldCall, impl Fn() + Send + Sync + 'static) {
        let ((tell, begun), (goes_on, wait)) = (channel(), channel());
        let wait = std::sync::Mutex::new(wait);
        let run = move || {
            tell.send(()).expect("the test runs");
            let wait = wait.lock().expect("no panic");
            wait.recv_timeout(Duration::from_secs(30)).expect("the test lets it go on");
        };
        (HeldCall { begun, goes_on }, run)
    }

    fn begins(&self) {
        self.begun.recv_timeout(Duration::from_secs(30)).expect("it is called");
    }

    fn release(&self) {
        self.goes_on.send(()).expect("it waits");
    }
}

fn read(id: i32) -> String {
    let params = r#"{"uri":"test://later"}"#;
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{params}}}"#)
}

/// A request whose body comes in two chunks.
fn in_chunks(headers: &str, body: &str) -> String {
    let (first, second) = body.split_at(10);
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nTransfer-Encoding: chunked\r\n{headers}\r\na\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
        second.len()
    )
}

impl Client {
    fn closes_its_half(&self) {
        self.stream.shutdown(Shutdown::Write).expect("it is open");
    }

    /// Returns whether nothing more comes, and the connection ends.
    fn ends(&mut self) -> bool {
        let mut rest = Vec::new();
        self.reader.read_to_end(&mut rest).is_ok() && rest.is_empty()
    }
}

#[test]
fn a_request_of_a_session_is_answered_to_a_client_that_closes_its_half() {
    for threads in [0, 1, 3] {
        let service = Service::start(server(), |http| http.callback_threads(threads));
        let mut client = service.client();
        let session = client.session();
        for uri in ["test://text", "test://later"] {
            let mut client = service.client();
            let params = format!(r#"{{"uri":"{uri}"}}"#);
            let read = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{params}}}"#);
            client.send("POST", &session, &read);
            client.closes_its_half();
            let (status, body) = client.whole();
            assert!(status == 200 && body.contains(uri), "{threads}: {status} {body}");
            assert!(client.ends(), "{threads}");
        }
        service.ends();
    }
}

#[test]
fn requests_that_were_sent_together_are_answered_to_a_client_that_closes_its_half() {
    for threads in [0, 1, 3] {
        let service = Service::start(server(), |http| http.callback_threads(threads));
        let session = service.client().session();
        let mut client = service.client();
        for id in 2..5 {
            client.send("POST", &session, &read(id));
        }
        client.closes_its_half();
        for id in 2..5 {
            let (status, body) = client.whole();
            assert!(status == 200 && body.contains(&format!(r#""id":{id}"#)), "{threads}: {status} {body}");
        }
        assert!(client.ends(), "{threads}");
        service.ends();
    }
}

#[test]
fn bodies_in_chunks_are_answered_to_a_client_that_closes_its_half() {
    let (held, run) = HeldCall::new();
    let server = server();
    server
        .resource("test://held", move |_| {
            run();
            Some("held")
        })
        .unwrap();
    let service = Service::start(server, |http| http.callback_threads(0));
    let session = service.client().session();
    let (mut first, mut client) = (service.client(), service.client());
    first.send_request("resources/read", r#""uri":"test://held","#, "Mcp-Name: test://held\r\n");
    held.begins(); // on the thread of the listener, which then finds all of this at once
    let requests: String = (2..5).map(|id| in_chunks(&session, &read(id))).collect();
    client.stream.write_all(requests.as_bytes()).expect("it reads");
    client.closes_its_half();
    held.release();
    for id in 2..5 {
        let (status, body) = client.whole();
        assert!(status == 200 && body.contains(&format!(r#""id":{id}"#)), "{status} {body}");
    }
    assert!(client.ends());
    assert_eq!(first.whole().0, 200);
    service.ends();
}

#[test]
fn a_request_whose_token_is_judged_is_answered_to_a_client_that_closes_its_half() {
    let (held, run) = HeldCall::new();
    let server = server();
    let endpoint = server.endpoint().verify(move |call| {
        if call.token() == "held" {
            run();
        }
        Some(Grant::new(Caller::new(*b"ann")))
    });
    let service = Service::bind(server, Http::new(endpoint).callback_threads(2));
    let token = "Authorization: Bearer good\r\n";
    let session = service.client().session_with(token);
    let fields = format!("{session}Authorization: Bearer held\r\n");
    for chunked in [false, true] {
        let mut client = service.client();
        if chunked {
            client.stream.write_all(in_chunks(&fields, &read(2)).as_bytes()).expect("it reads");
        } else {
            client.send("POST", &fields, &read(2));
        }
        client.closes_its_half();
        held.begins();
        for _ in 0..3 {
            // The thread of both clients has come as far as it can with the first one.
            let mut other = service.client();
            let fields = format!("{session}{token}");
            other.send("POST", &fields, r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
            assert_eq!(other.whole().0, 200);
        }
        held.release();
        let (status, body) = client.whole();
        assert!(status == 200 && body.contains("test://later"), "{chunked}: {status} {body}");
        assert!(client.ends(), "{chunked}");
    }
    service.ends();
}

/// The system takes a part of a large answer before the client reads. These sizes are around that part, so that the rest
/// waits in the buffer of one connection.
#[test]
fn a_client_that_closes_its_half_gets_the_whole_of_an_answer_that_it_reads_late() {
    let server = server();
    let sizes = (1..=40).map(|step| step * (128 << 10));
    for size in sizes.clone() {
        server.text(format!("large://{size}"), "x".repeat(size)).unwrap();
    }
    let service = Service::start(server, |http| http);
    let session = service.client().session();
    for size in sizes {
        let mut late = service.client();
        let params = format!(r#"{{"uri":"large://{size}"}}"#);
        let read = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{params}}}"#);
        late.send("POST", &session, &read);
        late.closes_its_half();
        for _ in 0..3 {
            // The thread of both clients has come as far as it can with the first one.
            let mut other = service.client();
            other.send("POST", &session, r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#);
            assert_eq!(other.whole().0, 200);
        }
        let (status, body) = late.whole();
        assert!(status == 200 && body.len() > size, "{size}: {status} {}", body.len());
        assert!(late.ends());
    }
    service.ends();
}

#[test]
fn a_client_that_closes_its_half_amid_a_body_or_while_it_listens_is_gone() {
    let server = server();
    let http = Http::new(server.endpoint().body_ms(3_600_000));
    let service = Service::bind(server, http);
    let mut client = service.client();
    write!(client.stream, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n[")
        .expect("it reads");
    client.closes_its_half();
    assert!(client.ends());

    let mut client = service.client();
    let session = client.session();
    for era in ["stateless", "session"] {
        let mut client = service.client();
        if era == "session" {
            client.send("GET", &session, "");
        } else {
            client.send_request(
                "subscriptions/listen",
                r#""notifications":{"resourcesListChanged":true},"#,
                "",
            );
        }
        assert_eq!(client.head().0, 200, "{era}");
        client.closes_its_half();
        let mut rest = Vec::new(); // an event that was on its way, and the end
        client.reader.read_to_end(&mut rest).expect("it ends");
    }
    service.ends();
}
