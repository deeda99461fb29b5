use super::id::decimal;
use super::members::decode;
use super::raw::{each_element, each_member};
use super::{Raw, is_array, is_object};
use crate::encode::quote_into;

/// The depth of objects and arrays below which the text stays as it is. It bounds the recursion and the time.
const DEPTH: usize = 32;

/// Returns a text that two values share if they differ only in white space, in the order of members, or in the spelling
/// of strings and numbers. Members of one name keep their order, since a reader may take the first or the last.
pub(crate) fn canonical(value: Raw<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.get().len());
    write(&mut out, value, DEPTH);
    out
}

fn write(out: &mut Vec<u8>, value: Raw<'_>, depth: usize) {
    let text = value.get();
    if depth == 0 {
        out.extend_from_slice(text.as_bytes());
    } else if is_object(value) {
        let mut members = Vec::new();
        each_member(text, |name, value| {
            let mut written = Vec::new();
            write_string(&mut written, name);
            members.push((written, value));
        });
        members.sort_by(|(one, _), (other, _)| one.cmp(other)); // stable
        out.push(b'{');
        for (at, (name, value)) in members.into_iter().enumerate() {
            out.extend_from_slice(if at > 0 { b"," } else { b"" });
            out.extend_from_slice(&name);
            out.push(b':');
            write(out, value, depth - 1);
        }
        out.push(b'}');
    } else if is_array(value) {
        out.push(b'[');
        let mut first = true;
        each_element(text, |element| {
            out.extend_from_slice(if std::mem::take(&mut first) { b"" } else { b"," });
            write(out, element, depth - 1);
        });
        out.push(b']');
    } else if text.starts_with('"') {
        write_string(out, text);
    } else {
        match decimal(text) {
            Some(number) => out.extend_from_slice(number.as_bytes()),
            None => out.extend_from_slice(text.as_bytes()),
        }
    }
}

/// Writes a string with the escapes that we write. One with a lone surrogate stays as it is.
fn write_string(out: &mut Vec<u8>, raw: &str) {
    match decode(raw) {
        Some(decoded) => quote_into(&decoded, out),
        None => out.extend_from_slice(raw.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(one: &str, other: &str) -> bool {
        canonical(Raw::check(one).unwrap()) == canonical(Raw::check(other).unwrap())
    }

    // row: TI-06
    #[test]
    fn spellings_of_one_value_share_a_text() {
        for (one, other) in [
            (r#"{"a":1,"b":[true,null]}"#, "{ \"b\" : [ true , null ] , \"a\" : 1 }"),
            (r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"c":2,"b":1}}"#),
            (r#"{"a/é":"é/"}"#, r#"{"\u0061\/\u00e9":"\u00e9\/"}"#),
            ("[100,0,0.5,-12]", "[1e2,-0.0,50E-2,-1.20e+1]"),
            ("1e999999999", "10E999999998"),
        ] {
            assert!(shared(one, other), "{one} {other}");
        }
    }

    #[test]
    fn different_values_share_no_text() {
        for (one, other) in [
            (r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            (r#"{"a":1}"#, r#"{"a":1,"\ud800":1}"#),
            (r#"{"\ud800":1}"#, r#"{"\ud801":1}"#),
            ("[1,2]", "[2,1]"),
            ("[[],1]", "[[1]]"),
            ("9007199254740993", "9007199254740992"),
            ("1e99999999999999999999", "1e99999999999999999998"),
            ("10", "1"),
            ("-1", "1"),
            ("0.1", "0.01"),
        ] {
            assert!(!shared(one, other), "{one} {other}");
        }
    }

    #[test]
    fn nesting_costs_no_stack() {
        let nested = |inner: &str| "[".repeat(100_000) + inner + &"]".repeat(100_000);
        assert!(shared(&nested("1"), &nested("1")));
        assert!(!shared(&nested("1"), &nested("2")));
    }
}
