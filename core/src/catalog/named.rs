//! Tools and prompts: listed and called by name. Their definitions are the application's JSON.

use super::definition::Definition;
use super::methods::{MethodFn, MethodHandler, Promises};
use super::ordered::Ordered;
use super::{HandlerId, Listing};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Family;
use crate::revision::{Revision, Structured};
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
    rendered: Box<[u8]>,
    rendered_for_objects: Option<Box<[u8]>>,
}

impl Named {
    /// Returns the JSON that lists of the revision have.
    pub(crate) fn rendered(&self, revision: Revision) -> &[u8] {
        match (&self.rendered_for_objects, revision.structured) {
            (None, _) | (_, Structured::Any) => &self.rendered,
            (Some(rendered), Structured::Object | Structured::Absent) => rendered,
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
        let Definition { rendered, rendered_for_objects, output, schema, headers, .. } = definition;
        let name: Arc<str> = name.into();
        let promises = Promises { output, schema, headers };
        let handler = Arc::new(MethodHandler::named(id, family, name.clone(), promises, run));
        self.0.add(name.clone(), id.0, Arc::new(Named { handler, name, rendered, rendered_for_objects }));
        Ok(())
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Arc<Named>> {
        self.0.remove(name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Named>> {
        self.0.get(name)
    }
}
