//! Values to propose for a variable of a template or an argument of a prompt.

use crate::answer::{FromCallback, wrong_item};
use crate::convert;
use crate::errors::Meaning;
use crate::responder::Way;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// Values that a client proposes for a variable of a template or an argument of a prompt, in order. A
/// client gets at most 100 of them.
///
/// Args:
///     values: The values, a list of `str`.
///     total: The number of all values that fit, also those that are not given. Default: it is not sent.
///     more: True if more values fit than are given.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Completion(wellhead::Completion);

#[pymethods]
impl Completion {
    #[new]
    #[pyo3(
        signature = (values, /, *, total = None, more = None, **unknown),
        text_signature = "(values, /, *, total=None, more=False)"
    )]
    fn new(
        values: &Bound<'_, PyAny>,
        total: Option<&Bound<'_, PyAny>>,
        more: Option<&Bound<'_, PyAny>>,
        unknown: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        convert::none_unknown("Completion", unknown, &["total", "more"])?;
        let more = convert::optional(more, |more| convert::flag("more", more))?.unwrap_or_default();
        let mut completion = wellhead::Completion::new(convert::strings("values", values)?).more(more);
        if let Some(total) = convert::optional(total, |total| convert::count("total", total))? {
            completion = completion.total(total);
        }
        Ok(Completion(completion))
    }
}

impl FromCallback for wellhead::Completion {
    const EXPECTED: &'static str = "a list of str, or wellhead.Completion";

    fn from_value(value: &Bound<'_, PyAny>, _: bool) -> PyResult<Option<Self>> {
        if let Ok(completion) = value.cast::<Completion>() {
            return Ok(Some(completion.get().0.clone()));
        }
        if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
            return Ok(None);
        }
        Ok(value.extract::<Vec<String>>().ok().map(wellhead::Completion::new))
    }

    fn fault(value: &Bound<'_, PyAny>) -> Option<String> {
        wrong_item(value, |text| text.to_str().is_ok())
    }

    fn from_outcome(_: &Meaning) -> Option<Self> {
        None
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(wellhead::Completion::failed(why));
    }
}
