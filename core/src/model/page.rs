//! What a list callback answers.

use super::Resource;

/// Some items of a listing, in the listing's order, and whether there are more behind them.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub(crate) items: Vec<Resource>,
    pub(crate) more: bool,
    pub(crate) failed: Option<String>,
}

impl Page {
    /// The last page: nothing follows unless [`Page::more`] says so.
    pub fn new(items: impl IntoIterator<Item = Resource>) -> Self {
        Page { items: items.into_iter().collect(), more: false, failed: None }
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
