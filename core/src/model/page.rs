//! What a list callback answers.

use super::Resource;
use std::ops::Deref;
use std::sync::Arc;

/// Some items of a listing, in the listing's order, and whether there are more behind them.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub(crate) items: Vec<Item>,
    pub(crate) more: bool,
    pub(crate) failed: Option<String>,
}

impl Page {
    /// The last page: nothing follows unless [`Page::more`] says so.
    ///
    /// A host that keeps its listing at hand gives `Arc<Resource>`s: nothing is copied then.
    pub fn new(items: impl IntoIterator<Item: Into<Item>>) -> Self {
        Page { items: items.into_iter().map(Into::into).collect(), more: false, failed: None }
    }

    /// Whether items follow the last one of this page.
    #[must_use]
    pub fn more(mut self, more: bool) -> Self {
        self.more = more;
        self
    }

    /// The listing failed: an internal error for the client, `why` for the log.
    pub fn failed(why: impl Into<String>) -> Self {
        Page { items: Vec::new(), more: false, failed: Some(why.into()) }
    }
}

/// One item of a page: a resource made for it, or one that the host keeps.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Item {
    /// Made for this page.
    Owned(Resource),
    /// Kept by the host.
    Shared(Arc<Resource>),
}

impl Item {
    pub(crate) fn into_page_key(self) -> String {
        match self {
            Item::Owned(resource) => resource.into_page_key(),
            Item::Shared(resource) => resource.page_key().to_owned(),
        }
    }
}

impl Deref for Item {
    type Target = Resource;

    fn deref(&self) -> &Resource {
        match self {
            Item::Owned(resource) => resource,
            Item::Shared(resource) => resource,
        }
    }
}

impl From<Resource> for Item {
    fn from(resource: Resource) -> Self {
        Item::Owned(resource)
    }
}

impl From<Arc<Resource>> for Item {
    fn from(resource: Arc<Resource>) -> Self {
        Item::Shared(resource)
    }
}

impl From<Vec<Resource>> for Page {
    fn from(items: Vec<Resource>) -> Self {
        Page::new(items)
    }
}

impl<T: Into<Page>, E: std::fmt::Display> From<Result<T, E>> for Page {
    fn from(result: Result<T, E>) -> Self {
        result.map_or_else(|e| Page::failed(e.to_string()), Into::into)
    }
}
