//! A URI template compiled for matching.

use super::captures::Captures;
use super::expand::{ExpandError, TemplateValue, expand_syntax};
use super::program::Program;
use super::refusal;
use super::specificity::{self, Kind, Order, Token};
use super::syntax::{Operator, Part, Syntax, TemplateError};

/// An RFC 6570 template whose expansion can be undone. Parsed once, matched in time linear in the URI.
#[derive(Debug, Clone)]
pub(crate) struct UriTemplate {
    text: Box<str>,
    syntax: Syntax,
    variables: Box<[Variable]>,
    program: Program,
    tokens: Vec<Token>,
    prefix: Box<str>,
    /// Every URI that matches ends with this text. Most of many templates with one prefix are told apart by it.
    suffix: Box<str>,
}

/// Why a URI is none of a template's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Miss {
    /// No reading gets past this byte of the URI. `instead`: a template that does.
    Differs { at: usize, instead: Option<String> },
    /// A value is not UTF-8, occurs twice, or differs from another one of its name.
    Values,
}

/// A variable of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// Its name, as RFC 6570 spells it.
    pub name: Box<str>,
    /// It may be absent from a URI that matches.
    pub optional: bool,
    /// It is exploded (`{name*}`): its value is a list.
    pub list: bool,
}

impl UriTemplate {
    /// The error names the expression, its byte and the reason, and what to write instead where that is known.
    pub(crate) fn parse(text: &str) -> Result<Self, TemplateError> {
        let syntax = Syntax::parse(text)?;
        refusal::check(text, &syntax)?;
        let variables = variables(&syntax);
        let program = Program::compile(&syntax, &variables);
        let tokens = specificity::tokens(&syntax);
        let prefix = prefix(&syntax).into();
        let suffix = match syntax.parts.last() {
            Some(Part::Literal(text)) => text.as_str().into(),
            _ => Box::default(),
        };
        Ok(Self { text: text.into(), syntax, variables, program, tokens, prefix, suffix })
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Each name once, in the order of the template.
    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Every URI that matches begins with this text.
    pub(crate) fn literal_prefix(&self) -> &str {
        &self.prefix
    }

    /// The values of the variables in `uri`, which has passed `check_uri`. A match may still hold unsafe values.
    pub(crate) fn matches(&self, uri: &str) -> Option<Captures> {
        let prefix = self.literal_prefix();
        if !uri.starts_with(prefix) || !uri.ends_with(&*self.suffix) {
            return None;
        }
        let slots = self.program.run(uri.as_bytes(), prefix.len())?;
        Captures::collect(&self.program, self.variables.len(), uri, &slots)
    }

    /// [`UriTemplate::matches`], with the reason if it does not: for people.
    pub(crate) fn explain(&self, uri: &str) -> Result<Captures, Miss> {
        let prefix = self.literal_prefix();
        let common = prefix.bytes().zip(uri.bytes()).take_while(|(a, b)| a == b).count();
        if common < prefix.len() {
            return Err(Miss::Differs { at: common, instead: None });
        }
        let (slots, effort) = self.program.run_counted(uri.as_bytes(), prefix.len());
        let Some(slots) = slots else {
            return Err(Miss::Differs { at: effort.furthest, instead: self.greedy_instead(uri) });
        };
        Captures::collect(&self.program, self.variables.len(), uri, &slots).ok_or(Miss::Values)
    }

    /// The template with `{+name}` where `{name}` stands, if that is all that `uri` lacks (WIRE U-47).
    fn greedy_instead(&self, uri: &str) -> Option<String> {
        let simple =
            self.syntax.expressions().filter(|e| e.operator == Operator::Simple && e.variables.len() == 1);
        simple
            .map(|expression| {
                let (before, after) = (&self.text[..=expression.span.start], expression.span.start + 1);
                format!("{before}+{}", &self.text[after..])
            })
            .find(|text| UriTemplate::parse(text).is_ok_and(|greedy| greedy.matches(uri).is_some()))
    }

    /// How it stands to another template by WIRE U-37.
    pub(crate) fn order(&self, other: &Self) -> Order {
        if specificity::intersect(&self.program, &other.program) {
            specificity::compare(&self.tokens, &other.tokens)
        } else {
            Order::Disjoint
        }
    }

    /// The URI for these values. `lookup` answers `None` for a variable that is undefined.
    pub(crate) fn expand<'v>(
        &self,
        lookup: impl Fn(&str) -> Option<&'v TemplateValue>,
    ) -> Result<String, ExpandError> {
        expand_syntax(&self.syntax, lookup)
    }

    /// `file:///{path}`: one segment by RFC 6570, where nested paths, `{+path}`, are what people mean (WIRE U-47).
    pub(crate) fn probably_meant_greedy(&self) -> bool {
        let mut expressions = self.syntax.expressions();
        let simple =
            expressions.next().is_some_and(|e| e.operator == Operator::Simple && e.variables.len() == 1);
        let after_scheme = self.literal_prefix().split_once(':').is_some_and(|(_, rest)| rest == "///");
        simple && after_scheme && expressions.next().is_none()
    }

    /// What orders templates; equal prefixes of two lists are equal beginnings of two templates.
    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// What stands at a place; the last is the end, and nothing behind it is asked for.
    pub(super) fn kind(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::End, |token| token.kind)
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.tokens.iter().map(|token| token.kind)
    }

    /// What stands at a place that is counted from the end, which is the first; beyond the beginning, the end again.
    pub(super) fn kind_from_end(&self, at: usize) -> Kind {
        self.tokens.iter().nth_back(at).map_or(Kind::End, |token| token.kind)
    }

    pub(super) fn kinds_from_end(&self) -> impl Iterator<Item = Kind> {
        self.tokens.iter().rev().map(|token| token.kind).chain([Kind::End])
    }

    #[cfg(test)]
    pub(super) fn program(&self) -> &Program {
        &self.program
    }
}

/// The first literal, and the `#` of a fragment that follows it.
fn prefix(syntax: &Syntax) -> String {
    let mut prefix = String::new();
    for part in &syntax.parts {
        match part {
            Part::Literal(text) => prefix.push_str(text),
            Part::Expression(expression) => {
                if expression.operator == Operator::Fragment {
                    prefix.push('#');
                }
                break;
            }
        }
    }
    prefix
}

fn variables(syntax: &Syntax) -> Box<[Variable]> {
    let mut variables: Vec<Variable> = Vec::new();
    for expression in syntax.expressions() {
        let optional = expression.operator.is_optional();
        for spec in &expression.variables {
            match variables.iter_mut().find(|v| v.name == spec.name) {
                Some(known) => known.optional &= optional,
                None => variables.push(Variable { name: spec.name.clone(), optional, list: spec.explode }),
            }
        }
    }
    variables.into()
}

#[cfg(test)]
mod tests;
