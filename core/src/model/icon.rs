//! Icons of resources and templates.

use crate::error::{Error, ErrorKind, Result};

/// An image for a list entry. `src` is an `https:`, `http:` or `data:` URI; clients refuse others.
///
/// Source: the `Icon` type of the schemas that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    pub(crate) src: Box<str>,
    pub(crate) mime_type: Option<Box<str>>,
    pub(crate) sizes: Vec<Box<str>>,
    pub(crate) theme: Option<Box<str>>,
}

impl Icon {
    /// An icon at `src`.
    pub fn new(src: impl Into<String>) -> Self {
        Icon { src: src.into().into(), mime_type: None, sizes: Vec::new(), theme: None }
    }

    /// The image's MIME type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into().into());
        self
    }

    /// A size it is good for, such as `48x48` or `any`; may be called repeatedly.
    #[must_use]
    pub fn size(mut self, size: impl Into<String>) -> Self {
        self.sizes.push(size.into().into());
        self
    }

    /// `light` or `dark`: the background it is made for.
    #[must_use]
    pub fn theme(mut self, theme: impl Into<String>) -> Self {
        self.theme = Some(theme.into().into());
        self
    }

    pub(crate) fn check(&self) -> Result<()> {
        let scheme = self.src.split_once(':').map_or("", |(scheme, _)| scheme).to_ascii_lowercase();
        if matches!(scheme.as_str(), "https" | "http" | "data") {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("icon \"{}\": clients refuse this scheme; give an https:, http: or data: URI", self.src),
        ))
    }
}
