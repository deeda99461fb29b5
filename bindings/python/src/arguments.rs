//! A callback's parameters: planned once at registration (`wellhead/_parameters.py`), filled in for each call.

use crate::call::Call as PyCall;
use crate::context::Context;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};
use pyo3::{PyTraverseError, PyVisit};
use wellhead::Call;

/// The place where an argument comes from and what it becomes. The numbers are those of `_parameters.py`.
#[derive(Clone, Copy)]
enum Kind {
    Call,
    Uri,
    Text,
    Integer,
    Bytes,
    /// The values of an exploded variable; an empty list if the variable is absent.
    Texts,
    MaybeTexts,
}

/// One parameter of a callback.
pub(crate) struct Parameter {
    name: String,
    kind: Kind,
    /// The argument to pass if the template's variable is absent from the URI.
    default: Py<PyAny>,
    keyword_only: bool,
    /// Makes the argument from the text, or from the list of texts. Raises `ResourceNotFound`.
    convert: Option<Py<PyAny>>,
}

impl FromPyObject<'_, '_> for Parameter {
    type Error = PyErr;

    fn extract(plan: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let (name, kind, default, keyword_only, convert): (String, u8, _, _, _) = plan.extract()?;
        let kind = match kind {
            0 => Kind::Call,
            1 => Kind::Uri,
            2 => Kind::Text,
            3 => Kind::Integer,
            4 => Kind::Bytes,
            5 => Kind::Texts,
            _ => Kind::MaybeTexts,
        };
        Ok(Parameter { name, kind, default, keyword_only, convert })
    }
}

/// The parameters of one callback.
pub(crate) struct Parameters(Vec<Parameter>);

impl Parameters {
    pub(crate) fn new(parameters: Vec<Parameter>) -> Self {
        Parameters(parameters)
    }

    pub(crate) fn want_call(&self) -> bool {
        self.0.iter().any(|parameter| matches!(parameter.kind, Kind::Call))
    }

    /// Calls `function` in `context` with the arguments for `call`. Returns `None` if a value of the URI cannot be
    /// converted: then there is no such resource.
    pub(crate) fn call<'py>(
        &self,
        py: Python<'py>,
        context: &Context,
        function: &Bound<'py, PyAny>,
        call: &Call,
        object: Option<&Bound<'py, PyCall>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        // The two shapes that nearly every callback has.
        match self.0.as_slice() {
            [] => return context.run(function, &[], None).map(Some),
            [only] if !only.keyword_only => {
                let Some(argument) = only.argument(py, call, object)? else { return Ok(None) };
                return context.run(function, &[argument], None).map(Some);
            }
            _ => {}
        }
        let mut arguments = Vec::with_capacity(self.0.len());
        let mut keywords = None;
        for parameter in &self.0 {
            let Some(argument) = parameter.argument(py, call, object)? else { return Ok(None) };
            if parameter.keyword_only {
                let keywords = keywords.get_or_insert_with(|| PyDict::new(py));
                keywords.set_item(parameter.name.as_str(), argument)?;
            } else {
                arguments.push(argument);
            }
        }
        context.run(function, &arguments, keywords.as_ref()).map(Some)
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0.iter().try_for_each(|parameter| {
            visit.call(&parameter.default)?;
            visit.call(&parameter.convert)
        })
    }
}

impl Parameter {
    fn argument<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        object: Option<&Bound<'py, PyCall>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let name = self.name.as_str();
        let absent = || Some(self.default.bind(py).clone());
        Ok(match self.kind {
            Kind::Call => object.map(|object| object.as_any().clone()),
            Kind::Uri => Some(PyString::new(py, call.uri()).into_any()),
            Kind::Text => match call.var(name) {
                Some(value) => Some(self.converted(PyString::new(py, value).into_any())?),
                None => absent(),
            },
            Kind::Bytes => {
                call.raw(name).map(|value| PyBytes::new(py, value.as_bytes()).into_any()).or_else(absent)
            }
            Kind::Integer => match call.var(name) {
                Some(value) => integer(py, value),
                None => absent(),
            },
            Kind::MaybeTexts if !call.is_list(name) => absent(),
            Kind::Texts | Kind::MaybeTexts => {
                Some(self.converted(PyList::new(py, call.values(name))?.into_any())?)
            }
        })
    }

    fn converted<'py>(&self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match &self.convert {
            Some(convert) => convert.bind(value.py()).call1((value,)),
            None => Ok(value),
        }
    }
}

/// `0` or `-?[1-9][0-9]*`. Anything else, such as `07` or `+7`, would be a second name of one resource.
fn integer<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyAny>> {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let canonical =
        text == "0" || matches!(digits, [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit));
    if !canonical {
        return None;
    }
    match text.parse::<i64>() {
        Ok(value) => value.into_pyobject(py).ok().map(Bound::into_any),
        Err(_) => py.get_type::<PyInt>().call1((text,)).ok(), // Python bounds the digits, and so the time
    }
}
