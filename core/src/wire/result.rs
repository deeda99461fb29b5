//! Writes the JSON around every result: its beginning, and the members that a revision adds to all results.

use super::Identity;
use crate::jsonrpc::RequestId;
use crate::jsonrpc::write::{begin_result, end};
use crate::model::Cache;
use crate::revision::Revision;

/// Writes `{"jsonrpc":…,"result":{…}}` around the members that the caller writes.
pub(crate) struct ResultWriter<'a> {
    out: &'a mut Vec<u8>,
    revision: Revision,
    empty: bool,
}

impl<'a> ResultWriter<'a> {
    pub(crate) fn begin(out: &'a mut Vec<u8>, revision: Revision, id: &RequestId) -> Self {
        begin_result(out, id);
        out.push(b'{');
        let mut writer = ResultWriter { out, revision, empty: true };
        if revision.result_envelope {
            writer.member("resultType").extend_from_slice(b"\"complete\"");
        }
        writer
    }

    /// Continues a result that has at least one member already.
    pub(crate) fn resume(out: &'a mut Vec<u8>, revision: Revision) -> Self {
        ResultWriter { out, revision, empty: false }
    }

    /// Writes the name of a member; the caller writes the value.
    pub(crate) fn member(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    pub(crate) fn end(self, identity: &Identity, cache: Cache) {
        let ResultWriter { out, revision, empty } = self;
        if revision.result_envelope {
            tail(out, identity, cache, empty);
        }
        out.push(b'}');
        end(out);
    }

    /// Ends a result whose `_meta` the caller wrote.
    pub(crate) fn end_bare(self) {
        self.out.push(b'}');
        end(self.out);
    }
}

/// Writes the members that revisions of the stateless era add to every result: its type, caching hints and the server's
/// identity.
fn tail(out: &mut Vec<u8>, identity: &Identity, cache: Cache, empty: bool) {
    if !empty {
        out.push(b',');
    }
    if let Cache::Hint { ttl_ms, public } = cache {
        out.extend_from_slice(b"\"ttlMs\":");
        out.extend_from_slice(itoa::Buffer::new().format(ttl_ms).as_bytes());
        let scope: &[u8] = if public { b"public" } else { b"private" };
        out.extend_from_slice(b",\"cacheScope\":\"");
        out.extend_from_slice(scope);
        out.extend_from_slice(b"\",");
    }
    out.extend_from_slice(identity.result_meta());
}

/// Writes a result whose list `member` is empty.
pub(crate) fn empty_list(
    out: &mut Vec<u8>,
    revision: Revision,
    id: &RequestId,
    member: &str,
    identity: &Identity,
) {
    let mut result = ResultWriter::begin(out, revision, id);
    result.member(member).extend_from_slice(b"[]");
    result.end(identity, Cache::NO_REUSE);
}

/// Writes the result of a request that has no members of its own: exactly `{}` in the handshake era.
pub(crate) fn empty_result(out: &mut Vec<u8>, revision: Revision, id: &RequestId, identity: &Identity) {
    ResultWriter::begin(out, revision, id).end(identity, Cache::None);
}
