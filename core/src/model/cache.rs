//! Caching hints.

/// Caching hint: how long a client may reuse a response, and whether it may share it between callers. A part that is
/// not set comes from the next more general hint. The order is: the answer's, its registration's, that of its kind of
/// answer, the server's.
///
/// Sent in revisions that have caching hints. Without any hint, a response may not be reused.
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

    /// Returns this hint, completed by the more general one.
    pub(crate) fn or(self, general: CacheHint) -> CacheHint {
        CacheHint { ttl_ms: self.ttl_ms.or(general.ttl_ms), scope: self.scope.or(general.scope) }
    }
}

/// The clients that may reuse a cached answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheScope {
    /// `public`: every caller.
    Public,
    /// `private`: the caller who got it.
    Private,
}

/// The caching hints of a result, in revisions that have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cache {
    /// Not a cacheable result.
    None,
    /// For how many milliseconds it may be cached, and for whom.
    Hint { ttl_ms: u64, public: bool },
}

impl Cache {
    /// May not be cached.
    pub(crate) const NO_REUSE: Cache = Cache::Hint { ttl_ms: 0, public: false };
}
