//! The observer of calls, and the counters.

use crate::context::Base;
use crate::hook::Hook;
use pyo3::prelude::*;
use std::time::Instant;
use wellhead::Builder;

/// Sets `hook` as the observer: it is called when a call begins and when it ends, in the context of the
/// callback.
pub(crate) fn observe(builder: Builder, hook: &Hook, base: &Base) -> Builder {
    let (hook, base, epoch) = (hook.clone(), base.clone(), Instant::now());
    builder.clock(move || epoch.elapsed()).observe(move |observed| {
        let seen = Observed {
            call: observed.call,
            method: observed.method.to_owned(),
            registered_as: observed.registered_as.map(str::to_owned),
            traceparent: observed.traceparent.map(str::to_owned),
            outcome: observed.end.map(|end| end.outcome),
            client_waiting: observed.end.is_some_and(|end| end.client_waiting),
            bytes: observed.end.map_or(0, |end| end.bytes),
            time: observed.end.and_then(|end| end.time).map(|time| time.as_secs_f64()),
        };
        hook.call("an observer failed", |callable| {
            let py = callable.py();
            base.for_observer(py, observed)?
                .run(callable, &[seen.into_pyobject(py)?.into_any()], None)
                .map(drop)
        });
    })
}

/// The beginning or the end of a call of a callback, as the function `observe` of a `Server` gets it.
#[pyclass(frozen, get_all, module = "wellhead")]
pub(crate) struct Observed {
    /// The number of the call, unique in its server. Its beginning and its end have the same one.
    call: u64,
    /// The method of the request, such as `resources/read`. `authorize` for a call of the function of
    /// `Server.authorize`.
    method: String,
    /// The registration that the call is for: the text of a template, a fixed URI, or the name of a list
    /// source, tool or prompt. Never a URI that a client made up. None if the call belongs to no registration.
    registered_as: Option<String>,
    /// The member `traceparent` of the request's `_meta`, unchecked. None if the client sent none.
    traceparent: Option<String>,
    /// The outcome of the call, and None at its beginning: `found`, `not_found`, `denied`, `not_modified`,
    /// `busy`, `input_required`, `waiting`, `invalid_state`, `missing_capability`, `result`, `error`, `page`,
    /// `completion`, `verdicts`, `failed` or `dropped`.
    outcome: Option<&'static str>,
    /// True if the client still waited for the answer at the end of the call. False at the beginning.
    client_waiting: bool,
    /// The size of the answer in bytes. 0 at the beginning.
    bytes: u64,
    /// The seconds from the beginning of the call to its end. None at the beginning.
    time: Option<f64>,
}

macro_rules! counters {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// The numbers of a server since it was made. Each is read at a slightly different moment.
        #[pyclass(frozen, get_all, module = "wellhead")]
        pub(crate) struct Counters {
            $($(#[$doc])* $field: u64),*
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
    /// The number of connections that were made.
    connections,
    /// The number of connections that are open.
    connections_open,
    /// The number of calls of callbacks that began.
    calls,
    /// The number of calls answered before their request was cancelled or timed out.
    calls_answered,
    /// The number of answered calls that failed, or were dropped without an answer.
    calls_failed,
    /// The number of changes of resources and of lists that the application reported.
    changes,
    /// The number of URIs with at least one subscriber.
    uris_subscribed,
    /// The number of subscribers of all URIs. A connection counts once for each URI.
    subscriptions_open,
}
