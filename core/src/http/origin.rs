//! Decides by `Origin` and `Host` which requests of browsers are answered, against DNS rebinding.
//!
//! Source: the transport pages of every revision from 2025-03-26 on; RFC 6454 for `Origin`.

use super::RequestHead;
use crate::error::{Error, ErrorKind, Result};
use crate::refusals::RefusalKind;

/// The origins and hosts whose requests an endpoint answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OriginGate {
    /// The allowed origins, other than those of this machine, as `scheme://host[:port]`.
    pub(crate) origins: Vec<String>,
    /// The hosts that requests may name; if empty, any host.
    pub(crate) hosts: Vec<String>,
    /// True if the endpoint serves this machine only: it answers requests that name a loopback host, and those of this
    /// machine's own pages.
    pub(crate) loopback_only: bool,
}

/// The reason why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) status: u16,
    pub(crate) why: String,
    /// For the application's log: the kind of refusal, and the setting that would allow the request.
    pub(crate) hint: Option<(RefusalKind, &'static str)>,
}

const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl OriginGate {
    /// Allows these origins and hosts, in the spelling of the application, and no others.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for an origin or host that no request can name.
    pub(crate) fn allow(&mut self, origins: &[String], hosts: &[String]) -> Result<()> {
        self.origins = origins.iter().map(|given| read_origin(given)).collect::<Result<_>>()?;
        self.hosts = hosts.iter().map(|given| read_host(given)).collect::<Result<_>>()?;
        Ok(())
    }

    /// Checks a request of any method, before anything else of it is read.
    pub(crate) fn check(&self, head: &RequestHead<'_>) -> Result<(), Refused> {
        let host = host(head)?;
        let origin = head.one("origin").map_err(|_| Refused {
            status: 403,
            why: "Origin came more than once".to_owned(),
            hint: None,
        })?;
        if let Some(origin) = origin
            && !self.allows_origin(origin)
        {
            let origin = String::from_utf8_lossy(origin);
            let why = format!("the origin '{origin}' is not allowed");
            return Err(Refused { status: 403, why, hint: Some((RefusalKind::Origin, "allowed_origins")) });
        }
        if !self.allows_host(host) {
            let why = format!("the host '{host}' is not allowed");
            return Err(Refused { status: 403, why, hint: Some((RefusalKind::Host, "allowed_hosts")) });
        }
        Ok(())
    }

    pub(crate) fn allows_origin(&self, origin: &[u8]) -> bool {
        let Ok(origin) = std::str::from_utf8(origin) else { return false };
        if self.origins.iter().any(|allowed| is_origin(origin, allowed)) {
            return true;
        }
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        self.loopback_only && web && is_local(authority)
    }

    fn allows_host(&self, host: &str) -> bool {
        if self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host) || is_named(host, allowed)) {
            return true;
        }
        if self.loopback_only { is_local(host) } else { self.hosts.is_empty() }
    }
}

fn read_origin(given: &str) -> Result<String> {
    let origin = as_sent(given);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    let is_url = |(scheme, authority): (&str, &str)| is_scheme(scheme) && is_allowable(authority);
    // Browsers send `null` for pages that have no origin.
    if origin == "*" || origin == "null" || origin.split_once("://").is_some_and(is_url) {
        return Ok(origin);
    }
    Err(never_matches(
        "allowed_origins",
        given,
        ["https://app.example", "https://app.example:8443", "https://*.example.com"],
    ))
}

fn read_host(given: &str) -> Result<String> {
    let host = as_named(given);
    if host == "*" || is_allowable(&host) {
        return Ok(host);
    }
    Err(never_matches("allowed_hosts", given, ["mcp.example", "mcp.example:8443", "*.example.com"]))
}

fn never_matches(setting: &str, given: &str, [plain, port, below]: [&str; 3]) -> Error {
    let message = format!(
        "no request can match {given:?} in `{setting}`; write it as `{plain}`, `{port}`, `{below}` (any subdomain, any port) or `*`"
    );
    Error::new(ErrorKind::InvalidArgument, message)
}

/// Returns whether a request can name `authority`: a host, perhaps with a port, or `*.` and a domain.
fn is_allowable(authority: &str) -> bool {
    let (name, is_below) = match authority.strip_prefix("*.") {
        Some(domain) => (domain, true),
        None => (authority, false),
    };
    let (_, rest) = name.split_at(name.rfind(']').map_or(0, |at| at + 1));
    let is_port = rest.split_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_ok());
    let is_host = !name.is_empty() && !name.starts_with(':') && !name.contains('*') && is_authority(name);
    is_host && is_port && !(is_below && name.contains(':'))
}

/// Returns an origin in the spelling of browsers: in lower case, without a final slash, and without the port that its
/// scheme implies (RFC 6454, section 6.2).
fn as_sent(origin: &str) -> String {
    let mut origin = origin.strip_suffix('/').unwrap_or(origin).to_ascii_lowercase();
    for (scheme, implied) in [("http://", ":80"), ("https://", ":443")] {
        if origin.starts_with(scheme) && origin.ends_with(implied) {
            origin.truncate(origin.len() - implied.len());
        }
    }
    origin
}

/// Returns a host in the spelling of clients. An application may have written it as a URL, or with any port as `:*`.
fn as_named(host: &str) -> String {
    let url =
        host.split_once("://").map(|(_, rest)| rest.split_once('/').map_or(rest, |(authority, _)| authority));
    let authority = url.unwrap_or(host);
    authority.strip_suffix(":*").unwrap_or(authority).to_owned()
}

/// Returns whether `origin` matches an allowed one, in which `*` is any origin and `https://*.example.com` any
/// subdomain.
fn is_origin(origin: &str, allowed: &str) -> bool {
    let below = allowed.split_once("://").zip(origin.split_once("://"));
    let below = below.filter(|((scheme, _), (other, _))| scheme.eq_ignore_ascii_case(other));
    allowed == "*"
        || allowed.eq_ignore_ascii_case(origin)
        || below.is_some_and(|((_, allowed), (_, authority))| {
            allowed.starts_with("*.") && is_named(authority, allowed)
        })
}

/// Returns whether `authority` matches a host, whatever its port. `*` is any host, `*.example.com` any subdomain.
fn is_named(authority: &str, name: &str) -> bool {
    let Some(domain) = name.strip_prefix('*') else { return is_host(authority, name) };
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let at = host.len().saturating_sub(domain.len());
    let is_below = || at > 0 && host.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(domain));
    domain.is_empty()
        || domain.starts_with('.') && is_below() && is_authority(host) && is_host(authority, host)
}

/// Returns whether `authority` is this machine, whatever its port.
fn is_local(authority: &str) -> bool {
    LOCAL.iter().any(|local| is_host(authority, local))
}

/// Returns whether `authority` is that host, whatever its port.
fn is_host(authority: &str, host: &str) -> bool {
    let Some((name, port)) = authority.split_at_checked(host.len()) else { return false };
    let port =
        port.strip_prefix(':').map_or(port.is_empty(), |port| port.is_empty() || port.parse::<u16>().is_ok());
    name.eq_ignore_ascii_case(host) && port
}

/// Returns the host that a request is for: that of the target if it names one, otherwise that of `Host`. In any case
/// `Host` must be there once and well formed (RFC 9112, section 3.2).
fn host<'a>(head: &RequestHead<'a>) -> Result<&'a str, Refused> {
    let malformed = |why: &str| Refused { status: 400, why: why.to_owned(), hint: None };
    let field = head.one("host").map_err(|_| malformed("Host came more than once"))?;
    let field = field.ok_or_else(|| malformed("Host is missing"))?;
    let field = std::str::from_utf8(field).ok().filter(|field| is_authority(field));
    let field = field.ok_or_else(|| malformed("Host is malformed; write it as host or host:port"))?;
    match head.authority() {
        Some(authority) if is_authority(authority) => Ok(authority),
        Some(_) => Err(malformed("the host of the request target is malformed")),
        None => Ok(field),
    }
}

/// Returns whether `text` is a host, perhaps with a port (RFC 3986, section 3.2.2). It may be empty.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let Some((literal, port)) = rest.split_once(']') else { return false };
            if literal.is_empty() || !literal.bytes().all(|byte| is_name(byte) || byte == b':') {
                return false;
            }
            ("", port)
        }
        None => text.split_at(text.bytes().position(|byte| byte == b':').unwrap_or(text.len())),
    };
    let hex = |digits: Option<&[u8]>| digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let bytes = host.as_bytes();
    let is_host = bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'%' => hex(bytes.get(at + 1..at + 3)),
        byte => is_name(*byte),
    });
    let is_port =
        port.strip_prefix(':').map_or(port.is_empty(), |port| port.bytes().all(|b| b.is_ascii_digit()));
    is_host && is_port
}

/// Returns whether a byte can stand in a host without an escape.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(gate: &OriginGate, headers: &[(&str, &str)]) -> bool {
        status(gate, "/", headers) == 200
    }

    fn status(gate: &OriginGate, target: &str, headers: &[(&str, &str)]) -> u16 {
        let headers: Vec<(&str, &[u8])> = headers.iter().map(|(n, v)| (*n, v.as_bytes())).collect();
        let result = gate.check(&RequestHead { method: "POST", target, headers: &headers, peer: &[] });
        result.map_or_else(|refused| refused.status, |()| 200)
    }

    fn local() -> OriginGate {
        OriginGate { origins: Vec::new(), hosts: Vec::new(), loopback_only: true }
    }

    #[test]
    fn this_machine_answers_itself_only() {
        // row: O-01, O-02, O-03, O-04, O-05
        let host = ("Host", "localhost:8000");
        assert!(check(&local(), &[host]));
        for origin in ["http://localhost", "https://LOCALHOST:1", "http://127.0.0.1:65535", "http://[::1]:80"]
        {
            assert!(check(&local(), &[host, ("Origin", origin)]), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example.com",
            "http://localhost.evil.example",
            "http://localhost:80:80",
            "http://localhost:evil",
            "http://localhost@evil.example",
            "file://localhost",
            "http://127.0.0.1.nip.io",
            "http://localhost:99999",
        ] {
            assert!(!check(&local(), &[host, ("Origin", origin)]), "{origin}");
        }
        for host in ["127.0.0.1", "[::1]:8000", "LocalHost"] {
            assert!(check(&local(), &[("host", host)]), "{host}");
        }
        for host in ["evil.example.com", "evil.example.com:8000", "localhost.", ""] {
            assert!(!check(&local(), &[("host", host)]), "{host}");
        }
        assert!(!check(&local(), &[]));
    }

    #[test]
    fn an_endpoint_for_other_machines_allows_the_hosts_that_were_set() {
        let mut gate = OriginGate {
            origins: vec!["https://app.example".into()],
            hosts: Vec::new(),
            loopback_only: false,
        };
        assert!(check(&gate, &[("host", "anything.example")]));
        assert!(check(&gate, &[("host", "h"), ("origin", "https://app.example")]));
        assert!(!check(&gate, &[("host", "h"), ("origin", "https://app.example:8443")]));
        assert!(!check(&gate, &[("host", "h"), ("origin", "http://localhost")]));
        gate.hosts = vec!["mcp.example".into()];
        assert!(check(&gate, &[("host", "mcp.example")]));
        assert!(check(&gate, &[("host", "MCP.example:443")]));
        assert!(!check(&gate, &[("host", "other.example")]));
    }

    #[test]
    fn a_star_allows_any_name_or_any_subdomain() {
        let gate = |origin: &str, host: &str| OriginGate {
            origins: vec![as_sent(origin)],
            hosts: vec![as_named(host)],
            loopback_only: true,
        };
        let any = gate("*", "*");
        assert!(check(&any, &[("host", "h.example:1"), ("origin", "https://o.example")]));
        let below = gate("https://*.example.com", "*.example.com");
        assert!(check(&below, &[("host", "a.b.Example.com:8000"), ("origin", "https://app.example.com")]));
        assert!(check(&below, &[("host", "localhost")]));
        for host in ["example.com", "aexample.com", "a.example.com.evil.example", ".example.com", "evil"] {
            assert!(!check(&below, &[("host", host)]), "{host}");
        }
        for origin in ["http://app.example.com", "https://example.com", "https://a.example.com.evil", "null"]
        {
            assert!(!check(&below, &[("host", "a.example.com"), ("origin", origin)]), "{origin}");
        }
    }

    #[test]
    fn an_entry_that_no_request_can_match_is_refused() {
        let allow = |origin: &str, host: &str| {
            let mut gate = local();
            gate.allow(&[origin.to_owned()], &[host.to_owned()]).map_err(|e| e.to_string())
        };
        for origin in [
            "",
            "app.example",
            "https:app.example",
            "://app.example",
            "*://app.example",
            "https://",
            "https://:80",
            "https://app.example/page",
            "https://app.example//",
            "https://app.example?q",
            "https://a@app.example",
            "https://app.example:*",
            "https://app.example:",
            "https://app.example:99999",
            "https://a*b.example",
            "https://a.*.example",
            "https://*",
            "https://*.",
            "https://*.example.com:8443",
            "https://*.[::1]",
            " https://app.example",
            "https://\u{f6}.example",
            "*.example.com",
            "**",
        ] {
            let hint = "in `allowed_origins`; write it as `https://app.example`, `https://app.example:8443`, \
                `https://*.example.com` (any subdomain, any port) or `*`";
            assert_eq!(allow(origin, "h"), Err(format!("no request can match {origin:?} {hint}")));
        }
        for host in [
            "",
            "/",
            "mcp.example/mcp",
            "https:mcp.example",
            "https://",
            "https://?q",
            "https://a@mcp.example",
            ":8000",
            "mcp.example:",
            "mcp.example:port",
            "mcp.example:99999",
            "::1",
            "[::1",
            "a*b.example",
            "mcp.*.example",
            "*example.com",
            "*.",
            "*.*.example",
            "*.example.com:8000",
            "*:8000",
            " mcp.example",
            "h\u{f6}st",
        ] {
            let hint = "in `allowed_hosts`; write it as `mcp.example`, `mcp.example:8443`, \
                `*.example.com` (any subdomain, any port) or `*`";
            assert_eq!(allow("*", host), Err(format!("no request can match {host:?} {hint}")));
        }
        for origin in ["*", "null", "https://*.Example.com/", "http://[::1]:80", "app://main", "http://a_b"] {
            assert_eq!(allow(origin, "h"), Ok(()), "{origin}");
        }
        for host in ["*", "*:*", "*.example.com", "*.example.com:*", "[::1]:8080", "https://h.example/mcp"] {
            assert_eq!(allow("*", host), Ok(()), "{host}");
        }
    }

    #[test]
    fn an_origin_may_be_given_as_people_write_it() {
        for (given, sent) in [
            ("https://app.example/", "https://app.example"),
            ("https://app.example:443", "https://app.example"),
            ("http://app.example:80/", "http://app.example"),
            ("https://app.example:80", "https://app.example:80"),
            ("http://app.example:443", "http://app.example:443"),
            ("HTTPS://App.example:443", "https://app.example"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("app://main:80", "app://main:80"),
        ] {
            assert_eq!(as_sent(given), sent);
        }
    }

    #[test]
    fn an_allowed_host_may_have_any_usual_spelling() {
        for (given, named) in [
            ("mcp.example", "mcp.example"),
            ("https://mcp.example/", "mcp.example"),
            ("https://mcp.example:8443/mcp", "mcp.example:8443"),
            ("mcp.example:*", "mcp.example"),
            ("[::1]:8080", "[::1]:8080"),
        ] {
            assert_eq!(as_named(given), named);
        }
    }

    #[test]
    fn a_host_that_is_missing_repeated_or_malformed_is_a_bad_request() {
        // row: O-04
        let open = OriginGate { origins: Vec::new(), hosts: Vec::new(), loopback_only: false };
        for gate in [&local(), &open] {
            assert_eq!(status(gate, "/", &[]), 400);
            assert_eq!(status(gate, "/", &[("host", "localhost"), ("Host", "localhost")]), 400);
            for bad in [
                "local host",
                "a@localhost",
                "localhost:x",
                "localhost:1:2",
                "::1",
                "[::1",
                "[]",
                "[::1]x",
                "localhost/",
                "http://localhost",
                "localhost%2",
                "h\u{f6}st",
            ] {
                assert_eq!(status(gate, "/", &[("host", bad)]), 400, "{bad}");
            }
            for good in ["localhost:", "localhost:8000", "[::1]", "127.0.0.1:0"] {
                assert_eq!(status(gate, "/", &[("host", good)]), 200, "{good}");
            }
        }
        assert_eq!((status(&local(), "/", &[("host", "")]), status(&open, "/", &[("host", "")])), (403, 200));
    }

    #[test]
    fn the_host_of_a_target_counts_and_not_that_of_the_field() {
        // row: O-04
        let (here, there) = ("http://localhost/mcp", "http://evil.example/mcp");
        assert_eq!(status(&local(), there, &[("host", "localhost")]), 403);
        assert_eq!(status(&local(), here, &[("host", "evil.example")]), 200);
        assert_eq!(status(&local(), here, &[]), 400);
        assert_eq!(status(&local(), "http://a@localhost/mcp", &[("host", "localhost")]), 400);
    }

    #[test]
    fn two_origins_are_refused() {
        let origin = ("origin", "http://localhost");
        assert!(!check(&local(), &[("host", "localhost"), origin, origin]));
    }
}
