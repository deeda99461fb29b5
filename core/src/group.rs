//! Connections that share one `wake`, and the list of those with something to do.

use crate::access::Caller;
use crate::connection::{Connection, ConnectionState};
use crate::log::Severity;
use crate::server::Server;
use crate::sync::Lock;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::wall_clock::WallClock;
use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

/// Connections that share one `wake`, the function that tells a driver to poll.
///
/// If one of them gets something new to poll or to drain, and the group is idle, it calls `wake`: without a lock, on
/// any thread, perhaps in vain. The application then calls [`Group::next`] until that returns `None`. For each
/// connection it polls events until there are none, then drains. Events that belong to no connection, such as an
/// interest, are returned by any connection's poll and by [`Server::poll_event`]: poll that after `next` has returned
/// `None`.
#[derive(Clone)]
pub struct Group(Arc<GroupState>);

pub(crate) struct GroupState {
    server: Server,
    wake: Box<dyn Fn() + Send + Sync>,
    /// A function that has the driver take output at once, on another thread than the one that runs callbacks. `None`
    /// if the driver cannot do so.
    hurry: Option<Box<dyn Fn() + Send + Sync>>,
    pub(crate) client: GroupClient,
    state: Lock<ReadyList>,
    /// The time of the latest `tick`; 0 before the first one.
    now: AtomicU64,
    pub(crate) wall_clock: WallClock,
}

/// The place where the clients of a group are.
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

    /// Makes a connection for one stateless request. It is not notified of changes unless that request opens a listen
    /// stream.
    pub(crate) fn connect_apart(&self, caller: Caller) -> Connection {
        self.0.server.connect_apart(Some(self.0.clone()), caller)
    }

    /// Returns a connection with something to do. `None`: there is none left, and the group is idle. Only then does it
    /// call `wake` again, so after a wake call this until it returns `None`.
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
    /// Advances the clock to `now`. The deadlines of calls that its connections begin from now on count from it.
    pub(crate) fn advance_clock(&self, now: u64) {
        self.0.now.fetch_max(now, Ordering::Relaxed);
    }

    /// Returns the time that the driver set last.
    pub(crate) fn now(&self) -> u64 {
        self.0.now()
    }

    /// Calls `wake` if the group is idle.
    pub(crate) fn wake(&self) {
        self.0.push([]);
    }
}

impl GroupState {
    pub(crate) fn now(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    /// Has the driver take output that must not wait until a callback returns. Returns false if the driver cannot do
    /// so.
    pub(crate) fn hurry(&self) -> bool {
        if let Some(hurry) = &self.hurry {
            hurry();
        }
        self.hurry.is_some()
    }

    /// Puts connections on the list of those to poll, and wakes the driver if the group is idle. Without connections it only
    /// wakes, for an event that belongs to none.
    pub(crate) fn push(&self, connections: impl IntoIterator<Item = Weak<ConnectionState>>) {
        let fire = self.state.with(|state, _| {
            state.ready.extend(connections);
            std::mem::replace(&mut state.idle, false)
        });
        if fire {
            // It may panic while a panic unwinds, or in the middle of what one connection does for others.
            if catch_unwind(AssertUnwindSafe(|| (self.wake)())).is_err() {
                self.server
                    .log_line(Severity::Error, "wake panicked; its connections may wait for the next one");
            }
        }
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").finish_non_exhaustive()
    }
}
