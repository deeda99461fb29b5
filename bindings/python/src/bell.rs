//! Wakes through sockets, which need no GIL: native threads wake an event loop, and signals wake native threads.

use crate::fork::Process;
use crate::socket_pair::{End, number, pair};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// A socket that becomes readable when [`Bell::ring`] is called.
pub(crate) struct Bell {
    rung: AtomicBool,
    ringer: End,
    listener: End,
}

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        let (ringer, listener) = pair()?;
        listener.set_nonblocking(true)?;
        Ok(Bell { rung: AtomicBool::new(false), ringer, listener })
    }

    pub(crate) fn ring(&self) {
        if !self.rung.swap(true, Ordering::SeqCst) {
            let _ = (&self.ringer).write(&[0]); // full: it is readable
        }
    }

    /// Takes the rings so far. To be called before the look for work, so that later work rings again.
    pub(crate) fn silence(&self) {
        let _ = (&self.listener).read(&mut [0; 16]);
        self.rung.store(false, Ordering::SeqCst);
    }

    pub(crate) fn fileno(&self) -> i64 {
        number(&self.listener)
    }
}

/// Calls a function on a native thread for each byte that Python's signal handler writes.
pub(crate) struct SignalWatch {
    process: Process,
    signals: End,
    thread: Option<JoinHandle<()>>,
}

impl SignalWatch {
    pub(crate) fn start(on_signal: impl Fn() + Send + 'static) -> io::Result<Self> {
        let (signals, mut watched) = pair()?;
        let thread = thread::Builder::new().name("wellhead-signal".to_owned()).spawn(move || {
            let mut bytes = [0; 16];
            while matches!(watched.read(&mut bytes), Ok(1..)) {
                on_signal();
            }
        })?;
        Ok(SignalWatch { process: Process::current(), signals, thread: Some(thread) })
    }

    /// Returns the descriptor for `signal.set_wakeup_fd`.
    pub(crate) fn fileno(&self) -> i64 {
        number(&self.signals)
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        if self.process.is_parent() {
            return; // thread and socket are the parent's
        }
        let _ = self.signals.shutdown(std::net::Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it never waits for anything but the socket
        }
    }
}
