//! Options of an endpoint.

use super::verify::{protected, wellhead_protection, wellhead_verify};
use crate::boundary::Promise;
use crate::fields::{set_numbers, set_switches, set_words};
use crate::foreign::UserData;
use crate::held_call::wellhead_call;
use crate::server::wellhead_server;
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use wellhead::Result;
use wellhead::http::EndpointBuilder;

/// Accept requests from other machines: any Host is accepted unless allowed_hosts is set. By default Host, and Origin if
/// there is one, must name this machine, which prevents DNS rebinding. wellhead_serve_http ignores this flag, and decides by
/// whether its address is one of this machine only.
pub const WELLHEAD_NOT_LOOPBACK_ONLY: u32 = 1;
/// Refuse DELETE, with which clients end their session.
pub const WELLHEAD_NO_DELETE: u32 = 2;
/// Refuse requests whose Accept lacks one of the two types that clients must accept.
pub const WELLHEAD_STRICT_ACCEPT: u32 = 4;
/// Let pages of the allowed origins read responses (CORS, WHATWG Fetch), and answer their OPTIONS requests.
pub const WELLHEAD_CORS: u32 = 8;
/// Give clients of the handshake era no session. Then any instance can answer each of their requests, and they get no
/// notifications of changes.
pub const WELLHEAD_NO_SESSIONS: u32 = 16;
/// Let `verify` also judge requests without a bearer token: by another header field, such as a cookie or an API key. Their token
/// is empty. By default they are refused.
pub const WELLHEAD_TOKEN_NOT_REQUIRED: u32 = 32;

/// Verifies the bearer token of a request, also inside a session, before the rest of the request is read. wellhead_call_token
/// returns the token and wellhead_call_header the header fields. Answer with one of the wellhead_verify_ functions. As in
/// wellhead_read_callback, a kept responder is answered later.
pub type wellhead_verify_callback = Option<
    unsafe extern "C-unwind" fn(
        verify_data: *mut c_void,
        call: *const wellhead_call,
        responder: *mut wellhead_verify,
    ),
>;

/// Options of an endpoint. Zero, NULL or absent in a field means its default. Strings and arrays are copied.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_endpoint_options {
    pub struct_size: usize,
    /// The path of the endpoint. Default: /mcp.
    pub path: wellhead_str,
    /// Any of WELLHEAD_NOT_LOOPBACK_ONLY, WELLHEAD_NO_DELETE, WELLHEAD_STRICT_ACCEPT, WELLHEAD_CORS,
    /// WELLHEAD_NO_SESSIONS and WELLHEAD_TOKEN_NOT_REQUIRED.
    pub flags: u32,
    /// Origins whose pages may send requests, scheme://host[:port]. Pages of this machine may, too, where its
    /// host names are the default of allowed_hosts. "*" allows any, and "*." before the domain any subdomain. With one that no request can match, functions
    /// fail with INVALID_ARGUMENT.
    pub allowed_origins: *const wellhead_str,
    pub allowed_origin_count: usize,
    /// Host names of the endpoint, with or without a port. Default: those of this machine, or any with
    /// WELLHEAD_NOT_LOOPBACK_ONLY; wellhead_serve_http decides by its address. "*"
    /// allows any, and "*.example.com" any subdomain. With one that no request can match, functions fail with
    /// INVALID_ARGUMENT.
    pub allowed_hosts: *const wellhead_str,
    pub allowed_host_count: usize,
    /// The time for which an idle session is kept, in milliseconds. Default: 3,600,000.
    pub session_ms: u64,
    /// The time after which a silent event stream gets a comment, in milliseconds. Default: 15,000.
    pub keep_alive_ms: u64,
    /// The time that a request body may take to arrive, in milliseconds. Default: 30,000.
    pub body_ms: u64,
    /// The time that a request head may take to arrive at wellhead_serve_http, in milliseconds. Default: 10,000.
    pub head_ms: u64,
    /// The time for which wellhead_serve_http keeps the connection of a client that sends no request, or does not read
    /// its response, in milliseconds. At session_limit, on any HTTP server, a session that was not used for this time
    /// may end for a new one. Default: 60,000.
    pub idle_ms: u64,
    /// The greatest number of bytes of events that a session keeps for a client that reconnects. Default: 1 MiB.
    pub replay_bytes: *const usize,
    /// Verifies tokens. If it is NULL, requests need no token.
    pub verify: wellhead_verify_callback,
    /// Passed to `verify`.
    pub verify_data: *mut c_void,
    /// Called once with verify_data, after the last `verify`; also if no endpoint is made. May be NULL.
    pub verify_destroy: wellhead_destroy_callback,
    /// The metadata for clients that need a token; may be NULL.
    pub protection: *const wellhead_protection,
    /// The greatest number of sessions. One more ends a session without a request in progress, which its client never
    /// used after the handshake, or not for idle_ms. If there is none, the new one is answered 503. Default: 10,000.
    pub session_limit: usize,
}

growing!(wellhead_endpoint_options);

/// Makes the endpoint of a server by `options`, which may be NULL.
pub(super) fn builder(
    promise: &Promise,
    server: *const wellhead_server,
    options: *const wellhead_endpoint_options,
) -> Result<EndpointBuilder> {
    let given = promise.options(options, "options")?;
    // Made first, so that it is destroyed also if a check below fails.
    let verify_data = given.map(|given| UserData::new(given.verify_data, given.verify_destroy));
    let mut builder = promise.hold(server, "server")?.server.endpoint();
    let (Some(given), Some(verify_data)) = (given, verify_data) else { return Ok(builder) };
    builder = builder
        .allowed_origins(promise.texts(
            given.allowed_origins,
            given.allowed_origin_count,
            "allowed_origins",
        )?)
        .allowed_hosts(promise.texts(given.allowed_hosts, given.allowed_host_count, "allowed_hosts")?);
    if let Some(bytes) = promise.number(given.replay_bytes) {
        builder = builder.replay_bytes(bytes);
    }
    set_switches!(builder, given.flags;
        WELLHEAD_NOT_LOOPBACK_ONLY => loopback_only = false,
        WELLHEAD_NO_DELETE => delete = false,
        WELLHEAD_STRICT_ACCEPT => strict_accept = true,
        WELLHEAD_CORS => cors = true,
        WELLHEAD_NO_SESSIONS => sessions = false,
        WELLHEAD_TOKEN_NOT_REQUIRED => token_required = false,
    );
    set_words!(builder, promise, given;
        path,
    );
    set_numbers!(builder, given;
        session_ms,
        session_limit,
        keep_alive_ms,
        body_ms,
        head_ms,
        idle_ms,
    );
    protected(promise, builder, &given, verify_data)
}
