//! Makes answers of the core from the return values and exceptions of callbacks.

use crate::body;
use crate::convert;
use crate::errors::Meaning;
use crate::responder::Way;
use crate::values::{Contents, NotModified, Page};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use wellhead::Answer;

/// An answer that can be made from what a callback returned or raised.
pub(crate) trait FromCallback: wellhead::Reply + Sized {
    /// The types that a callback may return, as the log names them.
    const EXPECTED: &'static str;

    /// Makes the answer of a return value, or `None` if its type is no answer. `lenient`: the registration takes more
    /// values, since it names the MIME type of a read, or since a method may return nothing.
    fn from_value(value: &Bound<'_, PyAny>, lenient: bool) -> PyResult<Option<Self>>;

    /// Describes a value that is no answer, such as a list by its wrong item. `None` if the type says enough.
    fn fault(_value: &Bound<'_, PyAny>) -> Option<String> {
        None
    }

    /// Makes the answer of an exception, or `None` if the exception is a failure.
    fn from_outcome(meaning: &Meaning) -> Option<Self>;

    /// Answers that the callback failed. `why` goes to the log only.
    fn fail(way: Way<Self>, why: String);

    /// Answers that the callback raised an exception. `text` is the message of the exception, and `why` goes to the log
    /// only.
    fn raise(way: Way<Self>, _text: String, why: String) {
        Self::fail(way, why);
    }
}

/// Describes the first item of a list that is wrong, for [`FromCallback::fault`].
pub(crate) fn wrong_item(
    value: &Bound<'_, PyAny>,
    is_right: impl Fn(&Bound<'_, PyString>) -> bool,
) -> Option<String> {
    let items: Vec<_> = match (value.cast::<PyList>(), value.cast::<PyTuple>()) {
        (Ok(list), _) => list.iter().collect(),
        (_, Ok(tuple)) => tuple.iter().collect(),
        _ => return None,
    };
    let (at, item) =
        items.iter().enumerate().find(|(_, item)| !item.cast::<PyString>().is_ok_and(&is_right))?;
    let seen = match item.cast::<PyString>() {
        Ok(text) => text.repr().ok()?.to_string_lossy().chars().take(64).collect(),
        Err(_) => convert::type_of(item),
    };
    Some(format!("{} whose item {at} is {seen}", convert::type_of(value)))
}

impl FromCallback for Answer {
    const EXPECTED: &'static str = "str, bytes, wellhead.Contents, a list of Contents, a dict or other JSON, \
                                    wellhead.NOT_MODIFIED or None";

    fn from_value(value: &Bound<'_, PyAny>, typed: bool) -> PyResult<Option<Self>> {
        if value.is_none() {
            return Ok(Some(Answer::NotFound));
        }
        if let Ok(contents) = value.cast::<Contents>() {
            return Ok(Some(Answer::from(contents.get().to_core(typed))));
        }
        if value.is_instance_of::<NotModified>() {
            return Ok(Some(Answer::NotModified));
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            return list(value, typed);
        }
        if let Some(body) = body::body(value)? {
            return Ok(Some(Answer::from(body)));
        }
        Ok(body::json(value)?.map(|body| Answer::from(Contents::json(body).to_core(typed))))
    }

    fn from_outcome(meaning: &Meaning) -> Option<Self> {
        match meaning {
            Meaning::NotFound => Some(Answer::NotFound),
            Meaning::Denied => Some(Answer::Denied),
            Meaning::InputRequired(json) => Some(Answer::InputRequired(json.clone())),
            Meaning::MissingCapability(json) => Some(Answer::MissingCapability(json.clone())),
            Meaning::Waiting => Some(Answer::Waiting),
            Meaning::InvalidState => Some(Answer::InvalidState),
            Meaning::Busy(retry_after) => Some(Answer::Busy(*retry_after)),
            _ => None,
        }
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(Answer::Failed(why));
    }
}

/// Makes the answer of a list: several contents, or JSON. A list of texts or bytes alone is neither, as it may be meant
/// as several contents: then `None`.
fn list(value: &Bound<'_, PyAny>, typed: bool) -> PyResult<Option<Answer>> {
    let (mut contents, mut others) = (Vec::new(), Vec::new());
    for item in value.try_iter()? {
        match item?.cast_into::<Contents>() {
            Ok(item) => contents.push(item.get().to_core(typed)),
            Err(other) => others.push(other.into_inner()),
        }
    }
    if others.is_empty() {
        return Ok(Some(Answer::from(contents)));
    }
    let is_body =
        |item: &Bound<'_, PyAny>| item.is_instance_of::<PyString>() || item.is_instance_of::<PyBytes>();
    if !contents.is_empty() || others.iter().all(is_body) {
        return Ok(None);
    }
    Ok(body::json(value)?.map(|body| Answer::from(Contents::json(body).to_core(typed))))
}

impl FromCallback for wellhead::Page {
    const EXPECTED: &'static str = "wellhead.Page";

    fn from_value(value: &Bound<'_, PyAny>, _: bool) -> PyResult<Option<Self>> {
        value.cast::<Page>().ok().map(|page| page.get().to_core(value.py())).transpose()
    }

    fn from_outcome(_: &Meaning) -> Option<Self> {
        None
    }

    fn fail(way: Way<Self>, why: String) {
        way.finish(wellhead::Page::failed(why));
    }
}
