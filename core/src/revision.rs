//! THE table: what each protocol revision has. A date or an error code is written here and nowhere else.
//!
//! Other code asks a revision what it *has*; it never compares dates.
//!
//! Source: <https://modelcontextprotocol.io/specification/>, one page set and one schema a revision.

use std::fmt;

/// How a revision begins a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// `initialize`, then a session.
    Handshake,
    /// Every request carries its revision and capabilities in `_meta`.
    Stateless,
}

/// One published revision of the protocol.
#[allow(clippy::struct_excessive_bools, reason = "what a revision has is independent of each other")]
pub(crate) struct Revision {
    date: &'static str,
    pub(crate) era: Era,
    /// `title` on resources, templates and `serverInfo`; `_meta` on resources, templates and contents; `lastModified`.
    pub(crate) titles: bool,
    /// `icons` on resources and templates.
    pub(crate) icons: bool,
    /// `name` and `title` on contents, `title` on updates: shown for a while on this revision's pages only.
    pub(crate) contents_titles: bool,
    /// The `completions` capability. The method is older.
    pub(crate) completions: bool,
    /// `context` in a request for completion: what other variables have already.
    pub(crate) completion_context: bool,
    /// An array of messages is a message.
    pub(crate) batches: bool,
    /// A reply to a message without a readable id says `"id":null`; otherwise it has no `id`.
    pub(crate) null_id: bool,
    /// Results carry `resultType`, the server's identity, and caching hints where cacheable.
    pub(crate) result_envelope: bool,
    not_found: i32,
}

impl Revision {
    /// The revision's wire string, such as the date in `protocolVersion`.
    pub(crate) fn as_str(&self) -> &'static str {
        self.date
    }

    pub(crate) fn find(date: &str) -> Option<&'static Revision> {
        REVISIONS.iter().find(|revision| revision.date == date)
    }

    /// All revisions, newest first.
    pub(crate) fn all() -> &'static [Revision] {
        &REVISIONS
    }

    /// What `initialize` answers when it was asked for something else.
    pub(crate) fn newest_handshake() -> &'static Revision {
        REVISIONS
            .iter()
            .find(|revision| revision.era == Era::Handshake)
            .expect("the table has revisions with a handshake")
    }

    /// The method of that name, if this revision has it.
    pub(crate) fn method(&self, name: &str) -> Option<Method> {
        let Some(method) = Method::named(name) else {
            return (!self.has_removed(name)).then_some(Method::Further);
        };
        let eras: &[Era] = match method {
            Method::Initialize | Method::Ping | Method::Subscribe | Method::Unsubscribe => &[Era::Handshake],
            Method::Discover | Method::Listen => &[Era::Stateless],
            Method::ListResources
            | Method::ListTemplates
            | Method::Read
            | Method::Complete
            | Method::Further => &[Era::Handshake, Era::Stateless],
        };
        eras.contains(&self.era).then_some(method)
    }

    /// Whether the revision has taken back a method that others have and that is not served here.
    pub(crate) fn has_removed(&self, name: &str) -> bool {
        self.era == Era::Stateless && name == "logging/setLevel"
    }

    /// The code of an error that MCP, not JSON-RPC, defines.
    pub(crate) fn code(&self, condition: Condition) -> i32 {
        match condition {
            Condition::ResourceNotFound => self.not_found,
            Condition::PermissionDenied => 403,
            Condition::NotModified => 304,
            Condition::Busy => 503,
            Condition::UnsupportedVersion => -32022,
            Condition::MissingCapability => -32021,
        }
    }
}

impl fmt::Debug for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.date)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.date)
    }
}

impl PartialEq for Revision {
    fn eq(&self, other: &Self) -> bool {
        self.date == other.date
    }
}

impl Eq for Revision {}

/// The methods that are served here; each revision has some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Initialize,
    Ping,
    Discover,
    ListResources,
    ListTemplates,
    Read,
    Subscribe,
    Unsubscribe,
    Listen,
    Complete,
    /// Perhaps one of the host's own.
    Further,
}

impl Method {
    pub(crate) fn named(name: &str) -> Option<Method> {
        Some(match name {
            "initialize" => Method::Initialize,
            "ping" => Method::Ping,
            "server/discover" => Method::Discover,
            "resources/list" => Method::ListResources,
            "resources/templates/list" => Method::ListTemplates,
            "resources/read" => Method::Read,
            "resources/subscribe" => Method::Subscribe,
            "resources/unsubscribe" => Method::Unsubscribe,
            "subscriptions/listen" => Method::Listen,
            "completion/complete" => Method::Complete,
            _ => return None,
        })
    }
}

/// Error conditions whose code is the protocol's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    ResourceNotFound,
    PermissionDenied,
    NotModified,
    Busy,
    UnsupportedVersion,
    MissingCapability,
}

/// The server capability that stands for `completion/complete`.
pub(crate) const COMPLETIONS: &str = "completions";

/// The server capability that stands for a further method of the protocol.
pub(crate) fn capability_of(method: &str) -> Option<&'static str> {
    match method.split_once('/')?.0 {
        "tools" => Some("tools"),
        "prompts" => Some("prompts"),
        "logging" => Some("logging"),
        _ => None,
    }
}

/// Whether results of a further method are cacheable where the revision has that.
pub(crate) fn is_cacheable(method: &str) -> bool {
    matches!(method, "tools/list" | "prompts/list")
}

/// Whether a further method may be answered by asking the client for input, where the revision has that.
pub(crate) fn may_need_input(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get")
}

/// Newest first.
static REVISIONS: [Revision; 5] = [
    Revision {
        date: "2026-07-28",
        era: Era::Stateless,
        titles: true,
        icons: true,
        contents_titles: false,
        completions: true,
        completion_context: true,
        batches: false,
        null_id: false,
        result_envelope: true,
        not_found: -32602,
    },
    Revision {
        date: "2025-11-25",
        era: Era::Handshake,
        titles: true,
        icons: true,
        contents_titles: false,
        completions: true,
        completion_context: true,
        batches: false,
        null_id: false,
        result_envelope: false,
        not_found: -32002,
    },
    Revision {
        date: "2025-06-18",
        era: Era::Handshake,
        titles: true,
        icons: false,
        contents_titles: true,
        completions: true,
        completion_context: true,
        batches: false,
        null_id: true,
        result_envelope: false,
        not_found: -32002,
    },
    Revision {
        date: "2025-03-26",
        era: Era::Handshake,
        titles: false,
        icons: false,
        contents_titles: false,
        completions: true,
        completion_context: false,
        batches: true,
        null_id: true,
        result_envelope: false,
        not_found: -32002,
    },
    Revision {
        date: "2024-11-05",
        era: Era::Handshake,
        titles: false,
        icons: false,
        contents_titles: false,
        completions: false,
        completion_context: false,
        batches: true,
        null_id: true,
        result_envelope: false,
        not_found: -32002,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_listed_newest_first() {
        let dates: Vec<_> = Revision::all().iter().map(Revision::as_str).collect();
        let mut sorted = dates.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(dates, sorted);
    }

    #[test]
    fn each_revision_is_found_by_its_date_and_nothing_else_is() {
        for revision in Revision::all() {
            assert_eq!(Revision::find(revision.as_str()), Some(revision));
        }
        assert_eq!(Revision::find("1.0.0"), None);
    }

    #[test]
    fn a_handshake_never_settles_on_a_stateless_revision() {
        assert_eq!(Revision::newest_handshake().era, Era::Handshake);
    }
}
