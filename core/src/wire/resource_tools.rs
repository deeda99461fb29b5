//! Writes contents, lists and errors of resources as the results of tools.

use super::contents::{write_body, write_element};
use super::descriptor::text;
use super::{Defaults, Identity, Payload, ResultWriter, reserve};
use crate::encode::quote_into;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, RequestId, elements, for_each_member, members, string};
use crate::model::{Borrowed, Cache, Descriptor, Json, Source};
use crate::revision::{Revision, Structured};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The greatest number of bytes of a text that a model gets. A larger one would fill its context.
const TEXT_BYTES: usize = 256 << 10;

/// The greatest number of bytes of a blob that a model gets.
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
    let mime_type = defaults.mime_type(element.contents);
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

/// Writes the result of a tool that lists resources and templates: one text, a JSON array. `items` is their JSON in
/// lists of the protocol, separated by commas.
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

/// Returns the items with only the members that a model needs, by the names that clients of such tools know.
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

/// Writes the result of a tool that fetched a resource: a document as structured content and as the same text.
pub(crate) fn tool_document(
    out: &mut Vec<u8>,
    revision: Revision,
    id: &RequestId,
    identity: &Identity,
    contents: &[Borrowed<'_>],
    defaults: &Defaults<'_>,
) {
    let uri = defaults.uri;
    let texts: Vec<&str> = contents
        .iter()
        .filter_map(|element| match element.source {
            Source::Text(text) => Some(text),
            Source::Blob(_) => None,
        })
        .collect();
    if texts.is_empty() {
        return tool_refusal(out, revision, id, identity, &format!("{uri} has no text"));
    }
    let size = texts.iter().map(|text| text.len()).sum::<usize>();
    if size > TEXT_BYTES {
        let why = format!("{uri} has {size} bytes. A tool shows at most {TEXT_BYTES}.");
        return tool_refusal(out, revision, id, identity, &why);
    }
    let document = document(contents, defaults, &texts.join("\n"));
    let mut result = ResultWriter::begin(out, revision, id);
    let content = result.member("content");
    content.push(b'[');
    write_text(content, &document);
    content.push(b']');
    if revision.structured != Structured::Absent {
        result.member("structuredContent").extend_from_slice(document.as_bytes());
    }
    result.end(identity, Cache::None);
}

fn document(contents: &[Borrowed<'_>], defaults: &Defaults<'_>, text: &str) -> String {
    let Defaults { uri, descriptor, own, .. } = *defaults;
    let given = Borrowed::description(contents, uri);
    let registered = Some(descriptor).filter(|_| own);
    let title = given
        .and_then(|given| given.title.as_deref().or(given.name.as_deref()))
        .or(registered.and_then(|registered| registered.title.as_deref().or(registered.name.as_deref())));
    let meta = Borrowed::main(contents, uri)
        .and_then(|main| main.contents.meta.as_ref())
        .or(registered.and_then(Descriptor::meta));
    let url = meta.and_then(own_url);
    let mut out = Vec::with_capacity(text.len() + 256);
    let mut object = Object::begin(&mut out);
    object.string("id", uri).string("title", title.unwrap_or(uri)).string("text", text);
    object.string("url", url_of(uri, url.as_deref().unwrap_or_default()));
    if let Some(metadata) = metadata(contents, defaults) {
        object.raw("metadata", metadata);
    }
    object.end();
    String::from_utf8(out).unwrap_or_default()
}

/// Returns a document's metadata as a JSON object of strings, or `None` if it is empty. The application's own members
/// win over those of the resource's description. Values that are not strings become JSON text.
fn metadata(contents: &[Borrowed<'_>], defaults: &Defaults<'_>) -> Option<Vec<u8>> {
    let Defaults { uri, descriptor, own, .. } = *defaults;
    let rare = descriptor.rare.as_deref().filter(|_| own);
    let given = Borrowed::description(contents, uri).and_then(|given| given.metadata.as_ref());
    let given = given.or(rare.and_then(|rare| rare.metadata.as_ref()));
    let mime_type = Borrowed::main(contents, uri)
        .map_or(descriptor.mime_type.as_deref(), |main| defaults.mime_type(main.contents));
    let last_modified = rare.and_then(|rare| rare.annotations.as_ref()?.last_modified.as_deref());
    let mut members = BTreeMap::new();
    if let Some(given) = given {
        for_each_member(given.raw(), |name, value| {
            let text = string(value).map_or_else(|| value.get().to_owned(), Cow::into_owned);
            members.insert(name.to_owned(), text);
        });
    }
    let described = [
        ("description", descriptor.description.as_deref().filter(|_| own)),
        ("last_modified", last_modified),
        ("mime_type", mime_type),
    ];
    for (name, value) in described {
        if let Some(value) = value {
            members.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    if members.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    let mut object = Object::begin(&mut out);
    for (name, value) in &members {
        quote_into(value, object.any_member(name));
    }
    object.end();
    Some(out)
}

/// Returns the URL at which a person reads a resource. `given` is the one that the application gave, or empty.
pub(crate) fn url_of<'a>(uri: &'a str, given: &'a str) -> &'a str {
    let is_web = ["http://", "https://"]
        .iter()
        .any(|scheme| uri.get(..scheme.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(scheme)));
    if is_web { uri } else { given }
}

/// Returns the URL that the metadata of a resource has.
pub(crate) fn own_url(meta: &Json) -> Option<String> {
    let [url] = members(meta.raw(), &["url"]).ok()?;
    string(url?).map(Into::into)
}
