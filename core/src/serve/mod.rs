//! Drivers: the only code that touches files, clocks and threads.

mod batch;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod listening;
#[cfg(feature = "stdio")]
mod platform;
mod queue;
#[cfg(feature = "stdio")]
mod stdio;
#[cfg(feature = "stdio")]
mod threads;

pub use batch::Batch;
#[cfg(feature = "http")]
pub use http::{Http, Listener, http};
#[cfg(feature = "http")]
pub use listening::Listening;
#[cfg(feature = "stdio")]
pub use stdio::{Driver, Interrupter, Stdio, stdio};
