//! Calls as they begin and end, and counters.

use crate::boundary::answer;
use crate::foreign::UserData;
use crate::server::{wellhead_server, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};
use wellhead::Observed;

/// The beginning or the end of a call of a callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_observed {
    pub struct_size: usize,
    /// The number of the call, the same at its beginning and its end; unique in its server.
    pub call: u64,
    /// The method of the request, such as resources/read, or authorize.
    pub method: wellhead_str,
    /// The registration whose callback is called: a template, a fixed URI, or the name of a list source, a tool or a prompt.
    /// May be absent.
    pub registered_as: wellhead_str,
    /// The traceparent of the request, unchecked. May be absent.
    pub traceparent: wellhead_str,
    /// Absent at the beginning; then the fields below mean nothing. At the end: found, not_found, denied, not_modified, busy,
    /// input_required, waiting, invalid_state, missing_capability, result, error, page, completion, verdicts, failed or dropped.
    /// Later versions may add words.
    pub outcome: wellhead_str,
    /// 1 if the client still waited for the answer, else 0.
    pub client_waiting: c_int,
    /// The size of the answer in bytes.
    pub bytes: u64,
    /// The time since the call began, in nanoseconds.
    pub time_ns: u64,
}

/// Counters of a server since it was made. They are read at slightly different moments.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_counters {
    pub struct_size: usize,
    /// The number of connections that were made.
    pub connections: u64,
    /// The number of connections that are open.
    pub connections_open: u64,
    /// The number of calls of callbacks that began.
    pub calls: u64,
    /// The number of calls answered before their request was cancelled or timed out.
    pub calls_answered: u64,
    /// The number of answered calls that failed, or were dropped without an answer.
    pub calls_failed: u64,
    /// The number of changes of resources and of lists that the application reported.
    pub changes: u64,
    /// The number of URIs with at least one subscriber.
    pub uris_subscribed: u64,
    /// The number of subscribers of all URIs. A connection counts once for each URI.
    pub subscriptions_open: u64,
}

growing!(wellhead_observed, wellhead_counters);

/// Observes the beginning and the end of a call of a callback, other than `interest`, `verify`, `exists` and callbacks for
/// responses. Called on the thread that polls or answers, so it must be quick. `observed` and its strings are borrowed until
/// the callback returns.
pub type wellhead_observe_callback =
    Option<unsafe extern "C-unwind" fn(observe_data: *mut c_void, observed: *const wellhead_observed)>;

/// Reads the counters of a server. Does not block. counters: begins as WELLHEAD_COUNTERS_INIT, and is filled up to its
/// struct_size. Fails with INVALID_ARGUMENT if `counters` is NULL or its struct_size is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_counters(
    server: *const wellhead_server,
    counters: *mut wellhead_counters,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            let now = server.counters();
            let room = promise.room(counters.cast_const(), "counters")?;
            let counted = wellhead_counters {
                struct_size: room,
                connections: now.connections,
                connections_open: now.connections_open,
                calls: now.calls,
                calls_answered: now.calls_answered,
                calls_failed: now.calls_failed,
                changes: now.changes,
                uris_subscribed: now.uris_subscribed,
                subscriptions_open: now.subscriptions_open,
            };
            promise.fill(counters, &counted, room);
            Ok(())
        })
    }
}

pub(crate) fn observer(
    observe: wellhead_observe_callback,
    data: *mut c_void,
    destroy: wellhead_destroy_callback,
) -> Option<impl Fn(&Observed<'_>) + Send + Sync + 'static> {
    let data = UserData::new(data, destroy);
    let observe = observe?;
    Some(move |observed: &Observed<'_>| {
        let end = observed.end;
        let shown = wellhead_observed {
            struct_size: size_of::<wellhead_observed>(),
            call: observed.call,
            method: wellhead_str::from_text(observed.method),
            registered_as: wellhead_str::optional(observed.registered_as),
            traceparent: wellhead_str::optional(observed.traceparent),
            outcome: wellhead_str::optional(end.map(|end| end.outcome)),
            client_waiting: c_int::from(end.is_some_and(|end| end.client_waiting)),
            bytes: end.map_or(0, |end| end.bytes),
            time_ns: end
                .and_then(|end| end.time)
                .map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)),
        };
        // SAFETY: the application's function, called as the header says.
        answer((), || unsafe { observe(data.get(), &raw const shown) });
    })
}
