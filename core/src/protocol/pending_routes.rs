//! Routes with new output or a new deadline that no driver knows of yet.

use super::outbox::Route;
use std::collections::BTreeSet;

/// The routes that a change concerns.
pub(crate) enum Routes {
    /// Every route of the connection, since it is not known which.
    All,
    These(Vec<Route>),
}

/// Routes that got output or a deadline since a drain or the driver last looked at them. To note one costs the same,
/// however many routes are open.
#[derive(Default)]
pub(super) struct PendingRoutes {
    /// True if the connection's own route is pending. Over stdio it is the only route, and gets every message.
    connection: bool,
    routes: BTreeSet<u64>,
    /// True if a call that belongs to no route got a deadline. A poll finds that by itself, so no driver is woken for
    /// it.
    all: bool,
    /// True if a route was added since [`PendingRoutes::take_growth`], even one that was pending already.
    grew: bool,
}

impl PendingRoutes {
    pub(super) fn add(&mut self, route: Route) {
        self.grew = true;
        match route {
            Route::Connection => self.connection = true,
            Route::Message(n) => drop(self.routes.insert(n)),
        }
    }

    pub(super) fn add_all(&mut self) {
        self.all = true;
    }

    /// Removes a route, because a drain takes its output or it has none.
    pub(super) fn remove(&mut self, route: Route) {
        match route {
            Route::Connection => self.connection = false,
            Route::Message(n) => drop(self.routes.remove(&n)),
        }
    }

    /// Returns whether a route was added since the last call.
    pub(super) fn take_growth(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.connection && self.routes.is_empty()
    }

    /// Returns whether a route other than this route's is pending.
    pub(super) fn is_other_than(&self, route: Route) -> bool {
        self.connection || self.routes.iter().any(|n| Route::Message(*n) != route)
    }

    /// Takes all pending routes. The caller notifies their drivers.
    pub(super) fn take(&mut self) -> Routes {
        let PendingRoutes { connection, routes, all, .. } = std::mem::take(self);
        if all {
            return Routes::All;
        }
        let connection = connection.then_some(Route::Connection);
        Routes::These(connection.into_iter().chain(routes.into_iter().map(Route::Message)).collect())
    }
}
