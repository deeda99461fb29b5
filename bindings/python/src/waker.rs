//! Wakes the threads and tasks that wait for output or an event of a connection.

use crate::alive::Share;
use crate::exit::try_attach;
use crate::hook::uncaught;
use crate::lock::lock;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// The callables that a wake of a connection calls. The core holds this value; the Python objects in it belong to the
/// connection.
pub(crate) struct Waker {
    connection: Share,
    wake: Mutex<Option<Py<PyAny>>>,
    waiters: Mutex<Vec<Py<PyAny>>>,
    /// The number of callables. A thread that is not attached reads it in place of them. If it held their locks, a garbage
    /// collection could miss them in its second part, and free what is in use.
    callables: AtomicUsize,
    wakes: Mutex<u64>,
    woken: Condvar,
}

impl Waker {
    /// Makes a waker. It calls its Python objects only until garbage collection takes `connection` apart.
    pub(crate) fn new(connection: Share, wake: Option<Py<PyAny>>) -> Self {
        Waker {
            connection,
            callables: AtomicUsize::new(usize::from(wake.is_some())),
            wake: Mutex::new(wake),
            waiters: Mutex::default(),
            wakes: Mutex::default(),
            woken: Condvar::new(),
        }
    }

    /// Wakes the application. The core calls this without a lock, on any thread.
    pub(crate) fn wake(&self) {
        *lock(&self.wakes) += 1;
        self.woken.notify_all();
        if self.callables.load(Ordering::SeqCst) == 0 {
            return;
        }
        try_attach(|py| {
            let mut called: Vec<_> = lock(&self.waiters).iter().map(|waiter| waiter.clone_ref(py)).collect();
            called.extend(lock(&self.wake).as_ref().map(|wake| wake.clone_ref(py)));
            if !self.connection.is_alive(py) {
                return;
            }
            for wake in called {
                if let Err(e) = wake.call0(py) {
                    uncaught(py, e, Some(wake.bind(py)));
                }
            }
        });
    }

    pub(crate) fn seen(&self) -> u64 {
        *lock(&self.wakes)
    }

    /// Waits until the number of wakes is greater than `seen`, or until `time` has passed.
    pub(crate) fn wait(&self, seen: u64, time: Duration) {
        let wakes = lock(&self.wakes);
        drop(self.woken.wait_timeout_while(wakes, time, |wakes| *wakes == seen));
    }

    pub(crate) fn add(&self, waiter: Py<PyAny>) {
        let mut waiters = lock(&self.waiters);
        waiters.push(waiter);
        self.callables.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn remove(&self, waiter: &Py<PyAny>) {
        let mut waiters = lock(&self.waiters);
        let at = waiters.iter().position(|known| known.is(waiter));
        let removed = at.map(|at| waiters.swap_remove(at));
        self.callables.fetch_sub(usize::from(removed.is_some()), Ordering::SeqCst);
        drop(waiters);
        drop(removed);
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Ok(wake) = self.wake.try_lock() {
            visit.call(&*wake)?;
        }
        match self.waiters.try_lock() {
            Ok(waiters) => waiters.iter().try_for_each(|waiter| visit.call(waiter)),
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn clear(&self) {
        let wake = lock(&self.wake).take();
        let mut held = lock(&self.waiters);
        let waiters = std::mem::take(&mut *held);
        self.callables.fetch_sub(waiters.len() + usize::from(wake.is_some()), Ordering::SeqCst);
        drop(held);
        drop((wake, waiters));
    }
}
