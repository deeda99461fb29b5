//! The limits that the application sets for one tool.

use crate::options::optional_limits;

optional_limits! {
    /// The limits of one tool, all off by default: see [`crate::Server::limit_tool`]. A call beyond a limit is refused with
    /// "Busy", and the client may try again.
    pub struct ToolLimits {
        /// Calls of the tool in flight, of all callers. 1: one at a time.
        pub calls_in_flight: usize,
        /// Calls of the tool in flight, for each caller.
        pub caller_calls_in_flight: usize,
        /// Calls of the tool that begin in a minute, for each caller.
        pub caller_calls_per_minute: usize,
        /// Milliseconds until a call is cancelled and answered with an internal error. It takes the place of `call_ms` of
        /// the server.
        pub call_ms: u64,
    }
}

impl ToolLimits {
    /// Limits the calls in flight of all callers. 1: one at a time.
    #[must_use]
    pub fn calls_in_flight(self, most: usize) -> Self {
        ToolLimits { calls_in_flight: Some(most), ..self }
    }

    /// Limits the calls in flight of each caller.
    #[must_use]
    pub fn caller_calls_in_flight(self, most: usize) -> Self {
        ToolLimits { caller_calls_in_flight: Some(most), ..self }
    }

    /// Limits the calls of each caller that begin in a minute.
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
