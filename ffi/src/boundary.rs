//! The border to C: what comes in is checked here, and no panic goes out.

use crate::status::{WELLHEAD_STATUS_OK, deliver, wellhead_error, wellhead_status};
use crate::types::{Growing, wellhead_str};
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use wellhead::{Error, ErrorKind, Result};

/// The promise of the caller of an exported function: each pointer is NULL or points to what the header says, for the
/// length of the call.
pub(crate) struct Promise(());

/// The greatest `struct_size` in bytes that is accepted. No header has a larger struct.
const MOST: usize = 4096;

/// A handle that the application may free in a callback while a function runs on it: each function holds a reference. Made by
/// [`share`] and freed by [`release`] only.
pub(crate) trait Shared: Send + Sync {}

#[allow(clippy::unused_self, reason = "having a promise is what allows to look behind pointers")]
impl Promise {
    /// Returns the handle. Fails if it is NULL. Other threads may use the handle, too.
    pub(crate) fn handle<T: Sync>(&self, handle: *const T, name: &str) -> Result<&T> {
        // SAFETY: the promise.
        unsafe { handle.as_ref() }.ok_or_else(|| invalid(format!("{name} is NULL")))
    }

    /// Returns a reference to a handle that a callback may free meanwhile. Fails if the handle is NULL.
    pub(crate) fn hold<T: Shared>(&self, handle: *const T, name: &str) -> Result<Arc<T>> {
        if handle.is_null() {
            return Err(invalid(format!("{name} is NULL")));
        }
        // SAFETY: the promise: it came from `share`, and is not freed before this call begins.
        unsafe {
            Arc::increment_strong_count(handle);
            Ok(Arc::from_raw(handle))
        }
    }

    /// Returns the bytes of a string, none if it is absent.
    pub(crate) fn bytes(&self, bytes: wellhead_str, name: &str) -> Result<&[u8]> {
        if bytes.ptr.is_null() || bytes.len == 0 {
            return Ok(&[]);
        }
        if bytes.len > isize::MAX as usize {
            return Err(invalid(format!("{name} has a length that no memory has")));
        }
        // SAFETY: the promise, and the length was checked.
        Ok(unsafe { std::slice::from_raw_parts(bytes.ptr.cast(), bytes.len) })
    }

    /// Returns the bytes of a string. Fails if it is absent.
    pub(crate) fn present(&self, bytes: wellhead_str, name: &str) -> Result<&[u8]> {
        if bytes.ptr.is_null() {
            return Err(invalid(format!("{name} is absent")));
        }
        self.bytes(bytes, name)
    }

    /// Returns a text, or None if it is absent. Fails if it is not UTF-8.
    pub(crate) fn optional(&self, text: wellhead_str, name: &str) -> Result<Option<&str>> {
        if text.ptr.is_null() {
            return Ok(None);
        }
        let bytes = self.bytes(text, name)?;
        if bytes.is_ascii() {
            // A check for ASCII is quicker than one for UTF-8, and nearly all names and URIs are ASCII.
            // SAFETY: ASCII is UTF-8.
            return Ok(Some(unsafe { std::str::from_utf8_unchecked(bytes) }));
        }
        std::str::from_utf8(bytes).map(Some).map_err(|e| {
            Error::new(ErrorKind::InvalidUtf8, format!("{name} is not UTF-8 at byte {}", e.valid_up_to()))
        })
    }

    /// Returns a text. Fails if it is absent or not UTF-8.
    pub(crate) fn text(&self, text: wellhead_str, name: &str) -> Result<&str> {
        self.optional(text, name)?.ok_or_else(|| invalid(format!("{name} is absent")))
    }

    /// Returns a NUL-terminated string, or None if it is NULL or not UTF-8.
    pub(crate) fn c_string(&self, text: *const c_char) -> Option<&str> {
        if text.is_null() {
            return None;
        }
        // SAFETY: the promise.
        unsafe { CStr::from_ptr(text) }.to_str().ok()
    }

    /// Returns the number behind a pointer, or None if the pointer is NULL.
    pub(crate) fn number<T: Copy>(&self, number: *const T) -> Option<T> {
        // SAFETY: the promise.
        unsafe { number.as_ref() }.copied()
    }

    /// Returns an array. Fails if it is NULL and not empty.
    pub(crate) fn array<T: Copy>(&self, first: *const T, count: usize, name: &str) -> Result<&[T]> {
        if count == 0 {
            return Ok(&[]);
        }
        if first.is_null() {
            return Err(invalid(format!("{name} is NULL, but has {count} elements")));
        }
        if count > isize::MAX as usize / size_of::<T>() {
            return Err(invalid(format!("{name} has a length that no memory has")));
        }
        // SAFETY: the promise, and the length was checked.
        Ok(unsafe { std::slice::from_raw_parts(first, count) })
    }

    /// Returns the texts of an array. Fails if one of them is absent or not UTF-8.
    pub(crate) fn texts(&self, first: *const wellhead_str, count: usize, name: &str) -> Result<Vec<String>> {
        self.array(first, count, name)?.iter().map(|text| self.text(*text, name).map(str::to_owned)).collect()
    }

    /// Returns the size of a struct that the library writes to, as the caller's header has it. Fails if the struct is
    /// NULL, or its `struct_size` is 0.
    pub(crate) fn room<T: Growing>(&self, place: *const T, name: &str) -> Result<usize> {
        if place.is_null() {
            return Err(invalid(format!("{name} is NULL")));
        }
        // SAFETY: the promise, and every `Growing` begins with its size.
        match unsafe { place.cast::<usize>().read() } {
            size if size < size_of::<usize>() => {
                Err(invalid(format!("{name}: struct_size is {size}; start from its _INIT")))
            }
            size => Ok(size),
        }
    }

    /// Returns a struct, or None if it is NULL. Fields that the caller's header does not have yet are zero. Fields that
    /// ours does not have must be zero, their default, because the library would not do what they say.
    pub(crate) fn options<T: Growing>(&self, value: *const T, name: &str) -> Result<Option<T>> {
        if value.is_null() {
            return Ok(None);
        }
        let size = self.room(value, name)?;
        if size > MOST {
            return Err(invalid(format!("{name}: struct_size is {size}; start from its _INIT")));
        }
        if size > size_of::<T>() {
            // SAFETY: the caller has `size` bytes.
            let unknown = unsafe {
                let behind = value.cast::<u8>().add(size_of::<T>());
                std::slice::from_raw_parts(behind, size - size_of::<T>())
            };
            if unknown.iter().any(|byte| *byte != 0) {
                let name = T::NAME;
                return Err(invalid(format!(
                    "{name} has members this library does not know: built with a newer header?"
                )));
            }
        }
        let mut copy = std::mem::MaybeUninit::<T>::zeroed();
        // SAFETY: the caller has `size` bytes, we have room for ours, and every bit pattern is a `Growing`.
        unsafe {
            let bytes = size.min(size_of::<T>());
            std::ptr::copy_nonoverlapping(value.cast::<u8>(), copy.as_mut_ptr().cast(), bytes);
            Ok(Some(copy.assume_init()))
        }
    }

    /// Returns a struct. Fails if it is NULL.
    pub(crate) fn fields<T: Growing>(&self, value: *const T, name: &str) -> Result<T> {
        self.options(value, name)?.ok_or_else(|| invalid(format!("{name} is NULL")))
    }

    /// Writes a struct to where the caller has room for the first `room` bytes of it.
    pub(crate) fn fill<T: Growing>(&self, place: *mut T, value: &T, room: usize) {
        // SAFETY: the promise; no more than there is of either.
        unsafe {
            let bytes = room.min(size_of::<T>());
            std::ptr::copy_nonoverlapping((&raw const *value).cast::<u8>(), place.cast::<u8>(), bytes);
        }
    }

    /// Writes a result to the place that the caller gave. Does nothing if that is NULL.
    pub(crate) fn put<T>(&self, place: *mut T, value: T) {
        if !place.is_null() {
            // SAFETY: the promise.
            unsafe { place.write(value) };
        }
    }
}

/// The body of an exported function that returns a status.
///
/// # Safety
/// The caller keeps the [`Promise`].
pub(crate) unsafe fn guard(
    error: *mut *mut wellhead_error,
    run: impl FnOnce(&Promise) -> Result<()>,
) -> wellhead_status {
    match caught(|| run(&Promise(()))) {
        Ok(()) => WELLHEAD_STATUS_OK,
        Err(e) => deliver(&Promise(()), error, &e),
    }
}

/// The body of an exported function that makes a handle.
///
/// # Safety
/// The caller keeps the [`Promise`].
pub(crate) unsafe fn make<T: Send + Sync>(
    error: *mut *mut wellhead_error,
    run: impl FnOnce(&Promise) -> Result<T>,
) -> *mut T {
    made(error, run, |value| Box::into_raw(Box::new(value)))
}

/// The body of an exported function that makes a handle which a callback may free.
///
/// # Safety
/// The caller keeps the [`Promise`].
pub(crate) unsafe fn share<T: Shared>(
    error: *mut *mut wellhead_error,
    run: impl FnOnce(&Promise) -> Result<T>,
) -> *mut T {
    made(error, run, |value| Arc::into_raw(Arc::new(value)).cast_mut())
}

fn made<T>(
    error: *mut *mut wellhead_error,
    run: impl FnOnce(&Promise) -> Result<T>,
    handle: fn(T) -> *mut T,
) -> *mut T {
    match caught(|| run(&Promise(()))) {
        Ok(value) => handle(value),
        Err(e) => {
            deliver(&Promise(()), error, &e);
            std::ptr::null_mut()
        }
    }
}

/// The body of an exported function that uses a handle which a callback may free. It returns `otherwise` if the handle
/// is NULL.
///
/// # Safety
/// The caller keeps the [`Promise`].
pub(crate) unsafe fn call_shared<T: Shared, R>(
    handle: *const T,
    otherwise: R,
    run: impl FnOnce(&Promise, &T) -> R,
) -> R {
    match Promise(()).hold(handle, "") {
        Ok(handle) => answer(otherwise, || run(&Promise(()), &handle)),
        Err(_) => otherwise,
    }
}

/// Takes a handle that [`share`] gave, runs `end` on it, and drops the reference that it holds.
///
/// # Safety
/// `handle` is NULL or came from [`share`], and is used no more.
pub(crate) unsafe fn release<T: Shared>(handle: *mut T, end: impl FnOnce(&T)) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        let handle = unsafe { Arc::from_raw(handle.cast_const()) };
        answer((), || {
            end(&handle);
            drop(handle);
        });
    }
}

/// The body of an exported function that reads from a handle. It returns `otherwise` for NULL.
///
/// # Safety
/// The caller keeps the [`Promise`].
pub(crate) unsafe fn query<T: Sync, R>(
    handle: *const T,
    otherwise: R,
    run: impl FnOnce(&Promise, &T) -> R,
) -> R {
    match Promise(()).handle(handle, "") {
        Ok(handle) => answer(otherwise, || run(&Promise(()), handle)),
        Err(_) => otherwise,
    }
}

/// The body of an exported function that needs no handle.
///
/// # Safety
/// The caller keeps the [`Promise`].
pub(crate) unsafe fn without_handle<R>(otherwise: R, run: impl FnOnce(&Promise) -> R) -> R {
    answer(otherwise, || run(&Promise(())))
}

/// Takes a handle that one of our functions gave, and drops it.
///
/// # Safety
/// `handle` is NULL or came from [`make`], and is used no more.
pub(crate) unsafe fn free<T: Send>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: the caller's promise.
        let handle = unsafe { Box::from_raw(handle) };
        answer((), || drop(handle));
    }
}

/// Runs code that cannot fail. Returns `otherwise` if it panics all the same, which is a bug of the library.
pub(crate) fn answer<R>(otherwise: R, run: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(otherwise)
}

fn caught<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(panicked()))
}

fn panicked() -> Error {
    Error::new(ErrorKind::Panic, "a bug in wellhead, reported on standard error; please report it")
}

/// Returns a callback. Fails if it is NULL.
pub(crate) fn required<F>(callback: Option<F>, name: &str) -> Result<F> {
    callback.ok_or_else(|| invalid(format!("{name} is NULL")))
}

pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::{WELLHEAD_STATUS_PANIC, wellhead_error_free, wellhead_error_status};

    #[test]
    fn a_panic_becomes_a_status_and_an_error() {
        let mut error = std::ptr::null_mut();
        // SAFETY: `error` is a place for an error.
        let status = unsafe { guard(&raw mut error, |_| panic!("on purpose")) };
        assert_eq!(status, WELLHEAD_STATUS_PANIC);
        // SAFETY: `guard` has filled it.
        unsafe {
            assert_eq!(wellhead_error_status(error), WELLHEAD_STATUS_PANIC);
            wellhead_error_free(error);
        }
    }
}
