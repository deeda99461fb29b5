//! Limits.

use pyo3::prelude::*;

macro_rules! limits {
    ($($field:ident: $type:ty),* $(,)?) => {
        /// What one client may cost. Everything has a default.
        #[pyclass(frozen, eq, module = "wellhead")]
        #[derive(PartialEq)]
        pub(crate) struct Limits(pub(crate) wellhead::Limits);

        #[pymethods]
        impl Limits {
            #[new]
            #[pyo3(signature = (*, $($field = None),*))]
            #[allow(clippy::too_many_arguments, reason = "keyword arguments, one for each limit")]
            fn new($($field: Option<$type>),*) -> Self {
                let mut limits = wellhead::Limits::default();
                $(if let Some(value) = $field { limits.$field = value; })*
                Limits(limits)
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
}
