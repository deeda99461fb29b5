//! The server: who it is and what a client may cost.

use crate::boundary::{Promise, Shared, answer, invalid, release, share, with};
use crate::cache::{hint, wellhead_cache, wellhead_cache_of};
use crate::foreign::{UserData, json, unknown_flags};
use crate::observe::{observer, wellhead_observe_callback};
use crate::status::wellhead_error;
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;
use wellhead::{Builder, Level, Limits, Result, Server};

/// cbindgen:ignore
pub struct wellhead_server {
    pub(crate) server: Server,
    pub(crate) forks: Forks,
}

impl Shared for wellhead_server {}

/// What one client may cost. 0 in a field means its default, given behind it. Limits that refuse answer an error which
/// names them; those that hold back make the connection stop dispatching, and then stop reading, until there is room.
/// Over HTTP calls_in_flight and listen_streams are those of the whole endpoint, whoever asks, and requests beyond them are
/// answered 503 at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_limits {
    pub struct_size: usize,
    /// Of one incoming message; refuses. 4 MiB
    pub message_bytes: usize,
    /// Depth of one incoming message; refuses. 100
    pub nesting: usize,
    /// Of a request id as it was written; refuses. 1 KiB
    pub id_bytes: usize,
    /// Of one batch, in messages, where the revision has batches; refuses. 100
    pub batch_length: usize,
    /// Of a URI in a request; refuses. 8 KiB
    pub uri_bytes: usize,
    /// Of one page of a list. 1,000
    pub page_items: usize,
    /// Of one page of a list, which holds at least one item. 1 MiB
    pub page_bytes: usize,
    /// Calls of one connection that are not answered; holds back. 1,024
    pub calls_in_flight: usize,
    /// Of one connection, listen streams included; refuses. 10,000
    pub subscriptions: usize,
    /// Of all connections of the server; refuses. 1,000,000
    pub subscriptions_total: usize,
    /// Of one connection; refuses. 1,000
    pub listen_streams: usize,
    /// Output that the client has not taken; holds back. 16 MiB
    pub output_bytes: usize,
    /// Milliseconds that an answer may be kept before it becomes an internal error; UINT64_MAX: for ever. 60,000
    pub call_ms: u64,
    /// Of an endpoint over HTTP, for all clients: bodies until their requests are over, output that clients have not taken,
    /// and what is kept for clients that come back, of which the oldest goes first. A request itself counts as 4 KiB. A
    /// client's connection has at most a quarter of what others leave of two thirds, of five sixths while it has at most 64 KiB,
    /// of all while it has at most 8 KiB; refuses. 256 MiB
    pub buffer_bytes: usize,
    /// How many percent of an endpoint's sessions and listen streams one caller may have who is known by a token, at least one
    /// of each; refuses. 25
    pub caller_percent: usize,
}

/// Do not offer subscriptions.
pub const WELLHEAD_NO_SUBSCRIBE: u32 = 1;
/// Do not tell clients when the list of resources changes.
pub const WELLHEAD_NO_LIST_CHANGED: u32 = 2;
/// Send fields that a client's revision does not have all the same.
pub const WELLHEAD_SEND_NEWER_FIELDS: u32 = 4;

/// Works, but is probably not what was meant.
pub const WELLHEAD_LOG_WARNING: u32 = 1;
/// A client got an error because of it.
pub const WELLHEAD_LOG_ERROR: u32 = 2;

/// A name, and what it stands for.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_pair {
    pub name: wellhead_str,
    pub value: wellhead_str,
}

/// The code of one condition for clients of one protocol version.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_error_code {
    pub version: wellhead_str,
    /// resource_not_found, permission_denied, internal_error, not_modified
    pub condition: wellhead_str,
    pub code: i32,
}

/// Logs a line about a callback that failed, or about requests that are refused. level: one of WELLHEAD_LOG_. line: borrowed
/// until the callback returns; no byte of it reaches a client. Called on any thread.
pub type wellhead_log_callback =
    Option<unsafe extern "C" fn(log_data: *mut c_void, level: u32, line: wellhead_str)>;

/// What a server is made from; everything has a default. Arrays come with a count.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_server_options {
    pub struct_size: usize,
    /// WELLHEAD_NO_SUBSCRIBE, WELLHEAD_NO_LIST_CHANGED, WELLHEAD_SEND_NEWER_FIELDS
    pub flags: u32,
    /// The server's name for people.
    pub title: wellhead_str,
    /// How a model should use the server.
    pub instructions: wellhead_str,
    /// 32 bytes under which cursors are sealed. Replicas share them. Absent: random; over stdio derived from name and version,
    /// so that a client which starts a process for each request can page.
    pub cursor_key: wellhead_str,
    /// NULL: all defaults.
    pub limits: *const wellhead_limits,
    /// Told, on any thread, what went wrong in callbacks; `level` is one of WELLHEAD_LOG_. No byte of it reaches a
    /// client. NULL: a line on standard error.
    pub log: wellhead_log_callback,
    pub log_data: *mut c_void,
    pub log_destroy: wellhead_destroy_callback,
    /// Further capabilities: each name with a JSON object, {} or such as {"listChanged":true}. resources with {} declares and
    /// serves resources before any is registered; otherwise the first registration does.
    pub capabilities: *const wellhead_pair,
    pub capability_count: usize,
    /// Further kinds of lists for wellhead_server_announce: each name, as clients ask for it, with its notification.
    pub announces: *const wellhead_pair,
    pub announce_count: usize,
    /// The protocol versions that are served, by their dates; none: all.
    pub versions: *const wellhead_str,
    pub version_count: usize,
    /// Which documents settle the codes of errors: official (default), or variant-2024-11-05, which early clients of that
    /// version may follow. Another word, here and below, is INVALID_ARGUMENT.
    pub error_profile: wellhead_str,
    /// Codes over the profile.
    pub error_codes: *const wellhead_error_code,
    pub error_code_count: usize,
    /// What a client is told of what is denied: error (default), or mask: as of what does not exist.
    pub permission_denied: wellhead_str,
    /// Lists of tools and prompts where nothing of the kind is offered: error (default), or empty.
    pub undeclared_lists: wellhead_str,
    /// For whom contents have `name` and `title`: 2025-06-18 (default), never, always.
    pub titles_in_contents: wellhead_str,
    /// Whether what nothing serves may be watched: deny (default), allow.
    pub subscribe_unknown: wellhead_str,
    /// Whether the resources/get dialect is served: auto (default), always, never.
    pub dialect: wellhead_str,
    /// For all answers that may be used again; NULL: they may not.
    pub cache: *const wellhead_cache,
    /// For kinds of them.
    pub cache_of: *const wellhead_cache_of,
    pub cache_of_count: usize,
    /// The name of this instance among replicas: see wellhead_server_set_publish. Absent: random. Two with one name do not
    /// hear each other.
    pub origin: wellhead_str,
    /// Told when each call of a callback begins and ends; interests aside. Called on the thread that polls or answers, so it
    /// must be quick; `observed` and its strings are borrowed. NULL: off, and free.
    pub observe: wellhead_observe_callback,
    pub observe_data: *mut c_void,
    pub observe_destroy: wellhead_destroy_callback,
}

growing!(wellhead_limits, wellhead_server_options);

/// Makes a server. name, version: who it says it is. options: may be NULL. NULL on failure: INVALID_ARGUMENT,
/// INVALID_UTF8, IO if there is no randomness.
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
            // First of all, so that it is destroyed whatever comes.
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

/// Ends every connection and makes wellhead_serve_stdio and wellhead_serve_http return. Answers still owed are dropped,
/// but over HTTP those under way may still go out, in the drain_ms of wellhead_serve_http. May be repeated. Not for
/// signal handlers, in which hardly anything may be called: let a thread wait for the signal (sigwait). NULL: nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_close(server: *mut wellhead_server) {
    // SAFETY: our caller's promise.
    unsafe { with(server, (), |_, this| this.server.close()) }
}

/// Gives up this handle; connections, drivers and kept responders hold the state until they go.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_free(server: *mut wellhead_server) {
    // SAFETY: our caller's promise.
    unsafe { release(server, |_| ()) }
}

/// For the child after fork, before anything else there: connections made before answer WELLHEAD_STATUS_FORKED from now
/// on, or do nothing; what is registered stays, and new connections can be made. Fork while no other thread is inside a
/// function of this server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_after_fork(server: *mut wellhead_server) {
    // SAFETY: our caller's promise.
    unsafe {
        with(server, (), |_, this| {
            this.forks.0.fetch_add(1, Ordering::SeqCst);
            this.server.forget_connections();
        });
    }
}

/// How many forks the process has gone through, as the host said.
#[derive(Default)]
pub(crate) struct Forks(Arc<AtomicU32>);

impl Forks {
    pub(crate) fn now(&self) -> Generation {
        Generation { forks: self.0.clone(), made: self.0.load(Ordering::SeqCst) }
    }
}

/// The process that made a connection.
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
) -> Option<impl Fn(Level, &str) + Send + Sync + 'static> {
    let data = UserData::new(data, destroy);
    let log = log?;
    Some(move |level, line: &str| {
        // SAFETY: the host's function, called as the header says.
        answer((), || unsafe { log(data.get(), level as u32, wellhead_str::of(line)) });
    })
}

impl wellhead_server_options {
    fn apply(&self, promise: &Promise, mut builder: Builder) -> Result<Builder> {
        unknown_flags(
            self.flags,
            WELLHEAD_NO_SUBSCRIBE | WELLHEAD_NO_LIST_CHANGED | WELLHEAD_SEND_NEWER_FIELDS,
        )?;
        builder = builder
            .subscribe(self.flags & WELLHEAD_NO_SUBSCRIBE == 0)
            .list_changed(self.flags & WELLHEAD_NO_LIST_CHANGED == 0)
            .omit_newer_fields(self.flags & WELLHEAD_SEND_NEWER_FIELDS == 0)
            .limits(limits(promise, self.limits)?);
        if let Some(title) = promise.optional(self.title, "title")? {
            builder = builder.title(title);
        }
        if let Some(instructions) = promise.optional(self.instructions, "instructions")? {
            builder = builder.instructions(instructions);
        }
        if !self.cursor_key.ptr.is_null() {
            builder = builder.cursor_key(promise.bytes(self.cursor_key, "cursor_key")?);
        }
        for one in promise.array(self.capabilities, self.capability_count, "capabilities")? {
            let name = promise.text(one.name, "the name of a capability")?;
            builder = builder.capability(name, json(promise.text(one.value, name)?, name)?);
        }
        for one in promise.array(self.announces, self.announce_count, "announces")? {
            let kind = promise.text(one.name, "the name of a kind of lists")?;
            builder = builder.announces(kind, promise.text(one.value, kind)?);
        }
        if let Some(origin) = promise.optional(self.origin, "origin")? {
            builder = builder.origin(origin);
        }
        if self.version_count > 0 {
            builder = builder.versions(promise.texts(self.versions, self.version_count, "versions")?);
        }
        for one in promise.array(self.error_codes, self.error_code_count, "error_codes")? {
            let version = promise.text(one.version, "the version of an error code")?;
            let condition = promise.text(one.condition, "the condition of an error code")?;
            builder = builder.error_code(version, condition.parse()?, one.code);
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
        macro_rules! choose {
            ($($choice:ident),*) => {$(
                if let Some(word) = promise.optional(self.$choice, stringify!($choice))? {
                    builder = builder.$choice(word.parse().map_err(|e| invalid(format!("{}: {e}", stringify!($choice))))?);
                }
            )*};
        }
        choose!(
            error_profile,
            permission_denied,
            undeclared_lists,
            titles_in_contents,
            subscribe_unknown,
            dialect
        );
        Ok(builder)
    }
}

fn limits(promise: &Promise, limits: *const wellhead_limits) -> Result<Limits> {
    let mut all = Limits::default();
    let Some(given) = promise.options(limits, "limits")? else { return Ok(all) };
    macro_rules! take {
        ($($field:ident),*) => {$(if given.$field != 0 { all.$field = given.$field })*};
    }
    take!(message_bytes, nesting, id_bytes, batch_length, uri_bytes, page_items, page_bytes);
    take!(calls_in_flight, subscriptions, subscriptions_total, listen_streams, output_bytes, call_ms);
    take!(buffer_bytes, caller_percent);
    Ok(all)
}
