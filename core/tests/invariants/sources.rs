//! Rules on the source text, and a check that equal steps give equal bytes.

use crate::support::{connect, on_uri, request, send_request, server};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the crate's source is there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The lines of code below `folder`, without comments and tests, each with where it stands.
fn code(folder: &str) -> Vec<(String, String)> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source.join(folder), &mut files);
    assert!(!files.is_empty(), "{folder} has no source");
    let mut lines = Vec::new();
    for file in files.iter().filter(|file| !file.to_string_lossy().ends_with("tests.rs")) {
        let text = std::fs::read_to_string(file).expect("readable");
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        let name = file.strip_prefix(&source).expect("found inside").display().to_string().replace('\\', "/");
        for (number, line) in code.lines().enumerate() {
            let line = line.split("//").next().unwrap_or_default();
            lines.push((format!("{name}:{}", number + 1), line.to_owned()));
        }
    }
    lines
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// A merge may bring a file back that another change has split or renamed. The compiler does not look at it.
#[test]
fn every_file_is_a_module_of_another() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    for file in &files {
        let name = file.file_stem().and_then(|stem| stem.to_str()).expect("a name in ASCII");
        let folder = file.parent().expect("below the source");
        if name == "lib" || folder.ends_with("bin") {
            continue;
        }
        let (folder, name) = match name {
            "mod" => (folder.parent(), folder.file_name().and_then(|name| name.to_str())),
            _ => (Some(folder), Some(name)),
        };
        let (folder, name) = (folder.expect("below the source"), name.expect("a name in ASCII"));
        let parents = [folder.join("mod.rs"), folder.with_extension("rs"), folder.join("lib.rs")];
        let declared = parents
            .iter()
            .filter_map(|parent| std::fs::read_to_string(parent).ok())
            .any(|text| text.lines().any(|line| line.trim_end().ends_with(&format!("mod {name};"))));
        assert!(declared, "{} is a module of none of {parents:?}", file.display());
    }
}

/// The names between backticks in the sentence of `ARCHITECTURE.md` about cycles, and in the one after it.
fn cycles_of_architecture() -> BTreeSet<BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md");
    let page = std::fs::read_to_string(page).expect("readable");
    let (_, rest) = page.split_once(" in a cycle:").expect("the page tells of the large cycle");
    let (large, rest) = rest.split_once('.').expect("a sentence");
    let (_, rest) = rest.split_once(':').expect("and of the small ones");
    let (small, _) = rest.split_once('.').expect("a sentence");
    let names = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    small.split(';').chain([large]).map(names).collect()
}

#[test]
fn modules_refer_to_each_other_in_the_cycles_of_the_architecture_only() {
    let mut neighbours: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (place, line) in code("").iter().filter(|(place, _)| !place.starts_with("bin/")) {
        let module = place.split(['/', '.']).next().unwrap_or_default();
        let named = line.split("crate::").skip(1).filter_map(|rest| words(rest).next());
        neighbours.entry(module.to_owned()).or_default().extend(named.map(str::to_owned));
    }
    let reached = |from: &str| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(module) = next.pop() {
            let named = neighbours.get(&module).into_iter().flatten();
            next.extend(named.filter(|named| reached.insert((*named).clone())).cloned());
        }
        reached
    };
    let below: BTreeMap<_, _> = neighbours.keys().map(|module| (module, reached(module))).collect();
    let cycles: BTreeSet<BTreeSet<String>> = neighbours
        .keys()
        .map(|module| {
            let back = |other: &&String| below.get(other).is_some_and(|reached| reached.contains(module));
            below[module].iter().filter(back).cloned().collect()
        })
        .filter(|cycle: &BTreeSet<String>| cycle.len() > 1)
        .collect();
    assert_eq!(cycles, cycles_of_architecture());
}

/// Invariant 1.
#[test]
fn protocol_names_no_lock_clock_thread_callback_randomness_or_io() {
    let forbidden = [
        "Lock",
        "Mutex",
        "RwLock",
        "Condvar",
        "Once",
        "OnceLock",
        "parking_lot",
        "Instant",
        "SystemTime",
        "Duration",
        "thread",
        "thread_local",
        "Provider",
        "Responder",
        "getrandom",
        "rand",
        "HashMap",
        "HashSet",
        "RandomState",
        "io",
        "fs",
        "net",
        "env",
        "process",
        "File",
        "println",
        "eprintln",
    ];
    for (at, line) in code("protocol") {
        let outside_of_texts: String = line.split('"').step_by(2).collect();
        for word in words(&outside_of_texts) {
            assert!(!forbidden.contains(&word), "{at} names {word}: {line}");
        }
    }
}

/// The exceptions are alternatives of one type, of which each build has one: by platform, by feature, or
/// for the model checker.
#[test]
fn a_type_name_occurs_once() {
    let (mut seen, mut twice) = (BTreeSet::new(), BTreeSet::new());
    for (_, line) in code("") {
        let mut parts =
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty());
        let declares = |part: &str| ["struct", "enum", "trait"].contains(&part);
        let begins = line.trim_start().starts_with("pub") || parts.clone().next().is_some_and(declares);
        if begins && parts.by_ref().take(4).any(declares) {
            let name = parts.next().unwrap_or_default().to_owned();
            if name.starts_with(char::is_uppercase) && !seen.insert(name.clone()) {
                twice.insert(name);
            }
        }
    }
    assert!(seen.len() > 100, "{} types", seen.len());
    let alternatives = ["Events", "Held", "Notifier", "Schema", "Section"];
    assert_eq!(twice.iter().map(String::as_str).collect::<Vec<_>>(), alternatives);
}

/// Invariant 3. Others are seen by no assertion.
#[test]
fn the_locks_are_those_of_sync_rs() {
    for (at, line) in code("") {
        if at.starts_with("sync.rs:") {
            continue;
        }
        for word in words(&line) {
            assert!(
                !["Mutex", "RwLock", "Condvar", "parking_lot"].contains(&word),
                "{at} names {word}: {line}"
            );
        }
    }
}

/// Invariant 2. The codes of plain JSON-RPC stand where its errors are.
#[test]
fn dates_and_codes_of_the_protocol_stand_in_the_table_of_revisions_only() {
    for (at, line) in code("") {
        if at.starts_with("revision.rs:") {
            continue;
        }
        let dated = words(&line).zip(words(&line).skip(1)).any(|(year, month)| {
            matches!(year, "2024" | "2025" | "2026")
                && month.len() == 2
                && month.bytes().all(|b| b.is_ascii_digit())
        });
        assert!(!dated, "{at} has a date: {line}");
        if !at.starts_with("jsonrpc/error.rs:") && !at.starts_with("jsonrpc\\error.rs:") {
            let coded = words(&line)
                .any(|word| word.len() == 5 && word.starts_with("32") && word.parse::<u32>().is_ok());
            assert!(!coded, "{at} has an error code: {line}");
        }
    }
}

/// Invariant 10.
#[test]
fn unsafe_code_is_forbidden() {
    let root =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("readable");
    assert!(root.contains("#![cfg_attr(not(windows), forbid(unsafe_code))]"));
    assert!(root.contains("#![cfg_attr(windows, deny(unsafe_code))]"));
    for (at, line) in code("").iter().filter(|(at, _)| !at.starts_with("serve/platform/windows/raw.rs:")) {
        let allowed = line.contains("allow(") && words(line).any(|word| word == "unsafe_code");
        assert!(!allowed, "{at} allows unsafe code: {line}");
    }
}

/// Invariant 10.
#[test]
fn only_drivers_touch_sockets_files_standard_output_or_clocks() {
    let forbidden =
        ["Instant", "SystemTime", "TcpStream", "TcpListener", "UdpSocket", "File", "stdin", "stdout"];
    let drivers = ["serve", "command", "directory", "client", "wall_clock"]; // the client in memory drives its own connection
    for (at, line) in code("") {
        let top = at.split(['/', '.']).next().expect("splitting gives something");
        if drivers.contains(&top) {
            continue;
        }
        for word in words(&line) {
            assert!(!forbidden.contains(&word), "{at} names {word}: {line}");
        }
    }
}

/// Invariant 1.
#[test]
fn the_same_steps_give_the_same_bytes() {
    let run = || {
        let server = server();
        for n in 0..300 {
            server.text(format!("n://{:03}", n * 7 % 300).as_str(), "x").unwrap();
        }
        let connection = connect(&server);
        let mut output = send_request(&connection, &request(1, "resources/list", "{}"));
        for n in 0..40 {
            output +=
                &send_request(&connection, &on_uri(10 + n, "subscribe", &format!("n://{:03}", n * 13 % 300)));
        }
        for n in 0..300 {
            server.notify_updated(&format!("n://{n:03}")).unwrap();
        }
        output + &send_request(&connection, &request(2, "resources/list", "{}"))
    };
    assert_eq!(run(), run());
}

/// Invariant 9.
#[test]
fn uris_are_compared_byte_by_byte_and_echoed_as_they_came() {
    let server = server();
    server.text("n://a/%41", "escaped").unwrap();
    server.text("n://a/A", "plain").unwrap();
    server.text("N://a/A", "upper").unwrap();
    let connection = connect(&server);
    for (uri, text) in [("n://a/%41", "escaped"), ("n://a/A", "plain"), ("N://a/A", "upper")] {
        let answer = send_request(&connection, &on_uri(1, "read", uri));
        assert!(answer.contains(&format!(r#""uri":"{uri}""#)) && answer.contains(text), "{answer}");
    }
    for stranger in ["n://a/%61", "n://A/A", "n://a/./A", "n://a/A/"] {
        let answer = send_request(&connection, &on_uri(1, "read", stranger));
        assert!(answer.contains("error") && answer.contains(stranger), "{answer}");
    }
}

/// Invariant 9.
#[test]
fn ids_are_echoed_verbatim() {
    let connection = connect(&server());
    for id in [r#""aA\/""#, "0", "-7", "12345678901234567890", r#""""#] {
        let answer = send_request(&connection, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
        assert!(answer.contains(&format!(r#""id":{id},"#)), "{answer}");
    }
}
