//! The values that callbacks answer with.

use crate::body;
use crate::descriptor::{Descriptor, describe, object};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use wellhead::{Body, Json};

/// One element of an answer, where text or bytes alone do not say enough.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Contents {
    body: Body,
    uri: Option<String>,
    mime_type: Option<String>,
    meta: Option<Json>,
}

#[pymethods]
impl Contents {
    #[new]
    #[pyo3(signature = (body, /, *, uri = None, mime_type = None, meta = None))]
    fn new(
        body: &Bound<'_, PyAny>,
        uri: Option<String>,
        mime_type: Option<String>,
        meta: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let Some(given) = body::body(body)? else {
            let message = format!("contents are str or bytes, not {}", body.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        };
        Ok(Contents { body: given, uri, mime_type, meta: meta.map(object).transpose()? })
    }

    fn __repr__(&self) -> String {
        let mut text = match &self.body {
            Body::Text(text) => format!("Contents(<{} bytes of text>", (**text).as_ref().len()),
            Body::Blob(bytes) => format!("Contents(<{} bytes>", (**bytes).as_ref().len()),
            _ => "Contents(".to_owned(),
        };
        for (name, value) in [(", uri=", &self.uri), (", mime_type=", &self.mime_type)] {
            if let Some(value) = value {
                text.extend([name, &format!("{value:?}")]);
            }
        }
        text + ")"
    }
}

impl Contents {
    pub(crate) fn to_core(&self) -> wellhead::Contents {
        let mut contents = wellhead::Contents::new(self.body.clone());
        if let Some(uri) = &self.uri {
            contents = contents.uri(uri.as_str());
        }
        if let Some(mime_type) = &self.mime_type {
            contents = contents.mime_type(mime_type.as_str());
        }
        if let Some(meta) = &self.meta {
            contents = contents.meta(meta.clone());
        }
        contents
    }
}

/// One item of a listing.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Resource {
    inner: Arc<wellhead::Resource>,
    key: Option<String>,
}

#[pymethods]
impl Resource {
    #[new]
    #[pyo3(signature = (uri, /, *, name = None, title = None, description = None, mime_type = None, size = None,
        key = None, annotations = None, meta = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        py: Python<'_>,
        uri: &str,
        name: Option<String>,
        title: Option<String>,
        description: Option<String>,
        mime_type: Option<String>,
        size: Option<u64>,
        key: Option<String>,
        annotations: Option<&Bound<'_, PyDict>>,
        meta: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let descriptor = Descriptor::new(py, [name, title, description, mime_type], annotations, meta)?;
        let mut inner = describe!(wellhead::Resource::new(uri), descriptor);
        if let Some(size) = size {
            inner = inner.size(size);
        }
        if let Some(key) = &key {
            inner = inner.key(key.as_str());
        }
        Ok(Resource { inner: Arc::new(inner), key })
    }

    #[getter]
    fn uri(&self) -> &str {
        self.inner.uri()
    }

    #[getter]
    fn key(&self) -> &str {
        self.key.as_deref().unwrap_or(self.inner.uri())
    }

    fn __repr__(&self) -> String {
        format!("Resource({:?})", self.inner.uri())
    }
}

/// Some items of a listing, and whether there are more behind them.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Page {
    items: Vec<Arc<wellhead::Resource>>,
    more: bool,
}

#[pymethods]
impl Page {
    #[new]
    #[pyo3(signature = (items, /, *, more = false))]
    fn new(items: &Bound<'_, PyAny>, more: bool) -> PyResult<Self> {
        let mut resources = Vec::new();
        for item in items.try_iter()? {
            let item = item?;
            let Ok(item) = item.cast::<Resource>() else {
                let message =
                    format!("a page holds wellhead.Resource items, not {}", item.get_type().name()?);
                return Err(PyTypeError::new_err(message));
            };
            resources.push(item.get().inner.clone());
        }
        Ok(Page { items: resources, more })
    }

    #[getter]
    fn more(&self) -> bool {
        self.more
    }

    fn __len__(&self) -> usize {
        self.items.len()
    }

    fn __repr__(&self) -> String {
        let more = if self.more { "True" } else { "False" };
        format!("Page(<{} items>, more={more})", self.items.len())
    }
}

impl Page {
    pub(crate) fn to_core(&self) -> wellhead::Page {
        wellhead::Page::new(self.items.iter().map(|item| &**item)).more(self.more)
    }
}
