//! One table of the options, limits and counters that each language has: name, values, default and meaning. The core takes
//! its defaults from here. `core/tests/options` adds to each language what it lacks of [`OPTIONS`], compares the languages with
//! it and with [`WORD_LISTS`], and writes `OPTIONS.md`.

use crate::counters::Counters;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::log::Severity;
use crate::model::{CacheScope, ToolLimits};
#[allow(clippy::wildcard_imports, reason = "a row may have each of its words")]
use crate::policy::*;

/// One row of the table: an option, a limit or a counter.
#[derive(Debug, Clone, Copy)]
pub struct OptionEntry {
    /// The name, as in the first column of `NAMES.md`. That of a number ends in its unit: `_bytes`, `_ms` or
    /// `_percent`. Other numbers are counts.
    pub name: &'static str,
    /// The type of its value, and the default.
    pub kind: OptionKind,
    /// True if a number may be 0. Otherwise 0 is refused.
    pub or_zero: bool,
    /// The lines of its description.
    pub about: &'static [&'static str],
}

/// The type of an option's value, with the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number. This is the default.
    Number(u64),
    /// A boolean, whose default this is. The C interface sets it by a flag that means the opposite of the default.
    Switch(bool),
    /// One of these words; the first is the default.
    Word(&'static [&'static str]),
    /// A text. This variant and those below hold a description of the default for people; empty if there is nothing to
    /// say.
    Text(&'static str),
    /// A list of texts.
    List(&'static str),
    /// An object with members of its own.
    Object(&'static str),
    /// A value for each of these words, all optional.
    ByWord(&'static [&'static str]),
    /// A callback of the application.
    Callback(&'static str),
    /// A whole number that is a limit. If the application sets none, there is no limit.
    Limit,
    /// A number that the server counts, and the application reads.
    Counter,
}

/// The value that an application gives to an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// A whole number.
    Number(u64),
    /// A boolean.
    Switch(bool),
    /// A text, or one of the words that an option takes.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

/// Sets options by their names in the table, so that bindings need no code for each of them.
pub trait SetOption: Sized {
    /// The options that this object has.
    const OPTIONS: &'static [OptionEntry];

    /// Sets the option of that name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for an unknown name, a value of another type, and a word that the option does not
    /// have.
    fn set_option(self, name: &str, value: OptionValue) -> Result<Self>;

    /// Returns the option of that name if it is a number, a boolean, a text, a word or a list. `None` for other
    /// options, which cannot be set by name.
    fn find_option(name: &str) -> Option<&'static OptionEntry> {
        use OptionKind::{List, Number, Switch, Text, Word};
        let by_name = |option: &&OptionEntry| {
            matches!(option.kind, Number(_) | Switch(_) | Text(_) | Word(_) | List(_))
        };
        Self::OPTIONS.iter().filter(by_name).find(|option| option.name == name)
    }
}

/// The text that an application gave to an option, and the default or its description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OptionText {
    given: Option<String>,
    pub(crate) default: &'static str,
}

impl OptionText {
    /// Makes the value of an option that the application does not set.
    pub(crate) const fn or(default: &'static str) -> Self {
        OptionText { given: None, default }
    }

    /// Sets the text that the application gives.
    pub(crate) fn set(&mut self, text: impl Into<String>) {
        self.given = Some(text.into());
    }

    /// Returns the application's text, or else the default.
    pub(crate) fn get(&self) -> &str {
        self.given.as_deref().unwrap_or(self.default)
    }

    /// Returns the application's text; `None` if it gave none. For an option whose default is a description.
    pub(crate) fn if_given(&self) -> Option<&str> {
        self.given.as_deref()
    }
}

impl From<&str> for OptionText {
    fn from(text: &str) -> Self {
        OptionText { given: Some(text.to_owned()), default: "" }
    }
}

/// Returns the value for a field of that type; `None` if the value is of another type.
macro_rules! value {
    (u64, $value:expr) => {
        if let $crate::options::OptionValue::Number(number) = *$value { Some(number) } else { None }
    };
    (usize, $value:expr) => {
        $crate::options::value!(u64, $value).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    };
    (bool, $value:expr) => {
        if let $crate::options::OptionValue::Switch(on) = *$value { Some(on) } else { None }
    };
    (OptionText, $value:expr) => {
        if let $crate::options::OptionValue::Text(text) = $value { Some(text.as_str().into()) } else { None }
    };
    ($word:ident, $value:expr) => {
        if let $crate::options::OptionValue::Text(word) = $value { Some(word.parse()?) } else { None }
    };
}

pub(crate) fn no_such_option(name: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("no option \"{name}\" takes such a value; see OPTIONS.md"))
}

/// The words that a value may have, the same in each language. No option of the table has these words by itself.
#[derive(Debug, Clone, Copy)]
pub struct WordList {
    /// The name of the value in the documentation.
    pub name: &'static str,
    /// The words.
    pub words: &'static [&'static str],
    /// The meaning of the value, for the documentation.
    pub about: &'static str,
}

/// Options that belong to one object.
#[derive(Debug, Clone, Copy)]
pub struct OptionSet {
    /// The object that has these options.
    pub name: &'static str,
    /// A text about all of them; empty if there is none.
    pub about: &'static str,
    /// The tables of `NAMES.md` that list them.
    pub sections: &'static [&'static str],
    /// The options, in the order of the documentation.
    pub options: &'static [OptionEntry],
}

/// Makes a struct of options with their defaults, and the list of them for [`OPTIONS`]. The type of a row is `u64` or `usize` for
/// a number, `bool` for a switch, [`OptionText`], or an enumeration of `policy.rs`, whose first word is the default. `or 0` allows 0
/// for a number. `also` adds to the list the options that their builder keeps in a form of its own.
macro_rules! options {
    ($(#[$meta:meta])* $vis:vis struct $set:ident {
        $($(#[doc = $about:literal])* $reach:vis $name:ident: $type:ident $(or $zero:literal)? = $default:expr,)*
    }
    $(also { $($(#[doc = $further_about:literal])* $further:ident: $kind:ident($value:expr),)* })?) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[allow(clippy::struct_excessive_bools, reason = "each switch is independent of the others")]
        $vis struct $set {
            $($(#[doc = $about])* $reach $name: $type,)*
        }

        #[allow(dead_code, reason = "a driver uses its defaults, and features choose the drivers")]
        impl $set {
            pub(crate) const DEFAULT: $set = $set { $($name: $default,)* };
            pub(crate) const OPTIONS: &[$crate::options::OptionEntry] = &[
                $($crate::options::OptionEntry {
                    name: stringify!($name),
                    kind: $crate::options::kind!($type, $default),
                    or_zero: !<[u8]>::is_empty(&[$($zero)?]),
                    about: &[$($about),*],
                },)*
                $($($crate::options::OptionEntry {
                    name: stringify!($further),
                    kind: $crate::options::OptionKind::$kind($value),
                    or_zero: false,
                    about: &[$($further_about),*],
                },)*)?
            ];

            /// Fails if a number is 0 whose row does not allow that.
            pub(crate) fn check_zeros(&self) -> $crate::error::Result<()> {
                let zeros = [$((stringify!($name), $crate::options::is_zero!($type, self.$name)),)*];
                let refused = |name: &&str| Self::OPTIONS.iter().any(|row| row.name == *name && !row.or_zero);
                let zero = zeros.into_iter().filter(|(_, is_zero)| *is_zero).map(|(name, _)| name).find(refused);
                zero.map_or(Ok(()), |name| Err($crate::limits::zero_error(name)))
            }

            /// Sets the number, boolean, text or word of that name.
            pub(crate) fn put(
                &mut self,
                name: &str,
                value: &$crate::options::OptionValue,
            ) -> $crate::error::Result<()> {
                match name {
                    $(stringify!($name) => {
                        if let Some(value) = $crate::options::value!($type, value) {
                            self.$name = value;
                            return Ok(());
                        }
                    })*
                    _ => {}
                }
                Err($crate::options::no_such_option(name))
            }
        }

        impl Default for $set {
            fn default() -> Self {
                $set::DEFAULT
            }
        }
    };
}

/// Makes a struct of limits that are off by default, and the list of them for [`OPTIONS`].
macro_rules! optional_limits {
    ($(#[$meta:meta])* pub struct $set:ident { $($(#[doc = $about:literal])* pub $name:ident: $type:ident,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $set {
            $($(#[doc = $about])* pub $name: Option<$type>,)*
        }

        impl $set {
            pub(crate) const OPTIONS: &[$crate::options::OptionEntry] = &[
                $($crate::options::OptionEntry {
                    name: stringify!($name),
                    kind: $crate::options::OptionKind::Limit,
                    or_zero: false,
                    about: &[$($about),*],
                },)*
            ];

            /// # Errors
            /// [`crate::ErrorKind::InvalidArgument`] for a limit of 0.
            pub(crate) fn check(&self) -> $crate::error::Result<()> {
                $(if self.$name == Some(0) {
                    return Err($crate::limits::zero_error(stringify!($name)));
                })*
                Ok(())
            }
        }
    };
}

/// Makes a struct of counters, and the list of them for [`OPTIONS`].
macro_rules! counters {
    ($(#[$meta:meta])* pub struct $set:ident { $($(#[doc = $about:literal])* pub $name:ident: u64,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $set {
            $($(#[doc = $about])* pub $name: u64,)*
        }

        impl $set {
            pub(crate) const OPTIONS: &[$crate::options::OptionEntry] = &[
                $($crate::options::OptionEntry {
                    name: stringify!($name),
                    kind: $crate::options::OptionKind::Counter,
                    or_zero: true,
                    about: &[$($about),*],
                },)*
            ];
        }
    };
}

macro_rules! kind {
    (OptionText, $default:expr) => {{
        const TEXT: &$crate::options::OptionText = &$default;
        $crate::options::OptionKind::Text(TEXT.default)
    }};
    (bool, $default:expr) => {
        $crate::options::OptionKind::Switch($default)
    };
    (usize, $default:expr) => {
        $crate::options::OptionKind::Number($default as u64)
    };
    (u64, $default:expr) => {
        $crate::options::OptionKind::Number($default)
    };
    ($word:ident, $default:expr) => {{
        assert!($word::WORDS[0].0 as u8 == $default as u8, "the first word is the default");
        $crate::options::OptionKind::Word($word::NAMES)
    }};
}

macro_rules! is_zero {
    (u64, $value:expr) => {
        $value == 0
    };
    (usize, $value:expr) => {
        $value == 0
    };
    ($other:ident, $value:expr) => {
        false
    };
}

pub(crate) use {counters, is_zero, kind, optional_limits, options, value};

options! {
    /// The options of a server.
    pub(crate) struct ServerOptions {
        /// The server's name for people.
        pub(crate) title: OptionText = OptionText::or(""),
        /// A description of the server for people; sent from 2025-11-25 on.
        pub(crate) description: OptionText = OptionText::or(""),
        /// The URL of a page about the server; sent from 2025-11-25 on.
        pub(crate) website_url: OptionText = OptionText::or(""),
        /// Instructions for models on how to use the server.
        pub(crate) instructions: OptionText = OptionText::or(""),
        /// The name of this instance among the instances that share their changes.
        pub(crate) instance_name: OptionText = OptionText::or("random"),
        /// Lets clients subscribe to resources.
        pub(crate) subscribe: bool = true,
        /// Notifies clients when the server's list of resources changes.
        pub(crate) list_changed: bool = true,
        /// Leaves out fields that the client's revision does not have.
        pub(crate) omit_newer_fields: bool = true,
        /// Declares extensions to clients of the handshake era, too, though their revisions lack the member for them.
        pub(crate) handshake_extensions: bool = true,
        /// Shows resources also as tools, for clients that use tools only: `list_resources`, `read_resource`, and one
        /// for each template.
        pub(crate) resources_as_tools: bool = false,
        /// The document that defines JSON-RPC codes.
        pub(crate) error_profile: ErrorProfile = ErrorProfile::Official,
        /// The answer to a client that asks for a resource which the authorizer denies: an error, or that for a
        /// resource that does not exist.
        pub(crate) denied_resources: DeniedResources = DeniedResources::Error,
        /// The answer to a client that asks for a list which the server does not offer: an error, or an empty list.
        pub(crate) undeclared_lists: UndeclaredLists = UndeclaredLists::Error,
        /// The clients that get tools for apps only in their lists: those that declare that they show apps, or all.
        pub(crate) app_only_tools: AppOnlyTools = AppOnlyTools::AppClients,
        /// The clients that get the `name` and `title` of a resource with its contents: those of one revision, none, or
        /// all.
        pub(crate) titles_in_contents: TitlesInContents = TitlesInContents::AsPublished,
        /// The answer to a subscription to a URI that no registration serves.
        pub(crate) subscribe_unknown: SubscribeUnknown = SubscribeUnknown::Deny,
        /// The clients to which the server speaks the `resources/get` dialect, an older protocol. `auto` means those
        /// that use it.
        pub(crate) dialect: Dialect = Dialect::Auto,
        /// The answer to the call of a tool that does not exist: an error of the protocol, or a result that the model
        /// reads.
        pub(crate) unknown_tool: UnknownTool = UnknownTool::Error,
        /// The answer to the call of a tool with wrong arguments: a result that the model reads, or an error of the
        /// protocol.
        pub(crate) invalid_arguments: InvalidArguments = InvalidArguments::Result,
        /// The text that the model gets if the callback of a tool failed: a neutral one, or that of the error.
        pub(crate) tool_errors: ToolErrors = ToolErrors::Hide,
        /// The builds in which structured content is compared with the `outputSchema` of its tool. `debug` means debug
        /// builds of the library.
        pub(crate) check_output: CheckOutput = CheckOutput::Debug,
    }
    also {
        /// The key of 32 bytes that seals cursors. All instances share it. Over stdio the default is derived from the name and
        /// version of the server.
        cursor_key: Text("random"),
        /// The revisions of MCP to serve, by their dates.
        revisions: List("all"),
        /// Limits for clients.
        limits: Object(""),
        /// Capabilities to declare in addition to those that registrations declare.
        capabilities: Object(""),
        /// Extensions of the protocol to declare, each with its settings.
        extensions: Object(""),
        /// The extension that each further `resultType` of results belongs to.
        result_type_extensions: Object(""),
        /// Further kinds of lists whose changes can be announced, each with the method of its notification.
        list_changed_methods: Object(""),
        /// Caching hint for all responses. Without it clients may not reuse them.
        cache: Object(""),
        /// Caching hints for kinds of responses.
        cache_of: ByWord(Cacheable::NAMES),
        /// JSON-RPC codes for conditions, each for clients of one revision.
        rpc_codes: ByWord(ErrorCondition::NAMES),
        /// Called when a callback of the application begins and when it ends.
        observe: Callback(""),
        /// The clock that measures calls for `observe`.
        clock: Callback(""),
        /// Called with each line of the log.
        on_log: Callback("standard error"),
    }
}

options! {
    /// The options of an endpoint over HTTP.
    pub(crate) struct EndpointOptions {
        /// The path that clients POST to.
        pub(crate) path: OptionText = OptionText::or("/mcp"),
        /// Refuses requests whose `Host`, or `Origin` if there is one, does not name this machine. A listener decides this by
        /// the address that it is bound to.
        pub(crate) loopback_only: bool = true,
        /// Lets web pages of the allowed origins read responses (CORS).
        pub(crate) cors: bool = false,
        /// Refuses requests whose `Accept` lacks one of the two types that the protocol requires.
        pub(crate) strict_accept: bool = false,
        /// Refuses requests without a bearer token, if there is `verify`. If it is off, `verify` also judges requests
        /// without a token, by another header field, such as a cookie or an API key.
        pub(crate) token_required: bool = true,
        /// Gives clients of the handshake era sessions. If it is off, these clients cannot subscribe.
        pub(crate) sessions: bool = true,
        /// Milliseconds without use after which a session ends.
        pub(crate) session_ms: u64 = 3_600_000,
        /// The greatest number of open sessions, at least 1.
        pub(crate) session_limit: usize = 10_000,
        /// Lets clients end their session with DELETE.
        pub(crate) delete: bool = true,
        /// Milliseconds without an event after which an event stream gets a comment, which keeps it open.
        pub(crate) keep_alive_ms: u64 = 15_000,
        /// Milliseconds that the head of a request may take to arrive.
        pub(crate) head_ms: u64 = 10_000,
        /// Milliseconds that the body of a request may take to arrive.
        pub(crate) body_ms: u64 = 30_000,
        /// Milliseconds after which a TCP connection without a request is closed, or one whose client does not read its
        /// response.
        pub(crate) idle_ms: u64 = 60_000,
        /// Bytes of events that a session keeps for a client whose event stream broke.
        pub(crate) replay_bytes: usize or 0 = 1 << 20,
    }
    also {
        /// Origins of web pages that may send requests, in addition to those of this machine with `loopback_only`.
        allowed_origins: List(""),
        /// Host names that requests may name. Without any, the endpoint accepts those of this machine with
        /// `loopback_only`, otherwise all.
        allowed_hosts: List(""),
        /// Judges the bearer token of each request. Without it requests need no token.
        verify: Callback(""),
        /// The description that clients get of an endpoint that needs tokens: its URL, authorization servers and
        /// scopes.
        protect: Object(""),
    }
}

options! {
    /// The options of the HTTP listener.
    pub(crate) struct ListenerOptions {
        /// The number of threads that run callbacks. 0: they run on the threads that read and write. C has
        /// `WELLHEAD_CALLBACKS_INLINE` for that, and Python refuses it.
        pub(crate) callback_threads: usize or 0 = 1,
        /// The number of threads that read and write, 1 to 1,024.
        pub(crate) io_threads: usize = 1,
        /// The greatest number of open TCP connections, at least 1. Further ones wait to be accepted.
        pub(crate) tcp_connection_limit: usize = 10_000,
        /// Milliseconds that answers may still take after the server is closed.
        pub(crate) shutdown_ms: u64 or 0 = 5_000,
        /// Closes the server when the process gets SIGTERM. Python always does, in the main thread.
        pub(crate) handle_sigterm: bool = false,
    }
}

options! {
    /// The options of the stdio driver.
    pub(crate) struct StdioOptions {
        /// The number of threads that run callbacks. 0: they run on the thread that reads. C has
        /// `WELLHEAD_CALLBACKS_INLINE` for that, and Python refuses it.
        pub(crate) callback_threads: usize or 0 = 1,
        /// Milliseconds that answers may still take after the end of input.
        pub(crate) shutdown_ms: u64 or 0 = 5_000,
        /// Points descriptors 0 and 1 of the process elsewhere while the server runs, so that a stray print does not
        /// reach the client.
        pub(crate) guard_stdio: bool = true,
        /// Ends the service when the process gets SIGTERM. Python always does, in the main thread.
        pub(crate) handle_sigterm: bool = false,
    }
}

options! {
    /// The options of a folder.
    pub(crate) struct FolderOptions {
        /// The greatest number of bytes of a file that is served.
        pub(crate) max_file_bytes: u64 = 64 << 20,
        /// Notifies clients of changes in the folder.
        pub(crate) watch: bool = true,
        /// Milliseconds without a change before clients are notified, at most 60,000.
        pub(crate) settle_ms: u64 or 0 = 50,
    }
    also {
        /// Patterns of the files to serve, in the form of lines of `.gitignore`.
        include: List("all files"),
        /// Patterns of entries that are not served. They win over `include`.
        exclude: List(""),
    }
}

options! {
    /// The options of a folder of skills.
    pub(crate) struct SkillOptions {
        /// Notifies clients of changes in the folder.
        pub(crate) watch: bool = true,
        /// Milliseconds without a change before clients are notified, at most 60,000.
        pub(crate) settle_ms: u64 or 0 = 50,
        /// The first segment of all URIs: letters, digits and `-._~`. Without it, a folder that is a skill itself has
        /// its own name there.
        pub(crate) prefix: OptionText = OptionText::or("none"),
    }
}

/// All options, limits and counters, grouped by the struct or function that takes them.
pub const OPTIONS: &[OptionSet] = &[
    OptionSet {
        name: "server",
        about: "",
        sections: &["Options of a server"],
        options: ServerOptions::OPTIONS,
    },
    OptionSet {
        name: "limits",
        about: "Bounds on the resources that one client may use. Each is at least 1. What is refused gets an error. A \
                connection that holds back starts no further calls, and then reads nothing, until there is room.",
        sections: &["Limits"],
        options: Limits::OPTIONS,
    },
    OptionSet {
        name: "tool limits",
        about: "A call beyond a limit is refused with \"Busy\", and the client may try again.",
        sections: &["Limits of a tool"],
        options: ToolLimits::OPTIONS,
    },
    OptionSet {
        name: "endpoint",
        about: "",
        // Some languages have two options of the endpoint only where a listener serves it.
        sections: &["Options of an HTTP endpoint", "Options of the HTTP listener"],
        options: EndpointOptions::OPTIONS,
    },
    OptionSet {
        name: "listener",
        about: "The listener also takes the options of an endpoint.",
        sections: &["Options of the HTTP listener"],
        options: ListenerOptions::OPTIONS,
    },
    OptionSet { name: "stdio", about: "", sections: &["Options of stdio"], options: StdioOptions::OPTIONS },
    OptionSet {
        name: "folder",
        about: "",
        sections: &["Options of a folder"],
        options: FolderOptions::OPTIONS,
    },
    OptionSet { name: "skills", about: "", sections: &["Options of skills"], options: SkillOptions::OPTIONS },
    OptionSet {
        name: "counters",
        about: "Counts since the server was made, and of the things that are open. They are read at slightly different \
                moments.",
        sections: &["Counters"],
        options: Counters::OPTIONS,
    },
];

/// The words that languages share, other than those of [`OPTIONS`].
pub const WORD_LISTS: &[WordList] = &[
    WordList { name: "severity", words: Severity::NAMES, about: "The severity of a line of the log." },
    WordList {
        name: "cache scope",
        words: CacheScope::NAMES,
        about: "Who may reuse a response: every caller, or the caller who got it.",
    },
];
