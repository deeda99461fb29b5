//! Decides whether garbage collection has begun to take a Python object apart whose parts the core calls.
//!
//! The core keeps no object alive: its owner, a server or a connection, does, and garbage collection sees it there. A thread that
//! has no reference to the owner may call a part of it while the owner is garbage. Python clears weak references to all garbage
//! before it clears the first object. So a thread that has taken a reference to the part, and then finds the weak reference of
//! [`Alive`] set, has a part that stays whole.

use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use pyo3::{PyTraverseError, PyVisit};
use std::sync::Arc;

/// A token that only its owner refers to. It becomes garbage together with the owner. Its `__traverse__` has garbage
/// collection look at it.
#[pyclass(frozen, weakref, module = "wellhead._core")]
struct Token;

#[pymethods]
impl Token {
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "it refers to nothing")]
    fn __traverse__(&self, _visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        Ok(())
    }
}

/// The owner's part of the check. The `__traverse__` of the owner visits it.
pub(crate) struct Alive(Py<Token>);

impl Alive {
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        Ok(Alive(Py::new(py, Token)?))
    }

    pub(crate) fn share(&self, py: Python<'_>) -> PyResult<Share> {
        Ok(Share(Arc::new(PyWeakrefReference::new(self.0.bind(py))?.unbind())))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

/// The threads' part of the check: a handle for threads of the core.
#[derive(Clone)]
pub(crate) struct Share(Arc<Py<PyWeakrefReference>>);

impl Share {
    /// True if the parts of the owner to which this thread already has references are whole, and stay so.
    pub(crate) fn is_alive(&self, py: Python<'_>) -> bool {
        self.0.bind(py).upgrade().is_some()
    }
}
