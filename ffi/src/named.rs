//! The bodies of the functions for tools and prompts.

use crate::foreign::{UserData, json};
use crate::method::{Handler, handler, wellhead_method_callback};
use crate::server::{wellhead_server, with_callback, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::wellhead_str;
use wellhead::{HandlerId, Json, Result, Server};

/// Registers a tool or a prompt with its definition and its callback.
///
/// # Safety
/// The caller keeps the [`Promise`](crate::boundary::Promise).
pub(crate) unsafe fn add_named(
    server: *mut wellhead_server,
    name: wellhead_str,
    definition: wellhead_str,
    (method, user_data): (wellhead_method_callback, UserData),
    error: *mut *mut wellhead_error,
    add: fn(&Server, &str, &Json, Option<Handler>) -> Result<HandlerId>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(server, error, (method, "method"), user_data, |promise, server, method, user_data| {
            let definition = json(promise.text(definition, "definition")?, "definition")?;
            add(server, promise.text(name, "name")?, &definition, Some(handler(method, user_data))).map(drop)
        })
    }
}

/// Changes the definition of a registered tool or prompt.
///
/// # Safety
/// The caller keeps the [`Promise`](crate::boundary::Promise).
pub(crate) unsafe fn update_named(
    server: *mut wellhead_server,
    name: wellhead_str,
    changes: wellhead_str,
    error: *mut *mut wellhead_error,
    update: fn(&Server, &str, &Json) -> Result<()>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            let changes = json(promise.text(changes, "changes")?, "changes")?;
            update(server, promise.text(name, "name")?, &changes)
        })
    }
}

/// Runs a function of the server that takes only a name, such as `remove_tool`.
///
/// # Safety
/// The caller keeps the [`Promise`](crate::boundary::Promise).
pub(crate) unsafe fn with_name<R>(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
    run: fn(&Server, &str) -> Result<R>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| run(server, promise.text(name, "name")?).map(drop))
    }
}
