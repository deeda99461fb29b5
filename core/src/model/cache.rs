//! How long, and for whom, a client may keep an answer.

use crate::policy::CacheScope;

/// How long a client may use an answer again, and whether for this caller only. What is not said here is taken from the
/// next more general place: an answer's hint, its registration's, that of its kind of answer, the server's.
///
/// Sent in revisions that have caching hints; without any, an answer may not be used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheHint {
    pub(crate) ttl_ms: Option<u64>,
    pub(crate) scope: Option<CacheScope>,
}

impl CacheHint {
    /// Says nothing yet.
    pub fn new() -> Self {
        CacheHint::default()
    }

    /// For how many milliseconds the answer may be used again; 0: not at all.
    #[must_use]
    pub fn ttl_ms(mut self, ttl_ms: u64) -> Self {
        self.ttl_ms = Some(ttl_ms);
        self
    }

    /// For whom the answer may be used again.
    #[must_use]
    pub fn scope(mut self, scope: CacheScope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// This hint, and where it says nothing the other one.
    pub(crate) fn or(self, general: CacheHint) -> CacheHint {
        CacheHint { ttl_ms: self.ttl_ms.or(general.ttl_ms), scope: self.scope.or(general.scope) }
    }
}
