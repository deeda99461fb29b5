//! The header fields that repeat what a stateless request says in its body: `MCP-Protocol-Version`, `Mcp-Method` and
//! `Mcp-Name` (2026-07-28, transports, "Standard headers").

use super::RequestHead;
use crate::catalog::ParamHeader;
use crate::encode::base64_decode;
use crate::jsonrpc::{Raw, RpcError};
use crate::revision::HEADER_MISMATCH;
use std::borrow::Cow;

/// The error for a header field that is missing, malformed, or differs from the body; says which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mismatch(pub(crate) String);

/// The field whose value clients may encode in base64. Of the others only the fields of arguments may be encoded.
const NAME: &str = "Mcp-Name";

/// Compares a field with what the body says, case-sensitively. Of these fields only `Mcp-Name` is decoded before.
pub(crate) fn check(head: &RequestHead<'_>, name: &'static str, body: &str) -> Result<(), Mismatch> {
    let value =
        head.one(name).map_err(|_| Mismatch(format!("Header mismatch: {name} came more than once")))?;
    let Some(value) = value else {
        return Err(Mismatch(format!("Header mismatch: {name} is missing; the body says '{body}'")));
    };
    let value = if name == NAME { decode(value) } else { plain(value).map(Cow::Borrowed) };
    match value {
        Some(value) if value == body => Ok(()),
        Some(value) => Err(Mismatch(format!("Header mismatch: {name} '{value}' vs body '{body}'"))),
        None => Err(Mismatch(format!(
            "Header mismatch: {name} has characters or an encoding that it may not have"
        ))),
    }
}

/// Returns the header fields that repeat arguments of a tool, with their values.
pub(crate) fn param_fields<'a>(head: &RequestHead<'a>) -> impl Iterator<Item = (&'a str, &'a [u8])> {
    const PREFIX: &str = "Mcp-Param-";
    let is_one = |name: &str| name.get(..PREFIX.len()).is_some_and(|p| p.eq_ignore_ascii_case(PREFIX));
    head.headers.iter().copied().filter(move |(name, _)| is_one(name))
}

/// The header fields of a request that repeat arguments of a tool.
pub(crate) struct ParamFields(Vec<(Box<str>, Box<[u8]>)>);

impl ParamFields {
    pub(super) fn new(head: &RequestHead<'_>) -> ParamFields {
        ParamFields(param_fields(head).map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// Compares a field with the argument that it repeats. The error does not show the argument, which may be long or
    /// secret.
    pub(crate) fn check(&self, header: &ParamHeader, arguments: Raw<'_>) -> Result<(), RpcError> {
        let name = &header.field;
        let mut lines = self.0.iter().filter(|(line, _)| line.eq_ignore_ascii_case(name));
        let what = match (lines.next(), lines.next(), header.value(arguments)) {
            (None, _, None) => return Ok(()),
            (None, _, Some(_)) => "is missing, and the body has its argument",
            (Some(_), Some(_), _) => "came more than once",
            (Some(_), None, None) => "came, and the body lacks its argument",
            (Some((_, value)), None, Some(argument)) => match decode(value.trim_ascii()) {
                Some(value) if header.is_same(&value, &argument) => return Ok(()),
                Some(_) => "differs from its argument in the body",
                None => "has characters or an encoding that it may not have",
            },
        };
        Err(RpcError::new(HEADER_MISMATCH, format!("Header mismatch: {name} {what}")))
    }
}

/// Decodes a field value: the text between `=?base64?` and `?=` from base64, any other as it is. `None` if it is not
/// valid.
pub(crate) fn decode(value: &[u8]) -> Option<Cow<'_, str>> {
    let value = plain(value)?;
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        Some(encoded) => String::from_utf8(base64_decode(encoded.as_bytes())?).ok().map(Cow::Owned),
        None => Some(Cow::Borrowed(value)),
    }
}

/// Returns a field value as text; `None` if it has a character that header fields may not have.
fn plain(value: &[u8]) -> Option<&str> {
    let allowed = value.iter().all(|byte| matches!(byte, b'\t' | 0x20..=0x7e));
    std::str::from_utf8(value).ok().filter(|_| allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(value: &[u8]) -> Option<String> {
        decode(value).map(Cow::into_owned)
    }

    #[test]
    fn a_value_of_a_field_is_plain_or_in_base64() {
        // row: H-66, H-67, H-68, H-69
        let is =
            |value: &str, text: &str| assert_eq!(decoded(value.as_bytes()).as_deref(), Some(text), "{value}");
        is("test://static-text", "test://static-text");
        is("=?base64?dGVzdDovL3N0YXRpYy10ZXh0?=", "test://static-text");
        is("=?base64?ZmlsZTovLy9kL8O8LnR4dA==?=", "file:///d/\u{fc}.txt");
        is("=?base64?PT9iYXNlNjQ/eD89?=", "=?base64?x?=");
        is("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?=");
        is("=?base64?SGVsbG8=", "=?base64?SGVsbG8=");
        is("SGVsbG8=?=", "SGVsbG8=?=");
        is("=?base64??=", "");
        for bad in [
            "=?base64?SGVsbG8?=",
            "=?base64?SGVs!!!bG8=?=",
            "=?base64?/w==?=",
            "=?base64?SGVsbG9=?=",
            "=?base64? SGVsbG8=?=",
        ] {
            assert_eq!(decoded(bad.as_bytes()), None, "{bad}");
        }
        for bad in [&b"\xc3\xbc"[..], b"a\x00", b"a\x7f", b"a\nb"] {
            assert_eq!(decoded(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_field_equals_the_value_in_the_body_in_the_same_case() {
        // row: H-62, H-63, H-64, H-65
        let result = |headers: &[(&str, &[u8])]| {
            check(
                &RequestHead { method: "POST", target: "/", headers, peer: &[] },
                "Mcp-Method",
                "tools/list",
            )
        };
        assert_eq!(result(&[("MCP-METHOD", b" tools/list\t")]), Ok(()));
        assert!(
            result(&[("mcp-method", b"=?base64?dG9vbHMvbGlzdA==?=")]).is_err(),
            "only a name may be encoded"
        );
        assert!(result(&[]).unwrap_err().0.contains("Mcp-Method is missing"));
        assert!(
            result(&[("mcp-method", b"TOOLS/LIST")])
                .unwrap_err()
                .0
                .contains("'TOOLS/LIST' vs body 'tools/list'")
        );
        assert!(result(&[("mcp-method", b"tools/list"), ("mcp-method", b"tools/list")]).is_err());
    }
}
