use super::Raw;
use super::RequestId;
use std::borrow::Cow;

/// One message: a request, a notification or an answer.
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
    /// The answer to a request of the server. `id` is `None` if it cannot be the id of any request. With both members
    /// present `error` counts, unless it is `null`.
    Response {
        id: Option<RequestId>,
        result: Result<Raw<'a>, Raw<'a>>,
    },
    /// A batch, its elements not looked at: the caller refuses it, or parses them one by one. Nothing if it has more
    /// than [`ParseLimits::batch_length`].
    Array(Option<Vec<Raw<'a>>>),
    /// Not a message. `id` is the one to answer with, if it is certain.
    Bad {
        id: Option<RequestId>,
        fault: FaultKind,
    },
}

/// The `params` member by its JSON type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Params<'a> {
    /// Missing or `null`.
    Absent,
    Object(Raw<'a>),
    Array,
    /// A string, a number or a boolean.
    Other,
}

/// Why bytes are not a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// Not UTF-8, or not JSON.
    Parse,
    /// JSON, but not a JSON-RPC message; says what is wrong.
    Invalid(&'static str),
    /// Over [`ParseLimits::nesting`].
    Nesting,
    /// Over [`ParseLimits::id_bytes`].
    IdTooLong,
}

/// Bounds on one message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParseLimits {
    /// Objects and arrays within each other, the message itself included.
    pub(crate) nesting: usize,
    /// The raw text of an id, in bytes, quotes included.
    pub(crate) id_bytes: usize,
    /// Elements of an array of messages.
    pub(crate) batch_length: usize,
}
