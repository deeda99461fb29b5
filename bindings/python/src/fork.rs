//! Objects that `fork` leaves behind: connections and drivers belong to the process that made them.

use crate::errors::error;
use crate::exit;
use crate::hook;
use crate::interpreter;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use wellhead::{ErrorKind, fork};

static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Called once, when the package is imported. From then on a fork waits until no other thread holds a lock, since such
/// a lock would stay locked in the child.
pub(crate) fn guard() {
    fork::guard(|| {
        // A thread that waits with the interpreter lets the thread that forks have it. Other threads must not attach here:
        // that takes a lock of CPython's, and the child of a fork in 3.10 waits for it for ever.
        let waited =
            interpreter::knows_this_thread().then(|| Python::try_attach(|py| py.detach(thread::yield_now)));
        waited.flatten().unwrap_or_else(thread::yield_now);
    });
}

/// Called before a fork, by `os.register_at_fork`.
#[pyfunction(name = "_forking")]
pub(crate) fn forking() {
    fork::before();
}

/// Called in the parent after a fork, by `os.register_at_fork`.
#[pyfunction(name = "_has_forked")]
pub(crate) fn has_forked() {
    fork::after_in_parent();
}

/// Called in the child after a fork, by `os.register_at_fork`.
#[pyfunction(name = "_forked")]
pub(crate) fn forked() {
    fork::after_in_child();
    GENERATION.fetch_add(1, Ordering::Relaxed);
    exit::forked();
    hook::forked();
}

/// The process in which an object was made.
pub(crate) struct Process(AtomicU64);

impl Process {
    pub(crate) fn current() -> Self {
        Process(AtomicU64::new(GENERATION.load(Ordering::Relaxed)))
    }

    /// Returns whether the current process is another one than that in which the object was made.
    pub(crate) fn is_parent(&self) -> bool {
        self.0.load(Ordering::Relaxed) != GENERATION.load(Ordering::Relaxed)
    }

    /// Sets the process to the current one. Returns whether that is another one than before.
    pub(crate) fn enter(&self) -> bool {
        let now = GENERATION.load(Ordering::Relaxed);
        self.0.swap(now, Ordering::Relaxed) != now
    }

    /// Raises `ClosedError` if the object was made before a `fork`. `what` names the object.
    pub(crate) fn check(&self, py: Python<'_>, what: &str) -> PyResult<()> {
        if self.is_parent() {
            let message = format!("this {what} was made before fork; make a new one in the child");
            return Err(error(py, ErrorKind::Forked, &message));
        }
        Ok(())
    }
}
