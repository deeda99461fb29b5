//! Caching hints.

use crate::boundary::{Promise, invalid};
use crate::types::{growing, wellhead_str};
use wellhead::{CacheHint, Result};

/// A caching hint: how long a client may reuse a response, and whether it may share it between callers. A field that is not
/// given is taken from the answer, else its registration, else the hint for its kind, else the server. By default a response
/// may not be reused. Revisions without such hints are not sent any.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_cache {
    pub struct_size: usize,
    /// The time for which a client may reuse the response, in milliseconds; 0: not at all. NULL: not given.
    pub ttl_ms: *const u64,
    /// public or private; absent: not given. While an `authorize` callback is set, a hint of the server or of a kind never
    /// makes a response public.
    pub scope: wellhead_str,
}

/// A caching hint for one kind of response. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_cache_of {
    /// discover, resources, templates, tools, prompts, reads
    pub kind: wellhead_str,
    /// The hint; NULL: none for this kind.
    pub cache: *const wellhead_cache,
}

growing!(wellhead_cache);

/// Reads a hint behind a pointer that may be NULL.
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
