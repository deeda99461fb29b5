//! Requests to the client that a callback makes by a name. When the client has answered, the callback runs again from
//! its start, and then gets the answers.

use super::CallId;
use super::application_call::{ApplicationCall, RequestState};
use super::call_context::Context;
use super::client_requests::NotSent;
use super::input_required::Need;
use super::machine::Machine;
use crate::catalog::{Handler, MethodHandler};
use crate::jsonrpc::{Raw, members, string};
use crate::model::{ClientAnswer, Json};
use crate::revision::{self, Era};
use crate::sync::Trash;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The greatest number of times that a callback may wait for its client in one call.
pub(crate) const ROUNDS: u32 = 16;

/// The time that a client has to answer requests of the server, in milliseconds.
pub(crate) const CLIENT_MS: u64 = 600_000;

/// The named requests of one call, of all runs of its callback.
#[derive(Default)]
pub(crate) struct NamedRequests {
    /// For each name the method of the request, and the client's answer.
    pub(crate) answers: BTreeMap<String, (String, ClientAnswer)>,
    /// The requests of the current run that the client has not answered.
    pub(crate) pending: Vec<NamedRequest>,
    /// The requests of the current run that the client had answered before. A later run may send other parameters, such as a
    /// count in a message, but one run may not use a name twice.
    pub(crate) answered: Vec<NamedRequest>,
    pub(crate) rounds: u32,
    /// True if the answers in the client's own request were read.
    pub(crate) read: bool,
    /// True if the `requestState` that the client sent is not one that the server gave it.
    pub(crate) forged: bool,
}

/// The error for a client that sent a `requestState` which the server did not give it, or which has expired.
pub(crate) struct ForgedState;

#[derive(Clone)]
pub(crate) struct NamedRequest {
    pub(crate) name: String,
    pub(crate) method: String,
    pub(crate) params: Option<Json>,
}

impl NamedRequest {
    fn is_the_same(&self, other: &NamedRequest) -> bool {
        let [params, others] = [self, other].map(|request| request.params.as_ref().map(Json::as_str));
        self.method == other.method && params == others
    }
}

/// The answer to a named request of a callback, if the client has sent it.
pub(crate) enum NamedAnswer {
    Arrived(ClientAnswer),
    /// The client has not answered yet. The request is noted, and sent when the callback waits.
    Awaited,
}

/// The reason why a named request has no answer, and will get none.
pub(crate) enum NotAnswered {
    NotSent(NotSent),
    /// The callback used the name before, for a request with another method or other parameters.
    OtherName,
    /// The call is of a method for which this revision has no way to wait for the client.
    CannotWait,
    Forged,
}

/// A callback that may wait for its client, with the arguments of its call.
pub(crate) enum WaitingCallback {
    Read { uri: Arc<str>, handler: Arc<Handler> },
    Method { handler: Arc<MethodHandler>, params: Arc<Json> },
}

/// A call whose callback waits for the client's answers.
pub(crate) struct WaitingCall {
    pub(crate) callback: WaitingCallback,
    pub(crate) era: Era,
    pub(crate) context: Arc<Context>,
    pub(crate) named: NamedRequests,
}

impl Machine {
    /// Returns the callback of a call, if the client may have sent answers with its request that were not read yet.
    pub(crate) fn unread_answers(&mut self, call: CallId) -> Option<WaitingCallback> {
        let open = self.inflight.get(call)?;
        let callback = WaitingCallback::waiting_in(&open.state)?;
        let named = open.named.get_or_insert_default();
        let unread = open.context.revision.era == Era::Stateless && !std::mem::replace(&mut named.read, true);
        unread.then_some(callback)
    }

    /// Keeps the answers that came with the client's request, or notes that the client's `requestState` is forged.
    pub(crate) fn set_read_answers(&mut self, call: CallId, read: Result<NamedRequests, ForgedState>) {
        let Some(open) = self.inflight.get(call) else { return };
        let named = open.named.get_or_insert_default();
        match read {
            Ok(read) => (named.answers, named.rounds) = (read.answers, read.rounds),
            Err(ForgedState) => named.forged = true,
        }
    }

    /// Returns the client's answer to a named request. If there is none yet, it notes the request, and
    /// [`Machine::finish_waiting`] sends it.
    pub(crate) fn queue_named_request(
        &mut self,
        call: CallId,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> Result<NamedAnswer, NotAnswered> {
        let over = || NotAnswered::NotSent(NotSent::Over);
        let open = self.inflight.get(call).ok_or_else(over)?;
        let callback = WaitingCallback::waiting_in(&open.state).ok_or_else(over)?;
        let named = open.named.get_or_insert_default();
        if named.forged {
            return Err(NotAnswered::Forged);
        }
        let request = NamedRequest { name: name.into(), method: method.into(), params: params.cloned() };
        let made = named.pending.iter().chain(&named.answered).find(|made| made.name == name);
        if made.is_some_and(|made| !made.is_the_same(&request)) {
            return Err(NotAnswered::OtherName);
        }
        if let Some((of, answer)) = named.answers.get(name) {
            if of != method {
                return Err(NotAnswered::OtherName);
            }
            if made.is_none() {
                named.answered.push(request);
            }
            return Ok(NamedAnswer::Arrived(answer.clone()));
        }
        if made.is_some() {
            return Ok(NamedAnswer::Awaited);
        }
        let (route, context) = (open.route, open.context.clone());
        match context.revision.era {
            Era::Stateless if !revision::may_need_input(callback.method()) => {
                return Err(NotAnswered::CannotWait);
            }
            Era::Handshake if self.outbox.takes_answer_only(route) => {
                return Err(NotAnswered::NotSent(NotSent::Single));
            }
            Era::Handshake if self.outbox.unread(route) >= self.settings.limits.output_bytes => {
                return Err(NotAnswered::NotSent(NotSent::Full));
            }
            _ => {}
        }
        let need = Need::from_request(method, params.map(Json::raw))
            .map_err(|why| NotAnswered::NotSent(NotSent::NoFeature(why)))?;
        let client = self.client_capabilities(&context);
        if !need.is_met(client.as_ref().map(Json::raw), context.revision.elicitation) {
            let lacked = Need::as_capabilities(&BTreeSet::from([need]));
            return Err(NotAnswered::NotSent(NotSent::Lacks(lacked)));
        }
        let open = self.inflight.get(call).ok_or_else(over)?;
        open.named.get_or_insert_default().pending.push(request);
        Ok(NamedAnswer::Awaited)
    }

    /// Forgets a noted request, because it turned out to be invalid.
    pub(crate) fn drop_named_request(&mut self, call: CallId, name: &str) {
        if let Some(named) = self.inflight.get(call).and_then(|open| open.named.as_mut()) {
            named.pending.retain(|pending| pending.name != name);
        }
    }

    /// Takes the named requests of a call whose callback waits for them. Returns `None` if the request is over.
    pub(crate) fn take_named_requests(&mut self, call: CallId) -> Option<WaitingCall> {
        let open = self.inflight.get(call)?;
        let callback = WaitingCallback::waiting_in(&open.state)?;
        let context = open.context.clone();
        let era = context.revision.era;
        let named = open.named.as_deref_mut().map(std::mem::take).unwrap_or_default();
        Some(WaitingCall { callback, era, context, named })
    }

    /// Sends the named requests of a call to the client. The callback runs again once all are answered.
    pub(crate) fn finish_waiting(
        &mut self,
        call: CallId,
        mut named: NamedRequests,
        trash: &mut Trash,
    ) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        let next = match self.inflight.begin_next_call(call, state) {
            Ok(next) => next,
            Err(state) => {
                trash.put(state);
                return false;
            }
        };
        self.cancel_dropped_requests();
        let pending = std::mem::take(&mut named.pending);
        named.answered.clear();
        named.rounds += 1;
        let Some(open) = self.inflight.get(next) else { return false };
        let route = open.route;
        open.named = Some(Box::new(named));
        for NamedRequest { name, method, params } in pending {
            self.write_client_request(next, route, (&method, params.as_ref()), Some(name));
        }
        self.set_client_deadline(next);
        true
    }

    /// Keeps the client's answer to a named request. The callback runs again if no other request lacks an answer.
    pub(super) fn handle_named_answer(
        &mut self,
        call: CallId,
        name: String,
        method: String,
        answer: ClientAnswer,
    ) {
        let waits = self.client_requests_of(call);
        let Some(open) = self.inflight.get(call) else { return };
        open.named.get_or_insert_default().answers.insert(name, (method, answer));
        if waits {
            return;
        }
        let Some(callback) = WaitingCallback::waiting_in(&open.state) else { return };
        if let Ok(call) = self.inflight.begin_next_call(call, callback.state()) {
            self.queue_application_call(match callback {
                WaitingCallback::Read { uri, handler } => ApplicationCall::ReadAgain { call, uri, handler },
                WaitingCallback::Method { handler, params } => {
                    ApplicationCall::Method { call, handler, params }
                }
            });
        }
    }
}

impl WaitingCallback {
    fn waiting_in(state: &RequestState) -> Option<WaitingCallback> {
        match state {
            RequestState::Read { uri, handler } => {
                Some(WaitingCallback::Read { uri: uri.clone(), handler: handler.clone() })
            }
            RequestState::Method { handler, params } => {
                Some(WaitingCallback::Method { handler: handler.clone(), params: params.clone() })
            }
            _ => None,
        }
    }

    fn state(&self) -> RequestState {
        match self {
            WaitingCallback::Read { uri, handler } => {
                RequestState::Read { uri: uri.clone(), handler: handler.clone() }
            }
            WaitingCallback::Method { handler, params } => {
                RequestState::Method { handler: handler.clone(), params: params.clone() }
            }
        }
    }

    /// The method of the call. A tool that shows resources counts as `resources/read`.
    pub(crate) fn method(&self) -> &str {
        match self {
            WaitingCallback::Read { .. } => "resources/read",
            WaitingCallback::Method { handler, .. } => &handler.name,
        }
    }

    /// Returns the `requestState` and the `inputResponses` that the client sent, or `None` if the state is no text.
    pub(crate) fn input<'a>(
        &'a self,
        context: &'a Context,
    ) -> Option<(Option<Cow<'a, str>>, Option<Raw<'a>>)> {
        match self {
            WaitingCallback::Read { .. } => {
                let Some(input) = context.input() else { return Some((None, None)) };
                Some((input.state.as_deref().map(Cow::from), input.responses.as_ref().map(Json::raw)))
            }
            WaitingCallback::Method { params, .. } => {
                let [state, responses] = members(params.raw(), &["requestState", "inputResponses"]).ok()?;
                let state = match state {
                    Some(state) => Some(string(state)?),
                    None => None,
                };
                Some((state, responses))
            }
        }
    }
}
