//! Serving one client over standard input and output.

use super::LONGEST;
use super::batch::Batch;
use super::platform::{self, Guard};
use super::threads::{Job, Shared};
use crate::error::{Error, ErrorKind, Result};
use crate::event::Event;
use crate::server::Server;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Serves standard input and output until the client goes, the pipe breaks or the server is closed. All three are
/// fine. Callbacks run on this thread.
///
/// # Errors
/// [`ErrorKind::Io`]; [`ErrorKind::Closed`] if the server was closed before; [`ErrorKind::InvalidArgument`] if another
/// driver of this process has standard input and output already.
pub fn stdio(server: &Server) -> Result<()> {
    Stdio::new().serve(server)
}

/// How standard input and output are served.
#[derive(Debug, Clone)]
pub struct Stdio {
    pub(super) callback_threads: usize,
    pub(super) drain: Duration,
    guard: bool,
    before_restore: Option<fn()>,
    terminate: bool,
}

impl Default for Stdio {
    fn default() -> Self {
        Stdio {
            callback_threads: 1,
            drain: Duration::from_secs(5),
            guard: true,
            before_restore: None,
            terminate: false,
        }
    }
}

impl Stdio {
    /// One callback thread, the caller's; five seconds for answers under way after the end of input; the guard on.
    pub fn new() -> Self {
        Stdio::default()
    }

    /// Where callbacks run: 1, always the thread that serves; 0, the same, which then also reads, without a hop, for
    /// hosts whose callbacks are quick; more, that many threads, the one that serves among them.
    #[must_use]
    pub fn callback_threads(mut self, threads: usize) -> Self {
        self.callback_threads = threads;
        self
    }

    /// How long answers under way may take after the end of input, and a client may take to read them. A callback that
    /// is still running is waited for, since no thread can be ended from outside.
    #[must_use]
    pub fn drain(mut self, time: Duration) -> Self {
        self.drain = time.min(LONGEST);
        self
    }

    /// Whether the process's own descriptors 0 and 1 are pointed elsewhere meanwhile (the null device and standard
    /// error), so that a stray print cannot corrupt the wire and a child process cannot swallow input. On by default.
    #[must_use]
    pub fn guard(mut self, on: bool) -> Self {
        self.guard = on;
        self
    }

    /// What flushes the buffers that stand before descriptor 1 in other languages. It is called when the guard is about
    /// to give the descriptor back, so that nothing printed meanwhile reaches the client after all.
    #[must_use]
    pub fn before_restore(mut self, flush: fn()) -> Self {
        self.before_restore = Some(flush);
        self
    }

    /// Whether SIGTERM ends the service cleanly. Off by default: a library installs no signal handlers unasked.
    #[must_use]
    pub fn handle_sigterm(mut self, on: bool) -> Self {
        self.terminate = on;
        self
    }

    /// Serves, with the registered callbacks.
    ///
    /// # Errors
    /// As [`stdio`].
    pub fn serve(self, server: &Server) -> Result<()> {
        if self.callback_threads == 0 {
            let (driver, input) = self.open(server, None, true)?;
            if let Some(input) = input {
                driver.shared.read(input);
            }
            return driver.finish();
        }
        let pool = self.callback_threads;
        let driver = self.start(server, None)?;
        std::thread::scope(|scope| -> Result<()> {
            for n in 1..pool {
                let driver = &driver;
                let thread = std::thread::Builder::new().name(format!("wellhead-{n}"));
                if let Err(e) = thread.spawn_scoped(scope, move || driver.work()) {
                    driver.shared.stop(); // for those that did start
                    return Err(no_thread(e));
                }
            }
            driver.work();
            Ok(())
        })?;
        driver.finish()
    }

    /// Starts to read and to write on threads of their own, and leaves the callbacks to the caller, who asks
    /// [`Driver::next`] or [`Driver::try_next`] for them. `on_ready` is called, on any thread, when there may be some.
    ///
    /// # Errors
    /// As [`stdio`].
    pub fn start(self, server: &Server, on_ready: Option<OnReady>) -> Result<Driver> {
        self.open(server, on_ready, false).map(|(driver, _)| driver)
    }

    /// [`Stdio::start`] over the pipes of a model.
    #[cfg(shuttle)]
    #[doc(hidden)]
    pub fn start_on(self, server: &Server, input: platform::Input, output: platform::Output) -> Driver {
        let started = Shared::start(server, self, Some(input), output, None, |_| Ok(None));
        let (shared, terminate) = started.expect("a model has threads");
        Driver { shared, _terminate: terminate, _guard: None, _owner: Owner }
    }

    /// `inline`: the caller gets the input, to read it.
    fn open(
        self,
        server: &Server,
        on_ready: Option<OnReady>,
        inline: bool,
    ) -> Result<(Driver, Option<platform::Input>)> {
        if server.is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the server is closed; make a new one"));
        }
        let owner = Owner::claim()?;
        let files = platform::open(self.guard, self.before_restore)
            .map_err(|e| Error::new(ErrorKind::Io, "standard input or output cannot be served").because(e))?;
        if files.input.is_terminal() {
            eprintln!(
                "wellhead: waiting for an MCP client on standard input; this program is meant to be started by one"
            );
        }
        let terminate = self.terminate;
        let (input, read_here) = if inline { (None, Some(files.input)) } else { (Some(files.input), None) };
        // A client that has an answer may count on the signal.
        let handle = |shared: &Arc<Shared>| {
            let interrupter = Interrupter(shared.clone());
            terminate.then(|| platform::on_terminate(move || interrupter.terminate())).transpose()
        };
        let started = Shared::start(server, self, input, files.output, on_ready, handle);
        let (shared, terminate) = started.map_err(no_thread)?;
        Ok((Driver { shared, _terminate: terminate, _guard: files.guard, _owner: owner }, read_here))
    }
}

fn no_thread(e: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, "no thread could be started").because(e)
}

type OnReady = Box<dyn Fn() + Send + Sync>;

/// A running service, for hosts that run callbacks in a way of their own.
///
/// The thread that asks for events runs them inside [`Driver::run`] and asks again: that writes what they produced.
pub struct Driver {
    shared: Arc<Shared>,
    // Dropped in this order: no more signals, then the descriptors back, then somebody else may claim them.
    _terminate: Option<platform::Terminate>,
    _guard: Option<Guard>,
    _owner: Owner,
}

impl Driver {
    /// Writes what the last events produced, and waits for the next. Never [`Batch::Idle`].
    pub fn next(&self) -> Batch {
        self.shared.next(true)
    }

    /// The same without waiting.
    pub fn try_next(&self) -> Batch {
        self.shared.next(false)
    }

    /// Runs callbacks: what they produce is written by the next [`Driver::next`], and wakes nobody.
    pub fn run<R>(&self, callbacks: impl FnOnce() -> R) -> R {
        self.shared.run(callbacks)
    }

    /// Writes what callbacks have produced so far, for a batch that takes long. Never blocks.
    pub fn flush(&self) {
        self.shared.flush();
    }

    /// Makes a waiting [`Driver::next`] return, from any thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.shared.clone())
    }

    /// Ends the service at once, from any thread, and waits for our threads. What is under way is dropped.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Ends the service, if it has not ended, and waits for our threads.
    ///
    /// # Errors
    /// None at present; a broken pipe is not one.
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

/// Reaches a driver from other threads.
#[derive(Clone)]
pub struct Interrupter(Arc<Shared>);

impl Interrupter {
    /// Makes one [`Driver::next`] return [`Batch::Interrupted`].
    pub fn interrupt(&self) {
        self.0.push(Job::Interrupt);
    }

    /// Ends the service cleanly: no more input is read, listen streams end as the protocol asks, and what is under way
    /// may be answered within the drain time.
    pub fn terminate(&self) {
        self.0.terminate();
    }
}

impl fmt::Debug for Interrupter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupter").finish_non_exhaustive()
    }
}

/// Descriptors 0 and 1 belong to one driver at a time.
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
