//! A signal that threads wait for without a descriptor.

#[cfg(windows)]
use super::Woken;
use crate::sync::Monitor;
use std::io;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone)]
pub(in crate::serve) struct Signal(Arc<Monitor<bool>>);

impl Signal {
    #[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn new() -> io::Result<Signal> {
        Ok(Signal(Arc::new(Monitor::new(false))))
    }

    pub(in crate::serve) fn raise(&self) {
        self.0.with(|raised, _| *raised = true);
        self.0.notify_all();
    }

    pub(in crate::serve) fn wait(&self, timeout: Duration) {
        self.0.wait(Some(timeout), |raised| std::mem::take(raised).then_some(()));
    }

    /// Returns whether it was raised.
    pub(super) fn lower(&self) -> bool {
        self.0.with(|raised, _| std::mem::take(raised))
    }

    /// Waits for the signal, which stays raised, for something else that is ready (see [`Signal::touch`]), or for the
    /// end of the time.
    #[cfg(windows)]
    pub(super) fn wait_or(&self, timeout: Option<Duration>, ready: impl Fn() -> bool) -> Woken {
        let woken = self.0.wait(timeout, |raised| match (*raised, ready()) {
            (true, _) => Some(Woken::Signal),
            (_, true) => Some(Woken::Ready),
            _ => None,
        });
        woken.unwrap_or(Woken::Timeout)
    }

    /// Makes the threads that wait look again.
    #[cfg(windows)]
    pub(super) fn touch(&self) {
        self.0.with(|_, _| ()); // or a thread has looked, and does not wait yet
        self.0.notify_all();
    }
}
