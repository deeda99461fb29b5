//! The content blocks of tools and prompts, such as a text or an image.

use super::call_result::member;
use crate::encode::quote_into;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, elements, for_each_member, is_object, members, string};
use crate::model::{Family, Json};
use crate::revision::Revision;
use std::borrow::Cow;

/// Returns a checked result for a revision. Blocks whose type the revision lacks become texts, since a strict client
/// refuses the whole result for one such block. Members that the revision lacks are left out. Resources in the messages
/// of a prompt get the MIME type that tools may leave out.
pub(super) fn for_revision(family: Family, revision: Revision, result: &Json) -> Cow<'_, Json> {
    let has_types = revision.audio && revision.resource_links;
    let untyped = family == Family::Prompts && result.as_str().contains("\"resource\"");
    if has_types && revision.titles && !untyped && (revision.icons || !result.as_str().contains("\"icons\""))
    {
        return Cow::Borrowed(result);
    }
    let mut out = Vec::new();
    let mut object = Object::begin(&mut out);
    for_each_member(result.raw(), |name, value| {
        let out = object.any_member(name);
        match (family, name) {
            (Family::Tools, "content") => {
                array(out, value, |out, block| write_block(out, family, revision, block));
            }
            (Family::Prompts, "messages") => {
                array(out, value, |out, message| write_message(out, revision, message));
            }
            _ => out.extend_from_slice(value.get().as_bytes()),
        }
    });
    object.end();
    Cow::Owned(Json::written(out))
}

fn array(out: &mut Vec<u8>, value: Raw<'_>, mut write: impl FnMut(&mut Vec<u8>, Raw<'_>)) {
    out.push(b'[');
    for (at, element) in elements(value, usize::MAX).into_iter().flatten().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(out, element);
    }
    out.push(b']');
}

fn write_message(out: &mut Vec<u8>, revision: Revision, message: Raw<'_>) {
    let mut object = Object::begin(out);
    for_each_member(message, |name, value| {
        let out = object.any_member(name);
        match name {
            "content" => write_block(out, Family::Prompts, revision, value),
            _ => out.extend_from_slice(value.get().as_bytes()),
        }
    });
    object.end();
}

fn write_block(out: &mut Vec<u8>, family: Family, revision: Revision, block: Raw<'_>) {
    let Some(text) = text_for(revision, block) else { return write_members(out, family, revision, block) };
    let mut object = Object::begin(out);
    object.string("type", "text");
    quote_into(&text, object.member("text"));
    if let Ok([Some(annotations)]) = members(block, &["annotations"]) {
        write_annotations(object.member("annotations"), revision, annotations);
    }
    object.end();
}

/// Writes a block without the members that the revision lacks.
fn write_members(out: &mut Vec<u8>, family: Family, revision: Revision, block: Raw<'_>) {
    let mut object = Object::begin(out);
    for_each_member(block, |name, value| match name {
        "resource" if is_object(value) => {
            write_contents(object.any_member(name), family, revision, value);
        }
        _ => write_member(&mut object, revision, name, value),
    });
    object.end();
}

/// Writes the contents of an embedded resource without the members that the revision lacks. Those in a prompt need a
/// MIME type.
fn write_contents(out: &mut Vec<u8>, family: Family, revision: Revision, contents: Raw<'_>) {
    let mime_type = match members(contents, &["mimeType", "text"]) {
        Ok([None, text]) if family == Family::Prompts => {
            Some(if text.is_some() { "text/plain" } else { "application/octet-stream" })
        }
        _ => None,
    };
    let mut object = Object::begin(out);
    for_each_member(contents, |name, value| {
        write_member(&mut object, revision, name, value);
        if let Some(mime_type) = mime_type.filter(|_| name == "uri") {
            object.string("mimeType", mime_type);
        }
    });
    object.end();
}

fn write_member(object: &mut Object<'_>, revision: Revision, name: &str, value: Raw<'_>) {
    match name {
        "_meta" if !revision.titles => {}
        "icons" if !revision.icons => {}
        "annotations" => write_annotations(object.any_member(name), revision, value),
        _ => object.any_member(name).extend_from_slice(value.get().as_bytes()),
    }
}

fn write_annotations(out: &mut Vec<u8>, revision: Revision, annotations: Raw<'_>) {
    if revision.titles || !is_object(annotations) {
        return out.extend_from_slice(annotations.get().as_bytes());
    }
    let mut object = Object::begin(out);
    for_each_member(annotations, |name, value| {
        if name != "lastModified" {
            object.any_member(name).extend_from_slice(value.get().as_bytes());
        }
    });
    object.end();
}

/// Returns the text that replaces a block whose type the revision lacks; `None` if the revision has the type.
fn text_for(revision: Revision, block: Raw<'_>) -> Option<String> {
    let text_of = |name| members(block, &[name]).ok().and_then(|[found]| found).and_then(string);
    match &*text_of("type")? {
        "audio" if !revision.audio => {
            Some(format!("audio: {}, {} bytes", text_of("mimeType")?, bytes_of_base64(&text_of("data")?)))
        }
        "resource_link" if !revision.resource_links => {
            Some(format!("{}: {}", text_of("name")?, text_of("uri")?))
        }
        _ => None,
    }
}

fn bytes_of_base64(text: &str) -> usize {
    text.trim_end_matches('=').len() * 3 / 4
}

/// Checks one content block. Fails with what is wrong, because clients refuse a whole result for a block that they
/// cannot read.
pub(super) fn check_block(block: Raw<'_>, path: &str) -> Result<(), String> {
    if !is_object(block) {
        return Err(format!("{path} is not an object such as {{\"type\":\"text\",\"text\":…}}"));
    }
    let Some(kind) = member(block, "type", path)?.and_then(string) else {
        return Err(format!("{path}.type is missing or not a string"));
    };
    let required: &[&'static str] = match &*kind {
        "text" => &["text"],
        "image" | "audio" => &["data", "mimeType"],
        "resource_link" => &["uri", "name"],
        "resource" => return check_embedded(block, path),
        _ => {
            let known = "text, image, audio, resource or resource_link";
            return Err(format!("{path}.type is {kind:?}; it must be {known}"));
        }
    };
    strings(block, required, path)
}

fn check_embedded(block: Raw<'_>, path: &str) -> Result<(), String> {
    let path = format!("{path}.resource");
    let resource = member(block, "resource", "")?.filter(|resource| is_object(*resource));
    let Some(resource) = resource else { return Err(format!("{path} is missing or not an object")) };
    strings(resource, &["uri"], &path)?;
    let [text, blob] = ["text", "blob"].map(|name| member(resource, name, &path));
    let (text, blob) = (text?, blob?);
    if text.is_some() == blob.is_some() {
        return Err(format!("{path} needs either text or blob"));
    }
    if member(resource, "mimeType", &path)?.is_some_and(|mime_type| string(mime_type).is_none()) {
        return Err(format!("{path}.mimeType is not a string"));
    }
    strings(resource, &[if text.is_some() { "text" } else { "blob" }], &path)
}

fn strings(object: Raw<'_>, names: &[&'static str], path: &str) -> Result<(), String> {
    for name in names {
        if member(object, name, path)?.and_then(string).is_none() {
            return Err(format!("{path}.{name} is missing or not a string"));
        }
    }
    Ok(())
}
