//! The watched directories, and the entries that they had when they were last read.

use super::links::WatchedLinks;
use super::system::{Mark, Notifier};
use crate::directory::tree::EntryKind;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::{iter, mem};

/// At most this number of marks is removed before the thread reads events again. Each removal is an event itself, and
/// the system drops events if too many wait.
const REMOVED_AT_ONCE: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The watched directories by path.
    folders: BTreeMap<String, Known>,
    /// The paths of each watched directory: several if it is mounted at several places.
    paths: HashMap<Mark, BTreeSet<String>>,
    /// The marks that the system still has, although the directory is not known any more.
    unused: BTreeSet<Mark>,
    hasher: RandomState,
    pub(super) links: WatchedLinks,
    /// True if the system had no room to watch some directory.
    pub(super) is_incomplete: bool,
    /// True if the log says that the system has no room.
    pub(super) logged_full: bool,
}

#[derive(Debug)]
struct Known {
    mark: Mark,
    /// Hashes of names, since there may be a million; the lowest bit marks a directory.
    names: HashSet<u64>,
}

impl Seen {
    pub(super) fn has(&self, path: &str) -> bool {
        self.folders.contains_key(path)
    }

    pub(super) fn len(&self) -> usize {
        self.folders.len()
    }

    /// Returns whether the directory that is known at `path` has this mark.
    pub(super) fn is_at(&self, path: &str, mark: &Mark) -> bool {
        self.folders.get(path).is_some_and(|known| known.mark == *mark)
    }

    /// Returns the paths of the directory with this mark.
    pub(super) fn paths_of(&self, mark: &Mark) -> Vec<String> {
        self.paths.get(mark).into_iter().flatten().cloned().collect()
    }

    #[cfg(test)]
    pub(super) fn mark_of(&self, path: &str) -> Mark {
        self.folders[path].mark.clone()
    }

    /// Returns whether an entry of a watched directory was served when it was last looked at.
    pub(super) fn has_entry(&self, folder: &str, name: &str) -> bool {
        let hashes = [EntryKind::File, EntryKind::Folder].map(|kind| self.hash(name, kind));
        let Some(known) = self.folders.get(folder) else { return false };
        hashes.iter().any(|hash| known.names.contains(hash))
    }

    /// Adds a directory that is watched from now on.
    pub(super) fn add(&mut self, path: &str, mark: Mark, entries: &[(String, EntryKind)]) {
        let names = self.hashes(entries);
        self.unused.remove(&mark);
        self.paths.entry(mark.clone()).or_default().insert(path.to_owned());
        self.folders.insert(path.to_owned(), Known { mark, names });
    }

    /// Stores the entries of a watched directory that was read again. Returns whether they changed; a directory that is
    /// not watched may have changed.
    pub(super) fn replace(&mut self, path: &str, entries: &[(String, EntryKind)]) -> bool {
        let names = self.hashes(entries);
        let Some(known) = self.folders.get_mut(path) else { return true };
        mem::replace(&mut known.names, names) != known.names
    }

    /// Stores the present state of an entry, or `None` if it is not served. Returns its former state.
    pub(super) fn note(&mut self, folder: &str, name: &str, now: Option<EntryKind>) -> Option<EntryKind> {
        let [file, directory] = [EntryKind::File, EntryKind::Folder].map(|kind| self.hash(name, kind));
        let names = &mut self.folders.get_mut(folder)?.names;
        let before = if names.remove(&directory) {
            Some(EntryKind::Folder)
        } else {
            names.remove(&file).then_some(EntryKind::File)
        };
        names.extend(now.map(|kind| if kind == EntryKind::Folder { directory } else { file }));
        before
    }

    /// Removes a directory and all below it. Their marks are kept until [`Seen::remove_unused`].
    pub(super) fn forget(&mut self, path: &str) {
        for path in self.below(path) {
            let Some(Known { mark, .. }) = self.folders.remove(&path) else { continue };
            let Some(paths) = self.paths.get_mut(&mark) else { continue };
            paths.remove(&path);
            // A directory that was moved may be watched at its new path already.
            if paths.is_empty() {
                self.paths.remove(&mark);
                self.unused.insert(mark);
            }
        }
    }

    /// Removes some marks that are not used from the system. Returns whether there were any.
    pub(super) fn remove_unused(&mut self, notifier: &Notifier) -> bool {
        let unused = iter::from_fn(|| self.unused.pop_first());
        unused.take(REMOVED_AT_ONCE).map(|mark| notifier.remove(&mark)).count() > 0
    }

    /// Removes a directory that the system no longer watches. Returns its paths.
    pub(super) fn remove_mark(&mut self, mark: &Mark) -> BTreeSet<String> {
        self.unused.remove(mark);
        let paths = self.paths.remove(mark).unwrap_or_default();
        for path in &paths {
            self.folders.remove(path);
        }
        paths
    }

    /// Returns the paths of the watched directories at and below a path.
    pub(super) fn below(&self, path: &str) -> Vec<String> {
        if path.is_empty() {
            return self.folders.keys().cloned().collect();
        }
        let inside = format!("{path}/");
        let all = self.folders.range(inside.clone()..).take_while(|(other, _)| other.starts_with(&inside));
        let own = self.folders.get_key_value(path).into_iter();
        own.chain(all).map(|(path, _)| path.clone()).collect()
    }

    fn hashes(&self, entries: &[(String, EntryKind)]) -> HashSet<u64> {
        entries.iter().map(|(name, kind)| self.hash(name, *kind)).collect()
    }

    fn hash(&self, name: &str, kind: EntryKind) -> u64 {
        self.hasher.hash_one(name) & !1 | u64::from(kind == EntryKind::Folder)
    }
}
