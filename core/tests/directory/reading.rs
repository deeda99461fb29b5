//! Reads of files and directories.

use crate::support::{NOT_FOUND, Served, set_modified};
use serde_json::{Value, json};
use std::fs;
use wellhead::Limits;

#[test]
fn a_text_is_read_as_text() {
    let served = Served::files(&[("a.md", "# \u{feff}Übung\r\n")]);
    let uri = served.uri("a.md");
    assert_eq!(
        served.read(&uri),
        json!({"uri": uri, "mimeType": "text/markdown", "text": "# \u{feff}Übung\r\n"})
    );
}

#[test]
fn an_empty_file_is_an_empty_text() {
    let served = Served::files(&[("a.txt", ""), ("b", "")]);
    assert_eq!(served.read(&served.uri("a.txt"))["text"], "");
    assert_eq!(served.read(&served.uri("b"))["text"], "");
}

#[test]
fn bytes_are_read_as_a_blob() {
    let served = Served::files(&[("text.png", "no picture")]);
    fs::write(served.root.join("broken.txt"), b"\xff\xfe").unwrap();
    fs::write(served.root.join("unknown"), b"a\0b").unwrap();
    let read = |path: &str| served.read(&served.uri(path));
    assert_eq!(read("text.png")["blob"], "bm8gcGljdHVyZQ==", "its type says that it is no text");
    assert_eq!(read("broken.txt")["blob"], "//4=", "its type says so, but it is no UTF-8");
    assert_eq!(read("broken.txt")["mimeType"], "text/plain");
    assert_eq!(read("unknown")["blob"], "YQBi");
    assert_eq!(read("unknown")["mimeType"], "application/octet-stream");
}

#[test]
fn a_file_of_unknown_type_is_text_if_it_looks_like_it() {
    let served = Served::files(&[("LICENSE", "Do as you like.")]);
    let contents = served.read(&served.uri("LICENSE"));
    assert_eq!(contents["text"], "Do as you like.");
    assert_eq!(contents["mimeType"], "text/plain");
}

// row: U-26
#[test]
fn a_directory_reads_as_one_list_of_the_uris_of_its_children() {
    let served =
        Served::files(&[("d/b.md", ""), ("d/a c", ""), ("d/Z/deep/x", ""), ("d/empty/", ""), ("d/.h", "")]);
    #[cfg(unix)]
    served.link("d/out", "/");
    let uri = served.uri("d");
    let lines = ["d/Z", "d/a%20c", "d/b.md", "d/empty"].map(|path| served.uri(path) + "\r\n").concat();
    assert_eq!(served.read(&uri), json!({"uri": uri, "mimeType": "text/uri-list", "text": lines}));
    assert_eq!(served.text(&served.uri("d/empty")), "");
}

#[test]
fn the_root_and_every_directory_may_be_read_with_a_slash() {
    let served = Served::files(&[("d/a", "")]);
    assert_eq!(served.text(&served.uri("d/")), served.uri("d/a") + "\r\n");
    assert_eq!(served.text(&(served.uri("") + "/")), served.uri("d") + "\r\n");
    assert_eq!(
        served.send_request("resources/read", &json!({"uri": served.uri("d/a/")}))["error"]["code"],
        NOT_FOUND
    );
}

#[test]
fn an_entry_under_another_spelling_can_be_read_but_not_subscribed() {
    let served = Served::files(&[("a.md", "a")]);
    let uri = served.uri("%61.md");
    assert_eq!(served.read(&uri), json!({"uri": uri, "mimeType": "text/markdown", "text": "a"}));
    let error = served.send_request("resources/subscribe", &json!({"uri": uri}))["error"]["code"].clone();
    assert_eq!(error, NOT_FOUND, "changes are told in the listed spelling only");
}

#[test]
fn a_file_larger_than_the_limit_is_not_there() {
    let files = [("below", "123"), ("at", "1234"), ("above", "12345")];
    let served = Served::build(&files, |directory| directory.max_file_bytes(4), Limits::default());
    assert_eq!(served.listed(), ["at", "below"]);
    assert_eq!(served.text(&served.uri("at")), "1234");
    served.assert_absent(&served.uri("above"));
    assert_eq!(served.text(&served.uri("")), format!("{}\r\n{}\r\n", served.uri("at"), served.uri("below")));
}

#[cfg(unix)]
#[test]
fn a_pipe_or_device_is_not_found_and_blocks_no_read() {
    let served = Served::files(&[("a", "")]);
    let pipe = served.root.join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(served.root.join("socket")).unwrap();
    assert_eq!(served.listed(), ["a"]);
    served.assert_absent(&served.uri("pipe"));
    served.assert_absent(&served.uri("socket"));
}

#[test]
fn a_path_through_a_file_is_not_there() {
    let served = Served::files(&[("a", "")]);
    served.assert_absent(&served.uri("a/b"));
    served.assert_absent(&served.uri("none"));
    served.assert_absent(&served.uri("none/b"));
    served.assert_absent(&served.uri(&"x".repeat(300)));
}

#[test]
fn a_large_file_is_read_whole() {
    let text = "0123456789abcdef".repeat(256 << 10);
    let served = Served::files(&[("large.txt", &text)]);
    assert!(served.text(&served.uri("large.txt")) == text);
}

// row: U-28
#[test]
fn a_version_changes_with_its_file_in_the_dialect() {
    let served = Served::files(&[("a.txt", "1"), ("b.txt", "1"), ("d/c", "")]);
    let get = |path: &str, version: &Value| {
        let mut params = json!({"uri": served.uri(path)});
        if version.is_string() {
            params["version"] = version.clone();
        }
        served.send_request("resources/get", &params)
    };
    for path in ["a.txt", "d"] {
        // A clock of files may stand still for some milliseconds.
        set_modified(&served.root.join(path), std::time::UNIX_EPOCH);
        let first = get(path, &Value::Null)["result"]["resource"]["version"].clone();
        assert!(first.is_string());
        assert_eq!(get(path, &first)["error"]["message"], "Not Modified", "{path}");
        served.put(path.replace('d', "d/new").as_str(), "22");
        let second = get(path, &first)["result"]["resource"]["version"].clone();
        assert!(second.is_string() && second != first, "{path}: {second}");
        assert_eq!(get(path, &second)["error"]["data"]["version"], second);
    }
    assert_ne!(
        get("a.txt", &Value::Null)["result"]["resource"]["version"],
        get("b.txt", &Value::Null)["result"]["resource"]["version"]
    );
    // What is listed and what is read have one version.
    let listed = served.items().into_iter().find(|item| item["uri"] == served.uri("a.txt")).unwrap();
    assert_eq!(get("a.txt", &listed["version"])["error"]["message"], "Not Modified");
}
