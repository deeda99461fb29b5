//! Decides when collected changes are announced: once no more come, and now and then if they keep coming.

use std::time::{Duration, Instant};

/// Changes that keep coming are announced after this many times the settle time.
const AT_MOST: u32 = 10;

#[derive(Debug)]
pub(super) struct Settling {
    quiet: Duration,
    /// The times when the first and the latest of the pending changes came; `None` if none are pending.
    gathered: Option<(Instant, Instant)>,
}

impl Settling {
    /// Makes a clock for changes, which are announced once none has come for `quiet`.
    pub(super) fn new(quiet: Duration) -> Settling {
        Settling { quiet, gathered: None }
    }

    /// Notes another change.
    pub(super) fn changed(&mut self, now: Instant) {
        let first = self.gathered.map_or(now, |(first, _)| first);
        self.gathered = Some((first, now));
    }

    /// Returns the time until the pending changes are to be announced, or `None` if there are none.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        let (first, last) = self.gathered?;
        let settled = (last + self.quiet).min(first + self.quiet * AT_MOST);
        Some(settled.saturating_duration_since(now))
    }

    /// Returns whether the pending changes are to be announced now, and then counts them as announced.
    pub(super) fn is_settled(&mut self, now: Instant) -> bool {
        let settled = self.left(now) == Some(Duration::ZERO);
        if settled {
            self.gathered = None;
        }
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times of the announcements, in milliseconds, for changes at these times.
    fn announced(quiet: u64, changes: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut settling = Settling::new(Duration::from_millis(quiet));
        let mut changes = changes.into_iter().peekable();
        let (mut reported, mut now) = (Vec::new(), 0);
        loop {
            while changes.next_if(|change| *change == now).is_some() {
                settling.changed(at(now));
            }
            if settling.is_settled(at(now)) {
                reported.push(now);
            }
            let left = settling.left(at(now)).map(|left| now + left.as_millis() as u64);
            match left.into_iter().chain(changes.peek().copied()).min() {
                Some(next) => now = next,
                None => return reported,
            }
        }
    }

    #[test]
    fn a_change_is_announced_when_it_has_settled() {
        assert_eq!(announced(50, [7]), [57]);
        assert_eq!(announced(50, [0, 49, 98, 1_000]), [148, 1_050]);
        assert_eq!(announced(50, []), [0; 0]);
    }

    #[test]
    fn a_burst_is_announced_once() {
        assert_eq!(announced(50, (0..500).map(|n| n / 5)), [149]);
    }

    #[test]
    fn endless_changes_are_announced_at_intervals_and_after_the_last_one() {
        assert_eq!(announced(50, (0..1_000).map(|n| n * 3)), [500, 1_001, 1_502, 2_003, 2_504, 3_005]);
    }

    #[test]
    fn without_a_time_to_settle_each_change_is_announced_at_once() {
        assert_eq!(announced(0, [1, 2, 3]), [1, 2, 3]);
    }
}
