//! `initialize`, `server/discover`, and the server's description of itself.

use super::ResultWriter;
use super::descriptor::{separated, text, write_icons};
use crate::encode::quote_into;
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::RequestId;
use crate::jsonrpc::write::Object;
use crate::model::{Cache, Icon, Json};
use crate::revision::{COMPLETIONS, EXTENSIONS, Revision, Revisions};
use crate::uri::check_uri;

pub(super) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The description of the server for clients. It never changes.
pub(crate) struct Identity {
    pub(crate) info: ServerInfo,
    pub(crate) instructions: Option<String>,
    pub(crate) resources: ResourceCapability,
    result_meta: Vec<u8>,
}

/// The members of `serverInfo`.
pub(crate) struct ServerInfo {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) website_url: Option<String>,
    pub(crate) icons: Vec<Icon>,
}

impl ServerInfo {
    /// Checks the URLs of the website and the icons, which clients open and load.
    pub(crate) fn check(&self) -> Result<()> {
        self.icons.iter().try_for_each(Icon::check)?;
        let Some(url) = &self.website_url else { return Ok(()) };
        let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
        if !["https", "http"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            let message = format!("website_url \"{url}\": give an https: or http: URL");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        check_uri(url)
            .map_err(|e| Error::new(ErrorKind::InvalidArgument, format!("website_url \"{url}\": {e}")))
    }
}

/// The members of the capability `resources`.
pub(crate) struct ResourceCapability {
    pub(crate) subscribe: bool,
    pub(crate) list_changed: bool,
}

impl Identity {
    pub(crate) fn new(info: ServerInfo, instructions: Option<String>, resources: ResourceCapability) -> Self {
        let mut identity = Identity { info, instructions, resources, result_meta: Vec::new() };
        let mut meta = b"\"_meta\":".to_vec();
        let mut members = Object::begin(&mut meta);
        identity.write_server_info(members.member(SERVER_INFO));
        members.end();
        identity.result_meta = meta;
        identity
    }

    /// Returns the whole `"_meta":{…}` member of a result whose `_meta` has nothing else.
    pub(crate) fn result_meta(&self) -> &[u8] {
        &self.result_meta
    }

    /// Writes the server's name and version into a result's `_meta`, as the object `serverInfo`. Only revisions with
    /// all its members have it.
    pub(super) fn write_server_info(&self, out: &mut Vec<u8>) {
        self.write(out, Revision::newest());
    }

    fn write(&self, out: &mut Vec<u8>, revision: Revision) {
        let info = &self.info;
        out.extend_from_slice(b"{\"name\":");
        quote_into(&info.name, out);
        text(out, b",\"version\":\"", Some(&info.version));
        if revision.titles {
            text(out, b",\"title\":\"", info.title.as_deref());
        }
        if revision.icons {
            text(out, b",\"description\":\"", info.description.as_deref());
            text(out, b",\"websiteUrl\":\"", info.website_url.as_deref());
            write_icons(out, &info.icons);
        }
        out.push(b'}');
    }

    fn write_capabilities(&self, out: &mut Vec<u8>, revision: Revision, (resources, further): Offered<'_>) {
        let mut capabilities = Object::begin(out);
        if resources {
            let mut resources = Object::begin(capabilities.member("resources"));
            for (name, offered) in
                [("subscribe", self.resources.subscribe), ("listChanged", self.resources.list_changed)]
            {
                if offered && revision.notifies {
                    resources.boolean(name, true);
                }
            }
            resources.end();
        }
        for (name, capability) in further {
            if match name.as_str() {
                COMPLETIONS => revision.completions,
                EXTENSIONS => revision.extensions,
                _ => true,
            } {
                let member = capabilities.any_member(name);
                match if revision.notifies { None } else { without_notifications(capability) } {
                    Some(less) => member.extend_from_slice(less.as_bytes()),
                    None => member.extend_from_slice(capability.as_str().as_bytes()),
                }
            }
        }
        capabilities.end();
    }
}

/// True if resources are offered, and all other capabilities with their settings.
type Offered<'a> = (bool, &'a [(String, Json)]);

/// Returns a capability without `listChanged` and the like, for clients that cannot get notifications. `None` if
/// nothing has to be left out.
fn without_notifications(capability: &Json) -> Option<String> {
    let mut members: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(capability.as_str()).ok()?;
    members.remove("listChanged")?;
    serde_json::to_string(&members).ok()
}

pub(crate) fn initialize(
    out: &mut Vec<u8>,
    revision: Revision,
    id: &RequestId,
    identity: &Identity,
    offered: Offered<'_>,
) {
    let mut result = ResultWriter::begin(out, revision, id);
    quote_into(revision.as_str(), result.member("protocolVersion"));
    identity.write_capabilities(result.member("capabilities"), revision, offered);
    identity.write(result.member("serverInfo"), revision);
    if let Some(instructions) = &identity.instructions {
        quote_into(instructions, result.member("instructions"));
    }
    result.end(identity, Cache::None);
}

pub(crate) fn discover(
    out: &mut Vec<u8>,
    revision: Revision,
    id: &RequestId,
    identity: &Identity,
    offered: Offered<'_>,
    revisions: &Revisions,
    cache: Cache,
) {
    let mut result = ResultWriter::begin(out, revision, id);
    let versions = result.member("supportedVersions");
    versions.push(b'[');
    separated(versions, revisions.all(), |out, revision| quote_into(revision.as_str(), out));
    versions.push(b']');
    identity.write_capabilities(result.member("capabilities"), revision, offered);
    if let Some(instructions) = &identity.instructions {
        quote_into(instructions, result.member("instructions"));
    }
    result.end(identity, cache);
}
