//! Extensions of the protocol: their identifiers, and which ones a client declares.

use super::Json;
use super::meta_key::MetaKey;
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::{Raw, elements, for_each_member, is_array, is_object, members, string};
use crate::revision::Era;

/// The identifier of MCP Apps.
pub(crate) const APPS: &str = "io.modelcontextprotocol/ui";

/// The MIME type of the documents of MCP Apps.
pub(crate) const APP_TYPE: &str = "text/html;profile=mcp-app";

/// The prefix of the official extensions.
const OFFICIAL: &str = "io.modelcontextprotocol/";

/// Fails if a text is no identifier of an extension: a prefix, `/`, and a name (`rows.tsv` EX-02).
pub(crate) fn check_extension(id: &str) -> Result<()> {
    let refuse = |why: &str| {
        let message = format!("the extension \"{id}\" {why}; write for instance \"com.example/charts\"");
        Err(Error::new(ErrorKind::InvalidArgument, message))
    };
    match MetaKey::parse(id) {
        None => refuse("has an ill-formed identifier"),
        Some(MetaKey::Bare) => refuse("has no prefix"),
        Some(_) if id.ends_with('/') => refuse("has no name after its prefix"),
        Some(MetaKey::Reserved) if !id.starts_with(OFFICIAL) => {
            refuse("has a prefix that the protocol reserves")
        }
        Some(MetaKey::Reserved | MetaKey::Prefixed) => Ok(()),
    }
}

/// The extensions that a client declares.
#[derive(Debug, Clone)]
pub struct ClientExtensions {
    capabilities: Json,
    /// The era of the client. Revisions of the handshake era lack the member `extensions`, so an entry may be under
    /// `experimental`.
    era: Era,
}

/// Makes the value of a client that declares no extension.
impl Default for ClientExtensions {
    fn default() -> Self {
        ClientExtensions::new(Json::empty(), Era::Stateless)
    }
}

impl ClientExtensions {
    pub(crate) fn new(capabilities: Json, era: Era) -> Self {
        ClientExtensions { capabilities, era }
    }

    /// Returns the client's settings of an extension, the text of a JSON object. `None` if the client does not declare
    /// it.
    pub fn get(&self, id: &str) -> Option<&str> {
        self.settings(id).map(Raw::get)
    }

    /// Returns whether the client declares that it shows MCP Apps.
    pub fn supports_apps(&self) -> bool {
        let types =
            self.settings(APPS).and_then(|settings| member(settings, "mimeTypes")).filter(|t| is_array(*t));
        let types = types.and_then(|types| elements(types, usize::MAX)).unwrap_or_default();
        types.into_iter().filter_map(string).any(|one| is_app_type(&one))
    }

    /// Returns the name of an entry that is no object, and therefore counts as absent. `None` if there is no such
    /// entry.
    pub(crate) fn malformed(&self) -> Option<String> {
        let mut found = None;
        for_each_member(self.entries("extensions")?, |name, settings| {
            if found.is_none() && !is_object(settings) {
                found = Some(name.to_owned());
            }
        });
        found
    }

    fn settings(&self, id: &str) -> Option<Raw<'_>> {
        let declared = self.entries("extensions").and_then(|entries| member(entries, id));
        let experimental = || {
            self.entries("experimental")
                .filter(|_| self.era == Era::Handshake)
                .and_then(|entries| member(entries, id))
        };
        declared.or_else(experimental).filter(|settings| is_object(*settings))
    }

    fn entries(&self, name: &str) -> Option<Raw<'_>> {
        member(self.capabilities.raw(), name).filter(|entries| is_object(*entries))
    }
}

fn member<'a>(object: Raw<'a>, name: &str) -> Option<Raw<'a>> {
    members(object, &[name]).ok().and_then(|[member]| member)
}

/// Returns whether a text is the MIME type of MCP Apps, in any case and with any spaces around the semicolon.
pub(crate) fn is_app_type(text: &str) -> bool {
    let Some((essence, profile)) = text.split_once(';') else { return false };
    let (own, own_profile) = APP_TYPE.split_once(';').unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(own) && profile.trim().eq_ignore_ascii_case(own_profile)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(capabilities: &str, era: Era) -> ClientExtensions {
        ClientExtensions::new(Json::parse(capabilities).unwrap(), era)
    }

    // row: EX-02
    #[test]
    fn an_identifier_has_a_prefix_and_a_name() {
        for good in ["com.example/a", "io.modelcontextprotocol/ui", "com.example.mcp/a", "x/y"] {
            assert!(check_extension(good).is_ok(), "{good}");
        }
        for bad in [
            "a",
            "",
            "com.example/",
            "/a",
            "1.b/a",
            "com.mcp/a",
            "com.example/a b",
            "a/b/c",
            "io.modelcontextprotocol/",
        ] {
            assert!(check_extension(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_entry_that_is_no_object_counts_as_absent() {
        let client = declared(r#"{"extensions":{"a/b":true,"c/d":{"e":1}}}"#, Era::Handshake);
        assert_eq!((client.get("a/b"), client.get("c/d")), (None, Some(r#"{"e":1}"#)));
        assert_eq!(client.malformed().as_deref(), Some("a/b"));
        assert_eq!(declared(r#"{"extensions":[]}"#, Era::Handshake).get("a/b"), None);
        assert_eq!(declared(r#"{"extensions":{"a/b":{},"a/b":{}}}"#, Era::Handshake).get("a/b"), None);
    }

    #[test]
    fn experimental_counts_only_in_the_handshake_era() {
        let text = r#"{"experimental":{"a/b":{}}}"#;
        assert_eq!(declared(text, Era::Handshake).get("a/b"), Some("{}"));
        assert_eq!(declared(text, Era::Stateless).get("a/b"), None);
    }

    #[test]
    fn a_client_supports_apps_if_it_names_their_type() {
        let has = |settings: &str| {
            declared(
                &format!(r#"{{"extensions":{{"io.modelcontextprotocol/ui":{settings}}}}}"#),
                Era::Stateless,
            )
            .supports_apps()
        };
        assert!(has(r#"{"mimeTypes":["text/plain","Text/HTML ; Profile=mcp-app"]}"#));
        assert!(!has("{}"));
        assert!(!has(r#"{"mimeTypes":["text/html"]}"#));
        assert!(!has(r#"{"mimeTypes":"text/html;profile=mcp-app"}"#));
    }
}
