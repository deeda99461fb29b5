//! Ignore files that cannot be used hide whatever they might name.

use crate::support::Served;
use percent_encoding::percent_decode_str;
use std::fs;
#[cfg(unix)]
use std::os::unix::net::UnixListener;
use std::path::Path;
#[cfg(unix)]
use std::sync::{Arc, Mutex};
use wellhead::Limits;
#[cfg(unix)]
use wellhead::{Directory, ErrorKind, Server, Severity};

const FILES: [(&str, &str); 4] = [("a/x.key", "s"), ("a/sub/y", "s"), ("a/.gitignore", "*.key\n"), ("b", "")];

/// Makes the ignore file of the directory `a` unusable: nothing in it is served, the log says so once, and all is as before
/// once the file can be used.
fn check(unusable: impl Fn(&Path), why: &str) {
    // Two that look while the file changes may both write a line, so that one only looks here.
    let served = Served::build(&FILES, |directory| directory.watch(false), Limits::default());
    assert_eq!(served.listed(), ["a", "a/sub", "a/sub/y", "b"]);
    let file = served.root.join("a/.gitignore");
    fs::remove_file(&file).unwrap();
    unusable(&file);
    assert_eq!(served.listed(), ["a", "b"]);
    for path in ["a/x.key", "a/sub", "a/sub/y"] {
        served.assert_absent(&served.uri(path));
    }
    assert_eq!(served.text(&served.uri("a")), "");
    let lines = served.logged();
    let named = |line: &&String| line.contains(file.to_str().unwrap()) && line.contains(why);
    assert_eq!(lines.iter().filter(named).count(), 1, "{lines:?}");
    assert_eq!(lines.len(), 1, "{lines:?}");

    fs::remove_file(&file).unwrap();
    served.put("a/.gitignore", "*.key\n");
    assert_eq!(served.listed(), ["a", "a/sub", "a/sub/y", "b"]);
    fs::remove_file(&file).unwrap();
    unusable(&file);
    assert_eq!(served.listed(), ["a", "b"]);
    assert_eq!(served.logged().len(), 1, "it is unusable again");
}

// row: U-27
#[cfg(unix)]
#[test]
fn a_link_to_an_ignore_file_hides_everything_in_its_directory() {
    check(|file| std::os::unix::fs::symlink("../rules", file).unwrap(), "is a link");
    check(|file| std::os::unix::fs::symlink("/dev/null", file).unwrap(), "put the file itself there");
}

// row: U-27
#[cfg(unix)]
#[test]
fn a_line_about_an_ignore_file_that_is_found_behind_a_link_is_logged_with_no_lock_held() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path();
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/x"), "").unwrap();
    std::os::unix::fs::symlink("../rules", root.join("a/.gitignore")).unwrap();
    std::os::unix::fs::symlink("a/x", root.join("link")).unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let keep = move |_: Severity, line: &str| sink.lock().unwrap().push(line.to_owned());
    let server = Server::builder("test", "1").on_log(keep).build().unwrap();
    server.directory(Directory::new(root)).unwrap(); // a debug build asserts that the callback has no lock around it
    let lines = lines.lock().unwrap();
    assert!(lines.len() == 1 && lines[0].contains("a/.gitignore"), "{lines:?}");
}

// row: U-27
#[cfg(unix)]
#[test]
fn a_line_about_an_ignore_file_has_no_character_that_a_terminal_obeys() {
    let served = Served::build(
        &[("a\u{1b}[31m\n/x", ""), ("b", "")],
        |directory| directory.watch(false),
        Limits::default(),
    );
    std::os::unix::fs::symlink("../rules", served.root.join("a\u{1b}[31m\n/.gitignore")).unwrap();
    served.listed();
    let lines = served.logged();
    assert!(lines.len() == 1 && lines[0].contains(r"a\u{1b}[31m\u{a}"), "{lines:?}");
    assert!(!lines[0].contains(char::is_control), "{lines:?}");
}

// row: U-27
#[cfg(unix)]
#[test]
fn an_ignore_file_that_cannot_be_opened_hides_everything_in_its_directory() {
    check(|file| drop(UnixListener::bind(file).unwrap()), "not a regular file"); // a socket cannot be opened
    let make_pipe = |file: &Path| {
        rustix::fs::mknodat(rustix::fs::CWD, file, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    };
    check(make_pipe, "not a regular file");
}

// row: U-27
#[test]
fn an_ignore_file_that_is_too_long_or_no_text_hides_everything_in_its_directory() {
    check(|file| fs::write(file, "#".repeat(1 << 20) + "\n*.key\n").unwrap(), "longer than 1 MiB");
    check(|file| fs::write(file, b"\xff\xfe*\0.\0k\0e\0y\0\n\0").unwrap(), "is not text");
}

#[test]
fn an_ignore_file_of_a_mebibyte_counts_to_its_end() {
    let last = "\n*.key\n";
    let long = "#".repeat((1 << 20) - last.len()) + last;
    let served = Served::files(&[("a/.gitignore", &long), ("a/x.key", "s"), ("a/y", "")]);
    assert_eq!(served.listed(), ["a", "a/y"]);
}

#[test]
fn a_directory_with_the_name_of_an_ignore_file_hides_no_entry() {
    let served = Served::files(&[(".ignore/x", "s"), ("a", "")]);
    assert_eq!(served.listed(), ["a"]);
    assert_eq!(served.logged(), [""; 0]);
}

#[test]
fn braces_hide_entries_under_both_readings_of_git_and_others() {
    let served = Served::files(&[
        (".gitignore", "{x,y}.key\n{z\n\\{q\\}\n"),
        ("x.key", "s"),
        ("{x,y}.key", "s"),
        ("{z", "s"),
        ("{q}", "s"),
        ("q", ""),
        ("z.key", ""),
    ]);
    assert_eq!(served.listed(), ["q", "z.key"]);
}

/// Serves files that a `.gitignore` is about, and returns the paths of the listed ones.
fn listed(patterns: &str, files: &[&str]) -> Vec<String> {
    let mut all = vec![(".gitignore", patterns)];
    all.extend(files.iter().map(|path| (*path, "")));
    let listed = Served::files(&all).listed();
    listed.iter().map(|path| percent_decode_str(path).decode_utf8().unwrap().into_owned()).collect()
}

// row: U-27
#[test]
fn a_line_that_others_read_in_another_way_than_git_shows_nothing_again() {
    assert_eq!(listed("*.key\n!{a,b}.key\n!c.key\n", &["a.key", "b.key", "c.key", "{a,b}.key"]), ["c.key"]);
    assert_eq!(listed("*.key\n![[:alpha:]].key\n!c.key\n", &["a.key", "1.key", "c.key"]), ["c.key"]);
}

// row: U-27
#[test]
fn brackets_hide_what_git_hides() {
    let files = ["secret1.txt", "secretx.txt", "other.txt"];
    assert_eq!(listed("secret[[:digit:]].txt\n", &files), ["other.txt"], "x as well, rather than 1 not");
    assert_eq!(listed("[x\\]y]z\n", &["xz", "yz", "]z", "xy]z", "z"]), ["xy]z", "z"]);
    assert_eq!(
        listed("[]a]b\n[!c]d\n[^e]f\n", &["]b", "ab", "cd", "dd", "ef", "ff", "bb"]),
        ["bb", "cd", "ef"]
    );
    assert_eq!(
        listed("\\[[:digit:]]\n[é\\ü]w\n", &["1]", "[d]", "éw", "aw"]),
        ["1]", "éw"],
        "it compares bytes"
    );
}

#[cfg(unix)]
#[test]
fn an_unusable_ignore_file_around_the_folder_is_refused_with_its_name() {
    let around = tempfile::tempdir().unwrap();
    let top = around.path().canonicalize().unwrap();
    fs::create_dir_all(top.join(".git/info")).unwrap();
    fs::create_dir_all(top.join("docs")).unwrap();
    for name in [".gitignore", ".ignore", ".git/info/exclude"] {
        let file = top.join(name);
        let listener = UnixListener::bind(&file).unwrap();
        let error = Server::new("test", "1").directory(top.join("docs")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io);
        let message = error.to_string();
        assert!(message.contains(file.to_str().unwrap()) && message.contains("regular file"), "{message}");
        drop(listener);
        fs::remove_file(file).unwrap();
    }
    // Around the folder a link is followed.
    fs::write(top.join("rules"), "/docs/x\n").unwrap();
    std::os::unix::fs::symlink("rules", top.join(".gitignore")).unwrap();
    fs::write(top.join("docs/x"), "s").unwrap();
    let server = Server::new("test", "1");
    server.directory(top.join("docs")).unwrap();
    assert_eq!(server.test_client().unwrap().list().unwrap().len(), 1);
}
