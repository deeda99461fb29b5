//! RFC 6570 syntax: a template as literals and expressions.

use std::fmt;
use std::ops::Range;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::check::is_uri_byte;

/// A template that follows the grammar of RFC 6570 section 2. It need not be one that can be matched.
#[derive(Debug, Clone)]
pub(super) struct Syntax {
    pub(super) parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub(super) enum Part {
    /// A text as it is in the URI: characters that a URI does not allow are percent-encoded (section 3.1).
    Literal(String),
    Expression(Expression),
}

#[derive(Debug, Clone)]
pub(super) struct Expression {
    pub(super) operator: Operator,
    pub(super) variables: Vec<VarSpec>,
    /// The range of the expression in the template, with its braces.
    pub(super) span: Range<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct VarSpec {
    pub(super) name: Box<str>,
    pub(super) explode: bool,
    pub(super) prefix: Option<usize>,
}

/// The expression types of RFC 6570 section 3.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Path,
    Parameter,
    Query,
    Continuation,
}

/// The reason why a template is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateError {
    /// The offset of the byte at which the error begins in the template.
    pub(crate) offset: usize,
    message: String,
}

impl TemplateError {
    pub(super) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self { offset, message: message.into() }
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.message, self.offset)
    }
}

impl std::error::Error for TemplateError {}

impl Syntax {
    pub(super) fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if text.as_bytes()[at] == b'{' {
                let close = memchr::memchr(b'}', &text.as_bytes()[at..])
                    .ok_or_else(|| TemplateError::new(at, "this `{` has no closing `}`"))?;
                let end = at + close + 1;
                parts.push(Part::Expression(parse_expression(text, at..end)?));
                at = end;
            } else {
                let end = memchr::memchr(b'{', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n);
                check_literal(text, at..end)?;
                parts.push(Part::Literal(utf8_percent_encode(&text[at..end], NON_ASCII).to_string()));
                at = end;
            }
        }
        Ok(Self { parts })
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            Part::Expression(expression) => Some(expression),
            Part::Literal(_) => None,
        })
    }
}

impl Operator {
    /// Returns the character that stands for the operator in a template; `None` for simple expansion.
    pub(super) fn symbol(self) -> Option<char> {
        match self {
            Self::Simple => None,
            Self::Reserved => Some('+'),
            Self::Fragment => Some('#'),
            Self::Label => Some('.'),
            Self::Path => Some('/'),
            Self::Parameter => Some(';'),
            Self::Query => Some('?'),
            Self::Continuation => Some('&'),
        }
    }

    /// Returns whether an expansion may be empty, so that a URI can match without it (`rows.tsv` U-34).
    pub(super) fn is_optional(self) -> bool {
        !matches!(self, Self::Simple | Self::Reserved | Self::Fragment)
    }

    /// Returns whether the operator is one that follows the path, so that only such expressions may follow it.
    pub(super) fn is_tail(self) -> bool {
        matches!(self, Self::Query | Self::Continuation | Self::Fragment)
    }

    fn from_symbol(byte: u8) -> Option<Self> {
        [
            Self::Reserved,
            Self::Fragment,
            Self::Label,
            Self::Path,
            Self::Parameter,
            Self::Query,
            Self::Continuation,
        ]
        .into_iter()
        .find(|operator| operator.symbol() == Some(byte.into()))
    }
}

const NON_ASCII: &AsciiSet = CONTROLS; // every set includes the characters beyond ASCII

fn check_literal(text: &str, span: Range<usize>) -> Result<(), TemplateError> {
    let mut skip_to = 0;
    for (at, character) in text[span.clone()].char_indices().map(|(n, c)| (span.start + n, c)) {
        if at < skip_to {
            continue;
        }
        match character {
            '}' => return Err(TemplateError::new(at, "this `}` has no opening `{`")),
            '%' => {
                if !is_escape(&text.as_bytes()[at..span.end]) {
                    let message = "`%` is not followed by two hexadecimal digits; a literal `%` is `%25`";
                    return Err(TemplateError::new(at, message));
                }
                skip_to = at + 3;
            }
            c if c.is_control() || (c.is_ascii() && !is_uri_byte(c as u8)) => {
                let message =
                    format!("the character {c:?} is not allowed in a URI template; percent-encode it");
                return Err(TemplateError::new(at, message));
            }
            _ => {}
        }
    }
    Ok(())
}

fn parse_expression(text: &str, span: Range<usize>) -> Result<Expression, TemplateError> {
    let whole = &text[span.clone()];
    let mut at = span.start + 1;
    let mut body = &text[at..span.end - 1];
    let mut operator = Operator::Simple;
    match body.as_bytes().first() {
        None => return Err(TemplateError::new(span.start, "`{}` names no variable")),
        Some(&symbol @ (b'=' | b',' | b'!' | b'@' | b'|')) => {
            let message = format!("`{whole}`: the operator `{}` is reserved by RFC 6570", char::from(symbol));
            return Err(TemplateError::new(at, message));
        }
        Some(&symbol) => {
            if let Some(found) = Operator::from_symbol(symbol) {
                operator = found;
                body = &body[1..];
                at += 1;
            }
        }
    }
    let mut variables = Vec::new();
    for spec in body.split(',') {
        variables
            .push(parse_varspec(spec).map_err(|why| TemplateError::new(at, format!("`{whole}`: {why}")))?);
        at += spec.len() + 1;
    }
    Ok(Expression { operator, variables, span })
}

fn parse_varspec(spec: &str) -> Result<VarSpec, String> {
    let (name, explode, prefix) = if let Some(name) = spec.strip_suffix('*') {
        (name, true, None)
    } else if let Some((name, digits)) = spec.split_once(':') {
        let valid = (1..=4).contains(&digits.len())
            && digits.bytes().all(|b| b.is_ascii_digit())
            && !digits.starts_with('0');
        let length = digits.parse().ok().filter(|_| valid);
        (
            name,
            false,
            Some(length.ok_or_else(|| {
                let types = digits.starts_with(|c: char| c.is_ascii_alphabetic());
                let hint = if types { "; variables have no types" } else { "" };
                format!("the prefix `:{digits}` is not a number from 1 to 9999{hint}")
            })?),
        )
    } else {
        (spec, false, None)
    };
    if is_varname(name) {
        Ok(VarSpec { name: name.into(), explode, prefix })
    } else if name.is_empty() {
        Err("a variable name is missing".to_owned())
    } else {
        Err(not_a_name(name))
    }
}

/// Makes the message that a text is not a variable name, with what was probably meant.
fn not_a_name(text: &str) -> String {
    let path = text.strip_prefix('*').filter(|name| is_varname(name));
    let query = text.strip_suffix('?').filter(|name| is_varname(name));
    let advice = match (path, query) {
        (Some(name), _) => format!("; for a path write `{{+{name}}}`"),
        (_, Some(name)) => format!("; for a variable of the query write `{{?{name}}}`"),
        _ => " (letters, digits, `_`, `%XX`, and `.` between them)".to_owned(),
    };
    format!("`{text}` is not a variable name{advice}")
}

fn is_varname(name: &str) -> bool {
    !name.is_empty()
        && name.split('.').all(|word| {
            let mut rest = word.as_bytes();
            while let Some(&byte) = rest.first() {
                rest = match byte {
                    b'%' if is_escape(rest) => &rest[3..],
                    b'_' => &rest[1..],
                    _ if byte.is_ascii_alphanumeric() => &rest[1..],
                    _ => return false,
                };
            }
            !word.is_empty()
        })
}

fn is_escape(bytes: &[u8]) -> bool {
    matches!(bytes, [b'%', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    // row: U-30
    #[test]
    fn syntax_errors_name_the_place_and_the_reason() {
        for (text, offset, reason) in [
            ("a:{", 2, "no closing"),
            ("a:}", 2, "no opening"),
            ("a:{}", 2, "names no variable"),
            ("a:{x,}", 5, "name is missing"),
            ("a:{=x}", 3, "reserved"),
            ("a:{x y}", 3, "not a variable name"),
            ("a:{x..y}", 3, "not a variable name"),
            ("a:{x?}", 3, "`x?` is not a variable name; for a variable of the query write `{?x}`"),
            ("a:{*x}", 3, "`*x` is not a variable name; for a path write `{+x}`"),
            ("a:{x:int}", 3, "1 to 9999; variables have no types"),
            ("a:{x:0}", 3, "1 to 9999"),
            ("a:{x:10000}", 3, "1 to 9999"),
            ("a:{x:}", 3, "1 to 9999"),
            ("a:{x:01}", 3, "1 to 9999"),
            ("a:{x*y}", 3, "not a variable name"),
            ("a:{x{y}}", 3, "not a variable name"),
            ("a: b", 2, "percent-encode"),
            ("a:%2", 2, "two hexadecimal"),
        ] {
            let error = Syntax::parse(text).unwrap_err();
            assert_eq!(error.offset, offset, "{text}: {error}");
            assert!(error.to_string().contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_prefix_from_1_to_9999_is_syntax() {
        for text in ["{x:1}", "{x:9999}", "{+a.b:3,c_1*}", "{%41x}"] {
            assert!(Syntax::parse(text).is_ok(), "{text}");
        }
    }
}
