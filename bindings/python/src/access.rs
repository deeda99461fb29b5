//! Callers, and the application's verdicts about them.

use crate::answer::{FromCallback, wrong_item};
use crate::convert;
use crate::errors::Meaning;
use crate::responder::Way;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use pyo3::{PyTraverseError, PyVisit};
use wellhead::{InterestAnswer, Verdict};

/// The caller on whose behalf a client connects: an id and an object, both chosen by the application.
///
/// Args:
///     id: Bytes that stay the same for this caller, or a `str` that stands for its UTF-8. Cursors and
///         sessions work only for the id that got them. Empty for an unknown caller.
///     value: Any object, which callbacks get from `Call.caller`, such as the claims of a verified token.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Caller {
    id: Py<PyBytes>,
    value: Py<PyAny>,
}

#[pymethods]
impl Caller {
    #[new]
    #[pyo3(signature = (id, value = None, /))]
    fn new(id: &Bound<'_, PyAny>, value: Option<Py<PyAny>>) -> PyResult<Self> {
        let value = value.unwrap_or_else(|| id.py().None());
        Ok(Caller { id: caller_id("id", id)?.unbind(), value })
    }

    /// The id of the caller, `bytes`. Empty for an unknown caller.
    #[getter]
    fn id(&self, py: Python<'_>) -> Py<PyBytes> {
        self.id.clone_ref(py)
    }

    /// The object that the application gave with the id. None if it gave none.
    #[getter]
    fn value(&self, py: Python<'_>) -> Py<PyAny> {
        self.value.clone_ref(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Caller({}, {})", self.id.bind(py).repr()?, self.value.bind(py).repr()?))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.value)
    }
}

impl Caller {
    pub(crate) fn unknown(py: Python<'_>) -> Self {
        Caller { id: PyBytes::new(py, &[]).unbind(), value: py.None() }
    }

    /// Makes a caller of the core that carries the Python one to callbacks, for connections that the
    /// application does not see.
    pub(crate) fn carried(this: &Bound<'_, Self>) -> wellhead::Caller {
        this.get().to_core(this.py()).with_value(this.clone().unbind())
    }

    /// Returns the Python caller that [`Caller::carried`] put into a caller of the core; `None` if there is
    /// none.
    pub(crate) fn from_core(py: Python<'_>, caller: &wellhead::Caller) -> Option<Py<Self>> {
        caller.value::<Py<Caller>>().map(|caller| caller.clone_ref(py))
    }

    /// Makes a caller of the core with the id only. The value stays with Python, where garbage collection sees it.
    pub(crate) fn to_core(&self, py: Python<'_>) -> wellhead::Caller {
        wellhead::Caller::new(self.id.as_bytes(py))
    }
}

/// Reads the id of a caller: bytes, or a `str` for its UTF-8.
pub(crate) fn caller_id<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(PyBytes::new(value.py(), convert::utf8(name, text)?.as_bytes()));
    }
    convert::bytes(name, value).map_err(|_| convert::not_a(name, "bytes or a str", value))
}

impl FromCallback for Vec<Verdict> {
    const EXPECTED: &'static str = "a list with \"allow\", \"deny\" or \"hide\" for each URI";

    fn from_value(value: &Bound<'_, PyAny>, _: bool) -> PyResult<Option<Self>> {
        let Ok(given) = value.extract::<Vec<Bound<'_, PyString>>>() else { return Ok(None) };
        let verdicts = given.iter().map(|verdict| match verdict.to_str() {
            Ok("allow") => Some(Verdict::Allow),
            Ok("deny") => Some(Verdict::Deny),
            Ok("hide") => Some(Verdict::Hide),
            _ => None,
        });
        Ok(verdicts.collect())
    }

    fn fault(value: &Bound<'_, PyAny>) -> Option<String> {
        wrong_item(value, |word| word.to_str().is_ok_and(|word| ["allow", "deny", "hide"].contains(&word)))
    }

    fn from_outcome(_: &Meaning) -> Option<Self> {
        None
    }

    fn fail(way: Way<Self>, why: String) {
        way.fail(why);
    }
}

impl FromCallback for InterestAnswer {
    const EXPECTED: &'static str = "None";

    fn from_value(value: &Bound<'_, PyAny>, _: bool) -> PyResult<Option<Self>> {
        Ok(value.is_none().then_some(InterestAnswer::Done))
    }

    fn from_outcome(_: &Meaning) -> Option<Self> {
        None
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(InterestAnswer::Failed(why));
    }
}
