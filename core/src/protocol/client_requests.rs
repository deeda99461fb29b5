//! Requests that the server sends to the client while it works on a call: sampling, elicitation, roots.

use super::CallId;
use super::application_call::{ApplicationCall, RequestState};
use super::input_required::Need;
use super::machine::Machine;
use super::outbox::{MessageKind, Route};
use crate::jsonrpc::write::{Object, notification, request};
use crate::jsonrpc::{Raw, RequestId};
use crate::model::{ClientAnswer, Json};
use crate::revision::Era;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The requests of the server that the client has not answered yet.
#[derive(Default)]
pub(super) struct ClientRequests {
    open: BTreeMap<RequestId, ClientRequest>,
    /// The numbers of the requests that each call has sent.
    by_call: BTreeMap<CallId, BTreeSet<u64>>,
    /// The number of the newest request. No number is used twice.
    last: u64,
}

struct ClientRequest {
    number: u64,
    call: CallId,
    route: Route,
    /// The name that the callback gave to the request, and the method. `Some` if the answer goes to the next run of the
    /// callback.
    named: Option<(String, String)>,
}

/// The reason why a request was not sent to the client.
pub(crate) enum NotSent {
    /// The call is answered, or its request was cancelled.
    Over,
    /// The client's revision has no requests of a server.
    Revision,
    /// The route takes nothing but the answer to the call.
    Single,
    /// The client does not read its output, and the limit of unread bytes is reached.
    Full,
    /// The method is not a feature of clients; says why.
    NoFeature(&'static str),
    /// The client did not declare these capabilities.
    Lacks(String),
}

impl Machine {
    /// Returns the number of the next request, for [`Machine::send_client_request`].
    pub(crate) fn take_request_number(&mut self) -> u64 {
        self.client_requests.last += 1;
        self.client_requests.last
    }

    /// Sends a request to the client, on the route of the call's answer. The client has [`CLIENT_MS`] to answer.
    /// The time that the call may take begins again after that.
    pub(crate) fn send_client_request(
        &mut self,
        call: CallId,
        number: u64,
        method: &str,
        params: Option<&Json>,
    ) -> Result<(), NotSent> {
        let open = self.inflight.get(call).ok_or(NotSent::Over)?;
        let (RequestState::Method { .. }, route, context) = (&open.state, open.route, open.context.clone())
        else {
            return Err(NotSent::Over);
        };
        if context.revision.era == Era::Stateless {
            return Err(NotSent::Revision);
        }
        if self.outbox.takes_answer_only(route) {
            return Err(NotSent::Single);
        }
        if self.outbox.unread(route) >= self.settings.limits.output_bytes {
            return Err(NotSent::Full);
        }
        let need = Need::from_request(method, params.map(Json::raw)).map_err(NotSent::NoFeature)?;
        let client = self.client_capabilities(&context);
        if !need.is_met(client.as_ref().map(Json::raw), context.revision.elicitation) {
            return Err(NotSent::Lacks(Need::as_capabilities(&BTreeSet::from([need]))));
        }
        self.write_request(number, (call, route), (method, params), None);
        self.set_client_deadline(call);
        Ok(())
    }

    /// Sends a request to the client. If it has a name, the next run of its callback gets the client's answer.
    pub(super) fn write_client_request(
        &mut self,
        call: CallId,
        route: Route,
        request: (&str, Option<&Json>),
        name: Option<String>,
    ) {
        let number = self.take_request_number();
        self.write_request(number, (call, route), request, name);
    }

    fn write_request(
        &mut self,
        number: u64,
        (call, route): (CallId, Route),
        (method, params): (&str, Option<&Json>),
        name: Option<String>,
    ) {
        let id = id_of(number);
        self.outbox
            .write(route, MessageKind::Message, |p| request(p.out, &id, method, params.map(Json::as_str)));
        let named = name.map(|name| (name, method.to_owned()));
        self.client_requests.add(id, ClientRequest { number, call, route, named });
    }

    /// Returns whether the client still has to answer requests of a call.
    pub(super) fn client_requests_of(&self, call: CallId) -> bool {
        self.client_requests.by_call.contains_key(&call)
    }

    /// Takes the client's response to a request of the server. An unknown id is ignored.
    pub(super) fn handle_response(&mut self, id: Option<&RequestId>, result: Result<Raw<'_>, Raw<'_>>) {
        let Some(ClientRequest { number, call, named, .. }) =
            id.and_then(|id| self.client_requests.remove(id))
        else {
            return;
        };
        if let Some((name, method)) = named {
            return self.handle_named_answer(call, name, method, ClientAnswer::received(result));
        }
        self.queue_application_call(ApplicationCall::Response {
            call,
            number,
            answer: ClientAnswer::received(result),
        });
        if !self.client_requests.by_call.contains_key(&call) {
            self.set_deadline(call);
        }
    }

    /// Withdraws a request, since the application does not want its response any more. Returns false if the client had
    /// answered already.
    pub(crate) fn cancel_client_request(&mut self, number: u64) -> bool {
        let Some(request) = self.client_requests.remove(&id_of(number)) else { return false };
        self.write_request_cancellation(&request);
        if !self.client_requests.by_call.contains_key(&request.call) {
            self.set_deadline(request.call);
        }
        true
    }

    /// Withdraws the requests whose calls are answered or cancelled.
    pub(crate) fn cancel_dropped_requests(&mut self) {
        while let Some(call) = self.inflight.take_dropped() {
            for number in self.client_requests.by_call.remove(&call).unwrap_or_default() {
                if let Some(request) = self.client_requests.open.remove(&id_of(number)) {
                    self.write_request_cancellation(&request);
                }
            }
        }
    }

    fn write_request_cancellation(&mut self, request: &ClientRequest) {
        self.outbox.write(request.route, MessageKind::Message, |p| {
            let params = |out: &mut Vec<u8>| {
                let mut params = Object::begin(out);
                params.raw("requestId", request.number.to_string());
                params.end();
            };
            notification(p.out, "notifications/cancelled", Some(params));
        });
        let ClientRequest { number, call, ref named, .. } = *request;
        if named.is_some() {
            return; // no callback waits for it
        }
        self.queue_application_call(ApplicationCall::Response {
            call,
            number,
            answer: ClientAnswer::GivenUp,
        });
    }

    /// Returns whether unread input fills the budget of the connection while the server waits for the client's
    /// response.
    pub(crate) fn is_flooded(&self) -> bool {
        self.has_client_requests() && self.is_starved()
    }

    /// Takes the responses of the client that wait for a poll, each with the number of its request. Requests that the
    /// client will not answer any more come with them.
    pub(crate) fn poll_client_answers(&mut self) -> Vec<(u64, ClientAnswer)> {
        let mut answers = Vec::new();
        for application_call in std::mem::take(&mut self.application_calls) {
            match application_call {
                ApplicationCall::Response { number, answer, .. } => answers.push((number, answer)),
                application_call => self.application_calls.push_back(application_call),
            }
        }
        answers.extend(
            self.client_requests
                .open
                .values()
                .filter(|request| request.named.is_none())
                .map(|request| (request.number, ClientAnswer::GivenUp)),
        );
        answers
    }

    pub(super) fn has_client_requests(&self) -> bool {
        !self.client_requests.open.is_empty()
    }
}

impl ClientRequests {
    fn add(&mut self, id: RequestId, request: ClientRequest) {
        self.by_call.entry(request.call).or_default().insert(request.number);
        self.open.insert(id, request);
    }

    fn remove(&mut self, id: &RequestId) -> Option<ClientRequest> {
        let request = self.open.remove(id)?;
        if let Entry::Occupied(mut numbers) = self.by_call.entry(request.call) {
            numbers.get_mut().remove(&request.number);
            if numbers.get().is_empty() {
                numbers.remove();
            }
        }
        Some(request)
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.by_call.clear();
    }
}

fn id_of(number: u64) -> RequestId {
    RequestId::from_raw(&number.to_string()).expect("an integer is an id")
}
