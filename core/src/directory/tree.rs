//! Finds entries below the root of a folder, and none outside of it.
//!
//! Every step opens one name relative to a handle on the directory before it, and follows no link. A link is resolved
//! once, by `cap-std` and within the root. Then the resolved path is walked in the same way, under the same rules. So a
//! step fails if another program replaces a directory by a link in the meantime.
//!
//! An entry has one name, that in the list of its directory. The rules judge this name, and clients must use it, even
//! if the file system finds the entry by other spellings.

use super::names::{Names, Sorted};
use super::open_dir::{OpenDir, type_of};
use super::rules::{Chain, Rules};
use super::spelling::other_spelling;
use super::stamp::Stamp;
use cap_std::fs::{File, Metadata};
use std::io;
use std::path::Component;
use std::sync::Arc;

/// The greatest depth of a served directory, so that a walk has few directories open.
pub(super) const DEEPEST: usize = 128;

/// The greatest number of links that are followed on a path.
const MOST_LINKS: usize = 40;

/// A folder that is served.
#[derive(Debug)]
pub(super) struct Tree {
    root: Arc<OpenDir>,
    rules: Rules,
    names: Names,
    max_file_bytes: u64,
}

/// A directory that is served.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) dir: Arc<OpenDir>,
    /// The path below the root, without links.
    pub(super) path: String,
    chain: Chain,
    depth: usize,
}

impl Folder {
    /// Returns whether the directories in this one are too deep to be served.
    pub(super) fn is_deepest(&self) -> bool {
        self.depth == DEEPEST
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Folder,
    File,
}

impl EntryKind {
    fn from_metadata(metadata: &Metadata) -> EntryKind {
        if metadata.is_dir() { EntryKind::Folder } else { EntryKind::File }
    }
}

/// The names of entries of a directory, with the kind of each.
pub(super) type Entries = Vec<(String, EntryKind)>;

/// A directory that was read.
#[derive(Debug, Default)]
#[cfg_attr(not(feature = "skills"), allow(dead_code, reason = "only skills need more than the entries"))]
pub(super) struct DirectoryList {
    /// The served entries; a link to a directory is no directory.
    pub(super) entries: Entries,
    /// The name of an entry that is not served only because its name is not UTF-8. It may also be a link, wherever that
    /// leads. The name has U+FFFD in place of what is not UTF-8.
    pub(super) unnamed: Option<String>,
    /// The links that the system failed to follow, and the entries whose type it failed to look up. They may be served.
    pub(super) unresolved: Vec<(String, io::Error)>,
}

/// An entry that is served.
#[derive(Debug)]
pub(super) enum Entry {
    Folder(Folder, Metadata),
    /// A file: the folder that it is in, its name there, and its metadata.
    File(Folder, String, Metadata),
}

impl Entry {
    pub(super) fn metadata(&self) -> &Metadata {
        match self {
            Entry::Folder(_, metadata) | Entry::File(_, _, metadata) => metadata,
        }
    }

    pub(super) fn kind(&self) -> EntryKind {
        match self {
            Entry::Folder(..) => EntryKind::Folder,
            Entry::File(..) => EntryKind::File,
        }
    }

    /// Returns the kind of the entry at `path` itself: a link to a directory is no directory.
    pub(super) fn kind_at(&self, path: &str) -> EntryKind {
        match self {
            Entry::Folder(folder, _) if folder.path == path => EntryKind::Folder,
            Entry::Folder(..) | Entry::File(..) => EntryKind::File,
        }
    }

    /// Returns the path of the entry without links.
    pub(super) fn path(&self) -> String {
        match self {
            Entry::Folder(folder, _) => folder.path.clone(),
            Entry::File(folder, name, _) => join(&folder.path, name),
        }
    }
}

impl Tree {
    pub(super) fn new(root: OpenDir, rules: Rules, max_file_bytes: u64) -> Tree {
        Tree { root: Arc::new(root), rules, names: Names::default(), max_file_bytes }
    }

    pub(super) fn root(&self) -> Folder {
        let chain = self.rules.enter(&Chain::default(), &self.root, "");
        Folder { dir: self.root.clone(), path: String::new(), chain, depth: 0 }
    }

    /// Returns the entry at `path`, or `None` if no such entry is served.
    pub(super) fn find(&self, path: &str) -> io::Result<Option<Entry>> {
        let mut links = 0;
        self.walk(path, |folder, name| {
            let Some(metadata) = found(folder.dir.metadata_of(name))? else { return Ok(None) };
            if !self.is_own_name(folder, name)? {
                self.rules.complain_of_spelling(&folder.path, name);
                return Ok(None);
            }
            links += usize::from(metadata.is_symlink());
            if links > MOST_LINKS { Ok(None) } else { self.served(folder, name, metadata) }
        })
    }

    /// Returns the directory at `path`, if it is served and no link leads there.
    pub(super) fn folder(&self, path: &str) -> Option<Folder> {
        match self.plain(path) {
            Ok(Some(Entry::Folder(folder, _))) => Some(folder),
            _ => None,
        }
    }

    /// Returns the entry at `path`, in any spelling and without links.
    fn plain(&self, path: &str) -> io::Result<Option<Entry>> {
        self.walk(path, |folder, name| {
            let Some(name) = self.own_name(folder, name)? else { return Ok(None) };
            let Some(metadata) = found(folder.dir.metadata_of(&name))? else { return Ok(None) };
            self.step(folder, &name, metadata)
        })
    }

    fn walk(
        &self,
        path: &str,
        mut step: impl FnMut(&Folder, &str) -> io::Result<Option<Entry>>,
    ) -> io::Result<Option<Entry>> {
        let mut folder = self.root();
        let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
        while let Some(name) = names.next() {
            let last = names.peek().is_none();
            match step(&folder, name)? {
                Some(entry) if last => return Ok(Some(entry)),
                Some(Entry::Folder(next, _)) => folder = next,
                Some(Entry::File(..)) | None => return Ok(None),
            }
        }
        let metadata = folder.dir.metadata()?;
        Ok(Some(Entry::Folder(folder, metadata)))
    }

    /// Returns the entry that a link leads to; `None` if that is not served.
    fn resolve_link(&self, path: &str) -> io::Result<Option<Entry>> {
        let target = match self.root.resolve(path) {
            Ok(target) => target,
            Err(e) if is_failure(&e) => return Err(e),
            // The link leads nowhere, in a circle, outside, or where this process has no permission.
            Err(_) => return Ok(None),
        };
        let mut plain = String::new();
        for component in target.components() {
            match (component, component.as_os_str().to_str()) {
                (Component::CurDir, _) => {}
                (Component::Normal(_), Some(name)) => plain = join(&plain, name),
                _ => return Ok(None),
            }
        }
        self.plain(&plain)
    }

    /// Returns an entry of a folder, or the one that it leads to if it is a link. `name` must be the name that the
    /// folder itself has.
    pub(super) fn child(&self, folder: &Folder, name: &str) -> io::Result<Option<Entry>> {
        let Some(metadata) = found(folder.dir.metadata_of(name))? else { return Ok(None) };
        self.served(folder, name, metadata)
    }

    /// Returns an entry of a folder, or the one that it leads to if it is a link. `None` if the folder has no entry of
    /// exactly this name.
    pub(super) fn own_child(&self, folder: &Folder, name: &str) -> io::Result<Option<Entry>> {
        let Some(metadata) = found(folder.dir.metadata_of(name))? else { return Ok(None) };
        if self.is_own_name(folder, name)? { self.served(folder, name, metadata) } else { Ok(None) }
    }

    /// Returns whether the name of an entry that was found is the one that its directory has. Reads the directory only if
    /// the file system finds the entry, or one like it, by another spelling.
    fn is_own_name(&self, folder: &Folder, name: &str) -> io::Result<bool> {
        match other_spelling(name) {
            Some(other) if matches!(found(folder.dir.metadata_of(&other)), Ok(None)) => return Ok(true),
            // A list for each name is dear: many directories have names in other scripts.
            None if folder.dir.has_exact_names() => return Ok(true),
            _ => {}
        }
        Ok(self.names(folder)?.binary_search_by(|own| (**own).cmp(name)).is_ok())
    }

    /// Returns the name that a folder has for the entry that the file system finds by `name`. Returns `None` if there
    /// is none, or if several names are those of that file, because any of them may be meant.
    pub(super) fn own_name(&self, folder: &Folder, name: &str) -> io::Result<Option<String>> {
        let Some(metadata) = found(folder.dir.metadata_of(name))? else { return Ok(None) };
        if self.is_own_name(folder, name)? {
            return Ok(Some(name.to_owned()));
        }
        let file = Stamp::from_metadata(&metadata);
        let is_it = |own: &&str| {
            folder
                .dir
                .metadata_of(own)
                .is_ok_and(|metadata| Stamp::from_metadata(&metadata).is_of_same_file(&file))
        };
        let names = self.names(folder)?;
        let mut all = names.iter().map(|own| &**own).filter(is_it);
        Ok(all.next().filter(|_| all.next().is_none()).map(str::to_owned))
    }

    /// Returns whether the file system finds entries of a folder by other spellings, as far as one of them shows it.
    /// False for an empty folder, which does not show it.
    pub(super) fn has_other_spellings(folder: &Folder) -> bool {
        let Ok(entries) = folder.dir.entries() else { return true };
        let mut is_empty = true;
        for entry in entries.flatten() {
            is_empty = false;
            if let Some(other) = entry.file_name().to_str().and_then(other_spelling) {
                return !matches!(found(folder.dir.metadata_of(&other)), Ok(None));
            }
        }
        is_empty
    }

    /// Returns the names in a directory, in the order of their bytes.
    pub(super) fn names(&self, folder: &Folder) -> io::Result<Sorted> {
        self.names.read(folder)
    }

    /// Returns an entry of a folder whose metadata is known, with a link resolved.
    fn served(&self, folder: &Folder, name: &str, metadata: Metadata) -> io::Result<Option<Entry>> {
        if metadata.is_symlink() {
            let path = join(&folder.path, name);
            return if self.rules.allow(&folder.chain, &path, EntryKind::File) {
                self.resolve_link(&path)
            } else {
                Ok(None)
            };
        }
        self.step(folder, name, metadata)
    }

    /// Returns the names of the served entries of a folder, with the kind of each; a link to a directory is no
    /// directory. Includes files that are too large, because it does not look at sizes. Leaves out what the system fails to
    /// look at.
    pub(super) fn entries(&self, folder: &Folder) -> io::Result<Entries> {
        self.list(folder).map(|list| list.entries)
    }

    /// Returns the same as [`Tree::entries`], and what is left out there.
    pub(super) fn list(&self, folder: &Folder) -> io::Result<DirectoryList> {
        let DirectoryList { mut entries, mut unnamed, mut unresolved } = DirectoryList::default();
        for entry in folder.dir.entries()? {
            let entry = entry?;
            let own = match found(type_of(&entry)) {
                Ok(Some(own)) => own,
                Ok(None) => continue,
                Err(e) => {
                    unresolved.extend(entry.file_name().into_string().ok().map(|name| (name, e)));
                    continue;
                }
            };
            let kind = if own.is_dir() { EntryKind::Folder } else { EntryKind::File };
            let is_allowed = |name: &str| {
                (own.is_dir() || own.is_file() || own.is_symlink())
                    && self.rules.allow(&folder.chain, &join(&folder.path, name), kind)
            };
            match entry.file_name().into_string() {
                Ok(name) if own.is_symlink() => match self.child(folder, &name) {
                    Ok(Some(_)) => entries.push((name, kind)),
                    Err(e) if is_failure(&e) => unresolved.push((name, e)),
                    Ok(None) | Err(_) => {}
                },
                Ok(name) if is_allowed(&name) => entries.push((name, kind)),
                Ok(_) => {}
                Err(name) => {
                    let name = name.to_string_lossy();
                    if is_allowed(&name) {
                        unnamed = unnamed.or_else(|| Some(name.into_owned()));
                    }
                }
            }
        }
        Ok(DirectoryList { entries, unnamed, unresolved })
    }

    /// Returns an entry of a folder that is not a link, if the rules allow it.
    fn step(&self, folder: &Folder, name: &str, metadata: Metadata) -> io::Result<Option<Entry>> {
        let path = join(&folder.path, name);
        if !self.rules.allow(&folder.chain, &path, EntryKind::from_metadata(&metadata)) {
            return Ok(None);
        }
        if metadata.is_dir() {
            let Some(next) = self.enter(folder, name)? else { return Ok(None) };
            return Ok(Some(Entry::Folder(next, metadata)));
        }
        let served = metadata.is_file() && metadata.len() <= self.max_file_bytes;
        Ok(served.then(|| Entry::File(folder.clone(), name.to_owned(), metadata)))
    }

    fn enter(&self, folder: &Folder, name: &str) -> io::Result<Option<Folder>> {
        if folder.is_deepest() {
            return Ok(None);
        }
        let Some(dir) = found(folder.dir.open_dir(name))? else { return Ok(None) };
        let path = join(&folder.path, name);
        let chain = self.rules.enter(&folder.chain, &dir, &path);
        Ok(Some(Folder { dir: Arc::new(dir), path, chain, depth: folder.depth + 1 }))
    }

    /// Opens a file that was found. Returns `None` if it is removed by now, or is no longer a file.
    pub(super) fn open_file(&self, folder: &Folder, name: &str) -> io::Result<Option<(File, Metadata)>> {
        let Some(file) = found(folder.dir.open_file(name))? else { return Ok(None) };
        let metadata = file.metadata()?;
        Ok((metadata.is_file() && metadata.len() <= self.max_file_bytes).then_some((file, metadata)))
    }

    pub(super) fn max_file_bytes(&self) -> u64 {
        self.max_file_bytes
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// Returns `None` in place of an error which says that there is no such entry, or that it has become a link.
fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(e) if is_absent(&e) => Ok(None),
        Err(e) => Err(e),
    }
}

fn is_absent(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidFilename
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::StaleNetworkFileHandle
    ) || is_escape(e)
        || is_link(e)
}

/// Recognises the error of `cap-std` for a path that leads outside, which is not an error of the system.
fn is_escape(e: &io::Error) -> bool {
    e.kind() == io::ErrorKind::PermissionDenied && e.raw_os_error().is_none()
}

/// Returns whether an error of following a link says nothing about where the link leads. If it leads where this process
/// has no permission, the entry there is not served.
#[cfg(unix)]
fn is_failure(e: &io::Error) -> bool {
    !is_absent(e) && e.kind() != io::ErrorKind::PermissionDenied
}

/// Returns whether an error of following a link says nothing about where the link leads. Windows has many kinds of links
/// that cannot be followed, so only a lack of resources counts.
#[cfg(not(unix))]
fn is_failure(e: &io::Error) -> bool {
    const TOO_MANY_OPEN_FILES: i32 = 4;
    const NO_SYSTEM_RESOURCES: i32 = 1_450;
    e.kind() == io::ErrorKind::OutOfMemory
        || matches!(e.raw_os_error(), Some(TOO_MANY_OPEN_FILES | NO_SYSTEM_RESOURCES))
}

#[cfg(unix)]
fn is_link(e: &io::Error) -> bool {
    // ELOOP, and the errors of some systems in its place; ENXIO means a socket, or a pipe without a reader.
    let loops = [rustix::io::Errno::LOOP, rustix::io::Errno::MLINK, rustix::io::Errno::NXIO];
    loops.iter().any(|errno| e.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(not(unix))]
fn is_link(_: &io::Error) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn only_a_failure_of_the_system_leaves_open_where_a_link_leads() {
        let outside = io::Error::new(io::ErrorKind::PermissionDenied, "a path led outside of the filesystem");
        assert!(!is_failure(&outside));
        for errno in
            [Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::NAMETOOLONG, Errno::ACCESS, Errno::PERM]
        {
            assert!(!is_failure(&errno.into()), "{errno}");
        }
        for errno in [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::IO] {
            assert!(is_failure(&errno.into()), "{errno}");
        }
    }
}
