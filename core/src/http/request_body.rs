//! The body of a request while it arrives. The endpoint drops it if other requests need its room.

use super::endpoint::Inner;
use super::exchange::Ready;
use crate::account::{ArrivingCharge, Charge, Full, Holder};
use crate::sync::Lock;
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The body of one request.
pub(super) struct RequestBody {
    holder: Arc<Holder>,
    ready: Ready,
    /// The time when the request began, in milliseconds.
    since: u64,
    place: BodyPlace,
    /// The number of bytes that have arrived.
    arrived: usize,
    /// The number of bytes that count for the endpoint's limit.
    charged: usize,
    /// The length of the whole body, if the head names it.
    pub(super) length: Option<usize>,
}

/// The place where the bytes of a body are.
enum BodyPlace {
    /// In the exchange itself. Most bodies come in one piece, so that no other thread needs to find them.
    Own(Buffer),
    /// In the list of the endpoint, which can drop them there. A body moves there when a piece came that is not the
    /// last.
    Shared { registry: Arc<Lock<RequestBodies>>, number: u64, arriving: Arc<Arriving> },
}

/// A body that the endpoint can drop.
struct Arriving {
    holder: Arc<Holder>,
    ready: Ready,
    since: u64,
    /// The number of bytes that count for the endpoint's limit.
    charged: AtomicUsize,
    /// The bytes so far, or the limit because of which the endpoint dropped the body.
    buffer: Lock<Result<Buffer, Full>>,
}

#[derive(Default)]
struct Buffer {
    message: Vec<u8>,
    charge: Option<ArrivingCharge>,
}

/// The bodies of an endpoint that are incomplete and hold bytes. It can drop them.
#[derive(Default)]
pub(super) struct RequestBodies {
    last: u64,
    arriving: BTreeMap<u64, Arc<Arriving>>,
}

/// The room that a request needs for its bytes.
pub(super) struct RoomNeed<'a> {
    pub(super) holder: &'a Arc<Holder>,
    /// The number of the request's own body, if the endpoint could drop that.
    pub(super) number: Option<u64>,
    pub(super) bytes: usize,
    /// The cost that the request would have with these bytes: see [`cost`].
    pub(super) cost: u128,
}

impl RequestBody {
    pub(super) fn new(holder: &Arc<Holder>, since: u64, ready: &Ready) -> RequestBody {
        let (holder, ready, place) = (holder.clone(), ready.clone(), BodyPlace::Own(Buffer::default()));
        RequestBody { holder, ready, since, place, arrived: 0, charged: 0, length: None }
    }

    /// Returns how many bytes have arrived.
    pub(super) fn len(&self) -> usize {
        self.arrived
    }

    /// Appends a piece of a body that may have at most `most` bytes, and counts the growth of the buffer. If there is
    /// no room, the endpoint drops the body that costs most, which may be this one.
    pub(super) fn append(&mut self, bytes: &[u8], most: usize, inner: &Inner) -> Result<(), Full> {
        let length = self.arrived + bytes.len();
        let grown = if length > self.charged { Some(self.charge(length, most, inner)?) } else { None };
        let charged = self.charged + grown.as_ref().map_or(0, ArrivingCharge::bytes);
        match &mut self.place {
            BodyPlace::Own(buffer) => buffer.append(bytes, charged, grown),
            BodyPlace::Shared { arriving, .. } => arriving.append(bytes, charged, grown)?,
        }
        (self.arrived, self.charged) = (length, charged);
        if self.length != Some(length) {
            self.share(inner);
        }
        Ok(())
    }

    /// Counts room for a body of `length` bytes. It counts room for twice the current bytes if there is that much.
    fn charge(&self, length: usize, most: usize, inner: &Inner) -> Result<ArrivingCharge, Full> {
        let RequestBody { holder, charged, .. } = self;
        let ahead = charged.saturating_mul(2).min(self.length.unwrap_or(most)).max(length);
        let reserve = |size: usize| holder.reserve_arriving(size - charged);
        reserve(ahead).or_else(|_| {
            let cost = cost(length, self.since, inner.group.now());
            let need = RoomNeed { holder, number: self.number(), bytes: length - charged, cost };
            make_room(inner, &need, || reserve(length))
        })
    }

    /// Moves the body to the list of the endpoint, which can drop it from now on.
    fn share(&mut self, inner: &Inner) {
        let BodyPlace::Own(buffer) = &mut self.place else { return };
        let (buffer, charged) = (Lock::new(Ok(std::mem::take(buffer))), AtomicUsize::new(self.charged));
        let (holder, ready, since) = (self.holder.clone(), self.ready.clone(), self.since);
        let arriving = Arc::new(Arriving { holder, ready, since, charged, buffer });
        let (registry, shared) = (inner.bodies.clone(), arriving.clone());
        let number = registry.with(|bodies, _| bodies.add(shared));
        self.place = BodyPlace::Shared { registry, number, arriving };
    }

    /// Returns the number of the body in the endpoint's list; `None` if it is not there.
    fn number(&self) -> Option<u64> {
        match &self.place {
            BodyPlace::Own(_) => None,
            BodyPlace::Shared { number, .. } => Some(*number),
        }
    }

    /// Returns the limit because of which the endpoint dropped the body; `None` if it did not.
    pub(super) fn refused(&self) -> Option<Full> {
        match &self.place {
            BodyPlace::Own(_) => None,
            BodyPlace::Shared { arriving, .. } => {
                arriving.buffer.with(|buffer, _| buffer.as_ref().err().copied())
            }
        }
    }

    /// Takes the body and its charge. The endpoint cannot drop it any more.
    pub(super) fn take(&mut self) -> Result<(Vec<u8>, Option<Charge>), Full> {
        (self.arrived, self.charged) = (0, 0);
        let buffer = match std::mem::replace(&mut self.place, BodyPlace::Own(Buffer::default())) {
            BodyPlace::Own(buffer) => buffer,
            BodyPlace::Shared { registry, number, arriving } => {
                let known = registry.with(|bodies, _| bodies.arriving.remove(&number));
                drop(known); // not under the lock
                arriving.take(Ok(Buffer::default()))?
            }
        };
        Ok((buffer.message, buffer.charge.map(ArrivingCharge::into_whole)))
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        drop(self.take());
    }
}

/// Calls `reserve`, and drops the body that costs most until there is room. Fails if the bodies of the holder in need
/// cost most.
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
        drop((gone, body.take(Err(full)))); // under no lock
        inner.notify(&body.ready);
    }
}

/// The bodies of one holder.
struct Share<'a> {
    cost: u128,
    costliest: (u128, &'a (u64, Arc<Arriving>)),
}

/// Returns the costliest body of the holder whose bodies cost most together. `None` if that is the holder in need, or
/// if even without all these bodies there were no room.
fn costliest<'a>(
    all: &'a [(u64, Arc<Arriving>)],
    need: &RoomNeed<'_>,
    now: u64,
) -> Option<&'a (u64, Arc<Arriving>)> {
    let mut shares: BTreeMap<*const Holder, Share<'_>> = BTreeMap::new();
    let (mut own, mut others) = (need.cost, 0);
    for entry in all {
        let (number, body) = entry;
        let bytes = body.charged.load(Ordering::Relaxed);
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

/// Returns what a body costs other clients: its bytes, times the milliseconds since its request began. So a large body
/// that is sent at once finds room even if large bodies are sent slowly.
pub(super) fn cost(bytes: usize, since: u64, now: u64) -> u128 {
    bytes as u128 * u128::from(now.saturating_sub(since).saturating_add(1))
}

impl Arriving {
    fn append(&self, bytes: &[u8], charged: usize, grown: Option<ArrivingCharge>) -> Result<(), Full> {
        self.buffer.with(|buffer, trash| match buffer {
            Ok(buffer) => {
                buffer.append(bytes, charged, grown);
                self.charged.store(charged, Ordering::Relaxed);
                Ok(())
            }
            Err(full) => {
                trash.put(grown);
                Err(*full)
            }
        })
    }

    /// Takes the bytes and their charge, and puts `then` in their place. `then` tells the exchange whether the endpoint
    /// dropped them.
    fn take(&self, then: Result<Buffer, Full>) -> Result<Buffer, Full> {
        self.buffer.with(|buffer, _| {
            if let Err(full) = buffer {
                return Err(*full);
            }
            self.charged.store(0, Ordering::Relaxed);
            std::mem::replace(buffer, then)
        })
    }
}

impl Buffer {
    /// Appends a piece. `grown` is the charge for the first `charged` bytes of the buffer's growth, and belongs to the
    /// buffer then.
    fn append(&mut self, bytes: &[u8], charged: usize, grown: Option<ArrivingCharge>) {
        match (&mut self.charge, grown) {
            (Some(charge), Some(grown)) => charge.add(grown),
            (charge @ None, grown) => *charge = grown,
            (Some(_), None) => {}
        }
        self.message.reserve_exact(charged - self.message.len());
        self.message.extend_from_slice(bytes);
    }
}

impl RequestBodies {
    fn add(&mut self, body: Arc<Arriving>) -> u64 {
        self.last += 1;
        self.arriving.insert(self.last, body);
        self.last
    }
}
