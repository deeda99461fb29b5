//! What a callback is asked.

use crate::boundary::ask;
use crate::types::wellhead_str;
use std::ffi::{c_char, c_int};
use wellhead::{Call, ListCall};

/// cbindgen:ignore
pub enum wellhead_call {
    Read(Call),
    List(ListCall),
}

/// The URI as the client spelled it; absent for a listing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_uri(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |_, call| {
            call.read().map_or(wellhead_str::ABSENT, |c| wellhead_str::of(c.uri()))
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

/// 1: nobody wants the answer any more. Cheap; a callback that takes long asks now and then. The answer is still to be
/// given, or the kept responder freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_cancelled(call: *const wellhead_call) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, 0, |_, call| match call {
            wellhead_call::Read(call) => c_int::from(call.is_cancelled()),
            wellhead_call::List(call) => c_int::from(call.is_cancelled()),
        })
    }
}

impl wellhead_call {
    fn read(&self) -> Option<&Call> {
        match self {
            wellhead_call::Read(call) => Some(call),
            wellhead_call::List(_) => None,
        }
    }

    /// Answers "internal error" now.
    pub(crate) fn give_up(&self) {
        match self {
            wellhead_call::Read(call) => drop(call.defer().1),
            wellhead_call::List(call) => drop(call.defer().1),
        }
    }
}
