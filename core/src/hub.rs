//! Who watches what: URI to interested connections, and the queue of interest events.
//!
//! Its lock is never held together with a connection's. What it decides leaves as a [`Then`], to be carried out after.

use crate::connection::Shared;
use crate::protocol::CallId;
use crate::sync::Lock;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::collections::{BTreeMap, VecDeque};
#[cfg(feature = "directory")]
use std::ops::Bound;
use std::sync::{Arc, Weak};

/// What became of a request to watch a URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Registered {
    Watched,
    /// The host's interest handler failed.
    Failed,
    /// The server's limit is reached.
    Full(usize),
}

/// What is to be done once the hub's lock is released.
#[must_use]
#[derive(Default)]
pub(crate) struct Then {
    pub(crate) resolved: Vec<(Weak<Shared>, CallId, Arc<str>, Registered)>,
    /// There is an interest event to poll.
    pub(crate) queued: bool,
}

/// What the host is to be told.
pub(crate) struct Interest {
    pub(crate) uri: Arc<str>,
    pub(crate) wanted: bool,
    pub(crate) delivery: u64,
}

/// A request that is answered once the host has been told.
struct Waiter {
    connection: Weak<Shared>,
    call: CallId,
    /// The watcher that it added, if its connection was not one already.
    added: Option<u64>,
}

#[derive(Default)]
struct Entry {
    /// By connection, in the order of their numbers.
    watchers: Vec<(u64, Weak<Shared>)>,
    waiters: Vec<Waiter>,
    /// What the host was told last.
    told: bool,
    /// What the host is being told, by which delivery.
    under_way: Option<(bool, u64)>,
    queued: bool,
}

#[derive(Default)]
struct State {
    uris: BTreeMap<Arc<str>, Entry>,
    connections: BTreeMap<u64, Weak<Shared>>,
    queue: VecDeque<Arc<str>>,
    deliveries: u64,
    watched: usize,
    /// The host wants to know what is watched.
    asks: bool,
}

pub(crate) struct Hub {
    state: Lock<State>,
    /// The same as the state's, to be read without the lock.
    asks: AtomicBool,
    max: usize,
}

impl State {
    /// The one rule. Every change of an entry ends here: what is wanted is compared with what the host was told.
    fn settle(&mut self, uri: &Arc<str>, then: &mut Then) {
        let Some(entry) = self.uris.get_mut(uri) else { return };
        let wanted = !entry.watchers.is_empty();
        if entry.under_way.is_some() {
            return; // its end settles again
        }
        if wanted == entry.told || !self.asks {
            let waiters = std::mem::take(&mut entry.waiters).into_iter();
            then.resolved.extend(waiters.map(|w| (w.connection, w.call, uri.clone(), Registered::Watched)));
            if !wanted && !entry.queued {
                self.uris.remove(uri);
            }
        } else if !std::mem::replace(&mut entry.queued, true) {
            self.queue.push_back(uri.clone());
            then.queued = true;
        }
    }
}

impl Hub {
    pub(crate) fn new(max: usize) -> Self {
        Hub { state: Lock::new(State::default()), asks: AtomicBool::new(false), max }
    }

    /// From now on the host is told what is watched, beginning with what is watched already.
    pub(crate) fn ask_host(&self) -> Then {
        self.state.with(|s, _| {
            let mut then = Then::default();
            s.asks = true;
            self.asks.store(true, Ordering::Release);
            for uri in s.uris.keys().cloned().collect::<Vec<_>>() {
                s.settle(&uri, &mut then);
            }
            then
        })
    }

    pub(crate) fn join(&self, id: u64, connection: Weak<Shared>) {
        self.state.with(|s, _| s.connections.insert(id, connection));
    }

    pub(crate) fn leave(&self, id: u64) {
        self.state.with(|s, trash| {
            if let Some(connection) = s.connections.remove(&id) {
                trash.put(connection);
            }
        });
    }

    pub(crate) fn connections(&self) -> Vec<Arc<Shared>> {
        self.state.with(|s, _| s.connections.values().filter_map(Weak::upgrade).collect())
    }

    pub(crate) fn add(&self, id: u64, connection: Weak<Shared>, uri: &Arc<str>, call: CallId) -> Then {
        self.state.with(|s, _| {
            let mut then = Then::default();
            let full = s.watched >= self.max;
            let entry = s.uris.entry(uri.clone()).or_default();
            let added = match entry.watchers.binary_search_by_key(&id, |(watcher, _)| *watcher) {
                Ok(_) => None,
                Err(_) if full => {
                    then.resolved.push((connection, call, uri.clone(), Registered::Full(self.max)));
                    s.settle(uri, &mut then);
                    return then;
                }
                Err(at) => {
                    if entry.watchers.is_empty() {
                        entry.watchers.reserve_exact(1);
                    }
                    entry.watchers.insert(at, (id, connection.clone()));
                    s.watched += 1;
                    Some(id)
                }
            };
            entry.waiters.push(Waiter { connection, call, added });
            s.settle(uri, &mut then);
            then
        })
    }

    pub(crate) fn remove(&self, id: u64, uri: &Arc<str>) -> Then {
        self.state.with(|s, trash| {
            let mut then = Then::default();
            if let Some(entry) = s.uris.get_mut(uri)
                && let Ok(at) = entry.watchers.binary_search_by_key(&id, |(watcher, _)| *watcher)
            {
                trash.put(entry.watchers.remove(at));
                s.watched -= 1;
            }
            s.settle(uri, &mut then);
            then
        })
    }

    /// The next interest to tell the host of.
    pub(crate) fn next_interest(&self) -> (Option<Interest>, Then) {
        if !self.asks.load(Ordering::Acquire) {
            return (None, Then::default()); // nobody is to be told anything, and every poll comes by here
        }
        self.state.with(|s, _| {
            let mut then = Then::default();
            while let Some(uri) = s.queue.pop_front() {
                let Some(entry) = s.uris.get_mut(&uri) else { continue };
                entry.queued = false;
                let wanted = !entry.watchers.is_empty();
                if wanted != entry.told {
                    s.deliveries += 1;
                    let delivery = s.deliveries;
                    entry.under_way = Some((wanted, delivery));
                    return (Some(Interest { uri, wanted, delivery }), then);
                }
                s.settle(&uri, &mut then);
            }
            (None, then)
        })
    }

    /// The host has been told. If it failed to begin watching, those who waited for that are refused and forgotten.
    /// Only the delivery that is under way counts: an earlier one may be answered twice, through two handles.
    pub(crate) fn interest_done(&self, uri: &Arc<str>, delivery: u64, ok: bool) -> Then {
        self.state.with(|s, trash| {
            let mut then = Then::default();
            if let Some(entry) = s.uris.get_mut(uri)
                && let Some((wanted, _)) = entry.under_way.take_if(|(_, under_way)| *under_way == delivery)
            {
                if wanted {
                    let outcome = if ok { Registered::Watched } else { Registered::Failed };
                    for Waiter { connection, call, added } in std::mem::take(&mut entry.waiters) {
                        then.resolved.push((connection, call, uri.clone(), outcome));
                        if let (false, Some(id)) = (ok, added)
                            && let Ok(at) = entry.watchers.binary_search_by_key(&id, |(watcher, _)| *watcher)
                        {
                            trash.put(entry.watchers.remove(at));
                            s.watched -= 1;
                        }
                    }
                }
                // Those who were acknowledged before the host asked to be told stay, even if it fails.
                if ok || !wanted || !entry.watchers.is_empty() {
                    entry.told = wanted;
                }
            }
            s.settle(uri, &mut then);
            then
        })
    }

    /// Whether anybody watches exactly this.
    #[cfg(feature = "directory")]
    pub(crate) fn is_watched(&self, uri: &str) -> bool {
        self.state.with(|s, _| s.uris.get(uri).is_some_and(|entry| !entry.watchers.is_empty()))
    }

    /// What is watched under URIs that begin so.
    #[cfg(feature = "directory")]
    pub(crate) fn watched_within(&self, prefix: &str) -> Vec<Arc<str>> {
        let from = (Bound::Included(prefix), Bound::Unbounded);
        self.state.with(|s, _| {
            let all = s.uris.range::<str, _>(from).map(|(uri, _)| uri);
            all.take_while(|uri| uri.starts_with(prefix)).cloned().collect()
        })
    }

    /// Who is to hear of a change.
    pub(crate) fn watchers(&self, uri: &str) -> Vec<Arc<Shared>> {
        self.state.with(|s, _| {
            let watchers =
                s.uris.get(uri).map(|entry| entry.watchers.iter().filter_map(|(_, c)| c.upgrade()));
            watchers.map(Iterator::collect).unwrap_or_default()
        })
    }

    /// Every connection is gone, and nobody watches anything. None of them is upgraded or locked.
    pub(crate) fn forget(&self) {
        self.state.with(|s, trash| {
            let asks = s.asks;
            let deliveries = s.deliveries;
            trash.put(std::mem::replace(s, State { deliveries, asks, ..State::default() }));
        });
    }

    /// How many connections there are, watched URIs, and watchers of all URIs.
    pub(crate) fn count(&self) -> (u64, u64, u64) {
        self.state.with(|s, _| {
            let watched = s.uris.values().filter(|entry| !entry.watchers.is_empty()).count();
            (s.connections.len() as u64, watched as u64, s.watched as u64)
        })
    }

    /// How many URIs are known, watched or about to be forgotten.
    #[cfg(shuttle)]
    pub(crate) fn len(&self) -> usize {
        self.state.with(|s, _| s.uris.len())
    }
}
