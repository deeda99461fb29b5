//! The options of a server, from keyword arguments.

use crate::cache::CacheHint;
use crate::context::Base;
use crate::convert;
use crate::errors::OrRaise;
use crate::hook::Hook;
use crate::icon;
use crate::lifespan::Life;
use crate::limits::Limits;
use crate::log;
use crate::observer::observe;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wellhead::{Builder, Server};

/// The options that are not set by their names, because Python has types of its own for them. Each defaults to None.
const OTHERS: [&str; 12] = [
    "cursor_key",
    "limits",
    "capabilities",
    "extensions",
    "result_type_extensions",
    "list_changed_methods",
    "cache",
    "cache_of",
    "observe",
    "lifespan",
    "rpc_codes",
    "icons",
];

pub(crate) fn builder(
    name: &str,
    version: &str,
    options: Option<&Bound<'_, PyDict>>,
    observer: &Hook,
    base: &Base,
    life: &Life,
) -> PyResult<Builder> {
    let mut builder = Server::builder(name, version).on_log(log::write);
    for (given, value) in options.into_iter().flatten() {
        let name = given.cast::<PyString>()?.to_str()?;
        let may_be_none = OTHERS.contains(&name) || name == "revisions";
        if value.is_none() && may_be_none {
            continue;
        }
        if name == "observe" {
            convert::function(name, "a function that takes a wellhead.Observed", &value)?;
            crate::registration::observer(&value)?;
            observer.set(Some(value.clone().unbind()));
            builder = observe(builder, observer, base);
            continue;
        }
        if name == "lifespan" {
            if !value.is_callable() {
                let what = "a function that takes the server and returns an async context manager or a context manager";
                return Err(convert::not_a(name, what, &value));
            }
            life.made(value.py())?.setattr(name, value)?;
            continue;
        }
        let Some(taken) = option(builder, name, &value)? else {
            let known: Vec<_> = convert::options_of::<Builder>().chain(OTHERS).collect();
            return Err(convert::unknown("Server", &given, &known));
        };
        builder = taken;
    }
    Ok(builder)
}

/// Sets one option. Returns `None` if there is no option of this name.
fn option(mut builder: Builder, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Builder>> {
    Ok(Some(match name {
        "cursor_key" => builder.cursor_key(convert::bytes(name, value)?.as_bytes()),
        "limits" => builder.limits(convert::instance::<Limits>(name, value)?.get().0.clone()),
        "capabilities" => {
            for (capability, declared) in pairs(name, value)? {
                let declared = convert::object(&format!("{name}[{capability:?}]"), &declared)?;
                builder = builder.capability(capability, declared);
            }
            builder
        }
        "extensions" => {
            for (id, settings) in pairs(name, value)? {
                let settings = convert::object(&format!("{name}[{id:?}]"), &settings)?;
                builder = builder.extension(id, settings);
            }
            builder
        }
        "result_type_extensions" => {
            for (result_type, extension) in pairs(name, value)? {
                let extension = convert::string(&format!("{name}[{result_type:?}]"), &extension)?;
                builder = builder.result_type_extension(result_type, extension);
            }
            builder
        }
        "list_changed_methods" => {
            for (kind, notification) in pairs(name, value)? {
                let notification = convert::string(&format!("{name}[{kind:?}]"), &notification)?;
                builder = builder.list_changed_method(kind, notification);
            }
            builder
        }
        "cache" => builder.cache(hint(name, value)?),
        "cache_of" => {
            for (kind, of_kind) in pairs(name, value)? {
                builder = builder.cache_of(kind.parse().or_raise(value.py())?, hint(name, &of_kind)?);
            }
            builder
        }
        "rpc_codes" => rpc_codes(builder, name, value)?,
        "icons" => icon::list(name, value)?.into_iter().fold(builder, Builder::icon),
        _ => return convert::option(&builder, name, value),
    }))
}

fn rpc_codes(mut builder: Builder, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Builder> {
    for (revision, codes) in pairs(name, value)? {
        let name = format!("{name}[{revision:?}]");
        for (condition, code) in pairs(&name, &codes)? {
            let name = format!("{name}[{condition:?}]");
            let code =
                code.extract().map_err(|_| convert::not_a(&name, "a whole number of 32 bits", &code))?;
            builder = builder.rpc_code(revision.as_str(), condition.parse().or_raise(value.py())?, code);
        }
    }
    Ok(builder)
}

/// Reads a dict whose keys are `str`, as pairs.
fn pairs<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let key = |key: &Bound<'_, PyAny>| convert::string(&format!("a key of {name}"), key);
    convert::dict(name, value)?.iter().map(|(name, value)| Ok((key(&name)?, value))).collect()
}

fn hint(name: &str, value: &Bound<'_, PyAny>) -> PyResult<wellhead::CacheHint> {
    Ok(convert::instance::<CacheHint>(name, value)?.get().to_core())
}
