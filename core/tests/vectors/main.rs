//! Runs every script of `tests/vectors` against the public API, whole and byte by byte. Its README says what a script
//! is. `VECTORS=subscribe/` in the environment runs only those whose path begins so.

mod answers;
mod host;
mod http;
mod message;
mod methods;
mod script;

use script::{Pace, Script};
use std::path::{Path, PathBuf};

/// The vectors that Rust cannot run: a callback cannot return a wrong type, and skills are a feature.
const UNREACHED: &[&str] = if cfg!(feature = "skills") { &["wrong_type"] } else { &["wrong_type", "skills"] };

#[test]
fn every_vector_gives_its_bytes_whole() {
    run_all(Pace::Whole);
}

#[test]
fn every_vector_gives_its_bytes_one_at_a_time() {
    run_all(Pace::Bytes);
}

fn run_all(pace: Pace) {
    let wanted = std::env::var("VECTORS").unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors");
    let (mut ran, mut failures) = (0, Vec::new());
    for (name, path) in scripts(&folder) {
        if !name.starts_with(&wanted) {
            continue;
        }
        let script = Script::load(&path).unwrap_or_else(|why| panic!("{name}: {why}"));
        if let Some(word) = script.needs().find(|word| UNREACHED.contains(word)) {
            eprintln!("{name}: needs {word}, which Rust does not reach");
            continue;
        }
        ran += 1;
        if let Err(failure) = script.run(pace) {
            failures.push(format!("tests/vectors/{name}, {pace}, {failure}"));
        }
    }
    assert!(ran > 0 || wanted.starts_with("http"), "no vector begins with {wanted:?}");
    assert!(failures.is_empty(), "{} of {ran} vectors fail:\n{}", failures.len(), failures.join("\n"));
}

fn scripts(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for topic in std::fs::read_dir(folder).expect("tests/vectors is part of the repository") {
        let topic = topic.expect("tests/vectors is readable").path();
        if !topic.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(&topic).expect("a topic is readable") {
            let path = file.expect("a topic is readable").path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let name =
                    path.strip_prefix(folder).expect("found inside").to_string_lossy().replace('\\', "/");
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}
