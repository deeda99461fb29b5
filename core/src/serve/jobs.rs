//! Callbacks over HTTP on their way to the threads that run them.

use super::batch::Batch;
use super::queue::Queue;
use crate::event::Event;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::Notify;

pub(super) type OnReady = Box<dyn Fn() + Send + Sync>;

enum Job {
    Event(Event),
    Interrupt,
}

/// What waits for threads that run callbacks.
pub(super) struct Jobs {
    queue: Queue<Job>,
    /// Events that a thread takes at once.
    most: usize,
    on_ready: Option<OnReady>,
    /// There are events of which nobody has been told, and [`Jobs::tell`] will.
    untold: AtomicBool,
    gathered: Notify,
}

impl Jobs {
    pub(super) fn new(most: usize, on_ready: Option<OnReady>) -> Self {
        let (untold, gathered) = (AtomicBool::new(false), Notify::new());
        Jobs { queue: Queue::new(), most, on_ready, untold, gathered }
    }

    /// [`Jobs::tell`] says so. A thread that is awake need not wait for that.
    pub(super) fn push_event(&self, event: Event) {
        self.queue.put(Job::Event(event));
        if !self.untold.swap(true, Ordering::AcqRel) {
            self.gathered.notify_one();
        }
    }

    pub(super) fn interrupt(&self) {
        self.queue.push(Job::Interrupt);
        self.ready();
    }

    pub(super) fn close(&self) {
        self.queue.close();
        self.ready();
        self.gathered.notify_one();
    }

    /// Tells the threads of events, until the service is over. A task of the network's: it lets the other tasks deal with
    /// what came in at once, so that the threads are woken once for all of that.
    pub(super) async fn tell(&self) {
        while !self.queue.is_closed() {
            self.gathered.notified().await;
            tokio::task::yield_now().await;
            self.untold.store(false, Ordering::Release); // first: what comes now is told again
            self.queue.notify();
            self.ready();
        }
    }

    fn ready(&self) {
        if let Some(on_ready) = &self.on_ready {
            // What panics there has said so on standard error; others are still to be told.
            let _ = catch_unwind(AssertUnwindSafe(on_ready));
        }
    }

    /// Runs callbacks until the service is over.
    pub(super) fn run(&self) {
        while let Some(job) = self.queue.pop() {
            if let Job::Event(event) = job {
                event.run();
            }
        }
    }

    pub(super) fn next(&self, wait: bool) -> Batch {
        let first = if wait { self.queue.pop() } else { self.queue.try_pop() };
        let event = match first {
            Some(Job::Event(event)) => event,
            Some(Job::Interrupt) => return Batch::Interrupted,
            None if wait || self.queue.is_closed() => return Batch::Ended,
            None => return Batch::Idle,
        };
        let mut events = vec![event];
        while events.len() < self.most {
            match self.queue.try_pop() {
                Some(Job::Event(event)) => events.push(event),
                Some(Job::Interrupt) => {
                    self.interrupt(); // after these
                    break;
                }
                None => break,
            }
        }
        Batch::Events(events)
    }
}
