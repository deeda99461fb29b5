//! Completion of a template's variables: from the reference to the values.

use super::CallId;
use super::dispatch::Request;
use super::faults::internal;
use super::inflight::{Ask, Context, State};
use super::machine::Machine;
use super::outbox::{Kind, Route, Stage};
use super::request::Argument;
use crate::access::{Caller, Operation, Verdict};
use crate::catalog::Handler;
use crate::jsonrpc::{RequestId, RpcError};
use crate::log::Level;
use crate::model::Completion;
use crate::revision::Revision;
use crate::sync::Trash;
use crate::sync::atomic::Ordering;
use crate::wire;
use std::sync::Arc;

/// What a completion comes to, for a caller who may know of what it refers to.
pub(crate) enum Completing {
    /// The host proposes values.
    Ask(Arc<Handler>),
    /// There are none.
    Done(Box<Completion>),
    Refused(RpcError),
}

impl Machine {
    /// A completion that the caller may be told. Returns what the host is asked.
    pub(crate) fn complete(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        argument: Arc<Argument>,
        completing: Completing,
        trash: &mut Trash,
    ) -> Option<(Ask, Arc<Context>)> {
        if !self.claim(&request) {
            trash.put(completing);
            return None;
        }
        match completing {
            Completing::Ask(handler) => {
                let state = State::Complete { argument: argument.clone() };
                let (call, context) = self.open_and_hand_out(request, caller, state)?;
                Some((Ask::Complete { call, handler, argument }, context))
            }
            Completing::Done(completion) => {
                self.write_completion(request.route, request.revision, &request.id, &completion);
                None
            }
            Completing::Refused(fault) => {
                self.fail(request.route, Stage::Dispatched, &request.id, &fault);
                None
            }
        }
    }

    /// A completion that somebody has to be asked about first. `uri`: what is referred to.
    pub(crate) fn authorize_completion(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        argument: Arc<Argument>,
        completing: Completing,
        trash: &mut Trash,
    ) -> Option<(Ask, Arc<Context>)> {
        if !self.claim(&request) {
            trash.put(completing);
            return None;
        }
        let uri = argument.reference.clone();
        let state = State::AuthorizeComplete { argument, completing };
        let (call, context) = self.open_and_hand_out(request, caller, state)?;
        Some((Ask::Authorize { call, operation: Operation::Complete, uris: vec![uri] }, context))
    }

    /// The caller may be told.
    pub(super) fn go_on_completing(
        &mut self,
        call: CallId,
        argument: Arc<Argument>,
        completing: Completing,
        trash: &mut Trash,
    ) {
        match completing {
            Completing::Ask(handler) => {
                match self.inflight.again(call, State::Complete { argument: argument.clone() }) {
                    Ok(call) => self.queue_host_call(Ask::Complete { call, handler, argument }),
                    Err(_) => trash.put(handler),
                }
            }
            Completing::Done(completion) => {
                if let Some(open) = self.inflight.close(call) {
                    self.write_completion(open.route, open.context.revision, &open.id, &completion);
                }
            }
            Completing::Refused(fault) => {
                if let Some(open) = self.inflight.close(call) {
                    self.fail(open.route, Stage::Dispatched, &open.id, &fault);
                }
            }
        }
    }

    /// What the host proposed.
    pub(crate) fn finish_completion(&mut self, call: CallId, completion: &Completion) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        let State::Complete { argument } = state else {
            self.inflight.close(call);
            return false;
        };
        if completion.failed.is_none()
            && !completion.uris.is_empty()
            && self.settings.authorises.load(Ordering::Acquire)
        {
            self.authorize_values(call, argument, completion.clone());
            return true;
        }
        let Some(open) = self.inflight.close(call) else { return false };
        if let Some(why) = &completion.failed {
            self.fail(open.route, Stage::Dispatched, &open.id, &internal(open.context.revision));
            let what = State::Complete { argument }.describe();
            self.causes.log(Level::Error, format!("{what} failed: {why}"));
        } else {
            self.write_completion(open.route, open.context.revision, &open.id, completion);
        }
        true
    }

    /// Asks what the caller may see of what the values lead to.
    fn authorize_values(&mut self, call: CallId, argument: Arc<Argument>, completion: Completion) {
        let uris = completion.uris.clone();
        let state = State::AuthorizeValues { argument, completion: Box::new(completion) };
        if let Ok(call) = self.inflight.again(call, state) {
            self.queue_host_call(Ask::Authorize { call, operation: Operation::List, uris });
        }
    }

    /// The verdicts about the values are in.
    pub(super) fn propose_allowed(&mut self, call: CallId, mut completion: Completion, verdicts: &[Verdict]) {
        let mut allowed = verdicts.iter().map(|verdict| *verdict == Verdict::Allow);
        completion.values.retain(|_| allowed.next().unwrap_or(false));
        if let Some(open) = self.inflight.close(call) {
            self.write_completion(open.route, open.context.revision, &open.id, &completion);
        }
    }

    fn write_completion(
        &mut self,
        route: Route,
        revision: Revision,
        id: &RequestId,
        completion: &Completion,
    ) {
        let identity = &self.settings.identity;
        self.outbox.write(route, Kind::Final(Stage::Dispatched), |p| {
            wire::completion(p.out, revision, id, identity, completion);
        });
    }
}
