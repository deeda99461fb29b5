//! The files that declare and describe options.

use crate::places;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

pub(crate) const PYTHON: &str = "bindings/python/python/wellhead/_core.pyi";
pub(crate) const NODE: &str = "bindings/node/lib/options.ts";
pub(crate) const HPP: &str = "include/wellhead.hpp";
pub(crate) const POLICY: &str = "core/src/policy.rs";
pub(crate) const NAMES: &str = "NAMES.md";
pub(crate) const PAGE: &str = "OPTIONS.md";
pub(crate) const COMMAND: &str = "core/src/command.rs";
pub(crate) const DOCUMENTS: &[&str] = &["README.md", "bindings/python/README.md", "bindings/node/README.md"];

pub(crate) const NODE_VALUES: &str = "bindings/node/lib/values.ts";
pub(crate) const NODE_HTTP: &str = "bindings/node/lib/httpOptions.ts";

const RUST: &[&str] = &[
    "core/src/limits.rs",
    "core/src/model/tool_limits.rs",
    "core/src/server/builder.rs",
    "core/src/server/answer_settings.rs",
    "core/src/http/endpoint_builder.rs",
    "core/src/serve/http.rs",
    "core/src/serve/stdio.rs",
    "core/src/directory.rs",
    "core/src/directory/skills.rs",
    "core/src/counters.rs",
];
const C: &[&str] = &[
    "ffi/src/server.rs",
    "ffi/src/http/options.rs",
    "ffi/src/http/serve.rs",
    "ffi/src/stdio.rs",
    "ffi/src/directory.rs",
    "ffi/src/skills.rs",
    "ffi/src/tool.rs",
    "ffi/src/cache.rs",
    "ffi/src/observe.rs",
];
const CPP: &[&str] = &[HPP, "include/wellhead_http.hpp"];

/// The texts of the files, of which a test may change one.
pub(crate) struct Sources(HashMap<&'static str, String>);

impl Default for Sources {
    fn default() -> Self {
        let all =
            [RUST, C, CPP, &[PYTHON, NODE, NODE_HTTP, NODE_VALUES, POLICY, NAMES, PAGE, COMMAND], DOCUMENTS];
        Sources(all.concat().into_iter().chain(places::files()).map(|file| (file, read(file))).collect())
    }
}

impl Sources {
    /// The files with a change in one of them.
    pub(crate) fn changed(file: &'static str, from: &str, to: &str) -> Sources {
        let mut sources = Sources::default();
        let text = sources.0.get_mut(file).unwrap();
        assert!(text.contains(from), "{file} does not have {from:?}");
        *text = text.replacen(from, to, 1);
        sources
    }

    pub(crate) fn text(&self, file: &str) -> &str {
        &self.0[file]
    }

    /// The texts of a language.
    pub(crate) fn of_language(&self, language: &str) -> impl Iterator<Item = &str> {
        let files: &[&str] = match language {
            "Rust" => RUST,
            "C" => C,
            "C++" => CPP,
            "Python" => &[PYTHON],
            _ => &[NODE, NODE_HTTP, NODE_VALUES],
        };
        files.iter().map(|file| self.text(file))
    }
}

/// Returns the path of a file of the repository.
pub(crate) fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)
}

fn read(file: &str) -> String {
    let path = path(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
