//! The core has one table of options. Each language declares them by hand, where their documentation is. This compares the
//! declarations with the table: names, values, defaults and units. `NAMES.md` says what each language calls an option.

mod check;
mod declared;
mod names;
mod sources;

use sources::{HPP, NAMES, NODE, PYTHON, Sources};

#[test]
fn each_language_declares_the_options_of_the_table() {
    let faults = check::faults(&Sources::default());
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Asserts that a change of a source is found: the file, its text, the text instead, and the beginning of the fault.
#[track_caller]
fn assert_found(file: &'static str, from: &str, to: &str, fault: &str) {
    let faults = check::faults(&Sources::changed(file, from, to));
    assert!(faults.iter().any(|found| found.starts_with(fault)), "{from:?} to {to:?}: {faults:#?}");
}

#[test]
fn a_number_that_differs_or_is_missing_is_found() {
    assert_found(
        "core/src/http/endpoint.rs",
        "milliseconds; 3,600,000",
        "milliseconds; 3,600",
        "Rust: endpoint session_ms",
    );
    assert_found(
        "ffi/src/server.rs",
        "page of a list. Default 1,000.",
        "page of a list.",
        "C: limits page_items",
    );
    assert_found(HPP, "settle_ms = 0", "settle_ms = 1", "C++: folder settle_ms");
    assert_found(HPP, "std::uint64_t settle_ms = 0;", "", "C++: folder settle_ms");
    assert_found(PYTHON, "settle_ms: int = 50", "settle_ms: int = 51", "Python: folder settle_ms");
    assert_found(NODE, "maxFileBytes?: number", "maxFile?: number", "Node: folder max_file_bytes");
    assert_found(
        NODE,
        "Size of the largest file to serve, in bytes.",
        "The largest file.",
        "Node: folder max_file_bytes",
    );
    assert_found(NAMES, "| `settle_ms` |", "| `settle` |", "NAMES.md: folder settle_ms");
}

#[test]
fn a_switch_that_differs_or_is_missing_is_found() {
    assert_found(
        "core/src/http/endpoint.rs",
        "`WWW-Authenticate`. Default: false.",
        "",
        "Rust: endpoint cors",
    );
    assert_found(
        "ffi/src/http/options.rs",
        "flags & WELLHEAD_CORS != 0",
        "flags & WELLHEAD_CORS == 0",
        "C: endpoint cors",
    );
    assert_found(
        "ffi/src/http/options.rs",
        "WELLHEAD_STRICT_ACCEPT, WELLHEAD_CORS, ",
        "",
        "C: endpoint cors",
    );
    assert_found("ffi/src/directory.rs", "pub const WELLHEAD_NO_WATCH", "const NO_WATCH", "C: folder watch");
    assert_found(PYTHON, "cors: bool = False", "cors: bool = True", "Python: endpoint cors");
    assert_found(PYTHON, "watch: bool = True,", "", "Python: folder watch");
    assert_found(NODE, "notifies clients of changes. Default: true.", "", "Node: folder watch");
    assert_found(NAMES, "| `cors` |", "| CORS |", "NAMES.md: endpoint cors");
}
