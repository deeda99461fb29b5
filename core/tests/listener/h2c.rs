//! HTTP/2 with prior knowledge: several requests share one connection.

use super::{META, Service, server};
use h2::client::{ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use http::{Request, Response};
use std::time::Duration;
use tokio::net::TcpStream;

/// A connection that speaks HTTP/2 from its first byte on.
pub(crate) struct Client(SendRequest<bytes::Bytes>);

impl Client {
    pub(crate) async fn connect(service: &Service) -> Client {
        Client::connect_with_window(service, 65_535).await
    }

    /// A connection whose responses may send this many bytes before the client asks for more.
    pub(crate) async fn connect_with_window(service: &Service, bytes: u32) -> Client {
        let stream = TcpStream::connect(service.address).await.expect("it listens");
        stream.set_nodelay(true).expect("a socket has options");
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(bytes);
        let (requests, connection) = builder.handshake(stream).await.expect("a handshake");
        tokio::spawn(connection);
        Client(requests)
    }

    /// Sends a POST, and waits for the head of the response.
    pub(crate) async fn send_request(
        &mut self,
        method: &str,
        members: &str,
        fields: &[(&str, &str)],
    ) -> Result<Response<RecvStream>, h2::Error> {
        self.send(method, members, fields).await?.await
    }

    /// Sends a POST.
    pub(crate) async fn send(
        &mut self,
        method: &str,
        members: &str,
        fields: &[(&str, &str)],
    ) -> Result<ResponseFuture, h2::Error> {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}{META}}}}}"#);
        let (response, mut sender) = self.begin(method, fields).await?;
        sender.send_data(body.into(), true)?;
        Ok(response)
    }

    /// Sends the head of a POST.
    pub(crate) async fn begin(
        &mut self,
        method: &str,
        fields: &[(&str, &str)],
    ) -> Result<(ResponseFuture, SendStream<bytes::Bytes>), h2::Error> {
        let mut request = Request::post("http://localhost/mcp")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        let mut ready = self.0.clone().ready().await?;
        ready.send_request(request.body(()).expect("a request"), false)
    }

    async fn read(&mut self, uri: &str) -> (u16, String) {
        let members = format!(r#""uri":"{uri}","#);
        let response =
            self.send_request("resources/read", &members, &[("mcp-name", uri)]).await.expect("a response");
        let (head, mut body) = response.into_parts();
        let mut text = String::new();
        while let Some(piece) = piece(&mut body).await {
            text += &piece;
        }
        (head.status.as_u16(), text)
    }
}

/// Returns the next part of a body.
async fn piece(body: &mut RecvStream) -> Option<String> {
    let data = body.data().await?.expect("the stream goes on");
    body.flow_control().release_capacity(data.len()).expect("it was taken");
    Some(String::from_utf8(data.into()).expect("text"))
}

pub(crate) fn run<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(120), test).await.expect("an end") })
}

#[test]
fn requests_and_streams_share_one_connection() {
    let service = Service::start(server(), |http| http);
    run(async {
        let mut client = Client::connect(&service).await;
        let (status, body) = client.read("test://text").await;
        assert!(status == 200 && body.contains("found"), "{status} {body}");

        let watched = r#""notifications":{"resourceSubscriptions":["test://text"]},"#;
        let listening = client.send_request("subscriptions/listen", watched, &[]).await.expect("a response");
        assert_eq!(listening.headers()["content-type"], "text/event-stream");
        let mut stream = listening.into_body();
        assert!(piece(&mut stream).await.expect("an event").contains("acknowledged"));
        service.server.notify_updated("test://text").unwrap();
        assert!(piece(&mut stream).await.expect("an event").contains("notifications/resources/updated"));

        for (uri, text) in [("test://by/7", "by 7"), ("test://later", "later")] {
            let (status, body) = client.read(uri).await;
            assert!(status == 200 && body.contains(text), "beside the stream: {status} {body}");
        }
        service.server.notify_updated("test://text").unwrap();
        assert!(piece(&mut stream).await.expect("an event").contains("notifications/resources/updated"));

        service.server.close();
        let mut last = String::new();
        while let Some(piece) = piece(&mut stream).await {
            last += &piece;
        }
        assert!(last.contains(r#""result""#), "the stream ends with its result: {last}");
    });
    service.ends();
}
