//! The settings of a server before it is made.

use super::{Server, ServerState};
use crate::error::{Error, ErrorKind, Result};
use crate::keys::{Key, random_name};
use crate::limits::Limits;
use crate::log::{Log, Severity};
use crate::model::{Icon, Json, check_extension};
use crate::observer::{Callback, Clock, Metrics, Observed, Observer};
use crate::options::OptionText;
use crate::policy::{
    AppOnlyTools, CheckOutput, DeniedResources, Dialect, ErrorProfile, InvalidArguments, Policy,
    SubscribeUnknown, TitlesInContents, UndeclaredLists, UnknownTool,
};
use crate::protocol::{ListTopics, Settings};
use crate::revision::{EXTENSIONS, Revisions};
use crate::spelling::Spelling;
use crate::sync::atomic::AtomicBool;
use crate::wire::{Identity, ResourceCapability, ServerInfo};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a server that is to be made. Each has a default.
#[derive(Clone)]
pub struct Builder {
    name: String,
    version: String,
    icons: Vec<Icon>,
    cursor_key: Option<Vec<u8>>,
    limits: Limits,
    capabilities: BTreeMap<String, Json>,
    extensions: BTreeMap<String, Json>,
    result_type_extensions: BTreeMap<String, String>,
    kinds: Vec<(String, String)>,
    observer: Option<Arc<Callback>>,
    clock: Option<Arc<Clock>>,
    log: Log,
    spelling: Spelling,
    pub(super) policy: Policy,
}

impl Builder {
    pub(super) fn new(name: String, version: String) -> Self {
        Builder {
            name,
            version,
            icons: Vec::new(),
            cursor_key: None,
            limits: Limits::default(),
            capabilities: BTreeMap::new(),
            extensions: BTreeMap::new(),
            result_type_extensions: BTreeMap::new(),
            kinds: Vec::new(),
            observer: None,
            clock: None,
            log: Log::default(),
            spelling: Spelling::default(),
            policy: Policy::default(),
        }
    }

    /// Sets the title of the server that people see. Default: none.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.policy.options.title.set(title);
        self
    }

    /// Sets the description of the server that people see. Sent in revisions from 2025-11-25 on. Default: none.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.policy.options.description.set(description);
        self
    }

    /// Sets the URL of a page about the server, `https:` or `http:`. Sent in revisions from 2025-11-25 on.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.policy.options.website_url.set(url);
        self
    }

    /// Adds an icon of the server; may be called repeatedly. Sent in revisions from 2025-11-25 on.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Sets instructions for the model on how to use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.policy.options.instructions.set(instructions);
        self
    }

    /// Sets the key that seals cursors, of 32 bytes. All instances share it. Default: random; over stdio it is derived from
    /// the server's name and version, so that a client that starts a process for each request can get the next page.
    #[must_use]
    pub fn cursor_key(mut self, key: impl Into<Vec<u8>>) -> Self {
        self.cursor_key = Some(key.into());
        self
    }

    /// Sets the limits for clients. Default: [`Limits::default`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets whether clients may subscribe to resources. Default: true.
    #[must_use]
    pub fn subscribe(mut self, offered: bool) -> Self {
        self.policy.options.subscribe = offered;
        self
    }

    /// Sets whether the server offers to notify clients when its list of resources changes. Default: true.
    #[must_use]
    pub fn list_changed(mut self, offered: bool) -> Self {
        self.policy.options.list_changed = offered;
        self
    }

    /// Sets whether fields that a client's revision does not have are left out of answers. Default: true. No revision
    /// forbids further members, but a strict client may refuse them.
    #[must_use]
    pub fn omit_newer_fields(mut self, on: bool) -> Self {
        self.policy.options.omit_newer_fields = on;
        self
    }

    /// Sets whether extensions are declared to clients of the handshake era, too, though their revisions lack the
    /// member for them. Default: true.
    #[must_use]
    pub fn handshake_extensions(mut self, on: bool) -> Self {
        self.policy.options.handshake_extensions = on;
        self
    }

    /// Sets whether tools show the resources too, for clients that use tools only. Default: false. `list_resources`
    /// lists resources and templates, `read_resource` reads a URI, and `read_NAME` reads a URI of the template NAME.
    /// They use the same authorizer, limits and callbacks as the methods for resources. A registered tool replaces one
    /// of these with the same name. If there are more than 50 templates, templates have no tools.
    #[must_use]
    pub fn resources_as_tools(mut self, on: bool) -> Self {
        self.policy.options.resources_as_tools = on;
        self
    }

    /// Declares a capability other than those for resources, with its settings: `{}`, or for instance
    /// `{"listChanged":true}`. `resources` with `{}` declares resources before any is registered. Otherwise the first
    /// registration declares them, and clients that are connected already do not learn of it.
    #[must_use]
    pub fn capability(mut self, name: impl Into<String>, capability: Json) -> Self {
        self.capabilities.insert(name.into(), capability);
        self
    }

    /// Declares an extension of the protocol with its settings, in `initialize` and in `server/discover`. `id` has a
    /// prefix, such as `com.example/charts`. An extension that Wellhead implements is declared when it is used, and
    /// these settings are added to its own. Callbacks get the client's settings by [`crate::Call::extension`].
    #[must_use]
    pub fn extension(mut self, id: impl Into<String>, settings: Json) -> Self {
        self.extensions.insert(id.into(), settings);
        self
    }

    /// Sets the extension that a `resultType` other than `complete` and `input_required` belongs to. Declare the
    /// extension by [`Builder::extension`]. A result of this type is sent only to clients that declare the extension,
    /// too. Another client gets an error that says so.
    #[must_use]
    pub fn result_type_extension(
        mut self,
        result_type: impl Into<String>,
        extension: impl Into<String>,
    ) -> Self {
        self.result_type_extensions.insert(result_type.into(), extension.into());
        self
    }

    /// Adds a kind of lists for [`crate::Server::notify_list_changed`]: its name, which clients also use in the filter
    /// of `subscriptions/listen`, and the method of the notification. `resources`, `tools` and `prompts` exist
    /// already.
    #[must_use]
    pub fn list_changed_method(mut self, kind: impl Into<String>, notification: impl Into<String>) -> Self {
        self.kinds.push((kind.into(), notification.into()));
        self
    }

    /// Sets the name of this instance among those that share their changes by [`Server::on_publish`]. Default:
    /// random. Two instances with one name ignore each other's changes.
    #[must_use]
    pub fn instance_name(mut self, name: impl Into<String>) -> Self {
        self.policy.options.instance_name.set(name);
        self
    }

    /// Sets a callback that is called when a call of a callback begins and ends, also of a folder of the library. Not
    /// observed are interest handlers, verifiers of tokens, and closures that get responses of clients. It is called on the thread that polls or answers, with no lock held. It must be quick.
    #[must_use]
    pub fn observe(mut self, observer: impl Fn(&Observed<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Sets the clock that measures calls for [`Builder::observe`] and the searches of folders. It returns the time
    /// since any fixed moment, on any thread. Without it calls have no times, and searches take the system's clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Sets the callback for log lines, such as those about failures in callbacks. Default: standard error. It may be
    /// called from any thread, with no lock held.
    #[must_use]
    pub fn on_log(mut self, log: impl Fn(Severity, &str) + Send + Sync + 'static) -> Self {
        self.log = Log::to(log);
        self
    }

    /// Sets how log lines spell the names of settings. Default: as in Rust. Bindings set the spelling of their
    /// language.
    #[must_use]
    pub fn spelling(mut self, spelling: Spelling) -> Self {
        self.spelling = spelling;
        self
    }

    /// Sets which document defines the codes of errors. Default: [`ErrorProfile::Official`].
    #[must_use]
    pub fn error_profile(mut self, profile: ErrorProfile) -> Self {
        self.policy.options.error_profile = profile;
        self
    }

    /// Sets the answer to a client that asks for a resource for which the authorizer said [`crate::Verdict::Deny`].
    /// Default: [`DeniedResources::Error`].
    #[must_use]
    pub fn denied_resources(mut self, treatment: DeniedResources) -> Self {
        self.policy.options.denied_resources = treatment;
        self
    }

    /// Sets the answer to clients that list resources, templates, tools or prompts on a server that offers none.
    /// Default: [`UndeclaredLists::Error`].
    #[must_use]
    pub fn undeclared_lists(mut self, answer: UndeclaredLists) -> Self {
        self.policy.options.undeclared_lists = answer;
        self
    }

    /// Sets when contents carry the name and title of their resource. Default: [`TitlesInContents::AsPublished`].
    #[must_use]
    pub fn titles_in_contents(mut self, when: TitlesInContents) -> Self {
        self.policy.options.titles_in_contents = when;
        self
    }

    /// Sets the answer to a subscription to a URI that no registration serves. Default: [`SubscribeUnknown::Deny`].
    #[must_use]
    pub fn subscribe_unknown(mut self, answer: SubscribeUnknown) -> Self {
        self.policy.options.subscribe_unknown = answer;
        self
    }

    /// Sets when the `resources/get` dialect, an older protocol without a handshake, is served. Default:
    /// [`Dialect::Auto`].
    #[must_use]
    pub fn dialect(mut self, when: Dialect) -> Self {
        self.policy.options.dialect = when;
        self
    }

    /// Sets the answer to the call of a tool that does not exist. Default: [`UnknownTool::Error`].
    #[must_use]
    pub fn unknown_tool(mut self, answer: UnknownTool) -> Self {
        self.policy.options.unknown_tool = answer;
        self
    }

    /// Sets the answer to the call of a tool whose arguments break its schema. Default: [`InvalidArguments::Result`].
    #[must_use]
    pub fn invalid_arguments(mut self, answer: InvalidArguments) -> Self {
        self.policy.options.invalid_arguments = answer;
        self
    }

    /// Sets when structured content is compared with the `outputSchema` of its tool. A result that breaks it is answered like
    /// a tool that failed, and the log names the wrong parts. Default: [`CheckOutput::Debug`].
    #[must_use]
    pub fn check_output(mut self, when: CheckOutput) -> Self {
        self.policy.options.check_output = when;
        self
    }

    /// Sets which text the model gets if the callback of a tool failed: a neutral one, or that of the error. Default:
    /// [`crate::ToolErrors::Hide`].
    #[must_use]
    pub fn tool_errors(mut self, value: crate::ToolErrors) -> Self {
        self.policy.options.tool_errors = value;
        self
    }

    /// Sets which clients get tools that are for apps only in their lists: those that declare that they show apps, or
    /// all. Default: [`AppOnlyTools::AppClients`].
    #[must_use]
    pub fn app_only_tools(mut self, value: AppOnlyTools) -> Self {
        self.policy.options.app_only_tools = value;
        self
    }

    /// Makes the server.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for an empty name or version, a limit of 0, a cursor key of another length, a
    /// capability `resources` that is not `{}`, and an ill-formed or reserved identifier of an extension. It is also
    /// returned for a kind of list that cannot be announced, an unknown version, and an error code that is not allowed.
    /// [`ErrorKind::Io`] if the system provides no randomness.
    pub fn build(mut self) -> Result<Server> {
        let log = std::mem::take(&mut self.log).spelled(self.spelling);
        self.limits.check()?;
        self.policy.options.check_zeros()?;
        for (what, text) in [("name", &self.name), ("version", &self.version)] {
            if text.is_empty() {
                let message = format!("the {what} of the server must not be empty");
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
        }
        let (key, local_key) = match &self.cursor_key {
            Some(bytes) => {
                let key = Key::from_bytes(bytes)?;
                (key.clone(), key)
            }
            None => (Key::random()?, Key::of_program(&self.name, &self.version)),
        };
        let options = self.policy.options.clone();
        let text = |option: &OptionText| option.if_given().map(str::to_owned);
        let info = ServerInfo {
            name: self.name,
            version: self.version,
            title: text(&options.title),
            description: text(&options.description),
            website_url: text(&options.website_url),
            icons: self.icons,
        };
        info.check()?;
        let resources =
            ResourceCapability { subscribe: options.subscribe, list_changed: options.list_changed };
        let identity = Identity::new(info, text(&options.instructions), resources);
        let resources = self.capabilities.remove("resources");
        if let Some(resources) = resources.as_ref().filter(|resources| !resources.is_empty()) {
            let message = format!(
                "the capability \"resources\" must be {{}} (got {}); `subscribe` and `list_changed` say the rest",
                resources.as_str()
            );
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        if self.capabilities.contains_key(EXTENSIONS) {
            let message =
                "the capability \"extensions\" comes from the extensions; declare each of them by itself";
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        self.extensions.keys().try_for_each(|id| check_extension(id))?;
        for (result_type, id) in &self.result_type_extensions {
            let why = match &**result_type {
                "" => "is empty".to_owned(),
                "complete" | "input_required" => "is the protocol's own".to_owned(),
                _ if self.extensions.contains_key(id) => continue,
                _ => format!("belongs to the extension \"{id}\", which is not declared"),
            };
            let message = format!("the result type \"{result_type}\" {why}");
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        let revisions = Revisions::new(&self.policy)?;
        let list_topics = ListTopics::new(self.kinds)?;
        let settings = Settings {
            limits: self.limits,
            revisions,
            policy: self.policy,
            identity,
            list_topics,
            result_types: self.result_type_extensions,
            authorises: AtomicBool::new(false),
            has_resources: AtomicBool::new(resources.is_some()),
            hears_notifications: AtomicBool::new(false),
        };
        let origin = options.instance_name.if_given().map_or_else(random_name, |name| Ok(name.to_owned()))?;
        let observer = self.observer.map(|callback| Observer { callback, log: log.clone() });
        let metrics = Metrics::new(observer, self.clock);
        let inner = ServerState::new(settings, (&key, &local_key), log, metrics, origin);
        inner.catalog.with(|c, _| {
            c.declare(self.capabilities);
            c.declare_extensions(self.extensions);
            if options.list_changed {
                c.declare_list_changes();
            }
            if options.resources_as_tools { c.offer_resource_tools() } else { Ok(()) }
        })?;
        Ok(Server(Arc::new(inner)))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("name", &self.name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
