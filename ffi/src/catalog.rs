//! Registrations: fixed contents, and callbacks.

use crate::boundary::{Promise, guard, invalid};
use crate::complete::wellhead_complete;
use crate::foreign::{Source, UserData, json};
use crate::held_call::wellhead_call;
use crate::list::wellhead_list;
use crate::named::with_name;
use crate::pending::Pending;
use crate::read::wellhead_read;
use crate::resource::{described, wellhead_contents, wellhead_resource};
use crate::server::{wellhead_server, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_destroy_callback, wellhead_str};
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use wellhead::{Body, Call, CompleteCall, HandlerId, Json, ListCall, Provider, Result, Server};

/// Reads a resource. Answer with one of the wellhead_read_ functions before the callback returns, or keep the responder
/// with wellhead_read_keep and answer later, from any thread. A callback that does neither has answered "internal
/// error". `call` and `responder` are borrowed until the callback returns or, if kept, until the call is answered.
pub type wellhead_read_callback = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        responder: *mut wellhead_read,
    ),
>;

/// Lists the items that follow wellhead_call_after, or the first ones if that is absent, in an order that stays the same. Add
/// at most wellhead_call_limit of them. Items beyond it are cut off and come on the next page, also if `more` of
/// wellhead_list_finish is 0. Answer with wellhead_list_finish or wellhead_list_failed. As in wellhead_read_callback, a kept
/// responder is answered later.
pub type wellhead_list_callback = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        responder: *mut wellhead_list,
    ),
>;

/// Completes a variable of a template or an argument of a prompt: the one that wellhead_call_variable names, from the part
/// that wellhead_call_value returns. wellhead_call_var returns the values of the other variables. Answer with
/// wellhead_complete_finish or wellhead_complete_failed. As in wellhead_read_callback, a kept responder is answered later.
pub type wellhead_complete_callback = Option<
    unsafe extern "C-unwind" fn(
        user_data: *mut c_void,
        call: *const wellhead_call,
        responder: *mut wellhead_complete,
    ),
>;

/// Returns 0 if no resource exists at `uri`, which then cannot be subscribed to, and 1 if one may exist. `uri` is borrowed
/// until the callback returns. It must not block. Drivers call it on the thread that reads, also while another callback runs.
pub type wellhead_exists_callback =
    Option<unsafe extern "C-unwind" fn(user_data: *mut c_void, uri: *const wellhead_str) -> c_int>;

/// The callbacks of one registration. If a callback is NULL, the server does not offer what it does. The struct itself
/// is copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_provider {
    pub struct_size: usize,
    /// Passed to each callback.
    pub user_data: *mut c_void,
    /// Called once for each registration, with user_data, after its last callback and its last kept answer; also if the
    /// registration fails. A struct that is registered twice is destroyed twice. May be NULL.
    pub destroy: wellhead_destroy_callback,
    /// Reads a resource.
    pub read: wellhead_read_callback,
    /// Lists resources. For a template it lists the resources of the template; wellhead_server_add_list lists others.
    pub list: wellhead_list_callback,
    /// Completes the variables that are named in `completed`.
    pub complete: wellhead_complete_callback,
    /// The names of the variables that `complete` completes; none if `complete` is NULL, else at least one. Copied
    /// before return.
    pub completed: *const wellhead_str,
    pub completed_count: usize,
    /// Returns whether a resource may exist, before a client subscribes to it. If it is NULL, each may exist.
    pub exists: wellhead_exists_callback,
}

growing!(wellhead_provider);

/// Registers a fixed text. resource: may not be NULL; its uri is required. text: may not be absent. Both are copied.
/// Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE or CLOSED.
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

/// Registers fixed bytes. resource: may not be NULL; its uri is required. bytes: if absent, the contents are empty. Both
/// are copied. Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE or CLOSED.
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

/// Registers a page of MCP Apps and declares the extension io.modelcontextprotocol/ui.
/// resource: may not be NULL; its uri is required, such as ui://clock/view. The library sets its MIME type.
/// ui: what the page needs, a JSON object with csp, permissions, domain and prefersBorder; {} if absent.
/// html: the page, an HTML5 document, which is copied and may not be absent.
/// A tool opens the page if its definition has the URI as `app`.
/// Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_app(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    ui: wellhead_str,
    html: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            let resource = promise.fields(resource, "resource")?.resource(promise)?;
            server.app(resource, &needs_of_page(promise, ui)?, Source::copied(html).text(promise)?).map(drop)
        })
    }
}

/// Returns what a page needs of the client; absent is nothing.
fn needs_of_page(promise: &Promise, ui: wellhead_str) -> Result<Json> {
    json(promise.optional(ui, "ui")?.unwrap_or("{}"), "ui")
}

/// Registers a page of MCP Apps as wellhead_server_add_app does, whose document provider->read returns at each read.
/// resource, ui: as there. provider: may not be NULL; copied. provider->read is required; provider->list and
/// provider->complete must be NULL. Fails with INVALID_URI, INVALID_UTF8, INVALID_ARGUMENT, DUPLICATE or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_app_with_provider(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    ui: wellhead_str,
    provider: *const wellhead_provider,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        register(server, provider, error, Callbacks::only_reads, |promise, server, provider| {
            let resource = promise.fields(resource, "resource")?.resource(promise)?;
            server.add_app(resource, &needs_of_page(promise, ui)?, Some(provider))
        })
    }
}

/// Replaces the fixed contents of a resource with a text, and notifies its subscribers.
/// uri: the URI of the registration; may not be absent.
/// text: copied; may not be absent.
/// about: may be NULL; its version becomes that of the resource. If it has none, the resource has no version.
/// Fails with UNKNOWN if no fixed contents are registered at `uri`, and with INVALID_URI, INVALID_ARGUMENT, INVALID_UTF8
/// or CLOSED.
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

/// Replaces the fixed contents of a resource with bytes, and notifies its subscribers.
/// uri: the URI of the registration; may not be absent.
/// bytes: copied; if absent, the contents are empty.
/// about: may be NULL; its version becomes that of the resource. If it has none, the resource has no version.
/// Fails with UNKNOWN if no fixed contents are registered at `uri`, and with INVALID_URI, INVALID_ARGUMENT, INVALID_UTF8
/// or CLOSED.
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

/// Registers one URI that provider->read reads. resource, provider: may not be NULL; copied. resource->uri and
/// provider->read are required; provider->list and provider->complete must be NULL. Fails with INVALID_URI, INVALID_UTF8,
/// INVALID_ARGUMENT, DUPLICATE or CLOSED.
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

/// Registers an RFC 6570 template, resource->uri. resource, provider: may not be NULL; copied. provider->read is
/// required, and reads every URI that matches. provider->list, if given, lists resources of the template. Fails with
/// INVALID_TEMPLATE, DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT or CLOSED. Fails with AMBIGUOUS if another template
/// matches the same URIs and neither is more specific.
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

/// Registers a list source. Resources of one template need none: `list` in the provider of the template lists them in
/// the same way. Fixed resources are listed first, then the sources in the order of their registration.
/// name: part of cursors, so all instances must use the same. If it is absent, the name is the number of the source among
/// those without a name, from 1.
/// provider: may not be NULL; copied. provider->list is required; provider->read, provider->complete and provider->exists
/// must be NULL.
/// Fails with DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT or CLOSED.
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

/// Registers a list source of skills, for skills/list and skills/get of the extension io.modelcontextprotocol/skills.
/// provider->list adds skills by wellhead_list_add_skill, those after the URI that wellhead_call_after returns. For
/// skills/get wellhead_call_uri returns the URI that the client asks for. The callback may then answer with a page of
/// that skill, or of nothing. If it lists all skills as usual, the library searches the list. Files are read as other
/// resources, such as those of a template.
/// name: part of cursors, as in wellhead_server_add_list; may be absent.
/// provider: may not be NULL; copied. provider->list is required; provider->read, provider->complete and provider->exists
/// must be NULL.
/// Fails with DUPLICATE, INVALID_UTF8, INVALID_ARGUMENT or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_skill_list(
    server: *mut wellhead_server,
    name: wellhead_str,
    provider: *const wellhead_provider,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        register(server, provider, error, Callbacks::only_lists, |promise, server, provider| {
            let name = promise.optional(name, "name")?.map(str::to_owned);
            server.add_skill_list(name, Some(provider))
        })
    }
}

/// Sets the provider that reads URIs which no registration serves. It replaces an earlier one. provider: may not be
/// NULL; copied. provider->read is required; provider->list and provider->complete must be NULL. Fails with
/// INVALID_ARGUMENT or CLOSED.
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

/// Removes a resource or a template. Pending calls finish.
/// uri_or_template: the URI of a resource, else the text of a template, which goes with its list. A folder has a template
/// like file:///srv/notes/{+path}.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_resource(
    server: *mut wellhead_server,
    uri_or_template: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            server.remove_resource(promise.text(uri_or_template, "uri_or_template")?).map(drop)
        })
    }
}

/// Removes a list source, of resources or of skills. Pending calls finish.
/// name: the name of a registered list source; its number, counted from 1, if it has none. May not be absent.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_list(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_name(server, name, error, Server::remove_list) }
}

/// Removes a method. Pending calls finish.
/// name: the name of a registered method; may not be absent.
/// Fails with UNKNOWN, INVALID_ARGUMENT, INVALID_UTF8 or CLOSED.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_remove_method(
    server: *mut wellhead_server,
    name: wellhead_str,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { with_name(server, name, error, Server::remove_method) }
}

unsafe fn add_value(
    server: *mut wellhead_server,
    resource: *const wellhead_resource,
    error: *mut *mut wellhead_error,
    body: impl FnOnce(&Promise) -> Result<Body>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            let resource = promise.fields(resource, "resource")?.resource(promise)?;
            server.value(resource, body(promise)?).map(drop)
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
        with_server(server, error, |promise, server| {
            server.set(promise.text(uri, "uri")?, described(promise, about, body(promise)?)?)
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
    /// Takes a provider from C. From here on its user data is destroyed in any case, also on failure.
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
        self.completes_nothing()?;
        self.reads()?;
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
        Pending::run(wellhead_call::read(call), responder, |call, responder| {
            // SAFETY: the application's function, called as the header says.
            unsafe { read(self.user_data.get(), call, responder) }
        });
    }

    fn list(&self, call: ListCall) {
        let Some(list) = self.list else { return };
        let (_, responder) = call.defer();
        Pending::run(wellhead_call::list(call), responder, |call, responder| {
            // SAFETY: the application's function, called as the header says.
            unsafe { list(self.user_data.get(), call, responder) }
        });
    }

    fn complete(&self, call: CompleteCall) {
        run_complete(self.complete, &self.user_data, call);
    }

    fn exists(&self, uri: &str) -> bool {
        let Some(exists) = self.exists else { return true };
        // SAFETY: the application's function, called as the header says.
        unsafe { exists(self.user_data.get(), &wellhead_str::from_text(uri)) != 0 }
    }
}

pub(crate) fn run_complete(complete: wellhead_complete_callback, user_data: &UserData, call: CompleteCall) {
    let Some(complete) = complete else { return };
    let (_, responder) = call.defer();
    Pending::run(wellhead_call::complete(call), responder, |call, responder| {
        // SAFETY: the application's function, called as the header says.
        unsafe { complete(user_data.get(), call, responder) }
    });
}
