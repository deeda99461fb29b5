//! Callables that the core calls directly, on the thread on which it runs, instead of handing out an event.

use crate::alive::Share;
use crate::context::Base;
use crate::driver;
use crate::errors::ends;
use crate::exit::try_attach;
use crate::imported::Imported;
use crate::lock::lock;
use crate::log;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Mutex};
use wellhead::Provider;

thread_local! {
    /// The number of nested calls of [`raising`] on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// The exception that the innermost call of [`raising`] raises at its end.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// The exception of a hook that was called outside of [`raising`], as on a thread of the core. The first service that
/// finds it raises it. The other services go on.
static LEFT: Mutex<Option<PyErr>> = Mutex::new(None);

/// Calls the core, and then raises the `KeyboardInterrupt` or `SystemExit` of a hook that the core called meanwhile,
/// since no exception can pass through the core.
///
/// # Errors
/// Only `KeyboardInterrupt` and `SystemExit`.
pub(crate) fn raising<T>(f: impl FnOnce() -> T) -> PyResult<T> {
    let (result, raised) = keeping(f);
    raised.map_or(Ok(result), Err)
}

/// Calls the core, and returns its result and the `KeyboardInterrupt` or `SystemExit` of a hook, if there was one.
pub(crate) fn keeping<T>(f: impl FnOnce() -> T) -> (T, Option<PyErr>) {
    struct Scope;
    impl Drop for Scope {
        fn drop(&mut self) {
            DEPTH.set(DEPTH.get() - 1);
        }
    }
    DEPTH.set(DEPTH.get() + 1);
    let scope = Scope;
    let result = f();
    drop(scope);
    (result, RAISED.take())
}

/// Raises the exception of a hook that was called outside of [`raising`], if there is one.
pub(crate) fn raise_left() -> PyResult<()> {
    let left = lock(&LEFT).take();
    left.map_or(Ok(()), Err)
}

/// Keeps a `KeyboardInterrupt` or `SystemExit` of a function whose caller cannot raise it, such as `wake`, for a thread
/// that can. Shows any other exception with `sys.unraisablehook`.
pub(crate) fn uncaught(py: Python<'_>, e: PyErr, function: Option<&Bound<'_, PyAny>>) {
    if ends(py, &e) {
        keep(py, e);
    } else {
        e.write_unraisable(py, function);
    }
}

/// Keeps an exception of a hook for the thread that raises it.
fn keep(py: Python<'_>, e: PyErr) {
    if DEPTH.get() > 0 {
        let before = RAISED.replace(Some(e));
        drop(before);
    } else {
        let before = lock(&LEFT).replace(e);
        drop(before); // after the lock: it may run Python
        driver::interrupt_all();
        hand_on(py); // after it is left: the last service may end meanwhile
    }
}

/// Gives the interrupt that a hook left to the main thread if no service can raise it. Called also when a service has
/// ended, because it may have ended before it raised the interrupt.
pub(crate) fn hand_on(py: Python<'_>) {
    if driver::is_any_live() {
        return;
    }
    let mut left = lock(&LEFT);
    let interrupt = left.take_if(|e| e.is_instance_of::<PyKeyboardInterrupt>(py));
    drop(left);
    if interrupt.is_some() {
        interrupt_main(py);
    }
}

/// Forgets the exception of a hook in the child of a `fork`: it is the parent's.
pub(crate) fn forked() {
    let left = lock(&LEFT).take();
    drop(left); // after the lock: it may run Python
}

/// Sends the interrupt to the main thread again. The main thread raises it when it next runs Python.
fn interrupt_main(py: Python<'_>) {
    static INTERRUPT_MAIN: Imported = Imported::new("_thread", "interrupt_main");
    if let Err(e) = INTERRUPT_MAIN.get(py).and_then(PyAnyMethods::call0) {
        e.write_unraisable(py, None);
    }
}

/// A callable that the core calls. The core shares it with the Python server, so that garbage collection sees it there.
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

    /// Runs `call` with the callable. Returns `None` if the callable, the server or the interpreter is gone, and if the
    /// callable raised: that exception is logged, or kept for [`raising`].
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
            match call(callable.bind(py)) {
                Ok(value) => Some(value),
                Err(e) => {
                    if ends(py, &e) {
                        keep(py, e);
                    } else {
                        log::exception(py, failure, e);
                    }
                    None
                }
            }
        })
        .flatten()
    }

    /// Calls the function of `Server.on_publish` with a change as JSON, which the application carries to its other instances.
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

/// The function `exists` of a registration: it says whether a URI may exist. The core calls it directly, and the other
/// callbacks through events.
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
