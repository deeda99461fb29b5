//! The verdict of the application's `verify` callback about a bearer token.

use crate::access::Caller;
use crate::answer::FromCallback;
use crate::convert;
use crate::errors::Meaning;
use crate::responder::Way;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pyo3::{PyTraverseError, PyVisit};
use wellhead::http::{Grant as CoreGrant, Verification};

/// The rights of a valid bearer token, returned by a `verify` callback.
///
/// Args:
///     caller: The caller of the request. Sessions, cursors and streams belong to its id: give each
///         principal an id of its own.
///     audience: The audience of the token, such as its `aud`, as a list of `str`. If `serve_http` or
///         `asgi` has `resource=`, a token for another audience is refused.
///     scopes: The scopes of the token, as a list of `str`. Include those that these scopes imply.
///     expires_in_ms: The time until the token expires, in milliseconds. Streams that the token opened end
///         then. Default: never.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Grant {
    caller: Py<Caller>,
    audience: Vec<String>,
    scopes: Vec<String>,
    expires_in_ms: Option<u64>,
}

#[pymethods]
impl Grant {
    #[new]
    #[pyo3(
        signature = (caller, /, *, audience = None, scopes = None, expires_in_ms = None, **unknown),
        text_signature = "(caller, /, *, audience=None, scopes=None, expires_in_ms=None)"
    )]
    fn new(
        caller: &Bound<'_, PyAny>,
        audience: Option<&Bound<'_, PyAny>>,
        scopes: Option<&Bound<'_, PyAny>>,
        expires_in_ms: Option<&Bound<'_, PyAny>>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        convert::none_unknown("Grant", unknown, &["audience", "scopes", "expires_in_ms"])?;
        let audience = convert::optional(audience, |given| convert::strings("audience", given))?;
        let scopes = convert::optional(scopes, |given| convert::strings("scopes", given))?;
        Ok(Grant {
            caller: convert::instance::<Caller>("caller", caller)?.clone().unbind(),
            audience: audience.unwrap_or_default(),
            scopes: scopes.unwrap_or_default(),
            expires_in_ms: convert::optional(expires_in_ms, |given| convert::count("expires_in_ms", given))?,
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut shown = vec![self.caller.bind(py).repr()?.to_string()];
        for (name, list) in [("audience", &self.audience), ("scopes", &self.scopes)] {
            if !list.is_empty() {
                shown.push(format!("{name}={}", PyList::new(py, list)?.repr()?));
            }
        }
        shown.extend(self.expires_in_ms.map(|ms| format!("expires_in_ms={ms}")));
        Ok(format!("Grant({})", shown.join(", ")))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.caller)
    }
}

impl Grant {
    fn to_core(&self, py: Python<'_>) -> CoreGrant {
        let grant = CoreGrant::new(Caller::carried(self.caller.bind(py)));
        let grant = grant.audience(&self.audience).scopes(&self.scopes);
        match self.expires_in_ms {
            Some(ms) => grant.expires_in_ms(ms),
            None => grant,
        }
    }
}

impl FromCallback for Verification {
    const EXPECTED: &'static str = "a wellhead.Grant, or None if the token is not good";

    fn from_value(value: &Bound<'_, PyAny>, _: bool) -> PyResult<Option<Self>> {
        if value.is_none() {
            return Ok(Some(Verification::Refused));
        }
        Ok(value.cast::<Grant>().ok().map(|grant| grant.get().to_core(value.py()).into()))
    }

    fn from_outcome(meaning: &Meaning) -> Option<Self> {
        match meaning {
            Meaning::InsufficientScope(scopes) => Some(Verification::InsufficientScope(scopes.clone())),
            _ => None,
        }
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(Verification::Failed(why));
    }
}
