//! The state behind a server.

use super::instances::Publisher;
use crate::access::Operation;
#[cfg(feature = "directory")]
use crate::catalog::Found;
use crate::catalog::{Catalog, Change, Sealer};
use crate::connection::ConnectionState;
use crate::event::{AroundCallback, AroundCallbacks, Event, Gatekeeper, InterestCall, InterestHandler};
use crate::group;
use crate::hub::{Hub, Registered, Then};
use crate::keys::Key;
use crate::log::{Log, Severity};
use crate::model::{Family, Json};
use crate::observer::Metrics;
use crate::protocol::{CLIENT_MS, RESOURCES, Settings, TopicSet};
use crate::provider::Spawner;
use crate::refusals::Refusals;
use crate::responder::{InterestAnswer, Responder};
#[cfg(feature = "directory")]
use crate::search::SearchedFolder;
use crate::sync::Lock;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::uri::normalized;
use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

/// A folder that is called at each new subscription, before the server acknowledges it.
#[cfg(feature = "directory")]
pub(crate) trait SubscriptionHook: Send + Sync {
    fn subscribed(&self, uri: &str);

    /// Returns the number of links that the folder remembers for subscriptions.
    #[cfg(all(test, unix))]
    fn links(&self) -> usize;
}

/// The state behind a [`super::Server`].
pub(crate) struct ServerState {
    pub(crate) settings: Arc<Settings>,
    pub(crate) catalog: Lock<Catalog>,
    /// Seals the cursors of all clients but those of stdio, with the key of the application or a random one.
    pub(crate) sealer: Sealer,
    /// Seals the cursors of stdio clients, which may start another process for the next page.
    pub(crate) local_sealer: Sealer,
    pub(crate) hub: Hub,
    pub(crate) log: Log,
    /// Logs requests that are refused, and counts them.
    pub(crate) refusals: Refusals,
    pub(super) groups: Lock<Vec<Weak<group::GroupState>>>,
    pub(super) gatekeeper: Lock<Option<Arc<Gatekeeper>>>,
    pub(super) interest_handler: Lock<Option<Arc<InterestHandler>>>,
    pub(super) spawner: Lock<Option<Arc<Spawner>>>,
    arounds: Lock<AroundCallbacks>,
    has_arounds: AtomicBool,
    pub(super) closed: AtomicBool,
    /// True once a client may be there.
    pub(super) serving: AtomicBool,
    pub(super) connections: AtomicU64,
    /// The smallest time limit of any call, in milliseconds: `call_ms` that the server or one of its tools has or had,
    /// or [`CLIENT_MS`].
    pub(super) shortest_call_ms: AtomicU64,
    pub(crate) metrics: Metrics,
    /// The callback that publishes changes to other instances, if the application set one.
    pub(super) publisher: Lock<Option<Arc<Publisher>>>,
    /// URIs about which the log has a warning already.
    noticed: Lock<BTreeSet<String>>,
    /// The name of this instance among the others.
    pub(super) origin: String,
    /// The folders that are served. Removed ones stay until they are swept out.
    #[cfg(feature = "directory")]
    pub(crate) folders: Lock<Vec<Weak<dyn SubscriptionHook>>>,
    /// The folders that are searched, in the order of their registration. Removed ones stay until they are swept out.
    #[cfg(feature = "directory")]
    pub(super) searched: Lock<Vec<Weak<dyn SearchedFolder>>>,
}

impl ServerState {
    pub(super) fn new(
        settings: Settings,
        (key, local_key): (&Key, &Key),
        log: Log,
        metrics: Metrics,
        origin: String,
    ) -> Self {
        ServerState {
            hub: Hub::new(settings.limits.subscriptions_total),
            shortest_call_ms: AtomicU64::new(settings.limits.call_ms.min(CLIENT_MS)),
            settings: Arc::new(settings),
            catalog: Lock::new(Catalog::default()),
            sealer: Sealer::new(key, &origin),
            local_sealer: Sealer::new(local_key, &origin),
            log,
            refusals: Refusals::default(),
            groups: Lock::new(Vec::new()),
            gatekeeper: Lock::new(None),
            interest_handler: Lock::new(None),
            spawner: Lock::new(None),
            arounds: Lock::default(),
            has_arounds: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            serving: AtomicBool::new(false),
            connections: AtomicU64::new(0),
            metrics,
            publisher: Lock::new(None),
            noticed: Lock::new(BTreeSet::new()),
            origin,
            #[cfg(feature = "directory")]
            folders: Lock::default(),
            #[cfg(feature = "directory")]
            searched: Lock::default(),
        }
    }

    /// Returns the smallest time limit that a call has or had, in milliseconds.
    pub(crate) fn shortest_call_ms(&self) -> u64 {
        self.shortest_call_ms.load(Ordering::Acquire)
    }

    /// Notifies folders of a new subscription. The hub has it already; the server has not acknowledged it yet.
    #[cfg(feature = "directory")]
    pub(crate) fn subscribed(&self, uri: &str) {
        let folders: Vec<_> =
            self.folders.with(|folders, _| folders.iter().filter_map(Weak::upgrade).collect());
        for folder in folders {
            folder.subscribed(uri);
        }
    }

    /// Returns the targets as the authorizer judges them: each URI of a folder in the spelling of lists, any other
    /// without needless escapes. Otherwise a client could avoid a rule about a URI by another spelling, which a folder
    /// or the variables of a template take as well. Templates in lists stay as registered, as in completion.
    #[cfg_attr(
        not(feature = "directory"),
        allow(clippy::unused_self, reason = "only folders have other spellings")
    )]
    pub(crate) fn judged(&self, operation: Operation, mut targets: Vec<Arc<str>>) -> Vec<Arc<str>> {
        if !matches!(operation, Operation::List | Operation::Read | Operation::Subscribe) {
            return targets; // no URIs of a client or of a list
        }
        for uri in targets.iter_mut().filter(|uri| operation != Operation::List || !uri.contains('{')) {
            #[cfg(feature = "directory")]
            if operation != Operation::List
                && let Some(listed) = self.listed_uri(uri)
            {
                *uri = listed.into();
            }
            if let Some(normal) = normalized(uri) {
                *uri = normal.into();
            }
        }
        targets
    }

    /// Returns the URI that lists of a folder have for what is at `uri`. `None` if no folder has it.
    #[cfg(feature = "directory")]
    fn listed_uri(&self, uri: &str) -> Option<String> {
        if self.folders.with(|folders, _| folders.is_empty()) {
            return None;
        }
        match self.catalog.with(|c, _| c.find(uri)) {
            Found::Call { handler, .. } => handler.provider.as_ref()?.listed_uri(uri),
            Found::Value(_) | Found::Nothing | Found::Invalid => None,
        }
    }

    #[cfg(feature = "directory")]
    pub(crate) fn searched_folders(&self) -> Vec<Arc<dyn SearchedFolder>> {
        self.searched.with(|folders, _| folders.iter().filter_map(Weak::upgrade).collect())
    }

    pub(crate) fn spawner(&self) -> Option<Arc<Spawner>> {
        self.spawner.with(|spawner, _| spawner.clone())
    }

    /// Adds an around callback as the innermost one.
    pub(super) fn add_around(&self, around: Arc<AroundCallback>) {
        self.arounds.with(|arounds, trash| {
            let mut more = Vec::clone(arounds);
            more.push(around);
            trash.put(std::mem::replace(arounds, Arc::new(more)));
        });
        self.has_arounds.store(true, Ordering::Release);
    }

    /// Returns the around callbacks for a call that begins now; `None` if there are none.
    pub(crate) fn arounds(&self) -> Option<AroundCallbacks> {
        self.has_arounds.load(Ordering::Acquire).then(|| self.arounds.with(|arounds, _| arounds.clone()))
    }

    pub(crate) fn gatekeeper(&self) -> Option<Arc<Gatekeeper>> {
        self.gatekeeper.with(|gatekeeper, _| gatekeeper.clone())
    }

    /// Notifies all subscribers of a resource that it changed. Changes may arrive in any order.
    pub(super) fn publish(&self, uri: &str, change: &Change) {
        self.metrics.change();
        let uri: Arc<str> = uri.into();
        ConnectionState::notify_all(&self.hub.subscribers(&uri), |m| m.handle_update(&uri, change));
    }

    /// Notes that a resource was registered or removed, so resources are offered, and notifies clients that the list
    /// changed.
    pub(super) fn resources_changed(&self) {
        self.settings.has_resources.store(true, Ordering::Release);
        self.list_changed();
    }

    /// Notes that a resource or template was registered or removed, and notifies clients that the list changed. If each
    /// template is also a tool, notifies of the list of tools, too. Everything else is as with
    /// [`ServerState::resources_changed`].
    pub(super) fn templates_changed(&self) {
        self.resources_changed();
        if self.settings.policy.options.resources_as_tools {
            self.named_changed(Family::Tools);
        }
    }

    pub(super) fn list_changed(&self) {
        if self.settings.identity.resources.list_changed {
            self.announce(RESOURCES);
        }
    }

    pub(super) fn announce(&self, kind: usize) {
        self.metrics.change();
        ConnectionState::notify_all(&self.hub.connections(), |m| m.handle_list_change(kind));
    }

    /// Notifies clients that the list of tools, or that of prompts, changed.
    pub(super) fn named_changed(&self, family: Family) {
        let Some(kind) = self.settings.list_topics.by_kind(family.capability()) else { return };
        let mut wanted = TopicSet::default();
        wanted.add(kind);
        if !self.offered(wanted).is_empty() {
            self.announce(kind);
        }
    }

    /// Returns those of the wanted kinds of lists whose changes the server announces.
    pub(crate) fn offered(&self, wanted: TopicSet) -> TopicSet {
        let mut offered = TopicSet::default();
        if wanted.is_empty() {
            return offered;
        }
        let capabilities = self.catalog.with(|c, _| c.capabilities());
        for (number, kind) in self.settings.list_topics.in_set(wanted) {
            let declares = |(name, json): &(String, Json)| {
                Some(&**name) == kind.capability && json.is_true("listChanged")
            };
            let resources = number == RESOURCES
                && self.settings.identity.resources.list_changed
                && self.settings.has_resources();
            if resources || kind.capability.is_none() || capabilities.iter().any(declares) {
                offered.add(number);
            }
        }
        offered
    }

    /// Logs a warning about a URI, unless it has done so before. It remembers a bounded number of URIs.
    pub(crate) fn notice(&self, uri: &str, line: impl FnOnce() -> String) {
        const NOTICES: usize = 100;
        let new = self.noticed.with(|noticed, _| {
            noticed.len() < NOTICES && !noticed.contains(uri) && noticed.insert(uri.to_owned())
        });
        if new {
            self.log.write(Severity::Warning, &line());
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(crate) fn poll_event(self: &Arc<Self>) -> Option<Event> {
        let (interest, then) = self.hub.next_interest();
        self.carry_out(then);
        let interest = interest?;
        let responder = Responder::<InterestAnswer>::interest(
            Arc::downgrade(self),
            interest.uri.clone(),
            interest.delivery,
        );
        let interest_handler = self.interest_handler.with(|interest_handler, _| interest_handler.clone());
        Some(Event::Interest(InterestCall::new(interest, interest_handler, responder)))
    }

    pub(crate) fn interest_done(self: &Arc<Self>, uri: &Arc<str>, delivery: u64, failure: Option<String>) {
        let outcome = if failure.is_none() { Registered::Done } else { Registered::Failed };
        let then = self.hub.interest_done(uri, delivery, outcome);
        if let Some(why) = failure {
            self.log.write(Severity::Error, &format!("the interest handler for {uri} failed: {why}"));
        }
        self.carry_out(then);
    }

    /// Carries out the effects of a change at the hub, with no lock held.
    pub(crate) fn carry_out(&self, then: Then) {
        for (connection, call, uri, outcome) in then.resolved {
            if let Some(connection) = connection.upgrade() {
                connection.registered(call, &uri, outcome);
            }
        }
        if then.queued {
            let groups: Vec<_> =
                self.groups.with(|groups, _| groups.iter().filter_map(Weak::upgrade).collect());
            for group in groups {
                group.push([]);
            }
        }
    }
}
