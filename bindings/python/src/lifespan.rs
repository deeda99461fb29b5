//! The lifespan of a server, and the functions of `on_start` and `on_stop`: they begin and end with a service.
//! `wellhead/_lifespan.py` calls them.

use crate::imported::Imported;
use crate::lock::lock;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use std::sync::Mutex;

/// The Python object with the lifespan and these functions. `None` if none was registered.
#[derive(Default)]
pub(crate) struct Life(Mutex<Option<Py<PyAny>>>);

impl Life {
    pub(crate) fn get(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        lock(&self.0).as_ref().map(|life| life.clone_ref(py))
    }

    /// Returns the Python object. The first call makes it.
    pub(crate) fn made<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static LIFE: Imported = Imported::new("wellhead._lifespan", "Life");
        if let Some(life) = self.get(py) {
            return Ok(life.into_bound(py));
        }
        let new = LIFE.get(py)?.call0()?.unbind(); // without the lock: it runs Python
        let mut held = lock(&self.0);
        let life = held.get_or_insert_with(|| new.clone_ref(py)).clone_ref(py);
        drop(held);
        Ok(life.into_bound(py))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock() {
            Ok(life) => visit.call(&*life),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn clear(&self) {
        let before = lock(&self.0).take();
        drop(before); // after the lock: it may run Python
    }
}
