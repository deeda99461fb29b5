//! The command `wellhead`, which the package installs as a program.

use napi_derive::napi;
use std::ffi::OsString;

/// Runs the command with these arguments until it has ended, and returns its exit status.
#[napi]
pub fn run_command(arguments: Vec<String>) -> u32 {
    wellhead::run_command(arguments.into_iter().map(OsString::from)).into()
}
