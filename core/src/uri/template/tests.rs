use super::*;
use crate::uri::Value;

fn template(text: &str) -> UriTemplate {
    UriTemplate::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the values as `name=value`, lists as `name=[a|b]`, in template order; "no match" if there is none.
fn values(text: &str, uri: &str) -> String {
    let template = template(text);
    let Some(captures) = template.matches(uri) else { return "no match".to_owned() };
    let show = |(n, variable): (usize, &Variable)| {
        Some(match captures.get(n)? {
            Value::One(value) => format!("{}={value}", variable.name),
            Value::Many(values) => format!("{}=[{}]", variable.name, values.join("|")),
        })
    };
    template.variables().iter().enumerate().filter_map(show).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(cases: &[(&str, &str, &str)]) {
    for (text, uri, expected) in cases {
        assert_eq!(values(text, uri), *expected, "{text} on {uri}");
    }
}

// row: U-31
#[test]
fn the_leftmost_variable_is_as_short_and_a_greedy_one_as_long_as_the_rest_allows() {
    check(&[
        ("{a}-{b}", "x-y-z", "a=x b=y-z"),
        ("a:{+a}-{b}", "a:x-y-z", "a=x-y b=z"),
        ("a:{a}.{b}.z", "a:x.y.z.z", "a=x b=y.z"),
        ("a:{a,b}", "a:x,y,z", "a=x b=y,z"),
        ("a:{a}", "a:", "no match"),
        ("a:{a}", "xa:b", "no match"),
        ("a:{a}/x", "a:b/xx", "no match"),
        ("a:fixed", "a:fixed", ""),
        ("a:fixed", "a:fixed2", "no match"),
    ]);
}

// row: U-32
#[test]
fn a_simple_variable_is_one_nonempty_segment() {
    check(&[
        ("a:{v}", "a:x", "v=x"),
        ("a:{v}", "a:x/y", "no match"),
        ("a:{v}", "a:x?y", "no match"),
        ("a:{v}", "a:x#y", "no match"),
        ("a:{a,b}", "a:x,y", "a=x b=y"),
        ("a:{a,b}", "a:x", "no match"),
        ("a:{a,b}", "a:x,", "no match"),
        ("a:{v}", "a:b@c:d;e=f&g", "v=b@c:d;e=f&g"),
    ]);
}

// row: U-33
#[test]
fn a_greedy_variable_ends_before_the_query_and_the_fragment() {
    check(&[
        ("a:{+v}", "a:x/y?z#w", "v=x/y?z#w"),
        ("a:{+v}", "a:", "no match"),
        ("a:{+v}/end", "a:x/end/end", "v=x/end"),
        ("a:{+v}{?q}", "a:x/y?q=1", "v=x/y q=1"),
        ("a:{+v}{?q}", "a:x/y", "v=x/y"),
        ("a:{+v}{?q}", "a:x/y?z=1", "no match"),
        ("a:{+v}{#f}", "a:x/y#z/?", "v=x/y f=z/?"),
        ("a:{+v}{#f}", "a:x?y#z", "no match"),
        ("a:{+v}?x{&q}", "a:p/q?x&q=1", "v=p/q q=1"),
        ("a:b{#f}", "a:b#", "no match"),
        ("a:b{#f}", "a:b", "no match"),
    ]);
}

// row: U-34
#[test]
fn path_and_label_groups_are_optional_and_fill_from_the_left() {
    check(&[
        ("a:x{/a,b}", "a:x", ""),
        ("a:x{/a,b}", "a:x/1", "a=1"),
        ("a:x{/a,b}", "a:x/1/2", "a=1 b=2"),
        ("a:x{/a,b}", "a:x/1/2/3", "no match"),
        ("a:x{/a}", "a:x/", "a="),
        ("a:x{/v*}", "a:x/1/2/3", "v=[1|2|3]"),
        ("a:x{/v*}", "a:x", ""),
        ("a:x{/v*}/end", "a:x/1/end", "v=[1]"),
        ("a:x{/v*}/end", "a:x/end", ""),
        ("a:x{/a,v*}", "a:x/1/2/3", "a=1 v=[2|3]"),
        ("a:x{/v*}{?q}", "a:x/1/2?q=/", "v=[1|2] q=/"),
        ("a:x{.e}", "a:x.tar.gz", "e=tar.gz"),
        ("a:x{.a,b}", "a:x.1.2.3", "a=1 b=2.3"),
        ("a:x{.v*}", "a:x.1.2", "v=[1|2]"),
        ("a:{n}{.e}", "a:report", "n=report"),
        ("a:{n}{.e}", "a:report.pdf", "n=report e=pdf"),
    ]);
}

// row: U-34
#[test]
fn parameters_match_name_value_pairs_in_template_order() {
    check(&[
        ("a:x{;a,b}", "a:x", ""),
        ("a:x{;a,b}", "a:x;a=1;b=2", "a=1 b=2"),
        ("a:x{;a,b}", "a:x;b=2", "b=2"),
        ("a:x{;a,b}", "a:x;a", "a="),
        ("a:x{;a,b}", "a:x;a=1;a=2", "no match"),
        ("a:x{;a,b}", "a:x;c=1", "no match"),
        ("a:x{;a}", "a:x;ab=1", "no match"),
        ("a:x{;v*,b}", "a:x;v=1;v;v=3;b=2", "v=[1||3] b=2"),
        ("a:x{;v*,b}", "a:x;b=2", "b=2"),
        ("a:{s}{;a}", "a:x;a=1", "s=x a=1"),
    ]);
}

// row: U-34
#[test]
fn query_pairs_match_in_any_order_and_absent_differs_from_empty() {
    check(&[
        ("a:x{?q,r}", "a:x", ""),
        ("a:x{?q,r}", "a:x?r=2&q=1", "q=1 r=2"),
        ("a:x{?q,r}", "a:x?q=", "q="),
        ("a:x{?q,r}", "a:x?q", "q="),
        ("a:x{?q}", "a:x?", "no match"),
        ("a:x{?q}", "a:x?q=1&", "no match"),
        ("a:x{?q}", "a:x?q=1&q=2", "no match"),
        ("a:x{?q}", "a:x?z=1", "no match"),
        ("a:x{?q}", "a:x?qq=1", "no match"),
        ("a:x{?q,qq}", "a:x?qq=1&q=a=b", "q=a=b qq=1"),
        ("a:x{?q*,r}", "a:x?q=1&r=2&q=3", "q=[1|3] r=2"),
        ("a:x{?q}{&r}{#f}", "a:x?r=2&q=1#/", "q=1 r=2 f=/"),
        ("a:x?v=1{&q,r}", "a:x?v=1&r=2&q=1", "q=1 r=2"),
        ("a:x?v=1{&q}", "a:x?v=1", ""),
        ("a:x?v={v}{&q}", "a:x?v=1&q=2", "v=1 q=2"),
        ("a:{v}{?q}", "a:x?q=1/2?3", "v=x q=1/2?3"),
    ]);
}

// row: U-36
#[test]
fn values_are_decoded_exactly_once_and_invalid_utf_8_does_not_match() {
    check(&[
        ("file:///{path}", "file:///a%2Fb", "path=a/b"),
        ("a:{v}", "a:%252e", "v=%2e"),
        ("a:{v}", "a:%C3%BC", "v=\u{fc}"),
        ("a:{v}", "a:%FF", "no match"),
        ("a:x{?q*}", "a:x?q=%20&q=%26", "q=[ |&]"),
        ("a:x{/v*}", "a:x/a%2Fb/c", "v=[a/b|c]"),
    ]);
}

// row: U-36
#[test]
fn unsafe_values_are_found_after_decoding() {
    let safe = |text: &str, uri: &str| template(text).matches(uri).unwrap().is_safe();
    assert!(safe("file:///{+p}", "file:///a/b"));
    assert!(safe("file:///{+p}", "file:///a/%252e%252e/b"));
    for uri in [
        "file:///../x",
        "file:///a/%2e%2E/b",
        "file:///..%2Fx",
        "file:////etc",
        "file:///%5Cx",
        "file:///C:/x",
        "file:///a%00",
    ] {
        assert!(!safe("file:///{+p}", uri), "{uri}");
    }
    assert!(!safe("a:x{/v*}", "a:x//etc"));
    assert!(!safe("a:x{?q}", "a:x?q=.."));
}

#[test]
fn the_raw_spelling_is_available_with_the_value() {
    let captures = template("a:{v}{?q*}").matches("a:x%20y?q=1").unwrap();
    assert_eq!(captures.get(0), Some(&Value::One("x y".into())));
    assert_eq!(captures.raw(0), Some(&Value::One("x%20y".into())));
    assert_eq!(captures.raw(1), Some(&Value::Many(vec!["1".to_owned()])));
    let plain = template("a:{v}{?q}").matches("a:x").unwrap();
    assert_eq!(plain.raw(0), plain.get(0));
    assert_eq!((plain.get(1), plain.raw(1), plain.get(7)), (None, None, None));
}

// row: U-38
#[test]
fn a_variable_that_stands_twice_captures_equal_values() {
    check(&[
        ("a:{v}/{v}", "a:x/x", "v=x"),
        ("a:{v}/{v}", "a:x/y", "no match"),
        ("a:{v}/{v}", "a:~/%7E", "v=~"),
        ("a:{v}{?v}", "a:x?v=x", "v=x"),
        ("a:{v}{?v}", "a:x", "v=x"),
        ("a:{v}{?v}", "a:x?v=y", "no match"),
    ]);
}

// row: U-39
#[test]
fn the_fixture_template_matches_one_segment_between_its_literals() {
    check(&[
        ("test://template/{id}/data", "test://template/123/data", "id=123"),
        ("test://template/{id}/data", "test://template/1/2/data", "no match"),
        ("test://template/{id}/data", "test://template//data", "no match"),
    ]);
}

// row: U-47
#[test]
fn a_single_segment_right_behind_an_empty_authority_was_probably_meant_greedy() {
    for (text, expected) in [
        ("file:///{path}", true),
        ("any:///{p}", true),
        ("file:///{+path}", false),
        ("file:///{a}/{b}", false),
        ("file:///docs/{path}", false),
        ("notes://{id}", false),
    ] {
        assert_eq!(template(text).probably_meant_greedy(), expected, "{text}");
    }
    check(&[("file:///{path}", "file:///a", "path=a"), ("file:///{path}", "file:///a/b", "no match")]);
}

#[test]
fn variables_are_listed_once_in_template_order() {
    let template = template("a:{b}{/a*}{?b,c}");
    let shown: Vec<_> = template.variables().iter().map(|v| (&*v.name, v.optional, v.list)).collect();
    assert_eq!(shown, [("b", false, false), ("a", true, true), ("c", true, false)]);
}

#[test]
fn the_literal_prefix_begins_every_match() {
    for (text, prefix) in
        [("a:x/{v}", "a:x/"), ("{+v}", ""), ("a:x", "a:x"), ("a:x{?q}", "a:x"), ("a:\u{fc}{v}", "a:%C3%BC")]
    {
        assert_eq!(template(text).literal_prefix(), prefix);
    }
    check(&[("a:\u{fc}{v}", "a:%C3%BCx", "v=x")]);
}
