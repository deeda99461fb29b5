//! Interest of clients in URIs.

use crate::foreign::UserData;
use crate::held_call::wellhead_call;
use crate::pending::{self, Kind, Pending};
use crate::server::{wellhead_server, with_callback};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};
use wellhead::{InterestAnswer, InterestCall, Responder};

/// Called when wellhead_call_uri(call) has its first subscriber (wanted is 1), or has lost its last one (wanted is 0).
/// Calls about one URI never overlap. Answer with wellhead_interest_done or wellhead_interest_failed. As in
/// wellhead_read_callback, a kept responder is answered later.
pub type wellhead_interest_callback = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        wanted: c_int,
        responder: *mut wellhead_interest,
    ),
>;

/// Sets the callback that hears which URIs have subscribers, for an application that must itself look for changes. It
/// replaces an earlier one. A subscription is acknowledged after the callback has answered, so that no change in between
/// is lost.
/// interest: may not be NULL.
/// user_data: passed to `interest`.
/// destroy: called once with user_data, after the last call, also on failure; may be NULL.
/// Fails with INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_set_interest(
    server: *mut wellhead_server,
    interest: wellhead_interest_callback,
    user_data: *mut c_void,
    destroy: wellhead_destroy_callback,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let user_data = UserData::new(user_data, destroy);
    // SAFETY: our caller's promise.
    unsafe {
        with_callback(server, error, (interest, "interest"), user_data, |_, server, interest, user_data| {
            server.on_interest(move |call: InterestCall| {
                let (deferred, responder) = call.defer();
                let wanted = c_int::from(call.wanted());
                Pending::run(wellhead_call::Interest(call), responder, |call, responder| {
                    // SAFETY: the application's function, called as the header says.
                    interest(user_data.get(), call, wanted, responder);
                });
                deferred
            })
        })
    }
}

/// cbindgen:ignore
pub type wellhead_interest = Pending<Interest>;

/// The kind of responder that answers an interest callback.
pub enum Interest {}

impl Kind for Interest {
    type Answer = InterestAnswer;
    type Added = ();

    fn fail(responder: Responder<InterestAnswer>, why: &str) {
        responder.finish(InterestAnswer::Failed(why.to_owned()));
    }
}

/// Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
/// returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
/// if the call was answered already.
/// Thread safety: call it only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_keep(responder: *mut wellhead_interest) -> *mut wellhead_interest {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// Returns the call of a kept responder, borrowed until the call is answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_call(responder: *const wellhead_interest) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Frees a kept responder without an answer, which answers as wellhead_interest_failed does. Does nothing if `responder`
/// is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_free(responder: *mut wellhead_interest) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Answers that the application now looks for changes of the URI, or has stopped. Fails with INVALID_ARGUMENT if the
/// call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_done(responder: *mut wellhead_interest) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, ()| Ok(InterestAnswer::Done)) }
}

/// Answers that the application cannot look for changes of the URI: clients that wait to subscribe get "internal
/// error". `why` is logged. Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_failed(
    responder: *mut wellhead_interest,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}
