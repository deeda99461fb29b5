//! Methods that the application serves, and their answers.

use super::Json;
use crate::jsonrpc::Raw;
use crate::revision::RevisionSet;
use std::fmt;

/// A method that the application serves itself, other than those for resources, such as `tools/list`.
#[derive(Debug, Clone)]
pub struct Method {
    pub(crate) name: String,
    /// The dates of the revisions that have the method. `All` stands for each revision that has not removed it.
    pub(crate) revisions: RevisionSet<String>,
}

impl Method {
    /// Makes a method of that name, for every revision.
    pub fn new(name: impl Into<String>) -> Self {
        Method { name: name.into(), revisions: RevisionSet::All }
    }

    /// Restricts the method to these protocol revisions, each named by its date. Default: all revisions that have not
    /// removed a method of that name.
    #[must_use]
    pub fn revisions<D: Into<String>>(mut self, dates: impl IntoIterator<Item = D>) -> Self {
        self.revisions = RevisionSet::Only(dates.into_iter().map(Into::into).collect());
        self
    }
}

impl From<&str> for Method {
    fn from(name: &str) -> Self {
        Method::new(name)
    }
}

impl From<String> for Method {
    fn from(name: String) -> Self {
        Method::new(name)
    }
}

/// The outcome of a call of a tool, a prompt or a method of the application.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum MethodAnswer {
    /// The result, one JSON object. The server adds members that the revision requires and the result lacks:
    /// `resultType`, the server's identity, and for `tools/list` and `prompts/list` `ttlMs` and `cacheScope`.
    Result(Json),
    /// A JSON-RPC error for the client.
    Error(MethodError),
    /// The tool failed. The model reads the text.
    ToolError(ToolError),
    /// The application needs input from the client, described by the `inputRequests` and `requestState` of this object.
    /// The client may then repeat the request. In a revision without `input_required` the call fails.
    InputRequired(Json),
    /// The call needs these capabilities, which the client did not declare: an object such as `{"sampling":{}}`.
    MissingCapability(Json),
    /// The callback waits for the client. It runs again from its start when the client has answered the requests of
    /// [`crate::MethodCall::require_input`].
    Waiting,
    /// The callback failed, and the text goes to the log. The client gets an internal error; for a tool a result with
    /// `isError` and the text "The tool failed", or this text with [`crate::ToolErrors::Show`].
    Failed(String),
    /// The callback failed, and the log gets more than the text of the error, such as its stack.
    #[doc(hidden)] // for bindings
    Thrown {
        /// The text of the error alone, which the model may get.
        text: String,
        /// The text for the log.
        report: String,
    },
}

/// A JSON-RPC error with which a method answers. Its code is one of JSON-RPC 2.0 section 5.1 or of the application.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message} ({code})")]
pub struct MethodError {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Json>,
}

impl MethodError {
    /// Makes a JSON-RPC error with a code and a message, which the client gets.
    pub fn new(rpc_code: i32, message: impl Into<String>) -> Self {
        MethodError { code: rpc_code, message: message.into(), data: None }
    }

    /// Makes the JSON-RPC error for wrong parameters (-32602). `what` says which are wrong, and why.
    pub fn invalid_params(what: &str) -> Self {
        let fault = crate::jsonrpc::RpcError::invalid_params(what);
        MethodError::new(fault.code, fault.message)
    }

    /// Returns the code of the JSON-RPC error, such as -32602 for wrong parameters.
    pub fn rpc_code(&self) -> i32 {
        self.code
    }

    /// Returns the message of the JSON-RPC error.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the JSON-RPC error as the text of a JSON object with `code`, `message` and, if it has some, `data`.
    #[doc(hidden)] // for bindings
    pub fn as_json(&self) -> String {
        let mut out = Vec::new();
        let mut object = crate::jsonrpc::write::Object::begin(&mut out);
        object.raw("code", self.code.to_string()).string("message", &self.message);
        if let Some(data) = &self.data {
            object.raw("data", data.as_str());
        }
        object.end();
        String::from_utf8(out).expect("escaped text stays text")
    }

    /// Returns the `data` of the JSON-RPC error, which is for programs; `None` if it has none.
    #[doc(hidden)] // for bindings
    pub fn data_json(&self) -> Option<&Json> {
        self.data.as_ref()
    }

    /// Sets the `data` of the JSON-RPC error, which is for programs.
    #[must_use]
    pub fn data(mut self, data: Json) -> Self {
        self.data = Some(data);
        self
    }
}

/// An error of a tool, with a text that the model reads: what went wrong, and what it may try instead.
///
/// The client gets it as a result with `isError`, and nothing is logged. If the callback is that of a prompt or a
/// method, the client gets an internal error with this message.
///
/// ```
/// use wellhead::{Json, MethodCall, Server, ToolError};
///
/// fn open(call: MethodCall) -> Result<Json, ToolError> {
///     Err(ToolError::new(format!("no file fits {}; list them first", call.arguments())))
/// }
///
/// let server = Server::new("files", "1.0.0");
/// server.tool("open", &Json::parse(r#"{"inputSchema":{"type":"object"}}"#)?, open)?;
/// # Ok::<(), wellhead::Error>(())
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    message: String,
}

impl ToolError {
    /// Makes an error with a text for the model.
    pub fn new(message: impl Into<String>) -> Self {
        ToolError { message: message.into() }
    }

    /// Returns the text for the model.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl From<Json> for MethodAnswer {
    fn from(result: Json) -> Self {
        MethodAnswer::Result(result)
    }
}

/// Makes the result `{}`.
impl From<()> for MethodAnswer {
    fn from((): ()) -> Self {
        MethodAnswer::Result(Json::empty())
    }
}

impl From<MethodError> for MethodAnswer {
    fn from(error: MethodError) -> Self {
        MethodAnswer::Error(error)
    }
}

impl From<ToolError> for MethodAnswer {
    fn from(error: ToolError) -> Self {
        MethodAnswer::ToolError(error)
    }
}

impl<T: Into<MethodAnswer>> From<Result<T, ToolError>> for MethodAnswer {
    fn from(result: Result<T, ToolError>) -> Self {
        result.map_or_else(MethodAnswer::ToolError, Into::into)
    }
}

impl<T: Into<MethodAnswer>> From<Result<T, MethodError>> for MethodAnswer {
    fn from(result: Result<T, MethodError>) -> Self {
        result.map_or_else(MethodAnswer::Error, Into::into)
    }
}

impl<T: Into<MethodAnswer>> From<Result<T, crate::Error>> for MethodAnswer {
    fn from(result: Result<T, crate::Error>) -> Self {
        result.map_or_else(|e| MethodAnswer::Failed(e.to_string()), Into::into)
    }
}

/// Turns a [`MethodError`], a [`ToolError`] or a [`ClientRequestError`] in the box into its answer. Other errors are
/// failures.
impl<T: Into<MethodAnswer>> From<Result<T, Box<dyn std::error::Error + Send + Sync>>> for MethodAnswer {
    fn from(result: Result<T, Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let error = match result {
            Ok(answer) => return answer.into(),
            Err(error) => error,
        };
        let error = match error.downcast::<MethodError>() {
            Ok(error) => return MethodAnswer::Error(*error),
            Err(error) => error,
        };
        let error = match error.downcast::<ClientRequestError>() {
            Ok(error) => return (*error).into(),
            Err(error) => error,
        };
        match error.downcast::<ToolError>() {
            Ok(error) => MethodAnswer::ToolError(*error),
            Err(error) => MethodAnswer::Failed(error.to_string()),
        }
    }
}

impl MethodAnswer {
    /// Returns [`MethodAnswer::Failed`] with this text.
    pub fn failed(why: impl fmt::Display) -> Self {
        MethodAnswer::Failed(why.to_string())
    }
}

/// The reason why [`crate::MethodCall::require_input`] has no result. Most callbacks simply return it, by `?`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientRequestError {
    /// The client has not answered yet. Return this error: the callback runs again when the client has answered.
    #[error("the client has not answered yet; return this from the callback, which runs again then")]
    Waiting,
    /// The client did not declare these capabilities, which the request needs: an object such as `{"sampling":{}}`.
    #[error("the client did not declare the capabilities {0:?}")]
    MissingCapability(Json),
    /// The client answered the request with this error.
    #[error("the client refused: {0}")]
    Refused(MethodError),
    /// The client's answer does not fit the form that the request asked its user to fill in; the text says where.
    #[error("{0}")]
    InvalidAnswer(String),
    /// The client sent a `requestState` that the server did not give it for this call, or that has expired.
    #[error("requestState is not valid here")]
    InvalidState,
    /// The request was not sent, because of this error.
    #[error(transparent)]
    Failed(crate::Error),
}

impl From<ClientRequestError> for MethodAnswer {
    fn from(error: ClientRequestError) -> Self {
        match error {
            ClientRequestError::Waiting => MethodAnswer::Waiting,
            ClientRequestError::MissingCapability(needed) => MethodAnswer::MissingCapability(needed),
            ClientRequestError::InvalidState => {
                MethodAnswer::Error(MethodError::invalid_params("requestState is not valid here"))
            }
            ClientRequestError::InvalidAnswer(why) => ToolError::new(why).into(),
            ClientRequestError::Refused(_) | ClientRequestError::Failed(_) => MethodAnswer::failed(error),
        }
    }
}

impl<T: Into<MethodAnswer>> From<Result<T, ClientRequestError>> for MethodAnswer {
    fn from(result: Result<T, ClientRequestError>) -> Self {
        result.map_or_else(MethodAnswer::from, Into::into)
    }
}

/// The client's answer to a request of [`crate::Responder::send_request`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientAnswer {
    /// The result as JSON text, as the client sent it.
    Result(String),
    /// The error as JSON text, as the client sent it: by JSON-RPC an object with `code` and `message`.
    Error(String),
    /// No answer will come: the call was answered or cancelled, its session ended, or the application cancelled the
    /// request.
    GivenUp,
}

impl ClientAnswer {
    pub(crate) fn received(result: Result<Raw<'_>, Raw<'_>>) -> Self {
        match result {
            Ok(result) => ClientAnswer::Result(result.get().to_owned()),
            Err(error) => ClientAnswer::Error(error.get().to_owned()),
        }
    }
}
