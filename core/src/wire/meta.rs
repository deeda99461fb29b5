//! `_meta` of tools, resources and contents.

use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, for_each_member, members};
use crate::model::Json;
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

/// Returns the `_meta` that a callback gave for an app, with the registered `ui` if it has no `ui`. Without it, clients
/// show the page by another policy than the registered one (rows.tsv AP-20).
pub(super) fn with_registered_ui<'a>(given: &'a Json, registered: &Json) -> Cow<'a, Json> {
    let (Ok([None]), Ok([Some(ui)])) = (members(given.raw(), &["ui"]), members(registered.raw(), &["ui"]))
    else {
        return Cow::Borrowed(given);
    };
    let mut out = Vec::new();
    let mut all = Object::begin(&mut out);
    all.raw("ui", ui.get());
    for_each_member(given.raw(), |name, value| {
        all.any_member(name).extend_from_slice(value.get().as_bytes());
    });
    all.end();
    Cow::Owned(Json::written(out))
}
