//! Connections that share one `wake`, and the list of those with something to do.

use crate::access::Caller;
use crate::connection::{Connection, ConnectionState};
use crate::log::Level;
use crate::server::Server;
use crate::sync::Lock;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::wall_clock::WallClock;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

/// Connections whose driver waits in one place.
///
/// When one of them has something to poll or to drain that was not there before, and the group is idle, `wake` is
/// called: without a lock, on any thread, perhaps for nothing. The application then calls [`Group::next`] until it
/// returns none, and for each connection polls events until there are none, then drains. What belongs to no connection,
/// such as an interest, comes out of any connection's poll, and of [`Server::poll_event`]: poll that once `next`
/// returned none.
#[derive(Clone)]
pub struct Group(Arc<GroupState>);

pub(crate) struct GroupState {
    server: Server,
    wake: Box<dyn Fn() + Send + Sync>,
    /// Has the driver take output at once, on another thread than the one that runs callbacks.
    hurry: Option<Box<dyn Fn() + Send + Sync>>,
    pub(crate) client: GroupClient,
    state: Lock<ReadyList>,
    /// The time of the last `tick`, if there was one.
    now: AtomicU64,
    pub(crate) wall_clock: WallClock,
}

/// Where the clients of a group are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupClient {
    /// The client is the program that started this one.
    ParentProcess,
    Anywhere,
}

struct ReadyList {
    ready: VecDeque<Weak<ConnectionState>>,
    idle: bool,
}

impl Group {
    pub(crate) fn new(
        server: Server,
        wake: Box<dyn Fn() + Send + Sync>,
        hurry: Option<Box<dyn Fn() + Send + Sync>>,
        client: GroupClient,
    ) -> Group {
        let state = Lock::new(ReadyList { ready: VecDeque::new(), idle: true });
        let (now, wall_clock) = (AtomicU64::new(0), WallClock::default());
        Group(Arc::new(GroupState { server, wake, hurry, client, state, now, wall_clock }))
    }

    pub(crate) fn downgrade(&self) -> Weak<GroupState> {
        Arc::downgrade(&self.0)
    }

    /// Makes a new connection of the group. It belongs to the group until its last handle is dropped.
    pub fn connect(&self, caller: Caller) -> Connection {
        self.0.server.connect_in(Some(self.0.clone()), caller)
    }

    /// A new connection for one request that stands for itself: it hears of nothing unless that request listens.
    pub(crate) fn connect_apart(&self, caller: Caller) -> Connection {
        self.0.server.connect_apart(Some(self.0.clone()), caller)
    }

    /// A connection with something to do. Only `None` makes the group idle, so that it wakes again: after a wake, ask
    /// until there is none.
    #[allow(clippy::should_implement_trait, reason = "not an iterator: `None` has a meaning of its own")]
    pub fn next(&self) -> Option<Connection> {
        loop {
            let next = self.0.state.with(|state, _| {
                let next = state.ready.pop_front();
                state.idle = next.is_none();
                next
            })?;
            if let Some(shared) = next.upgrade() {
                shared.clear_ready();
                return Some(Connection(shared));
            }
        }
    }
}

impl Group {
    /// It is that time, at least, for whatever its connections begin from now on.
    pub(crate) fn advance_clock(&self, now: u64) {
        self.0.now.fetch_max(now, Ordering::Relaxed);
    }

    /// The time that was told last.
    pub(crate) fn now(&self) -> u64 {
        self.0.now()
    }

    /// Wakes the driver, unless it is awake.
    pub(crate) fn wake(&self) {
        self.0.push([]);
    }
}

impl GroupState {
    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Has output taken that must not wait for a callback to return. False: the group has no way to.
    pub(crate) fn hurry(&self) -> bool {
        if let Some(hurry) = &self.hurry {
            hurry();
        }
        self.hurry.is_some()
    }

    /// Puts connections on the list. Without any, it notes that there is a server event.
    pub(crate) fn push(&self, connections: impl IntoIterator<Item = Weak<ConnectionState>>) {
        let fire = self.state.with(|state, _| {
            state.ready.extend(connections);
            std::mem::replace(&mut state.idle, false)
        });
        if fire {
            // It may panic while a panic unwinds, or in the middle of what one connection does for others.
            if catch_unwind(AssertUnwindSafe(|| (self.wake)())).is_err() {
                self.server.log(Level::Error, "wake panicked; its connections may wait for the next one");
            }
        }
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").finish_non_exhaustive()
    }
}
