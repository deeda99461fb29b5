//! What a listing shows of one resource.

use super::descriptor::{Descriptor, descriptor_setters};

/// A resource as it is listed: its URI and what describes it.
///
/// Everything but the URI is optional, and checked where the value is used: at registration, or when a list callback
/// answers with it.
#[derive(Debug, Clone)]
pub struct Resource {
    pub(crate) uri: String,
    pub(crate) key: Option<String>,
    pub(crate) descriptor: Descriptor,
}

impl Resource {
    /// A resource at `uri`, an absolute URI of RFC 3986.
    pub fn new(uri: impl Into<String>) -> Self {
        Resource { uri: uri.into(), key: None, descriptor: Descriptor::default() }
    }

    /// The URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Size of the raw content in bytes, before any encoding.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.descriptor.size = Some(bytes);
        self
    }

    /// An opaque text that is another one whenever the contents are. A client that has this version already is told so
    /// and sent nothing. [`crate::Server::updated`] voids it.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.descriptor.set_version(Some(version.into().into()));
        self
    }

    /// In a list callback's answer: where the page after this item starts; the URI if not given. It must keep its
    /// place in the order when the item itself is gone.
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
