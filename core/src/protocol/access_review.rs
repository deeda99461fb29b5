//! Judges the subscriptions of a connection again, because the access of their caller changed.

use super::answer_form::AnswerForm;
use super::application_call::{ApplicationCall, RequestState};
use super::call_context::Context;
use super::faults::refused;
use super::inflight::OpenRequest;
use super::judged::Judged;
use super::machine::Machine;
use super::outbox::Route;
use super::subscriptions::Subscriber;
use crate::access::{Caller, Operation, Verdict};
use crate::jsonrpc::RequestId;
use crate::revision::Revision;
use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

impl Machine {
    /// Asks the application for verdicts about every subscription, at most `page_items` URIs to a call. No request of
    /// the client waits for them. The application judges for the caller of the newest route, or else for that of the
    /// connection.
    pub(crate) fn handle_access_change(&mut self, caller: &Arc<Caller>) {
        if self.closed {
            return;
        }
        let caller = self.outbox.callers.newest().unwrap_or(caller).clone();
        let revision = self.lifecycle.last().unwrap_or_else(Revision::newest);
        let watched: Vec<_> = self.subscriptions.uris().cloned().collect();
        for uris in watched.chunks(self.settings.limits.page_items) {
            let uris = uris.to_vec();
            let judged = Judged::Subscriptions { uris: uris.clone() };
            let context = Context::new(caller.clone(), revision, None, Weak::new());
            let (id, route, state) =
                (RequestId::none(), Route::Connection, RequestState::Judged(Box::new(judged)));
            let call = self.inflight.open_own(OpenRequest::new(id, route, context, AnswerForm::None, state));
            self.queue_application_call(ApplicationCall::Authorize {
                call,
                operation: Operation::Subscribe,
                uris,
            });
        }
    }

    /// Ends the subscriptions to URIs that were refused, and refuses the requests for them that wait.
    pub(super) fn end_revoked_subscriptions(&mut self, refused: &[(&Arc<str>, Verdict)]) {
        let mut ending = BTreeSet::new();
        for (uri, _) in refused {
            let subscribers = self.subscriptions.subscribers(uri).into_iter();
            ending.extend(subscribers.map(|subscriber| (subscriber, &***uri)));
        }
        self.drop_changes(&ending);
        for (uri, verdict) in refused {
            self.end_revoked(uri, *verdict);
        }
    }

    /// Ends the subscriptions to one URI, whose unsent changes were dropped.
    fn end_revoked(&mut self, uri: &Arc<str>, verdict: Verdict) {
        for (subscriber, slot) in self.subscriptions.revoke(uri) {
            match subscriber {
                Subscriber::Session | Subscriber::Dialect => {
                    if let Some((call, open)) = self.inflight.in_slot(slot) {
                        let fault = refused(open.context.revision, uri, verdict);
                        self.answer_refused_subscription(call, &fault);
                    }
                }
                Subscriber::Stream(key) => {
                    self.subscriptions.stream_drops(key, uri, slot);
                    if let Some((call, _)) = self.inflight.in_slot(slot) {
                        self.begin_stream_if_complete(call, key);
                    }
                }
            }
        }
    }
}
