//! The values that callbacks answer with.

use crate::body;
use crate::cache::CacheHint;
use crate::descriptor::{Descriptor, Rare, object};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::Listed;

/// One element of an answer, where text or bytes alone do not say enough.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Contents(wellhead::Contents);

#[pymethods]
impl Contents {
    #[new]
    #[pyo3(signature = (body, /, *, uri = None, name = None, title = None, mime_type = None, meta = None, kind = None,
        version = None, metadata = None, cache = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn new(
        body: &Bound<'_, PyAny>,
        uri: Option<String>,
        name: Option<String>,
        title: Option<String>,
        mime_type: Option<String>,
        meta: Option<&Bound<'_, PyAny>>,
        kind: Option<String>,
        version: Option<String>,
        metadata: Option<&Bound<'_, PyAny>>,
        cache: Option<&Bound<'_, CacheHint>>,
    ) -> PyResult<Self> {
        let Some(given) = body::body(body)? else {
            let message = format!("contents are str or bytes, not {}", body.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        };
        let mut contents = wellhead::Contents::new(given);
        if let Some(uri) = uri {
            contents = contents.uri(uri);
        }
        if let Some(name) = name {
            contents = contents.name(name);
        }
        if let Some(title) = title {
            contents = contents.title(title);
        }
        if let Some(mime_type) = mime_type {
            contents = contents.mime_type(mime_type);
        }
        if let Some(meta) = meta {
            contents = contents.meta(object(meta)?);
        }
        if let Some(kind) = kind {
            contents = contents.kind(kind);
        }
        if let Some(version) = version {
            contents = contents.version(version);
        }
        if let Some(metadata) = metadata {
            contents = contents.metadata(object(metadata)?);
        }
        if let Some(cache) = cache {
            contents = contents.cache(cache.get().to_core());
        }
        Ok(Contents(contents))
    }

    fn __repr__(&self) -> String {
        match (self.0.text(), self.0.bytes()) {
            (Some(text), _) => format!("Contents(<{} bytes of text>)", text.len()),
            (_, bytes) => format!("Contents(<{} bytes>)", bytes.map_or(0, <[u8]>::len)),
        }
    }
}

impl Contents {
    pub(crate) fn to_core(&self) -> wellhead::Contents {
        self.0.clone()
    }
}

/// What `NOT_MODIFIED` is.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct NotModified;

#[pymethods]
impl NotModified {
    #[allow(clippy::unused_self, reason = "Python calls it with one")]
    fn __repr__(&self) -> &'static str {
        "wellhead.NOT_MODIFIED"
    }
}

/// One item of a listing.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Resource {
    uri: Py<PyString>,
    key: Option<Py<PyString>>,
    descriptor: Descriptor,
    /// Was on a page before.
    listed: AtomicBool,
    /// A page of this item alone, kept from the second page on: most items are made for one.
    written: OnceLock<wellhead::Page>,
}

#[pymethods]
impl Resource {
    #[new]
    #[pyo3(signature = (uri, /, *, key = None, name = None, title = None, description = None, mime_type = None,
        size = None, annotations = None, icons = None, meta = None, kind = None, version = None, metadata = None, cache = None))]
    #[allow(clippy::too_many_arguments, reason = "named here, they cost half of what a dict of them does")]
    fn new(
        uri: Py<PyString>,
        key: Option<Py<PyString>>,
        name: Option<Py<PyString>>,
        title: Option<Py<PyString>>,
        description: Option<Py<PyString>>,
        mime_type: Option<Py<PyString>>,
        size: Option<u64>,
        annotations: Option<Bound<'_, PyAny>>,
        icons: Option<Bound<'_, PyAny>>,
        meta: Option<Bound<'_, PyAny>>,
        kind: Option<Py<PyString>>,
        version: Option<Py<PyString>>,
        metadata: Option<Bound<'_, PyAny>>,
        cache: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let rare = [
            ("annotations", annotations),
            ("icons", icons),
            ("meta", meta),
            ("metadata", metadata),
            ("cache", cache),
        ];
        let rare = Rare::new(rare)?;
        let descriptor = Descriptor { name, title, description, mime_type, size, kind, version, rare };
        let listed = AtomicBool::new(false);
        Ok(Resource { uri, key, descriptor, listed, written: OnceLock::new() })
    }

    #[getter]
    fn uri(&self) -> &Py<PyString> {
        &self.uri
    }

    #[getter]
    fn key(&self) -> &Py<PyString> {
        self.key.as_ref().unwrap_or(&self.uri)
    }

    #[getter]
    fn name(&self) -> Option<&Py<PyString>> {
        self.descriptor.name.as_ref()
    }

    #[getter]
    fn title(&self) -> Option<&Py<PyString>> {
        self.descriptor.title.as_ref()
    }

    #[getter]
    fn description(&self) -> Option<&Py<PyString>> {
        self.descriptor.description.as_ref()
    }

    #[getter]
    fn mime_type(&self) -> Option<&Py<PyString>> {
        self.descriptor.mime_type.as_ref()
    }

    #[getter]
    fn size(&self) -> Option<u64> {
        self.descriptor.size
    }

    #[getter]
    fn kind(&self) -> Option<&Py<PyString>> {
        self.descriptor.kind.as_ref()
    }

    #[getter]
    fn version(&self) -> Option<&Py<PyString>> {
        self.descriptor.version.as_ref()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Resource({})", self.uri.bind(py).repr()?))
    }
}

impl Resource {
    pub(crate) fn to_core(&self, py: Python<'_>) -> PyResult<wellhead::Resource> {
        self.descriptor.resource(py, self.uri.bind(py).to_str()?)
    }

    fn put_on(&self, py: Python<'_>, page: &mut wellhead::Page) -> PyResult<()> {
        if let Some(written) = self.written.get() {
            page.append(written);
        } else if self.listed.swap(true, Ordering::Relaxed) {
            let mut written = wellhead::Page::default();
            written.push(self.listed(py)?);
            page.append(self.written.get_or_init(|| written));
        } else {
            page.push(self.listed(py)?);
        }
        Ok(())
    }

    fn listed<'a>(&'a self, py: Python<'a>) -> PyResult<Listed<'a>> {
        let mut listed = self.descriptor.listed(py, self.uri.bind(py).to_str()?)?;
        if let Some(key) = &self.key {
            listed.key = Some(key.bind(py).to_str()?);
        }
        Ok(listed)
    }
}

/// Some items of a listing, and whether there are more behind them.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Page {
    items: Vec<Py<Resource>>,
    more: bool,
}

#[pymethods]
impl Page {
    #[new]
    #[pyo3(signature = (items, /, *, more = false))]
    fn new(items: &Bound<'_, PyAny>, more: bool) -> PyResult<Self> {
        let items = items.try_iter()?.map(|item| {
            item?.cast_into::<Resource>().map(Bound::unbind).map_err(|e| {
                let given = e.into_inner();
                let given = given.get_type().name().map_or_else(|e| e.to_string(), |name| name.to_string());
                PyTypeError::new_err(format!("a page holds wellhead.Resource items, not {given}"))
            })
        });
        Ok(Page { items: items.collect::<PyResult<_>>()?, more })
    }

    #[getter]
    fn items(&self, py: Python<'_>) -> Vec<Py<Resource>> {
        self.items.iter().map(|item| item.clone_ref(py)).collect()
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
    pub(crate) fn to_core(&self, py: Python<'_>) -> PyResult<wellhead::Page> {
        let mut page = wellhead::Page::default();
        for item in &self.items {
            item.get().put_on(py, &mut page)?;
        }
        Ok(page.more(self.more))
    }
}
