//! Errors about a resource, as a revision has them.

use crate::access::Verdict;
use crate::jsonrpc::RpcError;
use crate::revision::{Condition, Revision};

pub(crate) fn not_found(revision: &Revision, uri: &str) -> RpcError {
    RpcError::new(revision.code(Condition::ResourceNotFound), "Resource not found").with_member("uri", uri)
}

pub(super) fn denied(revision: &Revision, uri: &str) -> RpcError {
    RpcError::new(revision.code(Condition::PermissionDenied), "Permission denied").with_member("uri", uri)
}

pub(super) fn refused(revision: &Revision, uri: &str, verdict: Verdict) -> RpcError {
    match verdict {
        Verdict::Hide => not_found(revision, uri),
        _ => denied(revision, uri),
    }
}
