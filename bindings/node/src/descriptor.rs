//! Descriptors, pages and options come from JavaScript as JSON text: one crossing instead of one for each member.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use wellhead::{Annotations, Error, ErrorKind, Json, Limits, Listed, Page, Resource, Result, Template};

/// The members that describe a resource or a template.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor<'a> {
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    size: Option<u64>,
    #[serde(borrow)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow)]
    meta: Option<&'a RawValue>,
}

macro_rules! describe {
    ($described:expr, $descriptor:expr) => {{
        let (mut described, descriptor) = ($described, $descriptor);
        if let Some(name) = descriptor.name {
            described = described.name(name);
        }
        if let Some(title) = descriptor.title {
            described = described.title(title);
        }
        if let Some(description) = descriptor.description {
            described = described.description(description);
        }
        if let Some(mime_type) = descriptor.mime_type {
            described = described.mime_type(mime_type);
        }
        if let Some(annotations) = descriptor.annotations {
            described = described.annotations(Annotations::from_json(annotations.get())?);
        }
        if let Some(meta) = descriptor.meta {
            described = described.meta(Json::object(meta.get())?);
        }
        described
    }};
}

impl Descriptor<'_> {
    /// None: nothing is described.
    pub(crate) fn parse(text: Option<&str>) -> Result<Descriptor<'_>> {
        text.map_or_else(|| Ok(Descriptor::default()), |text| serde_json::from_str(text).map_err(ill_typed))
    }

    pub(crate) fn resource(self, uri: String) -> Result<Resource> {
        let size = self.size;
        let resource = describe!(Resource::new(uri), self);
        Ok(match size {
            Some(size) => resource.size(size),
            None => resource,
        })
    }

    pub(crate) fn template(self, text: String) -> Result<Template> {
        Ok(describe!(Template::new(text), self))
    }
}

fn ill_typed(e: serde_json::Error) -> Error {
    // Its position is one in JSON that the host never saw.
    let what = e.to_string();
    let what = what.split(" at line ").next().unwrap_or_default();
    Error::new(ErrorKind::InvalidArgument, format!("a member is missing or has the wrong type: {what}"))
}

/// Borrowed where nothing was escaped, which serde does not do for an optional `Cow` by itself.
#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Text<'_> {
    fn as_str(&self) -> &str {
        &self.0
    }
}

/// An item of a page. Its members stand here once more, since flattening them would cost a tree for each item.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
    #[serde(borrow)]
    key: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    description: Option<Text<'a>>,
    #[serde(borrow)]
    mime_type: Option<Text<'a>>,
    size: Option<u64>,
    #[serde(borrow)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow)]
    meta: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Items<'a> {
    #[serde(borrow)]
    items: Vec<Item<'a>>,
    more: bool,
}

/// A page as JSON. What is wrong in it fails the page.
pub(crate) fn page(text: &str) -> Page {
    let read = || -> Result<Page> {
        let Items { items, more } = serde_json::from_str(text).map_err(ill_typed)?;
        let mut page = Page::default();
        for item in &items {
            page.push(Listed {
                uri: &item.uri,
                key: item.key.as_ref().map(Text::as_str),
                name: item.name.as_ref().map(Text::as_str),
                title: item.title.as_ref().map(Text::as_str),
                description: item.description.as_ref().map(Text::as_str),
                mime_type: item.mime_type.as_ref().map(Text::as_str),
                size: item.size,
                annotations: item.annotations.map(|a| Annotations::from_json(a.get())).transpose()?,
                icons: Vec::new(),
                meta: item.meta.map(|meta| Json::object(meta.get())).transpose()?,
            });
        }
        Ok(page.more(more))
    };
    read().into()
}

/// What the constructor of a server takes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Options {
    pub(crate) title: Option<String>,
    pub(crate) instructions: Option<String>,
    #[serde(default = "yes")]
    pub(crate) subscribe: bool,
    #[serde(default = "yes")]
    pub(crate) list_changed: bool,
    #[serde(default)]
    limits: LimitOptions,
}

fn yes() -> bool {
    true
}

macro_rules! limits {
    ($($name:ident: $type:ty),*) => {
        /// The limits that were given; `null` is `Infinity`.
        #[derive(Deserialize, Default)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
        struct LimitOptions {
            $(#[serde(deserialize_with = "given")] $name: Option<Option<$type>>,)*
        }

        impl Options {
            pub(crate) fn parse(text: &str) -> Result<Options> {
                serde_json::from_str(text).map_err(ill_typed)
            }

            pub(crate) fn limits(&self) -> Limits {
                let mut limits = Limits::default();
                $(if let Some(limit) = self.limits.$name {
                    limits.$name = limit.unwrap_or(<$type>::MAX);
                })*
                limits
            }
        }
    };
}

limits!(
    message_bytes: usize, nesting: usize, id_bytes: usize, uri_bytes: usize, page_items: usize, page_bytes: usize,
    calls_in_flight: usize, subscriptions: usize, subscriptions_total: usize, listen_streams: usize,
    output_bytes: usize, call_ms: u64
);

#[allow(clippy::option_option, reason = "not given, `Infinity`, or a number")]
/// Tells a `null` that was given from a member that was not.
fn given<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> std::result::Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}
