//! Checks the definition of a tool or prompt, which is the application's JSON, and writes it as it is listed.

use super::app::with_app;
use super::output_schema::write_wrapped;
use super::param_headers::{ParamHeader, param_headers};
use crate::error::{Error, ErrorKind, Result};
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, boolean, elements, for_each_member, is_array, is_object, members, string};
use crate::model::{Family, Json, OutputSchema};
use crate::schema::{self, Schema};
use std::borrow::Cow;

/// The member of a tool that describes its arguments. Every client requires it.
const INPUT_SCHEMA: &str = "inputSchema";

/// The member of a tool that promises structured content.
const OUTPUT_SCHEMA: &str = "outputSchema";

/// The member of a tool that offers tasks, which are not served. It is never sent.
const EXECUTION: &str = "execution";

/// The shape that a member's value must have.
#[derive(Clone, Copy)]
enum MemberShape {
    Text,
    Flag,
    Object,
    /// An array of objects.
    Objects,
    /// A JSON schema for an object.
    ObjectSchema,
    /// An array of objects with these members, `name` required.
    Arguments,
}

type Members = [(&'static str, MemberShape)];

const TOOL: &Members = &[
    ("title", MemberShape::Text),
    ("description", MemberShape::Text),
    (INPUT_SCHEMA, MemberShape::ObjectSchema),
    (OUTPUT_SCHEMA, MemberShape::Object),
    ("annotations", MemberShape::Object),
    (EXECUTION, MemberShape::Object),
    ("icons", MemberShape::Objects),
    ("_meta", MemberShape::Object),
];

const PROMPT: &Members = &[
    ("title", MemberShape::Text),
    ("description", MemberShape::Text),
    ("arguments", MemberShape::Arguments),
    ("icons", MemberShape::Objects),
    ("_meta", MemberShape::Object),
];

const ARGUMENT: &Members = &[
    ("name", MemberShape::Text),
    ("title", MemberShape::Text),
    ("description", MemberShape::Text),
    ("required", MemberShape::Flag),
];

/// A checked definition.
pub(crate) struct Definition {
    /// The JSON that lists have. A tool without an input schema accepts any object.
    pub(super) rendered: Box<str>,
    /// The JSON for revisions whose structured content is an object, if it differs.
    pub(super) rendered_for_objects: Option<Box<str>>,
    pub(super) output: OutputSchema,
    /// The schema that its arguments have to fit; `None` for a prompt, and for a tool that takes any object.
    pub(super) schema: Option<Schema>,
    pub(super) output_schema: Option<Schema>,
    pub(super) headers: Vec<ParamHeader>,
    /// Of a prompt.
    pub(super) arguments: PromptArguments,
    /// Lines for the log, about a definition that some clients refuse.
    pub(crate) warnings: Vec<String>,
}

/// The arguments of a prompt, by name.
#[derive(Default)]
pub(crate) struct PromptArguments {
    pub(crate) required: Vec<Box<str>>,
    /// All of them, if the definition lists them.
    pub(crate) known: Option<Vec<Box<str>>>,
}

impl PromptArguments {
    fn read(&mut self, arguments: Raw<'_>) {
        let known = self.known.get_or_insert_default();
        for argument in elements(arguments, usize::MAX).into_iter().flatten() {
            let Ok([Some(name), required]) = members(argument, &["name", "required"]) else { continue };
            let Some(name) = string(name) else { continue };
            if required.and_then(boolean) == Some(true) {
                self.required.push((*name).into());
            }
            known.push((*name).into());
        }
    }
}

/// The longest name that the protocol has.
const MOST_NAMED: usize = 128;

/// Checks the name of a tool or prompt. Returns a line for the log about one that some clients refuse.
pub(crate) fn check_name(family: Family, name: &str) -> Result<Option<String>> {
    let word = family.word();
    let invalid = |what: String| Err(Error::new(ErrorKind::InvalidArgument, what));
    if name.is_empty() {
        return invalid(format!("a {word} needs a name"));
    }
    let length = name.chars().count();
    if length > MOST_NAMED {
        return invalid(format!("the name of a {word} has at most {MOST_NAMED} characters (got {length})"));
    }
    if name.chars().any(char::is_control) {
        return invalid(format!("the name of a {word} has no control characters (got {name:?})"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let fits = match family {
        Family::Tools => length <= 64 && name.chars().all(plain),
        Family::Prompts => name.chars().all(|c| plain(c) || c == '.'),
    };
    let advice = match family {
        Family::Tools => "name it with 1 to 64 of A-Z a-z 0-9 _ -",
        Family::Prompts => "name it with A-Z a-z 0-9 _ - .",
    };
    Ok((!fits).then(|| format!("some clients refuse the {word} \"{name}\" because of its name; {advice}")))
}

/// Checks the application's definition of a tool or prompt, and compiles its schema. Takes no lock: this may take
/// milliseconds.
pub(crate) fn definition(family: Family, name: &str, members: &Json) -> Result<Definition> {
    let invalid = |what: String| {
        Error::new(ErrorKind::InvalidArgument, format!("the {} \"{name}\" {what}", family.word()))
    };
    let known = match family {
        Family::Tools => TOOL,
        Family::Prompts => PROMPT,
    };
    let members = match family {
        Family::Tools => with_app(name, members)?,
        Family::Prompts => Cow::Borrowed(members),
    };
    let found = distinct(members.raw()).map_err(|twice| invalid(format!("has {twice} twice")))?;
    let (mut schema, mut headers, mut warnings) = (None, Vec::new(), Vec::new());
    let mut arguments = PromptArguments::default();
    let mut output_schema = None;
    for (member, value) in &found {
        if member == "name" {
            return Err(invalid("has a \"name\" among its members; leave it out".to_owned()));
        }
        let shape = shape_of(member, known).map_err(|unknown| invalid(format!("has {unknown}")))?;
        check(member, *value, shape).map_err(&invalid)?;
        if [INPUT_SCHEMA, OUTPUT_SCHEMA].contains(&&**member) {
            schema::check_nesting(value.get()).map_err(&invalid)?;
        }
        if matches!(shape, MemberShape::ObjectSchema) {
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
        if matches!(shape, MemberShape::Arguments) {
            arguments.read(*value);
        }
        if member == EXECUTION {
            warnings
                .push(format!("\"execution\" of the tool \"{name}\" is not sent: there are no tasks here"));
        }
    }
    let output = match found.iter().find(|(member, _)| member == OUTPUT_SCHEMA) {
        None => OutputSchema::Absent,
        Some((_, schema)) if type_of(*schema).and_then(string).as_deref() == Some("object") => {
            OutputSchema::Object
        }
        Some(_) => OutputSchema::Any,
    };
    let rendered = rendered(family, name, &found, false);
    let rendered_for_objects =
        matches!(output, OutputSchema::Any).then(|| self::rendered(family, name, &found, true));
    Ok(Definition {
        rendered,
        rendered_for_objects,
        output,
        schema,
        output_schema,
        headers,
        arguments,
        warnings,
    })
}

/// Writes a checked definition. With `wrapped`, its output schema is that of an object around the result.
fn rendered(family: Family, name: &str, found: &[(String, Raw<'_>)], wrapped: bool) -> Box<str> {
    let mut rendered = Vec::new();
    let mut object = Object::begin(&mut rendered);
    object.string("name", name);
    for (member, value) in found {
        if member == EXECUTION {
            continue;
        }
        let out = object.any_member(member);
        match (family, &**member) {
            (Family::Tools, INPUT_SCHEMA) => write_object_schema(out, *value),
            (Family::Tools, OUTPUT_SCHEMA) if wrapped => write_wrapped(out, *value),
            _ => out.extend_from_slice(value.get().as_bytes()),
        }
    }
    if family == Family::Tools && !found.iter().any(|(member, _)| member == INPUT_SCHEMA) {
        object.raw(INPUT_SCHEMA, "{\"type\":\"object\"}");
    }
    object.end();
    String::from_utf8(rendered).expect("JSON is text").into()
}

/// Returns the members of an object, or the quoted name of a member that occurs twice.
fn distinct(object: Raw<'_>) -> Result<Vec<(String, Raw<'_>)>, String> {
    let mut found: Vec<(String, Raw<'_>)> = Vec::new();
    for_each_member(object, |name, value| found.push((name.to_owned(), value)));
    let twice = (1..found.len()).find(|at| found[..*at].iter().any(|(name, _)| *name == found[*at].0));
    match twice {
        Some(at) => Err(format!("{:?}", found[at].0)),
        None => Ok(found),
    }
}

fn shape_of(member: &str, known: &Members) -> Result<MemberShape, String> {
    if let Some((_, shape)) = known.iter().find(|(name, _)| *name == member) {
        return Ok(*shape);
    }
    let nearest = known.iter().map(|(name, _)| (distance(member, name), *name)).min();
    Err(match nearest {
        Some((steps, name)) if steps <= 2 => {
            format!("an unknown member \"{member}\"; did you mean \"{name}\"?")
        }
        _ => {
            let names: Vec<_> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            format!("an unknown member \"{member}\"; put it into \"_meta\", known are {}", names.join(", "))
        }
    })
}

/// Returns how many letters have to be added, removed or changed. Ignores case and underscores.
fn distance(a: &str, b: &str) -> usize {
    let letters = |text: &str| -> Vec<char> {
        text.chars().filter(|c| *c != '_' && *c != '-').map(|c| c.to_ascii_lowercase()).take(64).collect()
    };
    let (a, b) = (letters(a), letters(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn check(member: &str, value: Raw<'_>, shape: MemberShape) -> Result<(), String> {
    let wanted = match shape {
        MemberShape::Text if string(value).is_none() => "a string",
        MemberShape::Flag if boolean(value).is_none() => "true or false",
        MemberShape::Object if !is_object(value) => "a JSON object",
        MemberShape::ObjectSchema if !is_object(value) => "a JSON object such as {\"type\":\"object\"}",
        MemberShape::ObjectSchema if !takes_objects(value) => "a schema whose type is \"object\"",
        MemberShape::Objects | MemberShape::Arguments if !is_array(value) => "an array of objects",
        MemberShape::Objects | MemberShape::Arguments => return check_elements(member, value, shape),
        _ => return Ok(()),
    };
    Err(format!("needs {wanted} as \"{member}\" (got {})", shortened(value)))
}

fn check_elements(member: &str, array: Raw<'_>, shape: MemberShape) -> Result<(), String> {
    for (at, element) in elements(array, usize::MAX).into_iter().flatten().enumerate() {
        if !is_object(element) {
            return Err(format!("needs an object as \"{member}[{at}]\" (got {})", shortened(element)));
        }
        if !matches!(shape, MemberShape::Arguments) {
            continue;
        }
        let within = |what: String| format!("has in \"{member}[{at}]\" {what}");
        let found = distinct(element).map_err(|twice| within(format!("{twice} twice")))?;
        if !found.iter().any(|(name, _)| name == "name") {
            return Err(format!("needs a \"name\" in \"{member}[{at}]\""));
        }
        for (name, value) in found {
            let shape = shape_of(&name, ARGUMENT).map_err(within)?;
            check(&format!("{member}[{at}].{name}"), value, shape)?;
        }
    }
    Ok(())
}

fn type_of(schema: Raw<'_>) -> Option<Raw<'_>> {
    let mut found = None;
    for_each_member(schema, |name, value| {
        if name == "type" {
            found = Some(value);
        }
    });
    found
}

/// Returns the keyword that composes the root of a schema of others, if there is one.
fn composition(schema: Raw<'_>) -> Option<&'static str> {
    let mut found = None;
    for_each_member(schema, |name, _| {
        found = found.or(["anyOf", "oneOf", "allOf"].into_iter().find(|keyword| *keyword == name));
    });
    found
}

fn takes_objects(schema: Raw<'_>) -> bool {
    type_of(schema).is_none_or(|of| string(of).as_deref() == Some("object"))
}

/// Writes a schema with its type, which clients require, where the application left it out.
fn write_object_schema(out: &mut Vec<u8>, schema: Raw<'_>) {
    let text = schema.get();
    if type_of(schema).is_some() {
        return out.extend_from_slice(text.as_bytes());
    }
    let rest = text[1..].trim_start();
    out.extend_from_slice(b"{\"type\":\"object\"");
    if !rest.starts_with('}') {
        out.push(b',');
    }
    out.extend_from_slice(rest.as_bytes());
}

/// Returns the beginning of a value, for a message.
fn shortened(value: Raw<'_>) -> String {
    const SHOWN: usize = 40;
    let text = value.get();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(family: Family, members: &str) -> Result<String> {
        let definition = definition(family, "t", &Json::object(members)?)?;
        Ok(definition.rendered.into())
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
    fn a_refused_definition_says_what_is_wrong_and_how_to_mend_it() {
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
