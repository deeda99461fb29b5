//! Who may ask from a browser: `Origin` and `Host`, against DNS rebinding.
//!
//! Source: the transport pages of every revision from 2025-03-26 on; RFC 6454 for `Origin`.

use super::RequestHead;

/// Whom an endpoint answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gate {
    /// The origins that are allowed beside those of this machine, as `scheme://host[:port]`.
    pub(crate) origins: Vec<String>,
    /// The hosts that the endpoint goes by; none: any.
    pub(crate) hosts: Vec<String>,
    /// The endpoint is bound to this machine only: requests of its own pages are fine, and of no other name.
    pub(crate) loopback: bool,
}

/// Why a request is not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) String);

const LOCAL: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

impl Gate {
    /// Checked on every method, before anything else is read.
    pub(crate) fn check(&self, head: &RequestHead<'_>) -> Result<(), Refused> {
        let origin = head.one("origin").map_err(|_| twice("Origin"))?;
        if let Some(origin) = origin
            && !self.allows_origin(origin)
        {
            let origin = String::from_utf8_lossy(origin);
            return Err(Refused(format!("the origin '{origin}' is not allowed; see allowed_origins")));
        }
        let host = head.one("host").map_err(|_| twice("Host"))?.unwrap_or_default();
        if !self.allows_host(host) {
            let host = String::from_utf8_lossy(host);
            return Err(Refused(format!("the host '{host}' is not allowed; see allowed_hosts")));
        }
        Ok(())
    }

    pub(crate) fn allows_origin(&self, origin: &[u8]) -> bool {
        let Ok(origin) = std::str::from_utf8(origin) else { return false };
        if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        self.loopback && web && is_local(authority)
    }

    fn allows_host(&self, host: &[u8]) -> bool {
        let Ok(host) = std::str::from_utf8(host) else { return false };
        if self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host) || is_host(host, allowed)) {
            return true;
        }
        if self.loopback { is_local(host) } else { self.hosts.is_empty() }
    }
}

/// An origin as browsers send it: in lower case, without a slash behind it, and without the port that its scheme implies
/// (RFC 6454, section 6.2).
pub(crate) fn as_sent(origin: &str) -> String {
    let mut origin = origin.strip_suffix('/').unwrap_or(origin).to_ascii_lowercase();
    for (scheme, implied) in [("http://", ":80"), ("https://", ":443")] {
        if origin.starts_with(scheme) && origin.ends_with(implied) {
            origin.truncate(origin.len() - implied.len());
        }
    }
    origin
}

/// A host as clients name it, of what people write for one: a URL, or any port as `:*`.
pub(crate) fn as_named(host: &str) -> String {
    let authority = host.split_once("://").map_or(host, |(_, authority)| authority);
    let authority = authority.split_once('/').map_or(authority, |(authority, _)| authority);
    authority.strip_suffix(":*").unwrap_or(authority).to_owned()
}

/// Whether an authority is this machine, whatever its port.
fn is_local(authority: &str) -> bool {
    LOCAL.iter().any(|local| is_host(authority, local))
}

/// Whether an authority is that host, whatever its port.
fn is_host(authority: &str, host: &str) -> bool {
    let Some((name, port)) = authority.split_at_checked(host.len()) else { return false };
    let port = port.strip_prefix(':').map_or(port.is_empty(), |port| port.parse::<u16>().is_ok());
    name.eq_ignore_ascii_case(host) && port
}

fn twice(name: &str) -> Refused {
    Refused(format!("{name} came more than once"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(gate: &Gate, headers: &[(&str, &str)]) -> bool {
        let headers: Vec<(&str, &[u8])> = headers.iter().map(|(n, v)| (*n, v.as_bytes())).collect();
        gate.check(&RequestHead { method: "POST", target: "/", headers: &headers }).is_ok()
    }

    fn local() -> Gate {
        Gate { origins: Vec::new(), hosts: Vec::new(), loopback: true }
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
        for host in ["evil.example.com", "evil.example.com:8000", "localhost.", "::1", ""] {
            assert!(!check(&local(), &[("host", host)]), "{host}");
        }
        assert!(!check(&local(), &[]));
    }

    #[test]
    fn an_endpoint_for_others_allows_what_it_was_told() {
        let mut gate =
            Gate { origins: vec!["https://app.example".into()], hosts: Vec::new(), loopback: false };
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
    fn a_host_may_be_given_as_people_write_it() {
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
    fn two_origins_or_hosts_are_refused() {
        assert!(!check(&local(), &[("host", "localhost"), ("Host", "localhost")]));
        let origin = ("origin", "http://localhost");
        assert!(!check(&local(), &[("host", "localhost"), origin, origin]));
    }
}
