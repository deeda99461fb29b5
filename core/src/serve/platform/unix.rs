//! Pipes, sockets and files through `rustix`. Nothing here sets `O_NONBLOCK`, because other processes share the file
//! descriptions.

use super::{StdioFiles, Woken};
use crate::sync::Lock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, fstat};
use rustix::io::{Errno, fcntl_dupfd_cloexec, read, write};
#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::io::{ReadWriteFlags, pwritev2};
use rustix::net::{SendFlags, send};
use signal_hook::consts::SIGTERM;
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::io::IoSlice;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The size of a pipe to ask the kernel for; a hint.
#[cfg(any(target_os = "linux", target_os = "android"))]
const PIPE_SIZE: usize = 1 << 20;
/// The number of bytes that a pipe ready for writing takes without waiting (POSIX guarantees 512).
const PIPE_BUF: usize = 512;

/// Flags for writing to a closed peer without a signal. On Apple's systems that is an option of the socket.
#[cfg(not(target_vendor = "apple"))]
const NOW: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);
#[cfg(target_vendor = "apple")]
const NOW: SendFlags = SendFlags::DONTWAIT;

pub(in crate::serve) fn open(guard: bool, before_restore: Option<fn()>) -> io::Result<StdioFiles> {
    // Above the three standard numbers, and closed in child processes.
    let input = fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let output = fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    let guard = if guard { Some(Guard::new(&input, &output, before_restore)?) } else { None };
    for fd in [&input, &output] {
        enlarge(fd);
    }
    Ok(StdioFiles { input: Input(input), output: Output::new(output), guard })
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn enlarge(fd: &OwnedFd) {
    let _ = rustix::pipe::fcntl_setpipe_size(fd, PIPE_SIZE); // sockets and files refuse, which costs nothing
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn enlarge(_: &OwnedFd) {}

/// Redirects descriptor 0 to the null device and descriptor 1 to standard error, until it is dropped.
pub(in crate::serve) struct Guard {
    input: OwnedFd,
    output: OwnedFd,
    before_restore: Option<fn()>,
}

impl Guard {
    fn new(input: &OwnedFd, output: &OwnedFd, before_restore: Option<fn()>) -> io::Result<Guard> {
        let (input, output) = (fcntl_dupfd_cloexec(input, 3)?, fcntl_dupfd_cloexec(output, 3)?);
        let guard = Guard { input, output, before_restore };
        let null = std::fs::File::open("/dev/null")?;
        rustix::stdio::dup2_stdin(&null)?;
        rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Text printed meanwhile is not for the client.
        let _ = io::stdout().flush();
        if let Some(flush) = self.before_restore {
            flush();
        }
        let _ = rustix::stdio::dup2_stdin(&self.input);
        let _ = rustix::stdio::dup2_stdout(&self.output);
    }
}

pub(in crate::serve) struct Input(OwnedFd);

impl Input {
    pub(in crate::serve) fn is_terminal(&self) -> bool {
        rustix::termios::isatty(&self.0)
    }

    /// Waits for input, for the signal (which it lowers), or for the end of the time.
    pub(in crate::serve) fn wait(&mut self, signal: &Signal, timeout: Option<Duration>) -> Woken {
        match wait_for(self.0.as_fd(), PollFlags::IN, Some(signal), timeout) {
            Woken::Signal => {
                signal.lower();
                Woken::Signal
            }
            woken => woken,
        }
    }

    pub(in crate::serve) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(read(&self.0, buffer)?)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Socket,
    Pipe,
    /// Files and terminals, which are written to directly.
    Other,
}

pub(in crate::serve) struct Output {
    fd: OwnedFd,
    kind: FileKind,
}

impl Output {
    fn new(fd: OwnedFd) -> Output {
        let kind = match fstat(&fd).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            Ok(FileType::Socket) => FileKind::Socket,
            Ok(FileType::Fifo) => FileKind::Pipe,
            _ => FileKind::Other,
        };
        #[cfg(target_vendor = "apple")]
        if kind == FileKind::Socket {
            let _ = rustix::net::sockopt::set_socket_nosigpipe(&fd, true); // Rust's own runtime ignores the signal anyway
        }
        Output { fd, kind }
    }

    /// Writes as much as goes without waiting; returns how many bytes.
    pub(in crate::serve) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < bytes.len() {
            match self.write_now(&bytes[written..]) {
                Ok(n) => written += n,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(e) => return Err(e.into()),
            }
        }
        Ok(written)
    }

    fn write_now(&self, bytes: &[u8]) -> rustix::io::Result<usize> {
        match self.kind {
            FileKind::Socket => send(&self.fd, bytes, NOW),
            FileKind::Pipe => match write_pipe(&self.fd, bytes) {
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => self.write_little(bytes),
                result => result,
            },
            FileKind::Other => write(&self.fd, bytes),
        }
    }

    /// For outputs that cannot refuse to wait: writes no more than a ready pipe surely takes.
    fn write_little(&self, bytes: &[u8]) -> rustix::io::Result<usize> {
        match wait_for(self.fd.as_fd(), PollFlags::OUT, None, Some(Duration::ZERO)) {
            Woken::Ready => write(&self.fd, &bytes[..bytes.len().min(PIPE_BUF)]),
            _ => Err(Errno::AGAIN),
        }
    }

    /// Writes some bytes, waiting if need be, unless the signal comes first.
    pub(in crate::serve) fn write(&self, bytes: &[u8], stop: &Signal) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        loop {
            match self.write_now(bytes) {
                Ok(n) => return Ok(n),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if wait_for(self.fd.as_fd(), PollFlags::OUT, Some(stop), None) == Woken::Signal {
                        return Err(io::ErrorKind::BrokenPipe.into());
                    }
                }
                Err(e) => return Err(e.into()),
            }
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn write_pipe(fd: &OwnedFd, bytes: &[u8]) -> rustix::io::Result<usize> {
    // An offset of -1: a pipe has none.
    pwritev2(fd, &[IoSlice::new(bytes)], u64::MAX, ReadWriteFlags::NOWAIT)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn write_pipe(_: &OwnedFd, _: &[u8]) -> rustix::io::Result<usize> {
    Err(Errno::OPNOTSUPP)
}

fn wait_for(
    fd: BorrowedFd<'_>,
    flags: PollFlags,
    signal: Option<&Signal>,
    timeout: Option<Duration>,
) -> Woken {
    let other = signal.map_or(fd, |signal| signal.watched.as_fd());
    let mut both = [PollFd::from_borrowed_fd(fd, flags), PollFd::from_borrowed_fd(other, PollFlags::IN)];
    let fds = &mut both[..=usize::from(signal.is_some())];
    let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
    match poll(fds, timeout.as_ref()) {
        Err(Errno::INTR) | Ok(0) => Woken::Timeout,
        _ if fds.get(1).is_some_and(|fd| !fd.revents().is_empty()) => Woken::Signal,
        _ => Woken::Ready,
    }
}

/// A signal that a thread can wait for together with a descriptor.
pub(in crate::serve) struct Signal {
    raised: UnixStream,
    watched: UnixStream,
}

impl Signal {
    pub(in crate::serve) fn new() -> io::Result<Signal> {
        let (raised, watched) = UnixStream::pair()?;
        raised.set_nonblocking(true)?;
        watched.set_nonblocking(true)?;
        Ok(Signal { raised, watched })
    }

    pub(in crate::serve) fn raise(&self) {
        let _ = (&self.raised).write(&[1]); // full: it is raised already
    }

    fn lower(&self) {
        let mut buffer = [0; 64];
        while matches!((&self.watched).read(&mut buffer), Ok(n) if n == buffer.len()) {}
    }

    /// Waits for the signal, and lowers it, or for the end of the time.
    pub(in crate::serve) fn wait(&self, timeout: Duration) {
        if wait_for(self.watched.as_fd(), PollFlags::IN, None, Some(timeout)) == Woken::Ready {
            self.lower();
        }
    }
}

/// Calls a function at SIGTERM, on a thread of its own, until it is dropped. Afterwards SIGTERM ends the process, as by
/// default.
pub(in crate::serve) struct Terminate {
    handle: signal_hook::iterator::Handle,
    thread: Option<std::thread::JoinHandle<()>>,
    default: Arc<AtomicBool>,
}

/// The flag that is set while SIGTERM has its default effect. A handler that was once installed stays,
/// so it has to emulate that.
static DEFAULT: Lock<Option<Arc<AtomicBool>>> = Lock::new(None);

pub(in crate::serve) fn on_terminate(terminate: impl Fn() + Send + 'static) -> io::Result<Terminate> {
    let default = DEFAULT.with(|known, _| -> io::Result<_> {
        if let Some(default) = known {
            return Ok(default.clone());
        }
        let default = Arc::new(AtomicBool::new(true)); // until a thread handles the signal
        signal_hook::flag::register_conditional_default(SIGTERM, default.clone())?;
        Ok(known.insert(default).clone())
    })?;
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM])?;
    let handle = signals.handle();
    let thread = std::thread::Builder::new().name("wellhead-signal".to_owned()).spawn(move || {
        for _ in signals.forever() {
            terminate();
        }
    })?;
    default.store(false, Ordering::SeqCst);
    Ok(Terminate { handle, thread: Some(thread), default })
}

impl Drop for Terminate {
    fn drop(&mut self) {
        self.default.store(true, Ordering::SeqCst);
        self.handle.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Resource, Rlimit, getpid, getrlimit, kill_process, setrlimit};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    /// The limit of open files and the signal are those of a process, so a child of the test runs this.
    #[test]
    fn sigterm_ends_a_process_that_could_not_handle_it() {
        const NAME: &str = "serve::platform::unix::tests::sigterm_ends_a_process_that_could_not_handle_it";
        const CHILD: &str = "WELLHEAD_TEST_SIGTERM";
        if std::env::var_os(CHILD).is_some() {
            let no_more = Rlimit { current: Some(0), ..getrlimit(Resource::Nofile) };
            setrlimit(Resource::Nofile, no_more).unwrap();
            assert!(on_terminate(|| {}).is_err());
            kill_process(getpid(), rustix::process::Signal::TERM).unwrap();
            return;
        }
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", NAME]).env(CHILD, "").stdout(Stdio::null()).stderr(Stdio::null());
        assert_eq!(child.status().unwrap().signal(), Some(SIGTERM));
    }
}
