//! Writes text and bytes as JSON: escaping, base64, and the check that bytes are UTF-8.
//!
//! With the feature `simd`, SIMD crates do the work; without it, [`plain`] does. Both write the same bytes, which the
//! tests below compare.

mod plain;
#[cfg(feature = "simd")]
mod simd;

#[cfg(not(feature = "simd"))]
use plain as chosen;
#[cfg(feature = "simd")]
use simd as chosen;

/// Appends `text` as the contents of a JSON string, without the surrounding quotes.
///
/// Escapes what RFC 8259 section 7 requires and nothing else: `"`, `\` and U+0000 to U+001F.
pub(crate) fn escape_into(text: &str, out: &mut Vec<u8>) {
    // Names, URIs and short contents mostly need no escaping, and a copy is cheaper than setting up the SIMD path.
    if text.len() <= SHORT && !needs_escaping(text.as_bytes()) {
        out.extend_from_slice(text.as_bytes());
    } else {
        escape_blocks(text, out);
    }
}

#[inline(never)] // its setup is too dear for short text
fn escape_blocks(text: &str, out: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        let end = escape_chunk_end(text, at, ESCAPE_BLOCK);
        chosen::escape_block(&text[at..end], out);
        at = end;
    }
}

const SHORT: usize = 4096;

/// Looks at whole blocks. The last overlaps the one before it, so that few bytes are looked at one by one.
fn needs_escaping(bytes: &[u8]) -> bool {
    match bytes.len() {
        0..4 => bytes.iter().any(|byte| has_escaped(&[*byte])),
        4..8 => either_end::<4>(bytes),
        8..16 => either_end::<8>(bytes),
        _ => {
            let (large, rest) = bytes.as_chunks::<64>(); // a loop costs as much as the look at 16 bytes
            let (blocks, rest) = rest.as_chunks::<16>();
            large.iter().any(has_escaped)
                || blocks.iter().any(has_escaped)
                || !rest.is_empty() && bytes.last_chunk::<16>().is_none_or(has_escaped)
        }
    }
}

fn either_end<const N: usize>(bytes: &[u8]) -> bool {
    bytes.first_chunk::<N>().is_none_or(has_escaped) || bytes.last_chunk::<N>().is_none_or(has_escaped)
}

/// Looks at eight bytes at once, which is quick in builds for size as well: there, a loop over bytes does not become vector code.
fn has_escaped<const N: usize>(block: &[u8; N]) -> bool {
    let (words, rest) = block.as_chunks::<8>();
    let found = words.iter().fold(0, |found, word| found | escaped_in(u64::from_ne_bytes(*word)));
    found != 0 || rest.iter().any(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\')
}

/// Sets the high bit of the first of eight bytes that is to be escaped in a string, and possibly of some behind it; the first is the
/// lowest. Returns 0 if there is none. A byte below the subtracted one borrows, and only a byte to be escaped is below it.
pub(crate) fn escaped_in(bytes: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    let below = |bytes: u64, bound: u64| bytes.wrapping_sub(ONES * bound);
    // One comparison finds the control characters and the quote, which is 0x22.
    let control_or_quote = below(bytes ^ (ONES * 2), 0x21);
    let backslash = below(bytes ^ (ONES * u64::from(b'\\')), 1);
    (control_or_quote | backslash) & !bytes & (ONES << 7)
}

/// Returns the number of bytes that [`escape_into`] appends.
pub(crate) fn escaped_len(text: &str) -> usize {
    let (blocks, rest) = text.as_bytes().as_chunks::<48>(); // at most 48, so that the sum of a block fits into a byte
    let more: usize = blocks.iter().map(|block| usize::from(escapes_add(block))).sum();
    text.len() + more + usize::from(escapes_add(rest))
}

/// Returns how many bytes the escapes add to a block. Has no branch, so that it becomes vector code.
fn escapes_add(block: &[u8]) -> u8 {
    let adds = |&byte: &u8| {
        let (low, letter) = (byte < 0x20, matches!(byte, 8..=10) | matches!(byte, 12..=13));
        5 * u8::from(low) - 4 * u8::from(letter) + u8::from(byte == b'"') + u8::from(byte == b'\\')
    };
    block.iter().map(adds).sum()
}

/// Appends a number as JSON, a whole one without a fraction. Writes 0 for infinities and NaN, which JSON lacks.
pub(crate) fn number_into(number: f64, out: &mut Vec<u8>) {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    if number.fract() == 0.0 && number.abs() <= EXACT {
        out.extend_from_slice(itoa::Buffer::new().format(number as i64).as_bytes());
    } else {
        let text = serde_json::Number::from_f64(number).map_or_else(|| "0".to_owned(), |n| n.to_string());
        out.extend_from_slice(text.as_bytes());
    }
}

/// Appends `text` as a JSON string, with its quotes.
pub(crate) fn quote_into(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    escape_into(text, out);
    out.push(b'"');
}

/// Appends `bytes` in the standard base64 alphabet with padding (RFC 4648 section 4).
pub(crate) fn base64_into(bytes: &[u8], out: &mut Vec<u8>) {
    chosen::base64_into(bytes, out);
}

/// Decodes canonical base64 with padding. `None` if it is not valid.
pub(crate) fn base64_decode(text: &[u8]) -> Option<Vec<u8>> {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

/// Returns `bytes` as text, or `None` if they are not UTF-8.
pub(crate) fn check_utf8(bytes: &[u8]) -> Option<&str> {
    chosen::check_utf8(bytes)
}

/// Returns the end of a chunk of `text` that begins at `at`: a character boundary at most `max` bytes further. It is
/// always at least one character further, so that a loop over chunks ends.
///
/// `at` is a character boundary. At or beyond the end of the text, the result is the text's length.
pub(crate) fn escape_chunk_end(text: &str, at: usize, max: usize) -> usize {
    let furthest = at.saturating_add(max);
    if furthest >= text.len() {
        return text.len();
    }
    let down = (at + 1..=furthest).rev().take(MAX_CHAR_BYTES).find(|&end| text.is_char_boundary(end));
    down.unwrap_or_else(|| at + text[at..].chars().next().map_or(0, char::len_utf8))
}

/// The largest number of bytes, at most `max`, whose base64 has no padding; at least one group. The encodings of
/// chunks of this size can be joined.
pub(crate) const fn base64_chunk(max: usize) -> usize {
    if max < 3 { 3 } else { max - max % 3 }
}

/// The greatest number of input bytes that are escaped in one step. A step reserves six times its input, for the worst
/// case, so this bounds what it can waste.
const ESCAPE_BLOCK: usize = 16 * 1024;

const MAX_CHAR_BYTES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(text: &str) -> String {
        let mut out = Vec::new();
        escape_into(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn plain_escaped(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        plain::escape_block(text, &mut out);
        out
    }

    #[test]
    fn every_control_character_has_its_shortest_escape() {
        for code in 0..0x20u8 {
            let expected = match code {
                8 => r"\b".into(),
                9 => r"\t".into(),
                10 => r"\n".into(),
                12 => r"\f".into(),
                13 => r"\r".into(),
                _ => format!(r"\u{code:04x}"),
            };
            assert_eq!(escaped(&char::from(code).to_string()), expected);
        }
    }

    #[test]
    fn only_quotes_backslashes_and_controls_are_escaped() {
        let every_other: String = ('\u{20}'..='\u{2fff}')
            .chain('\u{fff0}'..='\u{10010}')
            .filter(|c| !r#""\"#.contains(*c))
            .collect();
        assert_eq!(escaped(&every_other), every_other);
        assert_eq!(escaped(r#"a"b\c/"#), r#"a\"b\\c/"#);
    }

    #[test]
    fn escaping_continues_across_blocks() {
        let text = "a\"é\u{1}𝄞\n".repeat(ESCAPE_BLOCK / 4);
        assert_eq!(escaped(&text).into_bytes(), plain_escaped(&text));
    }

    #[test]
    fn a_text_that_ends_anywhere_in_a_vector_is_escaped() {
        for length in (0..200).chain([ESCAPE_BLOCK - 1, ESCAPE_BLOCK, ESCAPE_BLOCK + 1, ESCAPE_BLOCK + 33]) {
            for pattern in
                ["a", "a\"", "é\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u{1}", "𝄞"]
            {
                let text: String = pattern.chars().cycle().take(length).collect();
                assert_eq!(escaped(&text).into_bytes(), plain_escaped(&text), "{length} of {pattern}");
                let mut at_the_start = Vec::new();
                escape_blocks(&text, &mut at_the_start);
                assert_eq!(at_the_start, plain_escaped(&text), "{length} of {pattern}");
            }
        }
    }

    #[test]
    fn eight_bytes_are_escaped_if_one_of_them_is() {
        for (byte, other, at) in (0..=255).flat_map(|byte| {
            [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff]
                .into_iter()
                .flat_map(move |other| (0..8).map(move |at| (byte, other, at)))
        }) {
            let mut block = [other; 8];
            block[at] = byte;
            assert_eq!(has_escaped(&block), matches!(byte, 0..0x20 | b'"' | b'\\'), "{block:?}");
        }
    }

    #[test]
    fn escaping_appends_to_the_output() {
        let mut out = b"x".to_vec();
        escape_into("", &mut out);
        escape_into("\"", &mut out);
        quote_into("", &mut out);
        quote_into("é\n", &mut out);
        assert_eq!(out, r#"x\""""é\n""#.as_bytes());
    }

    #[test]
    fn base64_is_standard_and_padded() {
        for (bytes, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("\u{fffd}??", "77+9Pz8=")]
        {
            let mut out = b"[".to_vec();
            base64_into(bytes.as_bytes(), &mut out);
            assert_eq!(out, format!("[{expected}").into_bytes());
        }
    }

    #[test]
    fn text_is_distinguished_from_bytes() {
        assert_eq!(check_utf8("é𝄞".as_bytes()), Some("é𝄞"));
        for bad in [&b"\xff"[..], b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80"] {
            assert_eq!(check_utf8(bad), None);
        }
    }

    #[test]
    fn a_chunk_is_never_empty_even_if_no_character_fits() {
        assert_eq!(escape_chunk_end("𝄞x", 0, 0), 4);
        assert_eq!(escape_chunk_end("𝄞x", 0, 3), 4);
        assert_eq!(escape_chunk_end("ab𝄞", 0, 3), 2);
        assert_eq!(escape_chunk_end("ab", 2, 3), 2);
        assert_eq!(escape_chunk_end("ab", 0, usize::MAX), 2);
    }

    #[test]
    fn base64_chunks_are_whole_groups() {
        assert_eq!([0, 2, 3, 5, 6, 65_536].map(base64_chunk), [3, 3, 3, 3, 6, 65_535]);
    }

    fn hostile_text() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            prop::char::range('\0', '\u{7f}'),
            any::<char>(),
            Just('"'),
            Just('\\'),
            Just('a'),
            Just('a'),
        ];
        prop::collection::vec(character, 0..300).prop_map(String::from_iter)
    }

    #[test]
    fn each_byte_is_counted_as_long_as_its_escape_anywhere_in_a_text() {
        for byte in 0..0x80_u8 {
            for length in [1, 47, 48, 49, 500] {
                let text = char::from(byte).to_string().repeat(length);
                assert_eq!(escaped_len(&text), escaped(&text).len(), "{length} of {byte}");
            }
        }
    }

    proptest! {
        #[test]
        fn escaping_agrees_with_the_plain_path_and_with_serde_json(text in hostile_text()) {
            let mut quoted = Vec::new();
            quote_into(&text, &mut quoted);
            prop_assert_eq!(&quoted, &serde_json::to_vec(&text).unwrap());
            prop_assert_eq!(escaped(&text).into_bytes(), plain_escaped(&text));
            prop_assert_eq!(escaped_len(&text), escaped(&text).len());
        }

        #[test]
        fn base64_agrees_with_the_plain_path(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let (mut chosen, mut plain) = (Vec::new(), Vec::new());
            base64_into(&bytes, &mut chosen);
            plain::base64_into(&bytes, &mut plain);
            prop_assert_eq!(chosen, plain);
        }

        #[test]
        fn base64_in_chunks_is_base64_of_the_whole(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            max in 0..40usize,
        ) {
            let (mut whole, mut joined) = (Vec::new(), Vec::new());
            base64_into(&bytes, &mut whole);
            bytes.chunks(base64_chunk(max)).for_each(|chunk| base64_into(chunk, &mut joined));
            prop_assert_eq!(whole, joined);
        }

        #[test]
        fn the_utf8_check_agrees_with_the_plain_path(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(check_utf8(&bytes), plain::check_utf8(&bytes));
        }

        #[test]
        fn chunks_cover_the_text_in_order(text in hostile_text(), max in 0..20usize) {
            let mut at = 0;
            while at < text.len() {
                let end = escape_chunk_end(&text, at, max);
                prop_assert!(end > at && text.is_char_boundary(end));
                prop_assert!(end - at <= max || text[at..end].chars().count() == 1);
                at = end;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
