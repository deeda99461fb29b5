//! The event streams of a session, with the events that are kept for clients that resume a stream.

use crate::account::Account;
use crate::protocol::Route;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// One event stream.
#[derive(Debug)]
struct Stream {
    route: Route,
    /// The number of its last event; 0 is the priming event.
    last: u64,
    /// The newest events, which are kept for a client that resumes the stream.
    kept: VecDeque<Kept>,
    /// True once the stream has its last event.
    over: bool,
    /// The exchange that sends the stream, if there is one.
    holder: Option<StreamHolder>,
}

/// An exchange that sends a stream as its response.
#[derive(Debug)]
struct StreamHolder {
    /// The number of the holder. An exchange that finds another number here has been replaced by another exchange.
    number: u64,
    /// The events that the exchange has not sent yet, whether they are also kept or not.
    unsent: Vec<Kept>,
}

/// The events that an exchange has to send now.
pub(super) struct Unsent {
    pub(super) events: Vec<Kept>,
    /// True if the stream ends after these events.
    pub(super) are_last: bool,
}

/// The result of opening a stream.
pub(super) struct Opened {
    pub(super) stream: u64,
    /// The number of the stream's holder.
    pub(super) holder: u64,
    /// The routes of streams that were forgotten because there were too many. No client can come back to them.
    pub(super) forgotten: Vec<Route>,
}

/// The result of resuming a stream.
pub(super) struct Resumed {
    pub(super) route: Route,
    /// The number of the new holder.
    pub(super) holder: u64,
    /// True if the stream has, or will have, events to send.
    pub(super) has_events: bool,
}

/// The event streams of one session, by their numbers.
#[derive(Debug)]
pub(super) struct Streams {
    /// Counts the bytes of kept events, together with those of other sessions.
    account: Arc<Account>,
    open: BTreeMap<u64, Stream>,
    /// The streams that have nothing more to send unless a client comes back.
    spent: BTreeSet<u64>,
    /// The streams without an exchange.
    free: BTreeSet<u64>,
    /// The streams with kept events.
    keeping: BTreeSet<u64>,
    bytes: usize,
    last: u64,
    holders: u64,
}

/// A place in a stream: the `id` of an event.
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

/// The cost of a kept event apart from its bytes: its place in its stream and in the order of all events, and
/// its part of the stream.
const EVENT_COST: usize = 256;

/// An event that is kept, with its number in its stream.
pub(super) type Kept = (u64, Arc<[u8]>);

impl Streams {
    pub(super) fn new(account: Arc<Account>) -> Streams {
        Streams {
            account,
            open: BTreeMap::new(),
            spent: BTreeSet::new(),
            free: BTreeSet::new(),
            keeping: BTreeSet::new(),
            bytes: 0,
            last: 0,
            holders: 0,
        }
    }

    /// Makes a stream. `most` is the greatest number of streams, with or without kept events. Fewer exchanges than that
    /// have a stream.
    pub(super) fn open(&mut self, route: Route, most: usize) -> Opened {
        let mut forgotten = Vec::new();
        while self.open.len() >= most
            && let Some(route) = self.forget_one()
        {
            forgotten.push(route);
        }
        self.last += 1;
        self.holders += 1;
        let holder = Some(StreamHolder { number: self.holders, unsent: Vec::new() });
        self.open.insert(self.last, Stream { route, last: 0, kept: VecDeque::new(), over: false, holder });
        Opened { stream: self.last, holder: self.holders, forgotten }
    }

    /// Adds the next event of a stream: for the exchange that sends it now, and for clients that come back. Returns its
    /// number; `None` if there is no such stream.
    pub(super) fn add_event(&mut self, stream: u64, data: Arc<[u8]>, most: usize) -> Option<u64> {
        let length = data.len();
        let said = self.change(stream, |s| {
            s.last += 1;
            if let Some(holder) = &mut s.holder {
                holder.unsent.push((s.last, data.clone()));
            }
            s.kept.push_back((s.last, data));
            s.last
        });
        if said.is_some() {
            self.bytes += length;
            self.account.keep(length + EVENT_COST);
            self.evict(most);
        }
        said
    }

    /// Notes that the next event of a stream was discarded, so that no client can resume the stream.
    pub(super) fn lose(&mut self, stream: u64) {
        let kept = self.change(stream, |s| {
            s.last += 1;
            (s.over, s.holder) = (true, None);
            std::mem::take(&mut s.kept)
        });
        self.count_less(kept.iter().flatten());
    }

    /// Notes that events are kept no more.
    fn count_less<'a>(&mut self, events: impl IntoIterator<Item = &'a Kept>) {
        for (_, data) in events {
            self.bytes -= data.len();
            self.account.forget(data.len() + EVENT_COST);
        }
    }

    /// Takes the events that this holder has to send now. Returns `None` if the stream has another holder.
    pub(super) fn take(&mut self, stream: u64, holder: u64) -> Option<Unsent> {
        self.change(stream, |s| {
            let holder = s.holder.as_mut().filter(|h| h.number == holder)?;
            Some(Unsent { events: std::mem::take(&mut holder.unsent), are_last: s.over })
        })?
    }

    /// Notes that an exchange has ended. Returns whether it was the stream's holder until now.
    pub(super) fn release(&mut self, stream: u64, holder: u64) -> bool {
        let released =
            self.change(stream, |s| s.holder.take_if(|h| h.number == holder).is_some()).unwrap_or_default();
        self.forget_empty(stream);
        released
    }

    /// Takes a stream from its holder. Returns the events that the holder has not sent; the stream does not contain
    /// them any more.
    pub(super) fn part(&mut self, stream: u64) -> Vec<Arc<[u8]>> {
        let parted = self.change(stream, |s| {
            let unsent = s.holder.take().map(|holder| holder.unsent).unwrap_or_default();
            if let Some((first, _)) = unsent.first() {
                s.last = first - 1;
            }
            let kept = s.kept.partition_point(|(event, _)| *event <= s.last);
            (unsent, s.kept.split_off(kept))
        });
        let (unsent, gone) = parted.unwrap_or_default();
        self.count_less(&gone);
        unsent.into_iter().map(|(_, data)| data).collect()
    }

    /// Forgets a stream: the oldest one that has ended, or else the oldest one without an exchange. Returns its route;
    /// `None` if there is no such stream.
    fn forget_one(&mut self) -> Option<Route> {
        let number = self.spent.first().or(self.free.first()).copied()?;
        self.forget(number)
    }

    /// Drops the oldest events until there are at most `most` bytes, first those of streams that have ended.
    fn evict(&mut self, most: usize) {
        while self.bytes > most
            && let Some(number) = self.spent.first().or(self.keeping.first()).copied()
        {
            self.evict_one(number);
        }
    }

    /// Returns whether that event of a stream is kept.
    pub(super) fn keeps(&self, stream: u64, event: u64) -> bool {
        let first = self.open.get(&stream).and_then(|stream| stream.kept.front());
        first.is_some_and(|(first, _)| *first <= event)
    }

    /// Drops the oldest event of a stream.
    pub(super) fn evict_one(&mut self, number: u64) {
        let event = self.change(number, |s| s.kept.pop_front()).flatten();
        self.count_less(&event);
        if self.spent.contains(&number) && !self.keeping.contains(&number) {
            self.forget(number);
        }
    }

    /// Forgets a stream. Returns its route; `None` if there is no such stream.
    fn forget(&mut self, number: u64) -> Option<Route> {
        let stream = self.open.remove(&number)?;
        self.count_less(&stream.kept);
        for some in [&mut self.spent, &mut self.free, &mut self.keeping] {
            some.remove(&number);
        }
        Some(stream.route)
    }

    /// Changes a stream, and then its place in the lists of streams that can be dropped. Returns `None` if there is no
    /// such stream.
    fn change<R>(&mut self, number: u64, change: impl FnOnce(&mut Stream) -> R) -> Option<R> {
        let stream = self.open.get_mut(&number)?;
        let result = change(stream);
        let (spent, free, keeping) = (stream.is_spent(), stream.holder.is_none(), !stream.kept.is_empty());
        for (some, is_one) in [(&mut self.spent, spent), (&mut self.free, free), (&mut self.keeping, keeping)]
        {
            if is_one {
                some.insert(number)
            } else {
                some.remove(&number)
            };
        }
        Some(result)
    }

    pub(super) fn end(&mut self, stream: u64) {
        self.change(stream, |s| s.over = true);
        self.forget_empty(stream);
    }

    /// Forgets a stream if it is over, and no exchange and no kept event needs it.
    fn forget_empty(&mut self, number: u64) {
        let is_needed = self.keeping.contains(&number) || !self.free.contains(&number);
        if self.spent.contains(&number) && !is_needed {
            self.forget(number);
        }
    }

    /// Gives the stream a new holder, which sends the events after this place. Returns `None` if the place is unknown,
    /// or if the events after it are not kept any more.
    pub(super) fn resume(&mut self, place: Place) -> Option<Resumed> {
        let number = self.holders + 1;
        let (route, has_events) = self.change(place.stream, |stream| {
            let first = stream.kept.front().map_or(stream.last + 1, |(event, _)| *event);
            if place.event > stream.last || place.event + 1 < first {
                return None;
            }
            let after = stream.kept.iter().filter(|(event, _)| *event > place.event);
            let unsent: Vec<_> = after.cloned().collect();
            let has_events = !stream.over || !unsent.is_empty();
            stream.holder = Some(StreamHolder { number, unsent });
            Some((stream.route, has_events))
        })??;
        self.holders = number;
        Some(Resumed { route, holder: number, has_events })
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        let open = std::mem::take(&mut self.open);
        self.count_less(open.values().flat_map(|stream| &stream.kept));
    }
}

impl Stream {
    /// Returns whether the stream has nothing more to send unless a client comes back.
    fn is_spent(&self) -> bool {
        self.over && self.holder.as_ref().is_none_or(|holder| holder.unsent.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    const MOST: usize = 8;

    fn streams() -> Streams {
        Streams::new(Account::new(&Limits::default()))
    }

    /// Opens a stream. Returns its number and that of its holder.
    fn open(streams: &mut Streams, route: Route, most: usize) -> (u64, u64) {
        let opened = streams.open(route, most);
        (opened.stream, opened.holder)
    }

    fn data(text: &str) -> Arc<[u8]> {
        text.as_bytes().into()
    }

    fn missed(streams: &mut Streams, id: &str) -> Option<Vec<u64>> {
        let place = Place::read(id.as_bytes())?;
        let holder = streams.resume(place)?.holder;
        sent(streams, place.stream, holder)
    }

    fn sent(streams: &mut Streams, stream: u64, holder: u64) -> Option<Vec<u64>> {
        let unsent = streams.take(stream, holder)?;
        Some(unsent.events.into_iter().map(|(event, _)| event).collect())
    }

    #[test]
    fn a_stream_continues_after_any_kept_event_and_after_no_other() {
        // row: H-45, H-46, H-47
        let mut streams = streams();
        let (stream, holder) = open(&mut streams, Route::Message(1), MOST);
        for text in ["a", "b", "c"] {
            streams.add_event(stream, data(text), 100);
        }
        assert_eq!(sent(&mut streams, stream, holder), Some(vec![1, 2, 3]));
        assert_eq!(missed(&mut streams, "1-0"), Some(vec![1, 2, 3]));
        assert_eq!(missed(&mut streams, "1-2"), Some(vec![3]));
        assert_eq!(missed(&mut streams, "1-3"), Some(vec![]));
        for unknown in ["1-4", "2-0", "1", "", "x-1", "1--1", "+1-1", "1-99999999999999999999"] {
            assert_eq!(missed(&mut streams, unknown), None, "{unknown}");
        }
        assert_eq!(sent(&mut streams, stream, holder), None, "another request holds the stream");
    }

    #[test]
    fn the_holder_of_a_stream_sends_events_of_its_former_holder_even_if_they_are_not_kept() {
        // row: H-46
        let mut streams = streams();
        let (stream, former) = open(&mut streams, Route::Message(1), MOST);
        let holder = streams.resume(Place { stream, event: 0 }).expect("it is known").holder;
        streams.add_event(stream, data("too large to be kept"), 10);
        streams.end(stream);
        let (other, _) = open(&mut streams, Route::Message(2), MOST);
        streams.add_event(other, data("12345678901"), 10);
        assert!(!streams.release(stream, former));
        assert!(streams.take(stream, former).is_none());
        assert!(
            streams.take(stream, holder).is_some_and(|unsent| unsent.events.len() == 1 && unsent.are_last)
        );
        assert_eq!(missed(&mut streams, "1-0"), None, "it is sent once");
    }

    #[test]
    fn a_stream_that_is_taken_from_its_holder_keeps_sent_events_and_drops_the_rest() {
        // row: H-43
        let mut streams = streams();
        let (stream, holder) = open(&mut streams, Route::Connection, MOST);
        streams.add_event(stream, data("sent"), 100);
        assert_eq!(sent(&mut streams, stream, holder), Some(vec![1]));
        streams.add_event(stream, data("unsent"), 100);
        assert_eq!(streams.part(stream), [data("unsent")]);
        assert_eq!(streams.bytes, 4);
        assert_eq!(sent(&mut streams, stream, holder), None);
        assert_eq!(streams.part(stream), [], "no request holds it");
        assert_eq!(missed(&mut streams, "1-2"), None, "no client has seen it");
        assert_eq!(missed(&mut streams, "1-1"), Some(vec![]));
        assert!(streams.resume(Place { stream, event: 0 }).is_some());
        assert_eq!(streams.part(stream), [data("sent")], "the client that came back has not been sent it");
        assert_eq!((missed(&mut streams, "1-0"), streams.bytes), (Some(vec![]), 0));
        assert_eq!(streams.account.kept(), 0);
    }

    #[test]
    fn kept_events_count_with_their_cost_until_they_are_kept_no_more() {
        let mut streams = streams();
        let account = streams.account.clone();
        let check = |events: usize, bytes: usize, what: &str| {
            assert_eq!(account.kept(), events * EVENT_COST + bytes, "{what}");
        };
        let (first, holder) = open(&mut streams, Route::Message(1), MOST);
        for text in ["", "1", "22", "333"] {
            streams.add_event(first, data(text), 100);
        }
        check(4, 6, "each of them");
        streams.evict_one(first);
        check(3, 6, "an event without bytes was dropped");
        streams.add_event(first, data("4444"), 7);
        check(2, 7, "the oldest ones made room for another");
        let (second, _) = open(&mut streams, Route::Message(2), MOST);
        streams.add_event(second, data("5"), 100);
        assert_eq!(streams.part(second), [data("5")]);
        check(2, 7, "an event was taken back");
        streams.lose(first);
        check(0, 0, "its next event was discarded");
        assert!(!streams.release(first, holder));
        streams.add_event(second, data("6"), 100);
        check(1, 1, "one more");
        drop(streams);
        check(0, 0, "the session ended");
    }

    #[test]
    fn a_stream_without_a_holder_keeps_only_events_that_may_be_kept() {
        let mut streams = streams();
        let (stream, holder) = open(&mut streams, Route::Message(1), MOST);
        assert!(streams.release(stream, holder));
        for text in ["123456", "789012"] {
            streams.add_event(stream, data(text), 10);
        }
        assert_eq!(streams.bytes, 6);
        assert_eq!(missed(&mut streams, "1-0"), None);
        assert_eq!(missed(&mut streams, "1-1"), Some(vec![2]));
    }

    #[test]
    fn a_stream_that_opens_names_the_routes_of_those_that_were_forgotten_for_it() {
        let mut streams = streams();
        let first = streams.open(Route::Message(1), 2);
        let second = streams.open(Route::Message(2), 2);
        assert!(streams.release(first.stream, first.holder));
        assert!(streams.release(second.stream, second.holder));
        assert_eq!((first.forgotten, second.forgotten), (vec![], vec![]), "they had room");
        assert_eq!(streams.open(Route::Message(3), 2).forgotten, [Route::Message(1)]);
        assert_eq!(streams.open(Route::Message(4), 1).forgotten, [Route::Message(2)]);
    }

    #[test]
    fn silent_streams_are_forgotten_too() {
        let mut streams = streams();
        let (first, holder) = open(&mut streams, Route::Connection, MOST);
        streams.add_event(first, data("kept"), 10);
        for _ in 1..MOST {
            open(&mut streams, Route::Connection, MOST);
        }
        streams.end(7);
        open(&mut streams, Route::Connection, MOST);
        assert_eq!(missed(&mut streams, "7-0"), None, "it was over");
        assert!(streams.release(first, holder));
        open(&mut streams, Route::Connection, MOST);
        assert_eq!(missed(&mut streams, "1-0"), None, "no request held it");
        assert_eq!((streams.bytes, streams.open.len()), (0, MOST));
        assert_eq!(missed(&mut streams, "2-0"), Some(vec![]), "it is held, though the oldest");
    }

    #[test]
    fn kept_events_are_bounded_and_those_of_ended_streams_go_first() {
        let mut streams = streams();
        let (ended, holder) = open(&mut streams, Route::Message(1), MOST);
        streams.add_event(ended, data("12345"), 10);
        streams.end(ended);
        assert_eq!(sent(&mut streams, ended, holder), Some(vec![1]));
        let (open, _) = open(&mut streams, Route::Message(2), MOST);
        for _ in 0..3 {
            streams.add_event(open, data("1234"), 10);
        }
        assert_eq!(missed(&mut streams, "1-0"), None);
        assert_eq!(missed(&mut streams, "2-0"), None, "its first event is gone");
        assert_eq!(missed(&mut streams, "2-1"), Some(vec![2, 3]));
    }
}
