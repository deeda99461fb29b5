//! The server: who it is and what a client may cost.

use crate::boundary::{Promise, Shared, answer, call_shared, guard, invalid, release, required, share};
use crate::cache::{hint, wellhead_cache, wellhead_cache_of};
use crate::fields::{set_numbers, set_switches, set_words};
use crate::foreign::{UserData, json};
use crate::observe::{observer, wellhead_observe_callback};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use wellhead::{Builder, Icon, Limits, Result, Server, Severity};

/// cbindgen:ignore
pub struct wellhead_server {
    pub(crate) server: Server,
    pub(crate) forks: Forks,
}

impl Shared for wellhead_server {}

/// Limits on how much a client may use. A field that is 0 has its default: the other languages refuse a limit of 0, and
/// here none can be set. What is refused is answered with an error that names the limit. A limit that holds back stops
/// the connection from dispatching, and then from reading, until there is room. Over HTTP, calls_in_flight and
/// listen_streams count for the whole endpoint: calls above them are answered 503 at once, and a listen stream above
/// them ends the oldest stream of the client that has most. It gets 503 instead if its request has no token and no
/// peer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_limits {
    pub struct_size: usize,
    /// The greatest size of an incoming message, in bytes; a longer one is refused. Default: 4 MiB.
    pub message_bytes: usize,
    /// The greatest depth of nesting of an incoming message; a deeper one is refused. Default: 100.
    pub nesting: usize,
    /// The greatest size of a request id as it was written, in bytes; a longer one is refused. Default: 1 KiB.
    pub id_bytes: usize,
    /// The greatest number of messages of a batch, where the revision has batches; a longer one is refused. Default:
    /// 100.
    pub batch_length: usize,
    /// The greatest size of a URI in a request, in bytes; a longer one is refused. Default: 8 KiB.
    pub uri_bytes: usize,
    /// The greatest number of items on a page of a list. Default: 1,000.
    pub page_items: usize,
    /// The greatest size of a page of a list, in bytes; it holds at least one item. Default: 1 MiB.
    pub page_bytes: usize,
    /// The greatest number of unanswered calls of a connection; it holds back. Default: 1,024.
    pub calls_in_flight: usize,
    /// The greatest number of subscriptions of a connection, with those of listen streams; more are refused. Default:
    /// 10,000.
    pub subscriptions: usize,
    /// The greatest number of subscriptions of all connections of the server; more are refused. Default: 1,000,000.
    pub subscriptions_total: usize,
    /// The greatest number of listen streams of a connection; more are refused. Default: 1,000.
    pub listen_streams: usize,
    /// The greatest number of bytes of output that the client has not read yet; it holds back. Default: 16 MiB.
    pub output_bytes: usize,
    /// The time that an answer may take before it becomes an internal error, in milliseconds; UINT64_MAX for no limit.
    /// It does not run while the client answers a request of the callback. The client has 10 minutes for that.
    /// Default: 60,000.
    pub call_ms: u64,
    /// The greatest number of bytes that an endpoint over HTTP buffers for all clients; more are refused. It buffers
    /// request bodies, unread output, and events kept for clients that reconnect, of which the oldest is dropped first.
    /// A request itself counts as 4 KiB. One connection of a client gets at most a quarter of the free part of two
    /// thirds of this; up to 64 KiB it may use five sixths, and up to 8 KiB all. Default: 256 MiB.
    pub buffer_bytes: usize,
    /// The percentage of an endpoint's sessions and listen streams that one caller with a token may use, and of the
    /// calls in flight that the others leave; at least one of each. Without a token the share of calls is that of one
    /// peer. More are refused. Above 100, wellhead_server_new fails with INVALID_ARGUMENT. Default: 25.
    pub caller_percent: usize,
    /// The greatest number of requests and event streams of one session over HTTP at once; more are refused. The session
    /// keeps events of as many streams for clients that resume. Default: 4,096.
    pub session_streams: usize,
}

/// Do not offer subscriptions.
pub const WELLHEAD_NO_SUBSCRIBE: u32 = 1;
/// Do not notify clients when the list of resources changes.
pub const WELLHEAD_NO_LIST_CHANGED: u32 = 2;
/// Send fields also to clients whose revision does not have them.
pub const WELLHEAD_SEND_NEWER_FIELDS: u32 = 4;
/// Do not declare extensions to clients of the handshake era, which speak revisions up to 2025-11-25. These lack the member,
/// and allow it.
pub const WELLHEAD_NO_HANDSHAKE_EXTENSIONS: u32 = 8;
/// Show resources also as the tools `list_resources`, `read_resource`, and one for each template.
pub const WELLHEAD_RESOURCES_AS_TOOLS: u32 = 16;

/// The application or a client did something that is probably a mistake.
pub const WELLHEAD_SEVERITY_WARNING: u32 = 1;
/// A client got an error because of a failure of the application.
pub const WELLHEAD_SEVERITY_ERROR: u32 = 2;

/// A name and its value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_pair {
    pub name: wellhead_str,
    pub value: wellhead_str,
}

/// The JSON-RPC code of one condition for clients of one revision of MCP.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_rpc_code {
    /// The revision, by its date.
    pub revision: wellhead_str,
    /// not_found, denied, internal_error or not_modified.
    pub condition: wellhead_str,
    /// The code that clients of the revision get.
    pub rpc_code: i32,
}

/// Logs a line about a callback that failed, or about requests that are refused. severity: one of WELLHEAD_SEVERITY_.
/// line: borrowed until the callback returns; no byte of it reaches a client. Called on any thread.
pub type wellhead_log_callback =
    Option<unsafe extern "C-unwind" fn(log_data: *mut c_void, severity: u32, line: *const wellhead_str)>;

/// Options of a server. Zero, NULL or absent in a field means its default. Strings and arrays are copied.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_server_options {
    pub struct_size: usize,
    /// Any of WELLHEAD_NO_SUBSCRIBE, WELLHEAD_NO_LIST_CHANGED, WELLHEAD_SEND_NEWER_FIELDS,
    /// WELLHEAD_NO_HANDSHAKE_EXTENSIONS and WELLHEAD_RESOURCES_AS_TOOLS.
    pub flags: u32,
    /// The name of the server for people.
    pub title: wellhead_str,
    /// A text that tells a model how to use the server.
    pub instructions: wellhead_str,
    /// The key that seals cursors, 32 bytes, which all instances share. Default: random. Over stdio the default is derived
    /// from name and version, so that a client which starts a process for each request can page.
    pub cursor_key: wellhead_str,
    /// Limits on how much a client may use. If NULL, all are defaults.
    pub limits: *const wellhead_limits,
    /// Called with a line of text when a callback fails or requests are refused. Default: standard error.
    pub log: wellhead_log_callback,
    /// Passed to `log`.
    pub log_data: *mut c_void,
    /// Called once with log_data, after the last line; also if no server is made. May be NULL.
    pub log_destroy: wellhead_destroy_callback,
    /// Capabilities to declare in addition: each name with a JSON object, such as {} or {"listChanged":true}. resources
    /// with {} declares and serves resources before any is registered; by default the first registration does.
    pub capabilities: *const wellhead_pair,
    pub capability_count: usize,
    /// Extensions of the protocol to declare: each identifier, such as com.example/charts, with its settings, a JSON object.
    /// An extension that Wellhead implements is declared when it is used; settings here are added to its own.
    pub extensions: *const wellhead_pair,
    pub extension_count: usize,
    /// The values of resultType that belong to extensions: each with the identifier of its extension, which must be declared.
    /// Such a result goes only to a client that declares the extension, too; others get an error that names it.
    pub result_type_extensions: *const wellhead_pair,
    pub result_type_extension_count: usize,
    /// More kinds of lists for wellhead_server_notify_list_changed: each name, as clients request it, with its notification.
    pub list_changed_methods: *const wellhead_pair,
    pub list_changed_method_count: usize,
    /// The revisions of MCP that are served, by their dates. Default: all.
    pub revisions: *const wellhead_str,
    pub revision_count: usize,
    /// The document that defines JSON-RPC codes: official (default), or variant-2024-11-05, which some early clients of
    /// that revision follow. Another word, here and in the options below, makes wellhead_server_new fail with
    /// INVALID_ARGUMENT.
    pub error_profile: wellhead_str,
    /// JSON-RPC codes that replace those of the profile.
    pub rpc_codes: *const wellhead_rpc_code,
    pub rpc_code_count: usize,
    /// The answer about a resource that is denied: error (default), or mask, as if it did not exist.
    pub denied_resources: wellhead_str,
    /// The answer to lists of tools or prompts if none are registered: error (default), or empty.
    pub undeclared_lists: wellhead_str,
    /// The clients whose contents have `name` and `title`: 2025-06-18 (default), those of
    /// that revision; never; always.
    pub titles_in_contents: wellhead_str,
    /// The answer to a subscription to a URI that no registration serves: deny (default), allow.
    pub subscribe_unknown: wellhead_str,
    /// The clients that the server speaks the resources/get dialect with: auto (default),
    /// those that use it; always; never.
    pub dialect: wellhead_str,
    /// The caching hint for all responses that may be reused; may be NULL.
    pub cache: *const wellhead_cache,
    /// Caching hints for kinds of responses.
    pub cache_of: *const wellhead_cache_of,
    pub cache_of_count: usize,
    /// The name of this instance among the others: see wellhead_server_set_publish. Two instances of one name ignore each
    /// other's changes. Default: random.
    pub instance_name: wellhead_str,
    /// Called when a call of a callback begins and when it ends. If it is NULL, calls are not observed, which costs
    /// nothing.
    pub observe: wellhead_observe_callback,
    /// Passed to `observe`.
    pub observe_data: *mut c_void,
    /// Called once with observe_data, after the last `observe`; also if no server is made. May be NULL.
    pub observe_destroy: wellhead_destroy_callback,
    /// The answer to the call of a tool that does not exist: error (default), or result, which the model reads.
    pub unknown_tool: wellhead_str,
    /// The answer to arguments that break the schema of a tool: result (default), which the model reads, or error.
    pub invalid_arguments: wellhead_str,
    /// When structured content is compared with the `outputSchema` of its tool: debug (default),
    /// in debug builds of the library; on; off.
    pub check_output: wellhead_str,
    /// A description of the server for people; sent from 2025-11-25 on.
    pub description: wellhead_str,
    /// The URL of a page about the server; sent from 2025-11-25 on.
    pub website_url: wellhead_str,
    /// Icons of the server as JSON, as in wellhead_resource; sent from 2025-11-25 on.
    pub icons: wellhead_str,
    /// The text that the model gets of a tool whose callback failed: hide (default), a neutral one;
    /// show, that of the error.
    pub tool_errors: wellhead_str,
    /// The clients that get tools for apps only in their lists: app_clients (default), those
    /// that declare apps; all_clients.
    pub app_only_tools: wellhead_str,
}

growing!(wellhead_limits, wellhead_server_options);

/// Makes a server. name, version: sent to clients; may not be absent. options: may be NULL. The application frees the
/// server. Returns NULL if it fails with INVALID_ARGUMENT, INVALID_UTF8, or IO if the system has no randomness.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_new(
    name: wellhead_str,
    version: wellhead_str,
    options: *const wellhead_server_options,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_server {
    // SAFETY: our caller's promise.
    unsafe {
        share(error, |promise| {
            let options = promise.options(options, "options")?;
            // Made first, so that it is destroyed also if a check below fails.
            let log = options.and_then(|o| log(o.log, o.log_data, o.log_destroy));
            let observe = options.and_then(|o| observer(o.observe, o.observe_data, o.observe_destroy));
            let mut builder = Server::builder(promise.text(name, "name")?, promise.text(version, "version")?);
            if let Some(options) = options {
                builder = options.apply(promise, builder)?;
            }
            if let Some(observe) = observe {
                let begun = Instant::now();
                builder = builder.observe(observe).clock(move || begun.elapsed());
            }
            if let Some(log) = log {
                builder = builder.on_log(log);
            }
            let server = builder.build()?;
            Ok(wellhead_server { server, forks: Forks::default() })
        })
    }
}

/// Closes every connection, and makes wellhead_serve_stdio and wellhead_serve_http return. Pending answers are dropped;
/// over HTTP they may still be sent, for the shutdown_ms of wellhead_serve_http. Later calls do nothing. Not for signal
/// handlers: let a thread wait for the signal with sigwait. Does nothing if `server` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_close(server: *mut wellhead_server) {
    // SAFETY: our caller's promise.
    unsafe { call_shared(server, (), |_, this| this.server.close()) }
}

/// Frees the handle, and does not close the server: connections and drivers go on with what they need until they are
/// gone, and kept responders can be answered. No other thread may be using the handle. Does nothing if `server` is
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_free(server: *mut wellhead_server) {
    // SAFETY: our caller's promise.
    unsafe { release(server, |_| ()) }
}

/// Prepares a server for use in the child after fork; call it there before any other function. Connections that were made
/// before return WELLHEAD_STATUS_FORKED or do nothing, and endpoints that were made before may not be used. Registrations
/// stay, and new connections and endpoints can be made. "Fork" at the top of this header says when to fork.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_after_fork(server: *mut wellhead_server) {
    // SAFETY: our caller's promise.
    unsafe {
        call_shared(server, (), |_, this| {
            this.forks.0.fetch_add(1, Ordering::SeqCst);
            this.server.forget_connections();
        });
    }
}

/// The body of a function that uses a server.
///
/// # Safety
/// The caller keeps the [`Promise`].
pub(crate) unsafe fn with_server(
    server: *const wellhead_server,
    error: *mut *mut wellhead_error,
    run: impl FnOnce(&Promise, &Server) -> Result<()>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { guard(error, |promise| run(promise, &promise.hold(server, "server")?.server)) }
}

/// The body of a function that gives a server a callback, which has a name in errors. Its data is destroyed on failure, too.
///
/// # Safety
/// The caller keeps the [`Promise`].
pub(crate) unsafe fn with_callback<F>(
    server: *const wellhead_server,
    error: *mut *mut wellhead_error,
    (callback, name): (Option<F>, &str),
    data: UserData,
    run: impl FnOnce(&Promise, &Server, F, UserData) -> Result<()>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, move |promise, server| {
            run(promise, server, required(callback, name)?, data)
        })
    }
}

/// The number of forks the process has gone through, as the application said.
#[derive(Default)]
pub(crate) struct Forks(Arc<AtomicU32>);

impl Forks {
    pub(crate) fn now(&self) -> Generation {
        Generation { forks: self.0.clone(), made: self.0.load(Ordering::SeqCst) }
    }
}

/// The process in which a connection was made, known by the number of forks before.
pub(crate) struct Generation {
    forks: Arc<AtomicU32>,
    made: u32,
}

impl Generation {
    pub(crate) fn is_current(&self) -> bool {
        self.made == self.forks.load(Ordering::SeqCst)
    }
}

fn log(
    log: wellhead_log_callback,
    data: *mut c_void,
    destroy: wellhead_destroy_callback,
) -> Option<impl Fn(Severity, &str) + Send + Sync + 'static> {
    let data = UserData::new(data, destroy);
    let log = log?;
    Some(move |severity, line: &str| {
        // SAFETY: the application's function, called as the header says.
        answer((), || unsafe { log(data.get(), severity as u32, &wellhead_str::from_text(line)) });
    })
}

impl wellhead_server_options {
    fn apply(&self, promise: &Promise, mut builder: Builder) -> Result<Builder> {
        builder = builder.limits(limits(promise, self.limits)?);
        if !self.cursor_key.ptr.is_null() {
            builder = builder.cursor_key(promise.bytes(self.cursor_key, "cursor_key")?);
        }
        for one in promise.array(self.capabilities, self.capability_count, "capabilities")? {
            let name = promise.text(one.name, "the name of a capability")?;
            builder = builder.capability(name, json(promise.text(one.value, name)?, name)?);
        }
        for one in promise.array(self.extensions, self.extension_count, "extensions")? {
            let id = promise.text(one.name, "the identifier of an extension")?;
            builder = builder.extension(id, json(promise.text(one.value, id)?, id)?);
        }
        for one in promise.array(
            self.result_type_extensions,
            self.result_type_extension_count,
            "result_type_extensions",
        )? {
            let result_type = promise.text(one.name, "a result type")?;
            builder = builder.result_type_extension(result_type, promise.text(one.value, result_type)?);
        }
        for one in promise.array(
            self.list_changed_methods,
            self.list_changed_method_count,
            "list_changed_methods",
        )? {
            let kind = promise.text(one.name, "the name of a kind of lists")?;
            builder = builder.list_changed_method(kind, promise.text(one.value, kind)?);
        }
        if self.revision_count > 0 {
            builder = builder.revisions(promise.texts(self.revisions, self.revision_count, "revisions")?);
        }
        for one in promise.array(self.rpc_codes, self.rpc_code_count, "rpc_codes")? {
            let revision = promise.text(one.revision, "the revision of a JSON-RPC code")?;
            let condition = promise.text(one.condition, "the condition of a JSON-RPC code")?;
            builder = builder.rpc_code(revision, condition.parse()?, one.rpc_code);
        }
        if let Some(icons) = promise.optional(self.icons, "icons")? {
            builder = Icon::list_from_json(icons)?.into_iter().fold(builder, Builder::icon);
        }
        if let Some(cache) = hint(promise, self.cache)? {
            builder = builder.cache(cache);
        }
        for one in promise.array(self.cache_of, self.cache_of_count, "cache_of")? {
            let kind = promise.text(one.kind, "the kind of a hint")?;
            if let Some(cache) = hint(promise, one.cache)? {
                let kind = kind.parse().map_err(|e| invalid(format!("cache_of: {e}")))?;
                builder = builder.cache_of(kind, cache);
            }
        }
        set_switches!(builder, self.flags;
            WELLHEAD_NO_SUBSCRIBE => subscribe = false,
            WELLHEAD_NO_LIST_CHANGED => list_changed = false,
            WELLHEAD_SEND_NEWER_FIELDS => omit_newer_fields = false,
            WELLHEAD_NO_HANDSHAKE_EXTENSIONS => handshake_extensions = false,
            WELLHEAD_RESOURCES_AS_TOOLS => resources_as_tools = true,
        );
        set_words!(builder, promise, self;
            title,
            instructions,
            instance_name,
            error_profile,
            denied_resources,
            undeclared_lists,
            titles_in_contents,
            subscribe_unknown,
            dialect,
            unknown_tool,
            invalid_arguments,
            check_output,
            description,
            website_url,
            tool_errors,
            app_only_tools,
        );
        set_numbers!(builder, self;
        );
        Ok(builder)
    }
}

fn limits(promise: &Promise, limits: *const wellhead_limits) -> Result<Limits> {
    let mut all = Limits::default();
    let Some(given) = promise.options(limits, "limits")? else { return Ok(all) };
    set_numbers!(all, given;
        message_bytes,
        nesting,
        id_bytes,
        batch_length,
        uri_bytes,
        page_items,
        page_bytes,
        calls_in_flight,
        subscriptions,
        subscriptions_total,
        listen_streams,
        output_bytes,
        call_ms,
        buffer_bytes,
        caller_percent,
        session_streams,
    );
    Ok(all)
}
