//! Bearer tokens over HTTP: what a program makes of them.

use crate::access::Caller;
use crate::answer::FromCallback;
use crate::call::Way;
use crate::errors::Meaning;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use wellhead::http::{Grant as CoreGrant, Verification};

/// What a good token is good for.
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
    #[pyo3(signature = (caller, /, *, audience = None, scopes = None, expires_in_ms = None))]
    fn new(
        caller: Py<Caller>,
        audience: Option<Vec<String>>,
        scopes: Option<Vec<String>>,
        expires_in_ms: Option<u64>,
    ) -> Self {
        let (audience, scopes) = (audience.unwrap_or_default(), scopes.unwrap_or_default());
        Grant { caller, audience, scopes, expires_in_ms }
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

    fn from_value(value: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
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
