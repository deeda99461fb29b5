//! The time of day, for what several processes share. For everything else the core has the clock that its driver tells.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The Unix time at which a driver's clock was 0. Known from the first question on, so that both go on together.
#[derive(Default)]
pub(crate) struct WallClock(OnceLock<u64>);

impl WallClock {
    /// Returns the Unix time in milliseconds that belongs to a time of the driver.
    pub(crate) fn unix_ms(&self, now: u64) -> u64 {
        let began = self.0.get_or_init(|| {
            let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(unix.as_millis()).unwrap_or(u64::MAX).wrapping_sub(now)
        });
        began.wrapping_add(now)
    }
}
