//! Which URIs are watched.

use crate::boundary::{guard, required};
use crate::call::wellhead_call;
use crate::foreign::UserData;
use crate::pending::{self, Kind, Pending};
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};
use wellhead::{InterestCall, Responder, Watched};

/// Tells the host that wellhead_call_uri(call) got its first subscriber (wanted 1) or lost its last one (wanted 0). Callbacks for one
/// URI never overlap. Answer with wellhead_interest_done or wellhead_interest_failed; as with wellhead_read_callback, a kept
/// responder is answered later.
pub type wellhead_interest_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        wanted: c_int,
        responder: *mut wellhead_interest,
    ),
>;

/// Tells `interest` which URIs are watched, for a host that must watch something itself to notice changes. It replaces
/// an earlier one. wanted: 1 if somebody watches wellhead_call_uri(call) from now on, 0 if nobody does any more; one
/// delivery at a time for a URI. A subscriber is acknowledged after the callback has answered, so that no change falls
/// between the two. interest: may not be NULL. destroy: may be NULL. INVALID_ARGUMENT, CLOSED.
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
        guard(error, move |promise| {
            let server = promise.hold(server, "server")?;
            let interest = required(interest, "interest")?;
            server.server.on_interest(move |call: InterestCall| {
                let (deferred, responder) = call.defer();
                let wanted = c_int::from(call.wanted());
                Pending::run(wellhead_call::Interest(call), responder, |call, responder| {
                    // SAFETY: the host's function, called as the header says.
                    interest(user_data.get(), call, wanted, responder);
                });
                deferred
            })
        })
    }
}

/// cbindgen:ignore
pub type wellhead_interest = Pending<Interest>;

/// Interests.
pub enum Interest {}

impl Kind for Interest {
    type Answer = Watched;
    type Added = ();

    fn fail(responder: Responder<Watched>, why: &str) {
        responder.finish(Watched::Failed(why.to_owned()));
    }
}

/// As wellhead_read_keep. Thread safety: only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_keep(responder: *mut wellhead_interest) -> *mut wellhead_interest {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// The call of a kept responder; borrowed until the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_call(responder: *const wellhead_interest) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Gives up a kept responder unanswered, as wellhead_interest_failed does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_free(responder: *mut wellhead_interest) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Answers that the host now watches the URI, or has stopped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_done(responder: *mut wellhead_interest) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, ()| Ok(Watched::Done)) }
}

/// Answers that it could not: those who wait to watch the URI are told "internal error". `why` goes to the log.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_interest_failed(
    responder: *mut wellhead_interest,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}
