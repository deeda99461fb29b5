//! The command `wellhead`, as a client sees it that has started it: over pipes, on real files.

#[cfg(unix)]
mod arguments;
#[cfg(unix)]
mod client;
#[cfg(unix)]
mod ending;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod serving;
#[cfg(unix)]
mod skills;
#[cfg(unix)]
mod unreadable;
