//! Folders that can and cannot be served.

use crate::support::Served;
use std::fs;
use wellhead::{Directory, ErrorKind, Server, Template};

fn error(directory: Directory) -> (ErrorKind, String) {
    let server = Server::new("test", "1");
    let error = server.directory(directory).unwrap_err();
    let unlisted = server.test_client().unwrap().list().unwrap_err().to_string();
    assert!(unlisted.contains("Method not found"), "nothing was registered: {unlisted}");
    (error.kind(), error.to_string())
}

#[test]
fn a_path_that_is_no_folder_is_refused_by_its_name() {
    let around = tempfile::tempdir().unwrap();
    let missing = around.path().join("missing");
    let (kind, message) = error(Directory::new(&missing));
    assert_eq!(kind, ErrorKind::Io);
    assert_eq!(
        message,
        format!("the folder \"{}\", which must exist and be readable, cannot be opened", missing.display())
    );

    let file = around.path().join("file");
    fs::write(&file, "").unwrap();
    let (kind, message) = error(Directory::new(&file));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.contains("is not a folder"), "{message}");
}

#[test]
fn an_invalid_pattern_of_a_folder_is_refused() {
    let around = tempfile::tempdir().unwrap();
    for directory in [Directory::new(around.path()).include("a["), Directory::new(around.path()).exclude("")]
    {
        let (kind, message) = error(directory);
        assert_eq!(kind, ErrorKind::InvalidArgument);
        assert!(message.contains("is no pattern"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_with_a_name_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let around = tempfile::tempdir().unwrap();
    let odd = around.path().join(std::ffi::OsStr::from_bytes(b"a\xff"));
    fs::create_dir(&odd).unwrap();
    let (kind, message) = error(Directory::new(odd));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.contains("not UTF-8"), "{message}");
}

#[test]
fn a_time_to_settle_that_is_too_long_is_refused() {
    let around = tempfile::tempdir().unwrap();
    let (kind, message) = error(Directory::new(around.path()).settle_ms(60_001));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert_eq!(message, "`settle_ms` must be at most 60,000 (got 60001)");
    Server::new("test", "1").directory(Directory::new(around.path()).settle_ms(60_000)).unwrap();
}

#[test]
fn a_folder_is_served_once() {
    let served = Served::files(&[("a", "")]);
    let again = served.server.directory(served.root.join("../root")).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::Duplicate);
    assert_eq!(served.listed(), ["a"]);
}

#[test]
fn a_folder_within_one_that_is_served_is_refused_and_so_is_one_around_it() {
    let served = Served::files(&[("a", ""), ("inner/b", "")]);
    let beside = served.root.with_file_name("rootless");
    fs::create_dir(&beside).unwrap();
    for folder in [served.root.join("inner"), served.root.parent().unwrap().to_path_buf()] {
        let refused = served.server.directory(folder.as_path()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Duplicate);
        let message = refused.to_string();
        assert!(message.contains(folder.to_str().unwrap()), "{message}");
        assert!(message.contains("lists all of"), "{message}");
    }
    assert_eq!(served.listed(), ["a", "inner", "inner/b"]);

    served.server.directory(beside.as_path()).unwrap();
    served.handle.remove().unwrap();
    served.server.directory(served.root.join("inner")).unwrap();
    served.server.directory(served.root.as_path()).unwrap_err();
    let template = served.handle.registered_as().replace("{+path}", "{name}");
    served.server.template(Template::new(template), |_| "").unwrap();
}

#[test]
fn a_removed_folder_is_not_served_under_any_spelling_and_may_come_back() {
    let served = Served::files(&[("a", "a")]);
    let at_localhost = served.uri("a").replacen("file://", "file://localhost", 1);
    served.handle.remove().unwrap();
    assert_eq!(served.items().len(), 0);
    for uri in [served.uri("a"), served.uri(""), served.uri("") + "/", at_localhost.clone()] {
        served.assert_absent(&uri);
    }
    served.server.directory(served.root.as_path()).unwrap();
    assert_eq!(served.read(&at_localhost)["text"], "a");
}

#[test]
fn dropping_the_handle_does_not_remove_the_folder() {
    let around = tempfile::tempdir().unwrap();
    let server = Server::new("test", "1");
    drop(server.directory(around.path()).unwrap());
    assert_eq!(server.test_client().unwrap().list().unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_folder_reached_by_a_link_is_served_under_its_real_path() {
    let served = Served::files(&[("a", "a")]);
    let link = served.outside().join("link");
    std::os::unix::fs::symlink(&served.root, &link).unwrap();
    let other = Server::new("test", "1");
    let handle = other.directory(link).unwrap();
    assert_eq!(handle.registered_as(), served.uri("{+path}"));
}

#[cfg(unix)]
#[test]
fn the_whole_file_system_can_be_served() {
    let server = Server::builder("test", "1").build().unwrap();
    server.directory(Directory::new("/").include("/no such entry")).unwrap();
    let mut client = server.test_client().unwrap();
    assert!(client.read("file:///").unwrap()[0].text().unwrap().starts_with("file:///"));
    assert!(client.read("file:///etc/passwd").is_err());
}
