//! A further method, and what it answers.

use super::Json;
use crate::jsonrpc::Raw;
use std::fmt;

/// A method that the host serves beside those for resources, such as `tools/list`.
#[derive(Debug, Clone)]
pub struct Method {
    pub(crate) name: String,
    pub(crate) revisions: Option<Vec<String>>,
}

impl Method {
    /// The method of that name.
    pub fn new(name: impl Into<String>) -> Self {
        Method { name: name.into(), revisions: None }
    }

    /// Serves it under these protocol revisions only, each named by its date; by default under all that have not removed
    /// a method of that name.
    #[must_use]
    pub fn revisions<D: Into<String>>(mut self, dates: impl IntoIterator<Item = D>) -> Self {
        self.revisions = Some(dates.into_iter().map(Into::into).collect());
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

/// What a further method answers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum MethodAnswer {
    /// The result, one JSON object. Where the revision wants them, `resultType`, the server's identity and, for
    /// `tools/list` and `prompts/list`, `ttlMs` and `cacheScope` are added unless it has them.
    Result(Json),
    /// An error for the client.
    Error(MethodError),
    /// The client is asked for input, by the `inputRequests` and `requestState` of this object, and may then ask again.
    /// Where the revision does not have that, an internal error.
    NeedsInput(Json),
    /// The method cannot go on without these capabilities of the client, an object such as `{"sampling":{}}`.
    MissingCapability(Json),
    /// An internal error for the client; the text is for the log.
    Failed(String),
}

/// An error that a further method answers, with a code of JSON-RPC 2.0 section 5.1 or of its own.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message} ({code})")]
pub struct MethodError {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Json>,
}

impl MethodError {
    /// An error with a code and a message that the client sees.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        MethodError { code, message: message.into(), data: None }
    }

    /// The parameters are wrong: JSON-RPC's code for that. `what` says which and why.
    pub fn invalid_params(what: &str) -> Self {
        let fault = crate::jsonrpc::RpcError::invalid_params(what);
        MethodError::new(fault.code, fault.message)
    }

    /// The code that the client sees.
    pub fn code(&self) -> i32 {
        self.code
    }

    /// The message that the client sees.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// More about it, for programs.
    #[must_use]
    pub fn data(mut self, data: Json) -> Self {
        self.data = Some(data);
        self
    }
}

impl From<Json> for MethodAnswer {
    fn from(result: Json) -> Self {
        MethodAnswer::Result(result)
    }
}

impl From<MethodError> for MethodAnswer {
    fn from(error: MethodError) -> Self {
        MethodAnswer::Error(error)
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

/// A [`MethodError`] among them is told to the client.
impl<T: Into<MethodAnswer>> From<Result<T, Box<dyn std::error::Error + Send + Sync>>> for MethodAnswer {
    fn from(result: Result<T, Box<dyn std::error::Error + Send + Sync>>) -> Self {
        match result {
            Ok(answer) => answer.into(),
            Err(error) => match error.downcast::<MethodError>() {
                Ok(error) => MethodAnswer::Error(*error),
                Err(error) => MethodAnswer::Failed(error.to_string()),
            },
        }
    }
}

impl MethodAnswer {
    /// A failure: an internal error for the client, this text for the log.
    pub fn failed(why: impl fmt::Display) -> Self {
        MethodAnswer::Failed(why.to_string())
    }
}

/// What a client answered when it was asked for something by [`crate::Responder::request`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientAnswer {
    /// Its result, as it came: JSON text.
    Result(String),
    /// Its error, as it came: JSON text, by JSON-RPC an object with `code` and `message`.
    Error(String),
    /// None will come: the call was answered or cancelled, its session ended, or the host gave the request up.
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
