//! Bounds of schemas and arguments, so that neither costs more to check than its sender may spend.

use serde_json::Value;

const MOST_BYTES: usize = 256 * 1024;
const MOST_NESTING: usize = 64;
const MOST_SUBSCHEMAS: usize = 10_000;

/// Parses a schema that is within the bounds.
pub(super) fn parsed(text: &str) -> Result<Value, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("has a schema of {} bytes; it may have 256 KiB", text.len()));
    }
    let value = serde_json::from_str(text);
    let nesting = || format!("has a schema that is nested deeper than {MOST_NESTING} levels");
    let value = value.map_err(|_| nesting())?;
    let mut objects = 0;
    if depth(&value, &mut objects) > MOST_NESTING {
        return Err(nesting());
    }
    if objects > MOST_SUBSCHEMAS {
        return Err(format!("has a schema with {objects} objects; it may have {MOST_SUBSCHEMAS}"));
    }
    Ok(value)
}

/// Returns how deep a value is nested, and counts its objects.
fn depth(value: &Value, objects: &mut usize) -> usize {
    match value {
        Value::Object(members) => {
            *objects += 1;
            1 + members.values().map(|value| depth(value, objects)).max().unwrap_or(0)
        }
        Value::Array(items) => 1 + items.iter().map(|value| depth(value, objects)).max().unwrap_or(0),
        _ => 0,
    }
}

/// Returns how many elements a JSON text has at most: one for each comma and each beginning of an array or object outside
/// of strings.
pub(super) fn elements(text: &str) -> usize {
    let (mut count, mut quoted, mut escaped) = (1, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b',' | b'[' | b'{' if !quoted => count += 1,
            _ => {}
        }
    }
    count
}
