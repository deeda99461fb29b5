use memchr::memchr2;

/// Returns whether arrays and objects are inside each other more than `max` deep.
///
/// Counts brackets outside of strings in any bytes, valid JSON or not, since the limit is checked before the syntax.
pub(crate) fn nesting_exceeds(bytes: &[u8], max: usize) -> bool {
    openers(bytes) > max && depth_exceeds(bytes, max)
}

/// Counts all opening brackets, also those in strings. Nearly every message has so few that it cannot exceed the limit,
/// and a compiler can vectorize this count.
fn openers(bytes: &[u8]) -> usize {
    let in_block = |block: &[u8]| block.iter().map(|byte| u8::from(byte | 0x20 == b'{')).sum::<u8>();
    bytes.chunks(usize::from(u8::MAX)).map(|block| usize::from(in_block(block))).sum()
}

fn depth_exceeds(bytes: &[u8], max: usize) -> bool {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'[' | b'{' => {
                depth += 1;
                if depth > max {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => at = string_end(bytes, at),
            _ => {}
        }
    }
    false
}

/// Returns the offset after the quote that ends the string whose contents begin at `at`.
pub(crate) fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        if bytes[at + found] == b'"' {
            return at + found + 1;
        }
        at += found + 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the depth by a plain loop, one byte at a time, for comparison.
    fn depth(bytes: &[u8]) -> usize {
        let (mut depth, mut deepest, mut in_string, mut escaped) = (0usize, 0, false, false);
        for byte in bytes {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if in_string => escaped = true,
                b'"' => in_string = !in_string,
                b'[' | b'{' if !in_string => depth += 1,
                b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        deepest
    }

    #[test]
    fn many_brackets_are_counted_without_an_overflow() {
        assert_eq!(openers(&[b'['; 1000]), 1000);
        assert_eq!(openers(b"[{]}\x1b\x5b;"), 3);
        assert!(!nesting_exceeds(&b"[]".repeat(1000), 1));
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        assert!(!nesting_exceeds(b"[[[]]]", 3));
        assert!(nesting_exceeds(b"[[[]]]", 2));
        assert!(nesting_exceeds(b"[", 0));
        assert!(!nesting_exceeds(b"1", 0));
    }

    #[test]
    fn neighbours_do_not_add_up() {
        assert!(!nesting_exceeds(br#"[[],{"a":[]},[]]"#, 3));
    }

    #[test]
    fn brackets_in_strings_do_not_count() {
        assert!(!nesting_exceeds(br#"["[[[[", "\"[[[", "long enough for the search \\\"[[["]"#, 1));
        assert!(nesting_exceeds(br#"["\\",[["#, 2));
    }

    #[test]
    fn an_unfinished_string_hides_the_rest() {
        assert!(!nesting_exceeds(br#""[[["#, 0));
        assert!(!nesting_exceeds(br#""\"#, 0));
        assert!(!nesting_exceeds(br#""long enough for the search \"#, 0));
    }

    #[test]
    fn broken_syntax_is_counted_all_the_same() {
        assert!(nesting_exceeds(b"]]]{[nonsense {", 2));
        assert!(nesting_exceeds(&[b'['; 101], 100));
    }

    proptest! {
        #[test]
        fn the_count_agrees_with_a_byte_by_byte_one(
            bytes in prop::collection::vec(prop_oneof![
                3 => prop::sample::select(br#"[]{}"\"#.to_vec()),
                1 => any::<u8>(),
            ], 0..120),
            max in 0..8usize,
        ) {
            prop_assert_eq!(nesting_exceeds(&bytes, max), depth(&bytes) > max);
        }
    }
}
