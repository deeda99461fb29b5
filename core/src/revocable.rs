//! A callback that its owner can take back.

use crate::sync::thread::{self, ThreadId};
use crate::sync::{Fault, Monitor, is_planted};
use std::fmt;
use std::sync::Arc;

/// A callback that any thread may call until its owner revokes it.
///
/// After [`Revocable::revoke`] has returned, the callback runs on no other thread, never runs again, and is dropped unless
/// it is the caller. So an application can at once close whatever the callback refers to.
pub struct Revocable<F>(Monitor<RevocableState<F>>);

struct RevocableState<F> {
    /// The callback; `None` once it was revoked.
    callback: Option<Arc<F>>,
    /// The threads that are running the callback.
    running: Vec<ThreadId>,
}

impl<F: Fn()> Revocable<F> {
    /// Makes a callback that can be revoked.
    pub fn new(callback: F) -> Self {
        Revocable(Monitor::new(RevocableState { callback: Some(Arc::new(callback)), running: Vec::new() }))
    }

    /// Calls the callback with no lock held, unless it was revoked.
    pub fn call(&self) {
        let thread = thread::current().id();
        let callback = self.0.with(|state, _| {
            let callback = state.callback.clone()?;
            state.running.push(thread);
            Some(callback)
        });
        if let Some(callback) = callback {
            let inside = Inside { of: self, thread, callback: Some(callback) };
            inside.run();
        }
    }

    /// Revokes the callback: blocks until no other thread is running it, then drops it.
    ///
    /// Called from inside the callback, it does not wait for its own thread: the callback is dropped when it returns.
    pub fn revoke(&self) {
        let thread = thread::current().id();
        let callback = self.0.with(|state, _| state.callback.take());
        if !is_planted(Fault::UnwaitedRevoke) {
            self.0.wait(None, |state| state.running.iter().all(|running| *running == thread).then_some(()));
        }
        drop(callback);
    }
}

impl<F> fmt::Debug for Revocable<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Revocable").finish_non_exhaustive()
    }
}

/// A thread that is running the callback, until this is dropped, also by a panic.
struct Inside<'a, F: Fn()> {
    of: &'a Revocable<F>,
    thread: ThreadId,
    callback: Option<Arc<F>>,
}

impl<F: Fn()> Inside<'_, F> {
    fn run(&self) {
        if let Some(callback) = &self.callback {
            callback();
        }
    }
}

impl<F: Fn()> Drop for Inside<'_, F> {
    fn drop(&mut self) {
        // Before the thread counts as gone, so that the owner that waits drops the last reference.
        self.callback = None;
        let revoked = self.of.0.with(|state, _| {
            if let Some(at) = state.running.iter().rposition(|thread| *thread == self.thread) {
                state.running.swap_remove(at);
            }
            state.callback.is_none()
        });
        if revoked {
            self.of.0.notify_one();
        }
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_revoked_callback_was_dropped_and_is_not_called() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let revocable = Revocable::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        revocable.call();
        revocable.revoke();
        assert_eq!(Arc::strong_count(&calls), 1);
        revocable.call();
        revocable.revoke();
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }

    type Boxed = Arc<Revocable<Box<dyn Fn() + Send + Sync>>>;
    thread_local!(static SELF: RefCell<Option<Boxed>> = const { RefCell::new(None) });

    #[test]
    fn a_callback_may_revoke_itself_and_is_dropped_when_it_returns() {
        let held = Arc::new(());
        let inside = held.clone();
        let revocable: Boxed = Arc::new(Revocable::new(Box::new(move || {
            if let Some(revocable) = SELF.take() {
                revocable.call(); // finds none to revoke
                revocable.revoke();
            }
            assert_eq!(Arc::strong_count(&inside), 2);
        })));
        SELF.set(Some(revocable.clone()));
        revocable.call();
        assert_eq!(Arc::strong_count(&held), 1);
    }

    #[test]
    fn a_callback_that_panics_is_not_waited_for() {
        let revocable = Revocable::new(|| panic!("on purpose"));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| revocable.call()));
        assert!(panicked.is_err());
        revocable.revoke();
    }
}
