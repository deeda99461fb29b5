//! Lists of folders.

use crate::paths::uri_of;
use crate::support::{Served, pages_of, set_modified};
use serde_json::{Value, json};
use std::fs;
use std::time::{Duration, SystemTime};

#[test]
fn a_folder_is_listed_depth_first_in_the_order_of_bytes() {
    let served = Served::files(&[
        ("b/z.md", ""),
        ("b/a.md", ""),
        ("b-c.md", ""),
        ("a.md", ""),
        ("Z.md", ""),
        ("c/", ""),
    ]);
    assert_eq!(served.listed(), ["Z.md", "a.md", "b", "b/a.md", "b/z.md", "b-c.md", "c"]);
    assert_eq!(served.items()[0]["uri"], served.uri(""), "the root comes first");
}

// row: U-28
#[test]
fn files_are_listed_with_type_size_and_time() {
    let served = Served::files(&[("notes.md", "# Notes"), ("Makefile", "all:")]);
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_736_694_058);
    set_modified(&served.root.join("notes.md"), time);
    let items = served.items();
    assert_eq!(
        items[2],
        json!({
            "uri": served.uri("notes.md"),
            "name": "notes.md",
            "mimeType": "text/markdown",
            "size": 7,
            "annotations": {"lastModified": "2025-01-12T15:00:58Z"},
        })
    );
    assert_eq!(items[1].get("mimeType"), None, "only its contents could tell");
}

// row: U-26
#[test]
fn a_directory_is_listed_as_one() {
    let served = Served::files(&[("sub/a.md", "")]);
    let items = served.items();
    assert_eq!(items[0]["name"], "root");
    assert_eq!(items[1]["uri"], served.uri("sub"));
    for directory in &items[..2] {
        assert_eq!(directory["mimeType"], "inode/directory");
        assert_eq!(directory.get("size"), None);
    }
}

#[test]
fn a_walk_in_pages_of_any_size_gives_every_entry_once() {
    let files: Vec<String> = (0..40).map(|n| format!("{}/{}/f{n}.txt", n % 3, n % 5)).collect();
    let files: Vec<_> = files.iter().map(|path| (path.as_str(), "")).collect();
    let whole = Served::files(&files).listed();
    assert_eq!(whole.len(), 40 + 3 + 15);
    for size in [1, 2, 3, 7, 58, 59, 60, 100] {
        assert_eq!(
            Served::build(&files, |directory| directory, pages_of(size)).listed(),
            whole,
            "pages of {size}"
        );
    }
}

#[test]
fn entries_that_come_and_go_between_pages_cause_no_gaps_or_repetitions() {
    let files: Vec<String> = (0..30).map(|n| format!("d{}/f{n:02}.txt", n / 10)).collect();
    let files: Vec<_> = files.iter().map(|path| (path.as_str(), "")).collect();
    let served = Served::build(&files, |directory| directory, pages_of(4));
    let (mut items, mut cursor) = served.page(None);
    let mut round = 0;
    while let Some(next) = cursor {
        // The key's own item goes, and others come before and behind it.
        let last = served.path(items.last().unwrap()).unwrap();
        if last.contains(".txt") {
            fs::remove_file(served.root.join(&last)).unwrap();
        }
        served.put(&format!("d0/before{round}.txt"), "");
        served.put(&format!("z/behind{round}.txt"), "");
        round += 1;
        assert!(round < 100);
        let (more, after) = served.page(Some(&next));
        items.extend(more);
        cursor = if round < 20 { after } else { None };
    }
    let listed: Vec<_> = items.iter().filter_map(|item| served.path(item)).collect();
    for (path, _) in &files {
        assert_eq!(listed.iter().filter(|other| other == path).count(), 1, "{path}");
    }
}

#[test]
fn a_page_continues_behind_a_directory_that_was_removed() {
    let files = [("a/1.txt", ""), ("a/2.txt", ""), ("b/3.txt", "")];
    let served = Served::build(&files, |directory| directory, pages_of(3));
    let (items, cursor) = served.page(None);
    assert_eq!(served.path(&items[2]).as_deref(), Some("a/1.txt"));
    fs::remove_dir_all(served.root.join("a")).unwrap();
    let (items, cursor) = served.page(cursor.as_ref());
    assert_eq!(items.iter().filter_map(|item| served.path(item)).collect::<Vec<_>>(), ["b", "b/3.txt"]);
    assert_eq!(cursor, None);
}

#[test]
fn a_folder_lists_one_template_with_its_own_spelling() {
    let served = Served::files(&[]);
    let answer = served.send_request("resources/templates/list", &json!({}));
    let templates = answer["result"]["resourceTemplates"].as_array().unwrap();
    assert_eq!(templates.len(), 1, "the other spellings are not listed");
    assert_eq!(templates[0]["uriTemplate"], served.uri("{+path}"));
    assert_eq!(templates[0]["uriTemplate"], served.handle.registered_as());
    assert_eq!(templates[0]["name"], "root");
}

#[cfg(unix)]
#[test]
fn every_listed_entry_can_be_read() {
    let odd = "a b/#1?.txt\n%41 {x} 'ü' [1] \\ & é.md";
    let served = Served::files(&[(odd, "odd"), ("%2e%2e", "dots"), ("c:", "colon"), ("..x", "hidden")]);
    served.link("link", "%2e%2e");
    let items = served.items();
    assert_eq!(items.len(), 1 + 1 + 1 + 1 + 1 + 1, "{items:?}");
    for item in items {
        let uri = item["uri"].as_str().unwrap();
        assert_eq!(served.read(uri)["uri"], uri);
        assert_eq!(
            served.send_request("resources/subscribe", &json!({"uri": uri}))["result"],
            json!({}),
            "{uri}"
        );
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_left_out() {
    use std::os::unix::ffi::OsStrExt;
    let served = Served::files(&[("a", "")]);
    fs::write(served.root.join(std::ffi::OsStr::from_bytes(b"b\xff")), "").unwrap();
    assert_eq!(served.listed(), ["a"]);
    assert_eq!(served.text(&served.uri("")), served.uri("a") + "\r\n");
}

#[cfg(unix)]
#[test]
fn a_directory_that_may_not_be_read_does_not_end_the_list() {
    use std::os::unix::fs::PermissionsExt;
    let served = Served::files(&[("a/x", ""), ("b", "")]);
    fs::set_permissions(served.root.join("a"), fs::Permissions::from_mode(0o000)).unwrap();
    let listed = served.listed();
    fs::set_permissions(served.root.join("a"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(listed.last().map(String::as_str), Some("b"));
}

#[test]
fn several_folders_are_listed_one_after_the_other() {
    let served = Served::build(&[("a", "")], |directory| directory, pages_of(1));
    let other = served.outside().canonicalize().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("b"), "b").unwrap();
    served.server.directory(other.as_path()).unwrap();
    let uris: Vec<Value> = served.items().into_iter().map(|item| item["uri"].clone()).collect();
    let other = uri_of(&other);
    assert_eq!(uris, [served.uri(""), served.uri("a"), other.clone(), format!("{other}/b")]);
    assert_eq!(served.text(&format!("{other}/b")), "b");
}
