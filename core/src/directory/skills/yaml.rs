//! Converts YAML to JSON without a change of content (`rows.tsv` SK-14).
//!
//! Values follow the core schema of YAML 1.2: a date is a string, and a number keeps each digit. A value that JSON does
//! not have is an error. Depth and size are bounded, with aliases expanded.

use super::front_matter::Flaw;
use crate::encode::quote_into;
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// The greatest number of collections inside each other.
const DEEPEST: usize = 64;

/// The greatest number of bytes of the JSON text.
const LARGEST: usize = 256 * 1024;

/// A mapping as JSON, and the values of its members.
#[derive(Debug)]
pub(super) struct Converted {
    pub(super) json: String,
    /// The members of the mapping, with the lines of their keys.
    pub(super) members: BTreeMap<String, (FieldValue, usize)>,
}

/// A member of the mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldValue {
    Text(String),
    Other,
}

/// Converts a document whose top is a mapping. `line`: the number of its first line.
pub(super) fn convert(yaml: &str, line: usize) -> Result<Converted, Flaw> {
    let mut parser = Parser::new_from_str(yaml);
    let mut json = Writer { line, ..Writer::default() };
    loop {
        match parser.next_event() {
            Some(Ok((event, span))) => json.event(event, span)?,
            Some(Err(e)) => {
                return Err(Flaw::new(line + e.marker().line() - 1, format!("no YAML: {}", e.info())));
            }
            None => break,
        }
    }
    if json.out.is_empty() {
        return Err(Flaw::new(line, "the front matter is empty; it needs `name` and `description`"));
    }
    let out = String::from_utf8(json.out).map_err(|_| Flaw::new(line, "the front matter is not UTF-8"))?;
    Ok(Converted { json: out, members: json.members })
}

#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    open: Vec<Collection>,
    /// The values that anchors stand for, by the numbers of the anchors.
    anchors: BTreeMap<usize, Anchored>,
    members: BTreeMap<String, (FieldValue, usize)>,
    line: usize,
    documents: usize,
}

/// A value that aliases may repeat.
#[derive(Clone)]
struct Anchored {
    /// The range of its JSON text.
    range: Range<usize>,
    /// How many collections are inside each other in it, itself included; 0 for a scalar.
    depth: usize,
}

struct Collection {
    anchor: usize,
    start: usize,
    /// The greatest depth of its values so far.
    depth: usize,
    empty: bool,
    /// The keys of a mapping so far; `None` for a sequence.
    keys: Option<HashSet<String>>,
    /// The key whose value comes next, and the key's line; `None` if a key comes next.
    key: Option<(String, usize)>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Flaw> {
        let line = self.line + span.start.line().max(1) - 1;
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Flaw::new(line, "the front matter has two documents; keep one"));
                }
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, anchor, tag.as_deref(), line)
            }
            Event::SequenceStart(anchor, tag) => {
                check_tag(tag.as_deref(), "seq", line)?;
                self.begin(b'[', anchor, None, line)
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(tag.as_deref(), "map", line)?;
                self.begin(b'{', anchor, Some(HashSet::new()), line)
            }
            Event::SequenceEnd => {
                self.end(b']');
                Ok(())
            }
            Event::MappingEnd => {
                self.end(b'}');
                Ok(())
            }
            Event::Alias(anchor) => self.alias(anchor, line),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        line: usize,
    ) -> Result<(), Flaw> {
        if let Some(Collection { keys: Some(keys), key: key @ None, .. }) = self.open.last_mut() {
            if !keys.insert(text.to_owned()) {
                return Err(Flaw::new(line, format!("the key \"{text}\" is there twice; keep one")));
            }
            *key = Some((text.to_owned(), line));
            if anchor != 0 {
                return Err(Flaw::new(
                    line,
                    format!("the key \"{text}\" has an anchor, which JSON cannot say; remove it"),
                ));
            }
            return Ok(());
        }
        let json = match scalar(text, style, tag) {
            Ok(json) => json,
            Err(what) => return Err(Flaw::new(line, what)),
        };
        let value = if json.is_none() { FieldValue::Text(text.to_owned()) } else { FieldValue::Other };
        self.before(value, line)?;
        let start = self.out.len();
        match json {
            None => quote_into(text, &mut self.out),
            Some(json) => self.out.extend_from_slice(json.as_bytes()),
        }
        self.anchor(anchor, start, 0);
        self.check_size(line)
    }

    /// Writes what precedes a value: the comma, and in a mapping the key.
    fn before(&mut self, value: FieldValue, line: usize) -> Result<(), Flaw> {
        let is_top = self.open.len() == 1;
        let Some(collection) = self.open.last_mut() else {
            return Err(Flaw::new(line, "the front matter is no mapping; write lines such as `name: pdf`"));
        };
        if !std::mem::take(&mut collection.empty) {
            self.out.push(b',');
        }
        if collection.keys.is_some() {
            let Some((key, line)) = collection.key.take() else {
                return Err(Flaw::new(line, "a key is a list or a mapping, which JSON cannot say; use text"));
            };
            quote_into(&key, &mut self.out);
            self.out.push(b':');
            if is_top {
                self.members.insert(key, (value, line));
            }
        }
        Ok(())
    }

    fn begin(
        &mut self,
        bracket: u8,
        anchor: usize,
        keys: Option<HashSet<String>>,
        line: usize,
    ) -> Result<(), Flaw> {
        self.check_depth(1, line)?;
        if !self.open.is_empty() || keys.is_none() {
            self.before(FieldValue::Other, line)?;
        }
        let start = self.out.len();
        self.out.push(bracket);
        self.open.push(Collection { anchor, start, depth: 0, empty: true, keys, key: None });
        self.check_size(line)
    }

    fn end(&mut self, bracket: u8) {
        self.out.push(bracket);
        if let Some(Collection { anchor, start, depth, .. }) = self.open.pop() {
            self.contains(depth + 1);
            self.anchor(anchor, start, depth + 1);
        }
    }

    /// Notes that the innermost open collection has a value of this depth.
    fn contains(&mut self, depth: usize) {
        if let Some(around) = self.open.last_mut() {
            around.depth = around.depth.max(depth);
        }
    }

    fn anchor(&mut self, anchor: usize, start: usize, depth: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { range: start..self.out.len(), depth });
        }
    }

    fn alias(&mut self, anchor: usize, line: usize) -> Result<(), Flaw> {
        let Some(Anchored { range, depth }) = self.anchors.get(&anchor).cloned() else {
            return Err(Flaw::new(
                line,
                "an alias is in the value that it stands for, which has no end; write the value",
            ));
        };
        if let Some(Collection { keys: Some(_), key: None, .. }) = self.open.last() {
            return Err(Flaw::new(line, "an alias is a key; write the key"));
        }
        self.check_depth(depth, line)?;
        let value = match serde_json::from_slice(&self.out[range.clone()]) {
            Ok(serde_json::Value::String(text)) => FieldValue::Text(text),
            _ => FieldValue::Other,
        };
        self.before(value, line)?;
        self.contains(depth);
        self.out.extend_from_within(range);
        self.check_size(line)
    }

    /// Checks that a value of this depth fits into the open collections.
    fn check_depth(&self, depth: usize, line: usize) -> Result<(), Flaw> {
        if self.open.len() + depth <= DEEPEST {
            return Ok(());
        }
        let what = format!("collections are nested more than {DEEPEST} deep, aliases included; flatten them");
        Err(Flaw::new(line, what))
    }

    fn check_size(&self, line: usize) -> Result<(), Flaw> {
        if self.out.len() <= LARGEST {
            return Ok(());
        }
        let what =
            format!("the front matter has more than {LARGEST} bytes as JSON, aliases included; shorten it");
        Err(Flaw::new(line, what))
    }
}

fn check_tag(tag: Option<&Tag>, expected: &str, line: usize) -> Result<(), Flaw> {
    match tag {
        Some(tag) if !(tag.is_yaml_core_schema() && tag.suffix == expected) => {
            Err(Flaw::new(line, unknown_tag(tag)))
        }
        _ => Ok(()),
    }
}

fn unknown_tag(tag: &Tag) -> String {
    format!("the tag {tag} means nothing in JSON; remove it")
}

/// Returns the JSON text of a YAML scalar (a null, a boolean or a number), or `None` if it is a string.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Option<Cow<'static, str>>, String> {
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { plain(text) } else { Ok(None) };
    };
    if !tag.is_yaml_core_schema() {
        let is_text =
            tag.handle.is_empty() && tag.suffix == "!" || tag.handle == "!" && tag.suffix.is_empty();
        return if is_text { Ok(None) } else { Err(unknown_tag(tag)) };
    }
    let json = plain(text)?;
    let is_number =
        json.as_deref().is_some_and(|json| json.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
    let is_integer = is_number && !json.as_deref().unwrap_or_default().contains(['.', 'e', 'E']);
    let fits = match &*tag.suffix {
        "str" => return Ok(None),
        "null" => json.as_deref() == Some("null"),
        "bool" => matches!(json.as_deref(), Some("true" | "false")),
        "int" => is_integer,
        "float" => is_number,
        _ => return Err(unknown_tag(tag)),
    };
    if fits { Ok(json) } else { Err(format!("\"{text}\" is no !!{}; remove the tag", tag.suffix)) }
}

/// Returns the JSON text of a YAML scalar without quotes by the core schema, such as `null` or a number. `None` if it
/// is a string.
fn plain(text: &str) -> Result<Option<Cow<'static, str>>, String> {
    Ok(Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => "null".into(),
        "true" | "True" | "TRUE" => "true".into(),
        "false" | "False" | "FALSE" => "false".into(),
        _ => {
            let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
            if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
                return Err(format!("{text} is no number in JSON; quote it"));
            }
            for (prefix, radix) in [("0o", 8), ("0x", 16)] {
                let Some(digits) = text.strip_prefix(prefix) else { continue };
                if !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)) {
                    return match u128::from_str_radix(digits, radix) {
                        Ok(number) => Ok(Some(number.to_string().into())),
                        Err(_) => {
                            Err(format!("{text} is too large; write it in decimal digits, or quote it"))
                        }
                    };
                }
            }
            return Ok(decimal(text, unsigned).map(Into::into));
        }
    }))
}

/// Returns a decimal number in the spelling of JSON, with the same digits. `None` if the text is no such number.
fn decimal(text: &str, unsigned: &str) -> Option<String> {
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if !is_digits(digits) {
                return None;
            }
            (mantissa, Some(exponent))
        }
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let has_digits = is_digits(whole) || whole.is_empty() && fraction.is_some_and(is_digits);
    if !has_digits || !fraction.is_none_or(|fraction| fraction.is_empty() || is_digits(fraction)) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let mut json = String::from(if text.starts_with('-') { "-" } else { "" });
    json.push_str(if whole.is_empty() { "0" } else { whole });
    if let Some(fraction) = fraction {
        json.push('.');
        json.push_str(if fraction.is_empty() { "0" } else { fraction });
    }
    if let Some(exponent) = exponent {
        json.push('e');
        json.push_str(exponent);
    }
    Some(json)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(yaml: &str) -> String {
        convert(yaml, 1).unwrap().json
    }

    fn refusal(yaml: &str) -> String {
        let flaw = convert(yaml, 1).unwrap_err();
        format!("{}: {}", flaw.line, flaw.what)
    }

    // row: SK-14
    #[test]
    fn scalars_follow_the_core_schema() {
        for (yaml, expected) in [
            ("2026-01-31", "\"2026-01-31\""),
            ("2026-01-31T10:00:00Z", "\"2026-01-31T10:00:00Z\""),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            ("007", "7"),
            ("+5", "5"),
            ("-0", "-0"),
            ("0o17", "15"),
            ("0xff", "255"),
            ("1.50", "1.50"),
            (".5", "0.5"),
            ("1.", "1.0"),
            ("1e3", "1e3"),
            ("1.2.3", "\"1.2.3\""),
            ("1_000", "\"1_000\""),
            ("yes", "\"yes\""),
            ("True", "true"),
            ("~", "null"),
            ("", "null"),
            ("\"5\"", "\"5\""),
            ("!!str 5", "\"5\""),
            ("! 5", "\"5\""),
            ("|\n  a\n  b\n", "\"a\\nb\\n\""),
            (">\n  a\n  b\n", "\"a b\\n\""),
            ("[1, {a: b}, []]", "[1,{\"a\":\"b\"},[]]"),
            ("- 12:30", "[\"12:30\"]"),
        ] {
            let yaml = if yaml.starts_with('-') && yaml != "-0" {
                format!("v:\n{yaml}")
            } else {
                format!("v: {yaml}")
            };
            assert_eq!(json(&yaml), format!("{{\"v\":{expected}}}"), "{yaml}");
        }
    }

    #[test]
    fn aliases_are_expanded_within_bounds() {
        assert_eq!(json("a: &x [1]\nb: *x"), r#"{"a":[1],"b":[1]}"#);
        let line = |n: u32| match n.checked_sub(1) {
            None => format!("a0: &a0 [{}]", ["lol"; 9].join(", ")),
            Some(before) => format!("a{n}: &a{n} [{}]", vec![format!("*a{before}"); 9].join(", ")),
        };
        let laughs = (0..20).map(line).collect::<Vec<_>>().join("\n");
        assert!(refusal(&laughs).contains("aliases included"), "{}", refusal(&laughs));
        assert!(refusal("a: &x [*x]").contains("no end"));
        let nested = |depth: usize, inner: &str| format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth));
        let inside_each_other =
            |outer: usize| format!("a: &a {}\nb: &b {}\nc: *b", nested(30, "x"), nested(outer, "*a"));
        assert_eq!(json(&inside_each_other(33)).matches(&nested(63, "\"x\"")).count(), 2);
        let refused = refusal(&inside_each_other(34));
        assert!(refused.starts_with("2: collections are nested more than 64"), "{refused}");
        let list = refusal(&format!("{}\nd: [*b]", inside_each_other(33)));
        assert!(list.starts_with("4: collections are nested more than 64"), "{list}");
    }

    #[test]
    fn values_that_json_does_not_have_are_refused_with_their_line() {
        for (yaml, expected) in [
            ("a: 1\na: 2", "2: the key \"a\" is there twice"),
            ("a: 1\n\"a\": 2", "2: the key \"a\" is there twice"),
            ("b:\n  c: 1\n  c: 2", "3: the key \"c\""),
            ("a: .inf", "1: .inf is no number"),
            ("a: !!binary aGk=", "1: the tag"),
            ("a: !mine x", "1: the tag"),
            ("? [1]\n: 2", "1: a key is a list"),
            ("- a", "1: the front matter is no mapping"),
            ("text", "1: the front matter is no mapping"),
            ("", "1: the front matter is empty"),
            ("a: [1", "no YAML"),
            ("a: b\n\tc: d", "no YAML"),
        ] {
            assert!(refusal(yaml).contains(expected), "{yaml}: {}", refusal(yaml));
        }
        let deep = format!("a: {}{}", "[".repeat(100), "]".repeat(100));
        assert!(refusal(&deep).contains("nested more than 64"), "{}", refusal(&deep));
        let deeper = format!("a: {}", "[".repeat(60_000));
        assert!(refusal(&deeper).contains("recursion"), "{}", refusal(&deeper));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(yaml in "[-a:{}\\[\\]&*!|>'\"#%@ \n?,.~0-9\t]{0,60}") {
            if let Ok(converted) = convert(&yaml, 1) {
                proptest::prop_assert!(serde_json::from_str::<serde_json::Value>(&converted.json).is_ok());
            }
        }

        #[test]
        fn every_json_text_comes_back(texts in proptest::collection::vec(".{0,12}", 1..4)) {
            let wanted = serde_json::json!({ "v": texts });
            let yaml = wanted.to_string();
            if let Ok(converted) = convert(&yaml, 1) {
                let back: serde_json::Value = serde_json::from_str(&converted.json).unwrap();
                proptest::prop_assert_eq!(back, wanted);
            }
        }
    }
}
