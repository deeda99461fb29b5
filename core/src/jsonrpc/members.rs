use super::Raw;
use super::raw::{each_element, each_member};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The error for a member that was looked for and occurs twice, so that two readers could see two values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name} occurs twice")]
pub(crate) struct DuplicateMember {
    pub(crate) name: Box<str>,
}

/// Returns the members of an object with these names, in one pass. Fails if one of them occurs twice. Other members are
/// ignored, however often they occur.
///
/// Names are compared after decoding their escapes. A value that is not an object has no members.
pub(crate) fn members<'a, const N: usize>(
    object: Raw<'a>,
    names: &[&str; N],
) -> Result<[Option<Raw<'a>>; N], DuplicateMember> {
    let picked = pick(object, names);
    let mut found = [None; N];
    for (member, found) in picked.into_iter().zip(&mut found) {
        *found = member?;
    }
    Ok(found)
}

/// Returns the members of an object with these names, in one pass, with an error in place of each that occurs twice. An
/// empty name stands for no member. Everything else is as with [`members`].
pub(crate) fn pick<'a, const N: usize>(object: Raw<'a>, names: &[&str; N]) -> [Picked<'a>; N] {
    let mut picked = [const { Ok(None) }; N];
    for_each_member(object, |name, value| {
        let Some(at) = names.iter().position(|wanted| *wanted == name && !name.is_empty()) else {
            return;
        };
        picked[at] = match picked[at] {
            Ok(None) => Ok(Some(value)),
            _ => Err(DuplicateMember { name: names[at].into() }),
        };
    });
    picked
}

/// A member; `None` if it is absent. An error if it occurs twice.
pub(crate) type Picked<'a> = Result<Option<Raw<'a>>, DuplicateMember>;

/// Returns the decoded string. `None` if the value is not a string of Unicode characters (a lone surrogate is no
/// character).
pub(crate) fn string(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    decode(raw.get())
}

pub(crate) fn strings(raw: Raw<'_>) -> Option<Vec<Cow<'_, str>>> {
    let elements = elements(raw, usize::MAX).filter(|_| is_array(raw))?;
    elements.into_iter().map(string).collect()
}

pub(crate) type StringMembers<'a> = Vec<(String, Cow<'a, str>)>;

/// Returns the members of an object of strings, decoded, in their order. `None` if a value is no string.
pub(crate) fn string_members(object: Raw<'_>) -> Result<Option<StringMembers<'_>>, DuplicateMember> {
    if !is_object(object) {
        return Ok(None);
    }
    let mut found = Vec::new();
    for_each_member(object, |name, value| found.push((name.to_owned(), string(value))));
    let mut seen = BTreeSet::new();
    if let Some((name, _)) = found.iter().find(|(name, _)| !seen.insert(name.as_str())) {
        return Err(DuplicateMember { name: name.as_str().into() });
    }
    Ok(found.into_iter().map(|(name, value)| Some((name, value?))).collect())
}

/// Returns the elements of an array. `None` if there are more than `max`. A value that is not an array has none.
pub(crate) fn elements(array: Raw<'_>, max: usize) -> Option<Vec<Raw<'_>>> {
    let (mut elements, mut more) = (Vec::new(), false);
    each_element(array.get(), |element| {
        more |= elements.len() == max;
        if !more {
            elements.push(element);
        }
    });
    (!more).then_some(elements)
}

pub(crate) fn boolean(raw: Raw<'_>) -> Option<bool> {
    match raw.get() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

pub(crate) fn is_object(raw: Raw<'_>) -> bool {
    raw.get().starts_with('{')
}

pub(crate) fn is_array(raw: Raw<'_>) -> bool {
    raw.get().starts_with('[')
}

pub(crate) fn is_null(raw: Raw<'_>) -> bool {
    raw.get() == "null"
}

/// Passes the members of an object to `take`, with their decoded names. A name that is not Unicode is left out, since
/// no caller looks for such a name. A value that is not an object has no members.
pub(crate) fn for_each_member<'a>(object: Raw<'a>, mut take: impl FnMut(&str, Raw<'a>)) {
    decoded_members(object.get(), &mut take);
}

/// Passes the members of the object in `text` to `take`, with their decoded names. `None` if the text is no object.
/// Everything else is as with [`for_each_member`].
pub(super) fn decoded_members<'a>(text: &'a str, mut take: impl FnMut(&str, Raw<'a>)) -> Option<()> {
    let escapes = has_escapes(text); // nearly always none, and then no name has any
    each_member(text, |name, value| {
        if !escapes {
            take(&name[1..name.len() - 1], value);
        } else if let Some(name) = decode(name) {
            take(&name, value);
        }
    })
}

/// Decodes a string that is known to be valid JSON. `None` if it has a lone surrogate.
pub(super) fn decode(raw: &str) -> Option<Cow<'_, str>> {
    let contents = raw.strip_prefix('"')?.strip_suffix('"')?;
    if has_escapes(contents) {
        return serde_json::from_str(raw).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(contents))
}

fn has_escapes(text: &str) -> bool {
    text.as_bytes().contains(&b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn raw(text: &str) -> Raw<'_> {
        Raw::check(text).unwrap()
    }

    fn pick<'a>(text: &'a str, names: &[&str; 2]) -> Result<[Option<&'a str>; 2], DuplicateMember> {
        Ok(members(raw(text), names)?.map(|member| member.map(Raw::get)))
    }

    #[test]
    fn named_members_are_found_and_others_ignored() {
        assert_eq!(
            pick(r#" {"x":1, "uri" : "a" ,"y":{"uri":2},"y":[]} "#, &["uri", "cursor"]),
            Ok([Some(r#""a""#), None])
        );
    }

    #[test]
    fn names_are_compared_decoded() {
        assert_eq!(pick(r#"{"\u0075ri":1}"#, &["uri", "cursor"]), Ok([Some("1"), None]));
        assert_eq!(pick(r#"{"uri":1,"\u0075ri":2}"#, &["uri", "x"]).unwrap_err().name, "uri".into());
    }

    #[test]
    fn a_name_that_is_no_text_is_ignored() {
        assert_eq!(pick(r#"{"\ud800":1,"uri":2}"#, &["uri", "x"]), Ok([Some("2"), None]));
    }

    #[test]
    fn a_value_that_is_no_object_has_no_members() {
        assert_eq!(pick("[1]", &["uri", "x"]), Ok([None, None]));
    }

    #[test]
    fn the_duplicate_is_named() {
        let error = pick(r#"{"b":1,"a":1,"b":null}"#, &["a", "b"]).unwrap_err();
        assert_eq!(error.to_string(), "b occurs twice");
    }

    #[test]
    fn members_deeper_than_a_recursive_parser_goes_are_picked() {
        let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
        let text = format!(r#"{{"a":{deep},"b":1}}"#);
        assert_eq!(pick(&text, &["a", "b"]), Ok([Some(&*deep), Some("1")]));
    }

    #[test]
    fn strings_are_decoded() {
        assert_eq!(string(raw(r#""plain é""#)), Some(Cow::Borrowed("plain é")));
        assert_eq!(string(raw(r#""a\n\ud834\udd1e""#)).as_deref(), Some("a\n𝄞"));
        for none in [r#""\ud800""#, "1", "null", "[]", r#"{"a":"b"}"#] {
            assert_eq!(string(raw(none)), None);
        }
    }

    #[test]
    fn a_list_of_strings_with_another_value_is_refused() {
        assert_eq!(strings(raw(r#"["a", "\u0062"]"#)), Some(vec!["a".into(), "b".into()]));
        assert_eq!(strings(raw("[]")), Some(vec![]));
        for none in [r#"["a",1]"#, r#""a""#, r#"{"a":"b"}"#, "null"] {
            assert_eq!(strings(raw(none)), None);
        }
    }

    #[test]
    fn types_are_distinguished() {
        assert_eq!(
            ["true", "false", "1", r#""true""#].map(|text| boolean(raw(text))),
            [Some(true), Some(false), None, None]
        );
        assert_eq!(["{}", "[]", r#""{""#].map(|text| is_object(raw(text))), [true, false, false]);
        assert_eq!(["null", "0", r#""null""#].map(|text| is_null(raw(text))), [true, false, false]);
    }

    proptest! {
        #[test]
        fn a_duplicate_is_found_wherever_it_stands(
            others in prop::collection::vec("[a-z]{1,3}", 0..12),
            first in 0..13usize,
            second in 0..13usize,
        ) {
            let mut names: Vec<_> = others.iter().map(|name| format!("\"{name}\"")).collect();
            names.insert(first.min(names.len()), r#""URI""#.into());
            let once: Vec<_> = names.iter().map(|name| format!("{name}:1")).collect();
            let once = format!("{{{}}}", once.join(","));
            prop_assert_eq!(members(raw(&once), &["URI"]).unwrap()[0].map(Raw::get), Some("1"));
            names.insert(second.min(names.len()), r#""\u0055RI""#.into());
            let twice: Vec<_> = names.iter().map(|name| format!("{name}:[]")).collect();
            let twice = format!("{{{}}}", twice.join(","));
            prop_assert!(members(raw(&twice), &["URI"]).is_err());
        }
    }
}
