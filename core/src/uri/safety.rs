//! Decides which decoded values are safe to use as relative paths (`rows.tsv` U-36).

use super::captures::Value;

pub(super) fn is_safe(value: &Value) -> bool {
    match value {
        Value::One(text) => is_safe_text(text),
        // Joined by `/`, an empty first element makes an absolute path.
        Value::Many(list) => {
            list.iter().all(|text| is_safe_text(text)) && !(list.len() > 1 && list[0].is_empty())
        }
    }
}

fn is_safe_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    let separator = |b: u8| b == b'/' || b == b'\\';
    let absolute = bytes.first().is_some_and(|&b| separator(b));
    let drive = match bytes {
        [letter, b':', rest @ ..] => {
            letter.is_ascii_alphabetic() && rest.first().is_none_or(|&b| separator(b))
        }
        _ => false,
    };
    !absolute
        && !drive
        && !bytes.iter().any(u8::is_ascii_control)
        && text.split(['/', '\\']).all(|segment| segment != "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    // row: U-36
    #[test]
    fn values_that_leave_a_directory_are_unsafe() {
        for text in [
            "..", "../x", "a/../b", "a\\..", "a/..", "/etc", "\\x", "C:", "c:/x", "z:\\x", "a\0", "a\n",
            "\u{1f}", "\u{7f}",
        ] {
            assert!(!is_safe(&Value::One(text.into())), "{text:?}");
        }
    }

    // row: U-36
    // A drive-relative form is refused by the folder (`rows.tsv` U-22).
    #[test]
    fn other_values_are_safe() {
        for text in
            ["", "a", "a/b", "...", "..a", "a..", ".", "C:x", "1:/", "\u{80}", "a:b", "%2e%2e", "cc:/"]
        {
            assert!(is_safe(&Value::One(text.into())), "{text:?}");
        }
    }

    // row: U-36
    #[test]
    fn a_list_is_unsafe_if_an_element_is_or_if_it_joins_to_an_absolute_path() {
        let list = |items: &[&str]| Value::Many(items.iter().map(|&s| s.to_owned()).collect());
        assert!(is_safe(&list(&["a", "b"])));
        assert!(is_safe(&list(&[""])));
        assert!(!is_safe(&list(&["a", ".."])));
        assert!(!is_safe(&list(&["", "etc"])));
    }
}
