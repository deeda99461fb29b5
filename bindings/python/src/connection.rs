//! A connection whose bytes the application moves itself.

use crate::alive::Alive;
use crate::body::input;
use crate::callbacks::Callbacks;
use crate::context::Context;
use crate::convert;
use crate::errors::{OrRaise, error};
use crate::exchange::{Exchange, closed_early};
use crate::exit::{detach, try_attach};
use crate::hook::{keeping, raising};
use crate::lock::lock;
use crate::waker::Waker;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{PyTraverseError, PyVisit};
use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wellhead::{Drain, DrainStart, ErrorKind, Group, Handled, Route};

thread_local! {
    /// The connections whose callbacks this thread is running.
    static RUNNING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// The connection of one client: bytes in, bytes out. Only `handle` blocks.
///
/// Thread-safe, but only one thread at a time may send the output of `poll_transmit`. A connection
/// belongs to the process that made it. After `fork` each method raises ClosedError (`forked`) in the
/// child.
#[pyclass(frozen, weakref, module = "wellhead")]
pub(crate) struct Connection(Arc<Inner>, Alive);

/// The state that a connection shares with its exchanges.
pub(crate) struct Inner {
    /// `None` in a child of `fork`, which leaves it to the parent.
    core: Option<(wellhead::Connection, Group)>,
    callbacks: Arc<Callbacks>,
    waker: Arc<Waker>,
    drain: Mutex<Option<Drain>>,
}

impl Inner {
    pub(crate) fn core(&self, py: Python<'_>) -> PyResult<&wellhead::Connection> {
        self.parts(py).map(|(core, _)| core)
    }

    fn parts(&self, py: Python<'_>) -> PyResult<&(wellhead::Connection, Group)> {
        self.callbacks.process.check(py, "connection")?;
        self.core
            .as_ref()
            .ok_or_else(|| error(py, ErrorKind::Closed, "the connection is closed; make a new one"))
    }

    pub(crate) fn waker(&self) -> &Waker {
        &self.waker
    }

    fn running(self: &Arc<Self>) -> Option<Running> {
        let this = Arc::as_ptr(self) as usize;
        RUNNING.with_borrow_mut(|running| {
            if running.contains(&this) {
                return None;
            }
            running.push(this);
            Some(Running)
        })
    }

    /// Runs at most `max` callbacks on this thread. Returns how many it ran.
    pub(crate) fn poll_event(self: &Arc<Self>, py: Python<'_>, max: usize) -> PyResult<usize> {
        let (core, group) = self.parts(py)?;
        let Some(_running) = self.running() else { return Ok(0) };
        let mut ran = 0;
        while ran < max {
            let event = raising(|| {
                detach(py, || {
                    while group.next().is_some() {} // from here on a wake is news
                    core.poll_event()
                })
            })?;
            let Some(event) = event else { break };
            ran += usize::from(core.run(|| self.callbacks.run(py, event))?);
        }
        Ok(ran)
    }

    /// Handles one message, and runs its callbacks on this thread.
    pub(crate) fn handle(self: &Arc<Self>, py: Python<'_>, message: &Bound<'_, PyAny>) -> PyResult<Handled> {
        let core = self.core(py)?;
        let message = input(message)?;
        let message = message.as_bytes();
        let _running = self.running();
        let mut raised = None;
        let context = Context::of_request(py)?;
        let (handled, of_hook) = keeping(|| {
            detach(py, || {
                core.handle_with_context(message, context, |event| {
                    Python::attach(|py| {
                        if let Err(e) = self.callbacks.run(py, event) {
                            raised = Some(e);
                        }
                    });
                })
            })
        });
        match raised.or(of_hook) {
            Some(e) => {
                if let Ok(Handled::Later(route)) = &handled {
                    core.forget(*route);
                }
                Err(e)
            }
            None => match handled.or_raise(py)? {
                Handled::Nothing if core.is_closed() => Err(closed_early(py)),
                handled => Ok(handled),
            },
        }
    }
}

/// A mark that this thread runs callbacks of a connection, until it is dropped.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.with_borrow_mut(Vec::pop);
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.callbacks.process.is_parent() {
            // The parent's: its locks may be held by threads that are not here.
            std::mem::forget((self.core.take(), lock(&self.drain).take()));
            return;
        }
        try_attach(|py| self.callbacks.requests.give_up(py));
    }
}

impl Connection {
    pub(crate) fn open(
        py: Python<'_>,
        server: &wellhead::Server,
        caller: wellhead::Caller,
        callbacks: Arc<Callbacks>,
        wake: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let alive = Alive::new(py)?;
        let waker = Arc::new(Waker::new(alive.share(py)?, wake));
        let woken = waker.clone();
        let group = server.group(move || woken.wake());
        let core = group.connect(caller);
        let inner = Inner { core: Some((core, group)), callbacks, waker, drain: Mutex::default() };
        Ok(Connection(Arc::new(inner), alive))
    }
}

#[pymethods]
impl Connection {
    /// Buffers input from the client: messages that end in a newline, split anywhere.
    ///
    /// Args:
    ///     data: The bytes that came from the client. They are copied.
    ///
    /// Returns:
    ///     The number of bytes that were accepted. If it is less than given, stop reading until `wake` is
    ///         called, and then pass the rest.
    #[pyo3(signature = (data, /))]
    fn receive(&self, data: &Bound<'_, PyAny>) -> PyResult<usize> {
        let py = data.py();
        let core = self.0.core(py)?;
        let data = convert::bytes("data", data)?;
        let bytes = data.as_bytes();
        raising(|| detach(py, || core.receive(bytes)))
    }

    /// Ends the input of the client. Messages that were received before are still answered.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
        let core = self.0.core(py)?;
        raising(|| detach(py, || core.end()))
    }

    /// Handles buffered messages, and runs at most `max` callbacks on this thread. Returns the number of
    /// callbacks that it ran.
    ///
    /// Returns 0 inside of a callback. An `async def` needs a running event loop on this thread.
    ///
    /// Args:
    ///     max: The greatest number of callbacks to run. Default: no limit.
    #[pyo3(signature = (max = None, /))]
    fn poll_event(&self, py: Python<'_>, max: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        let max = max.map_or(Ok(usize::MAX), |max| convert::count("max", max))?;
        self.0.poll_event(py, max)
    }

    /// Returns the next bytes for the client, or None if there are none now.
    ///
    /// Args:
    ///     max: The greatest number of bytes to return; at least 1. Default: 262,144.
    #[pyo3(signature = (max = None, /), text_signature = "($self, max=262144, /)")]
    fn poll_transmit<'py>(
        &self,
        py: Python<'py>,
        max: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let max = max.map_or(Ok(262_144), |max| convert::count("max", max))?;
        if max == 0 {
            return Err(error(py, ErrorKind::InvalidArgument, "max must be at least 1 (got 0)"));
        }
        let (core, group) = self.0.parts(py)?;
        let piece = detach(py, || {
            while group.next().is_some() {}
            // Taken: another thread drains, or this is a `wake` inside of the closure.
            let mut kept = self.0.drain.try_lock().ok()?;
            let mut drain = match kept.take() {
                Some(drain) => drain,
                None => match core.drain(Route::Connection) {
                    DrainStart::Ready(drain) => drain,
                    DrainStart::Empty | DrainStart::Busy => return None,
                },
            };
            let transmit = drain.poll_transmit(max)?;
            let bytes = transmit.bytes[..transmit.bytes.len().min(max)].to_vec();
            drain.wrote(bytes.len());
            *kept = Some(drain);
            Some(bytes)
        });
        Ok(piece.map(|piece| PyBytes::new(py, &piece)))
    }

    /// Returns the time at which to call `tick`, in milliseconds on the clock of `tick`, or None if nothing
    /// has a deadline.
    fn poll_timeout(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.0.core(py)?.poll_timeout())
    }

    /// Advances the clock. Calls whose deadline has passed are answered with an internal error.
    ///
    /// The clock starts at 0. Call it before polls, since deadlines count from the last call.
    ///
    /// Args:
    ///     now_ms: The present time in milliseconds, on any monotonic clock.
    #[pyo3(signature = (now_ms, /))]
    fn tick(&self, now_ms: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, now_ms) = (now_ms.py(), convert::count("now_ms", now_ms)?);
        let core = self.0.core(py)?;
        raising(|| detach(py, || core.tick(now_ms)))
    }

    /// Handles one message, runs its callbacks on this thread, and returns the answer. Blocks for at most
    /// `timeout` seconds.
    ///
    /// Args:
    ///     message: One JSON-RPC message, a `str` or bytes.
    ///     timeout: Seconds after which unanswered calls are answered with an internal error.
    ///
    /// Returns:
    ///     The answer, or None for a notification.
    ///
    /// Raises:
    ///     ClosedError: The connection was closed, before or meanwhile. This holds for notifications, too.
    ///     LimitError: The connection holds the message back, since `calls_in_flight` or `output_bytes` is
    ///         reached.
    #[pyo3(
        signature = (message, /, *, timeout = None),
        text_signature = "($self, message, /, *, timeout=60.0)"
    )]
    fn handle<'py>(
        &self,
        message: &Bound<'py, PyAny>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let py = message.py();
        let timeout =
            timeout.map_or(Ok(Duration::from_secs(60)), |timeout| convert::seconds("timeout", timeout))?;
        let until = Instant::now().checked_add(timeout);
        let exchange = match self.0.handle(py, message)? {
            Handled::Answer(answer) => return Ok(Some(PyBytes::new(py, &answer))),
            Handled::Nothing => return Ok(None),
            Handled::Later(route) => Exchange::new(self.0.clone(), route),
        };
        loop {
            let seen = self.0.waker.seen();
            self.0.poll_event(py, usize::MAX)?;
            if let Some((answer,)) = exchange.answer(py)? {
                return Ok(answer);
            }
            let left = until.map_or(timeout, |until| until.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return exchange.expire(py).map(|(answer,)| answer);
            }
            // In slices, so that Ctrl-C is noticed.
            detach(py, || self.0.waker.wait(seen, left.min(Duration::from_millis(100))));
            py.check_signals()?;
        }
    }

    /// Handles one message, and returns the answer, in an `async def`. Cancelling the task that awaits it drops
    /// the answer.
    ///
    /// Args:
    ///     message: One JSON-RPC message, a `str` or bytes.
    ///
    /// Returns:
    ///     The answer, or None for a notification.
    ///
    /// Raises:
    ///     ClosedError: The connection was closed, before or meanwhile. This holds for notifications, too.
    #[pyo3(signature = (message, /))]
    fn handle_async<'py>(this: &Bound<'py, Self>, message: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("wellhead._asyncio")?.getattr("handle")?.call1((this, message))
    }

    /// Handles a message for `handle_async`. Returns the answer, None for a notification, or the exchange from
    /// which the answer comes later.
    fn _begin<'py>(&self, message: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = message.py();
        Ok(match self.0.handle(py, message)? {
            Handled::Answer(answer) => PyBytes::new(py, &answer).into_any(),
            Handled::Nothing => py.None().into_bound(py),
            Handled::Later(route) => Bound::new(py, Exchange::new(self.0.clone(), route))?.into_any(),
        })
    }

    /// True once the connection is ended or closed, and nothing is left to poll, to answer or to send.
    #[getter]
    fn finished(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.0.core(py)?.is_finished())
    }

    /// Closes the connection at once. Unanswered calls and unsent output are dropped. May be called again.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let core = self.0.core(py)?;
        raising(|| detach(py, || core.close()))?;
        self.0.callbacks.requests.give_up(py);
        self.0.callbacks.cancel_tasks(py)
    }

    fn __repr__(&self) -> String {
        match &self.0.core {
            Some((core, _)) => format!("<wellhead.{core:?}>"),
            None => "<wellhead.Connection>".to_owned(),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.1.traverse(&visit)?;
        self.0.callbacks.traverse(&visit)?;
        self.0.waker.traverse(&visit)
    }

    fn __clear__(&self) {
        self.0.waker.clear();
        self.0.callbacks.clear();
    }
}
