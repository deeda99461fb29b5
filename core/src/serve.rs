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

/// The greatest duration of a timer. Longer times, such as `u64::MAX` milliseconds, count as this one, because a clock
/// cannot represent their end.
#[cfg(any(feature = "stdio", feature = "http"))]
const LONGEST: std::time::Duration = std::time::Duration::from_secs(u32::MAX as u64);

/// Returns the time that a driver waits for answers that are still owed.
#[cfg(any(feature = "stdio", feature = "http"))]
fn shutdown_time(shutdown_ms: u64) -> std::time::Duration {
    std::time::Duration::from_millis(shutdown_ms).min(LONGEST)
}

/// The greatest number of threads of one kind that a service may have.
#[cfg(any(feature = "stdio", feature = "http"))]
const MOST_THREADS: usize = 1_024;

/// Fails if there are more than [`MOST_THREADS`], and says how many are enough.
#[cfg(any(feature = "stdio", feature = "http"))]
fn check_threads(name: &str, threads: usize, enough: &str) -> crate::Result<()> {
    if threads <= MOST_THREADS {
        return Ok(());
    }
    let what = format!("`{name}` must be at most {MOST_THREADS} (got {threads}); {enough} is enough");
    Err(crate::Error::new(crate::ErrorKind::InvalidArgument, what))
}

/// Fails if more than [`MOST_THREADS`] threads are to run callbacks. Everything else is as with [`check_threads`].
#[cfg(any(feature = "stdio", feature = "http"))]
fn check_callback_threads(threads: usize) -> crate::Result<()> {
    check_threads("callback_threads", threads, "one for each callback that waits at the same time")
}

/// Called from any thread when there are callbacks to run, for applications that run them themselves.
#[cfg(any(feature = "stdio", feature = "http"))]
type OnReady = Box<dyn Fn() + Send + Sync>;
