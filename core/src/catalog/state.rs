//! Seals state of the application that goes to a client and comes back, so that the application can trust it.
//!
//! It is bound to the caller and to the URI, and expires. Source: RFC 5297 (AES-SIV), as for cursors.

use super::cursor::Sealer;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const VERSION: u8 = 1;

impl Sealer {
    /// Seals a state, which is valid until the time `until` of the application's own clock.
    pub(crate) fn seal_state(&self, caller: &[u8], uri: &str, state: &str, until: u64) -> String {
        let mut plain = vec![VERSION];
        plain.extend_from_slice(&until.to_be_bytes());
        plain.extend_from_slice(state.as_bytes());
        let sealed = self
            .cipher()
            .encrypt(headers(caller, uri), &plain)
            .expect("three headers and a text are within what AES-SIV takes");
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// Opens a state. Returns `None` if it was not sealed with this key for this caller and URI, or has expired.
    pub(crate) fn open_state(&self, caller: &[u8], uri: &str, sealed: &str, now: u64) -> Option<String> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let plain = self.cipher().decrypt(headers(caller, uri), &sealed).ok()?;
        let rest = plain.strip_prefix(&[VERSION])?;
        let (until, state) = rest.split_first_chunk::<8>()?;
        (now < u64::from_be_bytes(*until)).then(|| String::from_utf8(state.to_vec()).ok())?
    }
}

fn headers<'a>(caller: &'a [u8], uri: &'a str) -> [&'a [u8]; 3] {
    [b"requestState of resources/read", caller, uri.as_bytes()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Key;

    fn sealer(byte: u8) -> Sealer {
        Sealer::new(&Key([byte; Key::BYTES]), "a")
    }

    /// row: I-08
    #[test]
    fn a_state_opens_for_its_own_caller_and_uri_until_its_time_only() {
        let sealed = sealer(7).seal_state(b"me", "notes://a", "step 2", 1000);
        assert!(!sealed.contains("step"));
        let opened =
            |caller: &[u8], uri: &str, sealed: &str, now| sealer(7).open_state(caller, uri, sealed, now);
        assert_eq!(opened(b"me", "notes://a", &sealed, 999).as_deref(), Some("step 2"));
        assert_eq!(opened(b"me", "notes://a", &sealed, 1000), None);
        assert_eq!(opened(b"you", "notes://a", &sealed, 0), None);
        assert_eq!(opened(b"me", "notes://b", &sealed, 0), None);
        assert_eq!(opened(b"me", "notes://a", "", 0), None);
        assert_eq!(sealer(8).open_state(b"me", "notes://a", &sealed, 0), None);
        let mut changed = sealed.into_bytes();
        changed[10] ^= 1;
        assert_eq!(opened(b"me", "notes://a", &String::from_utf8(changed).unwrap(), 0), None);
    }
}
