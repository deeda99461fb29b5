//! Settings for the form of answers.

use super::Builder;
use crate::error::Result;
use crate::model::CacheHint;
use crate::options::{OptionEntry, OptionValue, ServerOptions, SetOption};
use crate::policy::{Cacheable, ErrorCondition};
use crate::revision::RevisionSet;

impl Builder {
    /// Sets the protocol versions that are served, by their wire strings. Default: all. Without a version that has
    /// a handshake, a client that sends `initialize` gets the list of versions. Without a stateless version, the
    /// server ignores the version in `_meta`.
    #[must_use]
    pub fn versions(mut self, versions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.versions = RevisionSet::Only(versions.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the caching hint of all cacheable answers. Default: they may not be cached. Once there is an
    /// authorizer, [`CacheScope::Public`] has to be set where it holds: for a kind of answer, a registration, or an
    /// answer.
    ///
    /// [`CacheScope::Public`]: crate::CacheScope::Public
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.policy.cache = hint;
        self
    }

    /// Sets the caching hint of one kind of answer.
    #[must_use]
    pub fn cache_of(mut self, kind: Cacheable, hint: CacheHint) -> Self {
        self.policy.cache_of.push((kind, hint));
        self
    }

    /// Sets the error code of one condition for clients of one version, in place of the profile's.
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
