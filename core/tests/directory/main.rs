//! A folder as resources, as a client sees it, on real files.

mod authorizing;
mod changes;
mod completing;
mod hidden;
mod ignore_files;
mod listing;
mod outside;
#[path = "../support/paths.rs"]
mod paths;
#[cfg(target_os = "linux")]
mod race;
mod reading;
mod registering;
mod searching;
mod support;
