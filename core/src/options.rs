//! One table of the options and limits that each language has: name, values, default and meaning. The core takes its
//! defaults from here. `core/tests/options` compares the languages with [`OPTIONS`].

use crate::limits::Limits;

/// An option or a limit.
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
}

/// The options that belong together.
#[derive(Debug, Clone, Copy)]
pub struct OptionSet {
    /// The object that has these options.
    pub name: &'static str,
    /// The tables of `NAMES.md` that list them.
    pub sections: &'static [&'static str],
    /// The options, in the order of the documentation.
    pub options: &'static [OptionEntry],
}

/// Makes a struct of options with their defaults, and the list of them for [`OPTIONS`].
macro_rules! options {
    ($(#[$meta:meta])* $vis:vis struct $set:ident {
        $($(#[doc = $about:literal])* $reach:vis $name:ident: $type:ident = $default:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[allow(clippy::struct_excessive_bools, reason = "each switch is independent of the others")]
        $vis struct $set {
            $($(#[doc = $about])* $reach $name: $type,)*
        }

        #[allow(dead_code, reason = "a driver uses its defaults, and features choose the drivers")]
        impl $set {
            pub(crate) const DEFAULT: $set = $set { $($name: $default,)* };
            pub(crate) const OPTIONS: &[$crate::options::OptionEntry] = &[$($crate::options::OptionEntry {
                name: stringify!($name),
                kind: $crate::options::kind!($type, $default),
                about: &[$($about),*],
            },)*];

            /// Returns the name of the first number that is 0.
            pub(crate) fn zero(&self) -> Option<&'static str> {
                let kinds = [$((stringify!($name), $crate::options::kind!($type, self.$name)),)*];
                let zero = $crate::options::OptionKind::Number(0);
                kinds.into_iter().find(|(_, kind)| *kind == zero).map(|(name, _)| name)
            }
        }
    };
}

macro_rules! kind {
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

pub(crate) use {kind, options};

options! {
    /// A server.
    pub(crate) struct ServerOptions {
        /// Lets clients subscribe to resources.
        pub(crate) subscribe: bool = true,
        /// Notifies clients when the list of resources changes.
        pub(crate) list_changed: bool = true,
        /// Leaves out fields that the client's revision does not have.
        pub(crate) omit_newer_fields: bool = true,
    }
}

options! {
    /// An endpoint over HTTP.
    pub(crate) struct EndpointOptions {
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
}

/// Every option, by what it is an option of.
pub const OPTIONS: &[OptionSet] = &[
    OptionSet { name: "server", sections: &["Options of a server"], options: ServerOptions::OPTIONS },
    OptionSet { name: "limits", sections: &["Limits"], options: Limits::OPTIONS },
    OptionSet {
        name: "endpoint",
        // Some languages have two options of the endpoint only where a listener serves it.
        sections: &["Options of an HTTP endpoint", "Options of the HTTP listener"],
        options: EndpointOptions::OPTIONS,
    },
    OptionSet {
        name: "listener",
        sections: &["Options of the HTTP listener"],
        options: ListenerOptions::OPTIONS,
    },
    OptionSet { name: "stdio", sections: &["Options of stdio"], options: StdioOptions::OPTIONS },
    OptionSet { name: "folder", sections: &["Options of a folder"], options: FolderOptions::OPTIONS },
];
