//! A message that is partly written to the client.

use super::outbox::{MessageKind, Piece};
use crate::account::Charge;
use crate::encode::{base64_chunk, base64_into, escape_chunk_end, escape_into, escaped_len};
use crate::wire::Segment;
use std::collections::VecDeque;

/// A message that a drain writes, or that waits for the next drain.
pub(crate) struct PartialMessage {
    pub(crate) kind: MessageKind,
    /// True if no byte of the message has been written.
    pub(crate) first: bool,
    /// The length of the whole message in bytes, once [`PartialMessage::measure`] has counted it.
    pub(crate) total: Option<u64>,
    buffer: Vec<u8>,
    at: usize,
    rest: VecDeque<Segment>,
    /// The number of source bytes of the first segment of `rest` that were encoded.
    encoded: usize,
    #[allow(dead_code, reason = "it counts as long as it is here")]
    charge: Option<Charge>,
}

/// The bytes of a message that are to be written next.
pub(crate) struct NextBytes<'a> {
    pub(crate) bytes: &'a [u8],
    /// True if the message ends with them.
    pub(crate) is_last: bool,
}

/// The least and the greatest number of source bytes that are encoded at once.
const CHUNK: (usize, usize) = (3 << 10, 192 << 10);

impl PartialMessage {
    pub(super) fn new(piece: Piece) -> PartialMessage {
        PartialMessage {
            kind: piece.kind,
            first: true,
            total: None,
            buffer: piece.bytes,
            at: 0,
            rest: piece.segments,
            encoded: 0,
            charge: piece.charge,
        }
    }

    /// The number of bytes that are to be written. A large body counts by the size of its source, until all of it is
    /// encoded.
    pub(super) fn len(&self) -> usize {
        self.buffer.len() - self.at + self.rest.iter().map(Segment::len).sum::<usize>()
    }

    /// Returns the message's buffer, after all of it was written.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }

    /// Gives the message a buffer in which its large bodies are encoded, unless it has one. `used` then gets the old
    /// one.
    pub(crate) fn lend(&mut self, used: &mut Vec<u8>) {
        if self.buffer.capacity() == 0 {
            std::mem::swap(&mut self.buffer, used);
            self.buffer.clear();
        }
    }

    /// Counts the length of the whole message; large bodies are not encoded for it. The caller holds no lock, because
    /// this reads the application's text.
    pub(crate) fn measure(&mut self) {
        self.total = Some(self.buffer.len() as u64 + self.rest.iter().map(encoded_len).sum::<u64>());
    }

    /// Returns whether everything has been written.
    pub(crate) fn is_done(&self) -> bool {
        self.at == self.buffer.len() && self.rest.is_empty() && !(self.kind.is_mute() && self.first)
    }

    /// Returns whether a part of a large body is still to be encoded. A thread may want to leave that work to another
    /// thread.
    pub(crate) fn is_large(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Returns the next bytes of the message, at most `max`. Returns the same bytes until `wrote` covers them.
    pub(crate) fn next_bytes(&mut self, max: usize) -> NextBytes<'_> {
        while self.at == self.buffer.len() && !self.rest.is_empty() {
            self.encode(max.clamp(CHUNK.0, CHUNK.1));
        }
        let bytes = &self.buffer[self.at..];
        let bytes = &bytes[..bytes.len().min(max.max(1))];
        NextBytes { bytes, is_last: self.rest.is_empty() && self.at + bytes.len() == self.buffer.len() }
    }

    pub(crate) fn wrote(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes).min(self.buffer.len());
        self.first &= self.at == 0 && !self.kind.is_mute();
    }

    /// Appends this number of bytes to `out`, and counts them as written. A whole message is moved instead of copied,
    /// unless most of its buffer is empty: the receiver may keep the buffer for long.
    pub(crate) fn hand_over(&mut self, bytes: usize, out: &mut Vec<u8>) {
        let whole = out.is_empty() && self.rest.is_empty() && self.at == 0 && bytes == self.buffer.len();
        if whole && self.buffer.capacity() <= 2 * bytes {
            self.wrote(bytes);
            std::mem::swap(out, &mut self.buffer);
            self.at = 0;
        } else {
            out.extend_from_slice(&self.buffer[self.at..][..bytes]);
            self.wrote(bytes);
        }
    }

    fn encode(&mut self, max: usize) {
        self.buffer.clear();
        self.at = 0;
        let Some(segment) = self.rest.front() else { return };
        let whole = match segment {
            Segment::Bytes(bytes) => {
                self.buffer.extend_from_slice(bytes);
                true
            }
            Segment::Text(text, _) => {
                let text: &str = (**text).as_ref();
                let end = escape_chunk_end(text, self.encoded, max);
                escape_into(text.get(self.encoded..end).unwrap_or_default(), &mut self.buffer);
                self.encoded = end;
                end >= text.len()
            }
            Segment::Blob(bytes, _) => {
                let bytes: &[u8] = (**bytes).as_ref();
                let end = (self.encoded + base64_chunk(max)).min(bytes.len());
                base64_into(bytes.get(self.encoded..end).unwrap_or_default(), &mut self.buffer);
                self.encoded = end;
                end >= bytes.len()
            }
        };
        if whole {
            self.encoded = 0;
            self.rest.pop_front();
        }
    }
}

fn encoded_len(segment: &Segment) -> u64 {
    match segment {
        Segment::Bytes(bytes) => bytes.len() as u64,
        Segment::Blob(bytes, _) => ((**bytes).as_ref().len() as u64).div_ceil(3) * 4,
        Segment::Text(text, _) => escaped_len((**text).as_ref()) as u64,
    }
}
