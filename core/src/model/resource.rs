//! A resource as lists show it.

use super::descriptor::{Descriptor, descriptor_setters};

/// A resource: its URI and its descriptive members.
///
/// Every member but the URI is optional. Members are checked where the value is used: at registration, or when a list
/// callback answers.
#[derive(Debug, Clone)]
pub struct Resource {
    pub(crate) uri: String,
    pub(crate) key: Option<String>,
    pub(crate) descriptor: Descriptor,
}

impl Resource {
    /// Makes a resource at `uri`, an absolute URI of RFC 3986.
    pub fn new(uri: impl Into<String>) -> Self {
        Resource { uri: uri.into(), key: None, descriptor: Descriptor::default() }
    }

    /// Returns the URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Sets the size of the content in bytes, before any encoding.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.descriptor.size = Some(bytes);
        self
    }

    /// Sets the version: an opaque text that differs whenever the contents do. A client that has this version
    /// already gets "not modified" in place of the contents. [`crate::Server::notify_updated`] clears it.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.descriptor.set_version(Some(version.into().into()));
        self
    }

    /// Sets the key of the item for answers of list callbacks, by which the next page starts after it. Default: the
    /// URI. It must still sort to the same place after the item is deleted.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    descriptor_setters!();
}

impl From<&str> for Resource {
    fn from(uri: &str) -> Self {
        Resource::new(uri)
    }
}

impl From<String> for Resource {
    fn from(uri: String) -> Self {
        Resource::new(uri)
    }
}
