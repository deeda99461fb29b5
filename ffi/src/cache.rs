//! Caching hints.

use crate::boundary::{Promise, invalid};
use crate::types::{growing, wellhead_str};
use wellhead::{CacheHint, Result};

/// A caching hint: how long a client may reuse a response, and whether it may share it between callers. An answer, its
/// registration, its kind of response and the server may each have a hint. A field comes from the first of these that
/// gives it. By default a response may not be reused. Clients whose revision has no such hints are not sent any.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_cache {
    pub struct_size: usize,
    /// The time for which a client may reuse the response, in milliseconds; 0 forbids reuse. NULL if this hint does not
    /// give it.
    pub ttl_ms: *const u64,
    /// public or private; absent if this hint does not give it. While an `authorize` callback is set, a hint of the
    /// server or of a kind never makes a response public.
    pub scope: wellhead_str,
}

/// A caching hint for one kind of response. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_cache_of {
    /// The kind: discover, resources, templates, tools, prompts or reads.
    pub kind: wellhead_str,
    /// The hint. If it is NULL, there is none for this kind.
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
