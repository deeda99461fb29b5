//! Which entries are served at all (WIRE U-27): not hidden, not ignored, and as the host chose.

use super::stamp::Stamp;
use crate::error::{Error, ErrorKind, Result};
use crate::sync::Lock;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, OpenOptions};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::overrides::{Override, OverrideBuilder};
use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of patterns in the form of `.gitignore`. A later one overrules an earlier one beside it.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// More of such a file is not read.
const IGNORE_FILE_BYTES: u64 = 1 << 20;

/// Whether an entry of this name decides about others.
pub(super) fn is_ignore_file(name: &str) -> bool {
    IGNORE_FILES.contains(&name)
}

/// Whether the name alone forbids to serve an entry.
pub(super) fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

/// What holds for a whole folder.
#[derive(Debug)]
pub(super) struct Rules {
    root: PathBuf,
    chosen: Override,
    /// Of the folders above, up to the repository that holds them; the nearest first.
    above: Vec<Gitignore>,
    /// By the path of the directory.
    read: Lock<HashMap<String, Read>>,
}

/// What the files of a directory say, and the states of them that said it.
type Read = (Vec<Stamp>, Arc<Gitignore>);

/// The ignore files from a directory up to the root.
#[derive(Debug, Clone, Default)]
pub(super) struct Chain(Option<Arc<Link>>);

#[derive(Debug)]
struct Link {
    patterns: Arc<Gitignore>,
    /// How much of a path leads to the directory of these patterns.
    cut: usize,
    outer: Chain,
}

impl Rules {
    /// `include` and `exclude` are patterns in the form of `.gitignore`.
    pub(super) fn new(root: &Path, include: &[String], exclude: &[String]) -> Result<Rules> {
        let mut chosen = OverrideBuilder::new(root);
        for pattern in include {
            check(pattern)?;
            chosen.add(pattern).map_err(|e| refuse(pattern, &e))?;
            chosen.add(&inside(pattern)).map_err(|e| refuse(pattern, &e))?;
        }
        for pattern in exclude {
            check(pattern)?;
            chosen.add(&format!("!{pattern}")).map_err(|e| refuse(pattern, &e))?;
        }
        let chosen = chosen.build().map_err(|e| refuse(&[include, exclude].concat().join(" "), &e))?;
        Ok(Rules { root: root.to_owned(), chosen, above: above(root), read: Lock::default() })
    }

    /// Whether the entry at `path`, whose directory has this chain, may be served.
    pub(super) fn allow(&self, chain: &Chain, path: &str, is_dir: bool) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        !is_hidden(name)
            && !self.chosen.matched(self.root.join(path), is_dir).is_ignore()
            && !self.is_ignored(chain, path, is_dir)
    }

    /// The nearest pattern that says something decides, as in Git.
    fn is_ignored(&self, chain: &Chain, path: &str, is_dir: bool) -> bool {
        let mut link = &chain.0;
        while let Some(Link { patterns, cut, outer }) = link.as_deref() {
            match patterns.matched(&path[*cut..], is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => link = &outer.0,
            }
        }
        for patterns in &self.above {
            match patterns.matched(self.root.join(path), is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        false
    }

    /// The chain of the directory at `path`, whose parent has the chain `outer`.
    pub(super) fn enter(&self, outer: &Chain, dir: &Dir, path: &str) -> Chain {
        let files: Vec<_> = IGNORE_FILES.iter().filter_map(|name| open(dir, name)).collect();
        if files.is_empty() {
            return outer.clone();
        }
        let stamps: Vec<_> = files.iter().map(|(_, stamp)| *stamp).collect();
        let known = self.read.with(|read, _| {
            let (known, patterns) = read.get(path)?;
            (*known == stamps).then(|| patterns.clone())
        });
        let patterns = known.unwrap_or_else(|| {
            let patterns = Arc::new(parse(files));
            let settled = stamps.iter().all(Stamp::is_settled);
            self.read.with(|read, _| {
                if settled {
                    read.insert(path.to_owned(), (stamps, patterns.clone()));
                } else {
                    read.remove(path);
                }
            });
            patterns
        });
        let cut = if path.is_empty() { 0 } else { path.len() + 1 };
        Chain(Some(Arc::new(Link { patterns, cut, outer: outer.clone() })))
    }
}

fn open(dir: &Dir, name: &str) -> Option<(File, Stamp)> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options).ok()?;
    let metadata = file.metadata().ok()?;
    metadata.is_file().then(|| (file, Stamp::of(&metadata)))
}

fn parse(files: Vec<(File, Stamp)>) -> Gitignore {
    let mut patterns = GitignoreBuilder::new("");
    for (file, _) in files {
        let mut bytes = Vec::new();
        if file.take(IGNORE_FILE_BYTES).read_to_end(&mut bytes).is_err() {
            continue;
        }
        for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
            let _ = patterns.add_line(None, line); // a line that is no pattern ignores nothing
        }
    }
    patterns.build().unwrap_or_else(|_| Gitignore::empty())
}

/// What the repository around the root says about it.
fn above(root: &Path) -> Vec<Gitignore> {
    let Some(top) = root.ancestors().find(|folder| folder.join(".git").exists()) else { return Vec::new() };
    let mut found = Vec::new();
    for folder in root.ancestors().skip(1).take_while(|folder| folder.starts_with(top)) {
        let mut patterns = GitignoreBuilder::new(folder);
        for name in IGNORE_FILES {
            let _ = patterns.add(folder.join(name));
        }
        found.extend(patterns.build().ok());
    }
    let mut patterns = GitignoreBuilder::new(top);
    let _ = patterns.add(top.join(".git/info/exclude"));
    found.extend(patterns.build().ok());
    found
}

/// The pattern of what is in directories that a pattern matches: to include a directory is to include its files.
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

    fn served(include: &[&str], exclude: &[&str], path: &str, is_dir: bool) -> bool {
        let owned = |patterns: &[&str]| patterns.iter().map(|&p| p.to_owned()).collect::<Vec<_>>();
        let rules = Rules::new(Path::new("/nowhere"), &owned(include), &owned(exclude)).unwrap();
        rules.allow(&Chain::default(), path, is_dir)
    }

    #[test]
    fn everything_is_served_unless_something_speaks_against_it() {
        assert!(served(&[], &[], "a/b.txt", false));
        assert!(!served(&[], &[], "a/.b", false));
        assert!(!served(&[], &[], ".git", true));
    }

    #[test]
    fn only_what_an_include_matches_is_served_but_directories_lead_to_it() {
        assert!(served(&["*.md"], &[], "a/b.md", false));
        assert!(!served(&["*.md"], &[], "a/b.txt", false));
        assert!(served(&["*.md"], &[], "a", true));
        assert!(!served(&["*"], &[], "a/.b", false), "what is hidden stays hidden");
    }

    #[test]
    fn to_include_a_directory_is_to_include_what_is_in_it() {
        for pattern in ["docs", "docs/"] {
            assert!(served(&[pattern], &[], "docs/a/b.txt", false), "{pattern}");
            assert!(served(&[pattern], &[], "x/docs/b.txt", false), "{pattern}");
        }
        assert!(served(&["/docs"], &[], "docs/b.txt", false));
        assert!(!served(&["/docs"], &[], "x/docs/b.txt", false));
    }

    #[test]
    fn an_exclude_wins_over_an_include() {
        assert!(!served(&["*.md"], &["draft*"], "a/draft.md", false));
        assert!(!served(&[], &["drafts/"], "a/drafts", true));
        assert!(served(&[], &["drafts/"], "a/drafts", false));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in ["", "!x", "#x", "a[", "{a"] {
            let error = Rules::new(Path::new("/nowhere"), &[pattern.to_owned()], &[]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{pattern}");
        }
    }
}
