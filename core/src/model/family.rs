//! Tools and prompts: what is the same for both.

use crate::access::Operation;

/// Tools or prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Tools,
    Prompts,
}

impl Family {
    pub(crate) const ALL: [Family; 2] = [Family::Tools, Family::Prompts];

    /// Returns the method that lists them.
    pub(crate) fn lists(self) -> &'static str {
        match self {
            Family::Tools => "tools/list",
            Family::Prompts => "prompts/list",
        }
    }

    /// Returns the method that calls one by its name.
    pub(crate) fn calls(self) -> &'static str {
        match self {
            Family::Tools => "tools/call",
            Family::Prompts => "prompts/get",
        }
    }

    pub(crate) fn capability(self) -> &'static str {
        match self {
            Family::Tools => "tools",
            Family::Prompts => "prompts",
        }
    }

    /// Returns the word for one of them, for people.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Family::Tools => "tool",
            Family::Prompts => "prompt",
        }
    }

    pub(crate) fn to_call(self) -> Operation {
        match self {
            Family::Tools => Operation::CallTool,
            Family::Prompts => Operation::GetPrompt,
        }
    }
}

/// The values that the output schema of a tool promises.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum OutputSchema {
    #[default]
    Absent,
    Object,
    /// Any JSON, which revisions that have only objects get as the member `result` of one.
    Any,
}

/// The form that the definition of a tool gives its results.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResultShape {
    pub(crate) output: OutputSchema,
    /// An app shows them. The client's model reads the content, which must not be empty.
    pub(crate) has_app: bool,
}
