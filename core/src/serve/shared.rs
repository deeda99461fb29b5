//! The shared state of an HTTP driver: its endpoint, its clock, and the queue of its callbacks.

use super::jobs::Jobs;
use crate::access::Caller;
use crate::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::http::{Endpoint, EndpointBuilder};
use crate::server::Server;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// The number of times that unread responses are checked within the time that each may stay unread.
const UNREAD_CHECKS: u64 = 8;

/// The state that all requests of an HTTP driver share.
pub(super) struct HttpShared {
    pub(super) endpoint: Endpoint,
    began: Instant,
    /// The time when unread responses are checked next, in milliseconds.
    next_unread_check: AtomicU64,
    /// The queue of the callback threads; `None` if callbacks run where their events are polled.
    pub(super) jobs: Option<Arc<Jobs>>,
    /// A connection whose group is woken when the server is closed, which wakes the driver.
    _sentinel: Connection,
}

const YEAR_MS: u64 = 365 * 86_400_000;

impl HttpShared {
    /// Makes the shared state. Also returns the notice that [`HttpShared::poll`] has something to do.
    pub(super) fn new(
        endpoint: EndpointBuilder,
        jobs: Option<Arc<Jobs>>,
    ) -> Result<(Arc<HttpShared>, Arc<Notify>)> {
        let wake = Arc::new(Notify::new());
        let rings = wake.clone();
        let endpoint = endpoint.build(move || rings.notify_one())?;
        let sentinel = endpoint.connect(Caller::default());
        let began = Instant::now();
        Ok((
            Arc::new(HttpShared {
                endpoint,
                began,
                next_unread_check: AtomicU64::new(0),
                jobs,
                _sentinel: sentinel,
            }),
            wake,
        ))
    }

    pub(super) fn server(&self) -> &Server {
        self.endpoint.server()
    }

    pub(super) fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Takes the events of the endpoint, and queues or runs them.
    pub(super) fn poll(&self) {
        while let Some(event) = self.endpoint.poll_event() {
            self.run(event);
        }
    }

    /// Returns the moment for a time of the endpoint.
    pub(super) fn instant(&self, ms: u64) -> tokio::time::Instant {
        let far = self.now().saturating_add(YEAR_MS); // an `Instant` has an end
        (self.began + Duration::from_millis(ms.min(far))).into()
    }

    /// Advances the endpoint's clock.
    pub(super) fn tick(&self) {
        let now = self.now();
        self.endpoint.tick(now);
        if now >= self.next_unread_check.load(Ordering::Relaxed) {
            let idle_ms = self.endpoint.idle_ms();
            self.next_unread_check.store(now.saturating_add(idle_ms / UNREAD_CHECKS), Ordering::Relaxed);
            self.endpoint.account().drop_unread(idle_ms);
        }
    }

    /// Returns whether many callbacks wait for their threads.
    pub(super) fn is_crowded(&self) -> bool {
        self.jobs.as_ref().is_some_and(|jobs| jobs.is_crowded())
    }

    pub(super) fn run(&self, event: Event) {
        match &self.jobs {
            Some(jobs) => jobs.push_event(event),
            None => event.run(),
        }
    }
}

/// Returns the timer that advances the endpoint's clock.
pub(super) fn ticks() -> Interval {
    let mut ticks = interval(Duration::from_millis(250));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

pub(super) fn no_thread(e: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "a thread cannot be started").because(e)
}
