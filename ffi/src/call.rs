//! What a callback is asked.

use crate::boundary::ask;
use crate::foreign::HostCaller;
use crate::text::wellhead_text;
use crate::types::wellhead_str;
use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;
use wellhead::{AuthorizeCall, Call, Caller, CompleteCall, InterestCall, ListCall, MethodCall, VerifyCall};

/// cbindgen:ignore
pub enum wellhead_call {
    Read(Reading),
    List(ListCall),
    Complete(CompleteCall),
    Method(Further),
    Authorize(Authorize),
    Interest(InterestCall),
    Verify(VerifyCall),
}

/// The URI as the client spelled it; of a completion the template. Absent for a listing, a method, a token, and a
/// question about access.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_uri(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let uri = match call {
                wellhead_call::Read(read) => Some(read.call.uri()),
                wellhead_call::Interest(call) => Some(call.uri()),
                wellhead_call::Complete(call) => Some(call.uri_template()),
                wellhead_call::List(_)
                | wellhead_call::Method(_)
                | wellhead_call::Authorize(_)
                | wellhead_call::Verify(_) => None,
            };
            uri.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// The value of a template's variable, percent-decoded; of a list ({name*}) the first. Absent if the URI has none. Of a
/// completion: what another variable has already, if the client says so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_var(call: *const wellhead_call, name: *const c_char) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { wellhead_call_var_at(call, name, 0) }
}

/// The same as the client spelled it, escapes included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_raw(call: *const wellhead_call, name: *const c_char) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |promise, call| {
            let value = call.read().zip(promise.c_string(name)).and_then(|(call, name)| call.raw(name));
            value.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// The value at `index` of a list ({name*}), percent-decoded. Absent: there are no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_var_at(
    call: *const wellhead_call,
    name: *const c_char,
    index: usize,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |promise, call| {
            let value = promise.c_string(name).and_then(|name| match (call, index) {
                (wellhead_call::Read(read), 0) => read.call.var(name),
                (wellhead_call::Read(read), _) => read.call.values(name).get(index).copied(),
                (wellhead_call::Complete(call), 0) => call.other(name),
                _ => None,
            });
            value.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// The name of the variable at `index` of those that the URI has, in the order of the template. Absent: there are no
/// more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_var_name(call: *const wellhead_call, index: usize) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let name = match call {
                wellhead_call::Read(read) => read.call.names().nth(index),
                wellhead_call::Complete(call) => call.others().nth(index).map(|(name, _)| name),
                _ => None,
            };
            name.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// The caller that the connection was made with, or that the token was granted for; NULL: none was given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_caller(call: *const wellhead_call) -> *mut c_void {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, none, |_, call| {
            call.caller().and_then(Caller::value::<HostCaller>).map_or(none, HostCaller::get)
        })
    }
}

/// As wellhead_call_caller, if the caller was given with this `caller_type`; NULL otherwise. Code that did not make the caller
/// itself uses this, so that it never takes one type for another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_typed_caller(
    call: *const wellhead_call,
    caller_type: *const c_void,
) -> *mut c_void {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, none, |_, call| {
            let caller = call.caller().and_then(Caller::value::<HostCaller>);
            caller.and_then(|caller| caller.of_type(caller_type)).unwrap_or(none)
        })
    }
}

/// The caller_id that the connection was made with; absent: none was given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_caller_id(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| match call.caller().map_or(&[][..], Caller::id) {
            [] => wellhead_str::ABSENT,
            id => wellhead_str::bytes(id),
        })
    }
}

/// The protocol revision of the request, its date. Absent for an interest, which is nobody's request, and
/// for a token.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_revision(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let revision = match call {
                wellhead_call::Read(read) => Some(read.call.revision()),
                wellhead_call::List(call) => Some(call.revision()),
                wellhead_call::Complete(call) => Some(call.revision()),
                wellhead_call::Method(further) => Some(further.call.revision()),
                wellhead_call::Authorize(question) => Some(question.call.revision()),
                wellhead_call::Interest(_) | wellhead_call::Verify(_) => None,
            };
            revision.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// The _meta of the request as it came, a JSON object: traceparent and the like. Its keys are the client's, and never
/// checked. Absent: there was none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_meta(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let meta = match call {
                wellhead_call::Read(read) => read.call.meta(),
                wellhead_call::List(call) => call.meta(),
                wellhead_call::Complete(call) => call.meta(),
                wellhead_call::Method(further) => further.call.meta(),
                wellhead_call::Authorize(question) => question.call.meta(),
                wellhead_call::Interest(_) | wellhead_call::Verify(_) => None,
            };
            meta.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// Tells the client how far the work on its request is, if it asked for that: in any unit, which only grows. total: what it
/// will be in the end; NULL: not known. message: may be absent. 1: the client wants to know.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_progress(
    call: *const wellhead_call,
    progress: f64,
    total: *const f64,
    message: wellhead_str,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, 0, |promise, call| {
            let (total, message) =
                (promise.number(total), promise.optional(message, "message").ok().flatten());
            c_int::from(match call {
                wellhead_call::Read(read) => read.call.progress(progress, total, message),
                wellhead_call::List(call) => call.progress(progress, total, message),
                wellhead_call::Complete(call) => call.progress(progress, total, message),
                wellhead_call::Method(further) => further.call.progress(progress, total, message),
                wellhead_call::Authorize(question) => question.call.progress(progress, total, message),
                wellhead_call::Interest(_) | wellhead_call::Verify(_) => false,
            })
        })
    }
}

/// Ends the stream that carries the answer over HTTP before there is one: the client is told to come back after `retry_ms`
/// milliseconds, and gets there what was said meanwhile, so that no connection is kept for a call that takes long. 1: it did.
/// 0: there is no stream to come back to, as over stdio, for a client that accepts JSON only and in every revision but
/// 2025-11-25; it is closed already; or the call was answered. What the client has not come back for counts against
/// output_bytes. Source: MCP 2025-11-25, Transports, "Sending Messages to the Server".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_close_stream(call: *const wellhead_call, retry_ms: u64) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, 0, |_, call| {
            c_int::from(match call {
                wellhead_call::Read(read) => read.call.close_stream(retry_ms),
                wellhead_call::List(call) => call.close_stream(retry_ms),
                wellhead_call::Complete(call) => call.close_stream(retry_ms),
                wellhead_call::Method(further) => further.call.close_stream(retry_ms),
                wellhead_call::Authorize(question) => question.call.close_stream(retry_ms),
                wellhead_call::Interest(_) | wellhead_call::Verify(_) => false,
            })
        })
    }
}

/// Of a read: the version of the resource that the client has. If it is still the right one, wellhead_read_not_modified
/// says so, without a body being made. Absent: it did not say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_if_version(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            call.read().and_then(Call::if_version).map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// Of a read: what the client answers to wellhead_read_needs_input, by the keys of its inputRequests: a JSON object of
/// objects, checked for no more than that. Keys may be missing: ask again. Absent: nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_input_responses(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            call.read().and_then(Call::input_responses).map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// Of a read: the requestState of wellhead_read_needs_input as the client sent it: anybody may have made it up. See
/// wellhead_call_open_state. Absent: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_request_state(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            call.read().and_then(Call::request_state).map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// Of a read: makes a requestState that wellhead_call_open_state opens for this caller and URI until a time, on any clock of
/// the host's that replicas with its key share, such as milliseconds of Unix time. It says nothing about how often it is
/// used. To be freed. NULL: no read, or not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_seal_state(
    call: *const wellhead_call,
    state: wellhead_str,
    until: u64,
) -> *mut wellhead_text {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, none, |promise, call| match (call.read(), promise.text(state, "state")) {
            (Some(call), Ok(state)) => Box::into_raw(Box::new(wellhead_text(call.seal_state(state, until)))),
            _ => none,
        })
    }
}

/// Of a read: what wellhead_call_seal_state sealed into its requestState. To be freed. NULL: there is none, it was made up or
/// for another caller or URI, or its time is over: answer wellhead_read_invalid_state then, and do not ask again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_open_state(
    call: *const wellhead_call,
    now: u64,
) -> *mut wellhead_text {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, none, |_, call| {
            let state = call.read().and_then(|call| call.open_state(now));
            state.map_or(none, |state| Box::into_raw(Box::new(wellhead_text(state))))
        })
    }
}

/// Of a listing: which resources the client wants, as one of the resources/get dialect may say: a JSON object whose members
/// are between the two of them. Absent: all.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_filter(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let filter = match call {
                wellhead_call::List(call) => call.filter(),
                _ => None,
            };
            filter.map_or(wellhead_str::ABSENT, |filter| wellhead_str::of(filter.as_str()))
        })
    }
}

/// Of a method: its name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_method(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            call.method().map_or(wellhead_str::ABSENT, |further| wellhead_str::of(further.call.method()))
        })
    }
}

/// Of a tool or a prompt: its name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_name(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let name = call.method().and_then(|further| further.call.name());
            name.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// Of a method: the `arguments` among its params, a JSON object; {} if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_arguments(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            call.method().map_or(wellhead_str::ABSENT, |further| wellhead_str::of(further.call.arguments()))
        })
    }
}

/// Of a read or a method: what the client can do, a JSON object such as {"sampling":{}}. Absent: it did not say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_client_capabilities(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let capabilities = match call {
                wellhead_call::Read(read) => read.client_capabilities(),
                wellhead_call::Method(further) => further.client_capabilities(),
                _ => None,
            };
            capabilities.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// Of a method: from which level on the request asks for notifications/message, such as "info". Absent: it does not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_log_level(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            call.method().and_then(Further::log_level).map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// 1: nobody wants the answer any more. Cheap; a callback that takes long asks now and then. The answer is still to be
/// given, or the kept responder freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_cancelled(call: *const wellhead_call) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, 0, |_, call| {
            c_int::from(match call {
                wellhead_call::Read(read) => read.call.is_cancelled(),
                wellhead_call::List(call) => call.is_cancelled(),
                wellhead_call::Complete(call) => call.is_cancelled(),
                wellhead_call::Method(further) => further.call.is_cancelled(),
                wellhead_call::Authorize(question) => question.call.is_cancelled(),
                wellhead_call::Interest(call) => call.is_cancelled(),
                wellhead_call::Verify(call) => call.is_cancelled(),
            })
        })
    }
}

impl wellhead_call {
    fn read(&self) -> Option<&Call> {
        match self {
            wellhead_call::Read(read) => Some(&read.call),
            _ => None,
        }
    }

    fn method(&self) -> Option<&Further> {
        match self {
            wellhead_call::Method(further) => Some(further),
            _ => None,
        }
    }

    fn caller(&self) -> Option<&Caller> {
        match self {
            wellhead_call::Read(read) => Some(read.call.caller()),
            wellhead_call::List(call) => Some(call.caller()),
            wellhead_call::Complete(call) => Some(call.caller()),
            wellhead_call::Method(further) => Some(further.call.caller()),
            wellhead_call::Authorize(question) => Some(question.call.caller()),
            wellhead_call::Interest(_) | wellhead_call::Verify(_) => None,
        }
    }
}

/// A question about access, with its URIs as C sees them.
pub struct Authorize {
    pub(crate) call: AuthorizeCall,
    pub(crate) uris: Vec<wellhead_str>,
}

// SAFETY: `uris` are views into `call`, which nothing changes.
unsafe impl Send for Authorize {}
// SAFETY: as above.
unsafe impl Sync for Authorize {}

impl Authorize {
    pub(crate) fn new(call: AuthorizeCall) -> Self {
        let uris = call.uris().map(wellhead_str::of).collect();
        Authorize { call, uris }
    }
}

/// The call of a read, with a text that C borrows.
pub struct Reading {
    pub(crate) call: Call,
    client_capabilities: OnceLock<Option<String>>,
}

impl Reading {
    pub(crate) fn new(call: Call) -> Self {
        Reading { call, client_capabilities: OnceLock::new() }
    }

    fn client_capabilities(&self) -> Option<&str> {
        self.client_capabilities.get_or_init(|| self.call.client_capabilities()).as_deref()
    }
}

/// The call of a further method, with texts that C borrows.
pub struct Further {
    pub(crate) call: MethodCall,
    client_capabilities: OnceLock<Option<String>>,
    log_level: OnceLock<Option<String>>,
}

impl Further {
    pub(crate) fn new(call: MethodCall) -> Self {
        Further { call, client_capabilities: OnceLock::new(), log_level: OnceLock::new() }
    }

    fn client_capabilities(&self) -> Option<&str> {
        self.client_capabilities.get_or_init(|| self.call.client_capabilities()).as_deref()
    }

    fn log_level(&self) -> Option<&str> {
        self.log_level.get_or_init(|| self.call.log_level()).as_deref()
    }
}
