//! A template as lists show it.

use crate::error::{Error, ErrorKind, Result};
use crate::event::{CompleteCall, ListCall};
use crate::model::{Completion, Descriptor, Page, descriptor_setters};
use crate::provider::{IntoReply, TemplateCallbacks};
use crate::uri::{ExpandError, TemplateValue, UriTemplate, Variable, expand};
use std::collections::BTreeMap;

/// A URI template of RFC 6570, and the members that describe its resources.
#[derive(Debug, Clone)]
#[allow(clippy::struct_field_names, reason = "the protocol's own word")]
pub struct Template {
    pub(crate) uri_template: String,
    pub(crate) raw_values: bool,
    /// Templates with the same callbacks, which are not listed.
    pub(crate) also: Vec<String>,
    /// True if no other template of this kind may serve URIs with the literal prefix of this one.
    pub(crate) whole: bool,
    /// The kind of folder that the template serves, whose directories the provider lists, too; `None` if it is none.
    pub(crate) folder: Option<FolderKind>,
    pub(crate) callbacks: TemplateCallbacks,
    pub(crate) descriptor: Descriptor,
}

/// The contents of a folder: files as they are, or those of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "skills"), allow(dead_code, reason = "skills and folders are features"))]
pub(crate) enum FolderKind {
    Files,
    Skills,
}

impl Template {
    /// Makes a template such as `notes://{id}`.
    pub fn new(uri_template: impl Into<String>) -> Self {
        Template {
            uri_template: uri_template.into(),
            raw_values: false,
            also: Vec::new(),
            whole: false,
            folder: None,
            callbacks: TemplateCallbacks::default(),
            descriptor: Descriptor::default(),
        }
    }

    /// Returns the text of the template.
    pub fn uri_template(&self) -> &str {
        &self.uri_template
    }

    /// Returns each variable once, in the order of the template, for bindings that check a callback's parameters.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTemplate`] if the template cannot be registered.
    pub fn variables(&self) -> Result<Vec<Variable>> {
        let text = &self.uri_template;
        UriTemplate::parse(text)
            .map(|template| template.variables().to_vec())
            .map_err(|e| Error::new(ErrorKind::InvalidTemplate, format!("\"{text}\": {e}")))
    }

    /// Returns the URI that results from these values, by RFC 6570, levels 1 to 4: for links. Also works for templates
    /// that cannot be registered because their values cannot be read back from a URI. Ignores values with other names.
    ///
    /// ```
    /// # use wellhead::Template;
    /// assert_eq!(Template::new("notes://{id}{?q}").expand([("id", "a/b"), ("q", "")])?, "notes://a%2Fb?q=");
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTemplate`]. [`ErrorKind::InvalidArgument`] for a list if `{name:3}` needs a text.
    pub fn expand<N, V>(&self, values: impl IntoIterator<Item = (N, V)>) -> Result<String>
    where
        N: Into<String>,
        V: Into<TemplateValue>,
    {
        let values: BTreeMap<String, TemplateValue> =
            values.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let text = &self.uri_template;
        expand(text, |name| values.get(name)).map_err(|e| {
            let kind = match e {
                ExpandError::Template(_) => ErrorKind::InvalidTemplate,
                ExpandError::PrefixOfList(_) => ErrorKind::InvalidArgument,
            };
            Error::new(kind, format!("\"{text}\": {e}"))
        })
    }

    /// Passes every value to the callback as the client sent it. By default, values with a `..` segment, an
    /// absolute path, a drive or a control character cause "not found". With this, the application has to check
    /// them.
    #[must_use]
    pub fn raw_values(mut self) -> Self {
        self.raw_values = true;
        self
    }

    /// Sets a closure that lists the resources of the template: see [`crate::Server::list`]. The list source has the
    /// text of the template as its name, and the template's place in the order of registration.
    #[must_use]
    pub fn list<F, R, M>(mut self, list: F) -> Self
    where
        F: Fn(ListCall) -> R + Send + Sync + 'static,
        R: IntoReply<Page, M> + 'static,
        M: 'static,
    {
        self.callbacks.set_list(list);
        self
    }

    /// Sets a closure that completes one of the variables.
    ///
    /// ```
    /// # let server = wellhead::Server::new("notes", "1");
    /// # use wellhead::Template;
    /// let template = Template::new("notes://{lang}").complete("lang", |call| {
    ///     ["de", "en"].into_iter().filter(|lang| lang.starts_with(call.value())).collect::<Vec<_>>()
    /// });
    /// server.template(template, |call| call.var("lang").map(str::to_owned))?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    #[must_use]
    pub fn complete<F, R, M>(mut self, variable: impl Into<String>, complete: F) -> Self
    where
        F: Fn(CompleteCall) -> R + Send + Sync + 'static,
        R: IntoReply<Completion, M> + 'static,
        M: 'static,
    {
        self.callbacks.add_completer(variable.into(), complete);
        self
    }

    /// Declares that [`crate::Provider::complete`] completes one of the variables.
    #[must_use]
    pub fn completes(mut self, variable: impl Into<String>) -> Self {
        self.callbacks.completed_by_provider(variable.into());
        self
    }

    descriptor_setters!();
}

impl From<&str> for Template {
    fn from(uri_template: &str) -> Self {
        Template::new(uri_template)
    }
}

impl From<String> for Template {
    fn from(uri_template: String) -> Self {
        Template::new(uri_template)
    }
}
