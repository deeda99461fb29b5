//! Texts that are given to the application.

use crate::boundary::{free, query};
use crate::types::wellhead_str;

/// cbindgen:ignore
pub struct wellhead_text(pub(crate) String);

/// Returns the string of a text, borrowed until the text is freed. If `text` is NULL, the string is absent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_text_str(text: *const wellhead_text) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { query(text, wellhead_str::ABSENT, |_, text| wellhead_str::from_text(&text.0)) }
}

/// Frees a text. Does nothing if `text` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_text_free(text: *mut wellhead_text) {
    // SAFETY: our caller's promise.
    unsafe { free(text) }
}
