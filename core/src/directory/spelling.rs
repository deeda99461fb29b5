//! Other spellings of names. The rules judge the name that a directory has for an entry. Some file systems find the
//! entry by other names, too: in another case, with accents in another form, or by a short name.

use std::borrow::Cow;
use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Returns a path, or a pattern of paths, with accents in their composed form (NFC of UAX #15), in which the rules
/// compare them. A pattern in one form then also hides a name in the other, as on macOS, which finds a file by both.
pub(super) fn composed(text: &str) -> Cow<'_, str> {
    if is_nfc(text) { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect()) }
}

/// Returns a name by which a file system also finds the entry `name` if it finds that entry by several names. Returns
/// `None` if only the list of the directory can tell.
pub(super) fn other_spelling(name: &str) -> Option<String> {
    // `~` is in short names (`SECRET~1.TXT`), `:` before streams of a file, and a backslash separates on Windows.
    // U+212A is another `K`, U+037E another `;` and U+1FEF another backtick in Unicode, regardless of case.
    let only_listed = ['~', ':', '\\', 'K', ';', '`'];
    if !name.is_ascii() || name.contains(only_listed) || name.ends_with(['.', ' ']) {
        return None;
    }
    let mut bytes = name.as_bytes().to_owned();
    match bytes.iter_mut().find(|byte| byte.is_ascii_alphabetic()) {
        Some(letter) => *letter ^= b' ', // the other case
        // File systems that fold names by Unicode also leave out characters without width.
        None => bytes.extend("\u{200d}".as_bytes()),
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_another_spelling_that_every_folding_file_system_takes_for_the_same() {
        for (name, other) in [
            ("secret.txt", "Secret.txt"),
            ("READ.me", "rEAD.me"),
            ("1a", "1A"),
            ("2024-05", "2024-05\u{200d}"),
        ] {
            assert_eq!(other_spelling(name).as_deref(), Some(other));
        }
    }

    #[test]
    fn only_the_directory_knows_a_name_that_may_have_unrelated_spellings() {
        for name in [
            "é.txt",
            "e\u{301}.txt",
            "\u{212a}.txt",
            "SECRET~1.TXT",
            "a.txt::$DATA",
            "a.txt.",
            "a ",
            "K",
            "漢",
        ] {
            assert_eq!(other_spelling(name), None, "{name}");
        }
    }
}
