//! Streams of a session that can be resumed, and what was said on them, as far as it is kept.

use crate::protocol::Route;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// So many streams of a session are known, whatever they said.
const MOST: usize = 4_096;

/// One stream of events.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) route: Route,
    /// The number of its last event; 0 is the priming event.
    last: u64,
    /// The newest events.
    kept: VecDeque<(u64, Arc<[u8]>)>,
    /// Its last event was said.
    over: bool,
    /// Who sends it: an exchange that finds another number here has been replaced.
    holder: u64,
}

/// The streams of one session, by number.
#[derive(Debug, Default)]
pub(super) struct Streams {
    open: BTreeMap<u64, Stream>,
    bytes: usize,
    last: u64,
    holders: u64,
}

/// A place in a stream: `id` of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) stream: u64,
    pub(super) event: u64,
}

impl Place {
    pub(super) fn read(id: &[u8]) -> Option<Place> {
        let (stream, event) = std::str::from_utf8(id).ok()?.split_once('-')?;
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?;
        Some(Place { stream: number(stream)?, event: number(event)? })
    }

    pub(super) fn id(self) -> String {
        format!("{}-{}", self.stream, self.event)
    }
}

/// An event that is to be said again.
pub(super) type Kept = (u64, Arc<[u8]>);

impl Streams {
    /// A new stream, and its holder.
    pub(super) fn open(&mut self, route: Route) -> (u64, u64) {
        while self.open.len() >= MOST {
            self.forget_one();
        }
        self.last += 1;
        self.holders += 1;
        let stream = Stream { route, last: 0, kept: VecDeque::new(), over: false, holder: self.holders };
        self.open.insert(self.last, stream);
        (self.last, self.holders)
    }

    /// The next event of a stream, kept for those who come back; nothing if somebody else holds the stream now.
    pub(super) fn say(&mut self, stream: u64, holder: u64, data: Arc<[u8]>, most: usize) -> Option<Place> {
        let s = self.open.get_mut(&stream).filter(|s| s.holder == holder)?;
        s.last += 1;
        let place = Place { stream, event: s.last };
        self.bytes += data.len();
        s.kept.push_back((s.last, data));
        self.evict(most);
        Some(place)
    }

    /// Lets a whole stream go: the oldest that is over, or else the oldest.
    fn forget_one(&mut self) {
        let over = self.open.iter().find(|(_, s)| s.over).map(|(number, _)| *number);
        let Some(number) = over.or_else(|| self.open.keys().next().copied()) else { return };
        if let Some(stream) = self.open.remove(&number) {
            self.bytes -= stream.kept.iter().map(|(_, data)| data.len()).sum::<usize>();
        }
    }

    /// Lets the oldest events go, first those of streams that are over.
    fn evict(&mut self, most: usize) {
        while self.bytes > most {
            let finished = self.open.iter().find(|(_, s)| s.over).map(|(number, _)| *number);
            let Some(number) = finished
                .or_else(|| self.open.iter().find(|(_, s)| !s.kept.is_empty()).map(|(number, _)| *number))
            else {
                return;
            };
            let Some(stream) = self.open.get_mut(&number) else { return };
            match stream.kept.pop_front() {
                Some((_, data)) => self.bytes -= data.len(),
                None => drop(self.open.remove(&number)),
            }
            if self.open.get(&number).is_some_and(|s| s.over && s.kept.is_empty()) {
                self.open.remove(&number);
            }
        }
    }

    pub(super) fn over(&mut self, stream: u64) {
        if let Some(stream) = self.open.get_mut(&stream) {
            stream.over = true;
        }
    }

    /// Goes on after that place: the route, the new holder, what was said since, and whether that is all. Nothing if the
    /// place is unknown, or what followed is not kept any more.
    pub(super) fn resume(&mut self, place: Place) -> Option<(Route, u64, Vec<Kept>, bool)> {
        let stream = self.open.get_mut(&place.stream)?;
        let first = stream.kept.front().map_or(stream.last + 1, |(event, _)| *event);
        if place.event > stream.last || place.event + 1 < first {
            return None;
        }
        self.holders += 1;
        stream.holder = self.holders;
        let missed = stream.kept.iter().filter(|(event, _)| *event > place.event).cloned().collect();
        Some((stream.route, self.holders, missed, stream.over))
    }

    pub(super) fn is_held(&self, stream: u64, holder: u64) -> bool {
        self.open.get(&stream).is_some_and(|s| s.holder == holder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(text: &str) -> Arc<[u8]> {
        text.as_bytes().into()
    }

    fn missed(streams: &mut Streams, id: &str) -> Option<Vec<u64>> {
        let (.., missed, _) = streams.resume(Place::read(id.as_bytes())?)?;
        Some(missed.into_iter().map(|(event, _)| event).collect())
    }

    #[test]
    fn a_stream_goes_on_after_any_place_that_is_kept_and_after_no_other() {
        // row: H-45, H-46, H-47
        let mut streams = Streams::default();
        let (stream, holder) = streams.open(Route::Exchange(1));
        for text in ["a", "b", "c"] {
            streams.say(stream, holder, data(text), 100).expect("it is ours");
        }
        assert_eq!(missed(&mut streams, "1-0"), Some(vec![1, 2, 3]));
        assert_eq!(missed(&mut streams, "1-2"), Some(vec![3]));
        assert_eq!(missed(&mut streams, "1-3"), Some(vec![]));
        for unknown in ["1-4", "2-0", "1", "", "x-1", "1--1", "+1-1", "1-99999999999999999999"] {
            assert_eq!(missed(&mut streams, unknown), None, "{unknown}");
        }
        assert!(streams.say(stream, holder, data("d"), 100).is_none(), "somebody else holds the stream");
    }

    #[test]
    fn streams_that_say_nothing_are_forgotten_too() {
        let mut streams = Streams::default();
        let (first, holder) = streams.open(Route::Connection);
        streams.say(first, holder, data("kept"), 10);
        for _ in 1..MOST {
            streams.open(Route::Connection);
        }
        streams.over(7);
        streams.open(Route::Connection);
        assert_eq!(missed(&mut streams, "7-0"), None, "it was over");
        assert_eq!(missed(&mut streams, "1-0"), Some(vec![1]));
        streams.open(Route::Connection);
        assert_eq!(missed(&mut streams, "1-0"), None);
        assert_eq!((streams.bytes, streams.open.len()), (0, MOST));
    }

    #[test]
    fn what_is_kept_is_bounded_and_ended_streams_go_first() {
        let mut streams = Streams::default();
        let (ended, holder) = streams.open(Route::Exchange(1));
        streams.say(ended, holder, data("12345"), 10);
        streams.over(ended);
        let (open, holder) = streams.open(Route::Exchange(2));
        for _ in 0..3 {
            streams.say(open, holder, data("1234"), 10);
        }
        assert_eq!(missed(&mut streams, "1-0"), None);
        assert_eq!(missed(&mut streams, "2-0"), None, "its first event is gone");
        assert_eq!(missed(&mut streams, "2-1"), Some(vec![2, 3]));
    }
}
