//! Tests of properties that hold for every template.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::siblings::Siblings;
use super::specificity::Order;
use super::{Conflict, Router, TemplateValue, UriTemplate, Value, check_uri, expand};

/// Templates, some of which are refused: the tests use the others.
fn template_text() -> impl Strategy<Value = String> {
    let operator = select(vec!["", "+", "#", ".", "/", ";", "?", "&"]);
    let spec =
        (select(vec!["a", "b", "cc", "d"]), select(vec!["", "", "*"])).prop_map(|(n, e)| format!("{n}{e}"));
    let expression =
        (operator, vec(spec, 1..3)).prop_map(|(op, specs)| format!("{{{op}{}}}", specs.join(",")));
    let literal = select(vec!["/", "x", "/x", "-", ".", "?k=1", "y/"]).prop_map(str::to_owned);
    vec(prop_oneof![expression, literal], 0..5).prop_map(|parts| format!("t:{}", parts.concat()))
}

/// Templates with a common prefix and few parts, so that many of them differ in one place only.
fn sibling_text() -> impl Strategy<Value = String> {
    let part = select(vec!["{v}", "{v}", "{+v}", "{/v}", "{?v}", "x", "-", "/"]);
    vec(part, 0..6).prop_map(|parts| {
        let numbered = |(n, part): (usize, &str)| part.replace('v', &format!("v{n}"));
        format!("t:{{v}}{}", parts.into_iter().enumerate().map(numbered).collect::<String>())
    })
}

fn uri() -> impl Strategy<Value = String> {
    vec(
        select(vec!["/", "x", "-", ".", "?", "a=1", ";", "&", "b", "cc=", "#", "%2F", "y", ",", "k=1"]),
        0..10,
    )
    .prop_map(|parts| format!("t:{}", parts.concat()))
}

fn argument(value: &Value) -> TemplateValue {
    match value {
        Value::One(text) => TemplateValue::Text(text.to_string()),
        Value::Many(list) => TemplateValue::List(list.clone()),
    }
}

/// `{?a}{&b}` expands to a URI without `?` if only `a` is undefined, so its pairs cannot be told from the path.
fn loses_its_question_mark(text: &str) -> bool {
    text.find("{?").is_some_and(|query| text[query..].contains("{&"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn expanding_then_matching_gives_the_values_back(
        text in template_text(), words in vec("[m-w0-9 /\u{e9}]{1,4}", 8), present in vec(any::<bool>(), 4)
    ) {
        let Ok(template) = UriTemplate::parse(&text) else { return Ok(()) };
        prop_assume!(!loses_its_question_mark(&text));
        // The encoded words hold no separator; in reserved expansion a `/` would be one.
        let plain = text.contains("{+") || text.contains("{#");
        let word = |n: usize| if plain { words[n].replace(['/', ' '], "_") } else { words[n].clone() };
        let repeats = text.matches(['{', ',']).count() > template.variables().len();
        let mut filling = true;
        let arguments: Vec<Option<TemplateValue>> = template.variables().iter().enumerate().map(|(n, variable)| {
            // Groups of `/` and `.` fill from the left, so an absent one is absent to the end. With a name that
            // occurs twice, none is.
            filling &= !variable.optional || present[n] || repeats;
            (!variable.optional || filling).then(|| if variable.list {
 TemplateValue::List(vec![word(2 * n), word(2 * n + 1)]) } else { TemplateValue::Text(word(n)) })
        }).collect();
        let lookup = |name: &str| {
            arguments[template.variables().iter().position(|v| &*v.name == name)?].as_ref()
        };
        let uri = expand(&text, lookup).unwrap();
        prop_assert_eq!(check_uri(&uri), Ok(()));
        let captures = template.matches(&uri);
        prop_assert!(captures.is_some(), "{} does not match its own {}", text, uri);
        let captures = captures.unwrap();
        for (n, expected) in arguments.iter().enumerate() {
            prop_assert_eq!(captures.get(n).map(argument), expected.clone(), "{} on {}", text, uri);
        }
    }

    #[test]
    fn only_templates_that_share_no_uri_count_as_disjoint(a in template_text(), b in template_text(), uri in uri()) {
        let (Ok(a), Ok(b)) = (UriTemplate::parse(&a), UriTemplate::parse(&b)) else { return Ok(()) };
        if a.matches(&uri).is_some() && b.matches(&uri).is_some() {
            prop_assert_ne!(a.order(&b), Order::Disjoint);
        }
    }

    #[test]
    fn templates_inserted_in_any_order_route_alike(texts in vec(template_text(), 2..24), uris in vec(uri(), 8)) {
        let templates: Vec<_> = texts.iter().filter_map(|text| UriTemplate::parse(text).ok()).collect();
        let mut forward = Router::default();
        let accepted: Vec<_> = templates.into_iter().filter(|t| forward.insert(t.clone(), ()).is_ok()).collect();
        let mut backward = Router::default();
        for template in accepted.iter().rev() {
            prop_assert_eq!(backward.insert(template.clone(), ()), Ok(()));
        }
        for uri in &uris {
            let found = forward.find(uri).map(|(template, ..)| template.as_str());
            prop_assert_eq!(found, backward.find(uri).map(|(template, ..)| template.as_str()), "{}", uri);
            // It is also the one that precedes every other match.
            for other in accepted.iter().filter(|t| t.matches(uri).is_some()) {
                let best = accepted.iter().find(|t| Some(t.as_str()) == found).unwrap();
                prop_assert!(best.as_str() == other.as_str() || best.order(other) == Order::MoreSpecific);
            }
        }
    }

    #[test]
    fn a_conflict_is_found_in_both_orders(a in template_text(), b in template_text()) {
        let (Ok(a), Ok(b)) = (UriTemplate::parse(&a), UriTemplate::parse(&b)) else { return Ok(()) };
        prop_assume!(a.as_str() != b.as_str());
        let conflict = |x: &UriTemplate, y: &UriTemplate| {
            let mut router = Router::default();
            router.insert(x.clone(), ()).unwrap();
            router.insert(y.clone(), ()).is_err()
        };
        prop_assert_eq!(conflict(&a, &b), conflict(&b, &a));
        prop_assert_eq!(conflict(&a, &b), a.order(&b) == Order::Ambiguous);
    }

    #[test]
    fn the_conflicts_found_among_many_are_those_of_comparing_with_each(texts in vec(prop_oneof![template_text(), sibling_text()], 2..60)) {
        let mut router = Router::default();
        let mut accepted: BTreeMap<String, UriTemplate> = BTreeMap::new();
        for text in texts {
            let Ok(template) = UriTemplate::parse(&text) else { continue };
            if accepted.contains_key(&text) {
                continue;
            }
            let ambiguous = accepted.values().find(|other| template.order(other) == Order::Ambiguous);
            let expected = match ambiguous {
                Some(other) => {
                    Err(Conflict::Ambiguous { template: text.as_str().into(), other: other.as_str().into() })
                }
                None => Ok(()),
            };
            prop_assert_eq!(router.insert(template.clone(), ()), expected.clone());
            if expected.is_ok() {
                accepted.insert(text, template);
            }
        }
    }

    #[test]
    fn neither_beginnings_nor_endings_leave_out_a_template_that_is_ambiguous(
        texts in vec(sibling_text(), 2..60), new in sibling_text()
    ) {
        let Ok(new) = UriTemplate::parse(&new) else { return Ok(()) };
        let mut siblings = Siblings::default();
        for template in texts.iter().filter_map(|text| UriTemplate::parse(text).ok()) {
            if siblings.ambiguous(&template).is_none() {
                siblings.insert(&template.into());
            }
        }
        let ambiguous = |other: &&Arc<UriTemplate>| new.order(other) == Order::Ambiguous;
        let number = siblings.list().iter().filter(ambiguous).count();
        for rivals in siblings.rivals(&new) {
            prop_assert_eq!(rivals.into_iter().flatten().filter(ambiguous).count(), number);
        }
    }

    #[test]
    fn no_text_makes_parsing_or_matching_panic(text in "\\PC{0,20}|[a:{}*+,./;?&#%2]{0,20}", uri in "\\PC{0,20}") {
        let _ = check_uri(&text);
        if let Ok(template) = UriTemplate::parse(&text) {
            let _ = template.matches(&uri);
        }
        for template in ["a:{x}-{y}", "{x}{?q,r*}", "{+x}", "{x}{;y*}"] {
            let _ = UriTemplate::parse(template).unwrap().matches(&uri);
        }
    }
}

// row: U-31
#[test]
fn the_work_of_a_match_is_linear_in_the_uri() {
    for (text, unit) in [
        ("t:{a}-{b}-{c}-{d}-{e}/end", "-"),
        ("t:{a}-{b}-{c}/{d}", "x-"),
        ("t:{+a}/{b}/{c}/{d}/end", "a/"),
        ("t:x{/v*}/end/end", "/end"),
        ("t:{a}{.b,c}{;d*}x", ".;d"),
        ("t:x{?q*,r*}{#f}", "?q=1&r=2&"),
        ("t:x?y={a}{&q*,r*}", "?y=&q&r"),
    ] {
        let template = UriTemplate::parse(text).unwrap();
        let program = template.program();
        for length in [100, 1_000, 8_000] {
            let uri = format!("{}{}", template.literal_prefix(), unit.repeat(length / unit.len()));
            let (_, effort) = program.run_counted(uri.as_bytes(), template.literal_prefix().len());
            let bound = 4 * program.code.len() * (uri.len() + 1);
            assert!(
                effort.steps <= bound,
                "{text}: {} steps for {} bytes, bound {bound}",
                effort.steps,
                uri.len()
            );
        }
    }
}
