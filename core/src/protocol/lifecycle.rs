//! Which revision a request is judged by.

use super::request::{Draft, neither_way};
use crate::jsonrpc::RpcError;
use crate::model::Json;
use crate::revision::{Era, Method, Revision};

/// How far the handshake of a connection has come. Stateless requests pay no attention to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Session {
    Fresh,
    /// `initialize` was answered; the client has not said that it is ready to be notified.
    Initializing(&'static Revision),
    Ready(&'static Revision),
}

#[derive(Debug)]
pub(crate) struct Lifecycle {
    session: Session,
    /// What the client was last known to speak.
    last: Option<&'static Revision>,
    /// What the session's client can do, as it said.
    client: Option<Json>,
}

/// A request that has found its revision and method.
pub(crate) struct Placed {
    pub(crate) revision: &'static Revision,
    pub(crate) method: Method,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Lifecycle { session: Session::Fresh, last: None, client: None }
    }
}

impl Lifecycle {
    /// The session's revision, if there is a session.
    pub(crate) fn session(&self) -> Option<&'static Revision> {
        match self.session {
            Session::Fresh => None,
            Session::Initializing(revision) | Session::Ready(revision) => Some(revision),
        }
    }

    /// Whether the session may be sent notifications.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(self.session, Session::Ready(_))
    }

    /// What the session's client can do, as it said.
    pub(crate) fn client_capabilities(&self) -> Option<&Json> {
        self.client.as_ref()
    }

    /// What decides the form of an answer to a message without a readable id.
    pub(crate) fn last(&self) -> Option<&'static Revision> {
        self.last
    }

    /// Finds the revision and method of a request, or what to answer instead. WIRE 2.3, 2.4.
    pub(crate) fn place(
        &mut self,
        draft: &Draft<'_>,
    ) -> Result<Placed, (RpcError, Option<&'static Revision>)> {
        if draft.is_stateless() {
            let revision = draft.stateless_revision().map_err(|error| (error, None))?;
            self.last = Some(revision); // declared, whatever else the request lacks
            draft.check_stateless().map_err(|error| (error, None))?;
            return self.method(revision, draft);
        }
        match self.session() {
            Some(revision) => self.method(revision, draft),
            None => match Method::named(&draft.name) {
                Some(method @ (Method::Initialize | Method::Ping)) => {
                    Ok(Placed { revision: Revision::newest_handshake(), method })
                }
                _ => Err((neither_way(), None)),
            },
        }
    }

    #[expect(clippy::unused_self, reason = "reads as one step of placing a request")]
    fn method(
        &self,
        revision: &'static Revision,
        draft: &Draft<'_>,
    ) -> Result<Placed, (RpcError, Option<&'static Revision>)> {
        match revision.method(&draft.name) {
            Some(method) => Ok(Placed { revision, method }),
            None => Err((RpcError::method_not_found(&draft.name), Some(revision))),
        }
    }

    /// The handshake: the revision asked for, or the newest that has one.
    pub(crate) fn initialize(&mut self, requested: &str, client: Option<Json>) -> &'static Revision {
        let revision = Revision::find(requested)
            .filter(|revision| revision.era == Era::Handshake)
            .unwrap_or_else(Revision::newest_handshake);
        self.session = Session::Initializing(revision);
        self.last = Some(revision);
        self.client = client;
        revision
    }

    /// The client is ready to be notified. True the first time.
    pub(crate) fn initialized(&mut self) -> bool {
        if let Session::Initializing(revision) = self.session {
            self.session = Session::Ready(revision);
            return true;
        }
        false
    }
}
