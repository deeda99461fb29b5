//! Errors as JavaScript sees them: `code` is `ERR_WELLHEAD_…`, the word of every language in upper case.

use std::io;
use wellhead::{Error, ErrorKind, Spelling};

/// The `code` of a JavaScript error.
pub(crate) struct Code(String);

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<napi::Status> for Code {
    fn from(_: napi::Status) -> Self {
        code(ErrorKind::InvalidArgument) // what Node-API refuses is a value of the wrong type
    }
}

pub(crate) type Result<T> = std::result::Result<T, napi::Error<Code>>;

fn code(kind: ErrorKind) -> Code {
    Code(format!("ERR_WELLHEAD_{}", kind.code().to_ascii_uppercase()))
}

/// Makes a JavaScript error of an error of the core. Its message has the cause too, and names settings as JavaScript
/// spells them.
pub(crate) fn thrown(error: Error) -> napi::Error<Code> {
    let mut message = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        // Those of the system only: others have the words of a library.
        if let Some(cause) = cause.downcast_ref::<io::Error>() {
            let why = cause.to_string();
            message.push_str(": ");
            message.push_str(why.split(" (os error ").next().unwrap_or_default());
        }
        source = cause.source();
    }
    let code = of_listening(&error).unwrap_or_else(|| code(error.kind()));
    napi::Error::new(code, Spelling::Camel.apply(&message))
}

/// Returns Node's own code for an address that cannot be bound, such as `EADDRINUSE`; `None` for other errors.
fn of_listening(error: &Error) -> Option<Code> {
    let cause = std::error::Error::source(error)?.downcast_ref::<io::Error>()?;
    let code = match cause.kind() {
        io::ErrorKind::AddrInUse => "EADDRINUSE",
        io::ErrorKind::AddrNotAvailable => "EADDRNOTAVAIL",
        _ => return None,
    };
    Some(Code(code.to_owned()))
}

pub(crate) fn invalid(message: impl Into<String>) -> napi::Error<Code> {
    napi::Error::new(code(ErrorKind::InvalidArgument), message.into())
}
