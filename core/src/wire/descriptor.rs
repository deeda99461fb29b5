//! Writes resources and templates for lists.

use super::dialect::write_further;
use super::meta::shown_meta;
use crate::encode::{escape_into, quote_into};
use crate::model::{Annotations, Described, Icon, Rare, Role};
use crate::revision::{Revision, Shape};
use std::ops::Range;

pub(crate) fn write_resource(out: &mut Vec<u8>, revision: Revision, uri: &str, described: &Described<'_>) {
    let shown = Described { title: described.title.filter(|_| revision.titles), ..*described };
    begin_resource(out, uri, &shown);
    end_resource(out, revision, described.rare);
}

/// The ranges of a buffer in which some members of a resource are.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListedMembers {
    /// The range of the URI, without quotes.
    pub(crate) uri: Range<usize>,
    /// The range of the member `title`, with the comma before it; empty if there is none. Only revisions with titles
    /// get it.
    pub(crate) title: Range<usize>,
}

/// Begins a resource with a valid URI: writes its title and the members that all revisions have. [`end_resource`]
/// writes the others.
pub(crate) fn begin_resource(out: &mut Vec<u8>, uri: &str, described: &Described<'_>) -> ListedMembers {
    let Described { name, title, description, mime_type, .. } = described;
    let texts = [*name, *title, *description, *mime_type];
    out.reserve(128 + uri.len() + texts.iter().flatten().map(|text| text.len()).sum::<usize>());
    out.extend_from_slice(b"{\"uri\":\"");
    let start = out.len();
    out.extend_from_slice(uri.as_bytes()); // a URI has nothing to escape
    let uri_range = start..out.len();
    out.push(b'"');
    let title = write_members(out, uri, described);
    ListedMembers { uri: uri_range, title }
}

/// Ends what [`begin_resource`] began.
pub(crate) fn end_resource(out: &mut Vec<u8>, revision: Revision, rare: Option<&Rare>) {
    if let Some(rare) = rare {
        write_rare(out, revision, rare);
        if revision.shape != Shape::Official {
            write_further(out, rare);
        }
    }
    out.push(b'}');
}

pub(crate) fn write_template(
    out: &mut Vec<u8>,
    revision: Revision,
    template: &str,
    described: &Described<'_>,
) {
    let shown = Described { title: described.title.filter(|_| revision.titles), ..*described };
    out.extend_from_slice(b"{\"uriTemplate\":");
    quote_into(template, out);
    write_members(out, template, &shown);
    if let Some(rare) = described.rare {
        write_rare(out, revision, rare);
    }
    out.push(b'}');
}

/// Returns whether `revision` and the newest revision write a descriptor alike.
pub(crate) fn same_in_all(revision: Revision, described: &Described<'_>) -> bool {
    let rare = described.rare;
    let newer = described.title.is_some()
        || rare.is_some_and(|rare| {
            rare.meta.is_some() || rare.annotations.as_ref().is_some_and(|a| a.last_modified.is_some())
        });
    let further =
        rare.is_some_and(|rare| rare.kind.is_some() || rare.version.is_some() || rare.metadata.is_some());
    (revision.titles || !newer)
        && (revision.icons || rare.is_none_or(|rare| rare.icons.is_empty()))
        && (revision.shape == Shape::Official || !further)
}

/// Writes the members that all revisions have, and the title. Returns the range of the title.
fn write_members(out: &mut Vec<u8>, uri: &str, described: &Described<'_>) -> Range<usize> {
    text(out, b",\"name\":\"", Some(described.name.unwrap_or(uri)));
    let start = out.len();
    text(out, b",\"title\":\"", described.title);
    let title = start..out.len();
    text(out, b",\"description\":\"", described.description);
    text(out, b",\"mimeType\":\"", described.mime_type);
    if let Some(size) = described.size {
        out.extend_from_slice(b",\"size\":");
        out.extend_from_slice(itoa::Buffer::new().format(size).as_bytes());
    }
    title
}

fn write_rare(out: &mut Vec<u8>, revision: Revision, rare: &Rare) {
    if let Some(annotations) = &rare.annotations {
        write_annotations(out, revision, annotations);
    }
    if revision.icons {
        write_icons(out, &rare.icons);
    }
    if let Some(meta) = rare.meta.as_ref().and_then(|meta| shown_meta(revision, meta.raw())) {
        out.extend_from_slice(b",\"_meta\":");
        out.extend_from_slice(meta.as_bytes());
    }
}

/// Writes the member `icons`, if there are any.
pub(super) fn write_icons(out: &mut Vec<u8>, icons: &[Icon]) {
    if !icons.is_empty() {
        out.extend_from_slice(b",\"icons\":[");
        separated(out, icons, write_icon);
        out.push(b']');
    }
}

/// Writes a member after another one; nothing if `value` is `None`. `head` is the text before the value: comma, name,
/// colon and quote.
#[inline]
pub(super) fn text<const N: usize>(out: &mut Vec<u8>, head: &[u8; N], value: Option<&str>) {
    let Some(value) = value else { return };
    out.extend_from_slice(head);
    escape_into(value, out);
    out.push(b'"');
}

pub(crate) fn separated<T>(out: &mut Vec<u8>, items: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        write(out, item);
    }
}

/// Writes the member `annotations` after another one.
pub(crate) fn write_annotations(out: &mut Vec<u8>, revision: Revision, annotations: &Annotations) {
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
        text(out, b",\"lastModified\":\"", annotations.last_modified.as_deref());
    }
    if out.len() > start {
        out.remove(start); // the comma before the first member
    }
    out.push(b'}');
}

fn write_icon(out: &mut Vec<u8>, icon: &Icon) {
    out.extend_from_slice(b"{\"src\":");
    quote_into(&icon.src, out);
    text(out, b",\"mimeType\":\"", icon.mime_type.as_deref());
    if !icon.sizes.is_empty() {
        out.extend_from_slice(b",\"sizes\":[");
        separated(out, &icon.sizes, |out, size| quote_into(size, out));
        out.push(b']');
    }
    text(out, b",\"theme\":\"", icon.theme.as_deref());
    out.push(b'}');
}
