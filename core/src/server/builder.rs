//! What is said of a server before it is made.

use super::{Inner, Server};
use crate::error::Result;
use crate::keys::Key;
use crate::limits::Limits;
use crate::log::{Level, Log};
use crate::protocol::Settings;
use crate::wire::Identity;
use std::fmt;
use std::sync::Arc;

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
            log: Log::default(),
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
        let settings = Settings { limits: self.limits, identity };
        Ok(Server(Arc::new(Inner::new(settings, &key, self.log))))
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
