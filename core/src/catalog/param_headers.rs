//! `x-mcp-header` in the input schema of a tool: arguments that a request over HTTP repeats in header fields
//! (2026-07-28, Tools, "x-mcp-header").

use crate::jsonrpc::{Raw, elements, for_each_member, is_array, is_null, is_object, string};
use std::borrow::Cow;

const KEYWORD: &str = "x-mcp-header";

/// An argument that a header field repeats.
pub(crate) struct ParamHeader {
    /// The name of the field, such as `Mcp-Param-Region`.
    pub(crate) field: Box<str>,
    /// The names of the members that lead from the arguments to this one.
    path: Box<[String]>,
    is_integer: bool,
}

impl ParamHeader {
    /// Returns the argument in the form of the field; `None` if it is absent or null.
    pub(crate) fn value<'a>(&self, arguments: Raw<'a>) -> Option<Cow<'a, str>> {
        let mut value = arguments;
        for name in &self.path {
            let mut found = None;
            if is_object(value) {
                for_each_member(value, |member, value| {
                    if member == name {
                        found = Some(value);
                    }
                });
            }
            value = found.filter(|value| !is_null(*value))?;
        }
        Some(string(value).unwrap_or(Cow::Borrowed(value.get())))
    }

    /// Returns whether the value of a field equals the argument. Integers are compared as numbers.
    pub(crate) fn is_same(&self, field: &str, argument: &str) -> bool {
        let is_same_integer = || integer(field).is_some() && integer(field) == integer(argument);
        field == argument || self.is_integer && is_same_integer()
    }
}

/// Returns the integer that a JSON number stands for, such as 12 for `1.2e1`. `None` if it is none, or too large for
/// all readers of JSON to agree on it.
fn integer(text: &str) -> Option<f64> {
    const MOST: f64 = 9_007_199_254_740_991.0;
    text.parse().ok().filter(|number: &f64| number.fract() == 0.0 && number.abs() <= MOST)
}

/// Keywords whose value is a schema or an array of schemas.
const SCHEMAS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is an object of schemas by name.
const NAMED_SCHEMAS: [&str; 5] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"];

/// Returns the header fields that a tool's schema asks for. Fails with what is wrong with one; clients leave out a tool
/// with a wrong one.
pub(super) fn param_headers(schema: Raw<'_>) -> Result<Vec<ParamHeader>, String> {
    let mut found = Vec::new();
    collect(schema, Some(&mut Vec::new()), &mut found)?;
    Ok(found)
}

/// Walks through a schema. `path` has the properties that lead to it; `None` if anything else leads to it, too.
fn collect(
    schema: Raw<'_>,
    mut path: Option<&mut Vec<String>>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), String> {
    let mut of = None;
    let mut header = None;
    let mut parts = Vec::new();
    for_each_member(schema, |name, value| match name {
        KEYWORD => header = Some(value),
        "type" => of = string(value),
        _ => parts.push((name.to_owned(), value)),
    });
    if let Some(header) = header {
        add(header, of.as_deref(), path.as_deref().map(Vec::as_slice), found)?;
    }
    for (keyword, value) in parts {
        if keyword == "properties" {
            for (name, property) in members(value) {
                match path.as_deref_mut() {
                    Some(path) => {
                        path.push(name);
                        collect(property, Some(path), found)?;
                        path.pop();
                    }
                    None => collect(property, None, found)?,
                }
            }
        } else if NAMED_SCHEMAS.contains(&&*keyword) {
            for (_, schema) in members(value) {
                collect(schema, None, found)?;
            }
        } else if SCHEMAS.contains(&&*keyword) {
            if is_array(value) {
                for schema in elements(value, usize::MAX).into_iter().flatten() {
                    collect(schema, None, found)?;
                }
            } else {
                collect(value, None, found)?;
            }
        }
    }
    Ok(())
}

fn add(
    header: Raw<'_>,
    of: Option<&str>,
    path: Option<&[String]>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), String> {
    let Some(name) = string(header).filter(|name| is_token(name)) else {
        let wanted = "letters, digits and any of !#$%&'*+-.^_`|~";
        return Err(format!("needs {wanted} as \"{KEYWORD}\" (got {})", header.get()));
    };
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        return Err(format!("has \"{KEYWORD}\":\"{name}\" at a place that properties alone do not lead to"));
    };
    if !matches!(of, Some("string" | "integer" | "boolean")) {
        let shown = path.join(".");
        return Err(format!(
            "has \"{KEYWORD}\":\"{name}\" on {shown}, whose type is not string, integer or boolean"
        ));
    }
    let field = format!("Mcp-Param-{name}");
    if found.iter().any(|other| other.field.eq_ignore_ascii_case(&field)) {
        return Err(format!("has \"{KEYWORD}\":\"{name}\" twice; these names have no case"));
    }
    found.push(ParamHeader { field: field.into(), path: path.into(), is_integer: of == Some("integer") });
    Ok(())
}

fn members(object: Raw<'_>) -> Vec<(String, Raw<'_>)> {
    let mut all = Vec::new();
    if is_object(object) {
        for_each_member(object, |name, value| all.push((name.to_owned(), value)));
    }
    all
}

/// Returns whether a text is a token of RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(schema: &str) -> Result<Vec<ParamHeader>, String> {
        param_headers(Raw::check(schema).unwrap())
    }

    #[test]
    fn properties_lead_to_the_value_of_a_field() {
        // row: TS-13
        let found = headers(
            r#"{"properties":{"a":{"type":"object","properties":{"b":{"type":"integer","x-mcp-header":"B"}}},
                "x-mcp-header":{"type":"string","x-mcp-header":"own","default":{"x-mcp-header":1}}}}"#,
        )
        .unwrap();
        let value = |at: usize, arguments: &'static str| found[at].value(Raw::check(arguments).unwrap());
        assert_eq!([&*found[0].field, &*found[1].field], ["Mcp-Param-B", "Mcp-Param-own"]);
        assert_eq!(value(0, r#"{"a":{"b": 1.0}}"#).as_deref(), Some("1.0"));
        assert_eq!(value(1, r#"{"x-mcp-header":"\u00fc"}"#).as_deref(), Some("ü"));
        for absent in ["{}", r#"{"a":null}"#, r#"{"a":{"b":null}}"#, r#"{"a":[1]}"#] {
            assert_eq!(value(0, absent), None, "{absent}");
        }
    }

    #[test]
    fn integers_are_compared_as_numbers_and_texts_as_they_are() {
        // row: TS-14
        let schema = r#"{"properties":{"a":{"type":"integer","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"B"}}}"#;
        let found = headers(schema).unwrap();
        for (field, argument) in [("12", "12.0"), ("12.0", "12"), ("12", "1.2e1"), ("-0", "0")] {
            assert!(found[0].is_same(field, argument), "{field} {argument}");
            assert!(!found[1].is_same(field, argument), "{field} {argument}");
        }
        for (field, argument) in
            [("12", "13"), ("9007199254740993", "9007199254740992"), ("nan", "nan "), ("inf", "1")]
        {
            assert!(!found[0].is_same(field, argument), "{field} {argument}");
        }
    }

    #[test]
    fn a_field_that_clients_refuse_is_refused() {
        // row: TS-13
        for (schema, text) in [
            (
                r#"{"properties":{"a":{"type":"string","x-mcp-header":"a b"}}}"#,
                r#"needs letters, digits and any of !#$%&'*+-.^_`|~ as "x-mcp-header" (got "a b")"#,
            ),
            (
                r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}"#,
                r#"has "x-mcp-header":"a" twice; these names have no case"#,
            ),
            (
                r#"{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}"#,
                r#"has "x-mcp-header":"A" on a, whose type is not string, integer or boolean"#,
            ),
            (
                r#"{"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]}"#,
                r#"has "x-mcp-header":"A" at a place that properties alone do not lead to"#,
            ),
            (
                r#"{"type":"object","x-mcp-header":"A"}"#,
                r#"has "x-mcp-header":"A" at a place that properties alone do not lead to"#,
            ),
        ] {
            assert_eq!(headers(schema).err().as_deref(), Some(text), "{schema}");
        }
        for refused in [
            r#"{"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}"#,
            r#"{"properties":{"a":{"items":{"type":"string","x-mcp-header":"A"}}}}"#,
            r#"{"properties":{"a":{"type":["string"],"x-mcp-header":"A"}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":""}}}"#,
            r#"{"properties":{"a":{"type":"string","x-mcp-header":1}}}"#,
        ] {
            assert!(headers(refused).is_err(), "{refused}");
        }
    }
}
