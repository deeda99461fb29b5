use super::syntax::{space_end, string_end, value_end, value_start};

/// The text of one JSON value, without white space around it. It is known to be valid JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// Checks that `text` is one JSON value, with or without white space around it. `None` if it is no value, or
    /// several.
    pub(crate) fn check(text: &'a str) -> Option<Raw<'a>> {
        let start = space_end(text.as_bytes(), 0);
        let end = value_end(text.as_bytes(), start)?;
        is_over(text, end).then(|| Raw(&text[start..end]))
    }

    /// Makes a value of text that was checked before it was stored.
    pub(crate) fn kept(text: &'a str) -> Raw<'a> {
        Raw(text)
    }

    pub(crate) fn get(self) -> &'a str {
        self.0
    }
}

/// Passes the members of the object in `text` to `take`: their names as they are written, with quotes, and their
/// values. `None` if there is no object, which may only be found after some of its members.
pub(super) fn each_member<'a>(text: &'a str, mut take: impl FnMut(&'a str, Raw<'a>)) -> Option<()> {
    let bytes = text.as_bytes();
    let mut parts = Parts::new(bytes, b'{')?;
    while let Some(start) = parts.next()? {
        let end = string_end(bytes, start)?;
        let value = value_start(bytes, end)?;
        parts.at = value_end(bytes, value)?;
        take(&text[start..end], Raw(&text[value..parts.at]));
    }
    is_over(text, parts.at).then_some(())
}

/// Passes the elements of the array in `text` to `take`. `None` if there is no array, which may only be found after
/// some elements.
pub(super) fn each_element<'a>(text: &'a str, mut take: impl FnMut(Raw<'a>)) -> Option<()> {
    let bytes = text.as_bytes();
    let mut parts = Parts::new(bytes, b'[')?;
    while let Some(start) = parts.next()? {
        parts.at = value_end(bytes, start)?;
        take(Raw(&text[start..parts.at]));
    }
    is_over(text, parts.at).then_some(())
}

/// Returns whether only white space follows.
fn is_over(text: &str, at: usize) -> bool {
    space_end(text.as_bytes(), at) == text.len()
}

/// Walks over the commas and brackets around the members of an object or the elements of an array.
struct Parts<'a> {
    bytes: &'a [u8],
    close: u8,
    /// The offset after the last part, or after the opening bracket; in the end after the closing one.
    at: usize,
    first: bool,
}

impl<'a> Parts<'a> {
    fn new(bytes: &'a [u8], open: u8) -> Option<Parts<'a>> {
        let start = space_end(bytes, 0);
        (bytes.get(start) == Some(&open)).then_some(Parts {
            bytes,
            close: open + 2,
            at: start + 1,
            first: true,
        })
    }

    /// Returns the offset of the next part; `Some(None)` after the last one, `None` if the text is invalid.
    #[allow(clippy::option_option, reason = "that it is over is not that it is wrong")]
    fn next(&mut self) -> Option<Option<usize>> {
        let at = space_end(self.bytes, self.at);
        let byte = *self.bytes.get(at)?;
        if byte == self.close {
            self.at = at + 1;
            return Some(None);
        }
        if std::mem::take(&mut self.first) {
            return Some(Some(at));
        }
        (byte == b',').then(|| Some(space_end(self.bytes, at + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn members(text: &str) -> Option<Vec<(&str, &str)>> {
        let mut found = Vec::new();
        each_member(text, |name, value| found.push((name, value.get())))?;
        Some(found)
    }

    fn elements(text: &str) -> Option<Vec<&str>> {
        let mut found = Vec::new();
        each_element(text, |element| found.push(element.get()))?;
        Some(found)
    }

    #[test]
    fn white_space_around_a_value_is_left_out() {
        assert_eq!(Raw::check(" \r\n\t[ 1 ] \n").map(Raw::get), Some("[ 1 ]"));
        assert_eq!(Raw::check("\"\u{a0}\" ").map(Raw::get), Some("\"\u{a0}\""));
    }

    #[test]
    fn a_bracket_or_a_quote_in_a_string_ends_no_value() {
        let object = r#" {"}" : "{\"]\\", "b":[{"]":"}"},"\\"],"c" :-1e5 , "d":{}} "#;
        let expected = [
            (r#""}""#, r#""{\"]\\""#),
            (r#""b""#, r#"[{"]":"}"},"\\"]"#),
            (r#""c""#, "-1e5"),
            (r#""d""#, "{}"),
        ];
        assert_eq!(members(object).as_deref(), Some(&expected[..]));
    }

    #[test]
    fn text_after_the_end_of_a_message_makes_it_invalid() {
        for text in [r#"{"a":1} {}"#, r#"{"a":1}]"#, r#"{"a":1},"#, "{} 1"] {
            assert_eq!(members(text), None, "{text}");
        }
        for text in ["[1] []", "[1]}", "[1],", "[] 1"] {
            assert_eq!(elements(text), None, "{text}");
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<i32>().prop_map(|n| Value::from(f64::from(n) / 4.0)),
            r#"[\[\]{}",:\\ é\n]{0,40}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |value| {
            prop_oneof![
                prop::collection::vec(value.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((r#"[\[\]{}",:\\ é]{0,20}"#, value), 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn parts_are_those_that_serde_json_finds(value in values(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = text.unwrap();
            let parsed = |part: &str| serde_json::from_str::<Value>(part).unwrap();
            let found = members(&text).map(|members| {
                members.into_iter().map(|(name, value)| (serde_json::from_str(name).unwrap(), parsed(value))).collect()
            });
            prop_assert_eq!(found.as_ref(), value.as_object());
            let found = elements(&text).map(|elements| elements.into_iter().map(parsed).collect());
            prop_assert_eq!(found.as_ref(), value.as_array());
        }
    }
}
