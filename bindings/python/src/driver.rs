//! Serving standard input and output, or HTTP. `wellhead/_run.py` drives it.

use crate::bell::{Bell, SignalWatch};
use crate::callbacks::Callbacks;
use crate::errors::{OrRaise, error};
use crate::exit::{self, Inside, detach, try_attach};
use crate::fork::Process;
use crate::hook::{hand_on, raise_left, raising};
use crate::http;
use crate::lock::lock;
use crate::server::Server;
use crate::service;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use wellhead::serve::{Batch, Driver as StdioDriver, Interrupter, Listening};
use wellhead::{ErrorKind, Event};

/// If a batch of callbacks takes longer than this, the answers so far are written before it ends.
const PATIENCE: Duration = Duration::from_micros(500);
/// The time for which an event loop runs batches before the other callbacks of the loop have their turn.
const TURN: Duration = Duration::from_millis(2);

/// A running service: standard input and output, or an HTTP listener.
#[pyclass(frozen, module = "wellhead._core")]
pub(crate) struct Driver {
    callbacks: Arc<Callbacks>,
    service: Arc<Service>,
    bell: Option<Arc<Bell>>,
    signals: Mutex<Option<SignalWatch>>,
}

/// A service, in a form that the end of the process can end.
struct Service {
    process: Process,
    /// True if the service has ended or is stopped. Its threads raise what a hook leaves only until then.
    over: AtomicBool,
    /// `None` in a child of `fork`, which leaves it to the parent.
    driver: Option<Transport>,
}

/// The transport of a service.
enum Transport {
    Stdio(StdioDriver),
    Http(Arc<Listening>, SocketAddr),
}

/// A handle of a transport for other threads.
enum Reach {
    Stdio(Interrupter),
    Http(Arc<Listening>),
}

impl Transport {
    fn next(&self) -> Batch {
        match self {
            Transport::Stdio(driver) => driver.next(),
            Transport::Http(listening, _) => listening.next(),
        }
    }

    fn try_next(&self) -> Batch {
        match self {
            Transport::Stdio(driver) => driver.try_next(),
            Transport::Http(listening, _) => listening.try_next(),
        }
    }

    fn run<R>(&self, callbacks: impl FnOnce() -> R) -> R {
        match self {
            Transport::Stdio(driver) => driver.run(callbacks),
            Transport::Http(..) => callbacks(),
        }
    }

    /// Makes the transport write the output that callbacks produced so far.
    fn flush(&self) {
        if let Transport::Stdio(driver) = self {
            driver.flush();
        }
    }

    fn reach(&self) -> Reach {
        match self {
            Transport::Stdio(driver) => Reach::Stdio(driver.interrupter()),
            Transport::Http(listening, _) => Reach::Http(listening.clone()),
        }
    }

    fn stop(&self) {
        match self {
            Transport::Stdio(driver) => driver.stop(),
            Transport::Http(listening, _) => listening.stop(),
        }
    }
}

impl Reach {
    fn interrupt(&self) {
        match self {
            Reach::Stdio(interrupter) => interrupter.interrupt(),
            Reach::Http(listening) => listening.interrupt(),
        }
    }

    fn terminate(&self) {
        match self {
            Reach::Stdio(interrupter) => interrupter.terminate(),
            Reach::Http(listening) => listening.terminate(),
        }
    }
}

impl Service {
    /// Returns whether the service runs in this process.
    fn is_live(&self) -> bool {
        !self.process.is_parent() && !self.over.load(Ordering::SeqCst)
    }

    /// Marks the end of the service, and raises the exception that a hook left before.
    fn end(&self) -> PyResult<()> {
        self.over.store(true, Ordering::SeqCst);
        raise_left()
    }
}

type OnReady = Box<dyn Fn() + Send + Sync>;

/// All services, also those that are over: the end of the process waits for their threads.
static SERVICES: Mutex<Vec<Weak<Service>>> = Mutex::new(Vec::new());

impl Driver {
    fn start(
        py: Python<'_>,
        callbacks: Arc<Callbacks>,
        on_loop: bool,
        start: impl FnOnce(Option<OnReady>) -> wellhead::Result<Transport> + Send,
    ) -> PyResult<Self> {
        let io = |e: std::io::Error| error(py, ErrorKind::Io, &e.to_string());
        let bell = if on_loop { Some(Arc::new(Bell::new().map_err(io)?)) } else { None };
        let on_ready = bell.clone().map(|bell| -> OnReady { Box::new(move || bell.ring()) });
        let driver = detach(py, || start(on_ready)).or_raise(py)?;
        let (process, over) = (Process::current(), AtomicBool::new(false));
        let service = Arc::new(Service { process, over, driver: Some(driver) });
        let mut services = lock(&SERVICES);
        services.retain(|service| service.strong_count() > 0);
        services.push(Arc::downgrade(&service));
        Ok(Driver { callbacks, service, bell, signals: Mutex::new(None) })
    }

    fn core(&self, py: Python<'_>) -> PyResult<&Transport> {
        self.callbacks.process.check(py, "driver")?;
        self.service.driver.as_ref().ok_or_else(|| error(py, ErrorKind::Closed, "the service is over"))
    }

    fn run(&self, py: Python<'_>, driver: &Transport, events: Vec<Event>) -> PyResult<()> {
        driver.run(|| {
            let mut began = Instant::now();
            let mut events = events.into_iter();
            while let Some(event) = events.next() {
                let ran = self.callbacks.run(py, event);
                if self.callbacks.process.is_parent() {
                    std::mem::forget(events); // the parent answers them
                    return ran.map(drop);
                }
                ran?;
                py.check_signals()?;
                if began.elapsed() > PATIENCE {
                    driver.flush();
                    began = Instant::now();
                }
            }
            Ok(())
        })
    }
}

#[pymethods]
impl Driver {
    /// Starts to serve standard input and output.
    #[staticmethod]
    fn stdio(server: &Bound<'_, Server>, options: &Bound<'_, PyDict>, on_loop: bool) -> PyResult<Self> {
        let (py, inner) = (server.py(), server.get());
        let options = service::stdio("run", Some(options), true)?;
        inner.base.set(py)?;
        let (callbacks, core) = (Callbacks::new(server.clone().unbind(), None), inner.core(py));
        Driver::start(py, callbacks, on_loop, |on_ready| options.start(core, on_ready).map(Transport::Stdio))
    }

    /// Binds an address, and starts to serve HTTP there.
    #[staticmethod]
    fn http(
        server: &Bound<'_, Server>,
        address: (String, u16),
        callback_threads: usize,
        on_loop: bool,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let (py, inner) = (server.py(), server.get());
        let (listener, verifier) = http::listener(inner.core(py), options)?;
        let listener = listener.callback_threads(callback_threads);
        let (host, port) = address;
        let listener = detach(py, || {
            let addresses = (host.as_str(), port).to_socket_addrs().map_err(|e| {
                let what = format!("the address {host}:{port} cannot be bound");
                wellhead::Error::new(ErrorKind::Io, what).because(e)
            });
            listener.bind(addresses?.as_slice())
        });
        let listener = listener.or_raise(py)?;
        inner.base.set(py)?;
        let (callbacks, address) =
            (Callbacks::verifying(server.clone().unbind(), verifier), listener.address());
        Driver::start(py, callbacks, on_loop, |on_ready| {
            listener.start(on_ready).map(|listening| Transport::Http(Arc::new(listening), address))
        })
    }

    /// Runs callbacks on this thread until the service ends.
    fn work(&self, py: Python<'_>) -> PyResult<()> {
        let driver = self.core(py)?;
        let Some(_inside) = Inside::enter() else { return Ok(()) };
        raise_left()?; // by a hook that was called before there was a service to interrupt
        loop {
            // Not in `raising`: it waits on after a hook. What a hook raises interrupts it.
            match detach(py, || driver.next()) {
                Batch::Events(events) => self.run(py, driver, events)?,
                Batch::Interrupted => py.check_signals().and_then(|()| raise_left())?,
                Batch::Idle => {}
                Batch::Ended => {
                    self.callbacks.requests.give_up(py); // other threads may wait for them
                    return self.service.end();
                }
            }
        }
    }

    /// Runs the callbacks that are ready, without waiting, for an event loop. Returns whether the service has ended.
    fn pump(&self, py: Python<'_>) -> PyResult<bool> {
        let driver = self.core(py)?;
        let Some(bell) = &self.bell else { return Ok(false) };
        bell.silence();
        raise_left()?;
        let began = Instant::now();
        while began.elapsed() < TURN {
            match raising(|| detach(py, || driver.try_next()))? {
                Batch::Events(events) => self.run(py, driver, events)?,
                Batch::Interrupted => py.check_signals().and_then(|()| raise_left())?,
                Batch::Idle => return Ok(false),
                Batch::Ended => return self.service.end().map(|()| true),
            }
        }
        bell.ring();
        Ok(false)
    }

    /// Returns a socket that is readable when `pump` has something to do.
    fn fileno(&self) -> i64 {
        self.bell.as_ref().map_or(-1, |bell| bell.fileno())
    }

    /// Returns a socket for `signal.set_wakeup_fd`, with which a signal wakes a waiting `work`.
    fn signal_fd(&self, py: Python<'_>) -> PyResult<i64> {
        let reach = self.core(py)?.reach();
        let watch = SignalWatch::start(move || reach.interrupt())
            .map_err(|e| error(py, ErrorKind::Io, &e.to_string()))?;
        let fd = watch.fileno();
        let before = lock(&self.signals).replace(watch);
        detach(py, || drop(before));
        Ok(fd)
    }

    /// Returns the address and the port of the HTTP listener; `None` over stdio.
    fn address(&self, py: Python<'_>) -> PyResult<Option<(String, u16)>> {
        Ok(match self.core(py)? {
            Transport::Stdio(_) => None,
            Transport::Http(_, address) => Some((address.ip().to_string(), address.port())),
        })
    }

    /// Sets the event loop that runs the coroutines of callbacks as tasks, whichever thread made them.
    fn use_loop(&self, event_loop: Option<Py<PyAny>>) {
        self.callbacks.use_loop(event_loop);
    }

    /// Sets the value of the server's lifespan, which calls show to callbacks.
    fn use_lifespan(&self, value: Option<Py<PyAny>>) {
        self.callbacks.use_lifespan(value);
    }

    /// Takes the tasks of calls in flight, so that the caller can cancel them.
    fn take_tasks(&self) -> Vec<Py<PyAny>> {
        self.callbacks.take_tasks()
    }

    /// Ends the service cleanly: calls in flight may still be answered within the shutdown time.
    fn terminate(&self, py: Python<'_>) -> PyResult<()> {
        let reach = self.core(py)?.reach();
        detach(py, || reach.terminate());
        Ok(())
    }

    /// Ends the service at once, and waits for its threads.
    fn stop(&self, py: Python<'_>) {
        if self.callbacks.process.is_parent() {
            return;
        }
        self.service.over.store(true, Ordering::SeqCst);
        let signals = lock(&self.signals).take();
        detach(py, || {
            drop(signals);
            if let Some(driver) = &self.service.driver {
                driver.stop();
            }
        });
        self.callbacks.requests.give_up(py);
        hand_on(py);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.callbacks.traverse(&visit)
    }

    fn __clear__(&self) {
        self.callbacks.clear();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let driver = self.driver.take();
        if self.process.is_parent() {
            std::mem::forget(driver); // its threads are the parent's
            return;
        }
        // Its threads may be logging: they must be able to get the GIL while they are waited for.
        let mut driver = Some(driver);
        let _ = try_attach(|py| {
            let driver = driver.take();
            detach(py, || drop(driver));
        });
    }
}

fn services() -> Vec<Arc<Service>> {
    lock(&SERVICES).iter().filter_map(Weak::upgrade).collect()
}

/// Returns whether this process has a service that may raise the exception that a hook left.
pub(crate) fn is_any_live() -> bool {
    services().iter().any(|service| service.is_live())
}

/// Wakes each live service, so that one of them raises the exception that a hook left.
pub(crate) fn interrupt_all() {
    for service in services().iter().filter(|service| service.is_live()) {
        if let Some(driver) = &service.driver {
            driver.reach().interrupt();
        }
    }
}

/// At the end of the process, before the interpreter goes: ends every service, and waits for its threads.
#[pyfunction(name = "_at_exit")]
pub(crate) fn at_exit(py: Python<'_>) {
    for service in services().iter().filter(|service| !service.process.is_parent()) {
        if let Some(driver) = &service.driver {
            detach(py, || driver.stop());
        }
    }
    exit::begin(py);
}
