//! A set of templates that finds the template that takes a URI.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use super::captures::Captures;
use super::search::first_match;
use super::siblings::Siblings;
use super::template::UriTemplate;

/// Templates, each with a value. The result never depends on the order in which they were added (`rows.tsv` U-37).
#[derive(Debug, Clone)]
pub(crate) struct Router<T> {
    entries: BTreeMap<Box<str>, (Arc<UriTemplate>, T)>,
    /// The templates by literal prefix. A longer prefix is more specific, because it has a literal where a shorter one
    /// has a variable or its end.
    by_prefix: BTreeMap<Box<str>, Siblings>,
}

/// The reason why a template cannot be added to a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Conflict {
    Duplicate { template: Box<str> },
    Ambiguous { template: Box<str>, other: Box<str> },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Duplicate { template } => {
                write!(f, "the URI template `{template}` is registered already; remove it first")
            }
            Self::Ambiguous { template, other } => write!(
                f,
                "the URI templates `{template}` and `{other}` can match the same URI, and neither is more specific; make \
                 their fixed text differ"
            ),
        }
    }
}

impl std::error::Error for Conflict {}

impl<T> Default for Router<T> {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), by_prefix: BTreeMap::new() }
    }
}

impl<T> Router<T> {
    pub(crate) fn insert(&mut self, template: UriTemplate, value: T) -> Result<(), Conflict> {
        let text: Box<str> = template.as_str().into();
        if self.entries.contains_key(&text) {
            return Err(Conflict::Duplicate { template: text });
        }
        // Templates with another prefix are disjoint or ordered.
        let siblings = self.by_prefix.get(template.literal_prefix());
        if let Some(other) = siblings.and_then(|siblings| siblings.ambiguous(&template)) {
            return Err(Conflict::Ambiguous { template: text, other: other.as_str().into() });
        }
        let template = Arc::new(template);
        self.by_prefix.entry(template.literal_prefix().into()).or_default().insert(&template);
        self.entries.insert(text, (template, value));
        Ok(())
    }

    pub(crate) fn remove(&mut self, text: &str) -> Option<T> {
        let (template, value) = self.entries.remove(text)?;
        if let Some(siblings) = self.by_prefix.get_mut(template.literal_prefix()) {
            siblings.remove(text);
            if siblings.is_empty() {
                self.by_prefix.remove(template.literal_prefix());
            }
        }
        Some(value)
    }

    /// Returns the value of the template with this text; `None` if there is none.
    pub(crate) fn get(&self, text: &str) -> Option<&T> {
        self.entries.get(text).map(|(_, value)| value)
    }

    /// Returns the most specific template that matches `uri`, its value, and the values of its variables, which may be
    /// unsafe.
    pub(crate) fn find(&self, uri: &str) -> Option<(&UriTemplate, &T, Captures)> {
        let mut below = uri;
        loop {
            // The greatest prefix not above `below`. A prefix between the two cannot be one of `uri`.
            let range = (Bound::Unbounded, Bound::Included(below));
            let (prefix, siblings) = self.by_prefix.range::<str, _>(range).next_back()?;
            if uri.starts_with(&**prefix) {
                if let Some((template, captures)) = first_match(siblings.list(), prefix.len(), uri) {
                    let (template, value) = self.entries.get(template.as_str())?;
                    return Some((template, value, captures));
                }
                below = &prefix[..prefix.len().checked_sub(1)?];
            } else {
                below = common_prefix(prefix, uri);
            }
        }
    }

    /// Returns the templates with their values, in the byte order of the templates' texts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&UriTemplate, &T)> {
        self.entries.values().map(|(template, value)| (&**template, value))
    }
}

/// Returns the common beginning. Every prefix is ASCII, as every literal of a template is, so any cut is a character
/// boundary.
fn common_prefix<'p>(prefix: &'p str, uri: &str) -> &'p str {
    let length = prefix.bytes().zip(uri.bytes()).take_while(|(a, b)| a == b).count();
    &prefix[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(texts: &[&str]) -> Router<String> {
        let mut router = Router::default();
        for text in texts {
            router.insert(UriTemplate::parse(text).unwrap(), (*text).to_owned()).unwrap();
        }
        router
    }

    fn found<'r>(router: &'r Router<String>, uri: &str) -> Option<&'r str> {
        router.find(uri).map(|(_, value, _)| value.as_str())
    }

    // row: U-37
    #[test]
    fn the_most_specific_template_is_found_for_any_order_of_insertion() {
        let mut texts = ["a:{s}/{t}", "a:{s}/stats", "a:x/{t}", "a:{+all}", "a:x", "a:xy/{t}", "{+any}"];
        for _ in 0..texts.len() {
            texts.rotate_left(1);
            let router = router(&texts);
            assert_eq!(found(&router, "a:q/stats"), Some("a:{s}/stats"));
            assert_eq!(found(&router, "a:x/stats"), Some("a:x/{t}"));
            assert_eq!(found(&router, "a:q/r"), Some("a:{s}/{t}"));
            assert_eq!(found(&router, "a:q/r/s"), Some("a:{+all}"));
            assert_eq!(found(&router, "a:x"), Some("a:x"));
            assert_eq!(found(&router, "a:xyz"), Some("a:{+all}"));
            assert_eq!(found(&router, "b:1"), Some("{+any}"));
        }
    }

    // row: U-37
    #[test]
    fn a_conflict_names_both_templates() {
        let mut router = router(&["a:{v}", "a:x{?q}"]);
        let mut insert = |text: &str| {
            router.insert(UriTemplate::parse(text).unwrap(), String::new()).unwrap_err().to_string()
        };
        let error = insert("a:{w}");
        assert!(error.contains("`a:{w}`") && error.contains("`a:{v}`"), "{error}");
        assert!(insert("a:x{?r}").contains("`a:x{?q}`"));
        assert!(insert("a:{v}").contains("registered already"));
    }

    #[test]
    fn a_removed_template_is_found_no_more_and_may_come_back() {
        let mut router = router(&["a:{v}", "a:{+v}"]);
        assert_eq!(router.remove("a:{v}").as_deref(), Some("a:{v}"));
        assert_eq!(router.remove("a:{v}"), None);
        assert_eq!(found(&router, "a:1"), Some("a:{+v}"));
        router.insert(UriTemplate::parse("a:{w}").unwrap(), "new".to_owned()).unwrap();
        assert_eq!(found(&router, "a:1"), Some("new"));
    }

    #[test]
    fn templates_are_listed_in_byte_order() {
        let router = router(&["b:{v}", "a:{v}", "a:{+v}", "B:{v}"]);
        let texts: Vec<_> = router.iter().map(|(template, _)| template.as_str()).collect();
        assert_eq!(texts, ["B:{v}", "a:{+v}", "a:{v}", "b:{v}"]);
    }

    #[test]
    fn hundreds_below_one_prefix_each_find_their_own() {
        let texts: [fn(usize) -> String; 8] = [
            |n| format!("t:{{a}}/kind{n}"),
            |n| format!("t:{{a}}/kind{n}/{{b}}"),
            |n| format!("t:{{a}}-kind{n}"),
            |n| format!("t:{{a}}/kind{}/{{b}}/part{}", n % 40, n / 40),
            |n| format!("t:{{a}}/kind{n}{{?q}}"),
            |n| format!("t:x{{;p{n}}}/kind{n}"),
            |n| format!("t:{{a}}/{{b}}/kind{n}/{{+c}}"),
            |n| format!("t:{{+c}}/kind{n}/{{b}}"),
        ];
        for text in texts {
            let mut router = Router::default();
            for n in 0..400 {
                router.insert(UriTemplate::parse(&text(n)).unwrap(), n).unwrap();
            }
            for n in [0, 1, 10, 99, 399] {
                let uri = text(n).replace("{a}", "1").replace("{b}", "2").replace("{+c}", "3/4");
                let uri = uri.replace("{?q}", "?q=5").replace(&format!("{{;p{n}}}"), &format!(";p{n}=6"));
                assert_eq!(router.find(&uri).map(|(_, value, _)| *value), Some(n), "{uri}");
                assert!(router.find(&format!("{uri}/none")).is_none_or(|(_, value, _)| *value == n), "{uri}");
            }
        }
    }

    #[test]
    fn ten_thousand_prefixes_each_find_their_own() {
        let mut router = Router::default();
        for n in 0..10_000 {
            router.insert(UriTemplate::parse(&format!("t:{n}/{{v}}")).unwrap(), n).unwrap();
        }
        for n in [0, 1, 10, 999, 1000, 9999] {
            assert_eq!(router.find(&format!("t:{n}/x")).map(|(_, value, _)| *value), Some(n));
        }
        assert!(router.find("t:10000/x").is_none());
        assert!(router.find("s:1/x").is_none());
        assert!(router.find("").is_none());
    }
}
