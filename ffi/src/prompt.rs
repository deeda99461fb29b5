//! Prompts.

use crate::catalog::{run_complete, wellhead_complete_callback};
use crate::foreign::UserData;
use crate::method::wellhead_method_callback;
use crate::named::{add_named, update_named, with_name};
use crate::server::{wellhead_server, with_callback};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use std::sync::Arc;
use wellhead::{CompleteCall, Server};

/// Registers a prompt.
/// name: the name by which clients get it; may not be absent.
/// definition: how it is listed, a JSON object without a name, such as {"description":"…","arguments":[…]}; may not be
/// absent. An argument with fixed values has them as "values", which complete it; clients are not sent them.
/// method: answers prompts/get; may not be NULL.
/// user_data: passed to `method`.
/// destroy: called once with user_data, after the last call, also on failure; may be NULL.
/// An `authorize` callback decides by the name.
/// Fails with INVALID_ARGUMENT also for a member that does not exist or that clients would refuse, and with DUPLICATE,
/// INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    definition: wellhead_str,
    method: wellhead_method_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe { add_named(server, name, definition, (method, user_data), error, Server::add_prompt) }
}

/// Registers the completion of an argument of a registered prompt; it is removed with the prompt. In its calls
/// wellhead_call_uri returns the name of the prompt.
/// prompt: the name of the prompt; may not be absent.
/// argument: the name of the argument; may not be absent.
/// complete: may not be NULL.
/// user_data: passed to `complete`.
/// destroy: called once with user_data, after the last call, also on failure; may be NULL.
/// Fails with UNKNOWN if the prompt is not registered, and with INVALID_ARGUMENT if it lists its arguments and this one is
/// not among them. Fails with DUPLICATE, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_complete_prompt(
    server: *mut wellhead_server,
    prompt: wellhead_str,
    argument: wellhead_str,
    complete: wellhead_complete_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(server, error, (complete, "complete"), user_data, |promise, server, _, user_data| {
            let completer = move |call: CompleteCall| run_complete(complete, &user_data, call);
            let (prompt, argument) = (promise.text(prompt, "prompt")?, promise.text(argument, "argument")?);
            server.add_prompt_completer(prompt, argument, Some(Arc::new(completer))).map(drop)
        })
    }
}

/// Removes a prompt. Pending calls finish.
/// name: the name of a registered prompt; may not be absent.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_name(server, name, error, Server::remove_prompt) }
}

/// Lists a disabled prompt again, and lets clients get it.
/// name: the name of a registered prompt; may not be absent.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_enable_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_name(server, name, error, Server::enable_prompt) }
}

/// Hides a prompt: it is not listed, its arguments are not completed, and getting it is answered like one that does not
/// exist. wellhead_server_enable_prompt ends this. Pending calls finish.
/// name: the name of a registered prompt; may not be absent.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_disable_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_name(server, name, error, Server::disable_prompt) }
}

/// Changes the definition of a prompt. On failure the prompt stays as it is.
/// name: the name of a registered prompt; may not be absent.
/// changes: a JSON object, which may not be absent. Each of its members replaces that member of the definition; null
/// removes it. The other members and the callback stay.
/// Fails with UNKNOWN, INVALID_UTF8 or CLOSED, and with INVALID_ARGUMENT also for what wellhead_server_add_prompt
/// refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_update_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    changes: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { update_named(server, name, changes, error, Server::update_prompt) }
}
