//! `initialize`, `server/discover`, and what the server says of itself.

use super::descriptor::{separated, text};
use super::{Cache, ResultWriter};
use crate::encode::quote_into;
use crate::jsonrpc::RequestId;
use crate::revision::Revision;

/// Who the server is and what it offers; never changes.
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) title: Option<String>,
    pub(crate) instructions: Option<String>,
    pub(crate) subscribe: bool,
    pub(crate) list_changed: bool,
    result_meta: Vec<u8>,
}

impl Identity {
    pub(crate) fn new(
        name: String,
        version: String,
        title: Option<String>,
        instructions: Option<String>,
        subscribe: bool,
        list_changed: bool,
    ) -> Self {
        let mut identity =
            Identity { name, version, title, instructions, subscribe, list_changed, result_meta: Vec::new() };
        let mut meta = b"\"_meta\":{".to_vec();
        identity.write_server_info_member(&mut meta);
        meta.push(b'}');
        identity.result_meta = meta;
        identity
    }

    /// The whole `"_meta":{…}` member of a result whose `_meta` says nothing else.
    pub(crate) fn result_meta(&self) -> &[u8] {
        &self.result_meta
    }

    /// The member of a result's `_meta` that names the server.
    pub(crate) fn write_server_info_member(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"io.modelcontextprotocol/serverInfo\":");
        self.write(out, true);
    }

    fn write(&self, out: &mut Vec<u8>, titles: bool) {
        out.extend_from_slice(b"{\"name\":");
        quote_into(&self.name, out);
        text(out, "version", Some(&self.version));
        if titles {
            text(out, "title", self.title.as_deref());
        }
        out.push(b'}');
    }

    fn write_capabilities(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(match (self.subscribe, self.list_changed) {
            (true, true) => b"{\"resources\":{\"subscribe\":true,\"listChanged\":true}}",
            (true, false) => b"{\"resources\":{\"subscribe\":true}}",
            (false, true) => b"{\"resources\":{\"listChanged\":true}}",
            (false, false) => b"{\"resources\":{}}",
        });
    }
}

pub(crate) fn initialize(out: &mut Vec<u8>, revision: &Revision, id: &RequestId, identity: &Identity) {
    let mut result = ResultWriter::begin(out, revision, id);
    quote_into(revision.as_str(), result.member("protocolVersion"));
    identity.write_capabilities(result.member("capabilities"));
    identity.write(result.member("serverInfo"), revision.titles);
    if let Some(instructions) = &identity.instructions {
        quote_into(instructions, result.member("instructions"));
    }
    result.end(identity, Cache::None);
}

pub(crate) fn discover(out: &mut Vec<u8>, revision: &Revision, id: &RequestId, identity: &Identity) {
    let mut result = ResultWriter::begin(out, revision, id);
    let versions = result.member("supportedVersions");
    versions.push(b'[');
    separated(versions, Revision::all(), |out, revision| quote_into(revision.as_str(), out));
    versions.push(b']');
    identity.write_capabilities(result.member("capabilities"));
    if let Some(instructions) = &identity.instructions {
        quote_into(instructions, result.member("instructions"));
    }
    result.end(identity, Cache::NoReuse);
}
