//! The only lock of the crate, and the two rules that every use of it obeys.
//!
//! 1. A thread holds at most one lock at a time. Debug builds assert it.
//! 2. No host value is dropped, and no host function called, while a lock is held. What a critical section removes
//!    goes into its [`Trash`], which is emptied after the lock is released, on unwind too.
//!
//! Under `--cfg shuttle` the primitives are the model checker's, and faults may be planted for it to find.

use std::any::Any;
use std::sync::Arc;

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

/// Whether this thread is running callbacks of `connection`: what they produce there wakes nobody, since the thread
/// drains when they return.
pub(crate) fn is_running<T>(connection: &Arc<T>) -> bool {
    imp::RUNNING.with(|running| running.get() == address(connection))
}

/// Marks this thread as running callbacks of a connection until dropped. Nests.
pub(crate) struct Running {
    before: usize,
}

impl Running {
    pub(crate) fn enter<T>(connection: &Arc<T>) -> Running {
        Running { before: imp::RUNNING.with(|running| running.replace(address(connection))) }
    }
}

/// Tells connections apart, also those of different servers.
fn address<T>(connection: &Arc<T>) -> usize {
    Arc::as_ptr(connection).addr()
}

impl Drop for Running {
    fn drop(&mut self) {
        imp::RUNNING.with(|running| running.set(self.before));
    }
}

/// A fault that a model has to find. Outside of models none is ever planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(shuttle), allow(unreachable_pub, reason = "only models name it"))]
pub enum Fault {
    /// The ready mark is set in a critical section of its own, before there is anything to be ready for.
    EarlyMark,
    /// An answer is taken for the question that now has its slot.
    StaleCall,
}

#[cfg(not(shuttle))]
pub(crate) const fn is_planted(_: Fault) -> bool {
    false
}

#[cfg(shuttle)]
pub(crate) fn is_planted(fault: Fault) -> bool {
    planted::get() == Some(fault)
}

/// Plants one fault for the calling thread, which runs all of a model's threads.
#[cfg(shuttle)]
pub mod planted {
    use super::Fault;
    use std::cell::Cell;

    thread_local!(static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) });

    /// Plants a fault, or takes it out.
    pub fn set(fault: Option<Fault>) {
        PLANTED.set(fault);
    }

    pub(super) fn get() -> Option<Fault> {
        PLANTED.get()
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
        pub(super) static RUNNING: Cell<usize> = const { Cell::new(0) };
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
        pub(super) static RUNNING: Cell<usize> = Cell::new(0);
        static HELD: Cell<bool> = Cell::new(false);
    }

    pub(super) struct Held;

    impl Held {
        pub(super) fn enter() -> Held {
            assert!(
                !HELD.with(|held| held.replace(true)),
                "a second lock, or a host value dropped under a lock"
            );
            Held
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            HELD.with(|held| held.set(false));
        }
    }
}
