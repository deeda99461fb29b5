//! Chooses the rules for a POST: those of the stateless era, or those of sessions.

use super::RequestHead;
use crate::jsonrpc::{FaultKind, Params, Parsed, Raw, RequestId, is_object, members};
use crate::protocol::is_stateless_meta;
use crate::revision::{Era, KnownMethod, Revision, Revisions};

/// The purpose of the permit of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PermitKind {
    /// One of `calls_in_flight`.
    Call,
    /// One of `listen_streams`.
    Listen,
}

/// The value of `MCP-Protocol-Version`.
pub(super) enum Version {
    Absent,
    Handshake(Revision),
    Stateless(Revision),
    /// Not the date of a revision that is served, or said several times.
    Unknown(String),
}

impl Version {
    pub(super) const FIELD: &'static str = "MCP-Protocol-Version";

    pub(super) fn read(head: &RequestHead<'_>, revisions: &Revisions) -> Version {
        let value = match head.one(Self::FIELD) {
            Ok(None) => return Version::Absent,
            Ok(Some(value)) => String::from_utf8_lossy(value),
            Err(_) => "several versions".into(),
        };
        let find = |era| revisions.find(era, &value);
        match (find(Era::Stateless), find(Era::Handshake)) {
            (Some(revision), _) => Version::Stateless(revision),
            (None, Some(revision)) => Version::Handshake(revision),
            (None, None) => Version::Unknown(value.into_owned()),
        }
    }

    /// The revision by which an answer without an id is written.
    pub(super) fn revision(&self) -> Option<Revision> {
        match self {
            Version::Handshake(revision) | Version::Stateless(revision) => Some(*revision),
            Version::Absent | Version::Unknown(_) => None,
        }
    }
}

/// A body, as far as its path depends on it.
pub(super) enum PostedBody {
    /// `stateless`: it, or its head, carries its own revision. `initialize`: it asks for a session.
    Request {
        id: RequestId,
        stateless: bool,
        initialize: bool,
        counted: PermitKind,
    },
    Notification,
    Response,
    /// `stateless`: an element carries its own revision. `length`: its elements.
    Array {
        stateless: bool,
        length: usize,
    },
    /// Not JSON, or not a message: answered alike by both paths.
    Bad {
        id: Option<RequestId>,
        fault: FaultKind,
    },
}

/// `version` is that of the head: what it says of an ordinary request need not be looked for in the body.
pub(super) fn classify(message: &Parsed<'_>, version: &Version) -> PostedBody {
    match message {
        Parsed::Request { id, method, params } => {
            let method = KnownMethod::named(method);
            let initialize = method == Some(KnownMethod::Initialize);
            let counted =
                if method == Some(KnownMethod::Listen) { PermitKind::Listen } else { PermitKind::Call };
            let said = !initialize && matches!(version, Version::Stateless(_));
            PostedBody::Request {
                id: id.clone(),
                stateless: said || is_stateless(*params),
                initialize,
                counted,
            }
        }
        Parsed::Notification { .. } => PostedBody::Notification,
        Parsed::Response { .. } => PostedBody::Response,
        Parsed::Array(elements) => {
            let stateless = elements.iter().flatten().any(|element| {
                let [params] = members(*element, &["params"]).unwrap_or_default();
                params
                    .filter(|params| is_object(*params))
                    .is_some_and(|params| is_stateless(Params::Object(params)))
            });
            PostedBody::Array { stateless, length: elements.as_ref().map_or(1, Vec::len) }
        }
        Parsed::Bad { id, fault } => PostedBody::Bad { id: id.clone(), fault: *fault },
    }
}

fn is_stateless(params: Params<'_>) -> bool {
    let Params::Object(params) = params else { return false };
    let meta: Option<Raw<'_>> = members(params, &["_meta"]).ok().and_then(|[meta]| meta);
    meta.is_some_and(is_stateless_meta)
}
