//! The root of a folder, and the description of its entries.

use super::address::Address;
use super::media;
use super::stamp::Stamp;
use super::tree::{EntryKind, Tree};
use crate::model::{Annotations, Resource};
use cap_std::fs::Metadata;

/// The MIME type of directories.
const DIRECTORY: &str = "inode/directory";

#[derive(Debug)]
pub(super) struct Base {
    /// The name of the root.
    pub(super) name: String,
    pub(super) address: Address,
    pub(super) tree: Tree,
    /// The name of the files whose contents are shown in lists, such as `SKILL.md`; `None` if there are none.
    pub(super) lists: Option<&'static str>,
}

impl Base {
    /// Returns the name of the entry at `path`.
    pub(super) fn name<'a>(&'a self, path: &'a str) -> &'a str {
        if path.is_empty() { &self.name } else { path.rsplit('/').next().unwrap_or(path) }
    }

    /// Returns the entry at `path`, as lists and notifications of changes show it.
    pub(super) fn describe(&self, path: &str, kind: EntryKind, metadata: &Metadata) -> Resource {
        self.describe_stamp(path, kind, &Stamp::from_metadata(metadata))
    }

    /// Returns the entry at `path` in the state that `stamp` stands for, as lists and notifications of changes show it.
    /// [`Base::describe`] takes the state from metadata instead.
    pub(super) fn describe_stamp(&self, path: &str, kind: EntryKind, stamp: &Stamp) -> Resource {
        let name = self.name(path);
        let mut resource = Resource::new(self.address.uri(path)).name(name).version(stamp.to_string());
        if let Some(time) = stamp.last_modified() {
            resource = resource.annotations(Annotations::new().last_modified(time));
        }
        if kind == EntryKind::Folder {
            return resource.mime_type(DIRECTORY);
        }
        resource = resource.size(stamp.size());
        match media::guess(name) {
            Some(mime) => resource.mime_type(mime),
            None => resource,
        }
    }
}
