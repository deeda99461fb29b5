//! The exchanges that wait for output of a connection's route.

use super::exchange::Ready;
use crate::protocol::Route;
use std::collections::BTreeMap;

/// Identifies a waiting exchange: the id of its connection, the route, and a number.
pub(super) type ListenerKey = (u64, Route, u64);

/// All waiting exchanges of an endpoint. Those of one route are found equally fast, however many there are.
#[derive(Default)]
pub(super) struct Listeners {
    all: BTreeMap<ListenerKey, Ready>,
    last: u64,
}

impl Listeners {
    pub(super) fn add(&mut self, connection: u64, route: Route, ready: Ready) -> ListenerKey {
        self.last += 1;
        let listener = (connection, route, self.last);
        self.all.insert(listener, ready);
        listener
    }

    pub(super) fn remove(&mut self, listener: ListenerKey) -> Option<Ready> {
        self.all.remove(&listener)
    }

    /// Returns the `ready` of each exchange that waits for a route.
    pub(super) fn on_route(&self, connection: u64, route: Route) -> impl Iterator<Item = Ready> {
        let (from, to) = ((connection, route, 0), (connection, route, u64::MAX));
        self.all.range(from..=to).map(|(_, ready)| ready.clone())
    }

    /// Returns the `ready` of each exchange that waits for any route of a connection.
    pub(super) fn on_connection(&self, connection: u64) -> impl Iterator<Item = Ready> {
        let (from, to) =
            ((connection, Route::Connection, 0), (connection, Route::Message(u64::MAX), u64::MAX));
        self.all.range(from..=to).map(|(_, ready)| ready.clone())
    }
}
