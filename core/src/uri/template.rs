//! A URI template compiled for matching.

use super::captures::Captures;
use super::program::Program;
use super::refusal;
use super::specificity::{self, Order, Token, TokenKind};
use super::syntax::{Operator, Part, Syntax, TemplateError};

/// An RFC 6570 template that can be matched: the values can be read back from a URI. Parsed once, matched in time
/// linear in the URI.
#[derive(Debug, Clone)]
pub(crate) struct UriTemplate {
    text: Box<str>,
    syntax: Syntax,
    variables: Box<[Variable]>,
    program: Program,
    tokens: Vec<Token>,
    prefix: Box<str>,
    /// The text with which every URI that matches ends. It tells most templates with one prefix apart.
    suffix: Box<str>,
}

/// The reason why a URI does not match a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Miss {
    /// No way to read the URI continues after the byte at `at`. `instead` is a similar template that matches, if there
    /// is one.
    Differs { at: usize, instead: Option<String> },
    /// A value is not UTF-8, occurs twice, or differs from another one of its name.
    Values,
}

/// A variable of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable {
    /// The name, as RFC 6570 spells it.
    pub name: Box<str>,
    /// True if the variable may be absent from a URI that matches.
    pub optional: bool,
    /// True if the variable is exploded (`{name*}`), so that its value is a list.
    pub list: bool,
}

impl UriTemplate {
    /// Compiles a template. The error names the expression, its offset and the reason, and the correction if that is
    /// known.
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

    /// Returns each variable once, in the order of the template.
    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the text with which every URI that matches begins.
    pub(crate) fn literal_prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the values of the variables in `uri`, which has passed `check_uri`; `None` if it does not match. The
    /// values may be unsafe.
    pub(crate) fn matches(&self, uri: &str) -> Option<Captures> {
        let prefix = self.literal_prefix();
        if !uri.starts_with(prefix) || !uri.ends_with(&*self.suffix) {
            return None;
        }
        let slots = self.program.run(uri.as_bytes(), prefix.len())?;
        Captures::collect(&self.program, self.variables.len(), uri, &slots)
    }

    /// Returns the values of the variables in `uri`, or, for people, the reason why it does not match. Everything else
    /// is as with [`UriTemplate::matches`].
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

    /// Returns the template with `{+name}` in place of `{name}`, if that makes it match `uri` (`rows.tsv` U-47);
    /// otherwise `None`.
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

    /// Returns how specific this template is compared with another one (`rows.tsv` U-37).
    pub(crate) fn order(&self, other: &Self) -> Order {
        if specificity::intersect(&self.program, &other.program) {
            specificity::compare(&self.tokens, &other.tokens)
        } else {
            Order::Disjoint
        }
    }

    /// Returns whether this is a template such as `file:///{path}`: `{path}` is one segment by RFC 6570, where people
    /// mean nested paths, `{+path}` (`rows.tsv` U-47).
    pub(crate) fn probably_meant_greedy(&self) -> bool {
        let mut expressions = self.syntax.expressions();
        let simple =
            expressions.next().is_some_and(|e| e.operator == Operator::Simple && e.variables.len() == 1);
        let after_scheme = self.literal_prefix().split_once(':').is_some_and(|(_, rest)| rest == "///");
        simple && after_scheme && expressions.next().is_none()
    }

    /// Returns the tokens, by which templates are ordered. Templates with equal beginnings have equal first tokens.
    pub(super) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Returns the kind of the token at a position; the last one is the end.
    pub(super) fn kind(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = TokenKind> {
        self.tokens.iter().map(|token| token.kind)
    }

    /// Returns the kind of the token at a position counted from the end, which is the first. Before the beginning it is
    /// the end again.
    pub(super) fn kind_from_end(&self, at: usize) -> TokenKind {
        self.tokens.iter().nth_back(at).map_or(TokenKind::End, |token| token.kind)
    }

    pub(super) fn kinds_from_end(&self) -> impl Iterator<Item = TokenKind> {
        self.tokens.iter().rev().map(|token| token.kind).chain([TokenKind::End])
    }

    #[cfg(test)]
    pub(super) fn program(&self) -> &Program {
        &self.program
    }
}

/// Returns the literal with which the template begins, and the `#` of a fragment if that follows.
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
