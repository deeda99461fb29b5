//! Steps from a schema into the schemas of its members, for what JSON Schema only notes: defaults and `writeOnly`.

use serde_json::Value;

/// A chain of references longer than this leads in a circle.
const MOST_REFERENCES: usize = 32;

/// Returns the schemas that a schema stands for: itself, and what its local `$ref` leads to.
pub(super) fn resolved<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut all = vec![schema];
    let mut last = schema;
    while let Some(target) = last.get("$ref").and_then(Value::as_str).and_then(|to| local(root, to)) {
        if all.len() > MOST_REFERENCES {
            break;
        }
        all.push(target);
        last = target;
    }
    all
}

/// Returns the schema of a member of an object.
pub(super) fn of_property<'a>(root: &'a Value, schema: &'a Value, name: &str) -> Option<&'a Value> {
    resolved(root, schema).into_iter().find_map(|schema| schema.get("properties")?.get(name))
}

/// Returns the schema of an element of an array.
pub(super) fn of_item<'a>(root: &'a Value, schema: &'a Value, at: usize) -> Option<&'a Value> {
    resolved(root, schema).into_iter().find_map(|schema| {
        let first = schema.get("prefixItems").or_else(|| schema.get("items"));
        match first {
            Some(Value::Array(items)) => {
                items.get(at).or_else(|| schema.get("items").filter(|s| s.is_object()))
            }
            items => items,
        }
    })
}

/// Returns what a reference such as `#/$defs/a` leads to.
pub(super) fn local<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?;
    root.pointer(&pointer)
}
