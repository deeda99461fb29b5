//! How long, and for whom, a client may keep an answer.

use crate::given;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wellhead::CacheScope;

/// How long a client may use an answer again, and whether for this caller only.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct CacheHint {
    ttl_ms: Option<u64>,
    scope: Option<CacheScope>,
}

#[pymethods]
impl CacheHint {
    #[new]
    #[pyo3(signature = (*, ttl_ms = None, scope = None, **unknown))]
    fn new(
        ttl_ms: Option<&Bound<'_, PyAny>>,
        scope: Option<&Bound<'_, PyAny>>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        given::none_unknown("CacheHint", unknown, &["ttl_ms", "scope"])?;
        Ok(CacheHint {
            ttl_ms: given::optional(ttl_ms, |ttl_ms| given::count("ttl_ms", ttl_ms))?,
            scope: given::optional(scope, |scope| given::word("scope", scope))?,
        })
    }

    #[getter]
    fn ttl_ms(&self) -> Option<u64> {
        self.ttl_ms
    }

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
