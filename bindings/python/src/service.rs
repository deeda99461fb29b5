//! How a server is run, from arguments.

use crate::given;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// How standard input and output are served.
pub(crate) struct OverStdio {
    pub(crate) callback_threads: usize,
    pub(crate) drain_ms: u64,
    pub(crate) guard_stdio: bool,
}

pub(crate) fn stdio(
    function: &str,
    options: Option<&Bound<'_, PyDict>>,
    threads: bool,
) -> PyResult<OverStdio> {
    let mut stdio = OverStdio { callback_threads: 1, drain_ms: 5000, guard_stdio: true };
    for (given, value) in options.into_iter().flatten() {
        let name = given.cast::<PyString>()?.to_str()?;
        match name {
            "callback_threads" if threads => stdio.callback_threads = given::count(name, &value)?,
            "drain_ms" => stdio.drain_ms = given::count(name, &value)?,
            "guard_stdio" => stdio.guard_stdio = given::flag(name, &value)?,
            _ => {
                let known = ["drain_ms", "guard_stdio", "callback_threads"];
                return Err(given::unknown(function, &given, &known[..2 + usize::from(threads)]));
            }
        }
    }
    Ok(stdio)
}

/// Where to listen.
pub(crate) fn address(
    host: Option<&Bound<'_, PyAny>>,
    port: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, u16)> {
    let host = host.map(|host| given::string("host", host)).transpose()?;
    let port = port.map(|port| given::count("port", port)).transpose()?;
    Ok((host.unwrap_or_else(|| "127.0.0.1".to_owned()), port.unwrap_or(8000)))
}

/// Who is told where clients reach the server.
pub(crate) fn listening(told: Option<Bound<'_, PyAny>>) -> PyResult<Option<Bound<'_, PyAny>>> {
    match told {
        Some(told) if !told.is_callable() => {
            Err(given::not_a("on_listening", "a function (address, port)", &told))
        }
        told => Ok(told),
    }
}
