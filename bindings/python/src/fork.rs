//! What `fork` leaves behind: connections and drivers belong to the process that made them.

use crate::errors::error;
use crate::exit;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use wellhead::ErrorKind;

static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Called in the child, by `os.register_at_fork`.
#[pyfunction(name = "_forked")]
pub(crate) fn forked() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    exit::forked();
}

/// The process that something was made in.
pub(crate) struct Process(AtomicU64);

impl Process {
    pub(crate) fn current() -> Self {
        Process(AtomicU64::new(GENERATION.load(Ordering::Relaxed)))
    }

    /// Whether this is a child of the process that made it.
    pub(crate) fn is_parent(&self) -> bool {
        self.0.load(Ordering::Relaxed) != GENERATION.load(Ordering::Relaxed)
    }

    /// Moves into the current process. Tells whether that is another one than before.
    pub(crate) fn enter(&self) -> bool {
        let now = GENERATION.load(Ordering::Relaxed);
        self.0.swap(now, Ordering::Relaxed) != now
    }

    /// Refuses the use of something that was made before `fork`.
    pub(crate) fn check(&self, py: Python<'_>, what: &str) -> PyResult<()> {
        if self.is_parent() {
            let message = format!("this {what} was made before fork; make a new one in the child");
            return Err(error(py, ErrorKind::Forked, &message));
        }
        Ok(())
    }
}
