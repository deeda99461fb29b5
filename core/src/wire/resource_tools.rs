//! Contents, lists and errors of resources as the results of tools.

use super::contents::{write_body, write_element};
use super::descriptor::text;
use super::{Defaults, Identity, Payload, ResultWriter, reserve};
use crate::encode::quote_into;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, RequestId, elements, members};
use crate::model::{Borrowed, Cache, Source};
use crate::revision::{Revision, Structured};

/// The bytes of the largest text that a model gets; a larger one would fill its context.
const TEXT_BYTES: usize = 256 << 10;

/// The bytes of the largest blob that a model gets.
const BLOB_BYTES: usize = 1 << 20;

/// The types of images that models see.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Writes the result of a tool that read a resource: a content block for each element.
pub(crate) fn tool_contents(
    payload: &mut Payload<'_>,
    revision: Revision,
    id: &RequestId,
    identity: &Identity,
    contents: &[Borrowed<'_>],
    defaults: &Defaults<'_>,
) {
    reserve(payload, identity, contents, defaults);
    ResultWriter::begin(payload.out, revision, id).member("content").push(b'[');
    for (at, element) in contents.iter().enumerate() {
        if at > 0 {
            payload.out.push(b',');
        }
        write_block(payload, revision, element, defaults);
    }
    payload.out.push(b']');
    ResultWriter::resume(payload.out, revision).end(identity, Cache::None);
}

fn write_block(
    payload: &mut Payload<'_>,
    revision: Revision,
    element: &Borrowed<'_>,
    defaults: &Defaults<'_>,
) {
    let mime_type = element.contents.mime_type.as_deref().or(defaults.descriptor.mime_type.as_deref());
    let (size, most) = match element.source {
        Source::Text(text) => (text.len(), TEXT_BYTES),
        Source::Blob(bytes) => (bytes.len(), BLOB_BYTES),
    };
    if size > most {
        return write_link(payload.out, revision, element, defaults, mime_type, (size, most));
    }
    match (element.source, mime_type.filter(|mime_type| IMAGES.contains(mime_type))) {
        (Source::Text(_), _) => {
            payload.out.extend_from_slice(b"{\"type\":\"text\",\"text\":\"");
            write_body(payload, element);
        }
        (Source::Blob(_), Some(mime_type)) => {
            payload.out.extend_from_slice(b"{\"type\":\"image\",\"mimeType\":");
            quote_into(mime_type, payload.out);
            payload.out.extend_from_slice(b",\"data\":\"");
            write_body(payload, element);
        }
        (Source::Blob(_), None) => {
            payload.out.extend_from_slice(b"{\"type\":\"resource\",\"resource\":");
            write_element(payload, revision, element, defaults);
        }
    }
    payload.out.push(b'}');
}

/// Writes a link in place of an element that is too large, and a line that says so.
fn write_link(
    out: &mut Vec<u8>,
    revision: Revision,
    element: &Borrowed<'_>,
    defaults: &Defaults<'_>,
    mime_type: Option<&str>,
    (size, most): (usize, usize),
) {
    let uri = element.contents.uri.as_deref().unwrap_or(defaults.uri);
    if revision.resource_links {
        let own = defaults.own && uri == defaults.uri;
        let name = defaults.descriptor.name.as_deref().filter(|_| own).unwrap_or(uri);
        let mut link = Object::begin(out);
        link.string("type", "resource_link").string("uri", uri).string("name", name);
        if let Some(mime_type) = mime_type {
            link.string("mimeType", mime_type);
        }
        link.raw("size", itoa::Buffer::new().format(size));
        link.end();
        out.push(b',');
    }
    let line = format!("{uri} has {size} bytes. A tool shows at most {most}.");
    write_text(out, &line);
}

fn write_text(out: &mut Vec<u8>, line: &str) {
    out.extend_from_slice(b"{\"type\":\"text\"");
    text(out, b",\"text\":\"", Some(line));
    out.push(b'}');
}

/// Writes the result of a tool that lists resources and templates: one text, a JSON array. `items`: their JSON as lists of
/// the protocol have it, with commas.
pub(crate) fn tool_list(
    out: &mut Vec<u8>,
    revision: Revision,
    id: &RequestId,
    identity: &Identity,
    items: &[u8],
    cursor: Option<&str>,
) {
    let shown = shown_items(items);
    let mut result = ResultWriter::begin(out, revision, id);
    let content = result.member("content");
    content.push(b'[');
    write_text(content, &shown);
    if let Some(cursor) = cursor {
        content.push(b',');
        write_text(content, &format!("More: call list_resources with cursor \"{cursor}\""));
    }
    content.push(b']');
    if let Some(cursor) = cursor.filter(|_| revision.structured != Structured::Absent) {
        let mut structured = Object::begin(result.member("structuredContent"));
        structured.raw("resources", &shown).string("nextCursor", cursor);
        structured.end();
    }
    result.end(identity, Cache::None);
}

/// Returns the items with the members that a model needs, by the names that clients of such tools know.
fn shown_items(items: &[u8]) -> String {
    const OF_RESOURCE: [(&str, &str); 4] =
        [("uri", "uri"), ("name", "name"), ("description", "description"), ("mime_type", "mimeType")];
    const OF_TEMPLATE: [(&str, &str); 3] =
        [("uri_template", "uriTemplate"), ("name", "name"), ("description", "description")];
    let list = [b"[", items, b"]"].concat();
    let list = String::from_utf8_lossy(&list);
    let mut out = b"[".to_vec();
    for (at, item) in elements(Raw::kept(&list), usize::MAX).into_iter().flatten().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let is_template = matches!(members(item, &["uriTemplate"]), Ok([Some(_)]));
        let mut object = Object::begin(&mut out);
        for (shown, listed) in if is_template { &OF_TEMPLATE[..] } else { &OF_RESOURCE[..] } {
            let value = members(item, &[*listed]).ok().and_then(|[value]| value);
            object.raw(shown, value.map_or("null", Raw::get));
        }
        object.end();
    }
    out.push(b']');
    String::from_utf8(out).unwrap_or_default()
}

/// Writes the result of a tool that failed, with a text for the model.
pub(crate) fn tool_refusal(
    out: &mut Vec<u8>,
    revision: Revision,
    id: &RequestId,
    identity: &Identity,
    why: &str,
) {
    let mut result = ResultWriter::begin(out, revision, id);
    let content = result.member("content");
    content.push(b'[');
    write_text(content, why);
    content.push(b']');
    result.member("isError").extend_from_slice(b"true");
    result.end(identity, Cache::None);
}
