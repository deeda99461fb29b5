//! Callables that the core calls by itself, wherever it is, instead of handing out an event.

use crate::alive::Share;
use crate::context::Base;
use crate::exit::try_attach;
use crate::lock::lock;
use crate::log;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use std::sync::{Arc, Mutex};
use wellhead::Provider;

/// A callable. The core has a share of this, the server the other: so garbage collection sees it.
#[derive(Clone)]
pub(crate) struct Hook {
    callable: Arc<Mutex<Option<Py<PyAny>>>>,
    server: Share,
}

impl Hook {
    pub(crate) fn new(callable: Option<Py<PyAny>>, server: Share) -> Self {
        Hook { callable: Arc::new(Mutex::new(callable)), server }
    }

    pub(crate) fn set(&self, callable: Option<Py<PyAny>>) {
        let before = std::mem::replace(&mut *lock(&self.callable), callable);
        drop(before); // after the lock: it may run Python
    }

    /// None without a callable, a server or an interpreter, and if the callable raised, which is logged.
    pub(crate) fn call<T>(
        &self,
        failure: &str,
        call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        try_attach(|py| {
            let held = lock(&self.callable);
            let callable = held.as_ref().map(|callable| callable.clone_ref(py));
            drop(held);
            let callable = callable.filter(|_| self.server.is_alive(py))?;
            call(callable.bind(py)).map_err(|e| log::exception(py, failure, e)).ok()
        })
        .flatten()
    }

    /// For `Server.on_publish`.
    pub(crate) fn publish(&self, event: &str) {
        self.call("a function that publishes failed", |callable| callable.call1((event,)).map(drop));
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.callable.try_lock() {
            Ok(callable) => visit.call(&*callable),
            Err(_) => Ok(()),
        }
    }
}

/// Says whether a URI may exist. The other callbacks of the registration are events.
pub(crate) struct Exists(pub(crate) Hook, pub(crate) Base);

impl Provider for Exists {
    fn exists(&self, uri: &str) -> bool {
        let failure = "exists= failed, so the resource may exist";
        let exists = self.0.call(failure, |callable| {
            let py = callable.py();
            self.1.copy(py)?.run(callable, &[uri.into_pyobject(py)?.into_any()], None)?.extract()
        });
        exists.unwrap_or(true)
    }

    fn answers(&self) -> bool {
        false
    }
}
