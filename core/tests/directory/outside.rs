//! Nothing outside the root is ever served.

use crate::support::Served;
use std::fs;

const SECRET: &str = "secret";

/// A folder with `in.txt` and `sub/in.txt`, a secret next to it, and one further up.
fn served() -> Served {
    let served = Served::files(&[("in.txt", "in"), ("sub/in.txt", "in")]);
    fs::write(served.outside().join("secret.txt"), SECRET).unwrap();
    fs::create_dir(served.outside().join("root2")).unwrap();
    fs::write(served.outside().join("root2/secret.txt"), SECRET).unwrap();
    served
}

// row: U-20
#[test]
fn the_authority_is_empty_or_localhost() {
    let served = served();
    let path = served.uri("in.txt").replacen("file://", "", 1);
    let at_localhost = format!("file://localhost{path}");
    assert_eq!(served.read(&at_localhost)["text"], "in");
    assert_eq!(served.read(&at_localhost)["uri"], at_localhost);
    for authority in ["example.com", "127.0.0.1", "localhost:1", "u@localhost"] {
        served.assert_absent(&format!("file://{authority}{path}"));
    }
}

// row: U-21
#[test]
fn nul_and_invalid_utf8_are_not_found() {
    let served = served();
    for path in ["%00", "in.txt%00", "in.txt%00.md", "%ff", "sub%c3/in.txt", "%c0%ae%c0%ae/secret.txt"] {
        served.assert_absent(&served.uri(path));
    }
}

// row: U-22, U-24
#[test]
fn parent_segments_are_not_found_even_if_they_stay_inside() {
    let served = served();
    for path in [
        "../secret.txt",
        "..",
        "sub/..",
        "sub/../in.txt",
        "%2e%2e/secret.txt",
        ".%2e/secret.txt",
        "%2E%2E%2Fsecret.txt",
        "..%2fsecret.txt",
        "sub%2f..%2f..%2fsecret.txt",
        "sub/../../secret.txt",
        "./in.txt",
        "sub//in.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
    ] {
        served.assert_absent(&served.uri(path));
    }
    served.assert_absent(&(served.uri("") + "2/secret.txt"));
    served.assert_absent(&(served.uri("") + "%2f..%2fsecret.txt"));
}

// row: U-25
#[test]
fn a_doubly_encoded_name_is_a_name() {
    let served = served();
    served.assert_absent(&served.uri("%252e%252e/secret.txt"));
    served.put("%2e%2e/in.txt", "a directory of that name");
    assert_eq!(served.text(&served.uri("%252e%252e/in.txt")), "a directory of that name");
    served.put("%41", "A");
    assert_eq!(served.text(&served.uri("%2541")), "A");
    served.assert_absent(&served.uri("A"));
}

// row: U-23, U-24
#[cfg(unix)]
#[test]
fn a_link_outside_is_not_there() {
    let served = served();
    let outside = served.outside().to_owned();
    served.link("file", outside.join("secret.txt"));
    served.link("relative", "../secret.txt");
    served.link("dir", &outside);
    served.link("sub/up", "../..");
    served.link("prefix", outside.join("root2"));
    served.link("system", "/");
    served.link("chain", "dir");
    served.link("broken", "nowhere");
    served.link("circle", "circle");
    served.link("absolute", served.root.join("in.txt"));
    assert_eq!(served.listed(), ["in.txt", "sub", "sub/in.txt"]);
    for path in
        ["file", "relative", "dir", "dir/secret.txt", "dir/root/in.txt", "sub/up", "sub/up/root/in.txt"]
    {
        served.assert_absent(&served.uri(path));
    }
    for path in
        ["prefix/secret.txt", "system", "system/etc/passwd", "chain", "chain/secret.txt", "broken", "circle"]
    {
        served.assert_absent(&served.uri(path));
    }
    // Not even one that comes back: to know where it ends, the path outside would have to be followed.
    served.assert_absent(&served.uri("absolute"));
    let children = served.text(&served.uri(""));
    assert_eq!(children, format!("{}\r\n{}\r\n", served.uri("in.txt"), served.uri("sub")));
}

// row: U-23
#[cfg(unix)]
#[test]
fn a_link_inside_is_served_under_its_own_name() {
    let served = served();
    served.link("file", "sub/in.txt");
    served.link("sub/up", "../in.txt");
    served.link("dir", "sub");
    served.link("sub/loop", "..");
    assert_eq!(served.listed(), ["dir", "file", "in.txt", "sub", "sub/in.txt", "sub/loop", "sub/up"]);
    assert_eq!(served.text(&served.uri("file")), "in");
    assert_eq!(served.text(&served.uri("sub/up")), "in");
    assert_eq!(served.text(&served.uri("dir/in.txt")), "in");
    assert_eq!(served.text(&served.uri("dir/loop/sub/up")), "in");
    let children = ["dir/in.txt", "dir/loop", "dir/up"].map(|path| served.uri(path) + "\r\n").concat();
    assert_eq!(served.text(&served.uri("dir")), children);
    let kinds: Vec<_> = served.items().iter().map(|item| item["mimeType"].clone()).collect();
    assert_eq!(kinds[1], "inode/directory");
}
