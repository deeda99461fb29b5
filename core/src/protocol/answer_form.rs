//! The form of the answer of a request. A tool that serves resources takes the way of the method for them, and differs
//! in this alone.

use super::dispatch::Request;
use super::inflight::OpenRequest;
use super::machine::Machine;
use super::outbox::{MessageKind, Stage};
use crate::jsonrpc::RpcError;
use crate::wire;

/// How the answer of a request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// As its method has it.
    Method,
    /// Not at all: a notification has no answer.
    None,
    /// As the result of a tool that shows resources.
    Tool,
    /// As the results of a search.
    Search,
    /// As one document, which a search has found.
    Document,
}

impl OpenRequest {
    pub(super) fn is_tool(&self) -> bool {
        !matches!(self.form, AnswerForm::Method | AnswerForm::None)
    }
}

impl Machine {
    /// Sets the form of an answer. The request is being looked up.
    pub(crate) fn set_form(&mut self, request: &Request, form: AnswerForm) {
        if let Some(open) = self.inflight.get(request.call) {
            open.form = form;
        }
    }

    /// Answers a request that was dispatched with an error. A model can mend some errors, so it gets them as the result
    /// of its tool.
    pub(super) fn answer_open_failed(&mut self, open: &OpenRequest, fault: &RpcError) {
        if open.form == AnswerForm::None {
            return;
        }
        let Some(text) = fault.sentence.as_deref().filter(|_| open.is_tool()) else {
            return self.answer_failed(open.route, Stage::Dispatched, &open.id, fault);
        };
        let identity = &self.settings.identity;
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |payload| {
            wire::tool_refusal(payload.out, open.context.revision, &open.id, identity, text);
        });
    }
}
