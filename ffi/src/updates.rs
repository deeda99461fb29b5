//! Changes that clients are told of.

use crate::boundary::guard;
use crate::server::wellhead_server;
use crate::status::wellhead_status;
use crate::types::wellhead_str;

/// The resource at `uri` changed: everybody who watches it is told. Never blocks, never calls back but for `wake`. OK
/// if nobody watches. INVALID_URI, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_updated(
    server: *mut wellhead_server,
    uri: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            promise.handle(server, "server")?.server.updated(promise.text(uri, "uri")?)
        })
    }
}

/// What is listed changed, by other means than adding and removing, which say so themselves. Never blocks, never calls
/// back but for `wake`. CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_list_changed(server: *mut wellhead_server) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { guard(std::ptr::null_mut(), |promise| promise.handle(server, "server")?.server.list_changed()) }
}
