//! The completion of a variable or an argument.

use crate::access::RequestContext;
use crate::catalog::{Handler, HandlerId};
use crate::connection::ConnectionState;
use crate::model::Completion;
use crate::protocol::{Argument, CallId, Context};
use crate::provider::Provider;
use crate::responder::Responder;
use std::sync::{Arc, Weak};

/// The completion of a template's variable, or of a prompt's argument. The application answers it with a
/// [`Completion`].
pub struct CompleteCall {
    pub(super) argument: Arc<Argument>,
    pub(super) handler: Arc<Handler>,
    pub(super) context: Arc<Context>,
    pub(super) attached: Option<RequestContext>,
    pub(super) responder: Option<Responder<Completion>>,
    pub(super) quiet: bool,
}

impl CompleteCall {
    pub(crate) fn new(
        connection: Weak<ConnectionState>,
        call: CallId,
        context: Arc<Context>,
        handler: Arc<Handler>,
        argument: Arc<Argument>,
    ) -> Self {
        let responder = Some(Responder::new(connection, call, context.clone()));
        CompleteCall { argument, handler, context, attached: None, responder, quiet: false }
    }

    /// The text of the template, or the name of the prompt.
    pub fn uri_template(&self) -> &str {
        &self.argument.reference
    }

    /// The name of the variable or argument.
    pub fn variable(&self) -> &str {
        &self.argument.name
    }

    /// The part of the value that the user has typed; it may be empty.
    pub fn value(&self) -> &str {
        &self.argument.value
    }

    /// The value that another variable has already. `None` if the client names none, which it can only in some
    /// revisions.
    pub fn other(&self, name: &str) -> Option<&str> {
        self.others().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    /// The names and values of all other variables that the client named, in its order.
    pub fn others(&self) -> impl Iterator<Item = (&str, &str)> {
        self.argument.others.iter().map(|(name, value)| (&**name, value.as_str()))
    }

    /// The id of the registration whose callback this call is for.
    pub fn handler(&self) -> HandlerId {
        self.handler.id
    }

    /// Returns whether the core has the callback: see [`crate::Call::has_provider`].
    pub fn has_provider(&self) -> bool {
        self.handler.provider.as_ref().is_some_and(|provider| provider.answers())
    }

    pub(super) fn provider(&self) -> Option<Arc<dyn Provider>> {
        self.handler.provider.clone()
    }

    pub(super) fn completer(&self) -> Option<Arc<dyn Fn(CompleteCall) + Send + Sync>> {
        self.handler.callbacks.completer(&self.argument.name)
    }
}
