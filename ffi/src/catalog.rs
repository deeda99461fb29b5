//! What is served: fixed contents, and what callbacks supply.

use crate::boundary::{Promise, guard, invalid};
use crate::call::{Reading, wellhead_call};
use crate::complete::wellhead_complete;
use crate::foreign::{Source, UserData};
use crate::list::wellhead_list;
use crate::pending::Pending;
use crate::read::wellhead_read;
use crate::resource::{described, wellhead_contents, wellhead_resource};
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use wellhead::{Body, Call, CompleteCall, HandlerId, ListCall, Provider, Result, Server};

/// Reads a resource. Answer with one of the wellhead_read_ functions before the callback returns, or keep the responder with
/// wellhead_read_keep and answer later, from any thread. A callback that does neither has answered "internal error". `call`
/// and `responder` are borrowed until the callback returns or, if kept, until the answer.
pub type wellhead_read_callback = Option<
    unsafe extern "C" fn(user_data: *mut c_void, call: *const wellhead_call, responder: *mut wellhead_read),
>;

/// Lists the items that follow `after`, or the first ones if `after` is absent, in an order that stays the same. after: the
/// `key` of an item that was listed before, or its URI; the item may be gone by now. limit: the number of items that fit on the
/// page, at least 1. Items beyond it are cut off, and then more follow, whatever `more` of wellhead_list_finish says. The
/// first page may ask for less than a full page, because fixed resources stand before. Answer with wellhead_list_finish or
/// wellhead_list_failed; as with wellhead_read_callback, a kept responder is answered later.
pub type wellhead_list_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        after: wellhead_str,
        limit: usize,
        responder: *mut wellhead_list,
    ),
>;

/// Completes `variable` of a template or an argument of a prompt. value: the part that is typed so far; may be empty.
/// wellhead_call_var returns the values of other variables. Answer with wellhead_complete_finish or wellhead_complete_failed;
/// as with wellhead_read_callback, a kept responder is answered later.
pub type wellhead_complete_callback = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        variable: wellhead_str,
        value: wellhead_str,
        responder: *mut wellhead_complete,
    ),
>;

/// Returns 0 if there is no resource at `uri`, so that clients cannot subscribe to it, and 1 if there may be one. `uri` is
/// borrowed until it returns. It must not block.
pub type wellhead_exists_callback =
    Option<unsafe extern "C" fn(user_data: *mut c_void, uri: wellhead_str) -> c_int>;

/// The callbacks of one registration. NULL: not offered. They borrow `call` and `responder` until they return: answer
/// before that, or keep the responder and answer later. A callback that does neither has answered "internal error".
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_provider {
    pub struct_size: usize,
    pub user_data: *mut c_void,
    /// Called once, after the last callback and the last kept answer, on any thread; also when the registration
    /// fails. May be NULL.
    pub destroy: wellhead_destroy_callback,
    /// Answers with one of the wellhead_read_ functions.
    pub read: wellhead_read_callback,
    /// Answers with the items that follow `after` (absent: from the start) in an order of the host's own, at most
    /// `limit`; more are cut off. `after` is the key of an item listed earlier, which may be gone by now.
    pub list: wellhead_list_callback,
    /// Answers with values that `variable` of a template may have, where `value` has been typed of it already, which may
    /// be empty. What other variables have, wellhead_call_var tells. Asked for the variables named in `completed` only.
    pub complete: wellhead_complete_callback,
    pub completed: *const wellhead_str,
    pub completed_count: usize,
    /// Whether there may be a resource at `uri`, one of those that `read` is asked for: 0 refuses who wants to watch it.
    /// It must not block. NULL: there may always be one.
    pub exists: wellhead_exists_callback,
}

growing!(wellhead_provider);

/// Serves a fixed text, without a callback. The text is copied. INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE,
/// CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_text(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    text: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { add_value(server, resource, error, |promise| Source::copied(text).text(promise)) }
}

/// Serves fixed bytes, without a callback. They are copied; absent is empty. Status values as for
/// wellhead_server_add_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_blob(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    bytes: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { add_value(server, resource, error, |promise| Source::copied(bytes).blob(promise)) }
}

/// Replaces fixed contents by a text, and tells those who watch the URI. about: may be NULL; its version is the
/// resource's from now on, which otherwise has none. UNKNOWN if none are registered there, INVALID_URI,
/// INVALID_ARGUMENT, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_set_text(
    server: *mut wellhead_server,
    uri: wellhead_str,
    about: *const wellhead_contents,
    text: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { set_value(server, uri, about, error, |promise| Source::copied(text).text(promise)) }
}

/// Replaces fixed contents by bytes. Otherwise as wellhead_server_set_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_set_blob(
    server: *mut wellhead_server,
    uri: wellhead_str,
    about: *const wellhead_contents,
    bytes: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { set_value(server, uri, about, error, |promise| Source::copied(bytes).blob(promise)) }
}

/// Serves a fixed URI whose contents come from provider->read, which is required. provider->list must be NULL. Status
/// values as for wellhead_server_add_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_resource(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    provider: *const wellhead_provider,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        register(server, provider, error, Callbacks::only_reads, |promise, server, provider| {
            let resource = promise.fields(resource, "resource")?.resource(promise)?;
            server.add_resource(resource, Some(provider))
        })
    }
}

/// Serves every URI that a template makes: resource->uri is an RFC 6570 template. provider->read is required;
/// provider->list, if given, lists what the template makes. INVALID_TEMPLATE, AMBIGUOUS, DUPLICATE, INVALID_UTF8,
/// INVALID_ARGUMENT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_template(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    provider: *const wellhead_provider,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        register(server, provider, error, Callbacks::reads, |promise, server, provider| {
            let mut template = promise.fields(resource, "resource")?.template(promise)?;
            for variable in &provider.completed {
                template = template.completes(variable);
            }
            let lists = provider.list.is_some();
            server.add_template(template, Some(provider), lists)
        })
    }
}

/// A list source: after the fixed resources, the sources are listed in the order of their registration. `name` goes
/// into cursors, so replicas use the same; absent: its ordinal. provider->list is required, provider->read must be
/// NULL. DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_list(
    server: *mut wellhead_server,
    name: wellhead_str,
    provider: *const wellhead_provider,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        register(server, provider, error, Callbacks::only_lists, |promise, server, provider| {
            let name = promise.optional(name, "name")?.map(str::to_owned);
            server.add_list(name, Some(provider))
        })
    }
}

/// Reads whatever no registration serves, by provider->read; replaces an earlier fallback. provider->list must be
/// NULL. INVALID_ARGUMENT, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_set_fallback(
    server: *mut wellhead_server,
    provider: *const wellhead_provider,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        register(server, provider, error, Callbacks::only_reads, |_, server, provider| {
            server.set_fallback(Some(provider))
        })
    }
}

/// Removes what has that name: the resource with that URI, else the template with that text and its list source, else the
/// list source, else the method. Of several it is the first in this order, one a call. A list source that was added without
/// a name stays. Callbacks under way still finish. UNKNOWN, INVALID_UTF8, CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let server = promise.hold(server, "server")?;
            server.server.remove(promise.text(name, "name")?).map(drop)
        })
    }
}

unsafe fn add_value(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    error: *mut *mut wellhead_error,
    body: impl FnOnce(&Promise) -> Result<Body>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let server = promise.hold(server, "server")?;
            let resource = promise.fields(resource, "resource")?.resource(promise)?;
            server.server.value(resource, body(promise)?).map(drop)
        })
    }
}

unsafe fn set_value(
    server: *mut wellhead_server,
    uri: wellhead_str,
    about: *const wellhead_contents,
    error: *mut *mut wellhead_error,
    body: impl FnOnce(&Promise) -> Result<Body>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let server = promise.hold(server, "server")?;
            server.server.set(promise.text(uri, "uri")?, described(promise, about, body(promise)?)?)
        })
    }
}

/// Registers callbacks that `fits` accepts.
unsafe fn register(
    server: *mut wellhead_server,
    provider: *const wellhead_provider,
    error: *mut *mut wellhead_error,
    fits: fn(&Callbacks) -> Result<()>,
    add: impl FnOnce(&Promise, &Server, Arc<Callbacks>) -> Result<HandlerId>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let callbacks = Callbacks::new(promise, provider)?;
            fits(&callbacks)?;
            let server = promise.hold(server, "server")?;
            add(promise, &server.server, Arc::new(callbacks)).map(drop)
        })
    }
}

/// A provider as the core wants it.
struct Callbacks {
    read: wellhead_read_callback,
    list: wellhead_list_callback,
    complete: wellhead_complete_callback,
    completed: Vec<String>,
    exists: wellhead_exists_callback,
    user_data: UserData,
}

impl Callbacks {
    /// From here on the user data is destroyed, whatever comes.
    fn new(promise: &Promise, provider: *const wellhead_provider) -> Result<Callbacks> {
        let provider = promise.fields(provider, "provider")?;
        let user_data = UserData::new(provider.user_data, provider.destroy);
        let completed = promise.texts(provider.completed, provider.completed_count, "completed")?;
        let wellhead_provider { read, list, complete, exists, .. } = provider;
        Ok(Callbacks { read, list, complete, completed, exists, user_data })
    }

    fn reads(&self) -> Result<()> {
        if self.complete.is_some() == self.completed.is_empty() {
            return Err(invalid(
                "provider->complete and provider->completed go together; set both or neither",
            ));
        }
        self.read.map(drop).ok_or_else(|| invalid("provider->read is NULL"))
    }

    fn only_reads(&self) -> Result<()> {
        self.reads()?;
        self.completes_nothing()?;
        match self.list {
            None => Ok(()),
            Some(_) => Err(invalid("provider->list is of no use here; use wellhead_server_add_list")),
        }
    }

    fn only_lists(&self) -> Result<()> {
        self.completes_nothing()?;
        if self.exists.is_some() {
            return Err(invalid("provider->exists is of no use here; register a resource or template"));
        }
        match (self.read, self.list) {
            (_, None) => Err(invalid("provider->list is NULL")),
            (Some(_), _) => Err(invalid("provider->read is of no use here; register a resource or template")),
            (None, Some(_)) => Ok(()),
        }
    }

    fn completes_nothing(&self) -> Result<()> {
        match self.complete {
            None => Ok(()),
            Some(_) => Err(invalid("provider->complete is of no use here; register a template")),
        }
    }
}

impl Provider for Callbacks {
    fn read(&self, call: Call) {
        let Some(read) = self.read else { return };
        let (_, responder) = call.defer();
        Pending::run(wellhead_call::Read(Reading::new(call)), responder, |call, responder| {
            // SAFETY: the host's function, called as the header says.
            unsafe { read(self.user_data.get(), call, responder) }
        });
    }

    fn list(&self, call: ListCall) {
        let Some(list) = self.list else { return };
        let (_, responder) = call.defer();
        let limit = call.limit();
        Pending::run(wellhead_call::List(call), responder, |call, responder| {
            // SAFETY: `run` keeps the call alive until the callback returns.
            let after = match unsafe { &*call } {
                wellhead_call::List(call) => call.after().map_or(wellhead_str::ABSENT, wellhead_str::of),
                _ => wellhead_str::ABSENT,
            };
            // SAFETY: the host's function, called as the header says.
            unsafe { list(self.user_data.get(), call, after, limit, responder) }
        });
    }

    fn complete(&self, call: CompleteCall) {
        run_complete(self.complete, &self.user_data, call);
    }

    fn exists(&self, uri: &str) -> bool {
        // SAFETY: the host's function, called as the header says.
        self.exists.is_none_or(|exists| unsafe { exists(self.user_data.get(), wellhead_str::of(uri)) } != 0)
    }
}

pub(crate) fn run_complete(complete: wellhead_complete_callback, user_data: &UserData, call: CompleteCall) {
    let Some(complete) = complete else { return };
    let (_, responder) = call.defer();
    Pending::run(wellhead_call::Complete(call), responder, |call, responder| {
        // SAFETY: `run` keeps the call alive until the callback returns.
        let (variable, value) = match unsafe { &*call } {
            wellhead_call::Complete(call) => {
                (wellhead_str::of(call.variable()), wellhead_str::of(call.value()))
            }
            _ => (wellhead_str::ABSENT, wellhead_str::ABSENT),
        };
        // SAFETY: the host's function, called as the header says.
        unsafe { complete(user_data.get(), call, variable, value, responder) }
    });
}
