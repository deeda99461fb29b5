//! The size of a JSON text, measured without a tree of its values.

const MOST_NESTING: usize = 64;

/// Refuses a schema that is nested so deep that a walk through it may overflow a stack.
pub(crate) fn check_nesting(schema: &str) -> Result<(), String> {
    if size(schema).nesting > MOST_NESTING {
        return Err(format!("has a schema that is nested deeper than {MOST_NESTING} levels"));
    }
    Ok(())
}

/// The size of a JSON text.
pub(super) struct Size {
    /// At most this many values: one for each comma and each beginning of an array or object.
    pub(super) elements: usize,
    /// Members of objects: one for each colon.
    pub(super) members: usize,
    pub(super) nesting: usize,
}

/// Measures a JSON text.
pub(super) fn size(text: &str) -> Size {
    let mut size = Size { elements: 1, members: 0, nesting: 0 };
    let (mut open, mut quoted, mut escaped) = (0usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b',' => size.elements += 1,
            b':' => size.members += 1,
            b'[' | b'{' => {
                size.elements += 1;
                open += 1;
                size.nesting = size.nesting.max(open);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    size
}
