//! Registration of tools and prompts.

use super::{NamedHandle, Server};
use crate::catalog::{self, Availability, HandlerId, MethodFn};
use crate::error::Result;
use crate::event::{CompleteCall, MethodCall};
use crate::log::Level;
use crate::model::{Completion, Family, Json, MethodAnswer, ToolLimits};
use crate::provider::{IntoReply, completer, method_handler};
use crate::sync::atomic::Ordering;
use std::sync::Arc;

impl Server {
    /// Registers a tool. `definition` is listed together with its name, and has members such as `description` and `inputSchema`.
    /// The handler answers `tools/call` and gets the call's `arguments`, an object. With the feature `schema` they fit the
    /// `inputSchema` (JSON Schema 2020-12, or the older draft that its `$schema` names), and its defaults are filled in.
    /// A call whose arguments do not fit is answered without the handler, with a line for each wrong field. The handler
    /// returns a [`crate::ToolResult`]. It may also return one `CallToolResult` as [`Json`] with `content`, or with
    /// `structuredContent`, which the server also mirrors as text. An authorizer is asked by the tool's name, in lists and
    /// before each call.
    ///
    /// If the handler fails, panics or returns a result that clients would refuse, the client gets a result with
    /// `isError` and the text "The tool failed", and the log has the reason. A [`crate::ToolError`] has a text
    /// for the model instead. A [`crate::MethodError`] and a missed deadline are errors of the protocol.
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
    /// [`crate::ErrorKind::InvalidArgument`] without a name, or for a member that does not exist or that clients
    /// would refuse, such as an `inputSchema` whose type is not `object`, and for a wrong schema. [`crate::ErrorKind::Duplicate`] if
    /// there is a tool of that name, or a method `tools/list` or `tools/call`; [`crate::ErrorKind::Closed`].
    pub fn tool<F, R, M>(&self, name: &str, definition: &Json, handler: F) -> Result<NamedHandle>
    where
        F: Fn(MethodCall) -> R + Send + Sync + 'static,
        R: IntoReply<MethodAnswer, M> + 'static,
        M: 'static,
    {
        self.add_tool(name, definition, Some(Arc::new(method_handler(handler))))?;
        Ok(NamedHandle::new(self, Family::Tools, name))
    }

    /// Registers a prompt. `definition` is listed together with its name, and has members such as `description` and `arguments`. The
    /// handler answers `prompts/get` with a [`crate::PromptResult`], or with the JSON of one. Otherwise like [`Server::tool`],
    /// but a failure is an internal error for the client.
    ///
    /// An argument with fixed values has them in its definition, as `{"name":"language","values":["en","de"]}`. They
    /// complete it by prefix, without regard to case, unless it has a completer. Clients are not sent them.
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

    /// Registers a completer for an argument of a registered prompt. In its calls, the prompt's name stands for the
    /// text of a template, and the argument's name for that of a variable. It is removed with the prompt.
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

    /// Does what [`Server::complete_prompt`] does, with a function that answers through the call's responder.
    /// Without a function, the application runs events itself.
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

    /// Removes a tool. Pending calls finish.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`], [`crate::ErrorKind::Closed`].
    pub fn remove_tool(&self, name: &str) -> Result<HandlerId> {
        self.remove_named(Family::Tools, name)
    }

    /// Removes a prompt. Pending calls finish.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`], [`crate::ErrorKind::Closed`].
    pub fn remove_prompt(&self, name: &str) -> Result<HandlerId> {
        self.remove_named(Family::Prompts, name)
    }

    /// Does what [`Server::tool`] does, with a function that answers through the call's responder. Without a
    /// function, the application runs events itself.
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

    /// Does what [`Server::prompt`] does, like [`Server::add_tool`].
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

    /// Lists a disabled tool again, and lets clients call it.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`], [`crate::ErrorKind::Closed`].
    pub fn enable_tool(&self, name: &str) -> Result<()> {
        self.set_availability(Family::Tools, name, Availability::Enabled)
    }

    /// Hides a tool: it is not listed, and a call of it is answered like one of a tool that does not exist. Pending calls
    /// finish. [`Server::enable_tool`] ends this.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Unknown`], [`crate::ErrorKind::Closed`].
    pub fn disable_tool(&self, name: &str) -> Result<()> {
        self.set_availability(Family::Tools, name, Availability::Disabled)
    }

    /// Changes the definition of a tool: each member of `changes` takes the place of the one that the definition has, and
    /// `null` removes it. The other members and the handler stay. Pending calls finish.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] as of [`Server::tool`], and then the tool stays as it is;
    /// [`crate::ErrorKind::Unknown`], [`crate::ErrorKind::Closed`].
    pub fn update_tool(&self, name: &str, changes: &Json) -> Result<()> {
        self.update_named(Family::Tools, name, changes)
    }

    /// Limits the calls of a tool. The limits that were set before go; calls that they
    /// counted still count. [`Server::update_tool`] keeps the limits.
    ///
    /// A call beyond a limit is refused with "Busy", before its callback. The client may try again; it is told when, if
    /// that is known. A call counts until it is answered, or until the responder of a cancelled call is gone. A caller is
    /// who the token or the connection says; all clients without a token are one caller. The time is that of
    /// [`crate::Connection::tick`] or [`crate::http::Endpoint::tick`], which the drivers of this crate call.
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
    /// [`crate::ErrorKind::InvalidArgument`] for a limit of 0; [`crate::ErrorKind::Unknown`],
    /// [`crate::ErrorKind::Closed`].
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

    /// Lists a disabled prompt again, and lets clients get it.
    ///
    /// # Errors
    /// As [`Server::enable_tool`].
    pub fn enable_prompt(&self, name: &str) -> Result<()> {
        self.set_availability(Family::Prompts, name, Availability::Enabled)
    }

    /// Hides a prompt, like [`Server::disable_tool`]. Its arguments are not completed.
    ///
    /// # Errors
    /// As [`Server::disable_tool`].
    pub fn disable_prompt(&self, name: &str) -> Result<()> {
        self.set_availability(Family::Prompts, name, Availability::Disabled)
    }

    /// Changes the definition of a prompt, like [`Server::update_tool`].
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
                self.0.log.write(Level::Warning, warning);
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
            self.0.log.write(Level::Warning, warning);
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
