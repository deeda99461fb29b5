//! Around callbacks: functions of the application that run around each call of a callback.

use crate::boundary::{Promise, answer, guard, invalid, query};
use crate::foreign::{UserData, json};
use crate::held_call::wellhead_call;
use crate::method::failure;
use crate::pending::reason;
use crate::server::{wellhead_server, with_callback};
use crate::status::{WELLHEAD_STATUS_OK, wellhead_error, wellhead_status};
use crate::types::{wellhead_destroy_callback, wellhead_str};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::Arc;
use wellhead::{
    Answer, AroundCall, Contents, Json, MethodAnswer, Next, Outcome, PromptResult, Result, ToolError,
    ToolResult,
};

/// Runs around a call of a tool, a prompt, a read or a method. It lets the call run by wellhead_next_run, or answers in
/// its place by wellhead_next_answer_instead. If it does neither, the call fails. wellhead_call_method,
/// wellhead_call_name and wellhead_call_uri tell which call it is. `call` and `next` are borrowed until the callback
/// returns.
pub type wellhead_around_callback = Option<
    unsafe extern "C-unwind" fn(user_data: *mut c_void, call: *const wellhead_call, next: *mut wellhead_next),
>;

/// Called with the answer of a call, also of one that failed or was cancelled, on the thread that answers. It may
/// replace the answer by the wellhead_outcome_set_ functions. `call` and `outcome` are borrowed until the callback
/// returns.
pub type wellhead_after_callback = Option<
    unsafe extern "C-unwind" fn(
        after_data: *mut c_void,
        call: *const wellhead_call,
        outcome: *mut wellhead_outcome,
    ),
>;

/// Adds an around callback, which runs around each callback of a tool, a prompt, a read or a method, on the same thread.
/// Around callbacks nest in the order in which they are added; the first is the outermost. None runs around fixed
/// contents and folders. When wellhead_method_require_input has a callback run again, its around callbacks run again,
/// too.
/// around: may not be NULL.
/// user_data: passed to `around`.
/// destroy: called once with user_data, after the last call, also on failure; may be NULL.
/// Fails with INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_around(
    server: *mut wellhead_server,
    around: wellhead_around_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(server, error, (around, "around"), user_data, |_, server, around, user_data| {
            server.around(move |call: AroundCall, next: Next| {
                let call = Arc::new(wellhead_call::around(call));
                let refusal = wellhead_outcome::refusal(call.clone());
                let open = Mutex::new(Some(Open { next, refused: false }));
                let next = wellhead_next { call, open, refusal };
                // SAFETY: the application's function, called as the header says.
                answer((), || around(user_data.get(), &raw const *next.call, (&raw const next).cast_mut()));
                if let Some(Open { next: way, refused: true }) = next.open.into_inner() {
                    way.answer_instead(next.refusal.0.into_inner().outcome);
                }
            })
        })
    }
}

/// cbindgen:ignore
pub struct wellhead_next {
    call: Arc<wellhead_call>,
    /// None if the call ran already.
    open: Mutex<Option<Open>>,
    refusal: wellhead_outcome,
}

struct Open {
    next: Next,
    refused: bool,
}

/// Runs the next around callback, or, if there is none, the callback of the call, which may answer later.
/// after: called with the answer; may be NULL.
/// after_data: passed to `after`.
/// destroy: called once with after_data, after the last use of it, also on failure; may be NULL.
/// Fails with INVALID_ARGUMENT if the call ran already, or was answered in its place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_next_run(
    next: *mut wellhead_next,
    after: wellhead_after_callback,
    after_data: *mut c_void,
    destroy: wellhead_destroy_callback,
) -> wellhead_status {
    let after_data = UserData::new(after_data, destroy);
    let run = |promise: &Promise| {
        let next = promise.handle(next.cast_const(), "next")?;
        let open = next.open.lock().take_if(|open| !open.refused);
        let Some(Open { next: way, .. }) = open else {
            return Err(invalid("the call ran or was refused already"));
        };
        let call = next.call.clone();
        way.run(move |outcome| {
            let Some(after) = after else { return outcome };
            let outcome = wellhead_outcome::showing(call.clone(), outcome);
            answer((), || {
                // SAFETY: the application's function, called as the header says.
                unsafe { after(after_data.get(), &raw const *call, (&raw const outcome).cast_mut()) };
            });
            outcome.0.into_inner().outcome
        });
        Ok(())
    };
    // SAFETY: our caller's promise.
    unsafe { guard(std::ptr::null_mut(), run) }
}

/// Replaces the arguments of a tool or a prompt, for the inner around callbacks and for the callback. They are checked
/// as those of the client were, and defaults are filled in.
/// arguments: a JSON object; may not be absent.
/// Fails with INVALID_ARGUMENT if the arguments break the schema of the tool or lack what the prompt requires, for other
/// calls, and if the call ran already. Fails with INVALID_UTF8, and with CLOSED if the call is over. On failure the
/// arguments stay as they were.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_next_set_arguments(
    next: *mut wellhead_next,
    arguments: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let next = promise.handle(next.cast_const(), "next")?;
            let arguments = Json::parse(promise.text(arguments, "arguments")?)?;
            match &mut *next.open.lock() {
                Some(open) => open.next.set_arguments(&arguments),
                None => Err(invalid("the call ran already")),
            }
        })
    }
}

/// Answers in place of the callback, which does not run. Returns the answer, for a wellhead_outcome_set_ function to
/// set; if none sets it, the call fails. The answer is borrowed until the around callback returns. Returns NULL if the
/// call ran already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_next_answer_instead(next: *mut wellhead_next) -> *mut wellhead_outcome {
    // SAFETY: our caller's promise.
    unsafe {
        query(next.cast_const(), std::ptr::null_mut(), |_, next| match &mut *next.open.lock() {
            Some(open) => {
                open.refused = true;
                (&raw const next.refusal).cast_mut()
            }
            None => std::ptr::null_mut(),
        })
    }
}

/// The answer of one call, which C borrows until the around callback returns.
/// cbindgen:ignore
pub struct wellhead_outcome(Mutex<Replaceable>);

/// The answer, and the texts of earlier ones that the application may still look at.
struct Replaceable {
    /// The call that is answered, because the kind of a text depends on it.
    call: Arc<wellhead_call>,
    outcome: Outcome,
    before: Vec<Outcome>,
}

impl wellhead_outcome {
    fn showing(call: Arc<wellhead_call>, outcome: Outcome) -> Self {
        wellhead_outcome(Mutex::new(Replaceable { call, outcome, before: Vec::new() }))
    }

    fn refusal(call: Arc<wellhead_call>) -> Self {
        let is_read = call.as_around().is_some_and(|call| call.uri().is_some());
        let why = "an around callback refused the call and set no answer";
        let outcome =
            if is_read { Answer::Failed(why.to_owned()).into() } else { MethodAnswer::failed(why).into() };
        wellhead_outcome::showing(call, outcome)
    }
}

/// Returns the kind of the answer: found, not_found, denied, not_modified, busy, input_required, waiting, invalid_state,
/// missing_capability, result, error or failed. Later versions may add words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_name(outcome: *const wellhead_outcome) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        query(outcome, wellhead_str::ABSENT, |_, outcome| {
            wellhead_str::from_text(outcome.0.lock().outcome.name())
        })
    }
}

/// Returns the result of a tool, a prompt or a method, a JSON object. That of a tool has `content`. It is absent for
/// other answers, and borrowed until the callback returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_result(outcome: *const wellhead_outcome) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        query(outcome, wellhead_str::ABSENT, |_, outcome| match &outcome.0.lock().outcome {
            Outcome::Method(MethodAnswer::Result(result)) => wellhead_str::from_text(result.as_str()),
            _ => wellhead_str::ABSENT,
        })
    }
}

/// Returns the text that a read found. It is absent for other answers, for bytes, and for contents of several elements.
/// It is borrowed until the callback returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_text(outcome: *const wellhead_outcome) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        query(outcome, wellhead_str::ABSENT, |_, outcome| {
            wellhead_str::optional(match &outcome.0.lock().outcome {
                Outcome::Read(Answer::Found(found)) => match &found[..] {
                    [only] => only.text(),
                    _ => None,
                },
                _ => None,
            })
        })
    }
}

/// Sets the result of a tool, a prompt or a method. result: a JSON object, which is copied and may not be absent. Fails
/// with INVALID_ARGUMENT, also for a read, or with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_set_result(
    outcome: *mut wellhead_outcome,
    result: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        set(outcome, |promise, _| {
            let result = json(promise.text(result, "result")?, "result")?;
            Ok(MethodAnswer::Result(result).into())
        })
    }
}

/// Sets one text, which is copied and may not be absent. For a read it is what the read found, whose other details stay.
/// For a tool it is the result, and for a prompt a message of the user. Fails with INVALID_ARGUMENT, also for a method,
/// or with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_set_text(
    outcome: *mut wellhead_outcome,
    text: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        set(outcome, |promise, kept| {
            let text = promise.text(text, "text")?;
            Ok(match (&kept.outcome, kept.call.as_around().map(AroundCall::method)) {
                (Outcome::Read(Answer::Found(found)), _) if found.len() == 1 => {
                    Answer::from(found[0].clone().body(text)).into()
                }
                (Outcome::Read(_), _) => Answer::from(Contents::new(text)).into(),
                (_, Some("tools/call")) => ToolResult::from(text).into(),
                (_, Some("prompts/get")) => PromptResult::from(text).into(),
                _ => {
                    return Err(invalid(
                        "a method has no text; give its result by wellhead_outcome_set_result",
                    ));
                }
            })
        })
    }
}

/// Sets an error of a tool.
/// message: the text that the model reads, as in wellhead_method_tool_error; may not be absent.
/// Fails with INVALID_ARGUMENT, also for a read, or with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_set_tool_error(
    outcome: *mut wellhead_outcome,
    message: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { set(outcome, |promise, _| Ok(ToolError::new(promise.text(message, "message")?).into())) }
}

/// Sets an error of a tool, a prompt or a method.
/// rpc_code: a code of JSON-RPC 2.0 section 5.1, or the application's own.
/// message: may not be absent.
/// data: a JSON object; may be absent.
/// Fails with INVALID_ARGUMENT, also for a read, or with INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_set_error(
    outcome: *mut wellhead_outcome,
    rpc_code: i32,
    message: wellhead_str,
    data: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { set(outcome, |promise, _| failure(promise, rpc_code, message, data).map(Into::into)) }
}

/// Sets the answer of a read to "not found". Fails with INVALID_ARGUMENT for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_set_not_found(outcome: *mut wellhead_outcome) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { set(outcome, |_, _| Ok(Answer::NotFound.into())) }
}

/// Sets the answer of a read to "permission denied". Fails with INVALID_ARGUMENT for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_set_denied(outcome: *mut wellhead_outcome) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { set(outcome, |_, _| Ok(Answer::Denied.into())) }
}

/// Makes the call fail: the client gets "internal error", or for a tool a result with isError and the text "The tool
/// failed". `why` is logged, and not sent to the client; it may be absent. Fails with INVALID_ARGUMENT, or with
/// INVALID_UTF8; the call fails then, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_outcome_set_failed(
    outcome: *mut wellhead_outcome,
    why: wellhead_str,
) -> wellhead_status {
    let mut refused = Ok(());
    let make = |promise: &Promise, kept: &Replaceable| {
        let said = promise.optional(why, "why");
        let why = reason(&said);
        refused = said.map(drop);
        // Set also for a `why` that is no text: the callback wants that the client does not get the answer.
        Ok(match kept.outcome {
            Outcome::Read(_) => Answer::Failed(why).into(),
            _ => MethodAnswer::Failed(why).into(),
        })
    };
    // SAFETY: our caller's promise.
    match unsafe { set(outcome, make) } {
        // SAFETY: an error that the application does not take is NULL.
        WELLHEAD_STATUS_OK => unsafe { guard(std::ptr::null_mut(), |_| refused) },
        status => status,
    }
}

unsafe fn set(
    outcome: *mut wellhead_outcome,
    make: impl FnOnce(&Promise, &Replaceable) -> Result<Outcome>,
) -> wellhead_status {
    let run = |promise: &Promise| {
        let kept = &mut *promise.handle(outcome.cast_const(), "outcome")?.0.lock();
        let answer = make(promise, kept)?;
        if std::mem::discriminant(&answer) != std::mem::discriminant(&kept.outcome) {
            return Err(invalid("a read has other answers than a tool, a prompt or a method"));
        }
        kept.before.push(std::mem::replace(&mut kept.outcome, answer));
        Ok(())
    };
    // SAFETY: our caller's promise.
    unsafe { guard(std::ptr::null_mut(), run) }
}
