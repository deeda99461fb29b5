//! Checks forms for the users of clients before they are sent, and answers against their forms.
//!
//! Source: MCP 2025-11-25, "Elicitation", Requested Schema. A client shows a form by its schema, so it takes few schemas.

use super::Schema;
use crate::jsonrpc::{
    Raw, boolean, elements, for_each_member, is_array, is_object, members, string, strings,
};
use crate::revision::Elicitation;
use std::collections::BTreeSet;

/// The types of a property, and the members that its schema may have with `type`.
const KINDS: [(&str, &[&str]); 5] = [
    (
        "string",
        &[
            "title",
            "description",
            "default",
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "enum",
            "enumNames",
            "oneOf",
        ],
    ),
    ("integer", &["title", "description", "default", "minimum", "maximum"]),
    ("number", &["title", "description", "default", "minimum", "maximum"]),
    ("boolean", &["title", "description", "default"]),
    ("array", &["title", "description", "default", "items", "minItems", "maxItems", "uniqueItems"]),
];
/// The members that the schema of the whole form may have.
const OF_FORM: [&str; 7] =
    ["type", "properties", "required", "$schema", "title", "description", "additionalProperties"];
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// Checks the parameters of `elicitation/create`. The error says what to change.
pub(crate) fn check_elicitation(params: Raw<'_>, has: Elicitation) -> Result<(), String> {
    let names = ["message", "mode", "requestedSchema", "url", "elicitationId"];
    let [message, mode, schema, url, id] = members(params, &names).map_err(|twice| twice.to_string())?;
    if !message.is_some_and(is_string) {
        return Err("needs a message, a string that the user reads".to_owned());
    }
    match mode.map(|mode| string(mode).unwrap_or_default()).as_deref() {
        None | Some("form") => check_form(schema, has),
        Some("url") if !url.is_some_and(is_string) => Err("needs a url, a string".to_owned()),
        Some("url") if has == Elicitation::UrlsWithIds && !id.is_some_and(is_string) => {
            Err("needs an elicitationId for this client, a string that is unique on the server".to_owned())
        }
        Some("url") => Ok(()),
        Some(_) => Err("has an unknown mode; it is \"form\" or \"url\"".to_owned()),
    }
}

/// Checks the result of `elicitation/create` against the form that its parameters have.
pub(crate) fn check_elicited(params: Raw<'_>, result: Raw<'_>) -> Result<(), String> {
    let [action, content] = members(result, &["action", "content"]).map_err(|twice| twice.to_string())?;
    let action = action.and_then(string).unwrap_or_default();
    if !["accept", "decline", "cancel"].contains(&&*action) {
        return Err(" has no action; it is \"accept\", \"decline\" or \"cancel\"".to_owned());
    }
    let schema = members(params, &["requestedSchema"]).ok().and_then(|[schema]| schema);
    let Some(schema) = schema.filter(|_| action == "accept") else { return Ok(()) };
    let content = content.unwrap_or(Raw::kept("{}"));
    if !is_object(content) {
        return Err(" has a content that is not an object".to_owned());
    }
    // Without values: the model may read the text, and the user gave them to the server.
    match Schema::compile(schema)?.wrong_fields(content) {
        Some(fields) => Err(format!(" does not fit its form: {fields}")),
        None => Ok(()),
    }
}

fn check_form(schema: Option<Raw<'_>>, has: Elicitation) -> Result<(), String> {
    let Some(schema) = schema.filter(|schema| is_object(*schema)) else {
        return Err("needs a requestedSchema, the JSON Schema of an object".to_owned());
    };
    let names = ["type", "properties", "required"];
    let [kind, properties, required] = members(schema, &names).map_err(|twice| twice.to_string())?;
    if kind.and_then(string).as_deref() != Some("object") {
        return Err("has a requestedSchema whose type is not \"object\"".to_owned());
    }
    let Some(properties) = properties.filter(|properties| is_object(*properties)) else {
        return Err("has a requestedSchema without properties".to_owned());
    };
    let mut wrong = None;
    for_each_member(schema, |name, value| {
        let closed = name != "additionalProperties" || boolean(value).is_some();
        if !closed || !OF_FORM.contains(&name) {
            wrong.get_or_insert_with(|| format!("has a requestedSchema with \"{name}\"; {FLAT}"));
        }
    });
    let mut known = BTreeSet::new();
    for_each_member(properties, |name, property| {
        if !known.insert(name.to_owned()) {
            wrong.get_or_insert_with(|| format!("has the property \"{name}\" twice"));
        }
        if let Err(why) = check_property(property, has) {
            wrong.get_or_insert_with(|| format!("has a form whose property \"{name}\" {why}"));
        }
    });
    let required = required.map_or(Some(Vec::new()), strings);
    match required {
        None => return Err("has a requestedSchema whose required is no array of names".to_owned()),
        Some(required) => {
            if let Some(name) = required.iter().find(|name| !known.contains(&***name)) {
                wrong.get_or_insert_with(|| format!("requires \"{name}\", which is none of its properties"));
            }
        }
    }
    match wrong {
        Some(wrong) => Err(wrong),
        None => Schema::compile(schema).map(drop),
    }
}

const FLAT: &str = "a form is one flat object of strings, numbers, booleans and choices";

fn check_property(property: Raw<'_>, has: Elicitation) -> Result<(), String> {
    if !is_object(property) {
        return Err(format!("is no schema; {FLAT}"));
    }
    let [kind] = members(property, &["type"]).map_err(|twice| format!("is wrong: {twice}"))?;
    let kind = kind.and_then(string).unwrap_or_default();
    let several = has >= Elicitation::UrlsWithIds;
    let Some((kind, allowed)) = KINDS.into_iter().find(|(name, _)| *name == kind) else {
        return Err(match &*kind {
            "" => "has no type, or several; for one that may be missing, give its type and leave it out of required".to_owned(),
            kind => format!("has the type \"{kind}\"; {FLAT}"),
        });
    };
    if kind == "array" && !several {
        return Err(
            "is an array, which the client's revision does not have in a form; ask for one value".to_owned()
        );
    }
    let (mut wrong, mut seen) = (None, BTreeSet::new());
    for_each_member(property, |name, value| {
        let why = if !seen.insert(name.to_owned()) {
            "it is there twice"
        } else if name == "type" {
            return;
        } else if !allowed.contains(&name) {
            "a client cannot show that; check it in the callback"
        } else {
            match wrong_member(kind, name, value, several) {
                Some(why) => why,
                None => return,
            }
        };
        wrong.get_or_insert_with(|| format!("has \"{name}\": {why}"));
    });
    if kind == "array" && !seen.contains("items") {
        wrong.get_or_insert_with(|| format!("has no \"items\": {CHOICES}"));
    }
    wrong.map_or(Ok(()), Err)
}

const CHOICES: &str = "give the strings to choose from, as {\"type\":\"string\",\"enum\":[…]}";

/// Returns what is wrong with a member of a property's schema.
fn wrong_member(kind: &str, name: &str, value: Raw<'_>, several: bool) -> Option<&'static str> {
    let is_number = value.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let (fits, why) = match name {
        "title" | "description" | "pattern" => (is_string(value), "it is a string"),
        "minLength" | "maxLength" | "minItems" | "maxItems" => {
            (value.get().parse::<u32>().is_ok(), "it is a whole number from 0 on")
        }
        "minimum" | "maximum" => (is_number, "it is a number"),
        "uniqueItems" => (boolean(value).is_some(), "it is true or false"),
        "format" => (
            string(value).is_some_and(|format| FORMATS.contains(&&*format)),
            "it is email, uri, date or date-time",
        ),
        "enum" | "enumNames" => (are_choices(value), "it is an array of strings"),
        "oneOf" if !several => (false, "the client's revision does not have it; use enum and enumNames"),
        "oneOf" => (are_titled(value), TITLED),
        "items" => {
            let [kind, choices, titled] = members(value, &["type", "enum", "anyOf"]).unwrap_or([None; 3]);
            let plain =
                choices.is_some_and(are_choices) && kind.and_then(string).as_deref() == Some("string");
            (plain || titled.is_some_and(are_titled), CHOICES)
        }
        "default" => {
            let fits = match kind {
                "string" => is_string(value),
                "boolean" => boolean(value).is_some(),
                "array" => strings(value).is_some(),
                _ => is_number,
            };
            (fits, "it is of another type")
        }
        _ => (true, ""),
    };
    (!fits).then_some(why)
}

const TITLED: &str = "it is an array of choices such as {\"const\":\"a\",\"title\":\"A\"}";

fn is_string(value: Raw<'_>) -> bool {
    string(value).is_some()
}

fn are_choices(value: Raw<'_>) -> bool {
    strings(value).is_some_and(|choices| !choices.is_empty())
}

fn are_titled(value: Raw<'_>) -> bool {
    let choices = elements(value, usize::MAX).filter(|_| is_array(value)).unwrap_or_default();
    !choices.is_empty()
        && choices.into_iter().all(|choice| {
            let [value, title] = members(choice, &["const", "title"]).unwrap_or([None; 2]);
            value.is_some_and(is_string) && title.is_some_and(is_string)
        })
}
