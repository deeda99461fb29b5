//! A message of `Connection.handle_async` whose answer is still to come.

use crate::connection::Inner;
use crate::errors::error;
use crate::exit::{detach, try_attach};
use crate::hook::raising;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use wellhead::{ErrorKind, Handled, Route};

/// A message of `handle_async` that waits for its answer. Dropping it drops the answer.
#[pyclass(frozen, module = "wellhead._core")]
pub(crate) struct Exchange {
    connection: Arc<Inner>,
    route: Route,
}

/// A tuple with the answer of a message, or with `None` for a message that has no answer.
type Answer<'py> = (Option<Bound<'py, PyBytes>>,);

/// Returns the exception for a message without an answer on a closed connection: a close drops the answers to come.
pub(crate) fn closed_early(py: Python<'_>) -> PyErr {
    error(py, ErrorKind::Closed, "the connection was closed before the answer came")
}

impl Exchange {
    pub(crate) fn new(connection: Arc<Inner>, route: Route) -> Self {
        Exchange { connection, route }
    }

    /// Returns the answer, or `None` if it is not there yet.
    pub(crate) fn answer<'py>(&self, py: Python<'py>) -> PyResult<Option<Answer<'py>>> {
        let core = self.connection.core(py)?;
        match raising(|| detach(py, || core.take(self.route)))? {
            Some(Handled::Answer(answer)) => Ok(Some((Some(PyBytes::new(py, &answer)),))),
            _ if core.is_closed() => Err(closed_early(py)),
            Some(_) => Ok(Some((None,))),
            None => Ok(None),
        }
    }

    /// Ends the wait after the time limit: calls without an answer get an internal error.
    pub(crate) fn expire<'py>(&self, py: Python<'py>) -> PyResult<Answer<'py>> {
        let core = self.connection.core(py)?;
        raising(|| detach(py, || core.expire(self.route)))?;
        self.answer(py)?.ok_or_else(|| {
            let message = "calls_in_flight or output_bytes: the connection holds the message back; \
                           answer calls or take output first";
            error(py, ErrorKind::Limit, message)
        })
    }
}

#[pymethods]
impl Exchange {
    /// Polls the connection, and returns the answer, or `None` if it is not there yet.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Option<Answer<'py>>> {
        self.connection.poll_event(py, usize::MAX)?;
        self.answer(py)
    }

    /// Adds a function that is called, on any thread, when `take` may have an answer.
    fn on_wake(&self, waiter: Py<PyAny>) {
        self.connection.waker().add(waiter);
    }

    fn off_wake(&self, waiter: &Bound<'_, PyAny>) {
        self.connection.waker().remove(waiter.as_unbound());
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let _ = try_attach(|py| {
            if let Ok(core) = self.connection.core(py) {
                core.forget(self.route);
            }
        });
    }
}
