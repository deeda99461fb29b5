//! The options of a server, from keyword arguments.

use crate::cache::CacheHint;
use crate::context::Base;
use crate::errors::OrRaise;
use crate::given;
use crate::hook::Hook;
use crate::limits::Limits;
use crate::log;
use crate::observer::observe;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wellhead::{Builder, Server};

/// Those that may be given as `None`.
const NONE_IS_DEFAULT: [&str; 13] = [
    "cache",
    "observe",
    "origin",
    "cache_of",
    "title",
    "instructions",
    "cursor_key",
    "limits",
    "capabilities",
    "extensions",
    "announces",
    "versions",
    "error_codes",
];

/// The others.
const CHOICES: [&str; 14] = [
    "subscribe",
    "list_changed",
    "error_profile",
    "permission_denied",
    "undeclared_lists",
    "titles_in_contents",
    "omit_newer_fields",
    "handshake_extensions",
    "resources_as_tools",
    "subscribe_unknown",
    "dialect",
    "unknown_tool",
    "invalid_arguments",
    "check_output",
];

pub(crate) fn builder(
    name: &str,
    version: &str,
    options: Option<&Bound<'_, PyDict>>,
    observer: &Hook,
    base: &Base,
) -> PyResult<Builder> {
    let mut builder = Server::builder(name, version).on_log(log::write);
    for (given, value) in options.into_iter().flatten() {
        let name = given.cast::<PyString>()?.to_str()?;
        if value.is_none() && NONE_IS_DEFAULT.contains(&name) {
            continue;
        }
        if name == "observe" {
            if !value.is_callable() {
                return Err(given::not_a(name, "a function that takes a wellhead.Observed", &value));
            }
            crate::registration::observer(&value)?;
            observer.set(Some(value.clone().unbind()));
            builder = observe(builder, observer, base);
            continue;
        }
        let Some(taken) = option(builder, name, &value)? else {
            return Err(given::unknown("Server", &given, &[&NONE_IS_DEFAULT[..], &CHOICES].concat()));
        };
        builder = taken;
    }
    Ok(builder)
}

/// None: there is no option of this name.
fn option(mut builder: Builder, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Builder>> {
    Ok(Some(match name {
        "title" => builder.title(given::string(name, value)?),
        "instructions" => builder.instructions(given::string(name, value)?),
        "cursor_key" => builder.cursor_key(given::bytes(name, value)?.as_bytes()),
        "limits" => builder.limits(given::instance::<Limits>(name, value)?.get().0.clone()),
        "subscribe" => builder.subscribe(given::flag(name, value)?),
        "list_changed" => builder.list_changed(given::flag(name, value)?),
        "capabilities" => {
            for (capability, declared) in pairs(name, value)? {
                let declared = given::object(&format!("{name}[{capability:?}]"), &declared)?;
                builder = builder.capability(capability, declared);
            }
            builder
        }
        "extensions" => {
            for (id, settings) in pairs(name, value)? {
                let settings = given::object(&format!("{name}[{id:?}]"), &settings)?;
                builder = builder.extension(id, settings);
            }
            builder
        }
        "announces" => {
            for (kind, notification) in pairs(name, value)? {
                let notification = given::string(&format!("{name}[{kind:?}]"), &notification)?;
                builder = builder.announces(kind, notification);
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
        "origin" => builder.origin(given::string(name, value)?),
        "versions" => builder.versions(given::strings(name, value)?),
        "error_profile" => builder.error_profile(given::word(name, value)?),
        "error_codes" => error_codes(builder, name, value)?,
        "permission_denied" => builder.permission_denied(given::word(name, value)?),
        "undeclared_lists" => builder.undeclared_lists(given::word(name, value)?),
        "titles_in_contents" => builder.titles_in_contents(given::word(name, value)?),
        "omit_newer_fields" => builder.omit_newer_fields(given::flag(name, value)?),
        "handshake_extensions" => builder.handshake_extensions(given::flag(name, value)?),
        "resources_as_tools" => builder.resources_as_tools(given::flag(name, value)?),
        "subscribe_unknown" => builder.subscribe_unknown(given::word(name, value)?),
        "dialect" => builder.dialect(given::word(name, value)?),
        "unknown_tool" => builder.unknown_tool(given::word(name, value)?),
        "invalid_arguments" => builder.invalid_arguments(given::word(name, value)?),
        "check_output" => builder.check_output(given::word(name, value)?),
        _ => return Ok(None),
    }))
}

fn error_codes(mut builder: Builder, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Builder> {
    for (version, codes) in pairs(name, value)? {
        let name = format!("{name}[{version:?}]");
        for (condition, code) in pairs(&name, &codes)? {
            let name = format!("{name}[{condition:?}]");
            let code = code.extract().map_err(|_| given::not_a(&name, "a whole number of 32 bits", &code))?;
            builder = builder.error_code(version.as_str(), condition.parse().or_raise(value.py())?, code);
        }
    }
    Ok(builder)
}

/// A dict whose keys are `str`.
fn pairs<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
    let key = |key: &Bound<'_, PyAny>| given::string(&format!("a key of {name}"), key);
    given::dict(name, value)?.iter().map(|(name, value)| Ok((key(&name)?, value))).collect()
}

fn hint(name: &str, value: &Bound<'_, PyAny>) -> PyResult<wellhead::CacheHint> {
    Ok(given::instance::<CacheHint>(name, value)?.get().to_core())
}
