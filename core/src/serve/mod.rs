//! Drivers: the only code that touches files, clocks and threads.

#[cfg(feature = "http")]
mod http;
#[cfg(feature = "stdio")]
mod platform;
mod queue;
#[cfg(feature = "stdio")]
mod stdio;
#[cfg(feature = "stdio")]
mod threads;

#[cfg(feature = "http")]
pub use http::{Http, Listener, http};
#[cfg(feature = "stdio")]
pub use stdio::{Batch, Driver, Interrupter, Stdio, stdio};
