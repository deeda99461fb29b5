//! The form of the answer to a request. The call of a tool that shows resources takes the same steps as the method for
//! them, such as `resources/read`; only the form of its answer differs.

use super::dispatch::Request;
use super::inflight::OpenRequest;
use super::machine::Machine;
use super::outbox::{MessageKind, Stage};
use crate::jsonrpc::RpcError;
use crate::wire;

/// The form in which the answer to a request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// The result of the request's own method.
    Method,
    /// No answer, as for a notification.
    None,
    /// As the result of a tool that shows resources.
    Tool,
    /// As the results of the tool `search`.
    Search,
    /// As the one document that the tool `fetch` reads.
    Document,
}

impl OpenRequest {
    pub(super) fn is_tool(&self) -> bool {
        !matches!(self.form, AnswerForm::Method | AnswerForm::None)
    }
}

impl Machine {
    /// Sets the form of the answer to a request that is still being looked up.
    pub(crate) fn set_form(&mut self, request: &Request, form: AnswerForm) {
        if let Some(open) = self.inflight.get(request.call) {
            open.form = form;
        }
    }

    /// Answers a dispatched request with an error. An error that the model can mend becomes a result with `isError` if
    /// the request was the call of a tool.
    pub(super) fn answer_open_failed(&mut self, open: &OpenRequest, fault: &RpcError) {
        if open.form == AnswerForm::None {
            return;
        }
        let Some(text) = fault.sentence().filter(|_| open.is_tool()) else {
            return self.answer_failed(open.route, Stage::Dispatched, &open.id, fault);
        };
        self.causes.refused(fault);
        let identity = &self.settings.identity;
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |payload| {
            wire::tool_refusal(payload.out, open.context.revision, &open.id, identity, text);
        });
    }
}
