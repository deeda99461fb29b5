//! Makes bodies of the core from Python text, bytes and JSON.

use crate::convert;
use crate::imported::Imported;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use std::sync::Arc;
use wellhead::Body;

/// A body of at least this many bytes is referenced instead of copied: the core queues the Python object and encodes it
/// in chunks.
const LARGE: usize = 64 << 10;

pub(crate) fn text(value: &Bound<'_, PyString>) -> PyResult<Body> {
    let text = convert::utf8("the text", value)?;
    if text.len() < LARGE {
        return Ok(Body::from(text));
    }
    Ok(Body::Text(Arc::new(PyBackedStr::try_from(value.clone())?)))
}

pub(crate) fn bytes(value: &Bound<'_, PyBytes>) -> Body {
    if value.as_bytes().len() < LARGE {
        return Body::from(value.as_bytes());
    }
    Body::Blob(Arc::new(PyBackedBytes::from(value.clone())))
}

/// Makes a body of a `str` or a buffer; `None` for any other value.
pub(crate) fn body(value: &Bound<'_, PyAny>) -> PyResult<Option<Body>> {
    if let Ok(value) = value.cast::<PyString>() {
        return text(value).map(Some);
    }
    if let Ok(value) = value.cast::<PyBytes>() {
        return Ok(Some(bytes(value)));
    }
    match convert::bytes("body", value) {
        Ok(value) => Ok(Some(bytes(&value))),
        Err(e) if e.is_instance_of::<PyTypeError>(value.py()) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Makes a body of JSON from a dict, a list, a tuple, a dataclass or a model such as pydantic's; `None` for any other
/// value.
pub(crate) fn json(value: &Bound<'_, PyAny>) -> PyResult<Option<Body>> {
    static DUMPS: Imported = Imported::new("wellhead._json", "dumps");
    let (py, class) = (value.py(), value.get_type());
    let is_json = value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || class.hasattr(intern!(py, "__dataclass_fields__"))?
        || class.hasattr(intern!(py, "model_dump"))?;
    if !is_json {
        return Ok(None);
    }
    text(DUMPS.get(py)?.call1((value,))?.cast::<PyString>()?).map(Some)
}

/// Reads the argument `body` of `Server.text`.
pub(crate) fn given_text(body: &Bound<'_, PyAny>) -> PyResult<Body> {
    text(convert::text("body", body).map_err(|e| {
        let is_bytes = convert::bytes("body", body).is_ok();
        if is_bytes {
            PyTypeError::new_err("body must be a str, not bytes; serve bytes with blob()")
        } else {
            e
        }
    })?)
}

/// Reads the argument `body` of `Server.blob`.
pub(crate) fn given_bytes(body: &Bound<'_, PyAny>) -> PyResult<Body> {
    let given = convert::bytes("body", body).map_err(|e| {
        let is_text = body.is_instance_of::<PyString>();
        if is_text { PyTypeError::new_err("body must be bytes, not str; serve a str with text()") } else { e }
    })?;
    Ok(bytes(&given))
}

/// Reads a message as bytes, from a `str` or a buffer.
pub(crate) fn input<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(PyBytes::new(value.py(), convert::utf8("message", text)?.as_bytes())),
        Err(_) => convert::bytes("message", value).map_err(|e| {
            let is_none = e.is_instance_of::<PyTypeError>(value.py());
            if is_none { convert::not_a("message", "a str or bytes", value) } else { e }
        }),
    }
}
