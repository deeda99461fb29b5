//! The head of an HTTP request.

/// The method, target and header fields of an HTTP request (RFC 9110 section 6).
#[derive(Debug, Clone, Copy)]
pub struct RequestHead<'a> {
    /// The method, `POST` for example; case-sensitive.
    pub method: &'a str,
    /// The path and query, as in the request line. If it is a URL (RFC 9112, section 3.2.2), its host counts instead of
    /// `Host`.
    pub target: &'a str,
    /// The header fields in the order in which they came: the name in any case, the value as bytes. HTTP/2's
    /// `:authority` is `host`.
    pub headers: &'a [(&'a str, &'a [u8])],
    /// The connection that the request came over: its client's address and port, or any other text that tells it from
    /// other connections. All requests of one connection share a part of [`crate::Limits::buffer_bytes`]. If it is
    /// empty, requests with the same bearer token share a part if the endpoint judges tokens, and other requests have a
    /// part each.
    pub peer: &'a [u8],
}

/// The error for a header field that may occur once and came several times. Two programs could read different values of
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated<'n>(pub(crate) &'n str);

/// The greatest number of bytes of a head: target, names and values.
pub(crate) const HEAD_BYTES: usize = 128 << 10;

impl<'a> RequestHead<'a> {
    /// Returns the number of bytes that a copy of the head needs.
    pub(crate) fn bytes(&self) -> usize {
        self.target.len() + self.headers.iter().map(|(n, v)| n.len() + v.len()).sum::<usize>()
    }

    /// The path, without the query.
    pub(crate) fn path(&self) -> &'a str {
        let target = self.absolute().map_or(self.target, |(_, rest)| rest);
        let end = target.bytes().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(target.len());
        if end == 0 { "/" } else { &target[..end] }
    }

    /// Returns the authority of a target that is a URL; `None` if it is a path.
    pub(crate) fn authority(&self) -> Option<&'a str> {
        self.absolute().map(|(authority, _)| authority)
    }

    fn absolute(&self) -> Option<(&'a str, &'a str)> {
        if self.target.starts_with('/') {
            return None; // as almost always, and without a search
        }
        let (scheme, rest) = self.target.split_once("://")?;
        let is_scheme = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
        is_scheme.then(|| rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())))
    }

    /// Returns the values of every field of that name, without white space around them (RFC 9110 section 5.5).
    pub(crate) fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        let lines = self.headers.iter();
        lines.filter(move |(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| trim(value))
    }

    /// Returns the value of a field; `None` if it is absent. Fails if it came several times.
    pub(crate) fn one<'n>(&self, name: &'n str) -> Result<Option<&'a [u8]>, Repeated<'n>> {
        let mut all = self.all(name);
        let first = all.next();
        if all.next().is_some() { Err(Repeated(name)) } else { Ok(first) }
    }
}

/// A copy of a head. It has two blocks of memory, because each request over HTTP makes one.
pub(crate) struct OwnedHead {
    /// The method, the target, and the name and value of each field.
    parts: Box<[u8]>,
    /// The offset at which each part ends.
    ends: Box<[usize]>,
}

impl OwnedHead {
    pub(crate) fn new(head: &RequestHead<'_>) -> OwnedHead {
        let mut parts = Vec::with_capacity(head.method.len() + head.bytes());
        let mut ends = Vec::with_capacity(2 + 2 * head.headers.len());
        let mut add = |part: &[u8]| {
            parts.extend_from_slice(part);
            ends.push(parts.len());
        };
        add(head.method.as_bytes());
        add(head.target.as_bytes());
        for (name, value) in head.headers {
            add(name.as_bytes());
            add(value);
        }
        OwnedHead { parts: parts.into(), ends: ends.into() }
    }

    pub(crate) fn read<R>(&self, f: impl FnOnce(&RequestHead<'_>) -> R) -> R {
        let headers: Vec<(&str, &[u8])> = self.fields().map(|(name, value)| (text(name), value)).collect();
        let (method, target) = (text(self.part(0)), text(self.part(1)));
        f(&RequestHead { method, target, headers: &headers, peer: &[] })
    }

    /// Returns the value of a field; `None` if it is absent, came several times, or is no text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.fields().filter(|(n, _)| n.eq_ignore_ascii_case(name.as_bytes()));
        let (_, value) = values.next()?;
        if values.next().is_some() { None } else { std::str::from_utf8(trim(value)).ok() }
    }

    /// Returns the query of the target as it came, without its `?`; `None` if it has none.
    pub(crate) fn query(&self) -> Option<&str> {
        let target = text(self.part(1)).split('#').next()?;
        target.split_once('?').map(|(_, query)| query)
    }

    fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        (2..self.ends.len()).step_by(2).map(|name| (self.part(name), self.part(name + 1)))
    }

    fn part(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.parts[start..self.ends[number]]
    }
}

/// Returns a part that was a `str` in the head.
fn text(part: &[u8]) -> &str {
    std::str::from_utf8(part).unwrap_or_default()
}

fn trim(value: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let from = value.iter().position(|byte| !blank(byte)).unwrap_or(value.len());
    let to = value.iter().rposition(|byte| !blank(byte)).map_or(from, |at| at + 1);
    &value[from..to]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head<'a>(headers: &'a [(&'a str, &'a [u8])]) -> RequestHead<'a> {
        RequestHead { method: "POST", target: "/mcp?x=/y", headers, peer: &[] }
    }

    #[test]
    fn names_have_no_case_and_values_no_blanks_around_them() {
        // row: H-10
        let headers: [(&str, &[u8]); 2] = [("MCP-Session-Id", b" \t a b\t"), ("x", b" ")];
        assert_eq!(head(&headers).one("mcp-session-id"), Ok(Some(&b"a b"[..])));
        assert_eq!(head(&headers).one("X"), Ok(Some(&b""[..])));
        assert_eq!(head(&headers).one("y"), Ok(None));
        assert_eq!(head(&headers).path(), "/mcp");
    }

    #[test]
    fn a_target_may_be_a_url() {
        for (target, path, authority) in [
            ("http://h:80/mcp?x=/y", "/mcp", Some("h:80")),
            ("https://user@h", "/", Some("user@h")),
            ("http://h?x", "/", Some("h")),
            ("/mcp?x=http://h/other", "/mcp", None),
            ("*", "*", None),
        ] {
            let head = RequestHead { method: "POST", target, headers: &[], peer: &[] };
            assert_eq!((head.path(), head.authority()), (path, authority), "{target}");
        }
    }

    #[test]
    fn an_owned_head_has_the_fields_and_the_query() {
        let headers: [(&str, &[u8]); 4] = [("X-A", b" a "), ("x-b", b"\xff"), ("x-c", b"1"), ("X-C", b"2")];
        let owned = OwnedHead::new(&head(&headers));
        let of = ["x-a", "X-B", "x-c", "x-d"].map(|name| owned.header(name));
        assert_eq!(of, [Some("a"), None, None, None], "what is no text or came twice has no value");
        owned.read(|head| assert_eq!((head.headers, head.target), (&headers[..], "/mcp?x=/y")));
        for (target, query) in [
            ("/mcp?x=/y", Some("x=/y")),
            ("/mcp", None),
            ("/mcp?", Some("")),
            ("http://h/?a?b#c", Some("a?b")),
        ] {
            let head = RequestHead { method: "POST", target, headers: &[], peer: &[] };
            assert_eq!(OwnedHead::new(&head).query(), query, "{target}");
        }
    }

    #[test]
    fn a_field_that_may_occur_once_may_not_occur_twice() {
        let headers: [(&str, &[u8]); 2] = [("host", b"a"), ("Host", b"a")];
        assert_eq!(head(&headers).one("host"), Err(Repeated("host")));
        assert_eq!(head(&headers).all("host").count(), 2);
    }
}
