//! A folder as resources, as a client sees it, on real files.

#[cfg(unix)]
mod changes;
#[cfg(unix)]
mod completing;
#[cfg(unix)]
mod hidden;
#[cfg(unix)]
mod ignore_files;
#[cfg(unix)]
mod listing;
#[cfg(unix)]
mod outside;
#[cfg(target_os = "linux")]
mod race;
#[cfg(unix)]
mod reading;
#[cfg(unix)]
mod registering;
#[cfg(unix)]
mod searching;
#[cfg(unix)]
mod support;
