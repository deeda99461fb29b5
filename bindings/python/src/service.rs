//! Runs a server, from the arguments of `run`.

use crate::convert;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wellhead::serve::Stdio;

/// Reads the options of `run`, and returns the driver of standard input and output. `threads`: `callback_threads` is an
/// option, which an event loop lacks. Python handles the signals.
pub(crate) fn stdio(function: &str, options: Option<&Bound<'_, PyDict>>, threads: bool) -> PyResult<Stdio> {
    let is_known = |name: &str| name != "handle_sigterm" && (threads || name != "callback_threads");
    let mut stdio = Stdio::new();
    for (given, value) in options.into_iter().flatten() {
        let name = given.cast::<PyString>()?.to_str()?;
        let set = if is_known(name) { convert::option(&stdio, name, &value)? } else { None };
        let Some(set) = set else {
            let known: Vec<_> = convert::options_of::<Stdio>().filter(|name| is_known(name)).collect();
            return Err(convert::unknown(function, &given, &known));
        };
        stdio = set;
    }
    Ok(stdio)
}

/// Reads the address and port to listen on.
pub(crate) fn address(
    host: Option<&Bound<'_, PyAny>>,
    port: Option<&Bound<'_, PyAny>>,
) -> PyResult<(String, u16)> {
    let host = host.map(|host| convert::string("host", host)).transpose()?;
    let port = port.map(|port| convert::count("port", port)).transpose()?;
    Ok((host.unwrap_or_else(|| "127.0.0.1".to_owned()), port.unwrap_or(8000)))
}

/// Reads the function `on_listening`, which is called with the address of the listener.
pub(crate) fn listening(callback: Option<Bound<'_, PyAny>>) -> PyResult<Option<Bound<'_, PyAny>>> {
    if let Some(callback) = &callback {
        convert::function("on_listening", "a function (address, port)", callback)?;
    }
    Ok(callback)
}
