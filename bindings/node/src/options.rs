//! The options of a server, which come from JavaScript as JSON text.

use crate::descriptor::Hint;
use crate::given::{self, object, set};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::str::FromStr;
use wellhead::{Builder, Error, Limits, Result};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Options {
    title: Option<String>,
    instructions: Option<String>,
    origin: Option<String>,
    subscribe: Option<bool>,
    list_changed: Option<bool>,
    #[serde(default)]
    capabilities: BTreeMap<String, Box<RawValue>>,
    #[serde(default)]
    extensions: BTreeMap<String, Box<RawValue>>,
    #[serde(default)]
    announces: BTreeMap<String, String>,
    versions: Option<Vec<String>>,
    error_profile: Option<String>,
    #[serde(default)]
    error_codes: BTreeMap<String, BTreeMap<String, i32>>,
    permission_denied: Option<String>,
    undeclared_lists: Option<String>,
    titles_in_contents: Option<String>,
    omit_newer_fields: Option<bool>,
    handshake_extensions: Option<bool>,
    resources_as_tools: Option<bool>,
    subscribe_unknown: Option<String>,
    dialect: Option<String>,
    unknown_tool: Option<String>,
    invalid_arguments: Option<String>,
    check_output: Option<String>,
    cache: Option<Hint>,
    #[serde(default)]
    cache_of: BTreeMap<String, Hint>,
    #[serde(default)]
    limits: LimitOptions,
}

impl Options {
    pub(crate) fn parse(text: &str) -> Result<Options> {
        given::parse(text)
    }

    /// Gives the builder what was given.
    pub(crate) fn apply(self, mut builder: Builder) -> Result<Builder> {
        builder = builder.limits(self.limits.limits());
        for (name, capability) in &self.capabilities {
            if let Some(capability) = object(&format!("capabilities.{name}"), Some(capability))? {
                builder = builder.capability(name, capability);
            }
        }
        for (id, settings) in &self.extensions {
            if let Some(settings) = object(&format!("extensions.{id}"), Some(settings))? {
                builder = builder.extension(id, settings);
            }
        }
        for (kind, notification) in self.announces {
            builder = builder.announces(kind, notification);
        }
        for (version, codes) in self.error_codes {
            for (condition, code) in codes {
                builder = builder.error_code(&*version, word("errorCodes", &condition)?, code);
            }
        }
        if let Some(hint) = &self.cache {
            builder = builder.cache(hint.hint()?);
        }
        for (kind, hint) in &self.cache_of {
            builder = builder.cache_of(word("cacheOf", kind)?, hint.hint()?);
        }
        builder = set(builder, self.title, Builder::title);
        builder = set(builder, self.instructions, Builder::instructions);
        builder = set(builder, self.origin, Builder::origin);
        builder = set(builder, self.subscribe, Builder::subscribe);
        builder = set(builder, self.list_changed, Builder::list_changed);
        builder = set(builder, self.versions, Builder::versions);
        builder = set(builder, self.omit_newer_fields, Builder::omit_newer_fields);
        builder = set(builder, self.handshake_extensions, Builder::handshake_extensions);
        builder = set(builder, self.resources_as_tools, Builder::resources_as_tools);
        builder = choose(builder, "errorProfile", self.error_profile, Builder::error_profile)?;
        builder = choose(builder, "permissionDenied", self.permission_denied, Builder::permission_denied)?;
        builder = choose(builder, "undeclaredLists", self.undeclared_lists, Builder::undeclared_lists)?;
        builder = choose(builder, "titlesInContents", self.titles_in_contents, Builder::titles_in_contents)?;
        builder = choose(builder, "subscribeUnknown", self.subscribe_unknown, Builder::subscribe_unknown)?;
        builder = choose(builder, "dialect", self.dialect, Builder::dialect)?;
        builder = choose(builder, "unknownTool", self.unknown_tool, Builder::unknown_tool)?;
        builder = choose(builder, "invalidArguments", self.invalid_arguments, Builder::invalid_arguments)?;
        choose(builder, "checkOutput", self.check_output, Builder::check_output)
    }
}

/// Sets an option that is one of some words.
fn choose<T: FromStr<Err = Error>>(
    builder: Builder,
    name: &str,
    given: Option<String>,
    add: impl FnOnce(Builder, T) -> Builder,
) -> Result<Builder> {
    let given = given.map(|given| word(name, &given)).transpose()?;
    Ok(set(builder, given, add))
}

fn word<T: FromStr<Err = Error>>(name: &str, given: &str) -> Result<T> {
    given.parse().map_err(|e: Error| Error::new(e.kind(), format!("{name}: {e}")))
}

macro_rules! limits {
    ($($name:ident: $type:ty),*) => {
        /// The limits that were given; `null` is `Infinity`.
        #[derive(Deserialize, Default)]
        #[serde(rename_all = "camelCase", deny_unknown_fields, default)]
        struct LimitOptions {
            $(#[serde(deserialize_with = "given")] $name: Option<Option<$type>>,)*
        }

        impl LimitOptions {
            fn limits(&self) -> Limits {
                let mut limits = Limits::default();
                $(if let Some(limit) = self.$name {
                    limits.$name = limit.unwrap_or(<$type>::MAX);
                })*
                limits
            }
        }
    };
}

limits!(
    message_bytes: usize, nesting: usize, id_bytes: usize, batch_length: usize, uri_bytes: usize, page_items: usize, page_bytes: usize,
    calls_in_flight: usize, subscriptions: usize, subscriptions_total: usize, listen_streams: usize,
    output_bytes: usize, call_ms: u64, buffer_bytes: usize, caller_percent: usize, session_streams: usize
);

#[allow(clippy::option_option, reason = "not given, `Infinity`, or a number")]
/// Tells a `null` that was given from a member that was not.
fn given<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> std::result::Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}
