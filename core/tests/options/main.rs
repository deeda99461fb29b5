//! The core has one table of options. `WRITE_OPTIONS=1 cargo test --test options` writes the page `OPTIONS.md`, and adds each
//! option that a language lacks where its options are. What is declared keeps its words, so this compares the declarations with
//! the table: names, values, defaults and units. `NAMES.md` says what each language calls an option.

mod check;
mod declared;
mod documents;
mod kinds;
mod names;
mod page;
mod places;
mod sources;

use sources::{COMMAND, HPP, NAMES, NODE, NODE_VALUES, PAGE, PYTHON, Sources};

#[test]
fn each_language_declares_the_options_of_the_table() {
    if std::env::var_os("WRITE_OPTIONS").is_some() {
        std::fs::write(sources::path(PAGE), page::written()).unwrap();
        for (file, text) in places::written(&Sources::default()) {
            std::fs::write(sources::path(file), text).unwrap();
        }
    }
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
        "core/src/http/endpoint_builder.rs",
        "milliseconds. Default: 3,600,000",
        "milliseconds. Default: 3,600",
        "Rust: endpoint session_ms",
    );
    assert_found(
        "ffi/src/server.rs",
        "page of a list. Default: 1,000.",
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
        "core/src/http/endpoint_builder.rs",
        "`WWW-Authenticate`. Default: false.",
        "",
        "Rust: endpoint cors",
    );
    assert_found(
        "ffi/src/http/options.rs",
        "WELLHEAD_CORS => cors = true",
        "WELLHEAD_CORS => cors = false",
        "C: endpoint cors",
    );
    assert_found(
        "ffi/src/http/options.rs",
        "WELLHEAD_STRICT_ACCEPT, WELLHEAD_CORS,",
        "WELLHEAD_STRICT_ACCEPT,",
        "C: endpoint cors",
    );
    assert_found("ffi/src/directory.rs", "pub const WELLHEAD_NO_WATCH", "const NO_WATCH", "C: folder watch");
    assert_found(PYTHON, "cors: bool = False", "cors: bool = True", "Python: endpoint cors");
    assert_found(PYTHON, "watch: bool = True,", "", "Python: folder watch");
    assert_found(NODE, "notifies clients of changes. Default: true.", "", "Node: folder watch");
    assert_found(NAMES, "| `cors` |", "| CORS |", "NAMES.md: endpoint cors");
}

#[test]
fn a_word_that_differs_or_is_missing_is_found() {
    assert_found(
        "core/src/server/builder.rs",
        "[`Dialect::Auto`]",
        "[`Dialect::Always`]",
        "Rust: server dialect",
    );
    assert_found("core/src/policy.rs", "/// `auto`", "/// `automatic`", "Rust: server dialect");
    assert_found(
        "ffi/src/server.rs",
        "those that use it; always; never",
        "those that use it; always",
        "C: server dialect",
    );
    assert_found("ffi/src/cache.rs", "tools, prompts or reads", "tools or reads", "C: server cache_of");
    assert_found(HPP, "subscribe_unknown, dialect;", "subscribe_unknown;", "C++: server dialect");
    assert_found(PYTHON, "Literal[\"auto\", \"always\", \"never\"]", "str", "Python: server dialect");
    assert_found(
        PYTHON,
        "`never` any, or `always` all",
        "`never` any, or all",
        "Python: server titles_in_contents",
    );
    assert_found(NODE, "'auto' | 'always' | 'never'", "'auto' | 'always'", "Node: server dialect");
    assert_found(NODE, "`deny` (default)", "`deny`", "Node: server subscribe_unknown");
    assert_found(NODE, "'internal_error' | 'not_modified'", "'internal_error'", "Node: server rpc_code");
    assert_found(NAMES, "| `dialect` |", "| dialect |", "NAMES.md: server dialect");
}

#[test]
fn a_text_a_list_an_object_or_a_callback_that_differs_or_is_missing_is_found() {
    assert_found("core/src/http/endpoint_builder.rs", "Default: `/mcp`.", "", "Rust: endpoint path");
    assert_found(
        "core/src/http/endpoint_builder.rs",
        "pub fn allowed_hosts",
        "fn allowed_hosts",
        "Rust: endpoint allowed_hosts",
    );
    assert_found(
        "ffi/src/server.rs",
        "by their dates. Default: all.",
        "by their dates.",
        "C: server revisions",
    );
    assert_found(
        "ffi/src/server.rs",
        "pub instance_name: wellhead_str",
        "instance_name: wellhead_str",
        "C: server instance_name",
    );
    assert_found(HPP, "include, exclude;", "include;", "C++: folder exclude");
    assert_found(PYTHON, "path: str = \"/mcp\"", "path: str = \"/\"", "Python: endpoint path");
    assert_found(PYTHON, "        instructions: str | None = None,\n", "", "Python: server instructions");
    assert_found(
        PYTHON,
        "async def run_async(self, *, shutdown_ms: int = 5000, ",
        "async def run_async(self, *, ",
        "Python: stdio shutdown_ms",
    );
    assert_found(NODE, "Default: standard error", "", "Node: server on_log");
    assert_found(NODE, "limits?: Limits", "limit?: Limits", "Node: server limits");
    assert_found(NAMES, "| `verify` |", "| tokens |", "NAMES.md: endpoint verify");
    assert_found(NAMES, "| the folder |", "| `folder` |", "NAMES.md: folder folder");
}

#[test]
fn a_counter_or_a_word_of_a_value_that_differs_is_found() {
    assert_found(
        "ffi/src/observe.rs",
        "connections that are open.",
        "connections.",
        "C: counters connections_open",
    );
    assert_found(PYTHON, "URIs with at least one subscriber.", "URIs.", "Python: counters uris_subscribed");
    assert_found(NODE_VALUES, "readonly callsFailed: number", "", "Node: counters calls_failed");
    assert_found(NAMES, "| `changes` |", "| changes |", "NAMES.md: counters changes");
    assert_found(
        "ffi/src/server.rs",
        "WELLHEAD_SEVERITY_ERROR: u32 = 2",
        "WELLHEAD_SEVERITY_ERROR: u32 = 3",
        "C: severity",
    );
    assert_found(NODE, "'warning' | 'error'", "'warn' | 'error'", "Node: severity");
    assert_found(NODE_VALUES, "'public' | 'private'", "'public'", "Node: cache scope");
}

#[test]
fn a_page_the_help_or_a_guide_that_differs_is_found() {
    assert_found(PAGE, "| `settle_ms` |", "| `settle` |", "OPTIONS.md is not");
    assert_found(COMMAND, "[64M]", "[32M]", "core/src/command.rs: --max-file-size");
    assert_found(COMMAND, "[1000]", "[100]", "core/src/command.rs: --page-size");
    assert_found(COMMAND, "print the version", "print the version [1]", "core/src/command.rs: --version");
    assert_found("README.md", "(default 1 MiB)", "(default 2 MiB)", "README.md: page_bytes");
    assert_found(
        "bindings/node/README.md",
        "60,000 milliseconds by default",
        "6,000 milliseconds by default",
        "bindings/node/README.md: call_ms",
    );
    assert_found("README.md", "`page_items` items", "its items", "README.md: (default 1,000)");
}
