//! The core's errors as exceptions. The classes are Python's, in `wellhead/_errors.py`.

use crate::convert;
use crate::imported::Imported;
use crate::method;
use pyo3::exceptions::{PyBaseException, PyKeyboardInterrupt, PySystemExit};
use pyo3::intern;
use pyo3::prelude::*;
use std::time::Duration;
use wellhead::{ErrorKind, Json, MethodError, ToolError};

fn make(py: Python<'_>, kind: ErrorKind, message: &str) -> PyResult<PyErr> {
    static ERROR: Imported = Imported::new("wellhead._errors", "Error");
    static REGISTRATION: Imported = Imported::new("wellhead._errors", "UsageError");
    static CLOSED: Imported = Imported::new("wellhead._errors", "ClosedError");
    static LIMIT: Imported = Imported::new("wellhead._errors", "LimitError");
    static IO: Imported = Imported::new("wellhead._errors", "IoError");
    let class = match kind {
        ErrorKind::Closed | ErrorKind::Forked => &CLOSED,
        ErrorKind::Limit => &LIMIT,
        ErrorKind::Io => &IO,
        ErrorKind::Panic | ErrorKind::Response => &ERROR,
        _ => &REGISTRATION,
    };
    Ok(PyErr::from_value(class.get(py)?.call1((message, kind.code()))?))
}

/// Makes an exception of the class that belongs to `kind`.
pub(crate) fn error(py: Python<'_>, kind: ErrorKind, message: &str) -> PyErr {
    make(py, kind, message).unwrap_or_else(|e| e)
}

/// Makes the exception for an error of the core.
pub(crate) fn from_core(py: Python<'_>, e: &wellhead::Error) -> PyErr {
    let mut message = e.to_string();
    let mut number = None;
    let mut source = std::error::Error::source(e);
    while let Some(cause) = source {
        // Only what the system says: other causes have the words of a library.
        if let Some(cause) = cause.downcast_ref::<std::io::Error>() {
            number = cause.raw_os_error();
            let said = number.map_or_else(|| cause.to_string(), said_by_system);
            message = format!("{message}: {said}");
        }
        source = cause.source();
    }
    let raised = error(py, e.kind(), &message);
    if let (ErrorKind::Io, Some(number)) = (e.kind(), number) {
        let value = raised.value(py);
        let set = value.setattr("errno", number).and_then(|()| value.setattr("strerror", &message));
        return set.err().unwrap_or(raised);
    }
    raised
}

/// Returns the operating system's text of an error, as Python's own exceptions have it.
fn said_by_system(number: i32) -> String {
    let text = std::io::Error::from_raw_os_error(number).to_string();
    text.strip_suffix(&format!(" (os error {number})")).unwrap_or(&text).to_owned()
}

/// Turns the core's results into Python's.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for wellhead::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|e| from_core(py, &e))
    }
}

/// The meaning of an exception that a callback raised.
pub(crate) enum Meaning {
    NotFound,
    Denied,
    /// The resource cannot be read now. The time is when the client may ask again.
    Busy(Option<Duration>),
    /// An error of a method, with the code and text that the client gets.
    Error(MethodError),
    /// An error of a tool, whose text the model reads.
    ToolError(ToolError),
    InputRequired(Json),
    MissingCapability(Json),
    /// The callback waits for the client, and runs again.
    Waiting,
    InvalidState,
    /// The token is valid, but the request needs these scopes.
    InsufficientScope(Vec<String>),
    /// A failure: any other exception, such as `asyncio.CancelledError`, which is about one task.
    Failed,
    /// The exception ends more than the callback: see [`ends`].
    Ends,
}

/// Returns whether an exception ends more than a callback, as `KeyboardInterrupt` and `SystemExit` do in asyncio's
/// tasks.
pub(crate) fn ends(py: Python<'_>, e: &PyErr) -> bool {
    e.is_instance_of::<PyKeyboardInterrupt>(py) || e.is_instance_of::<PySystemExit>(py)
}

/// Returns the meaning of an exception that a callback raised, and the exception to log. That is a second one if the first
/// stands for an outcome and has a value that no client can be given.
pub(crate) fn meaning(py: Python<'_>, e: PyErr) -> (Meaning, PyErr) {
    static OUTCOME: Imported = Imported::new("wellhead._errors", "Outcome");
    static WAITING: Imported = Imported::new("wellhead._errors", "Waiting"); // no error, so that callbacks let it through
    if [&OUTCOME, &WAITING].iter().any(|class| class.get(py).is_ok_and(|class| e.is_instance(py, class))) {
        return match outcome(e.value(py)) {
            Ok(meaning) => (meaning, e),
            Err(why) => {
                why.set_cause(py, Some(e)); // the text of `why` says what its own cause was
                (failure(py, &why), why)
            }
        };
    }
    (failure(py, &e), e)
}

fn failure(py: Python<'_>, e: &PyErr) -> Meaning {
    if ends(py, e) { Meaning::Ends } else { Meaning::Failed }
}

fn outcome(raised: &Bound<'_, PyBaseException>) -> PyResult<Meaning> {
    let py = raised.py();
    Ok(match raised.getattr(intern!(py, "code"))?.extract()? {
        "not_found" => Meaning::NotFound,
        "denied" => Meaning::Denied,
        "busy" => {
            let ms: Option<f64> = raised.getattr(intern!(py, "retry_after_ms"))?.extract()?;
            Meaning::Busy(ms.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()))
        }
        "method_error" => Meaning::Error(method::error(raised)?),
        "tool_error" => {
            let message =
                convert::string("the message of the ToolError", &raised.getattr(intern!(py, "message"))?)?;
            Meaning::ToolError(ToolError::new(message))
        }
        "input_required" => Meaning::InputRequired(method::carried(raised)?),
        "missing_capability" => Meaning::MissingCapability(method::carried(raised)?),
        "waiting" => Meaning::Waiting,
        "invalid_state" => Meaning::InvalidState,
        "insufficient_scope" => Meaning::InsufficientScope(raised.getattr(intern!(py, "scopes"))?.extract()?),
        _ => Meaning::Failed,
    })
}
