//! Streamable HTTP for an event loop that has a server of its own. `wellhead/_asgi.py` drives it.
//!
//! A thread detaches from the interpreter to read a long body, and stays attached for the short steps around that. Otherwise
//! threads that run callbacks would take it each time, and the loop would wait for them. No thread that holds a lock of the core
//! waits for the interpreter.

use crate::callbacks::Callbacks;
use crate::context::Context;
use crate::errors::{OrRaise, error};
use crate::exit::{detach, try_attach};
use crate::fork::Process;
use crate::hook::{raising, uncaught};
use crate::http;
use crate::lock::lock;
use crate::server::Server;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};
use pyo3::{IntoPyObjectExt, PyTraverseError, PyVisit};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wellhead::http::{Endpoint as CoreEndpoint, Exchange, Progress, RequestHead};
use wellhead::{ErrorKind, Event};

/// A body of at most this many bytes is read while the thread stays attached: that takes less time than to attach
/// again.
const SHORT: usize = 16 << 10;

/// The state of an endpoint that all its requests share. It serves one event loop at a time.
#[pyclass(frozen, module = "wellhead._core")]
pub(crate) struct Endpoint(Arc<Inner>);

struct Inner {
    /// `None` after `close`.
    core: Mutex<Option<CoreEndpoint>>,
    callbacks: Arc<Callbacks>,
    began: Instant,
    /// The time that a test has set with `set_time`, in milliseconds.
    set: AtomicU64,
}

const UNSET: u64 = u64::MAX;

impl Inner {
    fn core(&self, py: Python<'_>) -> PyResult<CoreEndpoint> {
        self.callbacks.process.check(py, "endpoint")?;
        self.owned().clone().ok_or_else(|| error(py, ErrorKind::Closed, "the endpoint is closed"))
    }

    fn owned(&self) -> MutexGuard<'_, Option<CoreEndpoint>> {
        lock(&self.core)
    }

    fn now(&self) -> u64 {
        match self.set.load(Ordering::Relaxed) {
            UNSET => self.began.elapsed().as_millis() as u64,
            set => set,
        }
    }

    /// Returns the seconds from now to a time on the endpoint's clock.
    fn until(&self, moment: u64) -> f64 {
        Duration::from_millis(moment.saturating_sub(self.now())).as_secs_f64()
    }

    /// Runs the callback of an event on this thread, or returns a job for another thread.
    fn run(&self, py: Python<'_>, event: Event) -> PyResult<Option<Job>> {
        if self.callbacks.is_quick(&event) {
            self.callbacks.run(py, event)?;
            return Ok(None);
        }
        Ok(Some(Job { callbacks: self.callbacks.clone(), event: Mutex::new(Some(event)) }))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.callbacks.process.is_parent() {
            let core = self.core.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(core.take()); // its locks may be held by threads that are not here
        }
    }
}

#[pymethods]
impl Endpoint {
    #[new]
    fn new(server: &Bound<'_, Server>, options: &Bound<'_, PyDict>, wake: Py<PyAny>) -> PyResult<Self> {
        let py = server.py();
        let http::EndpointOptions { builder, verifier } = http::endpoint(server.get().core(py), options)?;
        let core = Mutex::new(Some(builder.build(move || call(&wake)).or_raise(py)?));
        let callbacks = Callbacks::verifying(server.clone().unbind(), verifier);
        Ok(Endpoint(Arc::new(Inner { core, callbacks, began: Instant::now(), set: AtomicU64::new(UNSET) })))
    }

    /// Raises an exception if the options are wrong.
    #[staticmethod]
    fn check(server: &Bound<'_, Server>, options: &Bound<'_, PyDict>) -> PyResult<()> {
        let py = server.py();
        http::endpoint(server.get().core(py), options)?.builder.build(|| {}).or_raise(py).map(drop)
    }

    fn begin(
        &self,
        py: Python<'_>,
        method: &str,
        target: &str,
        headers: &Bound<'_, PyAny>,
        peer: &str,
        ready: Py<PyAny>,
    ) -> PyResult<HttpExchange> {
        let core = self.0.core(py)?;
        let now = self.0.now();
        let headers: Vec<(PyBackedBytes, PyBackedBytes)> = headers.extract()?;
        // No code looks for a name that is no text.
        let headers: Vec<(&str, &[u8])> = headers
            .iter()
            .map(|(name, value)| (std::str::from_utf8(name).unwrap_or_default(), &**value))
            .collect();
        let head = RequestHead { method, target, headers: &headers, peer: peer.as_bytes() };
        let context = Context::of_request(py)?;
        let exchange = raising(|| core.begin_with_context(&head, now, context, move || call(&ready)))?;
        let process = Process::current();
        Ok(HttpExchange { endpoint: self.0.clone(), process, exchange: Mutex::new(Some(exchange)) })
    }

    /// Handles the events since `wake` was called. Returns the callbacks to run on other threads.
    fn poll(&self, py: Python<'_>) -> PyResult<Vec<Job>> {
        let core = self.0.core(py)?;
        raising(|| core.tick(self.0.now()))?; // so that what is asked now has its whole time
        let mut jobs = Vec::new();
        while let Some(event) = raising(|| core.poll_event())? {
            jobs.extend(self.0.run(py, event)?);
        }
        Ok(jobs)
    }

    /// Advances the clock of the endpoint. Returns the seconds until the next call, or `None` if none is needed.
    fn tick(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        let core = self.0.core(py)?;
        let now = self.0.now();
        raising(|| core.tick(now))?;
        Ok(core.poll_timeout().map(|next| self.0.until(next)))
    }

    /// Sets the time of the endpoint, in milliseconds, for tests.
    fn set_time(&self, ms: u64) {
        self.0.set.store(ms, Ordering::Relaxed);
    }

    /// Sets the event loop that runs coroutines as tasks, whichever thread made them.
    fn use_loop(&self, event_loop: Option<Py<PyAny>>) {
        self.0.callbacks.use_loop(event_loop);
    }

    /// Sets the value of the server's lifespan, which callbacks get from `Call.lifespan`.
    fn use_lifespan(&self, value: Option<Py<PyAny>>) {
        self.0.callbacks.use_lifespan(value);
    }

    /// Takes the tasks of the calls in flight, so that the caller can cancel them.
    fn take_tasks(&self) -> Vec<Py<PyAny>> {
        self.0.callbacks.take_tasks()
    }

    /// Ends the endpoint's sessions, and drops the answers of their calls. Does not close exchanges.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.0.callbacks.process.check(py, "endpoint")?;
        let core = self.0.owned().take();
        raising(|| detach(py, || drop(core)))?;
        self.0.callbacks.requests.give_up(py);
        Ok(())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.callbacks.traverse(&visit)
    }

    fn __clear__(&self) {
        self.0.callbacks.clear();
    }
}

/// One HTTP request and its response.
#[pyclass(frozen, module = "wellhead._core")]
pub(crate) struct HttpExchange {
    endpoint: Arc<Inner>,
    process: Process,
    /// `None` after `close`.
    exchange: Mutex<Option<Exchange>>,
}

impl HttpExchange {
    fn exchange(&self) -> MutexGuard<'_, Option<Exchange>> {
        lock(&self.exchange)
    }

    /// Takes the exchange. Another thread may hold it while it runs a hook, which needs the interpreter.
    fn take(&self, py: Python<'_>) -> Option<Exchange> {
        match self.exchange.try_lock() {
            Ok(mut exchange) => exchange.take(),
            Err(_) => detach(py, || self.exchange().take()),
        }
    }
}

#[pymethods]
impl HttpExchange {
    /// Takes a piece of the request's body. `more`: further pieces follow.
    fn body(&self, bytes: &Bound<'_, PyBytes>, more: bool) -> PyResult<()> {
        let (py, now) = (bytes.py(), self.endpoint.now());
        let bytes = bytes.as_bytes();
        let read = || {
            if let Some(exchange) = &mut *self.exchange() {
                exchange.body(bytes);
                if !more {
                    exchange.end(now);
                }
            }
        };
        raising(|| if bytes.len() > SHORT { detach(py, read) } else { read() })
    }

    /// Returns the next step of the exchange: a word such as `respond`, and its value.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<(&'static str, Bound<'py, PyAny>)> {
        loop {
            let mut out = Vec::new();
            let now = self.endpoint.now();
            let step = || self.exchange().as_mut().map(|exchange| exchange.poll(now, &mut out));
            let progress = raising(step)?;
            let seconds = |at: Option<u64>| at.map(|at| self.endpoint.until(at)).into_bound_py_any(py);
            return Ok(match progress {
                Some(Progress::Body(until)) => ("body", seconds(Some(until))?),
                Some(Progress::Event(event)) => match self.endpoint.run(py, event)? {
                    Some(job) => ("job", job.into_bound_py_any(py)?),
                    None => continue,
                },
                Some(Progress::Respond(head)) => {
                    let headers: Vec<_> = head
                        .headers
                        .iter()
                        .map(|(name, value)| {
                            (PyBytes::new(py, name.as_bytes()), PyBytes::new(py, value.as_bytes()))
                        })
                        .collect();
                    ("respond", (head.status, headers, PyBytes::new(py, &out)).into_bound_py_any(py)?)
                }
                Some(Progress::Data) => ("data", PyBytes::new(py, &out).into_any()),
                Some(Progress::Wait(until)) => ("wait", seconds(until)?),
                _ => ("done", py.None().into_bound(py)),
            });
        }
    }

    /// Called when the server ends: an event stream ends in good order with the next poll, and a call is still
    /// answered.
    fn end_stream(&self) {
        if let Some(exchange) = &mut *self.exchange() {
            exchange.end_stream();
        }
    }

    /// Ends the exchange, because its client has gone or has the whole response. A forked child leaves it to its parent.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.process.is_parent() {
            return Ok(());
        }
        let exchange = self.take(py);
        raising(|| drop(exchange))
    }
}

impl Drop for HttpExchange {
    fn drop(&mut self) {
        if self.process.is_parent() {
            let exchange = self.exchange.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(exchange.take());
        }
    }
}

/// A callback that a thread of the application runs once.
#[pyclass(frozen, module = "wellhead._core")]
pub(crate) struct Job {
    callbacks: Arc<Callbacks>,
    event: Mutex<Option<Event>>,
}

#[pymethods]
impl Job {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let event = lock(&self.event).take();
        match event {
            Some(event) if !self.callbacks.process.is_parent() => self.callbacks.run(py, event).map(drop),
            event => {
                std::mem::forget(event); // the parent answers it
                Ok(())
            }
        }
    }
}

/// Wakes the application. The core calls this without a lock, on any thread.
fn call(wake: &Py<PyAny>) {
    try_attach(|py| {
        if let Err(e) = wake.call0(py) {
            uncaught(py, e, Some(wake.bind(py)));
        }
    });
}
