//! Decides whether a server waits for more of a response, or the response for the client.

use crate::sync::atomic::{AtomicU64, Ordering};

/// The demand of a server for more of a response body. It asks for more once the client has read the last part.
#[derive(Debug)]
pub(super) struct Demand(AtomicU64);

/// The server has asked for more, and there is none yet.
const WAITS: u64 = u64::MAX;
/// The server has asked for more, was woken, and has not come back yet.
const WOKEN: u64 = u64::MAX - 1;

impl Demand {
    /// Makes one for a body that the server has not asked for any of.
    pub(super) fn new() -> Demand {
        Demand(AtomicU64::new(WAITS))
    }

    /// Notes that the server has a part of the body, or its head.
    pub(super) fn provide(&self, now: u64) {
        self.0.store(now, Ordering::Release);
    }

    /// Notes that the server asks for more.
    pub(super) fn request(&self) {
        self.0.store(WAITS, Ordering::Release);
    }

    /// Notes that the server was woken, because there may be more.
    pub(super) fn wake(&self) {
        let _ = self.0.compare_exchange(WAITS, WOKEN, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Returns for how many milliseconds the server has not asked for more although there may be more. `None`: it waits
    /// for more. After a wake the time counts from the first call on.
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
