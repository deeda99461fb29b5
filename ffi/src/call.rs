//! What a callback is asked.

use crate::boundary::ask;
use crate::foreign::UserData;
use crate::types::wellhead_str;
use std::ffi::{c_char, c_int, c_void};
use wellhead::{AuthorizeCall, Call, Caller, InterestCall, ListCall};

/// cbindgen:ignore
pub enum wellhead_call {
    Read(Call),
    List(ListCall),
    Authorize(Authorize),
    Interest(InterestCall),
}

/// The URI as the client spelled it; absent for a listing and for a question about access.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_uri(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let uri = match call {
                wellhead_call::Read(call) => Some(call.uri()),
                wellhead_call::Interest(call) => Some(call.uri()),
                wellhead_call::List(_) | wellhead_call::Authorize(_) => None,
            };
            uri.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// The value of a template's variable, percent-decoded; of a list ({name*}) the first. Absent if the URI has none.
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
            let value = call.read().zip(promise.c_string(name)).and_then(|(call, name)| match index {
                0 => call.var(name),
                _ => call.values(name).get(index).copied(),
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
            call.read()
                .and_then(|call| call.names().nth(index))
                .map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// The caller that the connection was made with; NULL: none was given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_caller(call: *const wellhead_call) -> *mut c_void {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, none, |_, call| {
            call.caller().and_then(Caller::value::<UserData>).map_or(none, UserData::get)
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

/// The protocol revision of the request, its date. Absent for an interest, which is nobody's request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_revision(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            let revision = match call {
                wellhead_call::Read(call) => Some(call.revision()),
                wellhead_call::List(call) => Some(call.revision()),
                wellhead_call::Authorize(question) => Some(question.call.revision()),
                wellhead_call::Interest(_) => None,
            };
            revision.map_or(wellhead_str::ABSENT, wellhead_str::of)
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
                wellhead_call::Read(call) => call.is_cancelled(),
                wellhead_call::List(call) => call.is_cancelled(),
                wellhead_call::Authorize(question) => question.call.is_cancelled(),
                wellhead_call::Interest(call) => call.is_cancelled(),
            })
        })
    }
}

impl wellhead_call {
    fn read(&self) -> Option<&Call> {
        match self {
            wellhead_call::Read(call) => Some(call),
            _ => None,
        }
    }

    fn caller(&self) -> Option<&Caller> {
        match self {
            wellhead_call::Read(call) => Some(call.caller()),
            wellhead_call::List(call) => Some(call.caller()),
            wellhead_call::Authorize(question) => Some(question.call.caller()),
            wellhead_call::Interest(_) => None,
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
