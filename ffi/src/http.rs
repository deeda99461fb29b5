//! Streamable HTTP. `include/wellhead_http.h` is made from these modules.

pub mod verify;

pub mod options;

pub mod endpoint;

pub mod exchange;
pub mod handle;

pub mod serve;
