//! `_meta` of tools, resources and contents.

use crate::jsonrpc::{Raw, members};
use crate::revision::Revision;
use std::borrow::Cow;

/// Returns what a client gets of a `_meta`: all of it; where the revision lacks it, the member `ui` alone, if the client
/// shows MCP Apps (rows.tsv AP-05).
pub(super) fn shown_meta(revision: Revision, meta: Raw<'_>) -> Option<Cow<'_, str>> {
    if revision.titles {
        return Some(Cow::Borrowed(meta.get()));
    }
    match members(meta, &["ui"]) {
        Ok([Some(ui)]) if revision.shows_apps => Some(Cow::Owned(format!(r#"{{"ui":{}}}"#, ui.get()))),
        _ => None,
    }
}
