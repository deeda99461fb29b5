//! What a list callback answers.

use super::{Annotations, Described, Icon, Json, Rare, Resource};
use std::borrow::Borrow;

/// Some items of a listing, in the listing's order, and whether there are more behind them.
///
/// The items' texts are copied into one buffer, so that a page of hundreds costs few allocations.
#[derive(Debug, Clone, Default)]
pub struct Page {
    text: String,
    rows: Vec<Row>,
    pub(crate) more: bool,
    pub(crate) failed: Option<String>,
}

/// One item of a page, as [`Page::push`] takes it. See [`Resource`] for what the members mean.
#[derive(Debug, Clone, Default)]
#[allow(
    clippy::exhaustive_structs,
    reason = "made with `..Listed::default()`, as a record of optional members"
)]
pub struct Listed<'a> {
    /// An absolute URI of RFC 3986.
    pub uri: &'a str,
    /// Where the page after this item starts; the URI if not given.
    pub key: Option<&'a str>,
    /// The programmatic name; the URI if not given.
    pub name: Option<&'a str>,
    /// The name for people.
    pub title: Option<&'a str>,
    /// What it is, for people and models.
    pub description: Option<&'a str>,
    /// The MIME type.
    pub mime_type: Option<&'a str>,
    /// Size of the raw content in bytes.
    pub size: Option<u64>,
    /// Hints about whom it is for.
    pub annotations: Option<Annotations>,
    /// Icons.
    pub icons: Vec<Icon>,
    /// Free-form `_meta`.
    pub meta: Option<Json>,
}

/// A stretch of the page's text.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: u32,
    to: u32,
}

#[derive(Debug, Clone)]
struct Row {
    uri: Span,
    key: Option<Span>,
    name: Option<Span>,
    title: Option<Span>,
    description: Option<Span>,
    mime_type: Option<Span>,
    size: Option<u64>,
    rare: Option<Box<Rare>>,
}

/// An item as it stands in a page.
#[derive(Clone, Copy)]
pub(crate) struct PageItem<'a> {
    pub(crate) uri: &'a str,
    pub(crate) key: &'a str,
    pub(crate) described: Described<'a>,
}

impl Page {
    /// The last page: nothing follows unless [`Page::more`] says so. Takes resources, or references to resources that
    /// the host keeps.
    pub fn new(items: impl IntoIterator<Item: Borrow<Resource>>) -> Self {
        let mut page = Page::default();
        let items = items.into_iter();
        page.rows.reserve(items.size_hint().0);
        for item in items {
            page.add(item.borrow());
        }
        page
    }

    fn add(&mut self, resource: &Resource) {
        let Described { name, title, description, mime_type, size, rare } = resource.descriptor.view();
        let strings = [Some(&*resource.uri), resource.key.as_deref(), name, title, description, mime_type];
        self.insert(strings, size, rare.map(|rare| Box::new(rare.clone())));
    }

    /// Adds an item.
    pub fn push(&mut self, item: Listed<'_>) {
        let Listed { uri, key, name, title, description, mime_type, size, annotations, icons, meta } = item;
        let rare = (annotations.is_some() || !icons.is_empty() || meta.is_some())
            .then(|| Box::new(Rare { annotations, icons, meta }));
        self.insert([Some(uri), key, name, title, description, mime_type], size, rare);
    }

    fn insert(&mut self, strings: [Option<&str>; 6], size: Option<u64>, rare: Option<Box<Rare>>) {
        let bytes: usize = strings.iter().flatten().map(|string| string.len()).sum();
        if self.text.len() + bytes > u32::MAX as usize {
            self.failed = Some("its page has more than 4 GiB of text".to_owned());
            return;
        }
        self.text.reserve(bytes);
        let [uri, key, name, title, description, mime_type] = strings.map(|string| {
            let from = self.text.len() as u32;
            self.text.push_str(string?);
            Some(Span { from, to: self.text.len() as u32 })
        });
        let uri = uri.unwrap_or(Span { from: 0, to: 0 });
        self.rows.push(Row { uri, key, name, title, description, mime_type, size, rare });
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether items follow the last one of this page.
    #[must_use]
    pub fn more(mut self, more: bool) -> Self {
        self.more = more;
        self
    }

    /// The listing failed: an internal error for the client, `why` for the log.
    pub fn failed(why: impl Into<String>) -> Self {
        Page { failed: Some(why.into()), ..Page::default() }
    }

    pub(crate) fn items(&self) -> impl ExactSizeIterator<Item = PageItem<'_>> {
        self.rows.iter().map(|row| {
            let text = |span: Span| &self.text[span.from as usize..span.to as usize];
            let uri = text(row.uri);
            PageItem {
                uri,
                key: row.key.map_or(uri, text),
                described: Described {
                    name: row.name.map(text),
                    title: row.title.map(text),
                    description: row.description.map(text),
                    mime_type: row.mime_type.map(text),
                    size: row.size,
                    rare: row.rare.as_deref(),
                },
            }
        })
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
