//! A thread that runs callbacks of the core itself, such as those of a folder: they wait for files, and the JS thread
//! must not wait. Searches have a thread of their own, because each may take 2 seconds.

use crate::bell::Bell;
use crossbeam_channel::{Sender, unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use wellhead::Event;

/// The handle of a worker thread. When it is dropped, the worker ends once its callback has returned, and events that
/// wait are dropped.
pub(crate) struct Worker {
    events: Option<Sender<Event>>,
    over: Arc<AtomicBool>,
    /// The number of events that have not been run yet.
    left: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    pub(crate) fn start(name: &str, bell: Arc<Bell>) -> std::io::Result<Worker> {
        let (sender, events) = unbounded::<Event>();
        let over = Arc::new(AtomicBool::new(false));
        let left = Arc::new(AtomicUsize::new(0));
        let (ends, run) = (over.clone(), left.clone());
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            for event in events {
                if ends.load(Ordering::Acquire) {
                    break;
                }
                event.run();
                run.fetch_sub(1, Ordering::AcqRel);
                bell.ring(); // the process need not be kept alive any more
            }
        })?;
        Ok(Worker { events: Some(sender), over, left, thread: Some(thread) })
    }

    /// Runs the event's callback on the worker, after the events that it got before.
    pub(crate) fn run(&self, event: Event) {
        if let Some(events) = &self.events {
            self.left.fetch_add(1, Ordering::AcqRel);
            let _ = events.send(event); // if the thread is gone, the event is dropped, which answers
        }
    }
}

impl Worker {
    pub(crate) fn is_busy(&self) -> bool {
        self.left.load(Ordering::Acquire) > 0
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        self.events = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
