//! The grammar of keys in `_meta`, which identifiers of extensions share.

/// The kind of a well-formed key, by its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetaKey {
    /// No prefix.
    Bare,
    /// A prefix that anybody may use, such as `com.example/`.
    Prefixed,
    /// A prefix that the protocol reserves.
    Reserved,
}

impl MetaKey {
    /// Reads a key. Returns `None` for an ill-formed one. Source: "_meta" in the base protocol of each revision.
    pub(super) fn parse(key: &str) -> Option<MetaKey> {
        let Some((prefix, name)) = key.split_once('/') else {
            return is_name(key).then_some(MetaKey::Bare);
        };
        let labels: Vec<_> = prefix.split('.').collect();
        if !labels.iter().all(|label| is_label(label)) || !is_name(name) {
            return None;
        }
        // All prefixes that a revision reserves: this label is the second, or only one label follows it.
        let reserved = |label: &&str| matches!(*label, "modelcontextprotocol" | "mcp");
        let before_last = labels.len().checked_sub(2).and_then(|at| labels.get(at));
        let is_reserved = labels.get(1).is_some_and(reserved) || before_last.is_some_and(reserved);
        Some(if is_reserved { MetaKey::Reserved } else { MetaKey::Prefixed })
    }
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    matches!(bytes.first(), Some(b) if b.is_ascii_alphabetic())
        && matches!(bytes.last(), Some(b) if b.is_ascii_alphanumeric())
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
}

fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let edge = |b: Option<&u8>| b.is_none_or(u8::is_ascii_alphanumeric);
    edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}
