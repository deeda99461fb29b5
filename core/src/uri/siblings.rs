//! Templates with one literal prefix. Finds those with which a new template would be ambiguous, without comparing each.

use std::sync::Arc;

use super::search::{literals, range_of};
use super::specificity::{Order, Token, TokenKind, compare};
use super::template::UriTemplate;

/// Templates with one literal prefix. No two of them are ambiguous.
#[derive(Debug, Clone, Default)]
pub(super) struct Siblings {
    /// The templates sorted by the kinds of their tokens, most specific first.
    list: Vec<Arc<UriTemplate>>,
    /// These templates sorted by the kinds from the end of each template.
    from_end: Vec<Arc<UriTemplate>>,
}

impl Siblings {
    /// Returns the templates, most specific first.
    pub(super) fn list(&self) -> &[Arc<UriTemplate>] {
        &self.list
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns a template with this prefix that is ambiguous with `template`; `None` if there is none. Of several it
    /// returns the first by text, so that the result does not depend on the order in which they were added.
    pub(super) fn ambiguous(&self, template: &UriTemplate) -> Option<&UriTemplate> {
        let rivals = self.rivals(template);
        let fewest =
            rivals.into_iter().min_by_key(|parts| parts.iter().map(|part| part.len()).sum::<usize>())?;
        let others = fewest.into_iter().flatten().map(|other| &**other);
        others.filter(|other| is_ambiguous(template, other)).min_by_key(|other| other.as_str())
    }

    /// Returns two lists of candidates: by how templates begin, and by how they end. Each leaves out some that are
    /// not ambiguous, and none that is.
    pub(super) fn rivals(&self, template: &UriTemplate) -> [Vec<&[Arc<UriTemplate>]>; 2] {
        [by_beginning(&self.list, template), by_ending(&self.from_end, template)]
    }

    pub(super) fn insert(&mut self, template: &Arc<UriTemplate>) {
        let at = self.list.partition_point(|other| other.kinds().lt(template.kinds()));
        self.list.insert(at, template.clone());
        let at = self.from_end.partition_point(|other| other.kinds_from_end().lt(template.kinds_from_end()));
        self.from_end.insert(at, template.clone());
    }

    pub(super) fn remove(&mut self, text: &str) {
        for list in [&mut self.list, &mut self.from_end] {
            list.retain(|other| other.as_str() != text);
        }
    }
}

/// Returns a list without the templates that differ from `template` first in a fixed literal. Such a literal stands
/// where `template` has a variable, or at one byte in every reading of a URI.
fn by_beginning<'t>(mut list: &'t [Arc<UriTemplate>], template: &UriTemplate) -> Vec<&'t [Arc<UriTemplate>]> {
    let mut rivals = Vec::new();
    let (mut certain, mut in_value) = (true, false);
    for (at, token) in template.tokens().iter().enumerate() {
        let kind = |other: &UriTemplate| other.kind(at);
        let is_literal = matches!(token.kind, TokenKind::Literal(_));
        let (literals, others) = list.split_at(literals(list, kind));
        list = if is_literal { literals } else { others };
        let same = range_of(list, kind, token.kind);
        if !is_literal || !certain || in_value {
            rivals.extend([&list[..same.start], &list[same.end..]]);
        }
        list = &list[same];
        match token.kind {
            TokenKind::Literal(byte) => certain &= !in_value || b"/?#".contains(&byte),
            TokenKind::Segment => {}
            TokenKind::Group(_) => break, // the names in it may be the first difference
            _ => certain = false,
        }
        in_value = token.kind == TokenKind::Segment;
    }
    rivals.push(list);
    rivals
}

/// Returns a list without the templates whose endings differ from that of `template`: see [`endings_differ`].
fn by_ending<'t>(mut list: &'t [Arc<UriTemplate>], template: &UriTemplate) -> Vec<&'t [Arc<UriTemplate>]> {
    let mut rivals = Vec::new();
    let mut in_value = false;
    for (at, token) in template.tokens().iter().rev().enumerate().skip(1) {
        let kind = |other: &UriTemplate| other.kind_from_end(at);
        let same = range_of(list, kind, token.kind);
        match token.kind {
            TokenKind::Literal(_) if !in_value => rivals.push(&list[literals(list, kind)..]),
            TokenKind::Literal(b'/' | b'?' | b'#') | TokenKind::Segment => {
                rivals.extend([&list[..same.start], &list[same.end..]]);
            }
            _ => break,
        }
        list = &list[same];
        in_value = token.kind == TokenKind::Segment;
    }
    rivals.push(list);
    rivals
}

fn is_ambiguous(a: &UriTemplate, b: &UriTemplate) -> bool {
    // The exact question, whether a URI matches both, is the most expensive: it comes last.
    compare(a.tokens(), b.tokens()) == Order::Ambiguous
        && !endings_differ(a.tokens(), b.tokens())
        && a.order(b) == Order::Ambiguous
}

/// Returns whether no URI matches both, because fixed text counted from their ends differs at one byte in every
/// reading. Example: `t:{+a}/x/{b}` and `t:{+a}/y/{b}`, where a `/` begins the last value.
fn endings_differ(a: &[Token], b: &[Token]) -> bool {
    let mut in_value = false;
    for (a, b) in a.iter().rev().zip(b.iter().rev()).skip(1) {
        match (a.kind, b.kind) {
            (TokenKind::Literal(a), TokenKind::Literal(b)) if a == b => {
                if in_value && !b"/?#".contains(&a) {
                    return false;
                }
                in_value = false;
            }
            (TokenKind::Literal(_), TokenKind::Literal(_)) => return !in_value,
            (TokenKind::Segment, TokenKind::Segment) => in_value = true,
            _ => return false,
        }
    }
    false
}
