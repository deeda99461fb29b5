//! What the functions of JavaScript answer, in the narrow form that `lib/answer.ts` makes of a host's value.
//!
//! A read: text or `Uint8Array`; an array, four elements for each part (body, URI, MIME type, `_meta` as JSON); nothing:
//! not found; a number: see below; an object: what failed, in its `failed`. A list: a packed page, or the latter two.

use crate::bell::Bell;
use crate::page;
use crate::raw::{Js, Type, Value};
use std::sync::Arc;
use wellhead::{Answer, Body, Contents, Json, Page};

const DENIED: f64 = 1.0;
const LATER: f64 = 2.0;
const WRONG: &str = "the callback returned no answer";

/// None: the answer comes later.
pub(crate) fn read(js: Js<'_>, value: Value<'_>, bell: &Arc<Bell>) -> Option<Answer> {
    if let Some(body) = body(js, value, bell) {
        return Some(body.into());
    }
    match js.type_of(value) {
        Type::Nothing => Some(Answer::NotFound),
        Type::Number if js.as_number(value) == Some(LATER) => None,
        Type::Number if js.as_number(value) == Some(DENIED) => Some(Answer::Denied),
        Type::Object => Some(match js.elements(value) {
            Some(elements) => parts(js, &elements, bell),
            None => Answer::Failed(failure(js, value)),
        }),
        _ => Some(Answer::Failed(WRONG.to_owned())),
    }
}

/// None: the answer comes later.
pub(crate) fn list(js: Js<'_>, value: Value<'_>) -> Option<Page> {
    match js.type_of(value) {
        Type::Number if js.as_number(value) == Some(LATER) => None,
        Type::Object => Some(match js.elements(value) {
            Some(elements) => packed(js, &elements).unwrap_or_else(|| Page::failed(WRONG)),
            None => Page::failed(failure(js, value)),
        }),
        _ => Some(Page::failed(WRONG)),
    }
}

/// All texts, the lengths of them and the sizes, how many items, whether more follow.
fn packed(js: Js<'_>, elements: &[Value<'_>]) -> Option<Page> {
    let [texts, numbers, items, more] = elements else { return None };
    let numbers = js.as_numbers(*numbers, page::WIDTH * js.as_number(*items)? as usize)?;
    Some(page::unpack(&js.as_units(*texts)?, &numbers, js.as_bool(*more)?))
}

/// Text or bytes.
pub(crate) fn body(js: Js<'_>, value: Value<'_>, bell: &Arc<Bell>) -> Option<Body> {
    js.as_text(value).map(Body::from).or_else(|| js.as_bytes(value, bell))
}

fn parts(js: Js<'_>, elements: &[Value<'_>], bell: &Arc<Bell>) -> Answer {
    let mut all = Vec::with_capacity(elements.len() / 4);
    for part in elements.chunks_exact(4) {
        let Some(body) = body(js, part[0], bell) else { return Answer::Failed(WRONG.to_owned()) };
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
                Err(e) => return Answer::Failed(format!("meta: {e}")),
            }
        }
        all.push(contents);
    }
    Answer::Found(all)
}

fn failure(js: Js<'_>, value: Value<'_>) -> String {
    js.property(value, c"failed").and_then(|text| js.as_text(text)).unwrap_or_else(|| WRONG.to_owned())
}
