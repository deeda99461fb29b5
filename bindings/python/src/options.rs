//! What a server is made with, from keyword arguments.

use crate::cache::CacheHint;
use crate::context::Base;
use crate::descriptor::{in_argument, object};
use crate::errors::OrRaise;
use crate::hook::Hook;
use crate::limits::Limits;
use crate::log;
use crate::observer::observe;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::str::FromStr;
use wellhead::{Builder, Server};

/// Those that may be given as `None`.
const NONE_IS_DEFAULT: [&str; 12] = [
    "cache",
    "observe",
    "origin",
    "cache_of",
    "title",
    "instructions",
    "cursor_key",
    "limits",
    "capabilities",
    "announces",
    "versions",
    "error_codes",
];

pub(crate) fn builder(
    name: &str,
    version: &str,
    options: Option<&Bound<'_, PyDict>>,
    observer: &Hook,
    base: &Base,
) -> PyResult<Builder> {
    let mut builder = Server::builder(name, version).on_log(log::write);
    for (name, value) in options.into_iter().flatten() {
        let name = name.cast::<PyString>()?.to_str()?;
        if value.is_none() && NONE_IS_DEFAULT.contains(&name) {
            continue;
        }
        if name == "observe" {
            if !value.is_callable() {
                return Err(PyTypeError::new_err(
                    "argument 'observe': it is a function that takes a wellhead.Observed",
                ));
            }
            observer.set(Some(value.clone().unbind()));
            builder = observe(builder, observer, base);
            continue;
        }
        let Some(taken) = option(builder, name, &value).map_err(|e| in_argument(value.py(), name, e))? else {
            let message = format!("Server() got an unexpected keyword argument '{name}'");
            return Err(PyTypeError::new_err(message));
        };
        builder = taken;
    }
    Ok(builder)
}

/// None: there is no option of this name.
fn option(mut builder: Builder, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Builder>> {
    Ok(Some(match name {
        "title" => builder.title(value.extract::<String>()?),
        "instructions" => builder.instructions(value.extract::<String>()?),
        "cursor_key" => builder.cursor_key(value.extract::<Vec<u8>>()?),
        "limits" => builder.limits(value.cast::<Limits>()?.get().0.clone()),
        "subscribe" => builder.subscribe(value.extract()?),
        "list_changed" => builder.list_changed(value.extract()?),
        "capabilities" => {
            for (name, capability) in pairs(value)? {
                builder = builder.capability(name, object(&capability)?);
            }
            builder
        }
        "announces" => {
            for (kind, notification) in pairs(value)? {
                builder = builder.announces(kind, notification.extract::<String>()?);
            }
            builder
        }
        "cache" => builder.cache(hint(value)?),
        "cache_of" => {
            for (kind, of_kind) in pairs(value)? {
                builder = builder.cache_of(kind.parse().or_raise(value.py())?, hint(&of_kind)?);
            }
            builder
        }
        "origin" => builder.origin(value.extract::<String>()?),
        "versions" => builder.versions(value.extract::<Vec<String>>()?),
        "error_profile" => builder.error_profile(word(value)?),
        "error_codes" => error_codes(builder, value)?,
        "permission_denied" => builder.permission_denied(word(value)?),
        "undeclared_lists" => builder.undeclared_lists(word(value)?),
        "contents_titles" => builder.contents_titles(word(value)?),
        "field_gating" => builder.field_gating(value.extract()?),
        "subscribe_unknown" => builder.subscribe_unknown(word(value)?),
        "dialect" => builder.dialect(word(value)?),
        _ => return Ok(None),
    }))
}

fn error_codes(mut builder: Builder, value: &Bound<'_, PyAny>) -> PyResult<Builder> {
    for (version, codes) in pairs(value)? {
        for (condition, code) in codes.cast::<PyDict>()? {
            builder = builder.error_code(version.as_str(), word(&condition)?, code.extract()?);
        }
    }
    Ok(builder)
}

/// A dict whose keys are `str`.
fn pairs<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    value.cast::<PyDict>()?.iter().map(|(name, value)| Ok((name.extract()?, value))).collect()
}

fn hint(value: &Bound<'_, PyAny>) -> PyResult<wellhead::CacheHint> {
    Ok(value.cast::<CacheHint>()?.get().to_core())
}

/// One of the words of a choice.
fn word<T: FromStr<Err = wellhead::Error>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    value.cast::<PyString>()?.to_str()?.parse().or_raise(value.py())
}
