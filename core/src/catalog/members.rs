//! The members that the definition of a tool or prompt may have, and the shapes of their values.

use crate::error::Error;
use crate::jsonrpc::{Raw, boolean, elements, for_each_member, is_array, is_object, string};
use crate::model::{Family, Icon, Json, check_meta};
use crate::nearest::nearest;

/// The member of a prompt that lists its arguments.
pub(super) const ARGUMENTS: &str = "arguments";
/// The member of a tool with the schema of its arguments. Every client requires it.
pub(super) const INPUT_SCHEMA: &str = "inputSchema";

/// The member of a tool that declares the schema of its structured content.
pub(super) const OUTPUT_SCHEMA: &str = "outputSchema";

/// The member of a tool that offers tasks. The server has no tasks, so it never sends the member.
pub(super) const EXECUTION: &str = "execution";

/// One member of a definition that was checked.
pub(super) struct DefinitionMember<'a> {
    pub(super) name: String,
    pub(super) shape: MemberShape,
    pub(super) value: Raw<'a>,
}

/// Checks the members of a definition. An error says what the tool or prompt has or needs.
pub(super) fn checked_members(
    family: Family,
    definition: Raw<'_>,
) -> Result<Vec<DefinitionMember<'_>>, String> {
    let known = match family {
        Family::Tools => TOOL,
        Family::Prompts => PROMPT,
    };
    let found = distinct(definition).map_err(|twice| format!("has {twice} twice"))?;
    let checked = found.into_iter().map(|(name, value)| {
        if name == "name" {
            return Err("has a \"name\" among its members; leave it out".to_owned());
        }
        let shape = shape_of(&name, known).map_err(|unknown| format!("has {unknown}"))?;
        check(&name, value, shape)?;
        Ok(DefinitionMember { name, shape, value })
    });
    checked.collect()
}

/// The shape that a member's value must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberShape {
    Text,
    Flag,
    Object,
    Icons,
    /// An object with hints for clients, which may have further members.
    Annotations,
    Meta,
    /// A JSON schema for an object.
    ObjectSchema,
    /// An array of objects, each with the required member `name` and with these members.
    Arguments,
    /// An array of strings.
    Texts,
}

type Members = [(&'static str, MemberShape)];

const TOOL: &Members = &[
    ("title", MemberShape::Text),
    ("description", MemberShape::Text),
    (INPUT_SCHEMA, MemberShape::ObjectSchema),
    (OUTPUT_SCHEMA, MemberShape::Object),
    ("annotations", MemberShape::Annotations),
    (EXECUTION, MemberShape::Object),
    ("icons", MemberShape::Icons),
    ("_meta", MemberShape::Meta),
];

const PROMPT: &Members = &[
    ("title", MemberShape::Text),
    ("description", MemberShape::Text),
    (ARGUMENTS, MemberShape::Arguments),
    ("icons", MemberShape::Icons),
    ("_meta", MemberShape::Meta),
];

const ARGUMENT: &Members = &[
    ("name", MemberShape::Text),
    ("title", MemberShape::Text),
    ("description", MemberShape::Text),
    ("required", MemberShape::Flag),
    (VALUES, MemberShape::Texts),
];

const ANNOTATION: &Members = &[
    ("title", MemberShape::Text),
    ("readOnlyHint", MemberShape::Flag),
    ("destructiveHint", MemberShape::Flag),
    ("idempotentHint", MemberShape::Flag),
    ("openWorldHint", MemberShape::Flag),
];

/// The member of an argument with its fixed values, with which the server completes it. Clients do not get it.
pub(super) const VALUES: &str = "values";

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
    Err(if let Some(name) = nearest(member, known.iter().map(|(name, _)| *name)) {
        format!("an unknown member \"{member}\"; did you mean \"{name}\"?")
    } else {
        let names: Vec<_> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        format!("an unknown member \"{member}\"; put it into \"_meta\", known are {}", names.join(", "))
    })
}

fn check(member: &str, value: Raw<'_>, shape: MemberShape) -> Result<(), String> {
    let wanted = match shape {
        MemberShape::Text if string(value).is_none() => "a string",
        MemberShape::Flag if boolean(value).is_none() => "true or false",
        MemberShape::Object | MemberShape::Annotations | MemberShape::Meta if !is_object(value) => {
            "a JSON object"
        }
        MemberShape::ObjectSchema if !is_object(value) => "a JSON object such as {\"type\":\"object\"}",
        MemberShape::ObjectSchema if !takes_objects(value) => "a schema whose type is \"object\"",
        MemberShape::Texts if !is_texts(value) => "an array of strings",
        MemberShape::Arguments if !is_array(value) => "an array of objects",
        MemberShape::Arguments => return check_arguments(member, value),
        MemberShape::Annotations => return check_annotations(member, value),
        MemberShape::Icons => return Icon::list_from_json(value.get()).map(drop).map_err(wrong(member)),
        MemberShape::Meta => return check_meta(&Json::received(value)).map_err(wrong(member)),
        _ => return Ok(()),
    };
    Err(format!("needs {wanted} as \"{member}\" (got {})", shortened(value)))
}

fn is_texts(value: Raw<'_>) -> bool {
    is_array(value)
        && elements(value, usize::MAX).into_iter().flatten().all(|element| string(element).is_some())
}

/// Returns a function that says which member an error is about.
fn wrong(member: &str) -> impl Fn(Error) -> String {
    move |error| format!("has a wrong \"{member}\": {error}")
}

fn check_annotations(member: &str, annotations: Raw<'_>) -> Result<(), String> {
    let found = distinct(annotations).map_err(|twice| format!("has in \"{member}\" {twice} twice"))?;
    for (name, value) in found {
        if let Some((_, shape)) = ANNOTATION.iter().find(|(known, _)| *known == name) {
            check(&format!("{member}.{name}"), value, *shape)?;
        }
    }
    Ok(())
}

fn check_arguments(member: &str, array: Raw<'_>) -> Result<(), String> {
    for (at, element) in elements(array, usize::MAX).into_iter().flatten().enumerate() {
        if !is_object(element) {
            return Err(format!("needs an object as \"{member}[{at}]\" (got {})", shortened(element)));
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

/// Returns the type that a schema gives.
pub(super) fn type_of(schema: Raw<'_>) -> Option<Raw<'_>> {
    let mut found = None;
    for_each_member(schema, |name, value| {
        if name == "type" {
            found = Some(value);
        }
    });
    found
}

fn takes_objects(schema: Raw<'_>) -> bool {
    type_of(schema).is_none_or(|of| string(of).as_deref() == Some("object"))
}

/// Returns the beginning of a value for an error message.
fn shortened(value: Raw<'_>) -> String {
    const SHOWN: usize = 40;
    let text = value.get();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
