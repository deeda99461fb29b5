//! The question whether a caller may do something.

use crate::access::{Operation, RequestContext, Verdict};
use crate::connection::ConnectionState;
use crate::protocol::{CallId, Context};
use crate::responder::Responder;
use std::sync::{Arc, Weak};

pub(crate) type Gatekeeper = dyn Fn(AuthorizeCall) + Send + Sync;

/// A question whether the caller may use some targets: URIs, templates, or names of tools or prompts. The application answers it with one [`Verdict`] for each.
pub struct AuthorizeCall {
    operation: Operation,
    targets: Vec<Arc<str>>,
    pub(super) context: Arc<Context>,
    pub(super) gatekeeper: Option<Arc<Gatekeeper>>,
    pub(super) attached: Option<RequestContext>,
    pub(super) responder: Option<Responder<Vec<Verdict>>>,
    pub(super) quiet: bool,
}

impl AuthorizeCall {
    pub(crate) fn new(
        connection: Weak<ConnectionState>,
        call: CallId,
        context: Arc<Context>,
        operation: Operation,
        targets: Vec<Arc<str>>,
        gatekeeper: Option<Arc<Gatekeeper>>,
    ) -> Self {
        let responder = Some(Responder::new(connection, call, context.clone()));
        AuthorizeCall { operation, targets, context, gatekeeper, attached: None, responder, quiet: false }
    }

    /// The operation that the caller asks for.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The targets to judge: URIs, templates, or names of tools or prompts, by the operation; at least one.
    ///
    /// URIs of folders and skills are those of lists. Other URIs have no needless escapes (RFC 3986, section 6.2.2):
    /// `notes://%61` is `notes://a`. They keep `%2F` and its like, which the variables of a template decode, so a rule
    /// names best what is allowed.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = &str> {
        self.targets.iter().map(|target| &**target)
    }
}
