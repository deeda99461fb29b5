//! Drivers: the only code that touches files, clocks and threads.

mod platform;
mod queue;
mod stdio;
mod threads;

pub use stdio::{Batch, Driver, Interrupter, Stdio, stdio};
