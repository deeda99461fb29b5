//! A client in memory, for the tests of hosts.

use crate::boundary::{Shared, guard, invalid, make, release, share};
use crate::foreign::json;
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::text::wellhead_text;
use crate::types::wellhead_str;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{Contents, Error, ErrorKind, Resource, Result, TestClient};

/// cbindgen:ignore
pub struct wellhead_test_client {
    state: Mutex<State>,
    freed: AtomicBool,
}

impl Shared for wellhead_test_client {}

struct State {
    client: TestClient,
    /// What C borrows.
    listed: Vec<Resource>,
    read: Vec<Contents>,
    update: String,
}

/// A client of this server that has shaken hands with it. NULL on failure: INVALID_ARGUMENT if no version with a
/// handshake is served, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_new(
    server: *mut wellhead_server,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_test_client {
    // SAFETY: our caller's promise.
    unsafe {
        share(error, |promise| {
            let client = promise.hold(server, "server")?.server.test_client()?;
            let state = State { client, listed: Vec::new(), read: Vec::new(), update: String::new() };
            Ok(wellhead_test_client { state: Mutex::new(state), freed: AtomicBool::new(false) })
        })
    }
}

/// NULL: nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_free(client: *mut wellhead_test_client) {
    // SAFETY: our caller's promise.
    unsafe { release(client, |this| this.freed.store(true, Ordering::SeqCst)) }
}

/// Asks for everything that is listed, all pages. *count: how many resources there are, for wellhead_test_client_listed.
/// count: may be NULL. Failures as of wellhead_test_client_request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_list(
    client: *mut wellhead_test_client,
    count: *mut usize,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let listed = promise.hold(client, "client")?.run(|state| {
                state.listed = state.client.list()?;
                Ok(state.listed.len())
            })?;
            promise.put(count, listed);
            Ok(())
        })
    }
}

/// The URI at `index` of the last wellhead_test_client_list, borrowed until the next one. Absent: there are no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_listed(
    client: *const wellhead_test_client,
    index: usize,
) -> wellhead_str {
    let mut uri = wellhead_str::ABSENT;
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            uri = promise.hold(client, "client")?.run(|state| {
                Ok(state.listed.get(index).map_or(wellhead_str::ABSENT, |one| wellhead_str::of(one.uri())))
            })?;
            Ok(())
        });
    }
    uri
}

/// Reads a resource. *body: its text, or its bytes, decoded; borrowed until the next read. Of several contents it is that
/// of the first, absent if there are none. body: may be NULL. Failures as of wellhead_test_client_request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_read(
    client: *mut wellhead_test_client,
    uri: wellhead_str,
    body: *mut wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let uri = promise.text(uri, "uri")?;
            let read = promise.hold(client, "client")?.run(|state| {
                state.read = state.client.read(uri)?;
                let first = state.read.first();
                let bytes = first.and_then(|one| one.text().map(str::as_bytes).or_else(|| one.bytes()));
                Ok(bytes.map_or(wellhead_str::ABSENT, wellhead_str::bytes))
            })?;
            promise.put(body, read);
            Ok(())
        })
    }
}

/// Asks to be told of changes of a resource. Failures as of wellhead_test_client_request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_subscribe(
    client: *mut wellhead_test_client,
    uri: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let uri = promise.text(uri, "uri")?;
            promise.hold(client, "client")?.run(|state| state.client.subscribe(uri))
        })
    }
}

/// Waits for a change of what was subscribed to. *uri: what changed; borrowed until the next call of this. uri: may be
/// NULL. LIMIT if nothing changes within 20 seconds, INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_next_update(
    client: *mut wellhead_test_client,
    uri: *mut wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let update = promise.hold(client, "client")?.run(|state| {
                state.update = state.client.next_update()?;
                Ok(wellhead_str::of(&state.update))
            })?;
            promise.put(uri, update);
            Ok(())
        })
    }
}

/// How often the list was said to have changed since the last call of this. Does not wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_list_changes(client: *mut wellhead_test_client) -> usize {
    let mut changes = 0;
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            changes = promise.hold(client, "client")?.run(|state| state.client.list_changes())?;
            Ok(())
        });
    }
    changes
}

/// Any request, with params, a JSON object; absent: {}. Returns the result, JSON, to be freed; waits for answers that
/// come later. NULL on failure: UNKNOWN if the server answers with an error, whose code and message the error tells; LIMIT
/// if no answer comes within 20 seconds; INVALID_ARGUMENT, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_request(
    client: *mut wellhead_test_client,
    method: wellhead_str,
    params: wellhead_str,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe {
        make(error, |promise| {
            let method = promise.text(method, "method")?;
            let params = json(promise.optional(params, "params")?.unwrap_or("{}"), "params")?;
            let client = promise.hold(client, "client")?;
            client.run(|state| state.client.request(method, params.as_str())).map(wellhead_text)
        })
    }
}

impl wellhead_test_client {
    fn run<R>(&self, run: impl FnOnce(&mut State) -> Result<R>) -> Result<R> {
        let busy =
            "the client is at work already: use it on one thread, and not inside callbacks that it runs";
        let mut state = self.state.try_lock().ok_or_else(|| invalid(busy))?;
        let result = run(&mut state)?;
        if self.freed.load(Ordering::SeqCst) {
            // What C would borrow goes with this call.
            return Err(Error::new(ErrorKind::Closed, "a callback freed the client that runs it"));
        }
        Ok(result)
    }
}
