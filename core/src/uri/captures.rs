//! The values of a template's variables in one URI.

use percent_encoding::percent_decode_str;
use smallvec::{SmallVec, smallvec};

use super::matching::Slots;
use super::program::{FieldKind, Program, QueryName};
use super::safety;

/// The values of a template's variables, by variable index. Owned, so that they can outlive the request's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Captures {
    decoded: Values,
    /// The values in the spelling of the URI. Empty if no value has an escape, because both spellings are equal then.
    raw: Vec<Option<Value>>,
}

/// Most templates have one variable, whose value needs no list on the heap.
type Values = SmallVec<[Option<Value>; 1]>;

/// The value of a variable: one text, or the elements of an exploded variable (`{/v*}`, `{?v*}`, …).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    One(Box<str>),
    Many(Vec<String>),
}

impl Captures {
    /// Returns the value of the variable, percent-decoded once; `None` if its expression is absent from the URI.
    pub(crate) fn get(&self, variable: usize) -> Option<&Value> {
        self.decoded.get(variable)?.as_ref()
    }

    /// Returns the value in the spelling of the URI; `None` if it is absent.
    pub(crate) fn raw(&self, variable: usize) -> Option<&Value> {
        let values = if self.raw.is_empty() { self.decoded.as_slice() } else { &self.raw };
        values.get(variable)?.as_ref()
    }

    /// Returns the first variable whose decoded value is not safe; `None` if all are.
    pub(crate) fn first_unsafe(&self) -> Option<usize> {
        self.decoded.iter().position(|value| value.as_ref().is_some_and(|value| !safety::is_safe(value)))
    }

    /// Returns whether every decoded value may be used as a path below a directory (`rows.tsv` U-36).
    pub(crate) fn is_safe(&self) -> bool {
        self.decoded.iter().flatten().all(safety::is_safe)
    }

    /// Collects the values of a match. Returns `None` if a decoded value is not UTF-8 (`rows.tsv` U-36), a query name
    /// is repeated (`rows.tsv` U-34), or a variable that occurs twice has two values (`rows.tsv` U-38).
    pub(super) fn collect(program: &Program, variables: usize, uri: &str, slots: &Slots) -> Option<Self> {
        let mut raw: Values = smallvec![None; variables];
        for field in &program.fields {
            let (start, end) = (slots[field.slot], slots[field.slot + 1]);
            if start == usize::MAX {
                continue;
            }
            let text = uri.get(start..end)?;
            match &field.kind {
                FieldKind::Value(variable) => put(&mut raw[*variable], Value::One(text.into()))?,
                FieldKind::List { variable, separator } => {
                    put(
                        &mut raw[*variable],
                        Value::Many(text.split(*separator).map(str::to_owned).collect()),
                    )?;
                }
                FieldKind::Parameters(_) if text.is_empty() => {}
                FieldKind::Parameters(variable) => {
                    let values = text.split(';').skip(1).map(|pair| split_pair(pair).1.to_owned());
                    put(&mut raw[*variable], Value::Many(values.collect()))?;
                }
                FieldKind::Query(names) => put_query(&mut raw, names, text)?,
            }
        }
        if memchr::memchr(b'%', uri.as_bytes()).is_none() {
            return Some(Self { decoded: raw, raw: Vec::new() });
        }
        let decoded = raw
            .iter()
            .map(|value| value.as_ref().map_or(Some(None), |v| decode(v).map(Some)))
            .collect::<Option<_>>()?;
        Some(Self { decoded, raw: raw.into_vec() })
    }
}

/// Keeps the first value. Returns `None` if a second one is not equal to it.
fn put(place: &mut Option<Value>, value: Value) -> Option<()> {
    match place {
        None => *place = Some(value),
        Some(first) if decode(first) != decode(&value) => return None,
        Some(_) => {}
    }
    Some(())
}

fn put_query(raw: &mut [Option<Value>], names: &[QueryName], text: &str) -> Option<()> {
    let mut found: Vec<Vec<String>> = vec![Vec::new(); names.len()];
    for pair in text.split('&') {
        let (name, value) = split_pair(pair);
        found[names.iter().position(|n| &*n.name == name)?].push(value.to_owned());
    }
    for (name, mut values) in names.iter().zip(found) {
        if name.explode && !values.is_empty() {
            put(&mut raw[name.variable], Value::Many(values))?;
        } else if let Some(value) = values.pop() {
            if !values.is_empty() {
                return None;
            }
            put(&mut raw[name.variable], Value::One(value.into()))?;
        }
    }
    Some(())
}

/// Splits `name=value`. A name alone has an empty value.
fn split_pair(pair: &str) -> (&str, &str) {
    pair.split_once('=').unwrap_or((pair, ""))
}

fn decode(value: &Value) -> Option<Value> {
    Some(match value {
        Value::One(raw) => Value::One(decode_text(raw)?.into()),
        Value::Many(raw) => Value::Many(raw.iter().map(|text| decode_text(text)).collect::<Option<_>>()?),
    })
}

fn decode_text(raw: &str) -> Option<String> {
    percent_decode_str(raw).decode_utf8().ok().map(Into::into)
}
