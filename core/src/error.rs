//! Errors for the application. Clients get `jsonrpc::RpcError`; the two never mix.

use std::fmt;

/// The result type of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of this library: a kind to branch on, and a message that says what to do.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Makes an error with a message for people. Bindings use it; applications only receive errors.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), source: None }
    }

    /// Sets the error that caused this one, which `source` returns.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Returns the kind, to branch on.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

/// Returns the operating system's message without its number.
#[cfg(feature = "directory")]
pub(crate) fn said_by_system(e: &std::io::Error) -> String {
    let (text, number) = (e.to_string(), e.raw_os_error().unwrap_or_default());
    text.strip_suffix(&format!(" (os error {number})")).unwrap_or(&text).to_owned()
}

/// The kinds of [`Error`], with the same words and numbers in every language. Numbers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum ErrorKind {
    /// The value can never be valid: a missing name, a key of the wrong length, a second answer to a call.
    InvalidArgument = 1,
    /// The text is not UTF-8.
    InvalidUtf8 = 2,
    /// The text is not an absolute URI of RFC 3986.
    InvalidUri = 3,
    /// The text is not a template of RFC 6570, or cannot be matched. The message says where and why.
    InvalidTemplate = 4,
    /// The name or URI is registered already.
    Duplicate = 5,
    /// Two templates match the same URIs and neither is more specific. The message names both.
    Ambiguous = 6,
    /// Nothing is registered under that name or URI.
    Unknown = 7,
    /// The server or the connection is closed, or the call is over.
    Closed = 8,
    /// A limit is reached, and the message names it.
    Limit = 9,
    /// The operating system refused. The source of the error says why.
    Io = 10,
    /// The connection or driver was made before a `fork`, and is used in the child.
    Forked = 11,
    /// A bug of this library, caught at a language boundary.
    Panic = 12,
    /// In a client for tests: the server answered with an error, or the client itself refused to give input. The source,
    /// if there is one, is a [`crate::MethodError`] with the code, message and data.
    Response = 13,
}

impl ErrorKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [ErrorKind; 13] = [
        ErrorKind::InvalidArgument,
        ErrorKind::InvalidUtf8,
        ErrorKind::InvalidUri,
        ErrorKind::InvalidTemplate,
        ErrorKind::Duplicate,
        ErrorKind::Ambiguous,
        ErrorKind::Unknown,
        ErrorKind::Closed,
        ErrorKind::Limit,
        ErrorKind::Io,
        ErrorKind::Forked,
        ErrorKind::Panic,
        ErrorKind::Response,
    ];

    /// Returns the number of C, a `wellhead_status`.
    pub fn status(self) -> u32 {
        self as u32
    }

    /// Returns the word that all languages use.
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::InvalidArgument => "invalid_argument",
            ErrorKind::InvalidUtf8 => "invalid_utf8",
            ErrorKind::InvalidUri => "invalid_uri",
            ErrorKind::InvalidTemplate => "invalid_template",
            ErrorKind::Duplicate => "duplicate",
            ErrorKind::Ambiguous => "ambiguous",
            ErrorKind::Unknown => "unknown",
            ErrorKind::Closed => "closed",
            ErrorKind::Limit => "limit",
            ErrorKind::Io => "io",
            ErrorKind::Forked => "forked",
            ErrorKind::Panic => "panic",
            ErrorKind::Response => "response",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
