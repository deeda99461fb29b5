//! What a registration returns.

use super::{Inner, Server};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Contents;
use std::fmt;
use std::sync::Weak;

/// A registration, to be changed or removed. Dropping it removes nothing.
#[derive(Clone)]
pub struct Handle {
    server: Weak<Inner>,
    name: Box<str>,
}

impl Handle {
    pub(super) fn new(server: Weak<Inner>, name: &str) -> Self {
        Handle { server, name: name.into() }
    }

    /// The URI, the template's text, or the list source's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// [`Server::set`] for this registration.
    pub fn set(&self, contents: impl Into<Contents>) -> Result<()> {
        self.server()?.set(&self.name, contents)
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
