//! Values proposed for a template's variable.

use crate::answer::FromCallback;
use crate::call::Way;
use crate::errors::Meaning;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// Some of the values that a variable may have.
#[pyclass(frozen, module = "wellhead")]
pub(crate) struct Completion(wellhead::Completion);

#[pymethods]
impl Completion {
    #[new]
    #[pyo3(signature = (values, /, *, total = None, more = false))]
    fn new(values: &Bound<'_, PyAny>, total: Option<u64>, more: bool) -> PyResult<Self> {
        let values =
            values.try_iter()?.map(|value| value?.extract::<String>()).collect::<PyResult<Vec<_>>>()?;
        let mut completion = wellhead::Completion::new(values).more(more);
        if let Some(total) = total {
            completion = completion.total(total);
        }
        Ok(Completion(completion))
    }
}

impl FromCallback for wellhead::Completion {
    const EXPECTED: &'static str = "a list of str, or wellhead.Completion";

    fn from_value(value: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Ok(completion) = value.cast::<Completion>() {
            return Ok(Some(completion.get().0.clone()));
        }
        if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
            return Ok(None);
        }
        Ok(value.extract::<Vec<String>>().ok().map(wellhead::Completion::new))
    }

    fn from_outcome(_: &Meaning) -> Option<Self> {
        None
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(wellhead::Completion::failed(why));
    }
}
