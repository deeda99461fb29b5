//! Converts between paths below a root and `file:` URIs.

use super::windows_name;
use crate::error::{Error, ErrorKind, Result};
use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::path::{Component, Path, Prefix};

/// The characters that RFC 3986 does not allow in a path segment, and `'`, which RFC 6570 does not allow in a
/// template.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'\'')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The characters to escape in the first name of the URI of a skill, the authority: `:` would begin a port, `@` end a user.
const ESCAPED_IN_AUTHORITY: &AsciiSet = &ESCAPED.add(b':').add(b'@');

const FILE: &str = "file://";

/// The URI of the root of skills, which the names below it follow as in a folder.
const SKILL: &str = "skill:/";

/// Those of the escaped characters that an expansion of `{+path}` leaves unescaped.
const KEPT_BY_EXPANSION: &AsciiSet =
    &AsciiSet::EMPTY.add(b'#').add(b'%').add(b'\'').add(b'?').add(b'[').add(b']');

/// The variable of the template: the path below the root.
pub(super) const VARIABLE: &str = "path";

/// The URIs of a root and of the entries below it. A path below it is names joined by `/`; the root itself is "".
#[derive(Debug)]
pub(super) struct Address {
    /// The beginning of all URIs: `file://`, or that of the URIs of skills.
    start: &'static str,
    /// The escaped path of the root, such as `/home/ann/notes`; empty for the root of the file system.
    path: String,
    /// The letter of the root's drive on Windows; `path` begins with `/C:` then.
    drive: Option<char>,
}

/// The place that a URI leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) path: String,
    /// True if the URI ends in a slash that the URI in lists does not have, so that the entry must be a directory.
    pub(super) slash: bool,
}

impl Address {
    /// Makes the address of an absolute path without links, `.` and `..`.
    pub(super) fn new(root: &Path) -> Result<Address> {
        let (mut path, mut drive) = (String::new(), None);
        for component in root.components() {
            let name = match component {
                Component::RootDir => continue,
                Component::Prefix(prefix) => match prefix.kind() {
                    Prefix::Disk(letter) | Prefix::VerbatimDisk(letter) => {
                        drive = Some(char::from(letter));
                        format!("{}:", char::from(letter))
                    }
                    _ => return Err(refuse(root, "is not on a drive with a letter; serve a folder that is")),
                },
                other => other
                    .as_os_str()
                    .to_str()
                    .ok_or_else(|| refuse(root, "has a name that is not UTF-8; rename it"))?
                    .to_owned(),
            };
            path.push('/');
            path.extend(utf8_percent_encode(&name, ESCAPED));
        }
        Ok(Address { start: FILE, path, drive })
    }

    /// Makes the address of skills: `skill://acme/…` with the prefix `acme`, otherwise `skill://…`.
    #[cfg(feature = "skills")]
    pub(super) fn of_skills(prefix: Option<&str>) -> Address {
        let path = prefix.map(|prefix| format!("/{prefix}")).unwrap_or_default();
        Address { start: SKILL, path, drive: None }
    }

    /// Returns the name of the last directory of the root's URI; empty if it has none.
    #[cfg(feature = "skills")]
    pub(super) fn last(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the template of every URI below the root.
    pub(super) fn template(&self) -> String {
        format!("{}{}/{{+{VARIABLE}}}", self.start, self.path)
    }

    /// Returns templates for other spellings of these URIs: the root itself, the authority `localhost` (`rows.tsv`
    /// U-20), and the drive.
    pub(super) fn other_templates(&self) -> Vec<String> {
        let mut others = Vec::new();
        if self.start == SKILL {
            others.extend((!self.path.is_empty()).then(|| format!("{SKILL}{}", self.path)));
            return others;
        }
        for path in self.paths() {
            for authority in ["", "localhost"] {
                others.push(format!("file://{authority}{path}/"));
                if !path.is_empty() {
                    others.push(format!("file://{authority}{path}"));
                }
                others.push(format!("file://{authority}{path}/{{+{VARIABLE}}}"));
            }
        }
        let listed = self.template();
        others.retain(|template| *template != listed);
        others
    }

    /// Returns the path of the root in each spelling; the first is that of lists. Clients write a drive as `C:`, `c:`,
    /// `C%3A`, or `c%3A`.
    fn paths(&self) -> Vec<String> {
        let Some(letter) = self.drive else { return vec![self.path.clone()] };
        let below = &self.path["/C:".len()..];
        let letters = [letter, char::from(letter as u8 ^ b' ')]; // the other case
        let colons = [":", "%3A", "%3a"].into_iter();
        let spellings = colons.flat_map(|colon| letters.map(|letter| format!("/{letter}{colon}{below}")));
        spellings.collect()
    }

    /// Returns whether the root is that of a file system, or of all skills. Its own URI ends in a slash.
    fn is_top(&self) -> bool {
        self.path.is_empty() || self.drive.is_some() && self.path.len() == "/C:".len()
    }

    /// Returns the URI of an entry in the spelling of lists.
    pub(super) fn uri(&self, path: &str) -> String {
        let mut uri = format!("{}{}", self.start, self.path);
        if path.is_empty() && self.is_top() {
            uri.push('/');
        }
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let is_authority = uri.len() == SKILL.len() && self.start == SKILL;
            uri.push('/');
            uri.extend(utf8_percent_encode(name, if is_authority { ESCAPED_IN_AUTHORITY } else { ESCAPED }));
        }
        uri
    }

    /// Returns the value of the template's variable for the path of an entry, with as few escapes as possible.
    pub(super) fn value(path: &str) -> String {
        utf8_percent_encode(path, KEPT_BY_EXPANSION).to_string()
    }

    /// Returns the path that a typed beginning of such a value names; `None` if no path begins so.
    pub(super) fn path_of(value: &str) -> Option<String> {
        let path = percent_decode_str(value).decode_utf8().ok()?;
        (path.is_empty() || path.split('/').all(is_name)).then(|| path.into_owned())
    }

    /// Returns a URI in each spelling in which clients may subscribe to it: that of lists, and for a file the one with
    /// the authority `localhost`.
    pub(super) fn spellings(uri: String) -> impl Iterator<Item = String> {
        let at_localhost = uri.strip_prefix(FILE).map(|path| format!("{FILE}localhost{path}"));
        std::iter::once(uri).chain(at_localhost)
    }

    /// Returns the text with which all URIs below a directory begin.
    pub(super) fn inside(&self, path: &str) -> String {
        let mut uri = self.uri(path);
        if !uri.ends_with('/') {
            uri.push('/');
        }
        uri
    }

    /// Returns the entry that a URI leads to: decoded once, without `.`, `..` and empty segments. `None` if it cannot
    /// be below the root.
    pub(super) fn parse(&self, uri: &str) -> Option<Target> {
        let rest = uri.strip_prefix(self.start)?;
        let host = if self.start == FILE { rest.strip_prefix("localhost") } else { None };
        let rest = host.unwrap_or(rest);
        let rest = self.paths().iter().find_map(|path| rest.strip_prefix(&**path))?;
        if !(rest.is_empty() || rest.starts_with('/')) || rest.contains(['?', '#']) {
            return None;
        }
        let is_top = rest == "/" && self.is_top();
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let decoded = percent_decode_str(rest).decode_utf8().ok()?;
        let (path, slash) = match decoded.strip_suffix('/') {
            Some(path) if !path.is_empty() => (path, true),
            Some(_) => return None,
            None => (&*decoded, decoded.is_empty() && uri.ends_with('/') && !is_top),
        };
        let proper = path.is_empty() || path.split('/').all(is_name);
        proper.then(|| Target { path: path.to_owned(), slash })
    }

    /// Returns whether a URI is spelled as in lists. Notifications of changes use that spelling.
    pub(super) fn is_listed_spelling(&self, uri: &str, path: &str) -> bool {
        let listed = self.uri(path);
        Address::spellings(listed).any(|spelling| spelling == uri)
    }
}

/// Returns whether a segment can be the name of an entry, and nothing else.
fn is_name(segment: &str) -> bool {
    !matches!(segment, "" | "." | "..")
        && !segment.contains('\0')
        && (cfg!(not(windows)) || windows_name::is_plain(segment))
}

fn refuse(root: &Path, why: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("the folder \"{}\" {why}", root.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn notes() -> Address {
        Address::new(Path::new("/home/ann b/notes")).unwrap()
    }

    fn path(uri: &str) -> Option<String> {
        notes().parse(uri).map(|target| target.path)
    }

    // row: U-20
    #[test]
    fn only_this_machine_is_an_authority() {
        assert_eq!(path("file:///home/ann%20b/notes/a").as_deref(), Some("a"));
        assert_eq!(path("file://localhost/home/ann%20b/notes/a").as_deref(), Some("a"));
        for other in
            ["example.com", "127.0.0.1", "localhost:80", "user@localhost", "localhost.", "%6cocalhost"]
        {
            assert_eq!(path(&format!("file://{other}/home/ann%20b/notes/a")), None, "{other}");
        }
    }

    // row: U-21, U-25
    #[test]
    fn names_are_decoded_exactly_once() {
        assert_eq!(path("file:///home/ann%20b/notes/%61%2fb").as_deref(), Some("a/b"));
        assert_eq!(path("file:///home/ann%20b/notes/%252e%252e").as_deref(), Some("%2e%2e"));
        for refused in ["a%00b", "%00", "%ff", "%c3", "%ed%a0%80"] {
            assert_eq!(path(&format!("file:///home/ann%20b/notes/{refused}")), None, "{refused}");
        }
    }

    // row: U-22
    #[test]
    fn no_segment_leads_upwards() {
        for refused in [
            "..",
            "../x",
            "a/..",
            "a/../b",
            "%2e%2e/x",
            "a/%2E%2e",
            "..%2fx",
            "a%2f..%2f..%2fx",
            ".",
            "a/./b",
            "a//b",
            "//a",
        ] {
            assert_eq!(path(&format!("file:///home/ann%20b/notes/{refused}")), None, "{refused}");
        }
        for name in ["...", "..a", "a..", "%252e%252e"] {
            let found = path(&format!("file:///home/ann%20b/notes/{name}"));
            assert_eq!(found.is_some(), !cfg!(windows) || !name.ends_with('.'), "{name}");
        }
    }

    #[test]
    fn a_drive_has_each_spelling_that_clients_send() {
        let notes = Address { start: FILE, path: "/C:/notes".to_owned(), drive: Some('C') };
        let a = Some(Target { path: "a".to_owned(), slash: false });
        for root in ["/C:", "/c:", "/C%3A", "/c%3A", "/C%3a", "/c%3a"] {
            for authority in ["", "localhost"] {
                let uri = format!("file://{authority}{root}/notes");
                assert_eq!(notes.parse(&format!("{uri}/a")), a, "{uri}");
                let template = format!("{uri}/{{+path}}");
                assert!(
                    template == notes.template() || notes.other_templates().contains(&template),
                    "{template}"
                );
                assert!(notes.other_templates().contains(&uri));
            }
        }
        for other in
            ["/D:/notes/a", "/C|/notes/a", "/C/notes/a", "/C:/notes2/a", "/C:notes/a", "/%43:/notes/a"]
        {
            assert_eq!(notes.parse(&format!("file://{other}")), None, "{other}");
        }
        assert!(notes.is_listed_spelling("file:///C:/notes/a", "a"));
        assert!(!notes.is_listed_spelling("file:///c%3A/notes/a", "a"));
        let drive = Address { start: FILE, path: "/C:".to_owned(), drive: Some('C') };
        assert_eq!((drive.uri(""), drive.uri("a")), ("file:///C:/".to_owned(), "file:///C:/a".to_owned()));
        assert_eq!(drive.parse("file:///c:/").unwrap().path, "");
    }

    #[test]
    fn a_sibling_with_the_same_beginning_of_its_name_is_outside() {
        assert_eq!(path("file:///home/ann%20b/notes2"), None);
        assert_eq!(path("file:///home/ann%20b/notes-old/a"), None);
        assert_eq!(path("file:///home/ann%20b"), None);
    }

    #[test]
    fn a_query_or_a_fragment_is_not_part_of_a_name() {
        assert_eq!(path("file:///home/ann%20b/notes/a?b"), None);
        assert_eq!(path("file:///home/ann%20b/notes/a#b"), None);
        let unescaped = path("file:///home/ann%20b/notes/a%3Fb");
        assert_eq!(unescaped.as_deref(), (!cfg!(windows)).then_some("a?b")); // no name there has a question mark
    }

    #[test]
    fn the_root_has_a_uri_with_and_without_a_slash() {
        let root = |slash| Some(Target { path: String::new(), slash });
        assert_eq!(notes().parse("file:///home/ann%20b/notes"), root(false));
        assert_eq!(notes().parse("file:///home/ann%20b/notes/"), root(true));
        let system = Address::new(Path::new("/")).unwrap();
        assert_eq!(system.uri(""), "file:///");
        assert_eq!(system.uri("etc/a"), "file:///etc/a");
        assert_eq!(system.inside(""), "file:///");
        assert_eq!(system.parse("file:///etc/a").unwrap().path, "etc/a");
        for own in ["file:///", "file://localhost/"] {
            assert_eq!(system.parse(own), root(false), "{own}: the URI of this root ends in a slash");
        }
        assert!(system.parse("file:///etc/").unwrap().slash);
        assert_eq!(system.template(), "file:///{+path}");
    }

    /// A pattern for the names in tests. Few texts that it makes are no valid names.
    const NAMES: &str = if cfg!(windows) { "[^/\0-\x1f<>:\"|?*\\\\]{1,12}" } else { "[^/\0]{1,12}" };

    proptest! {
        #[test]
        fn every_name_survives_its_uri(names in prop::collection::vec(NAMES, 1..5)) {
            prop_assume!(names.iter().all(|name| is_name(name)));
            let path = names.join("/");
            let uri = notes().uri(&path);
            prop_assert!(crate::uri::check_uri(&uri).is_ok());
            prop_assert!(crate::uri::UriTemplate::parse(&uri).is_ok());
            let made = crate::Template::new(notes().template()).expand([("path", Address::value(&path))]).unwrap();
            prop_assert_eq!(&made, &uri);
            prop_assert_eq!(Address::path_of(&Address::value(&path)), Some(path.clone()));
            prop_assert_eq!(notes().parse(&uri), Some(Target { path, slash: false }));
        }
    }
}
