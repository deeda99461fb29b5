//! Methods that the application registered, and their capabilities.

use super::HandlerId;
use super::definition::Promises;
use super::resource_tools::ResourceTool;
use super::tool_limiter::ToolLimiter;
use crate::error::{Error, ErrorKind, Result};
use crate::event::MethodCall;
use crate::model::{Family, Json, Method};
use crate::revision::{self, Revision, RevisionSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Returns whether the name of a method is that of a notification.
pub(crate) fn is_notification(name: &str) -> bool {
    name.starts_with("notifications/")
}

pub(crate) type MethodFn = dyn Fn(MethodCall) + Send + Sync;

/// A registered method, or a tool or prompt that is called through one.
pub(crate) struct MethodHandler {
    pub(crate) id: HandlerId,
    pub(crate) name: Box<str>,
    /// The revisions that have the method. `All` stands for each revision that has not removed it.
    revisions: RevisionSet<Revision>,
    /// The callback; `None` for an application that runs events itself.
    pub(crate) run: Option<Arc<MethodFn>>,
    /// The name of the tool or prompt; `None` for a method.
    pub(crate) item: Option<Arc<str>>,
    pub(crate) family: Option<Family>,
    pub(crate) promises: Promises,
    /// The question about resources, if this is a tool that shows them. Such a tool has no callback.
    pub(crate) of_resources: Option<ResourceTool>,
    pub(crate) limiter: Arc<ToolLimiter>,
}

impl MethodHandler {
    /// Makes the handler of a tool or prompt, which is called by its name through a method.
    pub(super) fn named(
        id: HandlerId,
        family: Family,
        item: Arc<str>,
        promises: Promises,
        run: Option<Arc<MethodFn>>,
    ) -> Self {
        let name = family.calls().into();
        MethodHandler {
            id,
            name,
            revisions: RevisionSet::All,
            run,
            item: Some(item),
            family: Some(family),
            promises,
            of_resources: None,
            limiter: Arc::default(),
        }
    }

    /// Returns the name of the method, tool or prompt for the log.
    pub(crate) fn describe(&self) -> String {
        match &self.item {
            Some(item) => format!("{} of {item}", self.name),
            None => self.name.to_string(),
        }
    }

    pub(crate) fn is_tool(&self) -> bool {
        self.family == Some(Family::Tools)
    }

    fn serves(&self, revision: Revision) -> bool {
        match &self.revisions {
            RevisionSet::Only(chosen) => chosen.contains(&revision),
            RevisionSet::All => !revision.has_removed(&self.name),
        }
    }
}

#[derive(Default)]
pub(crate) struct Methods {
    by_name: BTreeMap<Box<str>, Arc<MethodHandler>>,
}

impl Methods {
    pub(super) fn add(
        &mut self,
        id: HandlerId,
        method: Method,
        run: Option<Arc<MethodFn>>,
    ) -> Result<Arc<MethodHandler>> {
        let Method { name, revisions } = method;
        let invalid = |what: String| Err(Error::new(ErrorKind::InvalidArgument, what));
        if name.is_empty() {
            return invalid("the name of a method is empty".to_owned());
        }
        if name == "notifications/cancelled" {
            return invalid(format!(
                "\"{name}\" is handled by the library; give the call a hook on cancellation"
            ));
        }
        if revision::KnownMethod::named(&name).is_some() {
            return invalid(format!("\"{name}\" is served already; register resources instead"));
        }
        if self.by_name.contains_key(&*name) {
            let message = format!("the method \"{name}\" is registered already; remove it first");
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        let revisions = match revisions {
            RevisionSet::All => RevisionSet::All,
            RevisionSet::Only(dates) => {
                let mut found = Vec::new();
                for date in dates {
                    match Revision::published(&date) {
                        Some(revision) => found.push(revision),
                        None => return invalid(format!("\"{date}\" is no protocol revision")),
                    }
                }
                RevisionSet::Only(found)
            }
        };
        let handler = Arc::new(MethodHandler {
            id,
            name: name.clone().into(),
            revisions,
            run,
            item: None,
            family: None,
            promises: Promises::default(),
            of_resources: None,
            limiter: Arc::default(),
        });
        self.by_name.insert(name.into(), handler.clone());
        Ok(handler)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Returns whether a method is registered without a list of revisions.
    pub(super) fn is_for_all_revisions(&self, name: &str) -> bool {
        self.by_name.get(name).is_some_and(|handler| matches!(handler.revisions, RevisionSet::All))
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Arc<MethodHandler>> {
        self.by_name.remove(name)
    }

    /// Returns the handler of a method; `None` if it is not registered, or if the revision does not have it.
    pub(crate) fn find(&self, name: &str, revision: Revision) -> Option<Arc<MethodHandler>> {
        self.by_name.get(name).filter(|handler| handler.serves(revision)).cloned()
    }

    /// Returns the capabilities of the registered methods, with their declared settings or none.
    pub(crate) fn capabilities(&self, declared: BTreeMap<String, Json>) -> Vec<(String, Json)> {
        let mut all = declared;
        for name in self.by_name.keys() {
            if let Some(capability) = revision::capability_of(name) {
                all.entry(capability.to_owned()).or_insert_with(Json::empty);
            }
        }
        all.into_iter().collect()
    }
}
