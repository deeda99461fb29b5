//! Explains what is wrong with arguments, or with a schema: one line for each field, in words of ours.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::LocationSegment;
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::{self, Write};

/// The greatest number of characters of a wrong value that a refusal shows.
const SHOWN: usize = 64;
/// The greatest number of values of an `enum` that a refusal names.
const MOST_CHOICES: usize = 20;
/// The problem of a text in which a pattern backtracks too often, so that it may match or not.
const TOO_LONG: &str = "takes too long to compare with its pattern";

/// A step on the way to a field.
#[derive(Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    Element(usize),
}

/// A field that breaks the schema, and how.
pub(super) struct Problem {
    path: Vec<Step>,
    what: String,
}

impl Problem {
    /// Returns whether it is about the whole value.
    pub(super) fn is_about_all(&self) -> bool {
        self.path.is_empty()
    }

    /// Returns whether the comparison with a pattern was given up, so that the field may fit.
    pub(super) fn is_undecided(&self) -> bool {
        self.what == TOO_LONG
    }

    /// Returns the name of the member of the whole value in which it is, and its text with the path from there.
    pub(super) fn within_member(&self) -> Option<(&str, String)> {
        let (Step::Member(name), below) = self.path.split_first()? else { return None };
        let within = if below.is_empty() { String::new() } else { format!(" in {}:", spelled(below)) };
        Some((name, format!("{within} {}", self.what)))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", spelled(&self.path), self.what)
    }
}

/// Says whether problems show the values of fields, which may be secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldValues {
    Shown,
    Hidden,
}

/// Returns a problem for each field of a value that breaks its schema, in the order of their paths.
pub(super) fn find_problems(validator: &Validator, value: &Value, values: FieldValues) -> Vec<Problem> {
    let mut found = Vec::new();
    for error in validator.iter_errors(value) {
        explain(&error, values, &mut found);
    }
    found.sort_by(|a, b| compare(&a.path, &b.path).then_with(|| a.what.cmp(&b.what)));
    found.dedup_by(|a, b| a.path == b.path && a.what == b.what);
    found
}

/// Returns what is wrong with a schema.
pub(super) fn in_schema(wrong: &ValidationError<'_>, document: &Value) -> String {
    if let Kind::Referencing(_) = wrong.kind() {
        let outside = references(document).into_iter().find(|to| !to.starts_with('#'));
        let broken = references(document).into_iter().find(|to| {
            to.strip_prefix("#/").is_some_and(|pointer| document.pointer(&format!("/{pointer}")).is_none())
        });
        let to = outside.or(broken).unwrap_or_else(|| "a \"$ref\"".to_owned());
        return format!(
            "has a wrong schema: {to:?} leads to nothing in it; nothing is fetched, so put it under \"$defs\""
        );
    }
    let mut found = Vec::new();
    explain(wrong, FieldValues::Shown, &mut found);
    let text = found.first().map_or_else(String::new, |problem| {
        format!("{} {}", spelled(&problem.path).replacen("arguments", "it", 1), problem.what)
    });
    format!("has a wrong schema: {text}")
}

/// Returns the value of each `$ref` anywhere in a schema, those inside of constants and duplicates included.
fn references(document: &Value) -> Vec<String> {
    match document {
        Value::Object(members) => {
            let own = members.get("$ref").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

fn explain(error: &ValidationError<'_>, values: FieldValues, found: &mut Vec<Problem>) {
    let path: Vec<Step> = error.instance_path().into_iter().map(Step::from).collect();
    let member = |name: &str| {
        let mut path = path.clone();
        path.push(Step::Member(name.to_owned()));
        path
    };
    match error.kind() {
        Kind::Required { property } => {
            let path = member(property.as_str().unwrap_or_default());
            found.push(Problem { path, what: "is missing".to_owned() });
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            for name in unexpected {
                found.push(Problem { path: member(name), what: "is unknown".to_owned() });
            }
        }
        Kind::PropertyNames { error } => {
            let path = member(error.instance().as_str().unwrap_or_default());
            found.push(Problem { path, what: "has a name that is not allowed".to_owned() });
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let best = context.iter().min_by_key(|errors| misfit(errors, path.len()));
            match best {
                Some(errors) if !errors.is_empty() => {
                    for error in errors {
                        explain(error, values, found);
                    }
                }
                _ => found.push(Problem { path, what: "fits none of the allowed shapes".to_owned() }),
            }
        }
        kind => {
            let mut what = demand(kind, error.instance());
            if values == FieldValues::Shown && shows_value(kind) {
                let _ = write!(what, " (got {})", brief(error.instance()));
            }
            found.push(Problem { path, what });
        }
    }
}

/// Returns how badly a shape fits: another type of the whole value is worst, then comes a wrong constant, then the number of
/// problems.
fn misfit(errors: &[ValidationError<'_>], depth: usize) -> (bool, bool, usize) {
    let at = |error: &ValidationError<'_>| error.instance_path().into_iter().count();
    let other_type =
        errors.iter().any(|error| matches!(error.kind(), Kind::Type { .. }) && at(error) == depth);
    let other_constant =
        errors.iter().any(|error| matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. }));
    (other_type, other_constant, errors.len())
}

/// Returns what a keyword demands.
fn demand(kind: &Kind, instance: &Value) -> String {
    match kind {
        Kind::Type { kind } => format!("must be {}", types(kind)),
        Kind::Enum { options } => format!("must be {}", choices(options)),
        Kind::Constant { expected_value } => format!("must be {}", shown(expected_value)),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("must have at least {}", count(*limit, "character")),
        Kind::MaxLength { limit } => format!("must have at most {}", count(*limit, "character")),
        Kind::MinItems { limit } => format!("must have at least {}", count(*limit, "item")),
        Kind::MaxItems { limit } => format!("must have at most {}", count(*limit, "item")),
        Kind::AdditionalItems { limit } => format!("must have at most {}", count(*limit as u64, "item")),
        Kind::UnevaluatedItems { unexpected } => {
            format!("has {} too many", count(unexpected.len() as u64, "item"))
        }
        Kind::MinProperties { limit } => format!("must have at least {}", count(*limit, "member")),
        Kind::MaxProperties { limit } => format!("must have at most {}", count(*limit, "member")),
        Kind::UniqueItems => "has an item twice".to_owned(),
        Kind::Contains => "lacks an item that \"contains\" asks for".to_owned(),
        Kind::Pattern { pattern } if instance.is_string() => {
            format!("must match the pattern {}", cut(pattern))
        }
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => TOO_LONG.to_owned(),
        Kind::OneOfMultipleValid { .. } => "fits more than one of the shapes in \"oneOf\"".to_owned(),
        Kind::Format { format } => format!("must be a valid {format}"),
        _ => "is not allowed".to_owned(),
    }
}

/// Values of arrays and objects that are only too long say nothing to their sender.
fn shows_value(kind: &Kind) -> bool {
    !matches!(
        kind,
        Kind::MinItems { .. }
            | Kind::MaxItems { .. }
            | Kind::AdditionalItems { .. }
            | Kind::UnevaluatedItems { .. }
            | Kind::MinProperties { .. }
            | Kind::MaxProperties { .. }
            | Kind::UniqueItems
            | Kind::Contains
            | Kind::FalseSchema
            | Kind::BacktrackLimitExceeded { .. }
            | Kind::RegexEngineFailure { .. }
    )
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(of) => type_name(*of).to_owned(),
        TypeKind::Multiple(all) => {
            let mut names: Vec<_> = all.iter().map(type_name).collect();
            names.sort_by_key(|name| *name == "null");
            names.join(" or ")
        }
    }
}

fn type_name(of: JsonType) -> &'static str {
    match of {
        JsonType::Array => "an array",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

fn choices(options: &Value) -> String {
    let all = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut named: Vec<_> = all.iter().take(MOST_CHOICES).map(shown).collect();
    if all.len() > MOST_CHOICES {
        named.push(format!("… ({} in all)", all.len()));
    }
    match all.len() {
        1 => named.remove(0),
        _ => format!("one of {}", named.join(", ")),
    }
}

fn count(number: u64, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// Returns a value that the client sent, for a refusal. Arrays and objects are only named: they may be large.
fn brief(value: &Value) -> String {
    match value {
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        _ => shown(value),
    }
}

/// Returns a value as JSON, shortened.
fn shown(value: &Value) -> String {
    cut(&value.to_string()).into_owned()
}

fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

impl From<LocationSegment<'_>> for Step {
    fn from(segment: LocationSegment<'_>) -> Step {
        match segment {
            LocationSegment::Property(name) => Step::Member(name.into_owned()),
            LocationSegment::Index(at) => Step::Element(at),
        }
    }
}

fn compare(a: &[Step], b: &[Step]) -> Ordering {
    for (a, b) in a.iter().zip(b) {
        let order = match (a, b) {
            (Step::Element(a), Step::Element(b)) => a.cmp(b),
            (Step::Member(a), Step::Member(b)) => a.cmp(b),
            (Step::Element(_), Step::Member(_)) => Ordering::Less,
            (Step::Member(_), Step::Element(_)) => Ordering::Greater,
        };
        if order.is_ne() {
            return order;
        }
    }
    a.len().cmp(&b.len())
}

/// Returns a path such as `edits[0].newText`; that of the whole value is `arguments`.
fn spelled(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        let _ = match step {
            Step::Element(at) => write!(text, "[{at}]"),
            Step::Member(name) if !is_identifier(name) || name.len() > SHOWN => {
                write!(text, "[{}]", shown(&Value::from(name.as_str())))
            }
            Step::Member(name) if text.is_empty() => write!(text, "{name}"),
            Step::Member(name) => write!(text, ".{name}"),
        };
    }
    if text.is_empty() { "arguments".to_owned() } else { text }
}

fn is_identifier(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
        && letters.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}
