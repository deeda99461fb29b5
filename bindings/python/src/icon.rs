//! The icons of servers, resources and templates.

use crate::convert;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An image that a client shows for a list entry. Sent from revision 2025-11-25 on.
///
/// Args:
///     src: The URI of the image, with the scheme `https:`, `http:` or `data:`. Clients refuse other
///         schemes.
///     mime_type: The MIME type of the image.
///     sizes: The sizes that the image is made for, such as `["48x48"]` or `["any"]`.
///     theme: The background that the image is made for, `light` or `dark`.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Icon(pub(crate) wellhead::Icon);

#[pymethods]
impl Icon {
    #[new]
    #[pyo3(
        signature = (src, /, *, mime_type = None, sizes = None, theme = None, **unknown),
        text_signature = "(src, /, *, mime_type=None, sizes=None, theme=None)"
    )]
    fn new(
        src: &Bound<'_, PyAny>,
        mime_type: Option<&Bound<'_, PyAny>>,
        sizes: Option<&Bound<'_, PyAny>>,
        theme: Option<&Bound<'_, PyAny>>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        convert::none_unknown("Icon", unknown, &["mime_type", "sizes", "theme"])?;
        let mut icon = wellhead::Icon::new(convert::string("src", src)?);
        if let Some(mime_type) = convert::optional(mime_type, |given| convert::string("mime_type", given))? {
            icon = icon.mime_type(mime_type);
        }
        for size in convert::optional(sizes, |given| convert::strings("sizes", given))?.unwrap_or_default() {
            icon = icon.size(size);
        }
        if let Some(theme) = convert::optional(theme, |given| convert::string("theme", given))? {
            icon = icon.theme(theme);
        }
        Ok(Icon(icon))
    }
}

/// Returns the icons of a list of `wellhead.Icon`.
pub(crate) fn list(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<wellhead::Icon>> {
    let what = "a list of wellhead.Icon";
    let mut icons = Vec::new();
    for icon in value.try_iter().map_err(|_| convert::not_a(name, what, value))? {
        let icon = icon?;
        let icon = icon.cast::<Icon>().map_err(|_| convert::not_of(name, what, &icon))?;
        icons.push(icon.get().0.clone());
    }
    Ok(icons)
}
