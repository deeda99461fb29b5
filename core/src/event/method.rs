//! A call of a method of the application's own.

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

/// A further method to be answered. It carries its responder: [`MethodCall::defer`] or [`MethodCall::into_responder`]
/// take it out.
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

    /// `counted`: it counts for the limits of its tool.
    pub(crate) fn counted(mut self, counted: Option<ToolCall>) -> Self {
        if let (Some(responder), Some(counted)) = (&mut self.responder, counted) {
            responder.count(counted);
        }
        self
    }

    /// The method's name.
    pub fn method(&self) -> &str {
        &self.handler.name
    }

    /// The request's `params` as they came, the text of a JSON object; `{}` if there were none.
    pub fn params(&self) -> &str {
        self.params.as_str()
    }

    /// The tool or prompt that is called, if it was registered by [`crate::Server::tool`] or [`crate::Server::prompt`].
    pub fn name(&self) -> Option<&str> {
        self.handler.item.as_deref()
    }

    /// The `arguments` among the parameters as they came, the text of a JSON object; `{}` if there are none.
    pub fn arguments(&self) -> &str {
        arguments_of(&self.params)
    }

    /// Returns the capabilities of the client, the text of a JSON object such as `{"sampling":{}}`: as it said with
    /// this request, or when its session began.
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

    /// [`Responder::log`], while the call has its responder.
    ///
    /// # Errors
    /// As [`Responder::log`].
    pub fn log(&self, level: &str, text: &str, logger: Option<&str>) -> Result<bool> {
        self.responder.as_ref().map_or(Ok(false), |responder| responder.log(level, text, logger))
    }

    /// Asks the client for one of its features by a name, in every revision: `sampling/createMessage`, `elicitation/create`
    /// or `roots/list`. Returns the result. The first time there is none yet, [`ClientRequestError::Waiting`]: return
    /// it, and the callback **runs again from its start** when the client has answered. So what stands before the last request
    /// runs once more each time. Names are unique in a callback and the same in every run. What is asked before the
    /// callback returns goes to the client together.
    ///
    /// In the handshake era the server sends a request; it withdraws it if the call is cancelled. In the stateless era it
    /// answers the call with `input_required`, and the client repeats it. The answers so far travel in a sealed
    /// `requestState`, so that any replica with the key can go on; it is good for this call for 10 minutes. That revision
    /// deprecates sampling and roots, which work on.
    ///
    /// ```
    /// use wellhead::{ClientRequestError, Json, MethodCall, Server};
    ///
    /// fn folders(call: MethodCall) -> Result<Json, ClientRequestError> {
    ///     let roots = call.request_input("roots", "roots/list", None)?;
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
    pub fn request_input(
        &self,
        name: &str,
        method: &str,
        params: Option<&Json>,
    ) -> std::result::Result<Json, ClientRequestError> {
        match &self.responder {
            Some(responder) => responder.request_input(name, method, params),
            None => Err(ClientRequestError::Failed(Error::new(
                ErrorKind::Closed,
                "the call's responder was taken; ask through that",
            ))),
        }
    }

    /// [`Responder::send_request`], while the call has its responder.
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

    /// [`Responder::cancel_request`], while the call has its responder.
    pub fn cancel_request(&self, number: u64) -> bool {
        self.responder.as_ref().is_some_and(|responder| responder.cancel_request(number))
    }

    /// The registration that this call belongs to.
    pub fn handler(&self) -> HandlerId {
        self.handler.id
    }

    /// Returns whether [`crate::Event::run`] would find a function. A binding that keeps its own runs what has one, such as the
    /// search of folders, by that.
    pub fn has_provider(&self) -> bool {
        self.handler.run.is_some()
    }

    /// The library answers, as it searches folders.
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

/// Called with the client's response.
pub(crate) type Continuation = Box<dyn FnOnce(ClientAnswer) + Send>;

/// The client's answer to a request that was sent to it for a further method.
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

    /// The number of the connection whose client answered: [`crate::Connection::id`].
    pub fn connection(&self) -> u64 {
        self.connection
    }

    /// Returns the number of the request on that connection, as [`Responder::send_request`] numbered it.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The client's answer.
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
