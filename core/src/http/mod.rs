//! Streamable HTTP, as far as it can be decided without a socket.
//!
//! There is no transport yet: this settles what a driver needs to be told to choose status, type and length.

mod exchange;

pub use exchange::{Exchange, Head, Step};
