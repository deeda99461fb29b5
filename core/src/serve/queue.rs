//! What one thread leaves for others to do.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;

/// An unbounded queue for any number of threads on both sides.
///
/// Who waits sleeps at once: channels that spin first take the processor from the very thread they wait for.
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    waiting: usize,
    closed: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        let state = State { items: VecDeque::new(), waiting: 0, closed: false };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(super) fn push(&self, item: T) {
        let mut state = self.state.lock();
        state.items.push_back(item);
        let wake = state.waiting > 0;
        drop(state); // so that who wakes up finds the lock free
        if wake {
            self.changed.notify_one();
        }
    }

    /// Waits for an item. None once the queue is closed and empty.
    pub(super) fn pop(&self) -> Option<T> {
        let mut state = self.state.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                return Some(item);
            }
            if state.closed {
                return None;
            }
            state.waiting += 1;
            self.changed.wait(&mut state);
            state.waiting -= 1;
        }
    }

    pub(super) fn try_pop(&self) -> Option<T> {
        self.state.lock().items.pop_front()
    }

    /// Nothing will come any more, once it is empty.
    #[cfg(feature = "http")]
    pub(super) fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Nobody waits any more.
    pub(super) fn close(&self) {
        self.state.lock().closed = true;
        self.changed.notify_all();
    }
}
