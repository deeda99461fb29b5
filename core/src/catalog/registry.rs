//! Stores registrations, and finds the one that serves a URI.

use super::completing::check_completers;
use super::definition::Definition;
use super::entries::{Content, Fixed, Handler, HandlerId, Vars};
use super::extensions::Extensions;
use super::methods::{MethodFn, MethodHandler, Methods};
use super::named::{Availability, Named, NamedSet};
use super::near::Capitals;
use super::ordered::Ordered;
use super::pages::Listing;
use super::resource_tools::ResourceTools;
use super::template::{FolderKind, Template};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::for_each_member;
use crate::jsonrpc::write::Object;
use crate::model::{Body, Contents, Descriptor, Family, Json, Method, Resource};
use crate::provider::Provider;
use crate::revision::{COMPLETIONS, EXTENSIONS, Era, Revision, SKILLS};
use crate::uri::{Conflict, Router, TemplateError, UriTemplate, check_uri};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The registration that serves a URI.
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

/// Everything registered with a server.
#[derive(Default)]
pub(crate) struct Catalog {
    pub(crate) fixed: Ordered<Fixed>,
    pub(crate) templates: Router<Arc<Handler>>,
    /// Single registrations in the order in which they are listed.
    pub(crate) listed_templates: Ordered<Handler>,
    /// List sources in the order of their registration.
    sources: Vec<Arc<Handler>>,
    /// List sources of skills.
    skill_sources: Vec<Arc<Handler>>,
    /// Templates whose directories can be read.
    directories: Vec<Arc<Handler>>,
    /// Skills were offered; they stay declared.
    has_skills: bool,
    pub(super) capitals: Capitals,
    fallback: Option<Arc<Handler>>,
    methods: Methods,
    tools: Option<NamedSet>,
    prompts: Option<NamedSet>,
    pub(super) resource_tools: Option<ResourceTools>,
    /// The callback of the application that searches resources.
    pub(crate) search: Option<Arc<MethodHandler>>,
    /// By the prompt's name.
    pub(super) prompt_completers: BTreeMap<Box<str>, Arc<Handler>>,
    /// Default settings of the capabilities of tools and prompts.
    of_named: Json,
    /// Capabilities other than those for resources, as the application declared them.
    declared: BTreeMap<String, Json>,
    pub(crate) extensions: Extensions,
    handlers: u64,
    unnamed: usize,
    /// Number of variables with a completer.
    pub(super) completers: usize,
    /// Numbers every change of a resource, in the order in which the catalog learns of them.
    changes: u64,
}

/// A change of a resource, for notifications of its subscribers.
pub(crate) struct Change {
    /// Its place in the order of changes.
    pub(crate) sequence: u64,
    /// The application's description of the resource after the change, or else the registration's.
    pub(crate) descriptor: Option<Arc<Descriptor>>,
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

    /// Replaces a fixed value and its version. Also returns the old one, to be dropped without a lock.
    pub(crate) fn set_value(&mut self, uri: &str, mut contents: Contents) -> Result<(Change, Arc<Fixed>)> {
        let Some(fixed) = self.fixed.get(uri) else { return Err(unknown(uri)) };
        let Content::Value { descriptor, .. } = &fixed.content else {
            let message = format!("\"{uri}\" is answered by a callback and has no value to set");
            return Err(Error::new(ErrorKind::Unknown, message));
        };
        let mut descriptor = descriptor.clone();
        descriptor.set_version(contents.take_version());
        let shown = Arc::new(descriptor.clone());
        let next = fixed.changed(Content::Value { descriptor, contents: [contents] });
        let old = self.fixed.replace(uri, Arc::new(next)).ok_or_else(|| unknown(uri))?;
        self.changes += 1;
        Ok((Change { sequence: self.changes, descriptor: Some(shown) }, old))
    }

    /// Stores that a resource changed: its registration has the given version from now on, or none. Also returns
    /// the replaced registration, to be dropped without a lock.
    pub(crate) fn changed(&mut self, uri: &str, said: Option<Descriptor>) -> (Change, Option<Arc<Fixed>>) {
        self.changes += 1;
        let mut old = None;
        let mut registered = None;
        if let Some(fixed) = self.fixed.get(uri) {
            let version = said.as_ref().and_then(Descriptor::version);
            if version != fixed.descriptor().version() {
                let content = match &fixed.content {
                    Content::Value { descriptor, contents } => {
                        let mut descriptor = descriptor.clone();
                        descriptor.set_version(version.map(Into::into));
                        Content::Value { descriptor, contents: contents.clone() }
                    }
                    Content::Call(handler) => {
                        Content::Call(Arc::new(handler.changed(version.map(Into::into))))
                    }
                };
                let next = fixed.changed(content);
                old = self.fixed.replace(uri, Arc::new(next));
            }
        }
        if said.is_none() {
            registered = self.fixed.get(uri).map(|fixed| fixed.descriptor().clone());
        }
        let descriptor = said.or(registered).map(Arc::new);
        (Change { sequence: self.changes, descriptor }, old)
    }

    /// Numbers a change that leaves the version as it is.
    pub(crate) fn changed_below(&mut self, uri: &str) -> Change {
        self.changes += 1;
        let registered = self.fixed.get(uri).map(|fixed| Arc::new(fixed.descriptor().clone()));
        Change { sequence: self.changes, descriptor: registered }
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

    /// Also returns whether the template should probably be greedy (`rows.tsv` U-47).
    pub(crate) fn add_template(
        &mut self,
        template: Template,
        provider: Option<Arc<dyn Provider>>,
        lists: bool,
        tool: Option<Arc<Named>>,
    ) -> Result<(HandlerId, bool)> {
        let text = template.uri_template;
        let compiled = UriTemplate::parse(&text).map_err(|e| invalid_template(&text, &e))?;
        template.descriptor.check()?;
        if lists && self.sources.iter().any(|source| *source.name == *text) {
            return Err(source_exists(&text));
        }
        check_completers(&text, &compiled, &template.callbacks)?;
        if template.whole {
            self.check_whole(&compiled)?;
        }
        let suspicious = compiled.probably_meant_greedy();
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
        if template.folder.is_some() {
            self.directories.push(handler.clone());
        }
        if template.folder == Some(FolderKind::Skills) {
            self.skill_sources.push(handler.clone());
            self.has_skills = true;
            let settings = Json::written(self.skill_settings().as_bytes().to_vec());
            self.extensions.begin_use(SKILLS, settings);
        }
        if lists {
            self.sources.push(handler);
        }
        Ok((id, suspicious))
    }

    /// Returns the sources that a list of this kind asks.
    pub(super) fn sources(&self, listing: Listing) -> &[Arc<Handler>] {
        match listing {
            Listing::Skills | Listing::Skill => &self.skill_sources,
            Listing::Directory => &self.directories,
            _ => &self.sources,
        }
    }

    /// Returns the registration that lists the directory at `uri`.
    pub(super) fn directory(&self, uri: &str) -> Option<Arc<Handler>> {
        match self.find(uri) {
            Found::Call { handler, .. } => {
                self.directories.iter().find(|other| other.id == handler.id).cloned()
            }
            Found::Value(_) | Found::Nothing | Found::Invalid => None,
        }
    }

    /// Returns whether skills were ever offered.
    pub(crate) fn has_skills(&self) -> bool {
        self.has_skills
    }

    /// Returns whether every directory of the skills can be read: those of callbacks cannot.
    pub(crate) fn reads_directories(&self) -> bool {
        self.skill_sources.iter().all(|source| self.directories.iter().any(|other| other.id == source.id))
    }

    /// Refuses a resource that would then be listed twice.
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
        self.sources.push(Arc::new(Handler::new(id, name, provider)));
        Ok(id)
    }

    pub(crate) fn declare(&mut self, capabilities: BTreeMap<String, Json>) {
        self.declared = capabilities;
    }

    pub(crate) fn declare_extensions(&mut self, extensions: BTreeMap<String, Json>) {
        self.extensions.declare(extensions);
    }

    /// Declares that clients are notified when tools or prompts are added or removed.
    pub(crate) fn declare_list_changes(&mut self) {
        self.of_named = Json::list_changed();
    }

    /// Returns the capabilities other than those for resources.
    pub(crate) fn capabilities(&self) -> Vec<(String, Json)> {
        let mut declared = self.declared.clone();
        for family in Family::ALL.into_iter().filter(|family| self.offers(*family)) {
            declared.entry(family.capability().to_owned()).or_insert_with(|| self.of_named.clone());
        }
        let mut all = self.methods.capabilities(declared);
        if self.completes() {
            all.insert(0, (COMPLETIONS.to_owned(), Json::empty()));
        }
        all.extend(self.extensions.capability().map(|extensions| (EXTENSIONS.to_owned(), extensions)));
        all
    }

    /// Returns the capabilities that a client of this era is told. Schemas of the handshake era have no `extensions`, so
    /// clients may look for the one for skills under `experimental`, too.
    pub(crate) fn introduced_capabilities(&self, era: Era) -> Vec<(String, Json)> {
        let mut all = self.capabilities();
        if self.has_skills && era == Era::Handshake {
            extend(&mut all, "experimental", SKILLS, self.skill_settings());
        }
        all
    }

    fn skill_settings(&self) -> &'static str {
        if self.reads_directories() { r#"{"directoryRead":true}"# } else { "{}" }
    }

    /// Returns the tools or prompts, if any were ever registered.
    pub(crate) fn named(&self, family: Family) -> Option<&NamedSet> {
        match family {
            Family::Tools => self.tools.as_ref(),
            Family::Prompts => self.prompts.as_ref(),
        }
    }

    fn named_mut(&mut self, family: Family) -> &mut Option<NamedSet> {
        match family {
            Family::Tools => &mut self.tools,
            Family::Prompts => &mut self.prompts,
        }
    }

    pub(crate) fn add_named(
        &mut self,
        family: Family,
        name: &str,
        definition: Definition,
        run: Option<Arc<MethodFn>>,
    ) -> Result<HandlerId> {
        if let Some(method) = [family.lists(), family.calls()].into_iter().find(|m| self.methods.has(m)) {
            let message =
                format!("the method \"{method}\" is registered; it would not know this {}", family.word());
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        let id = self.mint();
        self.named_mut(family).get_or_insert_default().add(family, id, name, definition, run)?;
        Ok(id)
    }

    /// Returns a tool or a prompt, disabled or not.
    pub(crate) fn registered(&self, family: Family, name: &str) -> Result<Arc<Named>> {
        let found = self.named(family).and_then(|named| named.registered(name));
        found.cloned().ok_or_else(|| unknown(name))
    }

    /// Gives a tool or a prompt another definition, unless another thread changed it since it was looked at: then returns
    /// the definition. Otherwise returns the registration of before, to be dropped without a lock.
    pub(crate) fn update_named(
        &mut self,
        family: Family,
        before: &Arc<Named>,
        definition: Definition,
    ) -> std::result::Result<Option<Arc<Named>>, Box<Definition>> {
        match self.named_mut(family) {
            Some(named) if named.registered(&before.name).is_some_and(|now| Arc::ptr_eq(now, before)) => {
                Ok(named.update(family, before, definition))
            }
            _ => Err(Box::new(definition)),
        }
    }

    /// Enables or disables a tool or a prompt. Returns the registration of before if that changed anything, to be dropped
    /// without a lock.
    pub(crate) fn set_availability(
        &mut self,
        family: Family,
        name: &str,
        now: Availability,
    ) -> Result<Option<Arc<Named>>> {
        let before = self.registered(family, name)?;
        Ok(self.named_mut(family).as_mut().and_then(|named| named.set_availability(&before, now)))
    }

    /// Also removes the completers of a prompt's arguments.
    pub(crate) fn remove_named(
        &mut self,
        family: Family,
        name: &str,
    ) -> Result<(Arc<Named>, Option<Arc<Handler>>)> {
        let removed = self.named_mut(family).as_mut().and_then(|named| named.remove(name));
        let removed = removed.ok_or_else(|| unknown(name))?;
        let completing = if family == Family::Prompts { self.forget_prompt(name) } else { None };
        Ok((removed, completing))
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

    /// Sets the fallback; returns the previous one.
    pub(crate) fn set_fallback(
        &mut self,
        provider: Option<Arc<dyn Provider>>,
    ) -> (HandlerId, Option<Arc<Handler>>) {
        let id = self.mint();
        let handler = Handler::new(id, "the fallback", provider);
        (id, self.fallback.replace(Arc::new(handler)))
    }

    /// Removes a fixed resource by its URI, a template by its text, a list source or a method by its name, in that
    /// order. Returns the removed entries, to be dropped without a lock.
    pub(crate) fn remove(&mut self, name: &str) -> Result<Removed> {
        if let Some(fixed) = self.fixed.remove(name) {
            self.capitals.remove(name);
            let handler = match &fixed.content {
                Content::Call(handler) => Some(handler.id),
                Content::Value { .. } => None,
            };
            return Ok(Removed { handler, listed: true, _fixed: Some(fixed), ..Removed::default() });
        }
        let template = self.templates.remove(name);
        if let Some(handler) = &template {
            self.capitals.remove(&handler.name);
            self.listed_templates.remove(&handler.name);
        }
        for text in template.iter().flat_map(|handler| handler.templates()) {
            self.templates.remove(text);
        }
        self.completers -=
            template.iter().map(|handler| handler.callbacks.completed().count()).sum::<usize>();
        // A template's own source is removed with it; another source of that name stays.
        let source = self.sources.iter().position(|source| {
            *source.name == *name && template.as_ref().is_none_or(|template| template.id == source.id)
        });
        let mut handlers: Vec<_> =
            template.into_iter().chain(source.map(|at| self.sources.remove(at))).collect();
        if let Some(removed) = handlers.first().map(|handler| handler.id) {
            self.directories.retain(|other| other.id != removed);
            self.skill_sources.retain(|other| other.id != removed);
        } else if let Some(at) = self.skill_sources.iter().position(|source| *source.name == *name) {
            handlers.push(self.skill_sources.remove(at));
        }
        match handlers.first() {
            Some(handler) => Ok(Removed {
                handler: Some(handler.id),
                listed: true,
                _handlers: handlers,
                ..Removed::default()
            }),
            None => match self.methods.remove(name) {
                Some(method) => {
                    Ok(Removed { handler: Some(method.id), _method: Some(method), ..Removed::default() })
                }
                None => Err(unknown(name)),
            },
        }
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
    /// Whether lists of resources may have changed.
    pub(crate) listed: bool,
    _method: Option<Arc<MethodHandler>>,
    _fixed: Option<Arc<Fixed>>,
    _handlers: Vec<Arc<Handler>>,
}

/// Adds a member to a capability, which the application may have declared, too.
fn extend(all: &mut Vec<(String, Json)>, capability: &str, name: &str, settings: &str) {
    let at = all.iter().position(|(other, _)| other == capability);
    let declared = at.map_or_else(Json::empty, |at| all.remove(at).1);
    let mut out = Vec::new();
    let mut members = Object::begin(&mut out);
    for_each_member(declared.raw(), |other, value| {
        if other != name {
            members.any_member(other).extend_from_slice(value.get().as_bytes());
        }
    });
    members.any_member(name).extend_from_slice(settings.as_bytes());
    members.end();
    let at = all.partition_point(|(other, _)| &**other < capability);
    all.insert(at, (capability.to_owned(), Json::written(out)));
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

#[cfg(test)]
mod tests {
    use super::*;

    const URI: &str = "notes://a";

    fn said(version: &str) -> Descriptor {
        Resource::new(URI).version(version).descriptor
    }

    fn version(catalog: &Catalog) -> Option<String> {
        match catalog.find(URI) {
            Found::Value(fixed) => fixed.descriptor().version().map(str::to_owned),
            Found::Call { handler, .. } => handler.version().map(str::to_owned),
            Found::Nothing | Found::Invalid => None,
        }
    }

    #[test]
    fn the_version_of_a_fixed_value_is_what_the_host_said_last() {
        let mut catalog = Catalog::default();
        catalog.add_value(Resource::new(URI).version("1"), Body::from("a")).unwrap();
        assert_eq!(version(&catalog).as_deref(), Some("1"));
        catalog.changed(URI, None);
        assert_eq!(version(&catalog), None);
        catalog.changed(URI, Some(said("2")));
        assert_eq!(version(&catalog).as_deref(), Some("2"));
        assert!(catalog.set_value(URI, Contents::new("b").version("3")).is_ok());
        assert_eq!(version(&catalog).as_deref(), Some("3"));
        catalog.changed(URI, None);
        assert_eq!(version(&catalog), None);
        catalog.changed(URI, Some(said("4")));
        assert!(catalog.set_value(URI, Contents::new("c")).is_ok());
        assert_eq!(version(&catalog), None);
    }

    #[test]
    fn a_change_voids_the_version_for_reads_that_began_before_it() {
        let mut catalog = Catalog::default();
        let id = catalog.add_resource(Resource::new(URI).version("1"), None).unwrap();
        let Found::Call { handler: reading, .. } = catalog.find(URI) else { panic!("a callback serves it") };
        assert_eq!(reading.version(), Some("1"));
        catalog.changed(URI, Some(said("2")));
        assert_eq!(reading.version(), None);
        assert_eq!(version(&catalog).as_deref(), Some("2"));
        let Found::Call { handler, .. } = catalog.find(URI) else { panic!("a callback serves it") };
        assert_eq!(handler.id, id);
    }

    #[test]
    fn watchers_are_shown_what_the_host_said_or_else_what_is_registered_without_its_version() {
        let mut catalog = Catalog::default();
        let registered = Resource::new(URI).title("A").version("1");
        catalog.add_value(registered, Body::from("a")).unwrap();
        let shown = |change: &Change| {
            let descriptor = change.descriptor.as_deref();
            descriptor.map(|d| (d.title.clone(), d.version().map(str::to_owned)))
        };
        let (first, _) = catalog.changed(URI, None);
        assert_eq!(shown(&first), Some((Some("A".to_owned()), None)));
        let (second, _) = catalog.changed(URI, Some(said("2")));
        assert_eq!(shown(&second), Some((None, Some("2".to_owned()))));
        let (third, _) = catalog.changed("notes://other", None);
        assert_eq!(shown(&third), None);
        assert!(first.sequence < second.sequence && second.sequence < third.sequence);
    }
}
