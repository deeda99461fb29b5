//! Resources and contents.

use crate::boundary::Promise;
use crate::cache::{hint, wellhead_cache};
use crate::fields::{set_objects, set_texts};
use crate::foreign::{object, unknown_flags};
use crate::types::{growing, wellhead_str};
use wellhead::{Annotations, Body, Contents, Icon, Listed, Resource, Result, Template};

/// For templates: pass every value to the callback as it was sent, which the application then checks. By default a value with
/// a ".." segment, an absolute path, a drive or a control character is answered "not found".
pub const WELLHEAD_RAW_VALUES: u32 = 1;

/// A resource in a list, or a template: then `uri` holds the template, and `size` is ignored. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_resource {
    pub struct_size: usize,
    /// Required: an absolute URI, or an RFC 6570 template such as notes://{id}.
    pub uri: wellhead_str,
    /// The name for programs. Default: the URI.
    pub name: wellhead_str,
    /// The name for people.
    pub title: wellhead_str,
    /// A description for people and models.
    pub description: wellhead_str,
    /// The MIME type; contents inherit it.
    pub mime_type: wellhead_str,
    /// The size of the raw content in bytes; NULL if unknown (0 is a size).
    pub size: *const u64,
    /// In list callbacks only: the text that wellhead_call_after returns for the page behind this item. It must still
    /// sort to the same place after the item is deleted. Default: the URI.
    pub key: wellhead_str,
    /// Annotations as JSON: {"audience":["user"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"}; each member is
    /// optional.
    pub annotations: wellhead_str,
    /// Icons as JSON: [{"src":"https://x/i.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}]; only src is
    /// required.
    pub icons: wellhead_str,
    /// A JSON object, sent as _meta; contents inherit it. With a key that the protocol reserves, functions fail with
    /// INVALID_ARGUMENT.
    pub meta: wellhead_str,
    /// The kind of thing, in the application's own words. Clients of the resources/get dialect get it, with `version` and
    /// `metadata`.
    pub kind: wellhead_str,
    /// The version of the contents: another text after each change. For resources of a template, set it in
    /// wellhead_contents.
    pub version: wellhead_str,
    /// More attributes, a JSON object.
    pub metadata: wellhead_str,
    /// The caching hint for reads; may be NULL. Ignored for items of a list.
    pub cache: *const wellhead_cache,
    /// WELLHEAD_RAW_VALUES or 0.
    pub flags: u32,
}

/// Details of contents: of one element of an answer, or of new fixed contents. An absent field is taken from the
/// registration. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_contents {
    pub struct_size: usize,
    /// The URI of a sub-resource. Default: the requested URI.
    pub uri: wellhead_str,
    pub mime_type: wellhead_str,
    /// A JSON object, sent as _meta.
    pub meta: wellhead_str,
    /// The name and the fields after it are as in wellhead_resource; only clients whose revision has the field get it.
    /// If `version` is the one that the client has, the client learns that nothing changed, and no body is sent.
    pub name: wellhead_str,
    pub title: wellhead_str,
    pub kind: wellhead_str,
    pub version: wellhead_str,
    pub metadata: wellhead_str,
    /// The caching hint for this answer; may be NULL.
    pub cache: *const wellhead_cache,
}

growing!(wellhead_resource, wellhead_contents);

/// The setters that resources and templates share.
macro_rules! describe {
    ($value:expr, $promise:expr, $given:expr) => {{
        let mut value = $value;
        set_texts!(value, $promise, $given; name, title, description, mime_type, kind);
        set_objects!(value, $promise, $given; meta, metadata);
        if let Some(annotations) = $promise.optional($given.annotations, "annotations")? {
            value = value.annotations(Annotations::from_json(annotations)?);
        }
        if let Some(icons) = $promise.optional($given.icons, "icons")? {
            value = Icon::list_from_json(icons)?.into_iter().fold(value, |value, icon| value.icon(icon));
        }
        if let Some(cache) = hint($promise, $given.cache)? {
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
        set_texts!(resource, promise, self; version);
        Ok(resource)
    }

    /// Returns the resource as an item of a page, which borrows its texts.
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
            meta: object(promise, self.meta, "meta")?,
            kind: promise.optional(self.kind, "kind")?,
            version: promise.optional(self.version, "version")?,
            metadata: object(promise, self.metadata, "metadata")?,
        })
    }

    pub(crate) fn template(&self, promise: &Promise) -> Result<Template> {
        unknown_flags(self.flags, WELLHEAD_RAW_VALUES)?;
        let template = describe!(Template::new(promise.text(self.uri, "uri")?), promise, self);
        Ok(if self.flags & WELLHEAD_RAW_VALUES != 0 { template.raw_values() } else { template })
    }
}

/// Returns contents with the details that `about` gives, which may be NULL.
pub(crate) fn described(promise: &Promise, about: *const wellhead_contents, body: Body) -> Result<Contents> {
    let mut contents = Contents::new(body);
    let Some(about) = promise.options(about, "about")? else { return Ok(contents) };
    set_texts!(contents, promise, about; uri, mime_type, name, title, kind, version);
    set_objects!(contents, promise, about; meta, metadata);
    if let Some(cache) = hint(promise, about.cache)? {
        contents = contents.cache(cache);
    }
    Ok(contents)
}
