//! The answers that a responder takes, and how each kind of them completes its call.

use super::DROPPED;
use crate::access::Verdict;
use crate::connection::ConnectionState;
use crate::event::{Afterwards, Outcome, Verification};
use crate::model::{Answer, Completion, Contents, MethodAnswer, Page};
use crate::observer::FAILED;
use crate::protocol::CallId;
use crate::wire::LARGE;
use std::fmt;
use std::sync::Arc;

/// An answer that a [`crate::Responder`] takes.
pub trait Reply: sealed::Complete + Send + 'static {}

impl<T: sealed::Complete + Send + 'static> Reply for T {}

/// The application's answer to an interest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InterestAnswer {
    /// The application looks for changes of the URI now, or has stopped.
    Done,
    /// The application could not: the requests that wait for it get an internal error, and the text goes to the log.
    Failed(String),
}

impl From<()> for InterestAnswer {
    fn from((): ()) -> Self {
        InterestAnswer::Done
    }
}

impl<E: fmt::Display> From<Result<(), E>> for InterestAnswer {
    fn from(result: Result<(), E>) -> Self {
        result.map_or_else(|e| InterestAnswer::Failed(e.to_string()), InterestAnswer::from)
    }
}

mod sealed {
    use super::{Afterwards, CallId, ConnectionState, Verification};
    use std::sync::Arc;

    #[allow(unnameable_types, reason = "sealed: hosts choose among our implementations")]
    pub trait Complete {
        fn complete(self, connection: &Arc<ConnectionState>, call: CallId) -> bool;
        /// Returns the outcome in a word, for the observer.
        fn word(&self) -> &'static str;
        /// Returns the number of bytes of the contents, for the observer.
        fn size(&self) -> u64 {
            0
        }
        /// Returns how many bytes of the application exist for this answer only. `had` is the version that the client
        /// has; contents of that version are not sent.
        fn own_size(&self, _had: Option<&str>) -> usize {
            0
        }
        /// Passes the answer through the around callbacks of the call, and returns their answer.
        fn through(self, _then: &Afterwards) -> Self
        where
            Self: Sized,
        {
            self
        }
        /// Returns the answer of the around callbacks to a call that was dropped; `None` if there are none.
        fn of_arounds(_then: &Afterwards) -> Option<Self>
        where
            Self: Sized,
        {
            None
        }
        fn failure(self) -> Option<String>
        where
            Self: Sized,
        {
            None
        }
        fn verification(self) -> Option<Verification>
        where
            Self: Sized,
        {
            None
        }
    }
}

impl Answer {
    pub(crate) fn word(&self) -> &'static str {
        sealed::Complete::word(self)
    }
}

impl sealed::Complete for Answer {
    fn complete(self, connection: &Arc<ConnectionState>, call: CallId) -> bool {
        connection.finish_read(call, self)
    }

    fn word(&self) -> &'static str {
        match self {
            Answer::Found(_) => "found",
            Answer::NotFound => "not_found",
            Answer::Denied => "denied",
            Answer::NotModified => "not_modified",
            Answer::Busy(_) => "busy",
            Answer::InputRequired(_) => "input_required",
            Answer::MissingCapability(_) => "missing_capability",
            Answer::Waiting => "waiting",
            Answer::InvalidState => "invalid_state",
            Answer::Failed(_) => FAILED,
        }
    }

    fn size(&self) -> u64 {
        match self {
            Answer::Found(all) => all.iter().map(Contents::size).sum(),
            _ => 0,
        }
    }

    fn own_size(&self, had: Option<&str>) -> usize {
        match self {
            Answer::Found(all)
                if had.is_some() && matches!(&all[..], [one] if one.described_version() == had) =>
            {
                0
            }
            Answer::Found(all) => all.iter().map(|contents| contents.own_size(LARGE)).sum(),
            _ => 0,
        }
    }

    fn through(self, then: &Afterwards) -> Self {
        if then.is_empty() { self } else { then.apply(Outcome::Read(self)).into_answer() }
    }

    fn of_arounds(then: &Afterwards) -> Option<Self> {
        let answer = Answer::Failed(DROPPED.to_owned()).through(then);
        (!matches!(answer, Answer::Failed(_))).then_some(answer)
    }
}

impl sealed::Complete for Page {
    fn complete(self, connection: &Arc<ConnectionState>, call: CallId) -> bool {
        connection.finish_page(call, self)
    }

    fn word(&self) -> &'static str {
        if self.failed.is_some() { FAILED } else { "page" }
    }
}

impl sealed::Complete for Completion {
    fn complete(self, connection: &Arc<ConnectionState>, call: CallId) -> bool {
        connection.finish_completion(call, &self)
    }

    fn word(&self) -> &'static str {
        if self.failed.is_some() { FAILED } else { "completion" }
    }
}

impl MethodAnswer {
    pub(crate) fn word(&self) -> &'static str {
        sealed::Complete::word(self)
    }
}

impl sealed::Complete for MethodAnswer {
    fn complete(self, connection: &Arc<ConnectionState>, call: CallId) -> bool {
        connection.finish_method(call, self)
    }

    fn word(&self) -> &'static str {
        match self {
            MethodAnswer::Result(_) => "result",
            MethodAnswer::Error(_) | MethodAnswer::ToolError(_) => "error",
            MethodAnswer::InputRequired(_) => "input_required",
            MethodAnswer::Waiting => "waiting",
            MethodAnswer::MissingCapability(_) => "missing_capability",
            MethodAnswer::Failed(_) | MethodAnswer::Thrown { .. } => FAILED,
        }
    }

    fn size(&self) -> u64 {
        match self {
            MethodAnswer::Result(json) | MethodAnswer::InputRequired(json) => json.as_str().len() as u64,
            _ => 0,
        }
    }

    fn own_size(&self, _: Option<&str>) -> usize {
        match self {
            // The server adds some members.
            MethodAnswer::Result(json) | MethodAnswer::InputRequired(json) => json.as_str().len() + 1_024,
            MethodAnswer::ToolError(error) => error.message().len() + 1_024,
            _ => 0,
        }
    }

    fn through(self, then: &Afterwards) -> Self {
        if then.is_empty() { self } else { then.apply(Outcome::Method(self)).into_method_answer() }
    }

    fn of_arounds(then: &Afterwards) -> Option<Self> {
        let answer = MethodAnswer::failed(DROPPED).through(then);
        (!matches!(answer, MethodAnswer::Failed(_))).then_some(answer)
    }
}

impl sealed::Complete for Vec<Verdict> {
    fn complete(self, connection: &Arc<ConnectionState>, call: CallId) -> bool {
        connection.finish_verdicts(call, &self)
    }

    fn word(&self) -> &'static str {
        "verdicts"
    }
}

impl sealed::Complete for InterestAnswer {
    fn complete(self, _: &Arc<ConnectionState>, _: CallId) -> bool {
        false
    }

    fn word(&self) -> &'static str {
        "interest"
    }

    fn failure(self) -> Option<String> {
        match self {
            InterestAnswer::Done => None,
            InterestAnswer::Failed(why) => Some(why),
        }
    }
}

impl sealed::Complete for Verification {
    fn complete(self, _: &Arc<ConnectionState>, _: CallId) -> bool {
        false
    }

    fn word(&self) -> &'static str {
        "verification"
    }

    fn verification(self) -> Option<Verification> {
        Some(self)
    }
}
