//! The limits for clients. All are on by default.

use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::ParseLimits;
use crate::options::{OptionEntry, OptionValue, SetOption, options};

options! {
    /// Limits for the resources that one client may use. Each is at least 1. An error names the limit that caused it.
    ///
    /// At a limit that *holds back*, the connection stops dispatching requests, and then stops reading, until there is
    /// room again. Beyond any other limit, a request is refused with an error.
    ///
    /// Over HTTP `calls_in_flight` and `listen_streams` apply to the whole endpoint and all of its callers. The
    /// endpoint answers calls beyond them with status 503 at once, so that clients try again, and one client does not
    /// hold up a connection that others may share. A listen stream beyond the limit ends the oldest stream of the
    /// client with most streams. It is refused if its client has no token and no
    /// [`peer`](crate::http::RequestHead::peer).
    #[non_exhaustive]
    pub struct Limits {
        /// The greatest number of bytes of one incoming message. A longer message is refused. Default 4 MiB.
        pub message_bytes: usize = 4 << 20,
        /// The greatest nesting depth of one incoming message. A deeper message is refused. Default 100.
        pub nesting: usize = 100,
        /// The greatest number of bytes of a request id, as the client wrote it. A request with a longer id is refused.
        /// Default 1 KiB.
        pub id_bytes: usize = 1 << 10,
        /// The greatest number of messages in one batch, in revisions that have batches (2025-03-26 and before). A
        /// longer batch is refused. Default 100.
        pub batch_length: usize = 100,
        /// The greatest number of bytes of a URI in a request. A request with a longer URI is refused. Default 8 KiB.
        pub uri_bytes: usize = 8 << 10,
        /// The greatest number of items on one page of a list. Default 1,000.
        pub page_items: usize = 1_000,
        /// The greatest number of bytes of one page of a list; a page has at least one item. Default 1 MiB.
        pub page_bytes: usize = 1 << 20,
        /// The greatest number of calls of one connection that the application has not answered. At this number the
        /// connection holds back. Over HTTP it counts for the whole endpoint. Default 1,024.
        pub calls_in_flight: usize = 1_024,
        /// The greatest number of subscriptions of one connection, with those of listen streams. Further ones are
        /// refused. Default 10,000.
        pub subscriptions: usize = 10_000,
        /// The greatest number of subscriptions of all connections of the server. Further ones are refused. Default
        /// 1,000,000.
        pub subscriptions_total: usize = 1_000_000,
        /// The greatest number of open listen streams of one connection. Further ones are refused. Over HTTP it
        /// counts for the whole endpoint, and a further one ends the oldest one of the client with most. Default
        /// 1,000.
        pub listen_streams: usize = 1_000,
        /// The greatest number of requests and event streams that one session over HTTP has at once. Further ones are
        /// refused. The session keeps events of as many streams for clients that resume. Default 4,096.
        pub session_streams: usize = 4_096,
        /// The greatest number of bytes of output that the client has not read. At this number the connection holds
        /// back. Default 16 MiB.
        pub output_bytes: usize = 16 << 20,
        /// The greatest number of bytes that an HTTP endpoint holds for all of its clients. Requests that need more are
        /// refused. Default 256 MiB.
        ///
        /// They are the bodies of requests in flight, output that clients have not read, and events kept for clients
        /// that resume. The oldest of these events are dropped first. Each request also counts as 4 KiB. Incomplete
        /// bodies have at most half: one that arrives slowly is refused if another needs its room.
        ///
        /// One TCP connection may use at most a quarter of what others leave free. A sixth of the limit is kept for
        /// connections with at most 8 KiB, and another sixth for those with at most 64 KiB.
        pub buffer_bytes: usize = 256 << 20,
        /// The greatest percentage of an endpoint's sessions and listen streams that one caller with a token may have,
        /// and of the calls in flight that the others leave; at least one of each. Further ones are refused. Without a
        /// token the share of calls is that of one TCP connection. At most 100. Default 25.
        pub caller_percent: usize = 25,
        /// Milliseconds until a call that is not answered gets an internal error; `u64::MAX` means never. Default
        /// 60,000.
        ///
        /// It does not run while the client answers a request of the callback. The client has 10 minutes for that.
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
    /// Checks the values that the application set.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a limit of 0, and for a `caller_percent` of more than 100.
    pub(crate) fn check(&self) -> Result<()> {
        if self.caller_percent > 100 {
            let message = format!("`caller_percent` must be at most 100 (got {})", self.caller_percent);
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        self.check_zeros()
    }

    /// Returns those of the limits that the parser applies.
    pub(crate) fn of_parsing(&self) -> ParseLimits {
        let Limits { nesting, id_bytes, batch_length, .. } = *self;
        ParseLimits { nesting, id_bytes, batch_length }
    }

    /// The greatest number of bytes of input that a connection buffers while it holds back: twice that of a message. So
    /// a cancellation, which makes room, always fits behind the message that waits.
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
