//! Windows: reads and writes that block, each on a thread of its own, so that the driver can be woken while they wait.

mod raw;

use super::{Signal, StdioFiles, Woken};
use crate::sync::{Lock, Monitor};
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Read, Write};
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const READ: usize = 64 << 10;

pub(in crate::serve) fn open(guard: bool, before_restore: Option<fn()>) -> io::Result<StdioFiles> {
    let (input, output) = (Input::open()?, Output::open()?);
    let guard = if guard { Some(Guard::new(before_restore)?) } else { None };
    Ok(StdioFiles { input, output, guard })
}

/// Redirects standard input to the null device and standard output to standard error, until it is dropped: the handles,
/// and the descriptors of the C runtime.
pub(in crate::serve) struct Guard {
    /// The former output and input. They are restored in this order, because they may be one handle.
    turned: Option<(raw::Turned, raw::Turned)>,
    _null: File,
    before_restore: Option<fn()>,
}

impl Guard {
    fn new(before_restore: Option<fn()>) -> io::Result<Guard> {
        let null = OpenOptions::new().read(true).open("NUL")?;
        let input = raw::turn_input(&null)?;
        let output = raw::turn_output()?;
        Ok(Guard { turned: Some((output, input)), _null: null, before_restore })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Text printed meanwhile is not for the client.
        let _ = io::stdout().flush();
        if let Some(flush) = self.before_restore {
            flush();
        }
        self.turned = None;
    }
}

/// Standard input, which one thread of the process reads. No read can be interrupted, so the thread outlives a service that
/// ends before its input, and the next service goes on with what the thread has read.
pub(in crate::serve) struct Input {
    reading: Arc<InputReader>,
    is_terminal: bool,
}

struct InputReader {
    /// The standard-input handle when the thread started. If the current handle differs, standard input was replaced.
    handle: usize,
    arrived: AtomicBool,
    state: Monitor<Arrived>,
}

#[derive(Default)]
struct Arrived {
    /// The bytes that were read; none at the end of input.
    bytes: Option<io::Result<Vec<u8>>>,
    /// The signal to raise when there are bytes.
    waiting: Option<Signal>,
}

static READING: Lock<Option<Arc<InputReader>>> = Lock::new(None);

impl Input {
    fn open() -> io::Result<Input> {
        let (stdin, handle) = (io::stdin(), io::stdin().as_raw_handle() as usize);
        let known = READING.with(|reading, _| reading.clone());
        if let Some(reading) = known.filter(|reading| reading.handle == handle) {
            return Ok(Input { reading, is_terminal: stdin.is_terminal() });
        }
        let file = File::from(stdin.as_handle().try_clone_to_owned()?);
        let reading = Arc::new(InputReader {
            handle,
            arrived: AtomicBool::new(false),
            state: Monitor::new(Arrived::default()),
        });
        let thread = std::thread::Builder::new().name("wellhead-input".to_owned());
        let running = reading.clone();
        thread.spawn(move || running.run(file))?;
        READING.with(|known, _| *known = Some(reading.clone()));
        Ok(Input { reading, is_terminal: stdin.is_terminal() })
    }

    pub(in crate::serve) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Waits for input, for the signal (which it lowers), or for the end of the time.
    pub(in crate::serve) fn wait(&mut self, signal: &Signal, timeout: Option<Duration>) -> Woken {
        self.reading.state.with(|state, _| state.waiting = Some(signal.clone()));
        match signal.wait_or(timeout, || self.reading.arrived.load(Ordering::SeqCst)) {
            Woken::Signal => {
                signal.lower();
                Woken::Signal
            }
            woken => woken,
        }
    }

    pub(in crate::serve) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes =
            self.reading.state.wait(None, |state| state.bytes.take()).unwrap_or_else(|| Ok(Vec::new()))?;
        let length = bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&bytes[..length]);
        if length < bytes.len() {
            self.reading.state.with(|state, _| state.bytes = Some(Ok(bytes[length..].to_vec())));
        } else {
            self.reading.arrived.store(false, Ordering::SeqCst);
            self.reading.state.notify_all();
        }
        Ok(length)
    }
}

impl InputReader {
    fn run(&self, mut file: File) {
        let mut buffer = vec![0; READ];
        loop {
            let read = file.read(&mut buffer);
            let is_last = !matches!(read, Ok(1..));
            if is_last {
                READING.with(|known, _| known.take_if(|known| known.handle == self.handle));
            }
            let waiting = self.state.with(|state, _| {
                state.bytes = Some(read.map(|length| buffer[..length].to_vec()));
                self.arrived.store(true, Ordering::SeqCst);
                state.waiting.take()
            });
            if let Some(waiting) = waiting {
                waiting.touch();
            }
            if is_last {
                return;
            }
            self.state.wait(None, |state| state.bytes.is_none().then_some(()));
        }
    }
}

/// Standard output, which a thread writes.
pub(in crate::serve) struct Output(Arc<Writing>);

struct Writing {
    written: AtomicBool,
    state: Monitor<Departing>,
}

#[derive(Default)]
struct Departing {
    bytes: Option<(Vec<u8>, Signal)>,
    failure: Option<io::Error>,
    /// True if the driver has given up the bytes that the thread may still be writing.
    is_broken: bool,
    is_over: bool,
}

impl Output {
    fn open() -> io::Result<Output> {
        let file = File::from(io::stdout().as_handle().try_clone_to_owned()?);
        let writing =
            Arc::new(Writing { written: AtomicBool::new(false), state: Monitor::new(Departing::default()) });
        let thread = std::thread::Builder::new().name("wellhead-output".to_owned());
        let running = writing.clone();
        thread.spawn(move || running.run(file))?;
        Ok(Output(writing))
    }

    /// Writes nothing without waiting here: leaves everything to the writer.
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    pub(in crate::serve) fn try_write(&self, _: &[u8]) -> io::Result<usize> {
        Ok(0)
    }

    /// Writes the bytes, unless the signal comes first.
    pub(in crate::serve) fn write(&self, bytes: &[u8], stop: &Signal) -> io::Result<usize> {
        if self.0.state.with(|state, _| state.is_broken) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.0.written.store(false, Ordering::SeqCst);
        self.0.state.with(|state, _| state.bytes = Some((bytes.to_vec(), stop.clone())));
        self.0.state.notify_all();
        stop.wait_or(None, || self.0.written.load(Ordering::SeqCst));
        self.0.state.with(|state, _| match state.failure.take() {
            Some(failure) => Err(failure),
            None if self.0.written.load(Ordering::SeqCst) => Ok(bytes.len()),
            None => {
                state.is_broken = true;
                Err(io::ErrorKind::BrokenPipe.into())
            }
        })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.0.state.with(|state, _| state.is_over = true);
        self.0.state.notify_all();
    }
}

impl Writing {
    fn run(&self, mut file: File) {
        loop {
            let next = self.state.wait(None, |state| match state.bytes.take() {
                None if state.is_over => Some(None),
                bytes => bytes.map(Some),
            });
            let Some((bytes, stop)) = next.flatten() else { return };
            let failure = file.write_all(&bytes).err();
            self.state.with(|state, _| {
                state.failure = failure;
                self.written.store(true, Ordering::SeqCst);
            });
            stop.touch();
        }
    }
}

/// Calls a function at Ctrl-C and Ctrl-Break, on a thread of the system, until it is dropped. Afterwards they end the
/// process, as by default.
pub(in crate::serve) struct Terminate;

pub(in crate::serve) fn on_terminate(terminate: impl Fn() + Send + Sync + 'static) -> io::Result<Terminate> {
    raw::on_ctrl(Some(Arc::new(terminate)))?;
    Ok(Terminate)
}

impl Drop for Terminate {
    fn drop(&mut self) {
        let _ = raw::on_ctrl(None);
    }
}
