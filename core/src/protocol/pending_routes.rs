//! Routes with new output or a new deadline that no driver knows of yet.

use super::outbox::Route;
use std::collections::BTreeSet;

/// The routes that a change concerns.
pub(crate) enum Routes {
    /// Every route of the connection.
    All,
    These(Vec<Route>),
}

/// Routes that got output, or a deadline, since a drain or the driver last looked at them. What a request costs here does
/// not grow with the number of open exchanges.
#[derive(Default)]
pub(super) struct PendingRoutes {
    /// The connection itself, apart from the others: over stdio it is the only one, for every message.
    connection: bool,
    exchanges: BTreeSet<u64>,
    /// A call that belongs to no route got a deadline. A poll finds that by itself, so it is no reason for a wake.
    all: bool,
    /// A route was added since this was last asked, even one that was there already.
    grew: bool,
}

impl PendingRoutes {
    pub(super) fn add(&mut self, route: Route) {
        self.grew = true;
        match route {
            Route::Connection => self.connection = true,
            Route::Exchange(n) => drop(self.exchanges.insert(n)),
        }
    }

    pub(super) fn add_all(&mut self) {
        self.all = true;
    }

    /// Removes a route, because a drain takes its output or it has none.
    pub(super) fn remove(&mut self, route: Route) {
        match route {
            Route::Connection => self.connection = false,
            Route::Exchange(n) => drop(self.exchanges.remove(&n)),
        }
    }

    /// Returns whether a route was added since the last call.
    pub(super) fn take_growth(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.connection && self.exchanges.is_empty()
    }

    /// Returns whether there is any of another route than this exchange.
    pub(super) fn is_other_than(&self, exchange: Route) -> bool {
        self.connection || self.exchanges.iter().any(|n| Route::Exchange(*n) != exchange)
    }

    /// Takes the routes. The caller notifies their drivers.
    pub(super) fn take(&mut self) -> Routes {
        let PendingRoutes { connection, exchanges, all, .. } = std::mem::take(self);
        if all {
            return Routes::All;
        }
        let connection = connection.then_some(Route::Connection);
        Routes::These(connection.into_iter().chain(exchanges.into_iter().map(Route::Exchange)).collect())
    }
}
