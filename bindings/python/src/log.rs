//! The core's log lines, to the logger `wellhead`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::cell::RefCell;
use wellhead::Level;

thread_local! {
    /// The exception that the next line on this thread is about.
    static EXCEPTION: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Where the core writes. Called on any thread, without a lock held.
pub(crate) fn write(level: Level, line: &str) {
    let written = Python::try_attach(|py| {
        let exception = EXCEPTION.take();
        if let Err(e) = to_logger(py, level, line, exception) {
            e.write_unraisable(py, None);
        }
    });
    if written.is_none() {
        eprintln!("wellhead: {level}: {line}"); // the interpreter is going
    }
}

fn to_logger(py: Python<'_>, level: Level, line: &str, exception: Option<PyErr>) -> PyResult<()> {
    static LOGGER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let logger = LOGGER
        .get_or_try_init(py, || {
            Ok::<_, PyErr>(py.import("logging")?.call_method1("getLogger", ("wellhead",))?.unbind())
        })?
        .bind(py);
    let number = if level == Level::Warning { 30 } else { 40 }; // logging.WARNING, logging.ERROR
    let options = pyo3::types::PyDict::new(py);
    if let Some(exception) = exception {
        options.set_item("exc_info", exception.into_value(py))?;
    }
    logger.call_method("log", (number, "%s", line), Some(&options))?;
    Ok(())
}

/// An exception that belongs to no call.
pub(crate) fn exception(py: Python<'_>, line: &str, exception: PyErr) {
    if let Err(e) = to_logger(py, Level::Error, line, Some(exception)) {
        e.write_unraisable(py, None);
    }
}

/// Lets `answer` tell the core of a failure, whose line then carries the traceback of `exception`. If the core had
/// nothing to say, since nobody waited any more, the exception is logged all the same.
pub(crate) fn with_traceback(py: Python<'_>, exception: PyErr, answer: impl FnOnce()) {
    let before = EXCEPTION.replace(Some(exception));
    answer();
    if let Some(exception) = EXCEPTION.replace(before)
        && let Err(e) =
            to_logger(py, Level::Error, "a callback failed after its call was cancelled", Some(exception))
    {
        e.write_unraisable(py, None);
    }
}
