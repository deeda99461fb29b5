//! What a listing shows.

use crate::boundary::Promise;
use crate::cache::{hint, wellhead_cache};
use crate::foreign::{json, unknown_flags};
use crate::types::{growing, wellhead_str};
use wellhead::{Annotations, Body, Contents, Icon, Listed, Resource, Result, Template};

/// For templates: hand over every value as it was sent. Without it, values with a ".." segment, an absolute path, a
/// drive or a control character look like "not found"; with it, checking them is the host's work.
pub const WELLHEAD_RAW_VALUES: u32 = 1;

/// What a listing shows of a resource, or of a template (then `uri` holds the template, and `size` is not used).
/// Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_resource {
    pub struct_size: usize,
    /// Required: an absolute URI, or an RFC 6570 template such as notes://{id}.
    pub uri: wellhead_str,
    /// The programmatic name; absent: the URI.
    pub name: wellhead_str,
    /// The name for people.
    pub title: wellhead_str,
    /// What it is, for people and models.
    pub description: wellhead_str,
    /// Contents inherit it unless they say otherwise.
    pub mime_type: wellhead_str,
    /// Bytes of the raw content; NULL: unknown (0 is a size).
    pub size: *const u64,
    /// In list callbacks only: where the page after this item starts; absent: the URI. It must keep its place in the
    /// order when the item is gone.
    pub key: wellhead_str,
    /// JSON as the protocol has it: {"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"}, each
    /// member optional.
    pub annotations: wellhead_str,
    /// JSON as the protocol has it: [{"src":"https://x/i.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}],
    /// each member but src optional.
    pub icons: wellhead_str,
    /// A JSON object, sent as _meta; contents inherit it. Keys that the protocol reserves are INVALID_ARGUMENT.
    pub meta: wellhead_str,
    /// What sort of thing it is, in the host's own words. Clients of the resources/get dialect are shown it, as they are
    /// `version` and `metadata`.
    pub kind: wellhead_str,
    /// Another one whenever the contents are; of a template's resources wellhead_contents says it.
    pub version: wellhead_str,
    /// A JSON object with attributes of the host's own.
    pub metadata: wellhead_str,
    /// How long what is read here may be used again; NULL: not said. Not of an item of a list.
    pub cache: *const wellhead_cache,
    /// WELLHEAD_RAW_VALUES
    pub flags: u32,
}

/// What is said of contents beside their body, one element of an answer or what replaces fixed contents. What is absent
/// here is taken from the registration.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_contents {
    pub struct_size: usize,
    /// Of a sub-resource; absent: the requested URI.
    pub uri: wellhead_str,
    pub mime_type: wellhead_str,
    /// A JSON object, sent as _meta.
    pub meta: wellhead_str,
    /// Of the resource, as in wellhead_resource; clients that have no room for it are not sent it. If `version` is the one
    /// that the client has, it is told so, and sent nothing.
    pub name: wellhead_str,
    pub title: wellhead_str,
    pub kind: wellhead_str,
    pub version: wellhead_str,
    pub metadata: wellhead_str,
    /// How long the answer may be used again; NULL: not said.
    pub cache: *const wellhead_cache,
}

growing!(wellhead_resource, wellhead_contents);

/// The setters that resources and templates share.
macro_rules! describe {
    ($value:expr, $promise:expr, $fields:expr) => {{
        let mut value = $value;
        if let Some(name) = $promise.optional($fields.name, "name")? {
            value = value.name(name);
        }
        if let Some(title) = $promise.optional($fields.title, "title")? {
            value = value.title(title);
        }
        if let Some(description) = $promise.optional($fields.description, "description")? {
            value = value.description(description);
        }
        if let Some(mime_type) = $promise.optional($fields.mime_type, "mime_type")? {
            value = value.mime_type(mime_type);
        }
        if let Some(annotations) = $promise.optional($fields.annotations, "annotations")? {
            value = value.annotations(Annotations::from_json(annotations)?);
        }
        if let Some(icons) = $promise.optional($fields.icons, "icons")? {
            value = Icon::list_from_json(icons)?.into_iter().fold(value, |value, icon| value.icon(icon));
        }
        if let Some(meta) = $promise.optional($fields.meta, "meta")? {
            value = value.meta(json(meta, "meta")?);
        }
        if let Some(kind) = $promise.optional($fields.kind, "kind")? {
            value = value.kind(kind);
        }
        if let Some(metadata) = $promise.optional($fields.metadata, "metadata")? {
            value = value.metadata(json(metadata, "metadata")?);
        }
        if let Some(cache) = hint($promise, $fields.cache)? {
            value = value.cache(cache);
        }
        value
    }};
}

impl wellhead_resource {
    pub(crate) fn resource(&self, promise: &Promise) -> Result<Resource> {
        unknown_flags(self.flags, WELLHEAD_RAW_VALUES)?;
        let mut resource = describe!(Resource::new(promise.text(self.uri, "uri")?), promise, self);
        if let Some(size) = promise.number(self.size) {
            resource = resource.size(size);
        }
        if let Some(version) = promise.optional(self.version, "version")? {
            resource = resource.version(version);
        }
        Ok(resource)
    }

    /// An item of a page, borrowed.
    pub(crate) fn listed<'a>(&self, promise: &'a Promise) -> Result<Listed<'a>> {
        unknown_flags(self.flags, WELLHEAD_RAW_VALUES)?;
        Ok(Listed {
            uri: promise.text(self.uri, "uri")?,
            key: promise.optional(self.key, "key")?,
            name: promise.optional(self.name, "name")?,
            title: promise.optional(self.title, "title")?,
            description: promise.optional(self.description, "description")?,
            mime_type: promise.optional(self.mime_type, "mime_type")?,
            size: promise.number(self.size),
            annotations: promise
                .optional(self.annotations, "annotations")?
                .map(Annotations::from_json)
                .transpose()?,
            icons: promise
                .optional(self.icons, "icons")?
                .map(Icon::list_from_json)
                .transpose()?
                .unwrap_or_default(),
            meta: promise.optional(self.meta, "meta")?.map(|meta| json(meta, "meta")).transpose()?,
            kind: promise.optional(self.kind, "kind")?,
            version: promise.optional(self.version, "version")?,
            metadata: promise
                .optional(self.metadata, "metadata")?
                .map(|m| json(m, "metadata"))
                .transpose()?,
        })
    }

    pub(crate) fn template(&self, promise: &Promise) -> Result<Template> {
        unknown_flags(self.flags, WELLHEAD_RAW_VALUES)?;
        let template = describe!(Template::new(promise.text(self.uri, "uri")?), promise, self);
        Ok(if self.flags & WELLHEAD_RAW_VALUES != 0 { template.raw_values() } else { template })
    }
}

/// Contents with what `about`, which may be NULL, says of them.
pub(crate) fn described(promise: &Promise, about: *const wellhead_contents, body: Body) -> Result<Contents> {
    let mut contents = Contents::new(body);
    let Some(about) = promise.options(about, "about")? else { return Ok(contents) };
    if let Some(uri) = promise.optional(about.uri, "uri")? {
        contents = contents.uri(uri);
    }
    if let Some(mime_type) = promise.optional(about.mime_type, "mime_type")? {
        contents = contents.mime_type(mime_type);
    }
    if let Some(meta) = promise.optional(about.meta, "meta")? {
        contents = contents.meta(json(meta, "meta")?);
    }
    if let Some(name) = promise.optional(about.name, "name")? {
        contents = contents.name(name);
    }
    if let Some(title) = promise.optional(about.title, "title")? {
        contents = contents.title(title);
    }
    if let Some(kind) = promise.optional(about.kind, "kind")? {
        contents = contents.kind(kind);
    }
    if let Some(version) = promise.optional(about.version, "version")? {
        contents = contents.version(version);
    }
    if let Some(metadata) = promise.optional(about.metadata, "metadata")? {
        contents = contents.metadata(json(metadata, "metadata")?);
    }
    if let Some(cache) = hint(promise, about.cache)? {
        contents = contents.cache(cache);
    }
    Ok(contents)
}
