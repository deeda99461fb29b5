//! Watches a folder and announces its changes (`rows.tsv` U-29).
//!
//! The events of the operating system only say where to look. An entry counts as created, removed or edited by whether
//! it was served before and is served now. So it does not matter how a change came about, and hidden and ignored
//! entries are never announced.
//!
//! A directory is watched before any of its entries is shown to a client. The first directories, which are all of most
//! folders, are watched before the folder is served. A thread watches the others afterwards. When it is done, it
//! announces that the list changed, because it cannot know which entries changed in the meantime.

#[cfg(target_os = "linux")]
mod inotify;
mod links;
#[cfg(not(target_os = "linux"))]
mod portable;
mod seen;
mod settling;

#[cfg(target_os = "linux")]
use inotify as system;
#[cfg(not(target_os = "linux"))]
use portable as system;

use super::address::Address;
use super::base::Base;
use super::ignore_file::may_be_ignore_file;
use super::tree::{Entry, EntryKind, Folder, Tree, join};
use crate::log::Severity;
use crate::model::Resource;
use crate::server::{Server, ServerState};
use crate::sync::Gate;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use seen::Seen;
use settling::Settling;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::mem::{replace, take};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use system::{Events, Mark, Notifier};

/// The advice in the log if a folder cannot be watched at all.
pub(super) const MORE_FOLDERS: &str = Notifier::MORE_FOLDERS;

/// At most this many directories are watched before the folder is served.
const AT_START: usize = 256;

/// The greatest number of file events that are kept while directories are read. Beyond it the whole folder is read
/// again.
const TOO_MANY: usize = 100_000;

/// Watches a folder until it is dropped.
#[derive(Debug)]
pub(super) struct Watch(Arc<WatchState>);

struct WatchState {
    base: Arc<Base>,
    server: Weak<ServerState>,
    notifier: Notifier,
    /// The entries that the watched directories had. Locked while a directory is read and the rules are applied, so the
    /// locks of the tree are taken inside it.
    seen: Gate<Seen>,
    /// True if every served directory is watched, except new ones that the thread has not handled yet.
    whole: AtomicBool,
    /// The number of times that anything may have changed.
    epoch: AtomicU64,
    /// The id of the process that watches. A forked child would share the notifier, but does not have the thread.
    process: u32,
}

/// An event of the operating system.
#[derive(Debug)]
enum FileEvent {
    /// An entry of the directory with this mark was created, moved, removed or edited. `moved` is false if it was only
    /// edited.
    Entry { mark: Mark, name: String, moved: bool },
    /// The directory with this mark was removed, or what was mounted there.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "others tell it by the entry"))]
    Gone(Mark),
    /// The folder itself was moved. Its handle moves with it.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "others do not tell it"))]
    RootMoved,
    /// The system dropped events, so anything may have changed.
    Lost,
}

/// The announcements to make once no lock is held.
#[derive(Debug, Default)]
struct Changes {
    /// The changed entries by path, in their present state; `None` if they are removed.
    updated: BTreeMap<String, Option<Resource>>,
    /// Paths where another entry may be, so that every entry below them may have changed.
    within: BTreeSet<String>,
    list: bool,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.updated.is_empty() && self.within.is_empty() && !self.list
    }

    /// Returns whether the entry at a path is announced.
    fn have(&self, path: &str) -> bool {
        let mut around = Path::new(path).ancestors().filter_map(Path::to_str);
        self.updated.contains_key(path) || around.any(|path| self.within.contains(path))
    }

    /// Adds announcements that came later.
    fn add(&mut self, later: Changes) {
        self.updated.extend(later.updated);
        self.within.extend(later.within);
        self.list |= later.list;
    }
}

/// The results of a batch of events.
#[derive(Debug, Default)]
struct Findings {
    changes: Changes,
    /// The paths of directories that are still to be watched.
    todo: Vec<String>,
}

impl Watch {
    /// Begins to watch. Changes are announced once no further one has come for `settle`.
    pub(super) fn start(
        base: Arc<Base>,
        server: &Server,
        root: &Path,
        settle: Duration,
    ) -> io::Result<Watch> {
        let (notifier, events) = Notifier::new(root)?;
        let shared = Arc::new(WatchState::new(base, server.downgrade(), notifier));
        let (todo, changes) = shared.begin(AT_START);
        let watching = shared.clone();
        let run = move || watching.run(events, todo, changes, Settling::new(settle));
        std::thread::Builder::new().name("wellhead-watch".to_owned()).spawn(run)?;
        Ok(Watch(shared))
    }

    /// Watches a directory, so that its changes are announced from now on. Returns true if they were not before.
    pub(super) fn see(&self, folder: &Folder) -> bool {
        self.0.is_ours() && self.0.see(folder).is_some()
    }

    /// Returns whether the directories on the way to an entry still have to be watched one by one, because the thread
    /// has not handled all of them yet.
    pub(super) fn is_partial(&self) -> bool {
        self.0.is_ours() && !self.0.whole.load(Ordering::Acquire)
    }

    /// Returns a number that grows with each change. Findings remain valid as long as it stays the same. Returns `None`
    /// if some directories are not watched.
    #[cfg(feature = "skills")]
    pub(super) fn epoch(&self) -> Option<u64> {
        let all = self.0.is_ours()
            && self.0.whole.load(Ordering::Acquire)
            && !self.0.seen.with(|seen| seen.is_incomplete);
        all.then(|| self.0.epoch.load(Ordering::Acquire))
    }

    /// Notes where a path leads through links. Changes of that entry are announced under `path`, too.
    pub(super) fn link(&self, path: &str) {
        if self.0.is_ours() {
            self.0.note_target(path);
        }
    }

    /// Returns whether a client ever asked for an entry behind a link.
    pub(super) fn has_links(&self) -> bool {
        self.0.is_ours() && self.0.seen.with(|seen| seen.links.were_used())
    }

    #[cfg(test)]
    pub(super) fn links(&self) -> usize {
        self.0.seen.with(|seen| seen.links.len())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.0.is_ours() {
            self.0.notifier.stop();
        }
    }
}

impl WatchState {
    fn new(base: Arc<Base>, server: Weak<ServerState>, notifier: Notifier) -> WatchState {
        let (seen, whole) = (Gate::default(), AtomicBool::new(false));
        let epoch = AtomicU64::new(0);
        WatchState { base, server, notifier, seen, whole, epoch, process: std::process::id() }
    }

    fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    /// Watches the first directories, up to `at_most`. Returns the paths of those that are left, and the announcements
    /// to make afterwards.
    fn begin(&self, at_most: usize) -> (Vec<String>, Changes) {
        let mut todo = vec![String::new()];
        for _ in 0..at_most {
            let Some(path) = todo.pop() else { break };
            todo.extend(self.read_folder(&path));
        }
        let list = !todo.is_empty();
        self.whole.store(!list, Ordering::Release);
        (todo, Changes { list, ..Changes::default() })
    }

    fn run(&self, mut system: Events, mut todo: Vec<String>, mut changes: Changes, mut settling: Settling) {
        let mut events = Vec::new();
        let mut removes = false;
        if !changes.is_empty() {
            settling.changed(Instant::now());
        }
        loop {
            let busy = !todo.is_empty() || !events.is_empty() || removes;
            let time = if busy { Some(Duration::ZERO) } else { settling.left(Instant::now()) };
            if !system.wait(time, &mut events) {
                return;
            }
            if !events.is_empty() {
                self.epoch.fetch_add(1, Ordering::AcqRel);
            }
            if events.len() > TOO_MANY {
                events = vec![FileEvent::Lost];
            }
            if let Some(path) = todo.pop() {
                todo.extend(self.read_folder(&path));
                self.epoch.fetch_add(1, Ordering::AcqRel); // it changed unwatched until now
            } else {
                let found = self.understand(take(&mut events));
                todo.extend(found.todo);
                if !found.changes.is_empty() {
                    settling.changed(Instant::now());
                    changes.add(found.changes);
                }
            }
            let Some(server) = self.server.upgrade().map(Server::from_state) else { return };
            // A client that lists again after the notification must miss nothing: all that is new is watched first.
            if todo.is_empty() {
                self.whole.store(true, Ordering::Release);
                removes = self.seen.with(|seen| seen.remove_unused(&self.notifier));
                if settling.is_settled(Instant::now()) {
                    self.announce(&server, take(&mut changes));
                }
            }
        }
    }

    /// Watches a directory. Returns the paths of the directories in it if it was not watched before.
    fn see(&self, folder: &Folder) -> Option<Vec<String>> {
        let added = self.seen.with(|seen| {
            if seen.has(&folder.path) {
                return Ok(None);
            }
            let mut mark = self.notifier.add(folder);
            if mark.as_ref().is_err_and(Notifier::is_full) && seen.remove_unused(&self.notifier) {
                mark = self.notifier.add(folder);
            }
            let mark = match mark {
                Ok(mark) => mark,
                // The system may have room for the next one, so that is tried, too.
                Err(e) if Notifier::is_full(&e) => {
                    seen.is_incomplete = true;
                    let was_logged = replace(&mut seen.logged_full, true);
                    return if was_logged { Ok(None) } else { Err(seen.len()) };
                }
                Err(_) => return Ok(None),
            };
            let entries = self.base.tree.entries(folder).unwrap_or_default();
            seen.add(&folder.path, mark, &entries);
            Ok(Some(entries))
        });
        match added {
            Ok(entries) => Some(folders(folder, entries?)),
            Err(watched) => {
                self.log(&format!(
                    "clients are notified of changes in {watched} directories only, the system watches no more: {}",
                    Notifier::MORE
                ));
                None
            }
        }
    }

    /// Reads the directory at `path`; returns the paths of the directories in it.
    fn read_folder(&self, path: &str) -> Vec<String> {
        let Some(folder) = self.base.tree.folder(path) else { return Vec::new() };
        self.seen.with(|seen| {
            // It may have been moved away before the directory that it was in was watched.
            let is_other = |mark| !seen.is_at(path, &mark);
            if seen.has(path) && self.notifier.add(&folder).is_ok_and(is_other) {
                seen.forget(path);
            }
        });
        match self.see(&folder) {
            Some(inside) => inside,
            // There is no room for the directories in it, either.
            None if self.seen.with(|seen| seen.is_incomplete && !seen.has(path)) => Vec::new(),
            None => folders(&folder, self.base.tree.entries(&folder).unwrap_or_default()),
        }
    }

    /// Turns events of the system into announcements and directories to watch.
    fn understand(&self, events: Vec<FileEvent>) -> Findings {
        let mut found = Findings::default();
        let mut entries: BTreeMap<Mark, BTreeMap<String, bool>> = BTreeMap::new();
        for event in events {
            match event {
                FileEvent::Entry { mark, name, moved } => {
                    *entries.entry(mark).or_default().entry(name).or_default() |= moved;
                }
                FileEvent::Gone(mark) => {
                    for path in self.seen.with(|seen| seen.remove_mark(&mark)) {
                        // Another directory may be there: the one below a mount, of which no other event tells.
                        if self.base.tree.folder(&path).is_some() {
                            self.replaced(path, &mut found);
                        }
                    }
                }
                FileEvent::RootMoved => self.log(&format!(
                    "{} was moved, and clients still get its entries at the new place: to serve another folder at that \
                     path, restart the server or register the folder again",
                    self.base.address.uri("")
                )),
                FileEvent::Lost => {
                    self.whole.store(false, Ordering::Release);
                    self.seen.with(|seen| {
                        seen.forget("");
                        seen.is_incomplete = false;
                    });
                    self.replaced(String::new(), &mut found);
                }
            }
        }
        for (mark, names) in entries {
            let paths = self.seen.with(|seen| seen.paths_of(&mark));
            for folder in paths.iter().filter_map(|path| self.base.tree.folder(path)) {
                for (name, moved) in &names {
                    self.understand_entry(&folder, name, *moved, &mut found);
                }
            }
        }
        found
    }

    /// Notes that a directory and all below it may be others now.
    fn replaced(&self, path: String, found: &mut Findings) {
        found.changes.list = true;
        found.changes.within.insert(path.clone());
        found.changes.updated.insert(path.clone(), self.describe(&path));
        found.todo.push(path);
    }

    /// Turns an event of an entry into announcements.
    fn understand_entry(&self, folder: &Folder, name: &str, moved: bool, found: &mut Findings) {
        // An event may have the spelling that the other program used.
        let own = self.base.tree.own_name(folder, name).unwrap_or_default();
        if may_be_ignore_file(own.as_deref().unwrap_or(name)) {
            return self.judge_again(folder, found);
        }
        let is_known = self.seen.with(|seen| seen.has_entry(&folder.path, name));
        let may_be_served = !name.starts_with('.'); // as each other spelling of it does
        if own.is_none() && moved && !is_known && may_be_served && Tree::has_other_spellings(folder) {
            return self.read_again(folder, vec![folder.path.clone()], found);
        }
        self.compare(folder, name, moved, found);
        if let Some(own) = own.filter(|own| *own != name) {
            self.compare(folder, &own, moved, found);
        }
    }

    /// Compares the former state of an entry with its present one, and adds the announcements.
    fn compare(&self, folder: &Folder, name: &str, moved: bool, found: &mut Findings) {
        let path = join(&folder.path, name);
        let entry = self.base.tree.own_child(folder, name).unwrap_or_default();
        let kind = entry.as_ref().map(|entry| entry.kind_at(&path));
        let same = self.seen.with(|seen| {
            let former = seen.note(&folder.path, name, kind);
            let same = former == kind && !(moved && kind == Some(EntryKind::Folder));
            if former == Some(EntryKind::Folder) && !same {
                seen.forget(&path);
            }
            same
        });
        match kind {
            // A client subscribes to it, so it may have been created and removed at once: that is a change.
            None if same && moved && !self.subscribed(&path).is_empty() => {}
            None if same => return,
            Some(EntryKind::Folder) if same => {
                // Its rights may have changed. Elsewhere each change in a directory may come as one of its attributes.
                if let Some(Entry::Folder(inside, _)) = entry.filter(|_| cfg!(target_os = "linux")) {
                    self.read_again(&inside, vec![path], found);
                }
                return;
            }
            Some(EntryKind::Folder) => found.todo.push(path.clone()),
            _ => {}
        }
        let changes = &mut found.changes;
        if self.base.lists == Some(name) {
            changes.list = true;
        }
        if !same || moved {
            changes.within.insert(path.clone()); // a link may lead elsewhere now
        }
        if !same || kind.is_none() {
            changes.list = true;
            let described = || self.describe(&folder.path);
            changes.updated.entry(folder.path.clone()).or_insert_with(described);
        }
        let now = entry.map(|entry| self.base.describe(&path, entry.kind(), entry.metadata()));
        changes.updated.insert(path, now);
    }

    /// Reads a directory and those below it again, after their rules changed.
    fn judge_again(&self, folder: &Folder, found: &mut Findings) {
        let below = self.seen.with(|seen| seen.below(&folder.path));
        self.read_again(folder, below, found);
    }

    /// Reads the directories at these paths again, which are at and below a folder.
    fn read_again(&self, folder: &Folder, paths: Vec<String>, found: &mut Findings) {
        let mut other = false;
        for path in paths {
            let Some(folder) = self.base.tree.folder(&path) else {
                self.seen.with(|seen| seen.forget(&path));
                other = true;
                continue;
            };
            let entries = self.base.tree.entries(&folder).unwrap_or_default();
            if self.seen.with(|seen| seen.replace(&path, &entries)) {
                other = true;
                found.todo.push(path);
            }
        }
        if other {
            found.changes.list = true;
            found.changes.within.insert(folder.path.clone());
            found.changes.updated.insert(folder.path.clone(), self.describe(&folder.path));
        }
    }

    /// Returns the paths at and below `path` that have a subscriber.
    fn subscribed(&self, path: &str) -> Vec<String> {
        let Some(server) = self.server.upgrade() else { return Vec::new() };
        let address = &self.base.address;
        let own = Address::spellings(address.uri(path)).filter(|uri| server.hub.is_watched(uri));
        let mut uris: Vec<Arc<str>> = own.map(Arc::from).collect();
        uris.extend(
            Address::spellings(address.inside(path)).flat_map(|inside| server.hub.watched_within(&inside)),
        );
        uris.iter().filter_map(|uri| address.parse(uri)).map(|target| target.path).collect()
    }

    /// Notes where a path leads through links now, and returns that.
    fn note_target(&self, path: &str) -> Option<String> {
        // Dropped without the gate, because it may be the last reference.
        let server = self.server.upgrade()?;
        let is_subscribed = |path: &str| {
            Address::spellings(self.base.address.uri(path)).any(|uri| server.hub.is_watched(&uri))
        };
        self.seen.with(|seen| {
            // Found with the gate held, so that no thread notes an older place after this one.
            let really = self.base.tree.find(path).unwrap_or_default().map(|entry| entry.path());
            seen.links.set(path, really.clone(), is_subscribed);
            really
        })
    }

    /// Returns the paths through links that lead to a changed entry, or to another entry than before, except those that
    /// are announced anyway. Notes where they lead now.
    fn changed_links(&self, changes: &Changes) -> Vec<String> {
        let mut links = self.seen.with(|seen| seen.links.targets().clone());
        for path in changes.within.iter().flat_map(|path| self.subscribed(path)) {
            links.entry(path.clone()).or_insert(Some(path)); // it may have become one through a link
        }
        let is_changed = |path: &str, before: Option<String>| {
            let is_elsewhere = !changes.within.is_empty() && self.note_target(path) != before;
            is_elsewhere || before.is_some_and(|really| changes.have(&really))
        };
        let links = links.into_iter().filter_map(|(path, before)| is_changed(&path, before).then_some(path));
        links.filter(|path| !changes.have(path)).collect()
    }

    fn describe(&self, path: &str) -> Option<Resource> {
        let entry = self.base.tree.find(path).ok()??;
        Some(self.base.describe(path, entry.kind(), entry.metadata()))
    }

    /// Announces changes. Only a closed server refuses announcements, and it has no clients to notify.
    fn announce(&self, server: &Server, changes: Changes) {
        let links = self.changed_links(&changes).into_iter().map(|path| (path, None));
        for (path, mut now) in changes.updated.into_iter().chain(links) {
            for uri in Address::spellings(self.base.address.uri(&path)) {
                let _ = match now.take_if(|resource| *resource.uri() == *uri) {
                    Some(resource) => server.notify_updated_with_resource(resource),
                    None => server.notify_updated(&uri),
                };
            }
        }
        for path in changes.within {
            for prefix in Address::spellings(self.base.address.inside(&path)) {
                server.updated_within(&prefix);
            }
        }
        if changes.list {
            let _ = server.notify_resource_list_changed();
        }
    }

    fn log(&self, line: &str) {
        if let Some(server) = self.server.upgrade() {
            Server::from_state(server).log_line(Severity::Warning, line);
        }
    }
}

impl std::fmt::Debug for WatchState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WatchState").field("base", &self.base).finish_non_exhaustive()
    }
}

/// Returns the paths of the directories among the entries of a folder.
fn folders(folder: &Folder, entries: Vec<(String, EntryKind)>) -> Vec<String> {
    let inside = entries.into_iter().filter(|(_, kind)| *kind == EntryKind::Folder);
    inside.map(|(name, _)| join(&folder.path, &name)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::open_dir::{LOOKUP, OpenDir};
    use super::super::{Directory, rules::Rules, tests::lookup};
    use super::*;
    use crate::log::Log;

    /// A folder with a file `d/a`, watched without a thread; its events, and the URI of that file.
    fn watched(around: &Path, server: &Server) -> (WatchState, Events, String) {
        let root = around.canonicalize().unwrap();
        std::fs::create_dir(root.join("d")).unwrap();
        std::fs::write(root.join("d/a"), "").unwrap();
        server.directory(Directory::new(&root).watch(false)).unwrap();
        let address = Address::new(&root).unwrap();
        let uri = address.uri("d/a");
        let rules = Rules::new(&root, &[], &[], Log::default()).unwrap();
        let tree = Tree::new(OpenDir::open(&root).unwrap(), rules, u64::MAX);
        let base = Arc::new(Base { name: "root".to_owned(), address, tree, lists: None });
        let (notifier, events) = Notifier::new(&root).unwrap();
        (WatchState::new(base, server.downgrade(), notifier), events, uri)
    }

    // row: U-29
    #[test]
    fn a_folder_of_few_directories_is_watched_before_it_is_served() {
        let around = tempfile::tempdir().unwrap();
        let server = Server::new("test", "1");
        let (shared, ..) = watched(around.path(), &server);
        let (todo, changes) = shared.begin(2);
        assert_eq!((todo, changes.list), (vec![], false));
        assert!(shared.whole.load(Ordering::Acquire));
    }

    // row: U-29
    #[test]
    fn subscribers_of_lists_are_notified_when_the_last_directory_of_a_large_folder_is_watched() {
        let around = tempfile::tempdir().unwrap();
        let server = Server::new("test", "1");
        let (shared, ..) = watched(around.path(), &server);
        let (todo, changes) = shared.begin(1);
        assert_eq!((todo, changes.list), (vec!["d".to_owned()], true));
        assert!(!shared.whole.load(Ordering::Acquire));
    }

    // row: U-29
    #[test]
    fn all_subscribers_are_notified_when_the_system_has_lost_changes() {
        let around = tempfile::tempdir().unwrap();
        let server = Server::new("test", "1");
        let (shared, _events, uri) = watched(around.path(), &server);
        let mut client = server.test_client().unwrap();
        client.subscribe(&uri).unwrap();
        let mut client_of_root = server.test_client().unwrap();
        let root = shared.base.address.uri("");
        client_of_root.subscribe(&root).unwrap();
        assert_eq!(shared.read_folder(""), ["d"]);
        assert_eq!(shared.read_folder("d"), Vec::<String>::new());

        let found = shared.understand(vec![FileEvent::Lost]);
        assert_eq!(found.todo, [""], "everything is to be seen again");
        assert_eq!(shared.seen.with(|seen| seen.len()), 0);
        shared.announce(&server, found.changes);
        assert_eq!(client.next_update().unwrap(), uri);
        assert_eq!(client.list_changes().unwrap(), 1);
        assert_eq!(client_of_root.next_update().unwrap(), root);
    }

    /// Watches the directories at these paths and those below them, as the thread does.
    #[cfg(target_os = "linux")]
    fn read_all(shared: &WatchState, mut todo: Vec<String>) {
        while let Some(path) = todo.pop() {
            todo.extend(shared.read_folder(&path));
        }
    }

    // row: U-29
    #[test]
    #[cfg(target_os = "linux")] // elsewhere a whole tree is watched at once
    fn directories_are_watched_again_when_the_system_has_room_again() {
        let around = tempfile::tempdir().unwrap();
        let log = Arc::new(std::sync::Mutex::new(Vec::new()));
        let sink = log.clone();
        let server =
            Server::builder("test", "1").on_log(move |_, line| sink.lock().unwrap().push(line.to_owned()));
        let server = server.build().unwrap();
        let (shared, mut system, _) = watched(around.path(), &server);
        let is_watched = |path| shared.seen.with(|seen| seen.has(path));
        let is_incomplete = || shared.seen.with(|seen| seen.is_incomplete);
        read_all(&shared, vec![String::new()]);
        assert!(is_watched("d") && !is_incomplete());

        std::fs::create_dir(around.path().join("e")).unwrap();
        inotify::IS_FULL.set(true);
        read_all(&shared, vec!["e".to_owned()]);
        assert!(!is_watched("e") && is_incomplete());

        std::fs::rename(around.path().join("d"), around.path().join("f")).unwrap();
        let mut events = Vec::new();
        assert!(system.wait(None, &mut events));
        let found = shared.understand(events);
        inotify::IS_FULL.set(false); // there is room for one
        read_all(&shared, vec!["f".to_owned()]);
        inotify::IS_FULL.set(true);
        assert!(is_watched("f"), "the directory that was renamed");
        read_all(&shared, found.todo);
        assert!(is_incomplete(), "another one is still not watched");

        inotify::IS_FULL.set(false);
        read_all(&shared, shared.understand(vec![FileEvent::Lost]).todo);
        assert!(["", "e", "f"].iter().all(|path| is_watched(path)) && !is_incomplete());
        assert_eq!(log.lock().unwrap().len(), 1, "{log:?}");
    }

    // row: U-29
    #[test]
    #[cfg(target_os = "linux")] // elsewhere a whole tree is watched at once
    fn marks_are_removed_a_few_at_a_time_and_only_those_of_directories_that_are_gone() {
        let (around, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let server = Server::new("test", "1");
        let (shared, mut system, _) = watched(around.path(), &server);
        for n in 0..100 {
            std::fs::create_dir(around.path().join(format!("d/{n}"))).unwrap();
        }
        read_all(&shared, vec![String::new()]);
        let mut reported = || {
            let mut events = Vec::new();
            assert!(system.wait(Some(Duration::ZERO), &mut events));
            events
        };
        let remove_unused = || shared.seen.with(|seen| seen.remove_unused(&shared.notifier));

        let lost = shared.understand(vec![FileEvent::Lost]);
        assert!(reported().is_empty(), "the queue that was full does not fill again");
        read_all(&shared, lost.todo);
        assert!(!remove_unused(), "each directory is there as before");

        std::fs::rename(around.path().join("d"), elsewhere.path().join("d")).unwrap();
        shared.understand(reported());
        let mut removed = Vec::new();
        while remove_unused() {
            let events = reported();
            assert!(events.iter().all(|event| matches!(event, FileEvent::Gone(_))), "{events:?}");
            removed.push(events.len());
        }
        assert_eq!(removed, [64, 37]);
        std::fs::write(elsewhere.path().join("d/a"), "again").unwrap();
        assert!(reported().is_empty(), "it is not watched any more");
    }

    // row: U-29
    #[test]
    #[cfg(target_os = "linux")] // elsewhere a whole tree is watched at once
    fn a_directory_is_watched_and_announced_when_its_rights_allow_it() {
        use std::os::unix::fs::PermissionsExt;
        let around = tempfile::tempdir().unwrap();
        let server = Server::new("test", "1");
        let (shared, mut system, _) = watched(around.path(), &server);
        shared.read_folder(""); // not `d`, as if it could not be watched
        let mut allow = |mode| {
            let rights = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(around.path().join("d"), rights).unwrap();
            let mut events = Vec::new();
            assert!(system.wait(None, &mut events));
            let Findings { changes, todo } = shared.understand(events);
            let updated: Vec<_> = changes.updated.into_keys().collect();
            assert_eq!(Vec::from_iter(changes.within), updated);
            (updated, changes.list, todo)
        };
        let d = || vec!["d".to_owned()];
        assert_eq!(allow(0o700), (d(), true, d()));
        read_all(&shared, d());
        assert_eq!(allow(0o755), (vec![], false, vec![]), "its entries are the same");
    }

    // row: U-29
    #[test]
    #[cfg(target_os = "linux")] // elsewhere the system tells of a mount by the entry, or not at all
    fn the_directory_below_a_mount_is_watched_and_announced_when_the_mount_is_gone() {
        let around = tempfile::tempdir().unwrap();
        let server = Server::new("test", "1");
        let (shared, mut system, _) = watched(around.path(), &server);
        shared.begin(AT_START);
        let mark = shared.seen.with(|seen| seen.mark_of("d"));
        shared.notifier.remove(&mark); // as the system does
        let mut reported = || {
            let mut events = Vec::new();
            assert!(system.wait(None, &mut events));
            let Findings { changes, todo } = shared.understand(events);
            (changes.updated.into_keys().collect::<Vec<_>>(), Vec::from_iter(changes.within), todo)
        };
        let d = || vec!["d".to_owned()];
        assert_eq!(reported(), (d(), d(), d()));
        read_all(&shared, d());
        std::fs::write(around.path().join("d/a"), "again").unwrap();
        assert_eq!(reported().0, ["d/a"], "it is watched");
    }

    // row: U-29
    #[test]
    #[cfg(target_os = "linux")] // elsewhere the system does not tell it
    fn the_log_says_that_a_folder_was_moved() {
        let around = tempfile::tempdir().unwrap();
        let log = Arc::new(std::sync::Mutex::new(Vec::new()));
        let sink = log.clone();
        let server =
            Server::builder("test", "1").on_log(move |_, line| sink.lock().unwrap().push(line.to_owned()));
        let server = server.build().unwrap();
        let root = around.path().join("site");
        std::fs::create_dir(&root).unwrap();
        let (shared, mut system, _) = watched(&root, &server);
        shared.begin(AT_START);
        std::fs::rename(root.join("d"), root.join("e")).unwrap();
        std::fs::rename(&root, around.path().join("old")).unwrap();
        let mut events = Vec::new();
        assert!(system.wait(None, &mut events));
        shared.understand(events);
        let log = log.lock().unwrap();
        assert!(log.len() == 1 && log[0].contains("/site was moved"), "{log:?}");
    }

    // row: U-29
    #[test]
    #[cfg(target_os = "linux")] // elsewhere a directory is known by its path
    fn a_directory_at_two_paths_is_announced_under_both() {
        let around = tempfile::tempdir().unwrap();
        let server = Server::new("test", "1");
        let (shared, mut system, _) = watched(around.path(), &server);
        std::fs::create_dir(around.path().join("e")).unwrap();
        std::fs::write(around.path().join("e/a"), "").unwrap();
        let mut d = shared.base.tree.folder("d").unwrap();
        assert!(shared.see(&d).is_some());
        d.path = "e".to_owned(); // as if `d` was mounted there, too
        assert!(shared.see(&d).is_some());
        let reported = |system: &mut Events| {
            std::fs::write(around.path().join("d/a"), "again").unwrap();
            let mut events = Vec::new();
            assert!(system.wait(None, &mut events));
            let changes = shared.understand(events).changes;
            changes.updated.into_keys().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(reported(&mut system), "d/a e/a");
        shared.seen.with(|seen| seen.forget("e"));
        assert_eq!(reported(&mut system), "d/a", "it is still watched");
    }

    // row: U-29
    #[test]
    #[cfg(target_os = "linux")] // elsewhere a directory is known by its path
    fn a_directory_that_takes_the_place_of_a_moved_one_is_watched() {
        let around = tempfile::tempdir().unwrap();
        let server = Server::new("test", "1");
        let (shared, mut system, _) = watched(around.path(), &server);
        // A client reads it, it is moved, and only then the thread reads the directory around it.
        assert!(shared.see(&shared.base.tree.folder("d").unwrap()).is_some());
        std::fs::rename(around.path().join("d"), around.path().join("e")).unwrap();
        read_all(&shared, vec![String::new()]);
        std::fs::create_dir(around.path().join("d")).unwrap();
        let mut reported = || {
            let mut events = Vec::new();
            assert!(system.wait(None, &mut events));
            let found = shared.understand(events);
            (found.changes.updated.into_keys().collect::<Vec<_>>().join(" "), found.todo)
        };
        let (changes, todo) = reported();
        assert_eq!(changes, " d");
        read_all(&shared, todo);
        assert!(shared.seen.with(|seen| seen.mark_of("d") != seen.mark_of("e")));
        std::fs::write(around.path().join("d/b"), "").unwrap();
        assert_eq!(reported().0, "d d/b");
        std::fs::write(around.path().join("e/a"), "").unwrap();
        assert_eq!(reported().0, "e/a");
    }

    // row: U-29
    #[test]
    #[cfg(target_os = "linux")] // elsewhere events come when they come, not all before the next call returns
    fn a_subscriber_is_notified_of_an_entry_that_is_created_and_removed_at_once() {
        let around = tempfile::tempdir().unwrap();
        let server = Server::new("test", "1");
        let (shared, mut system, uri) = watched(around.path(), &server);
        shared.begin(AT_START);
        let mut client = server.test_client().unwrap();
        let reported = |system: &mut Events| {
            let mut events = Vec::new();
            while events.is_empty() {
                assert!(system.wait(None, &mut events));
            }
            let changes = shared.understand(events).changes;
            (changes.updated.into_keys().collect::<Vec<_>>(), changes.list)
        };
        let new = around.path().join("d/new");
        std::fs::write(&new, "").unwrap();
        std::fs::remove_file(&new).unwrap();
        assert_eq!(reported(&mut system), (vec![], false), "no client subscribed");
        std::fs::write(&new, "").unwrap();
        client.subscribe(&uri.replace("d/a", "d/new")).unwrap();
        std::fs::remove_file(&new).unwrap();
        assert_eq!(reported(&mut system), (vec!["d".to_owned(), "d/new".to_owned()], true));
    }

    // row: U-29
    #[test]
    fn a_change_under_another_spelling_is_announced_for_the_name_in_the_directory() {
        let around = tempfile::tempdir().unwrap();
        let root = around.path();
        let server = Server::new("test", "1");
        LOOKUP.set(Some(lookup));
        let (shared, ..) = watched(root, &server);
        LOOKUP.set(None);
        std::fs::write(root.join("d/b"), "").unwrap();
        shared.begin(AT_START);
        let reported = |names: &[&str], moved| {
            let mark = shared.seen.with(|seen| seen.mark_of("d"));
            let event =
                |name: &&str| FileEvent::Entry { mark: mark.clone(), name: (*name).to_owned(), moved };
            let changes = shared.understand(names.iter().map(event).collect()).changes;
            (changes.updated.into_keys().collect::<Vec<_>>().join(" "), changes.list)
        };
        assert_eq!(reported(&["A"], false), ("d/a".to_owned(), false), "edited");
        std::fs::rename(root.join("d/b"), root.join("d/c")).unwrap();
        std::fs::rename(root.join("d/c"), root.join("d/B")).unwrap(); // Wine sees no change of case alone
        assert_eq!(reported(&["b", "B"], true), ("d d/B d/b".to_owned(), true), "renamed");
        std::fs::remove_file(root.join("d/a")).unwrap();
        assert_eq!(reported(&["A"], true), ("d".to_owned(), true), "removed");
        assert_eq!(reported(&[".swap"], true), (String::new(), false), "nothing");
    }
}
