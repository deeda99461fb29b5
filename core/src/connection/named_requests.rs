//! Requests that a callback makes to the client by names. The callback waits for the answers, and runs again with them.
//!
//! In the handshake era they are requests of the server. In the stateless era the answer to the call says which answers
//! are needed, and its sealed `requestState` carries those so far. Source: MCP 2026-07-28, "Multi Round-Trip Requests".

use super::ConnectionState;
use crate::encode::quote_into;
use crate::error::{Error, ErrorKind};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, canonical, for_each_member, is_object, members, string};
use crate::model::{Answer, ClientAnswer, ClientRequestError, Json, MethodAnswer, MethodError};
use crate::protocol::{
    CLIENT_MS, CallId, Context, ForgedState, NamedAnswer, NamedRequests, NotAnswered, NotSent, ROUNDS,
    WaitingCall, WaitingCallback,
};
use crate::revision::Era;
use crate::schema::{check_elicitation, check_elicited};
use std::sync::Arc;

const ELICIT: &str = "elicitation/create";
/// The greatest number of bytes of a sealed `requestState`.
const STATE_BYTES: usize = 64 << 10;

impl ConnectionState {
    pub(crate) fn require_input(
        self: &Arc<Self>,
        call: CallId,
        context: &Context,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> Result<Json, ClientRequestError> {
        if let Some(callback) = self.machine.with(|m, _| m.unread_answers(call)) {
            let now = self.unix_ms();
            let read = self.read_answers(context, &callback, now);
            self.machine.with(|m, _| m.set_read_answers(call, read.ok_or(ForgedState)));
        }
        let elicits = params.filter(|_| method == ELICIT).map(Json::raw);
        let why = match self.machine.with(|m, _| m.queue_named_request(call, name, method, params)) {
            Ok(NamedAnswer::Arrived(ClientAnswer::Result(result))) => {
                let wrong = |why: &str| {
                    ClientRequestError::InvalidAnswer(format!("the client's answer to \"{name}\"{why}"))
                };
                let result = Json::parse(result).map_err(|_| wrong(" is no object"))?;
                if let Some(Err(why)) = elicits.map(|params| check_elicited(params, result.raw())) {
                    return Err(wrong(&why));
                }
                return Ok(result);
            }
            Ok(NamedAnswer::Arrived(ClientAnswer::Error(error))) => {
                return Err(ClientRequestError::Refused(refused(&error)));
            }
            Ok(NamedAnswer::Arrived(ClientAnswer::GivenUp)) => NotAnswered::NotSent(NotSent::Over),
            Ok(NamedAnswer::Awaited) => {
                let valid = elicits.map(|params| check_elicitation(params, context.revision.elicitation));
                if let Some(Err(wrong)) = valid {
                    self.polled_step(|m, _| m.drop_named_request(call, name));
                    return Err(invalid(format!("\"{name}\" {wrong}")));
                }
                return Err(ClientRequestError::Waiting);
            }
            Err(why) => why,
        };
        Err(match why {
            NotAnswered::Forged => ClientRequestError::InvalidState,
            NotAnswered::OtherName => invalid(format!(
                "\"{name}\" names another request of this callback; give each a name of its own"
            )),
            NotAnswered::CannotWait => invalid(
                "in this revision only tools, prompts and reads wait for their client; ask in one of them"
                    .to_owned(),
            ),
            NotAnswered::NotSent(NotSent::Lacks(needed)) => match Json::parse(needed) {
                Ok(needed) => ClientRequestError::MissingCapability(needed),
                Err(why) => ClientRequestError::Failed(why),
            },
            NotAnswered::NotSent(why) => {
                ClientRequestError::Failed(super::method_calls::not_sent(method, why))
            }
        })
    }

    /// Sends the requests of a callback to the client, or answers the call with them. Returns false if the call is
    /// over.
    pub(super) fn wait_for_client(self: &Arc<Self>, call: CallId) -> bool {
        let Some(waiting) = self.machine.with(|m, _| m.take_named_requests(call)) else {
            self.step(|m, _| m.finish_unwanted(call));
            return false;
        };
        let WaitingCall { callback, era, context, named } = waiting;
        let failed = |why: &str| match callback {
            WaitingCallback::Read { .. } => self.finish_read(call, Answer::Failed(why.to_owned())),
            WaitingCallback::Method { .. } => self.finish_method(call, MethodAnswer::failed(why)),
        };
        if named.pending.is_empty() {
            return failed("it waits for its client, and asked it nothing by require_input");
        }
        if named.rounds >= ROUNDS {
            return failed("it asked its client in more than 16 rounds");
        }
        if era == Era::Handshake {
            let sent = self.step(|m, trash| m.finish_waiting(call, named, trash));
            self.wake();
            return sent;
        }
        let now = self.unix_ms();
        let state = self.sealer().seal_state(
            context.caller.id(),
            &purpose(&callback),
            &state(&named),
            now.saturating_add(CLIENT_MS),
        );
        if state.len() > STATE_BYTES {
            return failed("the answers of its client have more than 64 KiB");
        }
        let needed = needed(&named, &state);
        match callback {
            WaitingCallback::Read { .. } => self.finish_read(call, Answer::InputRequired(needed)),
            WaitingCallback::Method { .. } => self.finish_method(call, MethodAnswer::InputRequired(needed)),
        }
    }

    /// Reads the answers in a client's request: new ones, and earlier ones from its `requestState`. Returns `None` if
    /// the server did not give the client this state, or if it has expired.
    fn read_answers(&self, context: &Context, callback: &WaitingCallback, now: u64) -> Option<NamedRequests> {
        let (state, responses) = callback.input(context)?;
        let Some(state) = state else { return Some(NamedRequests::default()) };
        let opened = self.sealer().open_state(context.caller.id(), &purpose(callback), &state, now)?;
        let opened = Json::parse(opened).ok()?;
        let [rounds, pending, answers] = members(opened.raw(), &["rounds", "asked", "answers"]).ok()?;
        let mut read = NamedRequests { rounds: rounds?.get().parse().ok()?, ..NamedRequests::default() };
        for_each_member(answers?, |name, answer| {
            if let Ok([Some(method), Some(result)]) = members(answer, &["method", "result"])
                && let Some(method) = string(method)
            {
                let answer = ClientAnswer::Result(result.get().to_owned());
                read.answers.insert(name.to_owned(), (method.into(), answer));
            }
        });
        for_each_member(pending?, |name, method| {
            let given = responses.and_then(|responses| member(responses, name));
            if let (Some(given), Some(method)) = (given.filter(|given| is_object(*given)), string(method)) {
                let answer = ClientAnswer::Result(given.get().to_owned());
                read.answers.insert(name.to_owned(), (method.into(), answer));
            }
        });
        Some(read)
    }
}

/// Returns the member of this name, which need not be a fixed name; `None` if it is absent.
fn member<'a>(of: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    members(of, &[name]).ok()?[0]
}

/// Returns the purpose that a state is sealed for: another try of the same call with the same arguments. A client may
/// write them in another way when it tries again.
fn purpose(callback: &WaitingCallback) -> String {
    let (of, arguments) = match callback {
        WaitingCallback::Read { uri, .. } => (&**uri, Vec::new()),
        WaitingCallback::Method { handler, params } => {
            let arguments = canonical(super::method_calls::arguments(params));
            (handler.item.as_deref().unwrap_or_default(), arguments)
        }
    };
    let arguments = String::from_utf8(arguments).expect("text in another order stays text");
    format!("require_input of {} {of}\n{arguments}", callback.method())
}

/// Writes the state of a call, before it is sealed.
fn state(named: &NamedRequests) -> String {
    let mut out = Vec::new();
    let mut object = Object::begin(&mut out);
    object.raw("rounds", (named.rounds + 1).to_string());
    let mut pending = Object::begin(object.member("asked"));
    for request in &named.pending {
        quote_into(&request.method, pending.any_member(&request.name));
    }
    pending.end();
    let mut answers = Object::begin(object.member("answers"));
    for (name, (method, answer)) in &named.answers {
        let ClientAnswer::Result(result) = answer else { continue };
        let mut one = Object::begin(answers.any_member(name));
        one.string("method", method).raw("result", result);
        one.end();
    }
    answers.end();
    object.end();
    String::from_utf8(out).expect("escaped text stays text")
}

/// Makes the result that tells the client which answers are needed.
fn needed(named: &NamedRequests, state: &str) -> Json {
    let mut out = Vec::new();
    let mut object = Object::begin(&mut out);
    let mut requests = Object::begin(object.member("inputRequests"));
    for request in &named.pending {
        let mut one = Object::begin(requests.any_member(&request.name));
        one.string("method", &request.method);
        if let Some(params) = &request.params {
            one.raw("params", params.as_str());
        }
        one.end();
    }
    requests.end();
    object.string("requestState", state);
    object.end();
    Json::written(out)
}

/// Makes the callback's error of an error with which the client answered.
fn refused(error: &str) -> MethodError {
    let error = Raw::kept(error);
    let [code, message, data] = members(error, &["code", "message", "data"]).unwrap_or([None; 3]);
    let code = code.and_then(|code| code.get().parse().ok()).unwrap_or_default();
    let refused = MethodError::new(code, message.and_then(string).unwrap_or_default());
    match data.filter(|data| is_object(*data)) {
        Some(data) => refused.data(Json::received(data)),
        None => refused,
    }
}

fn invalid(message: String) -> ClientRequestError {
    ClientRequestError::Failed(Error::new(ErrorKind::InvalidArgument, message))
}
