//! The exchange of one HTTP request, and the response body that it fills.

use super::demand::Demand;
use super::shared::HttpShared;
use crate::account::{Charge, Holder, UnreadResponse};
use crate::http::{Exchange, Progress, RequestHead, Response};
use crate::sync::Lock;
use ::http::request::Parts;
use ::http::{HeaderName, HeaderValue, StatusCode, Version};
use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Wakes the task that polls an exchange.
struct TaskWaker {
    waker: Lock<Option<Waker>>,
    demand: Demand,
}

impl TaskWaker {
    fn wake(&self) {
        self.demand.wake();
        let waker = self.waker.with(|waker, _| waker.take());
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Keeps the waker of the task.
    fn register(&self, cx: &Context<'_>) {
        let is_same = |waker: &Waker| waker.will_wake(cx.waker());
        let known = self.waker.with(|waker, _| waker.as_ref().is_some_and(is_same));
        if !known {
            let waker = cx.waker().clone();
            let old = self.waker.with(|known, _| known.replace(waker));
            drop(old); // not under the lock: it may be the last reference to its task
        }
    }

    /// Waits for a wake since the last registration.
    fn poll_woken(&self, cx: &Context<'_>) -> Poll<()> {
        if self.waker.with(|waker, _| waker.is_none()) {
            return Poll::Ready(());
        }
        self.register(cx);
        Poll::Pending
    }
}

/// The client of a request, for the holder whose bytes are counted together.
pub(super) enum ClientId {
    /// The holder of the connection that the request came on.
    Connection(Arc<Holder>),
    /// The bytes of [`RequestHead::peer`].
    #[cfg(feature = "tower")]
    Peer(Vec<u8>),
}

/// The things that a driver knows of a request's client. Dropped with the response.
pub(super) trait ClientState: Send + 'static {
    /// Returns whether the client has closed its side of the connection, and the HTTP server has read all of its bytes.
    /// Most such clients are gone, but some wait for their response.
    fn is_silent(&self) -> bool {
        false
    }

    /// Returns whether the client has closed its side of the connection. The HTTP server may still have bytes of a
    /// request.
    fn has_closed(&self) -> bool {
        false
    }

    /// Called when this request is not answered, because the client closed its side.
    fn abandon(&self) {}
}

/// Handles one request until the head of its response is known.
pub(super) async fn respond<B: Body, U: ClientState>(
    shared: Arc<HttpShared>,
    client: ClientId,
    peer: U,
    request: ::http::Request<B>,
) -> ::http::Response<ExchangeBody<U>> {
    let (parts, incoming) = request.into_parts();
    let mut incoming = pin!(incoming);
    let waker = Arc::new(TaskWaker { waker: Lock::default(), demand: Demand::new() });
    let mut running = RunningExchange::begin(shared, &parts, client, waker, peer);
    drop(parts); // not needed any more, and a callback may take its time
    loop {
        match poll_fn(|cx| running.step(cx)).await {
            ExchangeStep::Body(deadline) => {
                if let ClientBody::BrokenOff = read_body(&mut running, incoming.as_mut(), deadline).await {
                    return running.into_response(Response::refusal(400)); // which the client does not read
                }
            }
            ExchangeStep::Respond(response) => return running.into_response(response),
            ExchangeStep::Data => {}
            ExchangeStep::Done => return running.into_response(Response::refusal(503)),
        }
    }
}

/// The request body, after a wait for its next part.
enum ClientBody {
    Intact,
    BrokenOff,
}

/// Waits for the next part of the request body, at most until `deadline` or until the exchange is woken.
async fn read_body<B: Body, U: ClientState>(
    running: &mut RunningExchange<U>,
    mut incoming: Pin<&mut B>,
    deadline: u64,
) -> ClientBody {
    let deadline = tokio::time::sleep_until(running.shared.instant(deadline));
    tokio::select! {
        biased; // the timer is not even set if the body has come

        frame = poll_fn(|cx| {
            let frame = incoming.as_mut().poll_frame(cx);
            if frame.is_pending() && running.peer.is_silent() {
                running.peer.abandon(); // the rest does not come
            }
            frame
        }) => match frame {
            Some(Ok(frame)) => {
                let Ok(mut data) = frame.into_data() else { return ClientBody::Intact };
                while data.has_remaining() {
                    let length = data.chunk().len();
                    running.exchange.body(data.chunk());
                    data.advance(length);
                }
                if incoming.is_end_stream() {
                    running.exchange.end(running.shared.now());
                }
            }
            None => running.exchange.end(running.shared.now()),
            Some(Err(_)) => return ClientBody::BrokenOff,
        },
        () = poll_fn(|cx| running.waker.poll_woken(cx)) => {} // the body was dropped, for example
        () = deadline => {}
    }
    ClientBody::Intact
}

fn begin(shared: &HttpShared, parts: &Parts, client: ClientId, waker: Arc<TaskWaker>, now: u64) -> Exchange {
    let mut fields: Vec<(&str, &[u8])> =
        parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let url;
    let mut target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    match (parts.version, parts.uri.authority()) {
        // RFC 9113, section 8.3.1, and RFC 9114, section 4.3.1: `:authority` has the role of `Host`, and wins if a request
        // has both.
        (Version::HTTP_2 | Version::HTTP_3, Some(authority)) => {
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
    let (method, ready) = (parts.method.as_str(), move || waker.wake());
    match client {
        ClientId::Connection(holder) => {
            let head = RequestHead { method, target, headers: &fields, peer: &[] };
            shared.endpoint.begin_for(&head, now, holder, ready)
        }
        #[cfg(feature = "tower")]
        ClientId::Peer(peer) => {
            let head = RequestHead { method, target, headers: &fields, peer: &peer };
            shared.endpoint.begin(&head, now, ready)
        }
    }
}

/// The body of a response.
pub(super) struct ExchangeBody<U: ClientState> {
    source: Arc<BodySource<U>>,
    /// The number of bytes of the body that are still to come; `None` if it is not known.
    left: Option<u64>,
    /// The number of this response in [`crate::account`]'s list of unread responses.
    number: Option<u64>,
}

/// The exchange that fills a body, until the body has ended or was dropped.
struct BodySource<U> {
    shared: Arc<HttpShared>,
    waker: Arc<TaskWaker>,
    holder: Arc<Holder>,
    /// The exchange. `None` while the HTTP server asks for more, since it has the exchange then.
    running: Lock<Option<Box<RunningExchange<U>>>>,
}

/// Data that the HTTP server has, until it has written the data.
struct HeldData {
    data: Vec<u8>,
    _charge: Charge,
}

impl AsRef<[u8]> for HeldData {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

/// An exchange in progress.
struct RunningExchange<U> {
    shared: Arc<HttpShared>,
    holder: Arc<Holder>,
    exchange: Exchange,
    waker: Arc<TaskWaker>,
    sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    data: Vec<u8>,
    /// Output that the HTTP server has not got yet.
    chunk: Bytes,
    peer: U,
    /// The time when the exchange was last polled, in milliseconds.
    now: u64,
}

enum ExchangeStep {
    Body(u64),
    Respond(Response),
    Data,
    Done,
}

/// The greatest number of bytes that an HTTP server gets at once. It asks for more when it has room for some, so this
/// much is written by then.
const PIECE: usize = 16 << 10;

impl<U: ClientState> RunningExchange<U> {
    /// Begins the exchange of a request. It stays in one place from here on, because it is large.
    fn begin(
        shared: Arc<HttpShared>,
        parts: &Parts,
        client: ClientId,
        waker: Arc<TaskWaker>,
        peer: U,
    ) -> Box<RunningExchange<U>> {
        let now = shared.now();
        let exchange = begin(&shared, parts, client, waker.clone(), now);
        let (holder, data, chunk) = (exchange.holder().clone(), Vec::new(), Bytes::new());
        Box::new(RunningExchange { shared, holder, exchange, waker, sleep: None, data, chunk, peer, now })
    }

    /// Waits for the next step of the exchange.
    fn step(&mut self, cx: &mut Context<'_>) -> Poll<ExchangeStep> {
        self.waker.register(cx); // before polling, so that no wake is missed
        loop {
            // A client that has closed its sending side may still wait for the answer. Most do not, so if many callbacks
            // wait for a thread, none of them is waited for.
            // Of a request that is being answered, nothing is still to be read.
            let is_complete = self.exchange.is_answering();
            let is_silent = if is_complete { self.peer.has_closed() } else { self.peer.is_silent() };
            if is_silent && (!self.exchange.outlives_input() || self.shared.is_crowded()) {
                self.peer.abandon();
                return Poll::Pending;
            }
            self.now = self.shared.now();
            match self.exchange.poll(self.now, &mut self.data) {
                Progress::Body(deadline) => return Poll::Ready(ExchangeStep::Body(deadline)),
                Progress::Event(event) => match &self.shared.jobs {
                    Some(jobs) => jobs.push_event(event),
                    None => self.exchange.run(event),
                },
                Progress::Respond(response) => return Poll::Ready(ExchangeStep::Respond(response)),
                Progress::Data => return Poll::Ready(ExchangeStep::Data),
                Progress::Done => return Poll::Ready(ExchangeStep::Done),
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

    /// Returns the next piece of the body.
    fn piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.chunk.is_empty() {
            match self.data(cx) {
                Poll::Ready(Some(data)) => self.chunk = data,
                other => return other,
            }
        }
        Poll::Ready(Some(self.chunk.split_to(self.chunk.len().min(PIECE))))
    }

    /// Returns the next output of the exchange.
    fn data(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if !self.data.is_empty() {
                let (data, mut charge) = (std::mem::take(&mut self.data), None);
                self.holder.hold(data.len(), &mut charge);
                return Poll::Ready(Some(match charge {
                    Some(charge) => Bytes::from_owner(HeldData { data, _charge: charge }),
                    None => data.into(),
                }));
            }
            match self.step(cx) {
                Poll::Ready(ExchangeStep::Data) => {}
                Poll::Ready(_) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn into_response(self: Box<Self>, head: Response) -> ::http::Response<ExchangeBody<U>> {
        let (shared, waker, holder) = (self.shared.clone(), self.waker.clone(), self.holder.clone());
        waker.demand.provide(self.now);
        let running = Lock::new(Some(self));
        let source = Arc::new(BodySource { shared, waker, holder, running });
        let account = source.shared.endpoint.account();
        let number = (head.length != Some(0)).then(|| account.add_unread(source.clone()));
        let mut response = ::http::Response::new(ExchangeBody { source, left: head.length, number });
        *response.status_mut() = StatusCode::from_u16(head.status).expect("it is our own");
        let fields = response.headers_mut();
        fields.reserve(head.headers.len());
        for (name, value) in head.headers {
            let value = HeaderValue::try_from(value).expect("it is our own");
            fields.append(HeaderName::from_static(name), value);
        }
        response
    }
}

impl<U: ClientState> UnreadResponse for BodySource<U> {
    fn holder(&self) -> &Arc<Holder> {
        &self.holder
    }

    fn unread_ms(&self) -> Option<u64> {
        self.waker.demand.unread_ms(self.shared.now())
    }

    fn drop_contents(&self) {
        let running = self.running.with(|running, _| running.take());
        drop(running); // not under the lock
    }
}

impl<U: ClientState> ExchangeBody<U> {
    fn next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(mut running) = self.source.running.with(|running, _| running.take()) else {
            return Poll::Ready(None); // the contents were dropped
        };
        let next = running.piece(cx);
        if let Poll::Ready(Some(piece)) = &next {
            self.left = self.left.map(|left| left.saturating_sub(piece.len() as u64));
        }
        if !matches!(next, Poll::Ready(None)) {
            self.source.running.with(|place, _| *place = Some(running));
        }
        next
    }
}

impl<U: ClientState> Body for ExchangeBody<U> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        this.source.waker.demand.request();
        let next = this.next(cx);
        if next.is_ready() {
            this.source.waker.demand.provide(this.source.shared.now());
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

impl<U: ClientState> Drop for ExchangeBody<U> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            self.source.shared.endpoint.account().remove_unread(number);
        }
        self.source.drop_contents();
    }
}
