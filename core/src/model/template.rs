//! What a listing shows of one template.

use super::descriptor::{Descriptor, descriptor_setters};
use crate::error::{Error, ErrorKind, Result};
use crate::uri::{UriTemplate, Variable};

/// A URI template of RFC 6570 and what describes the resources it makes.
#[derive(Debug, Clone)]
#[allow(clippy::struct_field_names, reason = "the protocol's own word")]
pub struct Template {
    pub(crate) uri_template: String,
    pub(crate) raw_values: bool,
    /// Templates that are routed to the same callbacks without being listed.
    pub(crate) also: Vec<String>,
    pub(crate) descriptor: Descriptor,
}

impl Template {
    /// A template such as `notes://{id}`.
    pub fn new(uri_template: impl Into<String>) -> Self {
        Template {
            uri_template: uri_template.into(),
            raw_values: false,
            also: Vec::new(),
            descriptor: Descriptor::default(),
        }
    }

    /// The template's text.
    pub fn uri_template(&self) -> &str {
        &self.uri_template
    }

    /// The variables, each once, in the order of the template: for bindings that check a callback's parameters.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTemplate`], as at registration.
    pub fn variables(&self) -> Result<Vec<Variable>> {
        let text = &self.uri_template;
        UriTemplate::parse(text)
            .map(|template| template.variables().to_vec())
            .map_err(|e| Error::new(ErrorKind::InvalidTemplate, format!("\"{text}\": {e}")))
    }

    /// Hands over every value as it was sent. Without this, values with a `..` segment, an absolute path, a drive or a
    /// control character look like "not found"; with it, checking them is the host's work.
    #[must_use]
    pub fn raw_values(mut self) -> Self {
        self.raw_values = true;
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
