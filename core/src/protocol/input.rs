//! Buffers the bytes of the client that have not become messages yet.

use crate::jsonrpc::trimmed;

/// The fate of a last line that has no newline when the input ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnfinishedLine {
    /// It is a message, since the client has said that no more comes.
    Counts,
    /// It is dropped, since the client may not have written all of it.
    #[cfg_attr(not(feature = "stdio"), allow(dead_code, reason = "only that driver stops reading by itself"))]
    Dropped,
}

/// Bytes that a poller takes out of the input, parses without a lock, and gives back.
#[derive(Default)]
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    /// The offset at which the first unread line begins.
    at: usize,
    /// The offset up to which the first unread line was searched for its end.
    searched: usize,
    limit: usize,
    ended: bool,
    /// True while the rest of a line over the limit is skipped.
    skipping: bool,
}

/// The next line of a chunk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// A whole line: the bytes `from..to` of the chunk.
    Whole(usize, usize),
    /// A line that is longer than a message may be. It is skipped.
    TooLong,
    /// The chunk holds no further whole line.
    None,
}

impl Chunk {
    pub(crate) fn next_line(&mut self) -> InputLine {
        loop {
            let end = match memchr::memchr(b'\n', &self.bytes[self.searched..]) {
                Some(offset) => self.searched + offset,
                None if self.ended && self.at < self.bytes.len() => self.bytes.len(),
                None => {
                    self.searched = self.bytes.len();
                    if self.skipping {
                        self.at = self.bytes.len();
                    } else if self.bytes.len() - self.at > self.limit {
                        self.at = self.bytes.len();
                        self.skipping = true;
                        return InputLine::TooLong;
                    }
                    return InputLine::None;
                }
            };
            let (from, to) = (self.at, end);
            self.at = (end + 1).min(self.bytes.len());
            self.searched = self.at;
            if std::mem::take(&mut self.skipping) {
                continue; // the rest of a line that was refused already
            }
            let text = trimmed(&self.bytes[from..to]);
            if text.is_empty() {
                continue;
            }
            if to - from > self.limit {
                return InputLine::TooLong;
            }
            return InputLine::Whole(from + text.start, from + text.end);
        }
    }

    pub(crate) fn line(&self, from: usize, to: usize) -> &[u8] {
        &self.bytes[from..to]
    }
}

/// The input of one connection. Its token is the right to handle messages: one poller at a time has it and the chunk,
/// so that messages keep their order.
#[derive(Default)]
pub(super) struct InputBuffer {
    chunk: Chunk,
    taken: bool,
    /// The number of unread bytes of the chunk that a poller has.
    outside: usize,
    /// True if the input has ended, and its unfinished line is dropped. A poller may have the beginning of that line.
    cut: bool,
}

impl InputBuffer {
    pub(super) fn new(limit: usize) -> Self {
        InputBuffer { chunk: Chunk { limit, ..Chunk::default() }, taken: false, outside: 0, cut: false }
    }

    /// Buffers the bytes that fit into `room`, and returns their number.
    pub(super) fn receive(&mut self, bytes: &[u8], room: usize) -> usize {
        let room = room.saturating_sub(self.len());
        let accepted = bytes.len().min(room);
        self.chunk.bytes.extend_from_slice(&bytes[..accepted]);
        accepted
    }

    pub(super) fn end(&mut self, unfinished: UnfinishedLine) {
        if self.chunk.ended {
            return;
        }
        self.chunk.ended = true;
        self.cut = unfinished == UnfinishedLine::Dropped;
        self.drop_cut_line();
    }

    /// Drops the unfinished line, if it is no message.
    fn drop_cut_line(&mut self) {
        if self.cut {
            let Chunk { bytes, at, searched, .. } = &mut self.chunk;
            let end = memchr::memrchr(b'\n', bytes).map_or(0, |newline| newline + 1);
            bytes.truncate(end.max(*at));
            *searched = bytes.len().min(*searched);
        }
    }

    pub(super) fn is_ended(&self) -> bool {
        self.chunk.ended
    }

    /// The number of bytes that have not become messages yet.
    pub(super) fn len(&self) -> usize {
        self.outside + self.chunk.bytes.len() - self.chunk.at
    }

    pub(super) fn clear(&mut self) {
        let (limit, ended) = (self.chunk.limit, self.chunk.ended);
        self.chunk = Chunk { limit, ended, ..Chunk::default() };
    }

    /// Returns whether there may be an unread line.
    pub(super) fn has_more(&self) -> bool {
        self.chunk.searched < self.chunk.bytes.len()
            || self.chunk.ended && self.chunk.at < self.chunk.bytes.len()
    }

    /// Takes the token and the bytes. Returns `None` if there is no unread line, or if another poller has the token.
    pub(super) fn take(&mut self) -> Option<Chunk> {
        if self.taken || !self.has_more() {
            return None;
        }
        self.taken = true;
        let next = Chunk { limit: self.chunk.limit, ended: self.chunk.ended, ..Chunk::default() };
        let chunk = std::mem::replace(&mut self.chunk, next);
        self.outside = chunk.bytes.len() - chunk.at;
        Some(chunk)
    }

    /// Takes the token without the bytes. Returns false if another poller holds it.
    pub(super) fn hold(&mut self) -> bool {
        !std::mem::replace(&mut self.taken, true)
    }

    /// Returns whether a poller has the token, because it handles a message.
    pub(super) fn is_held(&self) -> bool {
        self.taken
    }

    pub(super) fn release(&mut self) {
        self.taken = false;
        self.outside = 0;
    }

    /// Returns whether the input has ended and every byte of it has become a message.
    pub(super) fn is_spent(&self) -> bool {
        self.chunk.ended && self.len() == 0 && !self.taken
    }

    /// Takes a poller's chunk and token back. Bytes that arrived in the meantime go behind the chunk.
    pub(super) fn release_input(&mut self, mut chunk: Chunk) {
        self.release();
        let arrived = std::mem::take(&mut self.chunk);
        chunk.ended = arrived.ended;
        // Only when most of it was used: moving the rest after every message would cost as much as there is of it.
        if chunk.at * 2 >= chunk.bytes.len() {
            chunk.bytes.drain(..chunk.at);
            chunk.searched -= chunk.at;
            chunk.at = 0;
        }
        if chunk.bytes.is_empty() && (chunk.bytes.capacity() > 1024 || !arrived.bytes.is_empty()) {
            chunk.bytes = arrived.bytes; // an idle connection keeps no large buffer
        } else {
            chunk.bytes.extend_from_slice(&arrived.bytes);
        }
        self.chunk = chunk;
        self.drop_cut_line();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &mut InputBuffer) -> Vec<Option<String>> {
        let mut found = Vec::new();
        while let Some(mut chunk) = input.take() {
            loop {
                match chunk.next_line() {
                    InputLine::Whole(from, to) => {
                        found.push(Some(String::from_utf8_lossy(chunk.line(from, to)).into_owned()));
                    }
                    InputLine::TooLong => found.push(None),
                    InputLine::None => break,
                }
            }
            input.release_input(chunk);
        }
        found
    }

    #[test]
    fn lines_are_the_same_however_they_are_split() {
        let text = b"one\r\n\n  \ntwo\nthree is too long\nfour\nhalf";
        let expected: Vec<_> =
            ["one", "two", "", "four", "half"].map(|l| (!l.is_empty()).then(|| l.to_owned())).into();
        for size in 1..text.len() {
            let mut input = InputBuffer::new(8);
            let mut found = Vec::new();
            for piece in text.chunks(size) {
                assert_eq!(input.receive(piece, 100), piece.len());
                found.extend(lines(&mut input));
            }
            input.end(UnfinishedLine::Counts);
            found.extend(lines(&mut input));
            assert_eq!(found, expected, "in pieces of {size}");
            assert_eq!(input.len(), 0);
        }
    }

    #[test]
    fn no_more_is_accepted_than_there_is_room() {
        let mut input = InputBuffer::new(100);
        assert_eq!(input.receive(b"abcdef", 4), 4);
        assert_eq!(input.receive(b"ef", 4), 0);
    }

    #[test]
    fn bytes_that_arrive_while_a_chunk_is_out_come_after_it() {
        let mut input = InputBuffer::new(100);
        input.receive(b"one\ntw", 100);
        let mut chunk = input.take().expect("a line is there");
        input.receive(b"o\n", 100);
        assert!(input.take().is_none(), "one poller at a time");
        assert!(matches!(chunk.next_line(), InputLine::Whole(0, 3)));
        input.release_input(chunk);
        assert_eq!(lines(&mut input), [Some("two".to_owned())]);
    }

    // row: S-10
    #[test]
    fn an_unfinished_line_may_be_dropped_at_the_end_also_if_a_poller_has_its_beginning() {
        for arrived in ["", "o", "o\n", "o\nhalf"] {
            let mut input = InputBuffer::new(100);
            input.receive(b"one\ntw", 100);
            let mut chunk = input.take().expect("a line is there");
            input.receive(arrived.as_bytes(), 100);
            input.end(UnfinishedLine::Dropped);
            assert!(matches!(chunk.next_line(), InputLine::Whole(0, 3)));
            assert_eq!(chunk.next_line(), InputLine::None);
            input.release_input(chunk);
            let two = arrived.contains('\n').then(|| Some("two".to_owned()));
            assert_eq!(lines(&mut input), Vec::from_iter(two), "{arrived:?}");
            assert!(input.is_spent(), "{arrived:?}");
        }
        let mut input = InputBuffer::new(4);
        input.receive(b"one\nnumber", 100);
        assert_eq!(lines(&mut input), [Some("one".to_owned()), None]);
        input.receive(b" two", 100);
        input.end(UnfinishedLine::Dropped);
        assert_eq!(lines(&mut input), []);
        assert!(input.is_spent());
    }
}
