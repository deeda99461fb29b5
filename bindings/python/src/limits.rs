//! Limits.

use crate::given;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

macro_rules! limits {
    ($($field:ident: $type:ty),* $(,)?) => {
        /// What one client may cost. Everything has a default.
        #[pyclass(frozen, eq, module = "wellhead")]
        #[derive(PartialEq)]
        pub(crate) struct Limits(pub(crate) wellhead::Limits);

        #[pymethods]
        impl Limits {
            #[new]
            #[pyo3(signature = (**limits))]
            fn new(limits: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
                let mut made = wellhead::Limits::default();
                for (name, value) in limits.into_iter().flatten() {
                    match name.cast::<PyString>()?.to_str()? {
                        $(stringify!($field) => {
                            let given = given::optional(Some(&value), |value| given::count(stringify!($field), value))?;
                            made.$field = given.unwrap_or(made.$field);
                        })*
                        _ => return Err(given::unknown("Limits", &name, &[$(stringify!($field)),*])),
                    }
                }
                Ok(Limits(made))
            }

            $(#[getter] fn $field(&self) -> $type { self.0.$field })*

            fn __repr__(&self) -> String {
                let fields = [$(format!(concat!(stringify!($field), "={}"), self.0.$field)),*];
                format!("Limits({})", fields.join(", "))
            }
        }
    };
}

limits! {
    message_bytes: usize,
    nesting: usize,
    id_bytes: usize,
    batch_length: usize,
    uri_bytes: usize,
    page_items: usize,
    page_bytes: usize,
    calls_in_flight: usize,
    subscriptions: usize,
    subscriptions_total: usize,
    listen_streams: usize,
    output_bytes: usize,
    call_ms: u64,
    buffer_bytes: usize,
    caller_percent: usize,
}
