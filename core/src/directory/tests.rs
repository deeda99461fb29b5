//! Reads, subscriptions and completions on a file system that finds entries by several spellings. It is a fake over a real
//! folder: it ignores the case of ASCII letters, takes two forms of `é` for one, and has short names.

use super::Directory;
use super::open_dir::{LOOKUP, UNOPENED};
use crate::log::Severity;
use crate::{Caller, Connection, Server, TestClient};
use cap_std::fs::Dir;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Returns the form in which the fake compares names.
fn folded(name: &str) -> String {
    name.to_lowercase()
        .replace("e\u{301}", "é")
        .replace('\u{200d}', "")
        .trim_end_matches(['.', ' '])
        .to_owned()
}

/// Returns the short name of the fake for an entry, such as `SECRET~1`.
fn short(name: &str) -> String {
    folded(name.trim_start_matches('.')).chars().take(6).collect::<String>() + "~1"
}

pub(super) fn lookup(dir: &Dir, name: &str) -> String {
    let names: Vec<_> =
        dir.entries().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let found = names.iter().find(|own| folded(own) == folded(name) || short(own) == folded(name));
    names.iter().find(|own| *own == name).or(found).map_or(name, String::as_str).to_owned()
}

/// A served folder on the fake file system, and a client.
struct Served {
    client: TestClient,
    _server: Server,
    root: PathBuf,
    log: Arc<Mutex<Vec<String>>>,
    _around: tempfile::TempDir,
}

impl Served {
    fn new(files: &[(&str, &str)], how: impl FnOnce(Directory) -> Directory) -> Served {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().canonicalize().unwrap();
        for (path, text) in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        let log = Arc::new(Mutex::new(Vec::new()));
        let sink = log.clone();
        let keep = move |_: Severity, line: &str| sink.lock().unwrap().push(line.to_owned());
        let server = Server::builder("test", "1").on_log(keep).build().unwrap();
        LOOKUP.set(Some(lookup));
        server.directory(how(Directory::new(&root).settle_ms(0))).unwrap();
        LOOKUP.set(None);
        Served { client: server.test_client().unwrap(), _server: server, root, log, _around: around }
    }

    fn uri(&self, path: &str) -> String {
        super::Address::new(&self.root).unwrap().uri(path)
    }

    fn is_read(&mut self, path: &str) -> bool {
        let uri = self.uri(path);
        self.client.read(&uri).is_ok()
    }

    fn assert_absent(&mut self, path: &str) {
        let uri = self.uri(path);
        for error in [self.client.read(&uri).unwrap_err(), self.client.subscribe(&uri).unwrap_err()] {
            assert!(error.to_string().contains("Resource not found"), "{path}: {error}");
        }
    }

    fn completed(&mut self, typed: &str) -> Vec<String> {
        let template = self.uri("") + "/{+path}";
        self.client.complete(&template, "path", typed).unwrap()
    }
}

const FILES: [(&str, &str); 8] = [
    (".gitignore", "secret.txt\ncafé.txt\n"),
    ("secret.txt", "s"),
    ("caf\u{e9}.txt", "s"),
    (".env", "s"),
    ("drafts/x.md", "s"),
    ("open.txt", "o"),
    ("docs/Re\u{301}sume\u{301}.txt", "o"),
    ("2024/05", "o"),
];

// row: U-27
#[test]
fn an_entry_that_a_rule_hides_has_no_other_spelling() {
    let mut served = Served::new(&FILES, |directory| directory.exclude("drafts/"));
    for path in [
        "secret.txt",
        "SECRET.TXT",
        "Secret.txt",
        "SECRET~1",
        "secret.txt.",
        "secret.txt ",
        "cafe\u{301}.txt",
        "CAFÉ.TXT",
        "café~1",
        ".ENV",
        "ENV~1",
        ".GITIGNORE",
        "GITIGN~1",
        "DRAFTS",
        "DRAFTS/x.md",
        "drafts./x.md",
        "DRAFTS~1/x.md",
    ] {
        served.assert_absent(path);
    }
}

#[test]
fn an_entry_is_served_by_the_name_that_its_directory_has() {
    let mut served = Served::new(&FILES, |directory| directory);
    for path in ["open.txt", "docs", "docs/Re\u{301}sume\u{301}.txt", "2024/05"] {
        assert!(served.is_read(path), "{path}");
    }
    for path in [
        "OPEN.txt",
        "OPEN~1",
        "Docs",
        "DOCS/Re\u{301}sume\u{301}.txt",
        "docs/R\u{e9}sum\u{e9}.txt",
        "2024./05",
        "2024\u{200d}",
    ] {
        served.assert_absent(path);
    }
    assert_eq!(served.completed("docs/R"), ["docs/Re%CC%81sume%CC%81.txt"]);
    assert_eq!(served.completed("DOCS/"), [""; 0]);
    let lines = served.log.lock().unwrap().clone();
    assert!(lines[0].contains("OPEN.txt") && lines[0].contains("another spelling"), "{lines:?}");
    assert_eq!(lines.len(), 2, "one line for each directory: {lines:?}");
}

#[cfg(unix)]
#[test]
fn a_spelling_of_a_client_cannot_forge_a_line_of_the_log() {
    let mut served = Served::new(&[("a\nb\u{1b}[2J", "o")], |directory| directory);
    served.assert_absent("A\nB\u{1b}[2J");
    let lines = served.log.lock().unwrap().clone();
    assert!(lines[0].contains("A\\u{a}B\\u{1b}[2J") && !lines[0].contains(char::is_control), "{lines:?}");
}

#[cfg(not(windows))]
#[test]
fn entries_that_differ_only_in_case_are_both_served_and_both_hidden() {
    let files = [("a", "small"), ("A", "large"), ("b", "s"), ("B", "o"), (".gitignore", "b\n")];
    let mut served = Served::new(&files, |directory| directory);
    assert!(served.is_read("a") && served.is_read("A"));
    served.assert_absent("b");
    served.assert_absent("B");
}

// row: U-27
#[test]
fn a_pattern_hides_a_name_in_another_case_where_names_ignore_case() {
    let files = [
        (".gitignore", "secret.txt\nKEYS/\n"),
        ("Secret.TXT", "s"),
        ("keys/a", "s"),
        ("Drafts/x.md", "s"),
        ("READ.MD", "o"),
        ("read.txt", "s"),
    ];
    let mut served = Served::new(&files, |directory| directory.exclude("drafts/").include("*.md"));
    for path in ["Secret.TXT", "keys/a", "Drafts/x.md", "read.txt"] {
        served.assert_absent(path);
    }
    assert!(served.is_read("READ.MD"));
}

// row: U-27
#[test]
fn an_ignore_file_hides_a_name_whose_accents_have_another_form() {
    let files = [
        (".git/info/exclude", "priv\u{e9}/no\u{308}te\n"),
        ("priv\u{e9}/.gitignore", "caf\u{e9}.txt\n!se\u{301}.txt\n"),
        ("priv\u{e9}/cafe\u{301}.txt", "s"),
        ("priv\u{e9}/n\u{f6}te", "s"),
        ("priv\u{e9}/s\u{e9}.txt", "o"),
        (".gitignore", "s\u{e9}.txt\n"),
    ];
    let mut served = Served::new(&files, |directory| directory);
    for path in ["priv\u{e9}/cafe\u{301}.txt", "priv\u{e9}/n\u{f6}te"] {
        served.assert_absent(path);
    }
    assert!(served.is_read("priv\u{e9}/s\u{e9}.txt"));
}

#[test]
fn an_ignore_file_in_another_spelling_counts() {
    let files = [(".GITIGNORE", "secret.txt\n"), ("secret.txt", "s"), ("open.txt", "o")];
    let mut served = Served::new(&files, |directory| directory);
    served.assert_absent("secret.txt");
    assert!(served.is_read("open.txt"));
}

thread_local! {
    /// The client that goes away when the folder looks up the first file.
    static CLIENT: RefCell<Option<Connection>> = const { RefCell::new(None) };

    /// The number of files that were looked up.
    static LOOKED_UP: Cell<usize> = const { Cell::new(0) };
}

fn lookup_without_client(_: &Dir, name: &str) -> String {
    if name.starts_with("file") {
        LOOKED_UP.set(LOOKED_UP.get() + 1);
        CLIENT.take();
    }
    name.to_owned()
}

#[test]
fn a_directory_is_not_read_on_for_a_client_that_is_gone() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap();
    for n in 0..10 {
        fs::write(root.join(format!("file{n}")), "").unwrap();
    }
    let server = Server::new("test", "1");
    LOOKUP.set(Some(lookup_without_client));
    let folder = server.directory(Directory::new(&root).include("*.md").watch(false)).unwrap();
    LOOKUP.set(None);
    let uri = super::Address::new(&root).unwrap().uri("");
    let template = json!({"type": "ref/resource", "uri": folder.registered_as()});
    for (method, mut params) in [
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": uri})),
        ("completion/complete", json!({"ref": template, "argument": {"name": "path", "value": "f"}})),
    ] {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let client = server.connect(Caller::default());
        client.receive(format!("{request}\n").as_bytes());
        let event = client.poll_event().unwrap();
        CLIENT.set(Some(client));
        LOOKED_UP.set(0);
        event.run();
        assert_eq!(LOOKED_UP.get(), 1, "{method}");
    }
}

// row: U-23
#[cfg(unix)]
#[test]
fn a_link_that_cannot_be_followed_for_a_while_is_not_said_to_be_absent() {
    let mut served = Served::new(&[("a.txt", "a")], |directory| directory);
    std::os::unix::fs::symlink("a.txt", served.root.join("link.txt")).unwrap();
    let uri = served.uri("link.txt");
    UNOPENED.set(Some("link.txt"));
    let error = served.client.read(&uri).unwrap_err().to_string();
    let children = served.client.read(&served.uri("")).unwrap();
    UNOPENED.set(None);
    assert!(error.contains("Internal error"), "{error}");
    assert_eq!(children[0].text(), Some(&*format!("{}\r\n", served.uri("a.txt"))));
    assert!(served.is_read("link.txt"));
}
