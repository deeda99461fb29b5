//! The messages between an in-memory client and its server.

use crate::access::Caller;
use crate::connection::{Connection, DrainStart};
use crate::encode::quote_into;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::group::Group;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, RpcError, for_each_member, is_object, members, string, strings};
use crate::model::{Json, MethodAnswer, MethodError};
use crate::protocol::{CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION, Route};
use crate::revision::{Era, Revision};
use crate::server::Server;
use crate::sync::Monitor;
use crate::wire::SUBSCRIPTION_ID;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The greatest time that the client waits for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The function that answers requests of the server. It gets the method and the params.
pub(super) type OnRequest = dyn FnMut(&str, &str) -> MethodAnswer + Send;

/// One client's side of a connection, on the calling thread.
pub(super) struct Conversation {
    connection: Connection,
    group: Group,
    bell: Arc<WakeFlag>,
    started: Instant,
    /// The `_meta` members with which each request describes the client, in the stateless era; otherwise `None`.
    meta: Option<Vec<(&'static str, String)>>,
    on_request: Box<OnRequest>,
    last_id: u64,
    answers: BTreeMap<u64, Result<String>>,
    /// The URIs that the server acknowledged on each open listen stream, by the stream's id.
    acknowledged: BTreeMap<u64, Vec<String>>,
    pub(super) updates: VecDeque<String>,
    pub(super) lists: usize,
}

struct WakeFlag(Monitor<bool>);

impl WakeFlag {
    fn ring(&self) {
        self.0.with(|rung, _| *rung = true);
        self.0.notify_one();
    }

    /// Waits for a wake. Returns false if `patience` ends first.
    fn wait(&self, patience: Duration) -> bool {
        self.0.wait(Some(patience), |rung| std::mem::take(rung).then_some(())).is_some()
    }
}

impl Conversation {
    pub(super) fn begin(
        server: &Server,
        revision: Revision,
        capabilities: &Json,
        caller: Caller,
        on_request: Box<OnRequest>,
    ) -> Result<Conversation> {
        let bell = Arc::new(WakeFlag(Monitor::new(false)));
        let ringing = bell.clone();
        let group = server.group(move || ringing.ring());
        let client = "{\"name\":\"test\",\"version\":\"1\"}";
        let capabilities = capabilities.as_str();
        let meta = (revision.era == Era::Stateless).then(|| {
            vec![
                (PROTOCOL_VERSION, format!("\"{revision}\"")),
                (CLIENT_CAPABILITIES, capabilities.to_owned()),
                (CLIENT_INFO, client.to_owned()),
            ]
        });
        let mut conversation = Conversation {
            connection: group.connect(caller),
            group,
            bell,
            started: Instant::now(),
            meta,
            on_request,
            last_id: 0,
            answers: BTreeMap::new(),
            acknowledged: BTreeMap::new(),
            updates: VecDeque::new(),
            lists: 0,
        };
        if revision.era == Era::Handshake {
            let params = format!(
                "{{\"protocolVersion\":\"{revision}\",\"capabilities\":{capabilities},\"clientInfo\":{client}}}"
            );
            conversation.request("initialize", &params)?;
            conversation.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")?;
        } else {
            conversation.listen("{\"resourcesListChanged\":true}")?;
        }
        Ok(conversation)
    }

    pub(super) fn is_stateless(&self) -> bool {
        self.meta.is_some()
    }

    /// Sends a request and waits for its result.
    pub(super) fn request(&mut self, method: &str, params: &str) -> Result<String> {
        let id = self.send_request(method, params)?;
        self.wait_for("an answer", |it| it.answers.remove(&id))?
    }

    /// Opens a listen stream. Returns its id and the URIs that the server acknowledged.
    pub(super) fn listen(&mut self, filter: &str) -> Result<(u64, Vec<String>)> {
        let id = self.send_request("subscriptions/listen", &format!("{{\"notifications\":{filter}}}"))?;
        self.wait_for("an acknowledgement", |it| match it.answers.remove(&id) {
            Some(Err(refused)) => Some(Err(refused)),
            _ => it.acknowledged.remove(&id).map(|uris| Ok((id, uris))),
        })?
    }

    /// Cancels a request that is not answered yet.
    pub(super) fn cancel(&mut self, id: u64) -> Result<()> {
        let params = format!("{{\"requestId\":{id}}}");
        let method = "notifications/cancelled";
        self.send(&format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}"))?;
        self.answers.remove(&id);
        Ok(())
    }

    /// Waits until `look` returns something, and returns that.
    pub(super) fn wait_for<R>(
        &mut self,
        what: &str,
        mut look: impl FnMut(&mut Self) -> Option<R>,
    ) -> Result<R> {
        let until = self.now() + PATIENCE.as_millis() as u64;
        loop {
            self.pump()?;
            if let Some(found) = look(self) {
                return Ok(found);
            }
            if self.connection.is_closed() {
                let message = format!("the connection was closed before {what} came");
                return Err(Error::new(ErrorKind::Closed, message));
            }
            let now = self.now();
            if now >= until {
                let seconds = PATIENCE.as_secs();
                return Err(Error::new(ErrorKind::Limit, format!("{what} did not come within {seconds} s")));
            }
            let next = self.connection.poll_timeout().map_or(until, |due| due.clamp(now + 1, until));
            self.bell.wait(Duration::from_millis(next - now));
        }
    }

    /// Runs the callbacks that are due and handles the messages that have come.
    pub(super) fn pump(&mut self) -> Result<()> {
        loop {
            while self.group.next().is_some() {} // an idle group calls `wake` again
            self.connection.tick(self.now());
            while let Some(event) = self.connection.poll_event() {
                self.connection.run(|| Event::run(event));
            }
            let text = self.take_output()?;
            if text.is_empty() {
                return Ok(());
            }
            for line in text.lines() {
                self.message(line)?;
            }
        }
    }

    pub(super) fn close(&mut self) {
        self.connection.close();
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    fn take_output(&self) -> Result<String> {
        let mut bytes = Vec::new();
        if let DrainStart::Ready(mut drain) = self.connection.drain(Route::Connection) {
            while let Some(transmit) = drain.poll_transmit(usize::MAX) {
                let length = transmit.bytes.len();
                bytes.extend_from_slice(transmit.bytes);
                drain.wrote(length);
            }
        }
        String::from_utf8(bytes).map_err(|_| odd("a message that is not text"))
    }

    fn send_request(&mut self, method: &str, params: &str) -> Result<u64> {
        let given = Json::parse(params)?;
        self.last_id += 1;
        let id = self.last_id;
        let mut message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":").into_bytes();
        quote_into(method, &mut message);
        message.extend_from_slice(b",\"params\":");
        match &self.meta {
            Some(meta) => write_params(&mut message, &given, meta),
            None => message.extend_from_slice(given.as_str().as_bytes()),
        }
        message.push(b'}');
        self.send(&text(message))?;
        Ok(id)
    }

    fn send(&mut self, message: &str) -> Result<()> {
        let line = format!("{message}\n");
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            if self.connection.is_closed() {
                return Err(Error::new(ErrorKind::Closed, "the connection is closed; make another client"));
            }
            let accepted = self.connection.receive(rest);
            rest = &rest[accepted..];
            if !rest.is_empty() {
                self.pump()?;
                if accepted == 0 {
                    self.bell.wait(PATIENCE);
                }
            }
        }
        Ok(())
    }

    /// Handles one message of the server.
    fn message(&mut self, line: &str) -> Result<()> {
        let message = raw(line)?;
        let [method, id, params] = pick(message, &["method", "id", "params"])?;
        let Some(method) = method.and_then(string) else { return self.response(id, message) };
        match id {
            Some(id) => self.answer(id, &method, params),
            None => self.notification(&method, params),
        }
    }

    fn response(&mut self, id: Option<Raw<'_>>, message: Raw<'_>) -> Result<()> {
        let [result, error] = pick(message, &["result", "error"])?;
        let Some(id) = number(id) else {
            // The server could not read a request, such as one beyond a limit.
            return Err(match error {
                Some(error) => refused(error)?,
                None => odd("an answer without the id of a request"),
            });
        };
        let answer = match (result, error) {
            (Some(result), None) => Ok(result.get().to_owned()),
            (_, Some(error)) => Err(refused(error)?),
            (None, None) => Err(odd("neither a result nor an error")),
        };
        self.answers.insert(id, answer);
        Ok(())
    }

    /// Answers a request of the server.
    fn answer(&mut self, id: Raw<'_>, method: &str, params: Option<Raw<'_>>) -> Result<()> {
        let id = id.get();
        let answer = match self.answer_of(method, params.map_or("{}", Raw::get)) {
            Ok(result) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}}}", result.as_str()),
            Err(error) => {
                let mut message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":").into_bytes();
                let mut object = Object::begin(&mut message);
                object.raw("code", error.rpc_code().to_string()).string("message", error.message());
                if let Some(data) = &error.data {
                    object.raw("data", data.as_str());
                }
                object.end();
                message.push(b'}');
                text(message)
            }
        };
        self.send(&answer)
    }

    /// Returns the client's answer to a request of the server.
    pub(super) fn answer_of(&mut self, method: &str, params: &str) -> Result<Json, MethodError> {
        match (self.on_request)(method, params) {
            MethodAnswer::Result(result) => Ok(result),
            MethodAnswer::Error(error) => Err(error),
            MethodAnswer::ToolError(error) => {
                Err(MethodError::new(RpcError::internal().code, error.message()))
            }
            MethodAnswer::Failed(why) | MethodAnswer::Thrown { text: why, .. } => {
                Err(MethodError::new(RpcError::internal().code, why))
            }
            MethodAnswer::InputRequired(_) | MethodAnswer::MissingCapability(_) | MethodAnswer::Waiting => {
                Err(MethodError::new(RpcError::internal().code, "a client cannot answer so"))
            }
        }
    }

    fn notification(&mut self, method: &str, params: Option<Raw<'_>>) -> Result<()> {
        let [uri, meta, filter] = match params {
            Some(params) => pick(params, &["uri", "_meta", "notifications"])?,
            None => [None; 3],
        };
        match method {
            "notifications/resources/updated" => self.updates.extend(uri.and_then(string).map(Into::into)),
            "notifications/resources/list_changed" => self.lists += 1,
            "notifications/subscriptions/acknowledged" => {
                let [id] =
                    pick(meta.ok_or_else(|| odd("an acknowledgement of nothing"))?, &[SUBSCRIPTION_ID])?;
                let id = number(id).ok_or_else(|| odd("an acknowledgement of nothing"))?;
                let filter = filter.ok_or_else(|| odd("an acknowledgement of nothing"))?;
                let [uris] = pick(filter, &["resourceSubscriptions"])?;
                let uris = uris.and_then(strings).unwrap_or_default();
                self.acknowledged.insert(id, uris.into_iter().map(Into::into).collect());
            }
            _ => {}
        }
        Ok(())
    }
}

/// Adds the members that describe the client to the params that lack them.
fn write_params(out: &mut Vec<u8>, given: &Json, meta: &[(&'static str, String)]) {
    let mut own = None;
    let mut params = Object::begin(out);
    for_each_member(given.raw(), |name, value| match name {
        "_meta" => own = Some(value),
        _ => params.any_member(name).extend_from_slice(value.get().as_bytes()),
    });
    match own {
        Some(own) if !is_object(own) => {
            params.raw("_meta", own.get());
        }
        _ => {
            let mut members = Object::begin(params.member("_meta"));
            let mut said = Vec::new();
            for_each_member(own.unwrap_or(Raw::kept("{}")), |name, value| {
                members.any_member(name).extend_from_slice(value.get().as_bytes());
                said.push(name.to_owned());
            });
            for (name, value) in meta.iter().filter(|(name, _)| !said.iter().any(|said| said == name)) {
                members.raw(name, value);
            }
            members.end();
        }
    }
    params.end();
}

/// Returns the error with which the server answered.
fn refused(error: Raw<'_>) -> Result<Error> {
    let [code, message, data] = pick(error, &["code", "message", "data"])?;
    let code = code.and_then(|code| code.get().parse().ok()).ok_or_else(|| odd("an error without a code"))?;
    let message = message.and_then(string).unwrap_or_default();
    let shown = format!("the server answered {code}: {message}");
    let mut error = MethodError::new(code, message);
    error.data = data.filter(|data| is_object(*data)).map(Json::received);
    Ok(Error::new(ErrorKind::Response, shown).because(error))
}

fn number(id: Option<Raw<'_>>) -> Option<u64> {
    id?.get().parse().ok()
}

fn text(message: Vec<u8>) -> String {
    String::from_utf8(message).expect("escaped text stays text")
}

pub(super) fn odd(what: &str) -> Error {
    Error::new(ErrorKind::Panic, format!("the server sent {what}; this is a bug of ours"))
}

pub(super) fn raw(text: &str) -> Result<Raw<'_>> {
    Raw::check(text).ok_or_else(|| odd("a message that is not JSON"))
}

pub(super) fn pick<'a, const N: usize>(object: Raw<'a>, names: &[&str; N]) -> Result<[Option<Raw<'a>>; N]> {
    if !is_object(object) {
        return Err(odd("something that is not an object"));
    }
    members(object, names).map_err(|e| odd(&e.to_string()))
}
