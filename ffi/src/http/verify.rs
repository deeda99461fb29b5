//! Questions about bearer tokens, and their answers.

use super::options::wellhead_endpoint_options;
use crate::boundary::{Promise, guard, invalid};
use crate::call::text;
use crate::foreign::{ApplicationCaller, UserData};
use crate::held_call::wellhead_call;
use crate::pending::{self, Kind, Pending};
use crate::status::wellhead_status;
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use wellhead::http::{EndpointBuilder, Grant, Protection, Verification};
use wellhead::{Caller, Responder, Result, VerifyCall};

/// Metadata of an endpoint that requires tokens: RFC 6750, RFC 9728. With all fields absent, for tokens that the application
/// hands out itself, no metadata is served and no audience is checked.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_protection {
    pub struct_size: usize,
    /// The URL of the endpoint, such as https://example.com/mcp: the audience of its tokens.
    pub resource: wellhead_str,
    /// The URLs of the authorization servers: with `resource` at least one, else none. Both are served as metadata at
    /// the well-known paths.
    pub authorization_servers: *const wellhead_str,
    pub authorization_server_count: usize,
    /// The scopes that every request needs. A token without them gets a 403.
    pub scopes: *const wellhead_str,
    pub scope_count: usize,
}

/// The rights that a valid token grants. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_grant {
    pub struct_size: usize,
    /// The id of the caller, stable bytes; may not be absent. Sessions, cursors and streams belong to it: give each
    /// principal its own. An empty id is that of an anonymous caller.
    pub caller_id: wellhead_str,
    /// The caller: a pointer of the application, which wellhead_call_caller returns.
    pub caller: *mut c_void,
    /// Called once with caller, after the last call; also if the answer is refused. May be NULL.
    pub caller_destroy: wellhead_destroy_callback,
    /// The audience of the token, such as its `aud`. An endpoint with a `resource` refuses tokens that do not name it.
    pub audience: *const wellhead_str,
    pub audience_count: usize,
    /// The scopes of the token, with those that they imply.
    pub scopes: *const wellhead_str,
    pub scope_count: usize,
    /// The time until the token expires, in milliseconds; event streams that it opened end then. If it is NULL, the
    /// token does not expire.
    pub expires_in_ms: *const u64,
    /// The type of `caller`, as in wellhead_connection_options. May be NULL.
    pub caller_type: *const c_void,
}

growing!(wellhead_protection, wellhead_grant);

/// cbindgen:ignore
pub type wellhead_verify = Pending<Token>;

/// The kind of responder that answers a verify callback.
pub enum Token {}

impl Kind for Token {
    type Answer = Verification;
    type Added = ();

    fn fail(responder: Responder<Verification>, why: &str) {
        responder.finish(Verification::Failed(why.to_owned()));
    }
}

/// Returns the bearer token of a request as it came, in a verify callback. Pass it on to its issuer only. The result is
/// absent for other calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_token(call: *const wellhead_call) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        text(call, |call| match call {
            wellhead_call::Verify(call) => Some(call.token()),
            _ => None,
        })
    }
}

/// Keeps the responder beyond its callback. It is then answered or freed once, on any thread, even before the callback
/// returns. The call of the callback stays valid until the responder is answered or freed. Returns `responder`, or NULL
/// if the call was answered already.
/// Thread safety: call it only inside the callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_keep(responder: *mut wellhead_verify) -> *mut wellhead_verify {
    // SAFETY: our caller's promise.
    unsafe { pending::keep(responder) }
}

/// Returns the call of a kept responder, borrowed until the call is answered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_call(responder: *const wellhead_verify) -> *const wellhead_call {
    // SAFETY: our caller's promise.
    unsafe { pending::call(responder) }
}

/// Frees a kept responder without an answer: the client gets a 500. Does nothing if `responder` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_free(responder: *mut wellhead_verify) {
    // SAFETY: our caller's promise.
    unsafe { pending::give_up(responder) }
}

/// Answers that the token is valid, with its rights. grant: may not be NULL; its caller_id may not be
/// absent. Fails with INVALID_ARGUMENT or INVALID_UTF8; the client then gets a 500.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_granted(
    responder: *mut wellhead_verify,
    grant: *const wellhead_grant,
) -> wellhead_status {
    let mut value = None;
    // SAFETY: our caller's promise.
    unsafe {
        // Made first, so that it is destroyed also if a check below fails.
        guard(std::ptr::null_mut(), |promise| {
            let given = promise.fields(grant, "grant")?;
            value = Some(ApplicationCaller::new(given.caller, given.caller_destroy, given.caller_type));
            Ok(())
        });
        pending::finish(responder, |promise, _, ()| {
            let given = promise.fields(grant, "grant")?;
            let caller = Caller::new(promise.present(given.caller_id, "grant->caller_id")?);
            let grant = Grant::new(match value {
                Some(value) => caller.with_value(value),
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

/// Answers that the token is invalid or has expired: the client gets a 401, and may retry with another token. Fails with
/// INVALID_ARGUMENT if the call was answered already.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_refused(responder: *mut wellhead_verify) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::finish(responder, |_, _, ()| Ok(Verification::Refused)) }
}

/// Answers that the token is valid, but not for this request, which needs all of these scopes: the client gets a 403
/// that names them. Fails with INVALID_ARGUMENT or INVALID_UTF8.
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

/// Answers that the token cannot be verified now: the client gets a 500. `why` is logged, and not sent to the client.
/// Fails with INVALID_ARGUMENT or INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_verify_failed(
    responder: *mut wellhead_verify,
    why: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { pending::fail(responder, why) }
}

/// Applies the options about bearer tokens. `data` belongs to `verify`.
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
    let servers = promise.texts(
        protection.authorization_servers,
        protection.authorization_server_count,
        "authorization_servers",
    )?;
    let protection = match promise.optional(protection.resource, "resource")? {
        Some(resource) => Protection::new(resource, servers)?,
        None if servers.is_empty() => Protection::default(),
        None => return Err(invalid("authorization_servers go with resource, the URL that clients know")),
    };
    Ok(judged(builder.protect(protection.scopes(scopes)?), options, data))
}

fn judged(builder: EndpointBuilder, options: &wellhead_endpoint_options, data: UserData) -> EndpointBuilder {
    let Some(verify) = options.verify else { return builder };
    builder.verify(move |call: VerifyCall| {
        let (deferred, responder) = call.defer();
        Pending::run(wellhead_call::Verify(call), responder, |call, responder| {
            // SAFETY: the application's function, called as the header says.
            unsafe { verify(data.get(), call, responder) };
        });
        deferred
    })
}
