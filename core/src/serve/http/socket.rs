//! The socket of one client, and the timeouts that end it if the client is silent.

use super::super::exchange_body::ClientState;
use super::super::shared::HttpShared;
use crate::http::{IdleTimeout, Silence};
use crate::sync::Lock;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// The state of a client's socket: its timeouts, and its requests in progress.
pub(super) struct SocketState {
    shared: Arc<HttpShared>,
    idle: Lock<IdleTimeout>,
    /// True if hyper read all that the client sent, up to the end of its side, while a request was in progress.
    silent: AtomicBool,
    /// True if the client closed its side while a request was in progress. Hyper may still have bytes of the client.
    closed: AtomicBool,
    /// Wakes hyper once the request has ended, so that it sees that the client closed its side.
    end: Lock<Option<Waker>>,
    abandoned: AtomicBool,
}

impl SocketState {
    pub(super) fn new(shared: Arc<HttpShared>) -> Arc<SocketState> {
        let idle = Lock::new(shared.endpoint.idle_timeout(shared.now()));
        Arc::new(SocketState {
            shared,
            idle,
            silent: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            end: Lock::default(),
            abandoned: AtomicBool::new(false),
        })
    }

    /// Notes that a request has begun. It ends when the result is dropped.
    pub(super) fn request(self: &Arc<Self>) -> SocketRequest {
        self.idle.with(|idle, _| idle.begin_request());
        SocketRequest(self.clone())
    }

    /// Returns whether hyper must not see yet that the client closed its side, because it would abort the request in
    /// progress, or what is left of its answer.
    fn hides_end(&self, cx: &Context<'_>) -> bool {
        let hides = self.idle.with(|idle, _| idle.is_answering());
        if hides {
            self.silent.store(true, Ordering::Relaxed);
            self.closed.store(true, Ordering::Relaxed);
            let waker = cx.waker().clone();
            let old = self.end.with(|end, _| end.replace(waker));
            drop(old); // not under the lock
        }
        hides
    }

    /// Returns whether a request is in progress, and the client is not known to have closed its side.
    fn is_awaited(&self) -> bool {
        !self.closed.load(Ordering::Relaxed) && self.idle.with(|idle, _| idle.is_answering())
    }

    /// Wakes the task of the connection, if the end was hidden from it, to look for it again.
    fn show_end(&self) {
        let end = self.end.with(|end, _| end.take());
        if let Some(waker) = end {
            waker.wake();
        }
    }

    /// Returns whether the client has closed its side, and its requests are then not answered.
    pub(super) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Waits until the client was silent for too long. Called by the task that polls the connection, after it has
    /// polled.
    pub(super) fn poll_over(
        &self,
        timer: &mut Option<Pin<Box<Sleep>>>,
        cx: &mut Context<'_>,
    ) -> Poll<Silence> {
        loop {
            let Some(deadline) = self.idle.with(|idle, _| idle.deadline()) else {
                return Poll::Pending;
            };
            let at = self.shared.instant(deadline);
            let timer = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
            // A timer that fires too early costs less than one that is set anew with each request.
            if timer.deadline() > at || timer.is_elapsed() {
                timer.as_mut().reset(at);
            }
            ready!(timer.as_mut().poll(cx));
            let now = self.shared.now();
            let over = self.idle.with(|idle, _| idle.on_timeout(now));
            if let Some(over) = over {
                return Poll::Ready(over);
            }
        }
    }
}

/// A request in progress on a socket.
pub(super) struct SocketRequest(Arc<SocketState>);

impl ClientState for SocketRequest {
    fn is_silent(&self) -> bool {
        self.0.silent.load(Ordering::Relaxed)
    }

    fn has_closed(&self) -> bool {
        self.0.closed.load(Ordering::Relaxed)
    }

    fn abandon(&self) {
        self.0.abandoned.store(true, Ordering::Relaxed);
    }
}

impl Drop for SocketRequest {
    fn drop(&mut self) {
        let now = self.0.shared.now();
        self.0.idle.with(|idle, _| idle.end_request(now));
        self.0.show_end();
    }
}

/// A socket that notes in [`SocketState`] when bytes come and go.
pub(super) struct ObservedSocket {
    stream: TcpStream,
    state: Arc<SocketState>,
    /// The number of bytes of HTTP/2's beginning that have come. `None` if all have come, or something else.
    preface: Option<usize>,
}

impl ObservedSocket {
    pub(super) fn new(stream: TcpStream, state: Arc<SocketState>) -> ObservedSocket {
        ObservedSocket { stream, state, preface: Some(0) }
    }

    fn heard(&mut self, bytes: &[u8]) {
        let mut is_shared = false;
        if let Some(known) = self.preface {
            let rest = &PREFACE[known..];
            let length = rest.len().min(bytes.len());
            self.preface = (rest[..length] == bytes[..length]).then_some(known + length);
            if self.preface == Some(PREFACE.len()) {
                self.preface = None;
                is_shared = true;
            }
        }
        let now = self.state.shared.now();
        self.state.idle.with(|idle, _| {
            if is_shared {
                idle.mark_shared();
            }
            idle.handle_input(now);
        });
    }

    fn took<T>(&self, result: &Poll<io::Result<T>>) {
        let now = self.state.shared.now();
        let answering = self.state.idle.with(|idle, _| {
            match result {
                Poll::Ready(_) => idle.handle_output(),
                Poll::Pending => idle.handle_full_buffer(now),
            }
            idle.is_answering()
        });
        if !answering {
            self.state.show_end();
        }
    }

    /// Looks whether the client has closed its side. Hyper does not read while it has bytes of a further request, but
    /// flushes at each poll. Behind bytes that hyper has not read, no end is seen.
    fn look_for_end(&self, cx: &mut Context<'_>) {
        if !self.state.is_awaited() {
            return;
        }
        match self.stream.poll_peek(cx, &mut ReadBuf::new(&mut [0])) {
            Poll::Ready(Ok(0)) => self.state.closed.store(true, Ordering::Relaxed),
            Poll::Ready(Err(_)) => self.state.abandoned.store(true, Ordering::Relaxed),
            Poll::Ready(Ok(_)) | Poll::Pending => return,
        }
        cx.waker().wake_by_ref(); // the request was polled before
    }
}

/// The first bytes of HTTP/2, which no method of HTTP/1.1 begins with (RFC 9113 section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n";

impl AsyncRead for ObservedSocket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(cx, buf))?;
        if buf.filled().len() > before {
            this.heard(&buf.filled()[before..]);
        } else if buf.remaining() > 0 && this.state.hides_end(cx) {
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ObservedSocket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.stream).poll_write(cx, buf);
        this.took(&result);
        result
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.stream).poll_write_vectored(cx, bufs);
        this.took(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.look_for_end(cx);
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
