//! The subscribers of each URI, and the queue of interest events.
//!
//! A thread never holds the hub's lock together with that of a connection. A step returns its effects as [`Then`], and
//! the caller carries them out afterwards.

use crate::connection::ConnectionState;
use crate::protocol::CallId;
use crate::sync::Lock;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::collections::{BTreeMap, VecDeque};
#[cfg(feature = "directory")]
use std::ops::Bound;
use std::sync::{Arc, Weak};

/// The result of adding a subscriber to a URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Registered {
    Done,
    /// The application's interest handler failed.
    Failed,
    /// The server's limit of subscriptions, this number, is reached.
    Full(usize),
}

/// Work for the caller once the hub's lock is released.
#[must_use]
#[derive(Default)]
pub(crate) struct Then {
    pub(crate) resolved: Vec<(Weak<ConnectionState>, CallId, Arc<str>, Registered)>,
    /// True if there is an interest event to poll.
    pub(crate) queued: bool,
}

/// A URI whose interest has changed, for an event to the application.
pub(crate) struct Interest {
    pub(crate) uri: Arc<str>,
    pub(crate) wanted: bool,
    pub(crate) delivery: u64,
}

/// A request that is answered once the application has handled the interest event.
struct Waiter {
    connection: Weak<ConnectionState>,
    call: CallId,
    /// The connection that the request added as a subscriber; `None` if it was one already.
    added: Option<u64>,
}

#[derive(Default)]
struct UriEntry {
    /// The subscribers with the ids of their connections, in the order of these.
    subscribers: Vec<(u64, Weak<ConnectionState>)>,
    waiters: Vec<Waiter>,
    /// True if the last interest event that took effect said that the URI has subscribers.
    last_interest: bool,
    /// The interest event that the application has not answered: the interest that it reports, and its number.
    under_way: Option<(bool, u64)>,
    queued: bool,
}

#[derive(Default)]
struct HubState {
    uris: BTreeMap<Arc<str>, UriEntry>,
    connections: BTreeMap<u64, Weak<ConnectionState>>,
    queue: VecDeque<Arc<str>>,
    deliveries: u64,
    subscriptions: usize,
    /// True if the application has an interest handler.
    has_handler: bool,
}

pub(crate) struct Hub {
    state: Lock<HubState>,
    /// A copy of the same flag in the state, readable without the lock.
    has_handler: AtomicBool,
    max: usize,
}

impl HubState {
    /// Compares the interest in a URI with the one that was last reported, and queues an event if it differs. Called
    /// after every change of an entry.
    fn settle(&mut self, uri: &Arc<str>, then: &mut Then) {
        let Some(entry) = self.uris.get_mut(uri) else { return };
        let wanted = !entry.subscribers.is_empty();
        if entry.under_way.is_some() {
            return; // the end of the event settles again
        }
        if wanted == entry.last_interest || !self.has_handler {
            let waiters = std::mem::take(&mut entry.waiters).into_iter();
            then.resolved.extend(waiters.map(|w| (w.connection, w.call, uri.clone(), Registered::Done)));
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
        Hub { state: Lock::new(HubState::default()), has_handler: AtomicBool::new(false), max }
    }

    /// Sets that the application has an interest handler, and queues events for all URIs that have subscribers
    /// already.
    pub(crate) fn enable_interest_handler(&self) -> Then {
        self.state.with(|s, _| {
            let mut then = Then::default();
            s.has_handler = true;
            self.has_handler.store(true, Ordering::Release);
            for uri in s.uris.keys().cloned().collect::<Vec<_>>() {
                s.settle(&uri, &mut then);
            }
            then
        })
    }

    pub(crate) fn add_connection(&self, id: u64, connection: Weak<ConnectionState>) {
        self.state.with(|s, _| s.connections.insert(id, connection));
    }

    pub(crate) fn remove_connection(&self, id: u64) {
        self.state.with(|s, trash| {
            if let Some(connection) = s.connections.remove(&id) {
                trash.put(connection);
            }
        });
    }

    pub(crate) fn connections(&self) -> Vec<Arc<ConnectionState>> {
        self.state.with(|s, _| s.connections.values().filter_map(Weak::upgrade).collect())
    }

    pub(crate) fn add(
        &self,
        id: u64,
        connection: Weak<ConnectionState>,
        uri: &Arc<str>,
        call: CallId,
    ) -> Then {
        self.state.with(|s, _| {
            let mut then = Then::default();
            let full = s.subscriptions >= self.max;
            let entry = s.uris.entry(uri.clone()).or_default();
            let added = match entry.subscribers.binary_search_by_key(&id, |(subscriber, _)| *subscriber) {
                Ok(_) => None,
                Err(_) if full => {
                    then.resolved.push((connection, call, uri.clone(), Registered::Full(self.max)));
                    s.settle(uri, &mut then);
                    return then;
                }
                Err(at) => {
                    if entry.subscribers.is_empty() {
                        entry.subscribers.reserve_exact(1);
                    }
                    entry.subscribers.insert(at, (id, connection.clone()));
                    s.subscriptions += 1;
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
                && let Ok(at) = entry.subscribers.binary_search_by_key(&id, |(subscriber, _)| *subscriber)
            {
                trash.put(entry.subscribers.remove(at));
                s.subscriptions -= 1;
            }
            s.settle(uri, &mut then);
            then
        })
    }

    /// Returns the next interest event for the application.
    pub(crate) fn next_interest(&self) -> (Option<Interest>, Then) {
        if !self.has_handler.load(Ordering::Acquire) {
            return (None, Then::default()); // no handler; every poll comes by here
        }
        self.state.with(|s, _| {
            let mut then = Then::default();
            while let Some(uri) = s.queue.pop_front() {
                let Some(entry) = s.uris.get_mut(&uri) else { continue };
                entry.queued = false;
                let wanted = !entry.subscribers.is_empty();
                if wanted != entry.last_interest {
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

    /// Handles the application's answer to an interest event. If the handler failed for a new interest, the requests
    /// that wait for it fail, and their subscribers are removed. Answers to earlier events are ignored, since two
    /// handles may answer one event twice.
    pub(crate) fn interest_done(&self, uri: &Arc<str>, delivery: u64, outcome: Registered) -> Then {
        self.state.with(|s, trash| {
            let mut then = Then::default();
            let ok = outcome == Registered::Done;
            if let Some(entry) = s.uris.get_mut(uri)
                && let Some((wanted, _)) = entry.under_way.take_if(|(_, under_way)| *under_way == delivery)
            {
                if wanted {
                    for Waiter { connection, call, added } in std::mem::take(&mut entry.waiters) {
                        then.resolved.push((connection, call, uri.clone(), outcome));
                        if let (false, Some(id)) = (ok, added)
                            && let Ok(at) =
                                entry.subscribers.binary_search_by_key(&id, |(subscriber, _)| *subscriber)
                        {
                            trash.put(entry.subscribers.remove(at));
                            s.subscriptions -= 1;
                        }
                    }
                }
                // Subscribers that were acknowledged before there was a handler stay, even if it fails.
                if ok || !wanted || !entry.subscribers.is_empty() {
                    entry.last_interest = wanted;
                }
            }
            s.settle(uri, &mut then);
            then
        })
    }

    /// Returns whether this URI has a subscriber.
    #[cfg(feature = "directory")]
    pub(crate) fn is_watched(&self, uri: &str) -> bool {
        self.state.with(|s, _| s.uris.get(uri).is_some_and(|entry| !entry.subscribers.is_empty()))
    }

    /// Returns the URIs in the hub that begin with this prefix.
    #[cfg(feature = "directory")]
    pub(crate) fn watched_within(&self, prefix: &str) -> Vec<Arc<str>> {
        let from = (Bound::Included(prefix), Bound::Unbounded);
        self.state.with(|s, _| {
            let all = s.uris.range::<str, _>(from).map(|(uri, _)| uri);
            all.take_while(|uri| uri.starts_with(prefix)).cloned().collect()
        })
    }

    /// Returns the connections that subscribe to this URI.
    pub(crate) fn subscribers(&self, uri: &str) -> Vec<Arc<ConnectionState>> {
        self.state.with(|s, _| {
            let subscribers =
                s.uris.get(uri).map(|entry| entry.subscribers.iter().filter_map(|(_, c)| c.upgrade()));
            subscribers.map(Iterator::collect).unwrap_or_default()
        })
    }

    /// Removes all connections and subscribers, after a fork. None of them is upgraded or locked.
    pub(crate) fn forget(&self) {
        self.state.with(|s, trash| {
            let has_handler = s.has_handler;
            let deliveries = s.deliveries;
            trash.put(std::mem::replace(s, HubState { deliveries, has_handler, ..HubState::default() }));
        });
    }

    /// Returns the numbers of connections, of URIs with subscribers, and of subscribers of all URIs.
    pub(crate) fn count(&self) -> (u64, u64, u64) {
        self.state.with(|s, _| {
            let watched = s.uris.values().filter(|entry| !entry.subscribers.is_empty()).count();
            (s.connections.len() as u64, watched as u64, s.subscriptions as u64)
        })
    }

    /// Returns the number of URIs in the hub, with those that are about to be removed.
    #[cfg(shuttle)]
    pub(crate) fn len(&self) -> usize {
        self.state.with(|s, _| s.uris.len())
    }
}
