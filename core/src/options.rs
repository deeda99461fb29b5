//! The options that are numbers, with their defaults. The rest of the core takes the defaults from here, and
//! `core/tests/options.rs` compares the names, defaults and units of every language with [`NUMBERS`].

use crate::limits::Limits;

/// An option that is a number. Its name ends in its unit: `_bytes`, `_ms` or `_percent`. Other names are counts.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// The name, as Rust, C, C++ and Python spell it.
    pub name: &'static str,
    /// The value without a choice of the application.
    pub default: u64,
}

/// Makes a struct of options that are numbers, with their defaults and the list of both.
macro_rules! numbers {
    ($(#[$doc:meta])* $vis:vis struct $set:ident {
        $($(#[$about:meta])* $reach:vis $name:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        $vis struct $set {
            $($(#[$about])* $reach $name: $type,)*
        }

        #[allow(dead_code, reason = "a driver uses its defaults, and features choose the drivers")]
        impl $set {
            pub(crate) const DEFAULT: $set = $set { $($name: $default,)* };
            pub(crate) const NUMBERS: &[$crate::options::Number] =
                &[$($crate::options::Number { name: stringify!($name), default: $default },)*];

            /// Returns the name of the first number that is 0.
            pub(crate) fn zero(&self) -> Option<&'static str> {
                [$((stringify!($name), self.$name == 0)),*].into_iter().find(|(_, zero)| *zero).map(|(name, _)| name)
            }
        }
    };
}

pub(crate) use numbers;

numbers! {
    /// An endpoint over HTTP.
    pub(crate) struct EndpointNumbers {
        pub(crate) session_ms: u64 = 3_600_000,
        pub(crate) session_limit: usize = 10_000,
        pub(crate) keep_alive_ms: u64 = 15_000,
        pub(crate) head_ms: u64 = 10_000,
        pub(crate) body_ms: u64 = 30_000,
        pub(crate) idle_ms: u64 = 60_000,
        pub(crate) replay_bytes: usize = 1 << 20,
    }
}

numbers! {
    /// The HTTP listener.
    pub(crate) struct ListenerNumbers {
        pub(crate) callback_threads: usize = 1,
        pub(crate) io_threads: usize = 1,
        pub(crate) connections: usize = 10_000,
        pub(crate) drain_ms: u64 = 5_000,
    }
}

numbers! {
    /// The stdio driver.
    pub(crate) struct StdioNumbers {
        pub(crate) callback_threads: usize = 1,
        pub(crate) drain_ms: u64 = 5_000,
    }
}

numbers! {
    /// A folder.
    pub(crate) struct FolderNumbers {
        pub(crate) max_file_bytes: u64 = 64 << 20,
        pub(crate) settle_ms: u64 = 50,
    }
}

/// Every option that is a number, by what it is an option of.
pub const NUMBERS: &[(&str, &[Number])] = &[
    ("limits", Limits::NUMBERS),
    ("endpoint", EndpointNumbers::NUMBERS),
    ("listener", ListenerNumbers::NUMBERS),
    ("stdio", StdioNumbers::NUMBERS),
    ("folder", FolderNumbers::NUMBERS),
];
