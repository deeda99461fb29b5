//! Requests of ours to the client, while it waits for the answer to one of its own.

use super::CallId;
use super::inflight::{Ask, State};
use super::machine::Machine;
use super::needs_input::Need;
use super::outbox::{Kind, Route};
use crate::jsonrpc::write::{Object, notification, request};
use crate::jsonrpc::{Raw, RequestId};
use crate::model::{ClientAnswer, Json};
use crate::revision::Era;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Requests that the client has not answered, by their ids, and the calls that they are for.
#[derive(Default)]
pub(super) struct Asking {
    open: BTreeMap<RequestId, Asked>,
    /// The numbers of those that each call has.
    by_call: BTreeMap<CallId, BTreeSet<u64>>,
    /// The number of the last one: none is used twice.
    last: u64,
}

struct Asked {
    number: u64,
    call: CallId,
    route: Route,
}

/// Why the client is not asked.
pub(crate) enum Unasked {
    /// The call is answered, or nobody wants its answer.
    Over,
    /// The revision has no such requests.
    Revision,
    /// There is room for an answer only.
    Single,
    /// The client takes nothing.
    Full,
    /// Not a client feature; says why.
    NoFeature(&'static str),
    /// The client lacks these capabilities.
    Lacks(String),
}

impl Machine {
    /// The number of the next request. It goes out with [`Machine::ask_client`].
    pub(crate) fn number_request(&mut self) -> u64 {
        self.asking.last += 1;
        self.asking.last
    }

    /// Sends a request to the client, on the way that the call's answer will go. Until it is answered, the call is not
    /// waiting for the host.
    pub(crate) fn ask_client(
        &mut self,
        call: CallId,
        number: u64,
        method: &str,
        params: Option<&Json>,
    ) -> Result<(), Unasked> {
        let open = self.inflight.get(call).ok_or(Unasked::Over)?;
        let (State::Method { .. }, route, context) = (&open.state, open.route, open.context.clone()) else {
            return Err(Unasked::Over);
        };
        if context.revision.era == Era::Stateless {
            return Err(Unasked::Revision);
        }
        if self.outbox.is_single(route) {
            return Err(Unasked::Single);
        }
        if self.outbox.len() >= self.settings.limits.output_bytes {
            return Err(Unasked::Full);
        }
        let need = Need::of(method, params.map(Json::raw)).map_err(Unasked::NoFeature)?;
        if !need.is_met(self.client_capabilities(&context).as_ref().map(Json::raw)) {
            return Err(Unasked::Lacks(Need::as_capabilities(&BTreeSet::from([need]))));
        }
        let id = id_of(number);
        self.outbox.write(route, Kind::Message, |p| request(p.out, &id, method, params.map(Json::as_str)));
        self.inflight.pause(call);
        self.asking.add(id, Asked { number, call, route });
        Ok(())
    }

    /// The client answered a request of ours, or an id that is none.
    pub(super) fn response(&mut self, id: Option<&RequestId>, result: Result<Raw<'_>, Raw<'_>>) {
        let Some(Asked { number, call, .. }) = id.and_then(|id| self.asking.remove(id)) else { return };
        self.queue_host_call(Ask::Response { call, number, answer: ClientAnswer::received(result) });
        if !self.asking.by_call.contains_key(&call) {
            self.expect(call);
        }
    }

    /// The host does not want the client's answer any more. True if it was still to come.
    pub(crate) fn give_up_request(&mut self, number: u64) -> bool {
        let Some(asked) = self.asking.remove(&id_of(number)) else { return false };
        self.withdraw(&asked);
        if !self.asking.by_call.contains_key(&asked.call) {
            self.expect(asked.call);
        }
        true
    }

    /// What was asked for calls that are over is not wanted any more.
    pub(crate) fn give_up_requests(&mut self) {
        while let Some(call) = self.inflight.take_dropped() {
            for number in self.asking.by_call.remove(&call).unwrap_or_default() {
                if let Some(asked) = self.asking.open.remove(&id_of(number)) {
                    self.withdraw(&asked);
                }
            }
        }
    }

    fn withdraw(&mut self, asked: &Asked) {
        self.outbox.write(asked.route, Kind::Message, |p| {
            let params = |out: &mut Vec<u8>| {
                let mut params = Object::begin(out);
                params.raw("requestId", asked.number.to_string());
                params.end();
            };
            notification(p.out, "notifications/cancelled", Some(params));
        });
        let Asked { number, call, .. } = *asked;
        self.queue_host_call(Ask::Response { call, number, answer: ClientAnswer::GivenUp });
    }

    /// Whether a client that is being asked has sent too much instead of its answer.
    pub(crate) fn is_flooded(&self) -> bool {
        self.is_asking() && self.is_starved()
    }

    /// Takes the numbers of the requests to the client that the host has no answer to, with the answers that wait for a poll.
    pub(crate) fn take_client_answers(&mut self) -> Vec<(u64, ClientAnswer)> {
        let mut answers = Vec::new();
        for ask in std::mem::take(&mut self.asks) {
            match ask {
                Ask::Response { number, answer, .. } => answers.push((number, answer)),
                ask => self.asks.push_back(ask),
            }
        }
        answers.extend(self.asking.open.values().map(|asked| (asked.number, ClientAnswer::GivenUp)));
        answers
    }

    pub(super) fn is_asking(&self) -> bool {
        !self.asking.open.is_empty()
    }
}

impl Asking {
    fn add(&mut self, id: RequestId, asked: Asked) {
        self.by_call.entry(asked.call).or_default().insert(asked.number);
        self.open.insert(id, asked);
    }

    fn remove(&mut self, id: &RequestId) -> Option<Asked> {
        let asked = self.open.remove(id)?;
        if let Entry::Occupied(mut numbers) = self.by_call.entry(asked.call) {
            numbers.get_mut().remove(&asked.number);
            if numbers.get().is_empty() {
                numbers.remove();
            }
        }
        Some(asked)
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.by_call.clear();
    }
}

fn id_of(number: u64) -> RequestId {
    RequestId::from_raw(&number.to_string()).expect("an integer is an id")
}
