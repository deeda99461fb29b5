//! The options of a server, which come from JavaScript as JSON text.

use crate::descriptor::Hint;
use crate::from_js::{self, object};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::str::FromStr;
use wellhead::{Builder, Error, Icon, Limits, Result};

/// The options that are read one by one, since they are more than a number or a word.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Options {
    #[serde(default)]
    capabilities: BTreeMap<String, Box<RawValue>>,
    #[serde(default)]
    extensions: BTreeMap<String, Box<RawValue>>,
    #[serde(default)]
    result_type_extensions: BTreeMap<String, String>,
    #[serde(default)]
    list_changed_methods: BTreeMap<String, String>,
    #[serde(default)]
    rpc_codes: BTreeMap<String, BTreeMap<String, i32>>,
    cache: Option<Hint>,
    #[serde(default)]
    cache_of: BTreeMap<String, Hint>,
    limits: Option<Box<RawValue>>,
    icons: Option<Box<RawValue>>,
}

impl Options {
    /// Sets the options, which are JSON, on the builder.
    pub(crate) fn apply(text: &str, builder: Builder) -> Result<Builder> {
        from_js::parse::<Options>(text)?.set_others(from_js::options(builder, text)?)
    }

    /// Sets the options that this struct has members for.
    fn set_others(self, mut builder: Builder) -> Result<Builder> {
        if let Some(limits) = &self.limits {
            builder = builder.limits(from_js::options(Limits::default(), limits.get())?);
        }
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
        for (result_type, extension) in self.result_type_extensions {
            builder = builder.result_type_extension(result_type, extension);
        }
        for (kind, notification) in self.list_changed_methods {
            builder = builder.list_changed_method(kind, notification);
        }
        for (revision, codes) in self.rpc_codes {
            for (condition, code) in codes {
                builder = builder.rpc_code(&*revision, word("rpcCodes", &condition)?, code);
            }
        }
        if let Some(icons) = &self.icons {
            builder = Icon::list_from_json(icons.get())?.into_iter().fold(builder, Builder::icon);
        }
        if let Some(hint) = &self.cache {
            builder = builder.cache(hint.hint()?);
        }
        for (kind, hint) in &self.cache_of {
            builder = builder.cache_of(word("cacheOf", kind)?, hint.hint()?);
        }
        Ok(builder)
    }
}

fn word<T: FromStr<Err = Error>>(name: &str, given: &str) -> Result<T> {
    given.parse().map_err(|e: Error| Error::new(e.kind(), format!("{name}: {e}")))
}
