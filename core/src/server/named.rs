//! Registers tools and prompts.

use super::{NamedHandle, Server};
use crate::catalog::{self, Availability, HandlerId, MethodFn};
use crate::error::Result;
use crate::event::{CompleteCall, MethodCall};
use crate::log::Severity;
use crate::model::{Completion, Family, Json, MethodAnswer, ToolLimits};
use crate::provider::{IntoReply, completer, method_handler};
use crate::sync::atomic::Ordering;
use std::sync::Arc;

impl Server {
    /// Registers a tool. `definition` is listed together with its name, and has members such as `description` and
    /// `inputSchema`. The handler answers `tools/call`, and gets the call's `arguments`, an object. With the feature
    /// `schema` they fit the `inputSchema` (JSON Schema 2020-12, or the older draft that its `$schema` names), and its
    /// defaults are filled in. If they do not fit, the server answers without the handler, with a line for each wrong
    /// field. The handler returns a [`crate::ToolResult`]. It may also return one `CallToolResult` as [`Json`] with
    /// `content`, or with `structuredContent`, which the server also sends as text. The authorizer judges the tool's
    /// name, in lists and before each call.
    ///
    /// If the handler fails, panics or returns a result that clients would refuse, the client gets a result with
    /// `isError` and the text "The tool failed", and the log has the reason. A [`crate::ToolError`] has a text for the
    /// model instead. A [`crate::MethodError`] is an error of the protocol, as is a call that is not answered in time.
    ///
    /// Without an `inputSchema` the tool takes any object.
    ///
    /// ```
    /// use wellhead::{Json, Server, ToolResult};
    ///
    /// let server = Server::new("notes", "1.0.0");
    /// let definition = Json::parse(r#"{"description":"Counts notes","inputSchema":{"type":"object"}}"#)?;
    /// server.tool("count", &definition, |_| ToolResult::from("three notes"))?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for an empty name, a member that does not exist or that clients would
    /// refuse, such as an `inputSchema` whose type is not `object`, and a wrong schema. [`crate::ErrorKind::Duplicate`]
    /// if there is a tool of that name, or a method `tools/list` or `tools/call`. [`crate::ErrorKind::Closed`].
    pub fn tool<F, R, M>(&self, name: &str, definition: &Json, handler: F) -> Result<NamedHandle>
    where
        F: Fn(MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        self.add_tool(name, definition, Some(Arc::new(method_handler(handler))))?;
        Ok(NamedHandle::new(self, Family::Tools, name))
    }

    /// Registers a prompt. `definition` is listed together with its name, and has members such as `description` and
    /// `arguments`. The handler answers `prompts/get` with a [`crate::PromptResult`], or with the JSON of one. If it
    /// fails, the client gets an internal error. Everything else is as for [`Server::tool`].
    ///
    /// An argument may have a fixed set of values in the definition, as `{"name":"language","values":["en","de"]}`. The
    /// server completes the argument with those that begin with the typed text, without regard to case, unless a
    /// completer is registered for it. It does not send the values to clients.
    ///
    /// # Errors
    /// As [`Server::tool`].
    pub fn prompt<F, R, M>(&self, name: &str, definition: &Json, handler: F) -> Result<NamedHandle>
    where
        F: Fn(MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        self.add_prompt(name, definition, Some(Arc::new(method_handler(handler))))?;
        Ok(NamedHandle::new(self, Family::Prompts, name))
    }

    /// Registers a completer for an argument of a registered prompt. In its calls,
    /// [`crate::CompleteCall::uri_template`] is the name of the prompt, and [`crate::CompleteCall::variable`] that of
    /// the argument. It is removed with the prompt.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`] if there is no such prompt, [`crate::ErrorKind::Duplicate`] if the argument has a
    /// completer, [`crate::ErrorKind::InvalidArgument`] if the definition lists the arguments and this one is not among
    /// them, [`crate::ErrorKind::Closed`].
    pub fn complete_prompt<F, R, M>(&self, prompt: &str, argument: &str, complete: F) -> Result<()>
    where
        F: Fn(CompleteCall) -> R + Send + Sync + 'static,
        R: IntoReply<Completion, M> + 'static,
        M: 'static,
    {
        self.add_prompt_completer(prompt, argument, Some(Arc::new(completer(complete)))).map(drop)
    }

    /// Registers a completer for an argument of a registered prompt: a function that answers through the call's
    /// responder. Without a function, the application runs events itself. Everything else is as with
    /// [`Server::complete_prompt`].
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

    /// Removes a tool. Calls in progress are still answered. Returns the id of the registration.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`] if there is no tool of that name, [`crate::ErrorKind::Closed`].
    pub fn remove_tool(&self, name: &str) -> Result<HandlerId> {
        self.remove_named(Family::Tools, name)
    }

    /// Removes a prompt. Calls in progress are still answered. Returns the id of the registration.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`] if there is no prompt of that name, [`crate::ErrorKind::Closed`].
    pub fn remove_prompt(&self, name: &str) -> Result<HandlerId> {
        self.remove_named(Family::Prompts, name)
    }

    /// Registers a tool with a function that answers through the call's responder, and returns the id of the
    /// registration. Without a function, the application runs events itself. Everything else is as with
    /// [`Server::tool`].
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

    /// Registers a prompt with a function that answers through the call's responder, and returns the id of the
    /// registration. Without a function, the application runs events itself. Everything else is as with
    /// [`Server::prompt`].
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

    /// Lists a disabled tool again, and lets clients call it. Does nothing if it is not disabled.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`] if there is no tool of that name, [`crate::ErrorKind::Closed`].
    pub fn enable_tool(&self, name: &str) -> Result<()> {
        self.set_availability(Family::Tools, name, Availability::Enabled)
    }

    /// Hides a tool until [`Server::enable_tool`]: it is not listed, and a call of it is answered like that of a tool
    /// that does not exist. Calls in progress are still answered.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`] if there is no tool of that name, [`crate::ErrorKind::Closed`].
    pub fn disable_tool(&self, name: &str) -> Result<()> {
        self.set_availability(Family::Tools, name, Availability::Disabled)
    }

    /// Changes the definition of a tool: each member of `changes` replaces that of the definition, and `null` removes
    /// it. The other members and the handler stay. Calls in progress are still answered.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] as for [`Server::tool`]; the tool then stays as it is.
    /// [`crate::ErrorKind::Unknown`] if there is no tool of that name. [`crate::ErrorKind::Closed`].
    pub fn update_tool(&self, name: &str, changes: &Json) -> Result<()> {
        self.update_named(Family::Tools, name, changes)
    }

    /// Limits the calls of a tool. These limits replace all that were set before. Calls in progress still count if the
    /// earlier limits counted them. [`Server::update_tool`] keeps the limits.
    ///
    /// A call beyond a limit is refused with "Busy", before its callback. The client may try again; the refusal says
    /// when, if that is known. A call counts until it is answered, or until the responder of a cancelled call is gone.
    /// The token or the connection says who the caller is; all clients without a token are one caller. The time is that
    /// of [`crate::Connection::tick`] or [`crate::http::Endpoint::tick`], which the drivers of this crate call.
    ///
    /// ```
    /// use wellhead::{Json, Server, ToolLimits, ToolResult};
    ///
    /// let server = Server::new("notes", "1.0.0");
    /// server.tool("reindex", &Json::parse("{}")?, |_| ToolResult::from("done"))?;
    /// server.limit_tool("reindex", ToolLimits::default().calls_in_flight(1).call_ms(10_000))?;
    /// # Ok::<(), wellhead::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] for a limit of 0. [`crate::ErrorKind::Unknown`] if there is no tool of
    /// that name. [`crate::ErrorKind::Closed`].
    pub fn limit_tool(&self, name: &str, limits: ToolLimits) -> Result<()> {
        self.open()?;
        limits.check()?;
        let tool = self.0.catalog.with(|c, _| c.registered(Family::Tools, name))?;
        tool.handler.limiter.set(limits);
        if let Some(ms) = limits.call_ms {
            self.0.shortest_call_ms.fetch_min(ms, Ordering::AcqRel);
        }
        Ok(())
    }

    /// Lists a disabled prompt again, and lets clients get it. Does nothing if it is not disabled.
    ///
    /// # Errors
    /// As [`Server::enable_tool`].
    pub fn enable_prompt(&self, name: &str) -> Result<()> {
        self.set_availability(Family::Prompts, name, Availability::Enabled)
    }

    /// Hides a prompt until [`Server::enable_prompt`], as [`Server::disable_tool`] hides a tool. Its arguments are not
    /// completed.
    ///
    /// # Errors
    /// As [`Server::disable_tool`].
    pub fn disable_prompt(&self, name: &str) -> Result<()> {
        self.set_availability(Family::Prompts, name, Availability::Disabled)
    }

    /// Changes the definition of a prompt, as [`Server::update_tool`] changes that of a tool.
    ///
    /// # Errors
    /// As [`Server::update_tool`].
    pub fn update_prompt(&self, name: &str, changes: &Json) -> Result<()> {
        self.update_named(Family::Prompts, name, changes)
    }

    pub(super) fn set_availability(&self, family: Family, name: &str, now: Availability) -> Result<()> {
        self.open()?;
        let changed = self.0.catalog.with(|c, trash| {
            c.set_availability(family, name, now).map(|before| {
                let changed = before.is_some();
                trash.put(before);
                changed
            })
        })?;
        if changed {
            self.0.named_changed(family);
            self.0.notice_app_of(name);
        }
        Ok(())
    }

    pub(super) fn update_named(&self, family: Family, name: &str, changes: &Json) -> Result<()> {
        self.open()?;
        loop {
            let before = self.0.catalog.with(|c, _| c.registered(family, name))?;
            let mut definition = catalog::definition(family, name, &before.changed_members(changes))?;
            let warnings = std::mem::take(&mut definition.warnings);
            let updated = self
                .0
                .catalog
                .with(|c, trash| c.update_named(family, &before, definition).map(|before| trash.put(before)));
            if updated.is_err() {
                continue; // another thread changed it meanwhile, and its change counts, too
            }
            for warning in &warnings {
                self.0.log.write(Severity::Warning, warning);
            }
            self.0.named_changed(family);
            self.0.notice_app_of(name);
            return Ok(());
        }
    }

    fn add_named(
        &self,
        family: Family,
        name: &str,
        definition: &Json,
        handler: Option<Arc<MethodFn>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let named = catalog::check_name(family, name)?;
        let mut definition = catalog::definition(family, name, definition)?;
        let warnings = std::mem::take(&mut definition.warnings);
        let _outlives = handler.clone(); // if it is refused, it must not be dropped under the lock
        let id = self.0.catalog.with(|c, _| c.add_named(family, name, definition, handler))?;
        let replaced = self.0.catalog.with(|c, _| c.has_replaced(name)).filter(|_| family == Family::Tools);
        for warning in named.iter().chain(&warnings).chain(&replaced) {
            self.0.log.write(Severity::Warning, warning);
        }
        if cfg!(not(feature = "schema")) && family == Family::Tools {
            self.0.notice("schema", || {
                "arguments of tools are not checked: this build has no feature `schema`".to_owned()
            });
        }
        self.0.named_changed(family);
        self.0.notice_app_of(name);
        Ok(id)
    }

    pub(super) fn remove_named(&self, family: Family, name: &str) -> Result<HandlerId> {
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
