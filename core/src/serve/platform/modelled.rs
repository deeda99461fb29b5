//! Pipes in memory, for tests of the driver by a model checker.

use super::{Signal, StdioFiles, Woken};
use crate::sync::Monitor;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Does nothing: a model brings its own pipes.
pub(in crate::serve) fn open(_guard: bool, _before_restore: Option<fn()>) -> io::Result<StdioFiles> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Guards nothing.
pub(in crate::serve) struct Guard;

/// The bytes that a client sends, all at once. They do not end by themselves.
pub struct Input(Vec<u8>);

impl Input {
    /// Makes an input with these bytes.
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

/// The bytes that a client receives. A few go in without waiting.
#[derive(Clone)]
pub struct Output(Arc<Monitor<Sent>>);

struct Sent {
    bytes: Vec<u8>,
    /// How many more bytes go in without waiting.
    room: usize,
}

impl Output {
    /// Makes an output that takes the first `room` bytes without waiting.
    pub fn new(room: usize) -> Output {
        Output(Arc::new(Monitor::new(Sent { bytes: Vec::new(), room })))
    }

    /// Waits until `is` accepts the bytes that were sent.
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

/// This model has no SIGTERM.
pub(in crate::serve) struct Terminate;

#[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
pub(in crate::serve) fn on_terminate(_: impl Fn() + Send + 'static) -> io::Result<Terminate> {
    Ok(Terminate)
}
