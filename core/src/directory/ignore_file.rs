//! Reads the files whose patterns hide other files. An unusable one is an error, because it is unknown what it would
//! hide.

use super::open_dir::OpenDir;
use super::spelling::composed;
use super::stamp::Stamp;
use crate::error::said_by_system;
use cap_std::fs::File;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The names of the files of patterns, in the form of `.gitignore`. In one directory a later one overrules an earlier
/// one.
pub(super) const NAMES: [&str; 2] = [".gitignore", ".ignore"];

/// The maximum length of an ignore file in bytes; a longer one is unusable.
const MAX_BYTES: u64 = 1 << 20;

/// Returns whether an entry of this name is an ignore file, at least where the file system ignores case.
pub(super) fn may_be_ignore_file(name: &str) -> bool {
    NAMES.iter().any(|ignore_file| ignore_file.eq_ignore_ascii_case(name))
}

/// An ignore file that exists and cannot be used.
#[derive(Debug)]
pub(super) struct Unusable {
    name: PathBuf,
    why: IgnoreFault,
}

#[derive(Debug)]
enum IgnoreFault {
    Refused(io::Error),
    Link,
    Special,
    TooLong,
    NotText,
    TooMany(ignore::Error),
}

impl Unusable {
    fn new(name: impl Into<PathBuf>, why: IgnoreFault) -> Unusable {
        Unusable { name: name.into(), why }
    }
}

/// Says which file is wrong, why, and what to do. `directory` is the one that the file's name is relative to.
impl Unusable {
    pub(super) fn describe(&self, directory: &Path) -> String {
        format!("\"{}\" {}", directory.join(&self.name).display(), self.why)
    }
}

impl fmt::Display for IgnoreFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IgnoreFault::Refused(e) => {
                write!(f, "cannot be read ({}); let this user read it", said_by_system(e))
            }
            IgnoreFault::Link => {
                f.write_str("is a link, and links to patterns are not followed; put the file itself there")
            }
            IgnoreFault::Special => f.write_str("is not a regular file; put a text file there, or remove it"),
            IgnoreFault::TooLong => f.write_str("is longer than 1 MiB; shorten it"),
            IgnoreFault::NotText => f.write_str("is not text; save it as UTF-8"),
            IgnoreFault::TooMany(e) => write!(f, "has more patterns than can be used ({e}); shorten it"),
        }
    }
}

/// Opens an ignore file of a directory. The stamp tells later whether the file has changed. Returns `None` if there is
/// no such file.
pub(super) fn open(dir: &OpenDir, name: &str) -> Result<Option<(File, Stamp)>, Unusable> {
    let file = match dir.open_file(name) {
        Ok(file) => file,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => {
            let kind = dir.metadata_of(name).map(|metadata| metadata.file_type());
            let why = match kind {
                Ok(kind) if kind.is_symlink() => IgnoreFault::Link,
                Ok(kind) if kind.is_dir() => return Ok(None), // Windows opens none
                Ok(kind) if !kind.is_file() => IgnoreFault::Special,
                _ => IgnoreFault::Refused(e),
            };
            return Err(Unusable::new(name, why));
        }
    };
    let metadata = file.metadata().map_err(|e| Unusable::new(name, IgnoreFault::Refused(e)))?;
    if metadata.is_dir() {
        return Ok(None); // it has no patterns
    }
    if !metadata.is_file() {
        return Err(Unusable::new(name, IgnoreFault::Special));
    }
    Ok(Some((file, Stamp::from_metadata(&metadata))))
}

/// How patterns compare the case of letters: as the file system does when it finds a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Exact,
    Ignored,
}

impl Case {
    /// Returns how patterns for names in this directory compare letters, by the way in which one of its entries is
    /// found.
    pub(super) fn of_entry(dir: &OpenDir, name: &str) -> Case {
        if dir.ignores_case_of(name) { Case::Ignored } else { Case::Exact }
    }
}

fn builder(root: &Path, case: Case) -> GitignoreBuilder {
    let mut patterns = GitignoreBuilder::new(root);
    let _ = patterns.case_insensitive(case == Case::Ignored); // it never fails
    patterns
}

/// Returns the patterns of the files of one directory.
pub(super) fn parse(
    files: impl IntoIterator<Item = (impl Read, &'static str)>,
    case: Case,
) -> Result<Gitignore, Unusable> {
    let mut patterns = builder(Path::new(""), case);
    let mut last = "";
    for (file, name) in files {
        add(&mut patterns, file).map_err(|why| Unusable::new(name, why))?;
        last = name;
    }
    patterns.build().map_err(|e| Unusable::new(last, IgnoreFault::TooMany(e)))
}

/// Returns whether a folder is the top of a repository of Git.
pub(super) fn is_repository(folder: &Path) -> Result<bool, Unusable> {
    folder.join(".git").try_exists().map_err(|e| Unusable::new(".git", IgnoreFault::Refused(e)))
}

/// Returns the patterns of a file in `folder`, for entries below that, or `None` if there is no such file.
/// Follows a link: the person who serves a folder controls what is around it.
pub(super) fn around(folder: &Path, file: &str) -> Result<Option<Gitignore>, Unusable> {
    use io::ErrorKind::{NotADirectory, NotFound};
    let path = &folder.join(file);
    let refused = |why| Unusable::new(path, why);
    match path.symlink_metadata() {
        Err(e) if matches!(e.kind(), NotFound | NotADirectory) => return Ok(None),
        _ => {}
    }
    let metadata = path.metadata().map_err(|e| refused(IgnoreFault::Refused(e)))?;
    if metadata.is_dir() {
        return Ok(None);
    }
    if !metadata.is_file() {
        return Err(refused(IgnoreFault::Special));
    }
    let first = file.split('/').next().unwrap_or(file);
    let case = OpenDir::open(folder).map_or(Case::Exact, |dir| Case::of_entry(&dir, first));
    let mut patterns = builder(folder, case);
    let file = std::fs::File::open(path).map_err(|e| refused(IgnoreFault::Refused(e)))?;
    add(&mut patterns, file).map_err(refused)?;
    Ok(Some(patterns.build().map_err(|e| refused(IgnoreFault::TooMany(e)))?))
}

fn add(patterns: &mut GitignoreBuilder, file: impl Read) -> Result<(), IgnoreFault> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(IgnoreFault::Refused)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(IgnoreFault::TooLong);
    }
    if bytes.contains(&0) {
        return Err(IgnoreFault::NotText); // such as UTF-16, whose patterns would match nothing
    }
    for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
        for reading in readings(&composed(line)) {
            let _ = patterns.add_line(None, &reading); // a line that is not a pattern ignores nothing
        }
    }
    Ok(())
}

/// Returns patterns that hide at least what Git and others hide by a line. Git alone knows named classes and escapes
/// in brackets; others alone expand braces. A line that shows entries again must show no more than both do.
fn readings(line: &str) -> Vec<String> {
    let (plain, simple) = (with_plain_braces(line), with_simple_brackets(line));
    if line.starts_with('!') {
        return if plain == line && simple == line { vec![simple] } else { Vec::new() };
    }
    let unexpanded = (plain != line).then(|| with_simple_brackets(&plain));
    [simple].into_iter().chain(unexpanded).collect()
}

/// Returns the pattern with a `?` for each bracket expression that Git reads in another way than `globset`.
fn with_simple_brackets(line: &str) -> String {
    let (mut simple, mut rest) = (String::with_capacity(line.len()), line);
    while let Some(c) = rest.chars().next() {
        let bracketed = if c == '[' { bracket_expression(rest) } else { None };
        let escaped = if c == '\\' { rest[1..].chars().next().map_or(0, char::len_utf8) } else { 0 };
        let (part, after) = rest.split_at(bracketed.unwrap_or(c.len_utf8() + escaped));
        let differs = bracketed.is_some() && (part.contains('\\') || part[1..].contains("[:"));
        simple.push_str(if differs { "?" } else { part });
        rest = after;
    }
    simple
}

/// Returns the length in bytes of the bracket expression with which a text begins, as Git reads it; `None` if it has no
/// end.
fn bracket_expression(text: &str) -> Option<usize> {
    let mut at = if text[1..].starts_with(['!', '^']) { 2 } else { 1 };
    let mut is_first = true;
    loop {
        let rest = &text[at..];
        let c = rest.chars().next()?;
        at += match c {
            ']' if !is_first => return Some(at + 1),
            '\\' => 1 + rest[1..].chars().next()?.len_utf8(),
            '[' if rest[1..].starts_with(':') => rest.find(":]").map_or(1, |end| end + 2),
            c => c.len_utf8(),
        };
        is_first = false;
    }
}

/// Returns the pattern with its braces escaped.
fn with_plain_braces(line: &str) -> String {
    let mut plain = String::with_capacity(line.len() + 4);
    let mut escaped = false;
    for c in line.chars() {
        if matches!(c, '{' | '}') && !escaped {
            plain.push('\\');
        }
        escaped = c == '\\' && !escaped;
        plain.push(c);
    }
    plain
}
