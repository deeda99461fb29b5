//! The subscriptions of one connection: those of a session to single URIs, and those of listen streams.
//!
//! A subscription exists from the moment its request is dispatched, so that a later unsubscribe ends it. The server
//! marks changes that come before it acknowledges the subscription, and notifies the client afterwards.

use super::inflight::CallId;
use super::list_topics::TopicSet;
use super::outbox::Route;
use crate::access::AccessCheck;
use crate::catalog::Change;
use crate::jsonrpc::RequestId;
use crate::model::Descriptor;
use crate::revision::Revision;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A receiver of notifications on this connection: the session itself, or one of its listen streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subscriber {
    Session,
    /// The session of a client of the `resources/get` dialect, which has its own notifications.
    Dialect,
    Stream(u64),
}

/// A change whose notification is written when the client takes it. Without a URI it is a change of lists.
pub(crate) struct ChangeMark {
    pub(crate) subscriber: Subscriber,
    pub(crate) uri: Option<Arc<str>>,
}

/// A request that waits until the hub has added its subscriber to a URI.
struct Pending {
    slot: u32,
    allowed: bool,
    /// True if the hub was asked to add the subscriber.
    is_in_hub: bool,
}

struct Subscription {
    subscriber: Subscriber,
    /// True once the server has acknowledged the subscription, so that changes may be sent.
    live: bool,
    pending: Vec<Pending>,
    /// The number of the newest change that arrived. Its notification may be sent already or not.
    heard: u64,
    /// True if the resource changed and the client was not notified of it yet.
    changed: bool,
    /// The newest descriptor of the resource.
    descriptor: Option<Arc<Descriptor>>,
    /// In a box, since few subscriptions have any.
    relatives: Option<Box<Relatives>>,
}

/// The part of the changes that are not notified yet that concerns resources below or above the one of a subscription.
#[derive(Default)]
struct Relatives {
    /// URIs below the resource that changed, in the order of their first change.
    below: Vec<Arc<str>>,
    /// URIs above the resource whose subscriptions leave its change to this one. They get it if this one ends first.
    above: Vec<Arc<str>>,
}

/// The greatest number of changed URIs below one resource that are notified one by one. Also the greatest number of
/// URIs above one resource that leave a change to its subscription.
const BELOW: usize = 16;

impl Subscription {
    fn new(subscriber: Subscriber, pending: Pending) -> Subscription {
        let pending = vec![pending];
        Subscription {
            subscriber,
            live: false,
            pending,
            heard: 0,
            changed: false,
            descriptor: None,
            relatives: None,
        }
    }

    fn has_changes(&self) -> bool {
        self.changed || self.relatives.is_some()
    }

    /// Notes that the resource changed. Returns true if a mark is to be queued. An older change never replaces a newer
    /// one.
    fn change(&mut self, change: &Change) -> bool {
        if self.heard >= change.sequence {
            return false;
        }
        let fresh = !self.has_changes();
        self.heard = change.sequence;
        self.descriptor.clone_from(&change.descriptor);
        self.changed = true;
        fresh && self.live
    }

    /// Notes that a URI below the resource changed. Returns true if a mark is to be queued. Beyond [`BELOW`] such URIs,
    /// the change counts as one of the resource itself, so that a slow client costs little.
    fn change_below(&mut self, uri: &Arc<str>) -> bool {
        let fresh = !self.has_changes();
        let below = &mut self.relatives.get_or_insert_default().below;
        if !below.contains(uri) {
            below.push(uri.clone());
        }
        if below.len() > BELOW {
            *below = Vec::new();
            self.changed = true;
        }
        fresh && self.live
    }

    /// Notes that the subscription to `parent` leaves the unsent change of this resource to this one. Returns false if
    /// too many do.
    fn stands_in_for(&mut self, parent: &Arc<str>) -> bool {
        let above = &mut self.relatives.get_or_insert_default().above;
        let is_noted = above.contains(parent);
        let has_room = above.len() < BELOW;
        if !is_noted && has_room {
            above.push(parent.clone());
        }
        is_noted || has_room
    }
}

/// The changes for which a mark stands, at the moment when their notifications are written.
#[derive(Default)]
pub(crate) struct MarkedChanges {
    /// The lists that changed.
    pub(crate) lists: TopicSet,
    /// True if the resource that is subscribed to changed.
    pub(crate) own: bool,
    /// The newest descriptor of the resource, if it is known.
    pub(crate) descriptor: Option<Arc<Descriptor>>,
    /// URIs below the resource that changed.
    pub(crate) below: Vec<Arc<str>>,
}

#[derive(Default)]
struct UriSubscriptions {
    subscriptions: Vec<Subscription>,
    /// True if this connection is in the hub as a subscriber of the URI.
    in_hub: bool,
}

/// A listen stream, with the URIs and lists that it subscribes to.
pub(crate) struct StreamSubscription {
    pub(crate) id: RequestId,
    pub(crate) route: Route,
    pub(crate) revision: Revision,
    pub(crate) lists: TopicSet,
    uris: Vec<Arc<str>>,
    /// URIs of `uris` that were given up. They are removed from it together, once they are half of all, so that each
    /// costs the same however many there are.
    given_up: BTreeSet<Arc<str>>,
    /// URIs that the hub has not registered yet. The stream is acknowledged when there are none.
    awaited: BTreeSet<Arc<str>>,
    live: bool,
    list_changes: TopicSet,
}

impl StreamSubscription {
    /// The URIs that it subscribes to, in the order of the request.
    pub(crate) fn uris(&self) -> impl Iterator<Item = &Arc<str>> {
        self.uris.iter().filter(|uri| !self.given_up.contains(*uri))
    }

    fn give_up(&mut self, uri: &Arc<str>) {
        self.given_up.insert(uri.clone());
        if 2 * self.given_up.len() > self.uris.len() {
            let gone = std::mem::take(&mut self.given_up);
            self.uris.retain(|uri| !gone.contains(uri));
        }
    }
}

/// A change to make at the hub: add the connection to a URI's subscribers, or remove it. They are made in order, one at
/// a time.
pub(crate) enum HubOp {
    Add(Arc<str>, CallId),
    Remove(Arc<str>),
}

#[derive(Default)]
pub(crate) struct Subscriptions {
    entries: BTreeMap<Arc<str>, UriSubscriptions>,
    streams: BTreeMap<u64, StreamSubscription>,
    next_stream: u64,
    len: usize,
    /// URIs whose subscriptions changed since the hub was last updated.
    unsynced: VecDeque<Arc<str>>,
    syncing: bool,
    list_changes: TopicSet,
}

/// Marks to queue. There is one for each subscriber that may be notified now and had nothing to be notified of before.
pub(crate) type MarkQueue = Vec<(Subscriber, Option<Arc<str>>)>;

impl Subscriptions {
    /// The number of subscriptions. A URI counts once for each of its subscribers.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn streams(&self) -> usize {
        self.streams.len()
    }

    pub(crate) fn stream(&self, stream: u64) -> Option<&StreamSubscription> {
        self.streams.get(&stream)
    }

    /// Returns whether there is a subscription to `uri`, acknowledged by the server or not.
    pub(crate) fn is_subscribed(&self, subscriber: Subscriber, uri: &str) -> bool {
        self.entries.get(uri).is_some_and(|e| e.subscriptions.iter().any(|w| w.subscriber == subscriber))
    }

    /// Returns whether a subscription has changes that its client was not sent.
    pub(crate) fn has_unsent_changes(&self, subscriber: Subscriber, uri: &str) -> bool {
        let entry = self.entries.get(uri);
        entry.is_some_and(|e| e.subscriptions.iter().any(|w| w.subscriber == subscriber && w.has_changes()))
    }

    pub(crate) fn want(&mut self, uri: &Arc<str>, subscriber: Subscriber, slot: u32, check: AccessCheck) {
        let allowed = check == AccessCheck::NotRequired;
        let entry = self.entries.entry(uri.clone()).or_default();
        let pending = Pending { slot, allowed, is_in_hub: false };
        if let Some(subscription) =
            entry.subscriptions.iter_mut().find(|subscription| subscription.subscriber == subscriber)
        {
            subscription.pending.push(pending);
        } else {
            entry.subscriptions.reserve_exact(1);
            entry.subscriptions.push(Subscription::new(subscriber, pending));
            self.len += 1;
        }
        if allowed {
            self.unsynced.push_back(uri.clone());
        }
    }

    /// Handles the verdict "allow" for a URI of a request. Returns false if the client has unsubscribed in the
    /// meantime.
    pub(crate) fn allow(&mut self, uri: &Arc<str>, slot: u32) -> bool {
        let Some(pending) = self
            .entries
            .get_mut(uri)
            .and_then(|e| e.subscriptions.iter_mut().flat_map(|w| &mut w.pending).find(|p| p.slot == slot))
        else {
            return false;
        };
        pending.allowed = true;
        self.unsynced.push_back(uri.clone());
        true
    }

    /// Withdraws the subscription to a URI that one request had begun, and no other.
    pub(crate) fn unwant(&mut self, uri: &Arc<str>, slot: u32) {
        let Some(entry) = self.entries.get_mut(uri) else { return };
        for subscription in &mut entry.subscriptions {
            subscription.pending.retain(|p| p.slot != slot);
        }
        self.sweep(uri);
    }

    fn sweep(&mut self, uri: &Arc<str>) {
        let Some(entry) = self.entries.get_mut(uri) else { return };
        let before = entry.subscriptions.len();
        entry.subscriptions.retain(|w| w.live || !w.pending.is_empty());
        self.len -= before - entry.subscriptions.len();
        if entry.subscriptions.is_empty() {
            self.unsynced.push_back(uri.clone());
        }
    }

    /// Ends a subscription of the session. Returns the slots of requests that waited for the hub: the caller answers
    /// them now, because the hub may never report. Requests that wait for a verdict are answered after it.
    pub(crate) fn unsubscribe(&mut self, subscriber: Subscriber, uri: &str) -> Vec<u32> {
        let Some((uri, entry)) = self.entries.get_key_value(uri).map(|(u, _)| u.clone()).and_then(|u| {
            let entry = self.entries.get_mut(&u)?;
            Some((u, entry))
        }) else {
            return Vec::new();
        };
        let Some(at) = entry.subscriptions.iter().position(|w| w.subscriber == subscriber) else {
            return Vec::new();
        };
        let subscription = entry.subscriptions.remove(at);
        self.len -= 1;
        self.sweep(&uri);
        subscription.pending.into_iter().filter(|p| p.allowed).map(|p| p.slot).collect()
    }

    /// Notes that the hub has registered the URI for this request. Returns the mark of a change that came before, which
    /// may be sent now.
    pub(crate) fn acknowledge(&mut self, uri: &Arc<str>, slot: u32) -> MarkQueue {
        let Some(entry) = self.entries.get_mut(uri) else { return MarkQueue::new() };
        let Some(subscription) =
            entry.subscriptions.iter_mut().find(|w| w.pending.iter().any(|p| p.slot == slot))
        else {
            return MarkQueue::new();
        };
        subscription.pending.retain(|p| p.slot != slot);
        if subscription.pending.is_empty() {
            subscription.pending = Vec::new(); // most subscriptions wait once, and then stay for long
        }
        let fresh = !std::mem::replace(&mut subscription.live, true);
        if fresh && subscription.has_changes() {
            vec![(subscription.subscriber, Some(uri.clone()))]
        } else {
            MarkQueue::new()
        }
    }

    /// The URIs that have a subscription, acknowledged or not.
    pub(crate) fn uris(&self) -> impl Iterator<Item = &Arc<str>> {
        self.entries.iter().filter(|(_, entry)| !entry.subscriptions.is_empty()).map(|(uri, _)| uri)
    }

    /// Ends every subscription to `uri`, because its caller lost access. Returns the requests for it that had been
    /// allowed, by subscriber and slot: the caller refuses them. Requests that still wait for a verdict get their own.
    pub(crate) fn revoke(&mut self, uri: &Arc<str>) -> Vec<(Subscriber, u32)> {
        let mut refused = Vec::new();
        let Some(entry) = self.entries.get_mut(uri) else { return refused };
        for subscription in &mut entry.subscriptions {
            if let (true, Subscriber::Stream(key)) = (subscription.live, subscription.subscriber)
                && let Some(stream) = self.streams.get_mut(&key)
            {
                stream.give_up(uri);
            }
            subscription.live = false;
            let allowed = subscription.pending.iter().filter(|pending| pending.allowed);
            refused.extend(allowed.map(|pending| (subscription.subscriber, pending.slot)));
        }
        self.sweep(uri);
        refused
    }

    // ---- listen streams

    /// Adds a listen stream that is not acknowledged yet. Returns its key.
    pub(crate) fn open_stream(
        &mut self,
        id: RequestId,
        route: Route,
        revision: Revision,
        lists: TopicSet,
    ) -> u64 {
        let key = self.next_stream;
        self.next_stream += 1;
        let stream = StreamSubscription {
            id,
            route,
            revision,
            lists,
            uris: Vec::new(),
            given_up: BTreeSet::new(),
            awaited: BTreeSet::new(),
            live: false,
            list_changes: TopicSet::default(),
        };
        self.streams.insert(key, stream);
        key
    }

    pub(crate) fn stream_wants(&mut self, stream: u64, uris: &[Arc<str>], slot: u32, check: AccessCheck) {
        for uri in uris {
            self.want(uri, Subscriber::Stream(stream), slot, check);
        }
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.uris = uris.to_vec();
            stream.awaited = uris.iter().cloned().collect();
        }
    }

    /// Gives up one URI of a stream that is being opened, because it was refused or its interest handler failed.
    pub(crate) fn stream_drops(&mut self, stream: u64, uri: &Arc<str>, slot: u32) {
        self.unwant(uri, slot);
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.give_up(uri);
            stream.awaited.remove(uri);
        }
    }

    /// Notes that the hub has registered one URI of a stream.
    pub(crate) fn stream_has(&mut self, stream: u64, uri: &Arc<str>) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.awaited.remove(uri);
        }
    }

    /// Returns whether the stream can be acknowledged, because the hub has registered all of its URIs.
    pub(crate) fn stream_is_complete(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_some_and(|s| s.awaited.is_empty())
    }

    /// Notes that the server acknowledged the stream. Returns the marks of changes that came before, which may be sent
    /// now.
    pub(crate) fn stream_starts(&mut self, key: u64, slot: u32) -> MarkQueue {
        let Some(stream) = self.streams.get_mut(&key) else { return MarkQueue::new() };
        stream.live = true;
        let uris: Vec<_> = stream.uris().cloned().collect();
        let mut queue = MarkQueue::new();
        if !stream.list_changes.is_empty() {
            queue.push((Subscriber::Stream(key), None));
        }
        for uri in &uris {
            queue.extend(self.acknowledge(uri, slot));
        }
        queue
    }

    pub(crate) fn close_stream(&mut self, key: u64) -> Option<StreamSubscription> {
        let stream = self.streams.remove(&key)?;
        for uri in &stream.uris {
            if let Some(entry) = self.entries.get_mut(uri) {
                let before = entry.subscriptions.len();
                entry.subscriptions.retain(|w| w.subscriber != Subscriber::Stream(key));
                self.len -= before - entry.subscriptions.len();
            }
            self.sweep(uri);
        }
        Some(stream)
    }

    /// Keys of the streams that were acknowledged.
    pub(crate) fn live_streams(&self) -> Vec<u64> {
        self.streams.iter().filter(|(_, s)| s.live).map(|(key, _)| *key).collect()
    }

    /// Keys of the streams that are sent on a route.
    pub(crate) fn streams_on(&self, route: Route) -> Vec<u64> {
        self.streams.iter().filter(|(_, s)| s.route == route).map(|(key, _)| *key).collect()
    }

    // ---- changes

    /// Notes that a URI changed. Returns the marks to queue.
    pub(crate) fn handle_update(&mut self, uri: &Arc<str>, change: &Change) -> MarkQueue {
        let mut queue = MarkQueue::new();
        let Some(entry) = self.entries.get_mut(uri) else { return queue };
        for subscription in &mut entry.subscriptions {
            if subscription.change(change) {
                queue.push((subscription.subscriber, Some(uri.clone())));
            }
        }
        queue
    }

    /// Notes that a URI below `parent` changed. Returns the marks to queue. A subscriber of both URIs is notified once, if the
    /// server has acknowledged its subscription to the first: otherwise that may still come to nothing.
    pub(crate) fn handle_update_below(
        &mut self,
        uri: &Arc<str>,
        parent: &Arc<str>,
        change: &Change,
    ) -> MarkQueue {
        let Some(mut entry) = self.entries.remove(parent) else { return MarkQueue::new() };
        let mut queue = MarkQueue::new();
        for subscription in &mut entry.subscriptions {
            let own = self.entries.get_mut(uri).and_then(|own| {
                own.subscriptions.iter_mut().find(|own| own.subscriber == subscription.subscriber)
            });
            if let Some(own) = own.filter(|own| own.live) {
                // What is to be sent already may say more than this change.
                if !own.changed && own.change(change) {
                    queue.push((own.subscriber, Some(uri.clone())));
                }
                if !own.changed || own.stands_in_for(parent) {
                    continue;
                }
            }
            if subscription.change_below(uri) {
                queue.push((subscription.subscriber, Some(parent.clone())));
            }
        }
        self.entries.insert(parent.clone(), entry);
        queue
    }

    /// Hands the unsent change of `uri` to the subscriptions above it that left it to the subscriber's own one, because
    /// that one ends. Returns the marks to queue.
    pub(crate) fn hand_to_parents(&mut self, subscriber: Subscriber, uri: &str) -> MarkQueue {
        let mut queue = MarkQueue::new();
        let Some(uri) = self.entries.get_key_value(uri).map(|(uri, _)| uri.clone()) else { return queue };
        let Some(relatives) = self.subscription(subscriber, &uri).and_then(|own| own.relatives.as_mut())
        else {
            return queue;
        };
        for parent in std::mem::take(&mut relatives.above) {
            if self.subscription(subscriber, &parent).is_some_and(|above| above.change_below(&uri)) {
                queue.push((subscriber, Some(parent)));
            }
        }
        queue
    }

    fn subscription(&mut self, subscriber: Subscriber, uri: &str) -> Option<&mut Subscription> {
        self.entries.get_mut(uri)?.subscriptions.iter_mut().find(|w| w.subscriber == subscriber)
    }

    /// The subscribers of a URI, acknowledged by the server or not.
    pub(crate) fn subscribers(&self, uri: &str) -> Vec<Subscriber> {
        let entry = self.entries.get(uri);
        entry.map_or_else(Vec::new, |e| e.subscriptions.iter().map(|w| w.subscriber).collect())
    }

    /// Notes that lists of one kind changed. Returns the mark for the session, unless it already has one for lists.
    pub(crate) fn handle_list_change_of_session(&mut self, kind: usize) -> MarkQueue {
        let mut queue = MarkQueue::new();
        if self.list_changes.is_empty() {
            queue.push((Subscriber::Session, None));
        }
        self.list_changes.add(kind);
        queue
    }

    /// Notes that lists of one kind changed. Returns the marks for listen streams.
    pub(crate) fn handle_list_change_of_streams(&mut self, kind: usize) -> MarkQueue {
        let mut queue = MarkQueue::new();
        for (key, stream) in &mut self.streams {
            if stream.lists.has(kind) {
                if stream.list_changes.is_empty() && stream.live {
                    queue.push((Subscriber::Stream(*key), None));
                }
                stream.list_changes.add(kind);
            }
        }
        queue
    }

    /// Takes the changes of a mark, to write their notifications. There are none if the subscription is gone.
    pub(crate) fn take_changes(&mut self, mark: &ChangeMark) -> MarkedChanges {
        let list = |lists| MarkedChanges { lists, ..MarkedChanges::default() };
        match (&mark.uri, mark.subscriber) {
            (Some(uri), subscriber) => {
                let subscription = self.subscription(subscriber, uri).filter(|w| w.live);
                subscription.map_or_else(MarkedChanges::default, |subscription| MarkedChanges {
                    lists: TopicSet::default(),
                    own: std::mem::take(&mut subscription.changed),
                    descriptor: subscription.descriptor.take(),
                    below: subscription.relatives.take().map_or_else(Vec::new, |relatives| relatives.below),
                })
            }
            (None, Subscriber::Session | Subscriber::Dialect) => list(std::mem::take(&mut self.list_changes)),
            (None, Subscriber::Stream(key)) => {
                let stream = self.streams.get_mut(&key);
                list(stream.map_or_else(TopicSet::default, |stream| std::mem::take(&mut stream.list_changes)))
            }
        }
    }

    // ---- the hub: adds and removes reach it in order, through one thread at a time, without a lock

    pub(crate) fn is_unsynced(&self) -> bool {
        !self.unsynced.is_empty()
    }

    pub(crate) fn take_hub_turn(&mut self) -> bool {
        !self.unsynced.is_empty() && !std::mem::replace(&mut self.syncing, true)
    }

    /// Returns the next change to make at the hub. `None` if there is none left; this thread's turn then ends in the
    /// same step.
    pub(crate) fn poll_hub_op(&mut self, mut call_of: impl FnMut(u32) -> Option<CallId>) -> Option<HubOp> {
        while let Some(uri) = self.unsynced.pop_front() {
            let Some(entry) = self.entries.get_mut(&uri) else { continue };
            if entry.subscriptions.is_empty() {
                let known = entry.in_hub;
                self.entries.remove(&uri);
                if known {
                    return Some(HubOp::Remove(uri));
                }
                continue;
            }
            let next = entry
                .subscriptions
                .iter_mut()
                .flat_map(|w| &mut w.pending)
                .find(|p| p.allowed && !p.is_in_hub);
            if let Some(pending) = next {
                pending.is_in_hub = true;
                if let Some(call) = call_of(pending.slot) {
                    entry.in_hub = true;
                    self.unsynced.push_front(uri.clone()); // perhaps another request waits for it
                    return Some(HubOp::Add(uri, call));
                }
            }
        }
        self.syncing = false;
        None
    }

    /// Ends every subscription.
    pub(crate) fn clear(&mut self) {
        for (uri, entry) in &mut self.entries {
            entry.subscriptions.clear();
            self.unsynced.push_back(uri.clone());
        }
        self.streams.clear();
        self.len = 0;
        self.list_changes = TopicSet::default();
    }
}
