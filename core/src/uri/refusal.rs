//! Decides which templates cannot be matched, and why (`rows.tsv` U-41 to U-46).

use super::check::is_scheme_byte;
use super::syntax::{Expression, Operator, Part, Syntax, TemplateError, VarSpec};

/// Refuses a template whose expansion cannot be undone.
pub(super) fn check(text: &str, syntax: &Syntax) -> Result<(), TemplateError> {
    check_scheme(syntax)?;
    for expression in syntax.expressions() {
        check_alone(expression).map_err(|why| refusal(text, expression, &why))?;
    }
    let mut greedy: Option<&Expression> = None;
    let mut query = false;
    for (n, part) in syntax.parts.iter().enumerate() {
        let expression = match part {
            Part::Literal(literal) => {
                query |= literal.contains('?');
                continue;
            }
            Part::Expression(expression) => expression,
        };
        let rest = &syntax.parts[n + 1..];
        check_neighbour(text, expression, rest)?;
        if is_greedy(expression)
            && let Some(first) = greedy.replace(expression)
        {
            let why = format!(
                "`{}` before it may also take any number of segments, and nothing says where one ends and the \
                     other begins; keep one of them",
                &text[first.span.clone()]
            );
            return Err(refusal(text, expression, &why));
        }
        if expression.operator == Operator::Continuation && !query {
            return Err(refusal(text, expression, "no `?` stands before it; write `{?…}`"));
        }
        query |= expression.operator == Operator::Query;
    }
    check_repeated_names(text, syntax)
}

/// Refuses a template that does not begin with a scheme, because it would never match an absolute URI.
fn check_scheme(syntax: &Syntax) -> Result<(), TemplateError> {
    let Some(Part::Literal(first)) = syntax.parts.first() else { return Ok(()) };
    let end = first.bytes().position(|b| !is_scheme_byte(b)).unwrap_or(first.len());
    let open = end == first.len() && syntax.parts.len() > 1;
    if first.as_bytes()[0].is_ascii_alphabetic() && (open || first.as_bytes().get(end) == Some(&b':')) {
        return Ok(());
    }
    let message =
        "the template does not begin with a scheme and a colon, as in `notes:`, and would never match a URI";
    Err(TemplateError::new(0, message))
}

fn check_alone(expression: &Expression) -> Result<(), String> {
    let specs = &expression.variables;
    let symbol = expression.operator.symbol().map(String::from).unwrap_or_default();
    if let Some(spec) = specs.iter().find(|s| s.prefix.is_some()) {
        return Err(format!("a prefix loses the rest of the value; write `{{{symbol}{}}}`", spec.name));
    }
    match expression.operator {
        Operator::Simple | Operator::Reserved | Operator::Fragment => {
            if let Some(spec) = specs.iter().find(|s| s.explode) {
                return Err(format!(
                    "a `,` may belong to an element of the list or separate two; write `{{/{}*}}`, or `{{?{0}*}}`",
                    spec.name
                ));
            }
            if specs.len() > 1 && expression.operator != Operator::Simple {
                return Err(
                    "a `,` may belong to a value or separate two; give each variable its own expression"
                        .into(),
                );
            }
        }
        Operator::Label | Operator::Path => {
            if let Some(spec) = specs[..specs.len() - 1].iter().find(|s| s.explode) {
                return Err(format!(
                    "`{}*` takes every segment, the next variable's too; put it last",
                    spec.name
                ));
            }
        }
        Operator::Parameter | Operator::Query | Operator::Continuation => {}
    }
    Ok(())
}

/// Refuses the parts of a template that may not follow `expression`.
fn check_neighbour(text: &str, expression: &Expression, rest: &[Part]) -> Result<(), TemplateError> {
    let this = &text[expression.span.clone()];
    match expression.operator {
        Operator::Fragment if !rest.is_empty() => {
            return Err(refusal(text, expression, "it takes the rest of the URI; nothing may follow it"));
        }
        Operator::Query | Operator::Continuation => match rest.first() {
            None => {}
            Some(Part::Expression(next))
                if matches!(next.operator, Operator::Continuation | Operator::Fragment) => {}
            Some(Part::Expression(next)) => {
                let why = format!("after `{this}` only `{{&…}}` or `{{#v}}` may follow");
                return Err(refusal(text, next, &why));
            }
            Some(Part::Literal(_)) => {
                let why = "only `{&…}` or `{#v}` may follow it; put fixed text before it";
                return Err(refusal(text, expression, why));
            }
        },
        _ => {}
    }
    if let Some(Part::Expression(next)) = rest.first() {
        let after_greedy = is_greedy(expression);
        match next.operator {
            Operator::Simple | Operator::Reserved => {
                let why = format!(
                    "it follows `{this}` at once, and nothing says where it begins; put a separator between"
                );
                return Err(refusal(text, next, &why));
            }
            Operator::Path | Operator::Label | Operator::Parameter | Operator::Continuation
                if after_greedy =>
            {
                let why = format!("`{this}` before it takes this part as well; put fixed text between");
                return Err(refusal(text, next, &why));
            }
            _ => {}
        }
    }
    check_own_symbol(text, expression, rest)
}

/// Refuses `{/a}{/b}`, `{/a}/x`, and `{/a}{.b}{/c}`, where `{.b}` may be absent.
fn check_own_symbol(text: &str, expression: &Expression, rest: &[Part]) -> Result<(), TemplateError> {
    let exploded = expression.variables.iter().any(|s| s.explode);
    let symbol = match expression.operator {
        Operator::Path | Operator::Label | Operator::Parameter if !exploded => expression.operator.symbol(),
        _ => return Ok(()),
    };
    for part in rest {
        let begins = match part {
            Part::Literal(literal) => literal.chars().next(),
            Part::Expression(next) => next.operator.symbol(),
        };
        if begins == symbol {
            let why = "what follows begins with the same character, so that present and absent look alike; write the \
                       separator as text and the variable as `{v}`, or several names in one expression";
            return Err(refusal(text, expression, why));
        }
        if !matches!(part, Part::Expression(next) if next.operator.is_optional()) {
            break;
        }
    }
    Ok(())
}

fn check_repeated_names(text: &str, syntax: &Syntax) -> Result<(), TemplateError> {
    let mut seen: Vec<(&str, bool, bool)> = Vec::new();
    for expression in syntax.expressions() {
        let named = |spec: &VarSpec| match expression.operator {
            Operator::Query | Operator::Continuation => true,
            Operator::Parameter => spec.explode,
            _ => false,
        };
        for spec in &expression.variables {
            for &(name, explode, by_name) in &seen {
                if name != &*spec.name {
                    continue;
                }
                if explode != spec.explode {
                    let why = format!("`{name}` is a list in one place and a single value in another");
                    return Err(refusal(text, expression, &why));
                }
                if by_name && named(spec) {
                    let why =
                        format!("`{name}` stands twice, and its pairs could belong to either; keep one");
                    return Err(refusal(text, expression, &why));
                }
            }
            seen.push((&spec.name, spec.explode, named(spec)));
        }
    }
    Ok(())
}

fn is_greedy(expression: &Expression) -> bool {
    match expression.operator {
        Operator::Reserved => true,
        Operator::Path | Operator::Label => expression.variables.iter().any(|s| s.explode),
        _ => false,
    }
}

fn refusal(text: &str, expression: &Expression, why: &str) -> TemplateError {
    let span = expression.span.clone();
    TemplateError::new(span.start, format!("`{}` cannot be matched: {why}", &text[span]))
}

#[cfg(test)]
mod tests {
    use crate::uri::UriTemplate;

    fn refused(text: &str, offset: usize, reason: &str) {
        let error = UriTemplate::parse(text).unwrap_err();
        assert!(error.to_string().contains(reason), "{text}: {error}");
        assert_eq!(error.offset, offset, "{text}: {error}");
    }

    // row: U-41, U-35
    #[test]
    fn a_prefix_is_refused() {
        refused("a:{v:3}", 2, "`{v:3}` cannot be matched: a prefix loses the rest of the value; write `{v}`");
        refused("a:x{?q:3}", 3, "write `{?q}`");
    }

    // row: U-42
    #[test]
    fn lists_joined_by_commas_are_refused() {
        for text in ["a:{v*}", "a:{+v*}", "a:{#v*}", "a:{+a,b}", "a:{#a,b}", "a:{a,b*}"] {
            refused(text, 2, "`,`");
        }
        for text in ["a:{/v*}", "a:{.v*}", "a:{;v*}", "a:{?v*}", "a:?x{&v*}"] {
            assert!(UriTemplate::parse(text).is_ok(), "{text}");
        }
    }

    // row: U-43
    #[test]
    fn a_variable_right_behind_an_expression_is_refused() {
        for (text, at) in
            [("a:{a}{b}", 5), ("a:{/a}{b}", 6), ("a:{a}{+b}", 5), ("a:{.a}{+b}", 6), ("a:{;a}{b}", 6)]
        {
            refused(text, at, "nothing says where it begins");
        }
    }

    // row: U-44
    #[test]
    fn two_greedy_variables_are_refused() {
        for (text, at) in
            [("a:{+a}-{+b}", 7), ("a:{+a}x{/b*}", 7), ("a:{/a*}/x{.b*}", 9), ("a:{+a}x{/c,b*}", 7)]
        {
            refused(text, at, "keep one");
        }
        refused("a:{/b*,c}", 2, "put it last");
    }

    // row: U-45
    #[test]
    fn an_optional_group_with_an_absence_that_no_uri_shows_is_refused() {
        for (text, at) in [("a:{+a}{/b}", 6), ("a:{/a*}{.b}", 7), ("a:{+a}{;b}", 6), ("a:?{+a}{&b}", 7)] {
            refused(text, at, "takes this part as well");
        }
        for text in ["a:{/a}{/b}", "a:{/a}/x", "a:{.a}.x", "a:{;a}{;b}", "a:{/a}{/b*}", "a:{/a}{.b}{/c}"] {
            refused(text, 2, "present and absent look alike");
        }
        for text in ["a:{/a*}/x", "a:{/a}{.b}", "a:{/a,b}{?c}", "a:{;a*};x"] {
            assert!(UriTemplate::parse(text).is_ok(), "{text}");
        }
    }

    // row: U-46
    #[test]
    fn the_query_and_the_fragment_come_last() {
        refused("a:{?a}/x", 2, "put fixed text before it");
        refused("a:{?a}{?b}", 6, "only `{&…}`");
        refused("a:x?y{&a}{/b}", 9, "only `{&…}`");
        refused("a:x{&a}", 3, "no `?` stands before it");
        refused("a:{#a}x", 2, "nothing may follow");
        refused("a:{#a}{?b}", 2, "nothing may follow");
        for text in ["a:{?a}{&b}{&c}{#d}", "a:x?y=1{&a}{#b}", "a:{+p}{#f}"] {
            assert!(UriTemplate::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_template_that_could_match_no_absolute_uri_is_refused() {
        for text in ["/notes/{id}", "notes/{id}", "1a:{id}", "notes"] {
            refused(text, 0, "scheme");
        }
        assert!(UriTemplate::parse("{scheme}:x").is_ok());
        assert!(UriTemplate::parse("test{+rest}").is_ok());
    }

    #[test]
    fn a_name_has_one_shape_and_stands_once_in_a_query() {
        refused("a:{v}{/v*}", 5, "a list in one place");
        refused("a:x{?v,v}", 3, "stands twice");
        refused("a:x{;v*,v*}", 3, "stands twice");
    }
}
