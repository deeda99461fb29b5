//! The command over HTTP.

use crate::client::{Folder, meta, wellhead};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

#[test]
fn over_http_it_says_where_it_listens_serves_there_and_ends_on_sigterm() {
    let folder = Folder::new(&[("a.txt", b"read over HTTP")]);
    let mut child = wellhead().args(["serve", "--http", "127.0.0.1:0"]).arg(folder.path()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let address =
        line.trim().strip_prefix("wellhead: listening on http://").and_then(|a| a.strip_suffix("/mcp"));
    let mut stream = TcpStream::connect(address.unwrap_or_else(|| panic!("{line}"))).unwrap();
    let uri = folder.uri("a.txt");
    let params = json!({"uri": uri, "_meta": meta()});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params}).to_string();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\nMcp-Name: {uri}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let answer: Value = serde_json::from_str(body).unwrap();
    assert_eq!(answer["result"]["contents"][0]["text"], "read over HTTP");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_address_that_cannot_be_bound_is_named_and_status_1() {
    let folder = Folder::new(&[]);
    let done = wellhead().args(["serve", "--http", "nowhere"]).arg(folder.path()).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("the address cannot be bound"), "{said}");
}
