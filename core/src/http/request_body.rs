//! The body of a request while it arrives, which the endpoint lets go if others need its room.

use super::endpoint::Inner;
use super::exchange::Ready;
use crate::account::{Charge, Full, Holder};
use crate::sync::Lock;
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The body of one request.
pub(super) struct RequestBody {
    registry: Arc<Lock<RequestBodies>>,
    arriving: Arc<Arriving>,
    /// Its number among those that the endpoint can let go, once a piece came that is not the last.
    number: Option<u64>,
    /// How long it is, if the head says so.
    pub(super) length: Option<usize>,
}

/// A body that lacks its end.
struct Arriving {
    holder: Arc<Holder>,
    ready: Ready,
    /// When the request began, in milliseconds.
    since: u64,
    bytes: AtomicUsize,
    buffer: Lock<Buffer>,
}

struct Buffer {
    message: Vec<u8>,
    charge: Charge,
    refused: Option<Full>,
}

/// The bodies of an endpoint that lack their end and hold bytes.
#[derive(Default)]
pub(super) struct RequestBodies {
    last: u64,
    arriving: BTreeMap<u64, Arc<Arriving>>,
}

/// Room that a request needs.
pub(super) struct RoomNeed<'a> {
    pub(super) holder: &'a Arc<Holder>,
    /// The number of its body, if the endpoint could let that go.
    pub(super) number: Option<u64>,
    pub(super) bytes: usize,
    /// The cost of the request with these bytes: see [`cost`].
    pub(super) cost: u128,
}

impl RequestBody {
    pub(super) fn new(inner: &Inner, holder: &Arc<Holder>, since: u64, ready: Ready) -> RequestBody {
        let buffer = Lock::new(Buffer { message: Vec::new(), charge: holder.charge(), refused: None });
        let (holder, bytes) = (holder.clone(), AtomicUsize::new(0));
        let arriving = Arc::new(Arriving { holder, ready, since, bytes, buffer });
        RequestBody { registry: inner.bodies.clone(), arriving, number: None, length: None }
    }

    /// How many bytes have arrived.
    pub(super) fn len(&self) -> usize {
        self.arriving.buffer.with(|buffer, _| buffer.message.len())
    }

    /// Appends a piece of a body of at most `most` bytes. Charges what the buffer grows by. If there is no room, the
    /// endpoint lets the body go that costs most, which may be this one.
    pub(super) fn append(&mut self, bytes: &[u8], most: usize, inner: &Inner) -> Result<(), Full> {
        let Arriving { holder, since, bytes: held, buffer, .. } = &*self.arriving;
        let (has, length) = buffer.with(|buffer, _| match buffer.refused {
            Some(full) => Err(full),
            None => Ok((buffer.message.capacity(), buffer.message.len() + bytes.len())),
        })?;
        let mut grown = None;
        if length > has {
            let ahead = has.saturating_mul(2).min(self.length.unwrap_or(most)).max(length);
            let reserve = |size: usize| holder.reserve_arriving(size - has);
            grown = Some(reserve(ahead).or_else(|_| {
                let (now, size) = (inner.group.now(), held.load(Ordering::Relaxed) + length - has);
                let cost = cost(size, *since, now);
                let need = RoomNeed { holder, number: self.number, bytes: length - has, cost };
                make_room(inner, &need, || reserve(length))
            })?);
        }
        let more = grown.as_ref().map_or(0, Charge::bytes);
        buffer.with(|buffer, trash| {
            if let Some(full) = buffer.refused {
                trash.put(grown);
                return Err(full);
            }
            buffer.charge.add(grown);
            buffer.message.reserve_exact(has + more - buffer.message.len());
            buffer.message.extend_from_slice(bytes);
            holder.count_arriving(held, more);
            Ok(())
        })?;
        if self.number.is_none() && self.length != Some(length) {
            let arriving = self.arriving.clone();
            self.number = Some(self.registry.with(|bodies, _| bodies.add(arriving)));
        }
        Ok(())
    }

    /// The limit for which the endpoint let the body go.
    pub(super) fn refused(&self) -> Option<Full> {
        self.number?; // nothing else can be let go
        self.arriving.buffer.with(|buffer, _| buffer.refused)
    }

    /// Takes the body, and the charge for it. The endpoint cannot let it go any more.
    pub(super) fn take(&mut self) -> Result<(Vec<u8>, Charge), Full> {
        if let Some(number) = self.number.take() {
            let arriving = self.registry.with(|bodies, _| bodies.arriving.remove(&number));
            drop(arriving); // not under the lock
        }
        self.arriving.take(None)
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// Reserves room, and lets go of the body that costs most until there is some. Fails if the holder's own bodies cost most.
pub(super) fn make_room<R>(
    inner: &Inner,
    need: &RoomNeed<'_>,
    reserve: impl Fn() -> Result<R, Full>,
) -> Result<R, Full> {
    loop {
        let full = match reserve() {
            Ok(room) => return Ok(room),
            Err(full) => full,
        };
        let bodies = &inner.bodies;
        let all: Vec<_> = bodies.with(|b, _| b.arriving.iter().map(|(n, body)| (*n, body.clone())).collect());
        let (number, body) = costliest(&all, need, inner.group.now()).ok_or(full)?;
        let gone = bodies.with(|bodies, _| bodies.arriving.remove(number));
        drop((gone, body.take(Some(full)))); // under no lock
        inner.notify(&body.ready);
    }
}

/// The bodies of one holder.
struct Share<'a> {
    cost: u128,
    costliest: (u128, &'a (u64, Arc<Arriving>)),
}

/// The costliest body of the holder whose bodies cost most together. None if that is the one in need, or if there is no room
/// for it without any of these bodies.
fn costliest<'a>(
    all: &'a [(u64, Arc<Arriving>)],
    need: &RoomNeed<'_>,
    now: u64,
) -> Option<&'a (u64, Arc<Arriving>)> {
    let mut shares: BTreeMap<*const Holder, Share<'_>> = BTreeMap::new();
    let (mut own, mut others) = (need.cost, 0);
    for entry in all {
        let (number, body) = entry;
        let bytes = body.bytes.load(Ordering::Relaxed);
        let cost = cost(bytes, body.since, now);
        if Arc::ptr_eq(&body.holder, need.holder) {
            own += if need.number == Some(*number) { 0 } else { cost };
            continue;
        }
        others += bytes;
        let costliest = (cost, entry);
        let share = shares.entry(Arc::as_ptr(&body.holder)).or_insert(Share { cost: 0, costliest });
        share.cost += cost;
        if cost > share.costliest.0 {
            share.costliest = costliest;
        }
    }
    let share = shares.into_values().max_by_key(|share| share.cost)?;
    let helps = share.cost > own && need.holder.fits_without(need.bytes, others).is_ok();
    helps.then_some(share.costliest.1)
}

/// Returns the cost of a body to other clients: its bytes, times the milliseconds since its request began. So a large body
/// that is sent at once finds room next to large bodies that are sent slowly.
pub(super) fn cost(bytes: usize, since: u64, now: u64) -> u128 {
    bytes as u128 * u128::from(now.saturating_sub(since).saturating_add(1))
}

impl Arriving {
    /// Takes the bytes and their charge. `refused` tells the exchange why they are gone.
    fn take(&self, refused: Option<Full>) -> Result<(Vec<u8>, Charge), Full> {
        let empty = self.holder.charge();
        self.buffer.with(|buffer, trash| {
            if let Some(full) = buffer.refused {
                trash.put(empty);
                return Err(full);
            }
            buffer.refused = refused;
            self.holder.uncount_arriving(&self.bytes);
            Ok((std::mem::take(&mut buffer.message), std::mem::replace(&mut buffer.charge, empty)))
        })
    }
}

impl RequestBodies {
    fn add(&mut self, body: Arc<Arriving>) -> u64 {
        self.last += 1;
        self.arriving.insert(self.last, body);
        self.last
    }
}
