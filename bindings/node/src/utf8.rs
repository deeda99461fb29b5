//! The UTF-8 form of JavaScript's strings, which are UTF-16. Node's own conversion of a long string takes four times as
//! long, since it goes over it character by character, once for the length and once for the bytes.

use encoding_rs::mem::convert_utf16_to_str_partial;

/// The greatest number of bytes of UTF-8 that are made at a time.
const PIECE: usize = 12 << 10;

/// Converts strings; a lone surrogate becomes U+FFFD.
pub(crate) struct Transcoder {
    piece: String,
}

impl Transcoder {
    pub(crate) fn new() -> Transcoder {
        Transcoder { piece: "\0".repeat(PIECE) }
    }

    pub(crate) fn text(&mut self, units: &[u16]) -> String {
        let mut text = String::with_capacity(units.len() + units.len() / 16);
        self.append(&mut text, units);
        text
    }

    /// Adds the UTF-8 form of `units`.
    pub(crate) fn append(&mut self, text: &mut String, mut units: &[u16]) {
        while !units.is_empty() {
            let (read, written) = convert_utf16_to_str_partial(units, &mut self.piece);
            text.push_str(&self.piece[..written]);
            units = &units[read..];
        }
    }
}
