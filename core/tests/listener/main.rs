//! The native listener, over sockets of this machine.

mod attacks;
mod ending;
#[cfg(feature = "directory")]
mod folder;
mod h2c;
mod half_closed;
mod limits;
#[cfg(target_os = "linux")] // others have no /proc
mod memory;
#[cfg(feature = "directory")]
#[path = "../support/paths.rs"]
mod paths;
mod requirements;
#[path = "../support/served.rs"]
mod served;
mod threads;
mod vanished_clients;

use served::META;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use wellhead::http::{EndpointBuilder, Grant};
use wellhead::serve::{Batch, Http};
use wellhead::{Answer, Caller, Event, Responder, Server};

/// A service on a thread of its own.
struct Service {
    server: Server,
    address: SocketAddr,
    thread: Option<std::thread::JoinHandle<wellhead::Result<()>>>,
}

impl Service {
    fn start(server: Server, how: impl FnOnce(Http) -> Http) -> Service {
        let http = how(Http::new(server.endpoint()));
        Service::bind(server, http)
    }

    fn bind(server: Server, http: Http) -> Service {
        let listener = http.bind("127.0.0.1:0").expect("a free port");
        let address = listener.address();
        let thread = Some(std::thread::spawn(|| listener.serve()));
        Service { server, address, thread }
    }

    fn ends(mut self) {
        self.server.close();
        self.thread.take().expect("it runs").join().expect("no panic").expect("no error");
    }

    fn client(&self) -> Client {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout can be set");
        Client { reader: BufReader::new(stream.try_clone().expect("a socket can be duplicated")), stream }
    }
}

struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Client {
    fn send(&mut self, method: &str, headers: &str, body: &str) {
        let length = body.len();
        let request = format!(
            "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.stream.write_all(request.as_bytes()).expect("it reads"); // in one piece, which waits for no acknowledgement
    }

    fn send_request(&mut self, method: &str, members: &str, more: &str) {
        let headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{more}");
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}{META}}}}}"#);
        self.send("POST", &headers, &body);
    }

    /// Status and header fields.
    fn head(&mut self) -> (u16, String) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(self.reader.read_line(&mut head).expect("a head"), 0, "the connection ended: {head}");
        }
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.expect("a status"), head.to_ascii_lowercase())
    }

    /// Makes a handshake; the field that names the session.
    fn session(&mut self) -> String {
        self.session_with("")
    }

    /// Makes a handshake with further header fields; the field that names the session.
    fn session_with(&mut self, fields: &str) -> String {
        self.send("POST", fields, r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#);
        let (status, head) = self.head();
        assert_eq!(status, 200);
        self.body(&head);
        let session = head.split("mcp-session-id: ").nth(1).expect("a session");
        format!("Mcp-Session-Id: {}\r\n", session.split("\r\n").next().expect("a line"))
    }

    fn whole(&mut self) -> (u16, String) {
        let (status, head) = self.head();
        (status, self.body(&head))
    }

    fn body(&mut self, head: &str) -> String {
        let length = head.split("content-length: ").nth(1).expect("a length");
        let length = length.split("\r\n").next().and_then(|length| length.parse().ok()).expect("a number");
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).expect("a body");
        String::from_utf8(body).expect("text")
    }

    /// The next line of a chunked stream that is data of an event.
    fn event(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.reader.read_line(&mut line).expect("a line"), 0, "the stream ended");
            if let Some(data) = line.trim_end().strip_prefix("data: ") {
                return data.to_owned();
            }
        }
    }
}

fn server() -> Server {
    let server = served::server();
    server.template("test://by/{id}", |call| Some(format!("by {}", call.var("id")?))).unwrap();
    server
}

#[test]
fn requests_of_both_eras_are_answered_on_one_connection_after_the_other() {
    for threads in [0, 1, 3] {
        let service = Service::start(server(), |http| http.callback_threads(threads));
        let mut client = service.client();
        for (uri, text) in [("test://text", "found"), ("test://by/7", "by 7"), ("test://later", "later")] {
            client.send_request(
                "resources/read",
                &format!(r#""uri":"{uri}","#),
                &format!("Mcp-Name: {uri}\r\n"),
            );
            let (status, body) = client.whole();
            assert!(status == 200 && body.contains(text), "{threads}: {status} {body}");
        }
        let session = client.session();
        drop(client);
        let mut client = service.client();
        client.send("POST", &session, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
        assert_eq!(client.whole(), (200, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#.to_owned()));
        service.ends();
    }
}

#[test]
fn a_listen_stream_lives_until_the_server_is_closed() {
    let service = Service::start(server(), |http| http);
    let mut client = service.client();
    client.send_request(
        "subscriptions/listen",
        r#""notifications":{"resourceSubscriptions":["test://text"]},"#,
        "",
    );
    let (status, head) = client.head();
    assert!(status == 200 && head.contains("text/event-stream"), "{head}");
    assert!(client.event().contains("acknowledged"));
    for _ in 0..3 {
        service.server.notify_updated("test://text").unwrap();
        assert!(client.event().contains("notifications/resources/updated"));
    }
    service.ends();
    assert!(client.event().contains(r#""result""#));
}

#[test]
fn a_client_that_vanishes_frees_its_room() {
    for further in [0, 1] {
        let (server, called) = holding();
        let service = Service::start(server, |http| http);
        let mut client = service.client();
        for _ in 0..=further {
            client.send_request("resources/read", r#""uri":"test://held","#, "Mcp-Name: test://held\r\n");
        }
        let held = next_call(&called);
        drop(client);
        let until = std::time::Instant::now() + Duration::from_secs(30);
        while !held.is_cancelled() {
            assert!(
                std::time::Instant::now() < until,
                "a client is gone that sent {further} further requests"
            );
            std::thread::yield_now();
        }
        drop(held);
        service.ends();
    }
}

/// A server with a resource whose responders go to the test, which answers.
fn holding() -> (Server, Receiver<Responder<Answer>>) {
    let (sent, held) = channel();
    let server = server();
    server
        .resource("test://held", move |call| {
            let (later, responder) = call.defer();
            sent.send(responder).unwrap();
            later
        })
        .unwrap();
    (server, held)
}

fn next_call(held: &Receiver<Responder<Answer>>) -> Responder<Answer> {
    held.recv_timeout(Duration::from_secs(30)).expect("the application is asked")
}

/// The server is done with this client.
fn is_ended(client: &mut Client) -> bool {
    let mut rest = Vec::new();
    client.reader.read_to_end(&mut rest).is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionReset)
        || rest.is_empty()
}

/// A service that loses its patience soon.
fn impatient(how: impl FnOnce(EndpointBuilder) -> EndpointBuilder, connections: usize) -> Service {
    let server = server();
    server.text("test://large", "x".repeat(16 << 20)).unwrap();
    let http = Http::new(how(server.endpoint())).tcp_connection_limit(connections);
    Service::bind(server, http)
}

#[test]
fn a_head_that_does_not_come_to_its_end_is_not_waited_for() {
    let service = impatient(|endpoint| endpoint.head_ms(50), 10);
    let mut client = service.client();
    write!(client.stream, "POST /mcp HTTP/1.1\r\nHost: localhost\r\n").unwrap();
    assert!(is_ended(&mut client));
    let mut client = service.client();
    client.send_request("resources/read", r#""uri":"test://text","#, "Mcp-Name: test://text\r\n");
    assert_eq!(client.whole().0, 200);
    write!(client.stream, "POST").unwrap();
    assert!(is_ended(&mut client), "the second head, neither");
    service.ends();
}

#[test]
fn an_idle_client_loses_its_connection() {
    let service = impatient(|endpoint| endpoint.idle_ms(50), 10);
    let mut silent = service.client();
    assert!(is_ended(&mut silent));
    let mut client = service.client();
    client.send_request("resources/read", r#""uri":"test://text","#, "Mcp-Name: test://text\r\n");
    assert_eq!(client.whole().0, 200);
    assert!(is_ended(&mut client));
    let mut client = service.client();
    write!(client.stream, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
    let mut said = Vec::new();
    client.reader.read_to_end(&mut said).unwrap();
    assert_eq!(said[3], 4, "it speaks HTTP/2: its settings come first");
    service.ends();
}

#[test]
fn a_client_that_does_not_read_its_answer_makes_room_for_the_next() {
    let service = impatient(|endpoint| endpoint.idle_ms(50), 1);
    let mut deaf = service.client();
    deaf.send_request("resources/read", r#""uri":"test://large","#, "Mcp-Name: test://large\r\n");
    assert_eq!(deaf.head().0, 200);
    let mut next = service.client();
    next.send_request("resources/read", r#""uri":"test://text","#, "Mcp-Name: test://text\r\n");
    assert_eq!(next.whole().0, 200);
    service.ends();
}

#[test]
fn a_body_that_does_not_come_is_refused() {
    let service = impatient(|endpoint| endpoint.body_ms(50), 10);
    let mut client = service.client();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n";
    write!(client.stream, "{head}{{").unwrap();
    let (status, body) = client.whole();
    assert!(status == 408 && body.contains("body_ms"), "{status} {body}");
    service.ends();
}

#[test]
fn a_token_is_judged_before_the_body_is_read() {
    // row: A-02
    let server = server();
    let endpoint = server.endpoint().verify(|call| {
        let (later, responder) = call.defer();
        let good = call.token() == "good";
        std::thread::spawn(move || responder.finish(good.then(|| Grant::new(Caller::new(*b"ann")))));
        later
    });
    let service = Service::bind(server, Http::new(endpoint));
    for (token, status) in
        [("", 401), ("Authorization: Bearer bad\r\n", 401), ("Authorization: Bearer good\r\n", 200)]
    {
        let mut client = service.client();
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: server/discover\r\n";
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{{{META}}}}}"#);
        write!(client.stream, "{head}{token}Content-Length: {}\r\n\r\n", body.len()).unwrap();
        let mut said = client.head();
        if status == 200 {
            assert_eq!(said.0, 100, "only then the body is wanted");
            write!(client.stream, "{body}").unwrap();
            said = client.head();
        }
        assert_eq!(said.0, status);
        assert_eq!(said.1.contains("www-authenticate: bearer"), status == 401);
    }
    service.ends();
}

#[test]
fn a_foreign_host_and_a_body_over_the_limit_are_refused() {
    let service = Service::start(server(), |http| http);
    let mut client = service.client();
    write!(client.stream, "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n").unwrap();
    assert_eq!(client.head().0, 403);
    let mut client = service.client();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n";
    write!(client.stream, "{head}").unwrap();
    assert_eq!(client.head().0, 413);
    service.ends();
}

#[test]
#[cfg(target_os = "linux")] // others give this machine one such address only
fn a_listener_accepts_the_name_of_its_own_address() {
    let server = server();
    let listener = Http::new(server.endpoint()).bind("127.0.0.2:0").expect("a free port");
    let address = listener.address();
    let thread = Some(std::thread::spawn(|| listener.serve()));
    let service = Service { server, address, thread };
    let status = |host: &str| {
        let mut client = service.client();
        write!(client.stream, "GET /mcp HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("it reads");
        client.head().0
    };
    for (host, allowed) in [(&*address.to_string(), true), ("localhost", true), ("127.0.0.3", false)] {
        assert_eq!(status(host) != 403, allowed, "{host}");
    }
    service.ends();
}

#[test]
fn too_many_threads_are_refused_before_the_address_is_bound() {
    let refused = Http::new(server().endpoint()).io_threads(usize::MAX).bind("127.0.0.1:0").unwrap_err();
    assert_eq!(refused.kind(), wellhead::ErrorKind::InvalidArgument);
    assert!(refused.to_string().contains("`io_threads` must be at most 1024 (got "), "{refused}");
    let refused = Http::new(server().endpoint()).callback_threads(1_025).bind("127.0.0.1:0").unwrap_err();
    let what = "`callback_threads` must be at most 1024 (got 1025); one for each callback that waits at the same time \
        is enough";
    assert_eq!(refused.to_string(), what);
    assert!(Http::new(server().endpoint()).callback_threads(1_024).bind("127.0.0.1:0").is_ok());
}

#[test]
fn an_address_in_use_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("it is bound");
    let refused = Http::new(server().endpoint()).bind(address).unwrap_err();
    assert_eq!(refused.kind(), wellhead::ErrorKind::Io);
    assert_eq!(refused.to_string(), format!("the address {address} cannot be bound"));
    let cause = std::error::Error::source(&refused).and_then(|cause| cause.downcast_ref::<std::io::Error>());
    assert_eq!(cause.map(std::io::Error::kind), Some(std::io::ErrorKind::AddrInUse));
}

#[test]
fn a_limit_of_zero_is_refused_by_its_name() {
    let http = || Http::new(server().endpoint());
    for (name, http) in [
        ("io_threads", http().io_threads(0)),
        ("tcp_connection_limit", http().tcp_connection_limit(0)),
        ("session_limit", Http::new(server().endpoint().session_limit(0))),
        ("session_ms", Http::new(server().endpoint().session_ms(0))),
        ("keep_alive_ms", Http::new(server().endpoint().keep_alive_ms(0))),
        ("head_ms", Http::new(server().endpoint().head_ms(0))),
        ("body_ms", Http::new(server().endpoint().body_ms(0))),
        ("idle_ms", Http::new(server().endpoint().idle_ms(0))),
    ] {
        let refused = http.bind("127.0.0.1:0").unwrap_err();
        assert_eq!(refused.kind(), wellhead::ErrorKind::InvalidArgument);
        assert_eq!(refused.to_string(), format!("`{name}` must be at least 1 (got 0)"));
    }
    let refused = server().endpoint().session_limit(0).build(|| {}).unwrap_err();
    assert_eq!(refused.to_string(), "`session_limit` must be at least 1 (got 0)");
}

#[test]
fn a_path_without_a_slash_is_refused() {
    for path in ["x", ""] {
        let endpoint = || server().endpoint().path(path);
        let message = format!("`path` must begin with `/` (got {path:?})");
        assert_eq!(endpoint().build(|| {}).unwrap_err().to_string(), message);
        assert_eq!(Http::new(endpoint()).bind("127.0.0.1:0").unwrap_err().to_string(), message);
    }
}

#[test]
fn a_server_without_a_name_or_version_is_refused() {
    for (name, version, what) in [("", "1", "name"), ("s", "", "version")] {
        let refused = Server::builder(name, version).build().unwrap_err();
        assert_eq!(refused.kind(), wellhead::ErrorKind::InvalidArgument);
        assert_eq!(refused.to_string(), format!("the {what} of the server must not be empty"));
    }
}

#[test]
fn an_application_may_run_callbacks_on_its_own_threads_until_it_stops_the_service() {
    let server = server();
    let (bell, rung) = channel();
    let bell = std::sync::Mutex::new(bell);
    let listener = Http::new(server.endpoint()).bind("127.0.0.1:0").unwrap();
    let address = listener.address();
    let listening =
        listener.start(Some(Box::new(move || bell.lock().unwrap().send(()).unwrap_or_default()))).unwrap();
    assert!(matches!(listening.try_next(), Batch::Idle));
    let connect = || {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Client { reader: BufReader::new(stream.try_clone().unwrap()), stream }
    };
    let mut calls = Vec::new();
    for uri in ["test://by/7", "test://by/8"] {
        let mut client = connect();
        client.send_request("resources/read", &format!(r#""uri":"{uri}","#), &format!("Mcp-Name: {uri}\r\n"));
        rung.recv_timeout(Duration::from_secs(30)).expect("the application is told");
        let Batch::Events(events) = listening.next() else { panic!("there is a call") };
        for event in events {
            let Event::Read(call) = &event else { panic!("no read: {event:?}") };
            calls.extend(call.call());
            event.run();
        }
        assert_eq!(client.whole().0, 200);
    }
    assert!(calls[0] != calls[1] && calls[0].connection() != calls[1].connection(), "{calls:?}");
    listening.interrupt();
    assert!(matches!(listening.next(), Batch::Interrupted));
    let mut client = connect();
    client.send_request(
        "subscriptions/listen",
        r#""notifications":{"resourceSubscriptions":["test://text"]},"#,
        "",
    );
    assert!(client.event().contains("acknowledged"));
    listening.stop();
    assert!(matches!(listening.next(), Batch::Ended));
    assert!(matches!(listening.try_next(), Batch::Ended));
    assert!(TcpStream::connect(address).is_err(), "the listener listens no more");
    assert!(!server.is_closed());
}
