//! Resources and templates as lists show them.

use crate::encode::quote_into;
use crate::model::{Annotations, Described, Icon, Role};
use crate::revision::Revision;

pub(crate) fn write_resource(out: &mut Vec<u8>, revision: &Revision, uri: &str, described: &Described<'_>) {
    out.reserve(256);
    out.extend_from_slice(b"{\"uri\":");
    quote_into(uri, out);
    write_members(out, revision, uri, described);
    out.push(b'}');
}

pub(crate) fn write_template(
    out: &mut Vec<u8>,
    revision: &Revision,
    template: &str,
    described: &Described<'_>,
) {
    out.extend_from_slice(b"{\"uriTemplate\":");
    quote_into(template, out);
    write_members(out, revision, template, described);
    out.push(b'}');
}

/// Whether a descriptor is written alike in the newest revision and in `revision`.
pub(crate) fn same_in_all(revision: &Revision, described: &Described<'_>) -> bool {
    let rare = described.rare;
    let newer = described.title.is_some()
        || rare.is_some_and(|rare| {
            rare.meta.is_some() || rare.annotations.as_ref().is_some_and(|a| a.last_modified.is_some())
        });
    (revision.titles || !newer) && (revision.icons || rare.is_none_or(|rare| rare.icons.is_empty()))
}

fn write_members(out: &mut Vec<u8>, revision: &Revision, uri: &str, described: &Described<'_>) {
    text(out, "name", Some(described.name.unwrap_or(uri)));
    if revision.titles {
        text(out, "title", described.title);
    }
    text(out, "description", described.description);
    text(out, "mimeType", described.mime_type);
    if let Some(size) = described.size {
        out.extend_from_slice(b",\"size\":");
        out.extend_from_slice(itoa::Buffer::new().format(size).as_bytes());
    }
    let Some(rare) = described.rare else { return };
    if let Some(annotations) = &rare.annotations {
        write_annotations(out, revision, annotations);
    }
    if revision.icons && !rare.icons.is_empty() {
        out.extend_from_slice(b",\"icons\":[");
        separated(out, &rare.icons, write_icon);
        out.push(b']');
    }
    if let (true, Some(meta)) = (revision.titles, &rare.meta) {
        out.extend_from_slice(b",\"_meta\":");
        out.extend_from_slice(meta.as_str().as_bytes());
    }
}

/// A member that follows another one; nothing if there is no value.
pub(super) fn text(out: &mut Vec<u8>, name: &str, value: Option<&str>) {
    let Some(value) = value else { return };
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    quote_into(value, out);
}

pub(super) fn separated<T>(out: &mut Vec<u8>, items: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(out, item);
    }
}

fn write_annotations(out: &mut Vec<u8>, revision: &Revision, annotations: &Annotations) {
    out.extend_from_slice(b",\"annotations\":{");
    let start = out.len();
    if !annotations.audience.is_empty() {
        out.extend_from_slice(b",\"audience\":[");
        separated(out, &annotations.audience, |out, role| {
            out.extend_from_slice(match role {
                Role::User => b"\"user\"",
                Role::Assistant => b"\"assistant\"",
            });
        });
        out.push(b']');
    }
    if let Some(priority) = annotations.priority {
        out.extend_from_slice(b",\"priority\":");
        out.extend_from_slice(
            serde_json::Number::from_f64(priority).map_or_else(|| "0".into(), |n| n.to_string()).as_bytes(),
        );
    }
    if revision.titles {
        text(out, "lastModified", annotations.last_modified.as_deref());
    }
    if out.len() > start {
        out.remove(start); // the comma before the first member
    }
    out.push(b'}');
}

fn write_icon(out: &mut Vec<u8>, icon: &Icon) {
    out.extend_from_slice(b"{\"src\":");
    quote_into(&icon.src, out);
    text(out, "mimeType", icon.mime_type.as_deref());
    if !icon.sizes.is_empty() {
        out.extend_from_slice(b",\"sizes\":[");
        separated(out, &icon.sizes, |out, size| quote_into(size, out));
        out.push(b']');
    }
    text(out, "theme", icon.theme.as_deref());
    out.push(b'}');
}
