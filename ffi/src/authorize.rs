//! Questions about access, and their answers.

use crate::boundary::invalid;
use crate::foreign::UserData;
use crate::held_call::wellhead_call;
use crate::pending::{self, Kind, Pending};
use crate::server::{wellhead_server, with_callback};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use wellhead::{AuthorizeCall, Operation, Responder, Verdict};

/// The caller lists the targets, which are URIs and templates.
pub const WELLHEAD_OPERATION_LIST: u32 = 1;
/// The caller reads the targets.
pub const WELLHEAD_OPERATION_READ: u32 = 2;
/// The caller subscribes to the targets.
pub const WELLHEAD_OPERATION_SUBSCRIBE: u32 = 3;
/// The caller completes a variable or an argument; the target is the template, or the name of the prompt.
pub const WELLHEAD_OPERATION_COMPLETE: u32 = 4;
/// The caller lists tools; the targets are their names.
pub const WELLHEAD_OPERATION_LIST_TOOLS: u32 = 5;
/// The caller calls a tool; the target is its name.
pub const WELLHEAD_OPERATION_CALL_TOOL: u32 = 6;
/// The caller lists prompts; the targets are their names.
pub const WELLHEAD_OPERATION_LIST_PROMPTS: u32 = 7;
/// The caller gets a prompt; the target is its name.
pub const WELLHEAD_OPERATION_GET_PROMPT: u32 = 8;

/// Answers "permission denied", and leaves the target out of lists.
pub const WELLHEAD_VERDICT_DENY: u32 = 0;
/// Lets the operation go on.
pub const WELLHEAD_VERDICT_ALLOW: u32 = 1;
/// Answers as if the target did not exist, and leaves it out of lists.
pub const WELLHEAD_VERDICT_HIDE: u32 = 2;

/// Decides which targets a caller may use: URIs, templates, or names of tools or prompts, by the operation. Set verdicts
/// with wellhead_authorize_set, then answer with wellhead_authorize_finish. As in wellhead_read_callback, a kept responder
/// is answered later.
/// call: has the caller; its URI is absent.
/// operation: one of WELLHEAD_OPERATION_. Later versions may add numbers, so deny those that you do not know.
/// targets: at least one; borrowed until the call is answered.
pub type wellhead_authorize_callback = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        operation: u32,
        targets: *const wellhead_str,
        target_count: usize,
        responder: *mut wellhead_authorize,
    ),
>;

/// Sets the callback that decides about each list, read, subscription, completion, tool and prompt, many targets at once.
/// It replaces an earlier one. It is not called for the callbacks of wellhead_server_add_method, which judge the caller
/// themselves.
/// authorize: may not be NULL.
/// user_data: passed to `authorize`.
/// destroy: called once with user_data, after the last call, also on failure; may be NULL.
/// Fails with INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_set_authorize(
    server: *mut wellhead_server,
    authorize: wellhead_authorize_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(
            server,
            error,
            (authorize, "authorize"),
            user_data,
            |_, server, authorize, user_data| {
                server.authorize(move |call: AuthorizeCall| {
                    let (deferred, responder) = call.defer();
                    Pending::run(wellhead_call::authorize(call), responder, |call, responder| {
                        let wellhead_call::Authorize(held) = call else { return };
                        let (operation, targets) = (number(held.call.operation()), &held.more.0);
                        // SAFETY: the application's function, called as the header says.
                        authorize(
                            user_data.get(),
                            call,
                            operation,
                            targets.as_ptr(),
                            targets.len(),
                            responder,
                        );
                    });
                    deferred
                })
            },
        )
    }
}

fn number(operation: Operation) -> u32 {
    match operation {
        Operation::List => WELLHEAD_OPERATION_LIST,
        Operation::Read => WELLHEAD_OPERATION_READ,
        Operation::Subscribe => WELLHEAD_OPERATION_SUBSCRIBE,
        Operation::Complete => WELLHEAD_OPERATION_COMPLETE,
        Operation::ListTools => WELLHEAD_OPERATION_LIST_TOOLS,
        Operation::CallTool => WELLHEAD_OPERATION_CALL_TOOL,
        Operation::ListPrompts => WELLHEAD_OPERATION_LIST_PROMPTS,
        Operation::GetPrompt => WELLHEAD_OPERATION_GET_PROMPT,
        _ => 0,
    }
}

/// cbindgen:ignore
pub type wellhead_authorize = Pending<Question>;

/// The kind of responder that answers an authorize callback.
pub enum Question {}

impl Kind for Question {
    type Answer = Vec<Verdict>;
    /// The verdicts that were set, each with the index of its URI.
    type Added = Vec<(usize, Verdict)>;

    fn fail(responder: Responder<Vec<Verdict>>, why: &str) {
        responder.fail(why);
    }
}

/// Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
/// returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
/// if the call was answered already.
/// Thread safety: call it only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_authorize_keep(
    responder: *mut wellhead_authorize,
) -> *mut wellhead_authorize {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// Returns the call of a kept responder, borrowed until the call is answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_authorize_call(
    responder: *const wellhead_authorize,
) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Frees a kept responder without an answer, which answers "internal error". It does nothing if `responder` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_authorize_free(responder: *mut wellhead_authorize) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Sets the verdict, one of WELLHEAD_VERDICT_, about the target at `index`. A target without a verdict is denied. Fails with
/// INVALID_ARGUMENT if there is no such target or verdict, or if the call was answered already.
/// Thread safety: one thread at a time builds an answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_authorize_set(
    responder: *mut wellhead_authorize,
    index: usize,
    verdict: u32,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::add(
            responder,
            |_, call| {
                if index >= count(call) {
                    return Err(invalid(format!("index {index}: the question has {} targets", count(call))));
                }
                match verdict {
                    WELLHEAD_VERDICT_ALLOW => Ok(Verdict::Allow),
                    WELLHEAD_VERDICT_DENY => Ok(Verdict::Deny),
                    WELLHEAD_VERDICT_HIDE => Ok(Verdict::Hide),
                    unknown => Err(invalid(format!("verdict {unknown} is not one of WELLHEAD_VERDICT_"))),
                }
            },
            |_, set, verdict| {
                set.push((index, verdict));
                Ok(())
            },
        )
    }
}

/// Answers with the verdicts that were set. Fails with INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_authorize_finish(responder: *mut wellhead_authorize) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |_, call, set| {
            let mut verdicts = vec![Verdict::Deny; count(call)];
            for (index, verdict) in set {
                verdicts[index] = verdict;
            }
            Ok(verdicts)
        })
    }
}

/// Answers "internal error". `why` is logged, and not sent to the client. Fails with INVALID_ARGUMENT or
/// INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_authorize_failed(
    responder: *mut wellhead_authorize,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}

fn count(call: &wellhead_call) -> usize {
    match call {
        wellhead_call::Authorize(held) => held.more.0.len(),
        _ => 0,
    }
}
