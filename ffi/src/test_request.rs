//! Requests of the server to the client in memory.

use crate::boundary::{Promise, guard, invalid};
use crate::foreign::{UserData, json};
use crate::method::failure;
use crate::status::wellhead_status;
use crate::types::wellhead_str;
use parking_lot::Mutex;
use std::ffi::c_void;
use wellhead::{MethodAnswer, Result};

/// Answers a request of the server to the client, such as sampling/createMessage, elicitation/create or roots/list.
/// Called on the thread that uses the client, inside its function. It is also called for each of the inputRequests that
/// a read, a tool or a prompt needs: the client then repeats its request with the answers. params: a JSON object; {} if
/// there are none. Answer with one of the wellhead_test_request_ functions before the callback returns; without an
/// answer the server gets an internal error. All arguments are borrowed until the callback returns. The callback must
/// not use the client.
pub type wellhead_test_request_callback = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        method: *const wellhead_str,
        params: *const wellhead_str,
        request: *mut wellhead_test_request,
    ),
>;

/// cbindgen:ignore
pub struct wellhead_test_request {
    answer: Mutex<Option<MethodAnswer>>,
}

/// Answers a request that came from the server with a result, a JSON object. request: valid only while the callback runs
/// that has it as an argument. Fails with INVALID_ARGUMENT if the request was answered already or the result is no JSON
/// object, and with INVALID_UTF8 if the result is not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_request_result(
    request: *mut wellhead_test_request,
    result: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        answer(request, |promise| json(promise.text(result, "result")?, "result").map(MethodAnswer::Result))
    }
}

/// Answers a request of the server with an error: a JSON-RPC code, a message, and data, a JSON object that may be absent.
/// request: valid only inside its callback. Fails with INVALID_ARGUMENT if the request was answered already or the data
/// is no JSON object, and with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_request_error(
    request: *mut wellhead_test_request,
    rpc_code: i32,
    message: wellhead_str,
    data: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { answer(request, |promise| failure(promise, rpc_code, message, data)) }
}

/// Answers a request of the server with an internal error whose message is `why`, which may not be absent. request: valid
/// only inside its callback. Fails with INVALID_ARGUMENT if the request was answered already, and with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_request_failed(
    request: *mut wellhead_test_request,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { answer(request, |promise| Ok(MethodAnswer::Failed(promise.text(why, "why")?.to_owned()))) }
}

/// Runs the callback of the application.
pub(crate) fn run_request(run: Run, data: &UserData, method: &str, params: &str) -> MethodAnswer {
    let request = wellhead_test_request { answer: Mutex::new(None) };
    let (name, params) = (wellhead_str::from_text(method), wellhead_str::from_text(params));
    // SAFETY: the application's function, called as the header says.
    unsafe { run(data.get(), &raw const name, &raw const params, (&raw const request).cast_mut()) };
    let none = || MethodAnswer::Failed(format!("on_request did not answer {method}"));
    request.answer.into_inner().unwrap_or_else(none)
}

type Run = unsafe extern "C-unwind" fn(
    *mut c_void,
    *const wellhead_str,
    *const wellhead_str,
    *mut wellhead_test_request,
);

/// Stores the answer to a request of the server.
unsafe fn answer(
    request: *mut wellhead_test_request,
    make: impl FnOnce(&Promise) -> Result<MethodAnswer>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let request = promise.handle(request.cast_const(), "request")?;
            let answer = make(promise)?;
            let mut answered = request.answer.lock();
            if answered.is_some() {
                return Err(invalid("the request was answered already"));
            }
            *answered = Some(answer);
            Ok(())
        })
    }
}
