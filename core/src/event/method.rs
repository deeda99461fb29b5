//! A call of a tool, a prompt or a method of the application.

use super::AroundCallbacks;
use crate::access::RequestContext;
use crate::catalog::{HandlerId, MethodFn, MethodHandler, ToolCall};
use crate::connection::ConnectionState;
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{Raw, is_object, members};
use crate::model::{ClientAnswer, ClientRequestError, Json, MethodAnswer};
use crate::protocol::{CallId, Context};
use crate::responder::Responder;
use std::fmt;
use std::sync::{Arc, Weak};

/// A call of a tool, a prompt or a method of the application, to be answered. It has a responder: [`MethodCall::defer`]
/// or [`MethodCall::into_responder`] takes it out.
pub struct MethodCall {
    pub(super) handler: Arc<MethodHandler>,
    pub(super) params: Arc<Json>,
    pub(super) context: Arc<Context>,
    pub(super) attached: Option<RequestContext>,
    pub(super) responder: Option<Responder<MethodAnswer>>,
    pub(super) arounds: Option<AroundCallbacks>,
    pub(super) quiet: bool,
}

impl MethodCall {
    pub(crate) fn new(
        connection: Weak<ConnectionState>,
        call: CallId,
        context: Arc<Context>,
        handler: Arc<MethodHandler>,
        params: Arc<Json>,
    ) -> Self {
        let responder = Some(Responder::new(connection, call, context.clone()));
        MethodCall { handler, params, context, attached: None, responder, arounds: None, quiet: false }
    }

    /// Sets the count of the call for the limits of its tool; `None` if the tool has no limits.
    pub(crate) fn counted(mut self, counted: Option<ToolCall>) -> Self {
        if let (Some(responder), Some(counted)) = (&mut self.responder, counted) {
            responder.count(counted);
        }
        self
    }

    /// The name of the method, such as `tools/call`.
    pub fn method(&self) -> &str {
        &self.handler.name
    }

    /// The request's `params` as the client sent them, the text of a JSON object; `{}` if there were none. In `arguments`
    /// of a tool defaults are filled in, and an around callback may have replaced them.
    pub fn params(&self) -> &str {
        self.params.as_str()
    }

    /// The name of the tool or prompt that is called, if [`crate::Server::tool`] or [`crate::Server::prompt`]
    /// registered it. `None` for other methods.
    pub fn name(&self) -> Option<&str> {
        self.handler.item.as_deref()
    }

    /// The `arguments` among the parameters, the text of a JSON object; `{}` if there are none.
    pub fn arguments(&self) -> &str {
        arguments_of(&self.params)
    }

    /// Returns the capabilities of the client, the text of a JSON object such as `{"sampling":{}}`. It declared them
    /// with this request, or when its session began. `None` if it declared none, or the responder was taken.
    pub fn client_capabilities(&self) -> Option<String> {
        self.responder.as_ref()?.client_capabilities()
    }

    /// The lowest level of `notifications/message` that the request wants, in revisions where each request says so;
    /// otherwise `None`.
    pub fn log_level(&self) -> Option<String> {
        self.context.log_level()
    }

    /// Sends a notification about the call, on the route of its answer. Returns false if it was not sent, or if the
    /// call's responder was taken. See [`Responder::notify`] for the reasons.
    ///
    /// # Errors
    /// As [`Responder::notify`].
    pub fn notify(&self, method: &str, params: Option<&Json>) -> Result<bool> {
        self.responder.as_ref().map_or(Ok(false), |responder| responder.notify(method, params))
    }

    /// Sends the client a log message about the call, a `notifications/message`. Returns false if it was not sent,
    /// or if the call's responder was taken. See [`Responder::log`] for the arguments.
    ///
    /// # Errors
    /// As [`Responder::log`].
    pub fn log(&self, level: &str, text: &str, logger: Option<&str>) -> Result<bool> {
        self.responder.as_ref().map_or(Ok(false), |responder| responder.log(level, text, logger))
    }

    /// Asks the client for one of its features by a name, in every revision: `sampling/createMessage`,
    /// `elicitation/create` or `roots/list`. Returns the client's result. The first time it fails with
    /// [`ClientRequestError::Waiting`]: return that, and the callback **runs again from its start** when the client has
    /// answered. So everything before the last request runs several times. Names are unique in a callback and the same
    /// in every run. Requests that one run makes go to the client together.
    ///
    /// In the handshake era the server sends a request, and withdraws it if the call is cancelled. In the stateless era
    /// it answers the call with `input_required`, and the client repeats the call. The answers so far are in a sealed
    /// `requestState`, so that any instance with the key can continue; it is valid for this call for 10 minutes. That
    /// revision deprecates sampling and roots, which still work.
    ///
    /// ```
    /// use wellhead::{ClientRequestError, Json, MethodCall, Server};
    ///
    /// fn folders(call: MethodCall) -> Result<Json, ClientRequestError> {
    ///     let roots = call.require_input("roots", "roots/list", None)?;
    ///     Ok(Json::parse(format!(r#"{{"content":[],"structuredContent":{}}}"#, roots.as_str())).unwrap())
    /// }
    ///
    /// let server = Server::new("folders", "1.0.0");
    /// server.tool("folders", &Json::parse(r#"{"inputSchema":{"type":"object"}}"#)?, folders)?;
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
    ) -> std::result::Result<Json, ClientRequestError> {
        match &self.responder {
            Some(responder) => responder.require_input(name, method, params),
            None => Err(ClientRequestError::Failed(Error::new(
                ErrorKind::Closed,
                "the call's responder was taken; ask through that",
            ))),
        }
    }

    /// Asks the client for one of its features, `sampling/createMessage`, `elicitation/create` or `roots/list`, before
    /// the call is answered. Fails if the call's responder was taken. Everything else is as with
    /// [`Responder::send_request`].
    ///
    /// # Errors
    /// As [`Responder::send_request`].
    pub fn send_request<F>(&self, method: &str, params: Option<&Json>, then: F) -> Result<u64>
    where
        F: FnOnce(ClientAnswer) + Send + 'static,
    {
        match &self.responder {
            Some(responder) => responder.send_request(method, params, then),
            None => Err(Error::new(ErrorKind::Closed, "the call's responder was taken; ask through that")),
        }
    }

    /// Gives up a request to the client, and tells the client so. Returns false if the call's responder was taken.
    /// Everything else is as with [`Responder::cancel_request`].
    pub fn cancel_request(&self, number: u64) -> bool {
        self.responder.as_ref().is_some_and(|responder| responder.cancel_request(number))
    }

    /// The id of the registration whose callback this call is for.
    pub fn handler(&self) -> HandlerId {
        self.handler.id
    }

    /// Returns whether the core has the callback, such as the search of folders. Then [`crate::Event::run`] calls it. If
    /// not, the binding calls its own.
    pub fn has_provider(&self) -> bool {
        self.handler.run.is_some()
    }

    /// Returns whether the library itself answers the call, because it is a search of folders.
    pub(super) fn is_of_library(&self) -> bool {
        self.handler.id.is_of_library()
    }

    pub(super) fn run(&self) -> Option<Arc<MethodFn>> {
        self.handler.run.clone()
    }
}

pub(super) fn arguments_of(params: &Json) -> &str {
    let arguments = members(params.raw(), &["arguments"]).ok().and_then(|[arguments]| arguments);
    arguments.filter(|arguments| is_object(*arguments)).map_or("{}", Raw::get)
}

/// A callback for the client's response to a request of the server.
pub(crate) type Continuation = Box<dyn FnOnce(ClientAnswer) + Send>;

/// The client's answer to a request that [`Responder::send_request`] sent.
pub struct ResponseCall {
    connection: u64,
    number: u64,
    answer: ClientAnswer,
    then: Option<Continuation>,
}

impl ResponseCall {
    pub(crate) fn new(
        connection: u64,
        number: u64,
        answer: ClientAnswer,
        then: Option<Continuation>,
    ) -> Self {
        ResponseCall { connection, number, answer, then }
    }

    /// The id of the connection whose client answered: see [`crate::Connection::id`].
    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// Returns the number of the request on that connection, which [`Responder::send_request`] returned.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The client's answer, or the reason why there is none.
    pub fn answer(&self) -> &ClientAnswer {
        &self.answer
    }

    pub(super) fn run(self) {
        if let Some(then) = self.then {
            then(self.answer);
        }
    }
}

impl fmt::Debug for ResponseCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseCall").field("number", &self.number).finish_non_exhaustive()
    }
}
