//! The driver that serves one client over standard input and output.

use super::batch::Batch;
use super::platform::{self, Guard};
use super::threads::{Job, Shared};
use super::{OnReady, check_callback_threads, shutdown_time};
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::options::{OptionEntry, OptionValue, SetOption, StdioOptions};
use crate::server::Server;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Serves standard input and output until the client closes them, the pipe breaks or the server is closed. Returns
/// `Ok` in all three cases. Callbacks run on this thread.
///
/// # Errors
/// [`ErrorKind::Io`]. [`ErrorKind::Closed`] if the server was closed before. [`ErrorKind::InvalidArgument`] if another
/// driver of this process is using standard input and output, for more than 1,024 callback threads, and if a tool opens
/// an app that is not registered.
pub fn stdio(server: &Server) -> Result<()> {
    Stdio::new().serve(server)
}

/// Settings of the driver for standard input and output.
#[derive(Debug, Clone)]
pub struct Stdio {
    pub(super) options: StdioOptions,
    before_restore: Option<fn()>,
}

impl Default for Stdio {
    fn default() -> Self {
        Stdio { options: StdioOptions::DEFAULT, before_restore: None }
    }
}

impl Stdio {
    /// Makes default settings: one callback thread, which is the caller's; a shutdown time of five seconds; the guard on.
    pub fn new() -> Self {
        Stdio::default()
    }

    /// Sets the number of threads that run callbacks, at most 1,024. Default: 1. The calling thread is one of them.
    /// With 0 the calling thread also reads input, which saves a switch of threads: for quick callbacks.
    #[must_use]
    pub fn callback_threads(mut self, threads: usize) -> Self {
        self.options.callback_threads = threads;
        self
    }

    /// Sets how many milliseconds answers may still take after the end of input, and the client may take to read them.
    /// Default: 5,000. The driver waits longer for a callback that is still running, because it cannot end its thread.
    #[must_use]
    pub fn shutdown_ms(mut self, value: u64) -> Self {
        self.options.shutdown_ms = value;
        self
    }

    /// Sets whether descriptors 0 and 1 of the process point to the null device and standard error while the driver
    /// runs. Default: true. So a stray print cannot corrupt the protocol, and a child process cannot take input. On
    /// Windows the handles and the descriptors of the C runtime point there.
    #[must_use]
    pub fn guard_stdio(mut self, on: bool) -> Self {
        self.options.guard_stdio = on;
        self
    }

    /// Sets a function that flushes buffers which another language has for descriptor 1. It is called before the guard
    /// restores the descriptor, so that text printed while the driver ran does not reach the client.
    #[must_use]
    pub fn before_restore(mut self, flush: fn()) -> Self {
        self.before_restore = Some(flush);
        self
    }

    /// Sets whether SIGTERM, on Windows Ctrl-C and Ctrl-Break, ends the service as the end of input does. Default:
    /// false, because a library should not install signal handlers unasked.
    #[must_use]
    pub fn handle_sigterm(mut self, on: bool) -> Self {
        self.options.handle_sigterm = on;
        self
    }

    /// Serves, and runs the registered callbacks.
    ///
    /// # Errors
    /// As [`stdio`].
    pub fn serve(self, server: &Server) -> Result<()> {
        if self.options.callback_threads == 0 {
            let (driver, input) = self.open(server, None, true)?;
            if let Some(input) = input {
                driver.shared.read(input);
            }
            return driver.finish();
        }
        let pool = self.options.callback_threads;
        let driver = self.start(server, None)?;
        std::thread::scope(|scope| -> Result<()> {
            for n in 1..pool {
                let driver = &driver;
                let thread = std::thread::Builder::new().name(format!("wellhead-{n}"));
                if let Err(e) = thread.spawn_scoped(scope, move || driver.work()) {
                    driver.shared.stop(); // for the threads that did start
                    return Err(no_thread(e));
                }
            }
            driver.work();
            Ok(())
        })?;
        driver.finish()
    }

    /// Starts the threads that read and write. The application takes events by [`Driver::next`] or [`Driver::try_next`]
    /// and runs them. `on_ready` is called, on any thread, when there may be events.
    ///
    /// # Errors
    /// As [`stdio`].
    pub fn start(self, server: &Server, on_ready: Option<OnReady>) -> Result<Driver> {
        self.open(server, on_ready, false).map(|(driver, _)| driver)
    }

    /// Starts the threads that read and write, over the pipes of a model. Everything else is as with [`Stdio::start`]
    /// without `on_ready`.
    #[cfg(shuttle)]
    #[doc(hidden)]
    pub fn start_on(self, server: &Server, input: platform::Input, output: platform::Output) -> Driver {
        let started = Shared::start(server, self, Some(input), output, None, |_| Ok(None));
        let (shared, terminate) = started.expect("a model has threads");
        Driver { shared, _terminate: terminate, _guard: None, _owner: Owner }
    }

    pub(super) fn shutdown_time(&self) -> Duration {
        shutdown_time(self.options.shutdown_ms)
    }

    /// Starts the driver. If `inline` is true, the caller gets the input, to read it itself.
    fn open(
        self,
        server: &Server,
        on_ready: Option<OnReady>,
        inline: bool,
    ) -> Result<(Driver, Option<platform::Input>)> {
        self.options.check_zeros()?;
        check_callback_threads(self.options.callback_threads)?;
        if server.is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the server is closed; make a new one"));
        }
        server.check_apps()?;
        let owner = Owner::claim()?;
        let files = platform::open(self.options.guard_stdio, self.before_restore)
            .map_err(|e| Error::new(ErrorKind::Io, "standard input or output cannot be served").because(e))?;
        if files.input.is_terminal() {
            eprintln!(
                "wellhead: waiting for an MCP client on standard input; this program is meant to be started by one"
            );
        }
        let terminate = self.options.handle_sigterm;
        let (input, read_here) = if inline { (None, Some(files.input)) } else { (Some(files.input), None) };
        // A client that has got an answer may rely on the signal.
        let handle = |shared: &Arc<Shared>| {
            let interrupter = Interrupter(shared.clone());
            terminate.then(|| platform::on_terminate(move || interrupter.terminate())).transpose()
        };
        let started = Shared::start(server, self, input, files.output, on_ready, handle);
        let (shared, terminate) = started.map_err(no_thread)?;
        Ok((Driver { shared, _terminate: terminate, _guard: files.guard, _owner: owner }, read_here))
    }
}

impl SetOption for Stdio {
    const OPTIONS: &'static [OptionEntry] = StdioOptions::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        self.options.put(name, &value).map(|()| self)
    }
}

fn no_thread(e: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "no thread could be started").because(e)
}

/// A running stdio service, for applications that run callbacks themselves.
///
/// A thread takes events, runs them inside [`Driver::run`], and takes the next ones; that call writes the output of the
/// events before.
pub struct Driver {
    shared: Arc<Shared>,
    // Dropped in this order: signals end, descriptors are restored, then another driver may claim them.
    _terminate: Option<platform::Terminate>,
    _guard: Option<Guard>,
    _owner: Owner,
}

impl Driver {
    /// Writes the output of the last events, and blocks until there is something to do, which it returns. Never returns
    /// [`Batch::Idle`].
    pub fn next(&self) -> Batch {
        self.shared.next()
    }

    /// Writes the output of the last events, and returns what there is to do, without blocking.
    pub fn try_next(&self) -> Batch {
        self.shared.try_next()
    }

    /// Runs a closure that runs callbacks. Their output is written by the next [`Driver::next`] or [`Driver::flush`] of
    /// this thread, so that they do not wake the thread that writes.
    pub fn run<R>(&self, callbacks: impl FnOnce() -> R) -> R {
        self.shared.run(callbacks)
    }

    /// Writes the output of callbacks so far. Call it in the middle of events that take long. Never blocks.
    pub fn flush(&self) {
        self.shared.flush();
    }

    /// Returns a handle that makes a blocked [`Driver::next`] return. Any thread may use it.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.shared.clone())
    }

    /// Ends the service at once, and waits for the driver's threads. Requests in progress are dropped. May be called
    /// from any thread.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Ends the service, if it has not ended, and waits for the driver's threads.
    ///
    /// # Errors
    /// None at present; a broken pipe is no error.
    pub fn finish(self) -> Result<()> {
        self.shared.stop();
        Ok(())
    }

    fn work(&self) {
        loop {
            match self.next() {
                Batch::Events(events) => self.run(|| events.into_iter().for_each(Event::run)),
                Batch::Interrupted | Batch::Idle => {}
                Batch::Ended => return,
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

/// Controls a driver from other threads.
#[derive(Clone)]
pub struct Interrupter(Arc<Shared>);

impl Interrupter {
    /// Makes one [`Driver::next`] return [`Batch::Interrupted`].
    pub fn interrupt(&self) {
        self.0.push(Job::Interrupt);
    }

    /// Ends the service cleanly: reads no more input, drops a line that is not finished, ends listen streams as the
    /// protocol requires, and lets requests in progress finish within the shutdown time.
    pub fn terminate(&self) {
        self.0.terminate();
    }
}

impl fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupter").finish_non_exhaustive()
    }
}

/// The claim of one driver to descriptors 0 and 1; a process has at most one.
struct Owner;

static OWNED: AtomicBool = AtomicBool::new(false);

impl Owner {
    fn claim() -> Result<Owner> {
        if OWNED.swap(true, Ordering::AcqRel) {
            let message = "standard input and output are being served already; one driver a process";
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        Ok(Owner)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        OWNED.store(false, Ordering::Release);
    }
}
