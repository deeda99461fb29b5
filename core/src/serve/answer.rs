//! One request, answered by its exchange.

use super::shared::Shared;
use crate::http::{Exchange, Progress, RequestHead, Response};
use crate::sync::Lock;
use ::http::request::Parts;
use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Wakes the task that polls an exchange.
#[derive(Default)]
struct Bell(Lock<Option<Waker>>);

impl Bell {
    fn ring(&self) {
        let waker = self.0.with(|waker, _| waker.take());
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn hear(&self, cx: &Context<'_>) {
        let is_same = |waker: &Waker| waker.will_wake(cx.waker());
        let known = self.0.with(|waker, _| waker.as_ref().is_some_and(is_same));
        if !known {
            let waker = cx.waker().clone();
            let old = self.0.with(|known, _| known.replace(waker));
            drop(old); // not under the lock: it may be the last of its task
        }
    }
}

/// Deals with one request until the head of its response is known. `under_way` is dropped with the response.
pub(super) async fn respond<B: Body, U>(
    shared: Arc<Shared>,
    under_way: U,
    request: ::http::Request<B>,
) -> ::http::Response<Answer<U>> {
    let (parts, incoming) = request.into_parts();
    let mut incoming = pin!(incoming);
    let bell = Arc::new(Bell::default());
    let exchange = begin(&shared, &parts, bell.clone());
    drop(parts); // nobody looks at it again, while a callback may take its time
    let (sleep, data, left) = (None, Vec::new(), None);
    let mut answer = Answer { shared, exchange, bell, sleep, data, left, _under_way: under_way };
    loop {
        match poll_fn(|cx| answer.step(cx)).await {
            Step::Body(deadline) => {
                let deadline = tokio::time::sleep_until(answer.shared.instant(deadline));
                tokio::select! {
                    biased; // the timer is not even set if the body is there

                    frame = poll_fn(|cx| incoming.as_mut().poll_frame(cx)) => match frame {
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
                        // The client broke off; what is said to it now is for nobody.
                        Some(Err(_)) => return answer.with(Response::refusal(400)),
                    },
                    () = deadline => {}
                }
            }
            Step::Respond(response) => return answer.with(response),
            Step::Data => {}
            Step::Done => return answer.with(Response::refusal(503)),
        }
    }
}

fn begin(shared: &Shared, parts: &Parts, bell: Arc<Bell>) -> Exchange {
    let mut fields: Vec<(&str, &[u8])> =
        parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    if let (Some(authority), false) = (parts.uri.authority(), parts.headers.contains_key("host")) {
        fields.push(("host", authority.as_str().as_bytes()));
    }
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let head = RequestHead { method: parts.method.as_str(), target, headers: &fields };
    shared.endpoint.begin(&head, shared.now(), move || bell.ring())
}

/// The body of a response.
pub(super) struct Answer<U> {
    shared: Arc<Shared>,
    exchange: Exchange,
    bell: Arc<Bell>,
    sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    data: Vec<u8>,
    /// How much is still to come, if that is known.
    left: Option<u64>,
    _under_way: U,
}

enum Step {
    Body(u64),
    Respond(Response),
    Data,
    Done,
}

impl<U> Answer<U> {
    /// What is to be done next, as soon as there is something.
    fn step(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        self.bell.hear(cx); // before polling, so that no call is missed
        loop {
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

    fn with(mut self, head: Response) -> ::http::Response<Answer<U>> {
        let mut response = ::http::Response::builder().status(head.status);
        for (name, value) in head.headers {
            response = response.header(name, value);
        }
        self.left = head.length;
        response.body(self).expect("status and fields are our own")
    }
}

impl<U: Unpin> Body for Answer<U> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        loop {
            if !this.data.is_empty() {
                let data = std::mem::take(&mut this.data);
                this.left = this.left.map(|left| left.saturating_sub(data.len() as u64));
                return Poll::Ready(Some(Ok(Frame::data(data.into()))));
            }
            match this.step(cx) {
                Poll::Ready(Step::Data) => {}
                Poll::Ready(_) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.left == Some(0) && self.data.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
