//! Makes a `fork` safe: the child finds no lock held by a thread that exists in the parent only.
//!
//! An application that forks while other threads use this library calls [`guard`] first. Around each fork it calls
//! [`before`] and then [`after_in_parent`] or [`after_in_child`], as `pthread_atfork` and Python's
//! `os.register_at_fork` do. In the child it then calls [`crate::Server::forget_connections`] on each server, because
//! the connections belong to the parent.

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::cell::Cell;
use std::sync::OnceLock;

/// Starts to count the threads that hold locks. From then on each lock costs two more atomic additions.
///
/// A thread that waits for a fork to end calls `relax` repeatedly. `relax` briefly releases whatever the forking
/// thread may wait for, such as the lock of an interpreter.
pub fn guard(relax: fn()) {
    let _ = RELAX.set(relax);
    GUARDED.store(true, Ordering::SeqCst);
}

/// Waits until no other thread forks and none holds a lock of this library, and keeps locks from being taken until the
/// fork is over. Call it right before a `fork`, on its thread.
pub fn before() {
    // One fork at a time: the end of one lets threads take locks, and another one would find them taken.
    while !FORKS.get() && CLOSED.swap(true, Ordering::SeqCst) {
        wait_briefly();
    }
    FORKS.set(true);
    while SHARDS.iter().any(|shard| shard.0.load(Ordering::SeqCst) > 0) {
        std::thread::yield_now();
    }
}

/// Lets the threads of the parent take locks again. Call it right after the `fork`, on the same thread, and also if the
/// `fork` failed.
pub fn after_in_parent() {
    FORKS.set(false);
    CLOSED.store(false, Ordering::SeqCst);
}

/// Forgets the locks that threads of the parent waited for. Call it right after the `fork`, in the child.
pub fn after_in_child() {
    // No thread is inside a section here; only threads of the parent were counted.
    for shard in &SHARDS {
        shard.0.store(0, Ordering::SeqCst);
    }
    after_in_parent();
}

static GUARDED: AtomicBool = AtomicBool::new(false);
static CLOSED: AtomicBool = AtomicBool::new(false);
static RELAX: OnceLock<fn()> = OnceLock::new();

/// The numbers of threads that hold a lock or are about to take one. They are spread over several counters, so that
/// threads do not share a cache line.
static SHARDS: [Shard; 16] = [const { Shard(AtomicUsize::new(0)) }; 16];
static NEXT: AtomicUsize = AtomicUsize::new(0);

#[repr(align(128))]
struct Shard(AtomicUsize);

thread_local! {
    static SHARD: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS.len();
    /// The number of sections of this thread that are inside each other.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// True while this thread forks.
    static FORKS: Cell<bool> = const { Cell::new(false) };
}

/// Calls `relax`, or yields the processor without it, so that the forking thread can continue.
fn wait_briefly() {
    RELAX.get().map_or_else(std::thread::yield_now, |relax| relax());
}

/// The time in which a thread holds locks, from before the first until after the last.
pub(crate) struct Section {
    counted: bool,
}

impl Section {
    pub(crate) fn enter() -> Section {
        if !GUARDED.load(Ordering::Relaxed) {
            return Section { counted: false };
        }
        let depth = DEPTH.get();
        DEPTH.set(depth + 1);
        if depth == 0 && !FORKS.get() {
            let shard = shard();
            shard.fetch_add(1, Ordering::SeqCst);
            while CLOSED.load(Ordering::SeqCst) {
                shard.fetch_sub(1, Ordering::SeqCst);
                wait_briefly();
                shard.fetch_add(1, Ordering::SeqCst);
            }
        }
        Section { counted: true }
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        if !self.counted {
            return;
        }
        let depth = DEPTH.get() - 1;
        DEPTH.set(depth);
        if depth == 0 && !FORKS.get() {
            shard().fetch_sub(1, Ordering::SeqCst);
        }
    }
}

fn shard() -> &'static AtomicUsize {
    &SHARDS[SHARD.with(|shard| *shard)].0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::Monitor;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn no_thread_is_inside_between_before_and_after() {
        guard(thread::yield_now);
        let lock = Arc::new(Monitor::new(0_u64));
        let stop = Arc::new(AtomicBool::new(false));
        let users: Vec<_> = (0..4)
            .map(|user| {
                let (lock, stop) = (lock.clone(), stop.clone());
                thread::spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        if user % 2 == 0 {
                            lock.with(|count, _| *count += 1);
                        } else {
                            lock.wait(None, |count| {
                                *count += 1;
                                Some(())
                            });
                        }
                    }
                })
            })
            .collect();
        let forking = Arc::new(AtomicUsize::new(0));
        let forkers: Vec<_> = (0..2)
            .map(|_| {
                let (lock, forking) = (lock.clone(), forking.clone());
                thread::spawn(move || {
                    for _ in 0..200 {
                        before();
                        let others = forking.fetch_add(1, Ordering::SeqCst);
                        let seen = lock.with(|count, _| *count); // the thread that forks may go on
                        thread::yield_now();
                        let now = lock.with(|count, _| *count);
                        forking.fetch_sub(1, Ordering::SeqCst);
                        after_in_parent();
                        assert_eq!((others, now), (0, seen));
                    }
                })
            })
            .collect();
        let ended: Vec<_> = forkers.into_iter().map(thread::JoinHandle::join).collect();
        stop.store(true, Ordering::Relaxed);
        for thread in users {
            thread.join().unwrap();
        }
        assert!(ended.iter().all(Result::is_ok));
    }
}
