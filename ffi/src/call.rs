//! Calls: the requests that callbacks answer.

use crate::boundary::{guard, invalid, query};
use crate::foreign::{ApplicationCaller, UserData};
use crate::held_call::{of_request, wellhead_call};
use crate::status::wellhead_status;
use crate::text::wellhead_text;
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_char, c_int, c_void};
use wellhead::{ClientExtensions, Json, ListCall};

/// Returns the URI as the client spelled it; for a completion, the template. For a list of skills it is the URI that the
/// client asks for by skills/get, and absent if it asks for all. It is also absent for other lists, a method, a verify
/// callback and an authorize callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_uri(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        text(call, |call| match call {
            wellhead_call::Read(held) => Some(held.call.uri()),
            wellhead_call::Interest(call) => Some(call.uri()),
            wellhead_call::Complete(held) => Some(held.call.uri_template()),
            wellhead_call::List(held) => held.call.uri(),
            wellhead_call::Around(held) => held.call.uri(),
            wellhead_call::Method(_) | wellhead_call::Authorize(_) | wellhead_call::Verify(_) => None,
        })
    }
}

/// Returns the value of a variable of the template, percent-decoded; of a list ({name*}) the first value. For a
/// completion it is the value of another variable, if the client sent it. The result is absent if there is no value.
/// `name` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_var(call: *const wellhead_call, name: *const c_char) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { wellhead_call_var_at(call, name, 0) }
}

/// Returns the value of a variable of the template as the client wrote it, percent-encoded. The result is absent if the
/// URI has no value for it. `name` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_raw(call: *const wellhead_call, name: *const c_char) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { named(call, name, |call, name| call.as_read()?.raw(name)) }
}

/// Returns the value at `index` of a list ({name*}), percent-decoded. The result is absent if the list is shorter.
/// `name` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_var_at(
    call: *const wellhead_call,
    name: *const c_char,
    index: usize,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        named(call, name, |call, name| match (call, index) {
            (wellhead_call::Read(held), 0) => held.call.var(name),
            (wellhead_call::Read(held), _) => held.call.values(name).get(index).copied(),
            (wellhead_call::Complete(held), 0) => held.call.other(name),
            _ => None,
        })
    }
}

/// Returns the name of the variable at `index`, in the order of the template, of those that the URI has. The result is
/// absent if there are fewer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_var_name(call: *const wellhead_call, index: usize) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        text(call, |call| match call {
            wellhead_call::Read(held) => held.call.names().nth(index),
            wellhead_call::Complete(held) => held.call.others().nth(index).map(|(name, _)| name),
            _ => None,
        })
    }
}

/// Returns the caller that the application gave with the connection or the token, or NULL if it gave none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_caller(call: *const wellhead_call) -> *mut c_void {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, std::ptr::null_mut(), |_, call| {
            call.caller().map_or(std::ptr::null_mut(), ApplicationCaller::get)
        })
    }
}

/// Returns the caller if it was given with this `caller_type`, else NULL. Code that did not make the caller uses this, so
/// that it never takes one type for another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_typed_caller(
    call: *const wellhead_call,
    caller_type: *const c_void,
) -> *mut c_void {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, std::ptr::null_mut(), |_, call| {
            call.caller().and_then(|caller| caller.of_type(caller_type)).unwrap_or(std::ptr::null_mut())
        })
    }
}

/// Returns the caller_id of the connection or the token. The result is absent if the application gave none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_caller_id(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, wellhead_str::ABSENT, |_, call| match of_request!(call, it => it.call.caller().id(), &[])
        {
            [] => wellhead_str::ABSENT,
            id => wellhead_str::bytes(id),
        })
    }
}

/// Returns the protocol revision of the request, a date. The result is absent for an interest callback, which belongs to
/// no request, and for a verify callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_revision(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| of_request!(call, it => Some(it.call.revision()), None)) }
}

/// Returns the _meta of the request as it came, a JSON object with traceparent and the like. Its content is not checked.
/// The result is absent if the request has none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_meta(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| of_request!(call, it => it.call.meta(), None)) }
}

/// Sends a progress notification, if the client asked for progress. Returns 0 if none can be sent: the client did not
/// ask, only an answer can reach it, or the request is over; else 1. wellhead_call_cancelled tells whether to stop the
/// work. A number that is not finite is not sent.
/// progress: in any unit; it only grows.
/// total: the final value of `progress`; NULL if it is not known.
/// message: may be absent; left out if it is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_progress(
    call: *const wellhead_call,
    progress: f64,
    total: *const f64,
    message: wellhead_str,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, 0, |promise, call| {
            let (total, message) =
                (promise.number(total), promise.optional(message, "message").ok().flatten());
            c_int::from(of_request!(call, it => it.call.progress(progress, total, message), false))
        })
    }
}

/// Ends the event stream that carries the answer over HTTP, before the answer. The client reconnects after `retry_ms`
/// milliseconds, so that a call that takes long keeps no connection open. Returns 1 if it ended a stream, else 0: over
/// stdio, for a client that accepts only JSON, in every revision but 2025-11-25, and after the answer. Events that the
/// client has not read count against output_bytes. Source: MCP 2025-11-25, Transports, "Sending Messages to the
/// Server".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_close_event_stream(
    call: *const wellhead_call,
    retry_ms: u64,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, 0, |_, call| {
            c_int::from(of_request!(call, it => it.call.close_event_stream(retry_ms), false))
        })
    }
}

/// Returns the version of the resource that the client has, for a read. If it is current, answer
/// wellhead_read_not_modified instead of making a body. The result is absent if the client did not send it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_if_version(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| call.as_read()?.if_version()) }
}

/// Returns the client's answers to wellhead_read_input_required, for a read: a JSON object of objects, by the keys of its
/// inputRequests. Their content is not checked, and keys may be missing. The result is absent if the client sent no
/// answers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_input_responses(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| call.as_read()?.input_responses()) }
}

/// Returns the requestState as the client sent it, for a read. Any client may invent one: see wellhead_call_open_state.
/// The result is absent if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_request_state(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| call.as_read()?.request_state()) }
}

/// Seals a requestState for this caller and URI, for a read. Clients may use the sealed state more than once. The
/// application frees the text. Returns NULL if the call is no read, or if `state` is absent or not UTF-8.
/// until: the time at which the sealed state expires, on a clock that all instances share, such as milliseconds of Unix
/// time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_seal_state(
    call: *const wellhead_call,
    state: wellhead_str,
    until: u64,
) -> *mut wellhead_text {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        query(call, none, |promise, call| match (call.as_read(), promise.text(state, "state")) {
            (Some(call), Ok(state)) => Box::into_raw(Box::new(wellhead_text(call.seal_state(state, until)))),
            _ => none,
        })
    }
}

/// Returns the state inside the requestState that a client sends back with a read, if wellhead_call_seal_state sealed
/// it. The application frees the text. Returns NULL if there is none, or if it is forged, has expired, or was sealed for
/// another caller or URI. Then answer wellhead_read_invalid_state.
/// now: the time, on the clock that the application used for `until` of the seal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_open_state(
    call: *const wellhead_call,
    now: u64,
) -> *mut wellhead_text {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        query(call, none, |_, call| {
            let state = call.as_read().and_then(|call| call.open_state(now));
            state.map_or(none, |state| Box::into_raw(Box::new(wellhead_text(state))))
        })
    }
}

/// Returns the `key`, or else the URI, of the item behind which the page of a list begins. The item may be deleted by
/// now. The result is absent for the first page, and for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_after(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| call.as_list()?.after()) }
}

/// Returns the greatest number of items that the page of a list can still take, at least 1. Fixed resources may have
/// used part of the page. Returns 0 for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_limit(call: *const wellhead_call) -> usize {
    // SAFETY: our caller's promise.
    unsafe { query(call, 0, |_, call| call.as_list().map_or(0, ListCall::limit)) }
}

/// Returns the filter of a list, a JSON object, which a client of the resources/get dialect may send. The result is
/// absent if it sent none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_filter(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| call.as_list()?.filter().map(Json::as_str)) }
}

/// Returns the name of the variable or the argument that is completed. The result is absent for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_variable(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| Some(call.as_complete()?.variable())) }
}

/// Returns the part of the value that is typed so far, for a completion; may be empty. The result is absent for other
/// calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_value(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, |call| Some(call.as_complete()?.value())) }
}

/// Returns the name of the method that the application registered. For an around callback it may also be tools/call,
/// prompts/get or resources/read. The result is absent for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_method(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        text(call, |call| match call {
            wellhead_call::Around(held) => Some(held.call.method()),
            call => Some(call.as_method()?.method()),
        })
    }
}

/// Returns the name of the tool or the prompt. The result is absent for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_name(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        text(call, |call| match call {
            wellhead_call::Around(held) => held.call.name(),
            call => call.as_method()?.name(),
        })
    }
}

/// Returns the params of a method, a tool or a prompt, a JSON object; {} if there are none. The result is absent for
/// other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_params(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        text(call, |call| match call {
            wellhead_call::Around(held) => Some(held.call.params()),
            call => Some(call.as_method()?.params()),
        })
    }
}

/// Returns the `arguments` among the params of a method, a tool or a prompt, a JSON object; {} if there are none. The
/// result is absent for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_arguments(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        text(call, |call| match call {
            wellhead_call::Around(held) => Some(held.call.arguments()),
            call => Some(call.as_method()?.arguments()),
        })
    }
}

/// Returns the value of a header field of the HTTP request that the call came with. `name` is NUL-terminated, in any
/// case. The result is absent if the field is missing, came more than once, or is not UTF-8. It is also absent over
/// stdio and for an interest callback. A client can write what it likes into most fields: wellhead_call_caller_id says
/// who it is. In a verify callback, Mcp-Method and Mcp-Name tell the purpose of a request of revision 2026-07-28, for
/// applications that require scopes by it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_header(
    call: *const wellhead_call,
    name: *const c_char,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        named(call, name, |call, name| match call {
            wellhead_call::Verify(call) => call.header(name),
            request => of_request!(request, it => it.call.header(name), None),
        })
    }
}

/// Returns the query of the HTTP request that the call came with, as it came: tenant=a of /mcp?tenant=a. The result is
/// absent if there is none, over stdio and for an interest callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_query(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        text(call, |call| match call {
            wellhead_call::Verify(call) => call.query(),
            request => of_request!(request, it => it.call.query(), None),
        })
    }
}

/// Returns the name and version that the client gives itself: a JSON object. Use it for logs, not for decisions: any
/// client may invent one. The result is absent for interest and verify callbacks, and if the client did not send it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_client(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, wellhead_call::client) }
}

/// Returns the capabilities of the client, for a read or a method: a JSON object such as {"sampling":{}}. The result is
/// absent if the client did not send them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_client_capabilities(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, wellhead_call::client_capabilities) }
}

/// Returns the client's settings of an extension of the protocol, a JSON object. The result is absent if the client does
/// not declare the extension, and for interest and verify callbacks. id: the identifier of the extension, such as
/// com.example/charts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_extension(
    call: *const wellhead_call,
    id: wellhead_str,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, wellhead_str::ABSENT, |promise, call| {
            let id = promise.text(id, "id").ok();
            wellhead_str::optional(id.and_then(|id| call.extensions()?.get(id)))
        })
    }
}

/// Returns 1 if the client says that it shows MCP Apps, else 0. For a client that does not, a tool with an app answers
/// with a text that stands for the app.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_client_supports_apps(call: *const wellhead_call) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, 0, |_, call| c_int::from(call.extensions().is_some_and(ClientExtensions::supports_apps)))
    }
}

/// Returns the lowest level of notifications/message that the request asks for, such as "info", for a method. The result
/// is absent if the request asks for none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_log_level(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { text(call, wellhead_call::log_level) }
}

/// Returns 1 if the client no longer waits for the answer, else 0. It is cheap: a callback that takes long calls it from
/// time to time. The call must still be answered, or the kept responder freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_cancelled(call: *const wellhead_call) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, 0, |_, call| {
            c_int::from(match call {
                wellhead_call::Interest(call) => call.is_cancelled(),
                wellhead_call::Verify(call) => call.is_cancelled(),
                request => of_request!(request, it => it.call.is_cancelled(), false),
            })
        })
    }
}

/// Interrupts the work on a cancelled call. It must be short: it often runs on the thread that reads the messages of the client.
/// It may answer or free the responder of its call.
pub type wellhead_cancel_callback = Option<unsafe extern "C-unwind" fn(user_data: *mut c_void)>;

/// Has `on_cancel` called when the client no longer waits for the answer: it cancelled the request, the deadline passed,
/// or the connection ended. If that has happened already, the function is called at once, on this thread. It is called
/// at most once, on the thread that finds out, with no lock held. It never runs after the function that answers or frees
/// the responder has returned: that function blocks while another thread is inside of `on_cancel`. Several functions run
/// in their order.
/// on_cancel: may not be NULL.
/// user_data: passed to `on_cancel`.
/// destroy: called once with user_data, after `on_cancel` or instead of it, also on failure; may be NULL.
/// Fails with INVALID_ARGUMENT, also for interest and verify callbacks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_on_cancel(
    call: *const wellhead_call,
    on_cancel: wellhead_cancel_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let call = promise.handle(call, "call")?;
            let on_cancel = on_cancel.ok_or_else(|| invalid("`on_cancel` is NULL; give a function"))?;
            // SAFETY: the function of the application, called as above.
            let hook = move || on_cancel(user_data.get());
            of_request!(call, it => it.call.on_cancel(hook), return Err(invalid("this call is never cancelled")));
            Ok(())
        })
    }
}

/// The body of a function that returns a text of a call.
pub(crate) unsafe fn text(
    call: *const wellhead_call,
    get: impl for<'a> FnOnce(&'a wellhead_call) -> Option<&'a str>,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { query(call, wellhead_str::ABSENT, |_, call| wellhead_str::optional(get(call))) }
}

/// The body of a function that returns a text of a call by its name.
pub(crate) unsafe fn named(
    call: *const wellhead_call,
    name: *const c_char,
    get: impl for<'a> FnOnce(&'a wellhead_call, &str) -> Option<&'a str>,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, wellhead_str::ABSENT, |promise, call| {
            wellhead_str::optional(promise.c_string(name).and_then(|name| get(call, name)))
        })
    }
}
