//! What the functions of JavaScript answer, in the narrow form that `lib/answer.ts` makes of a host's value.
//!
//! Whatever the question: the number `LATER`; an object: what failed, in its `failed`. A read: text or `Uint8Array`; an
//! array, four elements for each part (body, URI, MIME type, `_meta` as JSON); nothing: not found; the number `DENIED`.
//! A list: a packed page. A question about access: a letter for each URI. An interest: nothing.

use crate::bell::Bell;
use crate::page;
use crate::question::Outcome;
use crate::raw::{Js, Type, Value};
use std::sync::Arc;
use wellhead::{Answer, Body, Contents, Json, Page, Verdict, Watched};

const DENIED: f64 = 1.0;
const LATER: f64 = 2.0;

pub(crate) fn read(js: Js<'_>, value: Value<'_>, bell: &Arc<Bell>) -> Outcome<Answer> {
    if let Some(body) = body(js, value, bell) {
        return Outcome::Answer(body.into());
    }
    match js.type_of(value) {
        Type::Nothing => Outcome::Answer(Answer::NotFound),
        Type::Number if js.as_number(value) == Some(DENIED) => Outcome::Answer(Answer::Denied),
        _ => match js.elements(value) {
            Some(elements) => parts(js, &elements, bell),
            None => other(js, value),
        },
    }
}

pub(crate) fn list(js: Js<'_>, value: Value<'_>) -> Outcome<Page> {
    match js.elements(value).and_then(|elements| packed(js, &elements)) {
        Some(page) => Outcome::Answer(page),
        None => other(js, value),
    }
}

/// All texts, the lengths of them and the sizes, how many items, whether more follow.
fn packed(js: Js<'_>, elements: &[Value<'_>]) -> Option<Page> {
    let [texts, numbers, items, more] = elements else { return None };
    let numbers = js.as_numbers(*numbers, page::WIDTH * js.as_number(*items)? as usize)?;
    Some(page::unpack(&js.as_units(*texts)?, &numbers, js.as_bool(*more)?))
}

pub(crate) fn verdicts(js: Js<'_>, value: Value<'_>) -> Outcome<Vec<Verdict>> {
    let Some(letters) = js.as_text(value) else { return other(js, value) };
    let verdicts = letters.bytes().map(|letter| match letter {
        b'a' => Verdict::Allow,
        b'h' => Verdict::Hide,
        _ => Verdict::Deny,
    });
    Outcome::Answer(verdicts.collect())
}

pub(crate) fn watched(js: Js<'_>, value: Value<'_>) -> Outcome<Watched> {
    match js.type_of(value) {
        Type::Nothing => Outcome::Answer(Watched::Done),
        _ => other(js, value),
    }
}

/// What every question may be answered with.
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
    Outcome::Failed("the callback returned no answer".to_owned())
}

/// Text or bytes.
pub(crate) fn body(js: Js<'_>, value: Value<'_>, bell: &Arc<Bell>) -> Option<Body> {
    js.as_text(value).map(Body::from).or_else(|| js.as_bytes(value, bell))
}

fn parts(js: Js<'_>, elements: &[Value<'_>], bell: &Arc<Bell>) -> Outcome<Answer> {
    let mut all = Vec::with_capacity(elements.len() / 4);
    for part in elements.chunks_exact(4) {
        let Some(body) = body(js, part[0], bell) else { return wrong() };
        let mut contents = Contents::new(body);
        if let Some(uri) = js.as_text(part[1]) {
            contents = contents.uri(uri);
        }
        if let Some(mime_type) = js.as_text(part[2]) {
            contents = contents.mime_type(mime_type);
        }
        if let Some(meta) = js.as_text(part[3]) {
            match Json::object(meta) {
                Ok(meta) => contents = contents.meta(meta),
                Err(e) => return Outcome::Failed(format!("meta: {e}")),
            }
        }
        all.push(contents);
    }
    Outcome::Answer(Answer::Found(all))
}
