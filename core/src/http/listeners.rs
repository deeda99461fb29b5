//! Exchanges that wait for what a route of a connection has to say.

use super::exchange::Ready;
use crate::protocol::Route;
use std::collections::BTreeMap;

/// One of them: the number of its connection, the route, and a number of its own.
pub(super) type ListenerKey = (u64, Route, u64);

/// All of an endpoint. Those of one route are found as fast however many there are.
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
            ((connection, Route::Connection, 0), (connection, Route::Exchange(u64::MAX), u64::MAX));
        self.all.range(from..=to).map(|(_, ready)| ready.clone())
    }
}
