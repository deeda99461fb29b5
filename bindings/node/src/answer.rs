//! The answers that JavaScript gives to questions, in the form that `lib/answer.ts` makes of an application's value.
//!
//! To any question: the number `LATER` if the answer comes later, or an object with the reason of a failure in its
//! `failed`.
//!
//! To a read: text or `Uint8Array`. An array has two elements for each part: its body, and its description as JSON. Nothing
//! means not found. The numbers are `DENIED`, `NOT_MODIFIED` and `INVALID_STATE`. An object is busy, with the milliseconds in
//! its `busy` (-1: unknown), or asks for the input in its `input`.
//!
//! To a list: a packed page, see [`packed`]. To a completion: its JSON. To a method: see [`MethodAnswer`] below. To a
//! question about access: a letter for each URI. To an interest: nothing.

use crate::bell::Bell;
use crate::raw::{Js, Type, Value};
use crate::{descriptor, page};
use std::sync::Arc;
use std::time::Duration;
use wellhead::http::Verification;
use wellhead::{
    Answer, Body, Caller, Completion, Contents, InterestAnswer, Json, MethodAnswer, MethodError, Page, Reply,
    Responder, ToolError, Verdict,
};

/// A type of answers that can be read from a value of JavaScript.
pub(crate) trait Understood: Reply + Sized {
    fn understand(js: Js<'_>, value: Value<'_>, bell: &Arc<Bell>) -> Outcome<Self>;
    /// Answers that the callback failed. `why` goes to the log only.
    fn fail(responder: Responder<Self>, why: String);
}

/// The outcome of a question to JavaScript: the answer, or that it comes later.
pub(crate) enum Outcome<A> {
    Answer(A),
    Failed(String),
    Later,
}

const DENIED: f64 = 1.0;
const LATER: f64 = 2.0;
const NOT_MODIFIED: f64 = 3.0;
const INVALID_STATE: f64 = 4.0;
const WRONG: &str = "the callback returned no answer";

impl Understood for Answer {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Answer> {
        if let Some(body) = body(js, value) {
            return Outcome::Answer(body.into());
        }
        match js.type_of(value) {
            Type::Nothing => Outcome::Answer(Answer::NotFound),
            Type::Number if js.as_number(value) == Some(DENIED) => Outcome::Answer(Answer::Denied),
            Type::Number if js.as_number(value) == Some(NOT_MODIFIED) => Outcome::Answer(Answer::NotModified),
            Type::Number if js.as_number(value) == Some(INVALID_STATE) => {
                Outcome::Answer(Answer::InvalidState)
            }
            _ => match js.elements(value) {
                Some(elements) => match parts(js, &elements) {
                    Ok(parts) => Outcome::Answer(Answer::Found(parts)),
                    Err(why) => Outcome::Failed(why),
                },
                None => rare(js, value).unwrap_or_else(|| other(js, value)),
            },
        }
    }

    fn fail(responder: Responder<Answer>, why: String) {
        responder.finish(Answer::Failed(why));
    }
}

/// Reads the rare answers of a reader, which are objects.
fn rare(js: Js<'_>, value: Value<'_>) -> Option<Outcome<Answer>> {
    if js.type_of(value) != Type::Object {
        return None;
    }
    if let Some(ms) = js.property(value, c"busy").and_then(|ms| js.as_number(ms)) {
        return Some(Outcome::Answer(Answer::Busy((ms >= 0.0).then(|| Duration::from_millis(ms as u64)))));
    }
    if js.property(value, c"waiting").and_then(|waiting| js.as_bool(waiting)) == Some(true) {
        return Some(Outcome::Answer(Answer::Waiting));
    }
    let text = |name| js.property(value, name).and_then(|text| js.as_text(text));
    let answer = match text(c"input") {
        Some(input) => Json::parse(input).map(Answer::InputRequired),
        None => Json::parse(text(c"lacks")?).map(Answer::MissingCapability),
    };
    Some(answer.map_or_else(|e| Outcome::Failed(e.to_string()), Outcome::Answer))
}

impl Understood for Page {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Page> {
        match js.elements(value).and_then(|elements| packed(js, &elements)) {
            Some(page) => Outcome::Answer(page),
            None => other(js, value),
        }
    }

    fn fail(responder: Responder<Page>, why: String) {
        responder.finish(Page::failed(why));
    }
}

/// Reads a page from its elements: all texts, their lengths and the sizes, the number of items, and whether more
/// follow.
fn packed(js: Js<'_>, elements: &[Value<'_>]) -> Option<Page> {
    let [texts, numbers, items, more] = elements else { return None };
    let numbers = js.as_numbers(*numbers, page::WIDTH * js.as_number(*items)? as usize)?;
    Some(page::unpack(&js.as_units(*texts)?, &numbers, js.as_bool(*more)?))
}

impl Understood for Vec<Verdict> {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Vec<Verdict>> {
        let Some(letters) = js.as_text(value) else { return other(js, value) };
        let verdicts = letters.bytes().map(|letter| match letter {
            b'a' => Verdict::Allow,
            b'h' => Verdict::Hide,
            _ => Verdict::Deny,
        });
        Outcome::Answer(verdicts.collect())
    }

    fn fail(responder: Responder<Vec<Verdict>>, why: String) {
        responder.fail(&why);
    }
}

impl Understood for InterestAnswer {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<InterestAnswer> {
        match js.type_of(value) {
            Type::Nothing => Outcome::Answer(InterestAnswer::Done),
            _ => other(js, value),
        }
    }

    fn fail(responder: Responder<InterestAnswer>, why: String) {
        responder.finish(InterestAnswer::Failed(why));
    }
}

/// A result as JSON, or an object. In the object, `error` is the code of an error of the application, with `message` and perhaps
/// `data`. `tool` is the text of an error of a tool, `input` the input that is needed, and `lacks` the capabilities that the
/// client lacks. With `waiting` the callback waits for the client.
impl Understood for MethodAnswer {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<MethodAnswer> {
        let property = |name| js.property(value, name);
        let text = |name| property(name).and_then(|text| js.as_text(text));
        let json = |text: &str| Json::parse(text).map_err(|e| e.to_string());
        let understood = if let Some(result) = js.as_text(value) {
            json(&result).map(MethodAnswer::Result)
        } else if js.type_of(value) != Type::Object {
            return other(js, value);
        } else if let Some(code) = property(c"error").and_then(|code| js.as_number(code)) {
            let error = MethodError::new(code as i32, text(c"message").unwrap_or_default());
            match text(c"data") {
                Some(data) => json(&data).map(|data| error.data(data).into()),
                None => Ok(error.into()),
            }
        } else if let Some(message) = text(c"tool") {
            Ok(ToolError::new(message).into())
        } else if let Some(input) = text(c"input") {
            json(&input).map(MethodAnswer::InputRequired)
        } else if let Some(lacks) = text(c"lacks") {
            json(&lacks).map(MethodAnswer::MissingCapability)
        } else if let (Some(text), Some(report)) = (text(c"thrown"), text(c"failed")) {
            Ok(MethodAnswer::Thrown { text, report })
        } else if property(c"waiting").and_then(|waiting| js.as_bool(waiting)) == Some(true) {
            Ok(MethodAnswer::Waiting)
        } else {
            return other(js, value);
        };
        understood.map_or_else(Outcome::Failed, Outcome::Answer)
    }

    fn fail(responder: Responder<MethodAnswer>, why: String) {
        responder.finish(MethodAnswer::Failed(why));
    }
}

/// The answer is JSON: the values, and perhaps the number of all values, and that there are more.
impl Understood for Completion {
    fn understand(js: Js<'_>, value: Value<'_>, _: &Arc<Bell>) -> Outcome<Completion> {
        match js.as_text(value) {
            Some(text) => {
                descriptor::completion(&text).map_or_else(|e| Outcome::Failed(e.to_string()), Outcome::Answer)
            }
            None => other(js, value),
        }
    }

    fn fail(responder: Responder<Completion>, why: String) {
        responder.finish(Completion::failed(why));
    }
}

/// `undefined` refuses the token. An array grants it: the id of the caller, the caller, and the other members of the
/// grant as JSON. An object has in its `scopes` the scopes that the request needs, as JSON.
impl Understood for Verification {
    fn understand(js: Js<'_>, value: Value<'_>, bell: &Arc<Bell>) -> Outcome<Verification> {
        if js.type_of(value) == Type::Nothing {
            return Outcome::Answer(Verification::Refused);
        }
        if let Some([id, caller, said]) = js.elements(value).as_deref() {
            let granted = || {
                let Body::Blob(id) = js.as_bytes(*id)? else { return None };
                let caller = Caller::new((*id).as_ref()).with_value(js.keep(*caller, bell)?);
                descriptor::grant(caller, &js.as_text(*said)?).ok()
            };
            return granted().map_or_else(wrong, |grant| Outcome::Answer(grant.into()));
        }
        let scopes = match js.type_of(value) {
            Type::Object => js.property(value, c"scopes").and_then(|scopes| js.as_text(scopes)),
            _ => None,
        };
        match scopes.and_then(|scopes| serde_json::from_str(&scopes).ok()) {
            Some(scopes) => Outcome::Answer(Verification::InsufficientScope(scopes)),
            None => other(js, value),
        }
    }

    fn fail(responder: Responder<Verification>, why: String) {
        responder.finish(Verification::Failed(why));
    }
}

/// Reads an answer that any question may have: `LATER`, or a failure.
fn other<A>(js: Js<'_>, value: Value<'_>) -> Outcome<A> {
    match js.type_of(value) {
        Type::Number if js.as_number(value) == Some(LATER) => Outcome::Later,
        Type::Object => match js.property(value, c"failed").and_then(|text| js.as_text(text)) {
            Some(why) => Outcome::Failed(why),
            None => wrong(),
        },
        _ => wrong(),
    }
}

fn wrong<A>() -> Outcome<A> {
    Outcome::Failed(WRONG.to_owned())
}

/// Reads a body: a text or bytes. Returns `None` for any other value.
pub(crate) fn body(js: Js<'_>, value: Value<'_>) -> Option<Body> {
    js.as_text(value).map(Body::from).or_else(|| js.as_bytes(value))
}

/// Reads contents from an array with two elements for each part: the body, and its details as JSON.
pub(crate) fn parts(js: Js<'_>, elements: &[Value<'_>]) -> Result<Vec<Contents>, String> {
    let mut all = Vec::with_capacity(elements.len() / 2);
    for [given, said] in elements.as_chunks().0 {
        let body = body(js, *given).ok_or_else(|| WRONG.to_owned())?;
        all.push(match js.as_text(*said) {
            Some(said) => descriptor::contents(body, &said).map_err(|e| e.to_string())?,
            None => Contents::new(body),
        });
    }
    Ok(all)
}
