//! Locks a mutex whatever happened to the thread that held it before: a panic of a callback is caught, and leaves no state halfway.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
