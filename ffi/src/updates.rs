//! Changes that clients are told of.

use crate::boundary::guard;
use crate::resource::wellhead_resource;
use crate::server::wellhead_server;
use crate::status::wellhead_status;
use crate::types::wellhead_str;

/// The resource at `uri` changed: everybody who watches it is told. Never blocks. Calls `wake` and, before it returns, the
/// function of wellhead_server_set_publish, both on this thread, and no other callback: call it with no lock held that
/// these take. OK if nobody watches. INVALID_URI, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_updated(
    server: *mut wellhead_server,
    uri: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            promise.hold(server, "server")?.server.updated(promise.text(uri, "uri")?)
        })
    }
}

/// As wellhead_server_updated, telling what the resource is now: its new version above all. What is registered has that
/// version from now on; its other members, and what is listed, stay as they are. Also INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_updated_as(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let server = promise.hold(server, "server")?;
            server.server.updated_as(promise.fields(resource, "resource")?.resource(promise)?)
        })
    }
}

/// The resource at `uri`, which lies below the one at `parent`, changed: those who watch `parent` are told of `uri`.
/// Those who watch `uri` are told by wellhead_server_updated; who watches both is told once. A client that has been
/// told of none of more than 16 such changes is told instead that `parent` changed. Otherwise as
/// wellhead_server_updated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_updated_below(
    server: *mut wellhead_server,
    uri: wellhead_str,
    parent: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let server = promise.hold(server, "server")?;
            server.server.updated_below(promise.text(uri, "uri")?, promise.text(parent, "parent")?)
        })
    }
}

/// What the caller with this id may do changed: everything that its connections watch is asked for again, many URIs to a
/// question, and what is refused is watched no longer. Nothing without wellhead_server_set_authorize. Calls back as
/// wellhead_server_updated. OK for an unknown caller. INVALID_ARGUMENT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_access_changed(
    server: *mut wellhead_server,
    caller_id: wellhead_str,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let server = promise.hold(server, "server")?;
            server.server.access_changed(promise.bytes(caller_id, "caller_id")?)
        })
    }
}

/// What is listed changed, by other means than adding and removing, which say so themselves. Calls back as
/// wellhead_server_updated. CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_list_changed(server: *mut wellhead_server) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { guard(std::ptr::null_mut(), |promise| promise.hold(server, "server")?.server.list_changed()) }
}
