//! The example, as its people and clients see it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

struct Program {
    child: Child,
    address: String,
}

impl Program {
    fn start() -> Program {
        let mut child = Command::new(env!("CARGO_BIN_EXE_axum-notes"))
            .arg("127.0.0.1:0")
            .stdout(Stdio::piped())
            .spawn()
            .expect("it is built");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("it says where it is");
        let address = line.trim().strip_prefix("listening on http://").expect("an address").to_owned();
        Program { child, address }
    }

    fn send(&self, line: &str, headers: &str, body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket has timeouts");
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it reads");
        BufReader::new(stream)
    }

    fn whole(&self, line: &str, headers: &str, body: &str) -> String {
        let mut answer = String::new();
        self.send(line, headers, body).read_to_string(&mut answer).expect("an answer");
        answer
    }

    fn send_request(&self, method: &str, members: &str, name: &str) -> BufReader<TcpStream> {
        let headers = format!(
            "Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n"
        );
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{members}{META}}}}}"#);
        self.send("POST /mcp", &headers, &body)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads on until a line that has this in it.
fn until(stream: &mut BufReader<TcpStream>, wanted: &str) {
    let mut line = String::new();
    while !line.contains(wanted) {
        line.clear();
        assert_ne!(stream.read_line(&mut line).expect("a line"), 0, "it ended before {wanted}");
    }
}

#[test]
fn clients_read_the_notes_that_people_write_and_are_notified() {
    let program = Program::start();
    assert!(program.whole("PUT /notes/tea", "", "green").starts_with("HTTP/1.1 204 "));
    let mut told = program.send_request(
        "subscriptions/listen",
        r#""notifications":{"resourceSubscriptions":["notes://tea"]},"#,
        "",
    );
    until(&mut told, "acknowledged");
    assert!(program.whole("PUT /notes/two%20words", "", "mate").starts_with("HTTP/1.1 204 "));
    let mut list = program.send_request("resources/list", "", "");
    until(&mut list, r#""uri":"notes://tea""#);
    until(
        &mut program.send_request("resources/read", r#""uri":"notes://two%20words","#, "notes://two%20words"),
        "mate",
    );
    until(
        &mut program.send_request("resources/read", r#""uri":"notes://tea","#, "notes://tea"),
        r#""text":"green""#,
    );
    assert!(program.whole("PUT /notes/tea", "", "black").starts_with("HTTP/1.1 204 "));
    until(&mut told, "notifications/resources/updated");
    until(
        &mut program.send_request("resources/read", r#""uri":"notes://tea","#, "notes://tea"),
        r#""text":"black""#,
    );
    assert!(program.whole("GET /notes/tea", "", "").ends_with("black"));
    assert!(program.whole("GET /notes/coffee", "", "").starts_with("HTTP/1.1 404 "));
}
