//! The server as Python sees it.

use crate::body;
use crate::connection::Connection;
use crate::descriptor::{Descriptor, describe};
use crate::driver::Driver;
use crate::errors::OrRaise;
use crate::fork::Process;
use crate::host::Host;
use crate::limits::Limits;
use crate::log;
use crate::registration::{Decorator, Table, What, register};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use std::time::Duration;
use wellhead::serve::Stdio;
use wellhead::{Body, Resource};

/// An application's resources, for any number of clients.
#[pyclass(frozen, weakref, module = "wellhead")]
pub(crate) struct Server {
    core: wellhead::Server,
    pub(crate) table: Table,
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

    fn add(
        this: &Bound<'_, Self>,
        uri: &str,
        body: Body,
        descriptor: Descriptor,
        size: Option<u64>,
    ) -> PyResult<Fixed> {
        let py = this.py();
        let mut resource = describe!(Resource::new(uri), descriptor);
        if let Some(size) = size {
            resource = resource.size(size);
        }
        let core = this.get().core(py);
        py.detach(|| core.value(resource, body)).or_raise(py)?;
        Ok(Fixed { server: this.clone().unbind(), uri: uri.to_owned() })
    }
}

#[pymethods]
impl Server {
    #[new]
    #[pyo3(signature = (name, version, *, title = None, instructions = None, cursor_key = None, limits = None,
        subscribe = true, list_changed = true))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        name: &str,
        version: &str,
        title: Option<String>,
        instructions: Option<String>,
        cursor_key: Option<Vec<u8>>,
        limits: Option<Bound<'_, Limits>>,
        subscribe: bool,
        list_changed: bool,
    ) -> PyResult<Self> {
        let mut builder = wellhead::Server::builder(name, version)
            .subscribe(subscribe)
            .list_changed(list_changed)
            .on_log(log::write);
        if let Some(title) = title {
            builder = builder.title(title);
        }
        if let Some(instructions) = instructions {
            builder = builder.instructions(instructions);
        }
        if let Some(key) = cursor_key {
            builder = builder.cursor_key(key);
        }
        if let Some(limits) = limits {
            builder = builder.limits(limits.get().0.clone());
        }
        let core = builder.build().or_raise(py)?;
        Ok(Server { core, table: Table::default(), process: Process::current() })
    }

    #[pyo3(signature = (uri, body, /, *, name = None, title = None, description = None, mime_type = None,
        size = None, annotations = None, meta = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn text(
        this: &Bound<'_, Self>,
        uri: &str,
        body: &Bound<'_, PyString>,
        name: Option<String>,
        title: Option<String>,
        description: Option<String>,
        mime_type: Option<String>,
        size: Option<u64>,
        annotations: Option<&Bound<'_, PyDict>>,
        meta: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Fixed> {
        let names = [name, title, description, mime_type];
        let descriptor = Descriptor::new(this.py(), names, annotations, meta)?;
        Server::add(this, uri, body::text(body)?, descriptor, size)
    }

    #[pyo3(signature = (uri, body, /, *, name = None, title = None, description = None, mime_type = None,
        size = None, annotations = None, meta = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn blob(
        this: &Bound<'_, Self>,
        uri: &str,
        body: &Bound<'_, PyAny>,
        name: Option<String>,
        title: Option<String>,
        description: Option<String>,
        mime_type: Option<String>,
        size: Option<u64>,
        annotations: Option<&Bound<'_, PyDict>>,
        meta: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Fixed> {
        let names = [name, title, description, mime_type];
        let descriptor = Descriptor::new(this.py(), names, annotations, meta)?;
        let bytes = body::buffer(body)?;
        Server::add(this, uri, body::bytes(&bytes), descriptor, size)
    }

    #[pyo3(signature = (uri, /, *, name = None, title = None, description = None, mime_type = None, size = None,
        annotations = None, meta = None, thread = false, list = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn resource(
        this: &Bound<'_, Self>,
        uri: String,
        name: Option<String>,
        title: Option<String>,
        description: Option<String>,
        mime_type: Option<String>,
        size: Option<u64>,
        annotations: Option<&Bound<'_, PyDict>>,
        meta: Option<&Bound<'_, PyDict>>,
        thread: bool,
        list: Option<Py<PyAny>>,
    ) -> PyResult<Decorator> {
        let names = [name, title, description, mime_type];
        let descriptor = Descriptor::new(this.py(), names, annotations, meta)?;
        let what = What::Resource { uri, descriptor, size, thread, list };
        Ok(Decorator::new(this.clone().unbind(), what))
    }

    #[pyo3(signature = (source = None, /, *, name = None))]
    fn list<'py>(
        this: &Bound<'py, Self>,
        source: Option<Bound<'py, PyAny>>,
        name: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let what = What::List { name };
        match source {
            Some(source) => {
                register(this.py(), this.get(), what, &source)?;
                Ok(source)
            }
            None => Ok(Bound::new(this.py(), Decorator::new(this.clone().unbind(), what))?.into_any()),
        }
    }

    #[pyo3(signature = (function, /))]
    fn fallback<'py>(this: &Bound<'py, Self>, function: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        register(this.py(), this.get(), What::Fallback, &function)?;
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

    fn close(&self, py: Python<'_>) {
        let core = self.core(py);
        py.detach(|| core.close());
    }

    #[pyo3(signature = (wake = None))]
    fn connect(this: &Bound<'_, Self>, wake: Option<Py<PyAny>>) -> PyResult<Connection> {
        let py = this.py();
        if wake.as_ref().is_some_and(|wake| !wake.bind(py).is_callable()) {
            return Err(PyTypeError::new_err("wake is a function without parameters"));
        }
        Ok(Connection::open(this.get().core(py), Host::new(this.clone().unbind()), wake))
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
        if callback_threads == 0 {
            return Err(PyValueError::new_err(
                "callback_threads is at least 1: the thread that runs the server",
            ));
        }
        let drain = Duration::try_from_secs_f64(drain)
            .map_err(|_| PyValueError::new_err("drain is a number of seconds, 0 or more"))?;
        let options = Stdio::new().callback_threads(callback_threads).drain(drain).guard(guard);
        Driver::start(py, Host::new(this.clone().unbind()), this.get().core(py), options, on_loop)
    }

    /// For `_run.py`: whether an `async def` is registered.
    fn _needs_loop(&self) -> bool {
        self.table.needs_loop()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.table.traverse(&visit)
    }

    fn __clear__(&self) {
        self.table.clear();
    }
}

/// A fixed resource. Dropping this object removes nothing.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Fixed {
    server: Py<Server>,
    uri: String,
}

#[pymethods]
impl Fixed {
    #[getter]
    fn uri(&self) -> &str {
        &self.uri
    }

    #[pyo3(signature = (body, /))]
    fn set(&self, body: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = body.py();
        let Some(given) = body::body(body)? else {
            let message = format!("a fixed resource is str or bytes, not {}", body.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        };
        let core = self.server.get().core(py);
        py.detach(|| core.set(&self.uri, given)).or_raise(py)
    }

    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        self.server.get().remove(py, &self.uri)
    }

    fn __repr__(&self) -> String {
        format!("<wellhead.Fixed {}>", self.uri)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.server)
    }
}
