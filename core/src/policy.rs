//! A server's choices where revisions, documents or applications differ. Each choice has a word, the same in all
//! languages, for display and for parsing.

use crate::access::AccessCheck;
use crate::error::{Error, ErrorKind};
use crate::model::{Cache, CacheHint, CacheScope};
use crate::options::ServerOptions;
use crate::revision::{RevisionSet, TITLES_IN_CONTENTS_OF, VARIANT};
use std::fmt;
use std::str::FromStr;

/// The document that settles the codes of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ErrorProfile {
    /// `official`: the published revisions.
    #[default]
    Official,
    /// `variant-2024-11-05`: clients of that revision get -32001 for not found and -32002 for permission denied. The
    /// specification had these codes for two days, and some early clients know them. A client does not say which codes it
    /// knows.
    Variant,
}

/// A condition whose error code the application may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorCondition {
    /// `resource_not_found`.
    ResourceNotFound,
    /// `permission_denied`.
    PermissionDenied,
    /// `internal_error`.
    InternalError,
    /// `not_modified`: sent to clients of the dialect only.
    NotModified,
}

/// The answer to a client that asks for a resource that the application denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PermissionDenied {
    /// `error`: permission denied.
    #[default]
    Error,
    /// `mask`: the answer for a resource that does not exist.
    Mask,
}

/// The clients that are told of tools for apps only, whose `visibility` lacks `model`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AppOnlyTools {
    /// `app_clients`: those that declare that they show apps. Others would show the tools to the model.
    #[default]
    AppClients,
    /// `all_clients`: all clients.
    AllClients,
}

/// The answer to a client that lists tools or prompts on a server that offers none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UndeclaredLists {
    /// `error`: method not found, as the protocol says.
    #[default]
    Error,
    /// `empty`: an empty list, for clients that do not look at the capabilities.
    Empty,
}

/// The clients for which contents carry the `name` and `title` of their resource, and updates carry its `title`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TitlesInContents {
    /// `2025-06-18`: for clients of the revision whose page showed these members.
    #[default]
    AsPublished,
    /// `never`.
    Never,
    /// `always`: in every revision.
    Always,
}

/// The fate of a subscription to a URI that no registration serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum SubscribeUnknown {
    /// `deny`: the client gets "not found".
    #[default]
    Deny,
    /// `allow`: the subscription is kept, because the resource may come to exist.
    Allow,
}

/// The conditions under which clients of revisions with a handshake may use the `resources/get` dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// `auto`: when a client sends a message that only the dialect has.
    #[default]
    Auto,
    /// `always`: from the start of every connection.
    Always,
    /// `never`: the dialect is not served.
    Never,
}

/// The answer to the call of a tool that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum UnknownTool {
    /// `error`: an error of the protocol.
    #[default]
    Error,
    /// `result`: a result with `isError` that the model reads.
    Result,
}

/// The answer to the call of a tool whose arguments break its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum InvalidArguments {
    /// `result`: a result with `isError` that the model reads.
    #[default]
    Result,
    /// `error`: an error of the protocol, with the same text.
    Error,
}

/// The text that the model gets of a tool whose callback failed. The log has the reason in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ToolErrors {
    /// `hide`: "The tool failed".
    #[default]
    Hide,
    /// `show`: the text of the error that the callback returned or threw. Such texts may contain paths and other secrets.
    Show,
}

/// The builds in which structured content is compared with the `outputSchema` of its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CheckOutput {
    /// `debug`: in debug builds of the library.
    #[default]
    Debug,
    /// `on`: always.
    On,
    /// `off`: never.
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

/// A kind of answer that clients may cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cacheable {
    /// `discover`: the description of the server.
    Discover,
    /// `resources`: pages of the list of resources.
    Resources,
    /// `templates`: pages of the list of templates.
    Templates,
    /// `tools`: pages of the list of tools.
    Tools,
    /// `prompts`: pages of the list of prompts.
    Prompts,
    /// `reads`: contents.
    Reads,
}

macro_rules! words {
    ($($name:ident { $($choice:ident = $word:expr),+ $(,)? })+) => {$(
        impl $name {
            pub(crate) const WORDS: &[($name, &str)] = &[$(($name::$choice, $word)),+];
            /// The words alone. The first is the default, if there is one.
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
            /// [`ErrorKind::InvalidArgument`] for another word.
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
        ResourceNotFound = "resource_not_found",
        PermissionDenied = "permission_denied",
        InternalError = "internal_error",
        NotModified = "not_modified",
    }
    PermissionDenied { Error = "error", Mask = "mask" }
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
    pub(crate) versions: RevisionSet<String>,
    pub(crate) error_codes: Vec<(String, ErrorCondition, i32)>,
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
    fn a_choice_is_parsed_from_what_it_is_displayed_as() {
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
