//! Caching hints: how long, and for whom, a client may keep an answer.

use crate::convert;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wellhead::CacheScope;

/// A caching hint: how long a client may reuse a response, and whether it may share it between callers.
///
/// The most specific hint wins: that of an answer, then that of its registration, then that of the kind of
/// answer (`cache_of`), then that of the server. Only revision 2026-07-28 has hints. Without any hint a
/// client must not reuse a response.
///
/// Args:
///     ttl_ms: The time to live in milliseconds. 0 forbids reuse.
///     scope: `public` for all callers, or `private` for the caller who got the response.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct CacheHint {
    ttl_ms: Option<u64>,
    scope: Option<CacheScope>,
}

#[pymethods]
impl CacheHint {
    #[new]
    #[pyo3(
        signature = (*, ttl_ms = None, scope = None, **unknown),
        text_signature = "(*, ttl_ms=None, scope=None)"
    )]
    fn new(
        ttl_ms: Option<&Bound<'_, PyAny>>,
        scope: Option<&Bound<'_, PyAny>>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        convert::none_unknown("CacheHint", unknown, &["ttl_ms", "scope"])?;
        Ok(CacheHint {
            ttl_ms: convert::optional(ttl_ms, |ttl_ms| convert::count("ttl_ms", ttl_ms))?,
            scope: convert::optional(scope, |scope| convert::word("scope", scope))?,
        })
    }

    /// The time to live in milliseconds. None if it was not given.
    #[getter]
    fn ttl_ms(&self) -> Option<u64> {
        self.ttl_ms
    }

    /// The scope, `public` or `private`. None if it was not given.
    #[getter]
    fn scope(&self) -> Option<String> {
        self.scope.map(|scope| scope.to_string())
    }

    fn __repr__(&self) -> String {
        let ttl_ms = self.ttl_ms.map_or("None".to_owned(), |ttl_ms| ttl_ms.to_string());
        let scope = self.scope().map_or("None".to_owned(), |scope| format!("'{scope}'"));
        format!("CacheHint(ttl_ms={ttl_ms}, scope={scope})")
    }
}

impl CacheHint {
    pub(crate) fn to_core(&self) -> wellhead::CacheHint {
        let mut hint = wellhead::CacheHint::new();
        if let Some(ttl_ms) = self.ttl_ms {
            hint = hint.ttl_ms(ttl_ms);
        }
        if let Some(scope) = self.scope {
            hint = hint.scope(scope);
        }
        hint
    }
}
