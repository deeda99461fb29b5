//! `Server.explain`, which says which registration serves a URI, and `expand`, which makes a URI of values.

use crate::convert;
use crate::errors::OrRaise;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use wellhead::{TakenBy, Template, TemplateValue, Why};

/// The result of `Server.explain`. `str()` shows it in a few lines.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Explanation(pub(crate) wellhead::Explanation);

#[pymethods]
impl Explanation {
    /// The text that was explained, a URI or not.
    #[getter]
    fn uri(&self) -> &str {
        &self.0.uri
    }

    /// The kind of registration that serves the URI. `invalid` means that the text is not an absolute URI.
    #[getter]
    fn taken_by(&self) -> &'static str {
        match &self.0.taken_by {
            TakenBy::Fixed => "fixed",
            TakenBy::Resource => "resource",
            TakenBy::Template { .. } => "template",
            TakenBy::Fallback => "fallback",
            TakenBy::Invalid(_) => "invalid",
            _ => "nothing",
        }
    }

    /// The text of the template that serves the URI. None if no template does.
    #[getter]
    fn uri_template(&self) -> Option<&str> {
        match &self.0.taken_by {
            TakenBy::Template { uri_template, .. } => Some(uri_template),
            _ => None,
        }
    }

    /// The values of that template's variables, percent-decoded. Empty if no template serves the URI.
    #[getter]
    fn vars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        if let TakenBy::Template { vars, .. } = &self.0.taken_by {
            for (name, value) in vars {
                match value {
                    TemplateValue::Text(text) => dict.set_item(name, text)?,
                    TemplateValue::List(list) => dict.set_item(name, list)?,
                    _ => {}
                }
            }
        }
        Ok(dict)
    }

    /// The reason why the text is not an absolute URI. None if it is one.
    #[getter]
    fn reason(&self) -> Option<&str> {
        match &self.0.taken_by {
            TakenBy::Invalid(reason) => Some(reason),
            _ => None,
        }
    }

    /// If nothing serves the URI: a registration that differs only by a final slash, or by the case of scheme
    /// or host. None if there is none.
    #[getter]
    fn did_you_mean(&self) -> Option<&str> {
        self.0.did_you_mean.as_deref()
    }

    /// The templates that do not serve this URI, sorted by their text.
    #[getter]
    fn passed_over(&self) -> Vec<PassedOver> {
        self.0.passed_over.iter().cloned().map(PassedOver).collect()
    }

    /// Returns the explanation as one JSON object, a `str`, which is the same in all languages.
    fn to_json(&self) -> String {
        self.0.to_json()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Explanation({})", self.0.to_json())
    }
}

/// A template that does not serve a URI.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct PassedOver(wellhead::PassedOver);

#[pymethods]
impl PassedOver {
    /// The text of the template.
    #[getter]
    fn uri_template(&self) -> &str {
        &self.0.uri_template
    }

    /// The reason why the template does not serve the URI.
    ///
    /// - `differs`: the template does not match
    /// - `invalid_value`: a value is not UTF-8 once decoded, or two values of one variable differ
    /// - `unsafe`: a value is a path that leads elsewhere, or has a control character
    /// - `less_specific`: another registration is more specific
    #[getter]
    fn why(&self) -> &'static str {
        match &self.0.why {
            Why::InvalidValue => "invalid_value",
            Why::Unsafe { .. } => "unsafe",
            Why::LessSpecific => "less_specific",
            _ => "differs",
        }
    }

    /// For `differs`: the first byte of the URI that does not match, from 0, or the length of the URI if it is
    /// too short. None for other reasons.
    #[getter]
    fn at(&self) -> Option<usize> {
        match &self.0.why {
            Why::Differs { at, .. } => Some(*at),
            _ => None,
        }
    }

    /// For `differs`: a template that would match, with `{+name}` in place of `{name}`. None if there is none.
    #[getter]
    fn did_you_mean(&self) -> Option<&str> {
        match &self.0.why {
            Why::Differs { did_you_mean, .. } => did_you_mean.as_deref(),
            _ => None,
        }
    }

    /// For `unsafe`: the name of the variable. None for other reasons.
    #[getter]
    fn variable(&self) -> Option<&str> {
        match &self.0.why {
            Why::Unsafe { variable } => Some(variable),
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        format!("PassedOver({:?}, why={:?})", self.0.uri_template, self.why())
    }
}

/// Returns the URI that a template (RFC 6570, levels 1 to 4) makes of values.
///
/// Also works for templates that cannot be registered. Values that the template does not use are
/// ignored.
///
///     assert wellhead.expand("notes://{id}{?q}", {"id": "a/b", "q": ""}) == "notes://a%2Fb?q="
///
/// Args:
///     uri_template: The text of the template.
///     values: The values by variable, each a `str`, a list of `str` or a dict of `str`.
///
/// Raises:
///     TypeError: A value has another type.
///     UsageError: The template is wrong (`invalid_template`), or `{name:3}` gets a list
///         (`invalid_argument`).
#[pyfunction]
#[pyo3(signature = (uri_template, values, /))]
pub(crate) fn expand(uri_template: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<String> {
    let uri_template = convert::string("uri_template", uri_template)?;
    let mapping = values.cast::<PyMapping>().map_err(|_| convert::not_a("values", "a dict", values))?;
    let mut known = Vec::new();
    for pair in mapping.items()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let name = convert::string("the name of a value", &name)?;
        let value = template_value(&name, &value)?;
        known.push((name, value));
    }
    Template::new(uri_template).expand(known).or_raise(values.py())
}

fn template_value(name: &str, value: &Bound<'_, PyAny>) -> PyResult<TemplateValue> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(TemplateValue::Text(convert::utf8(name, text)?.to_owned()));
    }
    if let Ok(pairs) = value.cast::<PyMapping>() {
        let pairs = pairs.items()?.iter().map(|pair| pair.extract()).collect::<PyResult<_>>();
        let what = "a dict of str to str";
        return pairs.map(TemplateValue::Pairs).map_err(|_| convert::not_a(name, what, value));
    }
    let what = "a str, a list of str, or a dict of str to str";
    value.extract().map(TemplateValue::List).map_err(|_| convert::not_a(name, what, value))
}
