//! Templates for people: which registration takes a URI, and the URI that some values make.

use crate::errors::OrRaise;
use crate::given;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use wellhead::{TakenBy, Template, TemplateValue, Why};

/// What `Server.explain` found out about a URI.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Explanation(pub(crate) wellhead::Explanation);

#[pymethods]
impl Explanation {
    #[getter]
    fn uri(&self) -> &str {
        &self.0.uri
    }

    #[getter]
    fn taken_by(&self) -> &'static str {
        match &self.0.taken_by {
            TakenBy::Value => "value",
            TakenBy::Resource => "resource",
            TakenBy::Template { .. } => "template",
            TakenBy::Fallback => "fallback",
            TakenBy::Invalid(_) => "invalid",
            _ => "nothing",
        }
    }

    #[getter]
    fn uri_template(&self) -> Option<&str> {
        match &self.0.taken_by {
            TakenBy::Template { uri_template, .. } => Some(uri_template),
            _ => None,
        }
    }

    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        if let TakenBy::Template { values, .. } = &self.0.taken_by {
            for (name, value) in values {
                match value {
                    TemplateValue::Text(text) => dict.set_item(name, text)?,
                    TemplateValue::List(list) => dict.set_item(name, list)?,
                    _ => {}
                }
            }
        }
        Ok(dict)
    }

    #[getter]
    fn reason(&self) -> Option<&str> {
        match &self.0.taken_by {
            TakenBy::Invalid(reason) => Some(reason),
            _ => None,
        }
    }

    #[getter]
    fn did_you_mean(&self) -> Option<&str> {
        self.0.did_you_mean.as_deref()
    }

    #[getter]
    fn passed_over(&self) -> Vec<PassedOver> {
        self.0.passed_over.iter().cloned().map(PassedOver).collect()
    }

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

/// A template that does not take a URI.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct PassedOver(wellhead::PassedOver);

#[pymethods]
impl PassedOver {
    #[getter]
    fn uri_template(&self) -> &str {
        &self.0.uri_template
    }

    #[getter]
    fn why(&self) -> &'static str {
        match &self.0.why {
            Why::Values => "values",
            Why::Unsafe { .. } => "unsafe",
            Why::LessSpecific => "less_specific",
            _ => "differs",
        }
    }

    #[getter]
    fn at(&self) -> Option<usize> {
        match &self.0.why {
            Why::Differs { at, .. } => Some(*at),
            _ => None,
        }
    }

    #[getter]
    fn did_you_mean(&self) -> Option<&str> {
        match &self.0.why {
            Why::Differs { did_you_mean, .. } => did_you_mean.as_deref(),
            _ => None,
        }
    }

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

/// The URI that these values make.
#[pyfunction]
#[pyo3(signature = (uri_template, values, /))]
pub(crate) fn expand(uri_template: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>) -> PyResult<String> {
    let uri_template = given::string("uri_template", uri_template)?;
    let mapping = values.cast::<PyMapping>().map_err(|_| given::not_a("values", "a dict", values))?;
    let mut known = Vec::new();
    for pair in mapping.items()? {
        let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
        let name = given::string("the name of a value", &name)?;
        let value = template_value(&name, &value)?;
        known.push((name, value));
    }
    Template::new(uri_template).expand(known).or_raise(values.py())
}

fn template_value(name: &str, value: &Bound<'_, PyAny>) -> PyResult<TemplateValue> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(TemplateValue::Text(text.to_str()?.to_owned()));
    }
    if let Ok(pairs) = value.cast::<PyMapping>() {
        let pairs = pairs.items()?.iter().map(|pair| pair.extract()).collect::<PyResult<_>>();
        let what = "a dict of str to str";
        return pairs.map(TemplateValue::Pairs).map_err(|_| given::not_a(name, what, value));
    }
    let what = "a str, a list of str, or a dict of str to str";
    value.extract().map(TemplateValue::List).map_err(|_| given::not_a(name, what, value))
}
