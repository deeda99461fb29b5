//! POST: handles the message in the body.

use super::RequestHead;
use super::answering::InSession;
use super::classify::{PermitKind, PostedBody, Version, classify};
use super::exchange::{Exchange, ExchangeState, Incoming};
use super::limits::{crowded, too_large};
use super::media::{Accepts, is_json};
use super::response::{ErrorResponse, invalid, refusal, unreadable};
use super::response_head::HeadChoice;
use super::routing::{NO_STREAM, SESSION, closing, session_id, unknown_session};
use super::sessions::{Purpose, new_id};
use crate::jsonrpc::{Parsed, RequestId, RpcError, parse};
use crate::protocol::{RouteOutput, param_fields, unsupported_version};
use crate::request_head::OwnedHead;
use crate::revision::{Era, Revision};
use std::borrow::Cow;
use std::sync::Arc;

/// The message of a POST.
struct Posted<'a> {
    accepts: Accepts,
    bytes: &'a [u8],
    parsed: Parsed<'a>,
}

/// The header fields that are needed once the body has arrived, in addition to those that repeat arguments of a tool.
const FIELDS: [&str; 4] = [Version::FIELD, "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"];

impl Exchange {
    pub(super) fn post(&mut self, head: &RequestHead<'_>) -> Result<ExchangeState, ErrorResponse> {
        let options = &self.endpoint.0.options;
        if is_json(head) != Ok(true) {
            return Err(invalid(415, "Content-Type is not application/json"));
        }
        let accepts = Accepts::read(head);
        if !accepts.json && !accepts.stream {
            return Err(invalid(406, "Accept allows neither application/json nor text/event-stream"));
        }
        if options.values.strict_accept && !(accepts.json && accepts.stream) {
            let what = "Accept has to allow both application/json and text/event-stream; see strict_accept";
            return Err(invalid(406, what));
        }
        let length = head.one("content-length").ok().flatten();
        let length = length.and_then(|length| std::str::from_utf8(length).ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > self.endpoint.0.server.limits().message_bytes as u64) {
            return Err(too_large(&self.endpoint.0));
        }
        if self.caller.head().is_none() {
            self.caller = self.caller.clone().with_head(Some(Arc::new(OwnedHead::new(head))));
        }
        let mut fields = Vec::new();
        for name in FIELDS {
            fields.extend(head.all(name).map(|value| (Cow::Borrowed(name), value.to_vec())));
        }
        fields.extend(param_fields(head).map(|(name, value)| (Cow::Owned(name.to_owned()), value.to_vec())));
        let length = length.and_then(|length| usize::try_from(length).ok());
        self.body.length = length;
        Ok(ExchangeState::Body(Box::new(Incoming { head: fields, accepts })))
    }

    /// Handles the message in a body: finds its era and its connection. Returns the next state of the exchange.
    pub(super) fn message(
        &mut self,
        incoming: &Incoming,
        message: &[u8],
    ) -> Result<ExchangeState, ErrorResponse> {
        let inner = self.endpoint.0.clone();
        let fields: Vec<(&str, &[u8])> = incoming.head.iter().map(|(n, v)| (&**n, v.as_slice())).collect();
        let head = RequestHead { method: "POST", target: "", headers: &fields, peer: &[] };
        let version = Version::read(&head, inner.server.revisions());
        let limits = inner.server.limits().of_parsing();
        let parsed = parse(message, &limits);
        let body = classify(&parsed, &version);
        let posted = Posted { accepts: incoming.accepts, bytes: message, parsed };
        let refuse = |status, id: Option<&RequestId>, fault: &RpcError| {
            Err(refusal(status, id, version.revision().as_ref(), fault))
        };
        let refuse_unreadable =
            |fault: &RpcError| Err(unreadable(self.revision_of(&head, &version).as_ref(), fault));
        match (&body, &version) {
            (PostedBody::Bad { id, fault }, _) => {
                let fault = fault.error(&limits);
                match id {
                    Some(id) => refuse(400, Some(id), &fault),
                    None => refuse_unreadable(&fault),
                }
            }
            // Where no revision is served that lets a request stand for itself, none does.
            (PostedBody::Request { id, stateless: true, counted, .. }, _)
                if self.revisions().newest(Era::Stateless).is_some() =>
            {
                self.stateless(posted, &head, id, *counted)
            }
            (PostedBody::Request { initialize: true, id, .. }, _) => self.initialize(posted, &head, id),
            (PostedBody::Request { id, .. }, Version::Unknown(requested)) => {
                refuse(400, Some(id), &unsupported_version(requested, inner.server.revisions()))
            }
            (PostedBody::Array { .. }, Version::Unknown(requested)) => {
                refuse_unreadable(&unsupported_version(requested, inner.server.revisions()))
            }
            // The error for a message without an answer has no id.
            (_, Version::Unknown(requested)) => {
                refuse(400, None, &unsupported_version(requested, inner.server.revisions()))
            }
            (PostedBody::Notification { .. }, Version::Stateless(_)) => Ok(ExchangeState::accepted()),
            (PostedBody::Response, Version::Stateless(_)) => {
                refuse(400, None, &RpcError::invalid_request("this revision asks nothing of clients"))
            }
            (PostedBody::Array { stateless: true, .. }, _)
            | (PostedBody::Array { .. }, Version::Stateless(_)) => {
                refuse_unreadable(&RpcError::invalid_request("send one message at a time"))
            }
            _ if !inner.options.values.sessions => self.without_session(posted, &body, &version),
            _ => self.in_session(posted, &head, &body),
        }
    }

    /// Returns the revision of the answer to a body that cannot be read: that of the session, or the one that the head
    /// names.
    fn revision_of(&self, head: &RequestHead<'_>, version: &Version) -> Option<Revision> {
        let session = session_id(head, None).ok().and_then(|id| {
            let sessions = &self.endpoint.0.state;
            sessions.with(|s, _| Some(s.sessions.find(&id, self.caller.id())?.connection.clone()))
        });
        session.and_then(|connection| connection.session_revision()).or_else(|| version.revision())
    }

    /// Handles a stateless request, on a connection of its own.
    fn stateless(
        &mut self,
        posted: Posted<'_>,
        head: &RequestHead<'_>,
        id: &RequestId,
        counted: PermitKind,
    ) -> Result<ExchangeState, ErrorResponse> {
        if counted == PermitKind::Listen && !posted.accepts.stream {
            return Err(refusal(406, Some(id), None, &RpcError::invalid_request(NO_STREAM)));
        }
        let permit = self.count(counted, 1, Some(id))?;
        let listening = (counted == PermitKind::Listen).then(|| permit.clone());
        let connection = self.endpoint.0.group.connect_apart(self.caller.clone());
        connection.tick(self.now);
        let choice = HeadChoice::new(posted.accepts, Era::Stateless);
        let output = posted.accepts.route_output();
        let opened = connection.handle_alone(posted.bytes, posted.parsed, output, Some(head), permit);
        let (route, event) = opened.map_err(|_| closing(Some(id)))?;
        let mut answering = self.answer(connection, route, choice, event, None);
        answering.ends_at = self.expires_at.filter(|_| listening.is_some());
        answering.permit = listening;
        Ok(ExchangeState::Answering(answering))
    }

    fn initialize(
        &mut self,
        posted: Posted<'_>,
        head: &RequestHead<'_>,
        request: &RequestId,
    ) -> Result<ExchangeState, ErrorResponse> {
        let caller = self.caller.clone().without_request();
        let sessions = self.endpoint.0.options.values.sessions;
        if sessions && head.all(SESSION).next().is_some() {
            let id = session_id(head, Some(request))?;
            let known = self.endpoint.0.state.with(|s, _| s.sessions.find(&id, caller.id()).is_some());
            let fault = RpcError::invalid_request("already initialized");
            return Err(if known {
                refusal(400, Some(request), None, &fault)
            } else {
                unknown_session(Some(request))
            });
        }
        if sessions {
            self.room_for_session(request)?;
        }
        let permit = self.count(PermitKind::Call, 1, Some(request))?;
        let connection = self.endpoint.0.group.connect(caller.clone());
        connection.frame_elsewhere();
        connection.tick(self.now);
        if !sessions {
            connection.stand_alone(None);
        }
        let choice = HeadChoice::new(posted.accepts, Era::Handshake);
        let opened =
            connection.handle_parsed_on_route(posted.bytes, posted.parsed, RouteOutput::Stream, None, permit);
        let (route, event) = opened.map_err(|_| closing(Some(request)))?;
        if !sessions || connection.session_revision().is_none() {
            return Ok(ExchangeState::Answering(self.answer(connection, route, choice, event, None))); // it was refused
        }
        let Ok(id) = new_id() else {
            return Err(refusal(500, Some(request), None, &RpcError::internal()));
        };
        connection.name_session(&id);
        let (now, tick_at) = (self.now, self.endpoint.0.next_tick(self.now));
        let account = self.endpoint.0.account.clone();
        let (most, unused) = (self.endpoint.0.options.values.session_limit, self.unused());
        let gone = self.endpoint.0.state.with(|s, _| {
            let gone = s.sessions.make_place(most, unused);
            s.sessions.add(&id, connection.clone(), caller.id(), account, now, tick_at);
            gone
        });
        if let Some(gone) = gone {
            self.endpoint.0.close(&gone.connection);
        }
        let mut session = InSession::new(id.into());
        session.announce = true;
        Ok(ExchangeState::Answering(self.answer(connection, route, choice, event, Some(session))))
    }

    /// Handles a message of the handshake era on an endpoint without sessions. Each request is independent there.
    fn without_session(
        &mut self,
        posted: Posted<'_>,
        body: &PostedBody,
        version: &Version,
    ) -> Result<ExchangeState, ErrorResponse> {
        let inner = self.endpoint.0.clone();
        let (id, number) = match body {
            PostedBody::Request { id, .. } => (Some(id), 1),
            PostedBody::Array { requests, .. } => (None, *requests),
            // Nothing is under way that it could be about.
            PostedBody::Notification { .. } | PostedBody::Response | PostedBody::Bad { .. } => {
                return Ok(ExchangeState::accepted());
            }
        };
        let revision = match version.revision() {
            Some(revision) => revision,
            None => inner.server.revisions().unnamed().map_err(|unnamed| {
                refusal(400, id, None, &unsupported_version(unnamed, inner.server.revisions()))
            })?,
        };
        let permit = self.count(PermitKind::Call, number, id)?;
        let connection = inner.group.connect_apart(self.caller.clone());
        connection.tick(self.now);
        connection.stand_alone(Some(revision));
        let choice = HeadChoice::new(posted.accepts, Era::Handshake);
        let output = posted.accepts.route_output();
        let opened = connection.handle_alone(posted.bytes, posted.parsed, output, None, permit);
        let (route, event) = opened.map_err(|_| closing(id))?;
        Ok(ExchangeState::Answering(self.answer(connection, route, choice, event, None)))
    }

    fn in_session(
        &mut self,
        posted: Posted<'_>,
        head: &RequestHead<'_>,
        body: &PostedBody,
    ) -> Result<ExchangeState, ErrorResponse> {
        let (request, requests, news) = match body {
            PostedBody::Request { id, .. } => (Some(id), 1, 0),
            PostedBody::Array { requests, news, .. } => (None, *requests, *news),
            PostedBody::Notification { is_news } => (None, 0, usize::from(*is_news)),
            // A call under way may wait for just this.
            PostedBody::Response | PostedBody::Bad { .. } => (None, 0, 0),
        };
        let purpose = if requests > 0 { Purpose::Requests } else { Purpose::Messages };
        let id = session_id(head, request)?;
        let (now, tick_at) = (self.now, self.endpoint.0.next_tick(self.now));
        let most = self.endpoint.0.server.limits().session_streams;
        let calls = requests + if self.endpoint.0.server.hears_notifications() { news } else { 0 };
        let permit = self.count(PermitKind::Call, calls, request)?;
        let found = self.endpoint.0.state.with(|s, _| {
            let session = s.sessions.find(&id, self.caller.id()).ok_or_else(|| unknown_session(request))?;
            if requests > 0 && !session.has_room(most) {
                return Err(crowded(request, most));
            }
            let connection = session.connection.clone();
            s.sessions.enter(&id, purpose, now, tick_at);
            Ok(connection)
        });
        let connection = found?;
        connection.tick(self.now);
        self.renew(&connection);
        let choice = HeadChoice::new(posted.accepts, Era::Handshake);
        let caller = Some(self.caller.clone());
        let output = posted.accepts.route_output();
        let opened = connection.handle_parsed_on_route(posted.bytes, posted.parsed, output, caller, permit);
        let (route, event) = opened.map_err(|_| {
            self.endpoint.0.state.with(|s, _| {
                s.sessions.exit(&id, purpose, now);
            });
            closing(request)
        })?;
        let mut session = InSession::new(id);
        session.priming = connection.session_revision().is_some_and(|revision| revision.sse_priming);
        Ok(ExchangeState::Answering(self.answer(connection, route, choice, event, Some(session))))
    }
}
