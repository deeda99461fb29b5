//! What an endpoint is made from.

use super::verify::{protected, wellhead_protection, wellhead_verify};
use crate::boundary::Promise;
use crate::call::wellhead_call;
use crate::foreign::{UserData, unknown_flags};
use crate::server::wellhead_server;
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use wellhead::Result;
use wellhead::http::EndpointBuilder;

/// The endpoint can be reached from elsewhere: any Host is answered, unless allowed_hosts says which. Without it, Host,
/// and Origin where there is one, must name this machine, against DNS rebinding. wellhead_serve_http knows that by its
/// address.
pub const WELLHEAD_NOT_LOOPBACK_ONLY: u32 = 1;
/// Clients may not end their session with DELETE.
pub const WELLHEAD_NO_DELETE: u32 = 2;
/// Refuse requests whose Accept lacks one of the two types that clients have to accept.
pub const WELLHEAD_STRICT_ACCEPT: u32 = 4;
/// Let pages of the allowed origins read the answers (CORS, WHATWG Fetch): they may ask beforehand with OPTIONS.
pub const WELLHEAD_CORS: u32 = 8;
/// Clients of the handshake era get no session: each of their requests stands for itself, any instance answers it, and they
/// are told of no changes.
pub const WELLHEAD_NO_SESSIONS: u32 = 16;

const KNOWN: u32 = WELLHEAD_NOT_LOOPBACK_ONLY
    | WELLHEAD_NO_DELETE
    | WELLHEAD_STRICT_ACCEPT
    | WELLHEAD_CORS
    | WELLHEAD_NO_SESSIONS;

/// Verifies the bearer token of a request, also inside a session, before the rest of the request is read. token: as it came;
/// borrowed as long as the call. Pass it on to its issuer only. wellhead_call_header returns fields of the request. Answer
/// with one of the wellhead_verify_ functions; as with wellhead_read_callback, a kept responder is answered later.
pub type wellhead_verify_callback = Option<
    unsafe extern "C" fn(
        verify_data: *mut c_void,
        call: *const wellhead_call,
        token: wellhead_str,
        responder: *mut wellhead_verify,
    ),
>;

/// What an endpoint is made from; everything has a default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_endpoint_options {
    pub struct_size: usize,
    /// The path that clients POST to; absent: /mcp
    pub path: wellhead_str,
    /// WELLHEAD_NOT_LOOPBACK_ONLY, WELLHEAD_NO_DELETE, WELLHEAD_STRICT_ACCEPT, WELLHEAD_CORS, WELLHEAD_NO_SESSIONS
    pub flags: u32,
    /// Origins whose pages may ask, scheme://host[:port], beside those of this machine where the endpoint is bound to it. "*"
    /// allows any, "*." before the domain any subdomain. INVALID_ARGUMENT for one that no request can match.
    pub allowed_origins: *const wellhead_str,
    pub allowed_origin_count: usize,
    /// Names that the endpoint goes by, with or without a port; none: any, unless it is bound to a loopback address. "*"
    /// allows any, "*.example.com" any subdomain. INVALID_ARGUMENT for one that no request can match.
    pub allowed_hosts: *const wellhead_str,
    pub allowed_host_count: usize,
    /// How long a session lives that nobody uses, in milliseconds; 0: 3,600,000
    pub session_ms: u64,
    /// After how many milliseconds of silence a stream gets a comment; 0: 15,000
    pub keep_alive_ms: u64,
    /// How long a body may take to arrive, in milliseconds; 0: 30,000
    pub body_ms: u64,
    /// How long a head may take, in milliseconds, kept by wellhead_serve_http; 0: 10,000
    pub head_ms: u64,
    /// How long a client's connection is kept that asks nothing, or takes nothing of its answer, in milliseconds, by
    /// wellhead_serve_http; 0: 60,000
    pub idle_ms: u64,
    /// How many bytes of events a session keeps for clients that come back after their stream broke; NULL: 1 MiB
    pub replay_bytes: *const usize,
    /// Judges the bearer token of each request, also inside a session, before anything else of it is read; wellhead_call_header
    /// tells about the request. The callback answers before it returns, or keeps the responder and answers later. token: as it
    /// came; it lives as long as the call. Never send it on to anybody but who issued it. NULL: no token is asked for.
    pub verify: wellhead_verify_callback,
    pub verify_data: *mut c_void,
    /// Called once, after the last verify, also when no endpoint is made. May be NULL.
    pub verify_destroy: wellhead_destroy_callback,
    /// What clients are told of that; NULL: nothing.
    pub protection: *const wellhead_protection,
    /// How many sessions there are at most; who would begin one more is told that the server is busy. 0: 10,000
    pub session_limit: usize,
}

growing!(wellhead_endpoint_options);

/// An endpoint of the server, as `options`, which may be NULL, say.
pub(super) fn builder(
    promise: &Promise,
    server: *const wellhead_server,
    options: *const wellhead_endpoint_options,
) -> Result<EndpointBuilder> {
    let given = promise.options(options, "options")?;
    // First of all, so that it is destroyed whatever comes.
    let verify_data = given.map(|given| UserData::new(given.verify_data, given.verify_destroy));
    let mut builder = promise.hold(server, "server")?.server.endpoint();
    let (Some(given), Some(verify_data)) = (given, verify_data) else { return Ok(builder) };
    unknown_flags(given.flags, KNOWN)?;
    builder = builder
        .loopback_only(given.flags & WELLHEAD_NOT_LOOPBACK_ONLY == 0)
        .delete(given.flags & WELLHEAD_NO_DELETE == 0)
        .strict_accept(given.flags & WELLHEAD_STRICT_ACCEPT != 0)
        .cors(given.flags & WELLHEAD_CORS != 0)
        .sessions(given.flags & WELLHEAD_NO_SESSIONS == 0)
        .allowed_origins(promise.texts(
            given.allowed_origins,
            given.allowed_origin_count,
            "allowed_origins",
        )?)
        .allowed_hosts(promise.texts(given.allowed_hosts, given.allowed_host_count, "allowed_hosts")?);
    if let Some(path) = promise.optional(given.path, "path")? {
        builder = builder.path(path);
    }
    if let Some(bytes) = promise.number(given.replay_bytes) {
        builder = builder.replay_bytes(bytes);
    }
    macro_rules! take {
        ($($field:ident),*) => {$(if given.$field != 0 { builder = builder.$field(given.$field) })*};
    }
    take!(session_ms, session_limit, keep_alive_ms, body_ms, head_ms, idle_ms);
    protected(promise, builder, &given, verify_data)
}
