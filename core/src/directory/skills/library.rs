//! Finds the skills of a folder, and remembers their entries as long as their files do not change.
//!
//! A file is hashed again only if its stamp differs. If every directory is watched for changes, stamps are compared
//! only after a change.

use super::front_matter::{Flaw, FrontMatter};
use super::hash::{hash, hash_and_keep};
use crate::directory::base::Base;
use crate::directory::stamp::Stamp;
use crate::directory::tree::{DEEPEST, Entry, EntryKind, Folder, join};
use crate::directory::watch::Watch;
use crate::encode::quote_into;
use crate::log::{Log, Severity, printable};
use crate::model::{MAX_BYTES, MAX_FILES};
use crate::sync::Lock;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;

/// The file that makes a directory a skill.
pub(super) const SKILL_MD: &str = "SKILL.md";

/// Logged flaws are remembered, so that each is logged once. After this many, all are forgotten.
const REMEMBERED: usize = 10_000;

/// A skill as it was when its files were read.
#[derive(Debug)]
pub(super) struct Skill {
    /// The URI of its `SKILL.md`.
    pub(super) uri: String,
    /// The beginning of the paths in its directory: that of the directory and a slash, or "" for the root.
    inside: String,
    pub(super) front: FrontMatter,
    /// The files of the skill by path, in the order of their bytes.
    pub(super) files: BTreeMap<String, SkillFile>,
    /// The files' URIs, in the order of their bytes.
    pub(super) uris: Arc<[Arc<str>]>,
    /// The members of the skill's entry after `uri`, as JSON.
    pub(super) json: Vec<u8>,
}

impl Skill {
    /// Returns whether the file at `path` is the skill's own `SKILL.md`, and not that of a skill inside.
    pub(super) fn is_its_own(&self, path: &str) -> bool {
        path.strip_prefix(&*self.inside) == Some(SKILL_MD)
    }
}

#[derive(Debug, Clone)]
pub(super) struct SkillFile {
    pub(super) stamp: Stamp,
    pub(super) digest: [u8; 32],
    pub(super) size: u64,
    /// True if the stamp differs from that of every later state of the file.
    pub(super) settled: bool,
}

/// A directory with a `SKILL.md`: its skill, or why it is none.
pub(super) type SkillOrFlaws = Result<Arc<Skill>, Arc<[Flaw]>>;

/// Says when the stamps of a skill's files are compared with those that were stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    /// Only if the watch reports a change, or if not every directory is watched.
    AfterChanges,
    Always,
}

/// The skills of a folder.
#[derive(Debug)]
pub(super) struct Library {
    pub(super) base: Arc<Base>,
    pub(super) watch: Option<Watch>,
    root: PathBuf,
    /// The greatest length of a URI in bytes. A skill with a file whose URI is longer is refused.
    max_uri_bytes: usize,
    log: Log,
    found: Lock<Option<FoundDirectories>>,
    known: Lock<BTreeMap<String, Remembered>>,
    complained: Lock<HashSet<String>>,
}

/// URIs of `SKILL.md` and paths of their directories, in the order of the URIs.
type Directories = Arc<[(String, String)]>;

/// The results of a walk through the folder.
#[derive(Debug, Clone)]
struct FoundDirectories {
    /// The epoch of the watch at which the walk began.
    epoch: u64,
    /// The directories with a `SKILL.md`.
    directories: Directories,
    /// The paths of what the system failed to read. That may pass while the epoch stays the same.
    unreadable: Arc<[String]>,
}

#[derive(Debug, Clone)]
struct Remembered {
    /// The epoch of the watch at which the stamps were last compared; `None` if they are compared each time.
    epoch: Option<u64>,
    /// The stamps of the files, by path.
    stamps: BTreeMap<String, Stamp>,
    /// True if a reading of files with the same stamps finds the same.
    settled: bool,
    found: SkillOrFlaws,
    /// The files that were read of a directory that is no skill, so that the next attempt need not read them again.
    read: Arc<ReadFiles>,
}

impl Remembered {
    /// Returns what was read of the files that are unchanged since.
    fn unchanged(&self, files: &BTreeMap<String, UnreadFile>) -> ReadFiles {
        let (front, read) = match &self.found {
            Ok(skill) => (Some(&skill.front), &skill.files),
            Err(_) => (self.read.front.as_ref(), &self.read.files),
        };
        let is_unchanged = |path: &str, file: &SkillFile| {
            file.settled && files.get(path).is_some_and(|now| now.stamp == file.stamp)
        };
        let unchanged = read.iter().filter(|(path, file)| is_unchanged(path, file));
        ReadFiles {
            front: front.cloned(),
            files: unchanged.map(|(path, file)| (path.clone(), file.clone())).collect(),
        }
    }
}

/// The files that were read in a directory.
#[derive(Debug, Default)]
struct ReadFiles {
    /// The front matter of `SKILL.md`. Valid only if `files` has that file.
    front: Option<FrontMatter>,
    files: BTreeMap<String, SkillFile>,
}

/// A file of a skill, found but not read.
pub(super) struct UnreadFile {
    pub(super) folder: Folder,
    pub(super) name: String,
    stamp: Stamp,
}

impl Library {
    pub(super) fn new(
        base: Arc<Base>,
        watch: Option<Watch>,
        root: PathBuf,
        max_uri_bytes: usize,
        log: Log,
    ) -> Library {
        let (found, known, complained) = (Lock::default(), Lock::default(), Lock::default());
        Library { base, watch, root, max_uri_bytes, log, found, known, complained }
    }

    fn epoch(&self) -> Option<u64> {
        self.watch.as_ref().and_then(Watch::epoch)
    }

    /// Watches a directory, so that its changes are announced from now on.
    pub(super) fn see(&self, folder: &Folder) {
        if let Some(watch) = &self.watch {
            watch.see(folder);
        }
    }

    /// Returns the directories with a `SKILL.md`, also those that are no valid skills, in the order of its URI.
    pub(super) fn directories(&self) -> io::Result<Directories> {
        let epoch = self.epoch();
        let known = self.found.with(|found, _| found.clone());
        if let (Some(epoch), Some(found)) = (epoch, known)
            && epoch == found.epoch
            && !found.unreadable.iter().any(|path| self.is_readable(path))
        {
            return Ok(found.directories);
        }
        let mut flaws = Vec::new();
        let directories = self.find(&mut flaws)?;
        for flaw in &flaws {
            match &flaw.path {
                Some(path) => self.complain(path, &format!("it {}", flaw.what)),
                None => self.complain("", &flaw.what),
            }
        }
        for (_, what) in self.same_names(&directories) {
            self.log_once(&what);
        }
        let directories: Directories = directories.into();
        let unreadable = flaws.into_iter().filter_map(|flaw| flaw.path).collect();
        let kept =
            epoch.map(|epoch| FoundDirectories { epoch, directories: directories.clone(), unreadable });
        self.found.with(|found, trash| trash.put(std::mem::replace(found, kept)));
        let paths: BTreeSet<&str> = directories.iter().map(|(_, path)| &**path).collect();
        self.known.with(|known, _| known.retain(|path, _| paths.contains(&**path)));
        Ok(directories)
    }

    /// Returns everything that is wrong with the skills, and how many directories have a `SKILL.md`.
    pub(super) fn check(&self) -> io::Result<(usize, Vec<Flaw>)> {
        let mut flaws = Vec::new();
        let directories = self.find(&mut flaws)?;
        flaws.extend(
            self.same_names(&directories).map(|(path, what)| Flaw::in_file(join(path, SKILL_MD), what)),
        );
        for (_, directory) in &directories {
            let Err(found) = self.skill(directory, Compared::Always) else { continue };
            flaws.extend(
                found
                    .iter()
                    .cloned()
                    .map(|flaw| Flaw { path: flaw.path.or_else(|| Some(join(directory, SKILL_MD))), ..flaw }),
            );
        }
        Ok((directories.len(), flaws))
    }

    /// Finds the directories with a `SKILL.md`, in the order of its URI. Adds those that cannot be read to `flaws`.
    fn find(&self, flaws: &mut Vec<Flaw>) -> io::Result<Vec<(String, String)>> {
        let mut directories = Vec::new();
        self.collect(&self.base.tree.root(), &mut directories, flaws)?;
        directories.sort_unstable();
        Ok(directories)
    }

    fn collect(
        &self,
        folder: &Folder,
        directories: &mut Vec<(String, String)>,
        flaws: &mut Vec<Flaw>,
    ) -> io::Result<()> {
        self.see(folder);
        let list = self.base.tree.list(folder)?;
        let links = list.unresolved.iter().filter(|(name, _)| name == SKILL_MD);
        flaws.extend(links.map(|(name, e)| Flaw::unreadable(join(&folder.path, name), e)));
        for (name, kind) in list.entries {
            if kind == EntryKind::File && name == SKILL_MD {
                directories.push((self.uri_of(&folder.path), folder.path.clone()));
            } else if kind == EntryKind::Folder {
                let read = self.base.tree.child(folder, &name).and_then(|child| match child {
                    Some(Entry::Folder(next, _)) => self.collect(&next, directories, flaws),
                    Some(Entry::File(..)) | None => Ok(()),
                });
                if let Err(e) = read {
                    flaws.push(Flaw::unreadable(join(&folder.path, &name), &e));
                }
            }
        }
        Ok(())
    }

    /// Returns whether the system can read a file or directory that a walk failed to read.
    fn is_readable(&self, path: &str) -> bool {
        match self.base.tree.find(path) {
            Ok(Some(Entry::Folder(folder, _))) => self.base.tree.entries(&folder).is_ok(),
            Ok(_) => true,
            Err(_) => false,
        }
    }

    /// Returns the URI of the `SKILL.md` of a directory.
    pub(super) fn uri_of(&self, directory: &str) -> String {
        self.base.address.uri(&join(directory, SKILL_MD))
    }

    /// Returns the skill in a directory, with the files that it has now. `compared` says whether stamps are compared
    /// even if the watch reports no change.
    pub(super) fn skill(&self, directory: &str, compared: Compared) -> SkillOrFlaws {
        let epoch = self.epoch();
        let known = self.known.with(|known, _| known.get(directory).cloned());
        if let Some(known) = &known
            && compared == Compared::AfterChanges
            && epoch.is_some()
            && known.epoch == epoch
        {
            return known.found.clone();
        }
        let files = match self.files(directory) {
            Ok(files) => files,
            Err(flaw) => {
                self.complain(directory, &flaw.to_string());
                return Err([flaw].into());
            }
        };
        let stamps: BTreeMap<_, _> = files.iter().map(|(path, file)| (path.clone(), file.stamp)).collect();
        let known = match known {
            Some(known) if known.settled && known.stamps == stamps => Remembered { epoch, ..known },
            former => {
                let mut read = former.map(|former| former.unchanged(&files)).unwrap_or_default();
                let found: SkillOrFlaws =
                    self.read(directory, &files, &mut read).map(Arc::new).map_err(Arc::from);
                // A file may become readable without a new stamp, and without a change that is reported.
                let may_pass = found.as_ref().is_err_and(|flaws| flaws.iter().any(|flaw| flaw.is_unreadable));
                let settled = !may_pass && files.values().all(|file| file.stamp.is_settled());
                // What was read shows its own stamps: a change since the comparison is seen by the next one.
                Remembered {
                    epoch: epoch.filter(|_| !may_pass),
                    stamps,
                    settled,
                    found,
                    read: Arc::new(read),
                }
            }
        };
        if let Err(flaws) = &known.found {
            for flaw in flaws.iter() {
                self.complain(directory, &flaw.to_string());
            }
        }
        let found = known.found.clone();
        self.known.with(|all, trash| trash.put(all.insert(directory.to_owned(), known)));
        found
    }

    /// Returns the skills that a file or directory may belong to, the nearest first.
    pub(super) fn skills_around<'a>(
        &'a self,
        path: &'a str,
        compared: Compared,
    ) -> impl Iterator<Item = Arc<Skill>> + 'a {
        let parent = |path: &&'a str| {
            (!path.is_empty()).then(|| path.rsplit_once('/').map_or("", |(parent, _)| parent))
        };
        std::iter::successors(Some(path), parent)
            .filter(|directory| self.has_skill_md(directory))
            .filter_map(move |directory| self.skill(directory, compared).ok())
    }

    /// Returns the file at `path` and its skill if it belongs to one, even if it was created a moment ago.
    pub(super) fn find_file(&self, path: &str) -> io::Result<Option<(Arc<Skill>, Entry)>> {
        for compared in [Compared::AfterChanges, Compared::Always] {
            for skill in self.skills_around(path, compared) {
                if let Some(entry) = self.file_of(&skill, path)? {
                    return Ok(Some((skill, entry)));
                }
            }
        }
        Ok(None)
    }

    /// Returns the file of a skill at `path`. A link may have taken its place since the skill was read, so this checks
    /// again where the path leads.
    pub(super) fn file_of(&self, skill: &Skill, path: &str) -> io::Result<Option<Entry>> {
        if !skill.files.contains_key(path) {
            return Ok(None);
        }
        let file = self.base.tree.find(path)?.filter(|entry| {
            let really = entry.path();
            entry.kind() == EntryKind::File && (really == path || really.starts_with(&skill.inside))
        });
        Ok(file)
    }

    /// Returns whether a directory may be a skill.
    pub(super) fn has_skill_md(&self, directory: &str) -> bool {
        let Some(folder) = self.folder(directory) else { return false };
        matches!(self.base.tree.own_child(&folder, SKILL_MD), Ok(Some(Entry::File(..))))
    }

    /// Returns the directory at `path`; `None` if a link or another spelling leads there.
    pub(super) fn folder(&self, path: &str) -> Option<Folder> {
        self.base.tree.folder(path).filter(|folder| folder.path == path)
    }

    /// Returns the files in a directory and below it, by path.
    fn files(&self, directory: &str) -> Result<BTreeMap<String, UnreadFile>, Flaw> {
        let Some(folder) = self.folder(directory) else { return Err(Flaw::new(0, "it is not there")) };
        let mut files = BTreeMap::new();
        self.add_files(&folder, &inside(directory), &mut files)?;
        Ok(files)
    }

    fn add_files(
        &self,
        folder: &Folder,
        inside: &str,
        files: &mut BTreeMap<String, UnreadFile>,
    ) -> Result<(), Flaw> {
        self.see(folder);
        let list = self.base.tree.list(folder).map_err(|e| Flaw::unreadable(&*folder.path, &e))?;
        // The list of a skill's files has to be complete, so a skill with a file that no URI can name is refused.
        if let Some(name) = list.unnamed {
            let path = join(&folder.path, &name);
            return Err(Flaw::in_file(path, "has a name that is not UTF-8; rename it"));
        }
        if let Some((name, e)) = list.unresolved.first() {
            return Err(Flaw::unreadable(join(&folder.path, name), e));
        }
        for (name, kind) in list.entries {
            let path = join(&folder.path, &name);
            if kind == EntryKind::Folder && folder.is_deepest() {
                let what = format!("is more than {DEEPEST} directories below the served folder; move it up");
                return Err(Flaw::in_file(path, what));
            }
            let entry = self.base.tree.child(folder, &name).map_err(|e| Flaw::unreadable(&*path, &e))?;
            let Some(entry) = entry else { continue };
            let really = entry.path();
            match entry {
                Entry::Folder(next, _) if really == path => self.add_files(&next, inside, files)?,
                // A link to a file elsewhere, or to a directory, is no file of the skill.
                Entry::File(folder, name, metadata) if really == path || really.starts_with(inside) => {
                    files.insert(path, UnreadFile { folder, name, stamp: Stamp::from_metadata(&metadata) });
                }
                Entry::Folder(..) | Entry::File(..) => {}
            }
            if files.len() > MAX_FILES {
                let what =
                    format!("it has more than {MAX_FILES} files; a skill may have at most {MAX_FILES}");
                return Err(Flaw::new(0, what));
            }
        }
        Ok(())
    }

    /// Reads the files of a skill, except those that are in `read` already. After an error `read` has those that were
    /// read until then.
    fn read(
        &self,
        directory: &str,
        files: &BTreeMap<String, UnreadFile>,
        read: &mut ReadFiles,
    ) -> Result<Skill, Vec<Flaw>> {
        let one = |flaw| vec![flaw];
        let total: u64 = files.values().map(|file| file.stamp.size()).sum();
        if total > MAX_BYTES {
            let what = format!("it has {total} bytes; a skill may have at most {MAX_BYTES}");
            return Err(one(Flaw::new(0, what)));
        }
        for path in files.keys() {
            let (bytes, max) = (self.base.address.uri(path).len(), self.max_uri_bytes);
            if bytes > max {
                let what = format!("has a URI of {bytes} bytes; a URI may have at most {max} (`uri_bytes`)");
                return Err(one(Flaw::in_file(path, what)));
            }
        }
        let skill_md = join(directory, SKILL_MD);
        let Some(candidate) = files.get(&skill_md) else {
            return Err(one(Flaw::new(0, "it has no file SKILL.md")));
        };
        let front = match &read.front {
            Some(front) if read.files.contains_key(&skill_md) => front.clone(),
            _ => {
                let (file, bytes) = hash_and_keep(&self.base.tree, candidate).map_err(one)?;
                let front = FrontMatter::read(&bytes, self.name_of(directory))?;
                read.files.insert(skill_md, file);
                read.front.insert(front).clone()
            }
        };
        for (path, candidate) in files {
            if !read.files.contains_key(path) {
                read.files.insert(path.clone(), hash(&self.base.tree, candidate).map_err(one)?);
            }
        }
        let ReadFiles { files, .. } = take(read);
        Ok(self.entry(directory, front, files))
    }

    /// Returns the name that a skill in this directory must have.
    fn name_of<'a>(&'a self, directory: &'a str) -> &'a str {
        match directory.rsplit('/').next() {
            Some(name) if !name.is_empty() => name,
            _ => self.base.address.last(),
        }
    }

    fn entry(&self, directory: &str, front: FrontMatter, files: BTreeMap<String, SkillFile>) -> Skill {
        let mut listed: Vec<(Arc<str>, &SkillFile)> =
            files.iter().map(|(path, file)| (self.base.address.uri(path).into(), file)).collect();
        listed.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut json = Vec::with_capacity(64 + front.json.len() + listed.len() * 180);
        json.extend_from_slice(b"\",\"frontmatter\":");
        json.extend_from_slice(front.json.as_bytes());
        json.extend_from_slice(b",\"resources\":[");
        for (at, (uri, file)) in listed.iter().enumerate() {
            json.extend_from_slice(if at == 0 { b"{\"uri\":" } else { b",{\"uri\":" });
            quote_into(uri, &mut json);
            json.extend_from_slice(b",\"digest\":\"sha256:");
            for byte in file.digest {
                json.extend([byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]));
            }
            json.extend_from_slice(b"\",\"size\":");
            json.extend_from_slice(itoa::Buffer::new().format(file.size).as_bytes());
            json.push(b'}');
        }
        json.extend_from_slice(b"]}");
        let uris = listed.into_iter().map(|(uri, _)| uri).collect();
        Skill { uri: self.uri_of(directory), inside: inside(directory), front, files, uris, json }
    }

    /// Logs a line about a directory, unless the log has it.
    fn complain(&self, directory: &str, why: &str) {
        let directory = self.root.join(directory);
        let line = format!("no skill is served from \"{}\": {why}", directory.display());
        self.log_once(&line);
    }

    /// Returns the skills whose name another skill has, too: the path of each, and a line for the log (`rows.tsv`
    /// SK-22).
    fn same_names<'a>(
        &'a self,
        directories: &'a [(String, String)],
    ) -> impl Iterator<Item = (&'a str, String)> {
        let mut by_name: BTreeMap<&str, &str> = BTreeMap::new();
        directories.iter().filter_map(move |(uri, path)| {
            let name = self.name_of(path);
            let other = by_name.insert(name, uri)?;
            let what = format!(
                "two skills are named \"{name}\", {other} and {uri}; both are listed, but a client may confuse them"
            );
            Some((&**path, what))
        })
    }

    /// Logs a line, unless the log has it. Names of directories may have characters that a terminal obeys.
    fn log_once(&self, line: &str) {
        let line = printable(line, usize::MAX);
        let new = self.complained.with(|complained, _| {
            if complained.len() >= REMEMBERED {
                complained.clear();
            }
            complained.insert(line.clone())
        });
        if new {
            self.log.write(Severity::Warning, &line);
        }
    }
}

/// Returns the text with which the paths of all entries below a directory begin.
pub(super) fn inside(directory: &str) -> String {
    if directory.is_empty() { String::new() } else { format!("{directory}/") }
}
