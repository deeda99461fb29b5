//! The SIMD crates, which choose their instructions at run time.

/// Where [`json_escape_simd`] has less than a vector left it loads a whole one all the same, up to the end of the page. So
/// the last bytes are given to it as a copy with room behind it, and what stands before them has them behind it.
pub(super) fn escape_block(text: &str, out: &mut Vec<u8>) {
    let mut at = if text.len() <= 2 * VECTOR { 0 } else { text.len() - VECTOR };
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let (head, tail) = text.split_at(at);
    if !head.is_empty() {
        escape_overreading(head, out);
        if !super::needs_escaping(tail.as_bytes()) {
            out.extend_from_slice(tail.as_bytes());
            return;
        }
    }
    let mut copy = [0; 3 * VECTOR];
    copy[..tail.len()].copy_from_slice(tail.as_bytes());
    match std::str::from_utf8(&copy[..tail.len()]) {
        Ok(tail) => escape_overreading(tail, out),
        Err(_) => super::plain::escape_block(tail, out), // it was text before
    }
}

/// The most that is loaded at once behind the end: with AVX2. With AVX-512 the load is masked.
const VECTOR: usize = 32;

/// `json_escape_simd` writes its own quotes. The one in front lands where the last byte of `out`
/// stood, which is put back, so that nothing needs to be moved.
fn escape_overreading(text: &str, out: &mut Vec<u8>) {
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
