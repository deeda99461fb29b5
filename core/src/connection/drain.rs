//! Takes the output of one route.

use super::ConnectionState;
use crate::protocol::{MessageKind, NextBytes, PartialMessage, Route};
use std::fmt;
use std::sync::Arc;

/// The result of [`crate::Connection::drain`].
#[derive(Debug)]
#[must_use = "a drain that is dropped hands its route back, which is a wake"]
pub enum DrainStart {
    /// There is output, and this drain takes it.
    Ready(Drain),
    /// There is no output.
    Empty,
    /// Another drain takes the output now. It will also find the output that is added in the meantime.
    Busy,
}

/// The right to take the output of one route. There is at most one drain for each route.
///
/// It ends when [`Drain::poll_transmit`] returns `None`. If it is dropped before that, the next drain gets the bytes
/// that were not written, and the driver is woken for it.
pub struct Drain {
    shared: Arc<ConnectionState>,
    route: Route,
    partial: Option<PartialMessage>,
    released: bool,
}

/// Bytes for the client: a message, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transmit<'a> {
    /// The part that the message plays on its route: one of several, progress, or the answer.
    pub kind: MessageKind,
    /// True if these are the first bytes of the message.
    pub first: bool,
    /// True if the message ends with these bytes.
    pub last: bool,
    /// The length of the whole message in bytes. `None` if it is not known; on the route of a message it always is.
    pub total: Option<u64>,
    /// The bytes to write.
    pub bytes: &'a [u8],
}

impl Drain {
    pub(crate) fn new(shared: Arc<ConnectionState>, route: Route, partial: Option<PartialMessage>) -> Drain {
        Drain { shared, route, partial, released: false }
    }

    /// Returns the next bytes, at most about `max`, and the same bytes again until [`Drain::wrote`] covers them.
    /// Encodes large bodies here, a chunk at a time, without any lock. `None`: the route has no output, and this drain
    /// is over.
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
            if let (Route::Message(_), Some(partial)) = (self.route, &mut self.partial) {
                partial.measure();
            }
        }
        let partial = self.partial.as_mut()?;
        let (kind, first, total) = (partial.kind, partial.first, partial.total);
        let NextBytes { bytes, is_last } = partial.next_bytes(max);
        Some(Transmit { kind, first, last: is_last, total, bytes })
    }

    /// Notes that this number of bytes of the latest transmit were written.
    pub fn wrote(&mut self, bytes: usize) {
        if let Some(partial) = &mut self.partial {
            partial.wrote(bytes);
        }
    }

    /// Appends this number of the bytes that were returned last to `out`, and counts them as written.
    pub(crate) fn hand_over(&mut self, bytes: usize, out: &mut Vec<u8>) {
        if let Some(partial) = &mut self.partial {
            partial.hand_over(bytes, out);
        }
    }

    /// Returns whether a part of the current message, a large body, is still to be encoded.
    pub fn is_large(&self) -> bool {
        self.partial.as_ref().is_some_and(PartialMessage::is_large)
    }

    /// The route whose output this drain takes.
    pub fn route(&self) -> Route {
        self.route
    }

    /// Drops all output of the route.
    pub(crate) fn discard(mut self) {
        self.partial = None;
        while self.shared.poll_message(self.route, Vec::new()).is_some() {}
        self.released = true;
    }

    /// Returns one whole message of a route. `None` if the route ended without one.
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
