//! The native listener: HTTP/1.1 and HTTP/2 with prior knowledge, over TCP.

mod socket;

use self::socket::{ObservedSocket, SocketState};
use super::exchange_body::{ClientId, respond};
use super::jobs::Jobs;
use super::listening::Listening;
use super::shared::{HttpShared, no_thread, ticks};
use super::{OnReady, check_callback_threads, check_threads, shutdown_time};
use crate::error::{Error, ErrorKind, Result};
use crate::http::{EndpointBuilder, Silence};
use crate::options::{ListenerOptions, OptionEntry, OptionValue, SetOption};
use crate::request_head::HEAD_BYTES;
use crate::server::Server;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::future::poll_fn;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinHandle;

/// Serves Streamable HTTP on that address, such as `127.0.0.1:8000`, until the server is closed. Callbacks run on this
/// thread.
///
/// # Errors
/// [`ErrorKind::Io`] if the address cannot be bound; [`ErrorKind::Closed`] if the server was closed before.
pub fn http(server: &Server, address: impl ToSocketAddrs) -> Result<()> {
    Http::new(server.endpoint()).bind(address)?.serve()
}

/// The greatest number of events that a thread takes at once, if it is the only one that runs callbacks.
const BATCH: usize = 64;

/// The settings of the native HTTP listener.
///
/// The head of a request has at most 128 KiB and, in HTTP/1.1, 100 fields: a longer one is answered with status 431.
#[derive(Debug, Clone)]
pub struct Http {
    endpoint: EndpointBuilder,
    options: ListenerOptions,
}

impl Http {
    /// Makes default settings: one callback thread, which is the caller's; one network thread; five seconds for answers
    /// that are still owed when the server is closed.
    pub fn new(endpoint: EndpointBuilder) -> Self {
        Http { endpoint, options: ListenerOptions::DEFAULT }
    }

    /// Sets the number of threads that run callbacks, at most 1,024. Default: 1. The thread that serves is one of them.
    /// With 0 the network threads run callbacks, which saves a switch of threads: for quick callbacks.
    #[must_use]
    pub fn callback_threads(mut self, threads: usize) -> Self {
        self.options.callback_threads = threads;
        self
    }

    /// Sets the number of network threads, which read and write: 1 to 1,024. Default: 1.
    #[must_use]
    pub fn io_threads(mut self, threads: usize) -> Self {
        self.options.io_threads = threads;
        self
    }

    /// Sets the greatest number of open TCP connections, at least 1. Further ones wait to be accepted. Default: 10,000.
    #[must_use]
    pub fn tcp_connection_limit(mut self, most: usize) -> Self {
        self.options.tcp_connection_limit = most;
        self
    }

    /// Sets how many milliseconds answers may still take after the server is closed. Default: 5,000.
    #[must_use]
    pub fn shutdown_ms(mut self, value: u64) -> Self {
        self.options.shutdown_ms = value;
        self
    }

    /// Sets whether SIGTERM closes the server, on systems with that signal. Default: false, because a library should
    /// not install signal handlers unasked. [`Http::bind`] installs it, so the signal may come as soon as the address
    /// is known. After the server has ended, the signal has no effect.
    #[must_use]
    pub fn handle_sigterm(mut self, on: bool) -> Self {
        self.options.handle_sigterm = on;
        self
    }

    /// Binds an address; connections wait until [`Listener::serve`]. Unless it is a loopback address, any `Host` is
    /// accepted, and no `Origin` except those that the endpoint allows.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the address cannot be bound. [`ErrorKind::Closed`] if the server was closed before.
    /// [`ErrorKind::InvalidArgument`] for more than 1,024 threads, a limit of 0, and an allowed origin or host that no
    /// request can name.
    pub fn bind(self, address: impl ToSocketAddrs) -> Result<Listener> {
        let options = &self.options;
        options.check_zeros()?;
        check_threads("io_threads", options.io_threads, "one for each processor")?;
        check_callback_threads(options.callback_threads)?;
        if self.endpoint.server().is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the server is closed; make a new one"));
        }
        let refused = |what: &str, e: std::io::Error| {
            Error::new(ErrorKind::Io, format!("the address{what} cannot be bound")).because(e)
        };
        self.endpoint.check()?;
        let addresses: Vec<_> = address.to_socket_addrs().map_err(|e| refused("", e))?.collect();
        let bound = TcpListener::bind(addresses.as_slice()).and_then(|socket| {
            socket.set_nonblocking(true)?;
            let address = socket.local_addr()?;
            Ok((socket, address))
        });
        let (socket, address) = bound.map_err(|e| {
            let named: Vec<_> = addresses.iter().map(|address| format!(" {address}")).collect();
            refused(&named.join(" or"), e)
        })?;
        let endpoint = self.endpoint.clone().bound(address.ip());
        let network = Network::new(options.io_threads)?;
        if options.handle_sigterm {
            close_on_sigterm(network.get(), endpoint.server().clone());
        }
        Ok(Listener { http: Http { endpoint, ..self }, socket, address, network })
    }

    fn shutdown_time(&self) -> Duration {
        shutdown_time(self.options.shutdown_ms)
    }
}

impl SetOption for Http {
    const OPTIONS: &'static [OptionEntry] = ListenerOptions::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        self.options.put(name, &value).map(|()| self)
    }
}

/// A listener that has bound an address and does not serve yet.
#[derive(Debug)]
pub struct Listener {
    http: Http,
    socket: TcpListener,
    address: SocketAddr,
    network: Network,
}

impl Listener {
    /// Returns the bound address, with the port that the system chose if port 0 was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the server is closed, and runs the registered callbacks.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if a thread cannot be started.
    pub fn serve(self) -> Result<()> {
        let (callback_threads, shutdown) = (self.http.options.callback_threads, self.http.shutdown_time());
        let jobs = (callback_threads > 0).then(|| Jobs::new(1, None));
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
        runtime.shutdown_timeout(shutdown);
        Ok(())
    }

    /// Begins to serve on the network threads. The application takes events by [`Listening::next`] or
    /// [`Listening::try_next`], on as many threads as [`Http::callback_threads`] says, and runs them. If there are
    /// several threads, each gets one event at a time. `on_ready` is called, on any thread, when there may be events.
    ///
    /// # Errors
    /// As [`Listener::serve`].
    pub fn start(self, on_ready: Option<OnReady>) -> Result<Listening> {
        let most = if self.http.options.callback_threads > 1 { 1 } else { BATCH };
        let (shared, runtime, _) = self.open(Some(Jobs::new(most, on_ready)))?;
        Ok(Listening::new(shared, runtime))
    }

    fn open(self, jobs: Option<Jobs>) -> Result<(Arc<HttpShared>, Runtime, JoinHandle<()>)> {
        let (connections, shutdown) = (self.http.options.tcp_connection_limit, self.http.shutdown_time());
        let endpoint = self.http.endpoint;
        let server = endpoint.server().clone();
        let (shared, wake) = HttpShared::new(endpoint, jobs.map(Arc::new))?;
        let runtime = self.network.take();
        if let Some(jobs) = shared.jobs.clone() {
            runtime.spawn(async move { jobs.hand_out().await });
        }
        let serving = runtime.spawn(serve(shared.clone(), server, self.socket, wake, connections, shutdown));
        Ok((shared, runtime, serving))
    }
}

/// The network threads.
#[derive(Debug)]
struct Network(Option<Runtime>);

impl Network {
    fn new(io_threads: usize) -> Result<Network> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(io_threads).thread_name("wellhead-http").enable_io().enable_time();
        builder.build().map(|runtime| Network(Some(runtime))).map_err(no_thread)
    }

    fn get(&self) -> &Runtime {
        self.0.as_ref().expect("it was not taken")
    }

    fn take(mut self) -> Runtime {
        self.0.take().expect("it was not taken")
    }
}

/// Drops the network threads of a listener that never served, perhaps inside of another runtime, where nothing may
/// block.
impl Drop for Network {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Closes the server at SIGTERM from now on. It is installed before the first answer, so a client that got one may rely
/// on it.
fn close_on_sigterm(runtime: &Runtime, server: Server) {
    let _context = runtime.enter();
    match terminated() {
        Ok(terminated) => drop(runtime.spawn(async move {
            terminated.await;
            server.close();
        })),
        Err(e) => server.log_line(crate::Severity::Warning, &format!("SIGTERM cannot be handled: {e}")),
    }
}

#[cfg(unix)]
fn terminated() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        terminate.recv().await;
    })
}

/// Waits for Ctrl-C or Ctrl-Break, which Windows has in place of SIGTERM.
#[cfg(windows)]
fn terminated() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::windows::{ctrl_break, ctrl_c};
    let (mut ctrl_c, mut ctrl_break) = (ctrl_c()?, ctrl_break()?);
    Ok(async move {
        tokio::select! {
            _ = ctrl_c.recv() => {}
            _ = ctrl_break.recv() => {}
        }
    })
}

/// Never ends, because this system has no SIGTERM.
#[cfg(not(any(unix, windows)))]
fn terminated() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(std::future::pending())
}

/// Accepts connections and queues events, until the server is closed and the exchanges in progress have ended.
async fn serve(
    shared: Arc<HttpShared>,
    server: Server,
    socket: TcpListener,
    wake: Arc<Notify>,
    connections: usize,
    shutdown: Duration,
) {
    let (end, ends) = watch::channel(());
    let room = Arc::new(Semaphore::new(connections.min(Semaphore::MAX_PERMITS)));
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None); // see `SocketState`
    builder.http1().max_buf_size(HEAD_BYTES);
    builder.http2().timer(TokioTimer::new()).max_header_list_size(HEAD_BYTES as u32);
    let builder = Arc::new(builder);
    let Ok(listener) = tokio::net::TcpListener::from_std(socket) else { return };
    let mut ticks = ticks();
    while !server.is_closed() {
        tokio::select! {
            () = wake.notified() => shared.poll(),
            _ = ticks.tick() => shared.tick(),
            accepted = accept(&listener, &room) => {
                let Some((stream, permit)) = accepted else { continue };
                let client = attend(shared.clone(), builder.clone(), stream, ends.clone());
                tokio::spawn(async move {
                    client.await;
                    drop(permit);
                });
            }
        }
    }
    drop(listener);
    drop(ends);
    let _ = end.send(());
    {
        let mut over = pin!(end.closed());
        let mut deadline = pin!(tokio::time::sleep(shutdown));
        loop {
            shared.poll();
            tokio::select! {
                () = &mut over => break,
                () = &mut deadline => break,
                () = wake.notified() => {}
            }
        }
    }
    // The calls that are left are cancelled: with their clients, and those of sessions with these.
    drop(end);
    shared.endpoint.end_sessions();
    if let Some(jobs) = &shared.jobs {
        jobs.close();
    }
}

/// Serves one client's connection, until the client closes it, is silent for too long, or the service ends. At the first
/// change of `ends` no further requests are taken; when its sender is dropped, the client is dropped, too.
async fn attend(
    shared: Arc<HttpShared>,
    builder: Arc<auto::Builder<TokioExecutor>>,
    stream: TcpStream,
    mut ends: watch::Receiver<()>,
) {
    let (state, holder) = (SocketState::new(shared.clone()), shared.endpoint.holder());
    let service = service_fn(|request| {
        let answer = respond(shared.clone(), ClientId::Connection(holder.clone()), state.request(), request);
        async { Ok::<_, Infallible>(answer.await) }
    });
    let socket = TokioIo::new(ObservedSocket::new(stream, state.clone()));
    let mut connection = pin!(builder.serve_connection(socket, service));
    let mut last = ends.clone();
    let (mut end, mut timer) = (pin!(ends.changed()), None);
    let mut over = pin!(async move { while last.changed().await.is_ok() {} });
    let mut ending = false;
    poll_fn(|cx| {
        if !ending && end.as_mut().poll(cx).is_ready() {
            ending = true;
            connection.as_mut().graceful_shutdown();
        }
        if ending && over.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        loop {
            if connection.as_mut().poll(cx).is_ready() {
                return Poll::Ready(()); // a client that breaks off does no harm
            }
            if state.is_abandoned() {
                return Poll::Ready(());
            }
            match state.poll_over(&mut timer, cx) {
                Poll::Ready(Silence::Idle) => connection.as_mut().graceful_shutdown(),
                Poll::Ready(Silence::Broken) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    })
    .await;
}

/// Accepts the next client, when there is room for it. `None` if none could be accepted.
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
