//! Which revision a request is judged by.

use super::request::{Draft, no_session, unsupported};
use crate::http::RequestHead;
use crate::jsonrpc::RpcError;
use crate::model::Json;
use crate::revision::{Era, Method, Revision, Revisions};

/// How far the handshake of a connection has come. Stateless requests pay no attention to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Session {
    Fresh,
    /// `initialize` was answered; the client has not said that it is ready to be notified.
    Initializing(Revision),
    Ready(Revision),
}

#[derive(Debug)]
pub(crate) struct Lifecycle {
    session: Session,
    /// What the client was last known to speak.
    last: Option<Revision>,
    /// What the session's client can do, as it said.
    client: Option<Json>,
}

/// A request that has found its revision and method.
pub(crate) struct Placed {
    pub(crate) revision: Revision,
    pub(crate) method: Method,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Lifecycle { session: Session::Fresh, last: None, client: None }
    }
}

impl Lifecycle {
    /// The session's revision, if there is a session.
    pub(crate) fn session(&self) -> Option<Revision> {
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
    pub(crate) fn last(&self) -> Option<Revision> {
        self.last
    }

    /// Finds the revision and method of a request, or what to answer instead. WIRE 2.3, 2.4. With the head of a POST
    /// the request has to stand for itself, and to say what its head says.
    pub(crate) fn place(
        &mut self,
        draft: &Draft<'_>,
        head: Option<&RequestHead<'_>>,
        revisions: &Revisions,
    ) -> Result<Placed, (RpcError, Option<Revision>)> {
        if draft.stands_alone(revisions) || head.is_some() {
            let revision = draft.stateless_revision(head, revisions).map_err(|error| (error, None))?;
            self.last = Some(revision); // declared, whatever else the request lacks
            draft.check_stateless().map_err(|error| (error, None))?;
            if let Some(head) = head {
                draft.check_head(head).map_err(|error| (error, None))?;
            }
            return self.method(revision, draft);
        }
        match self.session() {
            Some(revision) => self.method(revision, draft),
            None => Self::without_session(draft, revisions),
        }
    }

    fn without_session(
        draft: &Draft<'_>,
        revisions: &Revisions,
    ) -> Result<Placed, (RpcError, Option<Revision>)> {
        let method = Method::named(&draft.name);
        match (method, revisions.newest(Era::Handshake)) {
            (Some(method @ (Method::Initialize | Method::Ping)), Some(revision)) => {
                Ok(Placed { revision, method })
            }
            (Some(Method::Initialize), None) => {
                let fault = draft.initialize().map_or_else(|fault| fault, |v| unsupported(&v, revisions));
                Err((fault, None))
            }
            (Some(Method::Discover), Some(revision)) if revisions.newest(Era::Stateless).is_none() => {
                Err((RpcError::method_not_found(&draft.name), Some(revision)))
            }
            _ => Err((no_session(revisions), None)),
        }
    }

    #[expect(clippy::unused_self, reason = "reads as one step of placing a request")]
    fn method(&self, revision: Revision, draft: &Draft<'_>) -> Result<Placed, (RpcError, Option<Revision>)> {
        match revision.method(&draft.name) {
            Some(method) => Ok(Placed { revision, method }),
            None => Err((RpcError::method_not_found(&draft.name), Some(revision))),
        }
    }

    /// The handshake: the revision asked for, if it has one, or the newest that does.
    pub(crate) fn initialize(
        &mut self,
        requested: &str,
        client: Option<Json>,
        newest: Revision,
        revisions: &Revisions,
    ) -> Revision {
        let revision = revisions.find(Era::Handshake, requested).unwrap_or(newest);
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
