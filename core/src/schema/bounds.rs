//! Bounds of schemas and arguments, so that neither costs more to check than its sender may spend.

use super::size::{Size, size};
use serde_json::Value;

const MOST_BYTES: usize = 256 * 1024;

/// Parses a schema. Fails if it exceeds the bounds.
pub(super) fn parsed(text: &str) -> Result<Value, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("has a schema of {} bytes; it may have 256 KiB", text.len()));
    }
    parsed_once(text, &size(text)).map_err(|what| format!("has a schema that {what}"))
}

/// Parses a value. Fails if a name occurs twice in an object, because readers of JSON do not agree which one counts.
pub(super) fn parsed_once(text: &str, size: &Size) -> Result<Value, &'static str> {
    let value = serde_json::from_str(text);
    let value = value.map_err(|_| "has a number out of range, or text that is not Unicode")?;
    if members(&value) < size.members { Err("has a member twice") } else { Ok(value) }
}

fn members(value: &Value) -> usize {
    match value {
        Value::Object(all) => all.len() + all.values().map(members).sum::<usize>(),
        Value::Array(items) => items.iter().map(members).sum(),
        _ => 0,
    }
}
