//! The server as Python sees it.

use crate::access::Caller;
use crate::asgi::Endpoint;
use crate::body;
use crate::connection::Connection;
use crate::context::Base;
use crate::descriptor::{Descriptor, object};
use crate::driver::Driver;
use crate::errors::OrRaise;
use crate::explain::Explanation;
use crate::fork::Process;
use crate::hook::Hook;
use crate::host::Host;
use crate::http;
use crate::observer::Counters;
use crate::options;
use crate::registration::{Decorator, Family, Table, What, register};
use crate::values::{Contents, Resource};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use std::path::PathBuf;
use wellhead::serve::Stdio;
use wellhead::{Body, Directory};

/// An application's resources, for any number of clients.
#[pyclass(frozen, weakref, module = "wellhead")]
pub(crate) struct Server {
    core: wellhead::Server,
    pub(crate) table: Table,
    observer: Hook,
    publisher: Hook,
    pub(crate) base: Base,
    process: Process,
}

impl Server {
    /// The core's server. In the child of a `fork` it first lets go of the parent's connections.
    pub(crate) fn core(&self, py: Python<'_>) -> &wellhead::Server {
        if self.process.enter() {
            py.detach(|| self.core.forget_connections());
        }
        &self.core
    }

    fn add(this: &Bound<'_, Self>, uri: &str, body: Body, descriptor: &Descriptor) -> PyResult<Handle> {
        let py = this.py();
        let resource = descriptor.resource(py, uri)?;
        let core = this.get().core(py);
        py.detach(|| core.value(resource, body)).or_raise(py)?;
        Ok(Handle { server: this.clone().unbind(), name: uri.to_owned() })
    }

    /// Registers the function, or returns the decorator that does.
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
    #[pyo3(signature = (name, version, **options))]
    fn new(py: Python<'_>, name: &str, version: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let (observer, publisher, base) = (Hook::default(), Hook::default(), Base::new(py)?);
        let core = options::builder(name, version, options, &observer, &base)?.build().or_raise(py)?;
        Ok(Server { core, table: Table::default(), observer, publisher, base, process: Process::current() })
    }

    #[pyo3(signature = (uri, body, /, **described))]
    fn text(
        this: &Bound<'_, Self>,
        uri: &str,
        body: &Bound<'_, PyString>,
        described: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Handle> {
        Server::add(this, uri, body::text(body)?, &Descriptor::new("text", described)?)
    }

    #[pyo3(signature = (uri, body, /, **described))]
    fn blob(
        this: &Bound<'_, Self>,
        uri: &str,
        body: &Bound<'_, PyAny>,
        described: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Handle> {
        Server::add(this, uri, body::bytes(&body::buffer(body)?), &Descriptor::new("blob", described)?)
    }

    #[pyo3(signature = (
        uri, /, *, list = None, complete = None, knows = None, raw_values = false, thread = None, **described
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python's")]
    fn resource(
        this: &Bound<'_, Self>,
        uri: String,
        list: Option<Py<PyAny>>,
        complete: Option<Py<PyDict>>,
        knows: Option<Py<PyAny>>,
        raw_values: bool,
        thread: Option<bool>,
        described: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Decorator> {
        let descriptor = Descriptor::new("resource", described)?;
        let what = What::Resource { uri, descriptor, raw_values, thread, list, complete, knows };
        Ok(Decorator::new(this.clone().unbind(), what))
    }

    #[pyo3(signature = (source = None, /, *, name = None))]
    fn list<'py>(
        this: &Bound<'py, Self>,
        source: Option<Bound<'py, PyAny>>,
        name: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Server::decorate(this, What::List { name }, source)
    }

    #[pyo3(signature = (function = None, /, *, knows = None))]
    fn fallback<'py>(
        this: &Bound<'py, Self>,
        function: Option<Bound<'py, PyAny>>,
        knows: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Server::decorate(this, What::Fallback { knows }, function)
    }

    #[pyo3(signature = (name, /, *, revisions = None))]
    fn method(this: &Bound<'_, Self>, name: String, revisions: Option<Vec<String>>) -> Decorator {
        Decorator::new(this.clone().unbind(), What::Method { name, revisions })
    }

    #[pyo3(signature = (name, members = None, /))]
    fn tool(this: &Bound<'_, Self>, name: String, members: Option<&Bound<'_, PyAny>>) -> PyResult<Decorator> {
        let members = members.map(object).transpose()?;
        let what = What::Named { family: Family::Tool, name, members, complete: None };
        Ok(Decorator::new(this.clone().unbind(), what))
    }

    #[pyo3(signature = (name, members = None, /, *, complete = None))]
    fn prompt(
        this: &Bound<'_, Self>,
        name: String,
        members: Option<&Bound<'_, PyAny>>,
        complete: Option<Py<PyDict>>,
    ) -> PyResult<Decorator> {
        let members = members.map(object).transpose()?;
        let what = What::Named { family: Family::Prompt, name, members, complete };
        Ok(Decorator::new(this.clone().unbind(), what))
    }

    #[pyo3(signature = (name, /))]
    fn remove_tool(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let core = self.core(py);
        self.table.remove(py.detach(|| core.remove_tool(name)).or_raise(py)?);
        Ok(())
    }

    #[pyo3(signature = (name, /))]
    fn remove_prompt(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let core = self.core(py);
        self.table.remove(py.detach(|| core.remove_prompt(name)).or_raise(py)?);
        Ok(())
    }

    #[pyo3(signature = (path, /, *, include = None, exclude = None, max_file_bytes = None, watch = true, settle_ms = 50))]
    fn directory(
        this: &Bound<'_, Self>,
        path: PathBuf,
        include: Option<Vec<String>>,
        exclude: Option<Vec<String>>,
        max_file_bytes: Option<u64>,
        watch: bool,
        settle_ms: u64,
    ) -> PyResult<Handle> {
        let py = this.py();
        let mut directory = Directory::new(path).watch(watch).settle_ms(settle_ms);
        for pattern in include.unwrap_or_default() {
            directory = directory.include(pattern);
        }
        for pattern in exclude.unwrap_or_default() {
            directory = directory.exclude(pattern);
        }
        if let Some(bytes) = max_file_bytes {
            directory = directory.max_file_bytes(bytes);
        }
        let core = this.get().core(py);
        let handle = py.detach(|| core.directory(directory)).or_raise(py)?;
        Ok(Handle { server: this.clone().unbind(), name: handle.name().to_owned() })
    }

    #[pyo3(signature = (function, /))]
    fn authorize<'py>(this: &Bound<'py, Self>, function: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        register(this.py(), this.get(), What::Authorize, &function)?;
        Ok(function)
    }

    #[pyo3(signature = (function, /))]
    fn on_interest<'py>(this: &Bound<'py, Self>, function: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        register(this.py(), this.get(), What::OnInterest, &function)?;
        Ok(function)
    }

    #[pyo3(signature = (uri, /))]
    fn remove(&self, py: Python<'_>, uri: &str) -> PyResult<()> {
        let core = self.core(py);
        if let Some(id) = py.detach(|| core.remove(uri)).or_raise(py)? {
            self.table.remove(id);
        }
        Ok(())
    }

    #[pyo3(signature = (uri, /))]
    fn updated(&self, py: Python<'_>, uri: &str) -> PyResult<()> {
        let core = self.core(py);
        py.detach(|| core.updated(uri)).or_raise(py)
    }

    #[pyo3(signature = (resource, /))]
    fn updated_as(&self, py: Python<'_>, resource: &Bound<'_, Resource>) -> PyResult<()> {
        let core = self.core(py);
        let resource = resource.get().to_core(py)?;
        py.detach(|| core.updated_as(resource)).or_raise(py)
    }

    #[pyo3(signature = (uri, parent, /))]
    fn updated_below(&self, py: Python<'_>, uri: &str, parent: &str) -> PyResult<()> {
        let core = self.core(py);
        py.detach(|| core.updated_below(uri, parent)).or_raise(py)
    }

    #[pyo3(signature = (function, /))]
    fn on_publish<'py>(&self, function: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = function.py();
        if !function.is_callable() {
            return Err(PyTypeError::new_err("on_publish takes a function (event)"));
        }
        self.publisher.set(Some(function.clone().unbind()));
        let (core, publisher) = (self.core(py), self.publisher.clone());
        py.detach(|| core.on_publish(move |event| publisher.publish(event))).or_raise(py)?;
        Ok(function)
    }

    #[pyo3(signature = (event, /))]
    fn inject(&self, py: Python<'_>, event: &str) -> PyResult<bool> {
        let core = self.core(py);
        py.detach(|| core.inject(event)).or_raise(py)
    }

    fn counters(&self, py: Python<'_>) -> Counters {
        let core = self.core(py);
        py.detach(|| core.counters()).into()
    }

    #[pyo3(signature = (kind, /))]
    fn announce(&self, py: Python<'_>, kind: &str) -> PyResult<()> {
        let core = self.core(py);
        py.detach(|| core.announce(kind)).or_raise(py)
    }

    #[pyo3(signature = (caller_id, /))]
    fn access_changed(&self, caller_id: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = caller_id.py();
        let core = self.core(py);
        let id = body::buffer(caller_id)?;
        let id = id.as_bytes();
        py.detach(|| core.access_changed(id)).or_raise(py)
    }

    fn list_changed(&self, py: Python<'_>) -> PyResult<()> {
        let core = self.core(py);
        py.detach(|| core.list_changed()).or_raise(py)
    }

    #[pyo3(signature = (*, callback_threads = 1, drain = 5.0, guard = true))]
    fn run(this: &Bound<'_, Self>, callback_threads: usize, drain: f64, guard: bool) -> PyResult<()> {
        let run = this.py().import("wellhead._run")?.getattr("run")?;
        run.call1((this, callback_threads, drain, guard)).map(drop)
    }

    #[pyo3(signature = (*, drain = 5.0, guard = true))]
    fn run_async<'py>(this: &Bound<'py, Self>, drain: f64, guard: bool) -> PyResult<Bound<'py, PyAny>> {
        let run = this.py().import("wellhead._asyncio")?.getattr("run_async")?;
        run.call1((this, drain, guard))
    }

    #[pyo3(signature = (host = "127.0.0.1", port = 8000, *, callback_threads = 1, on_listening = None, **options))]
    fn serve_http(
        this: &Bound<'_, Self>,
        host: &str,
        port: u16,
        callback_threads: usize,
        on_listening: Option<Py<PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let serve = this.py().import("wellhead._run")?.getattr("serve_http")?;
        serve.call1((this, (host, port), callback_threads, on_listening, given(this.py(), options))).map(drop)
    }

    #[pyo3(signature = (host = "127.0.0.1", port = 8000, *, on_listening = None, **options))]
    fn serve_http_async<'py>(
        this: &Bound<'py, Self>,
        host: &str,
        port: u16,
        on_listening: Option<Py<PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let serve = this.py().import("wellhead._asyncio")?.getattr("serve_http_async")?;
        serve.call1((this, (host, port), on_listening, given(this.py(), options)))
    }

    #[pyo3(signature = (**options))]
    fn asgi<'py>(
        this: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let app = this.py().import("wellhead._asgi")?.getattr("AsgiApp")?;
        app.call1((this, given(this.py(), options)))
    }

    #[pyo3(signature = (uri, /))]
    fn explain(&self, py: Python<'_>, uri: &str) -> Explanation {
        let core = self.core(py);
        Explanation(py.detach(|| core.explain(uri)))
    }

    #[pyo3(signature = (**options))]
    fn test_client<'py>(
        this: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("wellhead._testing")?.getattr("TestClient")?.call((this,), options)
    }

    #[pyo3(signature = (**options))]
    fn test_client_async<'py>(
        this: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("wellhead._testing")?.getattr("AsyncTestClient")?.call((this,), options)
    }

    fn close(&self, py: Python<'_>) {
        let core = self.core(py);
        py.detach(|| core.close());
    }

    #[pyo3(signature = (wake = None, *, caller = None))]
    fn connect(
        this: &Bound<'_, Self>,
        wake: Option<Py<PyAny>>,
        caller: Option<Py<Caller>>,
    ) -> PyResult<Connection> {
        let py = this.py();
        let known = caller.as_ref().map(|caller| caller.get().to_core(py)).unwrap_or_default();
        if wake.as_ref().is_some_and(|wake| !wake.bind(py).is_callable()) {
            return Err(PyTypeError::new_err("wake is a function without parameters"));
        }
        let host = Host::new(this.clone().unbind(), caller);
        Ok(Connection::open(this.get().core(py), known, host, wake))
    }

    fn __enter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        format!("{:?}", self.core)
    }

    /// For `_run.py`: starts to serve standard input and output.
    fn _start(
        this: &Bound<'_, Self>,
        callback_threads: usize,
        drain: f64,
        guard: bool,
        on_loop: bool,
    ) -> PyResult<Driver> {
        let py = this.py();
        at_least_one(callback_threads)?;
        let drain = http::seconds("drain", drain)?;
        let options = Stdio::new().callback_threads(callback_threads).drain(drain).guard(guard);
        this.get().base.set(py)?;
        let host = Host::new(this.clone().unbind(), None);
        Driver::start_stdio(py, host, this.get().core(py), options, on_loop)
    }

    /// For `_run.py`: binds an address, and starts to serve HTTP there.
    fn _start_http(
        this: &Bound<'_, Self>,
        address: (String, u16),
        callback_threads: usize,
        on_loop: bool,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Driver> {
        let py = this.py();
        at_least_one(callback_threads)?;
        let server = this.get().core(py);
        let (listener, verifier) = http::listener(server, options)?;
        let listener = listener.callback_threads(callback_threads);
        let (host, port) = address;
        let listener = py.detach(|| listener.bind((host.as_str(), port))).or_raise(py)?;
        this.get().base.set(py)?;
        Driver::start_http(py, Host::verifying(this.clone().unbind(), verifier), listener, on_loop)
    }

    /// For `_asgi.py`: whether these are options of an endpoint.
    fn _check_endpoint(&self, py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<()> {
        http::endpoint(self.core(py), options).map(drop)
    }

    /// For `_asgi.py`: an endpoint without a socket.
    fn _endpoint(this: &Bound<'_, Self>, options: &Bound<'_, PyDict>, wake: Py<PyAny>) -> PyResult<Endpoint> {
        let http::Endpoint { builder, verifier } = http::endpoint(this.get().core(this.py()), options)?;
        Ok(Endpoint::new(builder, Host::verifying(this.clone().unbind(), verifier), wake))
    }

    /// For `_run.py`: whether an `async def` is registered.
    fn _needs_loop(&self) -> bool {
        self.table.needs_loop()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.table.traverse(&visit)?;
        self.observer.traverse(&visit)?;
        self.base.traverse(&visit)?;
        self.publisher.traverse(&visit)
    }

    fn __clear__(&self) {
        self.table.clear();
        self.observer.set(None);
        self.base.clear();
        self.publisher.set(None);
    }
}

fn given<'py>(py: Python<'py>, options: Option<&Bound<'py, PyDict>>) -> Bound<'py, PyDict> {
    options.cloned().unwrap_or_else(|| PyDict::new(py))
}

fn at_least_one(callback_threads: usize) -> PyResult<()> {
    if callback_threads == 0 {
        let message = "callback_threads is at least 1: the thread that runs the server";
        return Err(PyValueError::new_err(message));
    }
    Ok(())
}

/// What was registered, to be changed or removed. Dropping this object removes nothing.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Handle {
    server: Py<Server>,
    name: String,
}

#[pymethods]
impl Handle {
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    #[pyo3(signature = (body, /))]
    fn set(&self, body: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = body.py();
        let given = match (body.cast::<Contents>(), body::body(body)?) {
            (Ok(contents), _) => contents.get().to_core(),
            (_, Some(body)) => wellhead::Contents::new(body),
            _ => {
                let given = body.get_type();
                let message = format!("a fixed resource is str, bytes or Contents, not {}", given.name()?);
                return Err(PyTypeError::new_err(message));
            }
        };
        let core = self.server.get().core(py);
        py.detach(|| core.set(&self.name, given)).or_raise(py)
    }

    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.server.get().remove(py, &self.name)
    }

    fn __repr__(&self) -> String {
        format!("<wellhead.Handle {}>", self.name)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.server)
    }
}
