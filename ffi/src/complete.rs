//! Answers to completions.

use crate::boundary::Promise;
use crate::held_call::wellhead_call;
use crate::pending::{self, Kind, Pending};
use crate::status::wellhead_status;
use crate::types::wellhead_str;
use std::ffi::c_int;
use wellhead::{Completion, Responder};

/// cbindgen:ignore
pub type wellhead_complete = Pending<Complete>;

/// The kind of responder that answers completions.
pub enum Complete {}

impl Kind for Complete {
    type Answer = Completion;
    type Added = Vec<String>;

    fn fail(responder: Responder<Completion>, why: &str) {
        responder.finish(Completion::failed(why));
    }
}

/// Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
/// returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
/// if the call was answered already.
/// Thread safety: call it only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_complete_keep(responder: *mut wellhead_complete) -> *mut wellhead_complete {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// Returns the call of a kept responder, borrowed until the call is answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_complete_call(responder: *const wellhead_complete) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Frees a kept responder without an answer, which answers "internal error". It does nothing if `responder` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_complete_free(responder: *mut wellhead_complete) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Adds a copy of a value to the end of the answer's values. Fails with INVALID_ARGUMENT if the value is absent, and
/// with INVALID_UTF8 if it is not UTF-8.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_complete_add(
    responder: *mut wellhead_complete,
    value: wellhead_str,
) -> wellhead_status {
    let value = |promise: &Promise, _: &wellhead_call| promise.text(value, "value").map(str::to_owned);
    // SAFETY: our caller's promise.
    unsafe {
        pending::add(responder, value, |_, values, value| {
            values.push(value);
            Ok(())
        })
    }
}

/// Answers with the values that were added. The client gets at most 100, the first ones.
/// more: not 0 if there are more values than were added.
/// total: the number of all values; NULL if it is not known.
/// Fails with INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_complete_finish(
    responder: *mut wellhead_complete,
    more: c_int,
    total: *const u64,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, _, values| {
            let completion = Completion::new(values).more(more != 0);
            Ok(match promise.number(total) {
                Some(total) => completion.total(total),
                None => completion,
            })
        })
    }
}

/// Answers "internal error". `why` is logged, and not sent to the client. Fails with INVALID_ARGUMENT or
/// INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_complete_failed(
    responder: *mut wellhead_complete,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}
