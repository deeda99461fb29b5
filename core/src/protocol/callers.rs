//! Callers of a session's exchanges, each of which has its own beside the connection's.

use crate::access::Caller;
use std::collections::VecDeque;
use std::sync::Arc;

/// So many of those that are over are looked at whenever an exchange begins and when its output is taken, however many there
/// are. Each leaves two here.
const LOOKED_AT: usize = 4;

/// What an exchange leaves of its caller. That holds the host's value: once its exchange is over it stays here until
/// nobody else has it, so that it is never dropped with a call, which may be under a lock.
#[derive(Default)]
pub(super) struct Callers {
    newest: Option<Arc<Caller>>,
    over: VecDeque<Arc<Caller>>,
}

impl Callers {
    /// From now on that is whom questions are asked for that no request asks. Nobody else has it.
    pub(super) fn renew(&mut self, caller: Arc<Caller>) {
        let before = self.newest.replace(caller);
        self.leave(before);
    }

    pub(super) fn newest(&self) -> Option<&Arc<Caller>> {
        self.newest.as_ref()
    }

    /// The exchange is over that had it.
    pub(super) fn leave(&mut self, caller: Option<Arc<Caller>>) {
        self.over.extend(caller);
    }

    /// Takes some of those out that no call knows any more.
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
    fn a_caller_is_let_go_once_no_call_knows_it_and_few_are_looked_at_at_once() {
        let mut callers = Callers::default();
        let known: Vec<_> = (0..100).map(|_| Arc::new(Caller::default())).collect();
        for caller in &known {
            callers.leave(Some(caller.clone()));
        }
        callers.leave(Some(Arc::default()));
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
        let mut callers = Callers::default();
        callers.renew(Arc::new(Caller::new(*b"first")));
        assert!(callers.take_unused().is_empty());
        callers.renew(Arc::new(Caller::new(*b"second")));
        assert_eq!(callers.take_unused()[0].id(), b"first");
        assert_eq!(callers.newest().map(|caller| caller.id()), Some(&b"second"[..]));
    }
}
