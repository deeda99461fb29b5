//! Sessions of the handshake era, by the id that `Mcp-Session-Id` names.

use super::streams::Streams;
use crate::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::Route;
use std::collections::BTreeMap;

/// A client that made a handshake.
pub(super) struct Session {
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
    /// Answers that nobody waits for any more.
    orphans: Vec<Route>,
}

#[derive(Default)]
pub(super) struct Sessions(BTreeMap<Box<str>, Session>);

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

impl Sessions {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn add(&mut self, id: &str, connection: Connection, caller: &[u8], now: u64) {
        let session = Session {
            connection,
            caller: caller.into(),
            streams: Streams::default(),
            standalone: None,
            busy: 0,
            used: now,
            orphans: Vec::new(),
        };
        self.0.insert(id.into(), session);
    }

    /// The session, if it is that caller's.
    pub(super) fn find(&mut self, id: &str, caller: &[u8]) -> Option<&mut Session> {
        self.0.get_mut(id).filter(|session| *session.caller == *caller)
    }

    /// The session, for an exchange that has found it before.
    pub(super) fn get(&mut self, id: &str) -> Option<&mut Session> {
        self.0.get_mut(id)
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Session> {
        self.0.remove(id)
    }

    fn of(&mut self, connection: &Connection) -> Option<&mut Session> {
        self.0.values_mut().find(|session| session.connection.id() == connection.id())
    }

    pub(super) fn orphans(&mut self, connection: &Connection) -> Vec<Route> {
        self.of(connection).map(|session| session.orphans.clone()).unwrap_or_default()
    }

    pub(super) fn over(&mut self, connection: &Connection, route: Route) {
        if let Some(session) = self.of(connection) {
            session.orphans.retain(|orphan| *orphan != route);
        }
    }

    /// When the first session ends that nobody uses.
    pub(super) fn deadline(&self, session_ms: u64) -> Option<u64> {
        let idle = self.0.values().filter(|session| session.busy == 0);
        idle.map(|session| session.used.saturating_add(session_ms)).min()
    }

    pub(super) fn connections(&self) -> Vec<Connection> {
        self.0.values().map(|session| session.connection.clone()).collect()
    }

    /// Takes the sessions out that were not used for too long.
    pub(super) fn expire(&mut self, now: u64, session_ms: u64) -> Vec<Session> {
        let over = |session: &Session| session.busy == 0 && session.used.saturating_add(session_ms) <= now;
        let ids: Vec<_> = self.0.iter().filter(|(_, s)| over(s)).map(|(id, _)| id.clone()).collect();
        ids.iter().filter_map(|id| self.0.remove(id)).collect()
    }
}

impl Session {
    pub(super) fn enter(&mut self, now: u64) {
        self.busy += 1;
        self.used = now;
    }

    pub(super) fn exit(&mut self, now: u64) {
        self.busy = self.busy.saturating_sub(1);
        self.used = self.used.max(now);
    }

    /// Nobody waits for that answer any more. The request goes on.
    pub(super) fn orphan(&mut self, route: Route) {
        self.orphans.push(route);
    }
}
