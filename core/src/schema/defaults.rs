//! The defaults of a schema: checked when it is compiled, filled into arguments that fit.
//!
//! They are looked for in `properties`, `items`, `prefixItems` and behind local references, and not in shapes of which
//! only some hold, such as those of `anyOf`.

use super::compiled::validator;
use super::{problems, subschema};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, elements, for_each_member, is_array, is_object};
use jsonschema::Draft;
use serde_json::{Value, json};

/// Schemas that refer to themselves end here.
const DEEPEST: usize = 64;

/// Checks that each default fits its own schema. Returns whether there is any.
pub(super) fn check(draft: Draft, root: &Value) -> Result<bool, String> {
    let mut found = false;
    each(root, &mut String::new(), &mut |pointer, default| {
        found = true;
        let alone = alone(draft, root, pointer);
        let Some(wrong) = validator(draft, &alone)
            .ok()
            .and_then(|of| problems::of(&of, &alone, default).into_iter().next())
        else {
            return Ok(());
        };
        let path = pointer.trim_start_matches('/').replace('/', ".");
        let what =
            wrong.strip_prefix("arguments: ").map_or_else(|| format!(": {wrong}"), |what| format!(" {what}"));
        Err(format!("has a wrong default: {path}.default{what}"))
    })?;
    Ok(found)
}

/// Calls `with` for each default where it stands, and with the pointer of its schema.
fn each(
    schema: &Value,
    pointer: &mut String,
    with: &mut impl FnMut(&str, &Value) -> Result<(), String>,
) -> Result<(), String> {
    let Some(members) = schema.as_object() else { return Ok(()) };
    if let Some(default) = members.get("default") {
        with(pointer, default)?;
    }
    let before = pointer.len();
    for (keyword, inner) in members {
        let named = match (keyword.as_str(), inner) {
            ("properties" | "$defs" | "definitions", Value::Object(inner)) => {
                inner.iter().map(|(name, schema)| (Some(escaped(name)), schema)).collect()
            }
            ("items" | "prefixItems", Value::Array(inner)) => {
                inner.iter().enumerate().map(|(at, schema)| (Some(at.to_string()), schema)).collect()
            }
            ("items", schema) => vec![(None, schema)],
            _ => Vec::new(),
        };
        for (name, schema) in named {
            pointer.push('/');
            pointer.push_str(keyword);
            if let Some(name) = name {
                pointer.push('/');
                pointer.push_str(&name);
            }
            each(schema, pointer, with)?;
            pointer.truncate(before);
        }
    }
    Ok(())
}

/// Returns a schema that is the one at `pointer`, whose references still lead into the whole.
fn alone(draft: Draft, root: &Value, pointer: &str) -> Value {
    let (id, keep) = match draft {
        Draft::Draft4 => ("id", "definitions"),
        Draft::Draft6 | Draft::Draft7 => ("$id", "definitions"),
        _ => ("$id", "$defs"),
    };
    let mut whole = root.clone();
    let base = whole.get(id).and_then(Value::as_str).unwrap_or("urn:wellhead:schema").to_owned();
    if let Some(members) = whole.as_object_mut() {
        members.insert(id.to_owned(), json!(base));
    }
    json!({ "allOf": [{ "$ref": format!("{}#{pointer}", base.trim_end_matches('#')) }], keep: { "whole": whole } })
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Writes arguments with the defaults of absent members, or returns `None` if none is absent. What was sent keeps its text.
pub(super) fn fill(root: &Value, arguments: Raw<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(arguments.get().len() + 64);
    write(root, root, arguments, &mut out, DEEPEST).then_some(out)
}

/// Writes a value with the defaults of its schema. Returns whether there was any.
fn write(root: &Value, schema: &Value, value: Raw<'_>, out: &mut Vec<u8>, levels: usize) -> bool {
    if levels > 0 && is_object(value) {
        return write_object(root, schema, value, out, levels - 1);
    }
    if levels > 0 && is_array(value) {
        return write_array(root, schema, value, out, levels - 1);
    }
    out.extend_from_slice(value.get().as_bytes());
    false
}

fn write_object(root: &Value, schema: &Value, value: Raw<'_>, out: &mut Vec<u8>, levels: usize) -> bool {
    let mut filled = false;
    let mut present = Vec::new();
    let mut object = Object::begin(out);
    for_each_member(value, |name, member| {
        let into = object.any_member(name);
        match subschema::of_property(root, schema, name) {
            Some(schema) => filled |= write(root, schema, member, into, levels),
            None => into.extend_from_slice(member.get().as_bytes()),
        }
        present.push(name.to_owned());
    });
    let mut absent: Vec<(&String, &Value)> = Vec::new();
    for properties in
        subschema::resolved(root, schema).into_iter().filter_map(|s| s.get("properties")?.as_object())
    {
        for (name, schema) in properties {
            if present.contains(name) || absent.iter().any(|(known, _)| *known == name) {
                continue;
            }
            let default =
                subschema::resolved(root, schema).into_iter().find_map(|schema| schema.get("default"));
            absent.extend(default.map(|default| (name, default)));
        }
    }
    absent.sort_unstable_by_key(|(name, _)| *name);
    for (name, default) in absent {
        object.any_member(name).extend_from_slice(default.to_string().as_bytes());
        filled = true;
    }
    object.end();
    filled
}

fn write_array(root: &Value, schema: &Value, value: Raw<'_>, out: &mut Vec<u8>, levels: usize) -> bool {
    let mut filled = false;
    out.push(b'[');
    for (at, element) in elements(value, usize::MAX).into_iter().flatten().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match subschema::of_item(root, schema, at) {
            Some(schema) => filled |= write(root, schema, element, out, levels),
            None => out.extend_from_slice(element.get().as_bytes()),
        }
    }
    out.push(b']');
    filled
}
