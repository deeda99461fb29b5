//! Sessions of the handshake era, by the id that `Mcp-Session-Id` names.

use super::streams::{MOST, Streams};
use crate::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Route;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A client that made a handshake.
pub(super) struct Session {
    id: Arc<str>,
    pub(super) connection: Connection,
    /// Whose it is: nobody else's requests reach it.
    caller: Box<[u8]>,
    pub(super) streams: Streams,
    /// The stream of what belongs to no request, if a client has it open.
    pub(super) standalone: Option<u64>,
    /// Exchanges under way.
    busy: usize,
    /// When it was last used.
    used: u64,
}

/// All sessions of an endpoint. What concerns one costs the same however many there are.
#[derive(Default)]
pub(super) struct Sessions {
    by_id: BTreeMap<Arc<str>, Session>,
    /// Those without an exchange, by when they were last used.
    idle: BTreeSet<(u64, Arc<str>)>,
    /// Those with requests whose exchange is gone, by the number of their connection.
    left: BTreeMap<u64, Left>,
    last: u64,
}

/// What goes on in a session although nobody waits for it.
struct Left {
    session: Arc<str>,
    /// Another one whenever an exchange left.
    number: u64,
    /// Answers that are for nobody.
    orphans: Vec<Route>,
}

/// A new session id: 128 bits of randomness in hexadecimal, which is visible ASCII.
pub(super) fn new_id() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| Error::new(ErrorKind::Io, "no randomness for a session id").because(e))?;
    Ok(bytes.iter().fold(String::new(), |mut id, byte| {
        use std::fmt::Write;
        let _ = write!(id, "{byte:02x}");
        id
    }))
}

impl Session {
    /// Whether one more exchange may begin that holds a stream: there is always one to forget that nobody holds, then.
    pub(super) fn has_room(&self) -> bool {
        self.busy < MOST
    }
}

impl Sessions {
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// A session that its handshake's exchange is about.
    pub(super) fn add(&mut self, id: &str, connection: Connection, caller: &[u8], now: u64) {
        let session = Session {
            id: id.into(),
            connection,
            caller: caller.into(),
            streams: Streams::default(),
            standalone: None,
            busy: 1,
            used: now,
        };
        self.by_id.insert(session.id.clone(), session);
    }

    /// The session, if it is that caller's.
    pub(super) fn find(&mut self, id: &str, caller: &[u8]) -> Option<&mut Session> {
        self.by_id.get_mut(id).filter(|session| *session.caller == *caller)
    }

    /// The session, for an exchange that has found it before.
    pub(super) fn get(&mut self, id: &str) -> Option<&mut Session> {
        self.by_id.get_mut(id)
    }

    /// An exchange begins that is about it.
    pub(super) fn enter(&mut self, id: &str, now: u64) {
        let Some(session) = self.by_id.get_mut(id) else { return };
        if session.busy == 0 {
            self.idle.remove(&(session.used, session.id.clone()));
        }
        session.busy += 1;
        session.used = now;
    }

    /// That exchange is over.
    pub(super) fn exit(&mut self, id: &str, now: u64) -> Option<&mut Session> {
        let session = self.by_id.get_mut(id)?;
        session.used = session.used.max(now);
        session.busy = session.busy.saturating_sub(1);
        if session.busy == 0 {
            self.idle.insert((session.used, session.id.clone()));
        }
        Some(session)
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Session> {
        let session = self.by_id.remove(id)?;
        self.idle.remove(&(session.used, session.id.clone()));
        self.left.remove(&session.connection.id());
        Some(session)
    }

    /// When the first session ends that nobody uses.
    pub(super) fn deadline(&self, session_ms: u64) -> Option<u64> {
        self.idle.first().map(|(used, _)| used.saturating_add(session_ms))
    }

    /// Takes the sessions out that were not used for too long.
    pub(super) fn expire(&mut self, now: u64, session_ms: u64) -> Vec<Session> {
        let mut expired = Vec::new();
        while let Some((used, id)) = self.idle.first()
            && used.saturating_add(session_ms) <= now
        {
            let id = id.clone();
            expired.extend(self.remove(&id));
        }
        expired
    }

    // ---- requests whose exchange is gone

    /// An exchange is gone before its request was answered. `orphan`: nobody will take the answer.
    pub(super) fn leave(&mut self, id: &str, orphan: Option<Route>) {
        let Some(session) = self.by_id.get(id) else { return };
        self.last += 1;
        let new = || Left { session: session.id.clone(), number: 0, orphans: Vec::new() };
        let left = self.left.entry(session.connection.id()).or_insert_with(new);
        left.number = self.last;
        left.orphans.extend(orphan);
    }

    /// The answers on a connection that are for nobody.
    pub(super) fn orphans(&self, connection: u64) -> Vec<Route> {
        self.left.get(&connection).map(|left| left.orphans.clone()).unwrap_or_default()
    }

    /// One of these was taken.
    pub(super) fn over(&mut self, connection: u64, route: Route) {
        if let Some(left) = self.left.get_mut(&connection) {
            left.orphans.retain(|orphan| *orphan != route);
        }
    }

    /// The connections that somebody has to tell the time, since no exchange does; each with a number for
    /// [`Sessions::answered`].
    pub(super) fn left(&self) -> Vec<(Connection, u64)> {
        let connection = |left: &Left| Some((self.by_id.get(&left.session)?.connection.clone(), left.number));
        self.left.values().filter_map(connection).collect()
    }

    /// All its requests are answered, unless another exchange has left it since.
    pub(super) fn answered(&mut self, connection: u64, number: u64) {
        if self.left.get(&connection).is_some_and(|left| left.number == number && left.orphans.is_empty()) {
            self.left.remove(&connection);
        }
    }
}
