//! The servers of this thread whose native half exists.
//!
//! When an environment ends, Deno frees native objects before it runs the last callbacks of `FinalizationRegistry`. Such
//! a callback asks whether the server exists before it calls one of its methods.

use napi_derive::napi;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;

thread_local! {
    static LIVE: RefCell<HashSet<u32>> = RefCell::default();
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// The number of a server, as long as its native half exists.
pub(crate) struct LiveServer(u32);

impl LiveServer {
    pub(crate) fn new() -> Self {
        let number = LAST.get().wrapping_add(1);
        LAST.set(number);
        LIVE.with_borrow_mut(|live| live.insert(number));
        LiveServer(number)
    }

    pub(crate) fn number(&self) -> u32 {
        self.0
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        // At the end of the thread the set may be gone already.
        let _ = LIVE.try_with(|live| live.borrow_mut().remove(&self.0));
    }
}

/// Returns whether the native half of the server with this number exists.
#[napi]
pub fn is_live(server: u32) -> bool {
    LIVE.with_borrow(|live| live.contains(&server))
}
