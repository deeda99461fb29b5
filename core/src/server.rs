//! The server: its identity, its catalog and its connections.

mod answer_settings;
mod apps;
mod around;
mod builder;
mod handle;
mod inner;
mod instances;
mod methods;
mod named;
mod register;
mod search;
#[cfg(feature = "schemars")]
mod typed_tool;

use crate::access::{AccessCheck, Caller};
use crate::catalog::Explanation;
use crate::connection::{Connection, ConnectionState};
use crate::counters::Counters;
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::group::{self, Group, GroupClient};
use crate::limits::Limits;
use crate::log::{Log, Severity};
use crate::model::{Descriptor, Resource};
use crate::revision::Revisions;
use crate::sync::atomic::Ordering;
use crate::uri::check_uri;
use std::fmt;
use std::sync::{Arc, Weak};

use instances::Announcement;

pub use builder::Builder;
pub use handle::{Handle, NamedHandle};
pub(crate) use inner::ServerState;
#[cfg(feature = "directory")]
pub(crate) use inner::SubscriptionHook;

/// Serves an application's resources, tools and prompts to any number of clients. Cheap to clone. Every method may be
/// called from any thread, also from inside a callback.
///
/// ```
/// use wellhead::{Server, Template};
///
/// let server = Server::new("notes", "1.0.0");
/// server.text("notes://about", "Notes.")?;
/// server.template(Template::new("notes://{id}").mime_type("text/markdown"), |call| {
///     Some(format!("# Note {}", call.var("id")?))
/// })?;
/// # Ok::<(), wellhead::Error>(())
/// ```
#[derive(Clone)]
pub struct Server(Arc<ServerState>);

impl Server {
    /// Makes a server with default settings.
    ///
    /// # Panics
    /// If `name` or `version` is empty, or if the operating system provides no randomness; [`Builder::build`] returns
    /// these as errors.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Server {
        Server::builder(name, version).build().expect("a server has a name, a version and randomness")
    }

    /// Returns a builder, to choose settings before the server is made.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(name.into(), version.into())
    }

    // ---- changes

    /// Announces that the resource at `uri` changed, and notifies its subscribers, each in the form of its protocol
    /// revision. If the resource was registered with a version, the version is unknown from then on. Never blocks, and
    /// calls no callback but that of [`Server::on_publish`] and the `wake` of groups.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`], [`ErrorKind::Closed`]. A URI that is not registered is no error.
    pub fn notify_updated(&self, uri: &str) -> Result<()> {
        self.apply_and_publish(&Announcement::Updated { uri, said: None })
    }

    /// Announces that a resource changed, and describes the resource after the change, above all with its new version.
    /// The registration takes over that version only; its other members and lists stay as they are. Everything else is
    /// as with [`Server::notify_updated`].
    ///
    /// # Errors
    /// As [`Server::notify_updated`]. Also [`ErrorKind::InvalidArgument`] for a descriptor that cannot be sent.
    pub fn notify_updated_with_resource(&self, resource: impl Into<Resource>) -> Result<()> {
        let Resource { uri, descriptor, .. } = resource.into();
        descriptor.check()?;
        self.apply_and_publish(&Announcement::Updated { uri: &uri, said: Some(&descriptor) })
    }

    fn changed(&self, uri: &str, said: Option<Descriptor>) -> Result<()> {
        self.open()?;
        absolute(uri)?;
        let change = self.0.catalog.with(|c, trash| {
            let (change, old) = c.changed(uri, said);
            trash.put(old);
            change
        });
        self.0.publish(uri, &change);
        Ok(())
    }

    /// Announces that the resource at `uri`, which lies below the one at `parent`, changed. Notifies the subscribers of
    /// `parent` about `uri`. Subscribers of `uri` are notified by [`Server::notify_updated`]; a subscriber of both gets
    /// one notification. If more than 16 such changes are pending for a client, it is notified of a change of `parent`
    /// instead. Never blocks, and calls no callback but that of [`Server::on_publish`] and the `wake` of groups.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`], [`ErrorKind::Closed`]. Unknown URIs are no error. The server does not check that one
    /// URI lies below the other.
    pub fn notify_sub_resource_updated(&self, uri: &str, parent: &str) -> Result<()> {
        self.apply_and_publish(&Announcement::Below { uri, parent })
    }

    fn changed_below(&self, uri: &str, parent: &str) -> Result<()> {
        self.open()?;
        absolute(uri)?;
        absolute(parent)?;
        if uri == parent {
            return self.changed(uri, None);
        }
        let (uri, parent): (Arc<str>, Arc<str>) = (uri.into(), parent.into());
        self.0.metrics.change();
        let change = self.0.catalog.with(|c, _| c.changed_below(&uri));
        ConnectionState::notify_all(&self.0.hub.subscribers(&parent), |m| {
            m.handle_update_below(&uri, &parent, &change);
        });
        Ok(())
    }

    /// Announces that the permissions of the caller with this id changed. The server asks the authorizer
    /// ([`Server::authorize`]) again about every URI that the caller's connections subscribe to, many in one question,
    /// and ends the subscriptions that it refuses. Clients are not notified of that. Until the verdict comes, changes
    /// are sent as before. A question that is not answered in time counts as refused. Without an authorizer
    /// nothing is judged here, and other instances get the change. Never blocks, and calls no callback but that of [`Server::on_publish`] and the `wake` of groups.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`]. An unknown caller is no error.
    pub fn access_changed(&self, caller_id: &[u8]) -> Result<()> {
        self.apply_and_publish(&Announcement::Access(caller_id))
    }

    fn judge_again(&self, caller_id: &[u8]) -> Result<()> {
        self.open()?;
        if self.0.settings.access_check() == AccessCheck::Required {
            for connection in self.0.hub.connections() {
                connection.access_changed(caller_id);
            }
        }
        Ok(())
    }

    /// Announces that the list of resources changed by other means than registering and removing, and notifies the
    /// clients that want to know. Never blocks, and calls no callback but that of [`Server::on_publish`] and the `wake`
    /// of groups.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] if the server was closed.
    pub fn notify_resource_list_changed(&self) -> Result<()> {
        self.notify_list_changed("resources")
    }

    /// Explains which registration takes `uri`, and why each template does not take it: for people who wonder why a URI
    /// is not found. Takes time proportional to the number of templates. Calls no callback, so the explanation ignores
    /// the authorizer and [`crate::Provider::exists`].
    pub fn explain(&self, uri: &str) -> Explanation {
        self.0.catalog.with(|c, _| c.explain(uri))
    }

    // ---- clients

    /// Makes a connection that calls no `wake`, for an application that polls after each [`Connection::receive`].
    pub fn connect(&self, caller: Caller) -> Connection {
        self.connect_in(None, caller)
    }

    /// Makes a group: connections that share the function `wake`, which tells a driver to poll.
    pub fn group(&self, wake: impl Fn() + Send + Sync + 'static) -> Group {
        self.group_of(Box::new(wake), None, GroupClient::Anywhere)
    }

    /// Makes a group for a driver that can take output while callbacks run.
    pub(crate) fn group_of(
        &self,
        wake: Box<dyn Fn() + Send + Sync>,
        hurry: Option<Box<dyn Fn() + Send + Sync>>,
        client: GroupClient,
    ) -> Group {
        let group = Group::new(self.clone(), wake, hurry, client);
        self.0.groups.with(|groups, trash| {
            let (kept, gone) = std::mem::take(groups)
                .into_iter()
                .partition(|g: &Weak<group::GroupState>| g.strong_count() > 0);
            *groups = kept;
            trash.put::<Vec<Weak<group::GroupState>>>(gone);
            groups.push(group.downgrade());
        });
        group
    }

    pub(crate) fn revisions(&self) -> &Revisions {
        &self.0.settings.revisions
    }

    /// Makes a connection that is not notified of changes of lists until it joins.
    pub(crate) fn connect_apart(&self, group: Option<Arc<group::GroupState>>, caller: Caller) -> Connection {
        let id = self.0.connections.fetch_add(1, Ordering::Relaxed) + 1;
        if id == 1 {
            self.0.begin_serving();
        }
        Connection::new(id, self.0.clone(), group, caller)
    }

    pub(crate) fn connect_in(&self, group: Option<Arc<group::GroupState>>, caller: Caller) -> Connection {
        let connection = self.connect_apart(group, caller);
        connection.join();
        if self.is_closed() {
            connection.close();
        }
        connection
    }

    /// Forgets all connections, without touching them. Call it in the child of a `fork`, before anything else: the
    /// connections belong to the parent process, and the threads that held their locks do not exist in the child.
    /// Registrations stay. Call the functions of [`crate::fork`] around the `fork`, else it may wait for ever for a lock
    /// that another thread held.
    pub fn forget_connections(&self) {
        self.0.hub.forget();
        self.0.groups.with(|groups, trash| trash.put(std::mem::take(groups)));
    }

    /// Returns the next event that belongs to no connection; `None` if there is none. [`Connection::poll_event`]
    /// returns them as well.
    pub fn poll_event(&self) -> Option<Event> {
        self.0.poll_event()
    }

    /// Closes every connection, and makes drivers return. Listen streams end with the result that the protocol defines
    /// for it. Answers that are still owed are dropped; over HTTP they may still be sent, in the time that the driver
    /// grants. May be called repeatedly.
    pub fn close(&self) {
        if self.0.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        for connection in self.0.hub.connections() {
            Connection(connection).wind_down();
        }
    }

    /// Returns whether the server was closed.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Seals a state as [`crate::Call::seal_state`] does, for an application that took the responder out of the call.
    pub fn seal_state(&self, caller: &Caller, uri: &str, state: &str, until: u64) -> String {
        self.0.sealer.seal_state(caller.id(), uri, state, until)
    }

    /// Opens a state that a client sent, as [`crate::Call::open_state`] does.
    pub fn open_state(&self, caller: &Caller, uri: &str, sealed: &str, now: u64) -> Option<String> {
        self.0.sealer.open_state(caller.id(), uri, sealed, now)
    }

    /// Returns counts of past activity, and of open connections and the like.
    pub fn counters(&self) -> Counters {
        let (connections_open, uris_subscribed, subscriptions_open) = self.0.hub.count();
        let connections = self.0.connections.load(Ordering::Relaxed);
        Counters {
            connections,
            connections_open,
            uris_subscribed,
            subscriptions_open,
            ..self.0.metrics.count()
        }
    }

    /// Returns the limits for clients that the builder set.
    pub fn limits(&self) -> &Limits {
        &self.0.settings.limits
    }

    /// Writes a log line for the people who run the application.
    pub fn log_line(&self, severity: Severity, line: &str) {
        self.0.log.write(severity, line);
    }

    fn open(&self) -> Result<()> {
        if self.is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the server is closed; make a new one"));
        }
        Ok(())
    }

    /// Returns how many URIs have subscribers. For tests.
    #[cfg(shuttle)]
    #[doc(hidden)]
    pub fn watched_uris(&self) -> usize {
        self.0.hub.len()
    }

    pub(crate) fn downgrade(&self) -> Weak<ServerState> {
        Arc::downgrade(&self.0)
    }

    #[cfg(feature = "directory")]
    pub(crate) fn from_state(inner: Arc<ServerState>) -> Server {
        Server(inner)
    }

    /// Adds a folder, which is then notified of new subscriptions.
    #[cfg(feature = "directory")]
    pub(crate) fn add_folder(&self, folder: Weak<dyn SubscriptionHook>) {
        self.0.folders.with(|folders, _| {
            folders.retain(|folder| folder.strong_count() > 0);
            folders.push(folder);
        });
    }

    pub(crate) fn shortest_call_ms(&self) -> u64 {
        self.0.shortest_call_ms()
    }

    /// Returns the log of the server.
    pub(crate) fn log_sink(&self) -> Log {
        self.0.log.clone()
    }

    /// Notifies the subscribers of every URI with this prefix that the resource may have changed.
    #[cfg(feature = "directory")]
    pub(crate) fn updated_within(&self, prefix: &str) {
        for uri in self.0.hub.watched_within(prefix) {
            let _ = self.notify_updated(&uri); // only a closed server refuses
        }
    }
}

fn absolute(uri: &str) -> Result<()> {
    check_uri(uri).map_err(|e| Error::new(ErrorKind::InvalidUri, format!("\"{uri}\": {e}")))
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.0.settings.identity.info.name).finish_non_exhaustive()
    }
}
