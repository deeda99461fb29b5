//! The only lock of the crate, and the two rules that every use of it obeys.
//!
//! 1. A thread holds at most one lock at a time. Debug builds assert it.
//! 2. No host value is dropped, and no host function called, while a lock is held. What a critical section removes
//!    goes into its [`Trash`], which is emptied after the lock is released, on unwind too.
//!
//! Under `--cfg shuttle` the primitives are the model checker's.

use std::any::Any;

#[cfg(not(shuttle))]
pub(crate) use std::sync::atomic;

#[cfg(shuttle)]
pub(crate) use shuttle::sync::atomic;

/// A mutex whose guard never leaves [`Lock::with`].
pub(crate) struct Lock<T>(imp::Mutex<T>);

impl<T> Lock<T> {
    pub(crate) fn new(value: T) -> Self {
        Lock(imp::Mutex::new(value))
    }

    /// Runs `f` with the lock held, then drops what it threw into the trash.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T, &mut Trash) -> R) -> R {
        // Declared first, so dropped last: after the guard, also when `f` panics.
        let mut trash = Trash::default();
        let _held = imp::Held::enter();
        let mut guard = imp::lock(&self.0);
        f(&mut guard, &mut trash)
    }
}

/// Host values on their way out of a critical section.
#[derive(Default)]
pub(crate) struct Trash(Vec<Box<dyn Any + Send>>);

impl Trash {
    pub(crate) fn put<T: Send + 'static>(&mut self, value: T) {
        self.0.push(Box::new(value));
    }
}

/// Which connection this thread is running callbacks for: what they produce there wakes nobody, since the thread
/// drains when they return.
pub(crate) fn is_running(connection: u64) -> bool {
    imp::RUNNING.with(|running| running.get() == connection)
}

/// Marks this thread as running callbacks of `connection` until dropped. Nests.
pub(crate) struct Running {
    before: u64,
}

impl Running {
    pub(crate) fn enter(connection: u64) -> Running {
        Running { before: imp::RUNNING.with(|running| running.replace(connection)) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        imp::RUNNING.with(|running| running.set(self.before));
    }
}

#[cfg(not(shuttle))]
mod imp {
    use std::cell::Cell;

    pub(super) use parking_lot::Mutex;

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> parking_lot::MutexGuard<'_, T> {
        mutex.lock()
    }

    thread_local! {
        pub(super) static RUNNING: Cell<u64> = const { Cell::new(0) };
        #[cfg(debug_assertions)]
        static HELD: Cell<bool> = const { Cell::new(false) };
    }

    /// Asserts the rule of one lock a thread.
    pub(super) struct Held;

    impl Held {
        pub(super) fn enter() -> Held {
            #[cfg(debug_assertions)]
            assert!(!HELD.replace(true), "a second lock, or a host value dropped under a lock");
            Held
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            #[cfg(debug_assertions)]
            HELD.set(false);
        }
    }
}

#[cfg(shuttle)]
mod imp {
    use std::cell::Cell;

    pub(super) use shuttle::sync::Mutex;

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> shuttle::sync::MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    shuttle::thread_local! {
        pub(super) static RUNNING: Cell<u64> = Cell::new(0);
    }

    pub(super) struct Held;

    impl Held {
        pub(super) fn enter() -> Held {
            Held
        }
    }
}
