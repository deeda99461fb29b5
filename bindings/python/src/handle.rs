//! The handle of a registration, which the application changes or removes.

use crate::body;
use crate::convert;
use crate::errors::OrRaise;
use crate::exit::detach;
use crate::server::Server;
use crate::values::Contents;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

/// A handle with which the application changes or removes a fixed resource or a folder that it registered.
/// Dropping the handle removes nothing. All methods are thread-safe.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Handle {
    pub(crate) server: Py<Server>,
    pub(crate) registered_as: String,
    /// True if the registration has a MIME type.
    pub(crate) typed: bool,
}

#[pymethods]
impl Handle {
    /// The URI of the resource, or the template of the folder.
    #[getter]
    fn registered_as(&self) -> &str {
        &self.registered_as
    }

    /// Replaces the contents of a fixed resource, and notifies its subscribers.
    ///
    /// Args:
    ///     body: The new contents: a `str`, bytes or `Contents`. To set a version, use `Contents`.
    ///
    /// Raises:
    ///     UsageError: The resource was removed (`unknown`).
    ///     ClosedError: The server is closed.
    #[pyo3(signature = (body, /))]
    fn set(&self, body: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = body.py();
        let given = match (body.cast::<Contents>(), body::body(body)?) {
            (Ok(contents), _) => contents.get().to_core(self.typed),
            (_, Some(body)) => wellhead::Contents::new(body),
            _ => {
                let what = "a str, bytes or wellhead.Contents";
                return Err(convert::not_a("body", what, body));
            }
        };
        let core = self.server.get().core(py);
        detach(py, || core.set(&self.registered_as, given)).or_raise(py)
    }

    /// Removes the resource or the folder.
    ///
    /// Raises:
    ///     UsageError: The resource or the folder is already removed (`unknown`).
    ///     ClosedError: The server is closed.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.server.get().take_out(py, |core| core.remove_resource(&self.registered_as))
    }

    fn __repr__(&self) -> String {
        format!("<wellhead.Handle {}>", self.registered_as)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.server)
    }
}
