//! The definition of a tool or prompt, which is the application's JSON: checks it, and writes it as it is listed.

use super::app::{app_of, is_for_apps_only, with_app};
use super::members::{
    ARGUMENTS, DefinitionMember, EXECUTION, INPUT_SCHEMA, MemberShape, OUTPUT_SCHEMA, VALUES,
    checked_members, type_of,
};
use super::output_schema::write_wrapped;
use super::param_headers::{ParamHeader, param_headers};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, boolean, elements, for_each_member, members, string};
use crate::model::{Family, Json, OutputSchema, ResultShape};
use crate::schema::{self, Schema};
use std::borrow::Cow;
use std::sync::Arc;

/// A checked definition.
pub(crate) struct Definition {
    pub(super) json: DefinitionJson,
    pub(super) promises: Promises,
    /// Lines for the log, about a definition that some clients refuse.
    pub(crate) warnings: Vec<String>,
}

/// The JSON of a definition for lists. A tool without an input schema accepts any object.
#[derive(Clone)]
pub(super) struct DefinitionJson {
    pub(super) ordinary: Box<str>,
    /// The JSON for revisions whose structured content has to be an object; `None` if it is the same.
    pub(super) for_objects: Option<Box<str>>,
    /// The definition as the application gave it, for changes of it. `None` if clients get the same members.
    pub(super) given: Option<Box<str>>,
}

/// A form in which a definition is written as JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rendering {
    Ordinary,
    ForObjects,
}

/// The members of a definition on which the calls of the tool or prompt depend.
#[derive(Default)]
pub(crate) struct Promises {
    /// The values that its structured content may have, by its `outputSchema`.
    pub(crate) output: OutputSchema,
    /// The schema that its arguments have to fit; `None` for a prompt, and for a tool that takes any object.
    pub(crate) schema: Option<Schema>,
    /// The schema that its structured content has to fit; `None` if it declares none.
    pub(crate) output_schema: Option<Schema>,
    /// The arguments that header fields repeat over HTTP.
    pub(crate) headers: Vec<ParamHeader>,
    /// The URI of the app that shows its results; `None` if there is none.
    pub(crate) app: Option<Box<str>>,
    /// True if the tool is for apps, not for the model.
    pub(crate) is_for_apps_only: bool,
    /// The arguments, if it is a prompt.
    pub(crate) arguments: PromptArguments,
}

impl Promises {
    /// Returns what the result of a call has to look like.
    pub(crate) fn result_shape(&self) -> ResultShape {
        ResultShape { output: self.output, has_app: self.app.is_some() }
    }

    /// Returns what is wrong with the structured content of a result; `None` if it fits its schema.
    pub(crate) fn wrong_output(&self, result: &Json) -> Option<String> {
        let schema = self.output_schema.as_ref()?;
        let [kind, failed, content] =
            members(result.raw(), &["resultType", "isError", "structuredContent"]).ok()?;
        let complete = kind.is_none_or(|kind| string(kind).as_deref() == Some("complete"));
        if !complete || failed.and_then(boolean) == Some(true) {
            return None;
        }
        schema.wrong_output(content?)
    }
}

/// The arguments of a prompt, by name.
#[derive(Default)]
pub(crate) struct PromptArguments {
    pub(crate) required: Vec<Box<str>>,
    /// The names of all arguments; `None` if the definition does not list them.
    pub(crate) known: Option<Vec<Box<str>>>,
    /// The names of the arguments that have fixed values, with these.
    pub(crate) values: Vec<(Box<str>, FixedValues)>,
}

/// The values that an argument of a prompt may have.
pub(crate) type FixedValues = Arc<[Box<str>]>;

impl PromptArguments {
    fn read(&mut self, arguments: Raw<'_>) {
        let known = self.known.get_or_insert_default();
        for argument in elements(arguments, usize::MAX).into_iter().flatten() {
            let Ok([Some(name), required, values]) = members(argument, &["name", "required", VALUES]) else {
                continue;
            };
            let Some(name) = string(name) else { continue };
            if let Some(values) = values {
                let texts = elements(values, usize::MAX).into_iter().flatten();
                let texts = texts.filter_map(string).map(|text| (*text).into()).collect();
                self.values.push(((*name).into(), texts));
            }
            if required.and_then(boolean) == Some(true) {
                self.required.push((*name).into());
            }
            known.push((*name).into());
        }
    }
}

/// Checks the application's definition of a tool or prompt, and compiles its schema. Takes no lock: this may take
/// milliseconds.
pub(crate) fn definition(family: Family, name: &str, given: &Json) -> Result<Definition> {
    let invalid = |what: String| {
        Error::new(ErrorKind::InvalidArgument, format!("the {} \"{name}\" {what}", family.word()))
    };
    let members = match family {
        Family::Tools => with_app(name, given)?,
        Family::Prompts => Cow::Borrowed(given),
    };
    let found = checked_members(family, members.raw()).map_err(&invalid)?;
    let (mut schema, mut headers, mut warnings) = (None, Vec::new(), Vec::new());
    let mut arguments = PromptArguments::default();
    let mut output_schema = None;
    for DefinitionMember { name: member, shape, value } in &found {
        if [INPUT_SCHEMA, OUTPUT_SCHEMA].contains(&&**member) {
            schema::check_nesting(value.get()).map_err(&invalid)?;
        }
        if *shape == MemberShape::ObjectSchema {
            schema = Some(Schema::compile(*value).map_err(&invalid)?);
            headers = param_headers(*value).map_err(&invalid)?;
            warnings.extend(composition(*value).map(|keyword| {
                let advice =
                    "several model providers refuse such a tool; describe it with properties instead";
                format!("the tool \"{name}\" has {keyword} at the root of its inputSchema: {advice}")
            }));
        }
        if member == OUTPUT_SCHEMA {
            let wrong =
                |what| invalid(format!("has an \"{OUTPUT_SCHEMA}\" that cannot be checked: it {what}"));
            output_schema = Some(Schema::compile(*value).map_err(wrong)?);
        }
        if *shape == MemberShape::Arguments {
            arguments.read(*value);
        }
        if member == EXECUTION {
            warnings
                .push(format!("\"execution\" of the tool \"{name}\" is not sent: there are no tasks here"));
        }
    }
    let output = match found.iter().find(|member| member.name == OUTPUT_SCHEMA) {
        None => OutputSchema::Absent,
        Some(member) if type_of(member.value).and_then(string).as_deref() == Some("object") => {
            OutputSchema::Object
        }
        Some(_) => OutputSchema::Any,
    };
    let json = DefinitionJson {
        ordinary: rendered(family, name, &found, Rendering::Ordinary),
        for_objects: (output == OutputSchema::Any)
            .then(|| rendered(family, name, &found, Rendering::ForObjects)),
        given: (matches!(members, Cow::Owned(_)) || !arguments.values.is_empty())
            .then(|| given.as_str().into()),
    };
    let meta = found.iter().find(|member| member.name == "_meta").map(|meta| meta.value);
    let (app, is_for_apps_only) = (meta.and_then(app_of), meta.is_some_and(is_for_apps_only));
    let promises = Promises { output, schema, output_schema, headers, app, is_for_apps_only, arguments };
    Ok(Definition { json, promises, warnings })
}

/// Writes a checked definition in a form. For revisions with objects only, the output schema is that of an object with
/// the member `result`.
fn rendered(family: Family, name: &str, found: &[DefinitionMember<'_>], rendering: Rendering) -> Box<str> {
    let mut rendered = Vec::new();
    let mut object = Object::begin(&mut rendered);
    object.string("name", name);
    for DefinitionMember { name: member, value, .. } in found {
        if member == EXECUTION {
            continue;
        }
        let out = object.any_member(member);
        match (family, &**member) {
            (Family::Tools, INPUT_SCHEMA) => write_object_schema(out, *value),
            (Family::Tools, OUTPUT_SCHEMA) if rendering == Rendering::ForObjects => {
                write_wrapped(out, *value);
            }
            (Family::Tools, OUTPUT_SCHEMA) => {
                let mut schema = Object::begin(out);
                write_schema_members(&mut schema, *value);
                schema.end();
            }
            (Family::Prompts, ARGUMENTS) => write_arguments(out, *value),
            _ => out.extend_from_slice(value.get().as_bytes()),
        }
    }
    if family == Family::Tools && !found.iter().any(|member| member.name == INPUT_SCHEMA) {
        object.raw(INPUT_SCHEMA, "{\"type\":\"object\"}");
    }
    object.end();
    String::from_utf8(rendered).expect("JSON is text").into()
}

/// Writes the arguments of a prompt without their fixed values.
fn write_arguments(out: &mut Vec<u8>, arguments: Raw<'_>) {
    out.push(b'[');
    for (at, argument) in elements(arguments, usize::MAX).into_iter().flatten().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let mut object = Object::begin(out);
        for_each_member(argument, |name, value| {
            if name != VALUES {
                object.any_member(name).extend_from_slice(value.get().as_bytes());
            }
        });
        object.end();
    }
    out.push(b']');
}

/// Returns the keyword at the root of a schema that combines other schemas, such as `anyOf`; `None` if there is none.
fn composition(schema: Raw<'_>) -> Option<&'static str> {
    let mut found = None;
    for_each_member(schema, |name, _| {
        found = found.or(["anyOf", "oneOf", "allOf"].into_iter().find(|keyword| *keyword == name));
    });
    found
}

/// Writes a schema of an object. Adds its type if the application left it out, because clients require it.
fn write_object_schema(out: &mut Vec<u8>, schema: Raw<'_>) {
    let mut object = Object::begin(out);
    if type_of(schema).is_none() {
        object.string("type", "object");
    }
    write_schema_members(&mut object, schema);
    object.end();
}

/// Writes the members of a schema. Clients with a handshake require an object as the schema of a property, so those that
/// are `true` or `false` become objects that mean the same.
fn write_schema_members(object: &mut Object<'_>, schema: Raw<'_>) {
    for_each_member(schema, |name, value| {
        let out = object.any_member(name);
        if name != "properties" {
            return out.extend_from_slice(value.get().as_bytes());
        }
        let mut properties = Object::begin(out);
        for_each_member(value, |name, property| {
            let property = match boolean(property) {
                Some(true) => "{}",
                Some(false) => r#"{"not":{}}"#,
                None => property.get(),
            };
            properties.any_member(name).extend_from_slice(property.as_bytes());
        });
        properties.end();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(family: Family, members: &str) -> Result<String> {
        let definition = definition(family, "t", &Json::parse(members)?)?;
        Ok(definition.json.ordinary.into())
    }

    fn refusal(family: Family, members: &str) -> String {
        render(family, members).expect_err("this is refused").to_string()
    }

    #[test]
    fn a_tool_always_has_an_object_schema() {
        let listed = |members| render(Family::Tools, members).unwrap();
        assert_eq!(listed("{}"), r#"{"name":"t","inputSchema":{"type":"object"}}"#);
        assert_eq!(listed(r#"{"inputSchema":{}}"#), r#"{"name":"t","inputSchema":{"type":"object"}}"#);
        assert_eq!(
            listed(r#"{"inputSchema":{ "properties":{}},"title":"T"}"#),
            r#"{"name":"t","inputSchema":{"type":"object","properties":{}},"title":"T"}"#
        );
        assert_eq!(
            listed(r#"{"annotations":{"readOnlyHint":true,"x":1}}"#),
            r#"{"name":"t","annotations":{"readOnlyHint":true,"x":1},"inputSchema":{"type":"object"}}"#
        );
        assert_eq!(render(Family::Prompts, "{}").unwrap(), r#"{"name":"t"}"#);
    }

    #[test]
    fn a_schema_that_is_too_deep_is_refused() {
        for member in ["inputSchema", "outputSchema"] {
            let deep = format!("{}{{}}{}", "{\"not\":".repeat(50_000), "}".repeat(50_000));
            let text = r#"the tool "t" has a schema that is nested deeper than 64 levels"#;
            assert_eq!(refusal(Family::Tools, &format!("{{\"{member}\":{deep}}}")), text);
        }
    }

    #[test]
    fn the_error_for_a_definition_names_the_fault_and_its_cure() {
        for (members, text) in [
            (
                r#"{"inputSchema":3}"#,
                r#"the tool "t" needs a JSON object such as {"type":"object"} as "inputSchema" (got 3)"#,
            ),
            (
                r#"{"inputSchema":{"type":"string"}}"#,
                r#"the tool "t" needs a schema whose type is "object" as "inputSchema" (got {"type":"string"})"#,
            ),
            (
                r#"{"inputSchema":{"type":["object"]}}"#,
                r#"the tool "t" needs a schema whose type is "object" as "inputSchema" (got {"type":["object"]})"#,
            ),
            (
                r#"{"input_schema":{}}"#,
                r#"the tool "t" has an unknown member "input_schema"; did you mean "inputSchema"?"#,
            ),
            (
                r#"{"descripton":""}"#,
                r#"the tool "t" has an unknown member "descripton"; did you mean "description"?"#,
            ),
            (r#"{"name":"x"}"#, r#"the tool "t" has a "name" among its members; leave it out"#),
            (r#"{"title":"a","title":"b"}"#, r#"the tool "t" has "title" twice"#),
            (r#"{"title":1}"#, r#"the tool "t" needs a string as "title" (got 1)"#),
            (
                r#"{"annotations":{"readOnlyHint":"yes"}}"#,
                r#"the tool "t" needs true or false as "annotations.readOnlyHint" (got "yes")"#,
            ),
            (
                r#"{"icons":[{"src":"javascript:x"}]}"#,
                r#"the tool "t" has a wrong "icons": icon "javascript:x": clients refuse this scheme; give an https:, http: or data: URI"#,
            ),
            (
                r#"{"_meta":{"traceparent":"x"}}"#,
                r#"the tool "t" has a wrong "_meta": _meta key "traceparent" is reserved by the protocol; use a prefix of your own such as "com.example/""#,
            ),
            (r#"{"outputSchema":true}"#, r#"the tool "t" needs a JSON object as "outputSchema" (got true)"#),
        ] {
            assert_eq!(refusal(Family::Tools, members), text);
        }
        for (members, text) in [
            (
                r#"{"inputSchema":{}}"#,
                r#"the prompt "t" has an unknown member "inputSchema"; put it into "_meta", known are "title", "description", "arguments", "icons", "_meta""#,
            ),
            (
                r#"{"arguments":{"name":"a"}}"#,
                r#"the prompt "t" needs an array of objects as "arguments" (got {"name":"a"})"#,
            ),
            (r#"{"arguments":["a"]}"#, r#"the prompt "t" needs an object as "arguments[0]" (got "a")"#),
            (r#"{"arguments":[{"title":"a"}]}"#, r#"the prompt "t" needs a "name" in "arguments[0]""#),
            (
                r#"{"arguments":[{"name":"a","require":true}]}"#,
                r#"the prompt "t" has in "arguments[0]" an unknown member "require"; did you mean "required"?"#,
            ),
            (
                r#"{"arguments":[{"name":"a","required":1}]}"#,
                r#"the prompt "t" needs true or false as "arguments[0].required" (got 1)"#,
            ),
        ] {
            assert_eq!(refusal(Family::Prompts, members), text);
        }
    }
}
