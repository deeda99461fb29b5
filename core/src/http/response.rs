//! Heads of responses, and responses that need no connection.

use crate::jsonrpc::write::{ReplyId, error};
use crate::jsonrpc::{RequestId, RpcError};
use crate::refusals::RefusalKind;
use crate::revision::Revision;

/// The status code and header fields of a response (RFC 9110).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The header fields with their values; the names are in lower case.
    pub headers: Vec<(&'static str, String)>,
    /// The length of the body in bytes, if it is known. `headers` has `content-length` then,
    /// but with the status 204.
    pub length: Option<u64>,
}

impl Response {
    /// Makes the head of a refusal without a body.
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
    /// The kind of refusal and the line for the application's log, if the log is to mention the refusal.
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

    /// Adds a line about the refusal for the application's log.
    pub(super) fn hint(mut self, kind: RefusalKind, why: &str) -> ErrorResponse {
        let line = format!("a request was answered {}: {why}", self.response.status);
        self.hint = Some(Box::new((kind, line)));
        self
    }
}

/// Makes a refusal whose body is a JSON-RPC error. It has the id of the request if the body was read.
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

/// Makes the response to a body without a readable id: a JSON-RPC error whose id is null, or absent if the revision
/// does not allow null.
pub(super) fn unreadable(revision: Option<&Revision>, fault: &RpcError) -> ErrorResponse {
    let null = revision.is_none_or(|revision| revision.null_id);
    whole(400, if null { ReplyId::Null } else { ReplyId::Omitted }, fault)
}

fn whole(status: u16, reply: ReplyId<'_>, fault: &RpcError) -> ErrorResponse {
    let mut body = Vec::new();
    error(&mut body, reply, fault);
    let refused = ErrorResponse::new(Response::json(status, body.len() as u64), body);
    match fault.limit() {
        Some(limit) => refused.hint(RefusalKind::Limit(limit.name), &limit.reason()),
        None => refused,
    }
}

/// Makes a refusal of a request that breaks the rules of the transport, whatever its message is.
pub(super) fn invalid(status: u16, what: &str) -> ErrorResponse {
    refusal(status, None, None, &RpcError::invalid_request(what))
}
