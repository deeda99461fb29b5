//! Lists a tree page by page: depth first, a directory before its entries, names in the order of their bytes.
//!
//! A page starts at its key. It reads the directories on the way to the key and after it, never the whole tree.

use super::tree::{Entry, EntryKind, Folder, Tree, join};
use std::io;

/// The receiver of the entries of a page. If a method returns false, the walk ends.
pub(super) trait Sink {
    /// Called before a directory is read.
    fn enter(&mut self, folder: &Folder) -> bool;

    /// Called for each served entry. Returns false to end the walk.
    fn take(&mut self, path: &str, entry: &Entry) -> bool;

    /// Called before each entry, served or not.
    fn continues(&self) -> bool {
        true
    }
}

/// Passes the entries after the one at `after` to `sink`; that one may be removed already. `None` starts at the root
/// itself.
pub(super) fn walk(tree: &Tree, after: Option<&str>, sink: &mut impl Sink) -> io::Result<()> {
    let root = tree.root();
    if after.is_none() && !sink.take("", &Entry::Folder(root.clone(), root.dir.metadata()?)) {
        return Ok(());
    }
    let behind: Vec<&str> = after.unwrap_or_default().split('/').filter(|name| !name.is_empty()).collect();
    below(tree, &root, &behind, sink).map(drop)
}

fn below(tree: &Tree, folder: &Folder, behind: &[&str], sink: &mut impl Sink) -> io::Result<bool> {
    if !sink.enter(folder) {
        return Ok(false);
    }
    let all = tree.names(folder)?;
    let (from, inside) = match behind {
        [] => (0, None),
        [first, rest @ ..] => {
            let at = all.partition_point(|name| **name < **first);
            (at, all.get(at).is_some_and(|name| **name == **first).then_some(rest))
        }
    };
    for (n, name) in all[from..].iter().enumerate() {
        if !sink.continues() {
            return Ok(false);
        }
        // The directory is removed, not served, or cannot be read.
        let Ok(Some(entry)) = tree.child(folder, name) else { continue };
        // The first name may be that of the key, or of a directory on the way to it.
        let inside = inside.filter(|_| n == 0);
        let path = join(&folder.path, name);
        if inside.is_none() && !sink.take(&path, &entry) {
            return Ok(false);
        }
        // Entries behind a link to a directory are listed only at their real path.
        if entry.kind_at(&path) == EntryKind::Folder
            && let Entry::Folder(next, _) = entry
            && matches!(below(tree, &next, inside.unwrap_or_default(), sink), Ok(false))
        {
            return Ok(false);
        }
    }
    Ok(true)
}
