//! Refuses the import in any interpreter of the process but the main one. The classes of pyo3, and what this package keeps
//! about threads and the end of the process, belong to the process. A second interpreter would end them for the first one.

#![allow(
    unsafe_code,
    reason = "pyo3 has no safe functions for the number of an interpreter and the state of a thread"
)]

use pyo3::exceptions::PyImportError;
use pyo3::ffi::{PyGILState_GetThisThreadState, PyInterpreterState_Get, PyInterpreterState_GetID};
use pyo3::prelude::*;

/// Raises ImportError in a subinterpreter.
pub(crate) fn check(_: Python<'_>) -> PyResult<()> {
    // SAFETY: the thread is attached to its interpreter, so there is one, and it lives until this returns.
    let number = unsafe { PyInterpreterState_GetID(PyInterpreterState_Get()) };
    if number == 0 {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "wellhead works in the main interpreter only; import it there, or in a process of its own \
         (mod_wsgi: set WSGIApplicationGroup to %{GLOBAL})",
    ))
}

/// Returns whether the interpreter has a state for this thread, attached or not.
pub(crate) fn knows_this_thread() -> bool {
    // SAFETY: reads a value of this thread, which needs no attachment. The interpreter is initialized.
    unsafe { !PyGILState_GetThisThreadState().is_null() }
}
