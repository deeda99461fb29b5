//! The native listener.

use super::options::{builder, wellhead_endpoint_options};
use crate::boundary::{guard, invalid};
use crate::foreign::unknown_flags;
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::stdio::{WELLHEAD_CALLBACKS_INLINE, sigpipe};
use crate::types::{growing, wellhead_str};
use std::ffi::c_void;
use std::time::Duration;
use wellhead::serve::Http;

/// SIGTERM closes the server, and has no effect any more afterwards. Without it no signal handler is installed.
pub const WELLHEAD_HTTP_HANDLE_SIGTERM: u32 = 1;

/// Tells the address that is listened on, with the port that the system chose if it was asked for port 0. address: borrowed
/// until the callback returns. Called once, on the thread of wellhead_serve_http, before the first request is accepted.
pub type wellhead_bound_callback =
    Option<unsafe extern "C" fn(bound_data: *mut c_void, address: wellhead_str)>;

/// How HTTP is served; everything has a default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_http_options {
    pub struct_size: usize,
    /// NULL: all defaults.
    pub endpoint: *const wellhead_endpoint_options,
    /// 0: the caller's; N: so many, the caller's among them; WELLHEAD_CALLBACKS_INLINE: those of the network, without a
    /// hop, for hosts whose callbacks are quick
    pub callback_threads: i32,
    /// How many threads read and write, at most 1024; 0: 1
    pub io_threads: u32,
    /// How many connections are open at once, further ones wait; 0: 10,000
    pub connections: usize,
    /// How long answers under way may take after the server was closed, in milliseconds; 0: 5,000
    pub drain_ms: u32,
    /// WELLHEAD_HTTP_HANDLE_SIGTERM
    pub flags: u32,
    /// Called once on this thread, before the first request is taken: the address, with the port that the system chose if
    /// it was asked for 0; borrowed until it returns. May be NULL.
    pub bound: wellhead_bound_callback,
    pub bound_data: *mut c_void,
}

growing!(wellhead_http_options);

/// Serves Streamable HTTP (HTTP/1.1, and HTTP/2 with prior knowledge) on an address such as 127.0.0.1:8000, until
/// wellhead_server_close, which is OK. options: may be NULL. Unless it is a loopback address, any Host is answered, and no
/// Origin but those that are allowed. While a service runs in the process SIGPIPE is ignored, if it was
/// at its default; the last one restores that. IO, CLOSED, INVALID_ARGUMENT, INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_serve_http(
    server: *mut wellhead_server,
    address: wellhead_str,
    options: *const wellhead_http_options,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let given = promise.options(options, "options")?;
            let endpoint = given.map_or(std::ptr::null(), |given| given.endpoint);
            let mut http = Http::new(builder(promise, server, endpoint)?);
            let address = promise.text(address, "address")?;
            if let Some(given) = given {
                http = given.apply(http)?;
            }
            let listener = http.bind(address)?;
            let _pipe = sigpipe::ignore();
            if let Some(given) = given
                && let Some(bound) = given.bound
            {
                let address = listener.address().to_string();
                bound(given.bound_data, wellhead_str::of(&address));
            }
            listener.serve()
        })
    }
}

impl wellhead_http_options {
    fn apply(&self, http: Http) -> wellhead::Result<Http> {
        unknown_flags(self.flags, WELLHEAD_HTTP_HANDLE_SIGTERM)?;
        let mut http = http
            .callback_threads(match self.callback_threads {
                0 => 1,
                WELLHEAD_CALLBACKS_INLINE => 0,
                n => usize::try_from(n).map_err(|_| invalid(format!("callback_threads is {n}")))?,
            })
            .io_threads(self.io_threads as usize)
            .handle_sigterm(self.flags & WELLHEAD_HTTP_HANDLE_SIGTERM != 0);
        if self.connections != 0 {
            http = http.connections(self.connections);
        }
        if self.drain_ms != 0 {
            http = http.drain(Duration::from_millis(self.drain_ms.into()));
        }
        Ok(http)
    }
}
