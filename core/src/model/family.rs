//! The facts that tools and prompts have in common.

use crate::access::Operation;

/// Tools or prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Tools,
    Prompts,
}

impl Family {
    pub(crate) const ALL: [Family; 2] = [Family::Tools, Family::Prompts];

    /// Returns the method that lists tools or prompts.
    pub(crate) fn lists(self) -> &'static str {
        match self {
            Family::Tools => "tools/list",
            Family::Prompts => "prompts/list",
        }
    }

    /// Returns the method that calls a tool or gets a prompt by its name.
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

    /// Returns the word for a tool or a prompt, for people.
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

/// The values that a tool may return as structured content, by its output schema.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum OutputSchema {
    #[default]
    Absent,
    Object,
    /// Any JSON value. Revisions with objects only get it as the member `result` of an object.
    Any,
}

/// The requirements of a tool's definition for its results.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResultShape {
    pub(crate) output: OutputSchema,
    /// True if an app shows the results. The model of the client reads the content, so that must not be empty.
    pub(crate) has_app: bool,
}
