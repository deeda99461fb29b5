//! An endpoint, its clock, and where its callbacks run.

use super::jobs::Jobs;
use super::unread::Bodies;
use crate::access::Caller;
use crate::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::http::{Endpoint, EndpointBuilder};
use crate::server::Server;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// What all requests of a driver over HTTP share.
pub(super) struct Shared {
    pub(super) endpoint: Endpoint,
    /// Responses that clients have not taken whole.
    pub(super) bodies: Bodies,
    began: Instant,
    /// Where callbacks wait for their threads; none: they run where they are come upon.
    pub(super) jobs: Option<Arc<Jobs>>,
    /// It is shut down with the server, which wakes us.
    _sentinel: Connection,
}

impl Shared {
    /// And what tells when to [`Shared::poll`].
    pub(super) fn new(
        endpoint: EndpointBuilder,
        jobs: Option<Arc<Jobs>>,
    ) -> Result<(Arc<Shared>, Arc<Notify>)> {
        let wake = Arc::new(Notify::new());
        let rings = wake.clone();
        let endpoint = endpoint.build(move || rings.notify_one())?;
        let sentinel = endpoint.connect(Caller::default());
        let (_, idle_ms) = endpoint.patience();
        let (bodies, began) = (Bodies::new(idle_ms), Instant::now());
        Ok((Arc::new(Shared { endpoint, bodies, began, jobs, _sentinel: sentinel }), wake))
    }

    pub(super) fn server(&self) -> &Server {
        self.endpoint.server()
    }

    pub(super) fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Takes what the endpoint came upon.
    pub(super) fn poll(&self) {
        while let Some(event) = self.endpoint.poll_event() {
            self.run(event);
        }
    }

    /// The moment that the endpoint calls so.
    pub(super) fn instant(&self, ms: u64) -> tokio::time::Instant {
        let far = Duration::from_secs(365 * 86_400);
        (self.began + Duration::from_millis(ms).min(far)).into()
    }

    /// Tells the time.
    pub(super) fn tick(&self) {
        let now = self.now();
        self.endpoint.tick(now);
        self.bodies.tick(now);
    }

    /// Whether many callbacks wait for their threads.
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

/// When to tell the endpoint the time.
pub(super) fn ticks() -> Interval {
    let mut ticks = interval(Duration::from_millis(250));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

pub(super) fn no_thread(e: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "a thread cannot be started").because(e)
}
