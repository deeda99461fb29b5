//! RFC 6570 expansion, levels 1 to 4 (`rows.tsv` U-40).

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode_byte, utf8_percent_encode};

use super::syntax::{Expression, Operator, Part, Syntax, TemplateError, VarSpec};

/// The value of a variable for an expansion (RFC 6570 section 2.4). An empty list counts as undefined, like a missing
/// variable.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateValue {
    /// A string.
    Text(String),
    /// A list of strings.
    List(Vec<String>),
    /// Pairs of names and values, in their order: an associative array.
    Pairs(Vec<(String, String)>),
}

impl From<&str> for TemplateValue {
    fn from(text: &str) -> Self {
        TemplateValue::Text(text.to_owned())
    }
}

impl From<String> for TemplateValue {
    fn from(text: String) -> Self {
        TemplateValue::Text(text)
    }
}

impl From<Vec<String>> for TemplateValue {
    fn from(list: Vec<String>) -> Self {
        TemplateValue::List(list)
    }
}

impl From<Vec<(String, String)>> for TemplateValue {
    fn from(pairs: Vec<(String, String)>) -> Self {
        TemplateValue::Pairs(pairs)
    }
}

/// The reason why a template cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExpandError {
    /// The template does not follow RFC 6570.
    Template(TemplateError),
    /// `{v:n}` takes the first characters of a text, but the value of the named variable is a list or pairs.
    PrefixOfList(Box<str>),
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Template(error) => error.fmt(f),
            Self::PrefixOfList(name) => {
                write!(f, "`{name}` is a list, and a `:` prefix applies to a text only; pass a text")
            }
        }
    }
}

impl std::error::Error for ExpandError {}

/// Expands any RFC 6570 template, even one that cannot be matched. `lookup` returns `None` for an undefined variable.
pub(crate) fn expand<'v>(
    template: &str,
    lookup: impl Fn(&str) -> Option<&'v TemplateValue>,
) -> Result<String, ExpandError> {
    expand_syntax(&Syntax::parse(template).map_err(ExpandError::Template)?, lookup)
}

pub(super) fn expand_syntax<'v>(
    syntax: &Syntax,
    lookup: impl Fn(&str) -> Option<&'v TemplateValue>,
) -> Result<String, ExpandError> {
    let mut out = String::new();
    for part in &syntax.parts {
        match part {
            Part::Literal(text) => out.push_str(text),
            Part::Expression(expression) => expand_expression(&mut out, expression, &lookup)?,
        }
    }
    Ok(out)
}

/// The rules of one operator, by the table in RFC 6570 appendix A.
struct Style {
    first: &'static str,
    separator: &'static str,
    named: bool,
    if_empty: &'static str,
    reserved: bool,
}

fn style(operator: Operator) -> Style {
    let (first, separator, named, if_empty, reserved) = match operator {
        Operator::Simple => ("", ",", false, "", false),
        Operator::Reserved => ("", ",", false, "", true),
        Operator::Fragment => ("#", ",", false, "", true),
        Operator::Label => (".", ".", false, "", false),
        Operator::Path => ("/", "/", false, "", false),
        Operator::Parameter => (";", ";", true, "", false),
        Operator::Query => ("?", "&", true, "=", false),
        Operator::Continuation => ("&", "&", true, "=", false),
    };
    Style { first, separator, named, if_empty, reserved }
}

fn expand_expression<'v>(
    out: &mut String,
    expression: &Expression,
    lookup: &impl Fn(&str) -> Option<&'v TemplateValue>,
) -> Result<(), ExpandError> {
    let style = style(expression.operator);
    let mut lead = style.first;
    for spec in &expression.variables {
        let Some(argument) = lookup(&spec.name) else { continue };
        let items: Vec<(Option<&str>, &str)> = match argument {
            TemplateValue::Text(text) => vec![(None, text)],
            TemplateValue::List(list) => list.iter().map(|item| (None, item.as_str())).collect(),
            TemplateValue::Pairs(pairs) => {
                pairs.iter().map(|(key, value)| (Some(key.as_str()), value.as_str())).collect()
            }
        };
        if items.is_empty() {
            continue;
        }
        if spec.prefix.is_some() && !matches!(argument, TemplateValue::Text(_)) {
            return Err(ExpandError::PrefixOfList(spec.name.clone()));
        }
        out.push_str(lead);
        lead = style.separator;
        if spec.explode {
            push_exploded(out, &style, spec, &items);
        } else {
            push_joined(out, &style, spec, &items);
        }
    }
    Ok(())
}

fn push_joined(out: &mut String, style: &Style, spec: &VarSpec, items: &[(Option<&str>, &str)]) {
    if style.named {
        out.push_str(&spec.name);
        let empty = items.iter().all(|(key, value)| key.is_none() && value.is_empty()) && items.len() == 1;
        out.push_str(if empty { style.if_empty } else { "=" });
    }
    for (n, (key, value)) in items.iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        if let Some(key) = key {
            push_value(out, style, key);
            out.push(',');
        }
        let end = spec
            .prefix
            .and_then(|length| value.char_indices().nth(length))
            .map_or(value.len(), |(end, _)| end);
        push_value(out, style, &value[..end]);
    }
}

fn push_exploded(out: &mut String, style: &Style, spec: &VarSpec, items: &[(Option<&str>, &str)]) {
    for (n, &(key, value)) in items.iter().enumerate() {
        if n > 0 {
            out.push_str(style.separator);
        }
        match key {
            Some(key) => push_value(out, style, key),
            None if style.named => out.push_str(&spec.name),
            None => {}
        }
        if key.is_some() || style.named {
            out.push_str(if value.is_empty() && style.named { style.if_empty } else { "=" });
        }
        push_value(out, style, value);
    }
}

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
const RESERVED: &AsciiSet = &UNRESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'#')
    .remove(b'[')
    .remove(b']')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

fn push_value(out: &mut String, style: &Style, value: &str) {
    if !style.reserved {
        out.extend(utf8_percent_encode(value, UNRESERVED));
        return;
    }
    // Reserved expansion keeps existing escapes, and encodes every other `%`.
    for (n, piece) in value.split('%').enumerate() {
        if n > 0 {
            let escape =
                matches!(piece.as_bytes(), [h, l, ..] if h.is_ascii_hexdigit() && l.is_ascii_hexdigit());
            out.push_str(if escape { "%" } else { percent_encode_byte(b'%') });
        }
        out.extend(utf8_percent_encode(piece, RESERVED));
    }
}

#[cfg(test)]
mod tests;
