//! Requirements of HTTP on a server that show only on a socket.

use super::h2c::{self, run};
use super::{Client, Service, server};
use std::io::Write;

impl Client {
    /// Sends a read of 2026-07-28 with these fields; `version` is that of HTTP.
    fn read_with(&mut self, version: &str, fields: &str, chunked: bool) {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"test://text",{}}}}}"#,
            super::META
        );
        let (framing, framed) = if chunked {
            (String::new(), format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()))
        } else {
            (format!("Content-Length: {}\r\n", body.len()), body)
        };
        write!(
            self.stream,
            "POST /mcp HTTP/{version}\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\nMcp-Name: test://text\r\n{fields}{framing}\r\n{framed}"
        )
        .expect("it reads");
    }
}

#[test]
fn a_body_in_another_transfer_coding_than_chunked_once_is_refused() {
    let service = Service::start(server(), |http| http);
    for (fields, status) in [
        ("Transfer-Encoding: chunked\r\n", 200),
        ("Transfer-Encoding: Chunked\r\n", 200),
        ("Transfer-Encoding: chunked, chunked\r\n", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Transfer-Encoding: gzip, chunked\r\n", 501),
        ("Transfer-Encoding: identity, chunked\r\n", 501),
        ("Transfer-Encoding: chunked, gzip\r\n", 400),
    ] {
        let mut client = service.client();
        client.read_with("1.1", &format!("Host: localhost\r\n{fields}"), true);
        assert_eq!(client.head().0, status, "{fields}");
    }
    service.ends();
}

#[test]
fn only_http_1_1_must_have_a_host_field() {
    for (address, status) in [("127.0.0.1:0", 403), ("0.0.0.0:0", 200)] {
        let server = server();
        let listener = wellhead::serve::Http::new(server.endpoint()).bind(address).expect("a free port");
        let port = listener.address().port();
        let thread = std::thread::spawn(|| listener.serve());
        for (version, status) in [("1.1", 400), ("1.0", status)] {
            let stream = std::net::TcpStream::connect(("127.0.0.1", port)).expect("it listens");
            let reader = std::io::BufReader::new(stream.try_clone().expect("a socket can be duplicated"));
            let mut client = Client { stream, reader };
            client.read_with(version, "", false);
            assert_eq!(client.head().0, status, "{address} {version}");
        }
        server.close();
        thread.join().expect("no panic").expect("no error");
    }
}

#[test]
fn over_http_2_the_authority_counts_and_not_the_host_field() {
    let service = Service::start(server(), |http| http);
    run(async {
        let mut client = h2c::Client::connect(&service).await;
        let read = r#""uri":"test://text","#;
        let fields = [("mcp-name", "test://text"), ("host", "evil.example")];
        let response = client.send_request("resources/read", read, &fields).await.expect("a response");
        assert_eq!(response.status(), 200);
    });
    service.ends();
}
