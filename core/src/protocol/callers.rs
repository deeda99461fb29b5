//! Who asks, of exchanges that do not speak for the connection's own caller.

use super::outbox::Route;
use crate::access::Caller;
use std::collections::BTreeMap;
use std::sync::Arc;

/// By exchange. A caller holds the host's value: it stays here until nobody else has it, so that it is never dropped
/// with a call, which may be under a lock.
#[derive(Default)]
pub(super) struct Callers(BTreeMap<u64, Arc<Caller>>);

impl Callers {
    pub(super) fn add(&mut self, exchange: u64, caller: Arc<Caller>) {
        self.0.insert(exchange, caller);
    }

    pub(super) fn of(&self, route: Route) -> Option<&Arc<Caller>> {
        match route {
            Route::Exchange(exchange) => self.0.get(&exchange),
            Route::Connection => None,
        }
    }

    /// Takes those out whose exchange is over, as far as no call knows them any more.
    pub(super) fn take_unused(&mut self, mut is_open: impl FnMut(Route) -> bool) -> Vec<Arc<Caller>> {
        let unused = |caller: &Arc<Caller>| Arc::strong_count(caller) == 1;
        let over: Vec<u64> = self
            .0
            .iter()
            .filter(|(exchange, caller)| unused(caller) && !is_open(Route::Exchange(**exchange)))
            .map(|(exchange, _)| *exchange)
            .collect();
        over.iter().filter_map(|exchange| self.0.remove(exchange)).collect()
    }

    pub(super) fn clear(&mut self) -> impl Send + use<> {
        std::mem::take(&mut self.0)
    }
}
