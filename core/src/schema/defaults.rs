//! The defaults of a schema: checked when it is compiled, filled into arguments that fit.
//!
//! They are looked for in `properties`, `items`, `prefixItems` and behind local references, and not in shapes of which
//! only some hold, such as those of `anyOf`.

use super::compiled::{BACKTRACKS, validator};
use super::problems::{FieldValues, find_problems};
use super::subschema;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, elements, for_each_member, is_array, is_object};
use jsonschema::Draft;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The greatest number of bytes that defaults may add. If they would add more, the arguments stay as they are.
const MOST_FILLED: usize = 1024 * 1024;
/// The member of a default among all defaults, before its number.
const MEMBER: &str = "default";
/// The greatest depth to which defaults are looked for, since schemas may refer to themselves.
const DEEPEST: usize = 64;

/// A schema that has defaults.
pub(super) struct SchemaDefaults {
    root: Value,
    /// The text of each default, with its numbers as they are written. The key is the address of its value in `root`,
    /// which never changes.
    texts: BTreeMap<usize, Box<str>>,
}

impl SchemaDefaults {
    /// Checks that each default of a schema fits its own schema. Returns `None` if the schema has no default.
    pub(super) fn find(draft: Draft, root: Value, text: Raw<'_>) -> Result<Option<SchemaDefaults>, String> {
        if !check(draft, &root)? {
            return Ok(None);
        }
        let mut texts = BTreeMap::new();
        gather_texts(&root, text, &mut texts);
        Ok(Some(SchemaDefaults { root, texts }))
    }

    /// Writes arguments with the defaults of absent members. Returns `None` if none is absent, or if they would grow too
    /// much. What was sent keeps its text.
    pub(super) fn fill(&self, arguments: Raw<'_>) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(arguments.get().len() + 64);
        let mut filling = Filling { root: &self.root, texts: &self.texts, room: MOST_FILLED, filled: false };
        filling.write(&self.root, arguments, &mut out, DEEPEST);
        (filling.filled && filling.room > 0).then_some(out)
    }
}

/// Notes the text of each member `default`, a keyword or not, since any object may be the target of a reference.
fn gather_texts(value: &Value, text: Raw<'_>, texts: &mut BTreeMap<usize, Box<str>>) {
    match value {
        Value::Object(members) => for_each_member(text, |name, text| {
            let Some(value) = members.get(name) else { return };
            if name == "default" {
                texts.insert(address(value), text.get().into());
            }
            gather_texts(value, text, texts);
        }),
        Value::Array(items) => {
            let elements = elements(text, usize::MAX).into_iter().flatten();
            items.iter().zip(elements).for_each(|(item, text)| gather_texts(item, text, texts));
        }
        _ => {}
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Checks that each default fits its own schema. Returns whether the schema has a default.
fn check(draft: Draft, root: &Value) -> Result<bool, String> {
    let mut found = Vec::new();
    each(root, &mut String::new(), &mut |pointer, default| found.push((pointer.to_owned(), default.clone())));
    if found.is_empty() {
        return Ok(false);
    }
    // One schema and one value for all of them: each is a member, named by its number.
    let validator = validator(draft, &gathered(draft, root, &found), BACKTRACKS[0].1)?;
    let all: Map<String, Value> = found
        .iter()
        .enumerate()
        .map(|(at, (_, default))| (format!("{MEMBER}{at}"), default.clone()))
        .collect();
    let Some(wrong) = find_problems(&validator, &Value::Object(all), FieldValues::Shown).into_iter().next()
    else {
        return Ok(true);
    };
    let (pointer, what) = found
        .iter()
        .enumerate()
        .find_map(|(at, (pointer, _))| {
            let (member, what) = wrong.within_member()?;
            (member == format!("{MEMBER}{at}")).then_some((pointer.as_str(), what))
        })
        .unwrap_or_default();
    let path = pointer.trim_start_matches('/').replace('/', ".");
    Err(format!("has a wrong default: {path}.default{what}"))
}

/// Calls `with` for each default where it stands, and with the pointer of its schema.
fn each(schema: &Value, pointer: &mut String, with: &mut impl FnMut(&str, &Value)) {
    let Some(members) = schema.as_object() else { return };
    if let Some(default) = members.get("default") {
        with(pointer, default);
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
            each(schema, pointer, with);
            pointer.truncate(before);
        }
    }
}

/// Returns a schema of an object whose members have the schemas at these places. Their references still lead into the whole.
fn gathered(draft: Draft, root: &Value, places: &[(String, Value)]) -> Value {
    let (id, keep) = match draft {
        Draft::Draft4 => ("id", "definitions"),
        Draft::Draft6 | Draft::Draft7 => ("$id", "definitions"),
        _ => ("$id", "$defs"),
    };
    let mut whole = root.clone();
    let base = whole
        .get(id)
        .and_then(Value::as_str)
        .unwrap_or("urn:wellhead:schema")
        .trim_end_matches('#')
        .to_owned();
    if let Some(members) = whole.as_object_mut() {
        members.insert(id.to_owned(), json!(base));
        // Older dialects read nothing next to a reference, an address neither, so it goes into a schema of its own.
        if matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7)
            && let Some(reference) = members.remove("$ref")
        {
            members.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
        }
    }
    let reference = |pointer: &str| format!("{base}#{}", utf8_percent_encode(pointer, NOT_IN_FRAGMENTS));
    let members: Map<String, Value> = places
        .iter()
        .enumerate()
        .map(|(at, (pointer, _))| (format!("{MEMBER}{at}"), json!({ "$ref": reference(pointer) })))
        .collect();
    json!({ "properties": members, keep: { "whole": whole } })
}

/// The characters of a JSON pointer that the fragment of a URI cannot have as they are (RFC 6901 section 6).
const NOT_IN_FRAGMENTS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'~').remove(b'-').remove(b'_').remove(b'.').remove(b'$');

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

struct Filling<'a> {
    root: &'a Value,
    texts: &'a BTreeMap<usize, Box<str>>,
    /// The bytes that defaults may still take; 0 if they took too many.
    room: usize,
    filled: bool,
}

impl Filling<'_> {
    fn write(&mut self, schema: &Value, value: Raw<'_>, out: &mut Vec<u8>, levels: usize) {
        if levels > 0 && is_object(value) {
            self.write_object(schema, value, out, levels - 1);
        } else if levels > 0 && is_array(value) {
            self.write_array(schema, value, out, levels - 1);
        } else {
            out.extend_from_slice(value.get().as_bytes());
        }
    }

    fn write_object(&mut self, schema: &Value, value: Raw<'_>, out: &mut Vec<u8>, levels: usize) {
        let mut present = BTreeSet::new();
        let mut object = Object::begin(out);
        for_each_member(value, |name, member| {
            let into = object.any_member(name);
            match subschema::of_property(self.root, schema, name) {
                Some(schema) => self.write(schema, member, into, levels),
                None => into.extend_from_slice(member.get().as_bytes()),
            }
            present.insert(name.to_owned());
        });
        for (name, default) in absent(self.root, schema, &present) {
            let Some(text) = self.texts.get(&address(default)) else { continue };
            self.room = self.room.saturating_sub(text.len() + name.len());
            if self.room == 0 {
                break;
            }
            object.any_member(name).extend_from_slice(text.as_bytes());
            self.filled = true;
        }
        object.end();
    }

    fn write_array(&mut self, schema: &Value, value: Raw<'_>, out: &mut Vec<u8>, levels: usize) {
        out.push(b'[');
        for (at, element) in elements(value, usize::MAX).into_iter().flatten().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            match subschema::of_item(self.root, schema, at) {
                Some(schema) => self.write(schema, element, out, levels),
                None => out.extend_from_slice(element.get().as_bytes()),
            }
        }
        out.push(b']');
    }
}

/// Returns the defaults of the members that an object lacks, in the order of their names.
fn absent<'a>(
    root: &'a Value,
    schema: &'a Value,
    present: &BTreeSet<String>,
) -> BTreeMap<&'a str, &'a Value> {
    let mut absent = BTreeMap::new();
    let properties =
        subschema::resolved(root, schema).into_iter().filter_map(|s| s.get("properties")?.as_object());
    for (name, schema) in properties.flatten() {
        if present.contains(name) || absent.contains_key(name.as_str()) {
            continue;
        }
        let default = subschema::resolved(root, schema).into_iter().find_map(|schema| schema.get("default"));
        absent.extend(default.map(|default| (name.as_str(), default)));
    }
    absent
}
