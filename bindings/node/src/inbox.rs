//! The work that other threads leave for the JS thread, which takes it at its next turn.

use crossbeam_channel::{Receiver, Sender, unbounded};

/// A queue to which any thread adds items, and from which the JS thread takes them.
pub(crate) struct Inbox<T> {
    add: Sender<T>,
    items: Receiver<T>,
}

impl<T> Inbox<T> {
    pub(crate) fn new() -> Self {
        let (add, items) = unbounded();
        Inbox { add, items }
    }

    pub(crate) fn push(&self, item: T) {
        let _ = self.add.send(item); // it cannot fail: the receiver is ours, too
    }

    /// Takes what is in the inbox now. Items that are added meanwhile wait for the next turn, so a taker that adds does
    /// not loop.
    pub(crate) fn take(&self) -> impl Iterator<Item = T> {
        self.items.try_iter().take(self.items.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}
