//! The order in which the events of all sessions were sent, so that the oldest is dropped first.

use std::collections::VecDeque;
use std::sync::Arc;

/// Identifies one event: its session, its stream, and its number in the stream.
type EventKey = (Arc<str>, u64, u64);

/// Events in the order in which they were sent. Some are not kept by their streams any more: they are removed once
/// there are twice as many events as after the last sweep.
#[derive(Debug)]
pub(super) struct Replay {
    order: VecDeque<EventKey>,
    sweep_at: usize,
}

/// With fewer events than this, none are swept out.
const FEW: usize = 1_024;

impl Default for Replay {
    fn default() -> Self {
        Replay { order: VecDeque::new(), sweep_at: FEW }
    }
}

impl Replay {
    /// Adds an event. `keeps` returns whether an event is still kept.
    pub(super) fn add(
        &mut self,
        session: Arc<str>,
        stream: u64,
        event: u64,
        keeps: impl Fn(&str, u64, u64) -> bool,
    ) {
        self.order.push_back((session, stream, event));
        if self.order.len() >= self.sweep_at {
            self.order.retain(|(session, stream, event)| keeps(session, *stream, *event));
            self.sweep_at = FEW.max(2 * self.order.len());
        }
    }

    /// Removes the event that was sent first and returns it; `None` if there is none.
    pub(super) fn oldest(&mut self) -> Option<EventKey> {
        self.order.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_event_comes_first_and_events_that_are_gone_are_swept_out() {
        let mut replay = Replay::default();
        let session: Arc<str> = "s".into();
        for event in 0..10_000 {
            replay.add(session.clone(), 1, event, |_, _, event| event % 10 == 0);
        }
        assert_eq!(replay.oldest(), Some((session.clone(), 1, 0)));
        assert_eq!(replay.oldest(), Some((session, 1, 10)));
        assert!(replay.order.len() < 3_000, "{}", replay.order.len());
    }
}
