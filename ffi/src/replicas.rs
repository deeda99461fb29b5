//! Changes that instances of a service share.

use crate::boundary::{answer, guard, required};
use crate::foreign::UserData;
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};

/// Carries a change to other instances of the service. event: one JSON object, borrowed until the callback returns. Called on
/// the thread that reports the change, inside the function that reports it.
pub type wellhead_publish_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event: wellhead_str)>;

/// Hands over each change that is told here, so that other instances of the service can tell their clients, too: one JSON
/// object as text, for a pub/sub system to carry to their wellhead_server_inject. It replaces an earlier one. Called on the
/// thread that told of the change, inside of the function that it told by; `event` is borrowed until it returns. What registering, removing and setting change is
/// each instance's own, and what was injected is not published again. publish: may not be NULL. destroy: may be NULL.
/// INVALID_ARGUMENT, CLOSED.
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
        guard(error, move |promise| {
            let server = promise.hold(server, "server")?;
            let publish = required(publish, "publish")?;
            server.server.on_publish(move |event| {
                // SAFETY: the host's function, called as the header says.
                answer((), || publish(user_data.get(), wellhead_str::of(event)));
            })
        })
    }
}

/// Takes a change that another instance published, and tells clients here. *told: 0 for what this instance published itself,
/// and for a kind of change that is not known here. told: may be NULL. Never blocks, and calls `wake` only.
/// INVALID_ARGUMENT for what is no event, INVALID_URI, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_inject(
    server: *mut wellhead_server,
    event: wellhead_str,
    told: *mut c_int,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let server = promise.hold(server, "server")?;
            let was = server.server.inject(promise.text(event, "event")?)?;
            promise.put(told, c_int::from(was));
            Ok(())
        })
    }
}
