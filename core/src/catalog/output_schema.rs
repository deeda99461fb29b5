//! The schema of a tool's structured content, for revisions in which that is an object.

use crate::encode::quote_into;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, elements, for_each_member, is_array, is_object, members, string};

/// Members that stay at the root of the schema, because references from anywhere in it find them there.
const OF_THE_ROOT: [&str; 3] = ["$schema", "$defs", "definitions"];

/// The place of the tool's schema in the schema that wraps it, as a reference.
const PLACE: &str = "#/properties/result";

/// Writes the schema of an object whose member `result` has this schema. Clients of these revisions refuse a whole list
/// if one output schema is not that of an object.
pub(super) fn write_wrapped(out: &mut Vec<u8>, schema: Raw<'_>) {
    // References of a schema with an address of its own start there, wherever it is.
    let addressed = matches!(members(schema, &["$id"]), Ok([Some(_)]));
    let moves = |name: &str| !addressed && OF_THE_ROOT.contains(&name);
    let write = |out: &mut Vec<u8>, value: Raw<'_>| {
        if addressed {
            out.extend_from_slice(value.get().as_bytes());
        } else {
            write_moved(out, value);
        }
    };
    let mut object = Object::begin(out);
    object.string("type", "object");
    let mut properties = Object::begin(object.member("properties"));
    let mut result = Object::begin(properties.member("result"));
    for_each_member(schema, |name, value| {
        if !moves(name) {
            write(result.any_member(name), value);
        }
    });
    result.end();
    properties.end();
    object.raw("required", "[\"result\"]");
    for_each_member(schema, |name, value| {
        if moves(name) {
            write(object.any_member(name), value);
        }
    });
    object.end();
}

/// Writes a part of a schema that was moved. References from the former root are rewritten to the new place.
fn write_moved(out: &mut Vec<u8>, value: Raw<'_>) {
    if is_array(value) {
        out.push(b'[');
        for (at, element) in elements(value, usize::MAX).into_iter().flatten().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_moved(out, element);
        }
        return out.push(b']');
    }
    // References of a part with an address of its own start at that part.
    if !is_object(value) || matches!(members(value, &["$id"]), Ok([Some(_)])) {
        return out.extend_from_slice(value.get().as_bytes());
    }
    let mut object = Object::begin(out);
    for_each_member(value, |name, value| {
        let out = object.any_member(name);
        match string(value).as_deref().and_then(|text| text.strip_prefix('#')) {
            Some(path) if name == "$ref" && names_the_result(path) => {
                quote_into(&format!("{PLACE}{path}"), out);
            }
            _ => write_moved(out, value),
        }
    });
    object.end();
}

/// Returns whether the path of a reference leads to a place that has moved into `result`.
fn names_the_result(path: &str) -> bool {
    match path.strip_prefix('/') {
        Some(path) => !OF_THE_ROOT.contains(&path.split('/').next().unwrap_or_default()),
        None => path.is_empty(), // else the name of an anchor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(schema: &str) -> String {
        let mut out = Vec::new();
        write_wrapped(&mut out, Raw::check(schema).unwrap());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn references_lead_to_the_same_place_as_before() {
        let schema = r##"{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#"},{"$ref":"#/anyOf/0"},{"$ref":"#b"}],"$defs":{"a":{"$ref":"#"}}}"##;
        let wrapped_schema = r##"{"type":"object","properties":{"result":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/properties/result"},{"$ref":"#/properties/result/anyOf/0"},{"$ref":"#b"}]}},"required":["result"],"$defs":{"a":{"$ref":"#/properties/result"}}}"##;
        assert_eq!(wrapped(schema), wrapped_schema);
    }

    #[test]
    fn a_schema_with_an_address_stays_as_it_is() {
        let schema = r##"{"$id":"https://a.example/s","$ref":"#/$defs/a","$defs":{"a":{}}}"##;
        let expected =
            format!(r#"{{"type":"object","properties":{{"result":{schema}}},"required":["result"]}}"#);
        assert_eq!(wrapped(schema), expected);
    }
}
