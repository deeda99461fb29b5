//! The counters of a server, as the application reads them.

use crate::options::counters;

counters! {
    /// Counts since the server was made, and of the things that are open. They are read at slightly different moments.
    #[non_exhaustive]
    pub struct Counters {
        /// The number of connections that were made.
        pub connections: u64,
        /// The number of connections that are open.
        pub connections_open: u64,
        /// The number of calls of callbacks that began.
        pub calls: u64,
        /// The number of calls answered before their request was cancelled or timed out.
        pub calls_answered: u64,
        /// The number of answered calls that failed, or were dropped without an answer.
        pub calls_failed: u64,
        /// The number of changes of resources and of lists that the application reported.
        pub changes: u64,
        /// The number of URIs with at least one subscriber.
        pub uris_subscribed: u64,
        /// The number of subscribers of all URIs. A connection counts once for each URI.
        pub subscriptions_open: u64,
    }
}
