//! Caching hints.

/// Caching hint: how long a client may reuse a response, and whether it may share it between callers. If a part is not
/// set, the next more general hint decides: first that of the answer, then those of its registration, of its kind of
/// answer, and of the server.
///
/// Sent in revisions that have caching hints. Without any hint, clients may not reuse a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheHint {
    pub(crate) ttl_ms: Option<u64>,
    pub(crate) scope: Option<CacheScope>,
}

impl CacheHint {
    /// Makes an empty hint.
    pub fn new() -> Self {
        CacheHint::default()
    }

    /// Sets for how many milliseconds the response may be reused; 0 means not at all.
    #[must_use]
    pub fn ttl_ms(mut self, ttl_ms: u64) -> Self {
        self.ttl_ms = Some(ttl_ms);
        self
    }

    /// Sets who may reuse the response.
    #[must_use]
    pub fn scope(mut self, scope: CacheScope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// Returns this hint. Parts that it does not set come from the more general one.
    pub(crate) fn or(self, general: CacheHint) -> CacheHint {
        CacheHint { ttl_ms: self.ttl_ms.or(general.ttl_ms), scope: self.scope.or(general.scope) }
    }
}

/// The clients that may reuse a cached answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheScope {
    /// Any caller may reuse the answer (`public`).
    Public,
    /// Only the caller who got the answer may reuse it (`private`).
    Private,
}

/// The caching hint that a result has, in revisions with caching hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// The result is not of a kind that has a caching hint.
    None,
    /// The result may be reused for `ttl_ms` milliseconds: by every caller if `public` is true, otherwise by the same
    /// caller.
    Hint { ttl_ms: u64, public: bool },
}

impl Cache {
    /// The hint that clients may not reuse the result.
    pub(crate) const NO_REUSE: Cache = Cache::Hint { ttl_ms: 0, public: false };
}
