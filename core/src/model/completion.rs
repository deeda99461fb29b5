//! What a completer answers.

use std::sync::Arc;

/// Values that a template's variable may have, in the order in which they are proposed.
#[derive(Debug, Clone, Default)]
pub struct Completion {
    pub(crate) values: Vec<String>,
    /// The URI that each value leads to, if a caller who may not see it listed is not to be told of the value either.
    pub(crate) uris: Vec<Arc<str>>,
    pub(crate) total: Option<u64>,
    pub(crate) more: bool,
    pub(crate) failed: Option<String>,
}

impl Completion {
    /// All values there are. Of more than a hundred, the client is sent the first hundred.
    pub fn new(values: impl IntoIterator<Item: Into<String>>) -> Self {
        Completion { values: values.into_iter().map(Into::into).collect(), ..Completion::default() }
    }

    /// How many values there are in all, if more are known than given.
    #[must_use]
    pub fn total(mut self, total: u64) -> Self {
        self.total = Some(total);
        self
    }

    /// Whether there are more values than given.
    #[must_use]
    pub fn more(mut self, more: bool) -> Self {
        self.more = more;
        self
    }

    /// The completion failed: an internal error for the client, `why` for the log.
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
