//! All limits. All are on by default.

use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::ParseLimits;
use crate::options::{OptionEntry, OptionValue, SetOption, options};

options! {
    /// Bounds on the resources that one client may use. Each limit is at least 1. An error names the limit that caused
    /// it.
    ///
    /// A limit marked *refuses* causes an error. A limit marked *holds back* makes the connection stop dispatching, and
    /// then stop reading, until there is room again.
    ///
    /// Over HTTP `calls_in_flight` and `listen_streams` apply to the whole endpoint and all of its callers. The endpoint
    /// answers calls beyond them with status 503 at once, so that clients try again. So one client does not hold up a
    /// connection that others may share. One listen stream more ends the oldest stream of the client that has most,
    /// but is refused if its client has no token and no [`peer`](crate::http::RequestHead::peer).
    #[non_exhaustive]
    pub struct Limits {
        /// Bytes of one incoming message. Refuses. Default 4 MiB.
        pub message_bytes: usize = 4 << 20,
        /// Nesting depth of one incoming message. Refuses. Default 100.
        pub nesting: usize = 100,
        /// Bytes of a request id as the client wrote it. Refuses. Default 1 KiB.
        pub id_bytes: usize = 1 << 10,
        /// Messages in one batch, in revisions that have batches (2025-03-26 and before). Refuses. Default 100.
        pub batch_length: usize = 100,
        /// Bytes of a URI in a request. Refuses. Default 8 KiB.
        pub uri_bytes: usize = 8 << 10,
        /// Items on one page of a list. Default 1,000.
        pub page_items: usize = 1_000,
        /// Bytes of one page of a list; a page has at least one item. Default 1 MiB.
        pub page_bytes: usize = 1 << 20,
        /// Calls of one connection that the application has not answered. Holds back. Default 1,024.
        pub calls_in_flight: usize = 1_024,
        /// Subscriptions of one connection, listen streams included. Refuses. Default 10,000.
        pub subscriptions: usize = 10_000,
        /// Subscriptions of all connections of the server. Refuses. Default 1,000,000.
        pub subscriptions_total: usize = 1_000_000,
        /// Open listen streams of one connection. Refuses. Default 1,000.
        pub listen_streams: usize = 1_000,
        /// Requests and event streams of one session over HTTP at once. It keeps events of as many streams for clients that
        /// resume. Refuses. Default 4,096.
        pub session_streams: usize = 4_096,
        /// Bytes of output that the client has not read. Holds back. Default 16 MiB.
        pub output_bytes: usize = 16 << 20,
        /// Bytes that an HTTP endpoint holds for all of its clients. Refuses. Default 256 MiB.
        ///
        /// They are the bodies of requests in flight, output that clients have not read, and events kept for clients
        /// that resume. Of the last, the oldest go first. Each request also counts as 4 KiB. Bodies without their end
        /// have at most half: one that arrives slowly is refused when another needs its room.
        ///
        /// One client's connection has at most a quarter of what others leave of a part of the limit. The part is all of
        /// it while the connection has at most 8 KiB, five sixths up to 64 KiB, and two thirds beyond.
        pub buffer_bytes: usize = 256 << 20,
        /// Percentage of an endpoint's sessions and listen streams that one caller with a token may have, and of the calls in
        /// flight that the others leave; at least one of each. Without a token the share of calls is that of one client's
        /// connection. Refuses. At most 100. Default 25.
        pub caller_percent: usize = 25,
        /// Milliseconds until a pending call becomes an internal error; `u64::MAX` means never. Default 60,000.
        pub call_ms: u64 = 60_000,
    }
}

impl SetOption for Limits {
    const OPTIONS: &'static [OptionEntry] = Limits::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        self.put(name, &value).map(|()| self)
    }
}

impl Limits {
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a limit of 0, and for a share of more than 100 percent.
    pub(crate) fn check(&self) -> Result<()> {
        if self.caller_percent > 100 {
            let message = format!("`caller_percent` must be at most 100 (got {})", self.caller_percent);
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        self.check_zeros()
    }

    /// Returns the limits that the parser enforces.
    pub(crate) fn of_parsing(&self) -> ParseLimits {
        let Limits { nesting, id_bytes, batch_length, .. } = *self;
        ParseLimits { nesting, id_bytes, batch_length }
    }

    /// Bytes of input that a connection buffers while it holds back: twice a message. So the cancellation that
    /// makes room always fits behind the message that waits.
    pub(crate) fn input_bytes(&self) -> usize {
        self.message_bytes.saturating_mul(2).max(64 << 10)
    }
}

/// Returns the error for a limit that is set to 0.
pub(crate) fn zero_error(name: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("`{name}` must be at least 1 (got 0)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_zero_is_refused_by_its_name() {
        assert!(Limits::default().check().is_ok());
        let limits = Limits { page_items: 0, ..Limits::default() };
        assert_eq!(limits.check().unwrap_err().to_string(), "`page_items` must be at least 1 (got 0)");
        let limits = Limits { caller_percent: 101, ..Limits::default() };
        assert_eq!(limits.check().unwrap_err().to_string(), "`caller_percent` must be at most 100 (got 101)");
        let limits = Limits { call_ms: 0, ..Limits::default() };
        assert_eq!(limits.check().unwrap_err().to_string(), "`call_ms` must be at least 1 (got 0)");
    }
}
