//! The endpoint as a service of `tower`, for programs with an HTTP server of their own, such as one of `axum`.

use super::check_callback_threads;
use super::exchange_body::{ClientId, ClientState, ExchangeBody, respond};
use super::jobs::Jobs;
use super::shared::{HttpShared, no_thread, ticks};
use crate::error::{Error, ErrorKind, Result};
use crate::http::EndpointBuilder;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use tokio::sync::Notify;
use tower_service::Service;

/// Streamable HTTP as a tower service, for programs on `tokio` with an HTTP server of their own. Cheap to clone.
/// Requests in progress go on after the last clone is dropped.
///
/// It answers requests for the endpoint's path, and on a protected endpoint those for its metadata; others get a 404.
/// Unless the program listens on a loopback address only, call [`EndpointBuilder::loopback_only`] with false. The
/// program's server decides how long clients may be silent. A response of which the client reads nothing is dropped
/// after [`EndpointBuilder::idle_ms`]. Close the MCP server before the HTTP server is shut down, or event streams keep
/// it running.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> wellhead::Result<()> {
/// use wellhead::serve::HttpService;
///
/// let server = wellhead::Server::new("notes", "1.0.0");
/// let service = HttpService::new(server.endpoint(), 1)?;
/// // With axum: Router::new().route_service("/mcp", service)
/// # let _ = service;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct HttpService {
    owner: Arc<ServiceTasks>,
    peer: Option<Arc<NamePeer>>,
}

type NamePeer = dyn Fn(&::http::Extensions) -> Option<String> + Send + Sync;

/// Ends the tasks that were started for the service.
struct ServiceTasks {
    shared: Arc<HttpShared>,
    wake: Arc<Notify>,
}

impl HttpService {
    /// Makes a service with this number of callback threads. With 0, callbacks run on the threads of the `tokio`
    /// runtime in which this is called, for quick callbacks. The runtime must have its timers enabled.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] outside of a runtime, for more than 1,024 threads, and for an allowed origin or host
    /// that no request can name; [`ErrorKind::Io`] if a thread cannot be started; [`ErrorKind::Closed`].
    pub fn new(endpoint: EndpointBuilder, callback_threads: usize) -> Result<HttpService> {
        check_callback_threads(callback_threads)?;
        if endpoint.server().is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the server is closed; make a new one"));
        }
        let runtime = tokio::runtime::Handle::try_current().map_err(|e| {
            Error::new(ErrorKind::InvalidArgument, "make the service inside of a tokio runtime").because(e)
        })?;
        let jobs = (callback_threads > 0).then(|| Arc::new(Jobs::new(1, None)));
        let (shared, wake) = HttpShared::new(endpoint, jobs.clone())?;
        let service = HttpService { owner: Arc::new(ServiceTasks { shared, wake }), peer: None };
        if let Some(jobs) = jobs.clone() {
            runtime.spawn(async move { jobs.hand_out().await });
        }
        for n in 0..callback_threads {
            let Some(jobs) = jobs.clone() else { break };
            let thread = std::thread::Builder::new().name(format!("wellhead-{n}"));
            thread.spawn(move || jobs.run()).map_err(no_thread)?;
        }
        let ServiceTasks { shared, wake } = &*service.owner;
        runtime.spawn(attend(Arc::downgrade(shared), wake.clone()));
        Ok(service)
    }

    /// Sets the function that names the connection of a request, from the extensions that the program's server set. All
    /// requests of one connection share a part of [`crate::Limits::buffer_bytes`]. If the function returns `None`, and
    /// by default, requests with the same bearer token share a part if the endpoint judges tokens, and other requests
    /// have a part each.
    ///
    /// With axum's `into_make_service_with_connect_info::<SocketAddr>()` it is
    /// `.peer(|extensions| extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.to_string()))`.
    #[must_use]
    pub fn peer(
        mut self,
        name: impl Fn(&::http::Extensions) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.peer = Some(Arc::new(name));
        self
    }
}

/// Queues the events of the endpoint, and advances its clock, as long as the service exists.
async fn attend(shared: Weak<HttpShared>, wake: Arc<Notify>) {
    let mut ticks = ticks();
    loop {
        let tick = tokio::select! {
            () = wake.notified() => false,
            _ = ticks.tick() => true,
        };
        let Some(shared) = shared.upgrade() else { return };
        if tick {
            shared.tick();
        } else {
            shared.poll();
        }
    }
}

impl<B> Service<::http::Request<B>> for HttpService
where
    B: Body<Data: Send> + Send + 'static,
{
    type Response = ::http::Response<ResponseBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ::http::Request<B>) -> Self::Future {
        let (shared, owner) = (self.owner.shared.clone(), self.owner.clone());
        let peer = self.peer.as_ref().and_then(|name| name(request.extensions())).unwrap_or_default();
        let client = ClientId::Peer(peer.into_bytes());
        Box::pin(async { Ok(respond(shared, client, owner, request).await.map(ResponseBody)) })
    }
}

/// Knows nothing about the client of a request: only the program's server does.
impl ClientState for Arc<ServiceTasks> {}

impl Drop for ServiceTasks {
    fn drop(&mut self) {
        if let Some(jobs) = &self.shared.jobs {
            jobs.close();
        }
        self.wake.notify_one();
    }
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService").finish_non_exhaustive()
    }
}

/// The body of a response of [`HttpService`].
pub struct ResponseBody(ExchangeBody<Arc<ServiceTasks>>);

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<std::result::Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.0).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBody").finish_non_exhaustive()
    }
}
