//! Return values of callbacks, as answers.

use crate::body;
use crate::errors::Meaning;
use crate::responder::Way;
use crate::values::{Contents, NotModified, Page};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use wellhead::Answer;

/// An answer that can be made from what a callback returned or raised.
pub(crate) trait FromCallback: wellhead::Reply + Sized {
    /// The types to return, for the log.
    const EXPECTED: &'static str;

    /// None: the value is of no type that answers.
    fn from_value(value: &Bound<'_, PyAny>) -> PyResult<Option<Self>>;

    /// None: the exception is a failure.
    fn from_outcome(meaning: &Meaning) -> Option<Self>;

    /// Answers that there is no answer; `why` is for the log.
    fn fail(way: Way<Self>, why: String);
}

impl FromCallback for Answer {
    const EXPECTED: &'static str =
        "str, bytes, wellhead.Contents, a list of Contents, wellhead.NOT_MODIFIED or None";

    fn from_value(value: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if value.is_none() {
            return Ok(Some(Answer::NotFound));
        }
        if let Ok(contents) = value.cast::<Contents>() {
            return Ok(Some(Answer::from(contents.get().to_core())));
        }
        if value.is_instance_of::<NotModified>() {
            return Ok(Some(Answer::NotModified));
        }
        if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
            return Ok(body::body(value)?.map(Answer::from));
        }
        let mut parts = Vec::new();
        for part in value.try_iter()? {
            let Ok(contents) = part?.cast_into::<Contents>() else { return Ok(None) };
            parts.push(contents.get().to_core());
        }
        Ok(Some(Answer::from(parts)))
    }

    fn from_outcome(meaning: &Meaning) -> Option<Self> {
        match meaning {
            Meaning::NotFound => Some(Answer::NotFound),
            Meaning::Denied => Some(Answer::Denied),
            Meaning::NeedsInput(json) => Some(Answer::NeedsInput(json.clone())),
            Meaning::InvalidState => Some(Answer::InvalidState),
            Meaning::Busy(retry_after) => Some(Answer::Busy(*retry_after)),
            _ => None,
        }
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(Answer::Failed(why));
    }
}

impl FromCallback for wellhead::Page {
    const EXPECTED: &'static str = "wellhead.Page";

    fn from_value(value: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        value.cast::<Page>().ok().map(|page| page.get().to_core(value.py())).transpose()
    }

    fn from_outcome(_: &Meaning) -> Option<Self> {
        None
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(wellhead::Page::failed(why));
    }
}
