//! The grammar of JSON, RFC 8259, over text that is known to be UTF-8: where a value ends, and whether it is valid.
//!
//! A message is checked and split into its members in the same pass; a parser that passes values on would need two. It
//! accepts what `serde_json` accepts, which the tests compare.

use crate::encode::escaped_in;
use std::ops::Range;

/// Returns the offset after the value that begins at `at`; `None` if there is no valid value.
pub(super) fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let (mut close, mut around) = (None, Vec::new()); // of the brackets that are open, the innermost apart
    loop {
        at = match *bytes.get(at)? {
            b'"' => string_end(bytes, at)?,
            open @ (b'{' | b'[') => {
                around.extend(close.replace(open + 2)); // that is how far the closing one is from each
                at = space_end(bytes, at + 1);
                if bytes.get(at).copied() != close {
                    at = if open == b'{' { named_value_start(bytes, at)? } else { at };
                    continue;
                }
                close = around.pop();
                at + 1
            }
            b'-' | b'0'..=b'9' => number_end(bytes, at)?,
            b't' => word_end(bytes, at, b"true")?,
            b'f' => word_end(bytes, at, b"false")?,
            b'n' => word_end(bytes, at, b"null")?,
            _ => return None,
        };
        loop {
            let Some(closer) = close else { return Some(at) };
            at = space_end(bytes, at);
            let byte = *bytes.get(at)?;
            at += 1;
            if byte == closer {
                close = around.pop();
            } else if byte == b',' {
                at = space_end(bytes, at);
                at = if closer == b'}' { named_value_start(bytes, at)? } else { at };
                break;
            } else {
                return None;
            }
        }
    }
}

/// Returns the offset after the string whose opening quote is at `at`; `None` if it is not valid.
pub(super) fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    loop {
        at = plain_end(bytes, at + 1)?;
        match bytes[at] {
            b'"' => return Some(at + 1),
            b'\\' => at = escape_end(bytes, at + 1)?,
            _ => return None,
        }
    }
}

/// Returns the offset of the next byte of a string that is no plain character: quote, backslash or control character.
fn plain_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    while let Some(eight) = bytes.get(at..at + 8) {
        let stops = escaped_in(u64::from_le_bytes(eight.try_into().expect("eight bytes")));
        if stops != 0 {
            return Some(at + stops.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    let left = bytes.get(at..)?.iter().position(|byte| matches!(byte, 0..b' ' | b'"' | b'\\'))?;
    Some(at + left)
}

/// Returns the offset of the last byte of the escape whose letter is at `at`; `None` if it is not valid.
fn escape_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at),
        b'u' => bytes.get(at + 1..at + 5)?.iter().all(u8::is_ascii_hexdigit).then_some(at + 4),
        _ => None,
    }
}

/// Returns the offset of the value of the member whose name begins at `at`; `None` if there is none.
fn named_value_start(bytes: &[u8], at: usize) -> Option<usize> {
    value_start(bytes, string_end(bytes, at)?)
}

/// Returns the offset of the value of the member whose name ends at `at`; `None` if there is none.
pub(super) fn value_start(bytes: &[u8], at: usize) -> Option<usize> {
    let colon = space_end(bytes, at);
    (bytes.get(colon) == Some(&b':')).then(|| space_end(bytes, colon + 1))
}

fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + usize::from(bytes[at] == b'-');
    let mut at = digits_end(bytes, start)?;
    if bytes[start] == b'0' && at > start + 1 {
        return None;
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits_end(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let signed = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        at = digits_end(bytes, at + 1 + usize::from(signed))?;
    }
    Some(at)
}

/// Returns the offset after the digits at `at`; `None` if there is no digit.
fn digits_end(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then_some(at + digits)
}

fn word_end(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    bytes[at..].starts_with(word).then_some(at + word.len())
}

/// Returns the offset after the white space at `at`, which may be none.
pub(super) fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).copied().is_some_and(is_space) {
        at += 1;
    }
    at
}

/// Returns the range of a text without the white space around it. ASCII has more white space than JSON.
pub(crate) fn trimmed(bytes: &[u8]) -> Range<usize> {
    let start = space_end(bytes, 0);
    let spaces = bytes[start..].iter().rev().take_while(|byte| is_space(**byte)).count();
    start..bytes.len() - spaces
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use crate::jsonrpc::Raw;
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    fn agree(text: &str) {
        let theirs = serde_json::from_str::<IgnoredAny>(text).is_ok();
        assert_eq!(Raw::check(text).is_some(), theirs, "{text}");
    }

    #[test]
    fn values_and_near_values_are_judged_as_serde_json_judges_them() {
        let numbers = "0 -0 1 10 01 -01 - -- +1 .5 1. 1.5 1.05e3 1e 1e+ 1e-07 1E9 1e1.5 0x1 1_0 Infinity NaN";
        let words = "true false null tru truee nulls True n t f";
        let strings = r#""" "a" "é" "\"" "\/" "\x" "\u00e9" "\u00g0" "\u00" "\ud800" "\ "a "\\" "\\\" 'a' a"#;
        let nested = r#"[] {} [1] [1,] [,1] [1 [1}  {"a":1} {"a":1,} {"a"} {"a":} {a:1} {1:1} {,} {"a":1]
            {"a":1,"a":2} [[],{}] [{"a":[]}] [[[[1]]]] [[[[1]]] {"a":{"b":{"c":[1,{}]}}} {"a":{"b":[}} ] } [] [] 1 1 , :"#;
        for all in [numbers, words, strings, nested] {
            all.split_whitespace().for_each(agree);
        }
        for text in [
            "",
            " ",
            "\t[ ]\r\n",
            "[1\u{a0}]",
            "\u{feff}1",
            "\"\n\"",
            "\"\u{7f}\"",
            "[\u{c}]",
            "1 2",
            "{\"a\" :\n1 , \"b\": 2 }",
        ] {
            agree(text);
        }
    }

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\"a\"", "\"b\":", "\\u", "00e9", "true", "null", "-",
            "0", "1", ".", "e", "+", " ", "\n", "é", "\u{1}", "{}", "[]", "\"\\\\\"",
        ]);
        prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_text_is_judged_as_serde_json_judges_it(text in prop_oneof![pieces(), any::<String>()]) {
            agree(&text);
        }
    }
}
