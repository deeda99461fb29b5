//! Measures calls, changes and connections in process, on one thread. Prints the best of several rounds next to its
//! target. Run `cargo bench -p wellhead --features schema --bench core`, with part of a name to run only some.
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a report for people is what this prints"
)]

use base64_simd::STANDARD;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use wellhead::{
    AuthorizeCall, Body, Caller, Connection, DrainStart, Json, Limits, ListCall, Page, Resource, Route,
    Server, SharedBytes, SharedText, Template, Verdict,
};

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let groups: [(&str, fn()); 8] = [
        ("calls", calls),
        ("tools", tools),
        ("lists", lists),
        ("large", large),
        ("escaping", escaping),
        ("updates", updates),
        ("memory", memory),
        ("registration", registration),
    ];
    for (_, run) in groups.iter().filter(|(name, _)| name.contains(&wanted)) {
        run();
    }
}

/// Nanoseconds of one call at best. Rounds are short, so that some of them run undisturbed on a busy machine.
fn measure(mut call: impl FnMut()) -> f64 {
    let began = Instant::now();
    call();
    let calls = (300_000 / began.elapsed().as_nanos().max(1)).clamp(1, 500) as u32;
    let mut best = Duration::MAX;
    for _ in 0..400 {
        let began = Instant::now();
        for _ in 0..calls {
            call();
        }
        best = best.min(began.elapsed());
    }
    best.as_nanos() as f64 / f64::from(calls)
}

fn report(what: &str, nanoseconds: f64, bar: &str) {
    println!("{what:<58} {:>10.3} us   {bar}", nanoseconds / 1e3);
}

/// A client with its handshake done, whose output goes nowhere.
struct Client {
    connection: Connection,
    message: Vec<u8>,
}

impl Client {
    fn new(server: &Server, method: &str, params: &str) -> Client {
        Client::on(server.connect(Caller::default()), method, params)
    }

    fn on(connection: Connection, method: &str, params: &str) -> Client {
        let client = Client { connection, message: Vec::new() };
        client.say(br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}"#);
        client.say(b"\n");
        client.say(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#) + "\n";
        Client { message: message.into(), ..client }
    }

    fn say(&self, bytes: &[u8]) -> usize {
        assert_eq!(self.connection.receive(bytes), bytes.len());
        while let Some(event) = self.connection.poll_event() {
            self.connection.run(|| event.run());
        }
        let mut taken = 0;
        if let DrainStart::Ready(mut drain) = self.connection.drain(Route::Connection) {
            while let Some(transmit) = drain.poll_transmit(256 << 10) {
                let length = transmit.bytes.len();
                black_box(transmit.bytes);
                taken += length;
                drain.wrote(length);
            }
        }
        taken
    }

    /// Sends one request, runs its callbacks, and takes its whole answer, which has at least this many bytes.
    fn send_request(&self, at_least: usize) {
        assert!(self.say(&self.message) >= at_least);
    }
}

fn calls() {
    let server = Server::new("bench", "1");
    server.text("b://fixed", "x".repeat(1 << 10)).unwrap();
    let text = "x".repeat(1 << 10);
    let same = text.clone();
    server.resource("b://closure", move |_| same.clone()).unwrap();
    server.template(Template::new("b://closure/{id}"), move |_| text.clone()).unwrap();
    let ping = Client::new(&server, "ping", "{}");
    report("ping", measure(|| ping.send_request(10)), "bar 0.5");
    let read = Client::new(&server, "resources/read", r#"{"uri":"b://fixed"}"#);
    report("read of a fixed 1 KB text", measure(|| read.send_request(1 << 10)), "bar 1");
    let closure = Client::new(&server, "resources/read", r#"{"uri":"b://closure/1"}"#);
    report("read of a 1 KB text by a closure on a template", measure(|| closure.send_request(1 << 10)), "");
    let mut many = Client::new(&server, "ping", "{}");
    many.message = many.message.repeat(64);
    report("ping, one of 64 at once", measure(|| many.send_request(10)) / 64.0, "");
    let mut many = Client::new(&server, "resources/read", r#"{"uri":"b://fixed"}"#);
    many.message = many.message.repeat(16);
    // Ids are free again as soon as a request is answered, so they may be the same.
    report("read of a fixed 1 KB text, one of 16 at once", measure(|| many.send_request(1 << 14)) / 16.0, "");
    let mut many = Client::new(&server, "resources/read", r#"{"uri":"b://closure"}"#);
    many.message = many.message.repeat(64);
    report(
        "read of a 1 KB text by a closure, one of 64 at once",
        measure(|| many.send_request(1 << 16)) / 64.0,
        "",
    );
}

/// The check of ten fields is the difference of two calls, with the feature `schema`. Without it nothing is checked.
fn tools() {
    let fields = [
        r#""name":{"type":"string","minLength":1,"maxLength":64}"#,
        r#""kind":{"enum":["a","b","c"]}"#,
        r#""count":{"type":"integer","minimum":0,"maximum":1000}"#,
        r#""ratio":{"type":"number"}"#,
        r#""wanted":{"type":"boolean"}"#,
        r#""tags":{"type":"array","items":{"type":"string"},"maxItems":8}"#,
        r#""place":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"]}"#,
        r#""note":{"type":["string","null"]}"#,
        r#""from":{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}$"}"#,
        r#""to":{"type":"string"}"#,
    ];
    let all = format!(
        r#"{{"inputSchema":{{"type":"object","properties":{{{}}},"required":["name","kind","count"],"additionalProperties":false}}}}"#,
        fields.join(",")
    );
    let arguments = r#"{"name":"x","kind":"b","count":7,"ratio":0.5,"wanted":true,"tags":["p","q"],"place":{"x":1,"y":2},"note":null,"from":"2026-07","to":"now"}"#;
    let any = r#"{"inputSchema":{"type":"object"}}"#;
    let kinds = [("whose schema takes any object", any), ("whose schema has ten fields", &all)];
    let calls = kinds.map(|(what, members)| {
        let server = Server::new("bench", "1");
        let members = Json::parse(members).unwrap();
        server.tool("t", &members, |_| Json::parse(r#"{"content":[]}"#)).unwrap();
        let client =
            Client::new(&server, "tools/call", &format!(r#"{{"name":"t","arguments":{arguments}}}"#));
        let call = measure(|| client.send_request(10));
        report(&format!("call of a tool {what}"), call, "");
        call
    });
    if cfg!(feature = "schema") {
        report("check of ten fields", calls[1] - calls[0], "bar 2");
    }
}

fn described(n: usize) -> Resource {
    Resource::new(format!("b://rows/{n:07}")).name(format!("Row {n}")).mime_type("text/plain")
}

fn with_pages_of_100() -> Server {
    let mut limits = Limits::default();
    limits.page_items = 100;
    Server::builder("bench", "1").limits(limits).build().unwrap()
}

fn fixed(count: usize) -> Server {
    let server = with_pages_of_100();
    for n in 0..count {
        server.text(described(n), "x").unwrap();
    }
    server
}

fn lists() {
    let few = fixed(1_000);
    let many = fixed(1_000_000);
    let pages = [&few, &many].map(|server| {
        let client = Client::new(server, "resources/list", "{}");
        measure(|| client.send_request(5_000))
    });
    report("list page of 100 fixed out of 1,000", pages[0], "bar 5");
    report(
        "list page of 100 fixed out of 1,000,000",
        pages[1],
        &format!("bar 1.2x: {:.2}x", pages[1] / pages[0]),
    );
    few.authorize(|call: AuthorizeCall| vec![Verdict::Allow; call.targets().len()]).unwrap();
    let client = Client::new(&few, "resources/list", "{}");
    report("the same with an authoriser that allows all", measure(|| client.send_request(5_000)), "bar 15");
    let server = with_pages_of_100();
    server
        .list("rows", |call: ListCall| {
            let from = call.after().map_or(0, |key| key[9..].parse::<usize>().unwrap() + 1);
            Page::new((from..from + call.limit()).map(described)).more(true)
        })
        .unwrap();
    let client = Client::new(&server, "resources/list", "{}");
    report("list page of 100 items from a callback", measure(|| client.send_request(5_000)), "bar 25");
}

fn large() {
    let text: SharedText =
        Arc::new("the quick brown fox \"jumps\" over\n".repeat(32_000)[..1 << 20].to_owned());
    let blob: SharedBytes =
        Arc::new((0..1 << 20).map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect::<Vec<_>>());
    let mut out = Vec::with_capacity(4 << 20);
    let escape = measure(|| {
        out.clear();
        json_escape_simd::escape_into((*text).as_ref(), &mut out);
        black_box(&out);
    });
    let encode = measure(|| {
        let bytes: &[u8] = (*blob).as_ref();
        out.resize(STANDARD.encoded_length(bytes.len()), 0);
        black_box(STANDARD.encode(bytes, base64_simd::Out::from_slice(&mut out)));
    });
    let mut copy = vec![0_u8; 1 << 20];
    let memcpy = measure(|| {
        copy.copy_from_slice(black_box((*blob).as_ref()));
        black_box(&copy);
    });
    let server = Server::new("bench", "1");
    let (a, b) = (text.clone(), blob.clone());
    server.template(Template::new("t://{id}"), move |_| Body::Text(a.clone())).unwrap();
    server.template(Template::new("b://{id}"), move |_| Body::Blob(b.clone())).unwrap();
    for (what, uri, floor) in [("text", "t://1", escape), ("blob", "b://1", encode)] {
        let client = Client::new(&server, "resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
        let cost = measure(|| client.send_request(1 << 20));
        let floor = floor + memcpy;
        report(
            &format!("read of a 1 MiB {what} through a callback"),
            cost,
            &format!("bar 2x of {:.0}: {:.2}x", floor / 1e3, cost / floor),
        );
    }
}

fn escaping() {
    let server = Server::new("bench", "1");
    for (what, size) in [("64 B", 64), ("1 KiB", 1 << 10), ("1 MiB", 1 << 20)] {
        let uri = format!("t://{size}");
        let lines = "the quick brown fox \"jumps\" over\n".repeat(size / 32 + 1);
        let text: SharedText = Arc::new(lines[..size].to_owned());
        server.resource(uri.as_str(), move |_| Body::Text(text.clone())).unwrap();
        let client = Client::new(&server, "resources/read", &format!(r#"{{"uri":"{uri}"}}"#));
        let what = format!("read of {what} of text that has to be escaped");
        report(&what, measure(|| client.send_request(size)), "");
    }
}

const MANY: u32 = 10_000;

fn updates() {
    let server = fixed(1);
    let group = server.group(|| {});
    let subscribe = r#"{"uri":"b://rows/0000000"}"#;
    let clients: Vec<_> = (0..MANY)
        .map(|_| {
            let client = Client::on(group.connect(Caller::default()), "resources/subscribe", subscribe);
            client.send_request(10);
            client
        })
        .collect();
    let (mut first, mut again, mut taken) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..30 {
        while group.next().is_some() {}
        let began = Instant::now();
        server.notify_updated("b://rows/0000000").unwrap();
        first = first.min(began.elapsed());
        let began = Instant::now();
        server.notify_updated("b://rows/0000000").unwrap();
        again = again.min(began.elapsed());
        let began = Instant::now();
        for client in &clients {
            assert!(client.say(b"") > 10);
        }
        taken = taken.min(began.elapsed());
    }
    let each = |all: Duration| all.as_nanos() as f64 / f64::from(MANY);
    report("updated, for each of 10,000 connections that watch", each(first), "bar 0.1");
    report("updated again before it is taken, for each", each(again), "");
    report("taking the notification, for each", each(taken), "");
}

/// Counts the bytes in use, as an ordinary allocator spends them: 8 of its own, in steps of 16, at least 32.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

const fn spent(size: usize) -> usize {
    let size = (size + 8).next_multiple_of(16);
    if size < 32 { 32 } else { size }
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(spent(layout.size()), Ordering::Relaxed);
        // SAFETY: as the caller of this.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(spent(layout.size()), Ordering::Relaxed);
        // SAFETY: as the caller of this.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn in_use() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

fn memory() {
    let each = |what: &str, count: usize, grown: usize, bar: &str| {
        println!("{what:<58} {:>10.0} B    {bar}", grown as f64 / count as f64);
    };
    let server = Server::new("bench", "1");
    let before = in_use();
    let idle: Vec<_> = (0..50_000).map(|_| Client::new(&server, "ping", "{}")).collect();
    each(
        "idle connection after its handshake",
        50_000,
        in_use() - before,
        "bar 2,048, with some 100 B of the bench's own",
    );
    drop(idle);

    let server = fixed(1_000);
    let clients: Vec<_> = (0..100).map(|_| Client::new(&server, "ping", "{}")).collect();
    let before = in_use();
    for client in &clients {
        for n in 0..1_000 {
            let params = format!(r#"{{"uri":"b://rows/{n:07}"}}"#);
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{params}}}"#)
                    + "\n";
            assert!(client.say(message.as_bytes()) > 10);
        }
    }
    each("subscription, 1,000 of each of 100 connections", 100_000, in_use() - before, "bar 200");
    drop(clients);

    let server = fixed(0);
    let clients: Vec<_> = (0..100).map(|_| Client::new(&server, "ping", "{}")).collect();
    server.fallback(|_| "").unwrap();
    let before = in_use();
    for (c, client) in clients.iter().enumerate() {
        for n in 0..1_000 {
            let params = format!(r#"{{"uri":"b://own/{c:03}/{n:04}"}}"#);
            let message =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{params}}}"#)
                    + "\n";
            assert!(client.say(message.as_bytes()) > 10);
        }
    }
    each("subscription that nobody else has", 100_000, in_use() - before, "bar 200");
    drop(clients);

    let server = fixed(0);
    let before = in_use();
    for n in 0..200_000 {
        server.text(described(n), "x").unwrap();
    }
    each(
        "fixed resource with a name, a type and one byte",
        200_000,
        in_use() - before,
        "bar 400 beyond its text",
    );
}

fn registration() {
    let cost = measure(|| drop(black_box(fixed(1_000)))) / 1_000.0;
    report("registering a fixed resource, of 1,000", cost, "");
}
