//! Drives one wide host with the official Rust SDK, in the revision that it is given.
//!
//! ```text
//! rmcp-driver REVISION KIND PLACE RECORD URL      or      … COMMAND...
//! ```
//!
//! KIND is `http` for a host that is reached by its URL, `wide` for one that is started. RECORD tells how that ended. Prints
//! one JSON object a line: first the names of all steps, then a verdict for each step that was reached.

mod steps;
mod world;

use serde_json::{Value, json};
use std::time::Duration;
use world::World;

/// How long each step lasts at most.
const PATIENCE: Duration = Duration::from_secs(20);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [revision, kind, _place, record, reached @ ..] = &*arguments else {
        eprintln!("usage: rmcp-driver REVISION http|wide PLACE RECORD URL|COMMAND...");
        std::process::exit(2);
    };
    say(&json!({ "steps": steps::NAMES }));
    let mut world = World::new(revision, kind == "http", record, reached);
    for name in steps::NAMES {
        let taken = tokio::time::timeout(PATIENCE, steps::take(name, &mut world)).await;
        let taken = taken.unwrap_or_else(|_| Err("not over in time".into()));
        let (ok, detail) = match taken {
            Ok(detail) => (true, detail),
            Err(failure) => (false, failure.to_string()),
        };
        say(&json!({ "step": name, "ok": ok, "detail": detail }));
        if !ok && !world.is_connected() {
            break;
        }
    }
}

fn say(line: &Value) {
    println!("{line}");
}
