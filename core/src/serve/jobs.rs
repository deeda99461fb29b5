//! The queue between the HTTP driver and the threads that run callbacks.

use super::OnReady;
use super::batch::Batch;
use crate::event::Event;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Lock, Trash};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::Notify;

enum HttpJob {
    Event(Event),
    Interrupt,
    /// The service has ended. The thread that takes this leaves it for the next.
    End,
}

/// Jobs for the threads that run callbacks, in the order in which they came.
pub(super) struct Jobs {
    give: Sender<HttpJob>,
    take: Receiver<HttpJob>,
    gathered: Lock<Gathered>,
    /// The maximum number of events that a thread takes at once.
    most: usize,
    on_ready: Option<OnReady>,
    /// There are gathered events, and [`Jobs::hand_out`] was asked to hand them out.
    asked: AtomicBool,
    ask: Notify,
    closed: AtomicBool,
}

/// Events that no thread was woken for. They are newer than those in the channel.
struct Gathered {
    events: VecDeque<Event>,
    /// The number of events in flight from which abandoned ones are dropped, because they hold calls that other
    /// clients may need.
    crowd: usize,
}

/// With fewer events a look for abandoned ones is not worth its cost.
const CROWD: usize = 64;

impl Jobs {
    pub(super) fn new(most: usize, on_ready: Option<OnReady>) -> Self {
        let (give, take) = unbounded();
        Jobs {
            give,
            take,
            gathered: Lock::new(Gathered { events: VecDeque::new(), crowd: CROWD }),
            most,
            on_ready,
            asked: AtomicBool::new(false),
            ask: Notify::new(),
            closed: AtomicBool::new(false),
        }
    }

    /// Adds an event. A thread that is awake may take it at once; [`Jobs::hand_out`] wakes the others.
    pub(super) fn push_event(&self, event: Event) {
        self.gathered.with(|gathered, trash| {
            gathered.events.push_back(event);
            if self.take.len() + gathered.events.len() >= gathered.crowd {
                self.let_go(gathered, trash);
            }
        });
        if !self.asked.swap(true, Ordering::AcqRel) {
            self.ask.notify_one();
        }
    }

    /// Returns whether the queue is long enough to look for abandoned events.
    pub(super) fn is_crowded(&self) -> bool {
        self.take.len() + self.gathered.with(|gathered, _| gathered.events.len()) >= CROWD
    }

    /// Drops the events whose clients are gone. Each is looked at once or twice, regardless of how many there are.
    fn let_go(&self, gathered: &mut Gathered, trash: &mut Trash) {
        let wanted = |job: HttpJob| match job {
            HttpJob::Event(event) if event.is_cancelled() => {
                trash.put(event);
                None
            }
            job => Some(job),
        };
        let gathering = gathered.events.drain(..).map(HttpJob::Event);
        let jobs: Vec<HttpJob> = self.take.try_iter().chain(gathering).filter_map(wanted).collect();
        gathered.crowd = CROWD.max(2 * jobs.len());
        for job in jobs {
            self.send(job);
        }
    }

    pub(super) fn interrupt(&self) {
        self.send(HttpJob::Interrupt);
        self.ready();
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.send(HttpJob::End);
        self.ready();
        self.ask.notify_one();
    }

    /// Hands gathered events to the threads, until the service has ended. It is a task of the network, so the other
    /// tasks first handle all requests that came in together, and each thread is woken once for them.
    pub(super) async fn hand_out(&self) {
        while !self.closed.load(Ordering::Acquire) {
            self.ask.notified().await;
            tokio::task::yield_now().await;
            self.asked.store(false, Ordering::Release); // first: what comes now asks again
            self.gathered.with(|gathered, _| {
                for event in gathered.events.drain(..) {
                    self.send(HttpJob::Event(event));
                }
            });
            self.ready();
        }
    }

    fn send(&self, job: HttpJob) {
        let _ = self.give.send(job); // it cannot fail, since this struct has the receiver
    }

    fn ready(&self) {
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
        // Under the lock, so that the order is kept while gathered events are handed out.
        let first = self.gathered.with(|gathered, _| {
            self.take.try_recv().ok().or_else(|| gathered.events.pop_front().map(HttpJob::Event))
        });
        let job = first.or_else(|| if blocking { self.take.recv().ok() } else { None });
        if let Some(HttpJob::End) = job {
            self.send(HttpJob::End);
        }
        job
    }
}
