//! Strings, and what C's structs have in common.

use crate::boundary::answer;
use std::ffi::{CStr, c_char, c_void};

/// A string of bytes; UTF-8 where text is meant. It does not end in a NUL. ptr NULL: absent. len 0 with a ptr: empty.
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

    /// A text; absent if there is none.
    pub(crate) fn optional(text: Option<&str>) -> wellhead_str {
        text.map_or(wellhead_str::ABSENT, wellhead_str::from_text)
    }

    pub(crate) fn bytes(bytes: &[u8]) -> wellhead_str {
        wellhead_str { ptr: bytes.as_ptr().cast(), len: bytes.len() }
    }
}

/// Returns a NUL-terminated string as a wellhead_str, which borrows it: `s` must stay unchanged meanwhile. NULL: absent.
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
    /// As C calls it.
    const NAME: &'static str;
}

macro_rules! growing {
    ($($name:ty),*) => {$(
        // SAFETY: integers, raw pointers, strings of both and nullable function pointers, behind `struct_size`.
        unsafe impl crate::types::Growing for $name {
            const NAME: &'static str = stringify!($name);
        }
    )*};
}
pub(crate) use growing;
