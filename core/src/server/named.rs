//! Tools and prompts: names, the host's JSON, and handlers.

use super::Server;
use crate::catalog::{Family, HandlerId, MethodFn};
use crate::error::Result;
use crate::event::{CompleteCall, MethodCall};
use crate::model::{Completion, Json, MethodAnswer};
use crate::provider::{IntoReply, completer, method_handler};
use std::sync::Arc;

impl Server {
    /// A tool, listed with this definition beside its name, such as `description` and `inputSchema`. Its handler answers
    /// `tools/call` by the call's `arguments`, an object that the host checks further. Its result is one `CallToolResult`:
    /// `content`, or `structuredContent`, which is then mirrored as text. A result that clients would refuse is an
    /// internal error, and logged. An authoriser is asked by name, in lists and before each call.
    ///
    /// Without an `inputSchema` the tool takes any object.
    ///
    /// ```
    /// use wellhead::{Json, Server};
    ///
    /// let server = Server::new("notes", "1.0.0");
    /// let definition = Json::object(r#"{"description":"Counts notes","inputSchema":{"type":"object"}}"#)?;
    /// server.tool("count", &definition, |_| Json::object(r#"{"content":[{"type":"text","text":"3"}]}"#))?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] without a name, or for a member that does not exist or that clients would
    /// refuse, such as an `inputSchema` whose type is not `object`;
    /// [`crate::ErrorKind::Duplicate`] if there is one of that name, or a method `tools/list` or `tools/call`;
    /// [`crate::ErrorKind::Closed`].
    pub fn tool<F, R, M>(&self, name: &str, definition: &Json, handler: F) -> Result<()>
    where
        F: Fn(MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        self.add_tool(name, definition, Some(Arc::new(method_handler(handler)))).map(drop)
    }

    /// A prompt, listed with this definition beside its name, such as `description` and `arguments`. Its handler answers
    /// `prompts/get` with one `GetPromptResult`: `messages`. Otherwise as [`Server::tool`].
    ///
    /// # Errors
    /// As [`Server::tool`].
    pub fn prompt<F, R, M>(&self, name: &str, definition: &Json, handler: F) -> Result<()>
    where
        F: Fn(MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        self.add_prompt(name, definition, Some(Arc::new(method_handler(handler)))).map(drop)
    }

    /// Completes an argument of a prompt that is registered: a call has its name for the text of a template, and the
    /// argument's for that of a variable. It goes with the prompt.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`] if there is no such prompt, [`crate::ErrorKind::Duplicate`] if the argument has a
    /// completer, [`crate::ErrorKind::Closed`].
    pub fn complete_prompt<F, R, M>(&self, prompt: &str, argument: &str, complete: F) -> Result<()>
    where
        F: Fn(CompleteCall) -> R + Send + Sync + 'static,
        R: IntoReply<Completion, M> + 'static,
        M: 'static,
    {
        self.add_prompt_completer(prompt, argument, Some(Arc::new(completer(complete)))).map(drop)
    }

    /// [`Server::complete_prompt`] with a function that answers through the call's responder, or with none for a host that
    /// runs events by itself.
    ///
    /// # Errors
    /// As [`Server::complete_prompt`].
    pub fn add_prompt_completer(
        &self,
        prompt: &str,
        argument: &str,
        complete: Option<Arc<dyn Fn(CompleteCall) + Send + Sync>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let _outlives = complete.clone();
        self.0.catalog.with(|c, trash| {
            c.add_prompt_completer(prompt, argument, complete).map(|(id, before)| {
                trash.put(before);
                id
            })
        })
    }

    /// Removes a tool; calls under way finish.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`], [`crate::ErrorKind::Closed`].
    pub fn remove_tool(&self, name: &str) -> Result<HandlerId> {
        self.remove_named(Family::Tools, name)
    }

    /// Removes a prompt; calls under way finish.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`], [`crate::ErrorKind::Closed`].
    pub fn remove_prompt(&self, name: &str) -> Result<HandlerId> {
        self.remove_named(Family::Prompts, name)
    }

    /// [`Server::tool`] with a function that answers through the call's responder, or with none for a host that runs
    /// events by itself.
    ///
    /// # Errors
    /// As [`Server::tool`].
    pub fn add_tool(
        &self,
        name: &str,
        definition: &Json,
        handler: Option<Arc<dyn Fn(MethodCall) + Send + Sync>>,
    ) -> Result<HandlerId> {
        self.add_named(Family::Tools, name, definition, handler)
    }

    /// [`Server::prompt`] likewise.
    ///
    /// # Errors
    /// As [`Server::tool`].
    pub fn add_prompt(
        &self,
        name: &str,
        definition: &Json,
        handler: Option<Arc<dyn Fn(MethodCall) + Send + Sync>>,
    ) -> Result<HandlerId> {
        self.add_named(Family::Prompts, name, definition, handler)
    }

    fn add_named(
        &self,
        family: Family,
        name: &str,
        definition: &Json,
        handler: Option<Arc<MethodFn>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let _outlives = handler.clone(); // if it is refused, it must not be dropped under the lock
        let id = self.0.catalog.with(|c, _| c.add_named(family, name, definition, handler))?;
        self.0.named_changed(family);
        Ok(id)
    }

    fn remove_named(&self, family: Family, name: &str) -> Result<HandlerId> {
        self.open()?;
        let id = self.0.catalog.with(|c, trash| {
            c.remove_named(family, name).map(|(removed, completing)| {
                let id = removed.handler.id;
                trash.put((removed, completing));
                id
            })
        })?;
        self.0.named_changed(family);
        Ok(id)
    }
}
