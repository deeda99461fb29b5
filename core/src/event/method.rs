//! A call of a method of the host's own.

use crate::catalog::{HandlerId, MethodFn, MethodHandler};
use crate::connection::Shared;
use crate::error::Result;
use crate::model::{Json, MethodAnswer};
use crate::protocol::{CallId, Context};
use crate::responder::Responder;
use std::sync::{Arc, Weak};

/// A further method to be answered. It carries its responder: [`MethodCall::defer`] or [`MethodCall::into_responder`]
/// take it out.
pub struct MethodCall {
    handler: Arc<MethodHandler>,
    params: Json,
    pub(super) context: Arc<Context>,
    pub(super) responder: Option<Responder<MethodAnswer>>,
    pub(super) quiet: bool,
}

impl MethodCall {
    pub(crate) fn new(
        connection: Weak<Shared>,
        call: CallId,
        context: Arc<Context>,
        handler: Arc<MethodHandler>,
        params: Json,
    ) -> Self {
        let responder = Some(Responder::new(connection, call, context.clone()));
        MethodCall { handler, params, context, responder, quiet: false }
    }

    /// The method's name.
    pub fn method(&self) -> &str {
        &self.handler.name
    }

    /// The request's `params` as they came, the text of a JSON object; `{}` if there were none.
    pub fn params(&self) -> &str {
        self.params.as_str()
    }

    /// What the client can do, the text of a JSON object such as `{"sampling":{}}`: as it said with this request, or when
    /// its session began.
    pub fn client_capabilities(&self) -> Option<String> {
        self.responder.as_ref()?.client_capabilities()
    }

    /// From which level on the request asks for `notifications/message`, in the revisions where each request says so.
    pub fn log_level(&self) -> Option<String> {
        self.context.log_level()
    }

    /// [`Responder::notify`], while the call has its responder.
    ///
    /// # Errors
    /// As [`Responder::notify`].
    pub fn notify(&self, method: &str, params: Option<&Json>) -> Result<bool> {
        self.responder.as_ref().map_or(Ok(false), |responder| responder.notify(method, params))
    }

    /// The registration that this call belongs to.
    pub fn handler(&self) -> HandlerId {
        self.handler.id
    }

    pub(super) fn run(&self) -> Option<Arc<MethodFn>> {
        self.handler.run.clone()
    }
}
