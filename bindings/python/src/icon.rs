//! Icons.

use pyo3::prelude::*;

/// An image for a list entry.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Icon(pub(crate) wellhead::Icon);

#[pymethods]
impl Icon {
    #[new]
    #[pyo3(signature = (src, /, *, mime_type = None, sizes = None, theme = None))]
    fn new(
        src: String,
        mime_type: Option<String>,
        sizes: Option<Vec<String>>,
        theme: Option<String>,
    ) -> Self {
        let mut icon = wellhead::Icon::new(src);
        if let Some(mime_type) = mime_type {
            icon = icon.mime_type(mime_type);
        }
        for size in sizes.unwrap_or_default() {
            icon = icon.size(size);
        }
        if let Some(theme) = theme {
            icon = icon.theme(theme);
        }
        Icon(icon)
    }
}
