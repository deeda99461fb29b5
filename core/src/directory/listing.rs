//! Lists a tree page by page: depth first, a directory before its entries, names in the order of their bytes.
//!
//! A page starts at its key. It reads the directories on the way to the key and after it, never the whole tree. The
//! names of a large directory are kept for the next page, as long as the directory does not change.

use super::stamp::Stamp;
use super::tree::{Entry, Folder, Tree, join};
use crate::sync::Lock;
use cap_std::fs::Metadata;
use std::io;
use std::sync::Arc;

/// Smaller directories are read again for each page, which costs little.
const LARGE: usize = 1_000;

/// At most this many large directories are cached.
const REMEMBERED: usize = 4;

/// The names in a directory, in the order of their bytes.
pub(super) type Sorted = Arc<[Box<str>]>;

/// The names in large directories, as they were last read.
#[derive(Debug, Default)]
pub(super) struct Names(Lock<Vec<(Stamp, Sorted)>>);

impl Names {
    /// Returns the names in a directory. Leaves out names that are not UTF-8, because URIs cannot have them.
    pub(super) fn of(&self, folder: &Folder) -> io::Result<Sorted> {
        let stamp = Stamp::of(&folder.dir.dir_metadata()?);
        let known = self.0.with(|remembered, _| {
            remembered.iter().find(|(known, _)| *known == stamp).map(|(_, names)| names.clone())
        });
        if let Some(names) = known {
            return Ok(names);
        }
        let mut names = Vec::new();
        for entry in folder.dir.entries()? {
            names.extend(entry?.file_name().into_string().ok().map(String::into_boxed_str));
        }
        names.sort_unstable();
        let names: Sorted = names.into();
        if names.len() >= LARGE && stamp.is_settled() {
            self.0.with(|remembered, _| {
                if remembered.len() == REMEMBERED {
                    remembered.remove(0);
                }
                remembered.push((stamp, names.clone()));
            });
        }
        Ok(names)
    }
}

/// The receiver of a page. A step that returns false ends the walk.
pub(super) trait Sink {
    /// Called before a directory is read.
    fn enter(&mut self, folder: &Folder) -> bool;

    /// Called for each entry.
    fn take(&mut self, path: &str, is_folder: bool, metadata: &Metadata) -> bool;
}

/// Hands over the entries after the one at `after`, which may be removed already. `None` starts at the root itself.
pub(super) fn walk(tree: &Tree, names: &Names, after: Option<&str>, sink: &mut impl Sink) -> io::Result<()> {
    let root = tree.root();
    if after.is_none() && !sink.take("", true, &root.dir.dir_metadata()?) {
        return Ok(());
    }
    let behind: Vec<&str> = after.unwrap_or_default().split('/').filter(|name| !name.is_empty()).collect();
    below(tree, names, &root, &behind, sink).map(drop)
}

fn below(
    tree: &Tree,
    names: &Names,
    folder: &Folder,
    behind: &[&str],
    sink: &mut impl Sink,
) -> io::Result<bool> {
    if !sink.enter(folder) {
        return Ok(false);
    }
    let all = names.of(folder)?;
    let (from, inside) = match behind {
        [] => (0, None),
        [first, rest @ ..] => {
            let at = all.partition_point(|name| **name < **first);
            (at, all.get(at).is_some_and(|name| **name == **first).then_some(rest))
        }
    };
    for (n, name) in all[from..].iter().enumerate() {
        // The directory is removed, not served, or cannot be read.
        let Ok(Some(entry)) = tree.child(folder, name) else { continue };
        // The first name may be that of the key, or of a directory on the way to it.
        let inside = inside.filter(|_| n == 0);
        let path = join(&folder.path, name);
        if inside.is_none() && !sink.take(&path, entry.is_folder(), entry.metadata()) {
            return Ok(false);
        }
        // Entries behind a link to a directory are listed only at their real path.
        if entry.is_folder_at(&path)
            && let Entry::Folder(next, _) = entry
            && matches!(below(tree, names, &next, inside.unwrap_or_default(), sink), Ok(false))
        {
            return Ok(false);
        }
    }
    Ok(true)
}
