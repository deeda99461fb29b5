//! The open listen streams of an endpoint, and which of them ends when another client needs its place.

use super::{Account, Full};
use crate::limits::Limits;
use crate::sync::atomic::{AtomicU8, Ordering};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A function that tells a driver to poll an exchange.
pub(crate) type Ready = Arc<dyn Fn() + Send + Sync>;

/// The client for which a listen stream counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StreamOwner {
    /// A caller with a token, by its id.
    Caller(Box<[u8]>),
    /// The address of the [`Holder`](super::Holder) of the request.
    Holder(usize),
    /// The address of the holder of one request only. Its client cannot be told from others, so it does not take the
    /// place of another stream.
    Request(usize),
}

/// The listen streams of an endpoint. Each step costs the same however many there are.
///
/// A stream is pending until the application has reviewed its subscriptions. Only an open stream can end for another one,
/// because a question to the application counts until the application has answered it. At most `most` streams are open and
/// at most `most` are pending, so there is an open stream for each one beyond `most`.
pub(super) struct ListenStreams {
    most: usize,
    percent: usize,
    last: u64,
    all: usize,
    pending: usize,
    by_owner: BTreeMap<StreamOwner, Owned>,
    /// The owners of open streams, each with the number of its streams and the oldest one. The last entry is the owner
    /// with most streams; among equals, the owner of the oldest one.
    by_count: BTreeSet<(usize, Reverse<u64>, StreamOwner)>,
}

/// The streams of one owner.
#[derive(Default)]
struct Owned {
    pending: usize,
    open: BTreeMap<u64, Arc<ListenStream>>,
}

/// One listen stream.
struct ListenStream {
    owner: StreamOwner,
    ready: Ready,
    state: AtomicU8,
}

const PENDING: u8 = 0;
const OPEN: u8 = 1;
const REPLACED: u8 = 2;

/// The place of one listen stream. Dropping it frees the place.
pub(crate) struct ListenPlace {
    account: Arc<Account>,
    number: u64,
    stream: Arc<ListenStream>,
}

impl ListenStreams {
    pub(super) fn new(limits: &Limits) -> ListenStreams {
        let (by_owner, by_count) = Default::default();
        let (most, percent) = (limits.listen_streams, limits.caller_percent);
        ListenStreams { most, percent, last: 0, all: 0, pending: 0, by_owner, by_count }
    }

    /// Adds a pending stream, and returns its number. If there is no place, another stream ends when this one is open: the
    /// application may refuse it until then. `share` is the number that the owner may have.
    fn add(&mut self, owner: &StreamOwner, share: Option<Full>) -> Result<u64, Full> {
        let (pending, open) = self.by_owner.get(owner).map_or((0, 0), |own| (own.pending, own.open.len()));
        if let Some(share) = share.filter(|share| pending + open >= share.most) {
            return Err(share);
        }
        let part = super::share(self.most.saturating_sub(self.pending - pending), self.percent);
        if pending >= part.most {
            return Err(part);
        }
        let distinct = !matches!(owner, StreamOwner::Request(_));
        if self.all >= self.most && !(distinct && self.pending < self.most) {
            return Err(Full { limit: "listen_streams", most: self.most });
        }
        self.last += 1;
        self.all += 1;
        self.pending += 1;
        self.change(owner, |own| own.pending += 1);
        Ok(self.last)
    }

    /// Removes the oldest stream of the owner with most open streams, and returns it. `None` if there is none.
    fn replace_oldest(&mut self) -> Option<Arc<ListenStream>> {
        let (_, Reverse(number), owner) = self.by_count.last().cloned()?;
        let stream = self.change(&owner, |own| own.open.remove(&number))?;
        stream.state.store(REPLACED, Ordering::Release);
        self.all -= 1;
        Some(stream)
    }

    /// Marks a stream as open. Returns the stream that ends in its place, if there are too many.
    fn open(&mut self, number: u64, stream: &Arc<ListenStream>) -> Option<Arc<ListenStream>> {
        if stream.state.compare_exchange(PENDING, OPEN, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return None;
        }
        let replaced = if self.all > self.most { self.replace_oldest() } else { None };
        self.pending -= 1;
        self.change(&stream.owner, |own| {
            own.pending -= 1;
            own.open.insert(number, stream.clone());
        });
        replaced
    }

    fn remove(&mut self, number: u64, stream: &ListenStream) -> Option<Arc<ListenStream>> {
        match stream.state.load(Ordering::Acquire) {
            PENDING => {
                (self.all, self.pending) = (self.all - 1, self.pending - 1);
                self.change(&stream.owner, |own| own.pending -= 1);
                None
            }
            OPEN => {
                self.all -= 1;
                self.change(&stream.owner, |own| own.open.remove(&number))
            }
            _ => None, // its place is another's
        }
    }

    fn change<R>(&mut self, owner: &StreamOwner, change: impl FnOnce(&mut Owned) -> R) -> R {
        let own = self.by_owner.entry(owner.clone()).or_default();
        let entry = |own: &Owned| {
            let (oldest, _) = own.open.first_key_value()?;
            Some((own.open.len(), Reverse(*oldest), owner.clone()))
        };
        if let Some(former) = entry(own) {
            self.by_count.remove(&former);
        }
        let result = change(own);
        match entry(own) {
            Some(entry) => drop(self.by_count.insert(entry)),
            None if own.pending == 0 => drop(self.by_owner.remove(owner)),
            None => {}
        }
        result
    }
}

impl Account {
    /// Adds a listen stream, which is pending. Fails if the owner has its share, or if no stream can end for it.
    pub(crate) fn listen(
        self: &Arc<Self>,
        owner: StreamOwner,
        share: Option<Full>,
        ready: Ready,
    ) -> Result<ListenPlace, Full> {
        let number = self.listens.with(|listens, _| listens.add(&owner, share))?;
        let stream = Arc::new(ListenStream { owner, ready, state: AtomicU8::new(PENDING) });
        Ok(ListenPlace { account: self.clone(), number, stream })
    }
}

impl ListenPlace {
    /// Marks the stream as open: the application has answered all questions about it. If there is no place, the oldest
    /// stream of the owner of most streams ends: returns its `ready`, which the caller calls without a lock.
    pub(super) fn open(&self) -> Option<Ready> {
        let replaced = self.account.listens.with(|listens, _| listens.open(self.number, &self.stream));
        replaced.map(|replaced| replaced.ready.clone())
    }

    /// Returns whether another stream has taken its place, so that this one ends.
    pub(super) fn is_replaced(&self) -> bool {
        self.stream.state.load(Ordering::Acquire) == REPLACED
    }
}

impl std::fmt::Debug for ListenPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ListenPlace").field("number", &self.number).finish_non_exhaustive()
    }
}

impl Drop for ListenPlace {
    fn drop(&mut self) {
        let stream = self.account.listens.with(|listens, _| listens.remove(self.number, &self.stream));
        drop(stream); // not under the lock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(most: usize) -> Arc<Account> {
        Account::new(&Limits { listen_streams: most, ..Limits::default() })
    }

    fn add(account: &Arc<Account>, owner: usize) -> Result<ListenPlace, Full> {
        account.listen(StreamOwner::Holder(owner), None, Arc::new(|| ()))
    }

    fn open(account: &Arc<Account>, owner: usize) -> ListenPlace {
        let place = add(account, owner).expect("there is a place");
        place.open();
        place
    }

    #[test]
    fn the_oldest_stream_of_the_owner_of_most_streams_ends() {
        let account = account(4);
        let places = [1, 2, 2, 2].map(|owner| open(&account, owner));
        let replaced = || places.each_ref().map(ListenPlace::is_replaced);
        let third = open(&account, 3);
        assert_eq!(replaced(), [false, true, false, false]);
        let more = [open(&account, 4), open(&account, 5)];
        assert_eq!(replaced(), [true, true, true, false], "among equals the oldest stream ends");
        assert!(!third.is_replaced() && more.iter().all(|place| !place.is_replaced()));
    }

    #[test]
    fn no_stream_ends_for_a_client_that_cannot_be_distinguished() {
        let account = account(2);
        let request = |number| account.listen(StreamOwner::Request(number), None, Arc::new(|| ()));
        let first = request(1).expect("there is a place");
        first.open();
        let second = open(&account, 2);
        assert_eq!(request(3).err(), Some(Full { limit: "listen_streams", most: 2 }));
        assert!(!first.is_replaced() && !second.is_replaced());
        let third = open(&account, 3);
        assert!(first.is_replaced() && !third.is_replaced());
    }

    #[test]
    fn a_stream_that_is_dropped_frees_its_place_once() {
        let account = account(2);
        let (one, two) = (open(&account, 1), open(&account, 1));
        drop(one);
        let three = open(&account, 1);
        assert!(!two.is_replaced() && !three.is_replaced());
        let four = open(&account, 1);
        assert!(two.is_replaced());
        drop(two); // its place is another's
        let five = open(&account, 1);
        assert!(three.is_replaced() && !four.is_replaced() && !five.is_replaced());
        drop((three, four, five));
        account.listens.with(|listens, _| {
            assert_eq!((listens.all, listens.pending), (0, 0));
            assert!(listens.by_owner.is_empty() && listens.by_count.is_empty());
        });
    }

    #[test]
    fn pending_streams_keep_their_places_and_leave_some_to_others() {
        let account = account(8);
        let pending: Vec<_> = std::iter::from_fn(|| add(&account, 1).ok()).collect();
        assert_eq!(pending.len(), 2);
        assert_eq!(add(&account, 1).err(), Some(Full { limit: "caller_percent", most: 2 }));
        let others: Vec<_> = (2..8).map(|owner| add(&account, owner).expect("there is a place")).collect();
        assert_eq!(add(&account, 8).err(), Some(Full { limit: "listen_streams", most: 8 }));
        others[3].open();
        drop(add(&account, 8).expect("a stream can end for it"));
        assert!(!others[3].is_replaced(), "that one was refused before it was open");
        drop(open(&account, 8));
        assert!(others[3].is_replaced());
        drop(pending);
        assert!(add(&account, 1).is_ok());
    }

    #[test]
    fn pending_streams_have_a_bound_of_their_own_while_others_are_open() {
        for opened in 1..=4 {
            let account = account(4);
            let mut owners = 1..;
            let mut next = || owners.next().expect("there is no end");
            let first: Vec<_> = (0..opened).map(|_| open(&account, next())).collect();
            let pending: Vec<_> = std::iter::from_fn(|| add(&account, next()).ok()).take(100).collect();
            assert_eq!(pending.len(), 4, "{opened} are open");
            assert_eq!(add(&account, next()).err(), Some(Full { limit: "listen_streams", most: 4 }));
            assert!(first.iter().all(|place| !place.is_replaced()));
            for place in &pending {
                place.open();
            }
            assert!(first.iter().all(ListenPlace::is_replaced));
            assert!(pending.iter().all(|place| !place.is_replaced()), "each has the place of another");
            account.listens.with(|listens, _| assert_eq!((listens.all, listens.pending), (4, 0)));
        }
    }
}
