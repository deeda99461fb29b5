//! Skills: served, and checked.

use crate::client::{Client, Folder, meta, wellhead};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;

fn skill_md(name: &str) -> String {
    format!("---\nname: {name}\ndescription: d\n---\n")
}

/// A folder of two skills.
fn skills(names: [&str; 2]) -> Folder {
    let folder = Folder::new(&[]);
    for name in names {
        folder.put(&format!("{name}/SKILL.md"), skill_md(name).as_bytes());
    }
    folder
}

fn start(arguments: &[&str]) -> Client {
    Client::start(wellhead().arg("serve").args(arguments))
}

fn listed(client: &mut Client) -> Vec<String> {
    let result = client.send_request("skills/list", &json!({"_meta": meta()}));
    let skills = result["skills"].as_array().unwrap().iter();
    skills.map(|skill| skill["uri"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn skills_are_served_alone_and_with_folders() {
    let (notes, folder) = (Folder::new(&[("a.txt", b"a")]), skills(["pdf", "doc"]));
    let (notes_path, path) = (notes.path(), folder.path());
    let (notes_path, path) = (notes_path.to_str().unwrap(), path.to_str().unwrap());
    for arguments in [&["--skills", path][..], &[notes_path, "--skills", path]] {
        let mut client = start(arguments);
        assert_eq!(listed(&mut client), ["skill://doc/SKILL.md", "skill://pdf/SKILL.md"]);
        let read = |client: &mut Client, uri: &str| -> Value {
            client.answer("resources/read", &json!({"uri": uri, "_meta": meta()}))["result"]["contents"][0]["text"]
                .clone()
        };
        assert_eq!(read(&mut client, "skill://pdf/SKILL.md"), skill_md("pdf"));
        let served = arguments.contains(&notes_path);
        assert_eq!(read(&mut client, &notes.uri("a.txt")), if served { json!("a") } else { Value::Null });
        let said = client.send_request("server/discover", &json!({"_meta": meta()}))["instructions"].clone();
        let said = said.as_str().unwrap();
        assert_eq!(said.contains("Files, read-only"), served, "{said}");
        assert!(said.contains("Agent Skills"), "{said}");
    }
}

#[test]
fn several_folders_of_skills_have_prefixes() {
    let around = Folder::new(&[]);
    for path in ["one/pdf", "two/pdf", "a=b/one/doc"] {
        let name = path.rsplit('/').next().unwrap();
        around.put(&format!("{path}/SKILL.md"), skill_md(name).as_bytes());
    }
    let path = |inside: &str| around.path().join(inside).to_str().unwrap().to_owned();
    let (one, two, other) = (path("one"), path("two"), path("a=b/one"));
    let mut client = start(&["--skills", &one, "--skills", &two]);
    assert_eq!(listed(&mut client), ["skill://one/pdf/SKILL.md", "skill://two/pdf/SKILL.md"]);
    let mut client = start(&["--skills", &one, "--skills", &format!("acme={other}")]);
    assert_eq!(listed(&mut client), ["skill://one/pdf/SKILL.md", "skill://acme/doc/SKILL.md"]);
    let mut client = start(&["--skills", &other]);
    assert_eq!(
        listed(&mut client),
        ["skill://doc/SKILL.md"],
        "the path has a \"=\", and no prefix before it"
    );
}

/// The status and output of `check-skills` for these folders.
fn check(folders: &[&Path]) -> (Option<i32>, String) {
    let output = wellhead().arg("check-skills").args(folders).stdin(Stdio::null()).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// Asserts that a check finds this and nothing else. `DIR` stands for the folder.
#[track_caller]
fn assert_finds(folder: &Folder, expected: &[&str]) {
    let (status, said) = check(&[&folder.path()]);
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{said}");
    for (line, expected) in lines.iter().zip(expected) {
        let expected = expected.replace("DIR", folder.path().to_str().unwrap());
        assert!(line.starts_with(&expected), "{line} begins with {expected}");
    }
    assert_eq!(status, Some(1));
}

// row: SK-03, SK-04, SK-14, SK-15, SK-22
#[test]
fn a_check_names_each_fault_by_file_and_line() {
    for (name, file, expected) in [
        ("pdf", "# PDF\n", &["DIR/pdf/SKILL.md:1: SKILL.md does not begin with front matter"][..]),
        ("pdf", "---\nname: pdf\n", &["DIR/pdf/SKILL.md:1: the front matter has no end"]),
        ("pdf", "---\nname: pdf\n---\n", &["DIR/pdf/SKILL.md:1: `description` is missing"]),
        ("pdf", "---\ndescription: d\nname: doc\n---\n", &["DIR/pdf/SKILL.md:3: `name` is \"doc\", but"]),
        ("pdf", "---\ndescription: d\nname: 5\n---\n", &["DIR/pdf/SKILL.md:3: `name` is no text"]),
        ("pdf", "---\nname: pdf\ndescription: ''\n---\n", &["DIR/pdf/SKILL.md:3: `description` must have"]),
        ("pdf", "---\nname: pdf\nname: pdf\ndescription: d\n---\n", &["DIR/pdf/SKILL.md:3: "]),
        ("pdf", "---\nname: pdf\ndescription: [\n---\n", &["DIR/pdf/SKILL.md:"]),
        (
            "p--f",
            "---\nname: p--f\n---\n",
            &["DIR/p--f/SKILL.md:1: `description` is missing", "DIR/p--f/SKILL.md:2: `name` must have \"-\""],
        ),
    ] {
        let folder = skills(["doc", "tab"]);
        folder.put(&format!("{name}/SKILL.md"), file.as_bytes());
        assert_finds(&folder, expected);
    }
    let folder = skills(["doc", "pdf"]);
    folder.put("other/pdf/SKILL.md", skill_md("pdf").as_bytes());
    assert_finds(&folder, &["DIR/pdf/SKILL.md:1: two skills are named \"pdf\""]);

    let folder = skills(["doc", "many"]);
    (0..512).for_each(|n| folder.put(&format!("many/{n}"), b""));
    assert_finds(&folder, &["DIR/many/SKILL.md:1: it has more than 512 files"]);

    let folder = skills(["doc", "large"]);
    fs::File::create(folder.path().join("large/data")).unwrap().set_len(16 << 20).unwrap();
    assert_finds(&folder, &["DIR/large/SKILL.md:1: it has 16777"]);

    let folder = skills(["doc", "pdf"]);
    symlink("elsewhere", folder.path().join("doc/.gitignore")).unwrap();
    assert_finds(&folder, &["DIR:1: nothing in the folder"]);
}

#[test]
fn a_check_of_valid_skills_prints_no_line() {
    let (one, two) = (skills(["pdf", "doc"]), skills(["pdf", "tab"]));
    assert_eq!(check(&[&one.path(), &two.path()]), (Some(0), String::new()));
    assert_eq!(
        check(&[&one.path().join("pdf")]),
        (Some(0), String::new()),
        "a folder that is a skill itself"
    );
}

#[test]
fn a_check_continues_after_a_folder_with_faults() {
    let (empty, wrong) = (Folder::new(&[("a.txt", b"a")]), Folder::new(&[("pdf/SKILL.md", b"")]));
    let (status, said) = check(&[&empty.path(), &wrong.path(), &skills(["pdf", "doc"]).path()]);
    let expected = format!(
        "{}:1: no SKILL.md is in this folder or below it\n{}:1: SKILL.md does not begin with front matter; write `---` on its first line\n",
        empty.path().display(),
        wrong.path().join("pdf/SKILL.md").display(),
    );
    assert_eq!((status, said), (Some(1), expected));
}

/// The output stays lines of text.
#[test]
fn a_check_escapes_control_characters() {
    let folder = skills(["doc", "p\n\u{1b}[31m"]);
    let (status, said) = check(&[&folder.path()]);
    assert_eq!(status, Some(1));
    assert!(said.lines().count() == 1 && !said.contains('\u{1b}'), "{said}");
}
