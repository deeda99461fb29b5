//! Writes notifications, and the end of a listen stream.

use super::descriptor::separated;
use super::lifecycle::SERVER_INFO;
use super::{Identity, ResultWriter};
use crate::encode::{number_into, quote_into};
use crate::jsonrpc::RequestId;
use crate::jsonrpc::write::{Object, notification};
use crate::model::Report;
use crate::revision::{Revision, Shape};
use std::sync::Arc;

pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// Writes the `_meta` of a message of a listen stream, which names the stream.
fn stream_meta(out: &mut Vec<u8>, stream: &RequestId) {
    let mut meta = Object::begin(out);
    meta.raw(SUBSCRIPTION_ID, stream.raw());
    meta.end();
}

/// Writes `notifications/resources/updated`, for a listen stream, or for a session if `stream` is `None`.
pub(crate) fn updated(out: &mut Vec<u8>, stream: Option<&RequestId>, uri: &str, title: Option<&str>) {
    notification(
        out,
        "notifications/resources/updated",
        Some(|out: &mut Vec<u8>| {
            let mut params = Object::begin(out);
            if let Some(stream) = stream {
                stream_meta(params.member("_meta"), stream);
            }
            params.string("uri", uri);
            if let Some(title) = title {
                params.string("title", title);
            }
            params.end();
        }),
    );
}

/// Writes `notifications/progress`, with `message` if the revision has it.
pub(crate) fn progress(out: &mut Vec<u8>, revision: Revision, token: &str, report: &Report) {
    notification(
        out,
        "notifications/progress",
        Some(|out: &mut Vec<u8>| {
            let mut params = Object::begin(out);
            params.raw("progressToken", token);
            number_into(report.progress, params.member("progress"));
            if let Some(total) = report.total {
                number_into(total, params.member("total"));
            }
            if let Some(message) = report.message.as_deref().filter(|_| revision.progress_messages) {
                params.string("message", message);
            }
            params.end();
        }),
    );
}

/// Writes the notification that a list changed, for a listen stream, or for a session if `stream` is `None`.
pub(crate) fn list_changed(out: &mut Vec<u8>, revision: Revision, stream: Option<&RequestId>, method: &str) {
    if stream.is_none() && revision.shape != Shape::Official {
        return notification(out, method, Some(|out: &mut Vec<u8>| out.extend_from_slice(b"{}")));
    }
    let params = stream.map(|stream| {
        move |out: &mut Vec<u8>| {
            let mut params = Object::begin(out);
            stream_meta(params.member("_meta"), stream);
            params.end();
        }
    });
    notification(out, method, params);
}

/// Writes `notifications/subscriptions/acknowledged`, the first message of a listen stream.
pub(crate) fn acknowledged<'a>(
    out: &mut Vec<u8>,
    stream: &RequestId,
    lists: impl Iterator<Item = &'a str>,
    uris: &[Arc<str>],
) {
    notification(
        out,
        "notifications/subscriptions/acknowledged",
        Some(|out: &mut Vec<u8>| {
            let mut params = Object::begin(out);
            stream_meta(params.member("_meta"), stream);
            let mut honoured = Object::begin(params.member("notifications"));
            for list in lists {
                honoured.any_member(list).extend_from_slice(b"true");
            }
            if !uris.is_empty() {
                let list = honoured.member("resourceSubscriptions");
                list.push(b'[');
                separated(list, uris, |out, uri| quote_into(uri, out));
                list.push(b']');
            }
            honoured.end();
            params.end();
        }),
    );
}

/// Writes the result with which the server ends a listen stream.
pub(crate) fn stream_ended(out: &mut Vec<u8>, revision: Revision, stream: &RequestId, identity: &Identity) {
    let mut result = ResultWriter::begin(out, revision, stream);
    let mut meta = Object::begin(result.member("_meta"));
    meta.raw(SUBSCRIPTION_ID, stream.raw());
    identity.write_server_info(meta.member(SERVER_INFO));
    meta.end();
    result.end_bare();
}

/// Writes `notifications/cancelled` for a listen stream that has ended, because some clients wait for it.
pub(crate) fn cancelled_stream(out: &mut Vec<u8>, stream: &RequestId) {
    notification(
        out,
        "notifications/cancelled",
        Some(|out: &mut Vec<u8>| {
            let mut params = Object::begin(out);
            params.raw("requestId", stream.raw());
            stream_meta(params.member("_meta"), stream);
            params.end();
        }),
    );
}
