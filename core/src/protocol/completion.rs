//! Completion of a variable of a template, or of an argument of a prompt: from the client's reference to the values.

use super::CallId;
use super::application_call::{ApplicationCall, RequestState};
use super::call_context::Context;
use super::dispatch::Request;
use super::draft::Argument;
use super::faults::internal;
use super::inflight::OpenRequest;
use super::judged::Judged;
use super::machine::Machine;
use super::outbox::{MessageKind, Stage};
use crate::access::{AccessCheck, Verdict};
use crate::catalog::Handler;
use crate::jsonrpc::RpcError;
use crate::log::Severity;
use crate::model::Completion;
use crate::sync::Trash;
use crate::wire;
use std::sync::Arc;

/// The next step of a completion, once it is known that the caller may use the template or prompt.
pub(crate) enum Completing {
    /// The application proposes values.
    Host(Arc<Handler>),
    /// The values are known without the application.
    Done(Box<Completion>),
    Refused(RpcError),
}

impl Machine {
    /// Begins a completion that needs no verdict. Returns the call of the application, if there is one.
    pub(crate) fn begin_completion(
        &mut self,
        request: &Request,
        argument: Arc<Argument>,
        completing: Completing,
        trash: &mut Trash,
    ) -> Option<(ApplicationCall, Arc<Context>)> {
        let call = request.call;
        let Completing::Host(handler) = completing else {
            self.begin_allowed_completion(call, argument, completing, trash);
            return None;
        };
        let state = RequestState::Complete { argument: argument.clone() };
        let Some(context) = self.begin_call(call, state, trash) else {
            trash.put(handler);
            return None;
        };
        Some((ApplicationCall::Complete { call, handler, argument }, context))
    }

    /// Continues a completion that the authorizer allowed.
    pub(super) fn begin_allowed_completion(
        &mut self,
        call: CallId,
        argument: Arc<Argument>,
        completing: Completing,
        trash: &mut Trash,
    ) {
        match completing {
            Completing::Host(handler) => {
                match self
                    .inflight
                    .begin_next_call(call, RequestState::Complete { argument: argument.clone() })
                {
                    Ok(call) => {
                        self.queue_application_call(ApplicationCall::Complete { call, handler, argument });
                    }
                    Err(_) => trash.put(handler),
                }
            }
            Completing::Done(completion) => {
                if let Some(open) = self.inflight.close(call) {
                    self.write_completion(&open, &completion);
                }
            }
            Completing::Refused(fault) => {
                if let Some(open) = self.inflight.close(call) {
                    self.answer_failed(open.route, Stage::Dispatched, &open.id, &fault);
                }
            }
        }
    }

    /// Handles the values that the application proposes.
    pub(crate) fn finish_completion(
        &mut self,
        call: CallId,
        completion: &Completion,
        trash: &mut Trash,
    ) -> bool {
        let Some(state) = self.inflight.answered(call) else { return false };
        let RequestState::Complete { argument } = state else {
            self.inflight.close(call);
            return false;
        };
        if completion.failed.is_none()
            && !completion.uris.is_empty()
            && self.settings.access_check() == AccessCheck::Required
        {
            self.queue_judged(call, Judged::Values { argument, completion: completion.clone() }, trash);
            return true;
        }
        let Some(open) = self.inflight.close(call) else { return false };
        if let Some(why) = &completion.failed {
            self.answer_failed(open.route, Stage::Dispatched, &open.id, &internal(open.context.revision));
            let what = RequestState::Complete { argument }.describe();
            self.causes.log(Severity::Error, format!("{what} failed: {why}"));
        } else {
            self.write_completion(&open, completion);
        }
        true
    }

    /// Handles the authorizer's verdicts about the values, and answers the request.
    pub(super) fn finish_allowed_values(
        &mut self,
        call: CallId,
        mut completion: Completion,
        verdicts: &[Verdict],
    ) {
        let mut allowed = verdicts.iter().map(|verdict| *verdict == Verdict::Allow);
        completion.values.retain(|_| allowed.next().unwrap_or(false));
        if let Some(open) = self.inflight.close(call) {
            self.write_completion(&open, &completion);
        }
    }

    fn write_completion(&mut self, open: &OpenRequest, completion: &Completion) {
        let identity = &self.settings.identity;
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |p| {
            wire::completion(p.out, open.context.revision, &open.id, identity, completion);
        });
    }
}
