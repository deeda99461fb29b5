//! Caching hints.

use crate::boundary::{Promise, invalid};
use crate::types::{growing, wellhead_str};
use wellhead::{CacheHint, Result};

/// How long a client may use an answer again, and whether for this caller only. What is not said is taken from the next
/// more general place: the answer's, its registration's, that of its kind of answer, the server's; by default an answer
/// may not be used again. For clients of the revisions that have such hints.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_cache {
    pub struct_size: usize,
    /// Milliseconds; 0: not at all. NULL: not said.
    pub ttl_ms: *const u64,
    /// public, private; absent: not said. Once somebody authorises, what is said for all answers makes none public.
    pub scope: wellhead_str,
}

/// A hint for one kind of answer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_cache_of {
    /// discover, resources, templates, tools, prompts, reads
    pub kind: wellhead_str,
    pub cache: *const wellhead_cache,
}

growing!(wellhead_cache);

/// What a pointer that may be NULL says.
pub(crate) fn hint(promise: &Promise, cache: *const wellhead_cache) -> Result<Option<CacheHint>> {
    let Some(cache) = promise.options(cache, "cache")? else { return Ok(None) };
    let mut hint = CacheHint::new();
    if let Some(ttl_ms) = promise.number(cache.ttl_ms) {
        hint = hint.ttl_ms(ttl_ms);
    }
    if let Some(scope) = promise.optional(cache.scope, "scope")? {
        hint = hint.scope(scope.parse().map_err(|e| invalid(format!("cache: {e}")))?);
    }
    Ok(Some(hint))
}
