//! Sessions that the application keeps beyond a call.

use crate::boundary::{free, guard, query};
use crate::held_call::{of_request, wellhead_call};
use crate::notification;
use crate::status::wellhead_status;
use crate::types::wellhead_str;
use std::ffi::c_int;
use wellhead::Session;

/// cbindgen:ignore
pub struct wellhead_session(Session);

/// Returns the session of the client, to be kept beyond the call. The application frees it. Returns NULL if there is
/// none: in revision 2026-07-28, with WELLHEAD_NO_SESSIONS, in the dialect `resources/get`, and for interest and verify
/// callbacks. Any thread may call the functions of a session.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_session(call: *const wellhead_call) -> *mut wellhead_session {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe {
        query(call, none, |_, call| {
            let session = of_request!(call, it => it.call.session(), None);
            session.map_or(none, |session| Box::into_raw(Box::new(wellhead_session(session))))
        })
    }
}

/// Returns the id of a session, unlike that of any other session of the server. Over HTTP it is the Mcp-Session-Id,
/// which is a secret of the client; else a number. It is borrowed until the session is freed. If `session` is NULL, it
/// is absent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_session_id(session: *const wellhead_session) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { query(session, wellhead_str::ABSENT, |_, session| wellhead_str::from_text(session.0.id())) }
}

/// Returns the name and version that the client gives itself, a JSON object; borrowed until the session is freed. Use it
/// for logs, not for decisions. The result is absent if the client did not send it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_session_client(session: *const wellhead_session) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { query(session, wellhead_str::ABSENT, |_, session| wellhead_str::optional(session.0.client())) }
}

/// Returns the capabilities of the client, a JSON object such as {"sampling":{}}; borrowed until the session is freed.
/// The result is absent if the client did not send them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_session_client_capabilities(
    session: *const wellhead_session,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        query(session, wellhead_str::ABSENT, |_, session| {
            wellhead_str::optional(session.0.client_capabilities())
        })
    }
}

/// Returns 1 if the session is over, or if `session` is NULL, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_session_closed(session: *const wellhead_session) -> c_int {
    // SAFETY: our caller's promise.
    unsafe { query(session, 1, |_, session| c_int::from(session.0.is_closed())) }
}

/// Sends a notification that belongs to no call: over HTTP on the stream that the client has open for these. It is not
/// sent before notifications/initialized, after the end of the session, or while the client reads nothing. A
/// notifications/message is sent only from the level on that the client has set by logging/setLevel, which is warning
/// before it sets one.
/// method: begins with notifications/; may not be absent.
/// params: a JSON object; may be absent.
/// *sent: 1 if it was sent, else 0; may be NULL.
/// Fails with INVALID_ARGUMENT for a method that is no notification, or one that the server sends by itself. Fails with
/// INVALID_ARGUMENT also for notifications/message without a level or without the capability logging. Fails with
/// INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_session_notify(
    session: *const wellhead_session,
    method: wellhead_str,
    params: wellhead_str,
    sent: *mut c_int,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let session = promise.handle(session, "session")?;
            notification::notify(promise, [method, params], sent, |method, params| {
                session.0.notify(method, params)
            })
        })
    }
}

/// Sends the client a log message, a notifications/message, as wellhead_session_notify does.
/// level: from debug to emergency; may not be absent.
/// text: may be empty, but not absent.
/// logger: names the part of the application that it is from; may be absent.
/// *sent: 1 if it was sent, else 0; may be NULL.
/// Fails with INVALID_ARGUMENT if there is no such level, and if the server lacks the capability logging. Fails with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_session_log(
    session: *const wellhead_session,
    level: wellhead_str,
    text: wellhead_str,
    logger: wellhead_str,
    sent: *mut c_int,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let session = promise.handle(session, "session")?;
            notification::log(promise, [level, text, logger], sent, |level, text, logger| {
                session.0.log(level, text, logger)
            })
        })
    }
}

/// Frees a session handle; the session itself goes on. Does nothing if `session` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_session_free(session: *mut wellhead_session) {
    // SAFETY: our caller's promise.
    unsafe { free(session) }
}
