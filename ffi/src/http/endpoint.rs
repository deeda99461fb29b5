//! An endpoint for a program that has an HTTP server of its own.

use super::options::{builder, wellhead_endpoint_options};
use crate::boundary::{Shared, release, share, with};
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
    wake: Arc<Notice>,
}

impl Shared for wellhead_endpoint {}

/// Makes an endpoint. options: may be NULL. wake: called on any thread, perhaps for nothing, when
/// wellhead_endpoint_poll_event has something to do, until wellhead_endpoint_free returns. Of the functions of the endpoint and
/// its exchanges it may call their _free only; it makes another thread, or the host's loop, call the others. wake: may be
/// NULL for a host that polls after each step and never answers later. wake_destroy: called once, after the last wake and
/// before wellhead_endpoint_free returns, also on failure; may be NULL. NULL on failure: INVALID_ARGUMENT, INVALID_UTF8.
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
            let woken = wake.clone();
            Ok(wellhead_endpoint { endpoint: builder.build(move || woken.call())?, wake })
        })
    }
}

/// Gives up an endpoint. Waits for a `wake` that runs on another thread; when it returns, `wake` is not called again and
/// `wake_destroy` has run. Its sessions end when its last exchange is freed, too. Free exchanges first that wait for an answer:
/// without wellhead_endpoint_poll_event nobody tells them of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_free(endpoint: *mut wellhead_endpoint) {
    // SAFETY: our caller's promise.
    unsafe { release(endpoint, |this| this.wake.revoke()) }
}

/// Deals with what goes on, runs up to `max` callbacks on this thread, and calls `ready` of the exchanges that have
/// something to say. Returns how many callbacks it ran; fewer than `max`: nothing is left. Several threads may do so at
/// once, and so run callbacks side by side.
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
    unsafe { with(endpoint, 0, |_, this| run(&this.endpoint)) }
}

/// When to call wellhead_endpoint_tick at the latest, in milliseconds of the clock that it is given. UINT64_MAX: never.
/// It may come sooner after each step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_poll_timeout(endpoint: *const wellhead_endpoint) -> u64 {
    // SAFETY: our caller's promise.
    unsafe { with(endpoint, u64::MAX, |_, this| this.endpoint.poll_timeout().unwrap_or(u64::MAX)) }
}

/// Tells the time: sessions that nobody used end, and answers kept longer than call_ms become internal errors.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_tick(endpoint: *mut wellhead_endpoint, now_ms: u64) {
    // SAFETY: our caller's promise.
    unsafe { with(endpoint, (), |_, this| this.endpoint.tick(now_ms)) }
}

/// 1: requests of this target, or path, are for the endpoint; for a host that serves other things, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_serves(
    endpoint: *const wellhead_endpoint,
    target: wellhead_str,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        with(endpoint, 0, |promise, this| {
            c_int::from(promise.text(target, "target").is_ok_and(|target| this.endpoint.serves(target)))
        })
    }
}

/// How many sessions there are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_endpoint_sessions(endpoint: *const wellhead_endpoint) -> usize {
    // SAFETY: our caller's promise.
    unsafe { with(endpoint, 0, |_, this| this.endpoint.sessions()) }
}
