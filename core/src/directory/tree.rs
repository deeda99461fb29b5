//! Finds entries below the root, and none outside.
//!
//! Every step opens one name relative to a handle on the directory before it, and follows no link. A link is resolved
//! once, by `cap-std` and within the root. Then the resolved path is walked in the same way, under the same rules. So
//! if another program swaps a directory for a link meanwhile, a step fails.

use super::rules::{Chain, Rules};
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use std::io;
use std::path::{Component, Path};
use std::sync::Arc;

/// The maximum depth of a served directory, so that a walk has few directories open.
const DEEPEST: usize = 128;

/// A folder that is served.
#[derive(Debug)]
pub(super) struct Tree {
    root: Arc<Dir>,
    rules: Rules,
    max_file_bytes: u64,
}

/// A directory that is served.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) dir: Arc<Dir>,
    /// The path without links.
    pub(super) path: String,
    chain: Chain,
    depth: usize,
}

/// An entry that is served.
#[derive(Debug)]
pub(super) enum Entry {
    Folder(Folder, Metadata),
    /// The folder that it is in, and its name there.
    File(Folder, String, Metadata),
}

impl Entry {
    pub(super) fn metadata(&self) -> &Metadata {
        match self {
            Entry::Folder(_, metadata) | Entry::File(_, _, metadata) => metadata,
        }
    }

    pub(super) fn is_folder(&self) -> bool {
        matches!(self, Entry::Folder(..))
    }

    /// Returns whether it is a directory at its real path, not behind a link.
    pub(super) fn is_folder_at(&self, path: &str) -> bool {
        matches!(self, Entry::Folder(folder, _) if folder.path == path)
    }

    /// Returns its real path.
    pub(super) fn path(&self) -> String {
        match self {
            Entry::Folder(folder, _) => folder.path.clone(),
            Entry::File(folder, name, _) => join(&folder.path, name),
        }
    }
}

/// Whether a walk may follow links.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Followed,
    Refused,
}

impl Tree {
    pub(super) fn open(root: &Path, rules: Rules, max_file_bytes: u64) -> io::Result<Tree> {
        let root = Arc::new(Dir::open_ambient_dir(root, ambient_authority())?);
        Ok(Tree { root, rules, max_file_bytes })
    }

    pub(super) fn root(&self) -> Folder {
        let chain = self.rules.enter(&Chain::default(), &self.root, "");
        Folder { dir: self.root.clone(), path: String::new(), chain, depth: 0 }
    }

    /// Returns the entry at `path`, or `None` if no such entry is served.
    pub(super) fn find(&self, path: &str) -> io::Result<Option<Entry>> {
        self.walk(path, Links::Followed)
    }

    /// Returns the directory at `path`, if it is served and no link leads there.
    pub(super) fn folder(&self, path: &str) -> Option<Folder> {
        match self.walk(path, Links::Refused) {
            Ok(Some(Entry::Folder(folder, _))) => Some(folder),
            _ => None,
        }
    }

    fn walk(&self, path: &str, links: Links) -> io::Result<Option<Entry>> {
        let mut folder = self.root();
        let mut names = path.split('/').filter(|name| !name.is_empty()).peekable();
        while let Some(name) = names.next() {
            let Some(metadata) = found(folder.dir.symlink_metadata(name))? else { return Ok(None) };
            if metadata.is_symlink() {
                let served = links == Links::Followed
                    && self.rules.allow(&folder.chain, &join(&folder.path, name), false);
                return if served { self.follow(path) } else { Ok(None) };
            }
            let last = names.peek().is_none();
            match self.step(&folder, name, metadata)? {
                Some(entry) if last => return Ok(Some(entry)),
                Some(Entry::Folder(next, _)) => folder = next,
                Some(Entry::File(..)) | None => return Ok(None),
            }
        }
        let metadata = folder.dir.dir_metadata()?;
        Ok(Some(Entry::Folder(folder, metadata)))
    }

    /// Returns the entry behind a path with a link in it.
    fn follow(&self, path: &str) -> io::Result<Option<Entry>> {
        // An error here means a link that leads nowhere, in a circle or outside.
        let Ok(target) = self.root.canonicalize(path) else { return Ok(None) };
        let mut plain = String::new();
        for component in target.components() {
            match (component, component.as_os_str().to_str()) {
                (Component::CurDir, _) => {}
                (Component::Normal(_), Some(name)) => plain = join(&plain, name),
                _ => return Ok(None),
            }
        }
        self.walk(&plain, Links::Refused)
    }

    /// Returns an entry of a folder, with a link resolved.
    pub(super) fn child(&self, folder: &Folder, name: &str) -> io::Result<Option<Entry>> {
        let Some(metadata) = found(folder.dir.symlink_metadata(name))? else { return Ok(None) };
        if metadata.is_symlink() {
            let path = join(&folder.path, name);
            return if self.rules.allow(&folder.chain, &path, false) { self.follow(&path) } else { Ok(None) };
        }
        self.step(folder, name, metadata)
    }

    /// Returns the names in a folder that are served, and whether each is a directory (not a link to one). Includes
    /// files that are too large, because it does not look at sizes.
    pub(super) fn entries(&self, folder: &Folder) -> io::Result<Vec<(String, bool)>> {
        let mut entries = Vec::new();
        for entry in folder.dir.entries()? {
            let entry = entry?;
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let is_served = if kind.is_symlink() {
                matches!(self.child(folder, &name), Ok(Some(_)))
            } else {
                (kind.is_dir() || kind.is_file())
                    && self.rules.allow(&folder.chain, &join(&folder.path, &name), kind.is_dir())
            };
            if is_served {
                entries.push((name, kind.is_dir()));
            }
        }
        Ok(entries)
    }

    /// Returns an entry of a folder that is not a link, if the rules allow it.
    fn step(&self, folder: &Folder, name: &str, metadata: Metadata) -> io::Result<Option<Entry>> {
        let path = join(&folder.path, name);
        if !self.rules.allow(&folder.chain, &path, metadata.is_dir()) {
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
        if folder.depth == DEEPEST {
            return Ok(None);
        }
        let Some(dir) = found(folder.dir.open_dir_nofollow(name))? else { return Ok(None) };
        let path = join(&folder.path, name);
        let chain = self.rules.enter(&folder.chain, &dir, &path);
        Ok(Some(Folder { dir: Arc::new(dir), path, chain, depth: folder.depth + 1 }))
    }

    /// Opens a file that was found. Returns `None` if it is removed by now, or is no longer a file.
    pub(super) fn open_file(&self, folder: &Folder, name: &str) -> io::Result<Option<(File, Metadata)>> {
        let mut options = OpenOptions::new();
        // Another entry may have replaced it; opening a named pipe would wait for a writer.
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let Some(file) = found(folder.dir.open_with(name, &options))? else { return Ok(None) };
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

/// Turns an error that says that there is no such entry, or that it is a link by now, into `None`.
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
