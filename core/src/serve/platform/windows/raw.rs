//! The only unsafe code of the core: what the standard library cannot do on Windows. It is compiled there only.
//!
//! Windows stores standard input and output as handles, the C runtime as descriptors 0 and 1. Rust asks for the handle
//! each time, and `printf` writes to its descriptor. A guard has to redirect both.

#![allow(
    unsafe_code,
    reason = "the standard library sets no standard handle, and knows no descriptor or signal"
)]

use crate::sync::Lock;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, RawHandle};
use std::sync::Arc;

/// A standard handle, by its number in the C runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standard {
    Input = 0,
    Output = 1,
}

/// Where a standard handle points, and the descriptor with it.
pub(super) struct Turned {
    which: Standard,
    /// The number of the handle, which stays open, since other C runtimes of the process may know it.
    handle: usize,
    flags: u32,
    /// A copy of the descriptor, if the C runtime has one.
    descriptor: Option<i32>,
}

/// Points standard input at `null`, which has to stay open until it is turned back.
pub(super) fn turn_input(null: &File) -> io::Result<Turned> {
    // SAFETY: the name ends with a zero.
    let descriptor = unsafe { _open(c"NUL".as_ptr(), O_RDONLY) };
    let turned = turn(Standard::Input, io::stdin().as_raw_handle(), null.as_raw_handle(), descriptor);
    close(descriptor);
    turned
}

/// Points standard output at standard error.
pub(super) fn turn_output() -> io::Result<Turned> {
    turn(Standard::Output, io::stdout().as_raw_handle(), io::stderr().as_raw_handle(), 2)
}

/// Points a standard handle at another, and the descriptor with its number at another descriptor.
fn turn(which: Standard, from: RawHandle, to: RawHandle, descriptor: i32) -> io::Result<Turned> {
    let (mut flags, number) = (0, which as i32);
    let _lenient = Lenient::new();
    // SAFETY: these calls take numbers that may be invalid, and then do nothing.
    let kept = unsafe {
        GetHandleInformation(from, &raw mut flags);
        // Child processes do not inherit it, and the C runtime does not close it.
        SetHandleInformation(
            from,
            HANDLE_FLAG_INHERIT | HANDLE_FLAG_PROTECT_FROM_CLOSE,
            HANDLE_FLAG_PROTECT_FROM_CLOSE,
        );
        if descriptor < 0 { -1 } else { _dup(number) }
    };
    let kept = (kept >= 0).then_some(kept);
    if let Some(kept) = kept {
        // SAFETY: `kept` is open and ours; `number` and `descriptor` may be closed, and then nothing is done.
        unsafe {
            SetHandleInformation(_get_osfhandle(kept) as RawHandle, HANDLE_FLAG_INHERIT, 0);
            _dup2(descriptor, number);
        }
    }
    let turned = Turned { which, handle: from as usize, flags, descriptor: kept };
    set(which, to)?; // after the C runtime, which may set its own
    Ok(turned)
}

impl Drop for Turned {
    /// Turns both back.
    fn drop(&mut self) {
        let _lenient = Lenient::new();
        if let Some(descriptor) = self.descriptor {
            // SAFETY: the descriptor is open.
            unsafe { _dup2(descriptor, self.which as i32) };
            close(descriptor);
        }
        let handle = self.handle as RawHandle;
        let _ = set(self.which, handle); // it was the standard handle before
        // SAFETY: it takes a number.
        unsafe {
            SetHandleInformation(handle, HANDLE_FLAG_INHERIT | HANDLE_FLAG_PROTECT_FROM_CLOSE, self.flags);
        }
    }
}

fn set(which: Standard, handle: RawHandle) -> io::Result<()> {
    let which = match which {
        Standard::Input => STD_INPUT_HANDLE,
        Standard::Output => STD_OUTPUT_HANDLE,
    };
    // SAFETY: the system only stores the number.
    if unsafe { SetStdHandle(which, handle) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn close(descriptor: i32) {
    if descriptor >= 0 {
        // SAFETY: we opened it, and use it no more.
        unsafe { _close(descriptor) };
    }
}

/// While it lives, the C runtime answers the use of a closed descriptor with an error. Otherwise it ends the process. The
/// runtime of the target `gnu` does so anyway.
struct Lenient(#[cfg(target_env = "msvc")] Option<OnInvalid>);

#[cfg(target_env = "msvc")]
type OnInvalid = unsafe extern "C" fn(*const u16, *const u16, *const u16, u32, usize);

#[cfg(target_env = "msvc")]
unsafe extern "C" fn ignore(_: *const u16, _: *const u16, _: *const u16, _: u32, _: usize) {}

impl Lenient {
    fn new() -> Lenient {
        Lenient(
            // SAFETY: the function has the signature that the C runtime expects.
            #[cfg(target_env = "msvc")]
            unsafe {
                _set_thread_local_invalid_parameter_handler(Some(ignore))
            },
        )
    }
}

#[cfg(target_env = "msvc")]
impl Drop for Lenient {
    fn drop(&mut self) {
        // SAFETY: it was the handler before.
        unsafe { _set_thread_local_invalid_parameter_handler(self.0) };
    }
}

/// The function that Ctrl-C and Ctrl-Break call.
type Action = Arc<dyn Fn() + Send + Sync>;

static ACTION: Lock<Option<Action>> = Lock::new(None);

/// Sets the function that they call, on a thread of the system. None: they end the process, as by default.
pub(super) fn on_ctrl(action: Option<Action>) -> io::Result<()> {
    let is_set = action.is_some();
    let before = ACTION.with(|known, _| std::mem::replace(known, action));
    if is_set == before.is_some() {
        return Ok(());
    }
    // SAFETY: the function has the signature that the system expects, and never goes away.
    if unsafe { SetConsoleCtrlHandler(Some(handle_ctrl), i32::from(is_set)) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Returns whether it has handled the event.
extern "system" fn handle_ctrl(event: u32) -> i32 {
    if event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT {
        return 0;
    }
    let action = ACTION.with(|action, _| action.clone());
    action
        .is_some_and(|action| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| action())).is_ok())
        .into()
}

const STD_INPUT_HANDLE: u32 = (-10_i32).cast_unsigned();
const STD_OUTPUT_HANDLE: u32 = (-11_i32).cast_unsigned();
const HANDLE_FLAG_INHERIT: u32 = 1;
const HANDLE_FLAG_PROTECT_FROM_CLOSE: u32 = 2;
const CTRL_C_EVENT: u32 = 0;
const CTRL_BREAK_EVENT: u32 = 1;
const O_RDONLY: i32 = 0;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn SetStdHandle(which: u32, handle: RawHandle) -> i32;
    fn GetHandleInformation(handle: RawHandle, flags: *mut u32) -> i32;
    fn SetHandleInformation(handle: RawHandle, mask: u32, flags: u32) -> i32;
    fn SetConsoleCtrlHandler(handler: Option<extern "system" fn(u32) -> i32>, add: i32) -> i32;
}

// The C runtime that the standard library is linked with.
unsafe extern "C" {
    fn _open(path: *const std::ffi::c_char, flags: i32, ...) -> i32;
    fn _close(descriptor: i32) -> i32;
    fn _dup(descriptor: i32) -> i32;
    fn _dup2(descriptor: i32, number: i32) -> i32;
    fn _get_osfhandle(descriptor: i32) -> isize;
    #[cfg(target_env = "msvc")]
    fn _set_thread_local_invalid_parameter_handler(handler: Option<OnInvalid>) -> Option<OnInvalid>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn ctrl_c_and_ctrl_break_call_the_action_and_closing_the_console_does_not() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        on_ctrl(Some(Arc::new(move || drop(counted.fetch_add(1, Ordering::SeqCst))))).unwrap();
        let closed = 2;
        let handled = [CTRL_C_EVENT, CTRL_BREAK_EVENT, closed].map(|event| handle_ctrl(event));
        on_ctrl(None).unwrap();
        assert_eq!((handled, calls.load(Ordering::SeqCst)), ([1, 1, 0], 2));
        assert_eq!(handle_ctrl(CTRL_BREAK_EVENT), 0, "without an action they end the process");
    }
}
