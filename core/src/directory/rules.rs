//! Decides which entries are served at all (`rows.tsv` U-27): not hidden, not ignored, and not excluded by the
//! application.

use super::ignore_file::{self, Case, Unusable};
use super::open_dir::OpenDir;
use super::spelling::composed;
use super::stamp::Stamp;
use super::tree::EntryKind;
use super::windows_name;
use crate::error::{Error, ErrorKind, Result};
use crate::log::{Log, Severity, printable};
use crate::sync::Lock;
use ignore::Match;
use ignore::gitignore::Gitignore;
use ignore::overrides::{Override, OverrideBuilder};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The rules of at most this many directories are cached; then the cache is emptied.
const REMEMBERED: usize = 10_000;

/// Returns whether the name alone forbids to serve an entry.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with('.') || cfg!(windows) && !windows_name::is_plain(name)
}

/// The rules of a whole folder.
#[derive(Debug)]
pub(super) struct Rules {
    root: PathBuf,
    chosen: Override,
    /// The rules of the folders above the root, up to the repository that holds them; the nearest first.
    above: Vec<Gitignore>,
    /// The rules of directories that were read, by path.
    read: Lock<HashMap<String, Read>>,
    /// Paths of directories whose unusable ignore file the log has mentioned.
    complained: Lock<HashSet<String>>,
    /// Paths of directories of which the log has mentioned that a client used another spelling.
    misspelled: Lock<HashSet<String>>,
    log: Log,
}

/// The rules in the ignore files of a directory, and the states of these files when they were read.
type Read = (Vec<Stamp>, Arc<Gitignore>);

/// The rules of a directory and of those above it, up to the root.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain(Option<Arc<Link>>);

#[derive(Debug)]
struct Link {
    /// The rules of the directory. `None` if they are unknown, because a file is unusable; then no entry is served.
    patterns: Option<Arc<Gitignore>>,
    /// The length of the directory's path in bytes, which is cut off before a path is compared.
    cut: usize,
    outer: Chain,
}

impl Rules {
    /// `include` and `exclude` are patterns in the form of `.gitignore`.
    pub(super) fn new(root: &Path, include: &[String], exclude: &[String], log: Log) -> Result<Rules> {
        let mut chosen = OverrideBuilder::new(root);
        let _ = chosen.case_insensitive(case_of(root) == Case::Ignored); // it never fails
        for pattern in include {
            check(pattern)?;
            let pattern = &*composed(pattern);
            chosen.add(pattern).map_err(|e| refuse(pattern, &e))?;
            chosen.add(&inside(pattern)).map_err(|e| refuse(pattern, &e))?;
        }
        for pattern in exclude {
            check(pattern)?;
            chosen.add(&format!("!{}", composed(pattern))).map_err(|e| refuse(pattern, &e))?;
        }
        let chosen = chosen.build().map_err(|e| refuse(&[include, exclude].concat().join(" "), &e))?;
        let (read, complained, misspelled) = (Lock::default(), Lock::default(), Lock::default());
        Ok(Rules { root: root.to_owned(), chosen, above: above(root)?, read, complained, misspelled, log })
    }

    /// Returns whether the entry at `path`, whose directory has this chain, may be served.
    pub(super) fn allow(&self, chain: &Chain, path: &str, kind: EntryKind) -> bool {
        let is_dir = kind == EntryKind::Folder;
        let name = path.rsplit('/').next().unwrap_or(path);
        let composed = composed(path);
        !is_hidden(name)
            && !self.chosen.matched(self.root.join(&*composed), is_dir).is_ignore()
            && !self.is_ignored(chain, path, is_dir)
    }

    /// Returns whether the nearest pattern that matches the path ignores it, as Git does.
    fn is_ignored(&self, chain: &Chain, path: &str, is_dir: bool) -> bool {
        let mut link = &chain.0;
        while let Some(Link { patterns, cut, outer }) = link.as_deref() {
            let Some(patterns) = patterns else { return true };
            match patterns.matched(&*composed(&path[*cut..]), is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => link = &outer.0,
            }
        }
        for patterns in &self.above {
            let path = self.root.join(path);
            let inside = path.strip_prefix(patterns.path()).unwrap_or(&path).to_string_lossy();
            match patterns.matched(&*composed(&inside), is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }

    /// Returns the chain of the directory at `path`, whose parent has the chain `outer`.
    pub(super) fn enter(&self, outer: &Chain, dir: &OpenDir, path: &str) -> Chain {
        let patterns = match self.patterns(dir, path) {
            Ok(patterns) => {
                self.complained.with(|paths, _| !paths.is_empty() && paths.remove(path));
                let Some(patterns) = patterns else { return outer.clone() };
                Some(patterns)
            }
            Err(unusable) => {
                self.complain(path, &unusable);
                None
            }
        };
        let cut = if path.is_empty() { 0 } else { path.len() + 1 };
        Chain(Some(Arc::new(Link { patterns, cut, outer: outer.clone() })))
    }

    /// Returns the rules in the ignore files of the directory at `path`, or `None` if there are no such files.
    fn patterns(&self, dir: &OpenDir, path: &str) -> std::result::Result<Option<Arc<Gitignore>>, Unusable> {
        let mut files = Vec::new();
        for name in ignore_file::NAMES {
            files.extend(ignore_file::open(dir, name)?.map(|(file, stamp)| (file, name, stamp)));
        }
        if files.is_empty() {
            return Ok(None);
        }
        let stamps: Vec<_> = files.iter().map(|(_, _, stamp)| *stamp).collect();
        let known = self.read.with(|read, _| {
            let (known, patterns) = read.get(path)?;
            (*known == stamps).then(|| patterns.clone())
        });
        if known.is_some() {
            return Ok(known);
        }
        let case = Case::of_entry(dir, files[0].1);
        let files = files.into_iter().map(|(file, name, _)| (file, name));
        let patterns = Arc::new(ignore_file::parse(files, case)?);
        let settled = stamps.iter().all(Stamp::is_settled);
        self.read.with(|read, _| {
            if read.len() >= REMEMBERED {
                read.clear(); // directories come and go
            }
            if settled {
                read.insert(path.to_owned(), (stamps, patterns.clone()));
            } else {
                read.remove(path);
            }
        });
        Ok(Some(patterns))
    }

    /// Logs a line about an unusable ignore file, once for a directory until its files can be used.
    fn complain(&self, path: &str, unusable: &Unusable) {
        if first_time(&self.complained, path) {
            let directory = self.root.join(path);
            let why = unusable.describe(&directory);
            let line = format!("nothing in the folder \"{}\" is served: {why}", directory.display());
            // Names of directories may have characters that a terminal obeys.
            self.log.write(Severity::Warning, &printable(&line, usize::MAX));
        }
    }

    /// Logs a line about a name in another spelling, once for a directory: clients choose the names, and must not fill
    /// the log.
    pub(super) fn complain_of_spelling(&self, path: &str, name: &str) {
        if first_time(&self.misspelled, path) {
            let wanted = self.root.join(path).join(name);
            let line = format!(
                "a client asked for \"{}\", which the folder lists in another spelling; only the listed one is served",
                printable(&wanted.to_string_lossy(), usize::MAX)
            );
            self.log.write(Severity::Warning, &line);
        }
    }
}

/// Adds a path to those that the log mentions. Returns false if it was there.
fn first_time(mentioned: &Lock<HashSet<String>>, path: &str) -> bool {
    mentioned.with(|paths, _| {
        if paths.len() >= REMEMBERED {
            paths.clear();
        }
        paths.insert(path.to_owned())
    })
}

/// Returns how patterns of a whole folder compare letters. An empty folder does not show it, so there its own name
/// decides.
fn case_of(root: &Path) -> Case {
    if OpenDir::open(root).is_ok_and(|dir| dir.ignores_case()) {
        return Case::Ignored;
    }
    let around = root.parent().and_then(|parent| OpenDir::open(parent).ok());
    let name = root.file_name().and_then(|name| name.to_str());
    around.zip(name).map_or(Case::Exact, |(around, name)| Case::of_entry(&around, name))
}

/// Returns the rules of the folders above the root that belong to the same repository.
fn above(root: &Path) -> Result<Vec<Gitignore>> {
    let refused = |folder: &Path, unusable: &Unusable| {
        let why = unusable.describe(folder);
        let message = format!("the folder \"{}\" cannot be served: {why}", root.display());
        Error::new(ErrorKind::Io, message)
    };
    let mut top = None;
    for folder in root.ancestors() {
        if ignore_file::is_repository(folder).map_err(|unusable| refused(folder, &unusable))? {
            top = Some(folder);
            break;
        }
    }
    let Some(top) = top else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    let mut add = |folder: &Path, file: &str| {
        let patterns = ignore_file::around(folder, file).map_err(|unusable| refused(folder, &unusable))?;
        found.extend(patterns);
        Ok::<(), Error>(())
    };
    for folder in root.ancestors().skip(1).take_while(|folder| folder.starts_with(top)) {
        for file in ignore_file::NAMES.iter().rev() {
            add(folder, file)?;
        }
    }
    add(top, ".git/info/exclude")?;
    Ok(found)
}

/// Returns the pattern for the entries of matching directories: to include a directory is to include its files.
fn inside(pattern: &str) -> String {
    let directory = pattern.trim_end_matches('/');
    let anywhere = if directory.contains('/') { "" } else { "**/" };
    format!("{anywhere}{directory}/**")
}

fn check(pattern: &str) -> Result<()> {
    if pattern.is_empty() || pattern.starts_with(['!', '#']) {
        return Err(refuse(pattern, &"it begins like no name"));
    }
    Ok(())
}

fn refuse(pattern: &str, why: &dyn std::fmt::Display) -> Error {
    let message =
        format!("\"{pattern}\" is no pattern for files ({why}); write one such as \"*.md\" or \"drafts/\"");
    Error::new(ErrorKind::InvalidArgument, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(include: &[&str], exclude: &[&str], path: &str, kind: EntryKind) -> bool {
        let owned = |patterns: &[&str]| patterns.iter().map(|&p| p.to_owned()).collect::<Vec<_>>();
        let rules =
            Rules::new(Path::new("/nowhere"), &owned(include), &owned(exclude), Log::default()).unwrap();
        rules.allow(&Chain::default(), path, kind)
    }

    #[test]
    fn entries_are_served_unless_a_rule_excludes_them() {
        assert!(served(&[], &[], "a/b.txt", EntryKind::File));
        assert!(!served(&[], &[], "a/.b", EntryKind::File));
        assert!(!served(&[], &[], ".git", EntryKind::Folder));
    }

    #[test]
    fn an_include_serves_only_entries_that_match_and_the_directories_above_them() {
        assert!(served(&["*.md"], &[], "a/b.md", EntryKind::File));
        assert!(!served(&["*.md"], &[], "a/b.txt", EntryKind::File));
        assert!(served(&["*.md"], &[], "a", EntryKind::Folder));
        assert!(!served(&["*"], &[], "a/.b", EntryKind::File), "what is hidden stays hidden");
    }

    #[test]
    fn an_include_of_a_directory_includes_its_entries() {
        for pattern in ["docs", "docs/"] {
            assert!(served(&[pattern], &[], "docs/a/b.txt", EntryKind::File), "{pattern}");
            assert!(served(&[pattern], &[], "x/docs/b.txt", EntryKind::File), "{pattern}");
        }
        assert!(served(&["/docs"], &[], "docs/b.txt", EntryKind::File));
        assert!(!served(&["/docs"], &[], "x/docs/b.txt", EntryKind::File));
    }

    #[test]
    fn an_exclude_wins_over_an_include() {
        assert!(!served(&["*.md"], &["draft*"], "a/draft.md", EntryKind::File));
        assert!(!served(&[], &["drafts/"], "a/drafts", EntryKind::Folder));
        assert!(served(&[], &["drafts/"], "a/drafts", EntryKind::File));
    }

    #[test]
    fn a_pattern_with_accents_in_either_form_is_for_names_in_both() {
        for (pattern, name) in [("caf\u{e9}*", "cafe\u{301}.txt"), ("cafe\u{301}*", "caf\u{e9}.txt")] {
            for own in [name, "caf\u{e9}.md", "cafe\u{301}.md"] {
                assert!(!served(&[], &[pattern], own, EntryKind::File), "{pattern} {own}");
                assert!(served(&[pattern], &[], own, EntryKind::File), "{pattern} {own}");
            }
            assert!(served(&[], &[pattern], "cafe.txt", EntryKind::File));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_refused_if_it_is_unknown_whether_a_repository_holds_it() {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().join("folder");
        std::fs::create_dir(&root).unwrap();
        let link = around.path().join(".git");
        std::os::unix::fs::symlink(&link, &link).unwrap(); // a circle, which cannot be followed
        let error = Rules::new(&root, &[], &[], Log::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains(&format!("\"{}\" cannot be read", link.display())), "{error}");
    }

    #[test]
    fn an_invalid_pattern_is_refused() {
        for pattern in ["", "!x", "#x", "a[", "{a"] {
            let error =
                Rules::new(Path::new("/nowhere"), &[pattern.to_owned()], &[], Log::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{pattern}");
        }
    }
}
