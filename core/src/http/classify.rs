//! Decides which rules a POST follows: those of the stateless era, or those of sessions.

use super::RequestHead;
use crate::jsonrpc::{FaultKind, Params, Parsed, Raw, RequestId, is_object, members, pick, string};
use crate::protocol::{CANCELLED, INITIALIZED, is_stateless_meta};
use crate::revision::{Era, KnownMethod, Revision, Revisions};

/// The limit that the permit of a request counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PermitKind {
    /// `calls_in_flight`: the request is a call.
    Call,
    /// `listen_streams`: the request opens a listen stream.
    Listen,
}

/// The value of the header field `MCP-Protocol-Version`.
pub(super) enum Version {
    Absent,
    Handshake(Revision),
    Stateless(Revision),
    /// A text that is not the date of a served revision, or a field that occurs several times.
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

    /// The revision that decides the form of an answer without an id; `None` if the field does not name one.
    pub(super) fn revision(&self) -> Option<Revision> {
        match self {
            Version::Handshake(revision) | Version::Stateless(revision) => Some(*revision),
            Version::Absent | Version::Unknown(_) => None,
        }
    }
}

/// The kind of message in the body of a POST, on which the rules depend.
pub(super) enum PostedBody {
    /// A request. `stateless` is true if it or its head names its own revision, `initialize` if it begins a session.
    Request {
        id: RequestId,
        stateless: bool,
        initialize: bool,
        counted: PermitKind,
    },
    /// A notification. `is_news` is false for those of the protocol that end a call or begin a session, which have to
    /// pass even if there is no room for calls.
    Notification {
        is_news: bool,
    },
    Response,
    /// A batch with this number of requests and of notifications that are news. What is no message counts as a request,
    /// because it is answered. `stateless` is true if an element names its own revision.
    Array {
        stateless: bool,
        requests: usize,
        news: usize,
    },
    /// No JSON, or no message. Both eras answer it alike.
    Bad {
        id: Option<RequestId>,
        fault: FaultKind,
    },
}

/// Returns the kind of message in a body. `version` is that of the head. If it decides the era, the members of an
/// ordinary request are not searched.
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
        Parsed::Notification { method, .. } => PostedBody::Notification { is_news: is_news(method) },
        Parsed::Response { .. } => PostedBody::Response,
        Parsed::Array(elements) => {
            let (mut stateless, mut requests, mut news) = (false, 0, 0);
            for element in elements.iter().flatten() {
                let [id, method, params, result, error] =
                    pick(*element, &["id", "method", "params", "result", "error"])
                        .map(Result::unwrap_or_default);
                match (id, method) {
                    (None, Some(method)) => {
                        news += usize::from(string(method).is_some_and(|method| is_news(&method)));
                    }
                    (_, None) if result.or(error).is_some() => {}
                    _ => requests += 1,
                }
                stateless |= params
                    .filter(|params| is_object(*params))
                    .is_some_and(|params| is_stateless(Params::Object(params)));
            }
            if elements.as_ref().is_none_or(Vec::is_empty) {
                requests = 1;
            }
            PostedBody::Array { stateless, requests, news }
        }
        Parsed::Bad { id, fault } => PostedBody::Bad { id: id.clone(), fault: *fault },
    }
}

fn is_news(method: &str) -> bool {
    method != CANCELLED && method != INITIALIZED
}

fn is_stateless(params: Params<'_>) -> bool {
    let Params::Object(params) = params else { return false };
    let meta: Option<Raw<'_>> = members(params, &["_meta"]).ok().and_then(|[meta]| meta);
    meta.is_some_and(is_stateless_meta)
}
