//! The version of the native half.

use napi_derive::napi;

/// Returns the version of the native half, which has to be that of `lib/load.ts`.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
