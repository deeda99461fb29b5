//! Any operating system: the standard library's blocking input and output.
//!
//! A read cannot be interrupted here. So the reader's thread outlives a service that the application closed, until
//! the next byte or the end of input.

use super::{Signal, StdioFiles, Woken};
use std::io::{self, IsTerminal, Read, Write};
use std::time::Duration;

pub(in crate::serve) fn open(_guard: bool, _before_restore: Option<fn()>) -> io::Result<StdioFiles> {
    Ok(StdioFiles { input: Input, output: Output, guard: None })
}

/// Guards nothing here.
pub(in crate::serve) struct Guard;

pub(in crate::serve) struct Input;

impl Input {
    #[allow(clippy::unused_self, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn is_terminal(&self) -> bool {
        io::stdin().is_terminal()
    }

    #[allow(clippy::unused_self, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn wait(&mut self, _: &Signal, _: Option<Duration>) -> Woken {
        Woken::Ready
    }

    #[allow(clippy::unused_self, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        io::stdin().lock().read(buffer)
    }
}

pub(in crate::serve) struct Output;

impl Output {
    /// Writes nothing without waiting here: leaves everything to the writer.
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn try_write(&self, _: &[u8]) -> io::Result<usize> {
        Ok(0)
    }

    #[allow(clippy::unused_self, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn write(&self, bytes: &[u8], _: &Signal) -> io::Result<usize> {
        let mut out = io::stdout().lock();
        let written = out.write(bytes)?;
        out.flush()?;
        Ok(written)
    }
}

/// This system has no SIGTERM.
pub(in crate::serve) struct Terminate;

#[allow(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
pub(in crate::serve) fn on_terminate(_: impl Fn() + Send + 'static) -> io::Result<Terminate> {
    Ok(Terminate)
}
