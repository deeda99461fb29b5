//! Makes the errors about a resource in the form that a revision defines.

use super::draft::Argument;
use crate::access::Verdict;
use crate::encode::quote_into;
use crate::jsonrpc::RpcError;
use crate::jsonrpc::write::Object;
use crate::model::Family;
use crate::revision::{Condition, Revision};

/// The text that a model gets of a tool that failed. Only the log has the reason.
pub(super) const TOOL_FAILED: &str = "The tool failed";

pub(crate) fn not_found(revision: Revision, uri: &str) -> RpcError {
    RpcError::new(revision.code(Condition::NotFound), "Resource not found")
        .with_member("uri", uri)
        .with_sentence(format!("Resource not found: {uri}"))
}

/// Returns the error for several URIs, at least one, none of which was found.
pub(super) fn none_found(revision: Revision, uris: &[&str]) -> RpcError {
    let mut data = Vec::new();
    let mut object = Object::begin(&mut data);
    object.string("uri", uris.first().unwrap_or(&""));
    let list = object.member("uris");
    list.push(b'[');
    for (i, uri) in uris.iter().enumerate() {
        if i > 0 {
            list.push(b',');
        }
        quote_into(uri, list);
    }
    list.push(b']');
    object.end();
    let data = String::from_utf8(data).expect("escaped text stays text");
    RpcError::new(revision.code(Condition::NotFound), "Resource not found").with_data(data)
}

pub(super) fn denied(revision: Revision, uri: &str) -> RpcError {
    if revision.masks_denied() {
        return not_found(revision, uri);
    }
    RpcError::new(revision.code(Condition::Denied), "Permission denied")
        .with_member("uri", uri)
        .with_sentence(format!("Permission denied: {uri}"))
}

/// Returns the error for a callback that failed or did not answer. Only the application's log has the reason.
pub(super) fn internal(revision: Revision) -> RpcError {
    RpcError::new(revision.code(Condition::Internal), "Internal error").with_sentence(TOOL_FAILED)
}

/// Returns the error "not modified" of the dialect: the client has the current version of the resource.
pub(crate) fn not_modified(revision: Revision, uri: &str, version: &str) -> RpcError {
    let mut data = Vec::new();
    let mut object = Object::begin(&mut data);
    object.string("uri", uri).string("version", version);
    object.end();
    let data = String::from_utf8(data).expect("escaped text stays text");
    RpcError::new(revision.code(Condition::NotModified), "Not Modified").with_data(data)
}

/// Returns the error for an argument whose template or prompt is unknown, or has nothing to complete.
pub(crate) fn unknown_argument(argument: &Argument) -> RpcError {
    if argument.of_prompt {
        unknown_prompt(&argument.reference)
    } else {
        unknown_reference(&argument.reference)
    }
}

/// Returns the error for a reference to a template or prompt that is unknown, or has nothing to complete.
fn unknown_reference(reference: &str) -> RpcError {
    RpcError::invalid_params("ref names nothing that is registered").with_member("uri", reference)
}

fn unknown_prompt(name: &str) -> RpcError {
    RpcError::invalid_params("ref names no prompt that is registered").with_member("name", name)
}

/// Returns the error for a URI at which there is no skill or directory.
pub(crate) fn nothing_at(uri: &str) -> RpcError {
    RpcError::invalid_params("nothing is served at this URI").with_member("uri", uri)
}

/// Returns the error for a name that no tool or prompt has.
pub(crate) fn unknown_name(family: Family, name: &str) -> RpcError {
    let mut fault = RpcError::invalid_params("").with_member("name", name);
    fault.message = format!("Unknown {}: {name}", family.word()).into();
    fault
}

pub(super) fn refused_name(revision: Revision, family: Family, name: &str, verdict: Verdict) -> RpcError {
    if verdict == Verdict::Hide || revision.masks_denied() {
        return unknown_name(family, name);
    }
    RpcError::new(revision.code(Condition::Denied), "Permission denied").with_member("name", name)
}

/// Returns the error of a request that the application is too busy to answer.
pub(super) fn busy(revision: Revision, retry_after_ms: Option<u128>) -> RpcError {
    let fault = RpcError::new(revision.code(Condition::Busy), "Busy");
    match retry_after_ms {
        Some(ms) => fault.with_data(format!("{{\"retryAfterMs\":{ms}}}")),
        None => fault,
    }
}

pub(super) fn refused(revision: Revision, uri: &str, verdict: Verdict) -> RpcError {
    match verdict {
        Verdict::Hide => not_found(revision, uri),
        _ => denied(revision, uri),
    }
}
