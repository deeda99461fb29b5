//! Answers clients that have no valid token for a protected endpoint: challenges (RFC 6750), and metadata (RFC 9728).

use super::RequestHead;
use crate::encode::quote_into;
use crate::error::{Error, ErrorKind, Result};
use crate::uri::check_uri;

/// The settings of an endpoint that requires a bearer token. Its clients learn them: see
/// [`super::EndpointBuilder::protect`].
///
/// The default is for tokens that people hand out themselves: clients learn nothing, and audiences are not compared.
///
/// Source: "Authorization" of every revision from 2025-06-18 on; RFC 6750, RFC 9728.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Protection {
    /// The endpoint's own URL, the audience that its tokens are issued for. `None`: no audience is compared.
    resource: Option<String>,
    authorization_servers: Vec<String>,
    scopes: Vec<String>,
}

/// The beginning of the path of a resource's metadata (RFC 9728 section 3.1).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// A scope that clients may ask for by themselves, so that challenges do not name it (2026-07-28, "Authorization").
const OFFLINE: &str = "offline_access";

impl Protection {
    /// Makes the settings of an endpoint that clients know by the URL `resource`, such as `https://example.com/mcp`.
    /// Tokens with this audience are issued by `authorization_servers`, at least one URL. The endpoint serves both as
    /// metadata at the well-known paths of RFC 9728, and takes requests for these paths, too.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a text that is no `http` or `https` URL or has a fragment, and without an
    /// authorization server.
    pub fn new(
        resource: &str,
        authorization_servers: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Protection> {
        let resource = canonical(resource)?;
        let authorization_servers: Vec<String> = authorization_servers.into_iter().map(Into::into).collect();
        if authorization_servers.is_empty() {
            let message = "name at least one authorization server, where clients get their tokens";
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        for server in &authorization_servers {
            canonical(server)?;
        }
        Ok(Protection { resource: Some(resource), authorization_servers, scopes: Vec::new() })
    }

    /// Sets the scopes that every request needs, in the form of RFC 6749 section 3.3. A token without them gets a 403.
    /// Default: none.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a text that is no scope: an empty one, or one with blanks, quotes or
    /// backslashes.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Result<Protection> {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        if let Some(scope) = self.scopes.iter().find(|scope| !is_scope(scope)) {
            let message =
                format!("\"{scope}\" is no scope: it may have no blanks, quotes or backslashes (RFC 6749)");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        Ok(self)
    }

    /// Returns the field `WWW-Authenticate` of a 401 for a request without a token.
    pub(super) fn token_missing(&self) -> String {
        challenge([None, self.metadata_member(), scope(&self.scopes)])
    }

    /// Returns the field `WWW-Authenticate` of a 401 for a request whose token is not valid.
    pub(super) fn token_invalid(&self) -> String {
        challenge([Some("error=\"invalid_token\"".to_owned()), self.metadata_member(), scope(&self.scopes)])
    }

    /// Returns the field `WWW-Authenticate` of a 403 for a token that lacks one of these scopes.
    pub(super) fn forbidden(&self, scopes: &[String]) -> String {
        challenge([Some("error=\"insufficient_scope\"".to_owned()), scope(scopes), self.metadata_member()])
    }

    /// Returns the field `WWW-Authenticate` of a 400 for a malformed `Authorization` field.
    pub(super) fn malformed(&self) -> String {
        challenge([Some("error=\"invalid_request\"".to_owned()), self.metadata_member(), None])
    }

    /// The scopes that every request needs.
    pub(super) fn needed(&self) -> &[String] {
        &self.scopes
    }

    /// Returns whether a token with these audiences was issued for this endpoint.
    pub(super) fn is_audience(&self, audience: &[String]) -> bool {
        let Some(resource) = &self.resource else { return true };
        audience.iter().any(|named| canonical(named).is_ok_and(|named| named == *resource))
    }

    fn metadata_member(&self) -> Option<String> {
        let (origin, path) = split(self.resource.as_ref()?);
        Some(format!("resource_metadata=\"{origin}{WELL_KNOWN}{path}\""))
    }

    /// Returns whether `path` is one of the metadata: that of the origin, that of the resource's path, or that of the
    /// endpoint's own path, which may differ behind a proxy.
    pub(super) fn is_metadata(&self, path: &str, endpoint: &str) -> bool {
        let Some(resource) = &self.resource else { return false };
        let Some(rest) = path.strip_prefix(WELL_KNOWN) else { return false };
        rest.is_empty() || rest == split(resource).1 || rest == endpoint
    }

    /// Returns the metadata document as JSON.
    pub(super) fn metadata(&self) -> Vec<u8> {
        let mut out = b"{\"resource\":".to_vec();
        quote_into(self.resource.as_deref().unwrap_or_default(), &mut out);
        out.extend_from_slice(b",\"authorization_servers\":");
        strings(self.authorization_servers.iter(), &mut out);
        if self.scopes.iter().any(|scope| scope != OFFLINE) {
            out.extend_from_slice(b",\"scopes_supported\":");
            strings(self.scopes.iter().filter(|scope| *scope != OFFLINE), &mut out);
        }
        out.extend_from_slice(b",\"bearer_methods_supported\":[\"header\"]}");
        out
    }
}

/// The bearer token of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequestToken<'a> {
    None,
    Bearer(&'a str),
    /// The field occurs twice, or names the scheme `Bearer` without a token.
    Malformed,
}

impl<'a> RequestToken<'a> {
    /// Reads the token in the field `Authorization`. A token in the query does not count, because it would get into
    /// logs.
    pub(super) fn read(head: &RequestHead<'a>) -> RequestToken<'a> {
        let Ok(field) = head.one("authorization") else { return RequestToken::Malformed };
        let Some(field) = field else { return RequestToken::None };
        let Ok(field) = std::str::from_utf8(field) else { return RequestToken::Malformed };
        let (scheme, token) = field.split_once(' ').unwrap_or((field, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            return if scheme.is_empty() { RequestToken::Malformed } else { RequestToken::None };
        }
        let token = token.trim_start_matches(' ');
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        if !token.is_empty() && token.bytes().all(is_token) {
            RequestToken::Bearer(token)
        } else {
            RequestToken::Malformed
        }
    }
}

fn challenge(members: [Option<String>; 3]) -> String {
    let members: Vec<String> = members.into_iter().flatten().collect();
    format!("Bearer {}", members.join(", ")).trim_end().to_owned()
}

fn scope(scopes: &[String]) -> Option<String> {
    let known = scopes.iter().map(String::as_str).filter(|scope| *scope != OFFLINE && is_scope(scope));
    let known: Vec<_> = known.collect();
    (!known.is_empty()).then(|| format!("scope=\"{}\"", known.join(" ")))
}

fn is_scope(scope: &str) -> bool {
    !scope.is_empty() && scope.bytes().all(|byte| matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~'))
}

/// Returns a URL in the form in which URLs are compared: scheme and host in lower case, and no slash if there is no
/// path.
fn canonical(url: &str) -> Result<String> {
    let invalid = |why: &str| {
        Err(Error::new(
            ErrorKind::InvalidArgument,
            format!("\"{url}\" {why}; write it as https://example.com/mcp"),
        ))
    };
    if check_uri(url).is_err() {
        return invalid("is no absolute URL");
    }
    if url.contains('#') {
        return invalid("has a fragment");
    }
    let (origin, path) = split(url);
    let origin = origin.to_ascii_lowercase();
    match origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://")) {
        Some(authority) if !authority.is_empty() => Ok(origin + path),
        _ => invalid("is no http or https URL"),
    }
}

/// Splits a URL into its scheme and authority, and its path, which is empty at the root.
fn split(url: &str) -> (&str, &str) {
    let from = url.find("://").map_or(0, |at| at + 3);
    let at = url[from..].find(['/', '?']).map_or(url.len(), |at| from + at);
    let (origin, path) = url.split_at(at);
    (origin, if path == "/" { "" } else { path })
}

fn strings<'a>(texts: impl Iterator<Item = &'a String>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (at, text) in texts.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        quote_into(text, out);
    }
    out.push(b']');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protection(resource: &str, scopes: &[&str]) -> Protection {
        Protection::new(resource, ["https://as"])
            .and_then(|p| p.scopes(scopes.to_vec()))
            .expect("all is valid")
    }

    #[test]
    fn challenges_name_the_metadata_and_the_scopes_but_never_offline_access() {
        // row: A-03, A-06, A-09, A-11, A-20
        let protection = protection("https://h/mcp", &["res:read", "offline_access"]);
        let metadata = "resource_metadata=\"https://h/.well-known/oauth-protected-resource/mcp\"";
        assert_eq!(protection.token_missing(), format!("Bearer {metadata}, scope=\"res:read\""));
        let invalid = format!("Bearer error=\"invalid_token\", {metadata}, scope=\"res:read\"");
        assert_eq!(protection.token_invalid(), invalid);
        let forbidden = format!("Bearer error=\"insufficient_scope\", scope=\"a b\", {metadata}");
        let scopes = ["a", "b", "offline_access", "quote\"", "line\n"].map(str::to_owned);
        assert_eq!(protection.forbidden(&scopes), forbidden);
        assert_eq!(Protection::default().token_missing(), "Bearer");
        assert_eq!(Protection::default().token_invalid(), "Bearer error=\"invalid_token\"");
    }

    #[test]
    fn the_metadata_stands_at_the_well_known_places() {
        // row: A-04, A-05, A-21
        let at = |protection: &Protection, place: &str| {
            protection.is_metadata(&format!("/.well-known/oauth-protected-resource{place}"), "/inside")
        };
        let protection = protection("https://h/mcp", &["res:read", "offline_access"]);
        assert!(at(&protection, "") && at(&protection, "/mcp") && at(&protection, "/inside"));
        assert!(!at(&protection, "/other") && !protection.is_metadata("/mcp", "/mcp"));
        assert!(!at(&Protection::default(), ""));
        let document = br#"{"resource":"https://h/mcp","authorization_servers":["https://as"],"scopes_supported":["res:read"],"bearer_methods_supported":["header"]}"#;
        assert_eq!(protection.metadata(), document);
    }

    #[test]
    fn the_resource_is_canonical_and_so_are_the_audiences_that_it_is_compared_with() {
        // row: A-07, A-22
        let root = protection("HTTPS://Example.COM/", &[]);
        let place = "\"https://example.com/.well-known/oauth-protected-resource\"";
        assert!(root.token_missing().contains(place));
        let audience =
            |names: &[&str]| root.is_audience(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        assert!(audience(&["https://example.com"]) && audience(&["x", "https://EXAMPLE.com/"]));
        assert!(!audience(&[]) && !audience(&["https://example.com/mcp", "https://example.com.evil"]));
        assert!(Protection::default().is_audience(&[]), "nothing is known to compare with");
        for bad in ["h/mcp", "ftp://h/mcp", "https://h/mcp#f", "https://", "https://h/a b", ""] {
            let refused = Protection::new(bad, ["https://as"]).expect_err(bad);
            assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        }
        assert!(Protection::new("https://h", Vec::<String>::new()).is_err());
        assert!(Protection::new("https://h", ["as"]).is_err());
        for bad in ["", "a b", "a\"", "a\\", "\u{e9}", "a\r\n"] {
            assert!(Protection::default().scopes([bad]).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn only_a_bearer_token_in_its_field_is_a_token() {
        // row: A-12, A-23
        let read = |values: &[&str]| {
            let headers: Vec<(&str, &[u8])> =
                values.iter().map(|v| ("Authorization", v.as_bytes())).collect();
            let head =
                RequestHead { method: "POST", target: "/mcp?access_token=x", headers: &headers, peer: &[] };
            format!("{:?}", RequestToken::read(&head))
        };
        assert_eq!(read(&["Bearer abc.def-1~+/="]), "Bearer(\"abc.def-1~+/=\")");
        assert_eq!(read(&["bearer  abc"]), "Bearer(\"abc\")");
        for none in [&[][..], &["Basic abc"], &["Basic"]] {
            assert_eq!(read(none), "None", "{none:?}");
        }
        for bad in [
            &["Bearer"][..],
            &["Bearer "],
            &["Bearer a b"],
            &["Bearer a,b"],
            &[""],
            &["Bearer a", "Bearer a"],
        ] {
            assert_eq!(read(bad), "Malformed", "{bad:?}");
        }
    }
}
