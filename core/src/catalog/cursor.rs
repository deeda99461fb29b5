//! Cursors: where a page ended, sealed so that clients can neither read nor forge it.
//!
//! A cursor holds all that is needed to go on, so any replica with the same key can. It is bound to its method, caller
//! and filter. Source: RFC 5297 (AES-SIV), deterministic, so that equal positions give equal cursors.

use crate::keys::Key;
use aes_siv::KeyInit;
use aes_siv::siv::Aes128Siv;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The format of what is sealed; another one is an invalid cursor.
const VERSION: u8 = 1;

/// Where the page after it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    /// The list source's name; empty for the fixed resources.
    pub(crate) source: String,
    /// The key of the last item that was looked at.
    pub(crate) key: String,
}

/// What a cursor is good for, and for nothing else.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub(crate) method: &'a str,
    /// The caller's id bytes.
    pub(crate) caller: &'a [u8],
    /// Which resources were to be listed, as the client wrote it.
    pub(crate) filter: Option<&'a str>,
}

impl<'a> Bound<'a> {
    fn headers(self) -> impl Iterator<Item = &'a [u8]> {
        [self.method.as_bytes(), self.caller].into_iter().chain(self.filter.map(str::as_bytes))
    }
}

/// Seals and opens cursors.
pub(crate) struct Sealer(Key);

impl Sealer {
    pub(crate) fn new(key: &Key) -> Sealer {
        Sealer(key.clone())
    }

    /// Made for each use, since it works by `&mut`: that is cheaper than a lock.
    pub(super) fn cipher(&self) -> Aes128Siv {
        Aes128Siv::new(&self.0.0.into())
    }

    pub(crate) fn seal(&self, bound: Bound<'_>, position: &Position) -> String {
        let Position { source, key } = position;
        let mut plain = Vec::with_capacity(5 + source.len() + key.len());
        plain.push(VERSION);
        plain.extend_from_slice(&(source.len() as u32).to_be_bytes());
        plain.extend_from_slice(source.as_bytes());
        plain.extend_from_slice(key.as_bytes());
        let sealed = self
            .cipher()
            .encrypt(bound.headers(), &plain)
            .expect("three headers and a short text are within what AES-SIV takes");
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// Nothing if the cursor is not one of ours, for this method, caller and filter.
    pub(crate) fn open(&self, bound: Bound<'_>, cursor: &str) -> Option<Position> {
        let sealed = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let plain = self.cipher().decrypt(bound.headers(), &sealed).ok()?;
        let rest = plain.strip_prefix(&[VERSION])?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (source, key) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        Some(Position { source: text(source)?, key: text(key)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sealer() -> Sealer {
        Sealer::new(&Key([7; Key::BYTES]))
    }

    fn position() -> Position {
        Position { source: "notes".to_owned(), key: "042".to_owned() }
    }

    const BOUND: Bound<'static> = Bound { method: "resources/list", caller: b"me", filter: None };

    #[test]
    fn a_cursor_opens_for_its_own_method_caller_and_filter_only() {
        let filtered = Bound { filter: Some("{}"), ..BOUND };
        let others = [
            Bound { method: "resources/templates/list", ..BOUND },
            Bound { caller: b"you", ..BOUND },
            filtered,
        ];
        let cursor = sealer().seal(BOUND, &position());
        assert_eq!(sealer().open(BOUND, &cursor), Some(position()));
        assert!(others.iter().all(|other| sealer().open(*other, &cursor).is_none()));
        assert_eq!(Sealer::new(&Key([8; Key::BYTES])).open(BOUND, &cursor), None);
        assert_eq!(sealer().open(BOUND, ""), None);
        let cursor = sealer().seal(filtered, &position());
        assert_eq!(sealer().open(filtered, &cursor), Some(position()));
        assert_eq!(sealer().open(Bound { filter: Some("{ }"), ..BOUND }, &cursor), None);
    }

    #[test]
    fn a_cursor_of_another_format_does_not_open() {
        let open = |version| {
            let sealed =
                sealer().cipher().encrypt(BOUND.headers(), &[version, 0, 0, 0, 1, b's', b'k']).unwrap();
            sealer().open(BOUND, &URL_SAFE_NO_PAD.encode(sealed))
        };
        assert_eq!(open(VERSION), Some(Position { source: "s".to_owned(), key: "k".to_owned() }));
        assert_eq!(open(VERSION + 1), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_position_comes_back(source in ".*", key in ".*") {
            let position = Position { source, key };
            let cursor = sealer().seal(BOUND, &position);
            prop_assert!(!cursor.is_empty());
            prop_assert_eq!(sealer().open(BOUND, &cursor), Some(position));
        }

        #[test]
        fn no_changed_cursor_opens(at in 0usize..40, to in "[A-Za-z0-9_=-]") {
            let cursor = sealer().seal(BOUND, &position());
            let at = at % cursor.len();
            let mut changed = cursor.clone();
            changed.replace_range(at..=at, &to);
            prop_assume!(changed != cursor);
            prop_assert_eq!(sealer().open(BOUND, &changed), None);
        }

        #[test]
        fn nothing_made_up_opens(cursor in ".{0,80}") {
            prop_assert_eq!(sealer().open(BOUND, &cursor), None);
        }
    }
}
