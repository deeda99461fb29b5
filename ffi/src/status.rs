//! Statuses and errors.

use crate::boundary::{Promise, free, query};
use crate::types::wellhead_str;
use std::ffi::c_char;
use wellhead::{Error, ErrorKind};

/// The result of a function. Later versions may add numbers.
pub type wellhead_status = u32;
/// Success.
pub const WELLHEAD_STATUS_OK: wellhead_status = 0;
/// An argument can never be right, such as NULL or struct_size 0, or a call was answered already.
pub const WELLHEAD_STATUS_INVALID_ARGUMENT: wellhead_status = 1;
/// A text is not UTF-8.
pub const WELLHEAD_STATUS_INVALID_UTF8: wellhead_status = 2;
/// A URI is not an absolute URI of RFC 3986.
pub const WELLHEAD_STATUS_INVALID_URI: wellhead_status = 3;
/// A template is not one of RFC 6570, or cannot be matched. The message says where and why.
pub const WELLHEAD_STATUS_INVALID_TEMPLATE: wellhead_status = 4;
/// The URI or name is registered already.
pub const WELLHEAD_STATUS_DUPLICATE: wellhead_status = 5;
/// Two templates match the same URIs, and neither is more specific. The message names both.
pub const WELLHEAD_STATUS_AMBIGUOUS: wellhead_status = 6;
/// No registration has that name.
pub const WELLHEAD_STATUS_UNKNOWN: wellhead_status = 7;
/// The server or connection is closed, or the call is over.
pub const WELLHEAD_STATUS_CLOSED: wellhead_status = 8;
/// A limit is reached; the message names it.
pub const WELLHEAD_STATUS_LIMIT: wellhead_status = 9;
/// The operating system refused; the message says why.
pub const WELLHEAD_STATUS_IO: wellhead_status = 10;
/// The connection was made before a fork, and this is the child.
pub const WELLHEAD_STATUS_FORKED: wellhead_status = 11;
/// A bug of the library. The connection is closed; only free it.
pub const WELLHEAD_STATUS_PANIC: wellhead_status = 12;
/// In a client for tests: the server answered with an error, or the client itself refused to give input. The message says
/// with which code and text.
pub const WELLHEAD_STATUS_RESPONSE: wellhead_status = 13;

/// Returns the name of a status, such as "invalid_uri", a static string. Never returns NULL.
#[unsafe(no_mangle)]
pub extern "C" fn wellhead_status_name(status: wellhead_status) -> *const c_char {
    let name = match status {
        WELLHEAD_STATUS_OK => c"ok",
        WELLHEAD_STATUS_INVALID_ARGUMENT => c"invalid_argument",
        WELLHEAD_STATUS_INVALID_UTF8 => c"invalid_utf8",
        WELLHEAD_STATUS_INVALID_URI => c"invalid_uri",
        WELLHEAD_STATUS_INVALID_TEMPLATE => c"invalid_template",
        WELLHEAD_STATUS_DUPLICATE => c"duplicate",
        WELLHEAD_STATUS_AMBIGUOUS => c"ambiguous",
        WELLHEAD_STATUS_UNKNOWN => c"unknown",
        WELLHEAD_STATUS_CLOSED => c"closed",
        WELLHEAD_STATUS_LIMIT => c"limit",
        WELLHEAD_STATUS_IO => c"io",
        WELLHEAD_STATUS_FORKED => c"forked",
        WELLHEAD_STATUS_PANIC => c"panic",
        WELLHEAD_STATUS_RESPONSE => c"response",
        _ => c"unknown_status",
    };
    name.as_ptr()
}

/// cbindgen:ignore
pub struct wellhead_error {
    kind: ErrorKind,
    message: String,
}

/// Returns the status of an error, or WELLHEAD_STATUS_OK if `error` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_error_status(error: *const wellhead_error) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe { query(error, WELLHEAD_STATUS_OK, |_, error| error.kind.status()) }
}

/// Returns a message for people: the problem, and a way to solve it. It is borrowed until the error is freed. If `error`
/// is NULL, it is absent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_error_message(error: *const wellhead_error) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { query(error, wellhead_str::ABSENT, |_, error| wellhead_str::from_text(&error.message)) }
}

/// Frees an error. Does nothing if `error` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_error_free(error: *mut wellhead_error) {
    // SAFETY: our caller's promise.
    unsafe { free(error) }
}

/// Writes the error to `place`, unless that is NULL, and returns its status.
pub(crate) fn deliver(promise: &Promise, place: *mut *mut wellhead_error, error: &Error) -> wellhead_status {
    if !place.is_null() {
        let mut message = error.to_string();
        // Only what the system says: the message has the text of a `MethodError` already, and others have the words of a library.
        if let Some(source) = std::error::Error::source(error)
            && source.is::<std::io::Error>()
        {
            message = format!("{message}: {source}");
        }
        promise.put(place, Box::into_raw(Box::new(wellhead_error { kind: error.kind(), message })));
    }
    error.kind().status()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn every_kind_of_error_has_its_status_and_name() {
        for kind in ErrorKind::ALL {
            // SAFETY: static strings.
            let name = unsafe { CStr::from_ptr(wellhead_status_name(kind.status())) };
            assert_eq!(name.to_str(), Ok(kind.code()));
        }
    }
}
