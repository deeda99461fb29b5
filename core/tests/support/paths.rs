//! The URIs of files.

use std::path::Path;

/// Returns the URI of a path that needs no escaping, in the spelling of the system.
pub(crate) fn uri_of(path: &Path) -> String {
    let path = path.to_str().unwrap();
    if cfg!(windows) {
        format!("file:///{}", path.trim_start_matches(r"\\?\").replace('\\', "/"))
    } else {
        format!("file://{path}")
    }
}
