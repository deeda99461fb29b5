//! One request and its response.

use super::RequestHead;
use super::answering::Answering;
use super::cors;
use super::endpoint::Endpoint;
use super::limits::{busy, too_large};
use super::media::Accepts;
use super::request_body::{RequestBody, RoomNeed, cost, make_room};
use super::response::{ErrorResponse, Response, invalid};
use super::sessions::Purpose;
use super::verifying::Verifying;
use crate::access::{Caller, RequestContext};
pub(super) use crate::account::Ready;
use crate::account::{Charge, Holder, REQUEST};
use crate::event::Event;
use crate::protocol::{Route, Routes};
use crate::request_head::HEAD_BYTES;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The next thing for a driver to do about an exchange.
#[derive(Debug)]
#[non_exhaustive]
pub enum Progress {
    /// Read the body, which has to arrive before this time: give its pieces to [`Exchange::body`], then call
    /// [`Exchange::end`].
    Body(u64),
    /// Run this event on any thread, then poll again. Other events come from [`Endpoint::poll_event`].
    Event(Event),
    /// Send this head, then the bytes that were appended to the buffer.
    Respond(Response),
    /// Send the bytes that were appended to the buffer.
    Data,
    /// Do nothing now. Poll again when `ready` is called, or at this time.
    Wait(Option<u64>),
    /// End the response, which is complete.
    Done,
}

/// The sender of a request, as the application named it when it began the exchange.
#[derive(Default)]
pub(super) struct Sender {
    /// The caller; `None` if the bearer token says who it is, or if there is no token.
    pub(super) caller: Option<Caller>,
    pub(super) context: Option<RequestContext>,
}

/// One request until the end of its response. Drop it when it is done, and when its client has gone.
pub struct Exchange {
    pub(super) endpoint: Endpoint,
    pub(super) ready: Ready,
    /// The caller of the request. It is the default one until the caller is known.
    pub(super) caller: Caller,
    /// True once the application has named the caller, with the request or by its answer about the token.
    pub(super) is_known: bool,
    /// The origin of the page that sent the request; `None` if it is not from a page, or if pages may not read the
    /// response.
    pub(super) origin: Option<String>,
    /// The time when the bearer token expires, in milliseconds.
    pub(super) expires_at: Option<u64>,
    pub(super) state: ExchangeState,
    pub(super) holder: Arc<Holder>,
    /// The cost of the request without its body.
    cost: Charge,
    pub(super) body: RequestBody,
    /// The cost of the whole body, until a permit takes it over.
    pub(super) body_cost: Option<Charge>,
    /// The time by which the state has to change, in milliseconds.
    pub(super) deadline: Option<u64>,
    pub(super) now: u64,
}

pub(super) enum ExchangeState {
    Verifying(Box<Verifying>),
    Body(Box<Incoming>),
    Whole(Option<Response>, Vec<u8>),
    Answering(Box<Answering>),
    Done,
}

impl ExchangeState {
    /// Makes the state of a response that is known as a whole.
    pub(super) fn whole(response: Response, body: Vec<u8>) -> ExchangeState {
        ExchangeState::Whole(Some(response), body)
    }

    /// Makes the state of a message that was accepted and has no answer: status 202.
    pub(super) fn accepted() -> ExchangeState {
        ExchangeState::whole(Response::empty(202), Vec::new())
    }
}

/// A POST whose body has not arrived completely.
pub(super) struct Incoming {
    /// The header fields that are needed once the body has arrived.
    pub(super) head: Vec<(Cow<'static, str>, Vec<u8>)>,
    pub(super) accepts: Accepts,
}

impl Exchange {
    pub(super) fn begin(
        endpoint: Endpoint,
        head: &RequestHead<'_>,
        now: u64,
        sender: Sender,
        holder: Arc<Holder>,
        ready: Ready,
    ) -> Exchange {
        endpoint.0.advance_clock(now);
        let is_known = sender.caller.is_some();
        let caller = sender.caller.unwrap_or_default().in_context(sender.context);
        let (expires_at, origin) = (None, None);
        let bytes = REQUEST.max(head.bytes().min(HEAD_BYTES));
        let need = RoomNeed { holder: &holder, number: None, bytes, cost: cost(bytes, now, now) };
        let cost = make_room(&endpoint.0, &need, || holder.reserve(bytes));
        let (cost, fits) = cost.map_or_else(|full| (holder.charge(), Err(full)), |cost| (cost, Ok(())));
        let (body, body_cost) = (RequestBody::new(&holder, now, &ready), None);
        let (state, deadline) = (ExchangeState::Done, None);
        let mut exchange = Exchange {
            endpoint,
            ready,
            caller,
            is_known,
            origin,
            expires_at,
            state,
            holder,
            cost,
            body,
            body_cost,
            deadline,
            now,
        };
        let state = fits.map_err(|full| busy(None, full)).and_then(|()| exchange.admit(head));
        exchange.enter(state);
        exchange
    }

    /// Enters the next state, or refuses the request.
    pub(super) fn enter(&mut self, next: Result<ExchangeState, ErrorResponse>) {
        let inner = &self.endpoint.0;
        let next = next.unwrap_or_else(|refused| {
            if let Some(hint) = refused.hint {
                inner.refusals.report(&inner.server.log_sink(), hint.0, self.now, &hint.1);
            }
            ExchangeState::whole(refused.response, refused.body)
        });
        let time = match &next {
            ExchangeState::Verifying(_) => Some(inner.server.limits().call_ms),
            ExchangeState::Body(_) => Some(inner.options.values.body_ms),
            ExchangeState::Whole(..) | ExchangeState::Answering(_) | ExchangeState::Done => None,
        };
        self.deadline = time.map(|ms| self.now.saturating_add(ms));
        if !matches!(next, ExchangeState::Verifying(_) | ExchangeState::Body(_)) {
            drop((self.body.take(), self.body_cost.take()));
        }
        self.state = next;
    }

    /// Takes a piece of the body, even before [`Progress::Body`] asked for it. A body over the limit is refused at
    /// once; its rest need not be read.
    pub fn body(&mut self, bytes: &[u8]) {
        let inner = self.endpoint.0.clone();
        let most = inner.server.limits().message_bytes;
        let appended = match &self.state {
            ExchangeState::Body(_) if self.body.len() + bytes.len() > most => Err(too_large(&inner)),
            // What is too long by one byte is refused once the token was judged.
            ExchangeState::Verifying(_) => {
                let room = most.saturating_add(1).saturating_sub(self.body.len());
                let bytes = &bytes[..bytes.len().min(room)];
                self.body.append(bytes, most.saturating_add(1), &inner).map_err(|full| busy(None, full))
            }
            ExchangeState::Body(_) => self.body.append(bytes, most, &inner).map_err(|full| busy(None, full)),
            ExchangeState::Whole(..) | ExchangeState::Answering(_) | ExchangeState::Done => return,
        };
        if let Err(refused) = appended {
            self.enter(Err(refused));
        }
        inner.make_room();
    }

    /// Notes that the body is complete. `now` is the time in milliseconds.
    pub fn end(&mut self, now: u64) {
        self.now = now;
        match std::mem::replace(&mut self.state, ExchangeState::Done) {
            ExchangeState::Body(incoming) => {
                let next = match self.body.take() {
                    Ok((message, cost)) => {
                        self.body_cost = cost;
                        self.message(&incoming, &message)
                    }
                    Err(full) => Err(busy(None, full)),
                };
                drop(self.body_cost.take());
                self.enter(next);
            }
            ExchangeState::Verifying(mut verifying) => {
                verifying.end();
                self.state = ExchangeState::Verifying(verifying);
            }
            other => self.state = other,
        }
    }

    /// Ends the response if it is an event stream without an end of its own, for a driver that shuts down. A listen
    /// stream ends with its result, a session's stream with a `retry` for a client that comes back. A call in progress
    /// is still answered. Poll the exchange afterwards. Call this again for a stream that begins later.
    pub fn end_stream(&mut self) {
        if let ExchangeState::Answering(answering) = &mut self.state {
            answering.end_stream();
        }
    }

    /// Returns the next thing for the driver to do. With [`Progress::Respond`] and [`Progress::Data`], the bytes to
    /// send are appended to `out`. `now` is the time in milliseconds.
    pub fn poll(&mut self, now: u64, out: &mut Vec<u8>) -> Progress {
        match self.step(now, out) {
            Progress::Done => {
                drop(self.cost.take());
                Progress::Done
            }
            Progress::Respond(response) if self.endpoint.0.options.values.cors => {
                Progress::Respond(cors::expose(response, self.origin.as_deref()))
            }
            progress => progress,
        }
    }

    fn step(&mut self, now: u64, out: &mut Vec<u8>) -> Progress {
        self.endpoint.0.advance_clock(now);
        self.endpoint.0.make_room();
        self.now = now;
        if let Some(full) = self.body.refused() {
            self.enter(Err(busy(None, full)));
        }
        let overdue = self.is_overdue();
        match &mut self.state {
            ExchangeState::Verifying(_) => match self.poll_verification() {
                Some(progress) => progress,
                None => self.step(now, out),
            },
            ExchangeState::Body(_) if overdue => {
                self.enter(Err(invalid(408, "the body did not arrive in time; see body_ms")));
                self.step(now, out)
            }
            ExchangeState::Body(_) => Progress::Body(self.deadline.unwrap_or(u64::MAX)),
            ExchangeState::Whole(response @ Some(_), _) => match response.take() {
                Some(response) => Progress::Respond(response),
                None => Progress::Done,
            },
            ExchangeState::Whole(None, body) if body.is_empty() => {
                self.state = ExchangeState::Done;
                Progress::Done
            }
            ExchangeState::Whole(None, body) => {
                out.append(body);
                Progress::Data
            }
            ExchangeState::Answering(answering) => {
                let progress = answering.poll(&self.endpoint.0, now, out);
                if let Progress::Done = progress {
                    self.finish();
                }
                progress
            }
            ExchangeState::Done => Progress::Done,
        }
    }

    /// Returns whether the deadline of the state has passed.
    pub(super) fn is_overdue(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= self.now)
    }

    /// Returns whether the request has arrived completely, and its answer not left completely.
    #[cfg(feature = "http")]
    pub(crate) fn is_answering(&self) -> bool {
        matches!(self.state, ExchangeState::Answering(_))
    }

    /// Returns whether a whole request is still answered after its client has closed its side of the connection. In the
    /// stateless era that cancels the request, and a session's own stream has no answer to wait for. While a token is
    /// judged, only the head tells the era.
    #[cfg(feature = "http")]
    pub(crate) fn outlives_input(&self) -> bool {
        match &self.state {
            ExchangeState::Verifying(verifying) => verifying.outlives_input(self.revisions()),
            ExchangeState::Answering(answering) => {
                !answering.choice.is_stateless() && answering.route != Route::Connection
            }
            ExchangeState::Body(_) | ExchangeState::Whole(..) | ExchangeState::Done => true,
        }
    }

    /// Returns the holder of the exchange's costs.
    #[cfg(feature = "http")]
    pub(crate) fn holder(&self) -> &Arc<Holder> {
        &self.holder
    }

    /// Runs the event of [`Progress::Event`] on this thread. The next poll takes the output that it leads to.
    #[cfg(feature = "http")]
    pub(crate) fn run(&self, event: Event) {
        match &self.state {
            ExchangeState::Answering(answering) => {
                answering.connection.run_for(answering.route, || event.run());
            }
            _ => event.run(),
        }
    }

    /// Releases the resources of the exchange.
    fn finish(&mut self) {
        let ExchangeState::Answering(answering) = std::mem::replace(&mut self.state, ExchangeState::Done)
        else {
            return;
        };
        let Answering { connection, listener, route, drain, event, sent, session, .. } = *answering;
        let (over, stream) = (sent.is_complete(), sent.is_stream());
        drop((drain, event));
        let inner = self.endpoint.0.clone();
        inner.unlisten(listener);
        let Some(session) = session else {
            // Of a stateless request, the end of the response is its cancellation. Usually there is nothing to cancel, and
            // the connection goes with its last owner.
            if !over || !connection.is_vacant() {
                inner.close(&connection);
            }
            return;
        };
        // The request of a session goes on, for a client that may come back to its stream.
        let left = !over && route != Route::Connection;
        let now = self.now;
        inner.state.with(|s, _| {
            let Some(found) = s.sessions.exit(&session.id, Purpose::of_route(route), now) else { return };
            let held = session.stream.filter(|(number, holder)| found.streams.release(*number, *holder));
            let number = held.map(|(number, _)| number);
            if number.is_some() && found.standalone == number {
                found.standalone = None;
            }
            if left && (number.is_some() || !stream) {
                s.sessions.abandon(&session.id, route, number);
            }
        });
        if left && !stream {
            connection.handle_lost_client(route); // there is nothing that a client could come back to
        }
        if left {
            inner.take_abandoned(&connection, &Routes::These(vec![route])); // no client reads what it has sent already
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.finish();
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").finish_non_exhaustive()
    }
}
