//! The items of a page, within its limits.

use crate::limits::Limits;

/// The items that are on a page so far.
pub(super) struct PageItems {
    pub(super) max: usize,
    pub(super) max_bytes: usize,
    pub(super) count: usize,
    /// The JSON of the items, separated by commas.
    pub(super) written: Vec<u8>,
    /// True if an item did not fit, so that the page is full.
    refused: bool,
}

impl PageItems {
    pub(super) fn new(limits: &Limits) -> Self {
        PageItems {
            max: limits.page_items,
            max_bytes: limits.page_bytes,
            count: 0,
            written: Vec::new(),
            refused: false,
        }
    }

    /// Reserves room for this many items of ordinary size.
    pub(super) fn reserve(&mut self, items: usize) {
        self.written.reserve(items.min(self.max).saturating_mul(160).min(self.max_bytes));
    }

    /// Adds an item. Returns false if the page is full; it then stays full.
    pub(super) fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        if self.count >= self.max {
            self.refused = true;
            return false;
        }
        let before = self.written.len();
        if self.count > 0 {
            self.written.push(b',');
        }
        write(&mut self.written);
        if self.count > 0 && self.written.len() > self.max_bytes {
            self.written.truncate(before);
            self.refused = true;
            return false;
        }
        self.count += 1;
        true
    }

    pub(super) fn is_full(&self) -> bool {
        self.refused || self.count >= self.max
    }
}
