//! The names to which Windows gives another meaning: devices, streams of a file, and spellings that it shortens.

/// Returns whether Windows uses a name as it is.
pub(super) fn is_plain(name: &str) -> bool {
    let special = |c: char| c < ' ' || matches!(c, '\\' | '/' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    !name.contains(special) && !name.ends_with(['.', ' ']) && !is_device(name)
}

/// Returns whether a name is that of a device. An extension does not change that: `NUL.txt` is the device `NUL`.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_ascii_uppercase();
    let numbered = |port: &str| {
        let mut number = stem.strip_prefix(port).unwrap_or_default().chars();
        matches!((number.next(), number.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    };
    matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered("COM")
        || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_streams_and_shortened_names_are_not_plain() {
        for name in [
            "CON",
            "nul",
            "NUL.txt",
            "nul .txt",
            "Aux.tar.gz",
            "COM1",
            "com9.log",
            "LPT0",
            "COM¹",
            "CONIN$",
            "prn",
            "a.txt::$DATA",
            "a:b",
            "a\\b",
            "..\\a",
            "a.",
            "a ",
            "a. .",
            "a*",
            "a?",
            "\u{1}",
        ] {
            assert!(!is_plain(name), "{name}");
        }
    }

    #[test]
    fn other_names_are_plain() {
        for name in [
            "console",
            "COM",
            "COM10",
            "COMA",
            "LPT",
            "a.con",
            "nul1",
            "SECRET~1.TXT",
            " a",
            "a.b",
            ".env",
            "é",
        ] {
            assert!(is_plain(name), "{name}");
        }
    }
}
