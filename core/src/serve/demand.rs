//! Measures how long an HTTP server, such as hyper, has not asked for more of a response body.

use crate::sync::atomic::{AtomicU64, Ordering};

/// The state of one response body: an HTTP server, such as hyper, asks for the next part once the client has read the
/// part before. It is one of the constants below, or the time when the server got the latest part.
#[derive(Debug)]
pub(super) struct Demand(AtomicU64);

/// The HTTP server has asked for more, and there is nothing yet.
const WAITS: u64 = u64::MAX;
/// The HTTP server had asked for more and was woken, because there may be more. It has not come back yet.
const WOKEN: u64 = u64::MAX - 1;

impl Demand {
    /// Makes the state of a body of which the HTTP server has no part yet.
    pub(super) fn new() -> Demand {
        Demand(AtomicU64::new(WAITS))
    }

    /// Notes that the HTTP server got a part of the body, or its head.
    pub(super) fn provide(&self, now: u64) {
        self.0.store(now, Ordering::Release);
    }

    /// Notes that the HTTP server asks for more.
    pub(super) fn request(&self) {
        self.0.store(WAITS, Ordering::Release);
    }

    /// Notes that the HTTP server was woken, because there may be more.
    pub(super) fn wake(&self) {
        let _ = self.0.compare_exchange(WAITS, WOKEN, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Returns for how many milliseconds the HTTP server has had a part without asking for the next one. `None`: it
    /// waits for more. After a wake the time counts from the first call of this method.
    pub(super) fn unread_ms(&self, now: u64) -> Option<u64> {
        match self.0.load(Ordering::Acquire) {
            WAITS => None,
            WOKEN => {
                let _ = self.0.compare_exchange(WOKEN, now, Ordering::AcqRel, Ordering::Acquire);
                None
            }
            since => Some(now.saturating_sub(since)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_counts_from_the_last_part_and_after_a_wake_from_the_first_look() {
        let demand = Demand::new();
        assert_eq!(demand.unread_ms(100), None);
        demand.provide(100);
        assert_eq!(demand.unread_ms(170), Some(70));
        demand.request();
        assert_eq!(demand.unread_ms(180), None);
        demand.wake();
        assert_eq!((demand.unread_ms(190), demand.unread_ms(200)), (None, Some(10)));
        demand.wake();
        assert_eq!(demand.unread_ms(210), Some(20), "the server was not waiting");
    }
}
