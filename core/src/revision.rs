//! THE table: what each protocol revision has. A date or an error code is written here and nowhere else.
//!
//! Other code asks a revision what it *has*; it never compares dates.
//!
//! Source: <https://modelcontextprotocol.io/specification/>, one page set and one schema a revision.

use crate::error::{Error, ErrorKind};
use crate::policy::{DeniedResources, ErrorCondition, ErrorProfile, Policy, TitlesInContents};
use std::fmt;

/// The word for [`ErrorProfile::Variant`].
pub(crate) const VARIANT: &str = "variant-2024-11-05";

/// The word for [`TitlesInContents::AsPublished`], the revision whose documentation showed these members.
pub(crate) const TITLES_IN_CONTENTS_OF: &str = "2025-06-18";

/// The revision of [`ErrorProfile::Variant`], and its codes for "not found" and "permission denied".
const VARIANT_OF: (&str, i32, i32) = ("2024-11-05", -32001, -32002);

/// The error code for a request whose revision the server does not serve.
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;

/// The error code for a POST whose header fields differ from its body.
pub(crate) const HEADER_MISMATCH: i32 = -32020;

/// The error code that tells a client to open a URL before it repeats its request. Only one revision has it.
const URL_ELICITATION_REQUIRED: i32 = -32042;

/// The error code for a resource that does not exist, in revisions with a handshake. Later ones forbid it.
const RESOURCE_NOT_FOUND: i32 = -32002;

/// The revision of an HTTP client that names none and has no session (2025-06-18, "Transports").
const UNNAMED: &str = "2025-03-26";

/// Codes that the specification of a stateless revision reserves or forbids.
const RESERVED: std::ops::RangeInclusive<i32> = -32099..=-32000;

/// How a conversation begins in a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// A client begins with `initialize`, which begins a session.
    Handshake,
    /// Without a handshake: every request carries its revision and capabilities in `_meta`.
    Stateless,
}

/// The members of the `resources/get` dialect that an answer has in addition to those of its revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// None: the answer is as the revision says.
    Official,
    /// The members of the dialect next to the official ones, because the client has shown that it uses the dialect.
    Superset,
    /// The members of the dialect only, because the request was one of the dialect.
    Dialect,
}

/// The values that a tool may return as `structuredContent` in a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structured {
    /// None: the revision does not have the member.
    Absent,
    Object,
    Any,
}

/// The ways in which a server may ask the user of a client for input in a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Elicitation {
    /// None: the revision does not have elicitation.
    Absent,
    /// Forms whose fields are single values.
    Forms,
    /// Forms that also have fields with several values, and URLs, each with an `elicitationId`.
    UrlsWithIds,
    /// Forms that also have fields with several values, and URLs without an `elicitationId`.
    Urls,
}

/// One published revision of the protocol, adjusted by the options of a server. Each field says whether the revision
/// has a thing.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "what a revision has is independent of each other")]
pub(crate) struct Revision {
    date: &'static str,
    pub(crate) era: Era,
    /// `title` on resources, templates, tools, prompts and `serverInfo`; `_meta` on these, contents and content blocks;
    /// `lastModified`.
    pub(crate) titles: bool,
    /// `icons` on resources, templates, tools and prompts.
    pub(crate) icons: bool,
    /// `name` and `title` on contents, `title` on updates: shown for a while on this revision's pages only.
    pub(crate) titles_in_contents: bool,
    /// The `completions` capability. The method `completion/complete` is older.
    pub(crate) completions: bool,
    /// `context` in a request for completion: the values of other variables.
    pub(crate) completion_context: bool,
    /// `annotations` of tools.
    pub(crate) tool_annotations: bool,
    pub(crate) structured: Structured,
    /// Content blocks of the type `audio`.
    pub(crate) audio: bool,
    /// Content blocks of the type `resource_link`.
    pub(crate) resource_links: bool,
    pub(crate) elicitation: Elicitation,
    /// `message` in a notification of progress.
    pub(crate) progress_messages: bool,
    /// Batches: a message may be an array of messages.
    pub(crate) batches: bool,
    /// An answer to a message without a readable id has `"id":null`; otherwise it has no `id`.
    pub(crate) null_id: bool,
    /// An event without data at the beginning of an event stream, from which a client can resume.
    pub(crate) sse_priming: bool,
    /// Members that all results have: `resultType`, the server's identity, and caching hints if clients may cache the
    /// result.
    pub(crate) result_envelope: bool,
    pub(crate) shape: Shape,
    /// Notifications of the server to a session's client. False over HTTP without sessions.
    pub(crate) notifies: bool,
    /// The capability `extensions`. Only one revision has the member, and the others allow more members.
    pub(crate) extensions: bool,
    /// True if the client shows MCP Apps: where tools and resources have no `_meta`, it gets the member `ui` of it.
    pub(crate) shows_apps: bool,
    /// True if a client that asks for a denied resource gets the answer for one that does not exist.
    masks_denied: bool,
    not_found: i32,
    denied: i32,
    internal: i32,
    not_modified: i32,
}

impl Revision {
    /// Returns the date of the revision, as in `protocolVersion`.
    pub(crate) fn as_str(&self) -> &'static str {
        self.date
    }

    /// Returns the published revision with this date; `None` if there is none.
    pub(crate) fn published(date: &str) -> Option<Revision> {
        REVISIONS.iter().find(|revision| revision.date == date).copied()
    }

    /// Returns this revision with the given members of the dialect in its answers.
    pub(crate) fn in_shape(mut self, shape: Shape) -> Revision {
        self.shape = shape;
        self
    }

    /// Returns this revision for a client that the server cannot send notifications to.
    pub(crate) fn without_notifications(mut self) -> Revision {
        self.notifies = false;
        self
    }

    /// Returns this revision for a client that shows MCP Apps.
    pub(crate) fn with_apps(mut self) -> Revision {
        self.shows_apps = true;
        self
    }

    /// Returns the newest revision; it has every field that another has.
    pub(crate) fn newest() -> Revision {
        REVISIONS[0]
    }

    /// Returns the method of that name; `None` if this revision does not have it.
    pub(crate) fn method(&self, name: &str) -> Option<KnownMethod> {
        let Some(method) = KnownMethod::named(name) else {
            return (!self.has_removed(name)).then_some(KnownMethod::Further);
        };
        let eras: &[Era] = match method {
            KnownMethod::Initialize
            | KnownMethod::Ping
            | KnownMethod::Subscribe
            | KnownMethod::Unsubscribe
            | KnownMethod::Get => &[Era::Handshake],
            KnownMethod::Discover | KnownMethod::Listen => &[Era::Stateless],
            KnownMethod::ListResources
            | KnownMethod::ListTemplates
            | KnownMethod::Read
            | KnownMethod::Complete
            | KnownMethod::Further => &[Era::Handshake, Era::Stateless],
        };
        let watches = matches!(method, KnownMethod::Subscribe | KnownMethod::Unsubscribe);
        (eras.contains(&self.era) && (self.notifies || !watches)).then_some(method)
    }

    /// Returns whether this revision removed a method that earlier ones have, and that this server does not implement.
    pub(crate) fn has_removed(&self, name: &str) -> bool {
        self.era == Era::Stateless && name == "logging/setLevel"
    }

    /// Returns the JSON-RPC error code for a condition. It is one that MCP defines, or that the application set.
    pub(crate) fn code(&self, condition: Condition) -> i32 {
        match condition {
            Condition::NotFound => self.not_found,
            Condition::Denied => self.denied,
            Condition::NotModified => self.not_modified,
            Condition::Busy => 503,
            Condition::MissingCapability => -32021,
            Condition::Internal => self.internal,
        }
    }

    /// Returns whether a client that asks for a denied resource gets the answer for one that does not exist.
    pub(crate) fn masks_denied(&self) -> bool {
        self.masks_denied
    }

    fn apply(&mut self, policy: &Policy) -> Result<(), Error> {
        if !policy.options.omit_newer_fields {
            self.titles = true;
            self.icons = true;
            self.progress_messages = true;
            self.tool_annotations = true;
            self.audio = true;
            self.resource_links = true;
            if self.structured == Structured::Absent {
                self.structured = Structured::Object;
            }
        }
        self.extensions = self.era == Era::Stateless || policy.options.handshake_extensions;
        match policy.options.titles_in_contents {
            TitlesInContents::AsPublished => {}
            TitlesInContents::Never => self.titles_in_contents = false,
            TitlesInContents::Always => self.titles_in_contents = true,
        }
        if policy.options.error_profile == ErrorProfile::Variant && self.date == VARIANT_OF.0 {
            (_, self.not_found, self.denied) = VARIANT_OF;
        }
        for (date, condition, code) in &policy.rpc_codes {
            if date == self.date {
                self.set_code(*condition, *code)?;
            }
        }
        self.masks_denied = policy.options.denied_resources == DeniedResources::Mask;
        if !self.masks_denied && self.not_found == self.denied {
            let what = format!(
                "in {self} {} would mean both \"not found\" and \"permission denied\"; give them two codes, or mask what is denied",
                self.denied
            );
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        Ok(())
    }

    /// Returns whether an application may answer with an error of this code in this revision.
    pub(crate) fn has_error(&self, code: i32) -> bool {
        match code {
            URL_ELICITATION_REQUIRED => self.elicitation == Elicitation::UrlsWithIds,
            RESOURCE_NOT_FOUND => self.era == Era::Handshake,
            _ => true,
        }
    }

    fn set_code(&mut self, condition: ErrorCondition, code: i32) -> Result<(), Error> {
        if self.era == Era::Stateless && RESERVED.contains(&code) {
            let what = format!("{self} reserves the code {code}; choose one outside -32768 to -32000");
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        match condition {
            ErrorCondition::NotFound => self.not_found = code,
            ErrorCondition::Denied => self.denied = code,
            ErrorCondition::InternalError => self.internal = code,
            ErrorCondition::NotModified => self.not_modified = code,
        }
        Ok(())
    }
}

/// The revisions for which a setting holds. `R` is a revision, or its date as the application gave it.
#[derive(Debug, Clone, Default)]
pub(crate) enum RevisionSet<R> {
    #[default]
    All,
    Only(Vec<R>),
}

impl<R> RevisionSet<R> {
    /// Returns the named revisions; none for [`RevisionSet::All`].
    pub(crate) fn named(&self) -> &[R] {
        match self {
            RevisionSet::All => &[],
            RevisionSet::Only(named) => named,
        }
    }
}

/// The revisions that a server serves, newest first.
pub(crate) struct Revisions(Vec<Revision>);

impl Revisions {
    /// Makes the list of revisions that a server with these options serves.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if a revision does not exist, if none is left, or if an error code is not
    /// allowed.
    pub(crate) fn new(policy: &Policy) -> Result<Revisions, Error> {
        let named = policy.revisions.named().iter();
        let unknown = named
            .chain(policy.rpc_codes.iter().map(|(date, _, _)| date))
            .find(|date| Revision::published(date).is_none());
        if let Some(unknown) = unknown {
            let known: Vec<_> = REVISIONS.iter().map(Revision::as_str).collect();
            let what = format!("\"{unknown}\" is no revision of MCP; there are {}", known.join(", "));
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        let mut enabled = REVISIONS.to_vec();
        if let RevisionSet::Only(dates) = &policy.revisions {
            enabled.retain(|revision| dates.iter().any(|date| date == revision.date));
        }
        if enabled.is_empty() {
            return Err(Error::new(ErrorKind::InvalidArgument, "no revision of MCP is enabled; name one"));
        }
        for revision in &mut enabled {
            revision.apply(policy)?;
        }
        Ok(Revisions(enabled))
    }

    /// Returns all served revisions, newest first.
    pub(crate) fn all(&self) -> &[Revision] {
        &self.0
    }

    /// Returns the served revision of that era with this date; `None` if there is none.
    pub(crate) fn find(&self, era: Era, date: &str) -> Option<Revision> {
        self.0.iter().find(|revision| revision.era == era && revision.date == date).copied()
    }

    /// Returns the revision of an HTTP client that names none and has no session. Fails with its date if it is not
    /// served.
    pub(crate) fn unnamed(&self) -> Result<Revision, &'static str> {
        self.find(Era::Handshake, UNNAMED).ok_or(UNNAMED)
    }

    /// Returns the newest served revision of that era; `None` if there is none.
    pub(crate) fn newest(&self, era: Era) -> Option<Revision> {
        self.0.iter().find(|revision| revision.era == era).copied()
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

/// The methods that this server implements; each revision has some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownMethod {
    Initialize,
    Ping,
    Discover,
    ListResources,
    ListTemplates,
    Read,
    /// `resources/get` of the dialect.
    Get,
    Subscribe,
    Unsubscribe,
    Listen,
    Complete,
    /// Any other method, which the application may have registered.
    Further,
}

impl KnownMethod {
    pub(crate) fn named(name: &str) -> Option<KnownMethod> {
        Some(match name {
            "initialize" => KnownMethod::Initialize,
            "ping" => KnownMethod::Ping,
            "server/discover" => KnownMethod::Discover,
            "resources/list" => KnownMethod::ListResources,
            "resources/templates/list" => KnownMethod::ListTemplates,
            "resources/read" => KnownMethod::Read,
            "resources/get" => KnownMethod::Get,
            "resources/subscribe" => KnownMethod::Subscribe,
            "resources/unsubscribe" => KnownMethod::Unsubscribe,
            "subscriptions/listen" => KnownMethod::Listen,
            "completion/complete" => KnownMethod::Complete,
            _ => return None,
        })
    }
}

impl KnownMethod {
    /// Returns whether the method belongs to the capability `resources`.
    pub(crate) fn is_of_resources(self) -> bool {
        match self {
            KnownMethod::ListResources
            | KnownMethod::ListTemplates
            | KnownMethod::Read
            | KnownMethod::Get
            | KnownMethod::Subscribe
            | KnownMethod::Unsubscribe => true,
            KnownMethod::Initialize
            | KnownMethod::Ping
            | KnownMethod::Discover
            | KnownMethod::Listen
            | KnownMethod::Complete
            | KnownMethod::Further => false,
        }
    }
}

/// A condition whose error code MCP defines or the application sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    NotFound,
    Denied,
    NotModified,
    Busy,
    MissingCapability,
    Internal,
}

/// The identifier of the extension for skills.
pub(crate) const SKILLS: &str = "io.modelcontextprotocol/skills";

/// The name of the server capability for `completion/complete`.
pub(crate) const COMPLETIONS: &str = "completions";

/// The name of the server capability that lists the extensions.
pub(crate) const EXTENSIONS: &str = "extensions";

/// Returns the server capability to which a method belongs that the core does not implement; `None` if the protocol
/// does not have the method.
pub(crate) fn capability_of(method: &str) -> Option<&'static str> {
    match method.split_once('/')?.0 {
        "tools" => Some("tools"),
        "prompts" => Some("prompts"),
        "logging" => Some("logging"),
        _ => None,
    }
}

/// Returns whether clients may cache results of a method that the core does not implement, in revisions with caching
/// hints.
pub(crate) fn is_cacheable(method: &str) -> bool {
    matches!(method, "tools/list" | "prompts/list")
}

/// Returns whether the server may answer a request by asking the client for input, in revisions that have that. The
/// member `name` of the params of these methods names the tool or prompt.
pub(crate) fn may_need_input(method: &str) -> bool {
    matches!(method, "resources/read" | "tools/call" | "prompts/get")
}

/// The revisions, newest first.
static REVISIONS: [Revision; 5] = [
    Revision {
        date: "2026-07-28",
        era: Era::Stateless,
        titles: true,
        icons: true,
        titles_in_contents: false,
        completions: true,
        completion_context: true,
        tool_annotations: true,
        structured: Structured::Any,
        audio: true,
        resource_links: true,
        elicitation: Elicitation::Urls,
        progress_messages: true,
        batches: false,
        null_id: false,
        sse_priming: false,
        result_envelope: true,
        shape: Shape::Official,
        notifies: true,
        extensions: true,
        shows_apps: false,
        masks_denied: false,
        not_found: -32602,
        denied: 403,
        internal: -32603,
        not_modified: 304,
    },
    Revision {
        date: "2025-11-25",
        era: Era::Handshake,
        titles: true,
        icons: true,
        titles_in_contents: false,
        completions: true,
        completion_context: true,
        tool_annotations: true,
        structured: Structured::Object,
        audio: true,
        resource_links: true,
        elicitation: Elicitation::UrlsWithIds,
        progress_messages: true,
        batches: false,
        null_id: false,
        sse_priming: true,
        result_envelope: false,
        shape: Shape::Official,
        notifies: true,
        extensions: true,
        shows_apps: false,
        masks_denied: false,
        not_found: RESOURCE_NOT_FOUND,
        denied: 403,
        internal: -32603,
        not_modified: 304,
    },
    Revision {
        date: "2025-06-18",
        era: Era::Handshake,
        titles: true,
        icons: false,
        titles_in_contents: true,
        completions: true,
        completion_context: true,
        tool_annotations: true,
        structured: Structured::Object,
        audio: true,
        resource_links: true,
        elicitation: Elicitation::Forms,
        progress_messages: true,
        batches: false,
        null_id: true,
        sse_priming: false,
        result_envelope: false,
        shape: Shape::Official,
        notifies: true,
        extensions: true,
        shows_apps: false,
        masks_denied: false,
        not_found: RESOURCE_NOT_FOUND,
        denied: 403,
        internal: -32603,
        not_modified: 304,
    },
    Revision {
        date: "2025-03-26",
        era: Era::Handshake,
        titles: false,
        icons: false,
        titles_in_contents: false,
        completions: true,
        completion_context: false,
        tool_annotations: true,
        structured: Structured::Absent,
        audio: true,
        resource_links: false,
        elicitation: Elicitation::Absent,
        progress_messages: true,
        batches: true,
        null_id: true,
        sse_priming: false,
        result_envelope: false,
        shape: Shape::Official,
        notifies: true,
        extensions: true,
        shows_apps: false,
        masks_denied: false,
        not_found: RESOURCE_NOT_FOUND,
        denied: 403,
        internal: -32603,
        not_modified: 304,
    },
    Revision {
        date: "2024-11-05",
        era: Era::Handshake,
        titles: false,
        icons: false,
        titles_in_contents: false,
        completions: false,
        completion_context: false,
        tool_annotations: false,
        structured: Structured::Absent,
        audio: false,
        resource_links: false,
        elicitation: Elicitation::Absent,
        progress_messages: false,
        batches: true,
        null_id: true,
        sse_priming: false,
        result_envelope: false,
        shape: Shape::Official,
        notifies: true,
        extensions: true,
        shows_apps: false,
        masks_denied: false,
        not_found: RESOURCE_NOT_FOUND,
        denied: 403,
        internal: -32603,
        not_modified: 304,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ServerOptions;

    fn policy_of(options: ServerOptions) -> Policy {
        Policy { options, ..Policy::default() }
    }

    fn revisions(policy: &Policy) -> Revisions {
        Revisions::new(policy).unwrap()
    }

    fn refusal(policy: &Policy) -> String {
        Revisions::new(policy).err().expect("this is refused").to_string()
    }

    fn codes(date: &str, policy: &Policy) -> (i32, i32) {
        let revision = *revisions(policy).all().iter().find(|r| r.as_str() == date).unwrap();
        (revision.code(Condition::NotFound), revision.code(Condition::Denied))
    }

    #[test]
    fn revisions_are_listed_newest_first() {
        let all = revisions(&Policy::default());
        let dates: Vec<_> = all.all().iter().map(Revision::as_str).collect();
        let mut sorted = dates.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        assert_eq!(dates, sorted);
    }

    #[test]
    fn each_revision_is_found_by_its_date_in_its_own_era_only() {
        let all = revisions(&Policy::default());
        for revision in all.all() {
            let other = if revision.era == Era::Handshake { Era::Stateless } else { Era::Handshake };
            assert_eq!(all.find(revision.era, revision.as_str()), Some(*revision));
            assert_eq!(all.find(other, revision.as_str()), None);
        }
        assert_eq!(all.find(Era::Handshake, "1.0.0"), None);
    }

    #[test]
    fn the_newest_revision_has_every_field() {
        let newest = Revision::newest();
        for revision in REVISIONS {
            assert!(newest.titles >= revision.titles && newest.icons >= revision.icons, "{revision}");
        }
    }

    #[test]
    fn without_omissions_every_revision_has_the_fields_of_the_newest() {
        let newest = Revision::newest();
        for revision in
            revisions(&policy_of(ServerOptions { omit_newer_fields: false, ..ServerOptions::default() }))
                .all()
        {
            let fields = |r: &Revision| (r.titles, r.icons, r.progress_messages);
            assert_eq!(fields(revision), fields(&newest), "{revision}");
        }
    }

    #[test]
    fn only_revisions_that_exist_can_be_enabled_and_one_must_be() {
        let enabled = |dates: &[&str]| Policy {
            revisions: RevisionSet::Only(dates.iter().map(|&v| v.to_owned()).collect()),
            ..Policy::default()
        };
        assert!(
            refusal(&enabled(&["2025-06-18", "2025-06-19"])).contains("\"2025-06-19\" is no revision of MCP")
        );
        assert!(refusal(&enabled(&[])).contains("name one"));
        let two = revisions(&enabled(&["2024-11-05", "2025-11-25"]));
        assert_eq!(two.newest(Era::Handshake).map(|r| r.as_str()), Some("2025-11-25"));
        assert_eq!(two.newest(Era::Stateless), None);
    }

    #[test]
    fn the_variant_profile_concerns_its_revision_only() {
        let policy =
            policy_of(ServerOptions { error_profile: ErrorProfile::Variant, ..ServerOptions::default() });
        assert_eq!(codes("2024-11-05", &policy), (-32001, -32002));
        assert_eq!(codes("2025-03-26", &policy), (-32002, 403));
        assert_eq!(codes("2026-07-28", &policy), (-32602, 403));
    }

    /// row: X-13
    #[test]
    fn no_code_means_both_not_found_and_denied() {
        for profile in [ErrorProfile::Official, ErrorProfile::Variant] {
            let policy = policy_of(ServerOptions { error_profile: profile, ..ServerOptions::default() });
            for revision in revisions(&policy).all() {
                let (not_found, denied) = codes(revision.as_str(), &policy);
                assert_ne!(not_found, denied, "{revision}");
            }
        }
        let same = ("2025-06-18".to_owned(), ErrorCondition::Denied, -32002);
        let policy = Policy { rpc_codes: vec![same], ..Policy::default() };
        assert!(refusal(&policy).contains("give them two codes"));
        let masked = Policy {
            options: ServerOptions { denied_resources: DeniedResources::Mask, ..ServerOptions::default() },
            ..policy
        };
        assert!(Revisions::new(&masked).is_ok());
    }

    #[test]
    fn reserved_codes_are_refused_for_the_stateless_revision() {
        let code = |date: &str, code| Policy {
            rpc_codes: vec![(date.to_owned(), ErrorCondition::NotFound, code)],
            ..Policy::default()
        };
        for reserved in [-32002, -32042, -32020] {
            assert!(refusal(&code("2026-07-28", reserved)).contains("reserves"), "{reserved}");
        }
        assert_eq!(codes("2026-07-28", &code("2026-07-28", 404)).0, 404);
        assert_eq!(codes("2025-11-25", &code("2025-11-25", -32042)).0, -32042);
        assert!(refusal(&code("2025-11-26", 404)).contains("no revision of MCP"));
    }
}
