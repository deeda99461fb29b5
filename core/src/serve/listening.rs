//! A listener that serves, for hosts that run callbacks in a way of their own.

use super::batch::Batch;
use super::http::Shared;
use super::queue::Queue;
use crate::event::Event;
use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// Events that are handed over at once.
const BATCH: usize = 64;
/// How long threads of the network, which never wait for anybody, may take to end.
const END: Duration = Duration::from_secs(5);

/// A listener that serves. Any thread may use it.
///
/// The threads that ask for events run them and ask again; the answers go out by themselves.
pub struct Listening {
    shared: Arc<Shared>,
    runtime: Mutex<Option<Runtime>>,
}

impl Listening {
    pub(super) fn new(shared: Arc<Shared>, runtime: Runtime) -> Self {
        Listening { shared, runtime: Mutex::new(Some(runtime)) }
    }

    /// Waits for what there is to do. Never [`Batch::Idle`].
    pub fn next(&self) -> Batch {
        self.jobs().next(true)
    }

    /// The same without waiting.
    pub fn try_next(&self) -> Batch {
        self.jobs().next(false)
    }

    /// Makes one [`Listening::next`] return [`Batch::Interrupted`], from any thread.
    pub fn interrupt(&self) {
        self.jobs().push(Job::Interrupt);
    }

    /// Closes the server: answers under way may go out within the drain time, then the service is over.
    pub fn terminate(&self) {
        self.shared.server().close();
    }

    /// Ends the service at once, and waits for the threads of the network. What is under way is dropped; the server
    /// stays open. Not from a callback that runs on such a thread.
    pub fn stop(&self) {
        self.jobs().close();
        let runtime = self.runtime.lock().take();
        if let Some(runtime) = runtime {
            runtime.shutdown_timeout(END);
        }
    }

    fn jobs(&self) -> &Jobs {
        self.shared.jobs.as_ref().expect("a listener that is started has a queue")
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening").finish_non_exhaustive()
    }
}

pub(super) type OnReady = Box<dyn Fn() + Send + Sync>;

enum Job {
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

    fn push(&self, job: Job) {
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

    fn next(&self, wait: bool) -> Batch {
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
