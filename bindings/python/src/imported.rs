//! Objects of Python modules that Rust uses, each imported when it is first used.

use pyo3::prelude::*;
use std::sync::OnceLock;

/// An object of a Python module. Its name may be a path, such as `Context.run`.
///
/// No lock is held during the import: another thread may call `os.fork` meanwhile, and a lock would stay locked in the child.
/// So this is not pyo3's `PyOnceLock`.
pub(crate) struct Imported {
    module: &'static str,
    name: &'static str,
    object: OnceLock<Py<PyAny>>,
}

impl Imported {
    pub(crate) const fn new(module: &'static str, name: &'static str) -> Self {
        Imported { module, name, object: OnceLock::new() }
    }

    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        if let Some(object) = self.object.get() {
            return Ok(object.bind(py));
        }
        let module = py.import(self.module)?.into_any();
        let object = self.name.split('.').try_fold(module, |object, name| object.getattr(name))?.unbind();
        Ok(self.object.get_or_init(|| object).bind(py))
    }
}
