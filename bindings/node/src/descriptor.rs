//! Descriptors, which come from JavaScript as JSON text: that takes one call into Rust instead of one for each member.

use crate::from_js::{self, object, set};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use wellhead::http::Grant;
use wellhead::{
    Annotations, Body, CacheHint, Caller, Completion, Contents, Directory, Icon, Json, Observed, Resource,
    Result, Skills, Template, TemplateValue,
};

/// The description of a resource or a template.
#[derive(Default)]
pub(crate) struct Descriptor<'a> {
    common: Common,
    rare: Rare<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Common {
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    mime_type: Option<String>,
    size: Option<u64>,
    kind: Option<String>,
    version: Option<String>,
    cache: Option<Hint>,
    #[serde(default)]
    raw_values: bool,
}

/// Sets what a resource and a template have in common. The two have these methods, and no trait.
macro_rules! describe {
    ($Described:ident, $text:expr, $common:expr, $rare:expr) => {{
        let (mut described, common, rare) = ($Described::new($text), $common, $rare);
        described = set(described, common.name, $Described::name);
        described = set(described, common.title, $Described::title);
        described = set(described, common.description, $Described::description);
        described = set(described, common.mime_type, $Described::mime_type);
        described = set(described, rare.annotations()?, $Described::annotations);
        described = rare.icons()?.into_iter().fold(described, $Described::icon);
        described = set(described, rare.meta()?, $Described::meta);
        described = set(described, common.kind, $Described::kind);
        described = set(described, rare.metadata()?, $Described::metadata);
        set(described, common.cache.map(|hint| hint.hint()).transpose()?, $Described::cache)
    }};
}

impl Descriptor<'_> {
    /// Parses a description from JSON. No text is an empty description.
    pub(crate) fn parse(text: Option<&str>) -> Result<Descriptor<'_>> {
        let Some(text) = text else { return Ok(Descriptor::default()) };
        Ok(Descriptor { common: from_js::parse(text)?, rare: Rare::parse(Some(text))? })
    }

    pub(crate) fn resource(self, uri: String) -> Result<Resource> {
        let Descriptor { mut common, rare } = self;
        let (size, version) = (common.size, common.version.take());
        let resource = describe!(Resource, uri, common, rare);
        Ok(set(set(resource, size, Resource::size), version, Resource::version))
    }

    pub(crate) fn template(self, text: String) -> Result<Template> {
        let Descriptor { common, rare } = self;
        let raw_values = common.raw_values;
        let template = describe!(Template, text, common, rare);
        Ok(if raw_values { template.raw_values() } else { template })
    }
}

/// The members that few items of a page have, apart from those that are packed.
#[derive(Deserialize, Default)]
pub(crate) struct Rare<'a> {
    #[serde(borrow)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow)]
    icons: Option<&'a RawValue>,
    #[serde(borrow)]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    metadata: Option<&'a RawValue>,
}

impl Rare<'_> {
    /// Parses these members from JSON. No text means none of them.
    pub(crate) fn parse(text: Option<&str>) -> Result<Rare<'_>> {
        text.map_or_else(|| Ok(Rare::default()), from_js::parse)
    }

    pub(crate) fn annotations(&self) -> Result<Option<Annotations>> {
        self.annotations.map(|annotations| Annotations::from_json(annotations.get())).transpose()
    }

    pub(crate) fn icons(&self) -> Result<Vec<Icon>> {
        self.icons.map_or_else(|| Ok(Vec::new()), |icons| Icon::list_from_json(icons.get()))
    }

    pub(crate) fn meta(&self) -> Result<Option<Json>> {
        object("meta", self.meta)
    }

    pub(crate) fn metadata(&self) -> Result<Option<Json>> {
        object("metadata", self.metadata)
    }
}

/// The caching hint of an answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hint {
    ttl_ms: Option<u64>,
    scope: Option<String>,
}

impl Hint {
    pub(crate) fn hint(&self) -> Result<CacheHint> {
        let scope = self.scope.as_deref().map(str::parse).transpose()?;
        Ok(set(set(CacheHint::new(), self.ttl_ms, CacheHint::ttl_ms), scope, CacheHint::scope))
    }
}

/// The description of the contents of an answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    uri: Option<String>,
    mime_type: Option<String>,
    name: Option<String>,
    title: Option<String>,
    kind: Option<String>,
    version: Option<String>,
    cache: Option<Hint>,
}

/// Makes contents of a body and of their description, which is JSON.
pub(crate) fn contents(body: Body, text: &str) -> Result<Contents> {
    let said: Said = from_js::parse(text)?;
    let rare = Rare::parse(Some(text))?;
    let mut contents = Contents::new(body);
    contents = set(contents, said.uri, Contents::uri);
    contents = set(contents, said.mime_type, Contents::mime_type);
    contents = set(contents, said.name, Contents::name);
    contents = set(contents, said.title, Contents::title);
    contents = set(contents, said.kind, Contents::kind);
    contents = set(contents, said.version, Contents::version);
    contents = set(contents, rare.meta()?, Contents::meta);
    contents = set(contents, rare.metadata()?, Contents::metadata);
    Ok(set(contents, said.cache.map(|hint| hint.hint()).transpose()?, Contents::cache))
}

/// The answer of a completer, as JSON has it.
#[derive(Deserialize)]
struct Proposed {
    values: Vec<String>,
    total: Option<u64>,
    more: bool,
}

pub(crate) fn completion(text: &str) -> Result<Completion> {
    let Proposed { values, total, more } = from_js::parse(text)?;
    Ok(set(Completion::new(values).more(more), total, Completion::total))
}

/// The value of a variable of a template.
#[derive(Deserialize)]
#[serde(untagged)]
enum Value {
    Text(String),
    List(Vec<String>),
    Pairs { pairs: Vec<(String, String)> },
}

impl From<Value> for TemplateValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Text(text) => TemplateValue::Text(text),
            Value::List(texts) => TemplateValue::List(texts),
            Value::Pairs { pairs } => TemplateValue::Pairs(pairs),
        }
    }
}

/// Returns the URI that a template makes of these values, which are JSON.
pub(crate) fn expand(template: String, values: &str) -> Result<String> {
    let values: BTreeMap<String, Value> = from_js::parse(values)?;
    Template::new(template).expand(values)
}

/// Makes a folder to serve from its path and its options, which are JSON.
pub(crate) fn directory(path: String, options: &str) -> Result<Directory> {
    from_js::options(Directory::new(path), options)
}

/// Makes a folder of skills to serve from its path and its options, which are JSON.
pub(crate) fn skills(path: String, options: &str) -> Result<Skills> {
    from_js::options(Skills::new(path), options)
}

/// Writes the begin or end of a call as JSON, for the observer.
pub(crate) fn observed(call: &Observed<'_>) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Seen<'a> {
        call: u64,
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        registered_as: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        traceparent: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end: Option<End<'a>>,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct End<'a> {
        outcome: &'a str,
        client_waiting: bool,
        bytes: u64,
        time_ms: f64,
    }

    let end = call.end.map(|end| End {
        outcome: end.outcome,
        client_waiting: end.client_waiting,
        bytes: end.bytes,
        time_ms: end.time.unwrap_or_default().as_secs_f64() * 1000.0,
    });
    let &Observed { call, method, registered_as, traceparent, .. } = call;
    serde_json::to_string(&Seen { call, method, registered_as, traceparent, end }).unwrap_or_default()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    audience: Option<Vec<String>>,
    scopes: Option<Vec<String>>,
    expires_in_ms: Option<f64>,
}

/// Makes the grant of a token from its caller and its other members, which are JSON.
pub(crate) fn grant(caller: Caller, said: &str) -> Result<Grant> {
    let Granted { audience, scopes, expires_in_ms } = from_js::parse(said)?;
    let grant = set(set(Grant::new(caller), audience, Grant::audience), scopes, Grant::scopes);
    Ok(set(grant, expires_in_ms.map(|ms| ms as u64), Grant::expires_in_ms)) // the cast saturates
}
