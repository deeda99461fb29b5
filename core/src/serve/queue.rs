//! A queue between the threads of a driver.

use crate::sync::Monitor;
use std::collections::VecDeque;

/// An unbounded queue. Any number of threads may add and take items.
///
/// A waiting thread sleeps at once. Channels that spin first would take the processor from the thread that they wait
/// for.
pub(super) struct Queue<T>(Monitor<QueueState<T>>);

struct QueueState<T> {
    items: VecDeque<T>,
    closed: bool,
}

impl<T> Queue<T> {
    pub(super) fn new() -> Self {
        Queue(Monitor::new(QueueState { items: VecDeque::new(), closed: false }))
    }

    pub(super) fn push(&self, item: T) {
        self.0.with(|state, _| state.items.push_back(item));
        self.0.notify_one();
    }

    /// Waits for an item. Returns `None` once the queue is closed and empty.
    pub(super) fn pop(&self) -> Option<T> {
        let look = |state: &mut QueueState<T>| match state.items.pop_front() {
            None if !state.closed => None,
            item => Some(item),
        };
        self.0.wait(None, look).flatten()
    }

    pub(super) fn try_pop(&self) -> Option<T> {
        self.0.with(|state, _| state.items.pop_front())
    }

    /// Closes the queue, which ends all waits.
    pub(super) fn close(&self) {
        self.0.with(|state, _| state.closed = true);
        self.0.notify_all();
    }
}
