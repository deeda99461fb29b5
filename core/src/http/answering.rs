//! Sends the output of a connection's route as the response to a request.

use super::endpoint::Inner;
use super::exchange::Progress;
use super::listeners::ListenerKey;
use super::response::Response;
use super::response_head::{HeadChoice, ResponseHead};
use super::sessions::Sessions;
use super::sse;
use super::streams::Place;
use crate::account::Permit;
use crate::connection::{Connection, Drain, DrainStart};
use crate::event::Event;
use crate::protocol::{MessageKind, Route, Routes};
use std::sync::Arc;

/// Sends the output of one route as the HTTP response.
pub(super) struct Answering {
    pub(super) connection: Connection,
    pub(super) listener: ListenerKey,
    pub(super) route: Route,
    pub(super) choice: HeadChoice,
    pub(super) drain: Option<Drain>,
    pub(super) event: Option<Event>,
    pub(super) sent: ResponseStage,
    /// The session, if the request belongs to one.
    pub(super) session: Option<InSession>,
    /// The time when the client was last sent something, in milliseconds. The next keep-alive comment counts from it.
    pub(super) last_sent: u64,
    /// The time when the event stream ends, because the token that opened it expires.
    pub(super) ends_at: Option<u64>,
    /// The permit of a listen stream, which it holds as long as it lasts.
    pub(super) permit: Option<Arc<Permit>>,
}

/// The part of a response that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResponseStage {
    Nothing,
    /// Nothing yet. The response will be an event stream.
    NothingOfStream,
    /// The head of a response that is one JSON body.
    Head,
    /// The head of an event stream.
    StreamHead,
    /// An event stream up to the place where the application closed it, before the final message.
    PausedStream,
    /// All of a JSON body.
    Body,
    /// All of an event stream.
    Stream,
}

impl ResponseStage {
    pub(super) fn is_stream(self) -> bool {
        !matches!(self, ResponseStage::Nothing | ResponseStage::Head | ResponseStage::Body)
    }

    /// Returns whether the final message was sent.
    pub(super) fn is_complete(self) -> bool {
        matches!(self, ResponseStage::Body | ResponseStage::Stream)
    }

    fn has_head(self) -> bool {
        !matches!(self, ResponseStage::Nothing | ResponseStage::NothingOfStream)
    }

    /// Returns the stage after the final message was sent.
    fn complete(self) -> ResponseStage {
        if self.is_stream() { ResponseStage::Stream } else { ResponseStage::Body }
    }
}

pub(super) struct InSession {
    pub(super) id: Box<str>,
    /// True if the head of the response names the session, as the answer to `initialize` does.
    pub(super) announce: bool,
    pub(super) priming: bool,
    /// The numbers of the session's event stream and of this exchange as its holder, if the response is an event
    /// stream.
    pub(super) stream: Option<(u64, u64)>,
    /// The part of the next message that was encoded so far, since the session keeps whole messages. A poll never ends
    /// inside a message: an exchange that resumes the stream would get only the rest.
    pub(super) gathered: Vec<u8>,
}

impl Answering {
    pub(super) fn poll(&mut self, inner: &Inner, now: u64, out: &mut Vec<u8>) -> Progress {
        if let Some(event) = self.event.take() {
            return Progress::Event(event);
        }
        self.connection.advance_clock(now);
        let before = out.len();
        let opens = self.sent == ResponseStage::NothingOfStream;
        if opens {
            self.sent = ResponseStage::StreamHead;
        }
        let replaced = self.permit.as_ref().is_some_and(|permit| permit.is_replaced());
        if replaced || self.ends_at.is_some_and(|at| at <= now) {
            self.ends_at = None;
            self.expire(out);
        }
        if opens {
            return Progress::Respond(self.begin_stream(inner, out));
        }
        let progress = self.output(inner, out);
        if let (Progress::Respond(_), true, Some(permit)) = (&progress, self.sent.is_stream(), &self.permit) {
            inner.open_listen_stream(permit, now);
        }
        if out.len() > before {
            self.last_sent = now;
            return match progress {
                Progress::Respond(_) => progress, // the priming event follows its head
                _ => Progress::Data,
            };
        }
        if let Progress::Wait(_) = progress
            && self.sent.has_head()
            && self.sent.is_stream()
        {
            let next = self.last_sent.saturating_add(inner.options.values.keep_alive_ms);
            if next <= now {
                self.last_sent = now;
                out.extend_from_slice(sse::KEEP_ALIVE);
                return Progress::Data;
            }
            return Progress::Wait(earlier(earlier(Some(next), self.ends_at), self.deadline()));
        }
        progress
    }

    /// Ends the stream at the next poll, unless the stream carries an answer.
    pub(super) fn end_stream(&mut self) {
        if self.session.is_none() || self.route == Route::Connection {
            self.ends_at = Some(0);
        }
    }

    /// Ends the stream because its token expired, the driver stops, or another stream needs its place. A listen stream
    /// ends with its result, a session's stream with a `retry` for a client that comes back.
    fn expire(&mut self, out: &mut Vec<u8>) {
        if self.session.is_none() {
            self.connection.end_streams();
        } else {
            self.sent = self.sent.complete();
            sse::retry(RETRY, out);
        }
    }

    /// Returns the latest time for the next poll. In a session it is the deadline of this route only, since the
    /// endpoint sets the session's clock for other deadlines.
    fn deadline(&self) -> Option<u64> {
        match &self.session {
            Some(_) => self.connection.route_deadline(self.route),
            None => self.connection.poll_timeout(),
        }
    }

    /// Takes output of the route, at most a chunk of a large message, and appends it to `out`.
    fn output(&mut self, inner: &Inner, out: &mut Vec<u8>) -> Progress {
        let before = out.len();
        if !self.read_on(inner, |_, _, _| {}, out)
            || self.sent.is_complete()
            || self.sent == ResponseStage::PausedStream
        {
            return Progress::Done;
        }
        if out.len() - before >= CHUNK {
            return Progress::Data;
        }
        if let Some(progress) = self.begin_drain() {
            return progress;
        }
        loop {
            let Some(drain) = &mut self.drain else { return Progress::Done };
            let Some(transmit) = drain.poll_transmit(CHUNK) else {
                self.drain = None;
                return if self.sent.is_complete() {
                    Progress::Done
                } else {
                    Progress::Wait(self.deadline())
                };
            };
            let length = transmit.bytes.len();
            let (kind, first, last) = (transmit.kind, transmit.first, transmit.last);
            if self.sent == ResponseStage::Nothing {
                let head = self.choice.choose(&transmit);
                return Progress::Respond(self.begin_response(head, inner, out));
            }
            if let MessageKind::Paused(retry_ms) = kind {
                sse::retry(retry_ms, out);
                drain.wrote(length);
                self.drain = None;
                self.sent = ResponseStage::PausedStream;
                return Progress::Data;
            }
            match &mut self.session {
                _ if matches!(kind, MessageKind::Ended) => drain.wrote(length), // the stream ends, and says nothing about it
                Some(session) if self.sent.is_stream() => drain.hand_over(length, &mut session.gathered),
                _ => {
                    if self.sent.is_stream() && first {
                        sse::begin(None, out);
                    }
                    drain.hand_over(length, out);
                    if self.sent.is_stream() && last {
                        out.extend_from_slice(sse::END);
                    }
                }
            }
            if last && matches!(kind, MessageKind::Final(_) | MessageKind::Ended) {
                self.sent = self.sent.complete();
            }
            if last && !self.send_event(inner, out) {
                return Progress::Done;
            }
            let gathering = self.session.as_ref().is_some_and(|session| !session.gathered.is_empty());
            if out.len() >= CHUNK && !gathering {
                if self.session.is_some() && self.sent.is_stream() {
                    self.drain = None; // another exchange may go on with the stream while this client reads nothing
                }
                return Progress::Data;
            }
        }
    }

    /// Begins to drain the route, unless it is drained already. Returns the progress if the route has no output.
    fn begin_drain(&mut self) -> Option<Progress> {
        if self.drain.is_some() {
            return None;
        }
        match self.connection.drain(self.route) {
            DrainStart::Ready(drain) => self.drain = Some(drain),
            DrainStart::Empty if self.connection.is_closed() => {
                let has_head = self.sent.has_head();
                self.sent = self.sent.complete();
                return Some(if has_head { Progress::Done } else { Progress::Respond(Response::empty(404)) });
            }
            DrainStart::Empty | DrainStart::Busy => return Some(Progress::Wait(self.deadline())),
        }
        None
    }

    /// Makes the response with this head. The next poll takes the message by which the head was chosen.
    fn begin_response(&mut self, head: ResponseHead, inner: &Inner, out: &mut Vec<u8>) -> Response {
        self.sent = ResponseStage::Head;
        match head {
            ResponseHead::Json { status, length } => self.announce(Response::json(status, length)),
            ResponseHead::Empty { status } => Response::empty(status),
            ResponseHead::EventStream => {
                self.sent = ResponseStage::StreamHead;
                if self.session.is_some() {
                    self.drain = None; // another exchange may go on with the stream before this client has its head
                }
                self.begin_stream(inner, out)
            }
        }
    }

    /// Sends a whole message as an event of the session's stream, or ends the stream if there is none. Returns false if
    /// another exchange has the stream now; that one then sends the event.
    fn send_event(&mut self, inner: &Inner, out: &mut Vec<u8>) -> bool {
        let Some(session) = self.session.as_mut().filter(|_| self.sent.is_stream()) else { return true };
        let data: Arc<[u8]> = std::mem::take(&mut session.gathered).into();
        let (over, route) = (self.sent.is_complete(), self.route);
        let add = |sessions: &mut Sessions, id: &str, held| {
            let Some(session) = sessions.get(id) else { return };
            // Another exchange may have taken over meanwhile, with a stream of its own.
            let stream = session.standalone.filter(|_| route == Route::Connection).unwrap_or(held);
            if !data.is_empty() {
                sessions.add_event(id, stream, data, inner.options.values.replay_bytes, &inner.account);
            }
            if over && let Some(session) = sessions.get(id) {
                session.streams.end(stream);
            }
        };
        let held = self.read_on(inner, add, out);
        if !held {
            inner.notify_route(&self.connection, self.route);
        }
        held
    }

    /// Sends the unsent events of the session's stream, after it has called `first`. Returns false if another exchange
    /// has the stream now.
    fn read_on(
        &mut self,
        inner: &Inner,
        first: impl FnOnce(&mut Sessions, &str, u64),
        out: &mut Vec<u8>,
    ) -> bool {
        let Some(session) = &self.session else { return true };
        let Some((stream, holder)) = session.stream else { return true };
        let unsent = inner.state.with(|s, _| {
            first(&mut s.sessions, &session.id, stream);
            s.sessions.get(&session.id)?.streams.take(stream, holder)
        });
        let Some(unsent) = unsent else { return false };
        if unsent.are_last {
            self.sent = self.sent.complete();
        }
        for (number, data) in unsent.events {
            event(Place { stream, event: number }, &data, out);
        }
        true
    }

    fn begin_stream(&mut self, inner: &Inner, out: &mut Vec<u8>) -> Response {
        if let Some(session) = &mut self.session {
            if session.stream.is_none() {
                let most = inner.server.limits().session_streams;
                let opened = inner.state.with(|s, _| s.sessions.open_stream(&session.id, self.route, most));
                session.stream = opened.as_ref().map(|opened| (opened.stream, opened.holder));
                if let Some(opened) = opened {
                    inner.take_abandoned(&self.connection, &Routes::These(opened.forgotten));
                }
            }
            if session.priming
                && let Some((stream, _)) = session.stream
            {
                sse::priming(&Place { stream, event: 0 }.id(), out);
            }
        }
        self.announce(Response::event_stream())
    }

    fn announce(&mut self, response: Response) -> Response {
        match &self.session {
            Some(session) if session.announce => response.header("mcp-session-id", &*session.id),
            _ => response,
        }
    }
}

impl InSession {
    pub(super) fn new(id: Box<str>) -> Self {
        InSession { id, announce: false, priming: false, stream: None, gathered: Vec::new() }
    }
}

/// The greatest number of bytes of output that are taken at once.
const CHUNK: usize = 64 << 10;
/// The time in milliseconds after which a client is to come back if its stream ended because its token expired.
const RETRY: u64 = 1_000;

fn event(place: Place, data: &[u8], out: &mut Vec<u8>) {
    sse::begin(Some(&place.id()), out);
    out.extend_from_slice(data);
    out.extend_from_slice(sse::END);
}

fn earlier(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    [a, b].into_iter().flatten().min()
}
