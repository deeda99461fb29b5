//! The benchmark's resource set, in Rust: `bench-host [http PORT | http-stateless PORT] [CALLBACK_THREADS]`.
use std::sync::Arc;
use std::time::Duration;
use wellhead::serve::{Http, Stdio};
use wellhead::{
    Arguments, Body, Json, Limits, Page, Resource, Server, SharedBytes, SharedText, Template, ToolResult,
};

const ITEMS: usize = 1000;
/// Clients that may listen at once, each on a connection of its own.
const STREAMS: usize = 20_000;
const FILL: &str = "The quick brown fox jumps over the lazy dog. ";
const LINE: &str = "2026-11-20 INFO \"GET /café\" 200 — dir C:\\tmp took 170 ms, ok\n";

fn item(n: usize) -> String {
    let mut text = format!("item {n}: ");
    while text.len() < 1024 {
        text.push_str(FILL);
    }
    text.truncate(1024);
    text
}

fn main() -> wellhead::Result<()> {
    let mut limits = Limits::default();
    limits.listen_streams = STREAMS;
    let server = Server::builder("bench", "1.0.0").limits(limits).build()?;
    let text: SharedText = Arc::new(LINE.repeat(16_384));
    let blob: SharedBytes = Arc::new((0..=255).collect::<Vec<u8>>().repeat(4096));

    server.template(Template::new("bench://item/{n}").name("item").mime_type("text/plain"), |call| {
        let n: usize = call.var("n")?.parse().ok()?;
        (n < ITEMS).then(|| item(n))
    })?;
    server.template(Template::new("bench://text/{size}").mime_type("text/plain"), move |call| {
        (call.var("size")? == "1m").then(|| Body::from(text.clone()))
    })?;
    server.template(
        Template::new("bench://blob/{size}").mime_type("application/octet-stream"),
        move |call| match call.var("size")? {
            "1m" => Some(Body::from(blob.clone())),
            "64m" => Some(Body::from((*blob).as_ref().repeat(64))),
            _ => None,
        },
    )?;
    server.template(Template::new("bench://slow/{ms}").mime_type("text/plain"), |call| {
        let ms: u64 = call.var("ms").and_then(|ms| ms.parse().ok()).unwrap_or(0);
        let (later, responder) = call.defer();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(ms));
            responder.finish(format!("slept {ms}"))
        });
        later
    })?;
    let s = server.clone();
    server.template(Template::new("bench://touch/{n}").mime_type("text/plain"), move |call| {
        let n: usize = call.var("n")?.parse().ok()?;
        for i in 0..n.min(ITEMS) {
            s.notify_updated(&format!("bench://item/{i}")).ok()?;
        }
        Some(format!("touched {n}"))
    })?;
    let definition = Json::parse(
        r#"{"description":"Adds two whole numbers.","inputSchema":{"type":"object","properties":{
            "a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"]}}"#,
    )?;
    server.tool("add", &definition, |call| {
        let arguments = Arguments::new(&call);
        let number = |name| arguments.integer(name).unwrap_or_default();
        ToolResult::from(number("a").wrapping_add(number("b")).to_string())
    })?;
    let items: Vec<_> = (0..ITEMS)
        .map(|n| {
            Resource::new(format!("bench://item/{n}"))
                .key(n.to_string())
                .name(format!("item-{n}"))
                .title(format!("Item {n}"))
                .description(format!("Benchmark item number {n}"))
                .mime_type("text/plain")
        })
        .collect();
    server.list("items", move |page| {
        let from = page.after().and_then(|key| key.parse().ok()).map_or(0, |n: usize| n + 1);
        let to = (from + page.limit()).min(ITEMS);
        Page::new(&items[from.min(to)..to]).more(to < ITEMS)
    })?;

    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let threads = |n: Option<&&str>| n.and_then(|n| n.parse().ok()).unwrap_or(1);
    match args[..] {
        [over @ ("http" | "http-stateless"), port, ref rest @ ..] => {
            let endpoint = server.endpoint().sessions(over == "http").session_limit(STREAMS);
            let http =
                Http::new(endpoint).callback_threads(threads(rest.first())).tcp_connection_limit(STREAMS);
            http.bind(format!("127.0.0.1:{port}"))?.serve()
        }
        ref rest => Stdio::new().callback_threads(threads(rest.first())).serve(&server),
    }
}
