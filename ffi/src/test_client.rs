//! A client in memory, for the tests of hosts.

use crate::boundary::{Shared, guard, invalid, make, release, share};
use crate::foreign::{HostCaller, json};
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::text::wellhead_text;
use crate::types::{growing, wellhead_str};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{Caller, Contents, Error, ErrorKind, Resource, Result, Template, TestClient, TestOptions};

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
    templates: Vec<Template>,
    completed: Vec<String>,
    read: Vec<Contents>,
    update: String,
}

/// What to choose of a client in memory; everything has a default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_test_options {
    pub struct_size: usize,
    /// The protocol version that the client speaks, by its date. Absent: the newest with a handshake that the server serves,
    /// else the newest.
    pub revision: wellhead_str,
    /// What the client can do: a JSON object, such as {"sampling":{}}. Absent: {}.
    pub capabilities: wellhead_str,
    /// For whom the client speaks, as in wellhead_connection_options.
    pub caller: *mut c_void,
    /// Called once, after the last call; also when no client is made. May be NULL.
    pub caller_destroy: Option<unsafe extern "C" fn(caller: *mut c_void)>,
    /// As in wellhead_connection_options.
    pub caller_id: wellhead_str,
    /// As in wellhead_connection_options. May be NULL.
    pub caller_type: *const c_void,
}

growing!(wellhead_test_options);

/// A client of this server that has shaken hands with it. NULL on failure: CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_new(
    server: *mut wellhead_server,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_test_client {
    // SAFETY: our caller's promise.
    unsafe {
        share(error, |promise| {
            let client = promise.hold(server, "server")?.server.test_client()?;
            Ok(wellhead_test_client::new(client))
        })
    }
}

/// As wellhead_test_client_new, with a choice of its version, capabilities and caller. options: may be NULL. Also
/// INVALID_ARGUMENT, for a version that the server does not serve, too; INVALID_UTF8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_new_with(
    server: *mut wellhead_server,
    options: *const wellhead_test_options,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_test_client {
    // SAFETY: our caller's promise.
    unsafe {
        share(error, |promise| {
            let given = promise.options(options, "options")?;
            // First of all, so that it is destroyed whatever comes.
            let caller = given.map(|o| HostCaller::new(o.caller, o.caller_destroy, o.caller_type));
            let server = promise.hold(server, "server")?;
            let mut options = TestOptions::new();
            if let (Some(given), Some(caller)) = (given, caller) {
                let id = promise.bytes(given.caller_id, "caller_id")?;
                options = options.caller(Caller::new(id).with(caller));
                if let Some(revision) = promise.optional(given.revision, "revision")? {
                    options = options.revision(revision);
                }
                if let Some(capabilities) = promise.optional(given.capabilities, "capabilities")? {
                    options = options.capabilities(json(capabilities, "capabilities")?);
                }
            }
            Ok(wellhead_test_client::new(server.server.test_client_with(options)?))
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

/// Asks for all templates, all pages. *count: how many there are, for wellhead_test_client_template. count: may be NULL.
/// Failures as of wellhead_test_client_request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_templates(
    client: *mut wellhead_test_client,
    count: *mut usize,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let listed = promise.hold(client, "client")?.run(|state| {
                state.templates = state.client.templates()?;
                Ok(state.templates.len())
            })?;
            promise.put(count, listed);
            Ok(())
        })
    }
}

/// The text of the template at `index` of the last wellhead_test_client_templates, borrowed until the next one. Absent: there
/// are no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_template(
    client: *const wellhead_test_client,
    index: usize,
) -> wellhead_str {
    let mut text = wellhead_str::ABSENT;
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            text = promise.hold(client, "client")?.run(|state| {
                let found = state.templates.get(index);
                Ok(found.map_or(wellhead_str::ABSENT, |one| wellhead_str::of(one.uri_template())))
            })?;
            Ok(())
        });
    }
    text
}

/// Calls a tool with these arguments, a JSON object; absent: {}. Returns the result, JSON, to be freed; a result with
/// isError is a result. NULL on failure: as of wellhead_test_client_request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_call_tool(
    client: *mut wellhead_test_client,
    name: wellhead_str,
    arguments: wellhead_str,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe {
        make(error, |promise| {
            let name = promise.text(name, "name")?;
            let arguments = json(promise.optional(arguments, "arguments")?.unwrap_or("{}"), "arguments")?;
            let client = promise.hold(client, "client")?;
            client.run(|state| state.client.call_tool(name, arguments.as_str())).map(wellhead_text)
        })
    }
}

/// Gets a prompt with these arguments, a JSON object; absent: {}. Returns the result, JSON, to be freed. NULL on failure: as of
/// wellhead_test_client_request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_get_prompt(
    client: *mut wellhead_test_client,
    name: wellhead_str,
    arguments: wellhead_str,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe {
        make(error, |promise| {
            let name = promise.text(name, "name")?;
            let arguments = json(promise.optional(arguments, "arguments")?.unwrap_or("{}"), "arguments")?;
            let client = promise.hold(client, "client")?;
            client.run(|state| state.client.get_prompt(name, arguments.as_str())).map(wellhead_text)
        })
    }
}

/// Asks for values for a variable of a template, given by its text, or for an argument of a prompt, given by its name, of
/// which `value` is typed so far. *count: how many there are, for wellhead_test_client_completed. count: may be NULL.
/// Failures as of wellhead_test_client_request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_complete(
    client: *mut wellhead_test_client,
    reference: wellhead_str,
    argument: wellhead_str,
    value: wellhead_str,
    count: *mut usize,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let reference = promise.text(reference, "reference")?;
            let argument = promise.text(argument, "argument")?;
            let value = promise.text(value, "value")?;
            let proposed = promise.hold(client, "client")?.run(|state| {
                state.completed = state.client.complete(reference, argument, value)?;
                Ok(state.completed.len())
            })?;
            promise.put(count, proposed);
            Ok(())
        })
    }
}

/// The value at `index` of the last wellhead_test_client_complete, borrowed until the next one. Absent: there are no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_completed(
    client: *const wellhead_test_client,
    index: usize,
) -> wellhead_str {
    let mut value = wellhead_str::ABSENT;
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            value = promise.hold(client, "client")?.run(|state| {
                Ok(state.completed.get(index).map_or(wellhead_str::ABSENT, |one| wellhead_str::of(one)))
            })?;
            Ok(())
        });
    }
    value
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

/// Asks not to be told of changes of a resource any more. Failures as of wellhead_test_client_request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_unsubscribe(
    client: *mut wellhead_test_client,
    uri: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let uri = promise.text(uri, "uri")?;
            promise.hold(client, "client")?.run(|state| state.client.unsubscribe(uri))
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
    fn new(client: TestClient) -> Self {
        let (listed, templates, completed) = (Vec::new(), Vec::new(), Vec::new());
        let state = State { client, listed, templates, completed, read: Vec::new(), update: String::new() };
        wellhead_test_client { state: Mutex::new(state), freed: AtomicBool::new(false) }
    }

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
