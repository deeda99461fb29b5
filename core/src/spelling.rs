//! Spells the names of settings as the application's language does. Messages write them in `snake_case`, between
//! backticks.

use crate::options::OPTIONS;
use std::borrow::Cow;

/// The spelling of the names of settings in messages for the people who run the application.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spelling {
    /// `page_items`, as in Rust, C and Python.
    #[default]
    Snake,
    /// `pageItems`, as in JavaScript.
    Camel,
}

impl Spelling {
    /// Returns the text with the settings between backticks in this spelling. Other names stay as they are, because
    /// they may be the application's own.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        if self == Spelling::Snake || !text.contains('`') {
            return Cow::Borrowed(text);
        }
        let parts = text.split('`').map(|part| if is_setting(part) { self.name(part) } else { part.into() });
        Cow::Owned(parts.collect::<Vec<_>>().join("`"))
    }

    /// Returns the name of a setting, which `NAMES.md` has, too.
    pub fn name(self, setting: &str) -> Cow<'_, str> {
        if self == Spelling::Snake || !setting.contains('_') {
            return Cow::Borrowed(setting);
        }
        let mut words = setting.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        Cow::Owned(words.fold(first, |name, word| {
            let (head, rest) = word.split_at(word.len().min(1));
            name + &head.to_ascii_uppercase() + rest
        }))
    }
}

/// Settings that are no options of the table by themselves.
const OTHER_SETTINGS: [&str; 1] = ["authorization_servers"];

fn is_setting(name: &str) -> bool {
    let all = OPTIONS.iter().flat_map(|set| set.options);
    OTHER_SETTINGS.contains(&name) || all.into_iter().any(|option| option.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_between_backticks_are_spelled_as_the_language_does() {
        let hint = "see `allowed_hosts`, `rpc_codes` and `path`; session_ms, `user_id` and `session_ms";
        assert_eq!(Spelling::Snake.apply(hint), hint);
        let camel = "see `allowedHosts`, `rpcCodes` and `path`; session_ms, `user_id` and `sessionMs";
        assert_eq!(Spelling::Camel.apply(hint), camel);
    }
}
