//! Where a request goes: refused, to a session, or to a connection of its own.

use super::RequestHead;
use super::account::{Counted, Full, Permit, share};
use super::answering::{Answering, InSession};
use super::choice::Choice;
use super::classify::{Body, Version, classify};
use super::cors;
use super::endpoint::{Inner, Options};
use super::exchange::{Exchange, Incoming, State};
use super::media::{Accepts, check_transfer_codings, is_json};
use super::origin::Refused;
use super::response::{Response, Whole, hinted, invalid, refusal, unreadable};
use super::sessions::new_id;
use super::streams::{MOST as MOST_STREAMS, Place};
use crate::connection::Connection;
use crate::event::Event;
use crate::jsonrpc::{FaultKind, ParseLimits, Parsed, RequestId, RpcError, parse};
use crate::protocol::{Route, limit, unsupported_version};
use crate::refusals::RefusalKind;
use crate::revision::{Era, Revision, Revisions};
use std::sync::Arc;

/// The message of a POST.
struct Posted<'a> {
    accepts: Accepts,
    bytes: &'a [u8],
    parsed: Parsed<'a>,
}

/// The fields that a POST is looked at for once its body is there.
const FIELDS: [&str; 4] = [Version::FIELD, "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"];
const SESSION: &str = "Mcp-Session-Id";
const NO_SESSION: &str = "Mcp-Session-Id is missing; see sessions";
const UNKNOWN_SESSION: &str = "the session is unknown or has ended; see session_ms";
/// What the host is told of it.
const FOREIGN_SESSION: &str = "the session is unknown or has ended; see `session_ms`. If another process began it, share \
    `cursor_key` among them and turn `sessions` off";
const NO_STREAM: &str = "Accept does not allow text/event-stream";

impl Exchange {
    /// Everything that can be judged before the body and before the host is asked who the client is: WIRE 7.2 names the
    /// order.
    pub(super) fn admit(&mut self, head: &RequestHead<'_>) -> Result<State, Whole> {
        let inner = self.endpoint.0.clone();
        let options = &inner.options;
        let metadata = inner.is_metadata(head.path());
        if head.path() != options.path && !metadata {
            let why = format!(
                "the path '{}' is not that of the endpoint, '{}'; see `path`",
                head.path(),
                options.path
            );
            return Err(hinted((Response::empty(404), Vec::new()), RefusalKind::Path, &why));
        }
        let checked = options.gate.check(head).and_then(|()| check_transfer_codings(head));
        checked.map_err(|Refused { status, why, hint }| match hint {
            None => invalid(status, &why),
            Some((kind, setting)) => {
                let told = invalid(status, &format!("{why}; see {setting}"));
                hinted(told, kind, &format!("{why}; see `{setting}`"))
            }
        })?;
        self.origin = if options.cors { cors::origin(head) } else { None };
        match &options.protection {
            Some(protection) if metadata && head.method == "GET" => {
                let document = protection.metadata();
                Err((Response::json(200, document.len() as u64), document))
            }
            _ if options.cors && cors::is_preflight(head) => {
                let offered = if metadata { "GET" } else { offered(options) };
                Err((cors::preflight(offered), Vec::new()))
            }
            _ if metadata => Err((Response::empty(405).with("allow", "GET"), Vec::new())),
            _ if !["POST", "GET", "DELETE"].contains(&head.method) => {
                let setting = (head.method == "OPTIONS" && !options.cors).then_some("cors");
                Err(not_offered(options, head, setting))
            }
            Some(protection) => self.verify(head, protection),
            None => self.head(head),
        }
    }

    /// What else the head says, of a client that is known by now.
    pub(super) fn head(&mut self, head: &RequestHead<'_>) -> Result<State, Whole> {
        match head.method {
            "POST" => self.post(head),
            "GET" => self.get(head),
            _ => self.delete(head),
        }
    }

    fn revisions(&self) -> &Revisions {
        self.endpoint.0.server.revisions()
    }

    fn post(&mut self, head: &RequestHead<'_>) -> Result<State, Whole> {
        let options = &self.endpoint.0.options;
        if is_json(head) != Ok(true) {
            return Err(invalid(415, "Content-Type is not application/json"));
        }
        let accepts = Accepts::read(head);
        if !accepts.json && !accepts.stream {
            return Err(invalid(406, "Accept allows neither application/json nor text/event-stream"));
        }
        if options.strict_accept && !(accepts.json && accepts.stream) {
            let what = "Accept has to allow both application/json and text/event-stream; see strict_accept";
            return Err(invalid(406, what));
        }
        let length = head.one("content-length").ok().flatten();
        let length = length.and_then(|length| std::str::from_utf8(length).ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length > self.endpoint.0.server.limits().message_bytes as u64) {
            return Err(too_large(&self.endpoint.0));
        }
        let mut fields = Vec::new();
        for name in FIELDS {
            fields.extend(head.all(name).map(|value| (name, value.to_vec())));
        }
        let length = length.and_then(|length| usize::try_from(length).ok());
        self.body.length = length;
        Ok(State::Body(Box::new(Incoming { head: fields, accepts })))
    }

    /// Opens the stream of what belongs to no request, or goes on with any stream of the session.
    fn get(&mut self, head: &RequestHead<'_>) -> Result<State, Whole> {
        let options = &self.endpoint.0.options;
        let version = Version::read(head, self.revisions());
        if matches!(version, Version::Stateless(_)) {
            return Err(not_offered(options, head, None));
        }
        if !options.sessions {
            return Err(not_offered(options, head, Some("sessions")));
        }
        if !Accepts::read(head).stream {
            return Err(invalid(406, NO_STREAM));
        }
        self.is_served(&version)?;
        let inner = self.endpoint.0.clone();
        if inner.server.is_closed() {
            return Err(closing(None));
        }
        let id = session_id(head, None)?;
        let place = match head.one("last-event-id") {
            Ok(None) => None,
            Ok(Some(id)) => Some(Place::read(id).ok_or_else(unknown_event)?),
            Err(_) => return Err(unknown_event()),
        };
        let (now, look) = (self.now, inner.next_look(self.now));
        let opened = inner.state.with(|s, _| {
            let session = s.sessions.find(&id, self.caller.id()).ok_or_else(|| unknown_session(None))?;
            if !session.has_room() {
                return Err(crowded(None));
            }
            let (route, stream, holder) = if let Some(place) = place {
                let (route, holder, goes_on) = session.streams.resume(place).ok_or_else(unknown_event)?;
                if !goes_on {
                    return Err(nothing_left());
                }
                (route, place.stream, holder)
            } else {
                let (stream, holder) = session.streams.open(Route::Connection);
                (Route::Connection, stream, holder)
            };
            let taken = match route {
                Route::Connection => session.take_over(stream, inner.options.replay_bytes),
                Route::Exchange(_) => None,
            };
            let connection = session.connection.clone();
            s.sessions.enter(&id, true, now, look);
            s.sessions.over(connection.id(), route);
            let replaces = taken.is_some();
            for event in taken.into_iter().flatten() {
                s.sessions.said(&id, stream, event, &inner.account);
            }
            Ok((connection, route, stream, holder, replaces))
        });
        let (connection, route, stream, holder, replaces) = opened?;
        self.renew(&connection);
        if place.is_some() {
            connection.go_on(route);
        }
        if place.is_some() || replaces {
            inner.ring(&connection, Some(&[route])); // the exchange that held the stream before ends now
        }
        let priming = place.is_none() && connection.session_revision().is_some_and(|r| r.sse_priming);
        let mut session = InSession::new(id, false, priming);
        session.stream = Some((stream, holder));
        let mut answering = self.answer(connection, route, Choice::stream(), None, Some(session));
        answering.stream = true;
        answering.until = self.until.filter(|_| route == Route::Connection);
        Ok(State::Answering(answering))
    }

    fn delete(&mut self, head: &RequestHead<'_>) -> Result<State, Whole> {
        let options = &self.endpoint.0.options;
        let version = Version::read(head, self.revisions());
        if matches!(version, Version::Stateless(_)) {
            return Err(not_offered(options, head, None));
        }
        if !options.delete || !options.sessions {
            let setting = if options.sessions { "delete" } else { "sessions" };
            return Err(not_offered(options, head, Some(setting)));
        }
        self.is_served(&version)?;
        let id = session_id(head, None)?;
        let session = self.endpoint.0.state.with(|s, _| {
            s.sessions.find(&id, self.caller.id())?;
            s.sessions.remove(&id)
        });
        match session {
            Some(session) => self.endpoint.0.close(&session.connection),
            None => return Err(unknown_session(None)),
        }
        Err((Response::empty(204), Vec::new()))
    }

    /// Refuses a request without a body whose head names a version that is not served.
    fn is_served(&self, version: &Version) -> Result<(), Whole> {
        match version {
            Version::Unknown(requested) => {
                Err(refusal(400, None, None, &unsupported_version(requested, self.revisions())))
            }
            _ => Ok(()),
        }
    }

    /// Finds the path of a message: WIRE 2.4.
    pub(super) fn message(&mut self, incoming: &Incoming, message: &[u8]) -> Result<Box<Answering>, Whole> {
        let inner = self.endpoint.0.clone();
        let fields: Vec<(&str, &[u8])> = incoming.head.iter().map(|(n, v)| (*n, v.as_slice())).collect();
        let head = RequestHead { method: "POST", target: "", headers: &fields };
        let version = Version::read(&head, inner.server.revisions());
        let ParseLimits { nesting, id_bytes, .. } = inner.server.limits().of_parsing();
        let parsed = parse(message, &inner.server.limits().of_parsing());
        let body = classify(&parsed, &version);
        let posted = Posted { accepts: incoming.accepts, bytes: message, parsed };
        let refuse = |status, id: Option<&RequestId>, fault: &RpcError| {
            Err(refusal(status, id, version.revision().as_ref(), fault))
        };
        match (&body, &version) {
            (Body::Bad { id, fault }, _) => {
                let fault = match fault {
                    FaultKind::Parse => RpcError::parse_error(),
                    FaultKind::Invalid(what) => RpcError::invalid_request(what),
                    FaultKind::Nesting => limit("nesting", nesting),
                    FaultKind::IdTooLong => limit("id_bytes", id_bytes),
                };
                match id {
                    Some(id) => refuse(400, Some(id), &fault),
                    None => {
                        Err(unreadable(self.revision_of(&head, &version).is_none_or(|r| r.null_id), &fault))
                    }
                }
            }
            (Body::Request { id, stateless, counted: Counted::Listen, .. }, _)
                if !incoming.accepts.stream && *stateless =>
            {
                refuse(406, Some(id), &RpcError::invalid_request(NO_STREAM))
            }
            // Where no revision is served that lets a request stand for itself, none does.
            (Body::Request { id, stateless: true, counted, .. }, _)
                if self.revisions().newest(Era::Stateless).is_some() =>
            {
                self.stateless(posted, &head, id, *counted)
            }
            (Body::Request { initialize: true, id, .. }, _) => self.initialize(posted, &head, id),
            (Body::Request { id, .. }, Version::Unknown(requested)) => {
                refuse(400, Some(id), &unsupported_version(requested, inner.server.revisions()))
            }
            (_, Version::Unknown(requested)) => {
                refuse(400, None, &unsupported_version(requested, inner.server.revisions()))
            }
            (Body::Notification, Version::Stateless(_)) => Err((Response::empty(202), Vec::new())),
            (Body::Response, Version::Stateless(_)) => {
                refuse(400, None, &RpcError::invalid_request("this revision asks nothing of clients"))
            }
            (Body::Array { stateless: true, .. }, _) | (Body::Array { .. }, Version::Stateless(_)) => {
                refuse(400, None, &RpcError::invalid_request("send one message at a time"))
            }
            _ if !inner.options.sessions => self.without_session(posted, &body, &version),
            _ => self.in_session(posted, &head, &body),
        }
    }

    /// The revision of an answer to what cannot be read: the session's, or what the head says.
    fn revision_of(&self, head: &RequestHead<'_>, version: &Version) -> Option<Revision> {
        let session = session_id(head, None).ok().and_then(|id| {
            let sessions = &self.endpoint.0.state;
            sessions.with(|s, _| Some(s.sessions.find(&id, self.caller.id())?.connection.clone()))
        });
        session.and_then(|connection| connection.session_revision()).or_else(|| version.revision())
    }

    /// A request that stands for itself has a connection for itself.
    fn stateless(
        &mut self,
        posted: Posted<'_>,
        head: &RequestHead<'_>,
        id: &RequestId,
        counted: Counted,
    ) -> Result<Box<Answering>, Whole> {
        let permit = self.count(counted, 1, Some(id))?;
        let listening = (counted == Counted::Listen).then(|| permit.clone());
        let connection = self.endpoint.0.group.connect_apart(self.caller.clone());
        connection.tick(self.now);
        let choice = Choice::new(posted.accepts.json, true);
        let single = !posted.accepts.stream;
        let opened = connection.exchange_alone(posted.bytes, posted.parsed, single, Some(head), permit);
        let (route, event) = opened.map_err(|_| closing(Some(id)))?;
        let mut answering = self.answer(connection, route, choice, event, None);
        answering.until = self.until.filter(|_| listening.is_some());
        answering.permit = listening;
        Ok(answering)
    }

    fn initialize(
        &mut self,
        posted: Posted<'_>,
        head: &RequestHead<'_>,
        request: &RequestId,
    ) -> Result<Box<Answering>, Whole> {
        let caller = self.caller.clone().in_context(None); // the session outlives the request
        let sessions = self.endpoint.0.options.sessions;
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
        let permit = self.count(Counted::Call, 1, Some(request))?;
        let connection = self.endpoint.0.group.connect(caller.clone());
        connection.frame_elsewhere();
        connection.tick(self.now);
        if !sessions {
            connection.stand_alone(None);
        }
        let choice = Choice::new(posted.accepts.json, false);
        let opened = connection.exchange_parsed(posted.bytes, posted.parsed, false, None, Some(permit));
        let (route, event) = opened.map_err(|_| closing(Some(request)))?;
        if !sessions || connection.session_revision().is_none() {
            return Ok(self.answer(connection, route, choice, event, None)); // it was refused
        }
        let Ok(id) = new_id() else {
            return Err(refusal(500, Some(request), None, &RpcError::internal()));
        };
        let (now, look) = (self.now, self.endpoint.0.next_look(self.now));
        let account = self.endpoint.0.account.clone();
        let (most, unused) = (self.endpoint.0.options.session_limit, self.unused());
        let gone = self.endpoint.0.state.with(|s, _| {
            let gone = s.sessions.make_place(most, unused);
            s.sessions.add(&id, connection.clone(), caller.id(), account, now, look);
            gone
        });
        if let Some(gone) = gone {
            self.endpoint.0.close(&gone.connection);
        }
        let session = InSession::new(id.into(), true, false);
        Ok(self.answer(connection, route, choice, event, Some(session)))
    }

    /// Whether one more session may begin, for this caller and at all.
    fn room_for_session(&self, request: &RequestId) -> Result<(), Whole> {
        let most = self.endpoint.0.options.session_limit;
        let (unused, share) = (self.unused(), self.share(most));
        let full = self.endpoint.0.state.with(|s, _| match share {
            Some(share) if s.sessions.of_caller(self.caller.id()) >= share.most => Some(share),
            _ if s.sessions.len() < most || s.sessions.dispensable(unused).is_some() => None,
            _ => Some(Full { limit: "session_limit", most }),
        });
        full.map_or(Ok(()), |full| Err(busy(Some(request), full)))
    }

    /// Sessions that nobody has used since then may go if others need their places.
    fn unused(&self) -> Option<u64> {
        self.now.checked_sub(self.endpoint.0.options.idle_ms)
    }

    /// What a caller may have of so many, if it is known by its token.
    fn share(&self, all: usize) -> Option<Full> {
        let inner = &self.endpoint.0;
        let known = inner.options.protection.is_some() && !self.caller.id().is_empty();
        known.then(|| share(all, inner.server.limits().caller_percent))
    }

    /// A message of the handshake era where there are no sessions: its request stands for itself.
    fn without_session(
        &mut self,
        posted: Posted<'_>,
        body: &Body,
        version: &Version,
    ) -> Result<Box<Answering>, Whole> {
        let inner = self.endpoint.0.clone();
        let (id, number) = match body {
            Body::Request { id, .. } => (Some(id), 1),
            Body::Array { length, .. } => (None, *length),
            // Nothing is under way that it could be about.
            Body::Notification | Body::Response | Body::Bad { .. } => {
                return Err((Response::empty(202), Vec::new()));
            }
        };
        let revision = match version.revision() {
            Some(revision) => revision,
            None => inner.server.revisions().unnamed().map_err(|unnamed| {
                refusal(400, id, None, &unsupported_version(unnamed, inner.server.revisions()))
            })?,
        };
        let permit = self.count(Counted::Call, number, id)?;
        let connection = inner.group.connect_apart(self.caller.clone());
        connection.tick(self.now);
        connection.stand_alone(Some(revision));
        let choice = Choice::new(posted.accepts.json, false);
        let single = !posted.accepts.stream;
        let opened = connection.exchange_alone(posted.bytes, posted.parsed, single, None, permit);
        let (route, event) = opened.map_err(|_| closing(id))?;
        Ok(self.answer(connection, route, choice, event, None))
    }

    fn in_session(
        &mut self,
        posted: Posted<'_>,
        head: &RequestHead<'_>,
        body: &Body,
    ) -> Result<Box<Answering>, Whole> {
        let (request, calls) = match body {
            Body::Request { id, .. } => (Some(id), 1),
            Body::Array { length, .. } => (None, (*length).max(1)),
            // A call under way may wait for just this.
            Body::Notification | Body::Response | Body::Bad { .. } => (None, 0),
        };
        let id = session_id(head, request)?;
        let (now, look) = (self.now, self.endpoint.0.next_look(self.now));
        let permit = (calls > 0).then(|| self.count(Counted::Call, calls, request)).transpose()?;
        let found = self.endpoint.0.state.with(|s, _| {
            let session = s.sessions.find(&id, self.caller.id()).ok_or_else(|| unknown_session(request))?;
            if calls > 0 && !session.has_room() {
                return Err(crowded(request));
            }
            let connection = session.connection.clone();
            s.sessions.enter(&id, calls > 0, now, look);
            Ok(connection)
        });
        let connection = found?;
        connection.tick(self.now);
        self.renew(&connection);
        let choice = Choice::new(posted.accepts.json, false);
        let own = self.endpoint.0.options.protection.is_some() || self.caller.context().is_some();
        let caller = own.then(|| self.caller.clone());
        let single = !posted.accepts.stream;
        let opened = connection.exchange_parsed(posted.bytes, posted.parsed, single, caller, permit);
        let (route, event) = opened.map_err(|_| {
            self.endpoint.0.state.with(|s, _| {
                s.sessions.exit(&id, now);
            });
            closing(request)
        })?;
        let priming = connection.session_revision().is_some_and(|revision| revision.sse_priming);
        let session = InSession::new(id, false, priming);
        Ok(self.answer(connection, route, choice, event, Some(session)))
    }

    fn answer(
        &self,
        connection: Connection,
        route: Route,
        choice: Choice,
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
            begun: false,
            stream: false,
            over: false,
            paused: false,
            session,
            spoke: self.now,
            until: None,
            permit: None,
        })
    }

    /// The session's caller is by now the one of this request.
    fn renew(&self, connection: &Connection) {
        if self.endpoint.0.options.protection.is_some() {
            connection.renew_caller(self.caller.clone().in_context(None)); // it outlives the request
        }
    }

    /// So many more calls, or a listen stream, unless there are as many as may be, or the server is closed.
    pub(super) fn count(
        &mut self,
        counted: Counted,
        number: usize,
        id: Option<&RequestId>,
    ) -> Result<Arc<Permit>, Whole> {
        if self.endpoint.0.server.is_closed() {
            return Err(closing(id));
        }
        let body = self.body_cost.take();
        let most = self.endpoint.0.server.limits().listen_streams;
        let share = self.share(most).filter(|_| counted == Counted::Listen);
        let caller = share.map(|share| self.endpoint.0.account.caller(self.caller.id(), share)).transpose();
        let permit = caller.and_then(|caller| self.holder.permit(counted, number, body, caller));
        permit.map_err(|full| busy(id, full))
    }
}

fn session_id(head: &RequestHead<'_>, request: Option<&RequestId>) -> Result<Box<str>, Whole> {
    let refused = |what| refusal(400, request, None, &RpcError::invalid_request(what));
    let id = head.one(SESSION).map_err(|_| refused("Mcp-Session-Id came more than once"))?;
    let id = id.ok_or_else(|| refused(NO_SESSION))?;
    std::str::from_utf8(id).map(Into::into).map_err(|_| unknown_session(request))
}

fn unknown_session(request: Option<&RequestId>) -> Whole {
    let told = refusal(404, request, None, &RpcError::invalid_request(UNKNOWN_SESSION));
    hinted(told, RefusalKind::Session, FOREIGN_SESSION)
}

fn unknown_event() -> Whole {
    invalid(400, "Last-Event-ID names no event that is still kept; see replay_bytes")
}

/// The stream is over, and the client has seen all of it: it was cancelled, and has no answer. To an empty stream clients
/// would come back again and again; this tells them not to (WHATWG HTML, server-sent events).
fn nothing_left() -> Whole {
    (Response::empty(204), Vec::new())
}

/// The method is not among those of the endpoint, but would be with that setting, if there is one.
fn not_offered(options: &Options, head: &RequestHead<'_>, setting: Option<&str>) -> Whole {
    let (response, body) = match setting {
        Some(setting) => invalid(405, &format!("{} is not offered; see {setting}", head.method)),
        None => (Response::empty(405), Vec::new()),
    };
    let more = if options.cors { ", OPTIONS" } else { "" };
    (response.with("allow", format!("{}{more}", offered(options))), body)
}

fn closing(id: Option<&RequestId>) -> Whole {
    refusal(503, id, None, &RpcError::invalid_request("the server is closing"))
}

/// The methods that the endpoint takes.
fn offered(options: &Options) -> &'static str {
    match (options.sessions, options.delete) {
        (false, _) => "POST",
        (true, false) => "POST, GET",
        (true, true) => "POST, GET, DELETE",
    }
}

pub(super) fn busy(id: Option<&RequestId>, full: Full) -> Whole {
    let (response, body) = refusal(503, id, None, &full.fault());
    let why = format!("the limit `{}` is reached ({})", full.limit, full.most);
    hinted((response.with("retry-after", "1"), body), RefusalKind::Busy, &why)
}

/// The session has as many requests and streams under way as may be.
fn crowded(id: Option<&RequestId>) -> Whole {
    busy(id, Full { limit: "session_streams", most: MOST_STREAMS })
}

pub(super) fn too_large(inner: &Inner) -> Whole {
    refusal(413, None, None, &limit("message_bytes", inner.server.limits().message_bytes))
}
