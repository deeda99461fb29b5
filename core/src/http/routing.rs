//! Decides what handles a request: checks its head, then looks at its method.

use super::RequestHead;
use super::answering::{Answering, InSession, ResponseStage};
use super::classify::Version;
use super::cors;
use super::endpoint_builder::Options;
use super::exchange::{Exchange, ExchangeState};
use super::media::check_transfer_codings;
use super::origin::Refused;
use super::response::{ErrorResponse, Response, invalid, refusal};
use super::response_head::HeadChoice;
use crate::connection::Connection;
use crate::event::Event;
use crate::jsonrpc::{RequestId, RpcError};
use crate::protocol::{Route, unsupported_version};
use crate::refusals::RefusalKind;
use crate::request_head::HEAD_BYTES;
use crate::revision::Revisions;

pub(super) const NO_STREAM: &str = "Accept does not allow text/event-stream";
/// The header field that names a session.
pub(super) const SESSION: &str = "Mcp-Session-Id";
const NO_SESSION: &str = "Mcp-Session-Id is missing; see sessions";
const UNKNOWN_SESSION: &str = "the session is unknown or has ended; see session_ms";
/// The line of the application's log about a request for an unknown session.
const FOREIGN_SESSION: &str = "the session is unknown or has ended; see `session_ms`. If another process began it, share \
    `cursor_key` among them and turn `sessions` off";

impl Exchange {
    /// Checks a request as far as neither the body nor the application's answer about a token is needed.
    pub(super) fn admit(&mut self, head: &RequestHead<'_>) -> Result<ExchangeState, ErrorResponse> {
        let inner = self.endpoint.0.clone();
        let options = &inner.options;
        if head.bytes() > HEAD_BYTES {
            return Err(invalid(431, "the head of the request is larger than 128 KiB"));
        }
        let path = head.path();
        let metadata = inner.is_metadata(path);
        if path != options.values.path.get() && !metadata {
            let why = format!(
                "the path '{path}' is not that of the endpoint, '{}'; see `path`",
                options.values.path.get()
            );
            return Err(ErrorResponse::empty(404).hint(RefusalKind::Path, &why));
        }
        let checked = options.gate.check(head).and_then(|()| check_transfer_codings(head));
        checked.map_err(|Refused { status, why, hint }| match hint {
            None => invalid(status, &why),
            Some((kind, setting)) => invalid(status, &format!("{why}; see {setting}"))
                .hint(kind, &format!("{why}; see `{setting}`")),
        })?;
        self.origin = if options.values.cors { cors::origin(head) } else { None };
        match &options.protection {
            Some(protection) if metadata && head.method == "GET" => {
                let document = protection.metadata();
                Ok(ExchangeState::whole(Response::json(200, document.len() as u64), document))
            }
            _ if options.values.cors && cors::is_preflight(head) => {
                let offered = if metadata { "GET" } else { offered(options) };
                Ok(ExchangeState::whole(cors::preflight(head, offered), Vec::new()))
            }
            _ if metadata => Err(ErrorResponse::empty(405).header("allow", "GET")),
            _ if !["POST", "GET", "DELETE"].contains(&head.method) => {
                let setting = (head.method == "OPTIONS" && !options.values.cors).then_some("cors");
                Err(not_offered(options, head, setting))
            }
            Some(protection) if !self.is_known => self.verify(head, protection),
            _ => self.head(head),
        }
    }

    /// Handles the rest of the head, once the caller is known.
    pub(super) fn head(&mut self, head: &RequestHead<'_>) -> Result<ExchangeState, ErrorResponse> {
        match head.method {
            "POST" => self.post(head),
            "GET" => self.get(head),
            _ => self.delete(head),
        }
    }

    pub(super) fn revisions(&self) -> &Revisions {
        self.endpoint.0.server.revisions()
    }

    /// Fails with a response if the head names a revision that the server does not serve.
    pub(super) fn check_version(&self, version: &Version) -> Result<(), ErrorResponse> {
        match version {
            Version::Unknown(requested) => {
                Err(refusal(400, None, None, &unsupported_version(requested, self.revisions())))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn answer(
        &self,
        connection: Connection,
        route: Route,
        choice: HeadChoice,
        event: Option<Event>,
        session: Option<InSession>,
    ) -> Box<Answering> {
        let listener = self.endpoint.0.listen(connection.id(), route, self.ready.clone());
        Box::new(Answering {
            connection,
            listener,
            route,
            choice,
            drain: None,
            event,
            sent: ResponseStage::Nothing,
            session,
            last_sent: self.now,
            ends_at: None,
            permit: None,
        })
    }

    /// Makes the caller of this request the caller of its session.
    pub(super) fn renew(&self, connection: &Connection) {
        if self.is_known {
            connection.renew_caller(self.caller.clone().without_request());
        }
    }
}

pub(super) fn session_id(
    head: &RequestHead<'_>,
    request: Option<&RequestId>,
) -> Result<Box<str>, ErrorResponse> {
    let refused = |what| refusal(400, request, None, &RpcError::invalid_request(what));
    let id = head.one(SESSION).map_err(|_| refused("Mcp-Session-Id came more than once"))?;
    let id = id.ok_or_else(|| refused(NO_SESSION))?;
    std::str::from_utf8(id).map(Into::into).map_err(|_| unknown_session(request))
}

pub(super) fn unknown_session(request: Option<&RequestId>) -> ErrorResponse {
    refusal(404, request, None, &RpcError::invalid_request(UNKNOWN_SESSION))
        .hint(RefusalKind::Session, FOREIGN_SESSION)
}

/// Makes the response to a method that the endpoint does not offer. `setting` is the one that would offer it, if there
/// is one.
pub(super) fn not_offered(options: &Options, head: &RequestHead<'_>, setting: Option<&str>) -> ErrorResponse {
    let refused = match setting {
        Some(setting) => invalid(405, &format!("{} is not offered; see {setting}", head.method)),
        None => ErrorResponse::empty(405),
    };
    let more = if options.values.cors { ", OPTIONS" } else { "" };
    refused.header("allow", format!("{}{more}", offered(options)))
}

pub(super) fn closing(id: Option<&RequestId>) -> ErrorResponse {
    refusal(503, id, None, &RpcError::invalid_request("the server is closing"))
}

/// Returns the methods that the endpoint offers, for the field `Allow`.
fn offered(options: &Options) -> &'static str {
    match (options.values.sessions, options.values.delete) {
        (false, _) => "POST",
        (true, false) => "POST, GET",
        (true, true) => "POST, GET, DELETE",
    }
}
