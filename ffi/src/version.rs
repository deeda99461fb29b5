//! The version of the library that runs.

use std::ffi::c_char;

/// Changes when a program compiled against an older header would no longer work.
pub const WELLHEAD_ABI_VERSION: u32 = 1;

/// Returns the version of the library that runs, such as "0.1.0", a static string. Never returns NULL.
#[unsafe(no_mangle)]
pub extern "C" fn wellhead_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns WELLHEAD_ABI_VERSION of the library that runs.
#[unsafe(no_mangle)]
pub extern "C" fn wellhead_abi_version() -> u32 {
    WELLHEAD_ABI_VERSION
}
