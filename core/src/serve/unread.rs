//! Drops responses whose clients read nothing of them.

use crate::sync::Lock;
use crate::sync::atomic::{AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A response body in the hands of a server, which asks for more of it only once the client has read the last part.
pub(super) trait Unread: Send + Sync {
    /// Since when the server has not asked for more although there may be more, in milliseconds. `None`: it waits
    /// for more.
    fn since(&self, now: u64) -> Option<u64>;

    /// Drops the contents of the response. The server finds its end if it asks once more.
    fn let_go(&self);
}

/// All response bodies that servers hold, by a number of their own.
pub(super) struct Bodies {
    idle_ms: u64,
    open: Lock<Open>,
    /// When to check them again.
    next: AtomicU64,
}

#[derive(Default)]
struct Open {
    last: u64,
    bodies: BTreeMap<u64, Arc<dyn Unread>>,
}

/// The number of checks in the time that each body has.
const LOOKS: u64 = 8;

impl Bodies {
    pub(super) fn new(idle_ms: u64) -> Bodies {
        Bodies { idle_ms, open: Lock::default(), next: AtomicU64::new(0) }
    }

    pub(super) fn add(&self, body: Arc<dyn Unread>) -> u64 {
        self.open.with(|open, _| {
            open.last += 1;
            open.bodies.insert(open.last, body);
            open.last
        })
    }

    pub(super) fn remove(&self, number: u64) {
        let removed = self.open.with(|open, _| open.bodies.remove(&number));
        drop(removed); // not under the lock
    }

    /// Drops those of which the client has read nothing for `idle_ms`.
    pub(super) fn tick(&self, now: u64) {
        if now < self.next.load(Ordering::Relaxed) {
            return;
        }
        self.next.store(now.saturating_add(self.idle_ms / LOOKS), Ordering::Relaxed);
        let stuck = |body: &Arc<dyn Unread>| {
            body.since(now).is_some_and(|since| since.saturating_add(self.idle_ms) <= now)
        };
        let stuck: Vec<_> =
            self.open.with(|open, _| open.bodies.values().filter(|body| stuck(body)).cloned().collect());
        for body in stuck {
            body.let_go();
        }
    }
}

/// When the server last asked for more of a body.
#[derive(Debug)]
pub(super) struct Asked(AtomicU64);

/// The server has asked for more, and there is none yet.
const WAITS: u64 = u64::MAX;
/// The server has asked for more, was woken, and has not come back yet.
const TOLD: u64 = u64::MAX - 1;

impl Asked {
    /// Makes one for a body that the server has not asked for any of.
    pub(super) fn new() -> Asked {
        Asked(AtomicU64::new(WAITS))
    }

    /// Notes that the server has a part of the body, or its head.
    pub(super) fn gave(&self, now: u64) {
        self.0.store(now, Ordering::Release);
    }

    /// Notes that the server asks for more.
    pub(super) fn asks(&self) {
        self.0.store(WAITS, Ordering::Release);
    }

    /// Notes that there may be more for the server.
    pub(super) fn told(&self) {
        let _ = self.0.compare_exchange(WAITS, TOLD, Ordering::AcqRel, Ordering::Acquire);
    }

    /// See [`Unread::since`]. After a wake the time counts from the first check on.
    pub(super) fn since(&self, now: u64) -> Option<u64> {
        match self.0.load(Ordering::Acquire) {
            WAITS => None,
            TOLD => {
                let _ = self.0.compare_exchange(TOLD, now, Ordering::AcqRel, Ordering::Acquire);
                None
            }
            since => Some(since),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    struct Body(Asked, AtomicBool);

    impl Unread for Body {
        fn since(&self, now: u64) -> Option<u64> {
            self.0.since(now)
        }

        fn let_go(&self) {
            self.1.store(true, Ordering::Relaxed);
        }
    }

    fn body(bodies: &Bodies) -> Arc<Body> {
        let body = Arc::new(Body(Asked::new(), AtomicBool::new(false)));
        bodies.add(body.clone());
        body
    }

    #[test]
    fn a_body_that_is_not_asked_for_is_let_go_and_no_other() {
        let bodies = Bodies::new(80);
        let (stuck, taken, waits, told) = (body(&bodies), body(&bodies), body(&bodies), body(&bodies));
        stuck.0.gave(100);
        taken.0.gave(100);
        told.0.told();
        bodies.tick(170);
        taken.0.asks();
        taken.0.gave(175);
        let gone = || [&stuck, &taken, &waits, &told].map(|body| body.1.load(Ordering::Relaxed));
        bodies.tick(179); // too soon to check again
        bodies.tick(180);
        assert_eq!(gone(), [true, false, false, false]);
        bodies.tick(249);
        assert_eq!(gone(), [true, false, false, false]);
        bodies.tick(259);
        assert_eq!(gone(), [true, true, false, true], "the last was told of something before 170");
    }

    #[test]
    fn a_body_that_is_removed_is_not_looked_at() {
        let bodies = Bodies::new(8);
        let body = Arc::new(Body(Asked::new(), AtomicBool::new(false)));
        body.0.gave(1);
        bodies.remove(bodies.add(body.clone()));
        bodies.tick(100);
        assert!(!body.1.load(Ordering::Relaxed));
        assert_eq!(Arc::strong_count(&body), 1);
    }
}
