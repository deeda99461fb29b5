//! Limits.

use crate::given;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wellhead::SetOption;

macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident: $type:ty),* $(,)?) => {
        /// Upper bounds on the costs of clients, each with a default.
        ///
        /// A limit that *refuses* answers an error. A limit that *holds back* makes the connection dispatch
        /// nothing, and then read nothing, until there is room. Over HTTP `calls_in_flight` and
        /// `listen_streams` count for the whole endpoint. Calls above them get the status 503. A listen
        /// stream above them ends the oldest stream of the client that has most; one of a client that
        /// nothing tells from others (no token, no address) gets the status 503.
        ///
        /// Args:
        ///     message_bytes: Bytes of one incoming message. Refuses. Default: 4 MiB.
        ///     nesting: Nesting depth of one incoming message. Refuses. Default: 100.
        ///     id_bytes: Bytes of a request id. Refuses. Default: 1 KiB.
        ///     batch_length: Messages of one batch, in the revision that has batches. Refuses. Default: 100.
        ///     uri_bytes: Bytes of a URI in a request. Refuses. Default: 8 KiB.
        ///     page_items: Items of one page of a list. Default: 1,000.
        ///     page_bytes: Bytes of one page of a list, which has at least one item. Default: 1 MiB.
        ///     calls_in_flight: Unanswered calls of one connection. Holds back. Default: 1,024.
        ///     subscriptions: Subscriptions of one connection, with those of listen streams. Refuses. Default:
        ///         10,000.
        ///     subscriptions_total: Subscriptions of all connections of the server. Refuses. Default:
        ///         1,000,000.
        ///     listen_streams: Open listen streams of one connection. Refuses. Default: 1,000.
        ///     output_bytes: Bytes of output that the client has not read. Holds back. Default: 16 MiB.
        ///     call_ms: Milliseconds until an unanswered call becomes an internal error. Default: 60,000.
        ///     buffer_bytes: Bytes that an HTTP endpoint buffers for all clients: bodies of open requests,
        ///         unread output, and events kept for clients that return. Each request counts 4 KiB. The
        ///         oldest kept events go first. One HTTP connection gets a share of what is left: a quarter, or
        ///         more while it has little. Refuses. Default: 256 MiB.
        ///     caller_percent: Percent of an endpoint's sessions and listen streams for one caller with a token,
        ///         and of the calls that the others leave; at least one of each. Without a token the share of
        ///         calls is that of one client's connection. Refuses. Default: 25.
        ///     session_streams: Requests and event streams of one session over HTTP at once. It keeps events of
        ///         as many streams for clients that resume. Refuses. Default: 4,096.
        ///
        /// Raises:
        ///     RegistrationError: A limit is negative or too large (`invalid_argument`). `Server` refuses those
        ///         below their minimum.
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
                    let Some(limits) = given::option(&made, name, &value)? else {
                        let known: Vec<_> = given::options_of::<wellhead::Limits>().collect();
                        return Err(given::unknown("Limits", &given, &known));
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
    /// Bytes of one incoming message.
    message_bytes: usize,
    /// Nesting depth of one incoming message.
    nesting: usize,
    /// Bytes of a request id.
    id_bytes: usize,
    /// Messages of one batch.
    batch_length: usize,
    /// Bytes of a URI in a request.
    uri_bytes: usize,
    /// Items of one page of a list.
    page_items: usize,
    /// Bytes of one page of a list.
    page_bytes: usize,
    /// Unanswered calls of one connection.
    calls_in_flight: usize,
    /// Subscriptions of one connection.
    subscriptions: usize,
    /// Subscriptions of all connections of the server.
    subscriptions_total: usize,
    /// Open listen streams of one connection.
    listen_streams: usize,
    /// Bytes of output that the client has not read.
    output_bytes: usize,
    /// Milliseconds until an unanswered call becomes an internal error.
    call_ms: u64,
    /// Bytes that an HTTP endpoint buffers for all clients.
    buffer_bytes: usize,
    /// The percentage of an endpoint's sessions, of its listen streams and of its calls in flight that
    /// one caller may have.
    caller_percent: usize,
    /// Requests and event streams of one session over HTTP.
    session_streams: usize,
}
