//! What a program is told about the service: calls, counts, and changes for other instances.

use crate::log;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use wellhead::Builder;

/// A callable that the core calls. The core has a share of this, the server the other: so garbage collection sees it.
#[derive(Clone, Default)]
pub(crate) struct Hook(Arc<Mutex<Option<Py<PyAny>>>>);

impl Hook {
    pub(crate) fn set(&self, callable: Option<Py<PyAny>>) {
        let before = std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), callable);
        drop(before); // after the lock: it may run Python
    }

    fn call(&self, argument: impl FnOnce(Python<'_>) -> PyResult<Py<PyAny>>) {
        Python::try_attach(|py| {
            let callable =
                self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|c| c.clone_ref(py));
            let Some(callable) = callable else { return };
            if let Err(e) = argument(py).and_then(|argument| callable.call1(py, (argument,))) {
                log::exception(py, "an observer failed", e);
            }
        });
    }

    /// For `Server.on_publish`.
    pub(crate) fn publish(&self, event: &str) {
        self.call(|py| Ok(event.into_pyobject(py)?.unbind().into_any()));
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock() {
            Ok(callable) => visit.call(&*callable),
            Err(_) => Ok(()),
        }
    }
}

/// Has `hook` called when calls begin and end.
pub(crate) fn observe(builder: Builder, hook: &Hook) -> Builder {
    let (hook, epoch) = (hook.clone(), Instant::now());
    builder.clock(move || epoch.elapsed()).observe(move |observed| {
        let seen = Observed {
            call: observed.call,
            method: observed.method.to_owned(),
            registration: observed.registration.map(str::to_owned),
            traceparent: observed.traceparent.map(str::to_owned),
            outcome: observed.end.map(|end| end.outcome),
            wanted: observed.end.is_none_or(|end| end.wanted),
            bytes: observed.end.map_or(0, |end| end.bytes),
            time: observed.end.and_then(|end| end.time).map(|time| time.as_secs_f64()),
        };
        hook.call(|py| Py::new(py, seen).map(Py::into_any));
    })
}

/// A call that began or ended.
#[pyclass(frozen, get_all, module = "wellhead")]
pub(crate) struct Observed {
    call: u64,
    method: String,
    registration: Option<String>,
    traceparent: Option<String>,
    outcome: Option<&'static str>,
    wanted: bool,
    bytes: u64,
    time: Option<f64>,
}

/// What a server has done, and what is open.
#[pyclass(frozen, get_all, module = "wellhead")]
pub(crate) struct Counters {
    connections: u64,
    connections_open: u64,
    calls: u64,
    calls_answered: u64,
    calls_failed: u64,
    changes: u64,
    uris_watched: u64,
    subscriptions: u64,
}

impl From<wellhead::Counters> for Counters {
    fn from(counters: wellhead::Counters) -> Self {
        Counters {
            connections: counters.connections,
            connections_open: counters.connections_open,
            calls: counters.calls,
            calls_answered: counters.calls_answered,
            calls_failed: counters.calls_failed,
            changes: counters.changes,
            uris_watched: counters.uris_watched,
            subscriptions: counters.subscriptions,
        }
    }
}
