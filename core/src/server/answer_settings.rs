//! Settings of the builder for the form of answers.

use super::Builder;
use crate::error::Result;
use crate::model::CacheHint;
use crate::options::{OptionEntry, OptionValue, ServerOptions, SetOption};
use crate::policy::{Cacheable, ErrorCondition};
use crate::revision::RevisionSet;

impl Builder {
    /// Sets the protocol versions that are served, by their dates. Default: all. Without a version of the handshake
    /// era, a client that sends `initialize` gets an error with the list of versions. Without one of the stateless era,
    /// the server ignores the version in `_meta`.
    #[must_use]
    pub fn versions(mut self, versions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.versions = RevisionSet::Only(versions.into_iter().map(Into::into).collect());
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

    /// Sets the error code for one condition that clients of one version get, in place of that of
    /// [`Builder::error_profile`].
    #[must_use]
    pub fn error_code(mut self, version: impl Into<String>, condition: ErrorCondition, code: i32) -> Self {
        self.policy.error_codes.push((version.into(), condition, code));
        self
    }
}

impl SetOption for Builder {
    const OPTIONS: &'static [OptionEntry] = ServerOptions::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        match (name, value) {
            ("cursor_key", OptionValue::Text(key)) => Ok(self.cursor_key(key)),
            ("versions", OptionValue::List(versions)) => Ok(self.versions(versions)),
            (_, value) => self.policy.options.put(name, &value).map(|()| self),
        }
    }
}
