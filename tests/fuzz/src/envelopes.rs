//! Odd envelopes and what is none: each line is answered at most once, under an id that it has or under none, and the
//! connection goes on.

use crate::bytes::Bytes;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use wellhead::{Caller, Connection, DrainStart, Event, Route, Server};

const STATELESS: &str = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;
const NAMES: [&str; 12] = [
    "jsonrpc", "id", "method", "params", "result", "error", "Id", "ID", "METHOD", "JsonRpc", r"\u0069d",
    "other",
];
const IDS: [&str; 14] = [
    "1",
    r#""a""#,
    "-0",
    "1.0",
    "1e3",
    "9007199254740993",
    "123456789012345678901234567890",
    r#""\u0041""#,
    r#""\ud800""#,
    r#""""#,
    "null",
    "true",
    "[1]",
    r#"{"id":1}"#,
];
const METHODS: [&str; 9] = [
    r#""ping""#,
    r#""resources/read""#,
    r#""resources/list""#,
    r#""resources/subscribe""#,
    r#""notifications/cancelled""#,
    r#""notifications/initialized""#,
    r#""p\u0069ng""#,
    r#""""#,
    "7",
];
const PARAMS: [&str; 9] = [
    "{}",
    r#"{"uri":"f://0"}"#,
    r#"{"uri":"f://0","uri":"f://1"}"#,
    r#"{"URI":"f://0"}"#,
    r#"{"requestId":1}"#,
    STATELESS,
    "[]",
    "null",
    r#""x""#,
];

pub(crate) fn run(bytes: &mut Bytes<'_>) {
    let server = Server::builder("s", "1").on_log(|_, _| {}).build().expect("nothing is wrong with it");
    server.text("f://0", "x").expect("a new URI");
    let connection = server.connect(Caller::default());
    // The first has batches; the last of these is none.
    if let Some(version) = ["2025-03-26", "2025-11-25", ""].get(bytes.below(3)).filter(|v| !v.is_empty()) {
        let hello = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"f","version":"1"}}}}}}"#
        );
        assert!(said(&connection, hello.as_bytes()).contains("result"));
        said(&connection, br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }
    let mut pings = 0;
    while !bytes.is_empty() {
        let mut line = message(bytes, 0).into_bytes();
        damage(&mut line, bytes);
        check(&line, &said(&connection, &line));
        pings += 1;
        let ping = format!(r#"{{"jsonrpc":"2.0","id":"ping {pings}","method":"ping"}}"#);
        let expected = format!(r#"{{"jsonrpc":"2.0","id":"ping {pings}","result":{{}}}}"#);
        let answer = said(&connection, ping.as_bytes());
        assert_eq!(answer.trim_end(), expected, "after {}", String::from_utf8_lossy(&line));
    }
}

/// An object with members of all kinds, or an array of such, or something else.
fn message(bytes: &mut Bytes<'_>, depth: usize) -> String {
    match bytes.below(8) {
        0 if depth < 3 => {
            let elements: Vec<_> = (0..bytes.below(5)).map(|_| message(bytes, depth + 1)).collect();
            format!("[{}]", elements.join(","))
        }
        1 => ["1", r#""ping""#, "null", "{}", "[]", ""][bytes.below(6)].to_owned(),
        2 => {
            let deep = 1 + bytes.below(200);
            let id = IDS[bytes.below(IDS.len())];
            let (open, shut) = ("[".repeat(deep), "]".repeat(deep));
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","params":{{"a":{open}{shut}}}}}"#)
        }
        _ => {
            let mut members = Vec::new();
            let usual = bytes.byte();
            for (bit, name) in ["jsonrpc", "id", "method", "params"].into_iter().enumerate() {
                if usual >> bit & 1 == 0 {
                    members.push(member(name, bytes));
                }
            }
            for _ in 0..bytes.below(3) {
                let name = NAMES[bytes.below(NAMES.len())];
                members.insert(bytes.below(members.len() + 1), member(name, bytes));
            }
            format!("{{{}}}", members.join(","))
        }
    }
}

fn member(name: &str, bytes: &mut Bytes<'_>) -> String {
    let choice = bytes.below(256);
    let value = match name.to_lowercase().as_str() {
        "jsonrpc" => [r#""2.0""#, r#""2.0""#, r#""2.0""#, r#""1.0""#, "2.0", "null"][choice % 6],
        "method" => METHODS[choice % METHODS.len()],
        "params" | "result" | "error" => PARAMS[choice % PARAMS.len()],
        _ => IDS[choice % IDS.len()],
    };
    format!(r#""{name}":{value}"#)
}

/// Changes a few bytes of some lines. A line stays one.
fn damage(line: &mut Vec<u8>, bytes: &mut Bytes<'_>) {
    if bytes.below(3) > 0 || line.is_empty() {
        return;
    }
    for _ in 0..=bytes.below(3) {
        let at = usize::from(bytes.byte()) % line.len();
        match bytes.below(4) {
            0 => line.truncate(at.max(1)),
            1 => line[at] = b"\xff\0\"{}[],: \\1"[bytes.below(12)],
            2 => line.insert(at, b"\xc3\t\"{}[],: \\-"[bytes.below(12)]),
            _ => line.push(line[at]),
        }
    }
}

/// Returns the connection's answer to a line.
fn said(connection: &Connection, line: &[u8]) -> String {
    for part in [line, b"\n"] {
        assert_eq!(connection.receive(part), part.len());
    }
    while let Some(event) = connection.poll_event() {
        Event::run(event);
    }
    let mut output = Vec::new();
    if let DrainStart::Ready(mut drain) = connection.drain(Route::Connection) {
        while let Some(transmit) = drain.poll_transmit(usize::MAX) {
            let written = transmit.bytes.len();
            output.extend_from_slice(transmit.bytes);
            drain.wrote(written);
        }
    }
    String::from_utf8(output).expect("messages are text")
}

fn check(line: &[u8], output: &str) {
    let told = || format!("{} is answered {output}", String::from_utf8_lossy(line));
    let Some(answer) = output.lines().next() else { return };
    assert_eq!(output.lines().count(), 1, "twice: {}", told());
    let asked = serde_json::from_slice::<Vec<&RawValue>>(line).map_or(1, |elements| elements.len().max(1));
    let answers: Vec<&RawValue> = serde_json::from_str(answer)
        .or_else(|_| serde_json::from_str(answer).map(|one| vec![one]))
        .unwrap_or_else(|e| panic!("no JSON, {e}: {}", told()));
    assert!(answers.len() <= asked, "more than was asked: {}", told());
    let line = String::from_utf8_lossy(line);
    let mut answered = BTreeMap::new();
    for answer in answers {
        let members: BTreeMap<&str, &RawValue> =
            serde_json::from_str(answer.get()).unwrap_or_else(|e| panic!("no object, {e}: {}", told()));
        let id = members.get("id").map_or("null", |id| id.get());
        if id == "null" {
            assert!(members.contains_key("error"), "a result without a request: {}", told());
            continue;
        }
        let times = answered.entry(id).or_insert(0);
        *times += 1;
        assert!(*times <= line.matches(id).count(), "not an id of the line, or again: {}", told());
    }
}
