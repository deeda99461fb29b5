//! Tools and prompts: listed and called by name. Their definitions are the application's JSON.

use super::definition::Definition;
use super::methods::{MethodFn, MethodHandler, Promises};
use super::ordered::Ordered;
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

/// One tool or prompt.
pub(crate) struct Named {
    pub(crate) handler: Arc<MethodHandler>,
    pub(crate) name: Arc<str>,
    rendered: Box<str>,
    rendered_for_objects: Option<Box<str>>,
    pub(crate) availability: Availability,
}

/// Whether clients may know a tool or a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Availability {
    Enabled,
    /// It is neither listed nor called.
    Disabled,
}

impl Named {
    pub(super) fn new(
        id: HandlerId,
        family: Family,
        name: &str,
        definition: Definition,
        run: Option<Arc<MethodFn>>,
        of_resources: Option<ResourceTool>,
    ) -> Named {
        let Definition {
            rendered,
            rendered_for_objects,
            output,
            schema,
            output_schema,
            headers,
            arguments,
            ..
        } = definition;
        let name: Arc<str> = name.into();
        let promises = Promises { output, schema, output_schema, headers, arguments };
        let mut handler = MethodHandler::named(id, family, name.clone(), promises, run);
        handler.of_resources = of_resources;
        let handler = Arc::new(handler);
        Named { handler, name, rendered, rendered_for_objects, availability: Availability::Enabled }
    }

    /// Returns the JSON that lists of the revision have.
    pub(crate) fn rendered(&self, revision: Revision) -> &str {
        match (&self.rendered_for_objects, revision.structured) {
            (None, _) | (_, Structured::Any) => &self.rendered,
            (Some(rendered), Structured::Object | Structured::Absent) => rendered,
        }
    }

    /// Returns the members of the definition after a change: those of `changes` take the place of the others, and null
    /// takes a member away.
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
        for_each_member(Raw::kept(&self.rendered), |name, value| {
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

    fn with_availability(&self, availability: Availability) -> Named {
        Named {
            handler: self.handler.clone(),
            name: self.name.clone(),
            rendered: self.rendered.clone(),
            rendered_for_objects: self.rendered_for_objects.clone(),
            availability,
        }
    }
}

/// The tools or the prompts of a server.
#[derive(Default)]
pub(crate) struct NamedSet(pub(super) Ordered<Named>);

impl NamedSet {
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
        let named = Named::new(id, family, name, definition, run, None);
        self.0.add(named.name.clone(), id.0, Arc::new(named));
        Ok(())
    }

    /// Gives a registration another definition. Returns the registration of before.
    pub(super) fn update(
        &mut self,
        family: Family,
        before: &Named,
        definition: Definition,
    ) -> Option<Arc<Named>> {
        let Definition {
            rendered,
            rendered_for_objects,
            output,
            schema,
            output_schema,
            headers,
            arguments,
            ..
        } = definition;
        let promises = Promises { output, schema, output_schema, headers, arguments };
        let (id, run) = (before.handler.id, before.handler.run.clone());
        let name = before.name.clone();
        let handler = Arc::new(MethodHandler::named(id, family, name.clone(), promises, run));
        let availability = before.availability;
        let named = Named { handler, name: name.clone(), rendered, rendered_for_objects, availability };
        self.0.replace(&name, Arc::new(named))
    }

    /// Returns the registration of before if that changed anything.
    pub(super) fn set_availability(&mut self, before: &Named, now: Availability) -> Option<Arc<Named>> {
        if before.availability == now {
            return None;
        }
        self.0.replace(&before.name, Arc::new(before.with_availability(now)))
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Arc<Named>> {
        self.0.remove(name)
    }

    /// Returns the registration that clients may know.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Named>> {
        self.registered(name).filter(|named| named.is_enabled())
    }

    /// Returns the registration, disabled or not.
    pub(super) fn registered(&self, name: &str) -> Option<&Arc<Named>> {
        self.0.get(name)
    }
}
