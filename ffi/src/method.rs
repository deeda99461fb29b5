//! Methods of the host's own.

use crate::boundary::{Promise, ask, guard, invalid, required};
use crate::call::{Further, wellhead_call};
use crate::catalog::{run_complete, wellhead_complete_callback};
use crate::foreign::{UserData, json};
use crate::pending::{self, Kind, Pending};
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use wellhead::{
    ClientAnswer, CompleteCall, HandlerId, Json, Method, MethodAnswer, MethodCall, MethodError, Responder,
    Result, Server,
};

/// How a method is served; everything has a default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_method_options {
    pub struct_size: usize,
    /// The protocol revisions that have it, by their dates; none: all that have not removed a method of that name.
    pub revisions: *const wellhead_str,
    pub revision_count: usize,
}

growing!(wellhead_method_options);

/// Handles a request. params: its params, a JSON object; {} if there are none; borrowed as long as the call. Answer with
/// wellhead_method_result or another final wellhead_method_ function; as with wellhead_read_callback, a kept responder is
/// answered later.
pub type wellhead_method_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        params: wellhead_str,
        responder: *mut wellhead_method,
    ),
>;

/// Serves a method beside those for resources, such as tools/list: JSON in, JSON out. Its capability is declared with it:
/// tools, prompts or logging for what begins so; for more see `capabilities` of wellhead_server_options. options: may be
/// NULL. params: what the request has, a JSON object, {} if there is none; borrowed as long as the call. The callback
/// answers before it returns, or keeps the responder and answers later. method: may not be NULL. destroy: may be NULL.
/// DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT, CLOSED.
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
        guard(error, move |promise| {
            let server = promise.hold(server, "server")?;
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
            let handler = handler(method, user_data)?;
            server.server.add_method(described, Some(handler)).map(drop)
        })
    }
}

/// Serves a tool. definition: how it is listed, a JSON object without a name, such as {"description":"…","inputSchema":{…}}.
/// The callback answers tools/call by wellhead_call_arguments, which it checks itself, with a result as the protocol has it:
/// one that clients would refuse is an internal error, and logged. Without an inputSchema the tool takes any object. A member
/// that does not exist, or that clients would refuse, is WELLHEAD_STATUS_INVALID_ARGUMENT. An authoriser is asked by name. Otherwise as wellhead_server_add_method.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    definition: wellhead_str,
    method: wellhead_method_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe { add_named(Server::add_tool, server, name, definition, method, user_data, error) }
}

/// Serves a prompt, listed by a definition such as {"description":"…","arguments":[…]}. The callback answers prompts/get.
/// Otherwise as wellhead_server_add_tool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    definition: wellhead_str,
    method: wellhead_method_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe { add_named(Server::add_prompt, server, name, definition, method, user_data, error) }
}

/// Completes an argument of a prompt that is registered, and goes with it. complete: as in wellhead_provider; its call has
/// the prompt's name for a URI. complete: may not be NULL. destroy: may be NULL. UNKNOWN if there is no such prompt,
/// DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_complete_prompt(
    server: *mut wellhead_server,
    prompt: wellhead_str,
    argument: wellhead_str,
    complete: wellhead_complete_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, move |promise| {
            let server = promise.hold(server, "server")?.server.clone();
            required(complete, "complete")?;
            let completer = move |call: CompleteCall| run_complete(complete, &user_data, call);
            let (prompt, argument) = (promise.text(prompt, "prompt")?, promise.text(argument, "argument")?);
            server.add_prompt_completer(prompt, argument, Some(Arc::new(completer))).map(drop)
        })
    }
}

/// Removes a tool; calls under way finish. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            promise.hold(server, "server")?.server.remove_tool(promise.text(name, "name")?).map(drop)
        })
    }
}

/// Removes a prompt, as wellhead_server_remove_tool removes a tool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            promise.hold(server, "server")?.server.remove_prompt(promise.text(name, "name")?).map(drop)
        })
    }
}

type Handler = Arc<dyn Fn(MethodCall) + Send + Sync>;

unsafe fn add_named(
    add: fn(&Server, &str, &Json, Option<Handler>) -> Result<HandlerId>,
    server: *mut wellhead_server,
    name: wellhead_str,
    definition: wellhead_str,
    method: wellhead_method_callback,
    user_data: UserData,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, move |promise| {
            let definition = json(promise.text(definition, "definition")?, "definition")?;
            let server = promise.hold(server, "server")?.server.clone();
            add(&server, promise.text(name, "name")?, &definition, Some(handler(method, user_data)?))
                .map(drop)
        })
    }
}

fn handler(method: wellhead_method_callback, user_data: UserData) -> Result<Handler> {
    let run = required(method, "method")?;
    Ok(Arc::new(move |call: MethodCall| {
        let (_, responder) = call.defer();
        let further = Further::new(call);
        let params = wellhead_str::of(further.call.params());
        Pending::run(wellhead_call::Method(further), responder, |call, responder| {
            // SAFETY: the host's function, called as the header says.
            unsafe { run(user_data.get(), call, params, responder) };
        });
    }))
}

/// Tells everybody who wants to know that the lists of a kind changed: toolsListChanged, promptsListChanged, or one of
/// `announces` of wellhead_server_options. Never blocks, never calls back but for `wake`. UNKNOWN; INVALID_ARGUMENT if
/// the capability does not declare listChanged; INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_announce(
    server: *mut wellhead_server,
    kind: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            promise.hold(server, "server")?.server.announce(promise.text(kind, "kind")?)
        })
    }
}

/// cbindgen:ignore
pub type wellhead_method = Pending<Own>;

/// Methods of the host's own.
pub enum Own {}

impl Kind for Own {
    type Answer = MethodAnswer;
    type Added = ();

    fn fail(responder: Responder<MethodAnswer>, why: &str) {
        responder.finish(MethodAnswer::failed(why));
    }
}

/// As wellhead_read_keep. Thread safety: only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_keep(responder: *mut wellhead_method) -> *mut wellhead_method {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// The call of a kept responder; borrowed until the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_call(responder: *const wellhead_method) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Gives up a kept responder unanswered: the client is told "internal error".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_free(responder: *mut wellhead_method) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Sends a notification about the call, before its answer. params: a JSON object; may be absent. *sent: whether it was:
/// not after the answer, not when nobody wants that any more, not while the client takes nothing, and notifications/message
/// only from the level on that the request asks for. sent: may be NULL. INVALID_ARGUMENT for what is no notification of a
/// call, or for notifications/message without a level or without the capability logging; INVALID_UTF8.
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
            let pending = promise.handle(responder.cast_const(), "responder")?;
            let wellhead_call::Method(further) = &pending.call else { return Err(invalid("not a method's")) };
            let params = promise.optional(params, "params")?.map(|text| json(text, "params")).transpose()?;
            let was = further.call.notify(promise.text(method, "method")?, params.as_ref())?;
            promise.put(sent, c_int::from(was));
            Ok(())
        })
    }
}

/// The client's result.
pub const WELLHEAD_RESPONSE_RESULT: u32 = 0;
/// The client's error, an object with code and message.
pub const WELLHEAD_RESPONSE_ERROR: u32 = 1;
/// None will come: the call was answered or cancelled, its session ended, or the host gave the request up.
pub const WELLHEAD_RESPONSE_GIVEN_UP: u32 = 2;

/// Takes the response of the client to a request of wellhead_method_request. response: one of WELLHEAD_RESPONSE_. json: the
/// result or the error, an object; absent for WELLHEAD_RESPONSE_GIVEN_UP; borrowed until the callback returns. Called once, as
/// an event of the connection; not called if the host closes the connection.
pub type wellhead_response_callback =
    Option<unsafe extern "C" fn(then_data: *mut c_void, response: u32, json: wellhead_str)>;

/// Asks the client for one of its features, sampling/createMessage, elicitation/create or roots/list, before the call is
/// answered; so keep the responder first. then: called once as an event of the connection, with one of
/// WELLHEAD_RESPONSE_ and the JSON that the client sent; not called if the host closes the connection. then_destroy: called once,
/// after `then` or instead of it, also when this fails. then: may not be NULL; params, then_destroy and number may.
/// *number: for wellhead_method_cancel_request. INVALID_ARGUMENT for other methods, if the client did not declare the
/// capability, and in revisions that have wellhead_method_needs_input instead; LIMIT while the client takes nothing; CLOSED
/// once the call is over; INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_request(
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
            let pending = promise.handle(responder.cast_const(), "responder")?;
            let wellhead_call::Method(further) = &pending.call else { return Err(invalid("not a method's")) };
            let then = required(then, "then")?;
            let params = promise.optional(params, "params")?.map(|text| json(text, "params")).transpose()?;
            let asked =
                further.call.request(promise.text(method, "method")?, params.as_ref(), move |answer| {
                    let (response, json) = match &answer {
                        ClientAnswer::Result(json) => (WELLHEAD_RESPONSE_RESULT, wellhead_str::of(json)),
                        ClientAnswer::Error(json) => (WELLHEAD_RESPONSE_ERROR, wellhead_str::of(json)),
                        _ => (WELLHEAD_RESPONSE_GIVEN_UP, wellhead_str::ABSENT),
                    };
                    // SAFETY: the host's function, called as the header says.
                    then(data.get(), response, json);
                })?;
            promise.put(number, asked);
            Ok(())
        })
    }
}

/// Gives a request to the client up: it is told so, and `then` hears WELLHEAD_RESPONSE_GIVEN_UP. 1: the answer was still to
/// come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_cancel_request(
    responder: *mut wellhead_method,
    number: u64,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        ask(responder.cast_const(), 0, |_, pending| match &pending.call {
            wellhead_call::Method(further) => c_int::from(further.call.cancel_request(number)),
            _ => 0,
        })
    }
}

/// Answers with a result, a JSON object. What the revision wants beside it is added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_result(
    responder: *mut wellhead_method,
    result: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, result, MethodAnswer::Result) }
}

/// Answers with an error for the client: a code of JSON-RPC 2.0 section 5.1 or one of the host's own. data: any JSON
/// object; may be absent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_error(
    responder: *mut wellhead_method,
    code: i32,
    message: wellhead_str,
    data: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, _, ()| {
            let error = MethodError::new(code, promise.text(message, "message")?);
            Ok(MethodAnswer::Error(match promise.optional(data, "data")? {
                Some(data) => error.data(json(data, "data")?),
                None => error,
            }))
        })
    }
}

/// Answers that the client is to be asked for input, by the inputRequests and requestState of this JSON object, and may
/// then ask again. An internal error where the revision does not have that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_needs_input(
    responder: *mut wellhead_method,
    input: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, input, MethodAnswer::NeedsInput) }
}

/// Answers that the client lacks capabilities, those of this JSON object, such as {"sampling":{}}.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_missing_capability(
    responder: *mut wellhead_method,
    capabilities: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, capabilities, MethodAnswer::MissingCapability) }
}

/// Answers "internal error". `why` goes to the log, not to the client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_failed(
    responder: *mut wellhead_method,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}

unsafe fn finish(
    responder: *mut wellhead_method,
    object: wellhead_str,
    answer: fn(Json) -> MethodAnswer,
) -> wellhead_status {
    let made = |promise: &Promise, _: &wellhead_call, (): ()| -> Result<MethodAnswer> {
        json(promise.text(object, "the answer")?, "the answer").map(answer)
    };
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, made) }
}
