//! A folder of skills as a client sees it, on real files.

#[path = "../support/paths.rs"]
mod paths;

use paths::uri_of;
use serde_json::{Value, json};
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::PathBuf;
#[cfg(unix)]
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
#[cfg(unix)]
use wellhead::Directory;
use wellhead::{Caller, Connection, ErrorKind, Handle, Handled, Limits, Server, Skills};

struct Served {
    server: Server,
    handle: Handle,
    root: PathBuf,
    connection: Connection,
    log: Arc<Mutex<Vec<String>>>,
    _around: TempDir,
}

fn skill_md(name: &str) -> String {
    format!("---\nname: {name}\ndescription: d\n---\n")
}

impl Served {
    /// Serves the files that are given by path and contents, without a watch.
    fn files(files: &[(&str, &str)]) -> Served {
        Served::build(files, |skills| skills.watch(false))
    }

    fn build(files: &[(&str, &str)], how: impl FnOnce(Skills) -> Skills) -> Served {
        let around = tempfile::tempdir().unwrap();
        let root = around.path().canonicalize().unwrap().join("root");
        fs::create_dir(&root).unwrap();
        for (path, contents) in files {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), contents).unwrap();
        }
        let log = Arc::new(Mutex::new(Vec::new()));
        let sink = log.clone();
        let server = Server::builder("test", "1")
            .resources_as_tools(true)
            .clock(|| Duration::ZERO) // a search sees all files on a slow machine, too
            .on_log(move |_, line| sink.lock().unwrap().push(line.to_owned()))
            .build()
            .unwrap();
        let handle = server.skills(how(Skills::new(&root))).unwrap();
        let connection = server.connect(Caller::default());
        Served { server, handle, root, connection, log, _around: around }
    }

    fn put(&self, path: &str, contents: impl AsRef<[u8]>) {
        fs::create_dir_all(self.root.join(path).parent().unwrap()).unwrap();
        fs::write(self.root.join(path), contents).unwrap();
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

    fn list(&self) -> Vec<Value> {
        let answer = self.send_request("skills/list", json!({}));
        answer["result"]["skills"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// The URIs of the skills.
    fn skills(&self) -> Vec<String> {
        self.list().iter().map(|skill| skill["uri"].as_str().unwrap().to_owned()).collect()
    }

    /// The URIs of the files of the only skill.
    fn files_of_skill(&self) -> Vec<String> {
        let [skill] = &*self.list() else { panic!("there is one skill: {:?}", self.list()) };
        let files = skill["resources"].as_array().unwrap().iter();
        files.map(|file| file["uri"].as_str().unwrap().to_owned()).collect()
    }

    fn is_read(&self, uri: &str) -> bool {
        self.send_request("resources/read", json!({"uri": uri}))["result"].is_object()
    }

    /// The URIs of the files with this word.
    #[cfg(unix)]
    fn found(&self, word: &str) -> Vec<String> {
        let params = json!({"name": "search", "arguments": {"query": word}});
        let answer = self.send_request("tools/call", params);
        let results = answer["result"]["structuredContent"]["results"].as_array();
        let results = results.unwrap_or_else(|| panic!("{answer}")).iter();
        results.map(|found| found["id"].as_str().unwrap().to_owned()).collect()
    }

    fn logged(&self, text: &str) -> bool {
        self.log.lock().unwrap().iter().any(|line| line.contains(text))
    }

    fn children(&self, uri: &str) -> Vec<String> {
        let answer = self.send_request("resources/directory/read", json!({"uri": uri}));
        let children = answer["result"]["resources"].as_array().unwrap_or_else(|| panic!("{uri}: {answer}"));
        children.iter().map(|child| child["uri"].as_str().unwrap().to_owned()).collect()
    }
}

// row: SK-11, SK-52
#[cfg(unix)]
#[test]
fn a_link_is_a_file_of_the_skill_only_if_its_target_is() {
    let served =
        Served::files(&[("pdf/SKILL.md", &skill_md("pdf")), ("pdf/docs/a.txt", "a"), ("other.txt", "o")]);
    fs::write(served.root.parent().unwrap().join("secret.txt"), "s").unwrap();
    for (link, target) in [
        ("inside.txt", "docs/a.txt"),
        ("outside.txt", "../../secret.txt"),
        ("beside.txt", "../other.txt"),
        ("absolute.txt", "/etc/hostname"),
        ("directory", "docs"),
        ("up", ".."),
        ("nowhere", "gone"),
    ] {
        symlink(target, served.root.join("pdf").join(link)).unwrap();
    }
    let listed = ["skill://pdf/SKILL.md", "skill://pdf/docs/a.txt", "skill://pdf/inside.txt"];
    assert_eq!(served.files_of_skill(), listed);
    assert!(listed.iter().all(|uri| served.is_read(uri)));
    for name in ["outside.txt", "beside.txt", "absolute.txt", "directory/a.txt", "up/other.txt", "nowhere"] {
        assert!(!served.is_read(&format!("skill://pdf/{name}")), "{name}");
    }
    assert_eq!(
        served.children("skill://pdf"),
        ["skill://pdf/SKILL.md", "skill://pdf/docs", "skill://pdf/inside.txt"]
    );
}

#[test]
fn a_client_that_asks_for_no_skill_writes_nothing_into_the_log() {
    let served = Served::files(&[("pdf/SKILL.md", &skill_md("pdf")), ("notes/a.txt", "a")]);
    for directory in ["gone", "a%0Aerror:%20forged%1B[2J", "pdf/gone", "notes", "."] {
        let params = json!({"uri": format!("skill://{directory}/SKILL.md")});
        assert_eq!(served.send_request("skills/get", params)["error"]["code"], -32602, "{directory}");
    }
    assert_eq!(*served.log.lock().unwrap(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn the_name_of_a_directory_cannot_forge_a_line_of_the_log() {
    let served = Served::files(&[("a\nb\u{1b}[2J/SKILL.md", "no front matter")]);
    assert_eq!(served.skills(), [""; 0]);
    let lines = served.log.lock().unwrap().clone();
    assert!(lines[0].contains("a\\u{a}b\\u{1b}[2J") && !lines[0].contains(char::is_control), "{lines:?}");
}

// row: SK-11
#[cfg(unix)]
#[test]
fn a_link_that_replaces_a_file_is_not_followed_out_of_the_skill_before_its_change_is_noticed() {
    let pdf = skill_md("pdf");
    let files = [("pdf/SKILL.md", &*pdf), ("pdf/a.txt", "a"), ("pdf/b.txt", "b"), ("pdf/d/c.txt", "needle")];
    let served = Served::build(&files, |skills| skills);
    served.put("notes/c.txt", "needle");
    // The thread that watches waits in this callback, and notices nothing meanwhile.
    let ((announce, announced), (resume, resumed)) = (channel(), channel::<()>());
    let resumed = Mutex::new(resumed);
    let publish = move |_: &str| {
        let _ = announce.send(());
        let _ = resumed.lock().unwrap().recv();
    };
    served.server.on_publish(publish).unwrap();
    served.put("pdf/b.txt", "changed");
    announced.recv().unwrap();
    let uris = ["skill://pdf/a.txt", "skill://pdf/d/c.txt"];
    assert!(uris.iter().all(|uri| served.is_read(uri)));
    assert_eq!(served.found("needle"), uris[1..]);
    fs::remove_file(served.root.join("pdf/a.txt")).unwrap();
    fs::remove_dir_all(served.root.join("pdf/d")).unwrap();
    symlink("../notes/c.txt", served.root.join("pdf/a.txt")).unwrap();
    symlink("../notes", served.root.join("pdf/d")).unwrap();
    assert_eq!(served.found("needle"), [""; 0]);
    assert_eq!(uris.map(|uri| served.is_read(uri)), [false, false]);
    drop(resume);
}

// row: SK-15
#[test]
fn a_skill_with_too_many_files_or_bytes_is_not_served() {
    let served = Served::files(&[
        ("many/SKILL.md", &skill_md("many")),
        ("large/SKILL.md", &skill_md("large")),
        ("full/SKILL.md", &skill_md("full")),
    ]);
    for n in 0..512 {
        served.put(&format!("many/{n}"), "");
    }
    let fits = (16 << 20) - skill_md("full").len() as u64;
    for (name, bytes) in [("large", 16 << 20), ("full", fits)] {
        let file = fs::File::create(served.root.join(name).join("data")).unwrap();
        file.set_len(bytes).unwrap();
    }
    assert_eq!(served.skills(), ["skill://full/SKILL.md"]);
    assert!(served.logged("it has more than 512 files"));
    assert!(served.logged("a skill may have at most 16777216"));
    assert!(!served.is_read("skill://many/SKILL.md") && !served.is_read("skill://large/data"));
    fs::remove_file(served.root.join("many/0")).unwrap();
    assert_eq!(served.skills(), ["skill://full/SKILL.md", "skill://many/SKILL.md"]);
}

// row: SK-11
#[cfg(target_os = "linux")] // other file systems refuse such names
#[test]
fn a_skill_with_a_name_that_is_not_utf_8_is_not_served() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let name = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let files = ["pdf", "doc", "csv"].map(|skill| (format!("{skill}/SKILL.md"), skill_md(skill)));
    let served = Served::files(&files.each_ref().map(|(path, text)| (&**path, &**text)));
    fs::create_dir(served.root.join("pdf/d")).unwrap();
    fs::write(served.root.join("pdf/d").join(name(b"a\xff.txt")), "a").unwrap();
    fs::create_dir(served.root.join("doc").join(name(b"\xff"))).unwrap();
    // Hidden and ignored entries are none of the skill, whatever their names are.
    served.put("csv/.gitignore", "*.tmp\n");
    fs::write(served.root.join("csv").join(name(b".\xff")), "h").unwrap();
    fs::write(served.root.join("csv").join(name(b"\xff.tmp")), "i").unwrap();
    assert_eq!(served.skills(), ["skill://csv/SKILL.md"]);
    assert!(served.logged("\"pdf/d/a\u{fffd}.txt\" has a name that is not UTF-8; rename it"));
    assert!(served.logged("\"doc/\u{fffd}\" has a name that is not UTF-8; rename it"));
    assert!(!served.is_read("skill://pdf/SKILL.md"));
}

// row: SK-11
#[test]
fn a_skill_with_a_directory_that_is_too_deep_is_not_served() {
    let served = Served::files(&[("pdf/SKILL.md", &skill_md("pdf"))]);
    let deepest = format!("pdf{}", "/d".repeat(127));
    served.put(&format!("{deepest}/a.txt"), "a");
    assert_eq!(served.files_of_skill().len(), 2);
    served.put(&format!("{deepest}/e/b.txt"), "b");
    assert_eq!(served.skills(), [""; 0]);
    assert!(served.logged("/d/e\" is more than 128 directories below the served folder; move it up"));
}

// row: SK-11, SK-12
#[test]
fn a_skill_with_a_file_that_no_request_can_name_is_not_served() {
    let around = tempfile::tempdir().unwrap();
    let names = ["x".repeat(20), "x".repeat(21), "\u{e9}".repeat(4)];
    for (skill, name) in ["fits", "long", "utf8"].into_iter().zip(names) {
        fs::create_dir(around.path().join(skill)).unwrap();
        fs::write(around.path().join(skill).join("SKILL.md"), skill_md(skill)).unwrap();
        fs::write(around.path().join(skill).join(name), "a").unwrap();
    }
    let log = Arc::new(Mutex::new(String::new()));
    let sink = log.clone();
    let mut limits = Limits::default();
    limits.uri_bytes = "skill://fits/".len() + 20;
    let server = Server::builder("test", "1")
        .limits(limits)
        .on_log(move |_, line| sink.lock().unwrap().push_str(line))
        .build()
        .unwrap();
    server.skills(Skills::new(around.path()).watch(false)).unwrap();
    let mut client = server.test_client().unwrap();
    let listed: Vec<_> = client.list().unwrap().iter().map(|skill| skill.uri().to_owned()).collect();
    assert_eq!(listed, ["skill://fits/SKILL.md"]);
    assert!(client.read(&format!("skill://fits/{}", "x".repeat(20))).is_ok());
    let log = log.lock().unwrap();
    assert!(log.contains("has a URI of 34 bytes; a URI may have at most 33 (`uri_bytes`)"), "{log}");
    assert!(log.contains("has a URI of 37 bytes"), "{log}");
}

// row: SK-12, SK-13
#[test]
fn an_entry_follows_its_files() {
    let served = Served::files(&[("pdf/SKILL.md", &skill_md("pdf")), ("pdf/a.bin", "x")]);
    let digest = |served: &Served| served.list()[0]["resources"][1]["digest"].clone();
    let mut seen = vec![digest(&served)];
    for contents in [&b"y"[..], b"z", b"\xff\x00\r\n", b"w"] {
        served.put("pdf/a.bin", contents);
        assert!(!seen.contains(&digest(&served)), "{contents:?}");
        seen.push(digest(&served));
    }
    served.put("pdf/b.txt", "b");
    assert_eq!(served.files_of_skill().len(), 3);
    served.put("pdf/SKILL.md", skill_md("doc"));
    assert_eq!(served.skills(), [""; 0]);
    fs::rename(served.root.join("pdf"), served.root.join("doc")).unwrap();
    assert_eq!(served.skills(), ["skill://doc/SKILL.md"]);
}

// row: SK-51
#[test]
fn subscribers_are_notified_and_the_next_entry_is_new() {
    let served = Served::build(&[("pdf/SKILL.md", &skill_md("pdf")), ("pdf/a.txt", "x")], |skills| skills);
    let mut client = served.server.test_client().unwrap();
    for uri in ["skill://pdf/gone", "skill://pdf", "skill://other/SKILL.md"] {
        assert!(client.subscribe(uri).is_err(), "{uri}");
    }
    client.subscribe("skill://pdf/a.txt").unwrap();
    let before = served.list();
    assert_eq!(before, served.list());
    served.put("pdf/a.txt", "y");
    assert_eq!(client.next_update().unwrap(), "skill://pdf/a.txt");
    assert_ne!(before, served.list());
    served.put("pdf/new/b.txt", "b");
    client.subscribe("skill://pdf/new/b.txt").unwrap();
    served.put("pdf/new/b.txt", "c");
    // A write empties the file first, which may be told as a change of its own.
    while client.next_update().unwrap() != "skill://pdf/new/b.txt" {}
    assert_eq!(served.files_of_skill().len(), 3);
}

// row: SK-42
#[test]
fn directories_of_a_folder_are_read_next_to_skills() {
    let served = Served::files(&[("pdf/SKILL.md", &skill_md("pdf"))]);
    let folder = served.root.parent().unwrap().join("notes");
    fs::create_dir_all(folder.join("b/empty")).unwrap();
    fs::write(folder.join("a.txt"), "a").unwrap();
    served.server.directory(folder.as_path()).unwrap();
    let uri = uri_of(&folder);
    assert_eq!(served.children(&uri), [format!("{uri}/a.txt"), format!("{uri}/b")]);
    assert_eq!(served.children(&format!("{uri}/b/empty")), [""; 0]);
    for refused in [format!("{uri}/"), format!("{uri}/a.txt"), format!("{uri}/gone"), format!("{uri}/b/..")] {
        let answer = served.send_request("resources/directory/read", json!({"uri": refused}));
        assert_eq!(answer["error"]["code"], -32602, "{refused}");
        assert_eq!(answer["error"]["data"], json!({"uri": refused}));
    }
}

// row: SK-41, SK-42
#[cfg(unix)] // elsewhere a drive is the root
#[test]
fn the_root_of_the_file_system_is_read_by_its_listed_uri() {
    let served = Served::files(&[("pdf/SKILL.md", &skill_md("pdf"))]);
    served.server.directory(Directory::new("/").watch(false)).unwrap();
    assert!(served.children("file:///").contains(&"file:///tmp".to_owned()));
}

#[test]
fn an_empty_directory_of_a_skill_has_no_children() {
    let served = Served::files(&[("pdf/SKILL.md", &skill_md("pdf"))]);
    fs::create_dir(served.root.join("pdf/empty")).unwrap();
    fs::create_dir(served.root.join("empty")).unwrap();
    assert_eq!(served.children("skill://pdf/empty"), [""; 0]);
    let answer = served.send_request("resources/directory/read", json!({"uri": "skill://empty"}));
    assert_eq!(answer["error"]["code"], -32602, "no skill is in it");
}

// row: SK-05
#[test]
fn a_folder_may_be_a_skill_itself() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().join("pdf");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("SKILL.md"), skill_md("pdf")).unwrap();
    let server = Server::new("test", "1");
    let handle = server.skills(root.as_path()).unwrap();
    assert_eq!(handle.registered_as(), "skill://pdf/{+path}");
    let mut client = server.test_client().unwrap();
    assert!(client.read("skill://pdf/SKILL.md").is_ok());
}

#[test]
fn folders_need_prefixes_of_their_own() {
    let served = Served::files(&[("pdf/SKILL.md", &skill_md("pdf"))]);
    let again = |prefix: Option<&str>| {
        let skills = Skills::new(&served.root).watch(false);
        let skills = prefix.into_iter().fold(skills, Skills::prefix);
        served.server.skills(skills).map(drop).map_err(|e| (e.kind(), e.to_string()))
    };
    let (kind, message) = again(None).unwrap_err();
    assert_eq!(kind, ErrorKind::Duplicate);
    assert!(message.contains("need another `prefix`"), "{message}");
    assert_eq!(again(Some("acme")).unwrap_err().0, ErrorKind::Duplicate, "the first has no prefix");
    for wrong in ["", "a/b", "a b", "ü", "..", "a%20"] {
        let (kind, message) = again(Some(wrong)).unwrap_err();
        assert_eq!(kind, ErrorKind::InvalidArgument, "{wrong}");
        assert!(message.contains("`prefix` must have"), "{message}");
    }
    served.server.remove_resource(served.handle.registered_as()).unwrap();
    assert_eq!(served.skills(), [""; 0]);
    assert_eq!(again(Some("acme")), Ok(()));
    assert_eq!(again(Some("other")), Ok(()));
    assert_eq!(served.skills(), ["skill://acme/pdf/SKILL.md", "skill://other/pdf/SKILL.md"]);
    assert_eq!(served.children("skill://acme"), ["skill://acme/pdf"]);
}

/// A client that has seen all that was announced of the changes before it asks.
struct Subscriber {
    client: wellhead::TestClient,
    marks: usize,
}

impl Subscriber {
    /// Subscribes to these files, and `marks/mark-N`.
    fn subscribe(served: &Served, uris: &[&str]) -> Subscriber {
        let mut client = served.server.test_client().unwrap();
        for uri in uris {
            client.subscribe(uri).unwrap();
        }
        for mark in 0..20 {
            client.subscribe(&format!("skill://marks/{mark}")).unwrap();
        }
        Subscriber { client, marks: 0 }
    }

    /// The URIs of the updates, and how often the list was said to have changed.
    fn next_changes(&mut self, served: &Served) -> (Vec<String>, usize) {
        self.client.list_changes().unwrap(); // those of before
        let mut updated = Vec::new();
        // What is announced together ends with `list_changed`, so the second mark comes after it.
        for mark in [self.marks, self.marks + 1] {
            served.put(&format!("marks/{mark}"), "changed");
            let mark = format!("skill://marks/{mark}");
            loop {
                let uri = self.client.next_update().unwrap();
                if uri == mark {
                    break;
                }
                if !uri.starts_with("skill://marks/") && !updated.contains(&uri) {
                    updated.push(uri);
                }
            }
        }
        self.marks += 2;
        updated.sort();
        (updated, self.client.list_changes().unwrap())
    }
}

/// The paths of the files that a [`Subscriber`] subscribes to.
fn marks_paths() -> Vec<String> {
    (0..20).map(|mark| format!("marks/{mark}")).collect()
}

// row: SK-51
#[cfg(target_os = "linux")] // other systems may report earlier changes, too
#[test]
fn a_change_is_published_once() {
    let pdf = skill_md("pdf");
    let served = Served::build(&[("pdf/SKILL.md", &*pdf), ("pdf/a.txt", "")], |skills| skills);
    let (publish, published) = channel();
    served.server.on_publish(move |change| drop(publish.send(change.to_owned()))).unwrap();
    fs::rename(served.root.join("pdf/a.txt"), served.root.join("pdf/b.txt")).unwrap();
    let changes = published.iter().take_while(|change| !change.contains("\"list"));
    let uris: Vec<_> = changes
        .map(|change| serde_json::from_str::<Value>(&change).unwrap()["uri"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(uris, ["skill://pdf", "skill://pdf/a.txt", "skill://pdf/b.txt"]);
}

// row: SK-51
#[cfg(unix)]
#[test]
fn an_edit_behind_a_link_is_announced_under_the_uri_of_the_link() {
    let (marks, pdf) = (skill_md("marks"), skill_md("pdf"));
    let mut files = vec![("marks/SKILL.md", &*marks), ("pdf/SKILL.md", &*pdf), ("pdf/real.md", "x")];
    let names = marks_paths();
    files.extend(names.iter().map(|name| (&**name, "")));
    let served = Served::build(&files, |skills| skills);
    symlink("real.md", served.root.join("pdf/link.md")).unwrap();
    let link = "skill://pdf/link.md";
    let mut subscriber = Subscriber::subscribe(&served, &[link]);
    subscriber.next_changes(&served); // the link is new
    served.put("pdf/real.md", "y");
    assert_eq!(subscriber.next_changes(&served), (vec![link.to_owned()], 0));
}

// row: SK-51
#[test]
fn the_list_has_changed_when_files_come_or_go() {
    let (marks, pdf) = (skill_md("marks"), skill_md("pdf"));
    let mut files =
        vec![("marks/SKILL.md", &*marks), ("pdf/SKILL.md", &*pdf), ("pdf/a.txt", "a"), ("pdf/b.txt", "b")];
    let names = marks_paths();
    files.extend(names.iter().map(|name| (&**name, "")));
    let served = Served::build(&files, |skills| skills);
    let [a, b, md] = ["skill://pdf/a.txt", "skill://pdf/b.txt", "skill://pdf/SKILL.md"];
    let mut subscriber = Subscriber::subscribe(&served, &[a, b, md]);
    subscriber.next_changes(&served);
    let before = served.list();

    served.put("pdf/a.txt", "changed");
    assert_eq!(subscriber.next_changes(&served), (vec![a.to_owned()], 0), "an edit changes no list");
    assert_ne!(served.list()[1], before[1], "the entry is new all the same");

    served.put("pdf/new.txt", "n");
    assert!(subscriber.next_changes(&served).1 > 0);
    assert_eq!(served.list()[1]["resources"].as_array().unwrap().len(), 4);

    fs::remove_file(served.root.join("pdf/b.txt")).unwrap();
    let (updated, lists) = subscriber.next_changes(&served);
    assert!(updated.contains(&b.to_owned()) && lists > 0, "{updated:?}");
    assert_eq!(served.list()[1]["resources"].as_array().unwrap().len(), 3);

    served.put("pdf/SKILL.md", "no front matter");
    let (updated, lists) = subscriber.next_changes(&served);
    assert!(
        updated.contains(&md.to_owned()) && lists > 0,
        "a skill that breaks the format goes: {updated:?}"
    );
    assert_eq!(served.skills(), ["skill://marks/SKILL.md"]);
    assert!(!served.is_read(a), "its files go with it");

    served.put("pdf/SKILL.md", skill_md("pdf"));
    assert!(subscriber.next_changes(&served).1 > 0, "it comes back");
    assert!(served.is_read(a));

    fs::remove_dir_all(served.root.join("pdf")).unwrap();
    let (updated, lists) = subscriber.next_changes(&served);
    assert!(updated.contains(&a.to_owned()) && updated.contains(&md.to_owned()) && lists > 0, "{updated:?}");
    assert_eq!(served.skills(), ["skill://marks/SKILL.md"]);
}
