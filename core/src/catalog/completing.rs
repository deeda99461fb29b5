//! Finds the completer of a variable.

use super::definition::{FixedValues, PromptArguments};
use super::entries::{Handler, HandlerId};
use super::named::NamedSet;
use super::registry::Catalog;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Family;
use crate::provider::{CompleteFn, TemplateCallbacks};
use crate::uri::UriTemplate;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The result of looking up a variable by a reference and its name.
pub(crate) enum Completer {
    /// A callback.
    Handler(Arc<Handler>),
    /// The values that the definition of the prompt gives the argument.
    Values(FixedValues),
    /// A variable without a completer.
    NotRegistered,
    /// A template without such a variable, or a prompt without such an argument.
    NoVariable,
    /// A resource, which has no variables.
    Resource,
    Unknown,
}

impl Catalog {
    /// Returns whether any variable has a completer.
    pub(crate) fn completes(&self) -> bool {
        self.completers > 0 || self.named(Family::Prompts).is_some_and(NamedSet::has_fixed_values)
    }

    pub(crate) fn completer(&self, reference: &str, variable: &str) -> Completer {
        let Some(handler) = self.templates.get(reference).filter(|handler| *handler.name == *reference)
        else {
            let fixed = self.fixed.has(reference);
            return if fixed { Completer::Resource } else { Completer::Unknown };
        };
        if handler.callbacks.completed().any(|name| name == variable) {
            Completer::Handler(handler.clone())
        } else if handler.variables.iter().any(|name| **name == *variable) {
            Completer::NotRegistered
        } else {
            Completer::NoVariable
        }
    }
}

impl Catalog {
    /// Returns the completer of an argument of a prompt. Any argument may exist if the prompt does not list its arguments.
    pub(crate) fn prompt_completer(&self, prompt: &str, argument: &str) -> Completer {
        let Some(named) = self.named(Family::Prompts).and_then(|prompts| prompts.get(prompt)) else {
            return Completer::Unknown;
        };
        let PromptArguments { known, values, .. } = &named.handler.promises.arguments;
        // A change of the definition may have removed an argument that has a completer.
        if known.as_deref().is_some_and(|known| known.iter().all(|name| **name != *argument)) {
            return Completer::NoVariable;
        }
        match self.registered_completer(prompt, argument) {
            Completer::NotRegistered => {
                let fixed = values.iter().find(|(name, _)| **name == *argument);
                fixed.map_or(Completer::NotRegistered, |(_, values)| Completer::Values(values.clone()))
            }
            completer => completer,
        }
    }

    fn registered_completer(&self, prompt: &str, argument: &str) -> Completer {
        match self.prompt_completers.get(prompt) {
            Some(handler) if handler.callbacks.completed().any(|name| name == argument) => {
                Completer::Handler(handler.clone())
            }
            _ => Completer::NotRegistered,
        }
    }

    /// Registers a completer for an argument of a prompt. Returns its id, and the registration that this one replaces.
    pub(crate) fn add_prompt_completer(
        &mut self,
        prompt: &str,
        argument: &str,
        complete: Option<Arc<CompleteFn>>,
    ) -> Result<(HandlerId, Option<Arc<Handler>>)> {
        let Ok(named) = self.registered(Family::Prompts, prompt) else {
            let message = format!("no prompt is registered as \"{prompt}\"");
            return Err(Error::new(ErrorKind::Unknown, message));
        };
        if let Some(known) = &named.handler.promises.arguments.known
            && !known.iter().any(|name| **name == *argument)
        {
            let known = known.join(", ");
            let message =
                format!("the prompt \"{prompt}\" has no argument \"{argument}\"; the arguments are {known}");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        if !matches!(self.registered_completer(prompt, argument), Completer::NotRegistered) {
            let message = format!("the argument \"{argument}\" of \"{prompt}\" has a completer already");
            return Err(Error::new(ErrorKind::Duplicate, message));
        }
        // All completers of a prompt have one number, by which an application of events finds them.
        let before =
            self.prompt_completers.get(prompt).map(|handler| (handler.id, handler.callbacks.clone()));
        let (id, mut callbacks) = before.unwrap_or_else(|| (self.mint(), TemplateCallbacks::default()));
        callbacks.push_completer(argument, complete);
        let handler = Arc::new(Handler { callbacks, ..Handler::new(id, prompt, None) });
        self.completers += 1;
        Ok((id, self.prompt_completers.insert(prompt.into(), handler)))
    }

    /// Removes the completers of a removed prompt.
    pub(super) fn forget_prompt(&mut self, prompt: &str) -> Option<Arc<Handler>> {
        let handler = self.prompt_completers.remove(prompt)?;
        self.completers -= handler.callbacks.completed().count();
        Some(handler)
    }
}

/// Checks that each completer belongs to a variable of the template, and that no variable has two.
pub(super) fn check_completers(
    text: &str,
    template: &UriTemplate,
    callbacks: &TemplateCallbacks,
) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in callbacks.completed() {
        let refuse =
            |what: String| Err(Error::new(ErrorKind::InvalidArgument, format!("\"{text}\": {what}")));
        if !template.variables().iter().any(|variable| *variable.name == *name) {
            let known: Vec<_> = template.variables().iter().map(|variable| &*variable.name).collect();
            return refuse(format!("a completer is for \"{name}\"; the variables are {}", known.join(", ")));
        }
        if !seen.insert(name) {
            return refuse(format!("there are two completers for the variable \"{name}\""));
        }
    }
    Ok(())
}
