//! Results of prompts. They are written as JSON while they are put together.

use super::{ContentBlock, Json, MethodAnswer, Role};
use crate::jsonrpc::write::Object;
use std::fmt;

/// The result of a prompt: messages, in their order. Each has a role and one block of content.
///
/// ```
/// use wellhead::{Json, MethodCall, PromptResult, Server};
///
/// fn review(_: MethodCall) -> PromptResult {
///     PromptResult::new().user("Review this note.").assistant("Which one?")
/// }
///
/// let server = Server::new("notes", "1.0.0");
/// server.prompt("review", &Json::parse("{}")?, review)?;
/// # Ok::<(), wellhead::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct PromptResult {
    /// The elements of `messages` as JSON.
    messages: Vec<u8>,
    description: Option<Box<str>>,
}

impl PromptResult {
    /// Makes a result without messages.
    pub fn new() -> Self {
        PromptResult::default()
    }

    /// Adds a message of the user with this text.
    #[must_use]
    pub fn user(self, text: &str) -> Self {
        self.message(Role::User, ContentBlock::text(text))
    }

    /// Adds a message of the model with this text.
    #[must_use]
    pub fn assistant(self, text: &str) -> Self {
        self.message(Role::Assistant, ContentBlock::text(text))
    }

    /// Adds a message: who says it, and one block of content.
    #[must_use]
    pub fn message(mut self, role: Role, content: ContentBlock) -> Self {
        if !self.messages.is_empty() {
            self.messages.push(b',');
        }
        let mut message = Object::begin(&mut self.messages);
        message.string("role", role.as_str());
        content.write(message.member("content"));
        message.end();
        self
    }

    /// Sets the description of the prompt's messages.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        self.description = Some(description.into());
        self
    }

    fn into_json(self) -> Json {
        let mut out = Vec::with_capacity(self.messages.len() + 64);
        let mut result = Object::begin(&mut out);
        if let Some(description) = &self.description {
            result.string("description", description);
        }
        let messages = result.member("messages");
        messages.push(b'[');
        messages.extend_from_slice(&self.messages);
        messages.push(b']');
        result.end();
        Json::written(out)
    }
}

impl From<PromptResult> for MethodAnswer {
    fn from(result: PromptResult) -> Self {
        MethodAnswer::Result(result.into_json())
    }
}

/// Makes a result of one message of the user with this text.
impl From<&str> for PromptResult {
    fn from(text: &str) -> Self {
        PromptResult::new().user(text)
    }
}

/// Makes a result of one message of the user with this text.
impl From<String> for PromptResult {
    fn from(text: String) -> Self {
        PromptResult::from(&*text)
    }
}

impl fmt::Debug for PromptResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptResult").field("description", &self.description).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // row: PR-06
    #[test]
    fn each_message_has_a_role_and_one_block() {
        let image = ContentBlock::image(b"\0\xff", "image/png").unwrap();
        let result = PromptResult::new().user("say \"a\"").message(Role::Assistant, image).description("D");
        assert_eq!(
            result.into_json().as_str(),
            r#"{"description":"D","messages":[{"role":"user","content":{"type":"text","text":"say \"a\""}},{"role":"assistant","content":{"type":"image","data":"AP8=","mimeType":"image/png"}}]}"#
        );
        let one = r#"{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}"#;
        assert_eq!(PromptResult::from("a".to_owned()).into_json().as_str(), one);
        assert_eq!(PromptResult::new().into_json().as_str(), r#"{"messages":[]}"#);
    }
}
