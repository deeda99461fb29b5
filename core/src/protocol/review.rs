//! What a client watches is judged again: access changed.

use super::faults::refused;
use super::inflight::{Ask, Context, Open, State};
use super::machine::Machine;
use super::outbox::Route;
use super::progress::Told;
use super::subscriptions::Watcher;
use crate::access::{Caller, Operation, Verdict};
use crate::jsonrpc::RequestId;
use crate::revision::Revision;
use std::sync::{Arc, Weak};

/// Exchanges are numbered from 1: what is written here reaches nobody.
const NOWHERE: Route = Route::Exchange(0);

impl Machine {
    /// Asks about everything that the client watches, so many URIs at once. No request of the client is behind it, so
    /// nothing is answered: it is asked for the caller of the newest one, or else for the connection's.
    pub(crate) fn review(&mut self, caller: &Arc<Caller>) {
        if self.closed {
            return;
        }
        let caller = self.outbox.callers.newest().unwrap_or(caller).clone();
        let revision = self.lifecycle.last().unwrap_or_else(Revision::newest);
        let watched: Vec<_> = self.subscriptions.uris().cloned().collect();
        for uris in watched.chunks(self.settings.limits.page_items) {
            let call = self.inflight.open_own(Open {
                id: RequestId::from_raw("0").expect("an integer is an id"),
                route: NOWHERE,
                context: Context::new(caller.clone(), revision, None, Weak::new()),
                permit: None,
                progress: Told::default(),
                state: State::Review { uris: uris.to_vec() },
            });
            self.queue_host_call(Ask::Authorize {
                call,
                operation: Operation::Subscribe,
                uris: uris.to_vec(),
            });
        }
    }

    /// The client may not watch a URI any more: its notifications end, and a request for it that waits is refused.
    pub(super) fn revoke(&mut self, uri: &Arc<str>, verdict: Verdict) {
        for (watcher, slot) in self.subscriptions.revoke(uri) {
            match watcher {
                Watcher::Session | Watcher::Dialect => {
                    if let Some((call, open)) = self.inflight.in_slot(slot) {
                        let fault = refused(open.context.revision, uri, verdict);
                        self.refuse_subscription(call, &fault);
                    }
                }
                Watcher::Stream(key) => {
                    self.subscriptions.stream_drops(key, uri, slot);
                    if let Some((call, _)) = self.inflight.in_slot(slot) {
                        self.start_stream_if_complete(call, key);
                    }
                }
            }
        }
    }
}
