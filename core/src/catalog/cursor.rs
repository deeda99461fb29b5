//! Cursors: the place where a page ended, sealed so that clients can neither read nor forge it.
//!
//! A cursor holds everything that the next page needs, so any instance with the same key can make that page. It is bound
//! to its method, caller and filter. Source: RFC 5297 (AES-SIV), deterministic, so that equal positions give equal
//! cursors.

use crate::keys::Key;
use aes_siv::KeyInit;
use aes_siv::siv::Aes128Siv;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The format of sealed cursors; a cursor of another format is invalid.
const VERSION: u8 = 2;

/// The place where the next page starts: after the last item that was considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Position {
    /// The place of a single registration.
    Registered {
        part: ListPart,
        /// The instance that numbered the registration; other instances number differently.
        instance: u64,
        number: u64,
        name: String,
    },
    /// The place of an item of a list source, by the source's name and the item's key.
    Listed { source: String, key: String },
}

/// The part of a list of single registrations. Resources come before templates, and registered tools before those for
/// resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListPart {
    First,
    Second,
}

impl Position {
    fn write(&self) -> Vec<u8> {
        let mut plain = vec![VERSION];
        match self {
            Position::Registered { part, instance, number, name } => {
                plain.push(match part {
                    ListPart::First => 0,
                    ListPart::Second => 2,
                });
                plain.extend_from_slice(&instance.to_be_bytes());
                plain.extend_from_slice(&number.to_be_bytes());
                plain.extend_from_slice(name.as_bytes());
            }
            Position::Listed { source, key } => {
                plain.push(1);
                plain.extend_from_slice(&(source.len() as u32).to_be_bytes());
                plain.extend_from_slice(source.as_bytes());
                plain.extend_from_slice(key.as_bytes());
            }
        }
        plain
    }

    fn read(plain: &[u8]) -> Option<Position> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let (kind, rest) = plain.strip_prefix(&[VERSION])?.split_first()?;
        match kind {
            0 | 2 => {
                let part = if *kind == 0 { ListPart::First } else { ListPart::Second };
                let (instance, rest) = rest.split_first_chunk()?;
                let (number, name) = rest.split_first_chunk()?;
                let [instance, number] = [instance, number].map(|bytes| u64::from_be_bytes(*bytes));
                Some(Position::Registered { part, instance, number, name: text(name)? })
            }
            1 => {
                let (length, rest) = rest.split_first_chunk()?;
                let (source, key) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
                Some(Position::Listed { source: text(source)?, key: text(key)? })
            }
            _ => None,
        }
    }
}

/// The request that a cursor is bound to: the cursor is invalid in any other request.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub(crate) method: &'a str,
    /// The caller's id bytes.
    pub(crate) caller: &'a [u8],
    /// The filter of the list, as the client wrote it; `None` if it sent none.
    pub(crate) filter: Option<&'a str>,
}

impl<'a> Bound<'a> {
    fn headers(self) -> impl Iterator<Item = &'a [u8]> {
        [self.method.as_bytes(), self.caller].into_iter().chain(self.filter.map(str::as_bytes))
    }
}

/// Seals and opens cursors.
pub(crate) struct Sealer {
    key: Key,
    /// Identifies the instance among the others.
    pub(super) instance: u64,
}

impl Sealer {
    /// Makes a sealer. `origin` is the name of the instance.
    pub(crate) fn new(key: &Key, origin: &str) -> Sealer {
        // FNV-1a: the number is equal in every build. Two origins with equal numbers by chance count as one
        // instance.
        let instance = origin.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Sealer { key: key.clone(), instance }
    }

    /// Makes a cipher for each use, because it works by `&mut`, and a lock would cost more.
    pub(super) fn cipher(&self) -> Aes128Siv {
        Aes128Siv::new(&self.key.0.into())
    }

    pub(crate) fn seal(&self, bound: Bound<'_>, position: &Position) -> String {
        let sealed = self
            .cipher()
            .encrypt(bound.headers(), &position.write())
            .expect("three headers and a short text are within what AES-SIV takes");
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// Returns the position in a cursor. Returns `None` if the cursor was not sealed for this method, caller and
    /// filter.
    pub(crate) fn open(&self, bound: Bound<'_>, cursor: &str) -> Option<Position> {
        let sealed = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        Position::read(&self.cipher().decrypt(bound.headers(), &sealed).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sealer() -> Sealer {
        Sealer::new(&Key([7; Key::BYTES]), "a")
    }

    fn position() -> Position {
        Position::Listed { source: "notes".to_owned(), key: "042".to_owned() }
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
        assert_eq!(Sealer::new(&Key([8; Key::BYTES]), "a").open(BOUND, &cursor), None);
        assert_eq!(sealer().open(BOUND, ""), None);
        let cursor = sealer().seal(filtered, &position());
        assert_eq!(sealer().open(filtered, &cursor), Some(position()));
        assert_eq!(sealer().open(Bound { filter: Some("{ }"), ..BOUND }, &cursor), None);
    }

    #[test]
    fn a_cursor_of_another_format_does_not_open() {
        let open = |version| {
            let sealed =
                sealer().cipher().encrypt(BOUND.headers(), &[version, 1, 0, 0, 0, 1, b's', b'k']).unwrap();
            sealer().open(BOUND, &URL_SAFE_NO_PAD.encode(sealed))
        };
        let position = Position::Listed { source: "s".to_owned(), key: "k".to_owned() };
        assert_eq!(open(VERSION), Some(position));
        assert_eq!(open(VERSION + 1), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_position_comes_back(source in ".*", key in ".*", instance: u64, number: u64) {
            let registered = |part| Position::Registered { part, instance, number, name: key.clone() };
            let parts = [registered(ListPart::First), registered(ListPart::Second)];
            for position in parts.into_iter().chain([Position::Listed { source, key: key.clone() }]) {
                let cursor = sealer().seal(BOUND, &position);
                prop_assert!(!cursor.is_empty());
                prop_assert_eq!(sealer().open(BOUND, &cursor), Some(position));
            }
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
        fn no_invented_cursor_opens(cursor in ".{0,80}") {
            prop_assert_eq!(sealer().open(BOUND, &cursor), None);
        }
    }
}
