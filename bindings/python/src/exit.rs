//! The end of the interpreter, which ends threads wherever they wait for it.
//!
//! A thread that is not joined, such as a daemon thread, goes on until the interpreter is finalized; from then on, before Python
//! 3.14, it is unwound as soon as it asks for the interpreter. Where that happens below a frame of Rust, the process aborts. So
//! no thread may ask for the interpreter here once the end has begun, and the end waits for those that are here already.

use crate::lock::lock;
use pyo3::marker::Ungil;
use pyo3::prelude::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// The number of threads that use the interpreter here.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
static ENDING: AtomicBool = AtomicBool::new(false);
/// Tells the thread that ends the interpreter that another thread has left it.
static LEFT: (Mutex<()>, Condvar) = (Mutex::new(()), Condvar::new());

/// The time that the end of the interpreter waits for running callbacks.
const PATIENCE: Duration = Duration::from_secs(2);

thread_local! {
    /// The number of nested [`Inside`] of this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// A mark that this thread uses the interpreter, so that its end waits. Dropping it ends the use.
pub(crate) struct Inside;

impl Inside {
    /// Makes a mark, or returns `None` if the end of the interpreter has begun.
    pub(crate) fn enter() -> Option<Self> {
        let depth = DEPTH.get();
        if depth == 0 {
            INSIDE.fetch_add(1, Ordering::SeqCst);
            if ENDING.load(Ordering::SeqCst) {
                count_out();
                return None;
            }
        }
        DEPTH.set(depth + 1);
        Some(Inside)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 {
            count_out();
        }
    }
}

fn count_out() {
    INSIDE.fetch_sub(1, Ordering::SeqCst);
    if ENDING.load(Ordering::SeqCst) {
        let _waits = lock(&LEFT.0); // or it has looked, and does not wait yet
        LEFT.1.notify_all();
    }
}

/// Calls `Python::detach`, unless the end has begun. Then `f` runs attached: no other thread waits for the interpreter.
pub(crate) fn detach<T, F>(py: Python<'_>, f: F) -> T
where
    F: Ungil + FnOnce() -> T,
    T: Ungil,
{
    let Some(_inside) = Inside::enter() else { return f() };
    py.detach(f)
}

/// Calls `Python::try_attach`, and returns `None` if the end has begun. Keeps a pending exception, since this may run
/// while that exception drops an object.
pub(crate) fn try_attach<T>(f: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    let _inside = Inside::enter()?;
    Python::try_attach(|py| {
        let under_way = PyErr::take(py);
        let result = f(py);
        if let Some(e) = under_way {
            e.restore(py);
        }
        result
    })
}

/// Begins the end of the interpreter: waits, for at most [`PATIENCE`], until no thread but this one uses it.
pub(crate) fn begin(py: Python<'_>) {
    ENDING.store(true, Ordering::SeqCst);
    let own = usize::from(DEPTH.get() > 0);
    py.detach(|| {
        let others = |(): &mut ()| INSIDE.load(Ordering::SeqCst) > own;
        drop(LEFT.1.wait_timeout_while(lock(&LEFT.0), PATIENCE, others));
    });
}

/// Forgets the other threads, in the child of a `fork`, which has only this one.
pub(crate) fn forked() {
    INSIDE.store(usize::from(DEPTH.get() > 0), Ordering::SeqCst);
}
