use super::{Raw, RequestId, RpcError};
use std::borrow::Cow;

/// One message: a request, a notification or a response.
#[derive(Debug)]
pub(crate) enum Parsed<'a> {
    Request {
        id: RequestId,
        method: Cow<'a, str>,
        params: Params<'a>,
    },
    /// A message without `id`; it is never answered.
    Notification {
        method: Cow<'a, str>,
        params: Params<'a>,
    },
    /// The client's response to a request of the server. `id` is `None` if it cannot be the id of any request. If it
    /// has both a result and an error, the error counts unless it is `null`.
    Response {
        id: Option<RequestId>,
        result: Result<Raw<'a>, Raw<'a>>,
    },
    /// A batch, whose elements are not parsed: the caller refuses it, or parses them one by one. `None` if it has more
    /// than [`ParseLimits::batch_length`].
    Array(Option<Vec<Raw<'a>>>),
    /// No valid message. `id` is the one to answer with, if it is certain.
    Bad {
        id: Option<RequestId>,
        fault: FaultKind,
    },
}

/// The member `params` of a message, by its JSON type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Params<'a> {
    /// Missing or `null`.
    Absent,
    Object(Raw<'a>),
    Array,
    /// A string, a number or a boolean.
    Other,
}

/// The reason why bytes are not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// Not UTF-8, or not JSON.
    Parse,
    /// JSON, but not a JSON-RPC message; says what is wrong.
    Invalid(&'static str),
    /// JSON that is nested deeper than [`ParseLimits::nesting`].
    Nesting,
    /// A message whose id is longer than [`ParseLimits::id_bytes`].
    IdTooLong,
}

impl FaultKind {
    /// Makes the error that the client gets.
    pub(crate) fn error(self, limits: &ParseLimits) -> RpcError {
        match self {
            FaultKind::Parse => RpcError::parse_error(),
            FaultKind::Invalid(what) => RpcError::invalid_request(what),
            FaultKind::Nesting => RpcError::limit_exceeded("nesting", limits.nesting),
            FaultKind::IdTooLong => RpcError::limit_exceeded("id_bytes", limits.id_bytes),
        }
    }
}

/// The limits for one message, beyond which it is refused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParseLimits {
    /// The greatest number of objects and arrays inside each other; the message itself is the first.
    pub(crate) nesting: usize,
    /// The greatest length of an id's JSON text in bytes, with its quotes.
    pub(crate) id_bytes: usize,
    /// The greatest number of elements of a batch.
    pub(crate) batch_length: usize,
}
