//! Decides which of two templates takes a URI that both match (`rows.tsv` U-37).

use super::program::{Inst, Program};
use super::syntax::{Operator, Part, Syntax, VarSpec};

/// The relation of one template to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    MoreSpecific,
    LessSpecific,
    /// No URI matches both.
    Disjoint,
    /// Some URI matches both, and neither is more specific.
    Ambiguous,
}

/// One position of a template: a literal byte, a variable or a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// The names of a group, if they are part of the URI.
    names: Vec<Box<str>>,
}

/// The kind of token at a position. The derived order extends the specificity order to a total one, most specific
/// first, so that a sorted list of templates can be tried from its beginning. Two templates with equal kinds
/// throughout are ambiguous: without their optional groups they would make equal URIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TokenKind {
    Literal(u8),
    End,
    Segment,
    /// A group that may be absent, by its operator.
    Group(char),
    Greedy,
    /// `{/v*}`, `{.v*}`.
    OptionalGreedy(char),
}

impl From<TokenKind> for Token {
    fn from(kind: TokenKind) -> Self {
        Token { kind, names: Vec::new() }
    }
}

pub(super) fn tokens(syntax: &Syntax) -> Vec<Token> {
    let mut tokens = Vec::new();
    for part in &syntax.parts {
        let expression = match part {
            Part::Literal(text) => {
                tokens.extend(text.bytes().map(|byte| Token::from(TokenKind::Literal(byte))));
                continue;
            }
            Part::Expression(expression) => expression,
        };
        let symbol = expression.operator.symbol().unwrap_or(',');
        let specs = &expression.variables;
        let name = |s: &VarSpec| format!("{}{}", s.name, if s.explode { "*" } else { "" }).into();
        match expression.operator {
            Operator::Simple => {
                for n in 0..specs.len() {
                    if n > 0 {
                        tokens.push(TokenKind::Literal(b',').into());
                    }
                    tokens.push(TokenKind::Segment.into());
                }
            }
            Operator::Reserved => tokens.push(TokenKind::Greedy.into()),
            Operator::Fragment => tokens.extend([TokenKind::Literal(b'#').into(), TokenKind::Greedy.into()]),
            Operator::Label | Operator::Path => tokens.extend(specs.iter().map(|s| {
                Token::from(if s.explode {
                    TokenKind::OptionalGreedy(symbol)
                } else {
                    TokenKind::Group(symbol)
                })
            })),
            Operator::Parameter => {
                tokens.extend(
                    specs.iter().map(|s| Token { kind: TokenKind::Group(symbol), names: vec![name(s)] }),
                );
            }
            Operator::Query | Operator::Continuation => {
                let mut names: Vec<_> = specs.iter().map(name).collect();
                names.sort_unstable();
                tokens.push(Token { kind: TokenKind::Group(symbol), names });
            }
        }
    }
    tokens.push(TokenKind::End.into());
    tokens
}

/// Compares two templates for which `intersect` found a URI that both match.
pub(super) fn compare(a: &[Token], b: &[Token]) -> Order {
    let Some((a, b)) = a.iter().zip(b).find(|(a, b)| a != b) else { return Order::Ambiguous };
    match (precedes(a.kind, b.kind), precedes(b.kind, a.kind)) {
        (true, _) => Order::MoreSpecific,
        (_, true) => Order::LessSpecific,
        _ => Order::Ambiguous,
    }
}

fn precedes(a: TokenKind, b: TokenKind) -> bool {
    match (a, b) {
        // A template that ends here continues in the URI, inside the variable before its end.
        (TokenKind::Literal(_), other) => !matches!(other, TokenKind::Literal(_)),
        (TokenKind::Segment | TokenKind::Group(_), TokenKind::Greedy | TokenKind::OptionalGreedy(_))
        | (TokenKind::End, TokenKind::Group(_) | TokenKind::OptionalGreedy(_)) => true,
        _ => false,
    }
}

/// Returns whether some text matches both programs. It walks over the pairs of instructions that one text can reach.
pub(super) fn intersect(a: &Program, b: &Program) -> bool {
    let width = b.code.len();
    let mut seen = vec![false; a.code.len() * width];
    let mut todo = vec![(0, 0)];
    while let Some((x, y)) = todo.pop() {
        if std::mem::replace(&mut seen[x * width + y], true) {
            continue;
        }
        let (left, right) = (&a.code[x], &b.code[y]);
        if let Some(ways) = silent(left, x) {
            todo.extend(ways.into_iter().flatten().map(|x| (x, y)));
        } else if let Some(ways) = silent(right, y) {
            todo.extend(ways.into_iter().flatten().map(|y| (x, y)));
        } else {
            let meet = match (*left, *right) {
                (Inst::Match, Inst::Match) => return true,
                (Inst::Byte(l), Inst::Byte(r)) => l == r,
                (Inst::Byte(byte), Inst::Any(class) | Inst::Run(class))
                | (Inst::Any(class) | Inst::Run(class), Inst::Byte(byte)) => class.contains(byte),
                // Every class has all letters.
                (Inst::Any(_) | Inst::Run(_), Inst::Any(_) | Inst::Run(_)) => true,
                _ => false,
            };
            let after = |inst: &Inst, at| if matches!(inst, Inst::Run(_)) { at } else { at + 1 };
            if meet {
                todo.push((after(left, x), after(right, y)));
            }
            // A run may end.
            if matches!(left, Inst::Run(_)) {
                todo.push((x + 1, y));
            }
            if matches!(right, Inst::Run(_)) {
                todo.push((x, y + 1));
            }
        }
    }
    false
}

/// Returns the instructions to which one that reads no byte leads; `None` if it reads a byte.
fn silent(inst: &Inst, at: usize) -> Option<[Option<usize>; 2]> {
    match *inst {
        Inst::Split { first, second, .. } => Some([Some(first), Some(second)]),
        Inst::Jump(to) => Some([Some(to), None]),
        Inst::Save(_) => Some([Some(at + 1), None]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uri::UriTemplate;

    fn order(a: &str, b: &str) -> Order {
        let (a, b) = (UriTemplate::parse(a).unwrap(), UriTemplate::parse(b).unwrap());
        let mirrored = match b.order(&a) {
            Order::MoreSpecific => Order::LessSpecific,
            Order::LessSpecific => Order::MoreSpecific,
            same => same,
        };
        assert_eq!(a.order(&b), mirrored);
        mirrored
    }

    // row: U-37
    #[test]
    fn the_first_difference_decides_between_templates_that_match_one_uri() {
        for (specific, general) in [
            ("a:x/{s}/stats", "a:x/{s}/{t}"),
            ("a:{v}/x", "a:{v}/{w}"),
            ("a:{v}", "a:{+v}"),
            ("a:x/{v}", "a:{+v}"),
            ("a:{v}.json", "a:{v}"),
            ("a:{v}-{w}", "a:{v}"),
            ("a:{v}", "a:{v}{?q}"),
            ("a:x{/b}", "a:x{/b,c}"),
            ("a:x{/b}", "a:x{/b*}"),
            ("a:x/{b}", "a:x{/b}"),
            ("a:x?q={v}", "a:x{?q}"),
            ("a:x{/b}", "a:x{+b}"),
            ("a:x#{v}", "a:x{#v}"),
            ("a:x", "a:x{/v*}"),
        ] {
            assert_eq!(order(specific, general), Order::MoreSpecific, "{specific} {general}");
        }
    }

    // row: U-37
    #[test]
    fn templates_without_a_common_uri_are_disjoint() {
        for (a, b) in [
            ("a:x/{v}", "a:y/{v}"),
            ("a:{v}/x", "a:{v}/y"),
            ("a:{v}", "a:{v}/{w}"),
            ("a:{v}.json", "a:{v}.xml"),
            ("a:x{?q}", "a:x/{v}"),
            ("a:{v}/{w}", "a:{v}/{w}/z"),
        ] {
            assert_eq!(order(a, b), Order::Disjoint, "{a} {b}");
        }
    }

    // row: U-37
    #[test]
    fn templates_that_the_rule_does_not_order_are_ambiguous() {
        for (a, b) in [
            ("a:{v}", "a:{w}"),
            ("a:{v}-{w}", "a:{v}.{w}"),
            ("a:x{?q}", "a:x{?r}"),
            ("a:x{/v*}", "a:x{+v}"),
            ("a:{v}/{v}", "a:{v}/{w}"),
        ] {
            assert_eq!(order(a, b), Order::Ambiguous, "{a} {b}");
        }
    }
}
