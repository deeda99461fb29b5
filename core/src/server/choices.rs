//! What may be chosen of the form of answers before a server is made.

use super::Builder;
use crate::model::CacheHint;
use crate::policy::{
    Cacheable, Dialect, ErrorCondition, ErrorProfile, PermissionDenied, SubscribeUnknown, TitlesInContents,
    UndeclaredLists,
};

impl Builder {
    /// The protocol versions that are served, by their wire strings; all by default. With none that has a handshake, a
    /// client that sends `initialize` is told which there are; with none of the stateless ones, `_meta` decides nothing.
    #[must_use]
    pub fn versions(mut self, versions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.policy.versions = Some(versions.into_iter().map(Into::into).collect());
        self
    }

    /// What clients are told of the reuse of all answers that may be used again: by default, that they may not be. Once
    /// somebody authorises, [`CacheScope::Public`] is to be said again where it holds: of a kind of answer, of a
    /// registration, or of an answer.
    ///
    /// [`CacheScope::Public`]: crate::CacheScope::Public
    #[must_use]
    pub fn cache(mut self, hint: CacheHint) -> Self {
        self.policy.cache = hint;
        self
    }

    /// [`Builder::cache`] for one kind of answer.
    #[must_use]
    pub fn cache_of(mut self, kind: Cacheable, hint: CacheHint) -> Self {
        self.policy.cache_of.push((kind, hint));
        self
    }

    /// Which documents settle the codes of errors; [`ErrorProfile::Official`] by default.
    #[must_use]
    pub fn error_profile(mut self, profile: ErrorProfile) -> Self {
        self.policy.error_profile = profile;
        self
    }

    /// The code of one condition for clients of one version, whatever the profile says.
    #[must_use]
    pub fn error_code(mut self, version: impl Into<String>, condition: ErrorCondition, code: i32) -> Self {
        self.policy.error_codes.push((version.into(), condition, code));
        self
    }

    /// What a client is told of a resource that the host denies; [`PermissionDenied::Error`] by default.
    #[must_use]
    pub fn permission_denied(mut self, told: PermissionDenied) -> Self {
        self.policy.permission_denied = told;
        self
    }

    /// What a client gets that lists resources, templates, tools or prompts though none are offered; [`UndeclaredLists::Error`] by default.
    #[must_use]
    pub fn undeclared_lists(mut self, answer: UndeclaredLists) -> Self {
        self.policy.undeclared_lists = answer;
        self
    }

    /// Whether contents carry the name and title of their resource; [`TitlesInContents::AsPublished`] by default.
    #[must_use]
    pub fn titles_in_contents(mut self, when: TitlesInContents) -> Self {
        self.policy.titles_in_contents = when;
        self
    }

    /// Whether fields that a client's revision does not have are left out for it. On by default. No revision forbids
    /// further members, but a strict client may.
    #[must_use]
    pub fn omit_newer_fields(mut self, on: bool) -> Self {
        self.policy.ungated = !on;
        self
    }

    /// What becomes of a subscription to a URI that nothing serves; [`SubscribeUnknown::Deny`] by default.
    #[must_use]
    pub fn subscribe_unknown(mut self, answer: SubscribeUnknown) -> Self {
        self.policy.subscribe_unknown = answer;
        self
    }

    /// Whether the `resources/get` dialect is served; [`Dialect::Auto`] by default.
    #[must_use]
    pub fn dialect(mut self, when: Dialect) -> Self {
        self.policy.dialect = when;
        self
    }
}
