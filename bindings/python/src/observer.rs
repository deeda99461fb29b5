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

/// What a server has done, and what is open.
#[pyclass(frozen, get_all, module = "wellhead")]
pub(crate) struct Counters {
    connections: u64,
    connections_open: u64,
    calls: u64,
    calls_answered: u64,
    calls_failed: u64,
    changes: u64,
    uris_watched: u64,
    subscriptions: u64,
}

impl From<wellhead::Counters> for Counters {
    fn from(counters: wellhead::Counters) -> Self {
        Counters {
            connections: counters.connections,
            connections_open: counters.connections_open,
            calls: counters.calls,
            calls_answered: counters.calls_answered,
            calls_failed: counters.calls_failed,
            changes: counters.changes,
            uris_watched: counters.uris_watched,
            subscriptions: counters.subscriptions,
        }
    }
}
