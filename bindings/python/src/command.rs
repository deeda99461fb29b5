//! The command `wellhead`, which the package installs as a program.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command with these arguments until it has ended, and returns its exit status.
#[pyfunction(name = "_run_command")]
#[pyo3(signature = (arguments, /))]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| wellhead::run_command(arguments))
}
