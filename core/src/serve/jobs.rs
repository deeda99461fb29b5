//! The queue between the HTTP driver and the threads that run callbacks.

use super::OnReady;
use super::batch::Batch;
use crate::event::Event;
use crate::sync::Lock;
use crate::sync::atomic::{AtomicBool, Ordering};
use crossbeam_channel::{Receiver, Select, Sender, bounded, unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::Notify;

enum HttpJob {
    Event(Event),
    Interrupt,
    /// The service has ended. The thread that takes this puts it back for the next thread.
    End,
}

/// The queue of jobs for the threads that run callbacks, in the order in which they came.
///
/// Threads sleep at a second channel, so that a job can be added without waking a thread.
pub(super) struct Jobs {
    give: Sender<HttpJob>,
    take: Receiver<HttpJob>,
    /// A channel with at most one token. A thread that takes it looks for jobs, and puts it back if it leaves some.
    ring: Sender<()>,
    bell: Receiver<()>,
    /// The number of jobs from which on abandoned events are dropped, because they hold calls that other clients may
    /// need.
    crowd: Lock<usize>,
    /// The greatest number of events that a thread takes at once.
    most: usize,
    on_ready: Option<OnReady>,
    /// True if there are new events, and [`Jobs::hand_out`] was asked to wake a thread for them.
    requested: AtomicBool,
    request: Notify,
    closed: AtomicBool,
}

/// With fewer events than this, abandoned ones are not looked for.
const CROWD: usize = 64;

impl Jobs {
    pub(super) fn new(most: usize, on_ready: Option<OnReady>) -> Self {
        let (give, take) = unbounded();
        let (ring, bell) = bounded(1);
        Jobs {
            give,
            take,
            ring,
            bell,
            crowd: Lock::new(CROWD),
            most,
            on_ready,
            requested: AtomicBool::new(false),
            request: Notify::new(),
            closed: AtomicBool::new(false),
        }
    }

    /// Adds an event. A thread that is awake may take it at once; [`Jobs::hand_out`] wakes the others.
    pub(super) fn push_event(&self, event: Event) {
        self.send(HttpJob::Event(event));
        if self.is_crowded() {
            self.drop_cancelled();
        }
        if !self.requested.swap(true, Ordering::AcqRel) {
            self.request.notify_one();
        }
    }

    /// Returns whether the queue is long enough to look for abandoned events.
    pub(super) fn is_crowded(&self) -> bool {
        self.take.len() >= CROWD
    }

    /// Drops the events whose clients have gone. Each is looked at once or twice, however many there are.
    fn drop_cancelled(&self) {
        let has_looked = self.crowd.with(|crowd, trash| {
            if self.take.len() < *crowd {
                return false;
            }
            let wanted = |job: HttpJob| match job {
                HttpJob::Event(event) if event.is_cancelled() => {
                    trash.put(event);
                    None
                }
                job => Some(job),
            };
            let jobs: Vec<HttpJob> = self.take.try_iter().filter_map(wanted).collect();
            *crowd = CROWD.max(2 * jobs.len());
            for job in jobs {
                self.send(job);
            }
            true
        });
        if has_looked {
            self.ring(); // a thread that found the queue empty meanwhile may wait
        }
    }

    pub(super) fn interrupt(&self) {
        self.send(HttpJob::Interrupt);
        self.ring();
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.send(HttpJob::End);
        self.ring();
        self.request.notify_one();
    }

    /// Wakes threads for new events, until the service has ended. It is a task of the network threads, so the other
    /// tasks first handle all requests that came in together, and a thread is woken once for them.
    pub(super) async fn hand_out(&self) {
        while !self.closed.load(Ordering::Acquire) {
            self.request.notified().await;
            tokio::task::yield_now().await;
            self.requested.store(false, Ordering::Release); // first: what comes now asks again
            self.ring();
        }
    }

    fn send(&self, job: HttpJob) {
        let _ = self.give.send(job); // it cannot fail, since this struct has the receiver
    }

    /// Wakes a thread that sleeps, and the application if it has threads of its own.
    fn ring(&self) {
        let _ = self.ring.try_send(()); // one token is enough
        if let Some(on_ready) = &self.on_ready {
            // A panic there has been printed on standard error; the others are still to be woken.
            let _ = catch_unwind(AssertUnwindSafe(on_ready));
        }
    }

    /// Runs callbacks until the service has ended.
    pub(super) fn run(&self) {
        loop {
            match self.pop(true) {
                Some(HttpJob::Event(event)) => event.run(),
                Some(HttpJob::Interrupt) => {}
                Some(HttpJob::End) | None => return,
            }
        }
    }

    /// Blocks until there is work.
    pub(super) fn next(&self) -> Batch {
        self.next_batch(true)
    }

    pub(super) fn try_next(&self) -> Batch {
        self.next_batch(false)
    }

    fn next_batch(&self, blocking: bool) -> Batch {
        let event = match self.pop(blocking) {
            Some(HttpJob::Event(event)) => event,
            Some(HttpJob::Interrupt) => return Batch::Interrupted,
            Some(HttpJob::End) => return Batch::Ended,
            None => return Batch::Idle,
        };
        let mut events = vec![event];
        while events.len() < self.most {
            match self.pop(false) {
                Some(HttpJob::Event(event)) => events.push(event),
                Some(HttpJob::Interrupt) => {
                    self.interrupt(); // after these events
                    break;
                }
                Some(HttpJob::End) | None => break,
            }
        }
        Batch::Events(events)
    }

    fn pop(&self, blocking: bool) -> Option<HttpJob> {
        loop {
            match self.take.try_recv() {
                Ok(HttpJob::End) => {
                    self.send(HttpJob::End);
                    let _ = self.ring.try_send(());
                    return Some(HttpJob::End);
                }
                Ok(job) => {
                    if !self.take.is_empty() {
                        let _ = self.ring.try_send(());
                    }
                    return Some(job);
                }
                Err(_) if blocking => self.sleep(),
                Err(_) => return None,
            }
        }
    }

    /// Sleeps until there may be jobs. `recv` of the channel would first yield the processor several times, on which a
    /// job may wait.
    fn sleep(&self) {
        let mut select = Select::new();
        select.recv(&self.bell);
        let _ = select.select().recv(&self.bell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn on_ready_is_called_without_a_lock_when_abandoned_events_are_looked_for() {
        let calls = Arc::new(Lock::new(0));
        let counted = calls.clone();
        let jobs = Jobs::new(1, Some(Box::new(move || counted.with(|calls, _| *calls += 1))));
        (0..CROWD).for_each(|_| jobs.send(HttpJob::Interrupt));
        jobs.drop_cancelled();
        assert_eq!(calls.with(|calls, _| *calls), 1, "a second lock would be a panic");
    }
}
