//! The entries of the catalog: registrations with callbacks, and fixed resources.

use super::app::{doubtful, other_type};
use super::named::Named;
use crate::model::{APP_TYPE, Borrowed, Contents, Descriptor};
use crate::provider::{Provider, TemplateCallbacks};
use crate::revision::Revision;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::uri::{Captures, Value};
use crate::wire::{Defaults, write_resource};
use std::sync::Arc;

/// The id of a registration that has callbacks. Bindings find their functions by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandlerId(pub(super) u64);

impl HandlerId {
    /// Returns the id as a number, which is unique in its server.
    pub fn number(self) -> u64 {
        self.0
    }
}

/// A registration with callbacks.
pub(crate) struct Handler {
    pub(crate) id: HandlerId,
    /// The URI, the template, or the name of the list source.
    pub(crate) name: Box<str>,
    pub(crate) descriptor: Descriptor,
    /// True if the descriptor is that of one resource, false if it is that of a template.
    pub(super) own: bool,
    /// True if the resource changed after its registration, so that its version is unknown. A newer handler has the new
    /// version.
    pub(super) outdated: AtomicBool,
    /// True if the log has a warning that the callback does not find this resource.
    pub(super) missing: AtomicBool,
    /// True if the log has a warning that clients may refuse the page of this app.
    pub(super) doubted: AtomicBool,
    pub(super) raw_values: bool,
    /// Further templates with these callbacks, which are not listed.
    pub(super) also: Vec<String>,
    /// True if the template lists every URI that begins with its literal prefix.
    pub(super) whole: bool,
    pub(crate) callbacks: TemplateCallbacks,
    pub(crate) variables: Vec<Box<str>>,
    /// The tool of a template, if resources are offered as tools.
    pub(super) tool: Option<Arc<Named>>,
    pub(crate) provider: Option<Arc<dyn Provider>>,
}

impl Handler {
    /// Makes a handler with default settings.
    pub(super) fn new(id: HandlerId, name: impl Into<Box<str>>, provider: Option<Arc<dyn Provider>>) -> Self {
        Handler {
            id,
            name: name.into(),
            descriptor: Descriptor::default(),
            own: false,
            outdated: AtomicBool::new(false),
            missing: AtomicBool::new(false),
            doubted: AtomicBool::new(false),
            raw_values: false,
            also: Vec::new(),
            whole: false,
            callbacks: TemplateCallbacks::default(),
            variables: Vec::new(),
            tool: None,
            provider,
        }
    }

    pub(crate) fn is_of_resource(&self) -> bool {
        self.own
    }

    /// Returns true if this is a fixed resource whose callback returns "not found" for the first time. The callback has
    /// probably forgotten to return its answer.
    pub(crate) fn is_first_missing(&self) -> bool {
        self.own && !self.missing.swap(true, Ordering::Relaxed)
    }

    /// Returns a line for the log if this is an app and its callback returns another MIME type, or a page that clients
    /// may refuse, for the first time.
    pub(crate) fn first_doubt(&self, contents: &[Borrowed<'_>]) -> Option<String> {
        if self.descriptor.mime_type.as_deref() != Some(APP_TYPE) || self.doubted.load(Ordering::Relaxed) {
            return None;
        }
        let page = Borrowed::main(contents, &self.name)?;
        let line = other_type(&self.name, page.contents)
            .filter(|_| self.own)
            .or_else(|| doubtful(&self.name, page.source.as_bytes()))?;
        (!self.doubted.swap(true, Ordering::Relaxed)).then_some(line)
    }

    /// Returns the texts of all its templates, its name first.
    pub(super) fn templates(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.name).chain(self.also.iter().map(String::as_str))
    }

    /// Returns whether a template of this text is listed.
    pub(crate) fn is_listed(&self, text: &str) -> bool {
        *self.name == *text
    }

    pub(crate) fn defaults<'a>(&'a self, uri: &'a str) -> Defaults<'a> {
        Defaults { uri, descriptor: &self.descriptor, own: self.own, version: self.version() }
    }

    /// Returns the registered version; `None` if there is none, or if the resource has changed since.
    pub(crate) fn version(&self) -> Option<&str> {
        self.descriptor.version().filter(|_| !self.outdated.load(Ordering::Acquire))
    }

    /// Returns this registration for a resource that changed and has the given version now.
    pub(super) fn changed(&self, version: Option<Box<str>>) -> Handler {
        self.outdated.store(true, Ordering::Release);
        let mut descriptor = self.descriptor.clone();
        descriptor.set_version(version);
        Handler {
            descriptor,
            own: self.own,
            missing: AtomicBool::new(self.missing.load(Ordering::Relaxed)),
            doubted: AtomicBool::new(self.doubted.load(Ordering::Relaxed)),
            raw_values: self.raw_values,
            also: self.also.clone(),
            whole: self.whole,
            callbacks: self.callbacks.clone(),
            variables: self.variables.clone(),
            ..Handler::new(self.id, self.name.clone(), self.provider.clone())
        }
    }
}

/// The values of a template's variables in one URI.
pub(crate) struct Vars {
    pub(super) captures: Option<Captures>,
}

impl Vars {
    pub(super) const NONE: Vars = Vars { captures: None };

    pub(crate) fn is_of_template(&self) -> bool {
        self.captures.is_some()
    }

    pub(crate) fn get<'a>(&'a self, handler: &Handler, name: &str) -> Option<&'a Value> {
        let at = handler.variables.iter().position(|variable| **variable == *name)?;
        self.captures.as_ref()?.get(at)
    }

    pub(crate) fn raw<'a>(&'a self, handler: &Handler, name: &str) -> Option<&'a Value> {
        let at = handler.variables.iter().position(|variable| **variable == *name)?;
        self.captures.as_ref()?.raw(at)
    }

    pub(crate) fn iter<'a>(&'a self, handler: &'a Handler) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let captures = self.captures.as_ref();
        handler.variables.iter().enumerate().filter_map(move |(at, name)| Some((&**name, captures?.get(at)?)))
    }
}

/// A resource with a URI of its own.
pub(crate) struct Fixed {
    pub(crate) uri: Arc<str>,
    /// The JSON of the resource in lists of the newest revision.
    pub(crate) rendered: Box<[u8]>,
    pub(crate) content: Content,
}

#[allow(clippy::large_enum_variant, reason = "the large one is the common one, and stands in an Arc")]
pub(crate) enum Content {
    /// A fixed text or bytes. Contents and version are one value, so that no reader sees one without the other.
    Value {
        descriptor: Descriptor,
        contents: [Contents; 1],
    },
    Call(Arc<Handler>),
}

impl Fixed {
    pub(super) fn new(uri: Arc<str>, content: Content) -> Fixed {
        let mut rendered = Vec::new();
        let mut fixed = Fixed { uri, rendered: Box::default(), content };
        write_resource(&mut rendered, Revision::newest(), &fixed.uri, &fixed.descriptor().view());
        fixed.rendered = rendered.into();
        fixed
    }

    pub(crate) fn descriptor(&self) -> &Descriptor {
        match &self.content {
            Content::Value { descriptor, .. } => descriptor,
            Content::Call(handler) => &handler.descriptor,
        }
    }

    pub(crate) fn defaults<'a>(&'a self, uri: &'a str) -> Defaults<'a> {
        let descriptor = self.descriptor();
        Defaults { uri, descriptor, own: true, version: descriptor.version() }
    }

    /// Returns this resource with new content.
    pub(super) fn changed(&self, content: Content) -> Fixed {
        // No revision lists a version, so the rendered entry stays right.
        Fixed { uri: self.uri.clone(), rendered: self.rendered.clone(), content }
    }
}
