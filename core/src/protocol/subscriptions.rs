//! The subscriptions of one connection: to single URIs by a session, and by listen streams.
//!
//! A subscription exists from the moment its request is dispatched, so that an unsubscribe behind it wins. Changes that
//! come before the acknowledgement are marked, and sent after it.

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

/// A receiver of notifications that subscribed over this connection: the session itself, or one of its listen streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subscriber {
    Session,
    /// The session, in the words of the `resources/get` dialect.
    Dialect,
    Stream(u64),
}

/// A change to be rendered when the client takes it. Without a URI: the list changed.
pub(crate) struct ChangeMark {
    pub(crate) subscriber: Subscriber,
    pub(crate) uri: Option<Arc<str>>,
}

/// A request that waits until the hub has added its subscriber to a URI.
struct Pending {
    slot: u32,
    allowed: bool,
    /// The hub has been told.
    is_in_hub: bool,
}

struct Subscription {
    subscriber: Subscriber,
    /// Acknowledged: changes may be sent.
    live: bool,
    pending: Vec<Pending>,
    /// The number of the newest change, sent or not.
    heard: u64,
    /// There is a change to be sent.
    changed: bool,
    /// The newest descriptor of the resource.
    descriptor: Option<Arc<Descriptor>>,
    /// URIs below the resource that changed, in the order of their first change. In a box, since few subscriptions have
    /// any.
    #[allow(clippy::box_collection, reason = "a subscription is to cost little")]
    below: Option<Box<Vec<Arc<str>>>>,
}

/// The number of unsent changes below one URI that are notified one by one.
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
            below: None,
        }
    }

    fn has_changes(&self) -> bool {
        self.changed || self.below.is_some()
    }

    /// The resource changed. True if a mark is due. An older change never replaces a newer one.
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

    /// Something below it changed. True if a mark is due. When that is more than is told one by one, it is the resource
    /// that changed: a slow client costs what it subscribed to, not what lies below.
    fn change_below(&mut self, uri: &Arc<str>) -> bool {
        let fresh = !self.has_changes();
        let below = self.below.get_or_insert_default();
        if !below.contains(uri) {
            below.push(uri.clone());
        }
        if below.len() > BELOW {
            self.below = None;
            self.changed = true;
        }
        fresh && self.live
    }
}

/// The changes behind a mark at the moment when it is rendered.
#[derive(Default)]
pub(crate) struct MarkedChanges {
    /// The lists that changed.
    pub(crate) lists: TopicSet,
    /// The watched resource changed.
    pub(crate) own: bool,
    /// The newest descriptor of the resource, if it is known.
    pub(crate) descriptor: Option<Arc<Descriptor>>,
    /// URIs below the resource that changed.
    pub(crate) below: Vec<Arc<str>>,
}

#[derive(Default)]
struct UriSubscriptions {
    subscriptions: Vec<Subscription>,
    /// The hub counts this connection among the URI's subscribers.
    in_hub: bool,
}

/// A listen stream.
pub(crate) struct StreamSubscription {
    pub(crate) id: RequestId,
    pub(crate) route: Route,
    pub(crate) revision: Revision,
    pub(crate) lists: TopicSet,
    uris: Vec<Arc<str>>,
    /// URIs that were given up. They are removed together once they are half of all, so each costs the same however
    /// many there are.
    given_up: BTreeSet<Arc<str>>,
    /// URIs whose interest is still being registered.
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

/// A registration at the hub; they are made in order, one at a time.
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
    /// URIs about which the hub has to hear something.
    unsynced: VecDeque<Arc<str>>,
    syncing: bool,
    list_changes: TopicSet,
}

/// The mark to queue, if the subscriber may be sent something and had nothing to send before.
pub(crate) type MarkQueue = Vec<(Subscriber, Option<Arc<str>>)>;

impl Subscriptions {
    /// The number of subscriptions: URIs, counted for each subscriber.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn streams(&self) -> usize {
        self.streams.len()
    }

    pub(crate) fn stream(&self, stream: u64) -> Option<&StreamSubscription> {
        self.streams.get(&stream)
    }

    /// Returns whether there is a subscription to `uri` already, acknowledged or not.
    pub(crate) fn is_subscribed(&self, subscriber: Subscriber, uri: &str) -> bool {
        self.entries.get(uri).is_some_and(|e| e.subscriptions.iter().any(|w| w.subscriber == subscriber))
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

    /// Takes the verdict "allow". Returns false if the client has unsubscribed meanwhile.
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

    /// Undoes what one request wanted of a URI, and nothing else.
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

    /// Ends a subscription of the session. The requests that were waiting for the hub are to be answered now: the
    /// delivery they wait for may never come. Those that wait for a verdict answer themselves.
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

    /// Notes that the hub has the URI for this request. Returns the marks that may be sent now.
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

    /// Everything that is watched, or about to be.
    pub(crate) fn uris(&self) -> impl Iterator<Item = &Arc<str>> {
        self.entries.iter().filter(|(_, entry)| !entry.subscriptions.is_empty()).map(|(uri, _)| uri)
    }

    /// Ends every subscription to `uri`, since access was taken away. Returns the requests for it that had been
    /// allowed, by subscriber and slot: the caller refuses them. Requests that wait for a verdict of their own get
    /// that.
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

    /// A stream that is not acknowledged yet.
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

    /// Gives up one URI of a stream that is being opened: refused, or its interest handler failed.
    pub(crate) fn stream_drops(&mut self, stream: u64, uri: &Arc<str>, slot: u32) {
        self.unwant(uri, slot);
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.give_up(uri);
            stream.awaited.remove(uri);
        }
    }

    /// One URI of a stream is watched.
    pub(crate) fn stream_has(&mut self, stream: u64, uri: &Arc<str>) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.awaited.remove(uri);
        }
    }

    /// Returns whether nothing more is awaited before the acknowledgement.
    pub(crate) fn stream_is_complete(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_some_and(|s| s.awaited.is_empty())
    }

    /// Notes that the stream was acknowledged. Returns the marks of the meantime, which may be sent now.
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

    /// A URI changed.
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

    /// Marks that a URI changed which lies below `parent`. A subscriber of both is notified once.
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
            let (due, changed) = match own {
                Some(own) if own.changed => (false, uri), // what is to be sent may say more than this change
                Some(own) => (own.change(change), uri),
                None => (subscription.change_below(uri), parent),
            };
            if due {
                queue.push((subscription.subscriber, Some(changed.clone())));
            }
        }
        self.entries.insert(parent.clone(), entry);
        queue
    }

    /// Lists of one kind changed. Returns the mark for the session, unless it has one for lists already.
    pub(crate) fn handle_list_change_of_session(&mut self, kind: usize) -> MarkQueue {
        let mut queue = MarkQueue::new();
        if self.list_changes.is_empty() {
            queue.push((Subscriber::Session, None));
        }
        self.list_changes.add(kind);
        queue
    }

    /// Lists of one kind changed. Returns the marks for listen streams.
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

    /// Takes marked changes to render them. Nothing if the subscription is gone.
    pub(crate) fn take_changes(&mut self, mark: &ChangeMark) -> MarkedChanges {
        let list = |lists| MarkedChanges { lists, ..MarkedChanges::default() };
        match (&mark.uri, mark.subscriber) {
            (Some(uri), subscriber) => {
                let entry = self.entries.get_mut(uri);
                let subscription = entry
                    .and_then(|e| e.subscriptions.iter_mut().find(|w| w.subscriber == subscriber && w.live));
                subscription.map_or_else(MarkedChanges::default, |subscription| MarkedChanges {
                    lists: TopicSet::default(),
                    own: std::mem::take(&mut subscription.changed),
                    descriptor: subscription.descriptor.take(),
                    below: subscription.below.take().map_or_else(Vec::new, |below| *below),
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

    pub(crate) fn begin_hub_sync(&mut self) -> bool {
        !self.unsynced.is_empty() && !std::mem::replace(&mut self.syncing, true)
    }

    /// Returns the next registration at the hub; the turn ends in the same step that finds none.
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
