//! The server as Python sees it.

use crate::access::{self, Caller};
use crate::alive::Alive;
use crate::body;
use crate::callbacks::Callbacks;
use crate::connection::Connection;
use crate::context::Base;
use crate::convert;
use crate::descriptor::Descriptor;
use crate::directory;
use crate::errors::OrRaise;
use crate::exit::{Inside, detach};
use crate::explain::Explanation;
use crate::fork::Process;
use crate::handle::Handle;
use crate::hook::{Hook, raising};
use crate::lifespan::Life;
use crate::named;
use crate::observer::Counters;
use crate::options;
use crate::registration::{Decorator, What, register};
use crate::server_docs::docstring;
use crate::service;
use crate::table::Table;
use crate::values::Resource;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use wellhead::{Body, HandlerId, ToolLimits};

#[doc = docstring!(Server)]
#[pyclass(frozen, weakref, module = "wellhead")]
pub(crate) struct Server {
    core: wellhead::Server,
    /// The programmatic name.
    #[pyo3(get)]
    name: String,
    pub(crate) table: Table,
    observer: Hook,
    pub(crate) publisher: Hook,
    pub(crate) base: Base,
    life: Life,
    pub(crate) alive: Alive,
    process: Process,
}

impl Server {
    /// Returns the core's server. In the child of a `fork` it first drops the parent's connections.
    pub(crate) fn core(&self, py: Python<'_>) -> &wellhead::Server {
        if self.process.enter() {
            detach(py, || self.core.forget_connections());
        }
        &self.core
    }

    pub(crate) fn take_out(
        &self,
        py: Python<'_>,
        remove: impl FnOnce(&wellhead::Server) -> wellhead::Result<Option<HandlerId>> + Send,
    ) -> PyResult<()> {
        let core = self.core(py);
        if let Some(id) = detach(py, || remove(core)).or_raise(py)? {
            self.table.remove(id);
        }
        Ok(())
    }

    fn add(this: &Bound<'_, Self>, uri: &str, body: Body, descriptor: &Descriptor) -> PyResult<Handle> {
        let py = this.py();
        let resource = descriptor.resource(py, uri)?;
        let core = this.get().core(py);
        detach(py, || core.value(resource, body)).or_raise(py)?;
        Ok(Handle {
            server: this.clone().unbind(),
            registered_as: uri.to_owned(),
            typed: descriptor.mime_type.is_some(),
        })
    }

    /// Registers a function for the begin or end of services. Without a function, returns a decorator that registers
    /// one.
    fn at<'py>(
        &self,
        py: Python<'py>,
        when: &str,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let register = self.life.made(py)?.getattr(when)?;
        function.map_or(Ok(register.clone()), |function| register.call1((function,)))
    }

    /// Registers the function. Without a function, returns a decorator that registers one.
    fn decorate<'py>(
        this: &Bound<'py, Self>,
        what: What,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match function {
            Some(function) => {
                register(this.py(), this.get(), what, &function)?;
                Ok(function)
            }
            None => Ok(Bound::new(this.py(), Decorator::new(this.clone().unbind(), what))?.into_any()),
        }
    }
}

#[pymethods]
impl Server {
    #[new]
    #[pyo3(
        signature = (name, version, **options),
        text_signature = "(name, version, *, title=None, instructions=None, cursor_key=None, limits=None, \
                    subscribe=True, list_changed=True, capabilities=None, extensions=None, result_type_extensions=None, \
                    list_changed_methods=None, cache=None, cache_of=None, instance_name=None, observe=None, lifespan=None, revisions=None, error_profile='official', \
                    rpc_codes=None, denied_resources='error', undeclared_lists='error', \
                    titles_in_contents='2025-06-18', omit_newer_fields=True, handshake_extensions=True, \
                    resources_as_tools=False, subscribe_unknown='deny', \
                    dialect='auto', unknown_tool='error', invalid_arguments='result', \
                    check_output='debug', \
                    description=None, \
                    website_url=None, \
                    icons=None, \
                    tool_errors='hide', \
                    app_only_tools='app_clients')"
    )]
    fn new(
        name: &Bound<'_, PyAny>,
        version: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let py = name.py();
        let (base, alive) = (Base::new(py)?, Alive::new(py)?);
        let share = alive.share(py)?;
        let (observer, publisher) = (Hook::new(None, share.clone()), Hook::new(None, share));
        let (name, version) = (convert::string("name", name)?, convert::string("version", version)?);
        let life = Life::default();
        let core =
            options::builder(&name, &version, options, &observer, &base, &life)?.build().or_raise(py)?;
        Ok(Server {
            core,
            name,
            table: Table::default(),
            observer,
            publisher,
            base,
            life,
            alive,
            process: Process::current(),
        })
    }

    #[doc = docstring!(text)]
    #[pyo3(
        signature = (uri, body, **described),
        text_signature = "($self, uri, body, *, name=None, title=None, description=None, mime_type=None, \
                    size=None, annotations=None, icons=None, meta=None, kind=None, version=None, \
                    metadata=None, cache=None)"
    )]
    fn text(
        this: &Bound<'_, Self>,
        uri: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
        described: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Handle> {
        let uri = convert::string("uri", uri)?;
        let descriptor = Descriptor::new("text", described, &["uri", "body"])?;
        Server::add(this, &uri, body::given_text(body)?, &descriptor)
    }

    #[doc = docstring!(app)]
    #[pyo3(
        signature = (uri, html = None, *, ui = None, **described),
        text_signature = "($self, uri, html=None, *, ui=None, name=None, title=None, description=None, mime_type=None, \
                    size=None, annotations=None, icons=None, meta=None, kind=None, version=None, \
                    metadata=None, cache=None)"
    )]
    fn app<'py>(
        this: &Bound<'py, Self>,
        uri: &Bound<'py, PyAny>,
        html: Option<&Bound<'py, PyAny>>,
        ui: Option<&Bound<'py, PyAny>>,
        described: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, uri) = (this.py(), convert::string("uri", uri)?);
        let descriptor = Descriptor::new("app", described, &["uri", "html", "ui"])?;
        let ui = convert::optional(ui, |ui| convert::object("ui", ui))?.unwrap_or_default();
        let Some(html) = html else {
            return Server::decorate(this, What::App { uri, descriptor, ui }, None);
        };
        let html = Body::from(convert::string("html", html)?);
        let resource = descriptor.resource(py, &uri)?;
        let core = this.get().core(py);
        detach(py, || core.app(resource, &ui, html)).or_raise(py)?;
        let handle = Handle { server: this.clone().unbind(), registered_as: uri, typed: true };
        Ok(Bound::new(py, handle)?.into_any())
    }

    #[doc = docstring!(blob)]
    #[pyo3(
        signature = (uri, body, **described),
        text_signature = "($self, uri, body, *, name=None, title=None, description=None, mime_type=None, \
                    size=None, annotations=None, icons=None, meta=None, kind=None, version=None, \
                    metadata=None, cache=None)"
    )]
    fn blob(
        this: &Bound<'_, Self>,
        uri: &Bound<'_, PyAny>,
        body: &Bound<'_, PyAny>,
        described: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Handle> {
        let uri = convert::string("uri", uri)?;
        let descriptor = Descriptor::new("blob", described, &["uri", "body"])?;
        Server::add(this, &uri, body::given_bytes(body)?, &descriptor)
    }

    #[doc = docstring!(resource)]
    #[pyo3(
        signature = (
            uri, *, list = None, complete = None, exists = None, raw_values = None, thread = None, **described
        ),
        text_signature = "($self, uri, *, name=None, title=None, description=None, mime_type=None, size=None, \
                    annotations=None, icons=None, meta=None, kind=None, version=None, metadata=None, \
                    cache=None, list=None, complete=None, exists=None, raw_values=False, thread=None)"
    )]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python's")]
    fn resource(
        this: &Bound<'_, Self>,
        uri: &Bound<'_, PyAny>,
        list: Option<Py<PyAny>>,
        complete: Option<&Bound<'_, PyAny>>,
        exists: Option<Py<PyAny>>,
        raw_values: Option<&Bound<'_, PyAny>>,
        thread: Option<&Bound<'_, PyAny>>,
        described: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Decorator> {
        let uri = convert::decorated("resource", "a URI or a URI template", "notes://{id}", uri)?;
        let others = ["uri", "list", "complete", "exists", "raw_values", "thread"];
        let descriptor = Descriptor::new("resource", described, &others)?;
        let complete = convert::optional(complete, |given| convert::dict("complete", given).cloned())?;
        let complete = complete.map(Bound::unbind);
        let raw_values = convert::optional(raw_values, |given| convert::flag("raw_values", given))?;
        let raw_values = raw_values.unwrap_or_default();
        let thread = convert::optional(thread, |given| convert::flag("thread", given))?;
        let what = What::Resource { uri, descriptor, raw_values, thread, list, complete, exists };
        Ok(Decorator::new(this.clone().unbind(), what))
    }

    #[doc = docstring!(list)]
    #[pyo3(signature = (source = None, /, *, name = None))]
    fn list<'py>(
        this: &Bound<'py, Self>,
        source: Option<Bound<'py, PyAny>>,
        name: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = convert::optional(name, |name| convert::string("name", name))?;
        Server::decorate(this, What::List { name }, source)
    }

    #[doc = docstring!(skill_list)]
    #[pyo3(signature = (function = None, /, *, name = None))]
    fn skill_list<'py>(
        this: &Bound<'py, Self>,
        function: Option<Bound<'py, PyAny>>,
        name: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let name = convert::optional(name, |name| convert::string("name", name))?;
        Server::decorate(this, What::Skills { name }, function)
    }

    #[doc = docstring!(fallback)]
    #[pyo3(signature = (function = None, /, *, exists = None))]
    fn fallback<'py>(
        this: &Bound<'py, Self>,
        function: Option<Bound<'py, PyAny>>,
        exists: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Server::decorate(this, What::Fallback { exists }, function)
    }

    #[doc = docstring!(method)]
    #[pyo3(signature = (name, /, *, revisions = None))]
    fn method(
        this: &Bound<'_, Self>,
        name: &Bound<'_, PyAny>,
        revisions: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Decorator> {
        let name = convert::decorated("method", "the name of a method", "notes/search", name)?;
        let revisions = convert::optional(revisions, |given| convert::strings("revisions", given))?;
        Ok(Decorator::new(this.clone().unbind(), What::Method { name, revisions }))
    }

    #[doc = docstring!(resource_search)]
    #[pyo3(signature = (function = None, /))]
    fn resource_search<'py>(
        this: &Bound<'py, Self>,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Server::decorate(this, What::Search, function)
    }

    #[doc = docstring!(tool)]
    #[pyo3(
        signature = (name = None, definition = None, *, thread = None, **members),
        text_signature = "($self, name=None, definition=None, *, title=None, description=None, \
                    input_schema=None, output_schema=None, annotations=None, icons=None, meta=None, app=None, \
                    visibility=None, thread=None)"
    )]
    fn tool<'py>(
        this: &Bound<'py, Self>,
        name: Option<&Bound<'py, PyAny>>,
        definition: Option<&Bound<'py, PyAny>>,
        thread: Option<&Bound<'py, PyAny>>,
        members: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = named::members("tool", &named::TOOL, members, this.py())?;
        let (name, function) = named::name_or_function(name)?;
        let definition = named::definition(definition)?;
        let thread = convert::optional(thread, |given| convert::flag("thread", given))?;
        Server::decorate(this, What::Tool { name, definition, given, thread }, function)
    }

    #[doc = docstring!(prompt)]
    #[pyo3(
        signature = (name = None, definition = None, *, complete = None, thread = None, **members),
        text_signature = "($self, name=None, definition=None, *, title=None, description=None, icons=None, \
                    meta=None, complete=None, thread=None)"
    )]
    fn prompt<'py>(
        this: &Bound<'py, Self>,
        name: Option<&Bound<'py, PyAny>>,
        definition: Option<&Bound<'py, PyAny>>,
        complete: Option<&Bound<'py, PyAny>>,
        thread: Option<&Bound<'py, PyAny>>,
        members: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let given = named::members("prompt", &named::PROMPT, members, this.py())?;
        let (name, function) = named::name_or_function(name)?;
        let definition = named::definition(definition)?;
        let complete = convert::optional(complete, |given| convert::dict("complete", given).cloned())?;
        let complete = complete.map(Bound::unbind);
        let thread = convert::optional(thread, |given| convert::flag("thread", given))?;
        Server::decorate(this, What::Prompt { name, definition, given, complete, thread }, function)
    }

    #[doc = docstring!(remove_tool)]
    #[pyo3(signature = (name, /))]
    fn remove_tool(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let core = self.core(py);
        self.table.remove(detach(py, || core.remove_tool(&name)).or_raise(py)?);
        Ok(())
    }

    #[doc = docstring!(remove_prompt)]
    #[pyo3(signature = (name, /))]
    fn remove_prompt(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let core = self.core(py);
        self.table.remove(detach(py, || core.remove_prompt(&name)).or_raise(py)?);
        Ok(())
    }

    #[doc = docstring!(enable_tool)]
    #[pyo3(signature = (name, /))]
    fn enable_tool(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let core = self.core(py);
        detach(py, || core.enable_tool(&name)).or_raise(py)
    }

    #[doc = docstring!(disable_tool)]
    #[pyo3(signature = (name, /))]
    fn disable_tool(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let core = self.core(py);
        detach(py, || core.disable_tool(&name)).or_raise(py)
    }

    #[doc = docstring!(update_tool)]
    #[pyo3(signature = (name, changes, /))]
    fn update_tool(&self, name: &Bound<'_, PyAny>, changes: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let changes = named::changes(changes)?;
        let core = self.core(py);
        detach(py, || core.update_tool(&name, &changes)).or_raise(py)
    }

    #[doc = docstring!(limit_tool)]
    #[pyo3(signature = (name, /, *, calls_in_flight = None, caller_calls_in_flight = None, caller_calls_per_minute = None, call_ms = None))]
    fn limit_tool(
        &self,
        name: &Bound<'_, PyAny>,
        calls_in_flight: Option<&Bound<'_, PyAny>>,
        caller_calls_in_flight: Option<&Bound<'_, PyAny>>,
        caller_calls_per_minute: Option<&Bound<'_, PyAny>>,
        call_ms: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let mut limits = ToolLimits::default();
        limits.calls_in_flight =
            convert::optional(calls_in_flight, |n| convert::count("calls_in_flight", n))?;
        limits.caller_calls_in_flight =
            convert::optional(caller_calls_in_flight, |n| convert::count("caller_calls_in_flight", n))?;
        limits.caller_calls_per_minute =
            convert::optional(caller_calls_per_minute, |n| convert::count("caller_calls_per_minute", n))?;
        limits.call_ms = convert::optional(call_ms, |n| convert::count("call_ms", n))?;
        let core = self.core(py);
        detach(py, || core.limit_tool(&name, limits)).or_raise(py)
    }

    #[doc = docstring!(enable_prompt)]
    #[pyo3(signature = (name, /))]
    fn enable_prompt(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let core = self.core(py);
        detach(py, || core.enable_prompt(&name)).or_raise(py)
    }

    #[doc = docstring!(disable_prompt)]
    #[pyo3(signature = (name, /))]
    fn disable_prompt(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let core = self.core(py);
        detach(py, || core.disable_prompt(&name)).or_raise(py)
    }

    #[doc = docstring!(update_prompt)]
    #[pyo3(signature = (name, changes, /))]
    fn update_prompt(&self, name: &Bound<'_, PyAny>, changes: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (name.py(), convert::string("name", name)?);
        let changes = named::changes(changes)?;
        let core = self.core(py);
        detach(py, || core.update_prompt(&name, &changes)).or_raise(py)
    }

    #[doc = docstring!(directory)]
    #[pyo3(
        signature = (path, /, **options),
        text_signature = "($self, path, /, *, include=None, exclude=None, max_file_bytes=None, watch=True, \
                    settle_ms=50)"
    )]
    fn directory(
        this: &Bound<'_, Self>,
        path: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Handle> {
        let py = this.py();
        let directory = directory::options(path, options)?;
        let core = this.get().core(py);
        let handle = detach(py, || core.directory(directory)).or_raise(py)?;
        Ok(Handle {
            server: this.clone().unbind(),
            registered_as: handle.registered_as().to_owned(),
            typed: false,
        })
    }

    #[doc = docstring!(skills)]
    #[pyo3(
        signature = (path, /, **options),
        text_signature = "($self, path, /, *, prefix=None, watch=True, settle_ms=50)"
    )]
    fn skills(
        this: &Bound<'_, Self>,
        path: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Handle> {
        let py = this.py();
        let skills = directory::skill_options(path, options)?;
        let core = this.get().core(py);
        let handle = detach(py, || core.skills(skills)).or_raise(py)?;
        Ok(Handle {
            server: this.clone().unbind(),
            registered_as: handle.registered_as().to_owned(),
            typed: false,
        })
    }

    #[doc = docstring!(around)]
    #[pyo3(signature = (function = None, /))]
    fn around<'py>(
        this: &Bound<'py, Self>,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Server::decorate(this, What::Around, function)
    }

    #[doc = docstring!(authorize)]
    #[pyo3(signature = (function = None, /))]
    fn authorize<'py>(
        this: &Bound<'py, Self>,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Server::decorate(this, What::Authorize, function)
    }

    #[doc = docstring!(on_interest)]
    #[pyo3(signature = (function = None, /))]
    fn on_interest<'py>(
        this: &Bound<'py, Self>,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Server::decorate(this, What::OnInterest, function)
    }

    #[doc = docstring!(remove_resource)]
    #[pyo3(signature = (uri_or_template, /))]
    fn remove_resource(&self, uri_or_template: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = convert::string("uri_or_template", uri_or_template)?;
        self.take_out(uri_or_template.py(), |core| core.remove_resource(&text))
    }

    #[doc = docstring!(remove_list)]
    #[pyo3(signature = (name, /))]
    fn remove_list(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = convert::string("name", name)?;
        self.take_out(name.py(), |core| core.remove_list(&text))
    }

    #[doc = docstring!(remove_method)]
    #[pyo3(signature = (name, /))]
    fn remove_method(&self, name: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = convert::string("name", name)?;
        self.take_out(name.py(), |core| core.remove_method(&text))
    }

    #[doc = docstring!(notify_updated)]
    #[pyo3(signature = (uri, /))]
    fn notify_updated(&self, uri: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, uri) = (uri.py(), convert::string("uri", uri)?);
        let core = self.core(py);
        raising(|| detach(py, || core.notify_updated(&uri)))?.or_raise(py)
    }

    #[doc = docstring!(notify_updated_with_resource)]
    #[pyo3(signature = (resource, /))]
    fn notify_updated_with_resource(&self, resource: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = resource.py();
        let core = self.core(py);
        let resource = convert::instance::<Resource>("resource", resource)?.get().to_core(py)?;
        raising(|| detach(py, || core.notify_updated_with_resource(resource)))?.or_raise(py)
    }

    #[doc = docstring!(notify_sub_resource_updated)]
    #[pyo3(signature = (uri, parent, /))]
    fn notify_sub_resource_updated(&self, uri: &Bound<'_, PyAny>, parent: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = uri.py();
        let (uri, parent) = (convert::string("uri", uri)?, convert::string("parent", parent)?);
        let core = self.core(py);
        raising(|| detach(py, || core.notify_sub_resource_updated(&uri, &parent)))?.or_raise(py)
    }

    #[doc = docstring!(on_publish)]
    #[pyo3(signature = (function = None, /))]
    fn on_publish<'py>(
        this: &Bound<'py, Self>,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Server::decorate(this, What::OnPublish, function)
    }

    #[doc = docstring!(on_start)]
    #[pyo3(signature = (function = None, /))]
    fn on_start<'py>(
        &self,
        py: Python<'py>,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.at(py, "on_start", function)
    }

    #[doc = docstring!(on_stop)]
    #[pyo3(signature = (function = None, /))]
    fn on_stop<'py>(
        &self,
        py: Python<'py>,
        function: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.at(py, "on_stop", function)
    }

    #[doc = docstring!(inject)]
    #[pyo3(signature = (event, /))]
    fn inject(&self, event: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (py, event) = (event.py(), convert::string("event", event)?);
        let core = self.core(py);
        raising(|| detach(py, || core.inject(&event)))?.or_raise(py)
    }

    #[doc = docstring!(counters)]
    fn counters(&self, py: Python<'_>) -> Counters {
        let core = self.core(py);
        detach(py, || core.counters()).into()
    }

    #[doc = docstring!(notify_list_changed)]
    #[pyo3(signature = (kind, /))]
    fn notify_list_changed(&self, kind: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, kind) = (kind.py(), convert::string("kind", kind)?);
        let core = self.core(py);
        raising(|| detach(py, || core.notify_list_changed(&kind)))?.or_raise(py)
    }

    #[doc = docstring!(access_changed)]
    #[pyo3(signature = (caller_id, /))]
    fn access_changed(&self, caller_id: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = caller_id.py();
        let core = self.core(py);
        let id = access::caller_id("caller_id", caller_id)?;
        let id = id.as_bytes();
        raising(|| detach(py, || core.access_changed(id)))?.or_raise(py)
    }

    #[doc = docstring!(notify_resource_list_changed)]
    fn notify_resource_list_changed(&self, py: Python<'_>) -> PyResult<()> {
        let core = self.core(py);
        raising(|| detach(py, || core.notify_resource_list_changed()))?.or_raise(py)
    }

    #[doc = docstring!(run)]
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, callback_threads=1, shutdown_ms=5000, guard_stdio=True)"
    )]
    fn run(this: &Bound<'_, Self>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        service::stdio("run", options, true)?;
        let _inside = Inside::enter(); // Python's frames stand on this one
        let run = this.py().import("wellhead._run")?.getattr("run")?;
        run.call1((this, or_empty(this.py(), options))).map(drop)
    }

    #[doc = docstring!(run_async)]
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, shutdown_ms=5000, guard_stdio=True)"
    )]
    fn run_async<'py>(
        this: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        service::stdio("run_async", options, false)?;
        let run = this.py().import("wellhead._asyncio")?.getattr("run_async")?;
        run.call1((this, or_empty(this.py(), options)))
    }

    #[doc = docstring!(serve_http)]
    #[pyo3(
        signature = (host = None, port = None, *, callback_threads = None, on_listening = None, **options),
        text_signature = "($self, host='127.0.0.1', port=8000, *, callback_threads=1, on_listening=None, \
                    shutdown_ms=5000, tcp_connection_limit=10000, io_threads=1, head_ms=10000, idle_ms=60000, path='/mcp', \
                    verify=None, resource=None, authorization_servers=(), scopes=(), allowed_origins=(), \
                    allowed_hosts=(), cors=False, strict_accept=False, sessions=True, session_ms=3600000, \
                    session_limit=10000, delete=True, keep_alive_ms=15000, body_ms=30000, \
                    replay_bytes=1048576, \
                    token_required=True)"
    )]
    fn serve_http(
        this: &Bound<'_, Self>,
        host: Option<&Bound<'_, PyAny>>,
        port: Option<&Bound<'_, PyAny>>,
        callback_threads: Option<&Bound<'_, PyAny>>,
        on_listening: Option<Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let py = this.py();
        let threads = convert::optional(callback_threads, |given| convert::count("callback_threads", given))?;
        let (threads, address) = (threads.unwrap_or(1_usize), service::address(host, port)?);
        let (on_listening, options) = (service::listening(on_listening)?, or_empty(py, options));
        let _inside = Inside::enter(); // as in `run`
        let serve = py.import("wellhead._run")?.getattr("serve_http")?;
        serve.call1((this, address, threads, on_listening, options)).map(drop)
    }

    #[doc = docstring!(serve_http_async)]
    #[pyo3(
        signature = (host = None, port = None, *, on_listening = None, **options),
        text_signature = "($self, host='127.0.0.1', port=8000, *, on_listening=None, shutdown_ms=5000, tcp_connection_limit=10000, \
                    io_threads=1, head_ms=10000, idle_ms=60000, path='/mcp', verify=None, resource=None, \
                    authorization_servers=(), scopes=(), allowed_origins=(), allowed_hosts=(), cors=False, \
                    strict_accept=False, sessions=True, session_ms=3600000, session_limit=10000, \
                    delete=True, keep_alive_ms=15000, body_ms=30000, replay_bytes=1048576, \
                    token_required=True)"
    )]
    fn serve_http_async<'py>(
        this: &Bound<'py, Self>,
        host: Option<&Bound<'py, PyAny>>,
        port: Option<&Bound<'py, PyAny>>,
        on_listening: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let (address, on_listening) = (service::address(host, port)?, service::listening(on_listening)?);
        let serve = py.import("wellhead._asyncio")?.getattr("serve_http_async")?;
        serve.call1((this, address, on_listening, or_empty(py, options)))
    }

    #[doc = docstring!(asgi)]
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, path='/mcp', verify=None, resource=None, authorization_servers=(), scopes=(), \
                    allowed_origins=(), allowed_hosts=(), cors=False, strict_accept=False, sessions=True, \
                    session_ms=3600000, session_limit=10000, delete=True, keep_alive_ms=15000, \
                    body_ms=30000, replay_bytes=1048576, loopback_only=True, \
                    token_required=True)"
    )]
    fn asgi<'py>(
        this: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let app = this.py().import("wellhead._asgi")?.getattr("AsgiApp")?;
        app.call1((this, or_empty(this.py(), options)))
    }

    #[doc = docstring!(endpoint)]
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, path='/mcp', verify=None, resource=None, authorization_servers=(), scopes=(), \
                    allowed_origins=(), allowed_hosts=(), cors=False, strict_accept=False, sessions=True, \
                    session_ms=3600000, session_limit=10000, delete=True, keep_alive_ms=15000, \
                    body_ms=30000, replay_bytes=1048576, loopback_only=True, \
                    token_required=True)"
    )]
    fn endpoint<'py>(
        this: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let endpoint = this.py().import("wellhead._endpoint")?.getattr("HttpEndpoint")?;
        endpoint.call1((this, or_empty(this.py(), options)))
    }

    #[doc = docstring!(explain)]
    #[pyo3(signature = (uri, /))]
    fn explain(&self, uri: &Bound<'_, PyAny>) -> PyResult<Explanation> {
        let (py, uri) = (uri.py(), convert::string("uri", uri)?);
        let core = self.core(py);
        Ok(Explanation(detach(py, || core.explain(&uri))))
    }

    #[doc = docstring!(test_client)]
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, revision=None, capabilities=None, on_request=None, caller=None)"
    )]
    fn test_client<'py>(
        this: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("wellhead._testing")?.getattr("TestClient")?.call((this,), options)
    }

    #[doc = docstring!(test_client_async)]
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, revision=None, capabilities=None, on_request=None, caller=None)"
    )]
    fn test_client_async<'py>(
        this: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("wellhead._testing")?.getattr("AsyncTestClient")?.call((this,), options)
    }

    #[doc = docstring!(close)]
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let core = self.core(py);
        raising(|| detach(py, || core.close()))
    }

    #[doc = docstring!(connect)]
    #[pyo3(signature = (wake = None, *, caller = None))]
    fn connect(
        this: &Bound<'_, Self>,
        wake: Option<Bound<'_, PyAny>>,
        caller: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Connection> {
        let py = this.py();
        let caller =
            convert::optional(caller, |given| convert::instance::<Caller>("caller", given).cloned())?;
        let known = caller.as_ref().map(|caller| caller.get().to_core(py)).unwrap_or_default();
        if let Some(wake) = &wake {
            convert::function("wake", "a function without parameters", wake)?;
        }
        let (wake, caller) = (wake.map(Bound::unbind), caller.map(Bound::unbind));
        let callbacks = Callbacks::new(this.clone().unbind(), caller);
        Connection::open(py, this.get().core(py), known, callbacks, wake)
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        format!("<wellhead.Server {:?}>", self.name)
    }

    /// Returns the lifespan and the functions of `on_start` and `on_stop`, for `_lifespan.py`. Returns `None` if there
    /// are none.
    fn _life(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.life.get(py)
    }

    /// Returns whether an `async def` is registered, for `_run.py`.
    fn _needs_loop(&self) -> bool {
        self.table.needs_loop()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.alive.traverse(&visit)?;
        self.table.traverse(&visit)?;
        self.observer.traverse(&visit)?;
        self.base.traverse(&visit)?;
        self.life.traverse(&visit)?;
        self.publisher.traverse(&visit)
    }

    fn __clear__(&self) {
        self.table.clear();
        self.observer.set(None);
        self.base.clear();
        self.life.clear();
        self.publisher.set(None);
    }
}

fn or_empty<'py>(py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> Bound<'py, PyDict> {
    options.cloned().unwrap_or_else(|| PyDict::new(py))
}
