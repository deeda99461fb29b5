//! The context variables (`contextvars`) that callbacks run with.
//!
//! The context of a request travels with it through the core, since the thread or task that finds a question of a request need
//! not be the one that brought the request. Each callback runs in a copy, so it sees what was set for its request and nothing
//! that another callback set.

use crate::imported::Imported;
use crate::lock::lock;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use pyo3::{PyTraverseError, PyVisit};
use std::sync::{Arc, Mutex, MutexGuard};
use wellhead::{Event, Observed, RequestContext};

/// A `contextvars.Context` of Python.
pub(crate) struct Context(Py<PyAny>);

/// The context of one callback. The observer of the call ran in the same context before the callback, and runs in it again at
/// the end.
struct OfCall(Context);

impl Context {
    /// Copies the current context.
    pub(crate) fn current(py: Python<'_>) -> PyResult<Self> {
        static COPY: Imported = Imported::new("contextvars", "copy_context");
        Ok(Context(COPY.get(py)?.call0()?.unbind()))
    }

    /// Returns the current context as that of a request that begins here.
    pub(crate) fn of_request(py: Python<'_>) -> PyResult<RequestContext> {
        Ok(Arc::new(Context::current(py)?))
    }

    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        Context(self.0.clone_ref(py))
    }

    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.0.call_method0(py, intern!(py, "copy")).map(Context)
    }

    /// Calls `function` in this context.
    pub(crate) fn run<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        arguments: &[Bound<'py, PyAny>],
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // The function of the class: a bound method would be made and freed for each call.
        static RUN: Imported = Imported::new("contextvars", "Context.run");
        let py = function.py();
        let (run, context) = (RUN.get(py)?, self.bind(py));
        match arguments {
            [] => run.call((context, function), keywords),
            [only] => run.call((context, function, only), keywords),
            _ => {
                let all: Vec<_> = [context, function].into_iter().chain(arguments).collect();
                run.call(PyTuple::new(py, all)?, keywords)
            }
        }
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }

    pub(crate) fn bind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.0.bind(py)
    }
}

/// The context of a server: that in which it was made, or in which it began to serve. Callbacks run in a copy of it where there
/// is no request that has one. The observer has a share, the server the other: so garbage collection sees it.
#[derive(Clone)]
pub(crate) struct Base(Arc<Mutex<Option<Context>>>);

impl Base {
    pub(crate) fn new(py: Python<'_>) -> PyResult<Self> {
        Ok(Base(Arc::new(Mutex::new(Some(Context::current(py)?)))))
    }

    fn context(&self) -> MutexGuard<'_, Option<Context>> {
        lock(&self.0)
    }

    /// Sets the context to the current one, in which the server begins to serve.
    pub(crate) fn set(&self, py: Python<'_>) -> PyResult<()> {
        let now = Context::current(py)?;
        let before = self.context().replace(now);
        drop(before); // after the lock: it may run Python
        Ok(())
    }

    pub(crate) fn copy(&self, py: Python<'_>) -> PyResult<Context> {
        let context = self.context().as_ref().map(|context| context.clone_ref(py));
        context.map_or_else(|| Context::current(py), |context| context.copy(py))
    }

    /// Returns the context in which to run the callback of an event.
    pub(crate) fn for_event(&self, py: Python<'_>, event: &Event) -> PyResult<Context> {
        if let Some(OfCall(own)) = event.request_context() {
            return Ok(own.clone_ref(py));
        }
        match event.request_context::<Context>() {
            Some(request) => request.copy(py),
            None => self.copy(py),
        }
    }

    /// Returns the context in which to call the observer about a call: that of its callback.
    pub(crate) fn for_observer(&self, py: Python<'_>, observed: &Observed<'_>) -> PyResult<Context> {
        let (given, is_over) = (observed.request_context, observed.end.is_some());
        let begun = given.and_then(|given| given.downcast_ref::<OfCall>());
        if let Some(OfCall(own)) = begun {
            return Ok(own.clone_ref(py));
        }
        let own = match given.and_then(|given| given.downcast_ref::<Context>()) {
            Some(request) => request.copy(py)?,
            None => self.copy(py)?,
        };
        if !is_over {
            observed.attach(Arc::new(OfCall(own.clone_ref(py))));
        }
        Ok(own)
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock() {
            Ok(context) => context.as_ref().map_or(Ok(()), |context| context.traverse(visit)),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn clear(&self) {
        let context = self.context().take();
        drop(context);
    }
}
