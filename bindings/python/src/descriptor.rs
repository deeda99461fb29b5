//! The description of a resource or a template, from keyword arguments.

use crate::cache::CacheHint;
use crate::convert;
use crate::errors::OrRaise;
use crate::icon;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wellhead::{Annotations, Json, Listed, Template};

/// The keyword arguments that describe a resource or a template.
pub(crate) const DESCRIPTION: [&str; 12] = [
    "name",
    "title",
    "description",
    "mime_type",
    "size",
    "annotations",
    "icons",
    "meta",
    "kind",
    "version",
    "metadata",
    "cache",
];

/// The keyword arguments that describe a resource or a template. Texts stay Python's, since most are made for one page.
#[derive(Default)]
pub(crate) struct Descriptor {
    pub(crate) name: Option<Py<PyString>>,
    pub(crate) title: Option<Py<PyString>>,
    pub(crate) description: Option<Py<PyString>>,
    pub(crate) mime_type: Option<Py<PyString>>,
    /// The size. A template has none, nor a version.
    pub(crate) size: Option<u64>,
    pub(crate) kind: Option<Py<PyString>>,
    pub(crate) version: Option<Py<PyString>>,
    pub(crate) rare: Option<Box<Rare>>,
}

/// Members that few resources have, kept apart so that most resources need less memory.
#[derive(Default)]
pub(crate) struct Rare {
    annotations: Option<Annotations>,
    icons: Vec<wellhead::Icon>,
    meta: Option<Json>,
    metadata: Option<Json>,
    /// The caching hint, which lists do not show.
    cache: Option<wellhead::CacheHint>,
}

impl Descriptor {
    /// Reads the keyword arguments of `function`. An argument that is `None` counts as absent. `others`: the names of
    /// its other arguments.
    pub(crate) fn new(
        function: &str,
        keywords: Option<&Bound<'_, PyDict>>,
        others: &[&str],
    ) -> PyResult<Self> {
        let mut descriptor = Descriptor::default();
        for (name, value) in keywords.into_iter().flatten() {
            if !descriptor.take(name.cast::<PyString>()?.to_str()?, &value)? {
                return Err(convert::unknown(function, &name, &[&DESCRIPTION, others].concat()));
            }
        }
        Ok(descriptor)
    }

    /// Takes one argument. Returns false if no argument has this name.
    fn take(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let text =
            || convert::optional(Some(value), |value| Ok(convert::text(name, value)?.clone().unbind()));
        match name {
            "name" => self.name = text()?,
            "title" => self.title = text()?,
            "description" => self.description = text()?,
            "mime_type" => self.mime_type = text()?,
            "size" => self.size = convert::optional(Some(value), |value| convert::count(name, value))?,
            "kind" => self.kind = text()?,
            "version" => self.version = text()?,
            "annotations" | "icons" | "meta" | "metadata" | "cache" if value.is_none() => {}
            "annotations" | "icons" | "meta" | "metadata" | "cache" => {
                self.rare.get_or_insert_default().take(name, value)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(crate) fn listed<'a>(&'a self, py: Python<'a>, uri: &'a str) -> PyResult<Listed<'a>> {
        let text =
            |text: &'a Option<Py<PyString>>| text.as_ref().map(|text| text.bind(py).to_str()).transpose();
        let rare = self.rare.as_deref();
        Ok(Listed {
            uri,
            name: text(&self.name)?,
            title: text(&self.title)?,
            description: text(&self.description)?,
            mime_type: text(&self.mime_type)?,
            size: self.size,
            kind: text(&self.kind)?,
            version: text(&self.version)?,
            annotations: rare.and_then(|rare| rare.annotations.clone()),
            icons: rare.map(|rare| rare.icons.clone()).unwrap_or_default(),
            meta: rare.and_then(|rare| rare.meta.clone()),
            metadata: rare.and_then(|rare| rare.metadata.clone()),
            ..Listed::default()
        })
    }

    pub(crate) fn resource(&self, py: Python<'_>, uri: &str) -> PyResult<wellhead::Resource> {
        let listed = self.listed(py, uri)?;
        let mut resource = wellhead::Resource::new(uri);
        if let Some(size) = listed.size {
            resource = resource.size(size);
        }
        if let Some(version) = listed.version {
            resource = resource.version(version);
        }
        Ok(describe!(resource, listed, self.cache()))
    }

    pub(crate) fn template(&self, py: Python<'_>, uri_template: &str) -> PyResult<Template> {
        Ok(describe!(Template::new(uri_template), self.listed(py, uri_template)?, self.cache()))
    }

    fn cache(&self) -> Option<wellhead::CacheHint> {
        self.rare.as_ref()?.cache
    }
}

impl Rare {
    /// Makes the members from keyword arguments, or returns `None` if none was given.
    pub(crate) fn new(arguments: [(&str, Option<Bound<'_, PyAny>>); 5]) -> PyResult<Option<Box<Self>>> {
        let mut rare = None;
        for (name, value) in arguments {
            let Some(value) = value else { continue };
            let rare = rare.get_or_insert_with(Box::<Rare>::default);
            rare.take(name, &value)?;
        }
        Ok(rare)
    }

    fn take(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match name {
            "annotations" => {
                self.annotations =
                    Some(Annotations::from_json(&convert::json(name, value)?).or_raise(value.py())?);
            }
            "icons" => self.icons = icon::list(name, value)?,
            "cache" => self.cache = Some(convert::instance::<CacheHint>(name, value)?.get().to_core()),
            "meta" => self.meta = Some(convert::object(name, value)?),
            _ => self.metadata = Some(convert::object(name, value)?),
        }
        Ok(())
    }
}

/// Calls the setters that resources and templates have in common.
macro_rules! describe {
    ($target:expr, $listed:expr, $cache:expr) => {{
        let (mut target, listed) = ($target, $listed);
        if let Some(name) = listed.name {
            target = target.name(name);
        }
        if let Some(title) = listed.title {
            target = target.title(title);
        }
        if let Some(description) = listed.description {
            target = target.description(description);
        }
        if let Some(mime_type) = listed.mime_type {
            target = target.mime_type(mime_type);
        }
        if let Some(annotations) = listed.annotations {
            target = target.annotations(annotations);
        }
        for icon in listed.icons {
            target = target.icon(icon);
        }
        if let Some(meta) = listed.meta {
            target = target.meta(meta);
        }
        if let Some(kind) = listed.kind {
            target = target.kind(kind);
        }
        if let Some(metadata) = listed.metadata {
            target = target.metadata(metadata);
        }
        if let Some(cache) = $cache {
            target = target.cache(cache);
        }
        target
    }};
}
use describe;
