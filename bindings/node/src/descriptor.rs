//! Descriptors, pages and options come from JavaScript as JSON text: one crossing instead of one for each member.

use serde::Deserialize;
use serde_json::value::RawValue;
use wellhead::{Annotations, Error, ErrorKind, Json, Limits, Page, Resource, Result, Template};

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
    Error::new(ErrorKind::InvalidArgument, "a member has the wrong type").because(e)
}

#[derive(Deserialize)]
struct Item<'a> {
    uri: String,
    key: Option<String>,
    #[serde(borrow, flatten)]
    descriptor: Descriptor<'a>,
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
        let resources = items.into_iter().map(|Item { uri, key, descriptor }| {
            let resource = descriptor.resource(uri)?;
            Ok(match key {
                Some(key) => resource.key(key),
                None => resource,
            })
        });
        Ok(Page::new(resources.collect::<Result<Vec<_>>>()?).more(more))
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
