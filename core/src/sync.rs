//! The locks of the crate, and the two rules that every use of them obeys.
//!
//! 1. A thread holds at most one lock at a time, except for what [`Gate`] allows. Debug builds assert it.
//! 2. No value of the application is dropped and no callback is called while a lock is held. A critical section puts
//!    the values that it removes into its [`Trash`], which is emptied after the lock is released, on unwind too.
//!
//! Under `--cfg shuttle` the primitives are those of the model checker, and tests can plant faults for it to find.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

#[cfg(not(shuttle))]
pub(crate) use std::sync::atomic;
#[cfg(not(shuttle))]
pub(crate) use std::thread;

#[cfg(shuttle)]
pub(crate) use shuttle::sync::atomic;
#[cfg(shuttle)]
pub(crate) use shuttle::thread;

/// A mutex whose guard never leaves [`Lock::with`].
pub(crate) struct Lock<T>(imp::Mutex<T>);

impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Lock(imp::Mutex::new(value))
    }

    /// Runs `f` with the lock held, then drops the values that `f` put into the trash.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T, &mut Trash) -> R) -> R {
        // Declared first, so dropped last: after the guard, also when `f` panics.
        let mut trash = Trash::default();
        let _section = imp::Section::enter();
        let _held = imp::Held::enter(LOCK);
        let mut guard = imp::lock(&self.0);
        f(&mut guard, &mut trash)
    }
}

impl<T: Default> Default for Lock<T> {
    fn default() -> Self {
        Lock::new(T::default())
    }
}

impl<T> fmt::Debug for Lock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lock").finish_non_exhaustive()
    }
}

/// A lock with a condition that threads wait for.
pub(crate) struct Monitor<T> {
    lock: Lock<T>,
    changed: imp::Condvar,
}

impl<T> Monitor<T> {
    pub(crate) fn new(value: T) -> Self {
        Monitor { lock: Lock::new(value), changed: imp::Condvar::new() }
    }

    /// Runs `f` as [`Lock::with`] does. Wakes no waiting thread.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T, &mut Trash) -> R) -> R {
        self.lock.with(f)
    }

    /// Blocks until `f` returns something. Calls `f` with the lock held, at once and after each notice. Returns
    /// `None` when the time is over.
    ///
    /// A fork waits for the first call of `f`, as for any section. It does not wait for a thread that blocks, which may
    /// take for ever.
    pub(crate) fn wait<R>(
        &self,
        time: Option<Duration>,
        mut f: impl FnMut(&mut T) -> Option<R>,
    ) -> Option<R> {
        let mut found = self.lock.with(|value, _| f(value));
        if found.is_some() {
            return found;
        }
        let _held = imp::Held::enter(LOCK);
        let guard = imp::lock(&self.lock.0);
        imp::wait_while(&self.changed, guard, time, |value| {
            found = f(value);
            found.is_none()
        });
        found
    }

    /// Wakes one waiting thread, without the lock, so that the thread finds it free.
    pub(crate) fn notify_one(&self) {
        self.changed.notify_one();
    }

    /// Wakes all waiting threads.
    pub(crate) fn notify_all(&self) {
        self.changed.notify_all();
    }
}

/// A lock for long work, such as reading a directory. A thread that holds it may take one [`Lock`]; a thread that
/// holds a lock takes no gate.
#[cfg(feature = "directory")]
#[derive(Default)]
pub(crate) struct Gate<T>(imp::Mutex<T>);

#[cfg(feature = "directory")]
impl<T> Gate<T> {
    /// Runs `f` with the gate held, then what `f` gave to [`outside_gates`].
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let _postponed = Postponed::enter(); // first, so dropped last, as in `Lock::with`
        let _section = imp::Section::enter();
        let _held = imp::Held::enter(GATE);
        let mut guard = imp::lock(&self.0);
        f(&mut guard)
    }
}

/// Calls `f` at once, or when the gate that this thread holds is released. So a callback may run while a directory is
/// read, though deep in that work no function knows whether a gate is held.
pub(crate) fn outside_gates(f: impl FnOnce() + 'static) {
    #[cfg(feature = "directory")]
    let Some(f) = Postponed::keep(f) else { return };
    imp::assert_free();
    f();
}

/// Collects what this thread does when it has released its gate.
#[cfg(feature = "directory")]
struct Postponed;

#[cfg(feature = "directory")]
type AfterGate = Box<dyn FnOnce()>;

#[cfg(feature = "directory")]
impl Postponed {
    fn enter() -> Postponed {
        Postponed::with(|postponed| *postponed = Some(Vec::new()));
        Postponed
    }

    /// Returns `f` if this thread holds no gate.
    fn keep<F: FnOnce() + 'static>(f: F) -> Option<F> {
        let mut f = Some(f);
        Postponed::with(|postponed| {
            if let Some(postponed) = postponed {
                postponed.extend(f.take().map(|f| Box::new(f) as AfterGate));
            }
        });
        f
    }

    /// Runs `f` with the functions of this thread, which are `None` without a gate. Returns `None` if the thread ends and
    /// has destroyed them: the destructors of other thread-locals may call this library, too.
    fn with<R>(f: impl FnOnce(&mut Option<Vec<AfterGate>>) -> R) -> Option<R> {
        imp::POSTPONED.try_with(|postponed| f(&mut postponed.borrow_mut())).ok()
    }
}

#[cfg(feature = "directory")]
impl Drop for Postponed {
    fn drop(&mut self) {
        for f in Postponed::with(Option::take).flatten().unwrap_or_default() {
            f();
        }
    }
}

/// The place of a lock in the order of locks: a thread takes a lock only if it holds none, or one of a lower rank.
type Rank = u8;
#[cfg(feature = "directory")]
const GATE: Rank = 1;
const LOCK: Rank = 2;

/// Values of the application that leave a critical section, to be dropped after it.
#[derive(Default)]
pub(crate) struct Trash(Vec<Box<dyn Any + Send>>);

impl Trash {
    pub(crate) fn put<T: Send + 'static>(&mut self, value: T) {
        self.0.push(Box::new(value));
    }
}

/// Returns whether this thread is running callbacks of `connection`. The output of such callbacks wakes no thread,
/// because this thread drains when they return.
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

/// Identifies a connection, also among those of different servers.
fn address<T>(connection: &Arc<T>) -> usize {
    Arc::as_ptr(connection).addr()
}

impl Drop for Running {
    fn drop(&mut self) {
        imp::RUNNING.with(|running| running.set(self.before));
    }
}

/// A fault that a model has to find. Only models plant faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The ready mark is set in a critical section of its own, before there is anything to be ready for.
    EarlyMark,
    /// A late answer goes to the newer call that reuses its slot.
    StaleCall,
    /// No wake follows when a drain leaves output of a route behind.
    ParkedNews,
    /// Revoking a callback does not wait for another thread that is inside of it.
    UnwaitedRevoke,
    /// Answering a call does not wait for its cancellation hook, which another thread runs.
    UnwaitedHook,
    /// A thread of the stdio driver leaves input behind and does not say so to the reader.
    #[cfg(feature = "stdio")]
    LeftInput,
    /// No thread sees a wake that comes after such a thread has polled and before it runs a callback.
    #[cfg(feature = "stdio")]
    UnseenWake,
}

#[cfg(not(shuttle))]
pub(crate) const fn is_planted(_: Fault) -> bool {
    false
}

#[cfg(shuttle)]
/// Returns whether this fault is planted.
pub(crate) fn is_planted(fault: Fault) -> bool {
    planted::get() == Some(fault)
}

/// Plants one fault for the calling thread, which runs all of a model's threads.
#[cfg(shuttle)]
pub(crate) mod planted {
    use super::Fault;
    use std::cell::Cell;

    thread_local!(static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) });

    /// Runs a function with this fault.
    pub(crate) fn run<R>(fault: Fault, run: impl FnOnce() -> R) -> R {
        PLANTED.set(Some(fault));
        let result = run();
        PLANTED.set(None);
        result
    }

    pub(super) fn get() -> Option<Fault> {
        PLANTED.get()
    }
}

#[cfg(not(shuttle))]
mod imp {
    use super::Rank;
    use parking_lot::MutexGuard;
    use std::cell::Cell;
    #[cfg(feature = "directory")]
    use std::cell::RefCell;
    #[cfg(feature = "directory")]
    use std::mem::ManuallyDrop;
    use std::time::Duration;

    pub(super) use crate::fork::Section;
    pub(super) use parking_lot::{Condvar, Mutex};

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock()
    }

    pub(super) fn wait_while<T>(
        changed: &Condvar,
        mut guard: MutexGuard<'_, T>,
        time: Option<Duration>,
        condition: impl FnMut(&mut T) -> bool,
    ) {
        match time {
            Some(time) => drop(changed.wait_while_for(&mut guard, condition, time)),
            None => changed.wait_while(&mut guard, condition),
        }
    }

    thread_local! {
        pub(super) static RUNNING: Cell<usize> = const { Cell::new(0) };
        #[cfg(feature = "directory")]
        /// Without a destructor, so that most platforms keep it until the thread has ended. No gate outlasts that.
        pub(super) static POSTPONED: RefCell<ManuallyDrop<Option<Vec<super::AfterGate>>>> =
            const { RefCell::new(ManuallyDrop::new(None)) };
        #[cfg(debug_assertions)]
        static HELD: Cell<Rank> = const { Cell::new(0) };
    }

    /// Asserts that this thread holds no lock.
    pub(super) fn assert_free() {
        #[cfg(debug_assertions)]
        assert_eq!(HELD.get(), 0, "a callback under a lock");
    }

    /// Asserts that a thread holds one lock at a time.
    pub(super) struct Held {
        #[cfg(debug_assertions)]
        before: Rank,
    }

    impl Held {
        #[cfg_attr(not(debug_assertions), allow(unused_variables, reason = "only asserted"))]
        pub(super) fn enter(rank: Rank) -> Held {
            Held {
                #[cfg(debug_assertions)]
                before: {
                    let before = HELD.replace(rank);
                    assert!(before < rank, "a second lock, or an application value dropped under a lock");
                    before
                },
            }
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            #[cfg(debug_assertions)]
            HELD.set(self.before);
        }
    }
}

#[cfg(shuttle)]
mod imp {
    use super::Rank;
    use shuttle::sync::MutexGuard;
    use std::cell::Cell;
    #[cfg(feature = "directory")]
    use std::cell::RefCell;
    #[cfg(feature = "directory")]
    use std::mem::ManuallyDrop;
    use std::sync::PoisonError;
    use std::time::Duration;

    pub(super) use shuttle::sync::{Condvar, Mutex};

    /// No model forks.
    pub(super) struct Section;

    impl Section {
        pub(super) fn enter() -> Section {
            Section
        }
    }

    pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No timeout ever passes: the model checker finds a thread that waits in vain as a hang.
    pub(super) fn wait_while<T>(
        changed: &Condvar,
        guard: MutexGuard<'_, T>,
        _: Option<Duration>,
        condition: impl FnMut(&mut T) -> bool,
    ) {
        drop(changed.wait_while(guard, condition).unwrap_or_else(PoisonError::into_inner));
    }

    shuttle::thread_local! {
        pub(super) static RUNNING: Cell<usize> = Cell::new(0);
        #[cfg(feature = "directory")]
        pub(super) static POSTPONED: RefCell<ManuallyDrop<Option<Vec<super::AfterGate>>>> =
            RefCell::new(ManuallyDrop::new(None));
        static HELD: Cell<Rank> = Cell::new(0);
    }

    pub(super) fn assert_free() {
        assert_eq!(HELD.with(Cell::get), 0, "a callback under a lock");
    }

    pub(super) struct Held {
        before: Rank,
    }

    impl Held {
        pub(super) fn enter(rank: Rank) -> Held {
            let before = HELD.with(|held| held.replace(rank));
            assert!(before < rank, "a second lock, or an application value dropped under a lock");
            Held { before }
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            HELD.with(|held| held.set(self.before));
        }
    }
}

#[cfg(all(test, feature = "directory", not(shuttle)))]
mod tests {
    use super::*;
    use crate::log::{Log, Severity};
    use std::cell::RefCell;
    use std::sync::mpsc::{Sender, channel};

    struct AtEnd(Sender<&'static str>);

    impl Drop for AtEnd {
        fn drop(&mut self) {
            let (gate, sender) = (Gate::<()>::default(), self.0.clone());
            let log = Log::to(move |_, line| {
                let _ = sender.send(if line == "1" { "first" } else { "third" });
            });
            log.write(Severity::Warning, "1");
            gate.with(|()| {
                log.write(Severity::Warning, "3");
                let _ = self.0.send("second");
            });
        }
    }

    thread_local!(static AT_END: RefCell<Option<AtEnd>> = const { RefCell::new(None) });

    #[test]
    fn the_destructor_of_a_thread_local_may_log() {
        let (sender, lines) = channel();
        let ended = thread::spawn(|| {
            AT_END.set(Some(AtEnd(sender))); // used before those of this module, so destroyed after them
            Gate::<()>::default().with(|()| ());
        });
        ended.join().expect("no destructor panics");
        assert_eq!(lines.iter().collect::<Vec<_>>(), ["first", "second", "third"]);
    }
}
