//! The members that resources and templates share.

use super::meta_key::MetaKey;
use super::{Annotations, CacheHint, Icon, Json};
use crate::error::{Error, ErrorKind, Result};

/// The optional members of a resource or a template. Rarely used ones are boxed, because there may be a million
/// descriptors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Descriptor {
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) size: Option<u64>,
    pub(crate) rare: Option<Box<Rare>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Rare {
    pub(crate) annotations: Option<Annotations>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Option<Json>,
    pub(crate) kind: Option<Box<str>>,
    pub(crate) version: Option<Box<str>>,
    pub(crate) metadata: Option<Json>,
    pub(crate) cache: CacheHint,
}

/// These members, borrowed from a [`Descriptor`] or from a page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Described<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) title: Option<&'a str>,
    pub(crate) description: Option<&'a str>,
    pub(crate) mime_type: Option<&'a str>,
    pub(crate) size: Option<u64>,
    pub(crate) rare: Option<&'a Rare>,
}

impl Rare {
    pub(crate) fn is_empty(&self) -> bool {
        let Rare { annotations, icons, meta, kind, version, metadata, cache: _ } = self;
        annotations.is_none()
            && icons.is_empty()
            && meta.is_none()
            && kind.is_none()
            && version.is_none()
            && metadata.is_none()
    }
}

impl Descriptor {
    pub(crate) fn view(&self) -> Described<'_> {
        Described {
            name: self.name.as_deref(),
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            mime_type: self.mime_type.as_deref(),
            size: self.size,
            rare: self.rare.as_deref(),
        }
    }

    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    pub(crate) fn meta(&self) -> Option<&Json> {
        self.rare.as_ref()?.meta.as_ref()
    }

    pub(crate) fn cache(&self) -> CacheHint {
        self.rare.as_ref().map_or_else(CacheHint::default, |rare| rare.cache)
    }

    pub(crate) fn version(&self) -> Option<&str> {
        self.rare.as_ref()?.version.as_deref()
    }

    pub(crate) fn set_version(&mut self, version: Option<Box<str>>) {
        if version.is_some() || self.version().is_some() {
            self.rare().version = version;
        }
    }

    /// Checks that the descriptor may be registered.
    pub(crate) fn check(&self) -> Result<()> {
        self.mime_type.as_deref().map_or(Ok(()), check_mime_type)?;
        self.view().check()
    }
}

/// Fails if a text is no MIME type, as registrations do.
pub fn check_mime_type(mime_type: &str) -> Result<()> {
    if is_mime_type(mime_type) {
        return Ok(());
    }
    let what = format!("{mime_type:?} is no MIME type; write type/subtype, such as \"text/markdown\"");
    Err(Error::new(ErrorKind::InvalidArgument, what))
}

/// Returns whether a text is a MIME type: names of RFC 6838, and optional parameters without control characters.
fn is_mime_type(text: &str) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(byte);
    let after_name = |text: &[u8]| {
        let end = text.iter().position(|byte| !is_name(byte)).unwrap_or(text.len());
        (end > 0).then_some(end)
    };
    let Some(slash) = after_name(text.as_bytes()) else { return false };
    let Some(subtype) = text[slash..].strip_prefix('/') else { return false };
    let Some(end) = after_name(subtype.as_bytes()) else { return false };
    let rest = subtype[end..].trim_start_matches(' ');
    rest.is_empty() || rest.starts_with(';') && !rest.contains(char::is_control)
}

impl Described<'_> {
    /// Checks that the members may be sent.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(rare) = self.rare else { return Ok(()) };
        if let Some(annotations) = &rare.annotations {
            annotations.check()?;
        }
        for icon in &rare.icons {
            icon.check()?;
        }
        rare.meta.as_ref().map_or(Ok(()), check_meta)
    }
}

/// Fails if `_meta` has keys that the protocol reserves. Source: "_meta" in the base protocol of each revision.
pub(crate) fn check_meta(meta: &Json) -> Result<()> {
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(meta.as_str())
        .map_err(|e| Error::new(ErrorKind::InvalidArgument, "_meta is not a JSON object").because(e))?;
    for key in members.keys() {
        let refuse = |why: &str| {
            Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("_meta key \"{key}\" {why}; use a prefix of your own such as \"com.example/\""),
            ))
        };
        match MetaKey::parse(key) {
            None => return refuse("is ill-formed"),
            Some(MetaKey::Reserved) => return refuse("is reserved by the protocol"),
            Some(MetaKey::Prefixed) => {}
            Some(MetaKey::Bare) => {
                if matches!(key.as_str(), "traceparent" | "tracestate" | "baggage" | "progressToken") {
                    return refuse("is reserved by the protocol");
                }
            }
        }
    }
    Ok(())
}

/// Defines the setters that resources and templates share.
macro_rules! descriptor_setters {
    () => {
        /// Sets the programmatic name. Default: the URI.
        #[must_use]
        pub fn name(mut self, name: impl Into<String>) -> Self {
            self.descriptor.name = Some(name.into());
            self
        }

        /// Sets the title, for people.
        #[must_use]
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.descriptor.title = Some(title.into());
            self
        }

        /// Sets the description, for people and models.
        #[must_use]
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.descriptor.description = Some(description.into());
            self
        }

        /// Sets the MIME type. Contents inherit it unless they set their own.
        #[must_use]
        pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
            self.descriptor.mime_type = Some(mime_type.into());
            self
        }

        /// Sets the hints for clients about audience and importance.
        #[must_use]
        pub fn annotations(mut self, annotations: crate::model::Annotations) -> Self {
            self.descriptor.rare().annotations = Some(annotations);
            self
        }

        /// Adds an icon; may be called repeatedly. Sent in revisions that have icons.
        #[must_use]
        pub fn icon(mut self, icon: crate::model::Icon) -> Self {
            self.descriptor.rare().icons.push(icon);
            self
        }

        /// Sets the caching hint of the contents; an answer may have its own.
        #[must_use]
        pub fn cache(mut self, hint: crate::model::CacheHint) -> Self {
            self.descriptor.rare().cache = hint;
            self
        }

        /// Sets the kind of thing that it is, in the application's own words. Only clients of the `resources/get`
        /// dialect, an older protocol, get it.
        #[must_use]
        pub fn kind(mut self, kind: impl Into<String>) -> Self {
            self.descriptor.rare().kind = Some(kind.into().into());
            self
        }

        /// Sets free-form attributes of the application. Only clients of the `resources/get` dialect, an older
        /// protocol, get them.
        #[must_use]
        pub fn metadata(mut self, metadata: crate::model::Json) -> Self {
            self.descriptor.rare().metadata = Some(metadata);
            self
        }

        /// Sets the free-form `_meta`. Registration fails if it has keys that the protocol reserves. Contents inherit
        /// it unless they set their own.
        #[must_use]
        pub fn meta(mut self, meta: crate::model::Json) -> Self {
            self.descriptor.rare().meta = Some(meta);
            self
        }
    };
}
pub(crate) use descriptor_setters;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mime_type_is_a_type_and_a_subtype() {
        for good in ["text/plain", "application/vnd.api+json", "text/html;charset=utf-8", "text/x ; a=\"b\""]
        {
            assert!(is_mime_type(good), "{good}");
        }
        for bad in ["markdown", "not a mime\n", "text/", "/plain", "text/plain\n", "text/plain; a=\u{7}", ""]
        {
            assert!(!is_mime_type(bad), "{bad}");
        }
    }
}
