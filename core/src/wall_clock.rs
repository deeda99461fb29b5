//! The time of day, for values that several processes share. For everything else the core uses the clock of its driver.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The Unix time in milliseconds at which a driver's clock was 0. It is read once, at the first question, so that both
/// clocks advance together.
#[derive(Default)]
pub(crate) struct WallClock(OnceLock<u64>);

impl WallClock {
    /// Returns the Unix time in milliseconds for a time of the driver's clock.
    pub(crate) fn unix_ms(&self, now: u64) -> u64 {
        let began = self.0.get_or_init(|| {
            let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(unix.as_millis()).unwrap_or(u64::MAX).wrapping_sub(now)
        });
        began.wrapping_add(now)
    }
}
