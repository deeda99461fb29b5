//! JSON objects that the server passes on.

use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{Raw, for_each_member, is_object, members};
use serde::de::IgnoredAny;

/// One JSON object as text, checked when made: the free-form members of the protocol, such as `_meta`.
#[derive(Clone)]
pub struct Json(Box<str>);

impl Json {
    /// Checks that `text` is one JSON object.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if it is not.
    pub fn parse(text: impl Into<String>) -> Result<Json> {
        let json = Json(checked(&text.into(), "object")?);
        if is_object(json.raw()) {
            return Ok(json);
        }
        Err(Error::new(ErrorKind::InvalidArgument, "not a JSON object; give text such as {\"a\":1}"))
    }

    /// Makes the object `{}`.
    pub(crate) fn empty() -> Json {
        Json("{}".into())
    }

    /// Makes the object `{"listChanged":true}`.
    pub(crate) fn list_changed() -> Json {
        Json("{\"listChanged\":true}".into())
    }

    /// Copies an object that a client sent. Over HTTP it may have several lines, and the application may send it on.
    pub(crate) fn received(object: Raw<'_>) -> Json {
        Json(one_line(object.get()))
    }

    /// Wraps an object that the server wrote.
    pub(crate) fn written(object: Vec<u8>) -> Json {
        Json(String::from_utf8(object).expect("escaped text stays text").into())
    }

    /// Returns whether the object has no members.
    pub(crate) fn is_empty(&self) -> bool {
        let mut any = false;
        for_each_member(self.raw(), |_, _| any = true);
        !any
    }

    /// Returns whether the member of this name is `true`.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        let member = members(self.raw(), &[name]).ok().and_then(|[member]| member);
        member.is_some_and(|member| member.get() == "true")
    }

    pub(crate) fn raw(&self) -> Raw<'_> {
        Raw::kept(&self.0)
    }

    /// Returns the object as JSON text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Makes the object `{}`.
impl Default for Json {
    fn default() -> Self {
        Json::empty()
    }
}

impl std::fmt::Debug for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Checks that `text` is one JSON value, and returns it on one line. `what` names the kind of value for the error.
pub(crate) fn checked(text: &str, what: &str) -> Result<Box<str>> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|e| {
        let message = format!("not JSON; give the text of one JSON {what}");
        Error::new(ErrorKind::InvalidArgument, message).because(e)
    })?;
    Ok(one_line(text.trim_matches([' ', '\t', '\n', '\r'])))
}

/// Returns JSON without raw newlines, which would break the framing of stdio and of event streams. Outside of strings they
/// are only white space.
pub(crate) fn one_line(json: &str) -> Box<str> {
    match memchr::memchr2(b'\n', b'\r', json.as_bytes()) {
        Some(_) => json.replace(['\n', '\r'], " ").into(),
        None => json.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // row: H-06
    #[test]
    fn an_object_that_a_client_wrote_on_several_lines_is_one_line() {
        let object = Raw::check("{\r\n  \"why\":\n1}\n").unwrap();
        assert_eq!(Json::received(object).as_str(), r#"{    "why": 1}"#);
    }
}
