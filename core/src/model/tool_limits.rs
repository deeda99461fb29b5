//! The limits that the application sets for one tool.

use crate::error::Result;
use crate::limits::zero_error;

/// The limits of one tool, all off by default: see [`crate::Server::limit_tool`]. A call beyond a limit is refused with
/// "Busy", and the client may try again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolLimits {
    /// Calls of the tool in flight, of all callers. 1: one at a time.
    pub calls_in_flight: Option<usize>,
    /// Calls of the tool in flight, for each caller.
    pub caller_calls_in_flight: Option<usize>,
    /// Calls of the tool that begin in a minute, for each caller.
    pub caller_calls_per_minute: Option<usize>,
    /// Milliseconds until a call is cancelled and answered with an internal error. It takes the place of
    /// [`crate::Limits::call_ms`].
    pub call_ms: Option<u64>,
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

    /// Limits how long a call takes.
    #[must_use]
    pub fn call_ms(self, ms: u64) -> Self {
        ToolLimits { call_ms: Some(ms), ..self }
    }

    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for a limit of 0.
    pub(crate) fn check(&self) -> Result<()> {
        let named = [
            ("calls_in_flight", self.calls_in_flight.map(|most| most as u64)),
            ("caller_calls_in_flight", self.caller_calls_in_flight.map(|most| most as u64)),
            ("caller_calls_per_minute", self.caller_calls_per_minute.map(|most| most as u64)),
            ("call_ms", self.call_ms),
        ];
        match named.into_iter().find(|(_, limit)| *limit == Some(0)) {
            Some((name, _)) => Err(zero_error(name)),
            None => Ok(()),
        }
    }
}
