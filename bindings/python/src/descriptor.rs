//! What describes a resource or template, from keyword arguments.

use crate::errors::OrRaise;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use wellhead::{Annotations, Json};

/// The keyword arguments that resources and templates share.
pub(crate) struct Descriptor {
    pub(crate) name: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) annotations: Option<Annotations>,
    pub(crate) meta: Option<Json>,
}

impl Descriptor {
    pub(crate) fn new(
        py: Python<'_>,
        names: [Option<String>; 4],
        annotations: Option<&Bound<'_, PyDict>>,
        meta: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let [name, title, description, mime_type] = names;
        let annotations = match annotations {
            Some(annotations) => Some(Annotations::from_json(&text(annotations)?).or_raise(py)?),
            None => None,
        };
        let meta = meta.map(object).transpose()?;
        Ok(Descriptor { name, title, description, mime_type, annotations, meta })
    }
}

/// Calls the setters that resources and templates have in common.
macro_rules! describe {
    ($target:expr, $descriptor:expr) => {{
        let (mut target, descriptor) = ($target, $descriptor);
        if let Some(name) = descriptor.name {
            target = target.name(name);
        }
        if let Some(title) = descriptor.title {
            target = target.title(title);
        }
        if let Some(description) = descriptor.description {
            target = target.description(description);
        }
        if let Some(mime_type) = descriptor.mime_type {
            target = target.mime_type(mime_type);
        }
        if let Some(annotations) = descriptor.annotations {
            target = target.annotations(annotations);
        }
        if let Some(meta) = descriptor.meta {
            target = target.meta(meta);
        }
        target
    }};
}
pub(crate) use describe;

/// A dict as a JSON object.
pub(crate) fn object(value: &Bound<'_, PyDict>) -> PyResult<Json> {
    Json::object(text(value)?).or_raise(value.py())
}

fn text(value: &Bound<'_, PyDict>) -> PyResult<String> {
    static DUMPS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let options = PyDict::new(py);
    options.set_item("ensure_ascii", false)?;
    options.set_item("allow_nan", false)?;
    options.set_item("separators", (",", ":"))?;
    DUMPS.import(py, "json", "dumps")?.call((value,), Some(&options))?.extract()
}
