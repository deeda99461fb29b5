//! Tools, and the search that is one.

use crate::foreign::UserData;
use crate::method::{handler, wellhead_method_callback};
use crate::named::{add_named, update_named, with_name};
use crate::server::{wellhead_server, with_callback, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use wellhead::{Server, ToolLimits};

/// Registers a tool.
/// name: the name by which clients call it; may not be absent.
/// definition: how it is listed, a JSON object without a name, such as {"description":"…","inputSchema":{…}}. Without an
/// inputSchema the tool takes any object.
/// method: answers tools/call, for example with wellhead_method_text; may not be NULL.
/// user_data: passed to `method`.
/// destroy: called once with user_data, after the last call, also on failure; may be NULL.
/// The arguments, which wellhead_call_argument_text and its like read, fit the inputSchema (JSON Schema 2020-12), and
/// its defaults are filled in. A call whose arguments do not fit is answered without the callback, with a line for each
/// wrong field. If the call fails or is not answered, the client gets a result with isError and the text "The tool
/// failed", and the reason is logged. A result that clients would refuse is such a failure. wellhead_method_tool_error
/// has a text for the model instead. wellhead_method_error and a missed deadline answer errors.
/// An `authorize` callback decides by the name.
/// Fails with INVALID_ARGUMENT also for a wrong schema, and for a member that does not exist or that clients would
/// refuse. Fails with DUPLICATE, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_tool(
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
    unsafe { add_named(server, name, definition, (method, user_data), error, Server::add_tool) }
}

/// Registers a search of resources. With the flag WELLHEAD_RESOURCES_AS_TOOLS clients have the tools search and fetch
/// then. The arguments of the call are query, a text, and limit, the greatest number of results that are of use. Answer
/// with wellhead_method_result: {"results":[{"uri":"…","title":"…","text":"…","url":"…"}]}, the best first; all but uri
/// may be absent. text is a snippet. A result without title or url has the title or name of its registration, and the
/// url in its _meta. An `authorize` callback decides about each URI. A client gets at most 20 results, and fetch reads
/// them as resources/read does. If no search is registered, folders are searched: the names and texts of files, for at
/// most 2 seconds.
/// search: answers the call; may not be NULL.
/// user_data: passed to `search`.
/// destroy: called once with user_data, after the last call, also on failure; may be NULL.
/// Fails with DUPLICATE if there is a search already, and with INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_resource_search(
    server: *mut wellhead_server,
    search: wellhead_method_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(server, error, (search, "search"), user_data, |_, server, search, user_data| {
            server.add_resource_search(Some(handler(search, user_data))).map(drop)
        })
    }
}

/// Removes a tool. Pending calls finish.
/// name: the name of a registered tool; may not be absent.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_name(server, name, error, Server::remove_tool) }
}

/// Lists a disabled tool again, and lets clients call it.
/// name: the name of a registered tool; may not be absent.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_enable_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_name(server, name, error, Server::enable_tool) }
}

/// Hides a tool: it is not listed, and a call of it is answered like one of a tool that does not exist.
/// wellhead_server_enable_tool ends this. Pending calls finish.
/// name: the name of a registered tool; may not be absent.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_disable_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_name(server, name, error, Server::disable_tool) }
}

/// Changes the definition of a tool. On failure the tool stays as it is.
/// name: the name of a registered tool; may not be absent.
/// changes: a JSON object, which may not be absent. Each of its members replaces that member of the definition; null
/// removes it. The other members and the callback stay.
/// Fails with UNKNOWN, INVALID_UTF8 or CLOSED, and with INVALID_ARGUMENT also for what wellhead_server_add_tool
/// refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_update_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    changes: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { update_named(server, name, changes, error, Server::update_tool) }
}

/// Limits of one tool, for wellhead_server_limit_tool. 0 in a field means no limit; in call_ms it means that
/// of wellhead_limits.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_tool_limits {
    pub struct_size: usize,
    /// The greatest number of calls of the tool in flight, of all callers. 1 runs one at a time.
    pub calls_in_flight: usize,
    /// The greatest number of calls of the tool in flight, for each caller.
    pub caller_calls_in_flight: usize,
    /// The greatest number of calls of the tool that begin in a minute, for each caller.
    pub caller_calls_per_minute: usize,
    /// The time until a call is cancelled and answered with an internal error, in milliseconds. It takes the place of
    /// call_ms of wellhead_limits.
    pub call_ms: u64,
}

growing!(wellhead_tool_limits);

/// Limits the calls of a tool.
/// name: the name of a registered tool; may not be absent.
/// limits: replaces the limits that were set before. If it is NULL, the tool has none any more.
/// Calls that the earlier limits counted still count. A call beyond a limit is refused with "Busy", before its callback,
/// so that the client tries again. A call counts until it is answered, or until the responder of a cancelled call is
/// gone. The token or the connection says who the caller is; all clients without a token are one caller. Time passes by
/// the functions that give it, such as wellhead_connection_tick.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_limit_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    limits: *const wellhead_tool_limits,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            let mut set = ToolLimits::default();
            if let Some(limits) = promise.options(limits, "limits")? {
                let most = |most: usize| Some(most).filter(|most| *most > 0);
                set.calls_in_flight = most(limits.calls_in_flight);
                set.caller_calls_in_flight = most(limits.caller_calls_in_flight);
                set.caller_calls_per_minute = most(limits.caller_calls_per_minute);
                set.call_ms = Some(limits.call_ms).filter(|ms| *ms > 0);
            }
            server.limit_tool(promise.text(name, "name")?, set)
        })
    }
}
