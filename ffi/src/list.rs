//! Answers to listings.

use crate::boundary::{Promise, invalid};
use crate::call::wellhead_call;
use crate::pending::{self, Kind, Pending};
use crate::resource::wellhead_resource;
use crate::status::wellhead_status;
use crate::types::wellhead_str;
use std::ffi::c_int;
use wellhead::{Page, Responder};

/// cbindgen:ignore
pub type wellhead_list = Pending<List>;

/// Listings.
pub enum List {}

impl Kind for List {
    type Answer = Page;
    type Added = Page;

    fn fail(responder: Responder<Page>, why: &str) {
        responder.finish(Page::failed(why));
    }
}

/// As wellhead_read_keep. Thread safety: only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_keep(responder: *mut wellhead_list) -> *mut wellhead_list {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// The call of a kept responder; borrowed until the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_call(responder: *const wellhead_list) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
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
        let item = |promise: &Promise, _: &wellhead_call| promise.fields(item, "item");
        pending::add(responder, item, |promise, page, item| {
            page.push(item.listed(promise)?);
            Ok(())
        })
    }
}

/// Answers with the items that were added. more: not 0 if items follow the last one; without an item that is
/// INVALID_ARGUMENT, and an internal error for the client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_finish(responder: *mut wellhead_list, more: c_int) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |_, _, page| {
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
    unsafe { pending::fail(responder, why) }
}
