//! Sessions that the application keeps beyond a call.

use crate::call::loads;
use crate::convert;
use crate::errors::OrRaise;
use crate::exit::detach;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The session that a client began with `initialize`: `Call.session` returns it. The application may keep
/// this object beyond the call. The object does not keep the session open. Protocol revision 2026-07-28 has
/// no sessions. All methods are thread-safe.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Session(pub(crate) wellhead::Session);

#[pymethods]
impl Session {
    /// The id of the session, unique in the server. Over HTTP it is the `Mcp-Session-Id`, which is a secret of
    /// the client. Otherwise it is a number.
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// The client's own description of itself, a dict with `name` and `version`. Use it for logs, not for
    /// decisions. None if the client sent none.
    #[getter]
    fn client<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.client().map(|client| loads(py, client)).transpose()
    }

    /// The capabilities that the client declared, a dict such as `{"sampling": {}}`.
    #[getter]
    fn client_capabilities<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.0.client_capabilities().map(|capabilities| loads(py, capabilities)).transpose()
    }

    /// True once the session is over.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        detach(py, || self.0.is_closed())
    }

    /// Sends the client a notification that belongs to no call. Over HTTP it waits for the event stream
    /// that the client opens by GET. Never blocks.
    ///
    /// Args:
    ///     method: A name that begins with `notifications/`.
    ///     params: The parameters, a dict. None sends none.
    ///
    /// Returns:
    ///     True if it was sent, or waits for the stream. False if the client has not sent
    ///         `notifications/initialized` yet, if the session is over, or if the client leaves as many bytes
    ///         unread as `output_bytes` allows. False too for a `notifications/message` below the level that the
    ///         client set.
    ///
    /// Raises:
    ///     UsageError: With `invalid_argument` in each case: `method` is no notification, or one that
    ///         the server sends itself. A `notifications/message` has no level, or the server does not declare
    ///         the capability `logging`.
    #[pyo3(signature = (method, params = None, /))]
    fn notify(&self, method: &Bound<'_, PyAny>, params: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let (py, method) = (method.py(), convert::string("method", method)?);
        let params = convert::optional(params, |params| convert::object("params", params))?;
        detach(py, || self.0.notify(&method, params.as_ref())).or_raise(py)
    }

    /// Sends the client a log message, a `notifications/message`, if `level` is not below the one that the
    /// client set by `logging/setLevel`. That is `warning` before it sets one. Never blocks.
    ///
    /// Args:
    ///     level: The level of the line, from `debug` to `emergency`.
    ///     data: A text, or another value that can be written as JSON.
    ///     logger: The name of the part of the application that the line is from. None sends no name.
    ///
    /// Returns:
    ///     True if it was sent. False for the reasons that `notify` names.
    ///
    /// Raises:
    ///     UsageError: With `invalid_argument`: there is no level of this name, or the server does not
    ///         declare the capability `logging`.
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

/// Makes the parameters of a `notifications/message`.
pub(crate) fn log_params(
    level: &Bound<'_, PyAny>,
    data: &Bound<'_, PyAny>,
    logger: Option<&Bound<'_, PyAny>>,
) -> PyResult<wellhead::Json> {
    let params = PyDict::new(level.py());
    params.set_item("level", convert::string("level", level)?)?;
    if let Some(logger) = convert::optional(logger, |logger| convert::string("logger", logger))? {
        params.set_item("logger", logger)?;
    }
    params.set_item("data", data)?;
    convert::object("data", &params)
}
