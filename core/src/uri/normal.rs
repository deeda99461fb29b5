//! The spelling of a URI without needless escapes (RFC 3986, section 6.2.2).

/// Returns the URI with escapes of letters, digits and `-._~` decoded, and the digits of other escapes in upper case.
/// RFC 3986 calls such spellings equivalent. `None` if the URI has that spelling already.
pub(crate) fn normalized(uri: &str) -> Option<String> {
    let mut normal = String::with_capacity(uri.len());
    let mut rest = uri;
    while let Some(at) = rest.find('%') {
        let (before, escape) = rest.split_at(at);
        normal.push_str(before);
        let Some((byte, after)) = split_escape(escape) else {
            return None; // no URI
        };
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            normal.push(byte.into());
        } else {
            normal.push_str(&escape[..3].to_ascii_uppercase());
        }
        rest = after;
    }
    normal.push_str(rest);
    (normal != uri).then_some(normal)
}

/// Splits `%41…` into the byte of the escape and the text after it.
fn split_escape(escape: &str) -> Option<(u8, &str)> {
    let byte = u8::from_str_radix(escape.get(1..3)?, 16).ok()?;
    Some((byte, &escape[3..]))
}

#[cfg(test)]
mod tests {
    use super::normalized;

    #[test]
    fn only_needless_escapes_are_decoded() {
        let normal = |uri| normalized(uri).unwrap_or_else(|| "as it is".to_owned());
        assert_eq!(normal("notes://%70riv%61te/%2f%7E%c3%A9%2E"), "notes://private/%2F~%C3%A9.");
        assert_eq!(normal("notes://a/%2F%25?b#c"), "as it is");
        assert_eq!(normal("notes://a/%252e"), "as it is");
        assert_eq!(normal("notes://{%2"), "as it is");
        assert_eq!(normal("notes://%+1é%é"), "as it is");
    }
}
