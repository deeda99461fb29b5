//! The SIMD crates, which choose their instructions at run time.

/// `json_escape_simd` writes its own quotes. The one in front lands where the last byte of `out`
/// stood, which is put back, so that nothing needs to be moved.
pub(super) fn escape_block(text: &str, out: &mut Vec<u8>) {
    let before = out.pop();
    let start = out.len();
    json_escape_simd::escape_into(text, out);
    out.pop();
    match before {
        Some(byte) => out[start] = byte,
        None => drop(out.remove(0)),
    }
}

pub(super) fn base64_into(bytes: &[u8], out: &mut Vec<u8>) {
    // The crate reserves exactly what it needs, which would copy a buffer that grows by chunks each time.
    out.reserve(bytes.len().div_ceil(3) * 4);
    base64_simd::STANDARD.encode_append(bytes, out);
}

pub(super) fn check_utf8(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}
