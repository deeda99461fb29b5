//! Registration, and finding what serves a URI.

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Body, Contents, Descriptor, Resource, Template};
use crate::provider::Provider;
use crate::revision::Revision;
use crate::uri::{Captures, Conflict, Router, TemplateError, UriTemplate, Value, check_uri};
use crate::wire::{Defaults, write_resource};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names a registration that has callbacks. A binding finds its callables by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandlerId(u64);

impl HandlerId {
    /// A number that is unique in its server.
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
    /// The descriptor is that of the resource itself, not of a template.
    own: bool,
    raw_values: bool,
    /// Further templates that lead here, unlisted.
    also: Vec<String>,
    pub(crate) variables: Vec<Box<str>>,
    pub(crate) provider: Option<Arc<dyn Provider>>,
}

impl Handler {
    pub(crate) fn is_of_resource(&self) -> bool {
        self.own
    }

    /// The texts that the router knows it by, its name first.
    fn templates(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.name).chain(self.also.iter().map(String::as_str))
    }

    /// Whether a template of this text is listed.
    pub(crate) fn is_listed(&self, text: &str) -> bool {
        *self.name == *text
    }

    pub(crate) fn defaults<'a>(&'a self, uri: &'a str) -> Defaults<'a> {
        Defaults { uri, descriptor: &self.descriptor, own: self.own }
    }
}

/// The values of a template's variables in one URI.
pub(crate) struct Vars {
    captures: Option<Captures>,
}

impl Vars {
    const NONE: Vars = Vars { captures: None };

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
    /// As the newest revision lists it.
    pub(crate) rendered: Box<[u8]>,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Value { descriptor: Descriptor, contents: [Contents; 1] },
    Call(Arc<Handler>),
}

impl Fixed {
    fn new(uri: Arc<str>, content: Content) -> Fixed {
        let mut rendered = Vec::new();
        let mut fixed = Fixed { uri, rendered: Box::default(), content };
        write_resource(&mut rendered, &Revision::all()[0], &fixed.uri, &fixed.descriptor().view());
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
        Defaults { uri, descriptor: self.descriptor(), own: true }
    }
}

/// What serves a URI.
pub(crate) enum Found {
    Value(Arc<Fixed>),
    Call {
        handler: Arc<Handler>,
        vars: Vars,
    },
    Nothing,
    /// Not an absolute URI.
    Invalid,
}

/// Everything registered with a server.
#[derive(Default)]
pub(crate) struct Catalog {
    pub(crate) fixed: BTreeMap<Arc<str>, Arc<Fixed>>,
    pub(crate) templates: Router<Arc<Handler>>,
    /// In the order of their registration.
    pub(crate) sources: Vec<Arc<Handler>>,
    fallback: Option<Arc<Handler>>,
    handlers: u64,
    unnamed: usize,
}

impl Catalog {
    fn mint(&mut self) -> HandlerId {
        self.handlers += 1;
        HandlerId(self.handlers)
    }

    fn check_new(&self, resource: &Resource) -> Result<()> {
        check_uri(&resource.uri).map_err(|e| {
            let message = format!("\"{}\" is not an absolute URI: {e}", resource.uri);
            Error::new(ErrorKind::InvalidUri, message)
        })?;
        resource.descriptor.check()?;
        if self.fixed.contains_key(&*resource.uri) {
            let message =
                format!("\"{}\" is registered already; set its contents, or remove it first", resource.uri);
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        Ok(())
    }

    pub(crate) fn add_value(&mut self, resource: Resource, body: Body) -> Result<Arc<str>> {
        self.check_new(&resource)?;
        let uri: Arc<str> = resource.uri.into();
        let content = Content::Value { descriptor: resource.descriptor, contents: [Contents::new(body)] };
        self.fixed.insert(uri.clone(), Arc::new(Fixed::new(uri.clone(), content)));
        Ok(uri)
    }

    /// Replaces a fixed value; returns the old one, to be dropped without a lock.
    pub(crate) fn set_value(&mut self, uri: &str, body: Body) -> Result<Arc<Fixed>> {
        let Some(fixed) = self.fixed.get_mut(uri) else { return Err(unknown(uri)) };
        let Content::Value { descriptor, .. } = &fixed.content else {
            let message = format!("\"{uri}\" is answered by a callback and has no value to set");
            return Err(Error::new(ErrorKind::Unknown, message));
        };
        let content = Content::Value { descriptor: descriptor.clone(), contents: [Contents::new(body)] };
        let next = Fixed { uri: fixed.uri.clone(), rendered: fixed.rendered.clone(), content };
        Ok(std::mem::replace(fixed, Arc::new(next)))
    }

    pub(crate) fn add_resource(
        &mut self,
        resource: Resource,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        self.check_new(&resource)?;
        let id = self.mint();
        let uri: Arc<str> = resource.uri.clone().into();
        let handler = Arc::new(Handler {
            id,
            name: resource.uri.into(),
            descriptor: resource.descriptor,
            own: true,
            raw_values: false,
            also: Vec::new(),
            variables: Vec::new(),
            provider,
        });
        self.fixed.insert(uri.clone(), Arc::new(Fixed::new(uri, Content::Call(handler))));
        Ok(id)
    }

    /// Also tells whether the template is of the kind that probably should have been greedy (WIRE U-47).
    pub(crate) fn add_template(
        &mut self,
        template: Template,
        provider: Option<Arc<dyn Provider>>,
        lists: bool,
    ) -> Result<(HandlerId, bool)> {
        let text = template.uri_template;
        let compiled = UriTemplate::parse(&text).map_err(|e| invalid_template(&text, &e))?;
        template.descriptor.check()?;
        if lists && self.sources.iter().any(|source| *source.name == *text) {
            return Err(source_exists(&text));
        }
        let suspicious = compiled.probably_meant_greedy();
        let also =
            template.also.iter().map(|text| UriTemplate::parse(text).map_err(|e| invalid_template(text, &e)));
        let also = also.collect::<Result<Vec<_>>>()?;
        let id = HandlerId(self.handlers + 1);
        let handler = Arc::new(Handler {
            id,
            name: text.into(),
            descriptor: template.descriptor,
            own: false,
            raw_values: template.raw_values,
            also: template.also,
            variables: compiled.variables().iter().map(|variable| variable.name.clone()).collect(),
            provider,
        });
        for (done, compiled) in std::iter::once(compiled).chain(also).enumerate() {
            if let Err(conflict) = self.templates.insert(compiled, handler.clone()) {
                for text in handler.templates().take(done) {
                    self.templates.remove(text);
                }
                let kind = match conflict {
                    Conflict::Duplicate { .. } => ErrorKind::Duplicate,
                    Conflict::Ambiguous { .. } => ErrorKind::Ambiguous,
                };
                return Err(Error::new(kind, conflict.to_string()));
            }
        }
        self.handlers += 1;
        if lists {
            self.sources.push(handler);
        }
        Ok((id, suspicious))
    }

    pub(crate) fn add_source(
        &mut self,
        name: Option<String>,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        let name: Box<str> = match name {
            Some(name) if name.is_empty() => {
                return Err(Error::new(
                    ErrorKind::InvalidArgument,
                    "a list source needs a name, or none to be numbered",
                ));
            }
            Some(name) => name.into(),
            None => {
                self.unnamed += 1;
                self.unnamed.to_string().into()
            }
        };
        if self.sources.iter().any(|source| source.name == name) {
            return Err(source_exists(&name));
        }
        let id = self.mint();
        self.sources.push(Arc::new(Handler {
            id,
            name,
            descriptor: Descriptor::default(),
            own: false,
            raw_values: false,
            also: Vec::new(),
            variables: Vec::new(),
            provider,
        }));
        Ok(id)
    }

    /// Sets the reader of last resort; returns the one before.
    pub(crate) fn set_fallback(
        &mut self,
        provider: Option<Arc<dyn Provider>>,
    ) -> (HandlerId, Option<Arc<Handler>>) {
        let id = self.mint();
        let handler = Handler {
            id,
            name: "the fallback".into(),
            descriptor: Descriptor::default(),
            own: false,
            raw_values: false,
            also: Vec::new(),
            variables: Vec::new(),
            provider,
        };
        (id, self.fallback.replace(Arc::new(handler)))
    }

    /// Removes a fixed resource by its URI, a template by its text, or a list source by its name, in that order.
    /// Returns what was removed, to be dropped without a lock.
    pub(crate) fn remove(&mut self, name: &str) -> Result<Removed> {
        if let Some(fixed) = self.fixed.remove(name) {
            let handler = match &fixed.content {
                Content::Call(handler) => Some(handler.id),
                Content::Value { .. } => None,
            };
            return Ok(Removed { handler, _fixed: Some(fixed), _handlers: Vec::new() });
        }
        let template = self.templates.remove(name);
        for text in template.iter().flat_map(|handler| handler.templates()) {
            self.templates.remove(text);
        }
        // A template's own source goes with it; another one of that name stays.
        let source = self.sources.iter().position(|source| {
            *source.name == *name && template.as_ref().is_none_or(|template| template.id == source.id)
        });
        let handlers: Vec<_> = template.into_iter().chain(source.map(|at| self.sources.remove(at))).collect();
        match handlers.first() {
            Some(handler) => Ok(Removed { handler: Some(handler.id), _fixed: None, _handlers: handlers }),
            None => Err(unknown(name)),
        }
    }

    /// What serves `uri`: a fixed resource, else the most specific template, else the fallback.
    pub(crate) fn find(&self, uri: &str) -> Found {
        if let Some(fixed) = self.fixed.get(uri) {
            return match &fixed.content {
                Content::Value { .. } => Found::Value(fixed.clone()),
                Content::Call(handler) => Found::Call { handler: handler.clone(), vars: Vars::NONE },
            };
        }
        if check_uri(uri).is_err() {
            return Found::Invalid;
        }
        if let Some((_, handler, captures)) = self.templates.find(uri) {
            if !handler.raw_values && !captures.is_safe() {
                return Found::Nothing;
            }
            return Found::Call { handler: handler.clone(), vars: Vars { captures: Some(captures) } };
        }
        match &self.fallback {
            Some(handler) => Found::Call { handler: handler.clone(), vars: Vars::NONE },
            None => Found::Nothing,
        }
    }

    /// The title that is registered for exactly this URI.
    pub(crate) fn title(&self, uri: &str) -> Option<Arc<str>> {
        self.fixed.get(uri)?.descriptor().title.as_deref().map(Arc::from)
    }
}

/// What a removal took out of the catalog.
pub(crate) struct Removed {
    pub(crate) handler: Option<HandlerId>,
    _fixed: Option<Arc<Fixed>>,
    _handlers: Vec<Arc<Handler>>,
}

fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::Unknown, format!("nothing is registered as \"{name}\""))
}

fn invalid_template(text: &str, e: &TemplateError) -> Error {
    Error::new(ErrorKind::InvalidTemplate, format!("\"{text}\": {e}"))
}

fn source_exists(name: &str) -> Error {
    Error::new(ErrorKind::Duplicate, format!("a list source named \"{name}\" is registered already"))
}
