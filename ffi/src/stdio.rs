//! Serving over standard input and output.

use crate::boundary::{Promise, guard, invalid};
use crate::fields::{set_numbers, set_switches, set_words};
use crate::server::wellhead_server;
use crate::status::{wellhead_error, wellhead_status};
#[allow(clippy::wildcard_imports, reason = "an option may have each type")]
use crate::types::*;
use wellhead::Result;
use wellhead::serve::Stdio;

/// Instead of a number of callback threads: run callbacks on the threads that read. For stdio that is the thread that calls
/// wellhead_serve_stdio, for HTTP the `io_threads`. Other clients wait meanwhile, so callbacks must be quick. Over stdio
/// `exists` and the like run on that thread then, too: some languages can run code on one thread only.
pub const WELLHEAD_CALLBACKS_INLINE: i32 = -1;

/// Leave descriptors 0 and 1 as they are. By default they point to the null device and to standard error during the service.
/// So a stray printf cannot corrupt the output, and a child process cannot read the input.
pub const WELLHEAD_STDIO_KEEP_STDOUT: u32 = 1;
/// End the service cleanly on SIGTERM. By default no signal handler is installed.
pub const WELLHEAD_STDIO_HANDLE_SIGTERM: u32 = 2;

/// Options of the stdio driver. Zero in a field means its default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_stdio_options {
    pub struct_size: usize,
    /// The number of threads that run callbacks, the calling thread among them, at most 1,024. Or
    /// WELLHEAD_CALLBACKS_INLINE. Default: 1.
    pub callback_threads: i32,
    /// The time that calls in flight may take after the end of input, in milliseconds. Default: 5,000. Give 1 for almost
    /// no time. A callback that runs is waited for in any case: its thread cannot be ended.
    pub shutdown_ms: u32,
    /// Any of WELLHEAD_STDIO_KEEP_STDOUT and WELLHEAD_STDIO_HANDLE_SIGTERM.
    pub flags: u32,
}

growing!(wellhead_stdio_options);

/// Serves standard input and output. Blocks until the client is gone, the pipe breaks or wellhead_server_close is
/// called, and then returns OK. options: may be NULL. A process serves one client at a time this way. By default
/// callbacks run on this thread, one at a time, and two more threads read and write. While a callback runs, these two
/// answer requests that need none, such as ping and reads of fixed contents. Ignores SIGPIPE during the service if it
/// had its default action; the last service of the process restores that. Fails with IO if standard input or output
/// cannot be served, and with CLOSED or INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_serve_stdio(
    server: *mut wellhead_server,
    options: *const wellhead_stdio_options,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let server = promise.hold(server, "server")?;
            let mut stdio = Stdio::new().before_restore(stdout::flush);
            if let Some(options) = promise.options(options, "options")? {
                stdio = options.apply(promise, stdio)?;
            }
            let server = server.server.clone(); // the handle may be freed meanwhile
            let _pipe = sigpipe::ignore();
            stdio.serve(&server)
        })
    }
}

impl wellhead_stdio_options {
    fn apply(&self, promise: &Promise, stdio: Stdio) -> Result<Stdio> {
        let mut stdio = stdio.callback_threads(callback_threads(self.callback_threads)?);
        set_switches!(stdio, self.flags;
            WELLHEAD_STDIO_KEEP_STDOUT => guard_stdio = false,
            WELLHEAD_STDIO_HANDLE_SIGTERM => handle_sigterm = true,
        );
        set_words!(stdio, promise, self;
        );
        set_numbers!(stdio, self;
            shutdown_ms,
        );
        Ok(stdio)
    }
}

/// Converts a number of callback threads of C, where 0 is the default, 1, and WELLHEAD_CALLBACKS_INLINE is the core's
/// 0.
pub(crate) fn callback_threads(given: i32) -> Result<usize> {
    match given {
        0 => Ok(1),
        WELLHEAD_CALLBACKS_INLINE => Ok(0),
        n => usize::try_from(n).map_err(|_| {
            invalid(format!("`callback_threads` must be at least 0, or WELLHEAD_CALLBACKS_INLINE (got {n})"))
        }),
    }
}

/// The C library's buffer before descriptor 1. Only that one: to flush a stream is to wait for who reads from it.
#[cfg(unix)]
mod stdout {
    unsafe extern "C" {
        #[cfg_attr(target_vendor = "apple", link_name = "__stdoutp")]
        static stdout: *mut libc::FILE;
    }

    pub(super) fn flush() {
        // SAFETY: the C library made it before main, and never takes it away.
        unsafe { libc::fflush(stdout) };
    }
}

/// The C runtime's buffer before descriptor 1.
///
/// cbindgen:ignore
#[cfg(windows)]
mod stdout {
    unsafe extern "C" {
        fn __acrt_iob_func(number: u32) -> *mut libc::FILE;
    }

    pub(super) fn flush() {
        // SAFETY: the C runtime made it before main, and never takes it away.
        unsafe { libc::fflush(__acrt_iob_func(1)) };
    }
}

#[cfg(not(any(unix, windows)))]
mod stdout {
    pub(super) fn flush() {} // nothing was guarded
}

/// A Rust program ignores SIGPIPE from its start; a C program dies of it.
#[cfg(unix)]
pub(crate) mod sigpipe {
    use parking_lot::Mutex;
    use std::mem::MaybeUninit;

    /// The services that run now, and whether the last of them restores the default.
    static SERVICES: Mutex<(usize, bool)> = Mutex::new((0, false));

    /// A service for which the signal is ignored until this is dropped. The last one restores the default, if it was that.
    pub(crate) struct Ignored(());

    pub(crate) fn ignore() -> Ignored {
        let mut services = SERVICES.lock();
        services.0 += 1;
        if is(libc::SIG_DFL) {
            // SAFETY: SIG_IGN runs no code of ours.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_IGN) };
            services.1 = true;
        }
        Ignored(())
    }

    impl Drop for Ignored {
        fn drop(&mut self) {
            let mut services = SERVICES.lock();
            services.0 -= 1;
            // What the application has set meanwhile stays.
            if services.0 == 0 && std::mem::take(&mut services.1) && is(libc::SIG_IGN) {
                // SAFETY: the default runs no code of ours.
                unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
            }
        }
    }

    fn is(disposition: libc::sighandler_t) -> bool {
        let mut now = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: it is given a valid place.
        unsafe {
            libc::sigaction(libc::SIGPIPE, std::ptr::null(), now.as_mut_ptr()) == 0
                && now.assume_init().sa_sigaction == disposition
        }
    }
}

#[cfg(not(unix))]
pub(crate) mod sigpipe {
    /// There is no such signal here.
    pub(crate) struct Ignored(());

    pub(crate) fn ignore() -> Ignored {
        Ignored(())
    }
}
