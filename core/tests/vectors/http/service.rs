//! The service of `tower`, with a task for each exchange.

use super::options::builder;
use super::script::{Adapter, Got, Head, PATIENCE, Request};
use crate::host::Host;
use crate::script::Pace;
use bytes::Bytes;
use http_body::{Body, Frame};
use serde_json::Value;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tower_service::Service;
use wellhead::serve::HttpService;

pub(crate) struct AsService {
    service: HttpService,
    runtime: Runtime,
}

pub(crate) struct Task {
    pieces: Receiver<Piece>,
    task: JoinHandle<()>,
}

enum Piece {
    Head(Head),
    Data(Bytes),
    Done,
}

/// A request's body: what there is of it, and whether that is all.
struct Incoming {
    data: Option<Bytes>,
    unfinished: bool,
}

impl Adapter for AsService {
    type Exchange = Task;

    const WAITS: bool = true;

    fn new(host: &Host, options: &Value, _pace: Pace) -> Self {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_time().build().expect("a thread can be had");
        let service = {
            let _inside = runtime.enter();
            HttpService::new(builder(host, options), 1).expect("a thread can be had")
        };
        AsService { service, runtime }
    }

    fn send(&mut self, request: &Request) -> Task {
        let mut head = http::Request::builder().method(request.method.as_str()).uri(&request.target);
        for (name, value) in &request.headers {
            head = head.header(name, value.as_slice());
        }
        let data = request.body.clone().map(Bytes::from);
        let body = Incoming { data, unfinished: request.unfinished };
        let request = head.body(body).expect("a script's requests can be sent");
        let (sender, pieces) = channel();
        let task = self.runtime.spawn(exchange(self.service.clone(), request, sender));
        Task { pieces, task }
    }

    fn receive(&mut self, of: &mut Task, got: &mut Got, wait: bool) -> Result<bool, String> {
        if got.done {
            return Ok(false);
        }
        let piece = if wait {
            of.pieces.recv_timeout(PATIENCE).map_err(|e| format!("the response does not come: {e}"))?
        } else {
            let Ok(piece) = of.pieces.try_recv() else { return Ok(false) };
            piece
        };
        match piece {
            Piece::Head(head) => got.head = Some(head),
            Piece::Data(data) => got.body.extend_from_slice(&data),
            Piece::Done => got.done = true,
        }
        Ok(true)
    }

    fn poll(&mut self) -> bool {
        false // the service runs callbacks on a thread of its own
    }

    fn advance(&mut self, _ms: u64) {
        unreachable!("scripts that set the clock are not run here")
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn exchange(mut service: HttpService, request: http::Request<Incoming>, sender: Sender<Piece>) {
    let Ok(response) = service.call(request).await;
    let (head, body) = response.into_parts();
    let text = |value: &http::HeaderValue| value.to_str().expect("our fields are ASCII").to_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    // A client that no longer listens aborts this.
    let _ = sender.send(Piece::Head(Head { status: head.status.as_u16(), headers }));
    let mut body = pin!(body);
    while let Some(Ok(frame)) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let _ = frame.into_data().map(|data| sender.send(Piece::Data(data)));
    }
    let _ = sender.send(Piece::Done);
}

impl Body for Incoming {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.data.take() {
            Some(data) => Poll::Ready(Some(Ok(Frame::data(data)))),
            None if self.unfinished => Poll::Pending,
            None => Poll::Ready(None),
        }
    }
}
