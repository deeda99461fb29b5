//! The answer of a completer.

use std::sync::Arc;

/// The values that a completer proposes for a variable, in order.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    pub(crate) values: Vec<String>,
    /// The URI that each value leads to; empty if the values lead to none. A value is hidden from callers that may not
    /// list its URI.
    pub(crate) uris: Vec<Arc<str>>,
    pub(crate) total: Option<u64>,
    pub(crate) more: bool,
    pub(crate) failed: Option<String>,
}

impl Completion {
    /// Makes a completion of these values. At most the first 100 are sent to the client.
    pub fn new(values: impl IntoIterator<Item: Into<String>>) -> Self {
        Completion { values: values.into_iter().map(Into::into).collect(), ..Completion::default() }
    }

    /// Sets the total number of values, if the completer knows more than it returns.
    #[must_use]
    pub fn total(mut self, total: u64) -> Self {
        self.total = Some(total);
        self
    }

    /// Sets whether there are more values than the completer returns. Default: false.
    #[must_use]
    pub fn more(mut self, more: bool) -> Self {
        self.more = more;
        self
    }

    /// Makes a failure: the client gets an internal error, and `why` goes to the log.
    pub fn failed(why: impl Into<String>) -> Self {
        Completion { failed: Some(why.into()), ..Completion::default() }
    }
}

impl<T: Into<String>> From<Vec<T>> for Completion {
    fn from(values: Vec<T>) -> Self {
        Completion::new(values)
    }
}

impl<T: Into<Completion>, E: std::fmt::Display> From<Result<T, E>> for Completion {
    fn from(result: Result<T, E>) -> Self {
        result.map_or_else(|e| Completion::failed(e.to_string()), Into::into)
    }
}
