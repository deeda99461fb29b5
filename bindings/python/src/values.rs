//! The values that callbacks return as answers.

use crate::body;
use crate::cache::CacheHint;
use crate::convert;
use crate::descriptor::{DESCRIPTION, Descriptor, Rare};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{Body, Json, Listed};

/// The names of the keyword arguments of [`Contents`].
const DESCRIBED: [&str; 9] =
    ["uri", "name", "title", "mime_type", "meta", "kind", "version", "metadata", "cache"];

/// One element of the answer of a read: a body, and its URI, MIME type and other members. Arguments that
/// are not given come from the registration.
///
/// Args:
///     body: A `str`, bytes, or JSON: a dict, a list, a dataclass or a pydantic model.
///     uri: The URI of a sub-resource.
///     name: The programmatic name. It and `title` are sent only to the clients that `titles_in_contents`
///         of `Server` names.
///     title: The name for people.
///     mime_type: The MIME type, `type/subtype`. Default for JSON: that of the registration, or
///         `application/json`.
///     meta: The `_meta` of this element, a dict. Default: that of the registration.
///     kind: The sort of resource, as in `Resource`.
///     version: The version of the contents, as in `Resource`. A client that already has this version gets
///         no body.
///     metadata: Attributes of the resource, a dict, as in `Resource`.
///     cache: How long a client may reuse the answer, a `CacheHint`. If an answer has several elements,
///         only the hint of the element for the requested resource itself counts.
///
/// Raises:
///     TypeError: An argument has the wrong type, or cannot be written as JSON.
///     UsageError: `mime_type` is no MIME type, or `meta` or `metadata` is no JSON object
///         (`invalid_argument`).
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Contents {
    core: wellhead::Contents,
    /// True if the body is JSON, and the application gave no MIME type.
    untyped_json: bool,
}

#[pymethods]
impl Contents {
    #[new]
    #[pyo3(
        signature = (body, **described),
        text_signature = "(body, *, uri=None, name=None, title=None, mime_type=None, meta=None, kind=None, \
                    version=None, metadata=None, cache=None)"
    )]
    fn new(body: &Bound<'_, PyAny>, described: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let text_or_bytes = body::body(body)?;
        let mut untyped_json = text_or_bytes.is_none();
        let given = match text_or_bytes {
            Some(body) => Some(body),
            None => body::json(body)?,
        };
        let given = given.ok_or_else(|| convert::not_a("body", "a str, bytes or JSON", body))?;
        let mut contents = wellhead::Contents::new(given);
        for (name, value) in described.into_iter().flatten() {
            let known = name.cast::<PyString>()?.to_str()?;
            if value.is_none() && DESCRIBED.contains(&known) {
                continue;
            }
            let text = || convert::string(known, &value);
            contents = match known {
                "uri" => contents.uri(text()?),
                "name" => contents.name(text()?),
                "title" => contents.title(text()?),
                "mime_type" => {
                    untyped_json = false;
                    contents.mime_type(convert::mime_type(known, &value)?.to_str()?)
                }
                "kind" => contents.kind(text()?),
                "version" => contents.version(text()?),
                "meta" => contents.meta(convert::object(known, &value)?),
                "metadata" => contents.metadata(convert::object(known, &value)?),
                "cache" => contents.cache(convert::instance::<CacheHint>(known, &value)?.get().to_core()),
                _ => return Err(convert::unknown("Contents", &name, &DESCRIBED)),
            };
        }
        Ok(Contents { core: contents, untyped_json })
    }

    fn __repr__(&self) -> String {
        match (self.core.text(), self.core.bytes()) {
            (Some(text), _) => format!("Contents(<{} bytes of text>)", text.len()),
            (_, bytes) => format!("Contents(<{} bytes>)", bytes.map_or(0, <[u8]>::len)),
        }
    }
}

impl Contents {
    /// Makes contents of a text that is JSON.
    pub(crate) fn json(body: Body) -> Self {
        Contents { core: wellhead::Contents::new(body), untyped_json: true }
    }

    /// Makes contents of the core. `typed`: the registration has a MIME type, which JSON without one of its own
    /// gets.
    pub(crate) fn to_core(&self, typed: bool) -> wellhead::Contents {
        let contents = self.core.clone();
        if self.untyped_json && !typed { contents.mime_type("application/json") } else { contents }
    }
}

/// The type of `NOT_MODIFIED`, for type hints.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct NotModified;

#[pymethods]
impl NotModified {
    #[allow(clippy::unused_self, reason = "Python calls it with one")]
    fn __repr__(&self) -> &'static str {
        "wellhead.NOT_MODIFIED"
    }
}

/// One resource in a list that a client asks for.
///
/// Args:
///     uri: The absolute URI of the resource (RFC 3986).
///     key: A text that sorts the item in its list. The next page starts after the key of the last item. It
///         must still sort to the same place after the item is deleted. Default: the URI.
///     name: The programmatic name. Default: the URI.
///     title: The name for people.
///     description: A description for people and models.
///     mime_type: The MIME type of the contents, `type/subtype`.
///     size: The size of the contents in bytes, before any encoding such as base64, at least 0.
///     annotations: The protocol's annotations, such as `{"audience": ["user"], "priority": 0.5,
///         "lastModified": "2025-01-12T15:00:58Z"}`. Each member is optional.
///     icons: `Icon` objects.
///     meta: The `_meta` of the item, a dict. The contents have it too, unless they have a `_meta` of their
///         own.
///     kind: The sort of resource, a word of the program's own. Only clients of the `resources/get` dialect
///         get `kind`, `version` and `metadata`.
///     version: A text that changes whenever the contents change.
///     metadata: Further attributes that the program chooses, a dict.
///     cache: How long a client may reuse the contents, a `CacheHint`. Lists do not use it.
///
/// Raises:
///     TypeError: An argument has the wrong type.
///     UsageError: `mime_type`, `annotations`, `meta` or `metadata` breaks the rules of the
///         protocol, or `size` is out of range (in both cases `invalid_argument`).
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Resource {
    uri: Py<PyString>,
    key: Option<Py<PyString>>,
    descriptor: Descriptor,
    /// True once the item was on a page.
    listed: AtomicBool,
    /// The item written as a page of its own. It is kept only from the second page on, since most items are on
    /// one page only.
    written: OnceLock<wellhead::Page>,
}

#[pymethods]
impl Resource {
    #[new]
    #[pyo3(
        signature = (uri, *, key = None, name = None, title = None, description = None, mime_type = None,
        size = None, annotations = None, icons = None, meta = None, kind = None, version = None, metadata = None,
        cache = None, **unknown),
        text_signature = "(uri, *, key=None, name=None, title=None, description=None, mime_type=None, size=None, \
                    annotations=None, icons=None, meta=None, kind=None, version=None, metadata=None, \
                    cache=None)"
    )]
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
        convert::none_unknown("Resource", unknown, &[&DESCRIPTION[..], &["uri", "key"]].concat())?;
        let text = |word: &str, given: Option<&Bound<'_, PyAny>>| {
            convert::optional(given, |given| Ok(convert::text(word, given)?.clone().unbind()))
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
            mime_type: convert::optional(mime_type, |given| {
                Ok(convert::mime_type("mime_type", given)?.clone().unbind())
            })?,
            size: convert::optional(size, |size| convert::count("size", size))?,
            kind: text("kind", kind)?,
            version: text("version", version)?,
            rare,
        };
        let (uri, key) = (convert::text("uri", uri)?.clone().unbind(), text("key", key)?);
        Ok(Resource { uri, key, descriptor, listed: AtomicBool::new(false), written: OnceLock::new() })
    }

    /// The absolute URI.
    #[getter]
    fn uri(&self) -> &Py<PyString> {
        &self.uri
    }

    /// The text that sorts the item in its list. The URI if none was given.
    #[getter]
    fn key(&self) -> &Py<PyString> {
        self.key.as_ref().unwrap_or(&self.uri)
    }

    /// The programmatic name. None if it was not given.
    #[getter]
    fn name(&self) -> Option<&Py<PyString>> {
        self.descriptor.name.as_ref()
    }

    /// The name for people. None if it was not given.
    #[getter]
    fn title(&self) -> Option<&Py<PyString>> {
        self.descriptor.title.as_ref()
    }

    /// The description. None if it was not given.
    #[getter]
    fn description(&self) -> Option<&Py<PyString>> {
        self.descriptor.description.as_ref()
    }

    /// The MIME type. None if it was not given.
    #[getter]
    fn mime_type(&self) -> Option<&Py<PyString>> {
        self.descriptor.mime_type.as_ref()
    }

    /// The size in bytes. None if it was not given.
    #[getter]
    fn size(&self) -> Option<u64> {
        self.descriptor.size
    }

    /// The sort of resource. None if it was not given.
    #[getter]
    fn kind(&self) -> Option<&Py<PyString>> {
        self.descriptor.kind.as_ref()
    }

    /// The version of the contents. None if it was not given.
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

/// One page of a list: the items, in order, and whether more follow.
///
/// Args:
///     items: The items, a list of `Resource` or any other iterable of them. For `skill_list` each is a
///         dict.
///     more: True if more items follow after this page.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Page {
    items: Vec<Item>,
    more: bool,
}

/// An item of a page.
enum Item {
    Resource(Py<Resource>),
    /// An entry of a list of skills, as the application gave it, and its JSON.
    Skill(Py<PyDict>, Json),
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
        convert::none_unknown("Page", unknown, &["more"])?;
        let what = "a list of wellhead.Resource";
        let taken = items.try_iter().map_err(|_| convert::not_a("items", what, items))?.map(|item| {
            let other = match item?.cast_into::<Resource>() {
                Ok(resource) => return Ok(Item::Resource(resource.unbind())),
                Err(e) => e.into_inner(),
            };
            match other.cast_into::<PyDict>() {
                Ok(skill) => {
                    let json = convert::object("items", skill.as_any())?;
                    Ok(Item::Skill(skill.unbind(), json))
                }
                Err(e) => Err(convert::not_of("items", what, &e.into_inner())),
            }
        });
        let more = convert::optional(more, |more| convert::flag("more", more))?.unwrap_or_default();
        Ok(Page { items: taken.collect::<PyResult<_>>()?, more })
    }

    /// The items, a list of `Resource`. For `skill_list` a list of dicts.
    #[getter]
    fn items(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let items = self.items.iter().map(|item| match item {
            Item::Resource(resource) => resource.clone_ref(py).into_any(),
            Item::Skill(entry, _) => entry.clone_ref(py).into_any(),
        });
        items.collect()
    }

    /// True if more items follow after this page.
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
            match item {
                Item::Resource(resource) => resource.get().put_on(py, &mut page)?,
                Item::Skill(_, entry) => page.push_skill(entry),
            }
        }
        Ok(page.more(self.more))
    }
}
