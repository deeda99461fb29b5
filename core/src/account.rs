//! Counts what the clients of an endpoint cost: calls, listen streams and bytes.

mod listen_streams;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only drivers of the core register responses"))]
mod unread_responses;

use self::listen_streams::{ListenPlace, ListenStreams};
use self::unread_responses::UnreadResponses;
use crate::jsonrpc::RpcError;
use crate::limits::Limits;
use crate::revision::{Condition, Revision};
use crate::sync::Lock;
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

pub(crate) use self::listen_streams::{Ready, StreamOwner};
#[cfg(feature = "http")]
pub(crate) use self::unread_responses::UnreadResponse;

/// Counts what the clients of one HTTP endpoint use. Dropping the [`Permit`] of a use lowers its count, on any thread.
pub(crate) struct Account {
    calls: Count,
    listens: Lock<ListenStreams>,
    /// The bytes of incomplete request bodies and of output that clients have not read.
    bytes: Count,
    /// The bytes of incomplete request bodies, which `bytes` contains.
    arriving: AtomicUsize,
    /// The bytes of events that are kept for clients that resume a stream.
    kept: AtomicUsize,
    /// The responses that clients have not read. One is dropped if the output of other clients needs its bytes.
    unread: Lock<UnreadResponses>,
    caller_percent: usize,
    /// The calls of callers with a token.
    callers: Lock<Callers>,
    /// The holders that several requests share, by name.
    holders: Lock<Holders>,
}

/// The number of calls of each caller. Callers without calls are removed when there are twice as many entries as after
/// the last time.
#[derive(Default)]
struct Callers {
    all: BTreeMap<Box<[u8]>, Arc<AtomicUsize>>,
    sweep_at: usize,
}

/// Holders by their name, such as the bearer token that their requests have in common. Unused ones are removed as
/// callers are.
#[derive(Default)]
struct Holders {
    all: BTreeMap<Box<[u8]>, Weak<Holder>>,
    sweep_at: usize,
}

/// Returns the share of one caller in a limit of `all`: `percent` of it, at least one.
pub(crate) fn share(all: usize, percent: usize) -> Full {
    Full { limit: "caller_percent", most: (all.saturating_mul(percent.min(100)) / 100).max(1) }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").finish_non_exhaustive()
    }
}

/// A limit that is reached: its name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full {
    pub(crate) limit: &'static str,
    pub(crate) most: usize,
}

impl Full {
    /// Makes the error "busy", which tells a client to try again later.
    pub(crate) fn fault(self) -> RpcError {
        let fault = RpcError::new(Revision::newest().code(Condition::Busy), "Busy");
        fault.with_limit(self.limit, self.most)
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

    /// Adds to the count. Fails if it would exceed the limit.
    fn add(&self, more: usize) -> Result<(), Full> {
        let fits = |now: usize| now.checked_add(more).filter(|sum| *sum <= self.most);
        self.now.fetch_update(Ordering::AcqRel, Ordering::Acquire, fits).map(drop).map_err(|_| self.full())
    }
}

/// The right to a number of calls, or to a listen stream. It counts until its last owner drops it.
///
/// Three own the permit of a call: the route until it is answered, the open request, and each responder of a question
/// to the application. So a call counts until its callback is over, even if its client has gone.
#[derive(Debug)]
pub(crate) struct Permit {
    counted: Counted,
    holder: Arc<Holder>,
    /// The charge for the request's body, which the call may still use in part.
    _body: Option<Charge>,
}

/// The things that a permit counts.
#[derive(Debug)]
pub(crate) enum Counted {
    Calls {
        _calls: CountedCalls,
    },
    Listen(ListenPlace),
    /// Nothing but the body.
    Body,
}

/// A number of calls in flight that are counted. Dropping it subtracts them.
#[derive(Debug)]
pub(crate) struct CountedCalls {
    holder: Arc<Holder>,
    /// The count of the caller, if it has a token. Otherwise the calls count for the holder.
    caller: Option<Arc<AtomicUsize>>,
    number: usize,
}

/// A holder: one sender of requests whose bytes are counted together. It is a transport connection. If the driver does
/// not tell connections apart, it is all requests with one bearer token, or else one request.
#[derive(Debug)]
pub(crate) struct Holder {
    account: Arc<Account>,
    bytes: AtomicUsize,
    /// The number of its calls in flight whose caller has no token.
    calls: AtomicUsize,
    /// True for a single request whose client is unknown.
    is_request: bool,
}

/// Bytes that are counted for a holder, until this is dropped.
#[derive(Debug)]
pub(crate) struct Charge {
    holder: Arc<Holder>,
    bytes: usize,
}

/// Bytes of an incomplete body. They count in [`Account::arriving`] until the body is complete, or until this is
/// dropped.
#[derive(Debug)]
pub(crate) struct ArrivingCharge(Charge);

/// The bytes that each request in progress counts for, without its body.
pub(crate) const REQUEST: usize = 4 << 10;
/// An allocation below this number of bytes is not counted by itself, because [`REQUEST`] covers it.
pub(crate) const SMALL: usize = 1 << 10;
/// One holder may have at most one part in this number of the bytes that the others leave.
const PART: usize = 4;
/// Sizes of holders in bytes. Only a holder of at most the first size may use the last sixth of the limit, and only one
/// of at most the second size the sixth before it. So a few connections with large bodies leave room for small
/// requests.
const SMALLER: [usize; 2] = [8 << 10, 64 << 10];

impl Account {
    pub(crate) fn new(limits: &Limits) -> Arc<Account> {
        Arc::new(Account {
            calls: Count::new("calls_in_flight", limits.calls_in_flight.max(1)),
            listens: Lock::new(ListenStreams::new(limits)),
            bytes: Count::new("buffer_bytes", limits.buffer_bytes),
            arriving: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
            unread: Lock::default(),
            caller_percent: limits.caller_percent,
            callers: Lock::default(),
            holders: Lock::default(),
        })
    }

    /// Returns the count of a caller's calls.
    fn calls_of(&self, caller: &[u8]) -> Arc<AtomicUsize> {
        self.callers.with(|callers, _| {
            if let Some(calls) = callers.all.get(caller) {
                return calls.clone();
            }
            if callers.all.len() >= callers.sweep_at {
                callers.all.retain(|_, calls| Arc::strong_count(calls) > 1);
                callers.sweep_at = 2 * callers.all.len() + 16;
            }
            callers.all.entry(caller.into()).or_default().clone()
        })
    }

    /// Makes a holder without any bytes.
    pub(crate) fn holder(self: &Arc<Self>) -> Arc<Holder> {
        self.new_holder(false)
    }

    /// Makes a holder for one request, whose client cannot be told from others.
    pub(crate) fn holder_of_request(self: &Arc<Self>) -> Arc<Holder> {
        self.new_holder(true)
    }

    fn new_holder(self: &Arc<Self>, is_request: bool) -> Arc<Holder> {
        let (bytes, calls) = Default::default();
        Arc::new(Holder { account: self.clone(), bytes, calls, is_request })
    }

    /// Returns the holder of all requests in progress with this name, such as their bearer token.
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

    /// Counts bytes of events that are kept for clients that resume a stream.
    pub(crate) fn keep(&self, bytes: usize) {
        self.kept.fetch_add(bytes, Ordering::AcqRel);
    }

    /// Subtracts bytes of events that are not kept any more.
    pub(crate) fn forget(&self, bytes: usize) {
        self.kept.fetch_sub(bytes, Ordering::AcqRel);
    }

    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.kept.load(Ordering::Acquire)
    }

    /// Returns whether more bytes are held than the limit allows. Kept events are dropped then.
    pub(crate) fn is_over(&self) -> bool {
        let kept = self.kept.load(Ordering::Acquire);
        kept > 0 && self.bytes.now.load(Ordering::Acquire).saturating_add(kept) > self.bytes.most
    }
}

impl Holder {
    /// Counts `number` calls at once, or as many as may be counted if that is less. `caller` is the id of a caller with
    /// a token. Fails if there is no room.
    ///
    /// A caller, or a holder without a caller, may have `caller_percent` of the calls that the others leave, so that
    /// there is room for the next one. Its first request needs no more than room, and may be a batch of
    /// `caller_percent` of all calls.
    pub(crate) fn count_calls(
        self: &Arc<Self>,
        number: usize,
        caller: Option<&[u8]>,
    ) -> Result<Counted, Full> {
        let Account { calls: all, caller_percent, .. } = &*self.account;
        let number = number.clamp(1, all.most);
        let caller = caller.map(|caller| self.account.calls_of(caller));
        let own = caller.as_deref().unwrap_or(&self.calls);
        all.add(number)?;
        let total = all.now.load(Ordering::Acquire);
        let part =
            |own: usize| share(all.most.saturating_sub(total.saturating_sub(own + number)), *caller_percent);
        let first = share(all.most, *caller_percent).most;
        let fits = |own: usize| {
            (own + number <= part(own).most || own == 0 && number <= first).then_some(own + number)
        };
        if let Err(own) = own.fetch_update(Ordering::AcqRel, Ordering::Acquire, fits) {
            all.now.fetch_sub(number, Ordering::AcqRel);
            return Err(part(own));
        }
        Ok(Counted::Calls { _calls: CountedCalls { holder: self.clone(), caller, number } })
    }

    /// Makes a permit, which owns what is counted and the charge for the request's body.
    pub(crate) fn permit(self: &Arc<Self>, counted: Counted, body: Option<Charge>) -> Arc<Permit> {
        Arc::new(Permit { counted, holder: self.clone(), _body: body })
    }

    /// Returns the owner of its listen streams, for requests whose caller has no token.
    pub(crate) fn stream_owner(self: &Arc<Self>) -> StreamOwner {
        let address = Arc::as_ptr(self).addr();
        if self.is_request { StreamOwner::Request(address) } else { StreamOwner::Holder(address) }
    }

    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// The number of bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Acquire)
    }

    pub(crate) fn charge(self: &Arc<Self>) -> Charge {
        Charge { holder: self.clone(), bytes: 0 }
    }

    /// Fails if the holder may not have this number of bytes more.
    pub(crate) fn fits(&self, more: usize) -> Result<(), Full> {
        self.fits_without(more, 0)
    }

    /// Checks that the holder may have `more` further bytes if other holders have `freed` bytes less. Fails otherwise,
    /// as [`Holder::fits`] does.
    pub(crate) fn fits_without(&self, more: usize, freed: usize) -> Result<(), Full> {
        let (all, before) = (&self.account.bytes, self.bytes.load(Ordering::Acquire));
        let others = all.now.load(Ordering::Acquire).saturating_sub(before).saturating_sub(freed);
        let own = before.saturating_add(more);
        let closed = SMALLER.iter().filter(|size| own > **size).count();
        let open = all.most - all.most / 6 * closed;
        if own <= open.saturating_sub(others) / PART { Ok(()) } else { Err(all.full()) }
    }
}

impl Holder {
    /// Counts bytes for the holder. Fails if they do not fit.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: usize) -> Result<Charge, Full> {
        let mut charge = self.charge();
        charge.grow(bytes)?;
        Ok(charge)
    }

    /// Counts bytes of an incomplete body for the holder. Fails if they do not fit. All incomplete bodies have at most
    /// half of the limit, so that there is room for answers.
    pub(crate) fn reserve_arriving(self: &Arc<Self>, bytes: usize) -> Result<ArrivingCharge, Full> {
        let Account { arriving, bytes: all, .. } = &*self.account;
        if arriving.load(Ordering::Acquire).saturating_add(bytes) > all.most / 2 {
            return Err(all.full());
        }
        let charge = self.reserve(bytes)?;
        arriving.fetch_add(bytes, Ordering::AcqRel);
        Ok(ArrivingCharge(charge))
    }

    /// Counts memory that is allocated already, unless it is less than [`SMALL`].
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize, charge: &mut Option<Charge>) {
        if bytes >= SMALL || charge.is_some() {
            charge.get_or_insert_with(|| self.charge()).force(bytes);
        }
    }
}

impl Charge {
    /// Counts more bytes. Fails if they do not fit.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), Full> {
        self.holder.fits(more)?;
        self.force(more);
        Ok(())
    }

    /// Counts more bytes that are allocated already, even beyond the limit.
    pub(crate) fn force(&mut self, more: usize) {
        self.bytes += more;
        self.holder.bytes.fetch_add(more, Ordering::AcqRel);
        self.holder.account.bytes.now.fetch_add(more, Ordering::AcqRel);
    }

    /// Moves all bytes into a charge that the caller can drop.
    pub(crate) fn take(&mut self) -> Charge {
        std::mem::replace(self, self.holder.charge())
    }
}

impl ArrivingCharge {
    /// Adds another charge of the same holder to this one.
    pub(crate) fn add(&mut self, mut other: ArrivingCharge) {
        self.0.bytes += std::mem::take(&mut other.0.bytes);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes
    }

    /// Turns this into the charge of a complete body.
    pub(crate) fn into_whole(mut self) -> Charge {
        let charge = self.0.take();
        charge.holder.account.arriving.fetch_sub(charge.bytes, Ordering::AcqRel);
        charge
    }
}

impl Permit {
    pub(crate) fn holder(&self) -> &Arc<Holder> {
        &self.holder
    }

    /// Marks the permit's listen stream as open, if it is for one. Returns the `ready` of the stream that ends in its
    /// place.
    pub(crate) fn open_listen_stream(&self) -> Option<Ready> {
        match &self.counted {
            Counted::Listen(place) => place.open(),
            _ => None,
        }
    }

    /// Returns whether the permit is for a listen stream that has lost its place to another stream.
    pub(crate) fn is_replaced(&self) -> bool {
        matches!(&self.counted, Counted::Listen(place) if place.is_replaced())
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

impl Drop for ArrivingCharge {
    fn drop(&mut self) {
        self.0.holder.account.arriving.fetch_sub(self.0.bytes, Ordering::AcqRel);
    }
}

impl Drop for CountedCalls {
    fn drop(&mut self) {
        let own = self.caller.as_deref().unwrap_or(&self.holder.calls);
        own.fetch_sub(self.number, Ordering::AcqRel);
        self.holder.account.calls.now.fetch_sub(self.number, Ordering::AcqRel);
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
        let account = account(|limits| (limits.calls_in_flight, limits.caller_percent) = (2, 100));
        let permit = |number| {
            let holder = account.holder();
            holder.count_calls(number, None).map(|counted| holder.permit(counted, None))
        };
        let one = permit(1).expect("there is room");
        let shared = one.clone();
        let two = permit(1).expect("there is room");
        let full = Full { limit: "calls_in_flight", most: 2 };
        assert_eq!(permit(1).expect_err("that is all"), full);
        drop(one);
        assert!(permit(1).is_err(), "another owner shares it");
        drop(shared);
        assert_eq!(permit(9).expect_err("two are not free"), full);
        drop(two);
        assert!(permit(9).is_ok(), "more than may be is all that may be");
    }

    #[test]
    fn a_holder_has_at_most_its_part_of_the_calls_that_others_leave() {
        let account = account(|limits| limits.calls_in_flight = 16);
        let mut calls = Vec::new();
        let mut had = Vec::new();
        for _ in 0..4 {
            let (holder, before) = (account.holder(), calls.len());
            let refused = loop {
                match holder.count_calls(1, None) {
                    Ok(counted) => calls.push(counted),
                    Err(full) => break full,
                }
            };
            had.push(calls.len() - before);
            let most = calls.len() - before;
            assert_eq!(refused, Full { limit: "caller_percent", most });
        }
        assert_eq!(had, [4, 3, 2, 1]);
        assert!(account.holder().count_calls(9, None).is_err(), "there is no room for nine");
        calls.clear();
        let busy = Full { limit: "caller_percent", most: 4 };
        assert_eq!(
            account.holder().count_calls(5, None).err(),
            Some(busy),
            "a batch has no more than the share"
        );
        let others: Vec<_> = (0..3).map(|_| account.holder().count_calls(4, None)).collect();
        assert!(others.iter().all(Result::is_ok), "though it is more than a part of what is left");
        let whole = account.holder();
        let last: Vec<_> = (0..2).map(|_| whole.count_calls(1, None)).collect();
        assert_eq!(
            last.iter().map(Result::is_ok).collect::<Vec<_>>(),
            [true, false],
            "one call is always in order"
        );
    }

    #[test]
    fn a_holder_has_at_most_a_quarter_of_the_room_that_others_leave() {
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
    fn another_holder_finds_room_after_thousands_took_all_they_may() {
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
    fn a_caller_has_its_part_of_the_calls_with_any_holder() {
        let account = account(|limits| limits.calls_in_flight = 11);
        let caller = |id: &[u8]| account.holder().count_calls(1, Some(id));
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
            "those without a call are swept out"
        );
        assert_eq!((share(3, 25).most, share(10_000, 25).most, share(10, 900).most), (1, 2_500, 10));
    }

    #[test]
    fn kept_events_take_no_room_from_others() {
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
