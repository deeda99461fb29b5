//! Icons of resources and templates.

use crate::error::{Error, ErrorKind, Result};
use crate::uri::check_uri;

/// An image for an entry of a list. `src` is an `https:`, `http:` or `data:` URI; clients refuse others.
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
    /// Makes an icon with its image at `src`.
    pub fn new(src: impl Into<String>) -> Self {
        Icon { src: src.into().into(), mime_type: None, sizes: Vec::new(), theme: None }
    }

    /// Sets the MIME type of the image.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into().into());
        self
    }

    /// Adds a size that the image suits, such as `48x48` or `any`; may be called repeatedly.
    #[must_use]
    pub fn size(mut self, size: impl Into<String>) -> Self {
        self.sizes.push(size.into().into());
        self
    }

    /// Sets the background that the image suits: `light` or `dark`.
    #[must_use]
    pub fn theme(mut self, theme: impl Into<String>) -> Self {
        self.theme = Some(theme.into().into());
        self
    }

    /// Reads the protocol's JSON form: an array of objects with `src` and the optional `mimeType`, `sizes` and
    /// `theme`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if `text` is anything else.
    pub fn list_from_json(text: &str) -> Result<Vec<Icon>> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| refuse("not JSON").because(e))?;
        let serde_json::Value::Array(icons) = value else { return Err(refuse("not an array")) };
        icons.into_iter().map(Icon::from_value).collect()
    }

    fn from_value(value: serde_json::Value) -> Result<Icon> {
        let serde_json::Value::Object(members) = value else { return Err(refuse("not an array of objects")) };
        let mut icon = Icon::new("");
        for (name, value) in members {
            match (name.as_str(), value) {
                ("src", serde_json::Value::String(src)) => icon.src = src.into(),
                ("mimeType", serde_json::Value::String(mime_type)) => icon.mime_type = Some(mime_type.into()),
                ("theme", serde_json::Value::String(theme)) => icon.theme = Some(theme.into()),
                ("sizes", serde_json::Value::Array(sizes)) => {
                    for size in sizes {
                        let serde_json::Value::String(size) = size else {
                            return Err(refuse("a size is no string"));
                        };
                        icon.sizes.push(size.into());
                    }
                }
                (name, _) => return Err(refuse(&format!("unknown or ill-typed member \"{name}\""))),
            }
        }
        icon.check()?;
        Ok(icon)
    }

    pub(crate) fn check(&self) -> Result<()> {
        let scheme = self.src.split_once(':').map_or("", |(scheme, _)| scheme).to_ascii_lowercase();
        let wrong = |what: &str| {
            Err(Error::new(ErrorKind::InvalidArgument, format!("icon \"{}\": {what}", self.src)))
        };
        if self.src.is_empty() {
            let message = "an icon has no src; give an https:, http: or data: URI";
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        if !matches!(scheme.as_str(), "https" | "http" | "data") {
            return wrong("clients refuse this scheme; give an https:, http: or data: URI");
        }
        if let Err(error) = check_uri(&self.src) {
            return wrong(&error.to_string());
        }
        if let Some(size) = self.sizes.iter().find(|size| !is_size(size)) {
            return wrong(&format!("\"{size}\" is no size; give one such as 48x48, or any"));
        }
        match self.theme.as_deref() {
            None | Some("light" | "dark") => Ok(()),
            Some(theme) => wrong(&format!("\"{theme}\" is no theme; give light or dark")),
        }
    }
}

/// Returns whether a text is a width and a height in pixels, such as `48x48`, or `any`.
fn is_size(size: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    size == "any" || size.split_once('x').is_some_and(|(width, height)| number(width) && number(height))
}

fn refuse(what: &str) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        format!(
            "icons: {what}; give [{{\"src\":\"https://…\",\"mimeType\":\"image/png\",\"sizes\":[\"48x48\"],\"theme\":\"light\"}}], each but src optional"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn icons_are_read_from_the_json_of_the_protocol() {
        let text = r#"[{"src":"https://x/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"},{"src":"data:,"}]"#;
        let full =
            Icon::new("https://x/i.png").mime_type("image/png").size("48x48").size("any").theme("dark");
        assert_eq!(Icon::list_from_json(text).unwrap(), [full, Icon::new("data:,")]);
        for wrong in [
            "",
            "{}",
            "[1]",
            "[{}]",
            r#"[{"src":1}]"#,
            r#"[{"src":"https:","sizes":[1]}]"#,
            r#"[{"src":"x"}]"#,
            r#"[{"src":"https://x/a b.png"}]"#,
        ] {
            assert_eq!(
                Icon::list_from_json(wrong).unwrap_err().kind(),
                ErrorKind::InvalidArgument,
                "{wrong}"
            );
        }
    }
}
