//! Names as Windows reads them: by any case, with endings that it drops, and with drives.

use crate::client::{Client, Folder};
use serde_json::json;

/// Serves a file that a rule hides, one below a directory that an option hides, and one that is served.
fn serve(folder: &Folder) -> Client {
    Client::serve(folder, &["--exclude", "drafts/"]).shake_hands("2025-06-18")
}

fn folder() -> Folder {
    Folder::new(&[
        (".gitignore", b"secret.txt"),
        ("secret.txt", b"s"),
        ("drafts/x.md", b"s"),
        ("open.txt", b"open"),
    ])
}

#[test]
fn no_spelling_reads_an_entry_that_a_rule_hides() {
    let folder = folder();
    let mut client = serve(&folder);
    for name in [
        "secret.txt",
        "SECRET.TXT",
        "Secret.txt",
        "secret.txt.",
        "secret.txt%20",
        "secret.txt::$DATA",
        "secret.txt%3A%3A$DATA",
        "SECRET~1.TXT",
        "drafts/x.md",
        "DRAFTS/x.md",
        "drafts./x.md",
        "drafts%5Cx.md",
        "DRAFTS%5Cx.md",
        "open.txt%5C..%5Csecret.txt",
        "NUL",
        "nul.txt",
        "CON",
        ".gitignore",
        ".GITIGNORE",
        "GITIGN~1",
    ] {
        let answer = client.answer("resources/read", &json!({"uri": folder.uri(name)}));
        assert_eq!(answer["error"]["code"], -32002, "{name}: {answer}");
    }
    assert_eq!(client.read(&folder.uri("open.txt"))["text"], "open");
}

#[test]
fn a_file_that_is_served_has_one_name() {
    let folder = folder();
    let mut client = serve(&folder);
    for name in ["OPEN.TXT", "open.txt.", "open.txt%20", "open.txt::$DATA", "OPEN~1.TXT"] {
        let answer = client.answer("resources/read", &json!({"uri": folder.uri(name)}));
        assert_eq!(answer["error"]["code"], -32002, "{name}: {answer}");
    }
}

#[test]
fn a_drive_is_found_in_each_spelling() {
    let folder = folder();
    let mut client = serve(&folder);
    let listed = folder.uri("open.txt");
    assert!(client.list().0.iter().any(|item| item["uri"] == *listed), "{listed} is listed");
    let (letter, below) = listed.strip_prefix("file:///").unwrap().split_once(':').unwrap();
    for letter in [letter.to_uppercase(), letter.to_lowercase()] {
        for colon in [":", "%3A", "%3a"] {
            let uri = format!("file:///{letter}{colon}{below}");
            assert_eq!(client.read(&uri)["text"], "open", "{uri}");
        }
    }
}
