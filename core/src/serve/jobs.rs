//! Callbacks over HTTP on their way to the threads that run them.

use super::batch::Batch;
use crate::event::Event;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Lock, Trash};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::Notify;

pub(super) type OnReady = Box<dyn Fn() + Send + Sync>;

enum Job {
    Event(Event),
    Interrupt,
    /// The service is over. The thread that takes it leaves it for the next.
    End,
}

/// What waits for threads that run callbacks, in the order in which it came.
pub(super) struct Jobs {
    give: Sender<Job>,
    take: Receiver<Job>,
    gathered: Lock<Gathered>,
    /// Events that a thread takes at once.
    most: usize,
    on_ready: Option<OnReady>,
    /// There are gathered events, and [`Jobs::tell`] was asked to hand them out.
    asked: AtomicBool,
    ask: Notify,
    closed: AtomicBool,
}

/// Events that no thread was woken for. They are newer than those in the channel.
struct Gathered {
    events: VecDeque<Event>,
    /// With so many events under way, those are let go that nobody waits for: they hold calls that others may want.
    crowd: usize,
}

/// Fewer events are not worth a look.
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

    /// Adds an event. A thread that is awake may take it at once; [`Jobs::tell`] wakes the others.
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

    /// Whether so many events wait that those which a client may have left are not worth a thread.
    pub(super) fn is_crowded(&self) -> bool {
        self.take.len() + self.gathered.with(|gathered, _| gathered.events.len()) >= CROWD
    }

    /// Drops the events that nobody waits for any more. Each costs a look or two, however many there are.
    fn let_go(&self, gathered: &mut Gathered, trash: &mut Trash) {
        let wanted = |job: Job| match job {
            Job::Event(event) if event.is_cancelled() => {
                trash.put(event);
                None
            }
            job => Some(job),
        };
        let gathering = gathered.events.drain(..).map(Job::Event);
        let jobs: Vec<Job> = self.take.try_iter().chain(gathering).filter_map(wanted).collect();
        gathered.crowd = CROWD.max(2 * jobs.len());
        for job in jobs {
            self.send(job);
        }
    }

    pub(super) fn interrupt(&self) {
        self.send(Job::Interrupt);
        self.ready();
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.send(Job::End);
        self.ready();
        self.ask.notify_one();
    }

    /// Hands gathered events to the threads, until the service is over. A task of the network's: it lets the other tasks
    /// deal with what came in at once, so that the threads are woken once for all of that.
    pub(super) async fn tell(&self) {
        while !self.closed.load(Ordering::Acquire) {
            self.ask.notified().await;
            tokio::task::yield_now().await;
            self.asked.store(false, Ordering::Release); // first: what comes now asks again
            self.gathered.with(|gathered, _| {
                for event in gathered.events.drain(..) {
                    self.send(Job::Event(event));
                }
            });
            self.ready();
        }
    }

    fn send(&self, job: Job) {
        let _ = self.give.send(job); // it cannot fail: the receiver is ours, too
    }

    fn ready(&self) {
        if let Some(on_ready) = &self.on_ready {
            // What panics there has said so on standard error; others are still to be told.
            let _ = catch_unwind(AssertUnwindSafe(on_ready));
        }
    }

    /// Runs callbacks until the service is over.
    pub(super) fn run(&self) {
        loop {
            match self.pop(true) {
                Some(Job::Event(event)) => event.run(),
                Some(Job::Interrupt) => {}
                Some(Job::End) | None => return,
            }
        }
    }

    pub(super) fn next(&self, wait: bool) -> Batch {
        let event = match self.pop(wait) {
            Some(Job::Event(event)) => event,
            Some(Job::Interrupt) => return Batch::Interrupted,
            Some(Job::End) => return Batch::Ended,
            None => return Batch::Idle,
        };
        let mut events = vec![event];
        while events.len() < self.most {
            match self.pop(false) {
                Some(Job::Event(event)) => events.push(event),
                Some(Job::Interrupt) => {
                    self.interrupt(); // after these
                    break;
                }
                Some(Job::End) | None => break,
            }
        }
        Batch::Events(events)
    }

    fn pop(&self, wait: bool) -> Option<Job> {
        // Under the lock, so that the order is kept while gathered events are handed out.
        let first = self.gathered.with(|gathered, _| {
            self.take.try_recv().ok().or_else(|| gathered.events.pop_front().map(Job::Event))
        });
        let job = first.or_else(|| if wait { self.take.recv().ok() } else { None });
        if let Some(Job::End) = job {
            self.send(Job::End);
        }
        job
    }
}
