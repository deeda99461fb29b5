//! The server: who it is, what it serves, and who is connected.

mod builder;
mod choices;
mod handle;
mod inner;
mod methods;
mod named;
mod register;
mod replicas;

use crate::access::Caller;
use crate::catalog::Explanation;
use crate::connection::{Connection, Shared};
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::group::{self, Group};
use crate::limits::Limits;
use crate::log::{Level, Log};
use crate::model::{Descriptor, Resource};
use crate::observer::Counters;
use crate::revision::Revisions;
use crate::sync::atomic::Ordering;
use crate::uri::check_uri;
use std::fmt;
use std::sync::{Arc, Weak};

use replicas::Change;

pub use builder::Builder;
pub use handle::Handle;
pub(crate) use inner::Inner;

/// An application's resources, for any number of clients. Cheap to clone; every method may be called from any thread,
/// also from inside a callback.
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
pub struct Server(Arc<Inner>);

impl Server {
    /// A server with defaults throughout.
    ///
    /// # Panics
    /// If the operating system has no randomness to give; [`Builder::build`] returns that as an error.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Server {
        Server::builder(name, version).build().expect("the operating system gives randomness")
    }

    /// What to set before a server is made.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> Builder {
        Builder::new(name.into(), version.into())
    }

    // ---- changes

    /// The resource at `uri` changed: everybody who watches it is told, in the form of their protocol revision. If it
    /// was registered with a version, that is not known any more. Never blocks, and calls nothing but [`Server::on_publish`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`], [`ErrorKind::Closed`]. An unknown URI is fine.
    pub fn updated(&self, uri: &str) -> Result<()> {
        self.tell(&Change::Updated { uri, said: None })
    }

    /// [`Server::updated`], telling what the resource is now: its new version above all. What is registered has that
    /// version from now on; its other members, and what is listed, stay as they are.
    ///
    /// # Errors
    /// Also [`ErrorKind::InvalidArgument`] for a descriptor that may not be sent.
    pub fn updated_as(&self, resource: impl Into<Resource>) -> Result<()> {
        let Resource { uri, descriptor, .. } = resource.into();
        descriptor.check()?;
        self.tell(&Change::Updated { uri: &uri, said: Some(&descriptor) })
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

    /// The resource at `uri`, which lies below the one at `parent`, changed: those who watch `parent` are told of `uri`.
    /// Those who watch `uri` are told by [`Server::updated`]; who watches both is told once. A client that has been told
    /// of none of more than 16 such changes is told instead that `parent` changed. Never blocks, and calls nothing but [`Server::on_publish`].
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`], [`ErrorKind::Closed`]. Unknown URIs are fine, and they are not compared.
    pub fn updated_below(&self, uri: &str, parent: &str) -> Result<()> {
        self.tell(&Change::Below { uri, parent })
    }

    fn changed_below(&self, uri: &str, parent: &str) -> Result<()> {
        self.open()?;
        absolute(uri)?;
        absolute(parent)?;
        if uri == parent {
            return self.changed(uri, None);
        }
        let (uri, parent): (Arc<str>, Arc<str>) = (uri.into(), parent.into());
        self.0.watch.change();
        let change = self.0.catalog.with(|c, _| c.changed_below(&uri));
        Shared::tell(&self.0.hub.watchers(&parent), |m| m.updated_below(&uri, &parent, &change));
        Ok(())
    }

    /// What the caller with this id may do changed: everything that its connections watch is asked for again, many URIs
    /// to a question, and what is refused is watched no longer. Clients are not told that. Until the verdict is in,
    /// changes are sent as before; a question that is not answered, or not in time, is refused. Does nothing without
    /// [`Server::authorize`]. Never blocks, and calls nothing but [`Server::on_publish`].
    ///
    /// # Errors
    /// [`ErrorKind::Closed`]. An unknown caller is fine.
    pub fn access_changed(&self, caller_id: &[u8]) -> Result<()> {
        self.tell(&Change::Access(caller_id))
    }

    fn judge_again(&self, caller_id: &[u8]) -> Result<()> {
        self.open()?;
        if self.0.authorises() {
            for connection in self.0.hub.connections() {
                connection.access_changed(caller_id);
            }
        }
        Ok(())
    }

    /// What is listed changed, by other means than registering and removing: everybody who wants to know is told.
    /// Never blocks, and calls nothing but [`Server::on_publish`].
    ///
    /// # Errors
    /// [`ErrorKind::Closed`].
    pub fn list_changed(&self) -> Result<()> {
        self.announce("resourcesListChanged")
    }

    /// Which registration takes `uri`, and why each template that does not take it does not: for people who wonder why
    /// a URI is not found. Takes time that grows with the number of templates, and calls no callback: what an authoriser
    /// or [`crate::Provider::exists`] would say is not looked at.
    pub fn explain(&self, uri: &str) -> Explanation {
        self.0.catalog.with(|c, _| c.explain(uri))
    }

    // ---- clients

    /// A connection whose host polls after each receive, and is never woken.
    pub fn connect(&self, caller: Caller) -> Connection {
        self.connect_in(None, caller)
    }

    /// Connections that share one wake.
    pub fn group(&self, wake: impl Fn() + Send + Sync + 'static) -> Group {
        self.group_of(Box::new(wake), None, false)
    }

    /// [`Server::group`] for a driver that can take output while callbacks run. `local`: its client is the program that
    /// started this one.
    pub(crate) fn group_of(
        &self,
        wake: Box<dyn Fn() + Send + Sync>,
        hurry: Option<Box<dyn Fn() + Send + Sync>>,
        local: bool,
    ) -> Group {
        let group = Group::new(self.clone(), wake, hurry, local);
        self.0.groups.with(|groups, trash| {
            let (kept, gone) =
                std::mem::take(groups).into_iter().partition(|g: &Weak<group::Inner>| g.strong_count() > 0);
            *groups = kept;
            trash.put::<Vec<Weak<group::Inner>>>(gone);
            groups.push(group.downgrade());
        });
        group
    }

    pub(crate) fn revisions(&self) -> &Revisions {
        &self.0.settings.revisions
    }

    /// A connection that hears of nothing until it joins.
    pub(crate) fn connect_apart(&self, group: Option<Arc<group::Inner>>, caller: Caller) -> Connection {
        let id = self.0.connections.fetch_add(1, Ordering::Relaxed) + 1;
        Connection::new(id, self.0.clone(), group, caller)
    }

    pub(crate) fn connect_in(&self, group: Option<Arc<group::Inner>>, caller: Caller) -> Connection {
        let connection = self.connect_apart(group, caller);
        connection.join();
        if self.is_closed() {
            connection.close();
        }
        connection
    }

    /// In the child of a `fork`, before anything else: the connections stay behind in the parent. What is registered
    /// stays; no connection is touched, since the thread that held its lock is gone.
    pub fn forget_connections(&self) {
        self.0.hub.forget();
        self.0.groups.with(|groups, trash| trash.put(std::mem::take(groups)));
    }

    /// The next event that belongs to no connection. [`Connection::poll_event`] asks for it as well.
    pub fn poll_event(&self) -> Option<Event> {
        self.0.poll_event()
    }

    /// Ends every connection, listen streams with the result that tells clients so, and makes drivers return. Answers
    /// that are still owed are dropped, but over HTTP those under way may still go out, in the time that the driver
    /// gives them. May be repeated.
    pub fn close(&self) {
        if self.0.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        for connection in self.0.hub.connections() {
            Connection(connection).wind_down();
        }
    }

    /// Whether the server was closed.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// [`crate::Call::seal_state`] for a host that took the responder out of the call.
    pub fn seal_state(&self, caller: &Caller, uri: &str, state: &str, until: u64) -> String {
        self.0.sealer.seal_state(caller.id(), uri, state, until)
    }

    /// [`crate::Call::open_state`] likewise, of the state that the client sent.
    pub fn open_state(&self, caller: &Caller, uri: &str, sealed: &str, now: u64) -> Option<String> {
        self.0.sealer.open_state(caller.id(), uri, sealed, now)
    }

    /// What the server has done and what is open, counted.
    pub fn counters(&self) -> Counters {
        let (connections_open, uris_watched, subscriptions) = self.0.hub.count();
        let connections = self.0.connections.load(Ordering::Relaxed);
        Counters { connections, connections_open, uris_watched, subscriptions, ..self.0.watch.count() }
    }

    /// What a client may cost.
    pub fn limits(&self) -> &Limits {
        &self.0.settings.limits
    }

    /// A line for the people who run the host, where its other lines go.
    pub fn log(&self, level: Level, line: &str) {
        self.0.log.write(level, line);
    }

    fn open(&self) -> Result<()> {
        if self.is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the server is closed; make a new one"));
        }
        Ok(())
    }

    /// How many URIs the hub knows, for the models.
    #[cfg(shuttle)]
    #[doc(hidden)]
    pub fn watched_uris(&self) -> usize {
        self.0.hub.len()
    }

    pub(crate) fn downgrade(&self) -> Weak<Inner> {
        Arc::downgrade(&self.0)
    }

    #[cfg(feature = "directory")]
    pub(crate) fn of(inner: Arc<Inner>) -> Server {
        Server(inner)
    }

    /// A folder that wants to hear of what is subscribed to.
    #[cfg(feature = "directory")]
    pub(crate) fn add_folder(&self, folder: Weak<crate::directory::Files>) {
        self.0.folders.with(|folders, _| {
            folders.retain(|folder| folder.strong_count() > 0);
            folders.push(folder);
        });
    }

    /// Where lines for the people who run the host go.
    pub(crate) fn log_sink(&self) -> Log {
        self.0.log.clone()
    }

    /// Whatever is watched under a URI that begins so may have changed.
    #[cfg(feature = "directory")]
    pub(crate) fn updated_within(&self, prefix: &str) {
        for uri in self.0.hub.watched_within(prefix) {
            let _ = self.updated(&uri); // only a closed server refuses
        }
    }

    pub(crate) fn handle(&self, name: &str) -> Handle {
        Handle::new(Arc::downgrade(&self.0), name)
    }
}

fn absolute(uri: &str) -> Result<()> {
    check_uri(uri).map_err(|e| Error::new(ErrorKind::InvalidUri, format!("\"{uri}\": {e}")))
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.0.settings.identity.name).finish_non_exhaustive()
    }
}
