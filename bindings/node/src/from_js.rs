//! Values that JavaScript gives as JSON text.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use wellhead::{Error, ErrorKind, Json, OptionKind, OptionValue, Result, SetOption, Spelling};

/// Reads a value from JSON. Returns an error if the text has another form.
pub(crate) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| {
        // Not the parser's words: they name types of Rust, and a place in JSON that the application never saw.
        let what = match e.classify() {
            serde_json::error::Category::Data => "a member is missing or has the wrong type",
            _ => "a text has half of a surrogate pair; make it well-formed: text.toWellFormed()",
        };
        Error::new(ErrorKind::InvalidArgument, what)
    })
}

/// Reads a member that must be an object. Returns `None` if it is absent.
pub(crate) fn object(member: &str, given: Option<&RawValue>) -> Result<Option<Json>> {
    given
        .map(|given| match given.get() {
            text if text.starts_with('{') => {
                Json::parse(text).map_err(|e| Error::new(e.kind(), format!("{member}: {e}")))
            }
            text => {
                let shown = if text.chars().count() > 40 { "something else" } else { text };
                Err(Error::new(ErrorKind::InvalidArgument, format!("{member}: an object, not {shown}")))
            }
        })
        .transpose()
}

/// Calls `set` with a member if it is present, and returns the result.
pub(crate) fn set<B, T>(to: B, given: Option<T>, set: impl FnOnce(B, T) -> B) -> B {
    match given {
        Some(value) => set(to, value),
        None => to,
    }
}

/// Sets the options among the members of an object, by their names in the core. `null` is `Infinity`.
pub(crate) fn options<T: SetOption>(mut target: T, object: &str) -> Result<T> {
    let members: BTreeMap<&str, &RawValue> = parse(object)?;
    for option in T::OPTIONS {
        let name = Spelling::Camel.name(option.name);
        let Some(given) = members.get(&*name).map(|value| value.get()) else { continue };
        let value = match option.kind {
            _ if option.name == "handle_sigterm" => continue, // JavaScript has the signals
            OptionKind::Number(_) => OptionValue::Number(parse::<Option<u64>>(given)?.unwrap_or(u64::MAX)),
            OptionKind::Switch(_) => OptionValue::Switch(parse(given)?),
            OptionKind::Text(_) | OptionKind::Word(_) => OptionValue::Text(parse(given)?),
            OptionKind::List(_) => OptionValue::List(parse(given)?),
            _ => continue, // it has members of its own
        };
        target = target
            .set_option(option.name, value)
            .map_err(|e| Error::new(e.kind(), format!("{name}: {e}")))?;
    }
    Ok(target)
}
