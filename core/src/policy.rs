//! A server's choices where revisions, documents or applications differ. Each choice has a word, the same in all
//! languages, for display and for parsing.

use crate::access::AccessCheck;
use crate::error::{Error, ErrorKind};
use crate::model::{Cache, CacheHint, CacheScope};
use crate::options::ServerOptions;
use crate::revision::{RevisionSet, TITLES_IN_CONTENTS_OF, VARIANT};
use std::fmt;
use std::str::FromStr;

/// Says which document defines the codes of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ErrorProfile {
    /// `official`: the published revisions of the protocol.
    #[default]
    Official,
    /// `variant-2024-11-05`: clients of that revision get -32001 for not found and -32002 for permission denied. The
    /// specification had these codes for two days, and some early clients know them. A client does not say which codes it
    /// knows.
    Variant,
}

/// A condition for which [`crate::Builder::rpc_code`] sets the JSON-RPC code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCondition {
    /// `not_found`: the client asked for a resource that does not exist.
    NotFound,
    /// `denied`: the client asked for something that the authorizer denies.
    Denied,
    /// `internal_error`: a callback failed, or did not answer in time.
    InternalError,
    /// `not_modified`: the client has the current version of the resource. Only clients of the `resources/get` dialect
    /// get this error.
    NotModified,
}

/// Says what a client gets that asks for a resource which the authorizer denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum DeniedResources {
    /// `error`: an error, "permission denied".
    #[default]
    Error,
    /// `mask`: the same answer as for a resource that does not exist.
    Mask,
}

/// Says which clients get tools that are for apps only in their lists. The `visibility` of such a tool lacks `model`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AppOnlyTools {
    /// `app_clients`: clients that declare that they show apps. Other clients would show the tools to the model.
    #[default]
    AppClients,
    /// `all_clients`: all clients.
    AllClients,
}

/// Says what a client gets that lists resources, templates, tools or prompts on a server that offers none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UndeclaredLists {
    /// `error`: the error "method not found", as the protocol says.
    #[default]
    Error,
    /// `empty`: an empty list, for clients that do not look at the capabilities.
    Empty,
}

/// Says which clients get the `name` and `title` of a resource with its contents, and its `title` with notifications of
/// its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TitlesInContents {
    /// `2025-06-18`: clients of that revision, whose documentation showed these members.
    #[default]
    AsPublished,
    /// `never`: no client.
    Never,
    /// `always`: clients of every revision.
    Always,
}

/// Says what a client gets that subscribes to a URI which no registration serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SubscribeUnknown {
    /// `deny`: the error "not found".
    #[default]
    Deny,
    /// `allow`: a subscription, because the resource may come to exist.
    Allow,
}

/// Says when a connection accepts the `resources/get` dialect, an older protocol without a handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// `auto`: after the client has sent a message that only the dialect has.
    #[default]
    Auto,
    /// `always`: from the start of every connection.
    Always,
    /// `never`: not at all.
    Never,
}

/// Says what a client gets that calls a tool which does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UnknownTool {
    /// `error`: an error of the protocol, which the model may not see.
    #[default]
    Error,
    /// `result`: a result with `isError` that the model reads.
    Result,
}

/// Says what a client gets that calls a tool with arguments which break its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum InvalidArguments {
    /// `result`: a result with `isError` that the model reads.
    #[default]
    Result,
    /// `error`: an error of the protocol, with the same text.
    Error,
}

/// Says which text the model gets if the callback of a tool failed. The log has the reason in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ToolErrors {
    /// `hide`: the text "The tool failed".
    #[default]
    Hide,
    /// `show`: the text of the error that the callback returned or threw. Such texts may contain paths and other secrets.
    Show,
}

/// Says when the structured content of a tool's result is compared with its `outputSchema`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CheckOutput {
    /// `debug`: in debug builds of the library.
    #[default]
    Debug,
    /// `on`: in every build.
    On,
    /// `off`: in no build.
    Off,
}

impl CheckOutput {
    pub(crate) fn is_on(self) -> bool {
        match self {
            CheckOutput::Debug => cfg!(debug_assertions),
            CheckOutput::On => true,
            CheckOutput::Off => false,
        }
    }
}

/// A kind of answer that clients may cache, for which [`crate::Builder::cache_of`] sets a caching hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cacheable {
    /// `discover`: the server's description of itself (`server/discover`).
    Discover,
    /// `resources`: the pages of the list of resources (`resources/list`).
    Resources,
    /// `templates`: the pages of the list of templates (`resources/templates/list`).
    Templates,
    /// `tools`: the pages of the list of tools (`tools/list`).
    Tools,
    /// `prompts`: the pages of the list of prompts (`prompts/list`).
    Prompts,
    /// `reads`: the contents of resources (`resources/read`).
    Reads,
}

macro_rules! words {
    ($($name:ident { $($choice:ident = $word:expr),+ $(,)? })+) => {$(
        impl $name {
            pub(crate) const WORDS: &[($name, &str)] = &[$(($name::$choice, $word)),+];
            /// The words of all choices. The first is the default, if there is one.
            #[allow(dead_code, reason = "the table of options does not list every type")]
            pub(crate) const NAMES: &[&str] = &[$($word),+];
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($name::$choice => $word,)+
                })
            }
        }

        impl FromStr for $name {
            type Err = Error;

            /// # Errors
            /// [`ErrorKind::InvalidArgument`] if no choice has this word.
            fn from_str(word: &str) -> Result<Self, Error> {
                Self::WORDS.iter().find(|(_, own)| *own == word).map(|(choice, _)| *choice).ok_or_else(|| {
                    let words: Vec<_> = Self::WORDS.iter().map(|(_, own)| *own).collect();
                    let message = format!("\"{word}\" is none of {}", words.join(", "));
                    Error::new(ErrorKind::InvalidArgument, message)
                })
            }
        }
    )+};
}

words! {
    ErrorProfile { Official = "official", Variant = VARIANT }
    ErrorCondition {
        NotFound = "not_found",
        Denied = "denied",
        InternalError = "internal_error",
        NotModified = "not_modified",
    }
    DeniedResources { Error = "error", Mask = "mask" }
    UndeclaredLists { Error = "error", Empty = "empty" }
    AppOnlyTools { AppClients = "app_clients", AllClients = "all_clients" }
    TitlesInContents { AsPublished = TITLES_IN_CONTENTS_OF, Never = "never", Always = "always" }
    SubscribeUnknown { Deny = "deny", Allow = "allow" }
    UnknownTool { Error = "error", Result = "result" }
    InvalidArguments { Result = "result", Error = "error" }
    ToolErrors { Hide = "hide", Show = "show" }
    CheckOutput { Debug = "debug", On = "on", Off = "off" }
    CacheScope { Public = "public", Private = "private" }
    Cacheable {
        Discover = "discover",
        Resources = "resources",
        Templates = "templates",
        Tools = "tools",
        Prompts = "prompts",
        Reads = "reads",
    }
    Dialect { Auto = "auto", Always = "always", Never = "never" }
}

/// All choices of a server about the form of its answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Policy {
    /// The dates of the revisions that are served.
    pub(crate) revisions: RevisionSet<String>,
    pub(crate) rpc_codes: Vec<(String, ErrorCondition, i32)>,
    pub(crate) options: ServerOptions,
    /// Caching hints for all cacheable answers, and for some kinds of them.
    pub(crate) cache: CacheHint,
    pub(crate) cache_of: Vec<(Cacheable, CacheHint)>,
}

impl Policy {
    /// Returns how long an answer may be cached, and for whom. `said` is the hint of this answer alone. With
    /// an authorizer, answers may differ between callers, so that a general hint does not make one public.
    pub(crate) fn cache(&self, kind: Cacheable, said: CacheHint, check: AccessCheck) -> Cache {
        let of_kind = self.cache_of.iter().rev().filter(|(of, _)| *of == kind);
        let said = of_kind.fold(said, |said, (_, hint)| said.or(*hint));
        let scope = said.scope.or(self.cache.scope.filter(|_| check == AccessCheck::NotRequired));
        Cache::Hint {
            ttl_ms: said.ttl_ms.or(self.cache.ttl_ms).unwrap_or(0),
            public: scope == Some(CacheScope::Public),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_parsed_from_its_displayed_form() {
        for (profile, word) in ErrorProfile::WORDS {
            assert_eq!((word.parse().ok(), profile.to_string().as_str()), (Some(*profile), *word));
        }
        for (when, word) in TitlesInContents::WORDS {
            assert_eq!((word.parse().ok(), when.to_string().as_str()), (Some(*when), *word));
        }
    }

    #[test]
    fn another_word_is_refused_with_those_there_are() {
        let refused = "sometimes".parse::<Dialect>().unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        assert_eq!(refused.to_string(), "\"sometimes\" is none of auto, always, never");
    }
}
