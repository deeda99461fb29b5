//! What is said of a server before it is made.

use super::{Inner, Server};
use crate::error::{Error, ErrorKind, Result};
use crate::keys::{Key, random_name};
use crate::limits::Limits;
use crate::log::{Level, Log};
use crate::model::Json;
use crate::observer::{Callback, Clock, Observed, Observer};
use crate::policy::Policy;
use crate::protocol::{Kinds, Settings};
use crate::revision::Revisions;
use crate::spelling::Spelling;
use crate::sync::atomic::AtomicBool;
use crate::wire::Identity;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

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
    capabilities: BTreeMap<String, Json>,
    kinds: Vec<(String, String)>,
    origin: Option<String>,
    observer: Option<Arc<Callback>>,
    clock: Option<Arc<Clock>>,
    log: Log,
    spelling: Spelling,
    pub(super) policy: Policy,
}

impl Builder {
    pub(super) fn new(name: String, version: String) -> Self {
        Builder {
            name,
            version,
            title: None,
            instructions: None,
            cursor_key: None,
            limits: Limits::default(),
            subscribe: true,
            list_changed: true,
            capabilities: BTreeMap::new(),
            kinds: Vec::new(),
            origin: None,
            observer: None,
            clock: None,
            log: Log::default(),
            spelling: Spelling::default(),
            policy: Policy::default(),
        }
    }

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

    /// The 32 bytes under which cursors are sealed. Replicas share them. Random by default; over stdio derived from the
    /// server's name and version, so that a client which starts a process for each request can page.
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

    /// Declares a capability beside those for resources, with what there is to say of it: `{}`, or such as
    /// `{"listChanged":true}`. `resources` with `{}` declares and serves resources before any is registered: otherwise
    /// the first registration does, and clients that are connected already do not learn of it.
    #[must_use]
    pub fn capability(mut self, name: impl Into<String>, capability: Json) -> Self {
        self.capabilities.insert(name.into(), capability);
        self
    }

    /// A further kind of lists whose changes [`crate::Server::announce`] tells of: its name, as a client asks for it in the
    /// filter of `subscriptions/listen`, and the notification. `toolsListChanged` and `promptsListChanged` are there.
    #[must_use]
    pub fn announces(mut self, kind: impl Into<String>, notification: impl Into<String>) -> Self {
        self.kinds.push((kind.into(), notification.into()));
        self
    }

    /// The name of this instance among those that share their changes by [`Server::on_publish`]; random by default. Two
    /// with one name do not hear each other.
    #[must_use]
    pub fn origin(mut self, name: impl Into<String>) -> Self {
        self.origin = Some(name.into());
        self
    }

    /// Tells the host when each call of one of its callbacks begins and ends; interests aside. Called without any lock
    /// held, on the thread that polls or answers, so it must be quick.
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(&Observed<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// The clock by which [`Builder::observe`] tells how long calls took: the time since any moment that does not change.
    /// The core has none of its own.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Where lines go about what went wrong in callbacks; standard error by default. Called without any lock held, on
    /// any thread.
    #[must_use]
    pub fn on_log(mut self, log: impl Fn(Level, &str) + Send + Sync + 'static) -> Self {
        self.log = Log::to(log);
        self
    }

    /// How the lines of the log spell the names of settings; as in Rust by default. For bindings.
    #[must_use]
    pub fn spelling(mut self, spelling: Spelling) -> Self {
        self.spelling = spelling;
        self
    }

    /// Makes the server.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a limit of 0, a cursor key of another length, a capability `resources` that is not `{}`, kinds of lists that
    /// cannot be announced, a version that does not exist, or an error code that may not be; [`ErrorKind::Io`] if there is
    /// no randomness.
    pub fn build(mut self) -> Result<Server> {
        let log = std::mem::take(&mut self.log).spelled(self.spelling);
        self.limits.check()?;
        let (key, local_key) = match &self.cursor_key {
            Some(bytes) => {
                let key = Key::from_bytes(bytes)?;
                (key.clone(), key)
            }
            None => (Key::random()?, Key::of_program(&self.name, &self.version)),
        };
        let identity = Identity::new(
            self.name,
            self.version,
            self.title,
            self.instructions,
            self.subscribe,
            self.list_changed,
        );
        let resources = self.capabilities.remove("resources");
        if let Some(resources) = resources.as_ref().filter(|resources| !resources.is_empty()) {
            let message = format!(
                "the capability \"resources\" must be {{}} (got {}); `subscribe` and `list_changed` say the rest",
                resources.as_str()
            );
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        let revisions = Revisions::new(&self.policy)?;
        let kinds = Kinds::new(self.kinds)?;
        let settings = Settings {
            limits: self.limits,
            revisions,
            policy: self.policy,
            identity,
            kinds,
            authorises: AtomicBool::new(false),
            has_resources: AtomicBool::new(resources.is_some()),
        };
        let origin = self.origin.map_or_else(random_name, Ok)?;
        let clock = self.clock;
        let observer = self.observer.map(|callback| Observer { callback, clock, log: log.clone() });
        let inner = Inner::new(settings, (&key, &local_key), log, observer, origin);
        inner.catalog.with(|c, _| c.declare(self.capabilities, self.list_changed));
        Ok(Server(Arc::new(inner)))
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
