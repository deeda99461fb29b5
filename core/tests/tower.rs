//! The endpoint as a service of tower, without a socket.

#[path = "support/served.rs"]
mod served;

use http::{Request, Response};
use http_body::Body;
use served::{META, server};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::mpsc::channel;
use std::time::Duration;
use tower_service::Service;
use wellhead::serve::{HttpService, ResponseBody};
use wellhead::{ErrorKind, Limits, MethodCall, Server};

fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), test).await.expect("an end") })
}

fn post(method: &str, members: &str, name: &str) -> Request<String> {
    let request =
        Request::post("/mcp").header("host", "localhost").header("content-type", "application/json");
    let request = request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}{META}}}}}"#);
    request.header("mcp-name", name).body(body).unwrap()
}

fn read(uri: &str) -> Request<String> {
    post("resources/read", &format!(r#""uri":"{uri}","#), uri)
}

async fn call(service: &HttpService, request: Request<String>) -> Response<ResponseBody> {
    let mut service = service.clone();
    poll_fn(|cx| Service::<Request<String>>::poll_ready(&mut service, cx)).await.unwrap_or_else(never);
    service.call(request).await.unwrap_or_else(never)
}

fn never<T>(e: Infallible) -> T {
    match e {}
}

/// The next piece of a body.
async fn piece(body: &mut ResponseBody) -> Option<String> {
    let mut body = pin!(body);
    let frame = poll_fn(|cx| body.as_mut().poll_frame(cx)).await?.unwrap_or_else(never);
    Some(String::from_utf8(frame.into_data().expect("data").to_vec()).expect("text"))
}

async fn whole(response: Response<ResponseBody>) -> (u16, String) {
    let (status, mut body, mut text) = (response.status().as_u16(), response.into_body(), String::new());
    while let Some(piece) = piece(&mut body).await {
        text.push_str(&piece);
    }
    (status, text)
}

#[test]
fn requests_are_answered_now_and_later_on_any_thread() {
    for (threads, name) in [(0, "requests_are_answered"), (2, "wellhead-")] {
        run(async {
            let server = server();
            server.resource("test://thread", |_| std::thread::current().name().map(str::to_owned)).unwrap();
            let service = HttpService::new(server.endpoint(), threads).unwrap();
            for (uri, text) in [("test://text", "found"), ("test://later", "later"), ("test://thread", name)]
            {
                let (status, body) = whole(call(&service, read(uri)).await).await;
                assert!(status == 200 && body.contains(text), "{threads}: {status} {body}");
            }
            let other = Request::get("/other").header("host", "localhost").body(String::new()).unwrap();
            assert_eq!(whole(call(&service, other).await).await, (404, String::new()));
        });
    }
}

#[test]
fn a_listen_stream_gets_changes_until_the_server_is_closed() {
    run(async {
        let server = server();
        let service = HttpService::new(server.endpoint(), 1).unwrap();
        let filter = r#""notifications":{"resourceSubscriptions":["test://text"]},"#;
        let response = call(&service, post("subscriptions/listen", filter, "")).await;
        drop(service); // its streams go on
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let mut body = response.into_body();
        assert!(piece(&mut body).await.unwrap().contains("acknowledged"));
        server.notify_updated("test://text").unwrap();
        assert!(piece(&mut body).await.unwrap().contains("notifications/resources/updated"));
        server.close();
        assert!(piece(&mut body).await.unwrap().contains(r#""result""#));
        assert_eq!(piece(&mut body).await, None);
    });
}

#[test]
fn a_callback_that_closes_the_server_ends_the_stream_of_its_session() {
    let server = server();
    let closed = server.clone();
    server
        .resource("test://close", move |_| {
            closed.close();
            "closed"
        })
        .unwrap();
    run(async {
        let service = HttpService::new(server.endpoint(), 0).unwrap();
        let request = |method| {
            let request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
            let request = request.header("content-type", "application/json");
            let accept = if method == "GET" { "text/event-stream" } else { "application/json" };
            request.header("accept", accept).header("mcp-protocol-version", "2025-06-18")
        };
        let params =
            r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#;
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
        let response = call(&service, request("POST").body(body).unwrap()).await;
        let session = response.headers()["mcp-session-id"].clone();
        let stream = request("GET").header("mcp-session-id", &session).body(String::new()).unwrap();
        let mut stream = call(&service, stream).await.into_body();
        let body = r#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://close"}}"#;
        let read = request("POST").header("mcp-session-id", &session).body(body.to_owned()).unwrap();
        let (status, answer) = whole(call(&service, read).await).await;
        assert!(status == 200 && answer.contains("closed"), "{status} {answer}");
        assert_eq!(piece(&mut stream).await, None);
    });
}

#[test]
fn dropping_the_service_drops_the_values_in_its_callbacks() {
    let server = server();
    let (alive, gone) = channel::<()>();
    run(async {
        let endpoint = server.endpoint().verify(move |_| {
            let _ = &alive;
            None
        });
        drop(HttpService::new(endpoint, 1).unwrap());
        tokio::task::yield_now().await;
    });
    assert!(
        gone.recv_timeout(Duration::from_secs(60))
            .is_err_and(|e| e == std::sync::mpsc::RecvTimeoutError::Disconnected)
    );
}

#[test]
fn a_service_takes_a_runtime_and_an_open_server() {
    let server = server();
    let refused = HttpService::new(server.endpoint(), 1).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
    server.close();
    run(async {
        assert_eq!(HttpService::new(server.endpoint(), 1).unwrap_err().kind(), ErrorKind::Closed);
    });
}

#[test]
fn requests_of_one_peer_share_a_part_of_the_budget() {
    run(async {
        let mut limits = Limits::default();
        limits.buffer_bytes = 1_200_000;
        let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
        let (begun, begins) = channel();
        let method = move |call: MethodCall| {
            let (later, responder) = call.defer();
            begun.send(responder).unwrap();
            later
        };
        server.method("x/keep", method).unwrap();
        let service = HttpService::new(server.endpoint(), 1).unwrap();
        let service = service.peer(|extensions| extensions.get::<String>().cloned());
        let keep = |peer: &str| {
            let mut request = post("x/keep", &format!(r#""x":"{}","#, "x".repeat(150_000)), "");
            request.extensions_mut().insert(peer.to_owned());
            let service = service.clone();
            tokio::spawn(async move { whole(call(&service, request).await).await })
        };
        let first = keep("ann");
        let one = until(|| begins.try_recv().ok()).await;
        assert_eq!(keep("ann").await.unwrap().0, 503, "the connection has its part");
        let other = keep("bob");
        let two = until(|| begins.try_recv().ok()).await;
        drop((one, two)); // unanswered: an internal error
        assert_eq!((first.await.unwrap().0, other.await.unwrap().0), (200, 200));
    });
}

/// Waits for what another thread does.
async fn until<T>(mut so: impl FnMut() -> Option<T>) -> T {
    loop {
        match so() {
            Some(so) => return so,
            None => tokio::task::yield_now().await,
        }
    }
}
