//! Changes that instances of a service share.

use crate::boundary::answer;
use crate::foreign::UserData;
use crate::server::{wellhead_server, with_callback, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};

/// Carries a change to other instances of the service. event: one JSON object, borrowed until the callback returns. Called on
/// the thread that reports the change, inside the function that reports it.
pub type wellhead_publish_callback =
    Option<unsafe extern "C-unwind" fn(user_data: *mut c_void, event: *const wellhead_str)>;

/// Sets the callback that carries changes to other instances, for example by a pub/sub system. They pass each event to
/// wellhead_server_inject. It replaces an earlier one. Changes by registering, removing and setting are not published,
/// and neither are injected ones.
/// publish: may not be NULL.
/// user_data: passed to `publish`.
/// destroy: called once with user_data, after the last event, also on failure; may be NULL.
/// Fails with INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_set_publish(
    server: *mut wellhead_server,
    publish: wellhead_publish_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(server, error, (publish, "publish"), user_data, |_, server, publish, user_data| {
            server.on_publish(move |event| {
                // SAFETY: the application's function, called as the header says.
                answer((), || publish(user_data.get(), &wellhead_str::from_text(event)));
            })
        })
    }
}

/// Takes a change that another instance published, and notifies clients of this one. Does not block, and calls back only
/// `wake`. *applied: 0 for an event that this instance published, and for an unknown kind of change; else 1. applied:
/// may be NULL. Fails with INVALID_ARGUMENT for a text that is no event, and with INVALID_URI, INVALID_UTF8 or
/// CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_inject(
    server: *mut wellhead_server,
    event: wellhead_str,
    applied: *mut c_int,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            let was = server.inject(promise.text(event, "event")?)?;
            promise.put(applied, c_int::from(was));
            Ok(())
        })
    }
}
