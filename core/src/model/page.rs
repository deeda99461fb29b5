//! What a list callback answers.

use super::{Annotations, Described, Icon, Json, Rare, Resource};
use crate::encode::check_utf8;
use crate::revision::Revision;
use crate::uri::check_uri;
use crate::wire::{ListedMembers, begin_resource, end_resource};
use std::borrow::Borrow;
use std::ops::Range;

/// Some items of a listing, in the listing's order, and whether there are more behind them.
///
/// Each item is checked and written as JSON when it is added, all into one buffer, so that a page of hundreds costs few
/// allocations, and each of its texts is looked at once.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// Of each item what all revisions have, and its title.
    json: Vec<u8>,
    /// Keys that are not the URI.
    keys: String,
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
    /// What sort of thing it is.
    pub kind: Option<&'a str>,
    /// Another one whenever the contents are.
    pub version: Option<&'a str>,
    /// Free-form attributes of the host's own.
    pub metadata: Option<Json>,
}

/// Where an item stands in the page's buffers.
#[derive(Debug, Clone)]
struct Row {
    json: Range<usize>,
    members: ListedMembers,
    key: Option<Range<usize>>,
    rare: Option<Box<Rare>>,
    /// Why it is left out.
    fault: Option<Box<str>>,
}

impl Row {
    /// The same item in a page that had so many bytes before it was added.
    fn behind(&self, json: usize, keys: usize) -> Row {
        let moved = |range: &Range<usize>, by| range.start + by..range.end + by;
        Row {
            json: moved(&self.json, json),
            members: ListedMembers {
                uri: moved(&self.members.uri, json),
                title: moved(&self.members.title, json),
            },
            key: self.key.as_ref().map(|key| moved(key, keys)),
            rare: self.rare.clone(),
            fault: self.fault.clone(),
        }
    }
}

/// An item as it stands in a page.
#[derive(Clone, Copy)]
pub(crate) struct PageItem<'a> {
    page: &'a Page,
    row: &'a Row,
}

impl<'a> PageItem<'a> {
    /// Why it may not be sent, for the log.
    pub(crate) fn fault(self) -> Option<&'a str> {
        self.row.fault.as_deref()
    }

    /// Empty if it may not be sent.
    pub(crate) fn uri(self) -> &'a str {
        check_utf8(&self.page.json[self.row.members.uri.clone()]).unwrap_or_default()
    }

    pub(crate) fn key(self) -> &'a str {
        self.row.key.clone().map_or_else(|| self.uri(), |key| &self.page.keys[key])
    }

    pub(crate) fn write(self, out: &mut Vec<u8>, revision: Revision) {
        let Row { json, members, rare, .. } = self.row;
        if revision.titles || members.title.is_empty() {
            out.extend_from_slice(&self.page.json[json.clone()]);
        } else {
            out.extend_from_slice(&self.page.json[json.start..members.title.start]);
            out.extend_from_slice(&self.page.json[members.title.end..json.end]);
        }
        if let Some(rare) = rare {
            end_resource(out, revision, Some(rare));
        }
    }
}

impl Page {
    /// The last page: nothing follows unless [`Page::more`] says so. Takes resources, or references to resources that
    /// the host keeps.
    pub fn new(items: impl IntoIterator<Item: Borrow<Resource>>) -> Self {
        let mut page = Page::default();
        let items = items.into_iter();
        page.reserve(items.size_hint().0);
        for item in items {
            let Resource { uri, key, descriptor } = item.borrow();
            page.insert(uri, key.as_deref(), descriptor.view(), descriptor.rare.clone());
        }
        page
    }

    /// Adds an item.
    pub fn push(&mut self, item: Listed<'_>) {
        let Listed { uri, key, name, title, description, mime_type, size, .. } = item;
        let Listed { annotations, icons, meta, kind, version, metadata, .. } = item;
        let (kind, version) = (kind.map(Into::into), version.map(Into::into));
        let rare = Rare { annotations, icons, meta, kind, version, metadata, ..Rare::default() };
        let rare = (!rare.is_empty()).then(|| Box::new(rare));
        let described = Described { name, title, description, mime_type, size, rare: None };
        self.insert(uri, key, described, rare);
    }

    /// Adds the items of another page, without a second look at their texts: for a host that lists the same items again
    /// and again.
    pub fn append(&mut self, other: &Page) {
        if !self.json.is_empty() && !other.json.is_empty() {
            self.json.push(b',');
        }
        let (json, keys) = (self.json.len(), self.keys.len());
        self.json.extend_from_slice(&other.json);
        self.keys.push_str(&other.keys);
        self.rows.extend(other.rows.iter().map(|row| row.behind(json, keys)));
        if self.failed.is_none() {
            self.failed.clone_from(&other.failed);
        }
    }

    fn insert(&mut self, uri: &str, key: Option<&str>, described: Described<'_>, rare: Option<Box<Rare>>) {
        let checked = check_uri(uri).map_err(|e| e.to_string()).and_then(|()| {
            Described { rare: rare.as_deref(), ..described }.check().map_err(|e| e.to_string())
        });
        if self.rows.capacity() == 0 {
            self.reserve(64); // rather than grow in many steps
        }
        if checked.is_ok() && !self.json.is_empty() {
            self.json.push(b',');
        }
        let from = self.json.len();
        let (members, fault) = match checked {
            Ok(()) => {
                let members = begin_resource(&mut self.json, uri, &described);
                if rare.is_none() {
                    self.json.push(b'}'); // what is rare differs between revisions, and is written last
                }
                (members, None)
            }
            Err(why) => {
                let fault = format!("gave \"{uri}\", which is left out: {why}");
                (ListedMembers::default(), Some(fault.into()))
            }
        };
        let key = key.or(fault.is_some().then_some(uri)).map(|key| {
            let from = self.keys.len();
            self.keys.push_str(key);
            from..self.keys.len()
        });
        self.rows.push(Row { json: from..self.json.len(), members, key, rare, fault });
    }

    /// Makes room for so many items of ordinary size.
    fn reserve(&mut self, items: usize) {
        self.rows.reserve(items);
        self.json.reserve(items.saturating_mul(160));
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

    /// All items with commas between them, if nothing has to be done to any of them.
    pub(crate) fn take_ready(&mut self, revision: Revision, max_bytes: usize) -> Option<Vec<u8>> {
        let is_ready = |row: &Row| {
            row.rare.is_none() && row.fault.is_none() && (revision.titles || row.members.title.is_empty())
        };
        let ready = self.json.len() <= max_bytes && self.rows.iter().all(is_ready);
        ready.then(|| std::mem::take(&mut self.json))
    }

    pub(crate) fn items(&self) -> impl DoubleEndedIterator<Item = PageItem<'_>> + ExactSizeIterator {
        self.rows.iter().map(|row| PageItem { page: self, row })
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
