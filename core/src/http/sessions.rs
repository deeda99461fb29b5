//! Sessions of the handshake era, by the id that `Mcp-Session-Id` names.

use super::replay::Replay;
use super::streams::{Opened, Streams};
use crate::account::Account;
use crate::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::{Route, Routes};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The session of a client that made a handshake.
pub(super) struct HttpSession {
    id: Arc<str>,
    pub(super) connection: Connection,
    /// The id of the caller that began the session. Requests of other callers do not find it.
    caller: Box<[u8]>,
    pub(super) streams: Streams,
    /// The number of the stream for messages that belong to no request, if the client has opened one.
    pub(super) standalone: Option<u64>,
    /// The number of exchanges in progress, GET streams included.
    busy: usize,
    /// The number of open GET streams for messages that belong to no request.
    streaming: usize,
    /// True if its client has sent a request since the handshake.
    active: bool,
    /// The time of its last use, in milliseconds.
    used: u64,
    /// The time at which its connection needs a tick, for a deadline. `None`: it has no deadline.
    tick_at: Option<u64>,
}

/// All sessions of an endpoint. A step of one costs about the same, however many there are.
#[derive(Default)]
pub(super) struct Sessions {
    by_id: BTreeMap<Arc<str>, HttpSession>,
    /// The sessions without a request in progress, one set for each kind of [`Spare`], in the order of their last use.
    spare: [BTreeSet<(u64, Arc<str>)>; 4],
    /// The number of sessions that each caller has, by the caller's id.
    by_caller: BTreeMap<Box<[u8]>, usize>,
    by_connection: BTreeMap<u64, Arc<str>>,
    /// The times at which connections need a tick, with their sessions. A session has one if it has a
    /// deadline or is in use, because no exchange may be waiting for the deadline.
    ticks: BTreeSet<(u64, Arc<str>)>,
    /// Routes whose exchange ended before their answer, by the id of their connection. Each has the stream on which a
    /// client can come back for the answer; `None` if it cannot.
    abandoned: BTreeMap<u64, BTreeMap<Route, Option<u64>>>,
    /// The kept events of all streams, in the order in which they were sent.
    replay: Replay,
}

/// The use that an exchange makes of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It sends messages that are no requests.
    Messages,
    Requests,
    /// It has the stream for messages that belong to no request.
    Stream,
}

impl Purpose {
    /// Returns the purpose of an exchange that sends the output of a route.
    pub(super) fn of_route(route: Route) -> Purpose {
        match route {
            Route::Connection => Purpose::Stream,
            Route::Message(_) => Purpose::Requests,
        }
    }
}

/// A kind of session without a request in progress. If a new session needs a place, a session of the first kind ends
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spare {
    /// Its client has sent no request since the handshake, and has no stream.
    Unused = 0,
    Idle = 1,
    /// Its client has sent no request since the handshake, but has a stream.
    UnusedStream = 2,
    Stream = 3,
}

/// Makes a session id: 128 random bits in hexadecimal, which is visible ASCII as the protocol requires.
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

impl HttpSession {
    fn spare(&self) -> Option<Spare> {
        (self.busy == self.streaming).then_some(match (self.active, self.streaming > 0) {
            (false, false) => Spare::Unused,
            (true, false) => Spare::Idle,
            (false, true) => Spare::UnusedStream,
            (true, true) => Spare::Stream,
        })
    }

    /// Returns whether one more exchange may begin: fewer than `most` are in progress. A session keeps at most `most`
    /// streams, so one of them has no exchange then, and gives way to a new one.
    pub(super) fn has_room(&self, most: usize) -> bool {
        self.busy < most
    }

    /// Makes a stream the one for messages that belong to no request. If the session had another one, that ends, and
    /// its unsent events move to this one. Returns their numbers here; `None` if there was no other one.
    pub(super) fn take_over(&mut self, stream: u64, most: usize) -> Option<Vec<u64>> {
        let former = self.standalone.replace(stream).filter(|former| *former != stream)?;
        let unsent = self.streams.part(former).into_iter();
        Some(unsent.filter_map(|data| self.streams.add_event(stream, data, most)).collect())
    }
}

impl Sessions {
    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Adds the session that a handshake begins. The handshake's exchange uses it. For `tick_at` see
    /// [`Sessions::enter`].
    pub(super) fn add(
        &mut self,
        id: &str,
        connection: Connection,
        caller: &[u8],
        account: Arc<Account>,
        now: u64,
        tick_at: Option<u64>,
    ) {
        let session = HttpSession {
            id: id.into(),
            connection,
            caller: caller.into(),
            streams: Streams::new(account),
            standalone: None,
            busy: 1,
            streaming: 0,
            active: false,
            used: now,
            tick_at: None,
        };
        *self.by_caller.entry(session.caller.clone()).or_default() += 1;
        self.by_connection.insert(session.connection.id(), session.id.clone());
        self.by_id.insert(session.id.clone(), session);
        self.schedule_tick(id, tick_at);
    }

    /// Returns the session with this id; `None` if there is none, or if another caller began it.
    pub(super) fn find(&mut self, id: &str, caller: &[u8]) -> Option<&mut HttpSession> {
        self.by_id.get_mut(id).filter(|session| *session.caller == *caller)
    }

    /// Returns a session for an exchange that has found it before; `None` if it has ended.
    pub(super) fn get(&mut self, id: &str) -> Option<&mut HttpSession> {
        self.by_id.get_mut(id)
    }

    /// Notes that an exchange begins to use the session. `tick_at` is when its connection needs a tick, for calls
    /// of this exchange.
    pub(super) fn enter(&mut self, id: &str, purpose: Purpose, now: u64, tick_at: Option<u64>) {
        self.change(id, |session| {
            session.busy += 1;
            session.streaming += usize::from(purpose == Purpose::Stream);
            session.active |= purpose == Purpose::Requests;
            session.used = now;
        });
        self.schedule_tick(id, tick_at);
    }

    /// Notes that an exchange no longer uses the session. Returns the session if it still exists.
    pub(super) fn exit(&mut self, id: &str, purpose: Purpose, now: u64) -> Option<&mut HttpSession> {
        self.change(id, |session| {
            session.used = session.used.max(now);
            session.busy = session.busy.saturating_sub(1);
            session.streaming -= usize::from(purpose == Purpose::Stream).min(session.streaming);
        })
    }

    /// Changes how a session is used, and then its place among the spare ones. Returns the session if it still exists.
    fn change(&mut self, id: &str, change: impl FnOnce(&mut HttpSession)) -> Option<&mut HttpSession> {
        let session = self.by_id.get_mut(id)?;
        if let Some(kind) = session.spare() {
            self.spare[kind as usize].remove(&(session.used, session.id.clone()));
        }
        change(session);
        if let Some(kind) = session.spare() {
            self.spare[kind as usize].insert((session.used, session.id.clone()));
        }
        Some(session)
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<HttpSession> {
        let session = self.by_id.remove(id)?;
        if let Some(kind) = session.spare() {
            self.spare[kind as usize].remove(&(session.used, session.id.clone()));
        }
        if let Some(number) = self.by_caller.get_mut(&session.caller) {
            *number -= 1;
            if *number == 0 {
                self.by_caller.remove(&session.caller);
            }
        }
        session.tick_at.map(|at| self.ticks.remove(&(at, session.id.clone())));
        self.by_connection.remove(&session.connection.id());
        self.abandoned.remove(&session.connection.id());
        Some(session)
    }

    /// Returns the number of sessions that a caller has.
    pub(super) fn of_caller(&self, caller: &[u8]) -> usize {
        self.by_caller.get(caller).copied().unwrap_or_default()
    }

    /// Returns the session that ends first if another one needs a place: see [`Spare`]. Among those of one kind it is
    /// the least recently used one. A session that has sent a request, or has a stream, ends only if its last use was
    /// before `unused`.
    pub(super) fn dispensable(&self, unused: Option<u64>) -> Option<&Arc<str>> {
        let kinds = [Spare::Unused, Spare::Idle, Spare::UnusedStream, Spare::Stream];
        kinds.into_iter().find_map(|kind| {
            let (used, id) = self.spare[kind as usize].first()?;
            let stays = kind != Spare::Unused;
            (!stays || unused.is_some_and(|unused| *used <= unused)).then_some(id)
        })
    }

    /// Returns the session without an exchange that was used least recently.
    fn first_idle(&self) -> Option<&(u64, Arc<str>)> {
        let idle = [Spare::Unused, Spare::Idle].into_iter();
        idle.filter_map(|kind| self.spare[kind as usize].first()).min()
    }

    /// Removes a [dispensable](Sessions::dispensable) session and returns it, if there are `most` sessions.
    pub(super) fn make_place(&mut self, most: usize, unused: Option<u64>) -> Option<HttpSession> {
        let id = (self.len() >= most).then(|| self.dispensable(unused).cloned())??;
        self.remove(&id)
    }

    /// Returns the next time at which an unused session ends, or a connection needs a tick.
    pub(super) fn deadline(&self, session_ms: u64) -> Option<u64> {
        let idle = self.first_idle().map(|(used, _)| used.saturating_add(session_ms));
        idle.into_iter().chain(self.ticks.first().map(|(at, _)| *at)).min()
    }

    /// Removes the sessions that were unused for `session_ms` and returns them.
    pub(super) fn expire(&mut self, now: u64, session_ms: u64) -> Vec<HttpSession> {
        let mut expired = Vec::new();
        while let Some((used, id)) = self.first_idle()
            && used.saturating_add(session_ms) <= now
        {
            let id = id.clone();
            expired.extend(self.remove(&id));
        }
        expired
    }

    /// Removes all sessions and returns them.
    #[cfg(feature = "http")]
    pub(super) fn remove_all(&mut self) -> Vec<HttpSession> {
        let ids: Vec<_> = self.by_id.keys().cloned().collect();
        ids.iter().filter_map(|id| self.remove(id)).collect()
    }

    // ---- what is kept of streams

    /// Opens a stream of a session. Returns `None` if the session has ended. The caller discards the output of the
    /// routes whose streams were forgotten, because no client can come back to them.
    pub(super) fn open_stream(&mut self, id: &str, route: Route, most: usize) -> Option<Opened> {
        let session = self.by_id.get_mut(id)?;
        let opened = session.streams.open(route, most);
        if let Some(left) = self.abandoned.get_mut(&session.connection.id()) {
            for route in &opened.forgotten {
                left.entry(*route).and_modify(|stream| *stream = None);
            }
        }
        Some(opened)
    }

    /// Adds an event to a stream of a session. It is also kept for a client that resumes the stream, if there is room.
    pub(super) fn add_event(
        &mut self,
        id: &str,
        stream: u64,
        data: Arc<[u8]>,
        replay_bytes: usize,
        account: &Account,
    ) {
        let Some(session) = self.by_id.get_mut(id) else { return };
        if let Some(event) = session.streams.add_event(stream, data, replay_bytes) {
            self.note_kept_event(id, stream, event, account);
        }
    }

    /// Notes that an event of a session is kept. The oldest events of all sessions are dropped first.
    pub(super) fn note_kept_event(&mut self, id: &str, stream: u64, event: u64, account: &Account) {
        let Some((id, _)) = self.by_id.get_key_value(id) else { return };
        let keeps = |id: &str, stream, event| {
            self.by_id.get(id).is_some_and(|session| session.streams.keeps(stream, event))
        };
        self.replay.add(id.clone(), stream, event, keeps);
        self.make_room(account);
    }

    /// Drops the oldest kept events of any session, until the endpoint holds no more bytes than its limit.
    pub(super) fn make_room(&mut self, account: &Account) {
        while account.is_over()
            && let Some((id, stream, event)) = self.replay.oldest()
        {
            if let Some(session) = self.by_id.get_mut(&id)
                && session.streams.keeps(stream, event)
            {
                session.streams.evict_one(stream);
            }
        }
    }

    // ---- time

    /// Schedules a tick of the connection of a session at `at`, unless one is scheduled earlier.
    fn schedule_tick(&mut self, id: &str, at: Option<u64>) {
        let (Some(at), Some(session)) = (at, self.by_id.get_mut(id)) else { return };
        if session.tick_at.is_none_or(|before| at < before) {
            let before = session.tick_at.replace(at);
            self.ticks.insert((at, session.id.clone()));
            before.map(|before| self.ticks.remove(&(before, session.id.clone())));
        }
    }

    /// Schedules the next tick of a connection's session for `at`, unless it has an earlier one. Does nothing if the
    /// connection has no session. Everything else is as with [`Sessions::schedule_tick`].
    pub(super) fn schedule_tick_of(&mut self, connection: u64, at: Option<u64>) {
        if let Some(id) = self.by_connection.get(&connection).cloned() {
            self.schedule_tick(&id, at);
        }
    }

    /// Returns a session whose connection needs a tick now. Call [`Sessions::finish_tick`] after that.
    pub(super) fn take_due(&mut self, now: u64) -> Option<(Arc<str>, Connection)> {
        while self.ticks.first().is_some_and(|(at, _)| *at <= now)
            && let Some((_, id)) = self.ticks.pop_first()
        {
            if let Some(session) = self.by_id.get_mut(&id) {
                session.tick_at = None;
                return Some((id, session.connection.clone()));
            }
        }
        None
    }

    /// Notes that the connection of a session got its tick. It gets another one at `deadline`, its next one, and at
    /// `next` if the session is in use.
    pub(super) fn finish_tick(&mut self, id: &str, deadline: Option<u64>, next: Option<u64>) {
        let used = self.by_id.get(id).is_some_and(|session| session.busy > 0);
        self.schedule_tick(id, [deadline, next.filter(|_| used)].into_iter().flatten().min());
    }

    // ---- requests whose exchange is gone

    /// Notes that an exchange ended before its request was answered. If `stream` is `None`, no client can read the
    /// answer.
    pub(super) fn abandon(&mut self, id: &str, route: Route, stream: Option<u64>) {
        if let Some(session) = self.by_id.get(id) {
            self.abandoned.entry(session.connection.id()).or_default().insert(route, stream);
        }
    }

    /// Returns those of these routes of a connection whose client has gone, each with the stream on which it can come
    /// back.
    pub(super) fn abandoned(&self, connection: u64, routes: &Routes) -> Vec<(Route, Option<u64>)> {
        let Some(left) = self.abandoned.get(&connection) else { return Vec::new() };
        match routes {
            Routes::These(routes) => {
                routes.iter().filter_map(|route| Some((*route, *left.get(route)?))).collect()
            }
            Routes::All => left.iter().map(|(route, stream)| (*route, *stream)).collect(),
        }
    }

    /// Notes that such a route has ended, or that its client has come back.
    pub(super) fn forget_abandoned(&mut self, connection: u64, route: Route) {
        if let Entry::Occupied(mut left) = self.abandoned.entry(connection) {
            left.get_mut().remove(&route);
            if left.get().is_empty() {
                left.remove();
            }
        }
    }

    /// Notes that output of a route was discarded, so that its client cannot come back to the stream.
    pub(super) fn lose(&mut self, connection: u64, route: Route, stream: u64) {
        let session = self.by_connection.get(&connection).and_then(|id| self.by_id.get_mut(id));
        if let Some(session) = session {
            session.streams.lose(stream);
            self.abandoned.entry(connection).or_default().insert(route, None);
        }
    }
}
