//! Subscriptions and listen streams of one connection: from the request to the notification.

use super::CallId;
use super::dispatch::{Request, limit};
use super::faults::{internal, none_found, refused};
use super::inflight::Ask;
use super::inflight::{Owner, State, Subscribing};
use super::kinds::KindSet;
use super::machine::Machine;
use super::outbox::{Kind, Route, Stage};
use super::subscriptions::{HubOp, Mark, Queue, Watcher};
use crate::access::{Caller, Operation, Verdict};
use crate::catalog::Change;
use crate::hub::Registered;
use crate::jsonrpc::RpcError;
use crate::revision::Revision;
use crate::sync::Trash;
use crate::wire;
use std::sync::Arc;

impl Machine {
    pub(crate) fn subscribe(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        watcher: Watcher,
        uris: Vec<Arc<str>>,
        authorise: bool,
    ) {
        if !self.claim(&request) {
            return;
        }
        let awaited = uris.iter().cloned().collect();
        let subscribing = Subscribing { watcher, uris: uris.clone(), awaited };
        let call = self.open(request, caller, State::Subscribe(Box::new(subscribing)));
        for uri in &uris {
            self.subscriptions.want(uri, watcher, call.slot(), !authorise);
        }
        if authorise {
            self.queue_host_call(Ask::Authorize { call, operation: Operation::Subscribe, uris });
        }
    }

    /// The verdicts about a subscription are in.
    pub(super) fn may_subscribe(
        &mut self,
        call: CallId,
        mut subscribing: Box<Subscribing>,
        verdicts: &[Verdict],
    ) {
        let slot = call.slot();
        if verdicts.iter().any(|verdict| *verdict != Verdict::Allow) {
            self.unsubscribe_all(&subscribing, slot);
            if let Some(open) = self.inflight.close(call) {
                let fault = refused_of(open.context.revision, &subscribing, verdicts);
                self.fail(open.route, Stage::Dispatched, &open.id, &fault);
            }
            return;
        }
        for uri in &subscribing.uris {
            if !self.subscriptions.allow(uri, slot) {
                subscribing.awaited.remove(uri); // unsubscribed meanwhile
            }
        }
        let complete = subscribing.awaited.is_empty();
        if let (Ok(call), true) = (self.inflight.again(call, State::Subscribe(subscribing)), complete) {
            self.acknowledge(call);
        }
    }

    /// Takes back what a request wanted to watch.
    pub(super) fn unsubscribe_all(&mut self, subscribing: &Subscribing, slot: u32) {
        for uri in &subscribing.uris {
            self.subscriptions.unwant(uri, slot);
        }
    }

    /// A URI is watched for the request in that slot, or it is not wanted any more.
    pub(super) fn subscribed(&mut self, slot: u32, uri: &str) {
        let Some((call, open)) = self.inflight.in_slot(slot) else { return };
        let State::Subscribe(subscribing) = &mut open.state else { return };
        subscribing.awaited.remove(uri);
        if subscribing.awaited.is_empty() {
            self.acknowledge(call);
        }
    }

    /// Everything that the request wanted is watched.
    fn acknowledge(&mut self, call: CallId) {
        let Some(open) = self.inflight.close(call) else { return };
        let State::Subscribe(subscribing) = &open.state else { return };
        let mut queue = Queue::new();
        for uri in &subscribing.uris {
            queue.extend(self.subscriptions.acknowledge(uri, call.slot()));
        }
        let identity = &self.settings.identity;
        self.outbox.write(open.route, Kind::Final(Stage::Dispatched), |p| {
            wire::empty_result(p.out, open.context.revision, &open.id, identity);
        });
        self.queue(queue);
    }

    /// The request cannot have all that it wanted to watch.
    pub(super) fn refuse_subscription(&mut self, call: CallId, fault: &RpcError) {
        let Some(open) = self.inflight.close(call) else { return };
        if let State::Subscribe(subscribing) = &open.state {
            self.unsubscribe_all(subscribing, call.slot());
        }
        self.fail(open.route, Stage::Dispatched, &open.id, fault);
    }

    pub(crate) fn listen(
        &mut self,
        request: Request,
        caller: &Arc<Caller>,
        lists: KindSet,
        uris: Vec<Arc<str>>,
        authorise: bool,
    ) {
        if !self.claim(&request) {
            return;
        }
        if let Err(fault) = self.room_for_subscriptions(uris.len()) {
            self.fail(request.route, Stage::Dispatched, &request.id, &fault);
            return;
        }
        let stream =
            self.subscriptions.open_stream(request.id.clone(), request.route, request.revision, lists);
        let call = self.open(request, caller, State::Listen { stream });
        let authorise = authorise && !uris.is_empty();
        self.subscriptions.stream_wants(stream, &uris, call.slot(), !authorise);
        if authorise {
            self.queue_host_call(Ask::Authorize { call, operation: Operation::Subscribe, uris });
        } else {
            self.start_stream_if_complete(call, stream);
        }
    }

    pub(super) fn start_stream_if_complete(&mut self, call: CallId, key: u64) {
        if !self.subscriptions.stream_is_complete(key) {
            return;
        }
        let Some(open) = self.inflight.close(call) else { return };
        self.inflight.own(open.id.clone(), Owner::Stream(key));
        if let Some(stream) = self.subscriptions.stream(key) {
            let (lists, uris) = (stream.lists, stream.uris().cloned().collect::<Vec<_>>());
            let lists = self.settings.kinds.of(lists).map(|(_, kind)| &*kind.name);
            self.outbox
                .write(open.route, Kind::Message, |p| wire::acknowledged(p.out, &open.id, lists, &uris));
        }
        let queue = self.subscriptions.stream_starts(key, call.slot());
        self.queue(queue);
        if self.ending {
            self.end_stream(key);
        }
    }

    /// The hub registered a URI for a request, or could not.
    pub(crate) fn registered(
        &mut self,
        call: CallId,
        uri: &Arc<str>,
        outcome: Registered,
        trash: &mut Trash,
    ) {
        let Some(open) = self.inflight.get(call) else { return };
        let slot = call.slot();
        let fault = match outcome {
            Registered::Watched => None,
            Registered::Failed => Some(internal(open.context.revision)),
            Registered::Full(max) => Some(limit("subscriptions_total", max)),
        };
        match (&open.state, fault) {
            (State::Subscribe(_), None) => self.subscribed(slot, uri),
            (State::Subscribe(_), Some(fault)) => self.refuse_subscription(call, &fault),
            (State::Listen { stream }, None) => {
                let stream = *stream;
                self.subscriptions.stream_has(stream, uri);
                self.start_stream_if_complete(call, stream);
            }
            (State::Listen { stream }, Some(fault)) => {
                let stream = *stream;
                if let Registered::Full(_) = outcome {
                    self.subscriptions.close_stream(stream);
                    if let Some(open) = self.inflight.close(call) {
                        self.fail(open.route, Stage::Dispatched, &open.id, &fault);
                        trash.put(open);
                    }
                } else {
                    self.subscriptions.stream_drops(stream, uri, slot);
                    self.start_stream_if_complete(call, stream);
                }
            }
            _ => {}
        }
    }

    pub(crate) fn sync_begin(&mut self) -> bool {
        self.subscriptions.sync_begin()
    }

    pub(crate) fn sync_next(&mut self) -> Option<HubOp> {
        let inflight = &mut self.inflight;
        let next = self.subscriptions.sync_next(|slot| inflight.in_slot(slot).map(|(call, _)| call));
        if let Some(HubOp::Add(_, call)) = &next {
            self.expect(*call); // the interest handler may never answer
        }
        next
    }

    /// Marks that a URI changed.
    pub(crate) fn updated(&mut self, uri: &Arc<str>, change: &Change) {
        let queue = self.subscriptions.updated(uri, change);
        self.queue(queue);
    }

    /// Marks that a URI changed which lies below `parent`.
    pub(crate) fn updated_below(&mut self, uri: &Arc<str>, parent: &Arc<str>, change: &Change) {
        let queue = self.subscriptions.updated_below(uri, parent, change);
        self.queue(queue);
    }

    /// Marks that lists of one kind changed.
    pub(crate) fn list_changed(&mut self, kind: usize) {
        let session = self.lifecycle.session().is_some();
        let queue = self.subscriptions.list_changed(kind, session);
        self.queue(queue);
    }

    /// Queues what the client shall be told, or holds it back until the session is ready.
    pub(super) fn queue(&mut self, queue: Queue) {
        for (watcher, uri) in queue {
            match watcher {
                Watcher::Session | Watcher::Dialect if !self.lifecycle.is_ready() => {
                    self.held.push((watcher, uri));
                }
                Watcher::Session | Watcher::Dialect => {
                    self.outbox.mark(Route::Connection, Mark { watcher, uri });
                }
                Watcher::Stream(key) => {
                    if let Some(stream) = self.subscriptions.stream(key) {
                        self.outbox.mark(stream.route, Mark { watcher, uri });
                    }
                }
            }
        }
    }

    /// Renders marked changes as they are now.
    pub(crate) fn render(&mut self, route: Route) {
        self.render_progress(route);
        while let Some(mark) = self.outbox.next_mark(route) {
            let changes = self.subscriptions.take_changes(&mark);
            let (id, revision) = match mark.watcher {
                Watcher::Session | Watcher::Dialect => (None, self.lifecycle.session()),
                Watcher::Stream(key) => match self.subscriptions.stream(key) {
                    Some(stream) => (Some(stream.id.clone()), Some(stream.revision)),
                    None => continue,
                },
            };
            let Some(revision) = revision else { continue };
            let dialect = mark.watcher == Watcher::Dialect;
            if let (true, Some(uri)) = (changes.own, &mark.uri) {
                let descriptor = changes.descriptor.as_deref();
                self.outbox.write(route, Kind::Message, |p| {
                    if dialect {
                        wire::content_changed(p.out, uri, descriptor);
                    } else {
                        let titled = descriptor.filter(|_| revision.titles_in_contents);
                        wire::updated(p.out, id.as_ref(), uri, titled.and_then(|d| d.title.as_deref()));
                    }
                });
            }
            let lists = self.settings.kinds.of(changes.lists);
            for (_, kind) in lists {
                self.outbox.write(route, Kind::Message, |p| {
                    wire::list_changed(p.out, revision, id.as_ref(), &kind.notification);
                });
            }
            for uri in &changes.below {
                self.outbox.write(route, Kind::Message, |p| {
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

/// Why a subscription is refused whose first refused URI is so: as if it were not there, with all that are, or denied.
fn refused_of(revision: Revision, subscribing: &Subscribing, verdicts: &[Verdict]) -> RpcError {
    let judged = || subscribing.uris.iter().zip(verdicts);
    let Some((first, verdict)) = judged().find(|(_, verdict)| **verdict != Verdict::Allow) else {
        return internal(revision);
    };
    let hidden = *verdict == Verdict::Hide || revision.masks_denied();
    if subscribing.watcher != Watcher::Dialect || !hidden {
        return refused(revision, first, *verdict);
    }
    let masked = |verdict| verdict == Verdict::Hide || verdict == Verdict::Deny && revision.masks_denied();
    let uris: Vec<_> = judged().filter(|(_, verdict)| masked(**verdict)).map(|(uri, _)| &**uri).collect();
    none_found(revision, &uris)
}
