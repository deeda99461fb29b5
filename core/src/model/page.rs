//! The answer of a list callback.

use super::skill::SkillEntry;
use super::{Annotations, Described, Icon, Json, Rare, Resource};
use crate::encode::check_utf8;
use crate::revision::Revision;
use crate::uri::check_uri;
use crate::wire::{ListedMembers, begin_resource, end_resource};
use std::borrow::Borrow;
use std::ops::Range;
use std::sync::Arc;

/// One page of a listing: the items, in order, and whether more follow.
///
/// Each item is checked and written as JSON when it is added, all into one buffer. So a page of hundreds of items costs
/// few allocations.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The JSON of each item: its title, and the members that all revisions have.
    json: Vec<u8>,
    /// The keys of items, if they are not the URI.
    keys: String,
    rows: Vec<Row>,
    pub(crate) more: bool,
    pub(crate) failed: Option<String>,
    /// True if there is nothing at the URI of the skill or directory that the client asks about.
    pub(crate) missing: bool,
}

/// One item of a page, for [`Page::push`]. See [`Resource`] for the meaning of the members.
#[derive(Debug, Clone, Default)]
#[allow(
    clippy::exhaustive_structs,
    reason = "made with `..Listed::default()`, as a record of optional members"
)]
pub struct Listed<'a> {
    /// An absolute URI of RFC 3986.
    pub uri: &'a str,
    /// The key of the item, by which the next page starts after it. Default: the URI. It must still sort to the same
    /// place after the item is deleted.
    pub key: Option<&'a str>,
    /// The programmatic name. Default: the URI.
    pub name: Option<&'a str>,
    /// The title, for people.
    pub title: Option<&'a str>,
    /// The description, for people and models.
    pub description: Option<&'a str>,
    /// The MIME type.
    pub mime_type: Option<&'a str>,
    /// The size of the content in bytes, before any encoding.
    pub size: Option<u64>,
    /// Hints for clients about audience and importance.
    pub annotations: Option<Annotations>,
    /// The icons that clients may show.
    pub icons: Vec<Icon>,
    /// Free-form `_meta`. An item with keys that the protocol reserves is left out.
    pub meta: Option<Json>,
    /// The kind of thing that it is, in the application's own words. Only clients of the `resources/get` dialect get
    /// it.
    pub kind: Option<&'a str>,
    /// An opaque text that differs whenever the contents do.
    pub version: Option<&'a str>,
    /// Free-form attributes of the application. Only clients of the `resources/get` dialect get them.
    pub metadata: Option<Json>,
}

/// The place of an item in the page's buffers.
#[derive(Debug, Clone)]
struct Row {
    json: Range<usize>,
    members: ListedMembers,
    key: Option<Range<usize>>,
    rare: Option<Box<Rare>>,
    /// The files of a skill, for the authorizer; `None` for a resource.
    skill: Option<Arc<[Arc<str>]>>,
    /// The reason why the item is left out; `None` if it is not.
    fault: Option<Box<str>>,
}

impl Row {
    /// Returns this row for a page to which the item is appended, after this number of bytes of JSON and of keys.
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
            skill: self.skill.clone(),
            fault: self.fault.clone(),
        }
    }
}

/// An item of a page.
#[derive(Clone, Copy)]
pub(crate) struct PageItem<'a> {
    page: &'a Page,
    row: &'a Row,
}

impl<'a> PageItem<'a> {
    /// The reason why the item cannot be sent, for the log; `None` if it can be.
    pub(crate) fn fault(self) -> Option<&'a str> {
        self.row.fault.as_deref()
    }

    /// The URI of the item; empty if the item cannot be sent.
    pub(crate) fn uri(self) -> &'a str {
        check_utf8(&self.page.json[self.row.members.uri.clone()]).unwrap_or_default()
    }

    pub(crate) fn key(self) -> &'a str {
        self.row.key.clone().map_or_else(|| self.uri(), |key| &self.page.keys[key])
    }

    pub(crate) fn is_skill(self) -> bool {
        self.row.skill.is_some()
    }

    /// The URIs of a skill's files. `None` for a resource.
    pub(crate) fn files(self) -> Option<Arc<[Arc<str>]>> {
        self.row.skill.clone()
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
    /// Makes a page of these items. It is the last one unless [`Page::more`] says otherwise. Takes resources, or
    /// references to resources that the application keeps.
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

    /// Adds an item. If it cannot be sent, it is left out, and the log says why.
    pub fn push(&mut self, item: Listed<'_>) {
        let Listed { uri, key, name, title, description, mime_type, size, .. } = item;
        let Listed { annotations, icons, meta, kind, version, metadata, .. } = item;
        let (kind, version) = (kind.map(Into::into), version.map(Into::into));
        let rare = Rare { annotations, icons, meta, kind, version, metadata, ..Rare::default() };
        let rare = (!rare.is_empty()).then(|| Box::new(rare));
        let described = Described { name, title, description, mime_type, size, rare: None };
        self.insert(uri, key, described, rare);
    }

    /// Adds the items of another page, which are not checked again: for an application that lists the same items
    /// repeatedly.
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
                    self.json.push(b'}'); // rare members differ between revisions, and are written last
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
        self.rows.push(Row { json: from..self.json.len(), members, key, rare, skill: None, fault });
    }

    /// Adds a skill to the page of [`crate::Server::skill_list`]. Its `uri` is that of its `SKILL.md`. Its `frontmatter` is
    /// an object with at least `name` and `description`. Its `resources` are `"dynamic"`, or a list with `uri`, `digest`
    /// and `size` of each file. Default of `resources`: `"dynamic"`. An entry that breaks the rules of the extension is
    /// left out, and the log says why.
    pub fn push_skill(&mut self, entry: &Json) {
        match SkillEntry::new(entry) {
            Ok(SkillEntry { uri, rest, files }) => self.push_checked_skill(&uri, &rest, files),
            Err((uri, why)) => {
                let from = self.keys.len();
                self.keys.push_str(&uri);
                let end = self.json.len();
                self.rows.push(Row {
                    json: end..end,
                    members: ListedMembers::default(),
                    key: Some(from..self.keys.len()),
                    rare: None,
                    skill: None,
                    fault: Some(format!("gave the skill \"{uri}\", which is left out: {why}").into()),
                });
            }
        }
    }

    /// Adds a skill at a valid URI. `json` is the entry without its beginning, `{"uri":"…"`. `files` are the URIs of
    /// its files.
    pub(crate) fn push_checked_skill(&mut self, uri: &str, json: &[u8], files: Arc<[Arc<str>]>) {
        if !self.json.is_empty() {
            self.json.push(b',');
        }
        let from = self.json.len();
        self.json.extend_from_slice(b"{\"uri\":\"");
        let start = self.json.len();
        self.json.extend_from_slice(uri.as_bytes());
        let members = ListedMembers { uri: start..self.json.len(), title: 0..0 };
        self.json.extend_from_slice(json);
        self.rows.push(Row {
            json: from..self.json.len(),
            members,
            key: None,
            rare: None,
            skill: Some(files),
            fault: None,
        });
    }

    /// Makes the page for a URI at which there is no skill or directory.
    #[cfg_attr(not(feature = "directory"), allow(dead_code, reason = "folders are a feature"))]
    pub(crate) fn missing() -> Self {
        Page { missing: true, ..Page::default() }
    }

    /// Reserves room for this many items of ordinary size.
    fn reserve(&mut self, items: usize) {
        self.rows.reserve(items);
        self.json.reserve(items.saturating_mul(160));
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Sets whether items follow the last one of this page. Default: false.
    #[must_use]
    pub fn more(mut self, more: bool) -> Self {
        self.more = more;
        self
    }

    /// Makes a failure: the client gets an internal error, and `why` goes to the log.
    pub fn failed(why: impl Into<String>) -> Self {
        Page { failed: Some(why.into()), ..Page::default() }
    }

    /// Returns the JSON of all items, separated by commas. `None` if an item has to be changed for the revision, or if
    /// it is too long.
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
