//! Writes the definitions of tools and prompts for the lists of a revision.

use super::meta::shown_meta;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, elements, for_each_member, is_object, members};
use crate::model::Family;
use crate::revision::{Revision, Structured};

/// Writes a definition without the members that the revision lacks.
pub(crate) fn write_definition(out: &mut Vec<u8>, family: Family, revision: Revision, definition: Raw<'_>) {
    if has_all(revision) {
        return out.extend_from_slice(definition.get().as_bytes());
    }
    // 2025-03-26 has the title of a tool in its annotations.
    let title = match members(definition, &["title"]) {
        Ok([title]) if family == Family::Tools && revision.tool_annotations && !revision.titles => title,
        _ => None,
    };
    let mut annotated = false;
    let mut object = Object::begin(out);
    for_each_member(definition, |name, value| match (family, name) {
        (Family::Tools, "_meta") => {
            if let Some(meta) = shown_meta(revision, value) {
                object.any_member(name).extend_from_slice(meta.as_bytes());
            }
        }
        _ if !has_member(family, revision, name) => {}
        (Family::Tools, "annotations") => {
            annotated = true;
            write_annotations(object.any_member(name), value, title);
        }
        (Family::Prompts, "arguments") if !revision.titles => {
            write_arguments(object.any_member(name), value);
        }
        _ => object.any_member(name).extend_from_slice(value.get().as_bytes()),
    });
    if title.is_some() && !annotated {
        write_annotations(object.member("annotations"), Raw::kept("{}"), title);
    }
    object.end();
}

/// Returns whether the revision has every member that definitions have.
fn has_all(revision: Revision) -> bool {
    revision.titles
        && revision.icons
        && revision.tool_annotations
        && !matches!(revision.structured, Structured::Absent)
}

fn has_member(family: Family, revision: Revision, name: &str) -> bool {
    match (family, name) {
        (_, "title" | "_meta") => revision.titles,
        (_, "icons") => revision.icons,
        (Family::Tools, "annotations") => revision.tool_annotations,
        (Family::Tools, "outputSchema") => !matches!(revision.structured, Structured::Absent),
        _ => true,
    }
}

/// Writes the annotations of a tool. The tool's title becomes theirs unless they have one.
fn write_annotations(out: &mut Vec<u8>, annotations: Raw<'_>, title: Option<Raw<'_>>) {
    let Some(title) = title.filter(|_| matches!(members(annotations, &["title"]), Ok([None]))) else {
        return out.extend_from_slice(annotations.get().as_bytes());
    };
    let mut object = Object::begin(out);
    object.raw("title", title.get());
    for_each_member(annotations, |name, value| {
        object.any_member(name).extend_from_slice(value.get().as_bytes());
    });
    object.end();
}

/// Writes the arguments of a prompt without their titles.
fn write_arguments(out: &mut Vec<u8>, arguments: Raw<'_>) {
    out.push(b'[');
    for (at, argument) in elements(arguments, usize::MAX).into_iter().flatten().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        debug_assert!(is_object(argument), "a definition is checked when it is registered");
        let mut object = Object::begin(out);
        for_each_member(argument, |name, value| {
            if name != "title" {
                object.any_member(name).extend_from_slice(value.get().as_bytes());
            }
        });
        object.end();
    }
    out.push(b']');
}
