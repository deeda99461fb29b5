//! Writes messages of the `resources/get` dialect: its resources, its contents, and its notifications of changes.

use super::contents::write_body;
use super::descriptor::text;
use super::{Defaults, Payload};
use crate::encode::quote_into;
use crate::jsonrpc::RequestId;
use crate::jsonrpc::write::{Object, begin_result, end, notification};
use crate::model::{AnswerDescription, Borrowed, Descriptor, Rare, Source};

/// Writes the members of a resource that only clients of the dialect get.
pub(super) fn write_further(out: &mut Vec<u8>, rare: &Rare) {
    text(out, b",\"kind\":\"", rare.kind.as_deref());
    text(out, b",\"version\":\"", rare.version.as_deref());
    if let Some(metadata) = &rare.metadata {
        out.extend_from_slice(b",\"metadata\":");
        out.extend_from_slice(metadata.as_str().as_bytes());
    }
}

/// Writes the answer to `resources/get`: the resource, and the one element of its contents that the dialect has room for.
pub(crate) fn resource_and_contents(
    payload: &mut Payload<'_>,
    id: &RequestId,
    element: &Borrowed<'_>,
    defaults: &Defaults<'_>,
) {
    begin_result(payload.out, id);
    payload.out.extend_from_slice(b"{\"resource\":");
    let registered = defaults.own.then_some(defaults.descriptor);
    write_resource(payload.out, defaults.uri, registered, defaults.version, element.contents.description());
    payload.out.extend_from_slice(b",\"contents\":{\"contentType\":");
    let (unknown, member) = match element.source {
        Source::Text(_) => ("text/plain", &b",\"content\":\""[..]),
        Source::Blob(_) => ("application/octet-stream", &b",\"blob\":\""[..]),
    };
    let mime_type = defaults.mime_type(element.contents);
    quote_into(mime_type.unwrap_or(unknown), payload.out);
    payload.out.extend_from_slice(member);
    write_body(payload, element);
    payload.out.extend_from_slice(b"}}");
    end(payload.out);
}

/// Writes `notifications/resources/content_changed`, with the members of the resource that are known.
pub(crate) fn content_changed(out: &mut Vec<u8>, uri: &str, descriptor: Option<&Descriptor>) {
    notification(
        out,
        "notifications/resources/content_changed",
        Some(|out: &mut Vec<u8>| {
            let mut params = Object::begin(out);
            let version = descriptor.and_then(Descriptor::version);
            write_resource(params.member("resource"), uri, descriptor, version, None);
            params.end();
        }),
    );
}

/// Writes the six members of a resource in the dialect. Those of the answer win over those of the registration.
fn write_resource(
    out: &mut Vec<u8>,
    uri: &str,
    registered: Option<&Descriptor>,
    version: Option<&str>,
    given: Option<&AnswerDescription>,
) {
    let rare = registered.and_then(|descriptor| descriptor.rare.as_deref());
    let title = given.and_then(|given| given.title.as_deref());
    let title = title.or(registered.and_then(|descriptor| descriptor.title.as_deref()));
    let name = given.and_then(|given| given.name.as_deref());
    let name = name.or(registered.and_then(|descriptor| descriptor.name.as_deref()));
    let kind = given.and_then(|given| given.kind.as_deref()).or(rare.and_then(|rare| rare.kind.as_deref()));
    let version = given.and_then(|given| given.version.as_deref()).or(version);
    let metadata =
        given.and_then(|given| given.metadata.as_ref()).or(rare.and_then(|rare| rare.metadata.as_ref()));
    out.extend_from_slice(b"{\"uri\":");
    quote_into(uri, out);
    text(out, b",\"kind\":\"", kind);
    text(out, b",\"title\":\"", title.or(name));
    text(out, b",\"description\":\"", registered.and_then(|descriptor| descriptor.description.as_deref()));
    text(out, b",\"version\":\"", version);
    if let Some(metadata) = metadata {
        out.extend_from_slice(b",\"metadata\":");
        out.extend_from_slice(metadata.as_str().as_bytes());
    }
    out.push(b'}');
}
