//! Values that JavaScript gives as JSON text.

use serde::Deserialize;
use serde_json::value::RawValue;
use wellhead::{Error, ErrorKind, Json, Result};

/// Reads a value.
pub(crate) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| {
        // Not the parser's words: they name types of Rust, and a place in JSON that the application never saw.
        let what = match e.classify() {
            serde_json::error::Category::Data => "a member is missing or has the wrong type",
            _ => "a text has half of a surrogate pair; make it well-formed: text.toWellFormed()",
        };
        Error::new(ErrorKind::InvalidArgument, what)
    })
}

/// Returns a member that is an object, if it was given.
pub(crate) fn object(member: &str, given: Option<&RawValue>) -> Result<Option<Json>> {
    given
        .map(|given| match given.get() {
            text if text.starts_with('{') => {
                Json::object(text).map_err(|e| Error::new(e.kind(), format!("{member}: {e}")))
            }
            text => {
                let shown = if text.chars().count() > 40 { "something else" } else { text };
                Err(Error::new(ErrorKind::InvalidArgument, format!("{member}: an object, not {shown}")))
            }
        })
        .transpose()
}

/// Sets a member, if it was given.
pub(crate) fn set<B, T>(to: B, given: Option<T>, set: impl FnOnce(B, T) -> B) -> B {
    match given {
        Some(value) => set(to, value),
        None => to,
    }
}
