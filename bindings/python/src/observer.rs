//! What a program is told about the service: calls and counts.

use crate::context::Base;
use crate::hook::Hook;
use pyo3::prelude::*;
use std::time::Instant;
use wellhead::Builder;

/// Has `hook` called when calls begin and end, in the context of the callback.
pub(crate) fn observe(builder: Builder, hook: &Hook, base: &Base) -> Builder {
    let (hook, base, epoch) = (hook.clone(), base.clone(), Instant::now());
    builder.clock(move || epoch.elapsed()).observe(move |observed| {
        let seen = Observed {
            call: observed.call,
            method: observed.method.to_owned(),
            registration: observed.registration.map(str::to_owned),
            traceparent: observed.traceparent.map(str::to_owned),
            outcome: observed.end.map(|end| end.outcome),
            wanted: observed.end.is_none_or(|end| end.wanted),
            bytes: observed.end.map_or(0, |end| end.bytes),
            time: observed.end.and_then(|end| end.time).map(|time| time.as_secs_f64()),
        };
        hook.call("an observer failed", |callable| {
            let py = callable.py();
            base.for_observer(py, observed)?.run(py, (callable, seen)).map(drop)
        });
    })
}

/// A call that began or ended.
#[pyclass(frozen, get_all, module = "wellhead")]
pub(crate) struct Observed {
    call: u64,
    method: String,
    registration: Option<String>,
    traceparent: Option<String>,
    outcome: Option<&'static str>,
    wanted: bool,
    bytes: u64,
    time: Option<f64>,
}

macro_rules! counters {
    ($($field:ident),* $(,)?) => {
        /// What a server has done, and what is open.
        #[pyclass(frozen, get_all, module = "wellhead")]
        pub(crate) struct Counters {
            $($field: u64),*
        }

        #[pymethods]
        impl Counters {
            fn __repr__(&self) -> String {
                let fields = [$(format!(concat!(stringify!($field), "={}"), self.$field)),*];
                format!("Counters({})", fields.join(", "))
            }
        }

        impl From<wellhead::Counters> for Counters {
            fn from(counters: wellhead::Counters) -> Self {
                Counters { $($field: counters.$field),* }
            }
        }
    };
}

counters! {
    connections,
    connections_open,
    calls,
    calls_answered,
    calls_failed,
    changes,
    uris_watched,
    subscriptions,
}
