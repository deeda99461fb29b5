//! What clients cost an endpoint, counted in one place.

use super::request_body::RequestBodies;
use crate::jsonrpc::RpcError;
use crate::limits::Limits;
use crate::protocol::limit_data;
use crate::revision::{Condition, Revision};
use crate::sync::Lock;
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

/// The counts of one endpoint. What is counted is given back by its [`Permit`], wherever that ends.
pub(crate) struct Account {
    calls: Count,
    listens: Count,
    /// Bytes of bodies that have not come whole, and of output that clients have not taken.
    bytes: Count,
    /// Bytes of bodies that lack their end, which are among them.
    arriving: AtomicUsize,
    /// Bytes of events that are kept for clients that come back.
    kept: AtomicUsize,
    /// Bodies that the endpoint lets go if others need their room.
    bodies: Lock<RequestBodies>,
    /// Listen streams of callers that are known by their tokens.
    callers: Lock<Callers>,
    /// Holders whose requests come one by one.
    holders: Lock<Holders>,
}

/// How many of something each caller has. Those that have none are swept out when there are twice as many as after the last
/// sweep.
#[derive(Default)]
struct Callers {
    all: BTreeMap<Box<[u8]>, Arc<AtomicUsize>>,
    sweep_at: usize,
}

/// Holders by what their requests have in common. Those that nothing refers to are swept out as callers are.
#[derive(Default)]
struct Holders {
    all: BTreeMap<Box<[u8]>, Weak<Holder>>,
    sweep_at: usize,
}

/// One of a caller's places, free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place(Arc<AtomicUsize>);

/// What one caller may have of so many.
pub(crate) fn share(all: usize, percent: usize) -> Full {
    Full { limit: "caller_percent", most: (all.saturating_mul(percent.min(100)) / 100).max(1) }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").finish_non_exhaustive()
    }
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
    holder: Arc<Holder>,
    counted: Counted,
    number: usize,
    /// The request's body, of which the call may know parts.
    _body: Charge,
    _caller: Option<Place>,
}

/// Who holds bytes of an endpoint: a client's connection; where the driver does not tell connections apart, all requests with
/// one bearer token; or else one request.
#[derive(Debug)]
pub(crate) struct Holder {
    account: Arc<Account>,
    bytes: AtomicUsize,
}

/// Bytes that a holder has, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    holder: Arc<Holder>,
    bytes: usize,
}

/// A request under way costs about so many bytes itself.
pub(crate) const REQUEST: usize = 4 << 10;
/// What is smaller is part of [`REQUEST`].
pub(crate) const SMALL: usize = 1 << 10;
/// One holder has at most such a part of what the others leave.
const PART: usize = 4;
/// A holder of at most so many bytes may have what no larger one may: the last sixth, and the sixth before that. So few
/// connections with large bodies leave room for all that small requests need.
const SMALLER: [usize; 2] = [8 << 10, 64 << 10];

impl Account {
    pub(crate) fn new(limits: &Limits) -> Arc<Account> {
        Arc::new(Account {
            calls: Count::new("calls_in_flight", limits.calls_in_flight.max(1)),
            listens: Count::new("listen_streams", limits.listen_streams),
            bytes: Count::new("buffer_bytes", limits.buffer_bytes),
            arriving: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
            bodies: Lock::default(),
            callers: Lock::default(),
            holders: Lock::default(),
        })
    }

    fn count(&self, counted: Counted) -> &Count {
        match counted {
            Counted::Call => &self.calls,
            Counted::Listen => &self.listens,
        }
    }

    /// A place of a caller, of which it may have as many as that says.
    pub(crate) fn caller(&self, id: &[u8], share: Full) -> Result<Place, Full> {
        let places = self.callers.with(|callers, _| {
            if callers.all.len() >= callers.sweep_at {
                callers.all.retain(|_, places| Arc::strong_count(places) > 1);
                callers.sweep_at = 2 * callers.all.len() + 16;
            }
            if !callers.all.contains_key(id) {
                callers.all.insert(id.into(), Arc::default());
            }
            callers.all.get(id).cloned()
        });
        let places = places.unwrap_or_default();
        let fits = |now: usize| (now < share.most).then_some(now + 1);
        let counted = places.fetch_update(Ordering::AcqRel, Ordering::Acquire, fits).is_ok();
        if counted { Ok(Place(places)) } else { Err(share) }
    }

    /// One that holds nothing yet.
    pub(crate) fn holder(self: &Arc<Self>) -> Arc<Holder> {
        Arc::new(Holder { account: self.clone(), bytes: AtomicUsize::new(0) })
    }

    /// The holder of all requests of that name that are under way.
    pub(crate) fn holder_named(self: &Arc<Self>, name: &[u8]) -> Arc<Holder> {
        self.holders.with(|holders, _| {
            if let Some(holder) = holders.all.get(name).and_then(Weak::upgrade) {
                return holder;
            }
            if holders.all.len() >= holders.sweep_at {
                holders.all.retain(|_, holder| holder.strong_count() > 0);
                holders.sweep_at = 2 * holders.all.len() + 16;
            }
            let holder = self.holder();
            holders.all.insert(name.into(), Arc::downgrade(&holder));
            holder
        })
    }

    /// So many bytes of events are kept for clients that come back, more than before.
    pub(crate) fn keep(&self, bytes: usize) {
        self.kept.fetch_add(bytes, Ordering::AcqRel);
    }

    /// So many less.
    pub(crate) fn forget(&self, bytes: usize) {
        self.kept.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// There is more than may be: kept events have to go, which make room for everything else.
    pub(crate) fn is_over(&self) -> bool {
        let kept = self.kept.load(Ordering::Acquire);
        kept > 0 && self.bytes.now.load(Ordering::Acquire).saturating_add(kept) > self.bytes.most
    }
}

impl Holder {
    /// Counts `number` calls at once, or all that may be if that is less.
    pub(crate) fn permit(
        self: &Arc<Self>,
        counted: Counted,
        number: usize,
        body: Charge,
        caller: Option<Place>,
    ) -> Result<Arc<Permit>, Full> {
        let count = self.account.count(counted);
        let number = number.clamp(1, count.most.max(1));
        count.add(number)?;
        Ok(Arc::new(Permit { holder: self.clone(), counted, number, _body: body, _caller: caller }))
    }

    pub(crate) fn charge(self: &Arc<Self>) -> Charge {
        Charge { holder: self.clone(), bytes: 0 }
    }

    /// Whether it may have so many bytes more.
    pub(crate) fn fits(&self, more: usize) -> Result<(), Full> {
        self.fits_without(more, 0)
    }

    /// Whether it could have so many bytes more if others had `freed` bytes less.
    pub(super) fn fits_without(&self, more: usize, freed: usize) -> Result<(), Full> {
        let (all, before) = (&self.account.bytes, self.bytes.load(Ordering::Acquire));
        let others = all.now.load(Ordering::Acquire).saturating_sub(before).saturating_sub(freed);
        let own = before.saturating_add(more);
        let closed = SMALLER.iter().filter(|size| own > **size).count();
        let open = all.most - all.most / 6 * closed;
        if own <= open.saturating_sub(others) / PART { Ok(()) } else { Err(all.full()) }
    }
}

impl Holder {
    /// Charges bytes, if they fit.
    pub(super) fn reserve(self: &Arc<Self>, bytes: usize) -> Result<Charge, Full> {
        let mut charge = self.charge();
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// Charges bytes of a body that lacks its end. All of these have at most half of the budget, so that they keep no answers
    /// out.
    pub(super) fn reserve_arriving(self: &Arc<Self>, bytes: usize) -> Result<Charge, Full> {
        let Account { arriving, bytes: all, .. } = &*self.account;
        if arriving.load(Ordering::Acquire).saturating_add(bytes) > all.most / 2 {
            return Err(all.full());
        }
        self.reserve(bytes)
    }

    /// Counts that a body that lacks its end has `more` bytes.
    pub(super) fn count_arriving(&self, body: &AtomicUsize, more: usize) {
        body.fetch_add(more, Ordering::AcqRel);
        self.account.arriving.fetch_add(more, Ordering::AcqRel);
    }

    /// Stops to count a body as arriving, because it is whole or was given up.
    pub(super) fn uncount_arriving(&self, body: &AtomicUsize) {
        self.account.arriving.fetch_sub(body.swap(0, Ordering::AcqRel), Ordering::AcqRel);
    }

    pub(super) fn bodies(&self) -> &Lock<RequestBodies> {
        &self.account.bodies
    }

    /// Charges what is there already, unless it is a part of what a request costs anyway.
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize, charge: &mut Option<Charge>) {
        if bytes >= SMALL || charge.is_some() {
            charge.get_or_insert_with(|| self.charge()).force(bytes);
        }
    }
}

impl Charge {
    /// So many bytes more, if they fit.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), Full> {
        self.holder.fits(more)?;
        self.force(more);
        Ok(())
    }

    /// So many bytes more, which are there already.
    pub(crate) fn force(&mut self, more: usize) {
        self.bytes += more;
        self.holder.bytes.fetch_add(more, Ordering::AcqRel);
        self.holder.account.bytes.now.fetch_add(more, Ordering::AcqRel);
    }

    /// Takes over what another charge of the same holder counts.
    pub(super) fn add(&mut self, other: Option<Charge>) {
        self.bytes += other.map_or(0, |mut other| std::mem::take(&mut other.bytes));
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// All of it, to be dropped by somebody else.
    pub(crate) fn take(&mut self) -> Charge {
        std::mem::replace(self, self.holder.charge())
    }
}

impl Permit {
    pub(crate) fn holder(&self) -> &Arc<Holder> {
        &self.holder
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.holder.bytes.fetch_sub(self.bytes, Ordering::AcqRel);
            self.holder.account.bytes.now.fetch_sub(self.bytes, Ordering::AcqRel);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.holder.account.count(self.counted).now.fetch_sub(self.number, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(limits: impl FnOnce(&mut Limits)) -> Arc<Account> {
        let mut all = Limits::default();
        limits(&mut all);
        Account::new(&all)
    }

    #[test]
    fn a_permit_is_given_back_by_its_last_owner() {
        let account = account(|limits| (limits.calls_in_flight, limits.listen_streams) = (2, 0));
        let holder = account.holder();
        let permit = |counted, number| holder.permit(counted, number, holder.charge(), None);
        let one = permit(Counted::Call, 1).expect("there is room");
        let shared = one.clone();
        let two = permit(Counted::Call, 1).expect("there is room");
        let full = Full { limit: "calls_in_flight", most: 2 };
        assert_eq!(permit(Counted::Call, 1).expect_err("that is all"), full);
        drop(one);
        assert!(permit(Counted::Call, 1).is_err(), "somebody shares it");
        drop(shared);
        assert_eq!(permit(Counted::Call, 9).expect_err("two are not free"), full);
        drop(two);
        assert!(permit(Counted::Call, 9).is_ok(), "more than may be is all that may be");
        assert!(permit(Counted::Listen, 1).is_err());
    }

    #[test]
    fn a_holder_has_at_most_a_quarter_of_what_others_leave() {
        let account = account(|limits| limits.buffer_bytes = 1_000);
        let (one, other) = (account.holder(), account.holder());
        let mut charge = one.charge();
        assert_eq!(charge.grow(251), Err(Full { limit: "buffer_bytes", most: 1_000 }));
        assert_eq!((charge.grow(240), charge.grow(10), charge.grow(1).is_err()), (Ok(()), Ok(()), true));
        let mut second = one.charge();
        assert!(second.grow(1).is_err(), "it is the same holder");
        let mut third = other.charge();
        assert_eq!((third.grow(187), third.grow(1).is_err()), (Ok(()), true));
        drop(charge);
        assert_eq!((second.grow(203), second.grow(1).is_err()), (Ok(()), true));
    }

    #[test]
    fn another_holder_finds_some_beside_thousands_that_have_all_they_may() {
        let account = account(|limits| limits.buffer_bytes = 256 << 20);
        let mut charges = Vec::new();
        for _ in 0..5_000 {
            let mut charge = account.holder().charge();
            while charge.grow(1 << 10).is_ok() {}
            assert!(charge.bytes >= REQUEST + SMALL, "{}", charges.len());
            charges.push(charge);
        }
        let all = account.bytes.now.load(Ordering::Relaxed);
        assert!(all <= 256 << 20, "{all}");
    }

    #[test]
    fn a_caller_has_as_many_places_as_its_share_says() {
        let account = account(|_| ());
        let caller = |id: &[u8]| account.caller(id, share(10, 25));
        let (one, two) = (caller(b"ann"), caller(b"ann"));
        assert_eq!(caller(b"ann").err(), Some(Full { limit: "caller_percent", most: 2 }));
        assert!(caller(b"bob").is_ok());
        drop(one);
        assert!(caller(b"ann").is_ok() && two.is_ok());
        for id in 0..1_000_u32 {
            assert!(caller(&id.to_be_bytes()).is_ok());
        }
        assert!(
            account.callers.with(|callers, _| callers.all.len()) < 100,
            "those without a place are swept out"
        );
        assert_eq!((share(3, 25).most, share(10_000, 25).most, share(10, 900).most), (1, 2_500, 10));
    }

    #[test]
    fn kept_events_are_in_nobody_s_way() {
        let account = account(|limits| limits.buffer_bytes = 1_000);
        account.keep(1_000);
        assert!(!account.is_over());
        let mut charge = account.holder().charge();
        assert_eq!(charge.grow(100), Ok(()));
        assert!(account.is_over());
        account.forget(100);
        assert!(!account.is_over());
    }
}
