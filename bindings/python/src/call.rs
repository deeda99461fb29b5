//! What a callback may know about its call, and the answer's way back.

use crate::access::Caller;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use wellhead::{Reply, Responder};

/// The call that a callback answers; given to a parameter that is annotated with this class.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Call {
    about: About,
    caller: Option<Py<Caller>>,
    slot: Arc<dyn Watched>,
}

/// The core's call, its responder taken out.
pub(crate) enum About {
    Read(wellhead::Call),
    List(wellhead::ListCall),
    Authorize(wellhead::AuthorizeCall),
}

/// What all calls have.
macro_rules! common {
    ($about:expr, $call:ident => $value:expr) => {
        match $about {
            About::Read($call) => $value,
            About::List($call) => $value,
            About::Authorize($call) => $value,
        }
    };
}

impl Call {
    pub(crate) fn new<A: Reply>(about: About, caller: Option<Py<Caller>>, slot: Arc<Slot<A>>) -> Self {
        Call { about, caller, slot }
    }

    /// The call of a read.
    pub(crate) fn read(&self) -> Option<&wellhead::Call> {
        match &self.about {
            About::Read(call) => Some(call),
            _ => None,
        }
    }
}

#[pymethods]
impl Call {
    #[getter]
    fn uri(&self) -> &str {
        self.read().map_or("", wellhead::Call::uri)
    }

    #[getter]
    fn caller(&self, py: Python<'_>) -> PyResult<Py<Caller>> {
        match &self.caller {
            Some(caller) => Ok(caller.clone_ref(py)),
            None => Py::new(py, Caller::nobody(py)),
        }
    }

    #[getter]
    fn revision(&self) -> &'static str {
        common!(&self.about, call => call.revision())
    }

    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match common!(&self.about, call => call.meta()) {
            Some(meta) => loads(py, meta),
            None => Ok(PyDict::new(py).into_any()),
        }
    }

    #[getter]
    fn if_version(&self) -> Option<&str> {
        self.read()?.if_version()
    }

    #[getter]
    fn cancelled(&self) -> bool {
        self.slot.is_cancelled()
    }

    #[getter]
    fn vars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vars = PyDict::new(py);
        let Some(call) = self.read() else { return Ok(vars) };
        for name in call.names() {
            if call.is_list(name) {
                vars.set_item(name, call.values(name))?;
            } else {
                vars.set_item(name, call.var(name))?;
            }
        }
        Ok(vars)
    }

    fn __repr__(&self) -> String {
        format!("<wellhead.Call {}>", self.uri())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.caller)
    }
}

/// JSON text as Python's values.
fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    LOADS.import(py, "json", "loads")?.call1((text,))
}

/// A call that may be cancelled.
trait Watched: Send + Sync {
    fn is_cancelled(&self) -> bool;
}

/// A responder that a [`Call`] can ask whether it was cancelled.
pub(crate) struct Slot<A: Reply>(Mutex<State<A>>);

enum State<A: Reply> {
    Open(Responder<A>),
    /// Answered, and whether it had been cancelled before.
    Over(bool),
}

impl<A: Reply> Slot<A> {
    pub(crate) fn new(responder: Responder<A>) -> Self {
        Slot(Mutex::new(State::Open(responder)))
    }

    fn take(&self) -> Option<Responder<A>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let cancelled = match &*state {
            State::Open(responder) => responder.is_cancelled(),
            State::Over(cancelled) => *cancelled,
        };
        match mem::replace(&mut *state, State::Over(cancelled)) {
            State::Open(responder) => Some(responder),
            State::Over(_) => None,
        }
    }
}

impl<A: Reply> Watched for Slot<A> {
    fn is_cancelled(&self) -> bool {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Open(responder) => responder.is_cancelled(),
            State::Over(cancelled) => *cancelled,
        }
    }
}

/// The answer's way back, once. Dropped without an answer, it answers "internal error".
pub(crate) struct Way<A: Reply> {
    own: Option<Responder<A>>,
    shared: Option<Arc<Slot<A>>>,
}

impl<A: Reply> Way<A> {
    pub(crate) fn own(responder: Responder<A>) -> Self {
        Way { own: Some(responder), shared: None }
    }

    pub(crate) fn shared(slot: Arc<Slot<A>>) -> Self {
        Way { own: None, shared: Some(slot) }
    }

    pub(crate) fn finish(self, answer: A) {
        if let Some(responder) = self.take() {
            responder.finish(answer);
        }
    }

    /// None: it was answered.
    pub(crate) fn take(mut self) -> Option<Responder<A>> {
        self.responder()
    }

    /// Gives the answer up in a process that is not the connection's.
    pub(crate) fn abandon(mut self) {
        mem::forget(self.responder());
    }

    fn responder(&mut self) -> Option<Responder<A>> {
        self.own.take().or_else(|| self.shared.take()?.take())
    }
}

impl<A: Reply> Drop for Way<A> {
    fn drop(&mut self) {
        drop(self.responder());
    }
}
