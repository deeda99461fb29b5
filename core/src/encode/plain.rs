//! The code without SIMD crates, with which the tests compare them.

pub(super) fn escape_block(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len());
    let mut done = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let letter = ESCAPES[usize::from(byte)];
        if letter == 0 {
            continue;
        }
        out.extend_from_slice(&bytes[done..at]);
        out.extend_from_slice(&[b'\\', letter]);
        if letter == b'u' {
            let hex = |digit: u8| b"0123456789abcdef"[usize::from(digit)];
            out.extend_from_slice(&[b'0', b'0', hex(byte >> 4), hex(byte & 15)]);
        }
        done = at + 1;
    }
    out.extend_from_slice(&bytes[done..]);
}

#[cfg(any(test, not(feature = "simd")))]
pub(super) fn base64_into(bytes: &[u8], out: &mut Vec<u8>) {
    use base64::{Engine, engine::general_purpose::STANDARD};
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    STANDARD.encode_slice(bytes, &mut out[start..]).expect("four characters for every three bytes");
}

#[cfg(any(test, not(feature = "simd")))]
pub(super) fn check_utf8(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// For each byte the letter after the backslash, or 0 if the byte stands for itself.
const ESCAPES: [u8; 256] = {
    let mut table = [0; 256];
    let mut control = 0;
    while control < 0x20 {
        table[control] = b'u';
        control += 1;
    }
    table[0x08] = b'b';
    table[0x09] = b't';
    table[0x0a] = b'n';
    table[0x0c] = b'f';
    table[0x0d] = b'r';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table
};
