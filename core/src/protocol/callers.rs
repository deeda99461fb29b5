//! Callers of routes that have ended, kept until no call refers to them.

use crate::access::Caller;
use std::collections::VecDeque;
use std::sync::Arc;

/// At most this many retired callers are examined whenever a route begins or its output is taken. A route
/// retires at most two.
const LOOKED_AT: usize = 4;

/// Keeps callers until no call refers to them. A caller holds a value of the application, which must not be dropped
/// under a lock; here its last owner is always a step that has a `Trash`.
#[derive(Default)]
pub(super) struct RouteCallers {
    newest: Option<Arc<Caller>>,
    over: VecDeque<Arc<Caller>>,
}

impl RouteCallers {
    /// Sets the caller for application calls that no request caused, such as an access review. No call may share it.
    pub(super) fn renew(&mut self, caller: Arc<Caller>) {
        let before = self.newest.replace(caller);
        self.retire(before);
    }

    pub(super) fn newest(&self) -> Option<&Arc<Caller>> {
        self.newest.as_ref()
    }

    /// Keeps the caller of a route that has ended for [`RouteCallers::take_unused`], because calls may still refer to it.
    pub(super) fn retire(&mut self, caller: Option<Arc<Caller>>) {
        self.over.extend(caller);
    }

    /// Takes out callers that no call refers to any more. It examines at most [`LOOKED_AT`] of them.
    pub(super) fn take_unused(&mut self) -> Vec<Arc<Caller>> {
        let mut unused = Vec::new();
        for _ in 0..self.over.len().min(LOOKED_AT) {
            let Some(caller) = self.over.pop_front() else { break };
            let free = Arc::strong_count(&caller) == 1;
            if free { unused.push(caller) } else { self.over.push_back(caller) }
        }
        unused
    }

    pub(super) fn clear(&mut self) -> impl Send + use<> {
        (self.newest.take(), std::mem::take(&mut self.over))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_without_calls_is_dropped_and_few_are_checked_at_a_time() {
        let mut callers = RouteCallers::default();
        let known: Vec<_> = (0..100).map(|_| Arc::new(Caller::default())).collect();
        for caller in &known {
            callers.retire(Some(caller.clone()));
        }
        callers.retire(Some(Arc::default()));
        for _ in 0..25 {
            assert!(callers.take_unused().is_empty(), "four of those that calls know");
        }
        assert_eq!(callers.take_unused().len(), 1);
        drop(known);
        for _ in 0..25 {
            assert_eq!(callers.take_unused().len(), LOOKED_AT);
        }
        assert!(callers.over.is_empty());
    }

    #[test]
    fn the_newest_caller_is_kept_until_there_is_a_newer_one() {
        let mut callers = RouteCallers::default();
        callers.renew(Arc::new(Caller::new(*b"first")));
        assert!(callers.take_unused().is_empty());
        callers.renew(Arc::new(Caller::new(*b"second")));
        assert_eq!(callers.take_unused()[0].id(), b"first");
        assert_eq!(callers.newest().map(|caller| caller.id()), Some(&b"second"[..]));
    }
}
