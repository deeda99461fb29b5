//! Settings for the form of answers.

use super::Builder;
use crate::error::Result;
use crate::model::CacheHint;
use crate::options::{OptionEntry, OptionValue, ServerOptions, SetOption, no_such_option};
use crate::policy::{
    Cacheable, CheckOutput, Dialect, ErrorCondition, ErrorProfile, InvalidArguments, PermissionDenied,
    SubscribeUnknown, TitlesInContents, UndeclaredLists, UnknownTool,
};

impl Builder {
    /// Sets the protocol versions that are served, by their wire strings. Default: all. Without a version that has
    /// a handshake, a client that sends `initialize` gets the list of versions. Without a stateless version, the
    /// server ignores the version in `_meta`.
    #[must_use]
    pub fn versions(mut self, versions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.versions = Some(versions.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the caching hint of all cacheable answers. Default: they may not be cached. Once there is an
    /// authorizer, [`CacheScope::Public`] has to be set where it holds: for a kind of answer, a registration, or an
    /// answer.
    ///
    /// [`CacheScope::Public`]: crate::CacheScope::Public
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.policy.cache = hint;
        self
    }

    /// Sets the caching hint of one kind of answer.
    #[must_use]
    pub fn cache_of(mut self, kind: Cacheable, hint: CacheHint) -> Self {
        self.policy.cache_of.push((kind, hint));
        self
    }

    /// Sets the document that settles the codes of errors. Default: [`ErrorProfile::Official`].
    #[must_use]
    pub fn error_profile(mut self, profile: ErrorProfile) -> Self {
        self.policy.error_profile = profile;
        self
    }

    /// Sets the error code of one condition for clients of one version, in place of the profile's.
    #[must_use]
    pub fn error_code(mut self, version: impl Into<String>, condition: ErrorCondition, code: i32) -> Self {
        self.policy.error_codes.push((version.into(), condition, code));
        self
    }

    /// Sets the answer for a resource that the application denies. Default: [`PermissionDenied::Error`].
    #[must_use]
    pub fn permission_denied(mut self, told: PermissionDenied) -> Self {
        self.policy.permission_denied = told;
        self
    }

    /// Sets the answer to clients that list resources, templates, tools or prompts on a server that offers none.
    /// Default: [`UndeclaredLists::Error`].
    #[must_use]
    pub fn undeclared_lists(mut self, answer: UndeclaredLists) -> Self {
        self.policy.undeclared_lists = answer;
        self
    }

    /// Sets when contents carry the name and title of their resource. Default: [`TitlesInContents::AsPublished`].
    #[must_use]
    pub fn titles_in_contents(mut self, when: TitlesInContents) -> Self {
        self.policy.titles_in_contents = when;
        self
    }

    /// Sets the fate of a subscription to a URI that no registration serves. Default: [`SubscribeUnknown::Deny`].
    #[must_use]
    pub fn subscribe_unknown(mut self, answer: SubscribeUnknown) -> Self {
        self.policy.subscribe_unknown = answer;
        self
    }

    /// Sets when the `resources/get` dialect is served. Default: [`Dialect::Auto`].
    #[must_use]
    pub fn dialect(mut self, when: Dialect) -> Self {
        self.policy.dialect = when;
        self
    }

    /// Sets the answer to the call of a tool that does not exist. Default: [`UnknownTool::Error`].
    #[must_use]
    pub fn unknown_tool(mut self, answer: UnknownTool) -> Self {
        self.policy.unknown_tool = answer;
        self
    }

    /// Sets the answer to the call of a tool whose arguments break its schema. Default: [`InvalidArguments::Result`].
    #[must_use]
    pub fn invalid_arguments(mut self, answer: InvalidArguments) -> Self {
        self.policy.invalid_arguments = answer;
        self
    }

    /// Sets when structured content is compared with the `outputSchema` of its tool. A result that breaks it is answered like
    /// a tool that failed, and the log names the wrong parts. Default: [`CheckOutput::Debug`].
    #[must_use]
    pub fn check_output(mut self, when: CheckOutput) -> Self {
        self.policy.check_output = when;
        self
    }
}

impl SetOption for Builder {
    const OPTIONS: &'static [OptionEntry] = ServerOptions::OPTIONS;

    fn set_option(mut self, name: &str, value: OptionValue) -> Result<Self> {
        let text = match value {
            OptionValue::Text(text) => text,
            OptionValue::List(versions) if name == "versions" => return Ok(self.versions(versions)),
            value => return self.options.put(name, &value).map(|()| self),
        };
        Ok(match name {
            "title" => self.title(text),
            "instructions" => self.instructions(text),
            "cursor_key" => self.cursor_key(text),
            "origin" => self.origin(text),
            "error_profile" => self.error_profile(text.parse()?),
            "permission_denied" => self.permission_denied(text.parse()?),
            "undeclared_lists" => self.undeclared_lists(text.parse()?),
            "titles_in_contents" => self.titles_in_contents(text.parse()?),
            "subscribe_unknown" => self.subscribe_unknown(text.parse()?),
            "dialect" => self.dialect(text.parse()?),
            "unknown_tool" => self.unknown_tool(text.parse()?),
            "invalid_arguments" => self.invalid_arguments(text.parse()?),
            "check_output" => self.check_output(text.parse()?),
            _ => return Err(no_such_option(name)),
        })
    }
}
