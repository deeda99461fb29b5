//! Changes that clients are notified of.

use crate::resource::wellhead_resource;
use crate::server::{wellhead_server, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::wellhead_str;

/// Notifies subscribers that the resource at `uri` changed. Does not block. On this thread, before it returns, it calls
/// `wake` of connections and endpoints and the function of wellhead_server_set_publish, and no other callback: hold no
/// lock that these take. Returns OK also if there is no subscriber. Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_notify_updated(
    server: *mut wellhead_server,
    uri: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_server(server, error, |promise, server| server.notify_updated(promise.text(uri, "uri")?)) }
}

/// Notifies subscribers that a resource changed, with its new version. resource: may not be NULL; its uri is required. A
/// registered resource keeps that version; its other fields, and lists, stay as they are. It calls the same callbacks as
/// wellhead_server_notify_updated. Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_notify_updated_with_resource(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            server.notify_updated_with_resource(promise.fields(resource, "resource")?.resource(promise)?)
        })
    }
}

/// Notifies subscribers of `parent` that the resource at `uri` below it changed. Subscribers of `uri` are notified by
/// wellhead_server_notify_updated; a subscriber of both is notified once. When more than 16 such changes wait for one
/// client, it gets one notification for `parent` instead. It calls the same callbacks as wellhead_server_notify_updated.
/// Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_notify_sub_resource_updated(
    server: *mut wellhead_server,
    uri: wellhead_str,
    parent: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            server.notify_sub_resource_updated(promise.text(uri, "uri")?, promise.text(parent, "parent")?)
        })
    }
}

/// Reviews the subscriptions of the caller with the id `caller_id`, which may not be absent, after its rights changed:
/// `authorize` decides about them again, many URIs at once, and those that are refused end. Without
/// wellhead_server_set_authorize nothing is reviewed here, and other instances get the change. It calls the same callbacks
/// as wellhead_server_notify_updated. Returns OK also for an unknown caller. Fails with INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_access_changed(
    server: *mut wellhead_server,
    caller_id: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            server.access_changed(promise.present(caller_id, "caller_id")?)
        })
    }
}

/// Notifies clients that the list of resources changed. Adding and removing registrations does so by itself. It calls
/// the same callbacks as wellhead_server_notify_updated. Fails with CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_notify_resource_list_changed(
    server: *mut wellhead_server,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_server(server, error, |_, server| server.notify_resource_list_changed()) }
}
