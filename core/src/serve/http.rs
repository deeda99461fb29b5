//! The native listener: HTTP/1.1 and HTTP/2 with prior knowledge, over TCP.

use super::listening::{Jobs, Listening, OnReady};
use crate::Caller;
use crate::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::http::{Endpoint, EndpointBuilder, Exchange, Progress, RequestHead, Response};
use crate::server::Server;
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use parking_lot::Mutex;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

/// Serves Streamable HTTP on that address, such as `127.0.0.1:8000`, until the server is closed. Callbacks run on this
/// thread.
///
/// # Errors
/// [`ErrorKind::Io`]; [`ErrorKind::Closed`] if the server was closed before.
pub fn http(server: &Server, address: impl ToSocketAddrs) -> Result<()> {
    Http::new(server.endpoint()).bind(address)?.serve()
}

/// How Streamable HTTP is served.
#[derive(Debug, Clone)]
pub struct Http {
    endpoint: EndpointBuilder,
    callback_threads: usize,
    io_threads: usize,
    connections: usize,
    head: Duration,
    drain: Duration,
    terminate: bool,
}

impl Http {
    /// One callback thread, the caller's; one thread for the network; five seconds for answers under way when the
    /// server is closed.
    pub fn new(endpoint: EndpointBuilder) -> Self {
        Http {
            endpoint,
            callback_threads: 1,
            io_threads: 1,
            connections: 10_000,
            head: Duration::from_secs(10),
            drain: Duration::from_secs(5),
            terminate: false,
        }
    }

    /// Where callbacks run: 1, always the thread that serves; 0, without a hop on the threads of the network, for hosts
    /// whose callbacks are quick; more, that many threads, the one that serves among them.
    #[must_use]
    pub fn callback_threads(mut self, threads: usize) -> Self {
        self.callback_threads = threads;
        self
    }

    /// How many threads read and write.
    #[must_use]
    pub fn io_threads(mut self, threads: usize) -> Self {
        self.io_threads = threads.max(1);
        self
    }

    /// How many connections are open at once; further ones wait to be accepted.
    #[must_use]
    pub fn connections(mut self, most: usize) -> Self {
        self.connections = most.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// How long a client may take for the head of a request.
    #[must_use]
    pub fn head(mut self, time: Duration) -> Self {
        self.head = time;
        self
    }

    /// How long answers under way may take after the server was closed.
    #[must_use]
    pub fn drain(mut self, time: Duration) -> Self {
        self.drain = time;
        self
    }

    /// Whether SIGTERM closes the server, where there is such a signal. Off by default: a library installs no signal
    /// handlers unasked. Afterwards the signal has no effect any more.
    #[must_use]
    pub fn handle_sigterm(mut self, on: bool) -> Self {
        self.terminate = on;
        self
    }

    /// Binds an address; connections wait until [`Listener::serve`]. Unless it is a loopback address, any `Host` is
    /// accepted and no `Origin`, except those that the endpoint allows.
    ///
    /// # Errors
    /// [`ErrorKind::Io`]; [`ErrorKind::Closed`] if the server was closed before.
    pub fn bind(self, address: impl ToSocketAddrs) -> Result<Listener> {
        if self.endpoint.server().is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the server is closed; make a new one"));
        }
        let bound = TcpListener::bind(address).and_then(|socket| {
            socket.set_nonblocking(true)?;
            let address = socket.local_addr()?;
            Ok((socket, address))
        });
        let (socket, address) =
            bound.map_err(|e| Error::new(ErrorKind::Io, "the address cannot be bound").because(e))?;
        let endpoint = self.endpoint.clone().loopback(address.ip().is_loopback());
        Ok(Listener { http: Http { endpoint, ..self }, socket, address })
    }
}

/// A bound address.
#[derive(Debug)]
pub struct Listener {
    http: Http,
    socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// The address, with the port that the system chose if it was asked for 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves, with the registered callbacks, until the server is closed.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if no thread can be had.
    pub fn serve(self) -> Result<()> {
        let (callback_threads, drain) = (self.http.callback_threads, self.http.drain);
        let jobs = (callback_threads > 0).then(|| Jobs::new(None));
        let (shared, runtime, serving) = self.open(jobs)?;
        match &shared.jobs {
            None => drop(runtime.block_on(serving)),
            Some(jobs) => std::thread::scope(|scope| -> Result<()> {
                for n in 1..callback_threads {
                    let thread = std::thread::Builder::new().name(format!("wellhead-{n}"));
                    if let Err(e) = thread.spawn_scoped(scope, || jobs.run()) {
                        jobs.close(); // for those that did start
                        return Err(no_thread(e));
                    }
                }
                jobs.run();
                Ok(())
            })?,
        }
        runtime.shutdown_timeout(drain);
        Ok(())
    }

    /// Starts to serve on the threads of the network, and leaves the callbacks to the caller, who asks
    /// [`Listening::next`] or [`Listening::try_next`] for them. `on_ready` is called, on any thread, when there may be
    /// some. [`Http::callback_threads`] is not looked at.
    ///
    /// # Errors
    /// As [`Listener::serve`].
    pub fn start(self, on_ready: Option<OnReady>) -> Result<Listening> {
        let (shared, runtime, _) = self.open(Some(Jobs::new(on_ready)))?;
        Ok(Listening::new(shared, runtime))
    }

    fn open(self, jobs: Option<Jobs>) -> Result<(Arc<Shared>, Runtime, JoinHandle<()>)> {
        let Http { endpoint, callback_threads: _, io_threads, connections, head, drain, terminate } =
            self.http;
        let server = endpoint.server().clone();
        let wake = Arc::new(Notify::new());
        let rings = wake.clone();
        let endpoint = endpoint.build(move || rings.notify_one());
        let sentinel = endpoint.connect(Caller::default());
        let shared = Arc::new(Shared { endpoint, began: Instant::now(), jobs, _sentinel: sentinel });
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(io_threads)
            .thread_name("wellhead-http")
            .enable_io()
            .enable_time()
            .build()
            .map_err(no_thread)?;
        if terminate {
            runtime.spawn(close_on_sigterm(server.clone()));
        }
        let serving =
            runtime.spawn(serve(shared.clone(), server, self.socket, wake, connections, head, drain));
        Ok((shared, runtime, serving))
    }
}

fn no_thread(e: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "a thread cannot be started").because(e)
}

#[cfg(unix)]
async fn close_on_sigterm(server: Server) {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signals) => {
            signals.recv().await;
            server.close();
        }
        Err(e) => server.log(crate::Level::Warning, &format!("SIGTERM cannot be handled: {e}")),
    }
}

#[cfg(not(unix))]
async fn close_on_sigterm(_: Server) {}

pub(super) struct Shared {
    endpoint: Endpoint,
    began: Instant,
    /// Where callbacks wait for their threads; none: they run where they are come upon.
    pub(super) jobs: Option<Jobs>,
    /// It is shut down with the server, which wakes us.
    _sentinel: Connection,
}

impl Shared {
    pub(super) fn server(&self) -> &Server {
        self.endpoint.server()
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Takes what the endpoint came upon.
    fn poll(&self) {
        while let Some(event) = self.endpoint.poll_event() {
            self.run(event);
        }
    }

    /// The moment that the endpoint calls so.
    fn instant(&self, ms: u64) -> tokio::time::Instant {
        let far = Duration::from_secs(365 * 86_400);
        (self.began + Duration::from_millis(ms).min(far)).into()
    }

    fn run(&self, event: Event) {
        match &self.jobs {
            Some(jobs) => jobs.push_event(event),
            None => event.run(),
        }
    }
}

/// Accepts, and hands out what the endpoint comes upon, until the server is closed and what was under way is over.
async fn serve(
    shared: Arc<Shared>,
    server: Server,
    socket: TcpListener,
    wake: Arc<Notify>,
    connections: usize,
    head: Duration,
    drain: Duration,
) {
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(connections));
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(head);
    builder.http2().timer(TokioTimer::new());
    let Ok(listener) = tokio::net::TcpListener::from_std(socket) else { return };
    let mut ticks = tokio::time::interval(Duration::from_millis(250));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = wake.notified() => {
                shared.poll();
                if server.is_closed() {
                    break;
                }
            }
            _ = ticks.tick() => shared.endpoint.tick(shared.now()),
            accepted = accept(&listener, &room) => {
                let Some((stream, permit)) = accepted else { continue };
                let shared = shared.clone();
                let service = service_fn(move |request| respond(shared.clone(), request));
                let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
                let connection = graceful.watch(connection);
                tokio::spawn(async move {
                    let _ = connection.await; // a client that breaks off harms nobody
                    drop(permit);
                });
            }
        }
    }
    drop(listener);
    let mut over = pin!(graceful.shutdown());
    let mut deadline = pin!(tokio::time::sleep(drain));
    loop {
        shared.poll();
        tokio::select! {
            () = &mut over => break,
            () = &mut deadline => break,
            () = wake.notified() => {}
        }
    }
    if let Some(jobs) = &shared.jobs {
        jobs.close();
    }
}

/// The next client, when there is room for it.
async fn accept(
    listener: &tokio::net::TcpListener,
    room: &Arc<Semaphore>,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let permit = room.clone().acquire_owned().await.ok()?;
    if let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        return Some((stream, permit));
    }
    // Out of descriptors, say: trying again at once would only spin.
    tokio::time::sleep(Duration::from_millis(50)).await;
    None
}

/// Wakes the task that polls an exchange.
#[derive(Default)]
struct Bell(Mutex<Option<Waker>>);

impl Bell {
    fn ring(&self) {
        let waker = self.0.lock().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn hear(&self, cx: &Context<'_>) {
        let known = self.0.lock().as_ref().is_some_and(|waker| waker.will_wake(cx.waker()));
        if !known {
            let waker = cx.waker().clone();
            let old = self.0.lock().replace(waker);
            drop(old); // not under the lock: it may be the last of its task
        }
    }
}

/// Deals with one request until the head of its response is known.
async fn respond(
    shared: Arc<Shared>,
    request: hyper::Request<Incoming>,
) -> std::result::Result<hyper::Response<Answer>, Infallible> {
    let (parts, mut incoming) = request.into_parts();
    let mut fields: Vec<(&str, &[u8])> =
        parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    if let (Some(authority), false) = (parts.uri.authority(), parts.headers.contains_key("host")) {
        fields.push(("host", authority.as_str().as_bytes()));
    }
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    let head = RequestHead { method: parts.method.as_str(), target, headers: &fields };
    let bell = Arc::new(Bell::default());
    let rings = bell.clone();
    let exchange = shared.endpoint.begin(&head, shared.now(), move || rings.ring());
    let mut answer = Answer { shared, exchange, bell, sleep: None, data: Vec::new(), left: None };
    loop {
        match poll_fn(|cx| answer.step(cx)).await {
            Step::Body(deadline) => {
                let deadline = tokio::time::sleep_until(answer.shared.instant(deadline));
                tokio::select! {
                    frame = poll_fn(|cx| Pin::new(&mut incoming).poll_frame(cx)) => match frame {
                        Some(Ok(frame)) => {
                            if let Some(data) = frame.data_ref() {
                                answer.exchange.body(data);
                            }
                        }
                        None => answer.exchange.end(answer.shared.now()),
                        // The client broke off; what is said to it now is for nobody.
                        Some(Err(_)) => return Ok(answer.with(Response::refusal(400))),
                    },
                    () = deadline => {}
                }
            }
            Step::Respond(response) => return Ok(answer.with(response)),
            Step::Data => {}
            Step::Done => return Ok(answer.with(Response::refusal(503))),
        }
    }
}

/// The body of a response.
struct Answer {
    shared: Arc<Shared>,
    exchange: Exchange,
    bell: Arc<Bell>,
    sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    data: Vec<u8>,
    /// How much is still to come, if that is known.
    left: Option<u64>,
}

enum Step {
    Body(u64),
    Respond(Response),
    Data,
    Done,
}

impl Answer {
    /// What is to be done next, as soon as there is something.
    fn step(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        loop {
            self.bell.hear(cx); // before polling, so that no call is missed
            match self.exchange.poll(self.shared.now(), &mut self.data) {
                Progress::Body(deadline) => return Poll::Ready(Step::Body(deadline)),
                Progress::Event(event) => self.shared.run(event),
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

    fn with(mut self, head: Response) -> hyper::Response<Answer> {
        let mut response = hyper::Response::builder().status(head.status);
        for (name, value) in head.headers {
            response = response.header(name, value);
        }
        self.left = head.length;
        response.body(self).expect("status and fields are our own")
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
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
