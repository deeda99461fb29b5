//! The limits that the application sets for one tool.

use crate::options::optional_limits;

optional_limits! {
    /// The limits of one tool, all off by default: see [`crate::Server::limit_tool`]. A call beyond a limit is refused
    /// with "Busy", and the client may try again.
    pub struct ToolLimits {
        /// The greatest number of calls of the tool in flight, of all callers together. 1: one at a time.
        pub calls_in_flight: usize,
        /// The greatest number of calls of the tool in flight for each caller.
        pub caller_calls_in_flight: usize,
        /// The greatest number of calls of the tool that each caller begins in a minute.
        pub caller_calls_per_minute: usize,
        /// Milliseconds until a call is cancelled and answered with an internal error. Replaces `call_ms` of the
        /// server.
        pub call_ms: u64,
    }
}

impl ToolLimits {
    /// Limits the number of calls in flight of all callers together. 1: one at a time.
    #[must_use]
    pub fn calls_in_flight(self, most: usize) -> Self {
        ToolLimits { calls_in_flight: Some(most), ..self }
    }

    /// Limits the number of calls in flight for each caller.
    #[must_use]
    pub fn caller_calls_in_flight(self, most: usize) -> Self {
        ToolLimits { caller_calls_in_flight: Some(most), ..self }
    }

    /// Limits the number of calls that each caller begins in a minute.
    #[must_use]
    pub fn caller_calls_per_minute(self, most: usize) -> Self {
        ToolLimits { caller_calls_per_minute: Some(most), ..self }
    }

    /// Limits the milliseconds that a call takes. Replaces [`crate::Limits::call_ms`] for the tool.
    #[must_use]
    pub fn call_ms(self, ms: u64) -> Self {
        ToolLimits { call_ms: Some(ms), ..self }
    }
}
