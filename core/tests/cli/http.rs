//! The command over HTTP.

use crate::client::{Client, Folder, meta, wellhead};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr};

/// The running command.
struct Service {
    child: Child,
    said: BufReader<ChildStderr>,
    address: SocketAddr,
}

impl Service {
    fn start(folder: &Folder, arguments: &[&str]) -> Service {
        let mut child = wellhead().arg("serve").args(arguments).arg(folder.path()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("wellhead: listening on http://").and_then(|a| a.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Service { child, said, address }
    }

    /// Head and body of the answer to a request, with more header lines.
    fn send_request(&self, method: &str, mut params: Value, more: &str) -> (String, String) {
        let name = params["uri"].as_str().map(|uri| format!("Mcp-Name: {uri}\r\n")).unwrap_or_default();
        params["_meta"] = meta();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let mut stream = TcpStream::connect(self.address).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}{more}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    fn read(&self, uri: &str, more: &str) -> (String, Value) {
        let (head, body) = self.send_request("resources/read", json!({ "uri": uri }), more);
        (head, serde_json::from_str(&body).unwrap())
    }

    /// Returns the next line on standard error, and waits for it.
    fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        line
    }

    /// Everything else that it says, until it has ended. Once it has said where it listens, it ends in order.
    fn ends(mut self) -> String {
        #[cfg(unix)]
        {
            let pid = rustix::process::Pid::from_child(&self.child);
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        }
        #[cfg(windows)]
        self.child.kill().unwrap(); // tests/windows/ctrl.c has Ctrl-C, which goes to every program of a console
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        assert!(cfg!(windows) || status.code() == Some(0), "{status}");
        said
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn over_http_the_command_prints_its_address_serves_there_and_ends_on_sigterm() {
    let folder = Folder::new(&[("a.txt", b"read over HTTP")]);
    let service = Service::start(&folder, &["--http", "127.0.0.1:0"]);
    let (head, answer) = service.read(&folder.uri("a.txt"), "");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert_eq!(answer["result"]["contents"][0]["text"], "read over HTTP");
    assert_eq!(service.ends(), "");
}

#[test]
fn a_port_alone_is_one_of_this_machine() {
    // row: O-06
    let folder = Folder::new(&[]);
    let service = Service::start(&folder, &["--http", "0"]);
    assert!(service.address.ip().is_loopback(), "{}", service.address);
    service.ends();
}

#[test]
fn the_log_names_the_other_machines_that_may_connect() {
    let folder = Folder::new(&[]);
    let files = Folder::new(&[("tokens", b"one")]);
    let tokens = files.path().join("tokens");
    let mut open = Service::start(&folder, &["--http", "0.0.0.0:0"]);
    assert!(open.next_line().contains("every program that can reach that address can read the folders"));
    let protected = ["--http", "0.0.0.0:0", "--token-file", tokens.to_str().unwrap()];
    assert!(Service::start(&folder, &protected).next_line().contains("put a proxy that speaks TLS in front"));
}

#[test]
fn with_a_token_file_only_clients_with_one_of_its_tokens_are_served() {
    // row: A-02, A-20
    let folder = Folder::new(&[("a.txt", b"secret"), ("b.txt", b"secret")]);
    let files = Folder::new(&[("tokens", b"# ann\nYW5u-._~+/==\n\n  Ym9i  \r\n")]);
    let file = files.path().join("tokens");
    let service = Service::start(&folder, &["--http", "0", "--token-file", file.to_str().unwrap()]);
    let uri = folder.uri("a.txt");
    for token in ["YW5u-._~+/==", "Ym9i"] {
        let (head, answer) = service.read(&uri, &format!("Authorization: Bearer {token}\r\n"));
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert_eq!(answer["result"]["contents"][0]["text"], "secret");
    }
    for bad in [
        "",
        "Authorization: Bearer Ym9\r\n",
        "Authorization: Bearer Ym9ix\r\n",
        "Authorization: Bearer #\r\n",
    ] {
        let (head, answer) = service.read(&uri, bad);
        let (status, challenge) = match bad {
            "" => ("401", "bearer\r"),
            bad if bad.contains('#') => ("400", "bearer error=\"invalid_request\""),
            _ => ("401", "bearer error=\"invalid_token\""),
        };
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{bad:?}: {head}");
        let head = head.to_ascii_lowercase() + "\r";
        assert!(head.contains(&format!("www-authenticate: {challenge}")), "{bad:?}: {head}");
        assert!(!answer.to_string().contains("secret"));
    }
    service.ends();
}

#[test]
fn the_cursor_of_one_token_leads_no_other_on() {
    let folder = Folder::new(&[("a.txt", b""), ("b.txt", b"")]);
    let files = Folder::new(&[("tokens", b"one\ntwo")]);
    let tokens = files.path().join("tokens");
    let arguments = ["--http", "0", "--page-size", "1", "--token-file", tokens.to_str().unwrap()];
    let service = Service::start(&folder, &arguments);
    let list = |token: &str, params: Value| -> Value {
        let (_, body) =
            service.send_request("resources/list", params, &format!("Authorization: Bearer {token}\r\n"));
        serde_json::from_str(&body).unwrap()
    };
    let cursor = list("one", json!({}))["result"]["nextCursor"].clone();
    assert!(list("one", json!({ "cursor": cursor }))["result"]["resources"].is_array());
    assert_eq!(list("two", json!({ "cursor": cursor }))["error"]["code"], -32602);
    service.ends();
}

#[test]
fn a_cursor_of_standard_output_leads_nowhere_over_http() {
    let folder = Folder::new(&[("a.txt", b""), ("b.txt", b"")]);
    let mut program = Client::serve(&folder, &["--page-size", "1"]).shake_hands("2025-06-18");
    let cursor = program.send_request("resources/list", &json!({}))["nextCursor"].clone();
    let service = Service::start(&folder, &["--http", "0", "--page-size", "1"]);
    let (_, body) = service.send_request("resources/list", json!({ "cursor": cursor }), "");
    assert!(body.contains("Invalid cursor"), "{body}");
    service.ends();
}

#[test]
fn an_address_that_cannot_be_bound_is_named_and_status_1() {
    let folder = Folder::new(&[]);
    let done = wellhead().args(["serve", "--http", "nowhere"]).arg(folder.path()).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("--http nowhere: the address cannot be bound"), "{said}");
}
