//! Answers to listings.

use crate::boundary::{Promise, guard, invalid};
use crate::call::wellhead_call;
use crate::pending::{self, Pending};
use crate::resource::wellhead_resource;
use crate::status::wellhead_status;
use crate::types::wellhead_str;
use std::ffi::c_int;
use wellhead::{Page, Result};

/// cbindgen:ignore
pub type wellhead_list = Pending<Page>;

/// As wellhead_read_keep. Thread safety: only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_keep(responder: *mut wellhead_list) -> *mut wellhead_list {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// The call of a kept responder; borrowed until the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_call(responder: *const wellhead_list) -> *const wellhead_call {
    if responder.is_null() {
        return std::ptr::null();
    }
    // SAFETY: our caller's promise.
    unsafe { &raw const (*responder).call }
}

/// Gives up a kept responder unanswered: the client is told "internal error".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_free(responder: *mut wellhead_list) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Adds an item to the page. A refused one leaves the page as it was: INVALID_UTF8, INVALID_ARGUMENT. One whose URI is
/// none is left out later, and logged. Thread safety: one thread at a time builds a page.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_add(
    responder: *mut wellhead_list,
    item: *const wellhead_resource,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let pending = promise.handle(responder.cast_const(), "responder")?;
            let item = promise.fields(item, "item")?;
            pending.add(|page| {
                page.push(item.listed(promise)?);
                Ok(())
            })
        })
    }
}

/// Answers with the items that were added. more: not 0 if items follow the last one; without an item that is
/// INVALID_ARGUMENT, and an internal error for the client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_finish(responder: *mut wellhead_list, more: c_int) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        finish(responder, |_, page| {
            if more != 0 && page.is_empty() {
                return Err(invalid("a page with more to come has no item"));
            }
            Ok(page.more(more != 0))
        })
    }
}

/// Answers "internal error". `why` goes to the log, not to the client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_failed(
    responder: *mut wellhead_list,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        finish(responder, |promise, _| {
            Ok(Page::failed(promise.optional(why, "why")?.unwrap_or("no reason given")))
        })
    }
}

unsafe fn finish(
    responder: *mut wellhead_list,
    make: impl FnOnce(&Promise, Page) -> Result<Page>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::consume(responder, |promise, call, added| {
            let wellhead_call::List(call) = call else {
                return Err(invalid("not the responder of a listing"));
            };
            let (_, responder) = call.defer();
            match make(promise, added) {
                Ok(page) => responder.finish(page),
                Err(e) => {
                    responder.finish(Page::failed(e.to_string()));
                    return Err(e);
                }
            };
            Ok(())
        })
    }
}
