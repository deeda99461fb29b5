//! Handles of registrations, with which an application changes or removes them.

use super::{Server, ServerState};
use crate::catalog::Availability;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Contents, Family, Json};
use std::fmt;
use std::sync::{Arc, Weak};

/// The handle of a resource, a template, a list source or a method, to change or remove it. Dropping the handle keeps
/// the registration.
#[derive(Clone)]
pub struct Handle {
    server: Weak<ServerState>,
    kind: Kind,
    registered_as: Box<str>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Resource,
    List,
    Method,
}

impl Handle {
    pub(crate) fn resource(server: &Server, uri_or_template: &str) -> Self {
        Self::new(server, Kind::Resource, uri_or_template)
    }

    pub(super) fn list(server: &Server, name: &str) -> Self {
        Self::new(server, Kind::List, name)
    }

    pub(super) fn method(server: &Server, name: &str) -> Self {
        Self::new(server, Kind::Method, name)
    }

    fn new(server: &Server, kind: Kind, registered_as: &str) -> Self {
        Handle { server: Arc::downgrade(&server.0), kind, registered_as: registered_as.into() }
    }

    /// Returns the URI of the resource, the text of the template, or the name of the list source or method.
    pub fn registered_as(&self) -> &str {
        &self.registered_as
    }

    /// Replaces the fixed text or bytes of this registration, and notifies the subscribers. See [`Server::set`] for
    /// versions and errors.
    pub fn set(&self, contents: impl Into<Contents>) -> Result<()> {
        self.server()?.set(&self.registered_as, contents)
    }

    /// Removes this registration. Calls in progress are still answered. See [`Server::remove_resource`] for the errors.
    pub fn remove(&self) -> Result<()> {
        let server = self.server()?;
        let removed = match self.kind {
            Kind::Resource => server.remove_resource(&self.registered_as),
            Kind::List => server.remove_list(&self.registered_as),
            Kind::Method => server.remove_method(&self.registered_as),
        };
        removed.map(drop)
    }

    fn server(&self) -> Result<Server> {
        upgraded(&self.server)
    }
}

/// The handle of a tool or a prompt, to change or remove it. Dropping the handle keeps the registration.
///
/// ```
/// use wellhead::{Json, Server, ToolResult};
///
/// let server = Server::new("notes", "1.0.0");
/// let search = server.tool("search", &Json::parse("{}")?, |_| ToolResult::from("nothing"))?;
/// search.disable()?; // until there is an index
/// search.update(&Json::parse(r#"{"description":"Searches 120 notes."}"#)?)?;
/// search.enable()?;
/// # Ok::<(), wellhead::Error>(())
/// ```
#[derive(Clone)]
pub struct NamedHandle {
    server: Weak<ServerState>,
    family: Family,
    name: Box<str>,
}

impl NamedHandle {
    pub(super) fn new(server: &Server, family: Family, name: &str) -> Self {
        NamedHandle { server: Arc::downgrade(&server.0), family, name: name.into() }
    }

    /// Returns the name of the tool or prompt.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lists a disabled tool or prompt again, and lets clients use it. See [`Server::enable_tool`] and
    /// [`Server::enable_prompt`].
    pub fn enable(&self) -> Result<()> {
        upgraded(&self.server)?.set_availability(self.family, &self.name, Availability::Enabled)
    }

    /// Hides the tool or prompt until [`NamedHandle::enable`]. See [`Server::disable_tool`] and
    /// [`Server::disable_prompt`] for the answers to clients.
    pub fn disable(&self) -> Result<()> {
        upgraded(&self.server)?.set_availability(self.family, &self.name, Availability::Disabled)
    }

    /// Changes the definition of the tool or prompt: each member of `changes` replaces that of the definition, and
    /// `null` removes it. See [`Server::update_tool`] and [`Server::update_prompt`].
    pub fn update(&self, changes: &Json) -> Result<()> {
        upgraded(&self.server)?.update_named(self.family, &self.name, changes)
    }

    /// Removes the tool or prompt. Calls in progress are still answered. See [`Server::remove_tool`] and
    /// [`Server::remove_prompt`] for the errors.
    pub fn remove(&self) -> Result<()> {
        upgraded(&self.server)?.remove_named(self.family, &self.name).map(drop)
    }
}

impl fmt::Debug for NamedHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NamedHandle").field(&self.name).finish()
    }
}

fn upgraded(server: &Weak<ServerState>) -> Result<Server> {
    let inner = server.upgrade();
    inner.map(Server).ok_or_else(|| Error::new(ErrorKind::Closed, "the server is gone"))
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.registered_as).finish()
    }
}
