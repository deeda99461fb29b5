//! Subscriptions and listen streams of one connection: from the request to the notification.

use super::CallId;
use super::application_call::ApplicationCall;
use super::application_call::{RequestState, Subscribing};
use super::dispatch::Request;
use super::faults::{internal, none_found, refused};
use super::inflight::IdOwner;
use super::list_topics::TopicSet;
use super::machine::Machine;
use super::outbox::{MessageKind, Route, Stage};
use super::subscriptions::{ChangeMark, HubOp, MarkQueue, Subscriber};
use crate::access::{AccessCheck, Operation, Verdict};
use crate::catalog::Change;
use crate::hub::Registered;
use crate::jsonrpc::RpcError;
use crate::revision::Revision;
use crate::sync::Trash;
use crate::wire;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Machine {
    /// Begins a subscription to the requested URIs. `uris` are those of them at which there may be a resource.
    pub(crate) fn begin_subscription(
        &mut self,
        request: &Request,
        subscriber: Subscriber,
        requested: Vec<String>,
        uris: Vec<Arc<str>>,
        check: AccessCheck,
    ) {
        let more = requested.iter().filter(|uri| !self.subscriptions.is_subscribed(subscriber, uri)).count();
        if let Err(fault) = self.room_for_subscriptions(more) {
            return self.answer_error(request, &fault);
        }
        let call = request.call;
        let awaited = uris.iter().cloned().collect();
        let subscribing = Subscribing { subscriber, requested, uris: uris.clone(), awaited };
        // An authorizer judges the known URIs first, because the error names the hidden ones with the unknown ones.
        if subscribing.has_unknown() && (check == AccessCheck::NotRequired || uris.is_empty()) {
            let verdicts = vec![Verdict::Allow; uris.len()];
            let fault = refused_of(request.context.revision, &subscribing, &verdicts);
            return self.answer_error(request, &fault);
        }
        if self.inflight.begin(call, RequestState::Subscribe(Box::new(subscribing))).is_err() {
            return;
        }
        for uri in &uris {
            self.subscriptions.want(uri, subscriber, call.slot(), check);
        }
        if check == AccessCheck::Required {
            self.queue_application_call(ApplicationCall::Authorize {
                call,
                operation: Operation::Subscribe,
                uris,
            });
        }
    }

    fn room_for_subscriptions(&self, more: usize) -> Result<(), RpcError> {
        let max = self.settings.limits.subscriptions;
        if self.subscriptions.len() + more > max {
            Err(RpcError::limit_exceeded("subscriptions", max))
        } else {
            Ok(())
        }
    }

    /// Handles the authorizer's verdicts about a request to subscribe.
    pub(super) fn begin_allowed_subscription(
        &mut self,
        call: CallId,
        mut subscribing: Box<Subscribing>,
        verdicts: &[Verdict],
    ) {
        let slot = call.slot();
        if subscribing.has_unknown() || verdicts.iter().any(|verdict| *verdict != Verdict::Allow) {
            self.drop_subscriptions(&subscribing, slot);
            if let Some(open) = self.inflight.close(call) {
                let fault = refused_of(open.context.revision, &subscribing, verdicts);
                self.answer_failed(open.route, Stage::Dispatched, &open.id, &fault);
            }
            return;
        }
        for uri in &subscribing.uris {
            if !self.subscriptions.allow(uri, slot) {
                subscribing.awaited.remove(uri); // unsubscribed meanwhile
            }
        }
        let complete = subscribing.awaited.is_empty();
        if let (Ok(call), true) =
            (self.inflight.begin_next_call(call, RequestState::Subscribe(subscribing)), complete)
        {
            self.answer_subscription(call);
        }
    }

    /// Withdraws the subscriptions of a request that was refused or cancelled.
    pub(super) fn drop_subscriptions(&mut self, subscribing: &Subscribing, slot: u32) {
        for uri in &subscribing.uris {
            self.subscriptions.unwant(uri, slot);
        }
    }

    /// Notes that the hub registered a URI for the request in that slot, or that the client unsubscribed from it.
    pub(super) fn handle_subscribed(&mut self, slot: u32, uri: &str) {
        let Some((call, open)) = self.inflight.in_slot(slot) else { return };
        let RequestState::Subscribe(subscribing) = &mut open.state else { return };
        subscribing.awaited.remove(uri);
        if subscribing.awaited.is_empty() {
            self.answer_subscription(call);
        }
    }

    /// Answers a request to subscribe, once the hub has registered all its URIs.
    fn answer_subscription(&mut self, call: CallId) {
        let Some(open) = self.inflight.close(call) else { return };
        let RequestState::Subscribe(subscribing) = &open.state else { return };
        let mut queue = MarkQueue::new();
        for uri in &subscribing.uris {
            queue.extend(self.subscriptions.acknowledge(uri, call.slot()));
        }
        let identity = &self.settings.identity;
        self.outbox.write(open.route, MessageKind::Final(Stage::Dispatched), |p| {
            wire::empty_result(p.out, open.context.revision, &open.id, identity);
        });
        self.queue_marks(queue);
    }

    /// Refuses a request to subscribe, and withdraws its subscriptions.
    pub(super) fn answer_refused_subscription(&mut self, call: CallId, fault: &RpcError) {
        let Some(open) = self.inflight.close(call) else { return };
        if let RequestState::Subscribe(subscribing) = &open.state {
            self.drop_subscriptions(subscribing, call.slot());
        }
        self.answer_failed(open.route, Stage::Dispatched, &open.id, fault);
    }

    /// Begins a listen stream. `uris` are those of the `requested` URIs at which there may be a resource. There has to
    /// be room for all requested ones, so that the answer does not depend on resources that the client may not see.
    pub(crate) fn begin_listen_stream(
        &mut self,
        request: &Request,
        lists: TopicSet,
        requested: usize,
        uris: Vec<Arc<str>>,
        check: AccessCheck,
    ) {
        if let Err(fault) = self.room_for_subscriptions(requested) {
            return self.answer_error(request, &fault);
        }
        let call = request.call;
        let Some(open) = self.inflight.get(call) else { return };
        let stream =
            self.subscriptions.open_stream(open.id.clone(), open.route, open.context.revision, lists);
        if self.inflight.begin(call, RequestState::Listen { stream }).is_err() {
            return;
        }
        let check = if uris.is_empty() { AccessCheck::NotRequired } else { check };
        self.subscriptions.stream_wants(stream, &uris, call.slot(), check);
        if check == AccessCheck::Required {
            self.queue_application_call(ApplicationCall::Authorize {
                call,
                operation: Operation::Subscribe,
                uris,
            });
        } else {
            self.begin_stream_if_complete(call, stream);
        }
    }

    pub(super) fn begin_stream_if_complete(&mut self, call: CallId, key: u64) {
        if !self.subscriptions.stream_is_complete(key) {
            return;
        }
        let Some(open) = self.inflight.close(call) else { return };
        self.inflight.own(open.id.clone(), IdOwner::Stream(key));
        if let Some(stream) = self.subscriptions.stream(key) {
            let (lists, uris) = (stream.lists, stream.uris().cloned().collect::<Vec<_>>());
            let lists = self.settings.list_topics.in_set(lists).map(|(_, kind)| &*kind.filter);
            self.outbox.write(open.route, MessageKind::Message, |p| {
                wire::acknowledged(p.out, &open.id, lists, &uris);
            });
        }
        let queue = self.subscriptions.stream_starts(key, call.slot());
        self.queue_marks(queue);
        if self.ending {
            self.end_stream(key);
        }
    }

    /// Takes the hub's report that a URI was registered for a request, or could not be.
    pub(crate) fn handle_registration(
        &mut self,
        call: CallId,
        uri: &Arc<str>,
        outcome: Registered,
        trash: &mut Trash,
    ) {
        let Some(open) = self.inflight.get(call) else { return };
        let slot = call.slot();
        let fault = match outcome {
            Registered::Done => None,
            Registered::Failed => Some(internal(open.context.revision)),
            Registered::Full(max) => Some(RpcError::limit_exceeded("subscriptions_total", max)),
        };
        match (&open.state, fault) {
            (RequestState::Subscribe(_), None) => self.handle_subscribed(slot, uri),
            (RequestState::Subscribe(_), Some(fault)) => self.answer_refused_subscription(call, &fault),
            (RequestState::Listen { stream }, None) => {
                let stream = *stream;
                self.subscriptions.stream_has(stream, uri);
                self.begin_stream_if_complete(call, stream);
            }
            (RequestState::Listen { stream }, Some(fault)) => {
                let stream = *stream;
                if let Registered::Full(_) = outcome {
                    self.subscriptions.close_stream(stream);
                    if let Some(open) = self.inflight.close(call) {
                        self.answer_failed(open.route, Stage::Dispatched, &open.id, &fault);
                        trash.put(open);
                    }
                } else {
                    self.subscriptions.stream_drops(stream, uri, slot);
                    self.begin_stream_if_complete(call, stream);
                }
            }
            _ => {}
        }
    }

    /// Takes the turn to bring the hub up to date. Returns false if there is nothing to do, or another thread has it.
    pub(crate) fn take_hub_turn(&mut self) -> bool {
        self.subscriptions.take_hub_turn()
    }

    pub(crate) fn poll_hub_op(&mut self) -> Option<HubOp> {
        let inflight = &mut self.inflight;
        let next = self.subscriptions.poll_hub_op(|slot| inflight.in_slot(slot).map(|(call, _)| call));
        if let Some(HubOp::Add(_, call)) = &next {
            self.set_deadline(*call); // the interest handler may never answer
        }
        next
    }

    /// Marks that a URI changed, for the notification of each subscriber.
    pub(crate) fn handle_update(&mut self, uri: &Arc<str>, change: &Change) {
        let queue = self.subscriptions.handle_update(uri, change);
        self.queue_marks(queue);
    }

    /// Marks that a URI below `parent` changed, for the subscribers of either.
    pub(crate) fn handle_update_below(&mut self, uri: &Arc<str>, parent: &Arc<str>, change: &Change) {
        let queue = self.subscriptions.handle_update_below(uri, parent, change);
        self.queue_marks(queue);
    }

    /// Marks that lists changed. `kind` is an index in [`super::ListTopics`].
    pub(crate) fn handle_list_change(&mut self, kind: usize) {
        if self.closed {
            return; // the hub named it before it was closed
        }
        let mut queue = MarkQueue::new();
        if self.lifecycle.session().is_some() {
            queue.extend(self.subscriptions.handle_list_change_of_session(kind));
        }
        queue.extend(self.subscriptions.handle_list_change_of_streams(kind));
        self.queue_marks(queue);
    }

    /// Queues notifications for marks, or holds them back until the session is ready.
    pub(super) fn queue_marks(&mut self, queue: MarkQueue) {
        for (subscriber, uri) in queue {
            match subscriber {
                Subscriber::Session | Subscriber::Dialect if !self.lifecycle.is_ready() => {
                    self.held.push((subscriber, uri));
                }
                Subscriber::Session | Subscriber::Dialect => {
                    self.outbox.mark(Route::Connection, ChangeMark { subscriber, uri });
                }
                Subscriber::Stream(key) => {
                    if let Some(stream) = self.subscriptions.stream(key) {
                        self.outbox.mark(stream.route, ChangeMark { subscriber, uri });
                    }
                }
            }
        }
    }

    /// Drops the unsent changes of subscriptions that end. A subscriber gets a change of a resource all the same if it
    /// subscribes to a parent that the change was announced for.
    pub(super) fn drop_changes(&mut self, ending: &BTreeSet<(Subscriber, &str)>) {
        let has_unsent = |(of, uri): &&(Subscriber, &str)| self.subscriptions.has_unsent_changes(*of, uri);
        let unsent: Vec<_> = ending.iter().filter(has_unsent).collect();
        if unsent.is_empty() {
            return;
        }
        for (subscriber, uri) in unsent {
            let queue = self.subscriptions.hand_to_parents(*subscriber, uri);
            self.queue_marks(queue);
        }
        // A client that reads no notifications could otherwise queue marks without end, by a new subscription after each
        // change. Each mark is looked at once, however many subscriptions end.
        let stays =
            |of: Subscriber, uri: Option<&Arc<str>>| uri.is_none_or(|uri| !ending.contains(&(of, &**uri)));
        self.held.retain(|(of, uri)| stays(*of, uri.as_ref()));
        self.outbox.retain_marks(Route::Connection, |mark| stays(mark.subscriber, mark.uri.as_ref()));
    }

    /// Writes the notifications for the marks of a route. They say what has changed up to now.
    pub(crate) fn write_marks(&mut self, route: Route) {
        self.write_progress(route);
        while let Some(mark) = self.outbox.next_mark(route) {
            let changes = self.subscriptions.take_changes(&mark);
            let (id, revision) = match mark.subscriber {
                Subscriber::Session | Subscriber::Dialect => (None, self.lifecycle.session()),
                Subscriber::Stream(key) => match self.subscriptions.stream(key) {
                    Some(stream) => (Some(stream.id.clone()), Some(stream.revision)),
                    None => continue,
                },
            };
            let Some(revision) = revision else { continue };
            let dialect = mark.subscriber == Subscriber::Dialect;
            if let (true, Some(uri)) = (changes.own, &mark.uri) {
                let descriptor = changes.descriptor.as_deref();
                self.outbox.write(route, MessageKind::Message, |p| {
                    if dialect {
                        wire::content_changed(p.out, uri, descriptor);
                    } else {
                        let titled = descriptor.filter(|_| revision.titles_in_contents);
                        wire::updated(p.out, id.as_ref(), uri, titled.and_then(|d| d.title.as_deref()));
                    }
                });
            }
            let lists = self.settings.list_topics.in_set(changes.lists);
            for (_, kind) in lists {
                self.outbox.write(route, MessageKind::Message, |p| {
                    wire::list_changed(p.out, revision, id.as_ref(), &kind.notification);
                });
            }
            for uri in &changes.below {
                self.outbox.write(route, MessageKind::Message, |p| {
                    if dialect {
                        wire::content_changed(p.out, uri, None);
                    } else {
                        wire::updated(p.out, id.as_ref(), uri, None);
                    }
                });
            }
        }
    }
}

/// Returns the error for a request to subscribe that was refused. A client of the dialect gets all URIs that are unknown
/// or hidden from it, any other client the first URI that was refused.
fn refused_of(revision: Revision, subscribing: &Subscribing, verdicts: &[Verdict]) -> RpcError {
    let known: BTreeMap<&str, Verdict> =
        subscribing.uris.iter().map(|uri| &**uri).zip(verdicts.iter().copied()).collect();
    let judged = || {
        let requested = subscribing.requested.iter().map(String::as_str);
        requested.map(|uri| (uri, known.get(uri).copied().unwrap_or(Verdict::Hide)))
    };
    let Some((first, verdict)) = judged().find(|(_, verdict)| *verdict != Verdict::Allow) else {
        return internal(revision);
    };
    let hidden = verdict == Verdict::Hide || revision.masks_denied();
    if subscribing.subscriber != Subscriber::Dialect || !hidden {
        return refused(revision, first, verdict);
    }
    let masked = |verdict| verdict == Verdict::Hide || verdict == Verdict::Deny && revision.masks_denied();
    let uris: Vec<_> = judged().filter(|(_, verdict)| masked(*verdict)).map(|(uri, _)| uri).collect();
    none_found(revision, &uris)
}
