//! The exchange of one HTTP request, and the response body that it fills.

use super::shared::Shared;
use super::unread::{Asked, Unread};
use crate::http::{Charge, Exchange, Holder, Progress, RequestHead, Response};
use crate::sync::Lock;
use ::http::Version;
use ::http::request::Parts;
use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Wakes the task that polls an exchange.
struct Bell {
    waker: Lock<Option<Waker>>,
    asked: Asked,
}

impl Bell {
    fn ring(&self) {
        self.asked.told();
        let waker = self.waker.with(|waker, _| waker.take());
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn hear(&self, cx: &Context<'_>) {
        let is_same = |waker: &Waker| waker.will_wake(cx.waker());
        let known = self.waker.with(|waker, _| waker.as_ref().is_some_and(is_same));
        if !known {
            let waker = cx.waker().clone();
            let old = self.waker.with(|known, _| known.replace(waker));
            drop(old); // not under the lock: it may be the last reference to its task
        }
    }

    /// Waits until it rings, since it was heard last.
    fn poll_rung(&self, cx: &Context<'_>) -> Poll<()> {
        if self.waker.with(|waker, _| waker.is_none()) {
            return Poll::Ready(());
        }
        self.hear(cx);
        Poll::Pending
    }
}

/// Which client a request is from.
pub(super) enum Client {
    /// That of a connection.
    Connection(Arc<Holder>),
    /// See [`RequestHead::peer`].
    #[cfg(feature = "tower")]
    Peer(Vec<u8>),
}

/// A driver's knowledge of the client of a request; dropped with the response.
pub(super) trait Peer: Send + 'static {
    /// Returns whether the client has closed its side. Most such clients are gone, but some wait for their
    /// response.
    fn is_silent(&self) -> bool {
        false
    }

    /// Called when this request is not answered, because the client closed its side.
    fn abandon(&self) {}
}

/// Handles one request until the head of its response is known.
pub(super) async fn respond<B: Body, U: Peer>(
    shared: Arc<Shared>,
    client: Client,
    peer: U,
    request: ::http::Request<B>,
) -> ::http::Response<Answer<U>> {
    let (parts, incoming) = request.into_parts();
    let mut incoming = pin!(incoming);
    let bell = Arc::new(Bell { waker: Lock::default(), asked: Asked::new() });
    let exchange = begin(&shared, &parts, client, bell.clone());
    let holder = exchange.holder().clone();
    drop(parts); // not needed any more, and a callback may take its time
    let mut answer = Going { shared, holder, exchange, bell, sleep: None, data: Vec::new(), peer };
    loop {
        match poll_fn(|cx| answer.step(cx)).await {
            Step::Body(deadline) => {
                let deadline = tokio::time::sleep_until(answer.shared.instant(deadline));
                tokio::select! {
                    biased; // the timer is not even set if the body has come

                    frame = poll_fn(|cx| {
                        let frame = incoming.as_mut().poll_frame(cx);
                        if frame.is_pending() && answer.peer.is_silent() {
                            answer.peer.abandon(); // the rest does not come
                        }
                        frame
                    }) => match frame {
                        Some(Ok(frame)) => {
                            let Ok(mut data) = frame.into_data() else { continue };
                            while data.has_remaining() {
                                let length = data.chunk().len();
                                answer.exchange.body(data.chunk());
                                data.advance(length);
                            }
                            if incoming.is_end_stream() {
                                answer.exchange.end(answer.shared.now());
                            }
                        }
                        None => answer.exchange.end(answer.shared.now()),
                        // The client broke the request off, so it does not read this response.
                        Some(Err(_)) => return answer.into_response(Response::refusal(400)),
                    },
                    () = poll_fn(|cx| answer.bell.poll_rung(cx)) => {} // the body was let go, say
                    () = deadline => {}
                }
            }
            Step::Respond(response) => return answer.into_response(response),
            Step::Data => {}
            Step::Done => return answer.into_response(Response::refusal(503)),
        }
    }
}

fn begin(shared: &Shared, parts: &Parts, client: Client, bell: Arc<Bell>) -> Exchange {
    let mut fields: Vec<(&str, &[u8])> =
        parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let url;
    let mut target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    match (parts.version, parts.uri.authority()) {
        // RFC 9113, section 8.3.1: `:authority` has the role of `Host`, and wins if a request has both.
        (Version::HTTP_2, Some(authority)) => {
            fields.retain(|(name, _)| *name != "host");
            fields.push(("host", authority.as_str().as_bytes()));
        }
        (_, Some(_)) if parts.uri.scheme().is_some() => {
            url = parts.uri.to_string();
            target = &url;
        }
        // HTTP/1.0 requests may lack the field.
        (Version::HTTP_10, None) if !parts.headers.contains_key("host") => fields.push(("host", b"")),
        _ => {}
    }
    let (method, now, ready) = (parts.method.as_str(), shared.now(), move || bell.ring());
    match client {
        Client::Connection(holder) => {
            let head = RequestHead { method, target, headers: &fields, peer: &[] };
            shared.endpoint.begin_for(&head, now, holder, ready)
        }
        #[cfg(feature = "tower")]
        Client::Peer(peer) => {
            let head = RequestHead { method, target, headers: &fields, peer: &peer };
            shared.endpoint.begin(&head, now, ready)
        }
    }
}

/// The body of a response.
pub(super) struct Answer<U: Peer> {
    slot: Arc<Slot<U>>,
    /// The number of bytes still to come, if known.
    left: Option<u64>,
    /// Output of the exchange that the server did not get yet.
    data: Bytes,
    /// Its number among the watched bodies.
    number: Option<u64>,
}

/// The source of a body, until the body has ended or was dropped.
struct Slot<U> {
    shared: Arc<Shared>,
    bell: Arc<Bell>,
    /// `None` while the server asks for more.
    going: Lock<Option<Box<Going<U>>>>,
}

/// Data in the hands of its server, until the server has written it.
struct Held {
    data: Vec<u8>,
    _charge: Charge,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

/// An exchange in progress.
struct Going<U> {
    shared: Arc<Shared>,
    holder: Arc<Holder>,
    exchange: Exchange,
    bell: Arc<Bell>,
    sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    data: Vec<u8>,
    peer: U,
}

enum Step {
    Body(u64),
    Respond(Response),
    Data,
    Done,
}

/// Bytes that a server gets at once. It asks for more when it has room for some, so this much is written by then.
const PIECE: usize = 16 << 10;

impl<U: Peer> Going<U> {
    /// Waits for the next step of the exchange.
    fn step(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        self.bell.hear(cx); // before polling, so that no ring is missed
        loop {
            // In a crowd, a client that has closed its side counts as gone, as most such clients are.
            if self.peer.is_silent() && (!self.exchange.outlives_input() || self.shared.is_crowded()) {
                self.peer.abandon();
                return Poll::Pending;
            }
            match self.exchange.poll(self.shared.now(), &mut self.data) {
                Progress::Body(deadline) => return Poll::Ready(Step::Body(deadline)),
                Progress::Event(event) => match &self.shared.jobs {
                    Some(jobs) => jobs.push_event(event),
                    None => self.exchange.run(event),
                },
                Progress::Respond(response) => return Poll::Ready(Step::Respond(response)),
                Progress::Data => return Poll::Ready(Step::Data),
                Progress::Done => return Poll::Ready(Step::Done),
                Progress::Wait(None) => return Poll::Pending,
                Progress::Wait(Some(at)) => {
                    let at = self.shared.instant(at);
                    let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
                    if sleep.deadline() != at {
                        sleep.as_mut().reset(at);
                    }
                    if sleep.as_mut().poll(cx).is_pending() {
                        return Poll::Pending;
                    }
                }
            }
        }
    }

    /// Returns the next part of the body.
    fn data(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if !self.data.is_empty() {
                let (data, mut charge) = (std::mem::take(&mut self.data), None);
                self.holder.hold(data.len(), &mut charge);
                return Poll::Ready(Some(match charge {
                    Some(charge) => Bytes::from_owner(Held { data, _charge: charge }),
                    None => data.into(),
                }));
            }
            match self.step(cx) {
                Poll::Ready(Step::Data) => {}
                Poll::Ready(_) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn into_response(self, head: Response) -> ::http::Response<Answer<U>> {
        let mut response = ::http::Response::builder().status(head.status);
        for (name, value) in head.headers {
            response = response.header(name, value);
        }
        let (shared, bell) = (self.shared.clone(), self.bell.clone());
        bell.asked.gave(shared.now());
        let slot = Arc::new(Slot { shared, bell, going: Lock::new(Some(Box::new(self))) });
        let number = (head.length != Some(0)).then(|| slot.shared.bodies.add(slot.clone()));
        let answer = Answer { slot, left: head.length, data: Bytes::new(), number };
        response.body(answer).expect("status and fields are our own")
    }
}

impl<U: Peer> Unread for Slot<U> {
    fn since(&self, now: u64) -> Option<u64> {
        self.bell.asked.since(now)
    }

    fn let_go(&self) {
        let going = self.going.with(|going, _| going.take());
        drop(going); // not under the lock
    }
}

impl<U: Peer> Answer<U> {
    fn next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.data.is_empty() {
            let Some(mut going) = self.slot.going.with(|going, _| going.take()) else {
                return Poll::Ready(None); // the body was dropped
            };
            match going.data(cx) {
                Poll::Ready(Some(data)) => self.data = data,
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    self.slot.going.with(|place, _| *place = Some(going));
                    return Poll::Pending;
                }
            }
            self.slot.going.with(|place, _| *place = Some(going));
        }
        let piece = self.data.split_to(self.data.len().min(PIECE));
        self.left = self.left.map(|left| left.saturating_sub(piece.len() as u64));
        Poll::Ready(Some(piece))
    }
}

impl<U: Peer> Body for Answer<U> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        this.slot.bell.asked.asks();
        let next = this.next(cx);
        if next.is_ready() {
            this.slot.bell.asked.gave(this.slot.shared.now());
        }
        next.map(|data| data.map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl<U: Peer> Drop for Answer<U> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.slot.shared.bodies.remove(number);
        }
        self.slot.let_go();
    }
}
