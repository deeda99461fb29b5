//! Questions about bearer tokens, and their answers.

use super::options::wellhead_endpoint_options;
use crate::boundary::{Promise, ask, guard, invalid};
use crate::call::wellhead_call;
use crate::foreign::{HostCaller, UserData};
use crate::pending::{self, Kind, Pending};
use crate::status::wellhead_status;
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_char, c_void};
use wellhead::http::{EndpointBuilder, Grant, Protection, Verification};
use wellhead::{Caller, Responder, Result, VerifyCall};

/// What clients are told of an endpoint that asks for tokens: RFC 6750, RFC 9728. All absent is for tokens that people hand
/// out by themselves: nothing is told, and no audience compared.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_protection {
    pub struct_size: usize,
    /// The URL by which clients know the endpoint, such as https://example.com/mcp: the audience of tokens for it.
    pub resource: wellhead_str,
    /// Who issues tokens, URLs; with `resource` at least one. Both are served as metadata at the well-known places.
    pub authorization_servers: *const wellhead_str,
    pub authorization_server_count: usize,
    /// The scopes that every request needs: a token without them gets a 403.
    pub scopes: *const wellhead_str,
    pub scope_count: usize,
}

/// What a good token is good for.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_grant {
    pub struct_size: usize,
    /// The caller in stable bytes. Sessions, cursors and streams belong to it: give each principal one of its own.
    pub caller_id: wellhead_str,
    /// For whom the request speaks: the host's own, handed to callbacks by wellhead_call_caller.
    pub caller: *mut c_void,
    /// Called once, after the last call; also when the answer is refused. May be NULL.
    pub caller_destroy: wellhead_destroy_callback,
    /// Whom the token was issued for, such as its `aud`. An endpoint with a `resource` refuses tokens that do not name it.
    pub audience: *const wellhead_str,
    pub audience_count: usize,
    /// The scopes of the token, with those that they imply.
    pub scopes: *const wellhead_str,
    pub scope_count: usize,
    /// In how many milliseconds it expires: streams of changes that it opened end then. NULL: never.
    pub expires_in_ms: *const u64,
    /// Names the type of `caller`, as in wellhead_connection_options. May be NULL.
    pub caller_type: *const c_void,
}

growing!(wellhead_protection, wellhead_grant);

/// cbindgen:ignore
pub type wellhead_verify = Pending<Token>;

/// Bearer tokens.
pub enum Token {}

impl Kind for Token {
    type Answer = Verification;
    type Added = ();

    fn fail(responder: Responder<Verification>, why: &str) {
        responder.finish(Verification::Failed(why.to_owned()));
    }
}

/// Of a token: the value of a header field of its request, in whichever case its name is written. Mcp-Method and Mcp-Name
/// say what a client of 2026-07-28 is about to do, for hosts that ask for scopes by that. Absent: it is not there, came more
/// than once, or is no text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_header(
    call: *const wellhead_call,
    name: *const c_char,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        ask(call, wellhead_str::ABSENT, |promise, call| {
            let value = match call {
                wellhead_call::Verify(call) => promise.c_string(name).and_then(|name| call.header(name)),
                _ => None,
            };
            value.map_or(wellhead_str::ABSENT, wellhead_str::of)
        })
    }
}

/// As wellhead_read_keep. Thread safety: only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_keep(responder: *mut wellhead_verify) -> *mut wellhead_verify {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// The call of a kept responder; borrowed until the answer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_call(responder: *const wellhead_verify) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Gives up a kept responder unanswered, as wellhead_verify_failed does.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_free(responder: *mut wellhead_verify) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Answers that the token is good, for this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_granted(
    responder: *mut wellhead_verify,
    grant: *const wellhead_grant,
) -> wellhead_status {
    let mut value = None;
    // SAFETY: our caller's promise.
    unsafe {
        // First of all, so that it is destroyed whatever comes.
        guard(std::ptr::null_mut(), |promise| {
            let given = promise.fields(grant, "grant")?;
            value = Some(HostCaller::new(given.caller, given.caller_destroy, given.caller_type));
            Ok(())
        });
        pending::finish(responder, |promise, _, ()| {
            let given = promise.fields(grant, "grant")?;
            let caller = Caller::new(promise.bytes(given.caller_id, "caller_id")?);
            let grant = Grant::new(match value {
                Some(value) => caller.with(value),
                None => caller,
            })
            .audience(promise.texts(given.audience, given.audience_count, "audience")?)
            .scopes(promise.texts(given.scopes, given.scope_count, "scopes")?);
            Ok(Verification::Granted(match promise.number(given.expires_in_ms) {
                Some(ms) => grant.expires_in_ms(ms),
                None => grant,
            }))
        })
    }
}

/// Answers that it is not, or not any more: the client gets a 401 and may come back with another.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_refused(responder: *mut wellhead_verify) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, ()| Ok(Verification::Refused)) }
}

/// Answers that it is good, but not for this request, which needs all of these scopes: a 403 that names them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_insufficient_scope(
    responder: *mut wellhead_verify,
    scopes: *const wellhead_str,
    scope_count: usize,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        pending::finish(responder, |promise, _, ()| {
            promise.texts(scopes, scope_count, "scopes").map(Verification::InsufficientScope)
        })
    }
}

/// Answers that nobody can tell now: a 500. `why` goes to the log, not to the client.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_failed(
    responder: *mut wellhead_verify,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}

/// What the options say of bearer tokens. `data` is that of `verify`.
pub(super) fn protected(
    promise: &Promise,
    builder: EndpointBuilder,
    options: &wellhead_endpoint_options,
    data: UserData,
) -> Result<EndpointBuilder> {
    let Some(protection) = promise.options(options.protection, "protection")? else {
        return Ok(judged(builder, options, data));
    };
    if options.verify.is_none() {
        return Err(invalid("protection is of no use without verify, which judges the tokens"));
    }
    let scopes = promise.texts(protection.scopes, protection.scope_count, "scopes")?;
    let told = match promise.optional(protection.resource, "resource")? {
        Some(resource) => Protection::new(
            resource,
            promise.texts(
                protection.authorization_servers,
                protection.authorization_server_count,
                "authorization_servers",
            )?,
        )?,
        None => Protection::default(),
    };
    Ok(judged(builder.protect(told.scopes(scopes)?), options, data))
}

fn judged(builder: EndpointBuilder, options: &wellhead_endpoint_options, data: UserData) -> EndpointBuilder {
    let Some(verify) = options.verify else { return builder };
    builder.verify(move |call: VerifyCall| {
        let (deferred, responder) = call.defer();
        Pending::run(wellhead_call::Verify(call), responder, |call, responder| {
            // SAFETY: `run` keeps the call alive until the callback returns.
            let token = match unsafe { &*call } {
                wellhead_call::Verify(call) => wellhead_str::of(call.token()),
                _ => wellhead_str::ABSENT,
            };
            // SAFETY: the host's function, called as the header says.
            unsafe { verify(data.get(), call, token, responder) };
        });
        deferred
    })
}
