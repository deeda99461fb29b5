//! Strings, and what C's structs have in common.

use crate::boundary::{answer, without_handle};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::str::FromStr;

/// A string of bytes; UTF-8 where text is meant. It does not end in a NUL. A string whose ptr is NULL is absent. One
/// with another ptr and len 0 is empty.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_str {
    pub ptr: *const c_char,
    pub len: usize,
}

impl wellhead_str {
    pub(crate) const ABSENT: wellhead_str = wellhead_str { ptr: std::ptr::null(), len: 0 };

    pub(crate) fn from_text(text: &str) -> wellhead_str {
        wellhead_str::bytes(text.as_bytes())
    }

    /// Returns a text as C has it, absent if it is None.
    pub(crate) fn optional(text: Option<&str>) -> wellhead_str {
        text.map_or(wellhead_str::ABSENT, wellhead_str::from_text)
    }

    pub(crate) fn bytes(bytes: &[u8]) -> wellhead_str {
        wellhead_str { ptr: bytes.as_ptr().cast(), len: bytes.len() }
    }
}

/// Returns a NUL-terminated string as a wellhead_str, which borrows it: `s` must stay unchanged meanwhile. If `s` is
/// NULL, the result is absent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_cstr(s: *const c_char) -> wellhead_str {
    if s.is_null() {
        return wellhead_str::ABSENT;
    }
    answer(wellhead_str::ABSENT, || {
        // SAFETY: the caller passes a NUL-terminated string.
        wellhead_str { ptr: s, len: unsafe { CStr::from_ptr(s) }.count_bytes() }
    })
}

/// Returns 1 if the strings `a` and `b` have the same bytes, or are both absent, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_str_equal(a: wellhead_str, b: wellhead_str) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        without_handle(0, |promise| {
            let same = promise.bytes(a, "").ok() == promise.bytes(b, "").ok();
            c_int::from(a.ptr.is_null() == b.ptr.is_null() && same)
        })
    }
}

/// Returns 1 if the whole string is a decimal number that an int64_t holds: digits, perhaps with "-" in front. Else 0.
/// *value: the number; may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_str_to_integer(s: wellhead_str, value: *mut i64) -> c_int {
    // SAFETY: our caller's promise.
    unsafe { parsed(s, value, |text| !text.starts_with('+')) }
}

/// Returns 1 if the whole string is a decimal number that a double holds, such as 5, -0.5 or 1e-3, else 0. The locale means
/// nothing. *value: the nearest double; may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_str_to_number(s: wellhead_str, value: *mut f64) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        parsed(s, value, |text| {
            // Not "+1", and not "-inf" or what is larger than any double.
            text.starts_with(|first: char| first == '-' || first.is_ascii_digit())
                && text.parse().is_ok_and(|number: f64| number.is_finite())
        })
    }
}

/// Writes the number that a string spells, if it is one of those that are `wanted`. Returns 1 if it did, else 0.
unsafe fn parsed<T: FromStr>(s: wellhead_str, place: *mut T, wanted: impl FnOnce(&str) -> bool) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        without_handle(0, |promise| {
            let text = promise.optional(s, "").ok().flatten().filter(|text| wanted(text));
            text.and_then(|text| text.parse().ok()).map_or(0, |number| {
                promise.put(place, number);
                1
            })
        })
    }
}

// Callbacks are "C-unwind": an exception that leaves one reaches a `catch_unwind` of ours, which aborts. With "C" it would be
// undefined behaviour.

/// Frees what the application passed with other callbacks. Called once, with that pointer, on any thread, after the last use.
/// May be NULL.
pub type wellhead_destroy_callback = Option<unsafe extern "C-unwind" fn(data: *mut c_void)>;

/// Wakes the loop of the application: there may be something to poll. Called on any thread, also for nothing. It must not
/// block.
pub type wellhead_wake_callback = Option<unsafe extern "C-unwind" fn(data: *mut c_void)>;

/// A struct that C fills in, and whose first field is its size as the caller's header has it.
///
/// # Safety
/// Every bit pattern is valid, all zeroes mean "all defaults", and the first field is `struct_size`.
pub(crate) unsafe trait Growing: Copy {
    /// The name of the type in C.
    const NAME: &'static str;
}

macro_rules! growing {
    ($($name:ty),*) => {$(
        // SAFETY: each field is an integer, a raw pointer, a pointer with a length, or a function pointer that may be null. So zeros are
        // valid in all of them. `struct_size` is the first.
        unsafe impl crate::types::Growing for $name {
            const NAME: &'static str = stringify!($name);
        }
    )*};
}
pub(crate) use growing;
