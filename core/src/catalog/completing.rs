//! Finding what completes a variable.

use super::registry::{Catalog, Handler};
use crate::error::{Error, ErrorKind, Result};
use crate::provider::TemplateCallbacks;
use crate::uri::UriTemplate;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a reference and the name of a variable lead to.
pub(crate) enum Completer {
    /// A callback.
    Handler(Arc<Handler>),
    /// A variable that nobody completes.
    Nobody,
    /// A template without such a variable.
    NoVariable,
    /// A resource, which has no variables.
    Resource,
    Unknown,
}

impl Catalog {
    /// Whether anything can be completed.
    pub(crate) fn completes(&self) -> bool {
        self.completers > 0
    }

    pub(crate) fn completer(&self, reference: &str, variable: &str) -> Completer {
        let Some(handler) = self.templates.get(reference).filter(|handler| *handler.name == *reference)
        else {
            let fixed = self.fixed.contains_key(reference);
            return if fixed { Completer::Resource } else { Completer::Unknown };
        };
        if handler.callbacks.completed().any(|name| name == variable) {
            Completer::Handler(handler.clone())
        } else if handler.variables.iter().any(|name| **name == *variable) {
            Completer::Nobody
        } else {
            Completer::NoVariable
        }
    }
}

/// A completer belongs to one of the variables, and a variable has one.
pub(super) fn check_completers(
    text: &str,
    template: &UriTemplate,
    callbacks: &TemplateCallbacks,
) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in callbacks.completed() {
        let refuse = |what: &str| {
            let message = format!("\"{text}\": {what} the variable \"{name}\"");
            Err(Error::new(ErrorKind::InvalidArgument, message))
        };
        if !template.variables().iter().any(|variable| *variable.name == *name) {
            return refuse("there is a completer but not");
        }
        if !seen.insert(name) {
            return refuse("there are two completers for");
        }
    }
    Ok(())
}
