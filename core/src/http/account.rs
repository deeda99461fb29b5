//! What clients cost an endpoint, counted in one place.

use crate::jsonrpc::RpcError;
use crate::limits::Limits;
use crate::protocol::limit_data;
use crate::revision::{Condition, Revision};
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// The counts of one endpoint. What is counted is given back by its [`Permit`], wherever that ends.
#[derive(Debug)]
pub(crate) struct Account {
    calls: Count,
    listens: Count,
}

/// What a permit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// One of `calls_in_flight`.
    Call,
    /// One of `listen_streams`.
    Listen,
}

/// A limit that is reached: its name, and what it is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full {
    pub(crate) limit: &'static str,
    pub(crate) most: usize,
}

impl Full {
    /// The error that tells a client to come again later.
    pub(crate) fn fault(self) -> RpcError {
        let fault = RpcError::new(Revision::newest().code(Condition::Busy), "Busy");
        fault.with_data(limit_data(self.limit, self.most))
    }
}

#[derive(Debug)]
struct Count {
    limit: &'static str,
    now: AtomicUsize,
    most: usize,
}

impl Count {
    fn new(limit: &'static str, most: usize) -> Count {
        Count { limit, now: AtomicUsize::new(0), most }
    }

    fn full(&self) -> Full {
        Full { limit: self.limit, most: self.most }
    }

    /// Counts so many more, if that many fit.
    fn add(&self, more: usize) -> Result<(), Full> {
        let fits = |now: usize| now.checked_add(more).filter(|sum| *sum <= self.most);
        self.now.fetch_update(Ordering::AcqRel, Ordering::Acquire, fits).map(drop).map_err(|_| self.full())
    }
}

/// The right to a number of calls, or to a listen stream, counted until the last owner drops it.
///
/// Three have a share in the permit of a call: the route until it is answered, the open request, and each responder of a
/// question that the request asks the host. So a call counts until its callback is over, though its client has gone.
#[derive(Debug)]
pub(crate) struct Permit {
    account: Arc<Account>,
    counted: Counted,
    number: usize,
}

impl Account {
    pub(crate) fn new(limits: &Limits) -> Arc<Account> {
        Arc::new(Account {
            calls: Count::new("calls_in_flight", limits.calls_in_flight.max(1)),
            listens: Count::new("listen_streams", limits.listen_streams),
        })
    }

    /// Counts `number` calls at once, or all that may be if that is less.
    pub(crate) fn permit(self: &Arc<Self>, counted: Counted, number: usize) -> Result<Arc<Permit>, Full> {
        let count = self.count(counted);
        let number = number.clamp(1, count.most.max(1));
        count.add(number)?;
        Ok(Arc::new(Permit { account: self.clone(), counted, number }))
    }

    fn count(&self, counted: Counted) -> &Count {
        match counted {
            Counted::Call => &self.calls,
            Counted::Listen => &self.listens,
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.account.count(self.counted).now.fetch_sub(self.number, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_is_given_back_by_its_last_owner() {
        let mut limits = Limits::default();
        (limits.calls_in_flight, limits.listen_streams) = (2, 0);
        let account = Account::new(&limits);
        let one = account.permit(Counted::Call, 1).expect("there is room");
        let shared = one.clone();
        let two = account.permit(Counted::Call, 1).expect("there is room");
        let full = Full { limit: "calls_in_flight", most: 2 };
        assert_eq!(account.permit(Counted::Call, 1).expect_err("that is all"), full);
        drop(one);
        assert!(account.permit(Counted::Call, 1).is_err(), "somebody shares it");
        drop(shared);
        assert_eq!(account.permit(Counted::Call, 9).expect_err("two are not free"), full);
        drop(two);
        assert!(account.permit(Counted::Call, 9).is_ok(), "more than may be is all that may be");
        assert!(account.permit(Counted::Listen, 1).is_err());
    }
}
