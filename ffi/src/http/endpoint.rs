//! An endpoint for a program that has an HTTP server of its own.

use super::handle::Waiting;
use super::options::{builder, wellhead_endpoint_options};
use crate::boundary::{Shared, call_shared, release, share};
use crate::foreign::{Notice, UserData, notice};
use crate::server::wellhead_server;
use crate::status::wellhead_error;
use crate::types::{wellhead_destroy_callback, wellhead_str, wellhead_wake_callback};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use wellhead::http::Endpoint;

/// cbindgen:ignore
pub struct wellhead_endpoint {
    pub(super) endpoint: Endpoint,
    pub(super) waiting: Arc<Waiting>,
    wake: Arc<Notice>,
}

impl Shared for wellhead_endpoint {}

/// Makes an endpoint for a program with its own HTTP server. The application frees the endpoint.
/// options: may be NULL.
/// wake: called when wellhead_endpoint_poll_event may have something to do, on any thread, also for nothing, until
/// wellhead_endpoint_free returns. It makes another thread or the loop of the application call that. Itself it may call
/// only the _free functions of the endpoint and its exchanges. May be NULL for an application that polls after each step
/// and never answers later.
/// wake_data: passed to `wake`.
/// wake_destroy: called once with wake_data, after the last `wake` and before wellhead_endpoint_free returns, also on
/// failure; may be NULL.
/// These three are no options, because wellhead_serve_http takes the same options and wakes itself.
/// Returns NULL if it fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_new(
    server: *mut wellhead_server,
    options: *const wellhead_endpoint_options,
    wake: wellhead_wake_callback,
    wake_data: *mut c_void,
    wake_destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_endpoint {
    let wake = notice(wake, UserData::new(wake_data, wake_destroy));
    // SAFETY: our caller's promise.
    unsafe {
        share(error, move |promise| {
            let builder = builder(promise, server, options)?;
            let waiting = Arc::new(Waiting::default());
            let (woken, waits) = (wake.clone(), waiting.clone());
            let wakes = move || {
                woken.call();
                waits.wake();
            };
            Ok(wellhead_endpoint { endpoint: builder.build(wakes)?, waiting, wake })
        })
    }
}

/// Frees an endpoint. Waits while `wake` runs on another thread. When it returns, `wake` is not called again, and
/// `wake_destroy` has run. Its sessions end when its last exchange is freed. Free exchanges that wait for an answer
/// first: without wellhead_endpoint_poll_event they never get it. Does nothing if `endpoint` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_free(endpoint: *mut wellhead_endpoint) {
    // SAFETY: our caller's promise.
    unsafe { release(endpoint, |this| this.wake.revoke()) }
}

/// Runs at most `max` callbacks on this thread, and calls `ready` of exchanges that have something to send. Returns how
/// many callbacks it ran. If that is less than `max`, nothing is left to run. Several threads may call it at once, and
/// so run callbacks in parallel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_poll_event(endpoint: *mut wellhead_endpoint, max: usize) -> usize {
    let run = |endpoint: &Endpoint| {
        let mut done = 0;
        while done < max
            && let Some(event) = endpoint.poll_event()
        {
            event.run();
            done += 1;
        }
        done
    };
    // SAFETY: our caller's promise.
    unsafe { call_shared(endpoint, 0, |_, this| run(&this.endpoint)) }
}

/// Returns the time by which to call wellhead_endpoint_tick, in milliseconds of its clock. Each step may bring it
/// forward. Returns UINT64_MAX if there is no deadline, or if `endpoint` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_poll_timeout(endpoint: *const wellhead_endpoint) -> u64 {
    // SAFETY: our caller's promise.
    unsafe { call_shared(endpoint, u64::MAX, |_, this| this.endpoint.poll_timeout().unwrap_or(u64::MAX)) }
}

/// Advances the clock of the endpoint. now_ms: milliseconds of the monotonic clock of the application, the same as for
/// exchanges. Idle sessions end, and calls that are not answered within call_ms become internal errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_tick(endpoint: *mut wellhead_endpoint, now_ms: u64) {
    // SAFETY: our caller's promise.
    unsafe { call_shared(endpoint, (), |_, this| this.endpoint.tick(now_ms)) }
}

/// Returns 1 if requests with this target or path are for the endpoint, else 0, for an application that serves other
/// paths, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_serves(
    endpoint: *const wellhead_endpoint,
    target: wellhead_str,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        call_shared(endpoint, 0, |promise, this| {
            c_int::from(promise.text(target, "target").is_ok_and(|target| this.endpoint.serves(target)))
        })
    }
}

/// Returns the number of sessions of the endpoint that are open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_sessions(endpoint: *const wellhead_endpoint) -> usize {
    // SAFETY: our caller's promise.
    unsafe { call_shared(endpoint, 0, |_, this| this.endpoint.sessions()) }
}
