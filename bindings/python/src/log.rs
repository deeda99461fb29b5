//! The core's log lines, to the logger `wellhead`.

use crate::context::Context;
use crate::exit::try_attach;
use crate::hook::uncaught;
use crate::imported::Imported;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};
use std::cell::RefCell;
use wellhead::Severity;

thread_local! {
    /// The callback that the next log line on this thread is about, if it is about one.
    static ABOUT: RefCell<Option<About>> = const { RefCell::new(None) };
}

struct About {
    exception: Option<PyErr>,
    /// The `contextvars` context of the callback: filters and handlers of the log run in it, and so see what its request set.
    context: Option<Context>,
}

/// Writes a line of the core to the Python logger. Called on any thread, without a lock held.
pub(crate) fn write(severity: Severity, line: &str) {
    let written = try_attach(|py| {
        let about = ABOUT.take();
        if let Err(e) = to_logger(py, severity, line, about) {
            uncaught(py, e, None);
        }
    });
    if written.is_none() {
        eprintln!("wellhead: {severity}: {line}"); // the interpreter is going
    }
}

fn to_logger(py: Python<'_>, severity: Severity, line: &str, about: Option<About>) -> PyResult<()> {
    static GET_LOGGER: Imported = Imported::new("logging", "getLogger");
    let logger = GET_LOGGER.get(py)?.call1(("wellhead",))?;
    let number = if severity == Severity::Warning { 30 } else { 40 }; // logging.WARNING, logging.ERROR
    let About { exception, context } = about.unwrap_or(About { exception: None, context: None });
    let options = PyDict::new(py);
    if let Some(exception) = exception {
        options.set_item("exc_info", exception.into_value(py))?;
    }
    let log = logger.getattr("log")?;
    match context {
        Some(context) => {
            let (format, line) = (PyString::new(py, "%s").into_any(), PyString::new(py, line).into_any());
            context.run(&log, &[PyInt::new(py, number).into_any(), format, line], Some(&options))?;
        }
        None => {
            log.call((number, "%s", line), Some(&options))?;
        }
    }
    Ok(())
}

/// Logs an exception that belongs to no call.
pub(crate) fn exception(py: Python<'_>, line: &str, exception: PyErr) {
    if let Err(e) =
        to_logger(py, Severity::Error, line, Some(About { exception: Some(exception), context: None }))
    {
        uncaught(py, e, None);
    }
}

/// Runs `answer`, which reports the failure of a callback to the core. The log line of the core gets the callback's
/// context and the traceback of `exception`. If the core logs nothing, since no client waits any more, the exception is
/// still logged.
pub(crate) fn of_callback(
    py: Python<'_>,
    exception: Option<PyErr>,
    context: Option<&Context>,
    answer: impl FnOnce(),
) {
    let context = context.map(|context| context.clone_ref(py));
    let before = ABOUT.replace(Some(About { exception, context }));
    answer();
    if let Some(about) = ABOUT.replace(before)
        && about.exception.is_some()
        && let Err(e) =
            to_logger(py, Severity::Error, "a callback failed after its call was cancelled", Some(about))
    {
        uncaught(py, e, None);
    }
}
