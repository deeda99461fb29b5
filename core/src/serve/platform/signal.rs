//! A signal that threads wait for alone, not together with a descriptor.

use crate::sync::Monitor;
use std::io;
use std::time::Duration;

pub(in crate::serve) struct Signal(Monitor<bool>);

impl Signal {
    #[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn new() -> io::Result<Signal> {
        Ok(Signal(Monitor::new(false)))
    }

    pub(in crate::serve) fn raise(&self) {
        self.0.with(|raised, _| *raised = true);
        self.0.notify_all();
    }

    pub(in crate::serve) fn wait(&self, timeout: Duration) {
        self.0.wait(Some(timeout), |raised| std::mem::take(raised).then_some(()));
    }

    /// Returns whether it was raised.
    #[cfg(shuttle)]
    pub(super) fn lower(&self) -> bool {
        self.0.with(|raised, _| std::mem::take(raised))
    }
}
