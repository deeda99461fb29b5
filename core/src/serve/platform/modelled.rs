//! Pipes in memory, for models of the driver.

use super::{Files, Signal, Woken};
use crate::sync::Monitor;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A model brings its pipes along.
pub(in crate::serve) fn open(_guard: bool, _before_restore: Option<fn()>) -> io::Result<Files> {
    Err(io::ErrorKind::Unsupported.into())
}

/// There is nothing to guard.
pub(in crate::serve) struct Guard;

/// What a client says, all at once. It does not end it.
pub struct Input(Vec<u8>);

impl Input {
    /// With these bytes in it.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Input {
        Input(bytes.into())
    }

    #[allow(clippy::unused_self, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn is_terminal(&self) -> bool {
        false
    }

    pub(in crate::serve) fn wait(&mut self, signal: &Signal, _: Option<Duration>) -> Woken {
        if signal.lower() {
            return Woken::Signal;
        }
        if !self.0.is_empty() {
            return Woken::Ready;
        }
        signal.wait(Duration::MAX);
        Woken::Signal
    }

    #[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0.drain(..length);
        Ok(length)
    }
}

/// What a client is sent. Little goes in without waiting.
#[derive(Clone)]
pub struct Output(Arc<Monitor<Sent>>);

struct Sent {
    bytes: Vec<u8>,
    /// How much more goes in without waiting.
    room: usize,
}

impl Output {
    /// The first `room` bytes go in without waiting.
    pub fn new(room: usize) -> Output {
        Output(Arc::new(Monitor::new(Sent { bytes: Vec::new(), room })))
    }

    /// Waits until what was sent is as it should be.
    pub fn wait_until(&self, is: impl Fn(&str) -> bool) {
        let look = |sent: &mut Sent| is(&String::from_utf8_lossy(&sent.bytes)).then_some(());
        self.0.wait(None, look);
    }

    fn take(&self, bytes: &[u8], most: impl FnOnce(&Sent) -> usize) -> usize {
        let taken = self.0.with(|sent, _| {
            let taken = bytes.len().min(most(sent));
            sent.bytes.extend_from_slice(&bytes[..taken]);
            sent.room = sent.room.saturating_sub(taken);
            taken
        });
        self.0.notify_all();
        taken
    }

    #[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.take(bytes, |sent| sent.room))
    }

    #[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn write(&self, bytes: &[u8], _: &Signal) -> io::Result<usize> {
        Ok(self.take(bytes, |_| usize::MAX))
    }
}

/// There is no SIGTERM.
pub(in crate::serve) struct Terminate;

#[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
pub(in crate::serve) fn on_terminate(_: impl Fn() + Send + 'static) -> io::Result<Terminate> {
    Ok(Terminate)
}
