//! The front matter of a `SKILL.md`: found, converted to JSON, and checked.

use super::yaml::{Converted, FieldValue, convert};
use crate::error::said_by_system;
use crate::model::{wrong_skill_description, wrong_skill_name};
use std::{fmt, io};

/// The maximum number of bytes of the front matter.
const LARGEST: usize = 64 * 1024;

/// A fault of a skill, because of which it is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Flaw {
    /// The path of the file or directory with the fault; `None` if that is `SKILL.md`.
    pub(super) path: Option<String>,
    /// The line of `SKILL.md`, from 1; 0 if the fault is one of the directory.
    pub(super) line: usize,
    pub(super) what: String,
    /// True if the system failed to read the file or directory. That may pass while no file changes.
    pub(super) is_unreadable: bool,
}

impl Flaw {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Flaw {
        Flaw { path: None, line, what: what.into(), is_unreadable: false }
    }

    /// Makes a flaw of the file or directory at `path`.
    pub(super) fn in_file(path: impl Into<String>, what: impl Into<String>) -> Flaw {
        Flaw { path: Some(path.into()), ..Flaw::new(0, what) }
    }

    /// Makes the flaw of a file or directory at `path` that the system failed to read.
    pub(super) fn unreadable(path: impl Into<String>, e: &io::Error) -> Flaw {
        let what = format!("cannot be read ({})", said_by_system(e));
        Flaw { is_unreadable: true, ..Flaw::in_file(path, what) }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.path, self.line) {
            (Some(path), _) => write!(f, "\"{path}\" {}", self.what),
            (None, 0) => f.write_str(&self.what),
            (None, line) => write!(f, "line {line}: {}", self.what),
        }
    }
}

/// The front matter as JSON, and two of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) json: String,
    pub(super) name: String,
    pub(super) description: String,
}

impl FrontMatter {
    /// Reads the front matter of a file in a directory of this name.
    ///
    /// # Errors
    /// Every flaw that was found.
    pub(super) fn read(file: &[u8], directory: &str) -> Result<FrontMatter, Vec<Flaw>> {
        let yaml = cut(file).map_err(|flaw| vec![flaw])?;
        let Converted { json, members } = convert(yaml, 2).map_err(|flaw| vec![flaw])?;
        let mut flaws = Vec::new();
        let mut text = |key: &str| match members.get(key) {
            Some((FieldValue::Text(text), line)) => Some((text.clone(), *line)),
            Some((FieldValue::Other, line)) => {
                flaws.push(Flaw::new(*line, format!("`{key}` is no text; quote it")));
                None
            }
            None => {
                flaws.push(Flaw::new(1, format!("`{key}` is missing; add a line `{key}: …`")));
                None
            }
        };
        let (name, description) = (text("name"), text("description"));
        if let Some((name, line)) = &name {
            flaws.extend(wrong_skill_name(name, directory).map(|what| Flaw::new(*line, what)));
        }
        if let Some((description, line)) = &description {
            flaws.extend(wrong_skill_description(description).map(|what| Flaw::new(*line, what)));
        }
        match (name, description) {
            (Some((name, _)), Some((description, _))) if flaws.is_empty() => {
                Ok(FrontMatter { json, name, description })
            }
            _ => Err(flaws),
        }
    }
}

/// Returns the text between the two lines `---`.
fn cut(file: &[u8]) -> Result<&str, Flaw> {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let mut lines = file.split_inclusive(|byte| *byte == b'\n');
    let is_fence = |line: &[u8]| line.strip_prefix(b"---").is_some_and(|rest| rest.trim_ascii().is_empty());
    let first = lines.next().filter(|line| is_fence(line));
    let Some(first) = first else {
        return Err(Flaw::new(1, "SKILL.md does not begin with front matter; write `---` on its first line"));
    };
    let mut end = first.len();
    for line in lines {
        if is_fence(line) {
            let yaml = &file[first.len()..end];
            return std::str::from_utf8(yaml).map_err(|e| {
                let before = yaml[..e.valid_up_to()].split(|byte| *byte == b'\n').count() - 1;
                Flaw::new(2 + before, "the front matter is not UTF-8; save the file as UTF-8")
            });
        }
        end += line.len();
        if end > LARGEST {
            return Err(Flaw::new(1, format!("the front matter has more than {LARGEST} bytes; shorten it")));
        }
    }
    Err(Flaw::new(1, "the front matter has no end; write `---` on the line after it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaws(file: &str) -> Vec<String> {
        FrontMatter::read(file.as_bytes(), "pdf").unwrap_err().iter().map(ToString::to_string).collect()
    }

    // row: SK-03, SK-10
    #[test]
    fn all_fields_are_kept() {
        let file = "---\nname: pdf\ndescription: Fills forms.\nlicense: MIT\nmetadata:\n  since: 2026-01-31\n---\n# PDF\n";
        let read = FrontMatter::read(file.as_bytes(), "pdf").unwrap();
        assert_eq!((&*read.name, &*read.description), ("pdf", "Fills forms."));
        assert_eq!(
            read.json,
            r#"{"name":"pdf","description":"Fills forms.","license":"MIT","metadata":{"since":"2026-01-31"}}"#
        );
    }

    // row: SK-14
    #[test]
    fn a_mark_and_other_line_ends_are_accepted() {
        let file = "\u{feff}---\r\nname: pdf\r\ndescription: |\r\n  a\r\n  b\r\n---\r\n";
        assert_eq!(
            FrontMatter::read(file.as_bytes(), "pdf").unwrap().json,
            r#"{"name":"pdf","description":"a\nb\n"}"#
        );
    }

    // row: SK-03, SK-04
    #[test]
    fn each_fault_names_its_line() {
        let long = format!("---\nname: pdf\ndescription: {}\n---\n", "x".repeat(1_025));
        for (file, expected) in [
            ("# PDF\n", "line 1: SKILL.md does not begin"),
            ("", "line 1: SKILL.md does not begin"),
            (" ---\nname: pdf\n---\n", "line 1: SKILL.md does not begin"),
            ("---\nname: pdf\n", "line 1: the front matter has no end"),
            ("---\n---\n", "line 2: the front matter is empty"),
            ("---\nname: pdf\n---\n", "line 1: `description` is missing"),
            ("---\ndescription: d\n---\n", "line 1: `name` is missing"),
            ("---\ndescription: d\nname: 5\n---\n", "line 3: `name` is no text"),
            ("---\ndescription: d\nname: Pdf\n---\n", "line 3: `name` must have only"),
            ("---\ndescription: d\nname: -pdf\n---\n", "line 3: `name` must have \"-\""),
            ("---\ndescription: d\nname: p--df\n---\n", "line 3: `name` must have \"-\""),
            (
                "---\ndescription: d\nname: doc\n---\n",
                "line 3: `name` is \"doc\", but the directory is \"pdf\"",
            ),
            ("---\nname: pdf\ndescription: ''\n---\n", "line 3: `description` must have"),
            (&*long, "line 3: `description` must have 1 to 1,024 characters (got 1025)"),
        ] {
            let found = flaws(file);
            assert!(found.iter().any(|flaw| flaw.contains(expected)), "{file}: {found:?}");
        }
        assert_eq!(flaws("---\nname: X\n---\n").len(), 2);
        assert!(
            FrontMatter::read(b"---\nname: pdf\ndescription: \xff\n---\n", "pdf").unwrap_err()[0]
                .what
                .contains("UTF-8")
        );
    }
}
