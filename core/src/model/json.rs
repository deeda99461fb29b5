//! JSON that only passes through.

use crate::error::{Error, ErrorKind, Result};
use serde_json::value::RawValue;

/// One JSON object as text, checked when made: the free-form members of the protocol, such as `_meta`.
#[derive(Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Checks that `text` is one JSON object.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if it is not.
    pub fn object(text: impl Into<String>) -> Result<Json> {
        let raw = RawValue::from_string(text.into()).map_err(|e| {
            Error::new(ErrorKind::InvalidArgument, "not JSON; give the text of one JSON object").because(e)
        })?;
        if !raw.get().trim_start().starts_with('{') {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                "not a JSON object; give text such as {\"a\":1}",
            ));
        }
        if raw.get().contains(['\n', '\r']) {
            // A raw newline would break the framing of stdio. Outside of strings it is only white space.
            return Json::object(raw.get().replace(['\n', '\r'], " "));
        }
        Ok(Json(raw))
    }

    /// `{}`.
    pub(crate) fn empty() -> Json {
        Json(RawValue::from_string("{}".to_owned()).expect("an empty object is JSON"))
    }

    /// `{"listChanged":true}`.
    pub(crate) fn list_changed() -> Json {
        Json(RawValue::from_string("{\"listChanged\":true}".to_owned()).expect("JSON"))
    }

    /// An object that came from a client.
    pub(crate) fn received(object: &RawValue) -> Json {
        Json(object.to_owned())
    }

    /// Whether a member is `true`.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        let member = crate::jsonrpc::members(self.raw(), &[name]).ok().and_then(|[member]| member);
        member.is_some_and(|member| member.get() == "true")
    }

    pub(crate) fn raw(&self) -> &RawValue {
        &self.0
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

/// `{}`.
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
