//! Callbacks over HTTP on their way to the threads that run them.

use super::batch::Batch;
use super::queue::Queue;
use crate::event::Event;

/// Events that are handed over at once.
const BATCH: usize = 64;

pub(super) type OnReady = Box<dyn Fn() + Send + Sync>;

pub(super) enum Job {
    Event(Event),
    Interrupt,
}

/// What waits for threads that run callbacks.
pub(super) struct Jobs {
    queue: Queue<Job>,
    on_ready: Option<OnReady>,
}

impl Jobs {
    pub(super) fn new(on_ready: Option<OnReady>) -> Self {
        Jobs { queue: Queue::new(), on_ready }
    }

    pub(super) fn push_event(&self, event: Event) {
        self.push(Job::Event(event));
    }

    pub(super) fn push(&self, job: Job) {
        self.queue.push(job);
        self.ready();
    }

    pub(super) fn close(&self) {
        self.queue.close();
        self.ready();
    }

    fn ready(&self) {
        if let Some(on_ready) = &self.on_ready {
            on_ready();
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
        while events.len() < BATCH {
            match self.queue.try_pop() {
                Some(Job::Event(event)) => events.push(event),
                Some(Job::Interrupt) => {
                    self.push(Job::Interrupt); // after these
                    break;
                }
                None => break,
            }
        }
        Batch::Events(events)
    }
}
