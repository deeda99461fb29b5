//! A read of a resource.

use super::AroundCallbacks;
use crate::access::RequestContext;
use crate::catalog::{Handler, HandlerId, Vars};
use crate::connection::ConnectionState;
use crate::error::{Error, ErrorKind};
use crate::model::{Answer, ClientRequestError, Json};
use crate::protocol::{CallId, Context};
use crate::provider::Provider;
use crate::responder::Responder;
use crate::uri::Value;
use std::sync::{Arc, Weak};

/// A read of a resource, to be answered. It has a responder: [`Call::defer`] or [`Call::into_responder`] takes it out.
pub struct Call {
    pub(super) uri: Arc<str>,
    pub(super) handler: Arc<Handler>,
    pub(super) vars: Vars,
    pub(super) context: Arc<Context>,
    pub(super) attached: Option<RequestContext>,
    pub(super) responder: Option<Responder<Answer>>,
    pub(super) arounds: Option<AroundCallbacks>,
    pub(super) quiet: bool,
}

impl Call {
    pub(crate) fn new(
        connection: Weak<ConnectionState>,
        call: CallId,
        context: Arc<Context>,
        uri: Arc<str>,
        handler: Arc<Handler>,
        vars: Vars,
    ) -> Self {
        let responder = Some(Responder::new(connection, call, context.clone()));
        Call { uri, handler, vars, context, attached: None, responder, arounds: None, quiet: false }
    }

    /// The URI as the client spelled it.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The value of a template's variable, percent-decoded; of a list, its first value. `None` if the URI does not have
    /// the variable.
    pub fn var(&self, name: &str) -> Option<&str> {
        match self.vars.get(&self.handler, name)? {
            Value::One(value) => Some(value),
            Value::Many(values) => values.first().map(AsRef::as_ref),
        }
    }

    /// The value of a template's variable as the client spelled it, with its escapes; of a list, its first value.
    /// `None` if the URI does not have the variable.
    pub fn raw(&self, name: &str) -> Option<&str> {
        match self.vars.raw(&self.handler, name)? {
            Value::One(value) => Some(value),
            Value::Many(values) => values.first().map(AsRef::as_ref),
        }
    }

    /// The values of an exploded variable (`{name*}`), percent-decoded. One for an ordinary variable; none if the URI
    /// does not have it.
    pub fn values(&self, name: &str) -> Vec<&str> {
        match self.vars.get(&self.handler, name) {
            Some(Value::One(value)) => vec![value],
            Some(Value::Many(values)) => values.iter().map(AsRef::as_ref).collect(),
            None => Vec::new(),
        }
    }

    /// The names of the variables that are present in the URI, in the order of the template.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.vars.iter(&self.handler).map(|(name, _)| name)
    }

    /// Returns whether the variable is a list (`{name*}`).
    pub fn is_list(&self, name: &str) -> bool {
        matches!(self.vars.get(&self.handler, name), Some(Value::Many(_)))
    }

    /// Returns the client's answers to [`Answer::InputRequired`], the text of a JSON object by the keys of its
    /// `inputRequests`. `None` if there are none. Only their being objects was checked. Keys may be missing: ask again.
    pub fn input_responses(&self) -> Option<&str> {
        self.context.input()?.responses.as_ref().map(Json::as_str)
    }

    /// The `requestState` of [`Answer::InputRequired`] as the client sent it; `None` if it sent none. The client may have
    /// invented it: see [`Call::open_state`].
    pub fn request_state(&self) -> Option<&str> {
        self.context.input()?.state.as_deref()
    }

    /// Makes a `requestState` that [`Call::open_state`] opens for this caller and URI until the time `until`. The time
    /// is that of any clock that instances with the same key share, such as milliseconds of Unix time. A client may use
    /// the state several times. Empty if the answer is not wanted any more, or the responder was taken: then use
    /// [`crate::Server::seal_state`].
    pub fn seal_state(&self, state: &str, until: u64) -> String {
        let sealed = self.responder.as_ref().and_then(|responder| {
            responder
                .with_sealer(|sealer| sealer.seal_state(self.context.caller.id(), &self.uri, state, until))
        });
        sealed.unwrap_or_default()
    }

    /// Returns the text that [`Call::seal_state`] sealed into the state of this request. `None` if there is no state,
    /// if the client invented it, if it is for another caller or URI, or if it has expired. Then answer
    /// [`Answer::InvalidState`], and do not ask again. Call it before the responder is taken, else use
    /// [`crate::Server::open_state`].
    pub fn open_state(&self, now: u64) -> Option<String> {
        let state = self.request_state()?;
        let responder = self.responder.as_ref()?;
        responder.with_sealer(|sealer| sealer.open_state(self.context.caller.id(), &self.uri, state, now))?
    }

    /// Returns the capabilities of the client, the text of a JSON object such as `{"elicitation":{}}`. It declared them
    /// with this request, or when its session began. `None` if it declared none, or the responder was taken.
    pub fn client_capabilities(&self) -> Option<String> {
        self.responder.as_ref()?.client_capabilities()
    }

    /// Asks the client for one of its features by a name, in every revision. Returns the client's result. The first
    /// time it fails with [`ClientRequestError::Waiting`]: return that, and the callback **runs again from its start**
    /// when the client has answered. See [`crate::MethodCall::require_input`].
    ///
    /// ```
    /// use wellhead::{Call, ClientRequestError, Resource, Server};
    ///
    /// fn folders(call: Call) -> Result<String, ClientRequestError> {
    ///     Ok(call.require_input("roots", "roots/list", None)?.as_str().to_owned())
    /// }
    ///
    /// let server = Server::new("folders", "1.0.0");
    /// server.resource(Resource::new("folders://all"), folders)?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// See [`ClientRequestError`].
    pub fn require_input(
        &self,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> Result<Json, ClientRequestError> {
        match &self.responder {
            Some(responder) => responder.require_input(name, method, params),
            None => Err(ClientRequestError::Failed(Error::new(
                ErrorKind::Closed,
                "the call's responder was taken; ask through that",
            ))),
        }
    }

    /// The version of the resource that the client has already; `None` if it names none. If that is the current
    /// version, answer [`Answer::NotModified`], and make no body.
    pub fn if_version(&self) -> Option<&str> {
        self.context.if_version()
    }

    /// The id of the registration whose callback this call is for.
    pub fn handler(&self) -> HandlerId {
        self.handler.id
    }

    /// Returns whether the core has the callback, as for [`crate::Server::directory`]. [`crate::Event::run`] calls it then. A
    /// binding that keeps its callbacks itself runs the others.
    pub fn has_provider(&self) -> bool {
        self.handler.provider.as_ref().is_some_and(|provider| provider.answers())
    }

    pub(super) fn provider(&self) -> Option<Arc<dyn Provider>> {
        self.handler.provider.clone()
    }
}
