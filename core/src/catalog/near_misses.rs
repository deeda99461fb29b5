//! Finds a registration that differs from a URI only by a final slash, or by the case of its scheme or host. Clients
//! change URIs in these ways.

use super::registry::Catalog;
use crate::uri::{Router, UriTemplate};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Registrations with capital letters in scheme or host, by their spelling with lower-case letters there.
#[derive(Default)]
pub(super) struct Capitals {
    fixed: BTreeMap<String, Arc<str>>,
    templates: Router<Arc<str>>,
}

impl Capitals {
    pub(super) fn add_fixed(&mut self, uri: &Arc<str>) {
        if let Some(small) = small(uri) {
            self.fixed.insert(small, uri.clone());
        }
    }

    pub(super) fn add_template(&mut self, text: &str) {
        let Some(small) = small(text) else { return };
        if let Ok(template) = UriTemplate::parse(&small) {
            let _ = self.templates.insert(template, text.into()); // of two that differ by case alone, the first is kept
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        if let Some(small) = small(name) {
            self.fixed.remove(&small);
            self.templates.remove(&small);
        }
    }
}

impl Catalog {
    /// Returns the registration that the client probably meant by `uri`, which no registration serves. `None` if none
    /// is near.
    pub(crate) fn near(&self, uri: &str) -> Option<String> {
        let lower = small(uri);
        let lower = lower.as_deref().unwrap_or(uri);
        [uri.to_owned(), slashed(uri), lower.to_owned(), slashed(lower)].iter().find_map(|near| {
            if self.fixed.has(near) {
                return Some(near.clone());
            }
            if let Some(capitals) = self.capitals.fixed.get(near) {
                return Some(capitals.to_string());
            }
            let served = self.templates.find(near).map(|(template, _, values)| (template.as_str(), values));
            let capitals = || {
                let (_, text, values) = self.capitals.templates.find(near)?;
                Some((&**text, values))
            };
            let (text, values) = served.or_else(capitals)?;
            values.is_safe().then(|| text.to_owned())
        })
    }
}

/// Adds the final slash, or removes it if there is one.
fn slashed(uri: &str) -> String {
    uri.strip_suffix('/').map_or_else(|| format!("{uri}/"), str::to_owned)
}

/// Writes scheme and host in lower case; `None` if they are in lower case already.
fn small(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let colon = bytes.iter().position(|byte| matches!(byte, b':' | b'{')).filter(|at| bytes[*at] == b':')?;
    let end = match bytes[colon..].strip_prefix(b"://") {
        Some(rest) => {
            let host = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b'{'));
            colon + 3 + host.unwrap_or(rest.len())
        }
        None => colon,
    };
    let changed = bytes[..end].iter().any(u8::is_ascii_uppercase);
    changed.then(|| text[..end].to_ascii_lowercase() + &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scheme_and_host_are_written_in_lower_case() {
        for (text, expected) in [
            ("HTTPS://Example.COM/Path?Q", Some("https://example.com/Path?Q")),
            ("https://example.com/Path", None),
            ("Notes:About", Some("notes:About")),
            ("https://{Host}/A", None),
            ("X://A{B}", Some("x://a{B}")),
            ("{A}:B", None),
        ] {
            assert_eq!(small(text).as_deref(), expected, "{text}");
        }
    }
}
