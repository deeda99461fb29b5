//! One client: bytes in, bytes out.

use crate::boundary::{Shared, answer, call_shared, free, guard, invalid, query, release, share};
use crate::foreign::{ApplicationCaller, Notice, UserData, notice};
use crate::server::{Generation, wellhead_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_destroy_callback, wellhead_str, wellhead_wake_callback};
use parking_lot::{Condvar, Mutex};
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wellhead::{Caller, Connection, Drain, DrainStart, Error, ErrorKind, Group, Handled, Result, Route};

/// cbindgen:ignore
pub struct wellhead_connection {
    connection: Connection,
    group: Group,
    bell: Arc<Bell>,
    wake: Option<Arc<Notice>>,
    made: Generation,
}

impl Shared for wellhead_connection {}

/// cbindgen:ignore
pub struct wellhead_transmit {
    bytes: wellhead_str,
    source: Output,
}

// SAFETY: `bytes` points into `source`, which nothing changes before the drop.
unsafe impl Send for wellhead_transmit {}
// SAFETY: as above.
unsafe impl Sync for wellhead_transmit {}

enum Output {
    /// The drain has the bytes until `wrote` says that they are sent.
    Connection(Drain),
    Answer(Vec<u8>),
}

/// Options of a connection. Zero, NULL or absent in a field means its default.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_connection_options {
    pub struct_size: usize,
    /// Called when there may be something new to poll, on any thread, also for nothing, until wellhead_connection_free
    /// returns. It makes the loop of the application call the functions of this connection. Itself it may call only
    /// wellhead_connection_free. May be NULL for an application that polls after each receive and never answers
    /// later.
    pub wake: wellhead_wake_callback,
    /// Passed to `wake`.
    pub wake_data: *mut c_void,
    /// Called once with wake_data, after the last `wake` and before wellhead_connection_free returns; also if no connection
    /// is made. May be NULL.
    pub wake_destroy: wellhead_destroy_callback,
    /// The caller that the connection speaks for: a pointer of the application, which wellhead_call_caller returns.
    pub caller: *mut c_void,
    /// Called once with caller, after the last call; also if no connection is made. May be NULL.
    pub caller_destroy: wellhead_destroy_callback,
    /// The id of the caller, stable bytes. A cursor of one id is invalid for another. If it is absent, the caller has no
    /// id.
    pub caller_id: wellhead_str,
    /// The type of `caller`, for wellhead_call_typed_caller: any address in the program, which is compared and never read.
    /// May be NULL.
    pub caller_type: *const c_void,
}

growing!(wellhead_connection_options);

/// Makes a connection to a client. options: may be NULL. The application frees the connection. Returns NULL if it fails
/// with INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_new(
    server: *mut wellhead_server,
    options: *const wellhead_connection_options,
    error: *mut *mut wellhead_error,
) -> *mut wellhead_connection {
    // SAFETY: our caller's promise.
    unsafe {
        share(error, |promise| {
            let options = promise.options(options, "options")?;
            // Made first, so that they are destroyed also if a check below fails.
            let wake = options.map(|o| notice(o.wake, UserData::new(o.wake_data, o.wake_destroy)));
            let caller = options.map(|o| ApplicationCaller::new(o.caller, o.caller_destroy, o.caller_type));
            let server = promise.hold(server, "server")?;
            let caller = match (options, caller) {
                (Some(o), Some(value)) => {
                    Caller::new(promise.bytes(o.caller_id, "caller_id")?).with_value(value)
                }
                _ => Caller::default(),
            };
            let (bell, made) = (Arc::new(Bell::default()), server.forks.now());
            let (ring, woken) = (bell.clone(), wake.clone());
            let group = server.server.group(move || {
                ring.ring();
                if let Some(wake) = &woken {
                    wake.call();
                }
            });
            Ok(wellhead_connection { connection: group.connect(caller), group, bell, wake, made })
        })
    }
}

/// Buffers input, which is copied: newline-delimited messages, split anywhere. *taken: the number of bytes that were
/// accepted. If it is less than given, stop reading until `wake`, then pass the rest again. taken: may not be NULL.
/// Fails with CLOSED, FORKED or INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_receive(
    connection: *mut wellhead_connection,
    bytes: wellhead_str,
    taken: *mut usize,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let this = promise.hold(connection, "connection")?;
            if taken.is_null() {
                return Err(invalid("taken is NULL"));
            }
            this.checked(|connection| {
                promise.put(taken, connection.receive(promise.bytes(bytes, "bytes")?));
                Ok(())
            })
        })
    }
}

/// Ends the input, as at the end of a file. A last line without a newline still counts. Requests in flight are still
/// answered: go on to poll until wellhead_connection_finished. A second call does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_end(connection: *mut wellhead_connection) {
    // SAFETY: our caller's promise.
    unsafe { call_shared(connection, (), |_, this| this.quietly((), Connection::end)) }
}

/// Handles input and runs at most `max` callbacks on this thread. Returns how many it ran. If that is less than `max`,
/// nothing is left to run, so send the output. Returns 0 inside a callback of this connection.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_poll_event(
    connection: *mut wellhead_connection,
    max: usize,
) -> usize {
    // SAFETY: our caller's promise.
    unsafe { call_shared(connection, 0, |_, this| this.quietly(0, |_| this.poll(max))) }
}

/// Returns the next piece of output, at most about `max` bytes; a `max` of 0 counts as 1. The application frees it.
/// Returns NULL if there is no output, or if the piece before is not freed yet. Send all of it, free it, and call this
/// again until it returns NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_poll_transmit(
    connection: *mut wellhead_connection,
    max: usize,
) -> *mut wellhead_transmit {
    let none = std::ptr::null_mut();
    // SAFETY: our caller's promise.
    unsafe { call_shared(connection, none, |_, this| this.quietly(none, |_| this.transmit(max))) }
}

/// Returns the bytes of a piece of output, borrowed until it is freed. If `transmit` is NULL, the string is absent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_transmit_bytes(transmit: *const wellhead_transmit) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { query(transmit, wellhead_str::ABSENT, |_, transmit| transmit.bytes) }
}

/// Frees a piece of output that was sent, or that cannot be sent. May come after its connection is freed. Does nothing
/// if `transmit` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_transmit_free(transmit: *mut wellhead_transmit) {
    // SAFETY: our caller's promise.
    unsafe { free(transmit) }
}

/// Returns the time by which to call wellhead_connection_tick, in milliseconds of its clock. Returns UINT64_MAX if there
/// is no deadline, or if `connection` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_poll_timeout(connection: *const wellhead_connection) -> u64 {
    // SAFETY: our caller's promise.
    unsafe {
        call_shared(connection, u64::MAX, |_, this| {
            this.quietly(u64::MAX, |c| c.poll_timeout().unwrap_or(u64::MAX))
        })
    }
}

/// Advances the clock of the connection. now_ms: milliseconds of a monotonic clock of the application. Calls that are not
/// answered within call_ms become internal errors. A call starts at the time of the last tick, at first 0. So call this
/// before each poll, or a call that comes after a pause seems older than it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_tick(connection: *mut wellhead_connection, now_ms: u64) {
    // SAFETY: our caller's promise.
    unsafe { call_shared(connection, (), |_, this| this.quietly((), |c| c.tick(now_ms))) }
}

/// Returns 1 if the connection is ended or closed, and nothing is left to poll, answer or send. Returns 1 also if
/// `connection` is NULL, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_finished(connection: *const wellhead_connection) -> c_int {
    // SAFETY: our caller's promise.
    unsafe { call_shared(connection, 1, |_, this| this.quietly(1, |c| c_int::from(c.is_finished()))) }
}

/// Closes the connection: drops calls in flight and output that is not sent. Later functions return CLOSED or do nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_close(connection: *mut wellhead_connection) {
    // SAFETY: our caller's promise.
    unsafe { call_shared(connection, (), |_, this| this.quietly((), Connection::close)) }
}

/// Closes the connection and frees it. Waits while `wake` runs on another thread. When it returns, `wake` is not called
/// again, and `wake_destroy` has run. In a child, it does nothing with a connection that was made before
/// the fork: its memory stays, and no destroy function runs. Does nothing if `connection` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_free(connection: *mut wellhead_connection) {
    // SAFETY: our caller's promise.
    unsafe {
        let forked = call_shared(connection, false, |_, this| !this.made.is_current());
        if !forked {
            release(connection, |this| {
                if let Some(wake) = &this.wake {
                    wake.revoke();
                }
                this.quietly((), Connection::close);
            });
        }
    }
}

/// Handles one message apart from other input and output, and runs callbacks on this thread. Blocks until kept
/// responders are answered, at most `timeout_ms` milliseconds; then the answer is an internal error. *answer: for the
/// application to free; NULL if the message has no answer, such as a notification. answer: may not be NULL. Fails with
/// CLOSED, FORKED or INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_connection_handle(
    connection: *mut wellhead_connection,
    message: wellhead_str,
    timeout_ms: u32,
    answer: *mut *mut wellhead_transmit,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(error, |promise| {
            let this = promise.hold(connection, "connection")?;
            if answer.is_null() {
                return Err(invalid("answer is NULL"));
            }
            let message = promise.bytes(message, "message")?;
            let timeout = Duration::from_millis(timeout_ms.into());
            let bytes = this.checked(|connection| this.handle(connection, message, timeout))?;
            promise.put(answer, bytes.map_or(std::ptr::null_mut(), wellhead_transmit::answer));
            Ok(())
        })
    }
}

impl wellhead_connection {
    /// Calls `run`, or returns an error if the connection is closed or was made before a fork.
    fn checked<R>(&self, run: impl FnOnce(&Connection) -> Result<R>) -> Result<R> {
        if !self.made.is_current() {
            return Err(Error::new(
                ErrorKind::Forked,
                "the connection was made before fork; make one in the child",
            ));
        }
        if self.connection.is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the connection is closed; make a new one"));
        }
        let _fuse = Fuse(&self.connection);
        run(&self.connection)
    }

    /// Calls `run` for a function that reports no errors. Returns `otherwise` if the connection was made before a fork.
    fn quietly<R>(&self, otherwise: R, run: impl FnOnce(&Connection) -> R) -> R {
        if !self.made.is_current() {
            return otherwise;
        }
        let _fuse = Fuse(&self.connection);
        run(&self.connection)
    }

    fn poll(&self, max: usize) -> usize {
        match Inside::enter(self) {
            Some(_inside) => self.run_events(max),
            None => 0,
        }
    }

    fn run_events(&self, max: usize) -> usize {
        self.rearm();
        let mut done = 0;
        while done < max
            && let Some(event) = self.connection.poll_event()
        {
            self.connection.run(|| event.run());
            done += 1;
        }
        if done > 0 {
            self.bell.ring(); // what callbacks answered here, a thread in `handle` may be waiting for
        }
        done
    }

    /// Lets the next wake through: only after this is the application woken again.
    fn rearm(&self) {
        while self.group.next().is_some() {}
    }

    fn transmit(&self, max: usize) -> *mut wellhead_transmit {
        self.rearm();
        let DrainStart::Ready(drain) = self.connection.drain(Route::Connection) else {
            return std::ptr::null_mut();
        };
        // In a box, where it stays: the bytes may be inside of it.
        let mut transmit =
            Box::new(wellhead_transmit { bytes: wellhead_str::ABSENT, source: Output::Connection(drain) });
        let Output::Connection(drain) = &mut transmit.source else { return std::ptr::null_mut() };
        let Some(next) = drain.poll_transmit(max.max(1)) else { return std::ptr::null_mut() };
        transmit.bytes = wellhead_str { ptr: next.bytes.as_ptr().cast(), len: next.bytes.len() };
        Box::into_raw(transmit)
    }

    fn handle(&self, connection: &Connection, message: &[u8], timeout: Duration) -> Result<Option<Vec<u8>>> {
        let _inside = Inside::enter(self);
        let handled = connection.handle(message);
        self.bell.ring();
        let answer = |handled| match handled {
            Handled::Answer(answer) => Ok(Some(answer)),
            // A close drops the answers that were to come.
            _ if connection.is_closed() => {
                Err(Error::new(ErrorKind::Closed, "the connection was closed before the answer came"))
            }
            _ => Ok(None),
        };
        let route = match handled? {
            Handled::Later(route) => route,
            handled => return answer(handled),
        };
        let deadline = Instant::now() + timeout;
        loop {
            let heard = self.bell.heard();
            self.run_events(usize::MAX);
            if let Some(handled) = connection.take(route) {
                return answer(handled);
            }
            if !self.bell.wait(heard, deadline) {
                connection.expire(route);
            }
        }
    }
}

impl wellhead_transmit {
    fn answer(bytes: Vec<u8>) -> *mut wellhead_transmit {
        let view = wellhead_str { ptr: bytes.as_ptr().cast(), len: bytes.len() };
        Box::into_raw(Box::new(wellhead_transmit { bytes: view, source: Output::Answer(bytes) }))
    }
}

impl Drop for wellhead_transmit {
    fn drop(&mut self) {
        match &mut self.source {
            Output::Connection(drain) => drain.wrote(self.bytes.len),
            Output::Answer(bytes) => bytes.clear(),
        }
    }
}

/// Closes the connection if a panic passes, because its state is then unknown.
struct Fuse<'a>(&'a Connection);

impl Drop for Fuse<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            answer((), || self.0.close());
        }
    }
}

thread_local! {
    /// The connections whose callbacks this thread is running.
    static INSIDE: RefCell<Vec<*const wellhead_connection>> = const { RefCell::new(Vec::new()) };
}

/// Marks that this thread polls a connection, until dropped.
struct Inside;

impl Inside {
    /// Returns None if this thread polls the connection already.
    fn enter(connection: &wellhead_connection) -> Option<Inside> {
        INSIDE.with_borrow_mut(|inside| {
            let connection = &raw const *connection;
            (!inside.contains(&connection)).then(|| {
                inside.push(connection);
                Inside
            })
        })
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.with_borrow_mut(Vec::pop);
    }
}

/// A bell that every wake rings, for threads that wait in `wellhead_connection_handle`.
#[derive(Default)]
struct Bell {
    rings: Mutex<u64>,
    rang: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.rings.lock() += 1;
        self.rang.notify_all();
    }

    fn heard(&self) -> u64 {
        *self.rings.lock()
    }

    /// Sleeps until the bell rings once more than the `heard` times that the thread knows of. Returns false if it did not ring
    /// before `deadline`.
    fn wait(&self, heard: u64, deadline: Instant) -> bool {
        let mut rings = self.rings.lock();
        !self.rang.wait_while_until(&mut rings, |rings| *rings == heard, deadline).timed_out()
    }
}
