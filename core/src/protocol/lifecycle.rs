//! The session of a connection, and the revision of each request.

use super::RequestHead;
use super::draft::{Draft, LOG_LEVELS, no_session, unsupported};
use crate::jsonrpc::RpcError;
use crate::model::{ClientExtensions, Json};
use crate::policy::Dialect;
use crate::revision::{Era, KnownMethod, Revision, Revisions, Shape};
use std::sync::Arc;

/// The state of a connection's handshake. Stateless requests do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HandshakeState {
    Fresh,
    /// No handshake took place. The client sent a request of the dialect, which needs none.
    Dialect(Revision),
    /// `initialize` was answered. The client has not sent `notifications/initialized` yet.
    Initializing(Revision),
    Ready(Revision),
}

#[derive(Debug)]
pub(crate) struct Lifecycle {
    session: HandshakeState,
    /// The revision of the last request that named one.
    last: Option<Revision>,
    /// The capabilities that the session's client declared.
    capabilities: Option<Json>,
    /// `clientInfo` of the session's client.
    client: Option<Json>,
    /// The session's id over HTTP.
    id: Option<Arc<str>>,
    /// The index in [`LOG_LEVELS`] of the lowest level that the session's client wants.
    log_level: usize,
    dialect: Dialect,
    /// True if the client sent something that only clients of the dialect send.
    marked: bool,
    /// True if the connection exists for one message only, so that no session follows.
    alone: bool,
}

impl Lifecycle {
    pub(crate) fn new(dialect: Dialect) -> Self {
        let marked = dialect == Dialect::Always;
        Lifecycle {
            session: HandshakeState::Fresh,
            last: None,
            capabilities: None,
            client: None,
            id: None,
            log_level: LOG_LEVELS.iter().position(|level| *level == "warning").unwrap_or_default(),
            dialect,
            marked,
            alone: false,
        }
    }

    /// The revision that a handshake agreed on; `None` without a handshake.
    pub(crate) fn handshake(&self) -> Option<Revision> {
        match self.session {
            HandshakeState::Fresh | HandshakeState::Dialect(_) => None,
            HandshakeState::Initializing(revision) | HandshakeState::Ready(revision) => {
                Some(self.shaped(revision))
            }
        }
    }

    /// Returns the revision of the session, in which its client is notified of changes. `None` without a session.
    pub(crate) fn session(&self) -> Option<Revision> {
        match self.session {
            HandshakeState::Dialect(revision) => Some(self.shaped(revision)),
            _ => self.handshake(),
        }
    }

    /// The revision of a session that a handshake began and that outlasts this request; otherwise `None`.
    pub(crate) fn lasting_session(&self) -> Option<Revision> {
        self.handshake().filter(|_| !self.alone)
    }

    /// Returns whether the session's client is ready for notifications.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.session, HandshakeState::Ready(_) | HandshakeState::Dialect(_))
    }

    /// Notes that the connection exists for one message only. `revision` is that of a request, or `None` for a
    /// handshake.
    pub(crate) fn stand_alone(&mut self, revision: Option<Revision>) {
        self.alone = true;
        if let Some(revision) = revision {
            self.session = HandshakeState::Ready(revision.without_notifications());
            self.last = Some(revision);
        }
    }

    fn shaped(&self, revision: Revision) -> Revision {
        let shape = if self.marked { Shape::Superset } else { Shape::Official };
        revision.in_shape(shape)
    }

    /// The capabilities that the session's client declared.
    pub(crate) fn client_capabilities(&self) -> Option<&Json> {
        self.capabilities.as_ref()
    }

    /// Returns the name and version that the session's client gave.
    pub(crate) fn client_info(&self) -> Option<&Json> {
        self.client.as_ref()
    }

    /// The session's id over HTTP; `None` if it has none.
    pub(crate) fn id(&self) -> Option<&Arc<str>> {
        self.id.as_ref()
    }

    pub(crate) fn set_id(&mut self, id: Arc<str>) {
        self.id = Some(id);
    }

    /// Returns the index in [`LOG_LEVELS`] of the lowest level that the session's client wants.
    pub(crate) fn log_level(&self) -> usize {
        self.log_level
    }

    pub(crate) fn set_log_level(&mut self, level: usize) {
        self.log_level = level;
    }

    /// The newest revision that a request named. An answer to a message without a readable id has its form.
    pub(crate) fn last(&self) -> Option<Revision> {
        self.last
    }

    /// Returns the revision and method of a request, or the error to answer. If the request came by POST, it has a
    /// head: it must name its own revision and agree with the head.
    pub(crate) fn place(
        &mut self,
        draft: &Draft<'_>,
        head: Option<&RequestHead<'_>>,
        revisions: &Revisions,
    ) -> Result<(Revision, KnownMethod), (RpcError, Option<Revision>)> {
        if draft.stands_alone(revisions) || head.is_some() {
            let revision = draft.stateless_revision(head, revisions).map_err(|error| (error, None))?;
            self.last = Some(revision); // declared, whatever else the request lacks
            draft.check_stateless().map_err(|error| (error, None))?;
            if let Some(head) = head {
                draft.check_head(head).map_err(|error| (error, None))?;
            }
            return method_of(revision, draft);
        }
        let dialect = self.dialect != Dialect::Never && draft.is_of_dialect();
        match self.handshake() {
            Some(revision) => {
                self.marked |= dialect;
                let (shaped, method) = method_of(self.shaped(revision), draft)?;
                match method {
                    KnownMethod::Get if !dialect => {
                        Err((RpcError::method_not_found(&draft.name), Some(revision)))
                    }
                    _ if dialect => Ok((in_dialect(shaped, method), method)),
                    _ => Ok((shaped, method)),
                }
            }
            None => self.without_handshake(draft, dialect, revisions),
        }
    }

    fn without_handshake(
        &mut self,
        draft: &Draft<'_>,
        dialect: bool,
        revisions: &Revisions,
    ) -> Result<(Revision, KnownMethod), (RpcError, Option<Revision>)> {
        let method = KnownMethod::named(&draft.name);
        match (method, revisions.newest(Era::Handshake)) {
            (Some(method), Some(revision))
                if dialect || self.marked && method == KnownMethod::ListResources =>
            {
                self.marked = true;
                self.session = HandshakeState::Dialect(revision);
                let revision = self.shaped(revision);
                Ok((if dialect { in_dialect(revision, method) } else { revision }, method))
            }
            (Some(method @ (KnownMethod::Initialize | KnownMethod::Ping)), Some(revision)) => {
                Ok((revision, method))
            }
            (Some(KnownMethod::Initialize), None) => {
                let fault = draft.initialize().map_or_else(|fault| fault, |v| unsupported(&v, revisions));
                Err((fault, None))
            }
            (Some(KnownMethod::Discover), Some(revision)) if revisions.newest(Era::Stateless).is_none() => {
                Err((RpcError::method_not_found(&draft.name), Some(revision)))
            }
            _ => Err((no_session(revisions), None)),
        }
    }

    /// Begins a session. Returns its revision: the requested one if that has a handshake and is served, otherwise
    /// `newest`.
    pub(crate) fn initialize(
        &mut self,
        requested: &str,
        (capabilities, client): (Option<Json>, Option<Json>),
        newest: Revision,
        revisions: &Revisions,
    ) -> Revision {
        let revision = revisions.find(Era::Handshake, requested).unwrap_or(newest);
        let revision = if self.alone { revision.without_notifications() } else { revision };
        let extensions = ClientExtensions::new(capabilities.clone().unwrap_or_default(), revision.era);
        let revision = if extensions.supports_apps() { revision.with_apps() } else { revision };
        self.session = HandshakeState::Initializing(revision);
        self.last = Some(revision);
        self.capabilities = capabilities;
        self.client = client;
        revision
    }

    /// Notes that the client is ready for notifications. Returns true the first time.
    pub(crate) fn initialized(&mut self) -> bool {
        if let HandshakeState::Initializing(revision) = self.session {
            self.session = HandshakeState::Ready(revision);
            return true;
        }
        false
    }
}

fn method_of(
    revision: Revision,
    draft: &Draft<'_>,
) -> Result<(Revision, KnownMethod), (RpcError, Option<Revision>)> {
    match revision.method(&draft.name) {
        Some(method) => Ok((revision, method)),
        None => Err((RpcError::method_not_found(&draft.name), Some(revision))),
    }
}

/// Returns the revision of a request of the dialect. Its reads are answered in the dialect's own form.
fn in_dialect(mut revision: Revision, method: KnownMethod) -> Revision {
    if matches!(method, KnownMethod::Get | KnownMethod::Read) {
        revision.shape = Shape::Dialect;
    }
    revision
}
