//! Runs every script of `tests/vectors/http`, on the endpoint without a socket, on the native listener
//! and as a service of `tower`. See README, "HTTP".

mod endpoint;
#[cfg(feature = "http")]
mod listener;
pub(crate) mod options;
mod script;
#[cfg(feature = "tower")]
mod service;
mod stream;

use crate::script::Pace;
use script::Script;
use std::path::Path;

/// Members of scripts that the endpoint without a socket does not support: none.
const NOTHING: [&str; 0] = [];

/// Members of scripts that the listener does not support: its clock is the machine's, and it knows its own address.
#[cfg(feature = "http")]
const UNSAID: [&str; 2] = ["clock", "loopback_only"];

#[test]
fn every_http_vector_gives_its_responses_without_a_socket() {
    run_all(&NOTHING, |script| script.run::<endpoint::InMemory>(Pace::Whole));
}

#[test]
fn every_http_vector_gives_its_responses_for_bodies_that_come_byte_by_byte() {
    run_all(&NOTHING, |script| script.run::<endpoint::InMemory>(Pace::Bytes));
}

#[cfg(feature = "http")]
#[test]
fn every_http_vector_gives_its_responses_on_the_listener() {
    run_all(&UNSAID, |script| script.run::<listener::OnSocket>(Pace::Whole));
}

#[cfg(feature = "tower")]
#[test]
fn every_http_vector_gives_its_responses_as_a_service() {
    run_all(&["clock"], |script| script.run::<service::AsService>(Pace::Whole));
}

fn run_all(unsaid: &[&str], run: impl Fn(&Script) -> Result<(), String>) {
    let wanted = std::env::var("VECTORS").unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/http");
    let (mut ran, mut failures) = (0, Vec::new());
    for (name, path) in crate::scripts(&folder) {
        let name = format!("http/{name}");
        if !name.starts_with(&wanted) {
            continue;
        }
        let script = Script::load(&path).unwrap_or_else(|why| panic!("{name}: {why}"));
        if let Some(word) = script.needs().find(|word| unsaid.contains(word)) {
            eprintln!("{name}: needs {word}, which is not said here");
            continue;
        }
        ran += 1;
        if let Err(failure) = run(&script) {
            failures.push(format!("tests/vectors/{name}, {failure}"));
        }
    }
    let others = !wanted.is_empty() && !wanted.starts_with("http");
    assert!(ran > 0 || others, "no vector begins with {wanted:?}");
    assert!(failures.is_empty(), "{} of {ran} vectors fail:\n{}", failures.len(), failures.join("\n"));
}
