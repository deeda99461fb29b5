//! Answers to listings.

use crate::boundary::{Promise, invalid};
use crate::foreign::json;
use crate::held_call::wellhead_call;
use crate::pending::{self, Kind, Pending};
use crate::resource::wellhead_resource;
use crate::status::wellhead_status;
use crate::types::wellhead_str;
use std::ffi::c_int;
use wellhead::{Page, Responder};

/// cbindgen:ignore
pub type wellhead_list = Pending<List>;

/// The kind of responder that answers listings.
pub enum List {}

impl Kind for List {
    type Answer = Page;
    type Added = Page;

    fn fail(responder: Responder<Page>, why: &str) {
        responder.finish(Page::failed(why));
    }
}

/// Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
/// returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
/// if the call was answered already.
/// Thread safety: call it only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_keep(responder: *mut wellhead_list) -> *mut wellhead_list {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// Returns the call of a kept responder, borrowed until the call is answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_call(responder: *const wellhead_list) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Frees a kept responder without an answer, which answers "internal error". It does nothing if `responder` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_free(responder: *mut wellhead_list) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Adds an item to the page. item: may not be NULL; its uri is required; copied. Fails with INVALID_UTF8 or
/// INVALID_ARGUMENT, and then leaves the page unchanged. An item with an invalid URI is left out of the answer, and
/// logged.
/// Thread safety: one thread at a time builds an answer.
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

/// Adds a skill to a page of wellhead_server_add_skill_list.
/// entry: a JSON object. Its uri is that of its SKILL.md, its frontmatter an object with at least name and description.
/// Its resources are "dynamic" (default), or the uri, digest and size of each file in a list.
/// Fails with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the page unchanged. An entry that breaks the rules of
/// skills is left out of the answer, and logged.
/// Thread safety: as wellhead_list_add.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_add_skill(
    responder: *mut wellhead_list,
    entry: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        let entry = |promise: &Promise, _: &wellhead_call| json(promise.text(entry, "entry")?, "entry");
        pending::add(responder, entry, |_, page, entry| {
            page.push_skill(&entry);
            Ok(())
        })
    }
}

/// Answers with the items that were added. more: not 0 if items follow the last one. Fails with INVALID_ARGUMENT if
/// the call was answered already; the first answer stays. Fails with INVALID_ARGUMENT also if there are no items and
/// `more` is not 0; then the client gets an internal error.
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

/// Answers "internal error". `why` is logged, and not sent to the client. Fails with INVALID_ARGUMENT or
/// INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_list_failed(
    responder: *mut wellhead_list,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}
