//! Hidden and ignored entries do not exist for clients.

use crate::paths::uri_of;
use crate::support::Served;
use std::fs;
use wellhead::Limits;

/// By list, by URI, and in its directory's own list.
fn assert_hidden(served: &Served, path: &str) {
    assert!(!served.listed().contains(&path.to_owned()), "{path} is listed");
    served.assert_absent(&served.uri(path));
    let (parent, _) = path.rsplit_once('/').unwrap_or_default();
    let beside =
        served.send_request("resources/read", &serde_json::json!({"uri": served.uri(parent)})).to_string();
    assert!(!beside.contains(&served.uri(path)), "{path} is told by its directory");
}

// row: U-27
#[test]
fn hidden_entries_are_not_there() {
    let served = Served::files(&[(".env", "s"), (".git/config", "s"), ("a/.b/c", "s"), ("a/d", "")]);
    for path in [".env", ".git", ".git/config", "a/.b", "a/.b/c"] {
        assert_hidden(&served, path);
    }
    served.assert_absent(&served.uri("%2eenv"));
    assert_eq!(served.listed(), ["a", "a/d"]);
}

// row: U-27
#[test]
fn ignored_entries_are_not_there() {
    let served = Served::files(&[
        (".gitignore", "*.log\nbuild/\n/top\n!keep.log\n# a comment\n"),
        ("x.log", "s"),
        ("keep.log", ""),
        ("build/out/o", "s"),
        ("top", "s"),
        ("a/top", ""),
        ("a/x.log", "s"),
        ("a/build", ""),
    ]);
    for path in ["x.log", "build", "build/out", "build/out/o", "top", "a/x.log"] {
        assert_hidden(&served, path);
    }
    assert_eq!(served.listed(), ["a", "a/build", "a/top", "keep.log"]);
}

// row: U-27
#[test]
fn the_nearest_ignore_file_decides_and_ignore_overrules_gitignore() {
    let served = Served::files(&[
        (".gitignore", "*.log\n*.tmp\n"),
        ("a/.gitignore", "!x.log\n/only\n"),
        ("a/x.log", ""),
        ("a/b/x.log", ""),
        ("a/only", "s"),
        ("a/b/only", ""),
        ("x.log", "s"),
        ("b/.gitignore", "!*.tmp\n"),
        ("b/.ignore", "*.tmp\n"),
        ("b/x.tmp", "s"),
    ]);
    for path in ["x.log", "a/only", "b/x.tmp"] {
        assert_hidden(&served, path);
    }
    assert_eq!(served.listed(), ["a", "a/b", "a/b/only", "a/b/x.log", "a/x.log", "b"]);
}

// row: U-27
#[test]
fn a_rule_cannot_show_entries_below_an_ignored_directory() {
    let served = Served::files(&[(".gitignore", "build/\n"), ("build/.gitignore", "!*\n"), ("build/x", "s")]);
    assert_hidden(&served, "build/x");
}

// row: U-27
#[cfg(unix)]
#[test]
fn a_link_to_something_hidden_or_ignored_is_not_there() {
    let served = Served::files(&[
        (".gitignore", "secret\nln-ignored\n"),
        (".env", "s"),
        ("secret", "s"),
        ("open", "o"),
    ]);
    served.link("ln-env", ".env");
    served.link("ln-secret", "secret");
    served.link("ln-ignored", "open");
    served.link(".ln-hidden", "open");
    served.link("ln", "open");
    for path in ["ln-env", "ln-secret", "ln-ignored", ".ln-hidden"] {
        assert_hidden(&served, path);
    }
    assert_eq!(served.text(&served.uri("ln")), "o");
}

#[test]
fn an_edited_ignore_file_counts_at_once() {
    let files = [(".gitignore", "a\n"), ("a", ""), ("b", "")];
    // Without a watch, which reads the file as well: Wine keeps a removed file that is still open.
    let served = Served::build(&files, |directory| directory.watch(false), Limits::default());
    assert_eq!(served.listed(), ["b"]);
    served.put(".gitignore", "b\n");
    assert_eq!(served.listed(), ["a"]);
    fs::remove_file(served.root.join(".gitignore")).unwrap();
    assert_eq!(served.listed(), ["a", "b"]);
}

#[test]
fn the_ignore_files_of_the_repository_around_the_folder_count() {
    let around = tempfile::tempdir().unwrap();
    let top = around.path().canonicalize().unwrap();
    fs::create_dir_all(top.join(".git/info")).unwrap();
    fs::create_dir_all(top.join("docs/sub")).unwrap();
    fs::write(top.join(".gitignore"), "/docs/secret\n*.o\n").unwrap();
    fs::write(top.join(".git/info/exclude"), "mine\n").unwrap();
    for name in ["secret", "a.o", "mine", "sub/secret", "a.md"] {
        fs::write(top.join("docs").join(name), "").unwrap();
    }
    let server = wellhead::Server::new("test", "1");
    server.directory(top.join("docs")).unwrap();
    let listed = server.test_client().unwrap().list().unwrap();
    let root = format!("{}/docs", uri_of(&top));
    let listed: Vec<_> = listed.iter().map(|item| item.uri().strip_prefix(&root).unwrap()).collect();
    assert_eq!(listed, ["", "/a.md", "/sub", "/sub/secret"]);
}

#[test]
fn the_application_chooses_entries_by_patterns() {
    let files = [
        ("a.md", ""),
        ("a.txt", ""),
        ("docs/b.txt", ""),
        ("docs/b.md", ""),
        ("drafts/c.md", ""),
        (".d.md", ""),
    ];
    let served = Served::build(
        &files,
        |directory| directory.include("*.md").include("docs/").exclude("drafts").exclude("docs/*.md"),
        Limits::default(),
    );
    assert_eq!(served.listed(), ["a.md", "docs", "docs/b.txt"]);
    for path in ["a.txt", "docs/b.md", "drafts", "drafts/c.md", ".d.md"] {
        assert_hidden(&served, path);
    }
}
