//! Notifications, and the end of a listen stream.

use super::{Identity, ResultWriter};
use crate::encode::quote_into;
use crate::jsonrpc::RequestId;
use crate::jsonrpc::write::end;
use crate::revision::Revision;
use std::sync::Arc;

const SUBSCRIPTION_ID: &[u8] = b"\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":";

fn begin(out: &mut Vec<u8>, method: &str) {
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":\"");
    out.extend_from_slice(method.as_bytes());
    out.push(b'"');
}

fn stream_meta(out: &mut Vec<u8>, stream: &RequestId) {
    out.extend_from_slice(SUBSCRIPTION_ID);
    out.extend_from_slice(stream.raw().as_bytes());
    out.push(b'}');
}

/// `notifications/resources/updated`, for a listen stream or for a session.
pub(crate) fn updated(out: &mut Vec<u8>, stream: Option<&RequestId>, uri: &str, title: Option<&str>) {
    begin(out, "notifications/resources/updated");
    out.extend_from_slice(b",\"params\":{");
    if let Some(stream) = stream {
        stream_meta(out, stream);
        out.push(b',');
    }
    out.extend_from_slice(b"\"uri\":");
    quote_into(uri, out);
    super::descriptor::text(out, "title", title);
    out.push(b'}');
    end(out);
}

/// `notifications/resources/list_changed`, for a listen stream or for a session.
pub(crate) fn list_changed(out: &mut Vec<u8>, stream: Option<&RequestId>) {
    begin(out, "notifications/resources/list_changed");
    if let Some(stream) = stream {
        out.extend_from_slice(b",\"params\":{");
        stream_meta(out, stream);
        out.push(b'}');
    }
    end(out);
}

/// `notifications/subscriptions/acknowledged`: the first message of a listen stream.
pub(crate) fn acknowledged(out: &mut Vec<u8>, stream: &RequestId, lists: bool, uris: &[Arc<str>]) {
    begin(out, "notifications/subscriptions/acknowledged");
    out.extend_from_slice(b",\"params\":{");
    stream_meta(out, stream);
    out.extend_from_slice(b",\"notifications\":{");
    if lists {
        out.extend_from_slice(b"\"resourcesListChanged\":true");
    }
    if !uris.is_empty() {
        if lists {
            out.push(b',');
        }
        out.extend_from_slice(b"\"resourceSubscriptions\":[");
        super::descriptor::separated(out, uris, |out, uri| quote_into(uri, out));
        out.push(b']');
    }
    out.extend_from_slice(b"}}");
    end(out);
}

/// The result that ends a listen stream from our side.
pub(crate) fn stream_ended(out: &mut Vec<u8>, revision: &Revision, stream: &RequestId, identity: &Identity) {
    let mut result = ResultWriter::begin(out, revision, stream);
    let meta = result.member("_meta");
    meta.extend_from_slice(b"{\"io.modelcontextprotocol/subscriptionId\":");
    meta.extend_from_slice(stream.raw().as_bytes());
    meta.push(b',');
    identity.write_server_info_member(meta);
    meta.push(b'}');
    result.end_bare();
}

/// `notifications/cancelled` for a stream that has ended: some clients wait for it.
pub(crate) fn cancelled_stream(out: &mut Vec<u8>, stream: &RequestId) {
    begin(out, "notifications/cancelled");
    out.extend_from_slice(b",\"params\":{\"requestId\":");
    out.extend_from_slice(stream.raw().as_bytes());
    out.push(b',');
    stream_meta(out, stream);
    out.push(b'}');
    end(out);
}
