//! Taking output.

use super::ConnectionState;
use crate::protocol::{MessageKind, NextBytes, PartialMessage, Route};
use std::fmt;
use std::sync::Arc;

/// Says whether there is output to take.
#[derive(Debug)]
#[must_use = "a drain that is dropped hands its route back, which is a wake"]
pub enum DrainStart {
    /// There is; this takes it.
    Ready(Drain),
    /// There is none.
    Empty,
    /// Another drain takes the output now, and will also find what is added meanwhile.
    Busy,
}

/// The right to take one route's output: one at a time.
///
/// It ends when [`Drain::poll_transmit`] returns none. Dropped before that, it leaves what it had not written to the
/// next drain, and wakes for it.
pub struct Drain {
    shared: Arc<ConnectionState>,
    route: Route,
    partial: Option<PartialMessage>,
    released: bool,
}

/// Bytes for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transmit<'a> {
    /// The message's part in its route: one of many, progress, or the answer.
    pub kind: MessageKind,
    /// These are the first bytes of the message.
    pub first: bool,
    /// The message ends with these bytes.
    pub last: bool,
    /// The message's whole length in bytes, where it is known; always on an exchange.
    pub total: Option<u64>,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl Drain {
    pub(crate) fn new(shared: Arc<ConnectionState>, route: Route, partial: Option<PartialMessage>) -> Drain {
        Drain { shared, route, partial, released: false }
    }

    /// At most about `max` bytes; the same again until [`Drain::wrote`] covers them. Large bodies are encoded here, a
    /// chunk at a time, without any lock. `None`: the route is empty, and this drain is over.
    pub fn poll_transmit(&mut self, max: usize) -> Option<Transmit<'_>> {
        if self.released {
            return None;
        }
        if self.partial.as_ref().is_none_or(PartialMessage::is_done) {
            let used = self.partial.take().map(PartialMessage::into_buffer).unwrap_or_default();
            self.partial = self.shared.poll_message(self.route, used);
            if self.partial.is_none() {
                self.released = true; // in the same step that found nothing
                return None;
            }
            if let (Route::Exchange(_), Some(partial)) = (self.route, &mut self.partial) {
                partial.measure();
            }
        }
        let partial = self.partial.as_mut()?;
        let (kind, first, total) = (partial.kind, partial.first, partial.total);
        let NextBytes { bytes, is_last } = partial.next_bytes(max);
        Some(Transmit { kind, first, last: is_last, total, bytes })
    }

    /// Notes that this number of bytes of the last transmit were written.
    pub fn wrote(&mut self, bytes: usize) {
        if let Some(partial) = &mut self.partial {
            partial.wrote(bytes);
        }
    }

    /// Appends that many of the bytes that were handed out last, and counts them as written.
    pub(crate) fn hand_over(&mut self, bytes: usize, out: &mut Vec<u8>) {
        if let Some(partial) = &mut self.partial {
            partial.hand_over(bytes, out);
        }
    }

    /// Returns whether more than a buffer is left of the current message: a large body that is still to be encoded.
    pub fn is_large(&self) -> bool {
        self.partial.as_ref().is_some_and(PartialMessage::is_large)
    }

    /// The route.
    pub fn route(&self) -> Route {
        self.route
    }

    /// Lets go of everything that the route has to say.
    pub(crate) fn discard(mut self) {
        self.partial = None;
        while self.shared.poll_message(self.route, Vec::new()).is_some() {}
        self.released = true;
    }

    /// One whole message of an exchange. None if the exchange ended without one.
    pub(crate) fn take_message(&mut self) -> Option<Vec<u8>> {
        let mut message = Vec::new();
        loop {
            let transmit = self.poll_transmit(usize::MAX)?;
            let (kind, last, length) = (transmit.kind, transmit.last, transmit.bytes.len());
            message.extend_from_slice(transmit.bytes);
            self.wrote(length);
            match kind {
                MessageKind::Ended => return None,
                MessageKind::Paused(_) => continue, // no message
                MessageKind::Message | MessageKind::Progress | MessageKind::Final(_) => {}
            }
            if last {
                return Some(message);
            }
        }
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        if !self.released {
            let partial = self.partial.take().filter(|partial| !partial.is_done());
            self.shared.park(self.route, partial);
        }
    }
}

impl fmt::Debug for Drain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("route", &self.route).finish_non_exhaustive()
    }
}
