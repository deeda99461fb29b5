//! GET: a client opens or resumes an event stream of its session.

use super::RequestHead;
use super::answering::{InSession, ResponseStage};
use super::classify::Version;
use super::exchange::{Exchange, ExchangeState};
use super::limits::crowded;
use super::media::Accepts;
use super::response::{ErrorResponse, Response, invalid};
use super::response_head::HeadChoice;
use super::routing::{NO_STREAM, closing, not_offered, session_id, unknown_session};
use super::sessions::Purpose;
use super::streams::{Opened, Place, Resumed};
use crate::connection::Connection;
use crate::protocol::{Route, Routes};
use crate::revision::Era;

impl Exchange {
    /// Opens the stream for messages that belong to no request, or resumes any stream of the session.
    pub(super) fn get(&mut self, head: &RequestHead<'_>) -> Result<ExchangeState, ErrorResponse> {
        let accepts = self.check_get(head)?;
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
        let Some(stream) = self.open_stream(&id, place)? else { return Ok(nothing_left()) };
        let OpenedStream { connection, route, opened, replaces } = stream;
        self.renew(&connection);
        inner.take_abandoned(&connection, &Routes::These(opened.forgotten));
        if place.is_some() {
            connection.reopen_stream(route);
        }
        if place.is_some() || replaces {
            inner.notify_route(&connection, route); // the exchange that held the stream before ends now
        }
        let priming = place.is_none() && connection.session_revision().is_some_and(|r| r.sse_priming);
        let mut session = InSession::new(id);
        session.priming = priming;
        session.stream = Some((opened.stream, opened.holder));
        let choice = HeadChoice::new(accepts, Era::Handshake); // not asked: the response is an event stream
        let mut answering = self.answer(connection, route, choice, None, Some(session));
        answering.sent = ResponseStage::NothingOfStream;
        answering.ends_at = self.expires_at.filter(|_| route == Route::Connection);
        Ok(ExchangeState::Answering(answering))
    }

    /// Checks that the endpoint offers event streams and that the client accepts one.
    fn check_get(&self, head: &RequestHead<'_>) -> Result<Accepts, ErrorResponse> {
        let options = &self.endpoint.0.options;
        let version = Version::read(head, self.revisions());
        if matches!(version, Version::Stateless(_)) {
            return Err(not_offered(options, head, None));
        }
        if !options.values.sessions {
            return Err(not_offered(options, head, Some("sessions")));
        }
        let accepts = Accepts::read(head);
        if !accepts.stream {
            return Err(invalid(406, NO_STREAM));
        }
        self.check_version(&version)?;
        Ok(accepts)
    }

    /// Opens a stream of the session, or resumes the one at `place`. Returns `None` if that stream is over and the client
    /// has seen all of it.
    fn open_stream(&self, id: &str, place: Option<Place>) -> Result<Option<OpenedStream>, ErrorResponse> {
        let inner = &self.endpoint.0;
        let (now, tick_at) = (self.now, inner.next_tick(self.now));
        let most = inner.server.limits().session_streams;
        inner.state.with(|s, _| {
            let session = s.sessions.find(id, self.caller.id()).ok_or_else(|| unknown_session(None))?;
            if !session.has_room(most) {
                return Err(crowded(None, most));
            }
            let connection = session.connection.clone();
            let (route, opened) = if let Some(place) = place {
                let Resumed { route, holder, has_events } =
                    session.streams.resume(place).ok_or_else(unknown_event)?;
                if !has_events {
                    return Ok(None);
                }
                (route, Opened { stream: place.stream, holder, forgotten: Vec::new() })
            } else {
                let opened = s.sessions.open_stream(id, Route::Connection, most);
                (Route::Connection, opened.ok_or_else(|| unknown_session(None))?)
            };
            let stream = opened.stream;
            let taken = match (route, s.sessions.get(id)) {
                (Route::Connection, Some(session)) => {
                    session.take_over(stream, inner.options.values.replay_bytes)
                }
                _ => None,
            };
            s.sessions.enter(id, Purpose::of_route(route), now, tick_at);
            s.sessions.forget_abandoned(connection.id(), route);
            let replaces = taken.is_some();
            for event in taken.into_iter().flatten() {
                s.sessions.note_kept_event(id, stream, event, &inner.account);
            }
            Ok(Some(OpenedStream { connection, route, opened, replaces }))
        })
    }
}

/// An event stream of a session that an exchange now holds.
struct OpenedStream {
    connection: Connection,
    route: Route,
    opened: Opened,
    /// True if another exchange held the session's own stream until now.
    replaces: bool,
}

fn unknown_event() -> ErrorResponse {
    invalid(400, "Last-Event-ID names no event that is still kept; see replay_bytes")
}

/// Makes the response for a stream that is over and that the client has seen completely. With an empty stream, clients
/// would come back again and again; this tells them not to (WHATWG HTML, server-sent events).
fn nothing_left() -> ExchangeState {
    ExchangeState::whole(Response::empty(204), Vec::new())
}
