//! One script of HTTP: its steps, on any adapter.

use super::stream;
use crate::host::{Host, bytes, text_of};
use crate::message::{self, Kept};
use crate::script::{Pace, listed, same, verb};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a runner waits for what does not come at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Carries requests to a server, and brings responses back.
pub(crate) trait Adapter {
    type Exchange;

    /// Says whether what happens takes its time, so that a script has to wait for it.
    const WAITS: bool;

    fn new(host: &Host, options: &Value, pace: Pace) -> Self;

    fn send(&mut self, request: &Request) -> Self::Exchange;

    /// Takes what has come of a response; `wait`: what comes next, unless that is known now. Whether there was anything.
    ///
    /// # Errors
    /// What is no response, or does not come.
    fn receive(&mut self, of: &mut Self::Exchange, got: &mut Got, wait: bool) -> Result<bool, String>;

    /// Runs the callbacks that are due here. Whether there were any.
    fn poll(&mut self) -> bool;

    fn advance(&mut self, ms: u64);
}

/// A request of a script.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    /// Field lines in the order in which they go out.
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Option<Vec<u8>>,
    /// The length in bytes of the pieces in which the body comes, if it comes in pieces.
    pub(crate) piece: usize,
    /// The end of the body does not come.
    pub(crate) unfinished: bool,
}

/// The part of a response that has come and that the script has not asked for.
#[derive(Default)]
pub(crate) struct Got {
    pub(crate) head: Option<Head>,
    pub(crate) body: Vec<u8>,
    pub(crate) done: bool,
}

pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
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
    pub(crate) fn run<A: Adapter>(&self, pace: Pace) -> Result<(), String> {
        let host = Host::new(&self.0["server"]);
        let adapter = A::new(&host, &self.0["http"], pace);
        let mut run = Run { exchanges: BTreeMap::new(), adapter, host, kept: Kept::new() };
        for entry in self.0["catalog"].as_array().into_iter().flatten() {
            run.host.add(entry).map_err(|e| format!("catalog: {e}: {entry}"))?;
        }
        let steps = self.0["steps"].as_array().ok_or("no steps")?;
        for (i, step) in steps.iter().enumerate() {
            let went = run.act(step).and_then(|()| run.settle());
            went.map_err(|why| format!("step {}, {}: {why}", i + 1, verb(step)))?;
        }
        let names: Vec<_> = run.exchanges.keys().cloned().collect();
        for name in names {
            run.nothing_left(&name).map_err(|why| format!("after the last step, exchange {name}: {why}"))?;
        }
        Ok(())
    }
}

struct Run<A: Adapter> {
    /// Dropped first: the adapter may wait for them.
    exchanges: BTreeMap<String, (A::Exchange, Got)>,
    adapter: A,
    host: Host,
    kept: Kept,
}

impl<A: Adapter> Run<A> {
    fn act(&mut self, step: &Value) -> Result<(), String> {
        let on = step["on"].as_str().unwrap_or("a");
        if step.get("send").is_some() {
            self.send(on, step)
        } else if let Some(expected) = step.get("response") {
            self.response(on, expected)
        } else if let Some(expected) = step["events"].as_array() {
            self.events(on, expected, step["end"] == true)
        } else if let Some(name) = step["waiting"].as_str() {
            self.settle()?;
            let (_, got) = self.exchange(name)?;
            same("a head has come", &false, &got.head.is_some())
        } else if let Some(name) = step["drop"].as_str() {
            self.exchanges.remove(name).map(drop).ok_or_else(|| format!("there is no exchange {name}"))
        } else if let Some(version) = step["session"].as_str() {
            self.session(version, step)
        } else if let Some(ms) = step["advance"].as_u64() {
            self.adapter.advance(ms);
            Ok(())
        } else {
            let until = Instant::now() + PATIENCE;
            while A::WAITS && !self.host.is_ready_for(step) && Instant::now() < until {
                std::thread::yield_now();
            }
            match step["held"].as_str() {
                Some(_) => same("held", &true, &self.host.is_ready_for(step)),
                None => self.host.act(step),
            }
        }
    }

    /// Takes everything that there is by now.
    fn settle(&mut self) -> Result<(), String> {
        loop {
            let mut any = self.adapter.poll();
            for (exchange, got) in self.exchanges.values_mut() {
                any |= self.adapter.receive(exchange, got, false)?;
            }
            if A::WAITS || !any {
                return Ok(());
            }
        }
    }

    fn exchange(&mut self, name: &str) -> Result<&mut (A::Exchange, Got), String> {
        self.exchanges.get_mut(name).ok_or_else(|| format!("there is no exchange {name}"))
    }

    /// Goes on until enough has come, or nothing does any more.
    fn until(&mut self, name: &str, enough: impl Fn(&Got) -> bool) -> Result<&mut Got, String> {
        self.settle()?;
        let (exchange, got) =
            self.exchanges.get_mut(name).ok_or_else(|| format!("there is no exchange {name}"))?;
        while !enough(got) && self.adapter.receive(exchange, got, true)? {}
        Ok(got)
    }

    fn send(&mut self, on: &str, step: &Value) -> Result<(), String> {
        if self.exchanges.get(on).is_some_and(|(_, got)| !got.done || !got.body.is_empty()) {
            return Err(format!("the exchange {on} is not over"));
        }
        let request = self.request(step)?;
        let until = Instant::now() + PATIENCE;
        loop {
            let exchange = self.adapter.send(&request);
            self.exchanges.insert(on.to_owned(), (exchange, Got::default()));
            let Some(expected) = step.get("response") else { return Ok(()) };
            let got = self.until(on, |got| got.head.is_some())?;
            let status = got.head.as_ref().map(|head| head.status);
            let early = status == Some(503) && status.map(Value::from).as_ref() != expected.get("status");
            if !(A::WAITS && early && Instant::now() < until) {
                return self.response(on, expected);
            }
            std::thread::yield_now();
        }
    }

    fn request(&self, step: &Value) -> Result<Request, String> {
        let method = text_of(&step["send"]);
        let mut headers: Vec<(String, Vec<u8>)> = vec![("Host".to_owned(), b"localhost".to_vec())];
        if method == "POST" {
            headers.push(("Content-Type".to_owned(), b"application/json".to_vec()));
            headers.push(("Accept".to_owned(), b"application/json, text/event-stream".to_vec()));
        }
        let (body, piece) = match step.get("body") {
            None => (None, 1),
            Some(body) if body.get("repeat").is_some() => {
                let times = body["times"].as_u64().ok_or("repeat lacks times")?;
                (
                    Some(text_of(&body["repeat"]).repeat(usize::try_from(times).expect("fits")).into_bytes()),
                    4096,
                )
            }
            Some(body) if body.get("base64").is_some() => (Some(bytes(&body["base64"])), 1),
            Some(body) => (Some(message::sent(body, &self.kept)?.into_bytes()), 1),
        };
        let unfinished = step["unfinished"] == true;
        if let (Some(body), false) = (&body, unfinished) {
            headers.push(("Content-Length".to_owned(), body.len().to_string().into_bytes()));
        }
        for (name, value) in step["headers"].as_object().into_iter().flatten() {
            headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for value in values.iter().filter(|value| !value.is_null()) {
                headers.push((name.clone(), latin1(&message::sent(value, &self.kept)?)?));
            }
        }
        let target = step["path"].as_str().unwrap_or("/mcp").to_owned();
        Ok(Request { method, target, headers, body, piece, unfinished })
    }

    fn response(&mut self, on: &str, expected: &Value) -> Result<(), String> {
        // What has another status than it should may be a stream that never ends.
        let status = expected["status"].as_u64();
        let whole = expected.get("events").is_none();
        let got = self.until(on, |got| {
            got.head.as_ref().is_some_and(|head| !whole || got.done || status != Some(u64::from(head.status)))
        })?;
        let head = got.head.take().ok_or("no head has come")?;
        let json = expected.get("json");
        let body = if whole { std::mem::take(&mut got.body) } else { Vec::new() };
        let (done, shown) = (got.done, String::from_utf8_lossy(&body).into_owned());
        let status = u64::from(head.status);
        if expected["status"].as_u64() != Some(status) {
            return Err(format!("expected status {}, got {status}: {shown}", expected["status"]));
        }
        let mut fields: Vec<(&str, Value)> = Vec::new();
        match (json, whole) {
            (Some(_), _) => fields.push(("content-type", "application/json".into())),
            (None, true) => fields.push(("content-type", Value::Null)),
            (None, false) => fields.extend([
                ("content-type", "text/event-stream".into()),
                ("cache-control", "no-cache, no-transform".into()),
                ("x-accel-buffering", "no".into()),
            ]),
        }
        let further = expected["headers"].as_object().into_iter().flatten();
        fields.extend(further.map(|(name, value)| (name.as_str(), value.clone())));
        for (name, value) in fields {
            match (value.as_str(), head.header(name)) {
                (None, None) => {}
                (Some(expected), Some(got)) if fits(expected, got, &mut self.kept) => {}
                (_, got) => return Err(format!("{name}: expected {value}, got {got:?}")),
            }
        }
        if !whole {
            let events = expected["events"].as_array().ok_or("events are a list")?;
            return self.events(on, events, expected["end"] == true);
        }
        if !done {
            return Err(format!("the response is not over: {shown}"));
        }
        let length = head.header("content-length").map(str::to_owned);
        if length.is_some_and(|length| length != body.len().to_string()) {
            return Err(format!("content-length is not the length of the body: {shown}"));
        }
        match json {
            Some(message) if message::matches(message, &shown, &mut self.kept) => Ok(()),
            None if shown.is_empty() => Ok(()),
            _ => {
                let expected = json.map(message::shown);
                Err(format!("expected{}\n  got{}", listed(expected.as_slice()), listed(&[shown])))
            }
        }
    }

    fn events(&mut self, on: &str, expected: &[Value], end: bool) -> Result<(), String> {
        for expected in expected {
            let event = self.event(on)?;
            let shown = event.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
            if !event.is_some_and(|event| is_event(expected, &event, &mut self.kept)) {
                return Err(format!(
                    "expected an event{}\n  got{}",
                    listed(&[expected.to_string()]),
                    listed(&[shown])
                ));
            }
        }
        if end {
            let got = self.until(on, |got| got.done)?;
            same("the response is over", &true, &got.done)?;
        }
        self.nothing_left(on)?;
        same("the response is over", &end, &self.exchange(on)?.1.done)
    }

    /// The next event of a stream; comments are passed over where the clock is not the script's.
    fn event(&mut self, on: &str) -> Result<Option<stream::Event>, String> {
        loop {
            let got = self.until(on, |got| got.body.windows(2).any(|two| two == b"\n\n"))?;
            match stream::take(&mut got.body)? {
                Some(event) if event.comment && A::WAITS => {}
                event => return Ok(event),
            }
        }
    }

    /// Checks that nothing has come that no step asked for.
    fn nothing_left(&mut self, on: &str) -> Result<(), String> {
        self.settle()?;
        let (_, got) = self.exchange(on)?;
        if got.head.is_some() || !got.body.is_empty() {
            let body = String::from_utf8_lossy(&got.body).into_owned();
            return Err(format!("something has come that no step asked for:{}", listed(&[body])));
        }
        Ok(())
    }

    fn session(&mut self, version: &str, step: &Value) -> Result<(), String> {
        let name = step["as"].as_str().unwrap_or("session");
        let none = json!({});
        let capabilities = step.get("capabilities").unwrap_or(&none);
        let initialize = json!({"send": "POST", "body": {"jsonrpc": "2.0", "id": "handshake", "method": "initialize", "params":
            {"protocolVersion": version, "capabilities": capabilities, "clientInfo": {"name": "c", "version": "1"}}}});
        let on = "handshake";
        self.send(on, &initialize)?;
        let got = self.until(on, |got| got.done)?;
        let head = got.head.take().ok_or("no head has come")?;
        let body = String::from_utf8_lossy(&std::mem::take(&mut got.body)).into_owned();
        same("status", &200, &head.status)?;
        let begin = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"handshake\",\"result\":{{\"protocolVersion\":\"{version}\","
        );
        if !body.starts_with(&begin) {
            return Err(format!("expected a body beginning with\n    {begin}\n  got{}", listed(&[body])));
        }
        let id = head.header("mcp-session-id").ok_or("the handshake began no session")?;
        self.kept.insert(name.to_owned(), id.to_owned());
        let initialized = json!({"send": "POST", "headers": {"Mcp-Session-Id": id},
            "body": {"jsonrpc": "2.0", "method": "notifications/initialized"}, "response": {"status": 202}});
        self.send(on, &initialized)
    }
}

fn is_event(expected: &Value, event: &stream::Event, kept: &mut Kept) -> bool {
    if expected["comment"] == true {
        return *event == stream::Event { comment: true, ..stream::Event::default() };
    }
    let field = |name: &str, value: &Option<String>, kept: &mut Kept| match (expected[name].as_str(), value) {
        (Some(expected), Some(value)) => fits(expected, value, kept),
        (expected, value) => expected.is_none() && value.is_none(),
    };
    let retry = expected["retry"].as_u64().map(|ms| ms.to_string());
    let data = match (expected.get("data"), event.data.as_deref()) {
        (Some(expected), Some(data)) => message::matches(expected, data, kept),
        (expected, data) => expected.is_none() && data.is_none(),
    };
    data && !event.comment && retry == event.retry && field("id", &event.id, kept)
}

/// Returns whether a value is the expected one, which may end with `@{*}` or `@{name}`.
fn fits(expected: &str, value: &str, kept: &mut Kept) -> bool {
    let Some((before, name)) = expected.strip_suffix('}').and_then(|e| e.split_once("@{")) else {
        return expected == value;
    };
    let Some(rest) = value.strip_prefix(before).filter(|rest| !rest.is_empty()) else { return false };
    name == "*" || kept.entry(name.to_owned()).or_insert_with(|| rest.to_owned()) == rest
}

fn latin1(text: &str) -> Result<Vec<u8>, String> {
    let bytes = text.chars().map(|c| u8::try_from(u32::from(c)));
    bytes.collect::<Result<_, _>>().map_err(|_| format!("{text:?} is not Latin-1"))
}
