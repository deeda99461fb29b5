//! Converts an argument, or raises an exception that names it.

use crate::errors::{OrRaise, ends, error};
use crate::imported::Imported;
use pyo3::PyClass;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMemoryView, PyString};
use std::str::FromStr;
use std::time::Duration;
use wellhead::{ErrorKind, Json, OptionKind, OptionValue, SetOption};

/// Reads a `str` that has UTF-8.
pub(crate) fn text<'a, 'py>(name: &str, value: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyString>> {
    let text = value.cast::<PyString>().map_err(|_| not_a(name, "a str", value))?;
    utf8(name, text)?;
    Ok(text)
}

pub(crate) fn string(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(text(name, value)?.to_str()?.to_owned())
}

/// Returns the UTF-8 of a `str`. Half of a surrogate pair has none, and the error names it.
pub(crate) fn utf8<'a>(name: &str, text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    static NO_TEXT: Imported = Imported::new("wellhead._json", "no_text");
    text.to_str().map_err(|e| {
        let py = text.py();
        if !e.is_instance_of::<PyUnicodeEncodeError>(py) {
            return e; // there is no memory
        }
        let refused = match NO_TEXT.get(py).and_then(|no_text| no_text.call1((name, text))) {
            Ok(refused) => PyErr::from_value(refused),
            Err(why) => return why,
        };
        refused.set_cause(py, Some(e));
        refused
    })
}

/// Checks that the value is a function that can be called at once. An `async def` is refused: nothing would await it.
pub(crate) fn function(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    static IS_ASYNC: Imported = Imported::new("wellhead._parameters", "is_async");
    let py = value.py();
    if !value.is_callable() {
        return Err(not_a(name, expected, value));
    }
    if IS_ASYNC.get(py)?.call1((value,))?.extract()? {
        let why = format!("{name} is called at once, and nothing awaits it; make it a def");
        return Err(error(py, ErrorKind::InvalidArgument, &why));
    }
    Ok(())
}

/// Reads the first argument of a decorator that takes arguments. A function there is refused: the application wrote the
/// decorator without parentheses.
pub(crate) fn decorated(
    decorator: &str,
    needs: &str,
    such_as: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<String> {
    if value.is_callable() {
        let message = format!("{decorator} needs {needs}: write @server.{decorator}(\"{such_as}\")");
        return Err(PyTypeError::new_err(message));
    }
    string(if decorator == "resource" { "uri" } else { "name" }, value)
}

/// Reads a list of `str`, or another iterable of them.
pub(crate) fn strings(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let what = "a list of str";
    if value.is_instance_of::<PyString>() {
        return Err(not_a(name, what, value));
    }
    let items = value.try_iter().map_err(|_| not_a(name, what, value))?;
    let strings = items.map(|item| {
        let item = item?;
        let text = item.cast::<PyString>().map_err(|_| not_of(name, what, &item))?;
        Ok(utf8(name, text)?.to_owned())
    });
    strings.collect()
}

/// Reads one of the words of an option, such as `auto`.
pub(crate) fn word<T: FromStr<Err = wellhead::Error>>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    let py = value.py();
    text(name, value)?
        .to_str()?
        .parse()
        .map_err(|e: wellhead::Error| error(py, e.kind(), &format!("{name}: {e}")))
}

pub(crate) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| not_a(name, "True or False", value))
}

/// A type of numbers that are never negative.
pub(crate) trait Count: TryFrom<u64> {
    const MOST: u64;
}

impl Count for u16 {
    const MOST: u64 = u16::MAX as u64;
}

impl Count for u64 {
    const MOST: u64 = u64::MAX;
}

impl Count for usize {
    const MOST: u64 = usize::MAX as u64;
}

pub(crate) fn count<T: Count>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    let py = value.py();
    match value.extract::<u64>() {
        Ok(number) if number < least(name) => Err(out_of_range::<T>(name, value)),
        Ok(number) => T::try_from(number).map_err(|_| out_of_range::<T>(name, value)),
        Err(e) if e.is_instance_of::<PyOverflowError>(py) => Err(out_of_range::<T>(name, value)),
        Err(_) => Err(not_a(name, "a whole number", value)),
    }
}

/// Returns the least value of the number of this name. There is at least one callback thread, which may be the one that
/// calls `run`.
fn least(name: &str) -> u64 {
    u64::from(name == "callback_threads")
}

fn out_of_range<T: Count>(name: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let given = match value.str() {
        Ok(digits) if digits.len().is_ok_and(|length| length <= 40) => format!(" (got {digits})"),
        _ => String::new(), // too long to be read
    };
    let range = match T::MOST {
        u64::MAX if value.lt(least(name)).unwrap_or(false) => format!("{} or more", least(name)),
        u64::MAX => "less than 2**64".to_owned(),
        most => format!("between 0 and {most}"),
    };
    error(value.py(), ErrorKind::InvalidArgument, &format!("{name} must be {range}{given}"))
}

/// Reads an integer or a float.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let py = value.py();
    value.extract().map_err(|e: PyErr| {
        if e.is_instance_of::<PyOverflowError>(py) {
            return error(py, ErrorKind::InvalidArgument, &format!("{name} must fit into a float"));
        }
        not_a(name, "a number", value)
    })
}

/// Reads a MIME type, which is checked as registrations check it.
pub(crate) fn mime_type<'a, 'py>(
    name: &str,
    value: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, PyString>> {
    let text = text(name, value)?;
    wellhead::check_mime_type(text.to_str()?).or_raise(value.py())?;
    Ok(text)
}

/// Raises UsageError if a text is no MIME type, for `_results.py`.
#[pyfunction(name = "_check_mime_type", signature = (mime_type, /))]
pub(crate) fn check_mime_type(mime_type: &Bound<'_, PyAny>) -> PyResult<()> {
    self::mime_type("mime_type", mime_type).map(drop)
}

/// Reads a time in seconds.
pub(crate) fn seconds(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let what = "a number of seconds, 0 or more";
    let given: f64 = value.extract().map_err(|_| not_a(name, what, value))?;
    Duration::try_from_secs_f64(given).map_err(|_| {
        error(value.py(), ErrorKind::InvalidArgument, &format!("{name} must be {what} (got {given})"))
    })
}

/// Reads bytes, or another object with the buffer protocol.
pub(crate) fn bytes<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let view = PyMemoryView::from(value);
    let view = view.map_err(|e| {
        let has_no_buffer = e.is_instance_of::<PyTypeError>(value.py());
        if has_no_buffer { not_a(name, "bytes", value) } else { e } // such as a memoryview that was released
    })?;
    Ok(view.call_method0("tobytes")?.cast_into::<PyBytes>()?)
}

pub(crate) fn dict<'a, 'py>(name: &str, value: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyDict>> {
    value.cast::<PyDict>().map_err(|_| not_a(name, "a dict", value))
}

/// Reads a dict as a JSON object.
pub(crate) fn object(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Json> {
    Json::parse(json(name, value)?).or_raise(value.py())
}

/// Reads a dict as JSON text.
pub(crate) fn json(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    static DUMPS: Imported = Imported::new("json", "dumps");
    static REFUSED: Imported = Imported::new("wellhead._json", "refused");
    let py = value.py();
    let value = dict(name, value)?;
    let options = PyDict::new(py);
    options.set_item("ensure_ascii", false)?;
    options.set_item("allow_nan", false)?;
    options.set_item("separators", (",", ":"))?;
    let written = DUMPS.get(py)?.call((value,), Some(&options)).and_then(|written| written.extract());
    written.map_err(|e| {
        if ends(py, &e) {
            return e;
        }
        let refused = REFUSED.get(py).and_then(|refused| refused.call1((name, value, e.value(py))));
        let refused = refused.map_or_else(|why| why, PyErr::from_value);
        refused.set_cause(py, Some(e));
        refused
    })
}

/// Reads an instance of a class of this package.
pub(crate) fn instance<'a, 'py, T>(name: &str, value: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, T>>
where
    T: PyClass,
{
    value.cast::<T>().map_err(|_| not_a(name, &format!("a wellhead.{}", T::NAME), value))
}

/// Reads an argument with `take`. Returns `None` if it is Python's None or absent.
pub(crate) fn optional<'py, T>(
    value: Option<&Bound<'py, PyAny>>,
    take: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    value.filter(|value| !value.is_none()).map(take).transpose()
}

pub(crate) fn not_a(name: &str, what: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name} must be {what}, not {}", type_of(value)))
}

/// Makes the exception for an item of a list that has another type.
pub(crate) fn not_of(name: &str, what: &str, item: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{name} must be {what}, not of {}", type_of(item)))
}

pub(crate) fn type_of(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string())
}

/// Refuses keyword arguments that a function does not have.
pub(crate) fn none_unknown(
    function: &str,
    given: Option<&Bound<'_, PyDict>>,
    known: &[&str],
) -> PyResult<()> {
    match given.into_iter().flatten().next() {
        Some((name, _)) => Err(unknown(function, &name, known)),
        None => Ok(()),
    }
}

/// Makes the exception for a keyword argument that the function does not have.
pub(crate) fn unknown(function: &str, name: &Bound<'_, PyAny>, known: &[&str]) -> PyErr {
    let message = format!("{function}() got an unexpected keyword argument '{name}'");
    let nearest = name.py().import("difflib").and_then(|difflib| {
        difflib.call_method1("get_close_matches", (name, known.to_vec(), 1))?.extract::<Vec<String>>()
    });
    match nearest.ok().and_then(|mut nearest| nearest.pop()) {
        Some(nearest) => PyTypeError::new_err(format!("{message}; did you mean '{nearest}'?")),
        None => PyTypeError::new_err(message),
    }
}

/// Sets the option of that name. Returns `None` if no option is set by that name.
pub(crate) fn option<T: SetOption + Clone>(
    target: &T,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<T>> {
    let Some(option) = T::find_option(name) else { return Ok(None) };
    let given = match option.kind {
        // That one has its default in the signature.
        OptionKind::Text(_) if value.is_none() && name != "path" => return Ok(Some(target.clone())),
        OptionKind::Switch(_) => OptionValue::Switch(flag(name, value)?),
        OptionKind::Number(_) => OptionValue::Number(count(name, value)?),
        OptionKind::List(_) => OptionValue::List(strings(name, value)?),
        _ => OptionValue::Text(string(name, value)?),
    };
    let set = target.clone().set_option(name, given);
    set.map(Some).map_err(|e| error(value.py(), e.kind(), &format!("{name}: {e}")))
}

/// Returns the names of the options that [`option`] sets.
pub(crate) fn options_of<T: SetOption>() -> impl Iterator<Item = &'static str> {
    T::OPTIONS.iter().map(|option| option.name).filter(|name| T::find_option(name).is_some())
}
