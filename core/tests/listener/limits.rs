//! Limits on the size and the cost of a client's requests.

use super::h2c::{self, run};
use super::{Client, Service, holding, is_ended, next_call, server};
use std::io::Write;
use wellhead::{Limits, Server};

#[test]
fn a_head_that_is_too_large_is_refused_and_the_connection_ends() {
    let service = Service::start(server(), |http| http);
    let large = "x".repeat(256 << 10);
    let heads = [
        format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Large: {large}\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X-Many: x\r\n".repeat(101)),
    ];
    for head in heads {
        let mut client = service.client();
        let _ = client.stream.write_all(head.as_bytes()); // it need not read all of that
        assert_eq!(client.head().0, 431);
        assert!(is_ended(&mut client));
    }
    for fits in ["x".repeat(64 << 10), format!("x\r\n{}X-Last: x", "X-Many: x\r\n".repeat(90))] {
        let mut client = service.client();
        client.send_request(
            "resources/read",
            r#""uri":"test://text","#,
            &format!("Mcp-Name: test://text\r\nX-Fits: {fits}\r\n"),
        );
        assert_eq!(client.whole().0, 200);
    }
    service.ends();
}

#[test]
fn a_head_of_http_2_that_is_too_large_is_refused_and_one_that_is_far_too_large_ends_the_connection() {
    let service = Service::start(server(), |http| http);
    run(async {
        let mut client = h2c::Client::connect(&service).await;
        let large = "x".repeat(129 << 10);
        let refused =
            client.send_request("server/discover", "", &[("x-large", &large)]).await.expect("a response");
        assert_eq!(refused.status(), 431);
        let fits = "x".repeat(64 << 10);
        let answered =
            client.send_request("server/discover", "", &[("x-fits", &fits)]).await.expect("a response");
        assert_eq!(answered.status(), 200);
        let endless = "x".repeat(1 << 20);
        let over = client.send_request("server/discover", "", &[("x-endless", &endless)]).await;
        assert!(over.is_err(), "the listener has read that: {over:?}");
        assert!(client.send_request("server/discover", "", &[]).await.is_err(), "the connection has ended");
    });
    service.ends();
}

#[test]
fn a_body_without_end_is_refused_when_it_is_over_the_limit_and_not_read_any_more() {
    let mut limits = Limits::default();
    limits.message_bytes = 1 << 20;
    let server = Server::builder("s", "1").limits(limits).on_log(|_, _| {}).build().unwrap();
    let service = Service::start(server, |http| http);
    let mut client = service.client();
    write!(
        client.stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    .unwrap();
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(64 << 10));
    let mut sent = 0;
    while sent < 256 << 20 && client.stream.write_all(chunk.as_bytes()).is_ok() {
        sent += chunk.len();
    }
    assert!(sent < 64 << 20, "all that was taken beyond the limit fits into the sockets' buffers: {sent}");
    let (status, body) = client.whole();
    assert!(status == 413 && body.contains("message_bytes"), "{status} {body}");
    assert!(is_ended(&mut client));
    still_answers(&service);
    service.ends();
}

#[test]
fn a_connection_over_the_limit_waits_until_another_one_ends() {
    let (server, held) = holding();
    let service = Service::start(server, |http| http.tcp_connection_limit(3));
    let mut open = [service.client(), service.client(), service.client()];
    let read = |client: &mut Client, uri: &str| {
        client.send_request("resources/read", &format!(r#""uri":"{uri}","#), &format!("Mcp-Name: {uri}\r\n"));
    };
    let are_answered = |open: &mut [Client]| {
        for client in open {
            read(client, "test://text");
            assert_eq!(client.whole().0, 200);
        }
    };
    are_answered(&mut open);
    let mut fourth = service.client();
    read(&mut fourth, "test://held");
    are_answered(&mut open);
    assert!(held.try_recv().is_err(), "the fourth is not read meanwhile");
    drop(open);
    next_call(&held).finish("at last");
    assert_eq!(fourth.whole().0, 200);
    service.ends();
}

fn still_answers(service: &Service) {
    let mut next: Client = service.client();
    next.send_request("server/discover", "", "");
    assert_eq!(next.whole().0, 200);
}
