//! Drivers: the only code that touches files, clocks and threads.

mod batch;
#[cfg(feature = "http")]
mod demand;
#[cfg(feature = "http")]
mod exchange_body;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "http")]
mod jobs;
#[cfg(feature = "http")]
mod listening;
#[cfg(feature = "stdio")]
mod platform;
#[cfg(feature = "stdio")]
mod queue;
#[cfg(feature = "http")]
mod shared;
#[cfg(feature = "stdio")]
mod stdio;
#[cfg(feature = "stdio")]
mod threads;
#[cfg(feature = "tower")]
mod tower;

pub use batch::Batch;
#[cfg(feature = "http")]
pub use http::{Http, Listener, http};
#[cfg(feature = "http")]
pub use listening::Listening;
#[cfg(all(feature = "stdio", shuttle))]
#[doc(hidden)]
pub use platform::{Input, Output};
#[cfg(feature = "stdio")]
pub use stdio::{Driver, Interrupter, Stdio, stdio};
#[cfg(feature = "tower")]
pub use tower::{HttpService, ResponseBody};

/// Longer times, such as `Duration::MAX`, mean this one: a clock cannot tell when they are over.
#[cfg(any(feature = "stdio", feature = "http"))]
const LONGEST: std::time::Duration = std::time::Duration::from_secs(u32::MAX as u64);

/// Called from any thread when there are callbacks to run, for applications that run them themselves.
#[cfg(any(feature = "stdio", feature = "http"))]
type OnReady = Box<dyn Fn() + Send + Sync>;
