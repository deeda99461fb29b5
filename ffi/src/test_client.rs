//! A client in memory, for the tests of applications.

use crate::boundary::{Promise, Shared, guard, invalid, make, release, share};
use crate::fields::{set_objects, set_texts};
use crate::foreign::{ApplicationCaller, UserData, object};
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::test_request::{run_request, wellhead_test_request_callback};
use crate::text::wellhead_text;
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use parking_lot::Mutex;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{
    Caller, Contents, Error, ErrorKind, Json, Resource, Result, Template, TestClient, TestOptions,
};

/// cbindgen:ignore
pub struct wellhead_test_client {
    state: Mutex<State>,
    freed: AtomicBool,
}

impl Shared for wellhead_test_client {}

/// The client, and results that C borrows from it.
struct State {
    client: TestClient,
    listed: Vec<String>,
    templates: Vec<String>,
    completed: Vec<String>,
    read: Vec<Contents>,
    update: String,
}

/// Options of a client in memory. Zero or NULL in a field means its default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_test_options {
    pub struct_size: usize,
    /// The revision of MCP that the client speaks, by its date. Default: the newest of the handshake era that the
    /// server serves, else the newest.
    pub revision: wellhead_str,
    /// The capabilities of the client: a JSON object, such as {"sampling":{}}. Default: {}.
    pub capabilities: wellhead_str,
    /// The caller that the client speaks for, as in wellhead_connection_options.
    pub caller: *mut c_void,
    /// Called once, after the last call; also if no client is made. May be NULL.
    pub caller_destroy: wellhead_destroy_callback,
    /// The id of the caller, as in wellhead_connection_options.
    pub caller_id: wellhead_str,
    /// The type of `caller`, as in wellhead_connection_options. May be NULL.
    pub caller_type: *const c_void,
    /// Answers requests of the server. If it is NULL, the client answers each with "Method not found".
    pub on_request: wellhead_test_request_callback,
    /// Passed to `on_request`.
    pub on_request_data: *mut c_void,
    /// Called once with on_request_data, after the last `on_request`; also if no client is made. May be NULL.
    pub on_request_destroy: wellhead_destroy_callback,
}

growing!(wellhead_test_options);

/// Makes a client of a server, which may not be NULL, and shakes hands with it. The application frees the client.
/// Returns NULL if it fails with INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_new(
    server: *mut wellhead_server,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_test_client {
    // SAFETY: our caller's promise.
    unsafe { wellhead_test_client_new_with(server, std::ptr::null(), error) }
}

/// Makes a client with a choice of its revision, capabilities and caller, and shakes hands. The application frees the
/// client. options: may be NULL. Returns NULL if it fails with CLOSED, INVALID_UTF8 or INVALID_ARGUMENT, also for a
/// revision that the server does not serve.
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
            // Made first, so that both are destroyed also if a check below fails.
            let caller = given.map(|o| ApplicationCaller::new(o.caller, o.caller_destroy, o.caller_type));
            let on_request_data = given.map(|o| UserData::new(o.on_request_data, o.on_request_destroy));
            let server = promise.hold(server, "server")?;
            let mut options = TestOptions::new();
            if let (Some(given), Some(caller), Some(data)) = (given, caller, on_request_data) {
                let id = promise.bytes(given.caller_id, "caller_id")?;
                options = options.caller(Caller::new(id).with_value(caller));
                set_texts!(options, promise, given; revision);
                set_objects!(options, promise, given; capabilities);
                if let Some(answer) = given.on_request {
                    options = options.on_request(move |method: &str, params: &str| {
                        run_request(answer, &data, method, params)
                    });
                }
            }
            Ok(wellhead_test_client::new(server.server.test_client_with(options)?))
        })
    }
}

/// Closes the client and frees it. Does nothing if `client` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_free(client: *mut wellhead_test_client) {
    // SAFETY: our caller's promise.
    unsafe { release(client, |this| this.freed.store(true, Ordering::SeqCst)) }
}

/// Lists all resources, page by page.
/// *count: the number of resources, for wellhead_test_client_listed.
/// count: may be NULL.
/// Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
/// answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_list(
    client: *mut wellhead_test_client,
    count: *mut usize,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let uri = |one: Resource| one.uri().to_owned();
    // SAFETY: our caller's promise.
    unsafe {
        fetch(client, count, error, listed, |_, client| Ok(client.list()?.into_iter().map(uri).collect()))
    }
}

/// Returns the URI at `index` that the latest wellhead_test_client_list found, borrowed until the next call of
/// wellhead_test_client_list. It is absent if the index is not below the count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_listed(
    client: *const wellhead_test_client,
    index: usize,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { fetched(client, index, listed) }
}

/// Lists all templates, page by page.
/// *count: the number of templates, for wellhead_test_client_template.
/// count: may be NULL.
/// Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
/// answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_templates(
    client: *mut wellhead_test_client,
    count: *mut usize,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    let text = |one: Template| one.uri_template().to_owned();
    // SAFETY: our caller's promise.
    unsafe {
        fetch(client, count, error, templates, |_, client| {
            Ok(client.templates()?.into_iter().map(text).collect())
        })
    }
}

/// Returns the text of the template at `index` that the latest wellhead_test_client_templates found, borrowed until the
/// next call of wellhead_test_client_templates. It is absent if the index is not below the count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_template(
    client: *const wellhead_test_client,
    index: usize,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { fetched(client, index, templates) }
}

/// Calls a tool. Returns the result as JSON, which the application frees. A result with isError is no failure.
/// name: may not be absent.
/// arguments: a JSON object; {} if absent.
/// Returns NULL on failure. Fails with RESPONSE if the server answers with an error, whose code and message are in
/// `error`. Fails with LIMIT if no answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_call_tool(
    client: *mut wellhead_test_client,
    name: wellhead_str,
    arguments: wellhead_str,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe { send(client, (name, "name"), (arguments, "arguments"), error, TestClient::call_tool) }
}

/// Gets a prompt. Returns the result as JSON, which the application frees.
/// name: may not be absent.
/// arguments: a JSON object; {} if absent.
/// Returns NULL on failure. Fails with RESPONSE if the server answers with an error, whose code and message are in
/// `error`. Fails with LIMIT if no answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_get_prompt(
    client: *mut wellhead_test_client,
    name: wellhead_str,
    arguments: wellhead_str,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe { send(client, (name, "name"), (arguments, "arguments"), error, TestClient::get_prompt) }
}

/// Completes a variable of a template or an argument of a prompt.
/// reference: the text of the template, or the name of the prompt; may not be absent.
/// argument: the name of the variable or the argument; may not be absent.
/// value: the part that is typed so far; may not be absent.
/// *count: the number of values, for wellhead_test_client_completed.
/// count: may be NULL.
/// Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
/// answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
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
        fetch(client, count, error, completed, |promise, client| {
            let reference = promise.text(reference, "reference")?;
            let argument = promise.text(argument, "argument")?;
            client.complete(reference, argument, promise.text(value, "value")?)
        })
    }
}

/// Returns the value at `index` that the latest wellhead_test_client_complete found, borrowed until the next call of
/// wellhead_test_client_complete. It is absent if the index is not below the count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_completed(
    client: *const wellhead_test_client,
    index: usize,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { fetched(client, index, completed) }
}

/// Reads a resource.
/// uri: may not be absent.
/// *body: the text or the decoded bytes of the first of its contents; absent if there are none. It is borrowed until the
/// next call of wellhead_test_client_read.
/// body: may be NULL.
/// Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
/// answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
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

/// Subscribes to updates of a resource.
/// uri: may not be absent.
/// Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
/// answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_subscribe(
    client: *mut wellhead_test_client,
    uri: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { at_uri(client, uri, error, TestClient::subscribe) }
}

/// Ends the subscription to updates of a resource.
/// uri: may not be absent.
/// Fails with RESPONSE if the server answers with an error, whose code and message are in `error`. Fails with LIMIT if no
/// answer comes in 20 seconds, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_unsubscribe(
    client: *mut wellhead_test_client,
    uri: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { at_uri(client, uri, error, TestClient::unsubscribe) }
}

/// Blocks until a resource that the client subscribed to is updated, at most 20 seconds. *uri: its URI, borrowed until
/// the next call of this function. uri: may be NULL. Fails with LIMIT if no update comes in time, and with CLOSED or
/// INVALID_ARGUMENT.
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
                Ok(wellhead_str::from_text(&state.update))
            })?;
            promise.put(uri, update);
            Ok(())
        })
    }
}

/// Returns the number of notifications about changes of the list of resources that came since the last call of this
/// function. Does not block.
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

/// Sends a request and blocks until it is answered, at most 20 seconds. Returns the result as JSON, which the
/// application frees.
/// method: may not be absent.
/// params: a JSON object; {} if absent.
/// Returns NULL on failure. Fails with RESPONSE if the server answers with an error, whose code and message are in
/// `error`. Fails with LIMIT if no answer comes in time, and with INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_test_client_request(
    client: *mut wellhead_test_client,
    method: wellhead_str,
    params: wellhead_str,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe { send(client, (method, "method"), (params, "params"), error, TestClient::request) }
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

type Texts = fn(&mut State) -> &mut Vec<String>;

fn listed(state: &mut State) -> &mut Vec<String> {
    &mut state.listed
}

fn templates(state: &mut State) -> &mut Vec<String> {
    &mut state.templates
}

fn completed(state: &mut State) -> &mut Vec<String> {
    &mut state.completed
}

/// Stores the texts that the client gets, for C to borrow one by one.
unsafe fn fetch(
    client: *mut wellhead_test_client,
    count: *mut usize,
    error: *mut *mut wellhead_error,
    texts: Texts,
    get: impl FnOnce(&Promise, &mut TestClient) -> Result<Vec<String>>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let found = promise.hold(client, "client")?.run(|state| {
                *texts(state) = get(promise, &mut state.client)?;
                Ok(texts(state).len())
            })?;
            promise.put(count, found);
            Ok(())
        })
    }
}

/// Returns one of the texts that are stored; absent if there is none at the index.
unsafe fn fetched(client: *const wellhead_test_client, index: usize, texts: Texts) -> wellhead_str {
    let mut text = wellhead_str::ABSENT;
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            text = promise.hold(client, "client")?.run(|state| {
                Ok(texts(state).get(index).map_or(wellhead_str::ABSENT, |one| wellhead_str::from_text(one)))
            })?;
            Ok(())
        });
    }
    text
}

/// Sends a request about a URI.
unsafe fn at_uri(
    client: *mut wellhead_test_client,
    uri: wellhead_str,
    error: *mut *mut wellhead_error,
    request: fn(&mut TestClient, &str) -> Result<()>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let uri = promise.text(uri, "uri")?;
            promise.hold(client, "client")?.run(|state| request(&mut state.client, uri))
        })
    }
}

/// Sends a request that has a name and a JSON object; each comes with its name in errors.
unsafe fn send(
    client: *mut wellhead_test_client,
    (name, its_name): (wellhead_str, &str),
    (params, its_params): (wellhead_str, &str),
    error: *mut *mut wellhead_error,
    request: fn(&mut TestClient, &str, &str) -> Result<String>,
) -> *mut wellhead_text {
    // SAFETY: our caller's promise.
    unsafe {
        make(error, |promise| {
            let name = promise.text(name, its_name)?;
            let given = object(promise, params, its_params)?;
            let params = given.as_ref().map_or("{}", Json::as_str);
            promise
                .hold(client, "client")?
                .run(|state| request(&mut state.client, name, params))
                .map(wellhead_text)
        })
    }
}
