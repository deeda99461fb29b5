//! Output that the client has not read, by route.

use super::batch::Batches;
use super::callers::RouteCallers;
use super::partial_message::PartialMessage;
use super::pending_routes::{PendingRoutes, Routes};
use super::subscriptions::ChangeMark;
use crate::access::Caller;
use crate::account::{Charge, Permit};
use crate::sync::{Fault, Trash, is_planted};
use crate::wire::{Payload, Segment};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The route of the answer to a request, and of the messages about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Route {
    /// The connection itself: newline-delimited messages, several to a [`crate::Transmit`].
    Connection,
    /// The route of one message, such as a POST: output without newlines, one message to a [`crate::Transmit`]. The
    /// number counts such routes of the connection.
    Message(u64),
}

/// How far a request got before it was answered. HTTP derives the status code from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The request was refused before it was dispatched.
    Refused,
    /// The method does not exist, or the server does not offer it.
    NoMethod,
    /// The request was dispatched. Its answer is a result, or an error of the application.
    Dispatched,
}

/// The part that a message plays on its route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageKind {
    /// A message after which more may follow: any on [`Route::Connection`], and any before the answer on another route,
    /// other than progress.
    Message,
    /// A progress notification about the request, before its answer.
    Progress,
    /// The answer. The route ends with it.
    Final(Stage),
    /// The route ended without an answer: a notification, or a cancelled request. There are no bytes.
    Ended,
    /// The event stream that carries the answer ends here, without bytes. The client comes back for the rest after this
    /// number of milliseconds: see [`crate::Responder::close_event_stream`].
    Paused(u64),
}

impl MessageKind {
    /// Returns whether such a message has no bytes, but tells the driver something.
    pub(super) fn is_mute(self) -> bool {
        matches!(self, MessageKind::Ended | MessageKind::Paused(_))
    }
}

pub(super) struct Piece {
    pub(super) kind: MessageKind,
    pub(super) bytes: Vec<u8>,
    pub(super) segments: VecDeque<Segment>,
    /// The bytes of large bodies in `segments` that exist for this message only.
    own: usize,
    /// The share of the message in the endpoint's limit of bytes, over HTTP.
    pub(super) charge: Option<Charge>,
}

impl Piece {
    fn new(kind: MessageKind) -> Piece {
        Piece { kind, bytes: Vec::new(), segments: VecDeque::new(), own: 0, charge: None }
    }

    /// Writes a message at the end. `write` may leave large bodies to be encoded later.
    fn write(&mut self, write: impl FnOnce(&mut Payload<'_>)) {
        let mut payload = Payload::new(&mut self.bytes);
        write(&mut payload);
        self.own += payload.own;
        if let Some(segments) = payload.end() {
            self.segments = segments.into();
        }
    }

    /// Counts the bytes that exist for this message only, for the holder of the permit.
    fn hold(&mut self, permit: &Permit) {
        let written = |segment: &Segment| if let Segment::Bytes(bytes) = segment { bytes.len() } else { 0 };
        let written = self.bytes.len() + self.segments.iter().map(written).sum::<usize>();
        permit.holder().hold(written + self.own, &mut self.charge);
    }

    pub(super) fn len(&self) -> usize {
        if self.segments.is_empty() {
            return self.bytes.len(); // asked for each message, of which hardly any has segments
        }
        self.bytes.len() + self.segments.iter().map(Segment::len).sum::<usize>()
    }
}

/// The kinds of messages that the client of a route takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RouteOutput {
    /// The answer, and other messages before it.
    #[default]
    Stream,
    AnswerOnly,
}

/// The output of one route.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "facts of their own, not the states of one thing")]
struct Outlet {
    queue: VecDeque<Piece>,
    /// A half-written message that a dropped drain left for the next one. Boxed, because there hardly ever is one.
    partial: Option<Box<PartialMessage>>,
    /// True while a drain takes the output of this route.
    drained: bool,
    output: RouteOutput,
    /// The caller of the route's requests until they are answered, if it is not that of the connection.
    caller: Option<Arc<Caller>>,
    /// The permit that counts the route's requests until they are answered.
    permit: Option<Arc<Permit>>,
    /// True if the event stream of the route was closed, and its client has not come back since.
    paused: bool,
    /// True if a drain took the last message of the route. The route ends once that message is written.
    ended: bool,
    /// The buffer of a written message, kept for the next message.
    spare: Vec<u8>,
    /// Changes whose notifications are written when the client takes them.
    marks: VecDeque<ChangeMark>,
    /// The slots of requests whose progress is written when the client takes it.
    held: VecDeque<u32>,
    /// The deadline that was set last for a call whose answer goes to this route. `Inflight` has all deadlines in order,
    /// but not by routes, and a driver looks for that of its route at each poll.
    deadline: Option<u64>,
}

impl Outlet {
    fn has_output(&self) -> bool {
        !self.queue.is_empty() || self.partial.is_some() || !self.marks.is_empty() || !self.held.is_empty()
    }

    /// The number of bytes of its messages.
    fn unread(&self) -> usize {
        let partial = self.partial.as_ref().map_or(0, |partial| partial.len());
        partial + self.queue.iter().map(Piece::len).sum::<usize>()
    }

    /// Returns whether enough output is queued that no notification has to be written yet.
    fn has_plenty(&self) -> bool {
        self.queue.back().is_some_and(|piece| piece.len() >= GATHER)
    }
}

/// Short messages are collected in one buffer, until it has this number of bytes.
const GATHER: usize = 64 << 10;
/// A larger buffer than this number of bytes is not kept for the next message.
const SPARE: usize = 512 << 10;

/// All output of a connection.
#[derive(Default)]
pub(crate) struct Outbox {
    connection: Outlet,
    /// The outlets of the routes. Boxed, because a map makes room for several at once, and most connections over
    /// HTTP have one.
    routes: BTreeMap<u64, Box<Outlet>>,
    pending: PendingRoutes,
    pub(super) batches: Batches,
    pub(super) callers: RouteCallers,
    bytes: usize,
    /// The bytes on the event stream of a session over HTTP. They count apart, since no client has to open that stream:
    /// what waits there must not keep requests waiting.
    stream_bytes: usize,
    /// True if the messages of the connection's own route have no newlines either, because the driver frames them.
    pub(crate) bare: bool,
    /// True if the connection was closed, so that unwritten output is dropped.
    cleared: bool,
}

/// The result of an attempt to drain a route.
pub(crate) enum Start {
    Ready(Option<PartialMessage>),
    Empty,
    Busy,
}

impl Outbox {
    fn outlet(&mut self, route: Route) -> Option<&mut Outlet> {
        match route {
            Route::Connection => Some(&mut self.connection),
            Route::Message(n) => self.routes.get_mut(&n).map(|outlet| &mut **outlet),
        }
    }

    /// Returns the outlet of a route that gets new output. Notes the route for its driver, unless a drain takes its
    /// output now.
    fn outlet_to_fill(&mut self, route: Route) -> Option<&mut Outlet> {
        let outlet = match route {
            Route::Connection => &mut self.connection,
            Route::Message(n) => &mut **self.routes.get_mut(&n)?,
        };
        if !outlet.drained {
            self.pending.add(route);
        }
        Some(outlet)
    }

    pub(super) fn open(
        &mut self,
        number: u64,
        output: RouteOutput,
        caller: Option<Arc<Caller>>,
        permit: Option<Arc<Permit>>,
    ) {
        self.routes.insert(number, Box::new(Outlet { output, caller, permit, ..Outlet::default() }));
    }

    /// Returns the caller of a route, `None` if it is that of the connection, and the permit that counts the route's
    /// requests.
    pub(super) fn caller_of(&mut self, route: Route) -> (Option<&Arc<Caller>>, Option<Arc<Permit>>) {
        let route = self.batches.route_of(route).unwrap_or(route);
        self.outlet(route).map_or((None, None), |outlet| (outlet.caller.as_ref(), outlet.permit.clone()))
    }

    /// Returns whether the route takes nothing but an answer.
    pub(crate) fn takes_answer_only(&mut self, route: Route) -> bool {
        let route = self.batches.route_of(route).unwrap_or(route);
        self.outlet(route).is_some_and(|outlet| outlet.output == RouteOutput::AnswerOnly)
    }

    /// The number of bytes that the client has not read, without those on the event stream of a session over HTTP.
    /// Large bodies count by the size of their source.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// The number of bytes that count against the limit of unread output, for one more message on this route.
    pub(super) fn unread(&mut self, route: Route) -> usize {
        *self.count(route)
    }

    fn count(&mut self, route: Route) -> &mut usize {
        if self.bare && route == Route::Connection { &mut self.stream_bytes } else { &mut self.bytes }
    }

    /// [`Outbox::len`] without the answers of calls that wait in batches: the client cannot take those yet, and the
    /// number of calls bounds them.
    pub(crate) fn free_len(&self) -> usize {
        self.bytes - self.batches.len() + self.batches.refused()
    }

    /// Returns whether there is output on a route.
    pub(crate) fn has_output_on(&mut self, route: Route) -> bool {
        self.outlet(route).is_some_and(|outlet| outlet.has_output())
    }

    /// Returns whether a route is open.
    pub(crate) fn has_route(&mut self, route: Route) -> bool {
        self.outlet(route).is_some()
    }

    /// Returns whether a route became pending since the last call of this method: it got output that no drain takes,
    /// or a deadline.
    pub(super) fn take_growth(&mut self) -> bool {
        self.pending.take_growth()
    }

    /// Returns whether there is output that no drain takes and no driver knows of.
    pub(crate) fn has_pending_output(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns whether there is output that no drain takes and no driver knows of, on another route than this
    /// route's.
    pub(crate) fn has_pending_output_other_than(&self, route: Route) -> bool {
        self.pending.is_other_than(route)
    }

    /// Sets the newest deadline of a route, and notes the route for its driver. If the route does not exist, all
    /// drivers have to look at their deadlines.
    pub(crate) fn set_deadline(&mut self, route: Route, deadline: Option<u64>) {
        let route = self.batches.route_of(route).unwrap_or(route);
        match self.outlet_to_fill(route) {
            Some(outlet) => outlet.deadline = deadline,
            None => self.pending.add_all(),
        }
    }

    /// Notes the deadline of a call that gets no answer, for all drivers.
    pub(crate) fn add_deadline_of_no_route(&mut self) {
        self.pending.add_all();
    }

    /// The deadline that was set last for a call whose answer goes to this route.
    pub(crate) fn deadline(&mut self, route: Route) -> Option<u64> {
        self.outlet(route)?.deadline
    }

    /// Takes the routes with new output or deadlines. The caller notifies their drivers.
    pub(crate) fn take_pending_routes(&mut self) -> Routes {
        self.pending.take()
    }

    /// Returns whether there is no output, and no drain takes any.
    pub(crate) fn is_spent(&self) -> bool {
        let spent = |outlet: &Outlet| !outlet.drained && !outlet.has_output();
        spent(&self.connection) && self.routes.values().all(|outlet| spent(outlet))
    }

    /// Queues one message. `write` may leave large bodies to be encoded later.
    pub(crate) fn write(&mut self, route: Route, kind: MessageKind, write: impl FnOnce(&mut Payload<'_>)) {
        match self.batches.route_of(route) {
            None => self.queue(route, kind, write),
            Some(route) if matches!(kind, MessageKind::Message | MessageKind::Progress) => {
                self.queue(route, kind, write);
            }
            Some(whole) => {
                let mut answer = Piece::new(kind);
                answer.write(write);
                if let Some(permit) = self.outlet(whole).and_then(|outlet| outlet.permit.as_ref()) {
                    answer.hold(permit);
                }
                self.bytes += answer.len();
                self.finish_element(route, Some(answer));
            }
        }
    }

    /// Ends an element of a batch. After the last one the batch is answered.
    fn finish_element(&mut self, route: Route, answer: Option<Piece>) {
        let Some((route, mut answers)) = self.batches.finish_element(route, answer) else { return };
        self.bytes -= answers.iter().map(Piece::len).sum::<usize>();
        if answers.is_empty() {
            return self.end(route);
        }
        self.queue(route, MessageKind::Final(Stage::Dispatched), |payload| {
            payload.out.push(b'[');
            for (i, answer) in answers.iter_mut().enumerate() {
                if i > 0 {
                    payload.out.push(b',');
                }
                payload.out.extend_from_slice(&answer.bytes);
                answer.segments.drain(..).for_each(|segment| payload.segment(segment));
                payload.own += answer.own;
            }
            payload.out.push(b']');
        });
    }

    fn queue(&mut self, route: Route, kind: MessageKind, write: impl FnOnce(&mut Payload<'_>)) {
        let lines = route == Route::Connection && !self.bare;
        let ended = matches!(kind, MessageKind::Final(_)).then(|| self.end_requests(route)).flatten();
        let Some(outlet) = self.outlet_to_fill(route) else { return };
        let permit = ended.or_else(|| outlet.permit.clone());
        let gather = lines
            && outlet
                .queue
                .back()
                .is_some_and(|piece| piece.segments.is_empty() && piece.bytes.len() < GATHER);
        if !gather {
            let kind = if lines { MessageKind::Message } else { kind };
            let bytes = std::mem::take(&mut outlet.spare);
            if outlet.queue.capacity() == 0 {
                outlet.queue.reserve_exact(1); // most connections have one message at a time
            }
            outlet.queue.push_back(Piece { bytes, ..Piece::new(kind) });
        }
        let Some(piece) = outlet.queue.back_mut() else { return };
        let before = piece.len();
        piece.write(|payload| {
            write(payload);
            if lines {
                payload.out.push(b'\n');
            }
        });
        if let Some(permit) = permit {
            piece.hold(&permit);
        }
        let after = piece.len();
        *self.count(route) += after - before;
    }

    /// Notes that the requests of a route are over. The client may take its answer late or never: from now on only the
    /// bytes of the answer count. Returns the permit of the requests.
    fn end_requests(&mut self, route: Route) -> Option<Arc<Permit>> {
        let outlet = self.outlet(route)?;
        let (permit, caller) = (outlet.permit.take(), outlet.caller.take());
        self.callers.retire(caller);
        permit
    }

    /// Ends a route without an answer.
    pub(crate) fn end(&mut self, route: Route) {
        if self.batches.route_of(route).is_some() {
            self.finish_element(route, None);
        } else if let Route::Message(_) = route {
            self.end_requests(route);
            if let Some(outlet) = self.outlet_to_fill(route) {
                outlet.queue.push_back(Piece::new(MessageKind::Ended));
            }
        }
    }

    /// Closes the event stream of a route, after its output so far. Returns false if the client could not come back
    /// to the stream, or if it is closed already.
    pub(crate) fn pause(&mut self, route: Route, retry_ms: u64) -> bool {
        let route = self.batches.route_of(route).unwrap_or(route);
        let (Route::Message(number), true) = (route, self.bare) else { return false };
        if self
            .routes
            .get(&number)
            .is_none_or(|outlet| outlet.output == RouteOutput::AnswerOnly || outlet.paused)
        {
            return false;
        }
        let Some(outlet) = self.outlet_to_fill(route) else { return false };
        outlet.paused = true;
        outlet.queue.push_back(Piece::new(MessageKind::Paused(retry_ms)));
        true
    }

    /// Notes that a client came back to the event stream of a route, so it need not hear that the stream was closed.
    pub(crate) fn reopen_stream(&mut self, route: Route) {
        if let Some(outlet) = self.outlet(route) {
            outlet.paused = false;
            outlet.queue.retain(|piece| !matches!(piece.kind, MessageKind::Paused(_)));
            if !outlet.has_output() {
                self.pending.remove(route);
            }
        }
    }

    pub(crate) fn mark(&mut self, route: Route, mark: ChangeMark) {
        if let Some(outlet) = self.outlet_to_fill(route) {
            outlet.marks.push_back(mark);
        }
    }

    /// Removes the marks for which `stays` is false.
    pub(crate) fn retain_marks(&mut self, route: Route, stays: impl Fn(&ChangeMark) -> bool) {
        let Some(outlet) = self.outlet(route) else { return };
        outlet.marks.retain(stays);
        if !outlet.has_output() {
            self.pending.remove(route);
        }
    }

    /// Holds the progress of a request back until the client has taken the output before it.
    pub(crate) fn hold(&mut self, route: Route, slot: u32) {
        let route = self.batches.route_of(route).unwrap_or(route);
        if let Some(outlet) = self.outlet_to_fill(route) {
            outlet.held.push_back(slot);
        }
    }

    /// The slot of the next request whose progress is to be written. `None` if there is none, or if enough output is
    /// queued.
    pub(crate) fn next_held(&mut self, route: Route) -> Option<u32> {
        let outlet = self.outlet(route)?;
        if outlet.has_plenty() { None } else { outlet.held.pop_front() }
    }

    /// The next mark whose notification is to be written. `None` if there is none, or if enough output is queued.
    pub(crate) fn next_mark(&mut self, route: Route) -> Option<ChangeMark> {
        let outlet = self.outlet(route)?;
        if outlet.has_plenty() { None } else { outlet.marks.pop_front() }
    }

    /// Returns whether a drain takes a route's output. Notifications of changes are written for a drain only, since the
    /// same resource may change again before.
    pub(crate) fn is_busy(&mut self, route: Route) -> bool {
        self.outlet(route).is_some_and(|outlet| outlet.drained)
    }

    pub(crate) fn start(&mut self, route: Route) -> Start {
        let Some(outlet) = self.outlet(route) else { return Start::Empty };
        if outlet.drained {
            return Start::Busy;
        }
        outlet.drained = outlet.has_output();
        let partial = outlet.partial.take();
        let start = if outlet.drained { Start::Ready(None) } else { Start::Empty };
        self.pending.remove(route);
        let Some(partial) = partial else { return start };
        *self.count(route) -= partial.len();
        Start::Ready(Some(*partial))
    }

    /// Returns the next message for the drain. If there is none, this also ends the drain, in the same step.
    pub(crate) fn next(&mut self, route: Route) -> Option<PartialMessage> {
        let outlet = self.outlet(route)?;
        let Some(piece) = outlet.queue.pop_front() else {
            outlet.drained = false;
            self.remove_if_over(route);
            return None;
        };
        outlet.ended |= matches!(piece.kind, MessageKind::Final(_) | MessageKind::Ended);
        *self.count(route) -= piece.len();
        Some(PartialMessage::new(piece))
    }

    /// Keeps the buffer of a written message for the next message.
    pub(crate) fn reuse(&mut self, used: &mut Vec<u8>) {
        if used.capacity() > self.connection.spare.capacity() && used.capacity() <= SPARE {
            std::mem::swap(&mut self.connection.spare, used);
            self.connection.spare.clear();
        }
    }

    /// Keeps the half-written message of a dropped drain for the next one, unless the connection was closed. Returns
    /// whether there is output left.
    pub(crate) fn park(&mut self, route: Route, partial: Option<PartialMessage>, trash: &mut Trash) -> bool {
        let cleared = self.cleared;
        let Some(outlet) = self.outlet(route) else {
            trash.put(partial);
            return false;
        };
        outlet.drained = false;
        if cleared {
            trash.put(partial);
            return false;
        }
        let unread = partial.as_ref().map_or(0, PartialMessage::len);
        outlet.partial = partial.map(Box::new);
        let left = outlet.has_output();
        *self.count(route) += unread;
        if left && !is_planted(Fault::ParkedNews) {
            self.pending.add(route);
        }
        self.remove_if_over(route);
        left
    }

    fn remove_if_over(&mut self, route: Route) {
        if let Route::Message(n) = route
            && self.routes.get(&n).is_some_and(|outlet| outlet.ended && !outlet.has_output())
        {
            self.routes.remove(&n);
        }
    }

    /// Drops all output. Returns what the caller drops after it released the lock.
    pub(crate) fn clear(&mut self) -> impl Send + use<> {
        self.cleared = true;
        (self.bytes, self.stream_bytes) = (0, 0);
        self.pending = PendingRoutes::default();
        let routes = std::mem::take(&mut self.routes).into_values();
        let routes: Vec<_> = routes.map(|o| (o.queue, o.partial, o.caller)).collect();
        self.connection.marks.clear();
        self.connection.held.clear();
        self.connection.spare = Vec::new();
        let (_, batches) = self.batches.take_all();
        let connection = (std::mem::take(&mut self.connection.queue), self.connection.partial.take());
        (batches, connection, routes, self.callers.clear())
    }

    /// Drops the batches that are not answered. Returns what the caller drops after it released the lock.
    pub(crate) fn forget_batches(&mut self) -> impl Send + use<> {
        let (bytes, batches) = self.batches.take_all();
        self.bytes -= bytes;
        batches
    }

    /// Removes a route with its output. Returns what the caller drops after it released the lock.
    pub(crate) fn forget(&mut self, number: u64) -> impl Send + use<> {
        let (bytes, batches) = self.batches.take_route(Route::Message(number));
        self.bytes -= bytes;
        let mut outlet = self.routes.remove(&number);
        self.pending.remove(Route::Message(number));
        if let Some(outlet) = &mut outlet {
            self.callers.retire(outlet.caller.take());
            self.bytes -= outlet.unread();
        }
        (batches, outlet.map(|outlet| (outlet.queue, outlet.partial)))
    }
}
