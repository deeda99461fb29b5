//! Skills whose files cannot be opened for a while, although nothing in the folder changes.

use super::Skills;
use crate::directory::open_dir::{TRIED, UNOPENED, UNTYPED};
use crate::directory::stamp::AHEAD;
use crate::{Caller, Connection, Handled, Server};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A server with the skill `pdf`, whose files are old, so that their stamps are settled.
struct ServedSkills {
    connection: Connection,
    _server: Server,
    around: tempfile::TempDir,
}

impl ServedSkills {
    fn new(watch: bool) -> ServedSkills {
        ServedSkills::build(watch, |_| ())
    }

    /// `add` adds entries to the folder before it is served.
    fn build(watch: bool, add: impl FnOnce(&Path)) -> ServedSkills {
        let around = tempfile::tempdir().unwrap();
        for (path, text) in [("pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\n"), ("pdf/a.txt", "a")] {
            write(&around.path().join(path), text);
        }
        add(around.path());
        AHEAD.set(Duration::from_secs(3_600));
        let server = Server::builder("test", "1").on_log(|_, _| {}).build().unwrap();
        server.skills(Skills::new(around.path()).watch(watch)).unwrap();
        ServedSkills { connection: server.connect(Caller::default()), _server: server, around }
    }

    fn send_request(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        match self.connection.handle(message.to_string().as_bytes()).unwrap() {
            Handled::Answer(answer) => serde_json::from_slice(&answer).unwrap(),
            other => panic!("{method} was not answered at once: {other:?}"),
        }
    }

    fn skills(&self) -> usize {
        let answer = self.send_request("skills/list", json!({}));
        answer["result"]["skills"].as_array().unwrap_or_else(|| panic!("{answer}")).len()
    }
}

impl Drop for ServedSkills {
    fn drop(&mut self) {
        AHEAD.set(Duration::ZERO);
    }
}

// row: SK-20
#[test]
fn a_directory_that_could_not_be_opened_once_is_found_later() {
    for watch in [true, false] {
        let served = ServedSkills::new(watch);
        UNOPENED.set(Some("pdf"));
        assert_eq!(served.skills(), 0);
        UNOPENED.set(None);
        assert_eq!(served.skills(), 1, "watch: {watch}");
    }
}

// row: SK-13
#[test]
fn a_file_that_could_not_be_read_once_is_read_later() {
    for (watch, name) in [(true, "SKILL.md"), (true, "a.txt"), (false, "SKILL.md"), (false, "a.txt")] {
        let served = ServedSkills::new(watch);
        UNOPENED.set(Some(name));
        assert_eq!(served.skills(), 0);
        UNOPENED.set(None);
        assert_eq!(served.skills(), 1, "watch: {watch}, {name}");
        for (method, uri) in [
            ("skills/get", "skill://pdf/SKILL.md"),
            ("resources/read", "skill://pdf/SKILL.md"),
            ("resources/read", "skill://pdf/a.txt"),
        ] {
            let answer = served.send_request(method, json!({ "uri": uri }));
            assert!(answer["result"].is_object(), "watch: {watch}, {name}: {answer}");
        }
    }
}

// row: SK-13
#[test]
fn a_file_that_stays_unreadable_is_the_only_one_that_is_read_again() {
    for watch in [true, false] {
        let served = ServedSkills::build(watch, |root| write(&root.join("pdf/z.txt"), "z"));
        UNOPENED.set(Some("z.txt"));
        assert_eq!(served.skills(), 0);
        TRIED.take();
        assert_eq!(served.skills(), 0);
        for uri in ["skill://pdf/SKILL.md", "skill://pdf/gone"] {
            assert!(served.send_request("resources/read", json!({ "uri": uri }))["error"].is_object());
        }
        UNOPENED.set(None);
        let tried = TRIED.take();
        assert!(tried.iter().any(|name| name == "z.txt"), "watch: {watch}, {tried:?}");
        assert!(!tried.iter().any(|name| name == "a.txt" || name == "SKILL.md"), "watch: {watch}, {tried:?}");
        assert_eq!(served.skills(), 1, "watch: {watch}");
    }
}

// row: SK-20
#[cfg(target_os = "linux")] // other systems may report the files of before as new
#[test]
fn a_directory_that_stays_unreadable_is_the_only_one_that_is_opened_again() {
    let served = ServedSkills::build(true, |root| {
        write(&root.join("lost/csv/SKILL.md"), "---\nname: csv\ndescription: d\n---\n");
    });
    UNOPENED.set(Some("lost"));
    assert_eq!(served.skills(), 1);
    TRIED.take();
    assert_eq!(served.skills(), 1);
    UNOPENED.set(None);
    let tried = TRIED.take();
    assert!(tried.iter().any(|name| name == "lost"), "{tried:?}");
    assert!(!tried.iter().any(|name| name == "pdf"), "{tried:?}");
    assert_eq!(served.skills(), 2);
}

// row: SK-11
#[cfg(unix)]
#[test]
fn a_link_that_could_not_be_followed_once_is_followed_later() {
    for watch in [true, false] {
        let served = ServedSkills::build(watch, |root| {
            std::os::unix::fs::symlink("a.txt", root.join("pdf/link.txt")).unwrap();
        });
        UNOPENED.set(Some("link.txt"));
        assert_eq!(served.skills(), 0, "watch: {watch}");
        let flaws = Skills::new(served.around.path()).check().unwrap();
        UNOPENED.set(None);
        let [flaw] = &*flaws else { panic!("{flaws:?}") };
        assert_eq!(flaw.path, served.around.path().join("pdf/link.txt"));
        assert_eq!(flaw.text, "cannot be read (too many open files)");
        let answer = served.send_request("skills/list", json!({}));
        let files = answer["result"]["skills"][0]["resources"].as_array().unwrap();
        assert_eq!(files.len(), 3, "watch: {watch}, {answer}");
    }
}

// row: SK-20
#[cfg(unix)]
#[test]
fn a_link_to_a_skill_md_that_could_not_be_followed_once_is_followed_later() {
    for watch in [true, false] {
        let served = ServedSkills::build(watch, |root| {
            write(&root.join("csv/csv.md"), "---\nname: csv\ndescription: d\n---\n");
            std::os::unix::fs::symlink("csv.md", root.join("csv/SKILL.md")).unwrap();
        });
        UNOPENED.set(Some("SKILL.md"));
        assert_eq!(served.skills(), 0, "watch: {watch}");
        UNOPENED.set(None);
        assert_eq!(served.skills(), 2, "watch: {watch}");
    }
}

#[test]
fn skills_are_found_on_a_file_system_that_lists_no_types_of_entries() {
    let served = ServedSkills::new(false);
    UNTYPED.set(true);
    assert_eq!(served.skills(), 1);
    UNTYPED.set(false);
}

#[test]
fn the_author_gets_the_path_of_a_directory_that_cannot_be_opened() {
    let served = ServedSkills::new(false);
    UNOPENED.set(Some("pdf"));
    let flaws = Skills::new(served.around.path()).check().unwrap();
    UNOPENED.set(None);
    let text = flaws.iter().map(ToString::to_string).collect::<String>();
    assert!(text.contains("pdf:1: cannot be read (too many open files)"), "{text}");
}

#[test]
fn the_author_gets_one_flaw_of_a_directory_in_a_skill_that_cannot_be_opened() {
    let served = ServedSkills::new(false);
    fs::create_dir(served.around.path().join("pdf/docs")).unwrap();
    UNOPENED.set(Some("docs"));
    let flaws = Skills::new(served.around.path()).check().unwrap();
    UNOPENED.set(None);
    let [flaw] = &*flaws else { panic!("{flaws:?}") };
    assert_eq!(flaw.path, served.around.path().join("pdf/docs"));
    assert_eq!(flaw.text, "cannot be read (too many open files)");
}
