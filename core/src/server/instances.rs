//! Publishes changes to other instances of the same service, and takes changes that they published.

use super::Server;
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, is_object, members, string};
use crate::log::Severity;
use crate::model::{Descriptor, Json, Resource};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A change that the application announced.
pub(super) enum Announcement<'a> {
    Updated { uri: &'a str, said: Option<&'a Descriptor> },
    Below { uri: &'a str, parent: &'a str },
    Lists(&'a str),
    Access(&'a [u8]),
}

pub(super) type Publisher = dyn Fn(&str) + Send + Sync;

impl Server {
    /// Sets the callback that publishes each change announced on this instance, so that other instances of the service
    /// can notify their clients. It gets one JSON object as text; send it through a pub/sub system to their
    /// [`Server::inject`]. It runs on the thread that announced the change, with no lock held. Registering, removing
    /// and `set` change one instance only and are not published. Injected changes are not published again.
    ///
    /// The object has `origin`, the name of the instance, and `change`, one of four words. `updated` comes with
    /// `uri`, and with `resource` if [`Server::notify_updated_with_resource`] described it. `sub_resource_updated` comes
    /// with `uri` and `parent`. `lists` comes with `list`, a kind such as `resources`. `access` comes with `caller`, the
    /// id bytes as base64. A `resource` has the strings `name`, `title`, `kind` and `version` and the object `metadata`,
    /// each optional.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] if the server was closed.
    pub fn on_publish(&self, publish: impl Fn(&str) + Send + Sync + 'static) -> Result<()> {
        self.open()?;
        let publish: Arc<Publisher> = Arc::new(publish);
        self.0.publisher.with(|publisher, trash| trash.put(publisher.replace(publish)));
        Ok(())
    }

    /// Applies a change that another instance published, and notifies the clients of this one. Returns false for a
    /// change that this instance published itself, and for an unknown kind of change. Never blocks, and calls
    /// only the `wake` of groups.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for text that [`Server::on_publish`] does not make, [`ErrorKind::InvalidUri`],
    /// [`ErrorKind::Unknown`] for lists of a kind that this instance does not have, [`ErrorKind::Closed`].
    pub fn inject(&self, event: &str) -> Result<bool> {
        let event = Json::parse(event)?;
        let Some(origin) = text(event.raw(), "origin")? else { return Err(lacks("origin")) };
        if origin == self.0.origin {
            return Ok(false);
        }
        let wanted = |name: &'static str| text(event.raw(), name)?.ok_or_else(|| lacks(name));
        match &*wanted("change")? {
            "updated" => {
                let uri = wanted("uri")?;
                let said = member(event.raw(), "resource")?.map(descriptor).transpose()?;
                self.apply(&Announcement::Updated { uri: &uri, said: said.as_ref() })?;
            }
            "sub_resource_updated" => {
                self.apply(&Announcement::Below { uri: &wanted("uri")?, parent: &wanted("parent")? })?;
            }
            "lists" => self.apply(&Announcement::Lists(&wanted("list")?))?,
            "access" => {
                let caller = STANDARD.decode(wanted("caller")?).map_err(|e| {
                    Error::new(ErrorKind::InvalidArgument, format!("the event's caller is not base64: {e}"))
                })?;
                self.apply(&Announcement::Access(&caller))?;
            }
            _ => return Ok(false), // from a newer instance
        }
        Ok(true)
    }

    /// Applies a change here, then publishes it.
    pub(super) fn apply_and_publish(&self, change: &Announcement<'_>) -> Result<()> {
        self.apply(change)?;
        if let Some(publish) = self.0.publisher.with(|publisher, _| publisher.clone()) {
            let event = change.event(&self.0.origin);
            if catch_unwind(AssertUnwindSafe(|| publish(&event))).is_err() {
                self.log_line(
                    Severity::Error,
                    "on_publish panicked; clients of other instances are not notified of a change",
                );
            }
        }
        Ok(())
    }

    fn apply(&self, change: &Announcement<'_>) -> Result<()> {
        match change {
            Announcement::Updated { uri, said } => self.changed(uri, said.cloned()),
            Announcement::Below { uri, parent } => self.changed_below(uri, parent),
            Announcement::Lists(kind) => self.lists_changed(kind),
            Announcement::Access(caller) => self.judge_again(caller),
        }
    }
}

impl Announcement<'_> {
    fn event(&self, origin: &str) -> String {
        let mut out = Vec::new();
        let mut event = Object::begin(&mut out);
        event.string("origin", origin);
        match self {
            Announcement::Updated { uri, said } => {
                event.string("change", "updated").string("uri", uri);
                if let Some(said) = said {
                    write_descriptor(event.member("resource"), said);
                }
            }
            Announcement::Below { uri, parent } => {
                event.string("change", "sub_resource_updated").string("uri", uri).string("parent", parent);
            }
            Announcement::Lists(kind) => {
                event.string("change", "lists").string("list", kind);
            }
            Announcement::Access(caller) => {
                event.string("change", "access").string("caller", &STANDARD.encode(caller));
            }
        }
        event.end();
        String::from_utf8(out).expect("escaped text stays text")
    }
}

/// Writes the published description of a resource that changed.
fn write_descriptor(out: &mut Vec<u8>, said: &Descriptor) {
    let rare = said.rare.as_deref();
    let mut resource = Object::begin(out);
    for (name, value) in [
        ("name", said.name.as_deref()),
        ("title", said.title.as_deref()),
        ("kind", rare.and_then(|rare| rare.kind.as_deref())),
        ("version", rare.and_then(|rare| rare.version.as_deref())),
    ] {
        if let Some(value) = value {
            resource.string(name, value);
        }
    }
    if let Some(metadata) = rare.and_then(|rare| rare.metadata.as_ref()) {
        resource.raw("metadata", metadata.as_str());
    }
    resource.end();
}

fn descriptor(said: Raw<'_>) -> Result<Descriptor> {
    let mut resource = Resource::new("");
    if let Some(name) = text(said, "name")? {
        resource = resource.name(name);
    }
    if let Some(title) = text(said, "title")? {
        resource = resource.title(title);
    }
    if let Some(kind) = text(said, "kind")? {
        resource = resource.kind(kind);
    }
    if let Some(version) = text(said, "version")? {
        resource = resource.version(version);
    }
    if let Some(metadata) = member(said, "metadata")? {
        resource = resource.metadata(Json::parse(metadata.get())?);
    }
    Ok(resource.descriptor)
}

fn member<'a>(object: Raw<'a>, name: &str) -> Result<Option<Raw<'a>>> {
    if !is_object(object) {
        return Err(Error::new(ErrorKind::InvalidArgument, "the event's resource is not an object"));
    }
    members(object, &[name])
        .map(|[member]| member)
        .map_err(|duplicate| Error::new(ErrorKind::InvalidArgument, format!("in the event {duplicate}")))
}

fn text(object: Raw<'_>, name: &'static str) -> Result<Option<String>> {
    let Some(value) = member(object, name)? else { return Ok(None) };
    let Some(text) = string(value) else {
        let message = format!("the event's {name} is not a string");
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    };
    Ok(Some(text.into()))
}

fn lacks(name: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("not an event: it has no {name}"))
}
