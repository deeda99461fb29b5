//! Answers to reads.

use crate::boundary::Promise;
use crate::foreign::{Source, json};
use crate::held_call::wellhead_call;
use crate::pending::{self, Kind, Pending};
use crate::require_input::{require_input, waiting};
use crate::resource::{described, wellhead_contents};
use crate::status::wellhead_status;
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use std::time::Duration;
use wellhead::{Answer, Body, Contents, Responder, Result};

/// cbindgen:ignore
pub type wellhead_read = Pending<Read>;

/// The kind of responder that answers reads.
pub enum Read {}

impl Kind for Read {
    type Answer = Answer;
    type Added = Vec<Contents>;

    fn fail(responder: Responder<Answer>, why: &str) {
        responder.finish(Answer::Failed(why.to_owned()));
    }
}

/// Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
/// returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
/// if the call was answered already.
/// Thread safety: call it only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_keep(responder: *mut wellhead_read) -> *mut wellhead_read {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// Returns the call of a kept responder, borrowed until the call is answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_call(responder: *const wellhead_read) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Frees a kept responder without an answer, which answers "internal error". It does nothing if `responder` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_free(responder: *mut wellhead_read) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Answers with a text, which is copied; it may not be absent. Fails with INVALID_UTF8 or INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_text(
    responder: *mut wellhead_read,
    text: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { whole(responder, |promise| Source::copied(text).text(promise)) }
}

/// Answers with bytes, which are copied. Absent bytes are empty contents. Fails with INVALID_ARGUMENT if the call was
/// answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_blob(
    responder: *mut wellhead_read,
    bytes: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { whole(responder, |promise| Source::copied(bytes).blob(promise)) }
}

/// Answers with a text, which is copied, and its details, such as its MIME type and its version. text: may not be
/// absent. about: may be NULL. Fails with INVALID_UTF8 or INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_text_with(
    responder: *mut wellhead_read,
    about: *const wellhead_contents,
    text: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { whole_with(responder, about, |promise| Source::copied(text).text(promise)) }
}

/// Answers with bytes, which are copied, and their details. Absent bytes are empty contents. about: may be NULL. Fails
/// with INVALID_UTF8 or INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_blob_with(
    responder: *mut wellhead_read,
    about: *const wellhead_contents,
    bytes: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { whole_with(responder, about, |promise| Source::copied(bytes).blob(promise)) }
}

/// Answers with a text that is not copied; it may not be absent. The application keeps it unchanged until
/// release(release_data) is called: once, on any thread, also on failure. release: may be NULL if the data stay valid
/// for ever. Fails with INVALID_UTF8 or INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_text_owned(
    responder: *mut wellhead_read,
    text: wellhead_str,
    release: wellhead_destroy_callback,
    release_data: *mut c_void,
) -> wellhead_status {
    let source = Source::owned(text, release, release_data);
    // SAFETY: our caller's promise.
    unsafe { whole(responder, |promise| source.text(promise)) }
}

/// Answers with bytes that are not copied. Absent bytes are empty contents. The application keeps them unchanged until
/// release(release_data) is called: once, on any thread, also on failure. release: may be NULL if the data stay valid
/// for ever. Fails with INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_blob_owned(
    responder: *mut wellhead_read,
    bytes: wellhead_str,
    release: wellhead_destroy_callback,
    release_data: *mut c_void,
) -> wellhead_status {
    let source = Source::owned(bytes, release, release_data);
    // SAFETY: our caller's promise.
    unsafe { whole(responder, |promise| source.blob(promise)) }
}

/// Answers that the resource does not exist. Fails with INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_not_found(responder: *mut wellhead_read) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, _| Ok(Answer::NotFound)) }
}

/// Answers that the caller may not read the resource. Fails with INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_denied(responder: *mut wellhead_read) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, _| Ok(Answer::Denied)) }
}

/// Answers that the client has the current version, which wellhead_call_if_version returned. Fails with INVALID_ARGUMENT
/// if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_not_modified(responder: *mut wellhead_read) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, _| Ok(Answer::NotModified)) }
}

/// Answers that the resource cannot be read now. retry_after_ms: the time after which to retry, in milliseconds;
/// UINT64_MAX if it is not known. Fails with INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_busy(
    responder: *mut wellhead_read,
    retry_after_ms: u64,
) -> wellhead_status {
    let after = (retry_after_ms != u64::MAX).then(|| Duration::from_millis(retry_after_ms));
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, _| Ok(Answer::Busy(after))) }
}

/// Answers that the client must give input first. input: a JSON object with inputRequests, requestState or both. The
/// client repeats the read; then wellhead_call_input_responses and wellhead_call_request_state return its answers. A
/// client without the capability gets an error that names it. Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_input_required(
    responder: *mut wellhead_read,
    input: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, _, _| {
            json(promise.text(input, "input")?, "input").map(Answer::InputRequired)
        })
    }
}

/// Answers that the client lacks capabilities that the read needs. capabilities: a JSON object such as {"sampling":{}}.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_missing_capability(
    responder: *mut wellhead_read,
    capabilities: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, _, _| {
            json(promise.text(capabilities, "capabilities")?, "capabilities").map(Answer::MissingCapability)
        })
    }
}

/// Sends a request to the client, in every protocol revision, before the contents are known. Never blocks. Returns one
/// of WELLHEAD_RESPONSE_.
/// name: unique in the callback, and the same in every run; may not be absent.
/// method: sampling/createMessage, elicitation/create or roots/list; may not be absent.
/// params: a JSON object; may be absent.
/// *json: the result, the error or the capabilities, or the text of WELLHEAD_RESPONSE_INVALID; borrowed until the call is
/// answered. Absent with WELLHEAD_RESPONSE_WAITING.
/// json: may be NULL.
/// If `responder` is NULL, returns WELLHEAD_RESPONSE_WAITING and leaves *json as it is.
///
/// The first time there is no response yet: answer by wellhead_read_wait. The callback runs again from its start when
/// the client has answered. See wellhead_method_require_input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_require_input(
    responder: *mut wellhead_read,
    name: wellhead_str,
    method: wellhead_str,
    params: wellhead_str,
    json: *mut wellhead_str,
) -> u32 {
    // SAFETY: our caller's promise.
    unsafe { require_input(responder, [name, method, params], json) }
}

/// Answers a read whose requests by wellhead_read_require_input lack a response: the callback runs again when the client
/// has answered. If the client lacks a capability or sent a wrong requestState, it gets an error. Fails with
/// INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_wait(responder: *mut wellhead_read) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, call, _| Ok(waiting(call))) }
}

/// Answers that the requestState of the client is invalid: see wellhead_call_open_state. Fails with INVALID_ARGUMENT if
/// the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_invalid_state(responder: *mut wellhead_read) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, _| Ok(Answer::InvalidState)) }
}

/// Answers "internal error". `why` is logged, and not sent to the client. Fails with INVALID_ARGUMENT or
/// INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_failed(
    responder: *mut wellhead_read,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}

/// Adds a text, which is copied, to an answer of several elements. text: may not be absent. about: may be NULL. Fails
/// with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the answer unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_add_text(
    responder: *mut wellhead_read,
    about: *const wellhead_contents,
    text: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { add(responder, about, |promise| Source::copied(text).text(promise)) }
}

/// Adds bytes, which are copied, to an answer of several elements. Absent bytes are empty contents. about: may be NULL.
/// Fails with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the answer unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_add_blob(
    responder: *mut wellhead_read,
    about: *const wellhead_contents,
    bytes: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { add(responder, about, |promise| Source::copied(bytes).blob(promise)) }
}

/// Adds a text that is not copied; it may not be absent. about: may be NULL. The application keeps it unchanged until
/// release(release_data) is called: once, on any thread, also on failure. release: may be NULL if the data stay valid
/// for ever. Fails with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the answer unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_add_text_owned(
    responder: *mut wellhead_read,
    about: *const wellhead_contents,
    text: wellhead_str,
    release: wellhead_destroy_callback,
    release_data: *mut c_void,
) -> wellhead_status {
    let source = Source::owned(text, release, release_data);
    // SAFETY: our caller's promise.
    unsafe { add(responder, about, |promise| source.text(promise)) }
}

/// Adds bytes that are not copied. Absent bytes are empty contents. about: may be NULL. The application keeps them
/// unchanged until release(release_data) is called: once, on any thread, also on failure. release: may be NULL if the
/// data stay valid for ever. Fails with INVALID_UTF8 or INVALID_ARGUMENT, and then leaves the answer unchanged.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_add_blob_owned(
    responder: *mut wellhead_read,
    about: *const wellhead_contents,
    bytes: wellhead_str,
    release: wellhead_destroy_callback,
    release_data: *mut c_void,
) -> wellhead_status {
    let source = Source::owned(bytes, release, release_data);
    // SAFETY: our caller's promise.
    unsafe { add(responder, about, |promise| source.blob(promise)) }
}

/// Answers with the elements that were added. Fails with INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_read_finish(responder: *mut wellhead_read) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, added| Ok(Answer::Found(added))) }
}

unsafe fn whole(
    responder: *mut wellhead_read,
    body: impl FnOnce(&Promise) -> Result<Body>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |promise, _, _| body(promise).map(Answer::from)) }
}

unsafe fn whole_with(
    responder: *mut wellhead_read,
    about: *const wellhead_contents,
    body: impl FnOnce(&Promise) -> Result<Body>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, _, _| {
            described(promise, about, body(promise)?).map(Answer::from)
        })
    }
}

unsafe fn add(
    responder: *mut wellhead_read,
    about: *const wellhead_contents,
    body: impl FnOnce(&Promise) -> Result<Body>,
) -> wellhead_status {
    let contents = |promise: &Promise, _: &wellhead_call| described(promise, about, body(promise)?);
    // SAFETY: our caller's promise.
    unsafe {
        pending::add(responder, contents, |_, added, contents| {
            added.push(contents);
            Ok(())
        })
    }
}
