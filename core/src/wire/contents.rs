//! Writes the contents of a read. Large bodies are left out, and the drain encodes them.

use super::Identity;
use super::descriptor::text;
use super::meta::{shown_meta, with_registered_ui};
use crate::encode::{base64_into, escape_into, quote_into};
use crate::model::{
    APP_TYPE, AnswerDescription, Body, Borrowed, Contents, Descriptor, Json, SharedBytes, SharedText, Source,
};
use crate::revision::Revision;
use std::borrow::Cow;

/// The number of bytes from which a body is large: it is queued as its source, and encoded while the client reads it.
pub(crate) const LARGE: usize = 64 << 10;

/// A part of a message: finished bytes, or a body that is still to be encoded, with its length when it was queued.
pub(crate) enum Segment {
    Bytes(Vec<u8>),
    Text(SharedText, usize),
    Blob(SharedBytes, usize),
}

impl Segment {
    /// The number of bytes. A large body counts by the size of its source.
    pub(crate) fn len(&self) -> usize {
        match self {
            Segment::Bytes(bytes) => bytes.len(),
            Segment::Text(_, length) | Segment::Blob(_, length) => *length,
        }
    }
}

/// A message that may have large bodies in it. Small ones are written straight into `out`.
pub(crate) struct Payload<'a> {
    pub(crate) out: &'a mut Vec<u8>,
    pub(crate) large: Vec<Segment>,
    /// The bytes of large bodies that exist for this message only.
    pub(crate) own: usize,
    /// The offset in `out` at which the bytes after the last large body begin.
    start: usize,
}

impl<'a> Payload<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        Payload { out, large: Vec::new(), own: 0, start }
    }

    /// Appends a part of another message.
    pub(crate) fn segment(&mut self, segment: Segment) {
        match segment {
            Segment::Bytes(bytes) => self.out.extend_from_slice(&bytes),
            body => self.large(body),
        }
    }

    fn large(&mut self, body: Segment) {
        self.large.push(Segment::Bytes(self.out.split_off(self.start)));
        self.large.push(body);
    }

    /// Returns the parts of the message if it has large bodies. Otherwise the message is in `out`, and this returns
    /// `None`.
    pub(crate) fn end(mut self) -> Option<Vec<Segment>> {
        if self.large.is_empty() {
            return None;
        }
        self.large.push(Segment::Bytes(self.out.split_off(self.start)));
        Some(self.large)
    }
}

/// The values that an element of contents inherits from its registration.
#[derive(Clone, Copy)]
pub(crate) struct Defaults<'a> {
    /// The URI as the client spelled it.
    pub(crate) uri: &'a str,
    pub(crate) descriptor: &'a Descriptor,
    /// True if the descriptor is that of the resource itself, not of a template. Then the contents have its name and
    /// title, too.
    pub(crate) own: bool,
    /// The registered version; `None` if there is none, or if the resource has changed since.
    pub(crate) version: Option<&'a str>,
}

impl<'a> Defaults<'a> {
    /// Returns the MIME type of an element. That of an app is fixed, since clients show no page of another type.
    pub(super) fn mime_type(&self, element: &'a Contents) -> Option<&'a str> {
        let registered = self.descriptor.mime_type.as_deref();
        element.mime_type.as_deref().filter(|_| !self.is_app(element)).or(registered)
    }

    /// Returns the metadata of an element. That of an app has the registered `ui` if the callback gave none.
    fn meta(&self, element: &'a Contents) -> Option<Cow<'a, Json>> {
        match (&element.meta, self.descriptor.meta()) {
            (Some(given), Some(registered)) if self.is_app(element) => {
                Some(with_registered_ui(given, registered))
            }
            (given, registered) => given.as_ref().or(registered).map(Cow::Borrowed),
        }
    }

    /// Returns whether an element is the document of an app.
    fn is_app(&self, element: &Contents) -> bool {
        self.own
            && self.descriptor.mime_type.as_deref() == Some(APP_TYPE)
            && element.uri.as_deref().is_none_or(|uri| uri == self.uri)
    }
}

/// Reserves room for a whole answer with these contents, because growing part by part would copy it repeatedly. It does
/// not count large bodies, which are not written, and escapes, which need more room.
pub(crate) fn reserve(
    payload: &mut Payload<'_>,
    identity: &Identity,
    contents: &[Borrowed<'_>],
    defaults: &Defaults<'_>,
) {
    const AROUND: usize = 256; // names of members, the id, the MIME type
    let of_one = |element: &Borrowed<'_>| {
        let body = match element.source {
            Source::Text(text) if text.len() < LARGE => text.len(),
            Source::Blob(bytes) if bytes.len() < LARGE => bytes.len().div_ceil(3) * 4,
            Source::Text(_) | Source::Blob(_) => 0,
        };
        AROUND + defaults.uri.len() + body
    };
    payload.out.reserve(identity.result_meta().len() + contents.iter().map(of_one).sum::<usize>());
}

/// Writes the array of contents.
pub(crate) fn write_contents(
    payload: &mut Payload<'_>,
    revision: Revision,
    contents: &[Borrowed<'_>],
    defaults: &Defaults<'_>,
) {
    payload.out.push(b'[');
    for (i, element) in contents.iter().enumerate() {
        if i > 0 {
            payload.out.push(b',');
        }
        write_element(payload, revision, element, defaults);
    }
    payload.out.push(b']');
}

pub(super) fn write_element(
    payload: &mut Payload<'_>,
    revision: Revision,
    borrowed: &Borrowed<'_>,
    defaults: &Defaults<'_>,
) {
    let Borrowed { contents: element, source, .. } = *borrowed;
    let Defaults { uri, descriptor, own, .. } = *defaults;
    let out = &mut *payload.out;
    let shown = element.uri.as_deref().unwrap_or(uri);
    out.extend_from_slice(b"{\"uri\":");
    quote_into(shown, out);
    if revision.titles_in_contents {
        // Every element has a name there; what has no descriptor of its own is named by its URI.
        let described = own && shown == uri;
        let given = |member: fn(&AnswerDescription) -> Option<&str>| element.description().and_then(member);
        let name = given(|given| given.name.as_deref()).or(descriptor.name.as_deref().filter(|_| described));
        let title =
            given(|given| given.title.as_deref()).or(descriptor.title.as_deref().filter(|_| described));
        text(out, b",\"name\":\"", Some(name.unwrap_or(shown)));
        text(out, b",\"title\":\"", title);
    }
    text(out, b",\"mimeType\":\"", defaults.mime_type(element));
    out.extend_from_slice(match source {
        Source::Text(_) => b",\"text\":\"",
        Source::Blob(_) => b",\"blob\":\"",
    });
    write_body(payload, borrowed);
    let meta = defaults.meta(element);
    if let Some(meta) = meta.as_ref().and_then(|meta| shown_meta(revision, meta.raw())) {
        let out = &mut *payload.out;
        out.extend_from_slice(b",\"_meta\":");
        out.extend_from_slice(meta.as_bytes());
    }
    payload.out.push(b'}');
}

/// Writes the rest of a string: the body, or a note of where it belongs, and the quote at its end.
pub(super) fn write_body(payload: &mut Payload<'_>, borrowed: &Borrowed<'_>) {
    let Borrowed { contents: element, source, .. } = *borrowed;
    payload.own += borrowed.own_size(LARGE);
    let out = &mut *payload.out;
    match (source, &element.body) {
        (Source::Text(text), Body::Text(owner)) if text.len() >= LARGE => {
            payload.large(Segment::Text(owner.clone(), text.len()));
        }
        (Source::Blob(bytes), Body::Blob(owner)) if bytes.len() >= LARGE => {
            payload.large(Segment::Blob(owner.clone(), bytes.len()));
        }
        (Source::Text(text), _) => escape_into(text, out),
        (Source::Blob(bytes), _) => base64_into(bytes, out),
    }
    payload.out.push(b'"');
}
