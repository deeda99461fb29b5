//! The answers of methods, tools and prompts.

use crate::answer::FromCallback;
use crate::convert::{object, string};
use crate::errors::Meaning;
use crate::responder::Way;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wellhead::{Json, MethodAnswer, MethodError};

impl FromCallback for MethodAnswer {
    const EXPECTED: &'static str = "a dict";

    fn from_value(value: &Bound<'_, PyAny>, lenient: bool) -> PyResult<Option<Self>> {
        if lenient && value.is_none() {
            return Ok(Some(().into()));
        }
        if !value.is_instance_of::<PyDict>() {
            return Ok(None);
        }
        object("the result", value).map(|result| Some(MethodAnswer::Result(result)))
    }

    fn from_outcome(meaning: &Meaning) -> Option<Self> {
        match meaning {
            Meaning::Error(error) => Some(MethodAnswer::Error(error.clone())),
            Meaning::ToolError(error) => Some(MethodAnswer::ToolError(error.clone())),
            Meaning::InputRequired(json) => Some(MethodAnswer::InputRequired(json.clone())),
            Meaning::MissingCapability(json) => Some(MethodAnswer::MissingCapability(json.clone())),
            Meaning::Waiting => Some(MethodAnswer::Waiting),
            Meaning::InvalidState => {
                Some(MethodError::invalid_params("requestState is not valid here").into())
            }
            _ => None,
        }
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(MethodAnswer::Failed(why));
    }

    fn raise(way: Way<Self>, text: String, report: String) {
        way.finish(MethodAnswer::Thrown { text, report });
    }
}

/// Makes the error of a method from a `wellhead.MethodError` that a callback raised.
pub(crate) fn error(raised: &Bound<'_, PyAny>) -> PyResult<MethodError> {
    let py = raised.py();
    let rpc_code = raised.getattr(intern!(py, "rpc_code"))?.extract()?;
    let message = string("the message of the MethodError", &raised.getattr(intern!(py, "message"))?)?;
    let error = MethodError::new(rpc_code, message);
    let data = raised.getattr(intern!(py, "data"))?;
    Ok(if data.is_none() { error } else { error.data(object("data", &data)?) })
}

/// Returns the `value` of an exception as JSON, such as that of `InputRequired`.
pub(crate) fn carried(raised: &Bound<'_, PyAny>) -> PyResult<Json> {
    object("value", &raised.getattr(intern!(raised.py(), "value"))?)
}
