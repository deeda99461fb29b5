//! Notifications and requests to the client that belong to the call of a method.

use crate::boundary::{Promise, guard, invalid, query, required};
use crate::foreign::{UserData, object};
use crate::held_call::{ClientRequests, wellhead_call};
use crate::method::wellhead_method;
use crate::notification;
use crate::pending::{self, Kind, Pending};
use crate::status::wellhead_status;
use crate::tool_result::ResultSoFar;
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};
use wellhead::{ClientAnswer, ClientRequestError, MethodAnswer, MethodCall, Result};

/// Sends a notification that belongs to the call, before its answer. It is not sent after the answer, after the client
/// cancelled the call, or while the client reads nothing. A notifications/message is sent as wellhead_method_log says.
/// method: begins with notifications/; may not be absent.
/// params: a JSON object; may be absent.
/// *sent: 1 if it was sent, else 0; may be NULL.
/// Fails with INVALID_ARGUMENT for a method that is no notification of a call, and for notifications/message without a
/// level or without the capability logging. Fails with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_notify(
    responder: *mut wellhead_method,
    method: wellhead_str,
    params: wellhead_str,
    sent: *mut c_int,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let call = method_call(promise, responder)?;
            notification::notify(promise, [method, params], sent, |method, params| {
                call.notify(method, params)
            })
        })
    }
}

/// Sends the client a log message about the call, a notifications/message, as wellhead_method_notify does. In a session the
/// client sets the lowest level by logging/setLevel; it is warning before. In revision 2026-07-28 the request names it.
/// level: from debug to emergency; may not be absent.
/// text: may be empty, but not absent.
/// logger: names the part of the application that it is from; may be absent.
/// *sent: 1 if it was sent, else 0; may be NULL.
/// Fails with INVALID_ARGUMENT if there is no such level, and if the server lacks the capability logging. Fails with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_log(
    responder: *mut wellhead_method,
    level: wellhead_str,
    text: wellhead_str,
    logger: wellhead_str,
    sent: *mut c_int,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let call = method_call(promise, responder)?;
            notification::log(promise, [level, text, logger], sent, |level, text, logger| {
                call.log(level, text, logger)
            })
        })
    }
}

/// The client sent a result.
pub const WELLHEAD_RESPONSE_RESULT: u32 = 0;
/// The client sent an error, an object with code and message.
pub const WELLHEAD_RESPONSE_ERROR: u32 = 1;
/// No response will come: the call was answered or cancelled, its session ended, or the application gave the request up.
pub const WELLHEAD_RESPONSE_GIVEN_UP: u32 = 2;

/// There is no response yet, or none will come: answer by wellhead_method_wait or wellhead_read_wait.
pub const WELLHEAD_RESPONSE_WAITING: u32 = 3;
/// The client did not declare these capabilities, a JSON object such as {"roots":{}}.
pub const WELLHEAD_RESPONSE_MISSING_CAPABILITY: u32 = 4;
/// The response does not fit the form that the client was asked to fill in. The text, which is not JSON, says where.
pub const WELLHEAD_RESPONSE_INVALID: u32 = 5;

/// Sends a request to the client, in every protocol revision. Never blocks. Returns one of WELLHEAD_RESPONSE_.
/// name: unique in the callback, and the same in every run; may not be absent.
/// method: sampling/createMessage, elicitation/create or roots/list; may not be absent.
/// params: a JSON object; may be absent.
/// *json: the result, the error or the capabilities, or the text of WELLHEAD_RESPONSE_INVALID; borrowed until the call is
/// answered. Absent with WELLHEAD_RESPONSE_WAITING.
/// json: may be NULL.
/// If `responder` is NULL, returns WELLHEAD_RESPONSE_WAITING and leaves *json as it is.
///
/// The first time there is no response yet. The callback makes its other requests, calls wellhead_method_wait and
/// returns. It runs again from its start when the client has answered, and gets the responses then. So what stands
/// before the last request runs once more each time. In 2026-07-28 the call is answered with input_required, and the
/// responses so far travel in a sealed requestState, good for this call for 10 minutes, with each instance that has the
/// key. That revision deprecates sampling and roots, which still work. In earlier revisions the server sends a request.
/// What is wrong with the arguments is logged by wellhead_method_wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_require_input(
    responder: *mut wellhead_method,
    name: wellhead_str,
    method: wellhead_str,
    params: wellhead_str,
    json: *mut wellhead_str,
) -> u32 {
    // SAFETY: our caller's promise.
    unsafe { require_input(responder, [name, method, params], json) }
}

/// Answers a call whose requests by wellhead_method_require_input lack a response: the callback runs again when the
/// client has answered. If the client lacks a capability or sent a wrong requestState, it gets an error. Fails with
/// INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_wait(responder: *mut wellhead_method) -> wellhead_status {
    let made =
        |_: &Promise, call: &wellhead_call, _: ResultSoFar| -> Result<MethodAnswer> { Ok(waiting(call)) };
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, made) }
}

/// Handles the response of the client to wellhead_method_send_request. response: one of WELLHEAD_RESPONSE_. json: the result or
/// the error, a JSON object, borrowed until the callback returns; absent for WELLHEAD_RESPONSE_GIVEN_UP. Called once, as an
/// event of the connection; not called if the application closes the connection.
pub type wellhead_response_callback =
    Option<unsafe extern "C-unwind" fn(then_data: *mut c_void, response: u32, json: *const wellhead_str)>;

/// Sends a request to the client. Keep the responder first.
/// method: sampling/createMessage, elicitation/create or roots/list; may not be absent.
/// params: a JSON object; may be absent.
/// then: called with the response; may not be NULL.
/// then_data: passed to `then`.
/// then_destroy: called once with then_data, after `then` or instead of it, also on failure; may be NULL.
/// *number: the number of the request, for wellhead_method_cancel_request.
/// number: may be NULL.
/// Fails with INVALID_ARGUMENT for other methods, for a client without the capability, and in revisions that have
/// wellhead_method_input_required instead. Fails with LIMIT while the client reads nothing, with CLOSED after the call, and
/// with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_send_request(
    responder: *mut wellhead_method,
    method: wellhead_str,
    params: wellhead_str,
    then: wellhead_response_callback,
    then_data: *mut c_void,
    then_destroy: wellhead_destroy_callback,
    number: *mut u64,
) -> wellhead_status {
    let data = UserData::new(then_data, then_destroy);
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), move |promise| {
            let call = method_call(promise, responder)?;
            let then = required(then, "then")?;
            let params = object(promise, params, "params")?;
            let request =
                call.send_request(promise.text(method, "method")?, params.as_ref(), move |answer| {
                    let (response, json) = match &answer {
                        ClientAnswer::Result(json) => {
                            (WELLHEAD_RESPONSE_RESULT, wellhead_str::from_text(json))
                        }
                        ClientAnswer::Error(json) => (WELLHEAD_RESPONSE_ERROR, wellhead_str::from_text(json)),
                        _ => (WELLHEAD_RESPONSE_GIVEN_UP, wellhead_str::ABSENT),
                    };
                    // SAFETY: the application's function, called as the header says.
                    then(data.get(), response, &raw const json);
                })?;
            promise.put(number, request);
            Ok(())
        })
    }
}

/// Cancels a request to the client, which is notified; `then` gets WELLHEAD_RESPONSE_GIVEN_UP. Returns 1 if the response
/// had not come yet, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_cancel_request(
    responder: *mut wellhead_method,
    number: u64,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        query(responder.cast_const(), 0, |_, pending| {
            c_int::from(pending.call.as_method().is_some_and(|call| call.cancel_request(number)))
        })
    }
}

/// Sends a named request to the client, and keeps the text of its response as long as the call.
///
/// # Safety
/// `responder` is NULL or valid.
pub(crate) unsafe fn require_input<K: Kind>(
    responder: *mut Pending<K>,
    [name, method, params]: [wellhead_str; 3],
    json: *mut wellhead_str,
) -> u32 {
    let run = |promise: &Promise, pending: &Pending<K>| {
        let Some(requests) = pending.call.requests() else { return WELLHEAD_RESPONSE_WAITING };
        let made = || {
            let params = object(promise, params, "params")?;
            let (name, method) = (promise.text(name, "name")?, promise.text(method, "method")?);
            match &pending.call {
                wellhead_call::Read(held) => Ok(held.call.require_input(name, method, params.as_ref())),
                wellhead_call::Method(held) => Ok(held.call.require_input(name, method, params.as_ref())),
                _ => Err(invalid("neither a read's nor a method's")),
            }
        };
        let (response, text) = match made().unwrap_or_else(|e| Err(ClientRequestError::Failed(e))) {
            Ok(result) => (WELLHEAD_RESPONSE_RESULT, Some(result.as_str().to_owned())),
            Err(why) => {
                let response = match &why {
                    ClientRequestError::Refused(error) => (WELLHEAD_RESPONSE_ERROR, Some(error.as_json())),
                    ClientRequestError::MissingCapability(lacked) => {
                        (WELLHEAD_RESPONSE_MISSING_CAPABILITY, Some(lacked.as_str().to_owned()))
                    }
                    ClientRequestError::InvalidAnswer(text) => {
                        (WELLHEAD_RESPONSE_INVALID, Some(text.clone()))
                    }
                    _ => (WELLHEAD_RESPONSE_WAITING, None),
                };
                requests.keep_error(why);
                response
            }
        };
        promise.put(json, text.map_or(wellhead_str::ABSENT, |text| requests.keep_text(text)));
        response
    };
    // SAFETY: our caller's promise.
    unsafe { query(responder.cast_const(), WELLHEAD_RESPONSE_WAITING, run) }
}

/// The answer to a call whose requests lack a response.
pub(crate) fn waiting<A: From<ClientRequestError>>(call: &wellhead_call) -> A {
    let why = call.requests().and_then(ClientRequests::take_error);
    why.unwrap_or(ClientRequestError::Waiting).into()
}

fn method_call(promise: &Promise, responder: *mut wellhead_method) -> Result<&MethodCall> {
    let pending = promise.handle(responder.cast_const(), "responder")?;
    pending.call.as_method().ok_or_else(|| invalid("not a method's"))
}
