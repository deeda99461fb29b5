//! How the host's language spells the names of settings, which hints write as `snake_case`.

use std::borrow::Cow;

/// How hints for the people who run the host spell the names of settings.
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
    /// The text with the settings that stand between backticks spelled so. Other names stay as they are.
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        if self == Spelling::Snake || !text.contains('`') {
            return Cow::Borrowed(text);
        }
        let parts = text
            .split('`')
            .map(|part| if SETTINGS.contains(&part) { Cow::Owned(camel(part)) } else { Cow::Borrowed(part) });
        Cow::Owned(parts.collect::<Vec<_>>().join("`"))
    }
}

/// Every setting that hints name and that languages spell differently.
const SETTINGS: [&str; 33] = [
    "allowed_hosts",
    "allowed_origins",
    "authorization_servers",
    "batch_length",
    "body_ms",
    "buffer_bytes",
    "call_ms",
    "callback_threads",
    "calls_in_flight",
    "cursor_key",
    "error_code",
    "error_profile",
    "head_ms",
    "id_bytes",
    "idle_ms",
    "io_threads",
    "keep_alive_ms",
    "list_changed",
    "listen_streams",
    "max_file_bytes",
    "message_bytes",
    "output_bytes",
    "page_bytes",
    "page_items",
    "replay_bytes",
    "session_limit",
    "session_ms",
    "settle_ms",
    "strict_accept",
    "subscribe_unknown",
    "subscriptions_total",
    "undeclared_lists",
    "uri_bytes",
];

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        name + &initial.to_ascii_uppercase() + rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_between_backticks_are_spelled_as_the_language_does() {
        let hint = "see `allowed_hosts` and `path`; session_ms, `user_id` and `session_ms";
        assert_eq!(Spelling::Snake.apply(hint), hint);
        let camel = "see `allowedHosts` and `path`; session_ms, `user_id` and `sessionMs";
        assert_eq!(Spelling::Camel.apply(hint), camel);
    }
}
