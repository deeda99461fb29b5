//! The head of a response, and responses that need no connection.

use crate::jsonrpc::write::{ReplyId, error};
use crate::jsonrpc::{RequestId, RpcError};
use crate::refusals::RefusalKind;
use crate::revision::Revision;

/// Status and header fields of a response (RFC 9110).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Field lines, names in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// How many bytes follow, if that is known: `content-length` is among the headers then.
    pub length: Option<u64>,
}

impl Response {
    /// A refusal without a body.
    #[cfg(feature = "http")]
    pub(crate) fn refusal(status: u16) -> Response {
        Response::empty(status)
    }

    pub(super) fn empty(status: u16) -> Response {
        // Of a 204 the length is known without being said (RFC 9110 section 8.6).
        let headers = if status == 204 { Vec::new() } else { vec![("content-length", "0".to_owned())] };
        Response { status, headers, length: Some(0) }
    }

    pub(super) fn json(status: u16, length: u64) -> Response {
        let headers =
            vec![("content-type", "application/json".to_owned()), ("content-length", length.to_string())];
        Response { status, headers, length: Some(length) }
    }

    pub(super) fn event_stream() -> Response {
        let headers = vec![
            ("content-type", "text/event-stream".to_owned()),
            ("cache-control", "no-cache, no-transform".to_owned()), // or compressing middleware gathers what is to go at once,
            ("x-accel-buffering", "no".to_owned()),
        ];
        Response { status: 200, headers, length: None }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Response {
        self.headers.push((name, value.into()));
        self
    }
}

/// A whole response that refuses a request: its status is 4xx or 5xx.
pub(super) struct ErrorResponse {
    pub(super) response: Response,
    pub(super) body: Vec<u8>,
    /// The line for the application's log.
    pub(super) hint: Option<Box<(RefusalKind, String)>>,
}

impl ErrorResponse {
    pub(super) fn new(response: Response, body: Vec<u8>) -> ErrorResponse {
        debug_assert!(response.status >= 400, "{} refuses nothing", response.status);
        ErrorResponse { response, body, hint: None }
    }

    pub(super) fn empty(status: u16) -> ErrorResponse {
        ErrorResponse::new(Response::empty(status), Vec::new())
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> ErrorResponse {
        self.response = self.response.header(name, value);
        self
    }

    /// Tells the application's log about the refusal, too.
    pub(super) fn hint(mut self, kind: RefusalKind, why: &str) -> ErrorResponse {
        let line = format!("a request was answered {}: {why}", self.response.status);
        self.hint = Some(Box::new((kind, line)));
        self
    }
}

/// A refusal that says why, as a JSON-RPC error. The id is that of the request, if its body was read.
pub(super) fn refusal(
    status: u16,
    id: Option<&RequestId>,
    revision: Option<&Revision>,
    fault: &RpcError,
) -> ErrorResponse {
    let reply = match (id, revision) {
        (Some(id), _) => ReplyId::Id(id),
        (None, Some(revision)) if revision.null_id => ReplyId::Null,
        (None, _) => ReplyId::Omitted,
    };
    whole(status, reply, fault)
}

/// The answer to what has no id that could be read: an error of JSON-RPC, whose id is null, or absent where a revision
/// does not admit that.
pub(super) fn unreadable(revision: Option<&Revision>, fault: &RpcError) -> ErrorResponse {
    let null = revision.is_none_or(|revision| revision.null_id);
    whole(400, if null { ReplyId::Null } else { ReplyId::Omitted }, fault)
}

fn whole(status: u16, reply: ReplyId<'_>, fault: &RpcError) -> ErrorResponse {
    let mut body = Vec::new();
    error(&mut body, reply, fault);
    ErrorResponse::new(Response::json(status, body.len() as u64), body)
}

/// [`refusal`] of a request that the transport does not let through, whatever it asks for.
pub(super) fn invalid(status: u16, what: &str) -> ErrorResponse {
    refusal(status, None, None, &RpcError::invalid_request(what))
}
