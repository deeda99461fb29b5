//! The handle of a registration.

use super::{Server, ServerState};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Contents;
use std::fmt;
use std::sync::Weak;

/// A registration, to change or remove. Dropping the handle keeps the registration.
#[derive(Clone)]
pub struct Handle {
    server: Weak<ServerState>,
    name: Box<str>,
}

impl Handle {
    pub(super) fn new(server: Weak<ServerState>, name: &str) -> Self {
        Handle { server, name: name.into() }
    }

    /// Returns the URI, the text of the template, or the name of the list source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Does what [`Server::set`] does, for this registration.
    pub fn set(&self, contents: impl Into<Contents>) -> Result<()> {
        self.server()?.set(&self.name, contents)
    }

    /// Does what [`Server::remove`] does, for this registration.
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
