//! Spells the names of settings as the application's language does. Messages write them in `snake_case`, between
//! backticks.

use std::borrow::Cow;

/// How hints for the people who run the application spell the names of settings.
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
        let parts = text.split('`').map(|part| camel(part).unwrap_or(part));
        Cow::Owned(parts.collect::<Vec<_>>().join("`"))
    }
}

fn camel(name: &str) -> Option<&'static str> {
    SETTINGS.iter().find(|(snake, _)| *snake == name).map(|(_, camel)| *camel)
}

/// Every setting of several words, and its name in JavaScript. `tests/words.py` fails on one that is missing here.
const SETTINGS: [(&str, &str); 42] = [
    ("allowed_hosts", "allowedHosts"),
    ("allowed_origins", "allowedOrigins"),
    ("authorization_servers", "authorizationServers"),
    ("batch_length", "batchLength"),
    ("body_ms", "bodyMs"),
    ("buffer_bytes", "bufferBytes"),
    ("cache_of", "cacheOf"),
    ("call_ms", "callMs"),
    ("caller_percent", "callerPercent"),
    ("calls_in_flight", "callsInFlight"),
    ("cursor_key", "cursorKey"),
    ("error_code", "errorCodes"),
    ("error_profile", "errorProfile"),
    ("guard_stdio", "guardStdio"),
    ("handle_sigterm", "handleSigterm"),
    ("head_ms", "headMs"),
    ("id_bytes", "idBytes"),
    ("idle_ms", "idleMs"),
    ("io_threads", "ioThreads"),
    ("keep_alive_ms", "keepAliveMs"),
    ("list_changed", "listChanged"),
    ("listen_streams", "listenStreams"),
    ("loopback_only", "loopbackOnly"),
    ("max_file_bytes", "maxFileBytes"),
    ("message_bytes", "messageBytes"),
    ("omit_newer_fields", "omitNewerFields"),
    ("on_log", "onLog"),
    ("output_bytes", "outputBytes"),
    ("page_bytes", "pageBytes"),
    ("page_items", "pageItems"),
    ("permission_denied", "permissionDenied"),
    ("replay_bytes", "replayBytes"),
    ("session_limit", "sessionLimit"),
    ("session_ms", "sessionMs"),
    ("session_streams", "sessionStreams"),
    ("settle_ms", "settleMs"),
    ("strict_accept", "strictAccept"),
    ("subscribe_unknown", "subscribeUnknown"),
    ("subscriptions_total", "subscriptionsTotal"),
    ("titles_in_contents", "titlesInContents"),
    ("undeclared_lists", "undeclaredLists"),
    ("uri_bytes", "uriBytes"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_between_backticks_are_spelled_as_the_language_does() {
        let hint = "see `allowed_hosts`, `error_code` and `path`; session_ms, `user_id` and `session_ms";
        assert_eq!(Spelling::Snake.apply(hint), hint);
        let camel = "see `allowedHosts`, `errorCodes` and `path`; session_ms, `user_id` and `sessionMs";
        assert_eq!(Spelling::Camel.apply(hint), camel);
    }
}
