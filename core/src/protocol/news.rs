//! Which routes have something to say that nobody knows of yet.

use super::outbox::Route;
use std::collections::BTreeSet;

/// Routes that got output which nobody takes, nor was told of since. What a request looks at here does not grow with the
/// number of exchanges that are open.
#[derive(Default)]
pub(super) struct News {
    /// The connection itself, apart from the others: over stdio it is the only one, for every message.
    connection: bool,
    exchanges: BTreeSet<u64>,
}

impl News {
    pub(super) fn add(&mut self, route: Route) {
        match route {
            Route::Connection => self.connection = true,
            Route::Exchange(n) => drop(self.exchanges.insert(n)),
        }
    }

    /// Somebody takes what that route has to say, or there is nothing any more.
    pub(super) fn remove(&mut self, route: Route) {
        match route {
            Route::Connection => self.connection = false,
            Route::Exchange(n) => drop(self.exchanges.remove(&n)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.connection && self.exchanges.is_empty()
    }

    /// Whether there is any of another route than this exchange.
    pub(super) fn is_beside(&self, exchange: Route) -> bool {
        self.connection || self.exchanges.iter().any(|n| Route::Exchange(*n) != exchange)
    }

    /// All of them; whoever asks tells those who wait.
    pub(super) fn take(&mut self) -> Vec<Route> {
        let connection = std::mem::take(&mut self.connection).then_some(Route::Connection);
        let exchanges = std::mem::take(&mut self.exchanges).into_iter().map(Route::Exchange);
        connection.into_iter().chain(exchanges).collect()
    }
}
