//! The native listener.

use super::options::{builder, wellhead_endpoint_options};
use crate::boundary::{Promise, guard};
use crate::fields::{set_numbers, set_switches, set_words};
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::stdio::{callback_threads, sigpipe};
use crate::types::{growing, wellhead_str};
use std::ffi::c_void;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use wellhead::serve::Http;
use wellhead::{Error, ErrorKind};

/// Close the server on SIGTERM. After the service the signal has no effect any more. By default no signal handler is
/// installed.
pub const WELLHEAD_HTTP_HANDLE_SIGTERM: u32 = 1;

/// Called with the address that is bound, and with the port that the system chose if port 0 was requested. Called once,
/// on the thread of wellhead_serve_http, before the first request is accepted. `address` is borrowed until the callback
/// returns.
pub type wellhead_bound_callback =
    Option<unsafe extern "C-unwind" fn(bound_data: *mut c_void, address: *const wellhead_str)>;

/// Options of the HTTP listener. Zero or NULL in a field means its default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_http_options {
    pub struct_size: usize,
    /// Options of its endpoint. If NULL, all are defaults.
    pub endpoint: *const wellhead_endpoint_options,
    /// The number of threads that run callbacks, the calling thread among them, at most 1,024. Or
    /// WELLHEAD_CALLBACKS_INLINE: the threads of the network, for applications whose callbacks are quick. Default: 1.
    pub callback_threads: i32,
    /// The number of threads that read and write, at most 1,024. Default: 1.
    pub io_threads: u32,
    /// The greatest number of open TCP connections; more of them wait. Default: 10,000.
    pub tcp_connection_limit: usize,
    /// The time that calls in flight may take after the server is closed, in milliseconds. Default: 5,000. Give 1 for
    /// almost no time. A callback that runs is waited for in any case: its thread cannot be ended.
    pub shutdown_ms: u32,
    /// WELLHEAD_HTTP_HANDLE_SIGTERM or 0.
    pub flags: u32,
    /// Called with the address that is bound. May be NULL.
    pub bound: wellhead_bound_callback,
    /// Passed to `bound`.
    pub bound_data: *mut c_void,
}

growing!(wellhead_http_options);

/// Serves Streamable HTTP (HTTP/1.1, and HTTP/2 with prior knowledge) on an address such as 127.0.0.1:8000. Blocks until
/// wellhead_server_close is called, and then returns OK. options: may be NULL. At an address that is not loopback it
/// accepts any Host, and only the allowed origins. By default callbacks run on this thread, one at a time, and another
/// thread reads and writes. Ignores SIGPIPE during the service if it had its default action; the last service of the
/// process restores that. Fails with IO if the address cannot be served, and with CLOSED, INVALID_ARGUMENT or
/// INVALID_UTF8.
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
                http = given.apply(promise, http)?;
            }
            let listener = http.bind(resolved(address)?.as_slice())?;
            let _pipe = sigpipe::ignore();
            if let Some(given) = given
                && let Some(bound) = given.bound
            {
                let address = listener.address().to_string();
                bound(given.bound_data, &wellhead_str::from_text(&address));
            }
            listener.serve()
        })
    }
}

/// Looks up an address. An error names the address.
fn resolved(address: &str) -> wellhead::Result<Vec<SocketAddr>> {
    let none = |e: io::Error| {
        let message = format!("the address \"{address}\" cannot be bound; write it as 127.0.0.1:8000");
        Error::new(ErrorKind::Io, message).because(e)
    };
    address.to_socket_addrs().map(Iterator::collect).map_err(none)
}

impl wellhead_http_options {
    fn apply(&self, promise: &Promise, http: Http) -> wellhead::Result<Http> {
        let mut http = http.callback_threads(callback_threads(self.callback_threads)?);
        set_switches!(http, self.flags;
            WELLHEAD_HTTP_HANDLE_SIGTERM => handle_sigterm = true,
        );
        set_words!(http, promise, self;
        );
        set_numbers!(http, self;
            io_threads,
            tcp_connection_limit,
            shutdown_ms,
        );
        Ok(http)
    }
}
