//! The result of a tool or prompt: the application's JSON in the shape that clients require.

use super::content_block::{self, check_block};
use crate::encode::quote_into;
use crate::jsonrpc::write::Object;
use crate::jsonrpc::{Raw, boolean, elements, for_each_member, is_array, is_object, members, string};
use crate::model::{Family, Json, OutputSchema, ResultShape};
use crate::revision::{Revision, Structured};
use std::borrow::Cow;

/// Returns the `resultType` in a result of the application; `None` if it has none. Fails if it is no string.
pub(crate) fn result_type(result: &Json) -> Result<Option<Cow<'_, str>>, String> {
    let given = member(result.raw(), "resultType", "")?;
    given.map(|kind| string(kind).ok_or_else(|| "resultType is not a string".to_owned())).transpose()
}

/// Checks a result, and gives its structured content the form of the revision. Fails with what is wrong. If the tool
/// has an `output` schema, a result needs structured content, because clients refuse it otherwise.
pub(crate) fn call_result(
    family: Family,
    shape: ResultShape,
    revision: Revision,
    result: &Json,
) -> Result<Cow<'_, Json>, String> {
    match family {
        Family::Tools => {
            let result = tool_result(shape, revision, result)?;
            Ok(match result {
                Cow::Borrowed(result) => content_block::for_revision(family, revision, result),
                Cow::Owned(result) => {
                    Cow::Owned(content_block::for_revision(family, revision, &result).into_owned())
                }
            })
        }
        Family::Prompts => {
            prompt_result(result.raw())?;
            Ok(content_block::for_revision(family, revision, result))
        }
    }
}

/// Returns the result of a tool call that failed, with a text for the model.
pub(crate) fn tool_error(text: &str) -> Json {
    let mut out = b"{\"content\":[{\"type\":\"text\",\"text\":".to_vec();
    quote_into(text, &mut out);
    out.extend_from_slice(b"}],\"isError\":true}");
    Json::written(out)
}

fn tool_result(shape: ResultShape, revision: Revision, result: &Json) -> Result<Cow<'_, Json>, String> {
    let output = shape.output;
    let content = member(result.raw(), "content", "")?;
    let structured = member(result.raw(), "structuredContent", "")?;
    let flag = member(result.raw(), "isError", "")?;
    let flag = flag.map(|flag| boolean(flag).ok_or("isError is neither true nor false")).transpose()?;
    let failed = flag == Some(true);
    match (content, structured) {
        (None, None) => return Err("content is missing; give an array, perhaps an empty one".to_owned()),
        (Some(content), _) if !is_array(content) => {
            return Err(
                "content is not an array; give {\"content\":[{\"type\":\"text\",\"text\":…}]}".to_owned()
            );
        }
        (Some(content), _) => {
            for (at, block) in elements(content, usize::MAX).into_iter().flatten().enumerate() {
                check_block(block, &format!("content[{at}]"))?;
            }
        }
        (None, Some(_)) => {}
    }
    if output != OutputSchema::Absent && !failed && structured.is_none() {
        return Err("structuredContent is missing, which the tool's outputSchema promises".to_owned());
    }
    let Some(structured) = structured else {
        return Ok(match flag {
            Some(false) => Cow::Owned(rewritten(output, revision, result, None)),
            _ => Cow::Borrowed(result),
        });
    };
    let as_it_is = match revision.structured {
        Structured::Absent => false,
        Structured::Object => !is_wrapped(output, structured),
        Structured::Any => true,
    };
    let left_out = matches!(revision.structured, Structured::Absent);
    let mirrored = match content {
        None => true,
        // The client, or its model, would get nothing at all.
        Some(content) => (left_out || shape.has_app) && is_empty(content),
    };
    if !mirrored && as_it_is && flag != Some(false) {
        return Ok(Cow::Borrowed(result));
    }
    Ok(Cow::Owned(rewritten(output, revision, result, mirrored.then_some(structured))))
}

/// Returns whether the result of a tool has nothing that the model reads.
pub(crate) fn says_nothing(result: &Json) -> bool {
    let found = members(result.raw(), &["content", "structuredContent", "resultType"]);
    matches!(found, Ok([Some(content), None, kind])
        if is_empty(content) && kind.and_then(string).is_none_or(|kind| kind == "complete"))
}

/// Returns whether the result of a tool contains or links resources.
pub(crate) fn names_resources(result: &Json) -> bool {
    let Ok([Some(content)]) = members(result.raw(), &["content"]) else { return false };
    elements(content, usize::MAX).into_iter().flatten().any(|block| {
        let kind = members(block, &["type"]).ok().and_then(|[kind]| kind).and_then(string);
        matches!(kind.as_deref(), Some("resource" | "resource_link"))
    })
}

fn is_empty(content: Raw<'_>) -> bool {
    elements(content, usize::MAX).is_some_and(|blocks| blocks.is_empty())
}

/// Writes the structured content in the form of the revision. If `mirrored` is `Some`, its text becomes the content.
fn rewritten(output: OutputSchema, revision: Revision, result: &Json, mirrored: Option<Raw<'_>>) -> Json {
    let mut out = Vec::new();
    let mut object = Object::begin(&mut out);
    for_each_member(result.raw(), |name, value| match (name, revision.structured) {
        ("structuredContent", Structured::Absent) => {}
        ("content", _) if mirrored.is_some() => {}
        ("isError", _) if boolean(value) == Some(false) => {}
        ("structuredContent", Structured::Object) if is_wrapped(output, value) => {
            let mut wrapped = Object::begin(object.any_member(name));
            wrapped.raw("result", value.get());
            wrapped.end();
        }
        _ => object.any_member(name).extend_from_slice(value.get().as_bytes()),
    });
    if let Some(structured) = mirrored {
        let content = object.member("content");
        content.extend_from_slice(b"[{\"type\":\"text\",\"text\":");
        quote_into(&compact(structured), content);
        content.extend_from_slice(b"}]");
    }
    object.end();
    Json::written(out)
}

/// Returns whether revisions with objects only get a value as the member `result` of an object. The tool's schema,
/// which they get wrapped, says so.
fn is_wrapped(output: OutputSchema, value: Raw<'_>) -> bool {
    output == OutputSchema::Any || !is_object(value)
}

/// Returns JSON without white space between its parts.
fn compact(value: Raw<'_>) -> String {
    let mut out = String::with_capacity(value.get().len());
    let (mut quoted, mut escaped) = (false, false);
    for c in value.get().chars() {
        if quoted || !matches!(c, ' ' | '\t' | '\n' | '\r') {
            out.push(c);
        }
        quoted ^= c == '"' && !escaped;
        escaped = quoted && c == '\\' && !escaped;
    }
    out
}

fn prompt_result(result: Raw<'_>) -> Result<(), String> {
    let Some(messages) = member(result, "messages", "")? else {
        return Err("messages is missing; give an array, perhaps an empty one".to_owned());
    };
    if !is_array(messages) {
        return Err("messages is not an array".to_owned());
    }
    if let Some(description) = member(result, "description", "")?
        && string(description).is_none()
    {
        return Err("description is not a string".to_owned());
    }
    for (at, message) in elements(messages, usize::MAX).into_iter().flatten().enumerate() {
        let path = format!("messages[{at}]");
        if !is_object(message) {
            return Err(format!("{path} is not an object"));
        }
        let role = member(message, "role", &path)?.and_then(string);
        if !matches!(role.as_deref(), Some("user" | "assistant")) {
            return Err(format!("{path}.role is neither \"user\" nor \"assistant\""));
        }
        match member(message, "content", &path)? {
            None => return Err(format!("{path}.content is missing")),
            Some(content) if is_array(content) => {
                return Err(format!("{path}.content is an array; give one object, and a message for each"));
            }
            Some(content) => check_block(content, &format!("{path}.content"))?,
        }
    }
    Ok(())
}

pub(super) fn member<'a>(object: Raw<'a>, name: &'static str, path: &str) -> Result<Option<Raw<'a>>, String> {
    let dot = if path.is_empty() { "" } else { "." };
    members(object, &[name]).map(|[found]| found).map_err(|_| format!("{path}{dot}{name} occurs twice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest() -> Revision {
        Revision::newest()
    }

    fn refusal(family: Family, result: &str) -> String {
        let result = Json::parse(result).unwrap();
        call_result(family, ResultShape::default(), newest(), &result).expect_err("this is refused")
    }

    #[test]
    fn a_wrong_tool_result_is_refused_with_the_path_of_its_fault() {
        for (result, text) in [
            ("{}", "content is missing; give an array, perhaps an empty one"),
            (
                r#"{"content":"no list"}"#,
                r#"content is not an array; give {"content":[{"type":"text","text":…}]}"#,
            ),
            (r#"{"content":[],"content":[]}"#, "content occurs twice"),
            (r#"{"content":[],"isError":"no"}"#, "isError is neither true nor false"),
            (r#"{"content":["a"]}"#, r#"content[0] is not an object such as {"type":"text","text":…}"#),
            (r#"{"content":[{"text":"a"}]}"#, "content[0].type is missing or not a string"),
            (
                r#"{"content":[{"type":"Text"}]}"#,
                r#"content[0].type is "Text"; it must be text, image, audio, resource or resource_link"#,
            ),
            (r#"{"content":[{"type":"text"}]}"#, "content[0].text is missing or not a string"),
            (r#"{"content":[{"type":"image","data":""}]}"#, "content[0].mimeType is missing or not a string"),
            (
                r#"{"content":[{"type":"resource","resource":"a:b"}]}"#,
                "content[0].resource is missing or not an object",
            ),
            (
                r#"{"content":[{"type":"resource","resource":{"uri":"a:b"}}]}"#,
                "content[0].resource needs either text or blob",
            ),
        ] {
            assert_eq!(refusal(Family::Tools, result), text);
        }
    }

    #[test]
    fn a_wrong_prompt_result_is_refused_likewise() {
        for (result, text) in [
            ("{}", "messages is missing; give an array, perhaps an empty one"),
            (r#"{"messages":"m"}"#, "messages is not an array"),
            (r#"{"messages":[1]}"#, "messages[0] is not an object"),
            (r#"{"messages":[{"role":"system"}]}"#, r#"messages[0].role is neither "user" nor "assistant""#),
            (r#"{"messages":[{"role":"user"}]}"#, "messages[0].content is missing"),
            (
                r#"{"messages":[{"role":"user","content":[]}]}"#,
                "messages[0].content is an array; give one object, and a message for each",
            ),
            (
                r#"{"messages":[{"role":"user","content":{"type":"text"}}]}"#,
                "messages[0].content.text is missing or not a string",
            ),
        ] {
            assert_eq!(refusal(Family::Prompts, result), text);
        }
    }

    #[test]
    fn compact_json_keeps_the_blanks_in_strings() {
        let raw = Raw::check("{ \"a b\" : [ 1 , \"\\\" \\\\\" , 2 ] }").unwrap();
        assert_eq!(compact(raw), r#"{"a b":[1,"\" \\",2]}"#);
    }
}
