//! The server: who it is, what it serves, and who is connected.

use crate::access::Caller;
use crate::catalog::{Catalog, HandlerId, Sealer};
use crate::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::event::{AuthorizeCall, Call, Event, Gatekeeper, InterestCall, ListCall, Watcher};
use crate::group::{self, Group};
use crate::hub::{Hub, Then};
use crate::keys::Key;
use crate::limits::Limits;
use crate::log::{Level, Log};
use crate::model::{Answer, Body, Page, Resource, Template};
use crate::protocol::Settings;
use crate::provider::{IntoReply, Lister, Provider, Reader, gatekeeper, watcher};
use crate::responder::{Responder, Watched};
use crate::sync::Lock;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::uri::check_uri;
use crate::wire::Identity;
use std::fmt;
use std::sync::{Arc, Weak};

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

/// The state behind a [`Server`].
pub(crate) struct Inner {
    pub(crate) settings: Arc<Settings>,
    pub(crate) catalog: Lock<Catalog>,
    pub(crate) sealer: Sealer,
    pub(crate) hub: Hub,
    pub(crate) log: Log,
    groups: Lock<Vec<Weak<group::Inner>>>,
    gatekeeper: Lock<Option<Arc<Gatekeeper>>>,
    watcher: Lock<Option<Arc<Watcher>>>,
    authorises: AtomicBool,
    closed: AtomicBool,
    connections: AtomicU64,
}

/// What a server is made from. Everything has a default.
#[derive(Clone)]
pub struct Builder {
    name: String,
    version: String,
    title: Option<String>,
    instructions: Option<String>,
    cursor_key: Option<Vec<u8>>,
    limits: Limits,
    subscribe: bool,
    list_changed: bool,
    log: Log,
}

impl Builder {
    /// The server's name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// How a model should use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// The 32 bytes under which cursors are sealed. Replicas share them; random by default.
    #[must_use]
    pub fn cursor_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.cursor_key = Some(key.into());
        self
    }

    /// What a client may cost.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether clients may watch resources. On by default.
    #[must_use]
    pub fn subscribe(mut self, offered: bool) -> Self {
        self.subscribe = offered;
        self
    }

    /// Whether clients are told when the list of resources changes. On by default.
    #[must_use]
    pub fn list_changed(mut self, offered: bool) -> Self {
        self.list_changed = offered;
        self
    }

    /// Where lines go about what went wrong in callbacks; standard error by default. Called without any lock held, on
    /// any thread.
    #[must_use]
    pub fn on_log(mut self, log: impl Fn(Level, &str) + Send + Sync + 'static) -> Self {
        self.log = Log::to(log);
        self
    }

    /// Makes the server.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a cursor key of another length; [`ErrorKind::Io`] if there is no randomness.
    pub fn build(self) -> Result<Server> {
        let key = match &self.cursor_key {
            Some(bytes) => Key::from_bytes(bytes)?,
            None => Key::random()?,
        };
        let identity = Identity::new(
            self.name,
            self.version,
            self.title,
            self.instructions,
            self.subscribe,
            self.list_changed,
        );
        Ok(Server(Arc::new(Inner {
            hub: Hub::new(self.limits.subscriptions_total),
            settings: Arc::new(Settings { limits: self.limits, identity }),
            catalog: Lock::new(Catalog::default()),
            sealer: Sealer::new(&key),
            log: self.log,
            groups: Lock::new(Vec::new()),
            gatekeeper: Lock::new(None),
            watcher: Lock::new(None),
            authorises: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            connections: AtomicU64::new(0),
        })))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

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
        Builder {
            name: name.into(),
            version: version.into(),
            title: None,
            instructions: None,
            cursor_key: None,
            limits: Limits::default(),
            subscribe: true,
            list_changed: true,
            log: Log::default(),
        }
    }

    // ---- what is served

    /// A fixed text, served without a callback.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`], [`ErrorKind::Duplicate`], [`ErrorKind::InvalidArgument`] for a descriptor that may
    /// not be sent, [`ErrorKind::Closed`].
    pub fn text(&self, resource: impl Into<Resource>, text: impl Into<String>) -> Result<Handle> {
        self.value(resource.into(), Body::from(text.into()))
    }

    /// Fixed bytes, served without a callback. Errors as for [`Server::text`].
    pub fn blob(&self, resource: impl Into<Resource>, bytes: impl Into<Vec<u8>>) -> Result<Handle> {
        self.value(resource.into(), Body::from(bytes.into()))
    }

    /// A fixed body that may be shared with the host. Errors as for [`Server::text`].
    pub fn value(&self, resource: impl Into<Resource>, body: impl Into<Body>) -> Result<Handle> {
        self.open()?;
        let (resource, body) = (resource.into(), body.into());
        let _outlives = body.clone(); // if it is refused, it must not be dropped under the lock
        let name = self.0.catalog.with(|c, _| c.add_value(resource, body))?;
        self.0.list_changed();
        Ok(self.handle(&name))
    }

    /// Replaces a fixed text or bytes, and tells those who watch it.
    ///
    /// # Errors
    /// [`ErrorKind::Unknown`] if no value is registered there, [`ErrorKind::Closed`].
    pub fn set(&self, uri: &str, body: impl Into<Body>) -> Result<()> {
        self.open()?;
        let body = body.into();
        let _outlives = body.clone();
        self.0.catalog.with(|c, trash| c.set_value(uri, body).map(|old| trash.put(old)))?;
        self.updated(uri)
    }

    /// A fixed URI whose contents a closure supplies. Errors as for [`Server::text`].
    pub fn resource<F, R, M>(&self, resource: impl Into<Resource>, read: F) -> Result<Handle>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: IntoReply<Answer, M>,
        M: 'static,
    {
        let resource = resource.into();
        let name = resource.uri.clone();
        self.add_resource(resource, Some(Arc::new(Reader::new(read))))?;
        Ok(self.handle(&name))
    }

    /// Every URI that a template makes, with contents from a closure.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTemplate`], [`ErrorKind::Duplicate`], [`ErrorKind::Ambiguous`],
    /// [`ErrorKind::InvalidArgument`], [`ErrorKind::Closed`].
    pub fn template<F, R, M>(&self, template: impl Into<Template>, read: F) -> Result<Handle>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: IntoReply<Answer, M>,
        M: 'static,
    {
        let template = template.into();
        let name = template.uri_template.clone();
        self.add_template(template, Some(Arc::new(Reader::new(read))), false)?;
        Ok(self.handle(&name))
    }

    /// A list source: after the fixed resources, the sources are listed in the order of their registration. The name
    /// goes into cursors, so replicas use the same.
    ///
    /// # Errors
    /// [`ErrorKind::Duplicate`], [`ErrorKind::InvalidArgument`] for an empty name, [`ErrorKind::Closed`].
    pub fn list<F, R, M>(&self, name: impl Into<String>, list: F) -> Result<Handle>
    where
        F: Fn(ListCall) -> R + Send + Sync + 'static,
        R: IntoReply<Page, M>,
        M: 'static,
    {
        let name = name.into();
        self.add_list(Some(name.clone()), Some(Arc::new(Lister::new(list))))?;
        Ok(self.handle(&name))
    }

    /// Reads whatever no registration serves.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`].
    pub fn fallback<F, R, M>(&self, read: F) -> Result<()>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: IntoReply<Answer, M>,
        M: 'static,
    {
        self.set_fallback(Some(Arc::new(Reader::new(read)))).map(drop)
    }

    /// Asks a closure before anything is listed, read or watched: one question for many URIs.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`].
    pub fn authorize<F, R, M>(&self, authorize: F) -> Result<()>
    where
        F: Fn(AuthorizeCall) -> R + Send + Sync + 'static,
        R: IntoReply<Vec<crate::Verdict>, M> + 'static,
        M: 'static,
    {
        self.open()?;
        let gatekeeper: Arc<Gatekeeper> = Arc::new(gatekeeper(authorize));
        self.0.gatekeeper.with(|g, trash| trash.put(g.replace(gatekeeper)));
        self.0.authorises.store(true, Ordering::Release);
        Ok(())
    }

    /// Tells a closure which URIs are watched. A subscriber is acknowledged after the closure has answered.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`].
    pub fn on_interest<F, R, M>(&self, interest: F) -> Result<()>
    where
        F: Fn(InterestCall) -> R + Send + Sync + 'static,
        R: IntoReply<Watched, M> + 'static,
        M: 'static,
    {
        self.open()?;
        let watcher: Arc<Watcher> = Arc::new(watcher(interest));
        self.0.watcher.with(|w, trash| trash.put(w.replace(watcher)));
        let then = self.0.hub.ask_host();
        self.0.carry_out(then);
        Ok(())
    }

    /// Removes a fixed resource by its URI, a template by its text, or a list source by its name. Calls under way
    /// finish. Returns the registration's id if it had callbacks.
    ///
    /// # Errors
    /// [`ErrorKind::Unknown`], [`ErrorKind::Closed`].
    pub fn remove(&self, name: &str) -> Result<Option<HandlerId>> {
        self.open()?;
        let handler = self.0.catalog.with(|c, trash| {
            c.remove(name).map(|removed| {
                let handler = removed.handler;
                trash.put(removed);
                handler
            })
        })?;
        self.0.list_changed();
        Ok(handler)
    }

    // ---- what bindings build on: callbacks by number

    /// [`Server::resource`] with a [`Provider`], or with none for a host that runs events by itself.
    pub fn add_resource(
        &self,
        resource: impl Into<Resource>,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let resource = resource.into();
        let _outlives = provider.clone(); // if it is refused, it must not be dropped under the lock
        let id = self.0.catalog.with(|c, _| c.add_resource(resource, provider))?;
        self.0.list_changed();
        Ok(id)
    }

    /// [`Server::template`] with a [`Provider`], or with none. `lists`: the provider also lists what the template
    /// makes.
    pub fn add_template(
        &self,
        template: impl Into<Template>,
        provider: Option<Arc<dyn Provider>>,
        lists: bool,
    ) -> Result<HandlerId> {
        self.open()?;
        let template = template.into();
        let text = template.uri_template.clone();
        let _outlives = provider.clone();
        let (id, suspicious) = self.0.catalog.with(|c, _| c.add_template(template, provider, lists))?;
        if suspicious {
            let line = format!("\"{text}\" matches one segment only; for nested paths write {{+path}}");
            self.0.log.write(Level::Warning, &line);
        }
        self.0.list_changed();
        Ok(id)
    }

    /// [`Server::list`] with a [`Provider`], or with none. Without a name, its ordinal is the name.
    pub fn add_list(&self, name: Option<String>, provider: Option<Arc<dyn Provider>>) -> Result<HandlerId> {
        self.open()?;
        let _outlives = provider.clone();
        let id = self.0.catalog.with(|c, _| c.add_source(name, provider))?;
        self.0.list_changed();
        Ok(id)
    }

    /// [`Server::fallback`] with a [`Provider`], or with none.
    pub fn set_fallback(&self, provider: Option<Arc<dyn Provider>>) -> Result<HandlerId> {
        self.open()?;
        Ok(self.0.catalog.with(|c, trash| {
            let (id, old) = c.set_fallback(provider);
            trash.put(old);
            id
        }))
    }

    // ---- changes

    /// The resource at `uri` changed: everybody who watches it is told, in the form of their protocol revision. Never
    /// blocks, and never calls back.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`], [`ErrorKind::Closed`]. An unknown URI is fine.
    pub fn updated(&self, uri: &str) -> Result<()> {
        self.open()?;
        check_uri(uri).map_err(|e| {
            Error::new(ErrorKind::InvalidUri, format!("\"{uri}\" is not an absolute URI: {e}"))
        })?;
        let title = self.0.catalog.with(|c, _| c.title(uri));
        let uri: Arc<str> = uri.into();
        let (sequence, watchers) = self.0.hub.changed(&uri);
        for watcher in watchers {
            if let Some(connection) = watcher.upgrade() {
                connection.updated(&uri, sequence, title.as_ref());
            }
        }
        Ok(())
    }

    /// What is listed changed, by other means than registering and removing: everybody who wants to know is told.
    /// Never blocks, and never calls back.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`].
    pub fn list_changed(&self) -> Result<()> {
        self.open()?;
        self.0.list_changed();
        Ok(())
    }

    // ---- clients

    /// A connection whose host polls after each receive, and is never woken.
    pub fn connect(&self, caller: Caller) -> Connection {
        self.connect_in(None, caller)
    }

    /// Connections that share one wake.
    pub fn group(&self, wake: impl Fn() + Send + Sync + 'static) -> Group {
        let group = Group::new(self.clone(), Box::new(wake));
        self.0.groups.with(|groups, trash| {
            let (kept, gone) =
                std::mem::take(groups).into_iter().partition(|g: &Weak<group::Inner>| g.strong_count() > 0);
            *groups = kept;
            trash.put::<Vec<Weak<group::Inner>>>(gone);
            groups.push(group.downgrade());
        });
        group
    }

    pub(crate) fn connect_in(&self, group: Option<Arc<group::Inner>>, caller: Caller) -> Connection {
        let id = self.0.connections.fetch_add(1, Ordering::Relaxed) + 1;
        let connection = Connection::new(id, self.0.clone(), group, caller);
        self.0.hub.join(id, Arc::downgrade(&connection.0));
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
    /// that are still owed are dropped. May be repeated.
    pub fn close(&self) {
        if self.0.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        for connection in self.0.hub.connections() {
            Connection(connection).shut_down();
        }
    }

    /// Whether the server was closed.
    pub fn is_closed(&self) -> bool {
        self.0.closed.load(Ordering::Acquire)
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

    fn handle(&self, name: &str) -> Handle {
        Handle { server: Arc::downgrade(&self.0), name: name.into() }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.0.settings.identity.name).finish_non_exhaustive()
    }
}

impl Inner {
    pub(crate) fn authorises(&self) -> bool {
        self.authorises.load(Ordering::Acquire)
    }

    pub(crate) fn gatekeeper(&self) -> Option<Arc<Gatekeeper>> {
        self.gatekeeper.with(|gatekeeper, _| gatekeeper.clone())
    }

    fn list_changed(&self) {
        if self.settings.identity.list_changed {
            for connection in self.hub.connections() {
                connection.list_changed();
            }
        }
    }

    pub(crate) fn poll_event(self: &Arc<Self>) -> Option<Event> {
        let (interest, then) = self.hub.next_interest();
        self.carry_out(then);
        let (uri, wanted) = interest?;
        let responder = Responder::<Watched>::interest(Arc::downgrade(self), uri.clone());
        let watcher = self.watcher.with(|watcher, _| watcher.clone());
        Some(Event::Interest(InterestCall::new(uri, wanted, watcher, responder)))
    }

    pub(crate) fn interest_done(self: &Arc<Self>, uri: &Arc<str>, failure: Option<String>) {
        let then = self.hub.interest_done(uri, failure.is_none());
        if let Some(why) = failure {
            self.log.write(Level::Error, &format!("the interest handler for {uri} failed: {why}"));
        }
        self.carry_out(then);
    }

    /// Everything the hub decided, with no lock held.
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
                group.push(None);
            }
        }
    }
}

/// A registration, to be changed or removed. Dropping it removes nothing.
#[derive(Clone)]
pub struct Handle {
    server: Weak<Inner>,
    name: Box<str>,
}

impl Handle {
    /// The URI, the template's text, or the list source's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// [`Server::set`] for this registration.
    pub fn set(&self, body: impl Into<Body>) -> Result<()> {
        self.server()?.set(&self.name, body)
    }

    /// [`Server::remove`] for this registration.
    pub fn remove(&self) -> Result<()> {
        self.server()?.remove(&self.name).map(drop)
    }

    fn server(&self) -> Result<Server> {
        let inner = self.server.upgrade();
        inner.map(Server).ok_or_else(|| Error::new(ErrorKind::Closed, "the server is gone"))
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.name).finish()
    }
}
