//! The command `wellhead`, as a client sees it that has started it: over pipes, on real files.

#[cfg(unix)]
mod arguments;
mod client;
mod ending;
mod http;
mod serving;
#[cfg(unix)]
mod skills;
#[cfg(unix)]
mod unreadable;
#[cfg(windows)]
mod windows_names;
