//! Stores registrations, and finds the one that serves a URI.

use super::capabilities::Declared;
use super::completing::check_completers;
use super::entries::{Content, Fixed, Handler, HandlerId, Vars};
use super::extensions::Extensions;
use super::methods::{MethodFn, MethodHandler, Methods};
use super::named::{Named, NamedSet};
use super::near_misses::Capitals;
use super::ordered::Ordered;
use super::resource_tools::ResourceTools;
use super::sources::Sources;
use super::template::{FolderKind, Template};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Body, Contents, Family, Method, Resource};
use crate::provider::Provider;
use crate::revision::Revision;
use crate::uri::{Conflict, Router, TemplateError, UriTemplate, check_uri};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The result of looking for the registration that serves a URI.
pub(crate) enum Found {
    Value(Arc<Fixed>),
    Call {
        handler: Arc<Handler>,
        vars: Vars,
    },
    Nothing,
    /// The text is not an absolute URI.
    Invalid,
}

/// A template that was registered.
pub(crate) struct AddedTemplate {
    pub(crate) id: HandlerId,
    /// True if the template has `{path}` where `{+path}` was probably meant (`rows.tsv` U-47).
    pub(crate) probably_greedy: bool,
}

/// Everything registered with a server.
#[derive(Default)]
pub(crate) struct Catalog {
    pub(crate) fixed: Ordered<Fixed>,
    pub(crate) templates: Router<Arc<Handler>>,
    /// The templates in the order in which they are listed.
    pub(crate) listed_templates: Ordered<Handler>,
    pub(crate) sources: Sources,
    pub(super) capitals: Capitals,
    fallback: Option<Arc<Handler>>,
    pub(super) methods: Methods,
    pub(super) tools: Option<NamedSet>,
    pub(super) prompts: Option<NamedSet>,
    pub(super) resource_tools: Option<ResourceTools>,
    /// The callback of the application that searches resources.
    pub(super) search: Option<Arc<MethodHandler>>,
    /// The search of folders, which stays when they are removed.
    pub(super) folder_search: Option<Arc<MethodHandler>>,
    /// The completers of prompts, by the prompt's name.
    pub(super) prompt_completers: BTreeMap<Box<str>, Arc<Handler>>,
    pub(super) declared: Declared,
    pub(crate) extensions: Extensions,
    handlers: u64,
    /// The number of variables with a completer.
    pub(super) completers: usize,
    /// The number of changes of resources so far, which numbers the next change.
    pub(super) changes: u64,
}

impl Catalog {
    pub(super) fn mint(&mut self) -> HandlerId {
        self.handlers += 1;
        HandlerId(self.handlers)
    }

    fn check_new(&self, resource: &Resource) -> Result<()> {
        check_uri(&resource.uri).map_err(|e| {
            let message = format!("\"{}\": {e}", resource.uri);
            Error::new(ErrorKind::InvalidUri, message)
        })?;
        resource.descriptor.check()?;
        if self.fixed.has(&resource.uri) {
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
        let number = self.mint().0;
        self.capitals.add_fixed(&uri);
        self.fixed.add(uri.clone(), number, Arc::new(Fixed::new(uri.clone(), content)));
        Ok(uri)
    }

    pub(crate) fn add_resource(
        &mut self,
        resource: Resource,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        self.check_new(&resource)?;
        let id = self.mint();
        let uri: Arc<str> = resource.uri.clone().into();
        let descriptor = resource.descriptor;
        let handler = Arc::new(Handler { descriptor, own: true, ..Handler::new(id, resource.uri, provider) });
        self.capitals.add_fixed(&uri);
        self.fixed.add(uri.clone(), id.0, Arc::new(Fixed::new(uri, Content::Call(handler))));
        Ok(id)
    }

    pub(crate) fn add_template(
        &mut self,
        template: Template,
        provider: Option<Arc<dyn Provider>>,
        lists: bool,
        tool: Option<Arc<Named>>,
    ) -> Result<AddedTemplate> {
        let text = template.uri_template;
        let compiled = UriTemplate::parse(&text).map_err(|e| invalid_template(&text, &e))?;
        template.descriptor.check()?;
        if lists {
            self.sources.check_new(&text)?;
        }
        check_completers(&text, &compiled, &template.callbacks)?;
        if template.whole {
            self.check_whole(&compiled)?;
        }
        let probably_greedy = compiled.probably_meant_greedy();
        let also =
            template.also.iter().map(|text| UriTemplate::parse(text).map_err(|e| invalid_template(text, &e)));
        let also = also.collect::<Result<Vec<_>>>()?;
        let id = HandlerId(self.handlers + 1);
        let handler = Arc::new(Handler {
            descriptor: template.descriptor,
            raw_values: template.raw_values,
            also: template.also,
            whole: template.whole,
            callbacks: template.callbacks,
            variables: compiled.variables().iter().map(|variable| variable.name.clone()).collect(),
            tool,
            ..Handler::new(id, text, provider)
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
        self.completers += handler.callbacks.completed().count();
        self.capitals.add_template(&handler.name);
        self.listed_templates.add((*handler.name).into(), id.0, handler.clone());
        if let Some(kind) = template.folder {
            self.sources.add_folder(handler.clone(), kind);
            if kind == FolderKind::Skills {
                self.declare_skills();
            }
        }
        if lists {
            self.sources.add(handler);
        }
        Ok(AddedTemplate { id, probably_greedy })
    }

    /// Refuses a template that serves URIs which another template lists already.
    fn check_whole(&self, template: &UriTemplate) -> Result<()> {
        let contains = |a: &UriTemplate, b: &UriTemplate| b.literal_prefix().starts_with(a.literal_prefix());
        let wholes =
            self.templates.iter().filter(|(t, handler)| handler.whole && handler.is_listed(t.as_str()));
        for (other, _) in wholes {
            let (outer, inner) =
                if contains(other, template) { (other, template) } else { (template, other) };
            if contains(outer, inner) && outer.as_str() != inner.as_str() {
                let message = format!("\"{}\" lists all of \"{}\" already", outer.as_str(), inner.as_str());
                return Err(Error::new(ErrorKind::Duplicate, message));
            }
        }
        Ok(())
    }

    pub(crate) fn add_source(
        &mut self,
        name: Option<String>,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        let name = self.sources.name(name)?;
        let id = self.mint();
        self.sources.add(Arc::new(Handler::new(id, name, provider)));
        Ok(id)
    }

    pub(crate) fn add_skill_source(
        &mut self,
        name: Option<String>,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        let name = self.sources.name(name)?;
        let id = self.mint();
        self.sources.add_skills(Arc::new(Handler::new(id, name, provider)));
        self.declare_skills();
        Ok(id)
    }

    pub(crate) fn add_method(&mut self, method: Method, run: Option<Arc<MethodFn>>) -> Result<HandlerId> {
        let named = |family: &Family| [family.lists(), family.calls()].contains(&&*method.name);
        if let Some(family) = Family::ALL.into_iter().find(|f| named(f) && self.offers(*f)) {
            let message =
                format!("\"{}\" is served for each {} that is registered", method.name, family.word());
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        let id = self.mint();
        self.methods.add(id, method, run).map(|handler| handler.id)
    }

    pub(crate) fn method(&self, name: &str, revision: Revision) -> Option<Arc<MethodHandler>> {
        self.methods.find(name, revision)
    }

    /// Sets the fallback, and returns the former one.
    pub(crate) fn set_fallback(
        &mut self,
        provider: Option<Arc<dyn Provider>>,
    ) -> (HandlerId, Option<Arc<Handler>>) {
        let id = self.mint();
        let handler = Handler::new(id, "the fallback", provider);
        (id, self.fallback.replace(Arc::new(handler)))
    }

    /// Removes a fixed resource by its URI, or a template by its text, with its list. Returns the removed entries, to be
    /// dropped without a lock.
    pub(crate) fn remove_resource(&mut self, uri_or_template: &str) -> Result<Removed> {
        if let Some(fixed) = self.fixed.remove(uri_or_template) {
            self.capitals.remove(uri_or_template);
            let handler = match &fixed.content {
                Content::Call(handler) => Some(handler.id),
                Content::Value { .. } => None,
            };
            return Ok(Removed { handler, _fixed: Some(fixed), ..Removed::default() });
        }
        let template = self.templates.remove(uri_or_template).ok_or_else(|| unknown(uri_or_template))?;
        self.capitals.remove(&template.name);
        self.listed_templates.remove(&template.name);
        for text in template.templates() {
            self.templates.remove(text);
        }
        self.completers -= template.callbacks.completed().count();
        let list = self.sources.remove_template(template.id);
        let handler = Some(template.id);
        Ok(Removed { handler, _handlers: list.into_iter().chain([template]).collect(), ..Removed::default() })
    }

    /// Removes a list source by its name. The list of a template stays. Returns the removed entry, to be dropped
    /// without a lock.
    pub(crate) fn remove_list(&mut self, name: &str) -> Result<Removed> {
        let template = self.templates.get(name).map(|template| template.id);
        let source = self.sources.remove(name, template).ok_or_else(|| {
            Error::new(ErrorKind::Unknown, format!("no list source is registered as \"{name}\""))
        })?;
        Ok(Removed { handler: Some(source.id), _handlers: vec![source], ..Removed::default() })
    }

    /// Removes a method by its name. Returns the removed entry, to be dropped without a lock.
    pub(crate) fn remove_method(&mut self, name: &str) -> Result<Removed> {
        let method = self.methods.remove(name).ok_or_else(|| {
            Error::new(ErrorKind::Unknown, format!("no method is registered as \"{name}\""))
        })?;
        Ok(Removed { handler: Some(method.id), _method: Some(method), ..Removed::default() })
    }

    /// Finds the registration that serves `uri`: a fixed resource, else the most specific template, else the
    /// fallback.
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
}

/// The entries that a removal took out of the catalog.
#[derive(Default)]
pub(crate) struct Removed {
    pub(crate) handler: Option<HandlerId>,
    _method: Option<Arc<MethodHandler>>,
    _fixed: Option<Arc<Fixed>>,
    _handlers: Vec<Arc<Handler>>,
}

pub(super) fn unknown(name: &str) -> Error {
    Error::new(ErrorKind::Unknown, format!("nothing is registered as \"{name}\""))
}

fn invalid_template(text: &str, e: &TemplateError) -> Error {
    Error::new(ErrorKind::InvalidTemplate, format!("\"{text}\": {e}"))
}
