//! The values that callbacks answer with.

use crate::body;
use crate::cache::CacheHint;
use crate::descriptor::{DESCRIPTION, Descriptor, Rare};
use crate::given;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::Listed;

/// What describes [`Contents`].
const DESCRIBED: [&str; 9] =
    ["uri", "name", "title", "mime_type", "meta", "kind", "version", "metadata", "cache"];

/// One element of an answer, where text or bytes alone do not say enough.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Contents(wellhead::Contents);

#[pymethods]
impl Contents {
    #[new]
    #[pyo3(signature = (body, **described))]
    fn new(body: &Bound<'_, PyAny>, described: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let Some(given) = body::body(body)? else {
            return Err(given::not_a("body", "a str or bytes", body));
        };
        let mut contents = wellhead::Contents::new(given);
        for (name, value) in described.into_iter().flatten() {
            let known = name.cast::<PyString>()?.to_str()?;
            if value.is_none() && DESCRIBED.contains(&known) {
                continue;
            }
            let text = || given::string(known, &value);
            contents = match known {
                "uri" => contents.uri(text()?),
                "name" => contents.name(text()?),
                "title" => contents.title(text()?),
                "mime_type" => contents.mime_type(given::mime_type(known, &value)?.to_str()?),
                "kind" => contents.kind(text()?),
                "version" => contents.version(text()?),
                "meta" => contents.meta(given::object(known, &value)?),
                "metadata" => contents.metadata(given::object(known, &value)?),
                "cache" => contents.cache(given::instance::<CacheHint>(known, &value)?.get().to_core()),
                _ => return Err(given::unknown("Contents", &name, &DESCRIBED)),
            };
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
    #[pyo3(signature = (uri, *, key = None, name = None, title = None, description = None, mime_type = None,
        size = None, annotations = None, icons = None, meta = None, kind = None, version = None, metadata = None,
        cache = None, **unknown))]
    #[allow(clippy::too_many_arguments, reason = "named here, they cost half of what a dict of them does")]
    fn new(
        uri: &Bound<'_, PyAny>,
        key: Option<&Bound<'_, PyAny>>,
        name: Option<&Bound<'_, PyAny>>,
        title: Option<&Bound<'_, PyAny>>,
        description: Option<&Bound<'_, PyAny>>,
        mime_type: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
        annotations: Option<Bound<'_, PyAny>>,
        icons: Option<Bound<'_, PyAny>>,
        meta: Option<Bound<'_, PyAny>>,
        kind: Option<&Bound<'_, PyAny>>,
        version: Option<&Bound<'_, PyAny>>,
        metadata: Option<Bound<'_, PyAny>>,
        cache: Option<Bound<'_, PyAny>>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        given::none_unknown("Resource", unknown, &[&DESCRIPTION[..], &["uri", "key"]].concat())?;
        let text = |word: &str, given: Option<&Bound<'_, PyAny>>| {
            given::optional(given, |given| Ok(given::text(word, given)?.clone().unbind()))
        };
        let rare = [
            ("annotations", annotations),
            ("icons", icons),
            ("meta", meta),
            ("metadata", metadata),
            ("cache", cache),
        ];
        let rare = Rare::new(rare)?;
        let descriptor = Descriptor {
            name: text("name", name)?,
            title: text("title", title)?,
            description: text("description", description)?,
            mime_type: given::optional(mime_type, |given| {
                Ok(given::mime_type("mime_type", given)?.clone().unbind())
            })?,
            size: given::optional(size, |size| given::count("size", size))?,
            kind: text("kind", kind)?,
            version: text("version", version)?,
            rare,
        };
        let (uri, key) = (given::text("uri", uri)?.clone().unbind(), text("key", key)?);
        Ok(Resource { uri, key, descriptor, listed: AtomicBool::new(false), written: OnceLock::new() })
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
    #[pyo3(
        signature = (items, /, *, more = None, **unknown),
        text_signature = "(items, /, *, more=False)"
    )]
    fn new(
        items: &Bound<'_, PyAny>,
        more: Option<&Bound<'_, PyAny>>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        given::none_unknown("Page", unknown, &["more"])?;
        let what = "a list of wellhead.Resource";
        let taken = items.try_iter().map_err(|_| given::not_a("items", what, items))?.map(|item| {
            let resource = item?.cast_into::<Resource>();
            resource.map(Bound::unbind).map_err(|e| given::not_of("items", what, &e.into_inner()))
        });
        let more = given::optional(more, |more| given::flag("more", more))?.unwrap_or_default();
        Ok(Page { items: taken.collect::<PyResult<_>>()?, more })
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
