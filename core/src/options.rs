//! One table of the options, limits and counters that each language has: name, values, default and meaning. The core takes
//! its defaults from here. `core/tests/options` adds to each language what it lacks of [`OPTIONS`], compares the languages with
//! it and with [`WORD_LISTS`], and writes `OPTIONS.md`.

use crate::counters::Counters;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::log::Level;
use crate::model::CacheScope;
use crate::policy::{
    Cacheable, CheckOutput, Dialect, ErrorCondition, ErrorProfile, InvalidArguments, PermissionDenied,
    SubscribeUnknown, TitlesInContents, UndeclaredLists, UnknownTool,
};

/// An option, a limit or a counter.
#[derive(Debug, Clone, Copy)]
pub struct OptionEntry {
    /// The name, as the first column of `NAMES.md` has it. That of a number ends in its unit: `_bytes`, `_ms` or
    /// `_percent`. Other numbers are counts.
    pub name: &'static str,
    /// The values that it takes, and its default.
    pub kind: OptionKind,
    /// The lines of its meaning.
    pub about: &'static [&'static str],
}

/// The values that an option takes, with the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number.
    Number(u64),
    /// On or off. C has a constant for the value that is not the default.
    Switch(bool),
    /// One of these words; the first is the default.
    Word(&'static [&'static str]),
    /// A text. This and the kinds below have the default as people read it, empty if there is none to tell.
    Text(&'static str),
    /// A list of texts.
    List(&'static str),
    /// An object with members of its own.
    Object(&'static str),
    /// A value for each of some of these words.
    ByWord(&'static [&'static str]),
    /// A function of the application.
    Callback(&'static str),
    /// A number that the server counts, and the application reads.
    Counter,
}

/// The value of an option that is set by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionValue {
    /// A whole number.
    Number(u64),
    /// On or off.
    Switch(bool),
    /// A text, or one of some words.
    Text(String),
    /// A list of texts.
    List(Vec<String>),
}

/// Takes options by their names in the table, so that bindings need no code for each of them.
pub trait SetOption: Sized {
    /// The options that it has.
    const OPTIONS: &'static [OptionEntry];

    /// Sets the option of that name.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a word that the option does not have, and for a name or a kind of value that no
    /// option has.
    fn set_option(self, name: &str, value: OptionValue) -> Result<Self>;

    /// Returns the option of that name if it can be set by its name: it is a number, a switch, a text, a word or a list.
    fn find_option(name: &str) -> Option<&'static OptionEntry> {
        use OptionKind::{List, Number, Switch, Text, Word};
        let by_name = |option: &&OptionEntry| {
            matches!(option.kind, Number(_) | Switch(_) | Text(_) | Word(_) | List(_))
        };
        Self::OPTIONS.iter().filter(by_name).find(|option| option.name == name)
    }
}

/// A field of a struct of options.
pub(crate) trait OptionField {
    /// Takes the value, unless it is of another kind.
    fn put(&mut self, value: &OptionValue) -> bool;
}

impl OptionField for u64 {
    fn put(&mut self, value: &OptionValue) -> bool {
        let OptionValue::Number(number) = *value else { return false };
        *self = number;
        true
    }
}

impl OptionField for usize {
    fn put(&mut self, value: &OptionValue) -> bool {
        let OptionValue::Number(number) = *value else { return false };
        *self = usize::try_from(number).unwrap_or(usize::MAX);
        true
    }
}

impl OptionField for bool {
    fn put(&mut self, value: &OptionValue) -> bool {
        let OptionValue::Switch(on) = *value else { return false };
        *self = on;
        true
    }
}

/// Its setter keeps the text elsewhere.
impl OptionField for DefaultText {
    fn put(&mut self, _: &OptionValue) -> bool {
        false
    }
}

pub(crate) fn no_such_option(name: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("no option \"{name}\" takes such a value; see OPTIONS.md"))
}

/// A text that is the default of an option.
pub(crate) type DefaultText = &'static str;

/// The words of a value that is no option by itself, but has the same words in each language.
#[derive(Debug, Clone, Copy)]
pub struct WordList {
    /// The value.
    pub name: &'static str,
    /// Its words.
    pub words: &'static [&'static str],
    /// Its meaning.
    pub about: &'static str,
}

/// The options that belong together.
#[derive(Debug, Clone, Copy)]
pub struct OptionSet {
    /// The object that has these options.
    pub name: &'static str,
    /// The facts that all of them share, if there are any.
    pub about: &'static str,
    /// The tables of `NAMES.md` that list them.
    pub sections: &'static [&'static str],
    /// The options, in the order of the documentation.
    pub options: &'static [OptionEntry],
}

/// Makes a struct of options with their defaults, and the list of them for [`OPTIONS`]. `also` adds to the list the options
/// whose default is no value.
macro_rules! options {
    ($(#[$meta:meta])* $vis:vis struct $set:ident {
        $($(#[doc = $about:literal])* $reach:vis $name:ident: $type:ident = $default:expr,)*
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
                    about: &[$($about),*],
                },)*
                $($($crate::options::OptionEntry {
                    name: stringify!($further),
                    kind: $crate::options::OptionKind::$kind($value),
                    about: &[$($further_about),*],
                },)*)?
            ];

            /// Returns the name of the first number that is 0, other than these, for which 0 has a meaning.
            pub(crate) fn zero(&self, may_be: &[&str]) -> Option<&'static str> {
                let kinds = [$((stringify!($name), $crate::options::kind!($type, self.$name)),)*];
                let zero = $crate::options::OptionKind::Number(0);
                kinds.into_iter().find(|(name, kind)| *kind == zero && !may_be.contains(name)).map(|(name, _)| name)
            }

            /// Sets the number or switch of that name.
            pub(crate) fn put(
                &mut self,
                name: &str,
                value: &$crate::options::OptionValue,
            ) -> $crate::error::Result<()> {
                let put = match name {
                    $(stringify!($name) => $crate::options::OptionField::put(&mut self.$name, value),)*
                    _ => false,
                };
                if put { Ok(()) } else { Err($crate::options::no_such_option(name)) }
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
                    about: &[$($about),*],
                },)*
            ];
        }
    };
}

macro_rules! kind {
    (DefaultText, $default:expr) => {
        $crate::options::OptionKind::Text($default)
    };
    (bool, $default:expr) => {
        $crate::options::OptionKind::Switch($default)
    };
    (usize, $default:expr) => {
        $crate::options::OptionKind::Number($default as u64)
    };
    (u64, $default:expr) => {
        $crate::options::OptionKind::Number($default)
    };
}

pub(crate) use {counters, kind, options};

options! {
    /// A server.
    pub(crate) struct ServerOptions {
        /// Lets clients subscribe to resources.
        pub(crate) subscribe: bool = true,
        /// Notifies clients when the list of resources changes.
        pub(crate) list_changed: bool = true,
        /// Leaves out fields that the client's revision does not have.
        pub(crate) omit_newer_fields: bool = true,
        /// Declares extensions to clients with a handshake, though their revisions lack the member.
        pub(crate) handshake_extensions: bool = true,
        /// Shows resources also as tools, for clients that know tools only: `list_resources`, `read_resource`, and one for
        /// each template.
        pub(crate) resources_as_tools: bool = false,
    }
    also {
        /// The server's name for people.
        title: Text(""),
        /// Instructions for models on how to use the server.
        instructions: Text(""),
        /// The key of 32 bytes that seals cursors. Replicas share it. Over stdio the default is derived from the name and
        /// version of the server.
        cursor_key: Text("random"),
        /// The name of this instance among those that share changes.
        origin: Text("random"),
        /// The protocol versions to serve, by their dates.
        versions: List("all"),
        /// Limits on what clients may cost.
        limits: Object(""),
        /// Capabilities to declare in addition to those that registrations declare.
        capability: Object(""),
        /// Extensions of the protocol to declare, each with its settings.
        extension: Object(""),
        /// Further kinds of lists whose changes can be announced, each with its notification.
        announces: Object(""),
        /// Caching hint for all responses. Without it clients may not reuse them.
        cache: Object(""),
        /// Caching hints for kinds of responses.
        cache_of: ByWord(Cacheable::NAMES),
        /// The source of error codes.
        error_profile: Word(ErrorProfile::NAMES),
        /// Error codes of conditions, for clients of one version.
        error_code: ByWord(ErrorCondition::NAMES),
        /// The answer for a resource that the application denies: an error, or that of a resource that does not exist.
        permission_denied: Word(PermissionDenied::NAMES),
        /// The answer to a client that lists what the server does not offer.
        undeclared_lists: Word(UndeclaredLists::NAMES),
        /// The clients whose contents have the `name` and `title` of the resource: those of one revision, none, or all.
        titles_in_contents: Word(TitlesInContents::NAMES),
        /// The answer to a subscription to a URI that nothing serves.
        subscribe_unknown: Word(SubscribeUnknown::NAMES),
        /// The clients that the server speaks the `resources/get` dialect with. `auto` means those that use it.
        dialect: Word(Dialect::NAMES),
        /// The answer to the call of a tool that does not exist: an error, or a result that the model reads.
        unknown_tool: Word(UnknownTool::NAMES),
        /// The answer to arguments that break the schema of a tool: a result that the model reads, or an error.
        invalid_arguments: Word(InvalidArguments::NAMES),
        /// When structured content is compared with the `outputSchema` of its tool. `debug` means in debug builds of the
        /// library.
        check_output: Word(CheckOutput::NAMES),
        /// Called when a call of a callback begins and when it ends.
        observe: Callback(""),
        /// The clock that measures calls for `observe`.
        clock: Callback(""),
        /// Called with each line of the log.
        on_log: Callback("standard error"),
    }
}

options! {
    /// An endpoint over HTTP.
    pub(crate) struct EndpointOptions {
        /// The path that clients POST to.
        pub(crate) path: DefaultText = "/mcp",
        /// Refuses requests whose `Host`, or `Origin` if there is one, does not name this machine. A listener decides this by
        /// the address that it is bound to.
        pub(crate) loopback_only: bool = true,
        /// Lets web pages of the allowed origins read responses (CORS).
        pub(crate) cors: bool = false,
        /// Refuses requests whose `Accept` lacks one of the two types that the protocol requires.
        pub(crate) strict_accept: bool = false,
        /// Gives clients of the handshake era sessions. Without them these clients cannot subscribe.
        pub(crate) sessions: bool = true,
        /// Milliseconds after which an idle session ends.
        pub(crate) session_ms: u64 = 3_600_000,
        /// Sessions at once, at least 1.
        pub(crate) session_limit: usize = 10_000,
        /// Lets clients end their session with DELETE.
        pub(crate) delete: bool = true,
        /// Milliseconds of silence after which an event stream gets a comment.
        pub(crate) keep_alive_ms: u64 = 15_000,
        /// Milliseconds for the head of a request.
        pub(crate) head_ms: u64 = 10_000,
        /// Milliseconds for the body of a request.
        pub(crate) body_ms: u64 = 30_000,
        /// Milliseconds after which an idle connection is closed, or one whose client does not read.
        pub(crate) idle_ms: u64 = 60_000,
        /// Bytes of events that a session keeps for a client whose stream broke.
        pub(crate) replay_bytes: usize = 1 << 20,
    }
    also {
        /// Origins of web pages that may send requests, in addition to those of this machine with `loopback_only`.
        allowed_origins: List(""),
        /// Host names of the endpoint. Without any it accepts those of this machine with `loopback_only`, else all.
        allowed_hosts: List(""),
        /// Verifies the bearer token of each request. Without it requests need no token.
        verify: Callback(""),
        /// The description for clients of an endpoint that needs tokens: its URL, authorization servers and scopes.
        protect: Object(""),
    }
}

options! {
    /// The HTTP listener.
    pub(crate) struct ListenerOptions {
        /// Threads that run callbacks.
        pub(crate) callback_threads: usize = 1,
        /// Threads that read and write, 1 to 1,024.
        pub(crate) io_threads: usize = 1,
        /// Open connections, at least 1. Further ones wait to be accepted.
        pub(crate) connections: usize = 10_000,
        /// Milliseconds for pending answers after the server is closed.
        pub(crate) drain_ms: u64 = 5_000,
        /// Closes the server at SIGTERM.
        pub(crate) handle_sigterm: bool = false,
    }
}

options! {
    /// The stdio driver.
    pub(crate) struct StdioOptions {
        /// Threads that run callbacks.
        pub(crate) callback_threads: usize = 1,
        /// Milliseconds for pending answers after the end of input.
        pub(crate) drain_ms: u64 = 5_000,
        /// Points descriptors 0 and 1 of the process elsewhere while the server runs, so that a stray print reaches no client.
        pub(crate) guard_stdio: bool = true,
        /// Ends the service at SIGTERM.
        pub(crate) handle_sigterm: bool = false,
    }
}

options! {
    /// A folder.
    pub(crate) struct FolderOptions {
        /// Bytes of the largest file that is served.
        pub(crate) max_file_bytes: u64 = 64 << 20,
        /// Notifies clients of changes in the folder.
        pub(crate) watch: bool = true,
        /// Milliseconds without a change before clients are notified, at most 60,000.
        pub(crate) settle_ms: u64 = 50,
    }
    also {
        /// Patterns of the files to serve, in the form of lines of `.gitignore`.
        include: List("all files"),
        /// Patterns of entries that are not served. They win over `include`.
        exclude: List(""),
    }
}

options! {
    /// A folder of skills.
    pub(crate) struct SkillOptions {
        /// Notifies clients of changes in the folder.
        pub(crate) watch: bool = true,
        /// Milliseconds without a change before clients are notified, at most 60,000.
        pub(crate) settle_ms: u64 = 50,
    }
    also {
        /// The first segment of all URIs: letters, digits and `-._~`. Without it the name of a folder that is a skill itself.
        prefix: Text("none"),
    }
}

/// Every option, limit and counter, by what has it.
pub const OPTIONS: &[OptionSet] = &[
    OptionSet {
        name: "server",
        about: "",
        sections: &["Options of a server"],
        options: ServerOptions::OPTIONS,
    },
    OptionSet {
        name: "limits",
        about: "Bounds on the resources that one client may use. Each is at least 1. A limit that refuses causes an error. \
                A limit that holds back makes the connection stop dispatching, and then stop reading, until there is room.",
        sections: &["Limits"],
        options: Limits::OPTIONS,
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
    WordList { name: "log level", words: Level::NAMES, about: "The severity of a line of the log." },
    WordList {
        name: "cache scope",
        words: CacheScope::NAMES,
        about: "Who may reuse a response: every caller, or the caller who got it.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Display;

    #[test]
    fn the_first_word_is_the_default() {
        let defaults: [(&str, &dyn Display); 9] = [
            ("error_profile", &ErrorProfile::default()),
            ("permission_denied", &PermissionDenied::default()),
            ("undeclared_lists", &UndeclaredLists::default()),
            ("titles_in_contents", &TitlesInContents::default()),
            ("subscribe_unknown", &SubscribeUnknown::default()),
            ("dialect", &Dialect::default()),
            ("unknown_tool", &UnknownTool::default()),
            ("invalid_arguments", &InvalidArguments::default()),
            ("check_output", &CheckOutput::default()),
        ];
        let words = ServerOptions::OPTIONS.iter().filter_map(|option| match option.kind {
            OptionKind::Word(words) => Some((option.name, words[0].to_owned())),
            _ => None,
        });
        assert!(words.eq(defaults.map(|(name, default)| (name, default.to_string()))));
    }
}
