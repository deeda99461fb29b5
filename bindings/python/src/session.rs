//! Sessions that the application keeps beyond a call.

use crate::call::loads;
use crate::errors::OrRaise;
use crate::exit::detach;
use crate::given;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The session that a client began with `initialize`: `Call.session` returns it. It may be kept beyond the
/// call, and keeps nothing alive. Protocol revision 2026-07-28 has no sessions. All methods are thread-safe.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Session(pub(crate) wellhead::Session);

#[pymethods]
impl Session {
    /// The id, unlike that of any other session of the server. Over HTTP it is the `Mcp-Session-Id`, which
    /// is a secret of the client; else a number.
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// The client's own description of itself, a dict with `name` and `version`. Use it for logs, not for
    /// decisions.
    #[getter]
    fn client<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.client().map(|client| loads(py, client)).transpose()
    }

    /// The client's capabilities, a dict such as `{"sampling": {}}`.
    #[getter]
    fn client_capabilities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.client_capabilities().map(|capabilities| loads(py, capabilities)).transpose()
    }

    /// True once the session is over.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        detach(py, || self.0.is_closed())
    }

    /// Sends the client a notification that belongs to no call. Over HTTP it goes on the stream that the
    /// client has open for these. Never blocks.
    ///
    /// Args:
    ///     method: A name that begins with `notifications/`.
    ///     params: A dict, or None.
    ///
    /// Returns:
    ///     False if it was not sent: the client has not sent `notifications/initialized` yet, the session is
    ///         over, the client reads nothing, or a `notifications/message` is below the level that the
    ///         client set.
    ///
    /// Raises:
    ///     RegistrationError: The server sends this notification itself, a `notifications/message` has no
    ///         level, or the capability `logging` is not declared (`invalid_argument`).
    #[pyo3(signature = (method, params = None, /))]
    fn notify(&self, method: &Bound<'_, PyAny>, params: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let (py, method) = (method.py(), given::string("method", method)?);
        let params = given::optional(params, |params| given::object("params", params))?;
        detach(py, || self.0.notify(&method, params.as_ref())).or_raise(py)
    }

    /// Sends the client a line of the log, a `notifications/message`, from the level on that it set by
    /// `logging/setLevel`. That is `warning` before it sets one. Never blocks.
    ///
    /// Args:
    ///     level: The level, from `debug` to `emergency`.
    ///     data: A text, or any other value that can be written as JSON.
    ///     logger: The name of the part of the application that the line is from.
    ///
    /// Returns:
    ///     False if it was not sent, as `notify`.
    ///
    /// Raises:
    ///     RegistrationError: There is no such level, or the capability `logging` is not declared
    ///         (`invalid_argument`).
    #[pyo3(signature = (level, data, /, logger = None))]
    fn log(
        &self,
        level: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        logger: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let params = log_params(level, data, logger)?;
        detach(level.py(), || self.0.notify(LOG_MESSAGE, Some(&params))).or_raise(level.py())
    }
}

pub(crate) const LOG_MESSAGE: &str = "notifications/message";

/// The parameters of a line of the log.
pub(crate) fn log_params(
    level: &Bound<'_, PyAny>,
    data: &Bound<'_, PyAny>,
    logger: Option<&Bound<'_, PyAny>>,
) -> PyResult<wellhead::Json> {
    let params = PyDict::new(level.py());
    params.set_item("level", given::string("level", level)?)?;
    if let Some(logger) = given::optional(logger, |logger| given::string("logger", logger))? {
        params.set_item("logger", logger)?;
    }
    params.set_item("data", data)?;
    given::object("data", &params)
}
