//! The limits of a server, from keyword arguments.

use crate::convert;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wellhead::SetOption;

macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident: $type:ty),* $(,)?) => {
        /// Upper bounds on the costs of clients, each with a default.
        ///
        /// A request or message that is refused gets an error. A connection that *holds back* starts no further
        /// calls, and then reads nothing, until there is room. Over HTTP `calls_in_flight` and `listen_streams`
        /// count for the whole endpoint. A call above the limit gets the status 503. A listen stream above the
        /// limit ends the oldest stream of the client that has most. If the new stream's client has neither a token
        /// nor an address, the stream gets the status 503.
        ///
        /// Args:
        ///     message_bytes: The greatest number of bytes of one incoming message. A longer message is refused.
        ///         Default: 4 MiB.
        ///     nesting: The greatest nesting depth of one incoming message. A deeper message is refused. Default:
        ///         100.
        ///     id_bytes: The greatest number of bytes of a request id. A request with a longer id is refused.
        ///         Default: 1 KiB.
        ///     batch_length: The greatest number of messages in one batch, in revisions that have batches
        ///         (2025-03-26 and before). A longer batch is refused. Default: 100.
        ///     uri_bytes: The greatest number of bytes of a URI in a request. A request with a longer URI is
        ///         refused. Default: 8 KiB.
        ///     page_items: The greatest number of items on one page of a list. Default: 1,000.
        ///     page_bytes: The greatest number of bytes of one page of a list. A page has at least one item,
        ///         however large. Default: 1 MiB.
        ///     calls_in_flight: The greatest number of calls of one connection that callbacks have not answered. At
        ///         this number the connection holds back. Default: 1,024.
        ///     subscriptions: The greatest number of subscriptions of one connection, with those of its listen
        ///         streams. Further ones are refused. Default: 10,000.
        ///     subscriptions_total: The greatest number of subscriptions of all connections of the server. Further
        ///         ones are refused. Default: 1,000,000.
        ///     listen_streams: The greatest number of open listen streams of one connection. Further ones are
        ///         refused. Default: 1,000.
        ///     output_bytes: The greatest number of bytes of output that the client has not read. At this number
        ///         the connection holds back. Default: 16 MiB.
        ///     call_ms: Milliseconds until a call that is not answered gets an internal error. It does not run while
        ///         the client answers a request of the callback, for which it has 10 minutes. Default: 60,000.
        ///     buffer_bytes: The greatest number of bytes that an HTTP endpoint holds for all clients: bodies of
        ///         requests, output that clients have not read, and events kept for clients that resume. Each
        ///         request counts as 4 KiB. The oldest kept events are dropped first. One HTTP connection may use a
        ///         quarter of what others leave, or more while it uses little. Requests that need more are refused.
        ///         Default: 256 MiB.
        ///     caller_percent: The greatest percentage of an endpoint's sessions and listen streams for one caller
        ///         with a token, and of the calls that the others leave; at least one of each. Without a token the
        ///         share of calls is that of one TCP connection. Further ones are refused. Default: 25.
        ///     session_streams: The greatest number of requests and event streams that one session over HTTP has at
        ///         once. Further ones are refused. The session keeps events of as many streams for clients that
        ///         resume. Default: 4,096.
        ///
        /// Raises:
        ///     UsageError: A limit is negative or too large (`invalid_argument`). A limit below its minimum
        ///         is refused by `Server`.
        #[pyclass(frozen, eq, module = "wellhead")]
        #[derive(PartialEq)]
        pub(crate) struct Limits(pub(crate) wellhead::Limits);

        #[pymethods]
        impl Limits {
            #[new]
            #[pyo3(
                signature = (**limits),
                text_signature = "(*, message_bytes=None, nesting=None, id_bytes=None, batch_length=None, \
                            uri_bytes=None, page_items=None, page_bytes=None, calls_in_flight=None, \
                            subscriptions=None, subscriptions_total=None, listen_streams=None, \
                            output_bytes=None, call_ms=None, buffer_bytes=None, caller_percent=None, \
                            session_streams=None)"
            )]
            fn new(limits: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
                let mut made = wellhead::Limits::default();
                for (given, value) in limits.into_iter().flatten() {
                    let name = given.cast::<PyString>()?.to_str()?;
                    if wellhead::Limits::find_option(name).is_some() && value.is_none() {
                        continue;
                    }
                    let Some(limits) = convert::option(&made, name, &value)? else {
                        let known: Vec<_> = convert::options_of::<wellhead::Limits>().collect();
                        return Err(convert::unknown("Limits", &given, &known));
                    };
                    made = limits;
                }
                Ok(Limits(made))
            }

            $($(#[$doc])* #[getter] fn $field(&self) -> $type { self.0.$field })*

            fn __repr__(&self) -> String {
                let fields = [$(format!(concat!(stringify!($field), "={}"), self.0.$field)),*];
                format!("Limits({})", fields.join(", "))
            }
        }
    };
}

limits! {
    /// The greatest number of bytes of one incoming message.
    message_bytes: usize,
    /// The greatest nesting depth of one incoming message.
    nesting: usize,
    /// The greatest number of bytes of a request id.
    id_bytes: usize,
    /// The greatest number of messages of one batch.
    batch_length: usize,
    /// The greatest number of bytes of a URI in a request.
    uri_bytes: usize,
    /// The greatest number of items of one page of a list.
    page_items: usize,
    /// The greatest number of bytes of one page of a list.
    page_bytes: usize,
    /// The greatest number of unanswered calls of one connection.
    calls_in_flight: usize,
    /// The greatest number of subscriptions of one connection.
    subscriptions: usize,
    /// The greatest number of subscriptions of all connections of the server.
    subscriptions_total: usize,
    /// The greatest number of open listen streams of one connection.
    listen_streams: usize,
    /// The greatest number of bytes of output that a client may leave unread.
    output_bytes: usize,
    /// Milliseconds after which an unanswered call is answered with an internal error.
    call_ms: u64,
    /// The greatest number of bytes that an HTTP endpoint buffers for all clients.
    buffer_bytes: usize,
    /// The percentage of an endpoint's sessions, of its listen streams and of its calls in flight that
    /// one caller may have.
    caller_percent: usize,
    /// The greatest number of requests and event streams of one session over HTTP at once.
    session_streams: usize,
}
