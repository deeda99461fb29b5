//! Methods of the application's own.

use crate::boundary::{Promise, ask, guard, invalid, required};
use crate::call::{Further, wellhead_call};
use crate::catalog::{run_complete, wellhead_complete_callback};
use crate::foreign::{UserData, json, object};
use crate::pending::{self, Kind, Pending};
use crate::server::{wellhead_server, with_callback, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use wellhead::{
    ClientAnswer, CompleteCall, HandlerId, Json, Method, MethodAnswer, MethodCall, MethodError, Responder,
    Result, Server, ToolError, ToolResult,
};

/// Options of a method. Zero or NULL in a field means its default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_method_options {
    pub struct_size: usize,
    /// The protocol revisions that have the method, by their dates; none: all that have not removed a method of that name.
    pub revisions: *const wellhead_str,
    pub revision_count: usize,
}

growing!(wellhead_method_options);

/// Handles a request. params: its params, a JSON object; {} if there are none; borrowed as long as the call. Answer with
/// wellhead_method_result or another wellhead_method_ function that answers; a tool rather answers with wellhead_method_text
/// or its like. As in wellhead_read_callback, a kept responder is answered later.
pub type wellhead_method_callback = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        params: wellhead_str,
        responder: *mut wellhead_method,
    ),
>;

/// Registers a method other than those for resources, such as tools/list. A method whose name begins with tools/, prompts/ or
/// logging/ declares that capability. For others see `capabilities` of wellhead_server_options. `options` and `destroy` may
/// be NULL; `method` may not. `destroy` is called once, after the last call, also on failure. DUPLICATE, INVALID_UTF8,
/// INVALID_ARGUMENT, CLOSED.
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

/// Registers a tool. definition: how it is listed, a JSON object without a name, such as
/// {"description":"…","inputSchema":{…}}. Without an inputSchema the tool takes any object. method: answers tools/call, for
/// example with wellhead_method_text. The arguments, which wellhead_call_argument_text and its like read, fit the
/// inputSchema (JSON Schema 2020-12), and its defaults are filled in. A call whose arguments do not fit is answered without
/// the callback, with a line for each wrong field. If the call fails or is not answered, the client gets a result with
/// isError and the text "The tool failed", and the reason is logged. A result that clients would refuse is such a failure.
/// wellhead_method_tool_error has a text for the model instead. wellhead_method_error and a missed deadline answer errors.
/// INVALID_ARGUMENT also for a member that does not exist or that clients would refuse, and for a wrong schema. An
/// `authorize` callback decides by the name. The rest is as in wellhead_server_add_method.
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

/// Registers a search of resources. With the flag WELLHEAD_RESOURCES_AS_TOOLS clients have the tools search and fetch then. The
/// arguments of the call are query, a text, and limit, the number of results that are of use. Answer with
/// wellhead_method_result: {"results":[{"uri":"…","title":"…","text":"…","url":"…"}]}, the best first; all but uri may be absent.
/// text is a snippet. A result without title or url has the title or name of its registration, and the url in its _meta. An
/// `authorize` callback decides about each URI. A client gets at most 20 results, and fetch reads them as resources/read does.
/// DUPLICATE if there is a search. The rest is as in wellhead_server_add_tool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_search(
    server: *mut wellhead_server,
    search: wellhead_method_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(server, error, (search, "search"), user_data, |_, server, search, user_data| {
            server.add_search(Some(handler(search, user_data))).map(drop)
        })
    }
}

/// Registers a prompt. definition: how it is listed, such as {"description":"…","arguments":[…]}. method: answers
/// prompts/get. The rest is as in wellhead_server_add_tool.
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

/// Registers the completion of an argument of a registered prompt; it is removed with the prompt. The URI of its call is the
/// name of the prompt. `complete` may not be NULL. `destroy` is called once, after the last call, also on failure; it may be
/// NULL. UNKNOWN if the prompt is not registered, DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT, CLOSED.
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
        with_callback(server, error, (complete, "complete"), user_data, |promise, server, _, user_data| {
            let completer = move |call: CompleteCall| run_complete(complete, &user_data, call);
            let (prompt, argument) = (promise.text(prompt, "prompt")?, promise.text(argument, "argument")?);
            server.add_prompt_completer(prompt, argument, Some(Arc::new(completer))).map(drop)
        })
    }
}

/// Removes a tool. Pending calls finish. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            server.remove_tool(promise.text(name, "name")?).map(drop)
        })
    }
}

/// Removes a prompt. Pending calls finish. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            server.remove_prompt(promise.text(name, "name")?).map(drop)
        })
    }
}

/// Lists a disabled tool again, and lets clients call it. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_enable_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_server(server, error, |promise, server| server.enable_tool(promise.text(name, "name")?)) }
}

/// Hides a tool: it is not listed, and a call of it is answered like one of a tool that does not exist. Pending calls
/// finish. wellhead_server_enable_tool ends this. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_disable_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_server(server, error, |promise, server| server.disable_tool(promise.text(name, "name")?)) }
}

/// Changes the definition of a tool. changes: a JSON object, each of whose members takes the place of the one that the
/// definition has; null removes it. The other members and the callback stay. INVALID_ARGUMENT as of
/// wellhead_server_add_tool, and then the tool stays as it is. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_update_tool(
    server: *mut wellhead_server,
    name: wellhead_str,
    changes: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            let changes = json(promise.text(changes, "changes")?, "changes")?;
            server.update_tool(promise.text(name, "name")?, &changes)
        })
    }
}

/// Lists a disabled prompt again, and lets clients get it. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_enable_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_server(server, error, |promise, server| server.enable_prompt(promise.text(name, "name")?)) }
}

/// Hides a prompt, like wellhead_server_disable_tool. Its arguments are not completed. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_disable_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| server.disable_prompt(promise.text(name, "name")?))
    }
}

/// Changes the definition of a prompt, like wellhead_server_update_tool.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_update_prompt(
    server: *mut wellhead_server,
    name: wellhead_str,
    changes: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            let changes = json(promise.text(changes, "changes")?, "changes")?;
            server.update_prompt(promise.text(name, "name")?, &changes)
        })
    }
}

type Run = unsafe extern "C-unwind" fn(*mut c_void, *const wellhead_call, wellhead_str, *mut wellhead_method);
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
        with_callback(server, error, (method, "method"), user_data, |promise, server, method, user_data| {
            let definition = json(promise.text(definition, "definition")?, "definition")?;
            add(server, promise.text(name, "name")?, &definition, Some(handler(method, user_data))).map(drop)
        })
    }
}

fn handler(run: Run, user_data: UserData) -> Handler {
    Arc::new(move |call: MethodCall| {
        let (_, responder) = call.defer();
        Pending::run(wellhead_call::Method(Further::new(call)), responder, |call, responder| {
            let wellhead_call::Method(further) = call else { return };
            // SAFETY: the application's function, called as the header says.
            unsafe { run(user_data.get(), call, wellhead_str::from_text(further.call.params()), responder) };
        });
    })
}

/// Notifies clients that lists of a kind changed. kind: toolsListChanged, promptsListChanged, or one of `announces` of
/// wellhead_server_options. Does not block. Calls back as wellhead_server_updated. UNKNOWN; INVALID_ARGUMENT if the
/// capability does not declare listChanged; INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_announce(
    server: *mut wellhead_server,
    kind: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_server(server, error, |promise, server| server.announce(promise.text(kind, "kind")?)) }
}

/// cbindgen:ignore
pub type wellhead_method = Pending<Own>;

/// Methods of the application's own.
pub enum Own {}

impl Kind for Own {
    type Answer = MethodAnswer;
    type Added = ToolResult;

    fn fail(responder: Responder<MethodAnswer>, why: &str) {
        responder.finish(MethodAnswer::failed(why));
    }
}

/// Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback returns.
/// The call of the callback stays valid until the responder is answered or freed. Returns `responder`; NULL if it was answered.
/// Thread safety: only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_keep(responder: *mut wellhead_method) -> *mut wellhead_method {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// Returns the call of a kept responder, borrowed until the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_call(responder: *const wellhead_method) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Frees a kept responder without an answer, which answers as wellhead_method_failed. NULL: does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_free(responder: *mut wellhead_method) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Sends a notification that belongs to the call, before its answer. params: a JSON object; may be absent. *sent: 1 if it was
/// sent; may be NULL. It is not sent after the answer, after the client cancelled the call, or while the client reads
/// nothing. A notifications/message is sent only from the level on that the request asks for. INVALID_ARGUMENT for a method
/// that is no notification of a call, and for notifications/message without a level or without the capability logging.
/// INVALID_UTF8.
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
            let params = object(promise, params, "params")?;
            let was = call.notify(promise.text(method, "method")?, params.as_ref())?;
            promise.put(sent, c_int::from(was));
            Ok(())
        })
    }
}

/// The result of the client.
pub const WELLHEAD_RESPONSE_RESULT: u32 = 0;
/// The error of the client, an object with code and message.
pub const WELLHEAD_RESPONSE_ERROR: u32 = 1;
/// No response will come: the call was answered or cancelled, its session ended, or the application gave the request up.
pub const WELLHEAD_RESPONSE_GIVEN_UP: u32 = 2;

/// Handles the response of the client to wellhead_method_request. response: one of WELLHEAD_RESPONSE_. json: the result or
/// the error, a JSON object, borrowed until the callback returns; absent for WELLHEAD_RESPONSE_GIVEN_UP. Called once, as an
/// event of the connection; not called if the application closes the connection.
pub type wellhead_response_callback =
    Option<unsafe extern "C-unwind" fn(then_data: *mut c_void, response: u32, json: wellhead_str)>;

/// Sends a request to the client: sampling/createMessage, elicitation/create or roots/list. Keep the responder first. then:
/// may not be NULL. then_destroy: called once, after `then` or instead of it, also on failure. params, then_destroy and
/// number: may be NULL or absent. *number: for wellhead_method_cancel_request. INVALID_ARGUMENT for other methods, for a
/// client without the capability, and in revisions that have wellhead_method_needs_input instead. LIMIT while the client
/// reads nothing, CLOSED after the call, INVALID_UTF8.
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
            let call = method_call(promise, responder)?;
            let then = required(then, "then")?;
            let params = object(promise, params, "params")?;
            let asked = call.request(promise.text(method, "method")?, params.as_ref(), move |answer| {
                let (response, json) = match &answer {
                    ClientAnswer::Result(json) => (WELLHEAD_RESPONSE_RESULT, wellhead_str::from_text(json)),
                    ClientAnswer::Error(json) => (WELLHEAD_RESPONSE_ERROR, wellhead_str::from_text(json)),
                    _ => (WELLHEAD_RESPONSE_GIVEN_UP, wellhead_str::ABSENT),
                };
                // SAFETY: the application's function, called as the header says.
                then(data.get(), response, json);
            })?;
            promise.put(number, asked);
            Ok(())
        })
    }
}

/// Cancels a request to the client, which is notified; `then` gets WELLHEAD_RESPONSE_GIVEN_UP. Returns 1 if the response had
/// not come yet.
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

/// Answers with a result, a JSON object, which is copied and may not be absent. Members that the revision requires are
/// added. INVALID_ARGUMENT, INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_result(
    responder: *mut wellhead_method,
    result: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, result, MethodAnswer::Result) }
}

/// Answers with an error. code: of JSON-RPC 2.0 section 5.1, or the application's own. message: may not be absent. data: a
/// JSON object; may be absent. INVALID_ARGUMENT, INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_error(
    responder: *mut wellhead_method,
    code: i32,
    message: wellhead_str,
    data: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |promise, _, _| failure(promise, code, message, data)) }
}

/// Answers a tool's call with an error whose text the model reads: what went wrong, and what it may try instead. The client
/// gets a result with isError, and nothing is logged. For a prompt or a method it is an internal error with this message.
/// INVALID_ARGUMENT, INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_tool_error(
    responder: *mut wellhead_method,
    message: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, _, _| {
            Ok(ToolError::new(promise.text(message, "message")?).into())
        })
    }
}

/// Answers that the client must give input first. input: a JSON object with inputRequests, requestState or both. The client
/// then repeats the request. A failure in revisions that do not have this. INVALID_ARGUMENT, INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_needs_input(
    responder: *mut wellhead_method,
    input: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, input, MethodAnswer::NeedsInput) }
}

/// Answers that the client lacks capabilities: a JSON object such as {"sampling":{}}. INVALID_ARGUMENT, INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_missing_capability(
    responder: *mut wellhead_method,
    capabilities: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { finish(responder, capabilities, MethodAnswer::MissingCapability) }
}

/// Answers "internal error", or for a tool a result with isError and the text "The tool failed". `why` is logged, and not
/// sent to the client. INVALID_ARGUMENT, INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_method_failed(
    responder: *mut wellhead_method,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}

/// An error of JSON-RPC, whose data may be absent.
pub(crate) fn failure(
    promise: &Promise,
    code: i32,
    message: wellhead_str,
    data: wellhead_str,
) -> Result<MethodAnswer> {
    let error = MethodError::new(code, promise.text(message, "message")?);
    Ok(MethodAnswer::Error(match object(promise, data, "data")? {
        Some(data) => error.data(data),
        None => error,
    }))
}

fn method_call(promise: &Promise, responder: *mut wellhead_method) -> Result<&MethodCall> {
    match &promise.handle(responder.cast_const(), "responder")?.call {
        wellhead_call::Method(further) => Ok(&further.call),
        _ => Err(invalid("not a method's")),
    }
}

unsafe fn finish(
    responder: *mut wellhead_method,
    object: wellhead_str,
    answer: fn(Json) -> MethodAnswer,
) -> wellhead_status {
    let made = |promise: &Promise, _: &wellhead_call, _: ToolResult| -> Result<MethodAnswer> {
        json(promise.text(object, "the answer")?, "the answer").map(answer)
    };
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, made) }
}
