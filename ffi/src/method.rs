//! Methods of the application's own.

use crate::boundary::Promise;
use crate::foreign::{UserData, json, object};
use crate::held_call::wellhead_call;
use crate::pending::{self, Kind, Pending};
use crate::server::{wellhead_server, with_callback, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::tool_result::ResultSoFar;
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use std::sync::Arc;
use wellhead::{Json, Method, MethodAnswer, MethodCall, MethodError, Responder, Result};

/// Options of a method. Zero or NULL in a field means its default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_method_options {
    pub struct_size: usize,
    /// The protocol revisions that have the method, by their dates. Without any, all have it that have not removed a
    /// method of that name.
    pub revisions: *const wellhead_str,
    pub revision_count: usize,
}

growing!(wellhead_method_options);

/// Handles a request, whose params wellhead_call_params and wellhead_call_arguments return. Answer with wellhead_method_result
/// or another wellhead_method_ function that answers; a tool rather answers with wellhead_method_text or its like. As in
/// wellhead_read_callback, a kept responder is answered later.
pub type wellhead_method_callback = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        responder: *mut wellhead_method,
    ),
>;

/// Registers a method other than those for resources, such as tools/list. A method whose name begins with tools/,
/// prompts/ or logging/ declares that capability. For others see `capabilities` of wellhead_server_options.
/// A name that begins with notifications/ is that of a notification: `method` runs each time that a client sends it in a
/// session, and its answer is dropped; for notifications/initialized it runs once. The library handles
/// notifications/cancelled itself.
/// name: may not be absent.
/// options: may be NULL.
/// method: handles the requests; may not be NULL.
/// user_data: passed to `method`.
/// destroy: called once with user_data, after the last call, also on failure; may be NULL.
/// Fails with DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_method(
    server: *mut wellhead_server,
    name: wellhead_str,
    options: *const wellhead_method_options,
    method: wellhead_method_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(server, error, (method, "method"), user_data, |promise, server, method, user_data| {
            let mut described = Method::new(promise.text(name, "name")?);
            if let Some(options) = promise.options(options, "options")?
                && options.revision_count > 0
            {
                described = described.revisions(promise.texts(
                    options.revisions,
                    options.revision_count,
                    "revisions",
                )?);
            }
            server.add_method(described, Some(handler(method, user_data))).map(drop)
        })
    }
}

type Run = unsafe extern "C-unwind" fn(*mut c_void, *const wellhead_call, *mut wellhead_method);
pub(crate) type Handler = Arc<dyn Fn(MethodCall) + Send + Sync>;

pub(crate) fn handler(run: Run, user_data: UserData) -> Handler {
    Arc::new(move |call: MethodCall| {
        let (_, responder) = call.defer();
        Pending::run(wellhead_call::method(call), responder, |call, responder| {
            // SAFETY: the application's function, called as the header says.
            unsafe { run(user_data.get(), call, responder) };
        });
    })
}

/// Notifies clients that lists of a kind changed. Does not block. It calls the same callbacks as
/// wellhead_server_notify_updated.
/// kind: resources, tools, prompts, or one of `list_changed_methods` of wellhead_server_options.
/// Fails with UNKNOWN for another kind, with INVALID_ARGUMENT if the capability does not declare listChanged, and with
/// INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_notify_list_changed(
    server: *mut wellhead_server,
    kind: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| server.notify_list_changed(promise.text(kind, "kind")?))
    }
}

/// cbindgen:ignore
pub type wellhead_method = Pending<Own>;

/// The kind of responder that answers methods, tools and prompts.
pub enum Own {}

impl Kind for Own {
    type Answer = MethodAnswer;
    type Added = ResultSoFar;

    fn fail(responder: Responder<MethodAnswer>, why: &str) {
        responder.finish(MethodAnswer::failed(why));
    }
}

/// Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
/// returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
/// if the call was answered already.
/// Thread safety: call it only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_keep(responder: *mut wellhead_method) -> *mut wellhead_method {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// Returns the call of a kept responder, borrowed until the call is answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_call(responder: *const wellhead_method) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Frees a kept responder without an answer, which answers as wellhead_method_failed does. Does nothing if `responder`
/// is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_free(responder: *mut wellhead_method) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Answers with a result, a JSON object, which is copied and may not be absent. Members that the revision requires are
/// added. Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_result(
    responder: *mut wellhead_method,
    result: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, result, MethodAnswer::Result) }
}

/// Answers with an error.
/// rpc_code: a code of JSON-RPC 2.0 section 5.1, or the application's own.
/// message: may not be absent.
/// data: a JSON object; may be absent.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_error(
    responder: *mut wellhead_method,
    rpc_code: i32,
    message: wellhead_str,
    data: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |promise, _, _| failure(promise, rpc_code, message, data)) }
}

/// Answers that the client must give input first, and then repeat the request. In revisions that do not have this, the
/// call fails. input: a JSON object with inputRequests, requestState or both. Fails with INVALID_ARGUMENT or
/// INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_input_required(
    responder: *mut wellhead_method,
    input: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, input, MethodAnswer::InputRequired) }
}

/// Answers that the client lacks capabilities that the call needs. capabilities: a JSON object such as {"sampling":{}}.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_missing_capability(
    responder: *mut wellhead_method,
    capabilities: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, capabilities, MethodAnswer::MissingCapability) }
}

/// Answers "internal error", or for a tool a result with isError and the text "The tool failed". `why` is logged, and
/// not sent to the client. Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_failed(
    responder: *mut wellhead_method,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}

/// Makes an error of JSON-RPC, whose data may be absent.
pub(crate) fn failure(
    promise: &Promise,
    rpc_code: i32,
    message: wellhead_str,
    data: wellhead_str,
) -> Result<MethodAnswer> {
    let error = MethodError::new(rpc_code, promise.text(message, "message")?);
    Ok(MethodAnswer::Error(match object(promise, data, "data")? {
        Some(data) => error.data(data),
        None => error,
    }))
}

unsafe fn finish(
    responder: *mut wellhead_method,
    object: wellhead_str,
    answer: fn(Json) -> MethodAnswer,
) -> wellhead_status {
    let made = |promise: &Promise, _: &wellhead_call, _: ResultSoFar| -> Result<MethodAnswer> {
        json(promise.text(object, "the answer")?, "the answer").map(answer)
    };
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, made) }
}
