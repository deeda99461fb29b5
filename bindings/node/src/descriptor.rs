//! Descriptors come from JavaScript as JSON text: one crossing instead of one for each member.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use wellhead::http::Grant;
use wellhead::{
    Annotations, Body, CacheHint, Caller, Completion, Contents, Directory, Error, ErrorKind, Icon, Json,
    Observed, Resource, Result, Template, TemplateValue,
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

macro_rules! describe {
    ($described:expr, $descriptor:expr) => {{
        let (mut described, descriptor) = ($described, $descriptor);
        if let Some(name) = descriptor.common.name {
            described = described.name(name);
        }
        if let Some(title) = descriptor.common.title {
            described = described.title(title);
        }
        if let Some(description) = descriptor.common.description {
            described = described.description(description);
        }
        if let Some(mime_type) = descriptor.common.mime_type {
            described = described.mime_type(mime_type);
        }
        if let Some(annotations) = descriptor.rare.annotations()? {
            described = described.annotations(annotations);
        }
        for icon in descriptor.rare.icons()? {
            described = described.icon(icon);
        }
        if let Some(meta) = descriptor.rare.meta()? {
            described = described.meta(meta);
        }
        if let Some(kind) = descriptor.common.kind {
            described = described.kind(kind);
        }
        if let Some(metadata) = descriptor.rare.metadata()? {
            described = described.metadata(metadata);
        }
        if let Some(hint) = descriptor.common.cache {
            described = described.cache(hint.hint()?);
        }
        described
    }};
}

impl Descriptor<'_> {
    /// None: nothing is described.
    pub(crate) fn parse(text: Option<&str>) -> Result<Descriptor<'_>> {
        let Some(text) = text else { return Ok(Descriptor::default()) };
        Ok(Descriptor {
            common: serde_json::from_str(text).map_err(ill_typed)?,
            rare: Rare::parse(Some(text))?,
        })
    }

    pub(crate) fn resource(self, uri: String) -> Result<Resource> {
        let (size, version) = (self.common.size, self.common.version.clone());
        let mut resource = describe!(Resource::new(uri), self);
        if let Some(size) = size {
            resource = resource.size(size);
        }
        if let Some(version) = version {
            resource = resource.version(version);
        }
        Ok(resource)
    }

    pub(crate) fn template(self, text: String) -> Result<Template> {
        let raw_values = self.common.raw_values;
        let template = describe!(Template::new(text), self);
        Ok(if raw_values { template.raw_values() } else { template })
    }
}

pub(crate) fn ill_typed(e: serde_json::Error) -> Error {
    // Not the parser's words: they name types of Rust, and a place in JSON that the application never saw.
    let what = match e.classify() {
        serde_json::error::Category::Data => "a member is missing or has the wrong type",
        _ => "a text has half of a surrogate pair; make it well-formed: text.toWellFormed()",
    };
    Error::new(ErrorKind::InvalidArgument, what)
}

/// The members that few items of a page have.
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
    /// None: there are none.
    pub(crate) fn parse(text: Option<&str>) -> Result<Rare<'_>> {
        text.map_or_else(|| Ok(Rare::default()), |text| serde_json::from_str(text).map_err(ill_typed))
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

pub(crate) fn object(member: &str, given: Option<&RawValue>) -> Result<Option<Json>> {
    given
        .map(|given| match given.get() {
            text if text.starts_with('{') => {
                Json::object(text).map_err(|e| Error::new(e.kind(), format!("{member}: {e}")))
            }
            text => {
                let shown = if text.chars().count() > 40 { "something else" } else { text };
                Err(Error::new(ErrorKind::InvalidArgument, format!("{member}: an object, not {shown}")))
            }
        })
        .transpose()
}

/// How long, and for whom, an answer may be kept.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hint {
    ttl_ms: Option<u64>,
    scope: Option<String>,
}

impl Hint {
    pub(crate) fn hint(&self) -> Result<CacheHint> {
        let mut hint = CacheHint::new();
        if let Some(ttl_ms) = self.ttl_ms {
            hint = hint.ttl_ms(ttl_ms);
        }
        if let Some(scope) = &self.scope {
            hint = hint.scope(scope.parse()?);
        }
        Ok(hint)
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

/// Contents, and what was said of them, as JSON.
pub(crate) fn contents(body: Body, text: &str) -> Result<Contents> {
    let said: Said = serde_json::from_str(text).map_err(ill_typed)?;
    let rare = Rare::parse(Some(text))?;
    let mut contents = Contents::new(body);
    for (text, add) in [
        (said.uri, Contents::uri as fn(Contents, String) -> Contents),
        (said.mime_type, Contents::mime_type),
        (said.name, Contents::name),
        (said.title, Contents::title),
        (said.kind, Contents::kind),
        (said.version, Contents::version),
    ] {
        if let Some(text) = text {
            contents = add(contents, text);
        }
    }
    if let Some(meta) = rare.meta()? {
        contents = contents.meta(meta);
    }
    if let Some(metadata) = rare.metadata()? {
        contents = contents.metadata(metadata);
    }
    if let Some(hint) = said.cache {
        contents = contents.cache(hint.hint()?);
    }
    Ok(contents)
}

/// The proposals of a completer.
#[derive(Deserialize)]
struct Proposed {
    values: Vec<String>,
    total: Option<u64>,
    more: bool,
}

pub(crate) fn completion(text: &str) -> Result<Completion> {
    let Proposed { values, total, more } = serde_json::from_str(text).map_err(ill_typed)?;
    let completion = Completion::new(values).more(more);
    Ok(match total {
        Some(total) => completion.total(total),
        None => completion,
    })
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

/// The URI that these values make.
pub(crate) fn expand(template: String, values: &str) -> Result<String> {
    let values: BTreeMap<String, Value> = serde_json::from_str(values).map_err(ill_typed)?;
    Template::new(template).expand(values)
}

/// A folder to be served.
pub(crate) fn directory(path: String, options: &str) -> Result<Directory> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Options {
        #[serde(default)]
        include: Vec<String>,
        #[serde(default)]
        exclude: Vec<String>,
        max_file_bytes: Option<u64>,
        watch: Option<bool>,
        settle_ms: Option<u64>,
    }

    let Options { include, exclude, max_file_bytes, watch, settle_ms } =
        serde_json::from_str(options).map_err(ill_typed)?;
    let mut directory = Directory::new(path);
    directory = include.into_iter().fold(directory, Directory::include);
    directory = exclude.into_iter().fold(directory, Directory::exclude);
    if let Some(bytes) = max_file_bytes {
        directory = directory.max_file_bytes(bytes);
    }
    if let Some(ms) = settle_ms {
        directory = directory.settle_ms(ms);
    }
    Ok(match watch {
        Some(watch) => directory.watch(watch),
        None => directory,
    })
}

/// A call that began or ended, as JSON.
pub(crate) fn observed(call: &Observed<'_>) -> String {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Seen<'a> {
        call: u64,
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        registration: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        traceparent: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        end: Option<End<'a>>,
    }

    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct End<'a> {
        outcome: &'a str,
        wanted: bool,
        bytes: u64,
        time_ms: f64,
    }

    let end = call.end.map(|end| End {
        outcome: end.outcome,
        wanted: end.wanted,
        bytes: end.bytes,
        time_ms: end.time.unwrap_or_default().as_secs_f64() * 1000.0,
    });
    let &Observed { call, method, registration, traceparent, .. } = call;
    serde_json::to_string(&Seen { call, method, registration, traceparent, end }).unwrap_or_default()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Granted {
    audience: Option<Vec<String>>,
    scopes: Option<Vec<String>>,
    expires_in_ms: Option<f64>,
}

/// The grant of a token.
pub(crate) fn grant(caller: Caller, said: &str) -> Result<Grant> {
    let Granted { audience, scopes, expires_in_ms } = serde_json::from_str(said).map_err(ill_typed)?;
    let mut grant = Grant::new(caller);
    if let Some(audience) = audience {
        grant = grant.audience(audience);
    }
    if let Some(scopes) = scopes {
        grant = grant.scopes(scopes);
    }
    if let Some(ms) = expires_in_ms {
        grant = grant.expires_in_ms(ms as u64); // saturates
    }
    Ok(grant)
}
