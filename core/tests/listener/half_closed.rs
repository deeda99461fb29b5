//! Clients that close their half of the connection after a request.

use super::{Client, Service, server};
use std::io::{Read, Write};
use std::net::Shutdown;
use wellhead::serve::Http;

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
            let params = r#"{"uri":"test://later"}"#;
            let read =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"resources/read","params":{params}}}"#);
            client.send("POST", &session, &read);
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
