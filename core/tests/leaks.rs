//! Servers, connections, clients, sessions and calls leave no memory behind when they are dropped.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicIsize, Ordering};
use wellhead::http::{Endpoint, Progress, RequestHead};
use wellhead::{Caller, Json, Server, Template};

/// How often each thing is made and dropped, unless `LEAK_ROUNDS` says: `make test-all` has ten times as many.
const ROUNDS: usize = 10_000;

/// Bytes that may be there for good: what buffers grow to once.
const SLACK: isize = 64 << 10;

/// The bytes that are allocated now.
static LIVE: AtomicIsize = AtomicIsize::new(0);

struct Counting;

// SAFETY: every call is passed on as it came; the count is of no consequence to it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size().cast_signed(), Ordering::Relaxed);
        // SAFETY: our caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size().cast_signed(), Ordering::Relaxed);
        // SAFETY: our caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Does something many times, after a tenth as many times to fill what is kept for good.
fn flat(what: &str, mut round: impl FnMut()) {
    let rounds = std::env::var("LEAK_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    for _ in 0..ROUNDS / 10 {
        round();
    }
    let before = LIVE.load(Ordering::Relaxed);
    for _ in 0..rounds {
        round();
    }
    let grown = LIVE.load(Ordering::Relaxed) - before;
    assert!(grown < SLACK, "{rounds} {what} left {grown} bytes behind");
}

fn server() -> Server {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().unwrap();
    server.text("n://a", "A").unwrap();
    server.template(Template::new("n://x/{id}"), |call| call.var("id").map(str::to_owned)).unwrap();
    let members = Json::parse("{}").unwrap();
    server.tool("t", &members, |_| Json::parse(r#"{"content":[]}"#)).unwrap();
    server
}

/// Sends a request and takes its whole response; the session that it names.
fn send(endpoint: &Endpoint, method: &str, session: Option<&str>, body: &str) -> Option<String> {
    let length = body.len().to_string();
    let mut headers: Vec<(&str, &[u8])> = vec![
        ("host", b"localhost"),
        ("content-type", b"application/json"),
        ("accept", b"application/json, text/event-stream"),
        ("content-length", length.as_bytes()),
    ];
    headers.extend(session.map(|session| ("mcp-session-id", session.as_bytes())));
    let mut exchange =
        endpoint.begin(&RequestHead { method, target: "/mcp", headers: &headers, peer: &[] }, 0, || {});
    exchange.body(body.as_bytes());
    exchange.end(0);
    let (mut named, mut out) = (None, Vec::new());
    loop {
        match exchange.poll(0, &mut out) {
            Progress::Respond(response) => {
                assert!(response.status < 300, "{method}: {}", response.status);
                let name = response.headers.into_iter().find(|(name, _)| *name == "mcp-session-id");
                named = name.map(|(_, value)| value);
            }
            Progress::Event(event) => event.run(),
            Progress::Done => {
                while let Some(event) = endpoint.poll_event() {
                    event.run();
                }
                return named;
            }
            Progress::Wait(_) => endpoint.poll_event().expect("it waits for something").run(),
            Progress::Data => {}
            Progress::Body(_) => panic!("the body was sent"),
            other => panic!("{other:?}"),
        }
    }
}

// One test, since the count is of the whole process.
#[test]
fn any_number_of_connections_and_calls_leaves_no_memory_behind() {
    flat("servers", || drop(black_box(server())));
    let server = server();
    flat("connections", || drop(black_box(server.connect(Caller::default()))));
    flat("clients", || {
        let mut client = server.test_client().unwrap();
        client.subscribe("n://a").unwrap();
        black_box(client.read("n://x/1").unwrap());
    });
    let mut client = server.test_client().unwrap();
    flat("calls", || {
        client.read("n://x/1").unwrap();
        client.call_tool("t", "{}").unwrap();
        client.list().unwrap();
        client.subscribe("n://a").unwrap();
        server.notify_updated("n://a").unwrap();
        client.next_update().unwrap();
        client.unsubscribe("n://a").unwrap();
    });
    flat("registrations", || {
        server.text("N://B/b", "b").unwrap();
        server.set("N://B/b", "c").unwrap();
        server.template("N://C/{c}", |_| "c").unwrap();
        server.remove_resource("N://B/b").unwrap();
        server.remove_resource("N://C/{c}").unwrap();
        client.list_changes().unwrap();
    });
    let endpoint = server.endpoint().build(|| {}).unwrap();
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let read = r#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"n://x/1"}}"#;
    flat("sessions", || {
        let session = send(&endpoint, "POST", None, initialize).expect("a session begins");
        send(&endpoint, "POST", Some(&session), read);
        send(&endpoint, "DELETE", Some(&session), "");
    });
    assert_eq!(endpoint.sessions(), 0);
    let on_a = |method: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":3,"method":"resources/{method}","params":{{"uri":"n://a"}}}}"#)
    };
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for is_ready in [true, false] {
        let session = send(&endpoint, "POST", None, initialize).expect("a session begins");
        if is_ready {
            send(&endpoint, "POST", Some(&session), initialized);
        }
        flat("subscriptions of a client that takes no notifications", || {
            send(&endpoint, "POST", Some(&session), &on_a("subscribe"));
            server.notify_updated("n://a").unwrap();
            send(&endpoint, "POST", Some(&session), &on_a("unsubscribe"));
        });
        send(&endpoint, "DELETE", Some(&session), "");
    }
}
