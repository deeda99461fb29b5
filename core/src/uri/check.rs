//! The RFC 3986 check of a resource URI.

use std::fmt;
use std::net::Ipv6Addr;

/// Checks that `uri` is an absolute URI by RFC 3986. A fragment is allowed, a relative reference is not.
///
/// Makes one pass over the bytes without allocating, because it runs for each item of each page.
pub(crate) fn check_uri(uri: &str) -> Result<(), UriError> {
    let bytes = uri.as_bytes();
    let colon = check_scheme(bytes)?;
    let mut at = colon + 1;
    if bytes[at..].starts_with(b"//") {
        let start = at + 2;
        at = skip(bytes, start, REG_NAME);
        if !matches!(bytes.get(at), None | Some(b'/' | b'?' | b'#')) {
            // The authority has more than a plain name.
            let end = bytes[at..].iter().position(|b| matches!(b, b'/' | b'?' | b'#'));
            at = end.map_or(bytes.len(), |n| at + n);
            check_authority(uri, start, at)?;
        }
    }
    let mut fragment = false;
    loop {
        at = skip(bytes, at, PATH);
        match bytes.get(at) {
            None => return Ok(()),
            Some(b'%') => at = after_escape(bytes, at)?,
            Some(b'#') if !fragment => {
                fragment = true;
                at += 1;
            }
            Some(_) => return Err(wrong_byte(uri, at)),
        }
    }
}

/// The reason why a text is not an absolute URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UriError {
    /// The offset of the first offending byte; the length of the text if something is missing at its end.
    pub(crate) at: usize,
    problem: UriProblem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum UriProblem {
    NoScheme,
    Brace(char),
    Character(char),
    Escape,
    Host,
    Port,
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.problem {
            UriProblem::NoScheme => f.write_str(
                "not an absolute URI: it does not begin with a scheme and a colon, as in `notes:`",
            ),
            UriProblem::Brace(c) => {
                write!(
                    f,
                    "`{c}` is not allowed in a URI; a URI template was probably meant: register it as one"
                )
            }
            UriProblem::Character(c) => {
                write!(f, "the character {c:?} is not allowed here in a URI; percent-encode it")
            }
            UriProblem::Escape => {
                f.write_str("`%` is not followed by two hexadecimal digits; a literal `%` is `%25`")
            }
            UriProblem::Host => {
                f.write_str("the host in brackets is neither an IPv6 address nor an IPvFuture one")
            }
            UriProblem::Port => f.write_str("the port is not a decimal number"),
        }?;
        write!(f, " (at byte {})", self.at)
    }
}

impl std::error::Error for UriError {}

/// Returns whether `byte` may occur without an escape in a query or fragment: RFC 3986 `pchar`, `/` and `?`.
pub(super) fn is_uri_byte(byte: u8) -> bool {
    is(byte, PATH) || matches!(byte, b'#' | b'[' | b']')
}

/// Returns whether `byte` may occur in a scheme after its first letter.
pub(super) fn is_scheme_byte(byte: u8) -> bool {
    is(byte, SCHEME)
}

/// Checks the scheme of a URI. Returns the offset of the colon that ends it.
fn check_scheme(bytes: &[u8]) -> Result<usize, UriError> {
    let end = skip(bytes, 0, SCHEME);
    if bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(end) == Some(&b':') {
        return Ok(end);
    }
    let at = if bytes.first().is_some_and(u8::is_ascii_alphabetic) { end } else { 0 };
    let problem = match bytes.get(at) {
        Some(&brace @ (b'{' | b'}')) => UriProblem::Brace(brace.into()),
        _ => UriProblem::NoScheme,
    };
    Err(UriError { at, problem })
}

/// Checks `[ userinfo "@" ] host [ ":" port ]` between `start` and `end`.
fn check_authority(uri: &str, start: usize, end: usize) -> Result<(), UriError> {
    let bytes = &uri.as_bytes()[..end];
    let host = memchr::memchr(b'@', &bytes[start..]).map_or(start, |n| start + n + 1);
    let mut at = start;
    while at + 1 < host {
        at = match bytes[at] {
            b'%' => after_escape(bytes, at)?,
            byte if is(byte, REG_NAME) || byte == b':' => at + 1,
            _ => return Err(wrong_byte(uri, at)),
        };
    }
    at = host;
    if bytes.get(at) == Some(&b'[') {
        let close = memchr::memchr(b']', &bytes[at..]).map(|n| at + n);
        at = match close {
            Some(close) if is_ip_literal(&uri[at + 1..close]) => close + 1,
            _ => return Err(UriError { at, problem: UriProblem::Host }),
        };
    } else {
        while let Some(&byte) = bytes.get(at) {
            at = match byte {
                b'%' => after_escape(bytes, at)?,
                b':' => break,
                _ if is(byte, REG_NAME) => at + 1,
                _ => return Err(wrong_byte(uri, at)),
            };
        }
    }
    match bytes.get(at) {
        None => Ok(()),
        Some(b':') => match bytes[at + 1..].iter().position(|b| !b.is_ascii_digit()) {
            None => Ok(()),
            Some(n) => Err(UriError { at: at + 1 + n, problem: UriProblem::Port }),
        },
        Some(_) => Err(wrong_byte(uri, at)),
    }
}

fn is_ip_literal(text: &str) -> bool {
    let Some(future) = text.strip_prefix(['v', 'V']) else { return text.parse::<Ipv6Addr>().is_ok() };
    future.split_once('.').is_some_and(|(version, address)| {
        let hex = |b: u8| b.is_ascii_hexdigit();
        !version.is_empty()
            && version.bytes().all(hex)
            && !address.is_empty()
            && address.bytes().all(|b| is(b, REG_NAME) || b == b':')
    })
}

fn after_escape(bytes: &[u8], at: usize) -> Result<usize, UriError> {
    match bytes.get(at + 1..at + 3) {
        Some([high, low]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => Ok(at + 3),
        _ => Err(UriError { at, problem: UriProblem::Escape }),
    }
}

/// Makes the error for a byte that may not be at `at`. Every byte before it is ASCII, so `at` is a character boundary.
fn wrong_byte(uri: &str, at: usize) -> UriError {
    let character = uri.get(at..).and_then(|rest| rest.chars().next()).unwrap_or(char::REPLACEMENT_CHARACTER);
    let problem = if matches!(character, '{' | '}') {
        UriProblem::Brace(character)
    } else {
        UriProblem::Character(character)
    };
    UriError { at, problem }
}

const SCHEME: u8 = 1;
const REG_NAME: u8 = 2;
/// The characters of paths, queries and fragments: `pchar`, `/` and `?`.
const PATH: u8 = 4;

fn is(byte: u8, class: u8) -> bool {
    CLASSES[usize::from(byte)] & class != 0
}

/// Returns the offset of the first byte from `at` on that is not in the class.
fn skip(bytes: &[u8], mut at: usize, class: u8) -> usize {
    while bytes.get(at).is_some_and(|&byte| is(byte, class)) {
        at += 1;
    }
    at
}

static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        let unreserved = b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
        let sub_delims =
            matches!(b, b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=');
        if b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.') {
            table[byte] |= SCHEME;
        }
        if unreserved || sub_delims {
            table[byte] |= REG_NAME | PATH;
        }
        if matches!(b, b':' | b'@' | b'/' | b'?') {
            table[byte] |= PATH;
        }
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use iri_string::types::UriStr;
    use proptest::prelude::*;

    fn message(uri: &str) -> String {
        check_uri(uri).unwrap_err().to_string()
    }

    // row: U-02, U-08
    #[test]
    fn absolute_uris_of_any_scheme_are_valid() {
        for uri in [
            "test://static-text",
            "file:///a/b%20c.txt",
            "urn:isbn:0451450523",
            "data:text/plain,hi",
            "s3://bucket/key?x=[".trim_end_matches('['),
            "a:",
            "a+b-c.9:x#frag/?",
            "http://u:p@[::1]:80/?q#f",
            "http://[v1.a:b]/",
            "postgres://h:/db",
        ] {
            assert_eq!(check_uri(uri), Ok(()), "{uri}");
        }
    }

    // row: U-02
    #[test]
    fn a_byte_that_rfc_3986_forbids_is_named_in_the_error() {
        for (uri, at) in [
            ("a:b c", 3),
            ("a:%2", 2),
            ("a:%zz", 2),
            ("a:\u{fc}", 2),
            ("a:b\\c", 3),
            ("a:b`", 3),
            ("a:x|y", 3),
            ("a:x^y", 3),
            ("a:<", 2),
            ("a:\"", 2),
            ("a:#b#", 4),
            ("a://h:8x/", 7),
            ("a://[::g]/", 4),
            ("a:/[x]", 3),
            ("1a:", 0),
            ("", 0),
        ] {
            assert_eq!(check_uri(uri).unwrap_err().at, at, "{uri}");
        }
    }

    // row: U-03
    #[test]
    fn a_relative_reference_is_refused() {
        assert!(message("/etc/passwd").contains("not an absolute URI"));
        assert!(message("notes/1").contains("scheme"));
    }

    #[test]
    fn the_error_for_a_brace_suggests_a_template() {
        for uri in ["notes://{id}", "notes://x}", "{scheme}:x", "{x"] {
            assert!(message(uri).contains("URI template was probably meant"), "{uri}");
        }
        assert!(message("notes://{id}").contains("at byte 8"));
    }

    proptest! {
        #[test]
        fn verdicts_equal_those_of_an_independent_parser(
            uri in "[aZ1+.-]{0,3}:?(//)?[a-zA-F0-9%:@/?#\\[\\]!$&'()*+,;=._~ {}|\\\\\u{e9}-]{0,24}"
        ) {
            prop_assert_eq!(check_uri(&uri).is_ok(), UriStr::new(&uri).is_ok(), "{}", uri);
        }

        #[test]
        fn verdicts_on_hosts_equal_those_of_an_independent_parser(
            host in "\\[[0-9a-f:.]{0,16}\\]|\\[v[0-9g.]{0,3}[a:.]{0,3}\\]|[0-9a-f:.@]{0,12}", rest in "(:[0-9]{0,3})?[/a]{0,2}"
        ) {
            let uri = format!("a://{host}{rest}");
            prop_assert_eq!(check_uri(&uri).is_ok(), UriStr::new(&uri).is_ok(), "{}", uri);
        }
    }
}
