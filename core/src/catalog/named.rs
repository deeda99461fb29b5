//! Tools and prompts, which are listed and called by name. Their definitions are JSON of the application.

use super::definition::{Definition, DefinitionJson};
use super::entries::Handler;
use super::methods::{MethodFn, MethodHandler};
use super::ordered::Ordered;
use super::registry::{Catalog, unknown};
use super::resource_tools::ResourceTool;
use super::{HandlerId, Listing};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, for_each_member, is_null};
use crate::model::{Family, Json};
use crate::revision::{Revision, Structured};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Family {
    pub(crate) fn listing(self) -> Listing {
        match self {
            Family::Tools => Listing::Tools,
            Family::Prompts => Listing::Prompts,
        }
    }
}

/// A registered tool or prompt.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) handler: Arc<MethodHandler>,
    pub(crate) name: Arc<str>,
    json: DefinitionJson,
    pub(crate) availability: Availability,
}

/// Says whether clients may list and call a tool or prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Availability {
    Enabled,
    /// Clients can neither list it nor call it.
    Disabled,
}

impl Named {
    pub(super) fn new(
        id: HandlerId,
        family: Family,
        name: Arc<str>,
        definition: Definition,
        run: Option<Arc<MethodFn>>,
        of_resources: Option<ResourceTool>,
    ) -> Named {
        let Definition { json, promises, .. } = definition;
        let mut handler = MethodHandler::named(id, family, name.clone(), promises, run);
        handler.of_resources = of_resources;
        Named { handler: Arc::new(handler), name, json, availability: Availability::Enabled }
    }

    /// Returns the JSON of the definition in lists of the revision.
    pub(crate) fn rendered(&self, revision: Revision) -> &str {
        match (&self.json.for_objects, revision.structured) {
            (None, _) | (_, Structured::Any) => &self.json.ordinary,
            (Some(json), Structured::Object | Structured::Absent) => json,
        }
    }

    /// Returns the members of the definition after a change: those of `changes` replace those of before, and null
    /// removes a member.
    pub(crate) fn changed_members(&self, changes: &Json) -> Json {
        let mut all = Vec::new();
        let mut object = Object::begin(&mut all);
        let mut write = |name: &str, value: Raw<'_>| {
            object.any_member(name).extend_from_slice(value.get().as_bytes());
        };
        let mut replaced = BTreeSet::new();
        for_each_member(changes.raw(), |name, _| {
            replaced.insert(name.to_owned());
        });
        let given = self.json.given.as_deref().unwrap_or(&self.json.ordinary);
        for_each_member(Raw::kept(given), |name, value| {
            if name != "name" && !replaced.contains(name) {
                write(name, value);
            }
        });
        for_each_member(changes.raw(), |name, value| {
            if !is_null(value) {
                write(name, value);
            }
        });
        object.end();
        Json::written(all)
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.availability == Availability::Enabled
    }
}

/// The tools or the prompts of a server.
#[derive(Default)]
pub(crate) struct NamedSet(pub(super) Ordered<Named>);

impl NamedSet {
    /// Returns whether an argument of any prompt has fixed values.
    pub(super) fn has_fixed_values(&self) -> bool {
        let mut prompts = self.0.after(None).map(|(_, prompt)| prompt).filter(|prompt| prompt.is_enabled());
        prompts.any(|prompt| !prompt.handler.promises.arguments.values.is_empty())
    }

    pub(super) fn add(
        &mut self,
        family: Family,
        id: HandlerId,
        name: &str,
        definition: Definition,
        run: Option<Arc<MethodFn>>,
    ) -> Result<()> {
        let word = family.word();
        if self.0.has(name) {
            let message = format!("the {word} \"{name}\" is registered already; remove it first");
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        let named = Named::new(id, family, name.into(), definition, run, None);
        self.0.add(named.name.clone(), id.0, Arc::new(named));
        Ok(())
    }

    /// Gives a registration another definition. Returns the former registration.
    pub(super) fn update(
        &mut self,
        family: Family,
        before: &Named,
        definition: Definition,
    ) -> Option<Arc<Named>> {
        let (id, run, name) = (before.handler.id, before.handler.run.clone(), before.name.clone());
        let mut handler = MethodHandler::named(id, family, name.clone(), definition.promises, run);
        handler.limiter = before.handler.limiter.clone();
        let (handler, availability) = (Arc::new(handler), before.availability);
        let now = Named { handler, name, json: definition.json, availability };
        self.0.replace(&before.name, Arc::new(now))
    }

    /// Enables or disables a registration. Returns the former one; `None` if that did not change anything.
    pub(super) fn set_availability(&mut self, before: &Named, now: Availability) -> Option<Arc<Named>> {
        if before.availability == now {
            return None;
        }
        self.0.replace(&before.name, Arc::new(Named { availability: now, ..before.clone() }))
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Arc<Named>> {
        self.0.remove(name)
    }

    /// Returns the registration of this name unless it is disabled.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Named>> {
        self.registered(name).filter(|named| named.is_enabled())
    }

    /// Returns the registration, disabled or not.
    pub(super) fn registered(&self, name: &str) -> Option<&Arc<Named>> {
        self.0.get(name)
    }
}

impl Catalog {
    /// Returns all tools or prompts; `None` if none were ever registered.
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

    /// Returns whether any tool is for apps only.
    pub(crate) fn has_tools_for_apps_only(&self) -> bool {
        self.enabled_tools().any(|tool| tool.handler.promises.is_for_apps_only)
    }

    /// Returns a tool whose app is not registered, and the URI of the app. `None` if there is no such tool.
    pub(crate) fn missing_app(&self) -> Option<(Arc<str>, Box<str>)> {
        self.enabled_tools().find_map(|tool| Some((tool.name.clone(), self.missing_app_of(&tool.name)?)))
    }

    /// Returns the URI of the app of a tool; `None` if the app is registered, or if the tool has none.
    pub(crate) fn missing_app_of(&self, tool: &str) -> Option<Box<str>> {
        let tool = self.tools.as_ref()?.get(tool)?;
        let app = tool.handler.promises.app.as_ref()?;
        self.fixed.get(app).is_none().then(|| app.clone())
    }

    /// Returns the name of a tool that opens this app; `None` if there is none.
    pub(crate) fn tool_of_app(&self, uri: &str) -> Option<Arc<str>> {
        let of_app = |tool: &&Arc<Named>| tool.handler.promises.app.as_deref() == Some(uri);
        self.enabled_tools().find(of_app).map(|tool| tool.name.clone())
    }

    fn enabled_tools(&self) -> impl Iterator<Item = &Arc<Named>> {
        let tools = self.tools.iter().flat_map(|tools| tools.0.after(None));
        tools.map(|(_, tool)| tool).filter(|tool| tool.is_enabled())
    }

    /// Returns a tool or a prompt, disabled or not.
    pub(crate) fn registered(&self, family: Family, name: &str) -> Result<Arc<Named>> {
        let found = self.named(family).and_then(|named| named.registered(name));
        found.cloned().ok_or_else(|| unknown(name))
    }

    /// Gives a tool or a prompt another definition. Returns the former registration, which the caller drops without a
    /// lock. If another thread changed the registration since `before`, changes nothing and returns the definition.
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

    /// Enables or disables a tool or a prompt. Returns the former registration, which the caller drops without a lock;
    /// `None` if that did not change anything.
    pub(crate) fn set_availability(
        &mut self,
        family: Family,
        name: &str,
        now: Availability,
    ) -> Result<Option<Arc<Named>>> {
        let before = self.registered(family, name)?;
        Ok(self.named_mut(family).as_mut().and_then(|named| named.set_availability(&before, now)))
    }

    /// Removes a tool or prompt, and the completers of a prompt's arguments.
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
}
