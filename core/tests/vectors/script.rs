//! One script: its steps, one after the other.

use crate::host::{Client, Host};
use crate::message::{self, Kept};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use wellhead::Caller;

/// How bytes go in and out.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Pace {
    Whole,
    Bytes,
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Pace::Whole { "whole" } else { "byte by byte" })
    }
}

pub(crate) struct Script(Value);

impl Script {
    pub(crate) fn load(path: &Path) -> Result<Script, String> {
        let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
        serde_json::from_str(&text).map(Script).map_err(|e| e.to_string())
    }

    pub(crate) fn needs(&self) -> impl Iterator<Item = &str> {
        self.0["needs"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Runs all steps.
    ///
    /// # Errors
    /// The first step that did not go as it says.
    pub(crate) fn run(&self, pace: Pace) -> Result<(), String> {
        let mut run =
            Run { host: Host::new(&self.0["server"]), clients: BTreeMap::new(), kept: Kept::new(), pace };
        for entry in self.0["catalog"].as_array().into_iter().flatten() {
            run.host.add(entry).map_err(|e| format!("catalog: {e}: {entry}"))?;
        }
        run.client("a");
        let steps = self.0["steps"].as_array().ok_or("no steps")?;
        for (i, step) in steps.iter().enumerate() {
            run.step(step).map_err(|why| format!("step {}, {}: {why}", i + 1, verb(step)))?;
        }
        let names: Vec<_> = run.clients.keys().cloned().collect();
        for name in names {
            run.check_output(&name, &[])
                .map_err(|why| format!("after the last step, connection {name}: {why}"))?;
        }
        Ok(())
    }
}

struct Run {
    host: Host,
    clients: BTreeMap<String, Client>,
    kept: Kept,
    pace: Pace,
}

impl Run {
    fn client(&mut self, name: &str) -> &mut Client {
        let host = &self.host;
        self.clients.entry(name.to_owned()).or_insert_with(|| host.connect(Caller::default()))
    }

    fn step(&mut self, step: &Value) -> Result<(), String> {
        let on = step["on"].as_str().unwrap_or("a");
        if let Some(id) = step["caller"].as_str() {
            let before = self.clients.insert(on.to_owned(), self.host.connect(Caller::new(id.as_bytes())));
            return before.map_or(Ok(()), |_| Err(format!("connection {on} exists already")));
        }
        self.client(on);
        self.act(on, step)?;
        self.settle();
        Ok(())
    }

    /// Polls all connections until nothing happens any more.
    fn settle(&mut self) {
        while self.clients.values_mut().fold(false, |any, client| client.poll() | any) {}
    }

    fn act(&mut self, on: &str, step: &Value) -> Result<(), String> {
        let text = |name: &str| step[name].as_str();
        if let Some(version) = text("handshake") {
            self.handshake(on, version)
        } else if let Some(messages) = step.get("in") {
            let messages = messages.as_array().map_or(std::slice::from_ref(messages), Vec::as_slice);
            let mut bytes = Vec::new();
            for each in messages {
                bytes.extend_from_slice(message::sent(each, &self.kept)?.as_bytes());
                bytes.push(b'\n');
            }
            self.feed(on, &bytes, 1);
            Ok(())
        } else if let Some(raw) = text("raw") {
            self.feed(on, raw.as_bytes(), 1);
            Ok(())
        } else if let Some(raw) = text("raw_base64") {
            let bytes = STANDARD.decode(raw).map_err(|e| e.to_string())?;
            self.feed(on, &bytes, 1);
            Ok(())
        } else if let Some(repeat) = step.get("raw_repeat") {
            let unit = repeat["text"].as_str().ok_or("raw_repeat lacks text")?;
            let times = repeat["times"].as_u64().ok_or("raw_repeat lacks times")?;
            self.feed(on, unit.repeat(usize::try_from(times).expect("fits")).as_bytes(), 4096);
            Ok(())
        } else if let Some(expected) = step["out"].as_array() {
            self.check_output(on, expected)
        } else if step["end"] == true {
            self.client(on).end();
            Ok(())
        } else if step["close"] == true {
            self.client(on).close();
            Ok(())
        } else if let Some(now) = step["tick"].as_u64() {
            self.client(on).tick(now);
            Ok(())
        } else if let Some(expected) = step["finished"].as_bool() {
            same("finished", &expected, &self.client(on).finished())
        } else {
            self.host.act(step)
        }
    }

    fn handshake(&mut self, on: &str, version: &str) -> Result<(), String> {
        let initialize = json!({"jsonrpc": "2.0", "id": "handshake", "method": "initialize", "params":
            {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}});
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.feed(on, format!("{initialize}\n{initialized}\n").as_bytes(), 1);
        let begin = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"handshake\",\"result\":{{\"protocolVersion\":\"{version}\","
        );
        match &self.lines(on)?[..] {
            [line] if line.starts_with(&begin) => Ok(()),
            lines => Err(format!("expected one line beginning with\n    {begin}\n  got{}", listed(lines))),
        }
    }

    fn feed(&mut self, on: &str, bytes: &[u8], piece: usize) {
        let piece = if self.pace == Pace::Whole { bytes.len().max(1) } else { piece };
        for part in bytes.chunks(piece) {
            self.client(on).receive(part);
            self.settle();
        }
    }

    fn lines(&mut self, on: &str) -> Result<Vec<String>, String> {
        let max = if self.pace == Pace::Whole { usize::MAX } else { 1 };
        let mut output = Vec::new();
        loop {
            self.settle();
            if !self.client(on).drain(max, &mut output) {
                break;
            }
        }
        let output = String::from_utf8(output).map_err(|e| format!("output is not UTF-8: {e}"))?;
        match output.strip_suffix('\n') {
            Some(lines) => Ok(lines.split('\n').map(str::to_owned).collect()),
            None if output.is_empty() => Ok(Vec::new()),
            None => Err(format!("output ends inside a line: {}", listed(&[output]))),
        }
    }

    fn check_output(&mut self, on: &str, expected: &[Value]) -> Result<(), String> {
        let lines = self.lines(on)?;
        let all = expected.len() == lines.len()
            && expected
                .iter()
                .zip(&lines)
                .all(|(expected, line)| message::matches(expected, line, &mut self.kept));
        if all {
            return Ok(());
        }
        let expected: Vec<_> = expected.iter().map(message::shown).collect();
        Err(format!("expected{}\n  got{}", listed(&expected), listed(&lines)))
    }
}

pub(crate) fn verb(step: &Value) -> &str {
    step.as_object().and_then(|members| members.keys().next()).map_or("", String::as_str)
}

/// Fails unless both are the same.
pub(crate) fn same<T: PartialEq + fmt::Debug>(what: &str, expected: &T, got: &T) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{what}: expected {expected:?}, got {got:?}")) }
}

pub(crate) fn listed(lines: &[String]) -> String {
    const SHOWN: usize = 600;
    if lines.is_empty() {
        return " nothing".to_owned();
    }
    lines.iter().fold(String::new(), |mut all, line| {
        let cut = line.char_indices().nth(SHOWN).map_or(line.len(), |(at, _)| at);
        all.push_str("\n    ");
        all.push_str(&line[..cut]);
        if cut < line.len() {
            all.push_str(" …");
        }
        all
    })
}
