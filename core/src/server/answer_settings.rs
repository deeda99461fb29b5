//! Settings of the builder for the form of answers.

use super::Builder;
use crate::error::Result;
use crate::model::CacheHint;
use crate::options::{OptionEntry, OptionValue, ServerOptions, SetOption};
use crate::policy::{Cacheable, ErrorCondition};
use crate::revision::RevisionSet;

impl Builder {
    /// Sets the revisions of MCP that are served, by their dates. Default: all. Without one of the handshake era, a client
    /// that sends `initialize` gets an error with the list of revisions. Without one of the stateless era, the server
    /// ignores the revision in `_meta`.
    #[must_use]
    pub fn revisions(mut self, dates: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.revisions = RevisionSet::Only(dates.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the caching hint of all answers that clients may cache. Default: they may not be cached. If there is an
    /// authorizer, this hint does not make answers public. Set [`CacheScope::Public`] for a kind of answer, a
    /// registration or one answer then.
    ///
    /// [`CacheScope::Public`]: crate::CacheScope::Public
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.policy.cache = hint;
        self
    }

    /// Sets the caching hint of one kind of answer, which wins over [`Builder::cache`].
    #[must_use]
    pub fn cache_of(mut self, kind: Cacheable, hint: CacheHint) -> Self {
        self.policy.cache_of.push((kind, hint));
        self
    }

    /// Sets the JSON-RPC code for one condition that clients of one revision get, in place of that of
    /// [`Builder::error_profile`].
    #[must_use]
    pub fn rpc_code(mut self, revision: impl Into<String>, condition: ErrorCondition, rpc_code: i32) -> Self {
        self.policy.rpc_codes.push((revision.into(), condition, rpc_code));
        self
    }
}

impl SetOption for Builder {
    const OPTIONS: &'static [OptionEntry] = ServerOptions::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        match (name, value) {
            ("cursor_key", OptionValue::Text(key)) => Ok(self.cursor_key(key)),
            ("revisions", OptionValue::List(dates)) => Ok(self.revisions(dates)),
            (_, value) => self.policy.options.put(name, &value).map(|()| self),
        }
    }
}
