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
    /// When to look at which of these, by the number of their connection.
    looks: BTreeSet<(u64, u64)>,
}

/// What goes on in a session although nobody waits for it.
struct Left {
    session: Arc<str>,
    /// Answers that are for nobody.
    orphans: BTreeSet<Route>,
    /// When somebody has to tell it the time, since no exchange does.
    look: Option<u64>,
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
        self.forget_left(session.connection.id());
        Some(session)
    }

    /// When the first session ends that nobody uses, or has to be told the time.
    pub(super) fn deadline(&self, session_ms: u64) -> Option<u64> {
        let idle = self.idle.first().map(|(used, _)| used.saturating_add(session_ms));
        idle.into_iter().chain(self.looks.first().map(|(at, _)| *at)).min()
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

    /// An exchange is gone before its request was answered. `orphan`: nobody will take the answer. `look`: when to tell the
    /// connection the time, if there is need to.
    pub(super) fn leave(&mut self, id: &str, orphan: Option<Route>, look: Option<u64>) {
        let Some(session) = self.by_id.get(id) else { return };
        let connection = session.connection.id();
        let new = || Left { session: session.id.clone(), orphans: BTreeSet::new(), look: None };
        let left = self.left.entry(connection).or_insert_with(new);
        left.orphans.extend(orphan);
        self.look_after(connection, look);
    }

    /// Which of these routes of a connection have answers that are for nobody.
    pub(super) fn orphans(&self, connection: u64, routes: &[Route]) -> Vec<Route> {
        let Some(left) = self.left.get(&connection) else { return Vec::new() };
        routes.iter().filter(|route| left.orphans.contains(route)).copied().collect()
    }

    /// One of these was taken.
    pub(super) fn over(&mut self, connection: u64, route: Route) {
        if let Some(left) = self.left.get_mut(&connection) {
            left.orphans.remove(&route);
        }
        self.look_after(connection, None);
    }

    /// A connection that was left is to be told the time then, if not before; none: not for this.
    pub(super) fn look_after(&mut self, connection: u64, look: Option<u64>) {
        let Some(left) = self.left.get_mut(&connection) else { return };
        let sooner = look.filter(|look| left.look.is_none_or(|before| *look < before));
        if let Some(look) = sooner {
            let before = left.look.replace(look);
            self.looks.insert((look, connection));
            before.map(|before| self.looks.remove(&(before, connection)));
        }
        if left.look.is_none() && left.orphans.is_empty() {
            self.left.remove(&connection);
        }
    }

    /// The connections that are to be told the time now. Each is then to be [looked after](Sessions::look_after) again.
    pub(super) fn overdue(&mut self, now: u64) -> Vec<Connection> {
        let mut overdue = Vec::new();
        while let Some((at, connection)) = self.looks.first().copied()
            && at <= now
        {
            self.looks.remove(&(at, connection));
            let Some(left) = self.left.get_mut(&connection) else { continue };
            left.look = None;
            overdue.extend(self.by_id.get(&left.session).map(|session| session.connection.clone()));
        }
        overdue
    }

    fn forget_left(&mut self, connection: u64) {
        if let Some(Left { look: Some(look), .. }) = self.left.remove(&connection) {
            self.looks.remove(&(look, connection));
        }
    }
}
