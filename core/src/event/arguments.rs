//! Reads the arguments of a call by path, for languages without JSON of their own.

use super::{AroundCall, MethodCall};
use crate::jsonrpc::{Raw, boolean, elements, for_each_member, is_array, is_object, string};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

/// The arguments of a call. A path leads to each value.
///
/// A path is a JSON Pointer of RFC 6901, such as `/edits/0/oldText`; its first slash may be left out. The empty path
/// leads to the object of all arguments. An array or object is split into its parts when a path first leads into it.
///
/// Rust programs rather deserialize [`MethodCall::arguments`].
pub struct Arguments {
    text: Box<str>,
    root: Node,
}

/// A value in the arguments, which is split into its parts on demand.
struct Node {
    /// The range of the value's text in the text of all arguments.
    at: Range<usize>,
    split: OnceLock<Split>,
}

enum Split {
    Elements(Vec<Node>),
    Members(ObjectMembers),
    /// A string without its quotes and escapes.
    Text(Box<str>),
    None,
}

struct ObjectMembers {
    /// The members in the order of the text.
    members: Vec<(Box<str>, Node)>,
    /// The indexes of the members, in the order of their names.
    by_name: Vec<usize>,
}

impl Arguments {
    /// Copies the arguments of a call.
    pub fn new(call: &MethodCall) -> Self {
        Arguments::of_json(call.arguments())
    }

    /// Copies the arguments of a call that an around callback gets.
    pub fn around(call: &AroundCall) -> Self {
        Arguments::of_json(call.arguments())
    }

    fn of_json(json: &str) -> Self {
        let text: Box<str> = json.into();
        let root = Node { at: 0..text.len(), split: OnceLock::new() };
        Arguments { text, root }
    }

    /// Returns the string at `path`, without escapes. `None` if there is no string, or if it has half of a surrogate
    /// pair, which is no text.
    pub fn text(&self, path: &str) -> Option<&str> {
        let node = self.find(path)?;
        let plain = self.json_of(node).strip_prefix('"')?.strip_suffix('"')?;
        if !plain.contains('\\') {
            return Some(plain);
        }
        match self.split(node) {
            Split::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the whole number at `path`, such as 5, 5.0 or 5e0. `None` if there is none, or if an `i64` cannot hold
    /// it.
    pub fn integer(&self, path: &str) -> Option<i64> {
        whole_number(self.number_text(path)?)
    }

    /// Returns the number at `path` as the nearest `f64`, so integers beyond 2^53 and most fractions are rounded. `None`
    /// if there is no number, or if it is beyond the largest `f64`.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.number_text(path)?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Returns the `true` or `false` at `path`. `None` if there is another value, or none.
    pub fn boolean(&self, path: &str) -> Option<bool> {
        boolean(Raw::kept(self.json(path)?))
    }

    /// Returns the number of elements of the array at `path`, or of members of the object. Returns 0 if there is
    /// neither.
    pub fn count(&self, path: &str) -> usize {
        match self.find(path).map(|node| self.split(node)) {
            Some(Split::Elements(elements)) => elements.len(),
            Some(Split::Members(object)) => object.members.len(),
            _ => 0,
        }
    }

    /// Returns the name of the member at `index` of the object at `path`, in the order of the text. `None` if there is
    /// none.
    pub fn name(&self, path: &str, index: usize) -> Option<&str> {
        match self.split(self.find(path)?) {
            Split::Members(object) => object.members.get(index).map(|(name, _)| &**name),
            _ => None,
        }
    }

    /// Returns the value at `path`, of any type, as JSON text in the client's own spelling. `None` if there is no
    /// value.
    pub fn json(&self, path: &str) -> Option<&str> {
        self.find(path).map(|node| self.json_of(node))
    }

    fn number_text(&self, path: &str) -> Option<&str> {
        self.json(path).filter(|json| json.starts_with(|first: char| first == '-' || first.is_ascii_digit()))
    }

    fn find(&self, path: &str) -> Option<&Node> {
        if path.is_empty() {
            return Some(&self.root);
        }
        let path = path.strip_prefix('/').unwrap_or(path);
        path.split('/').try_fold(&self.root, |node, token| match self.split(node) {
            Split::Elements(elements) => elements.get(index(token)?),
            Split::Members(object) => object.get(&unescaped(token)?),
            Split::Text(_) | Split::None => None,
        })
    }

    fn json_of(&self, node: &Node) -> &str {
        &self.text[node.at.clone()]
    }

    fn split<'a>(&self, node: &'a Node) -> &'a Split {
        node.split.get_or_init(|| self.split_value(Raw::kept(self.json_of(node))))
    }

    fn split_value(&self, value: Raw<'_>) -> Split {
        if is_array(value) {
            let elements = elements(value, usize::MAX).unwrap_or_default();
            return Split::Elements(elements.into_iter().map(|element| self.node(element)).collect());
        }
        if is_object(value) {
            let mut members = Vec::new();
            for_each_member(value, |name, value| members.push((name.into(), self.node(value))));
            return Split::Members(ObjectMembers::new(members));
        }
        string(value).map_or(Split::None, |text| Split::Text(text.into()))
    }

    /// Makes the node for a part of the text.
    fn node(&self, part: Raw<'_>) -> Node {
        let start = part.get().as_ptr().addr() - self.text.as_ptr().addr();
        Node { at: start..start + part.get().len(), split: OnceLock::new() }
    }
}

impl ObjectMembers {
    fn new(members: Vec<(Box<str>, Node)>) -> Self {
        let mut by_name: Vec<_> = (0..members.len()).collect();
        by_name.sort_unstable_by(|a, b| members[*a].0.cmp(&members[*b].0));
        ObjectMembers { members, by_name }
    }

    /// Returns the member of this name. `None` also if the name occurs twice, because two readers could see two values.
    fn get(&self, name: &str) -> Option<&Node> {
        let name_at = |at: usize| self.by_name.get(at).map(|member| &*self.members[*member].0);
        let at = self.by_name.partition_point(|member| &*self.members[*member].0 < name);
        let is_one = name_at(at) == Some(name) && name_at(at + 1) != Some(name);
        is_one.then(|| &self.members[self.by_name[at]].1)
    }
}

/// Shows only the name of the type, because the arguments may be secret.
impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arguments").finish_non_exhaustive()
    }
}

/// Returns the index that a part of a path stands for. `None` if it is no index as RFC 6901 section 4 writes it,
/// without leading zeros.
fn index(token: &str) -> Option<usize> {
    let is_index =
        token.bytes().all(|byte| byte.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    token.parse().ok().filter(|_| is_index)
}

/// Returns the name that a part of a path stands for (RFC 6901 section 3). `None` if it has an escape that does not
/// exist.
fn unescaped(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut name = String::with_capacity(token.len());
    let mut parts = token.split('~');
    name.push_str(parts.next()?);
    for part in parts {
        let rest = part.strip_prefix(['0', '1'])?;
        name.push(if part.starts_with('0') { '~' } else { '/' });
        name.push_str(rest);
    }
    Some(Cow::Owned(name))
}

/// Returns the exact value of a JSON number. `None` if it has a fraction, or if an `i64` cannot hold it.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |digits| ("-", digits));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    // By how many digits the point moves right from the end of `significant`.
    let moved = i64::try_from(digits.len() - significant.len()).ok()?;
    let zeros =
        exponent.parse::<i64>().ok()?.checked_add(moved)?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let significant = significant.trim_start_matches('0');
    let zeros = usize::try_from(zeros).ok().filter(|zeros| *zeros <= MOST_DIGITS)?;
    format!("{sign}{significant}{:0<zeros$}", "").parse().ok()
}

/// The number of digits of the largest `i64`.
const MOST_DIGITS: usize = 19;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn values_are_found_by_path_and_type() {
        let arguments = Arguments::of_json(
            r#"{"model":"a","edits":[{"oldText":"x\n\u0000y"}, 7 ],"n":-3,"f":2.5,"yes":true,"no":false,"nil":null,"":{"":1}}"#,
        );
        assert_eq!(arguments.text("/model"), Some("a"));
        assert_eq!(arguments.text("model"), Some("a"));
        assert_eq!(arguments.text("edits/0/oldText"), Some("x\n\0y"));
        assert_eq!(arguments.integer("/edits/1"), Some(7));
        assert_eq!(arguments.json("/edits/1"), Some("7"));
        assert_eq!((arguments.integer("n"), arguments.number("n")), (Some(-3), Some(-3.0)));
        assert_eq!((arguments.integer("f"), arguments.number("f")), (None, Some(2.5)));
        assert_eq!((arguments.boolean("yes"), arguments.boolean("no")), (Some(true), Some(false)));
        assert_eq!(arguments.json("nil"), Some("null"));
        assert_eq!(arguments.integer("//"), Some(1));
        assert_eq!((arguments.count(""), arguments.count("edits"), arguments.count("model")), (8, 2, 0));
        assert_eq!((arguments.name("", 1), arguments.name("", 8)), (Some("edits"), None));
        assert_eq!(arguments.name("edits", 0), None);
    }

    #[test]
    fn a_value_of_another_type_is_not_there() {
        let arguments = Arguments::of_json(r#"{"s":"1","b":"true","n":1,"l":[],"o":{}}"#);
        for path in ["n", "l", "o", "none", "s/0", "n/0"] {
            assert_eq!(arguments.text(path), None, "{path}");
        }
        for path in ["s", "b", "l", "o", "none"] {
            assert_eq!((arguments.integer(path), arguments.number(path)), (None, None), "{path}");
            assert_eq!(arguments.boolean(path), None, "{path}");
        }
    }

    #[test]
    fn names_are_escaped_as_in_rfc_6901() {
        let arguments = Arguments::of_json(r#"{"a/b":1,"m~n":2,"~1":3,"\u00e9":4,"0":5,"a":[10,11]}"#);
        for (path, value) in [("/a~1b", 1), ("m~0n", 2), ("~01", 3), ("é", 4), ("0", 5), ("a/1", 11)] {
            assert_eq!(arguments.integer(path), Some(value), "{path}");
        }
        for path in
            ["a/b", "m~n", "~", "~2", "a/01", "a/-", "a/+1", "a/", "a/2", "a/99999999999999999999", "a/1/"]
        {
            assert_eq!(arguments.json(path), None, "{path}");
        }
    }

    #[test]
    fn a_name_that_occurs_twice_is_not_there() {
        let arguments = Arguments::of_json(r#"{"b":0,"a":1,"\u0061":2}"#);
        assert_eq!((arguments.integer("a"), arguments.integer("b"), arguments.count("")), (None, Some(0), 3));
    }

    // row: TA-15
    #[test]
    fn whole_numbers_are_exact_or_absent() {
        for (text, value) in [
            ("5.0", 5),
            ("5e0", 5),
            ("-50e-1", -5),
            ("0.05E+2", 5),
            ("1e18", 1_000_000_000_000_000_000),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808.0", i64::MIN),
            ("-0", 0),
            ("0e99999999999999999999", 0),
            ("0.000", 0),
        ] {
            assert_eq!(whole_number(text), Some(value), "{text}");
        }
        for text in [
            "5.5",
            "9007199254740992.5",
            "9223372036854775808",
            "1e19",
            "1e400",
            "1e-400",
            "1e99999999999999999999",
        ] {
            assert_eq!(whole_number(text), None, "{text}");
        }
        let arguments = Arguments::of_json(r#"{"n":1e400}"#);
        assert_eq!((arguments.number("n"), arguments.json("n")), (None, Some("1e400")));
    }

    #[test]
    fn half_of_a_surrogate_pair_is_no_text() {
        let arguments = Arguments::of_json(r#"{"s":"\ud800","t":"\ud834\udd1e"}"#);
        assert_eq!((arguments.text("s"), arguments.json("s")), (None, Some(r#""\ud800""#)));
        assert_eq!(arguments.text("t"), Some("𝄞"));
    }

    #[test]
    fn a_deep_value_needs_no_deep_stack() {
        let depth = 100_000;
        let arguments = Arguments::of_json(&format!(r#"{{"a":{}{}}}"#, "[".repeat(depth), "]".repeat(depth)));
        assert_eq!(arguments.count("a"), 1);
        assert_eq!(arguments.json("a").map(str::len), Some(2 * depth));
        assert_eq!(arguments.count(&format!("a{}", "/0".repeat(50))), 1);
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<i32>().prop_map(|n| Value::from(f64::from(n) / 4.0)),
            r#"[a~/"\\é\n\x00]{0,8}"#.prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |value| {
            prop_oneof![
                prop::collection::vec(value.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((r#"[a~/"01é]{0,2}"#, value), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_path_finds_the_values_that_serde_json_finds(value in values(), path in "(/[a~01/é]{0,3}){0,4}") {
            let value = serde_json::json!({ "a": value });
            let arguments = Arguments::of_json(&value.to_string());
            for path in [path, String::from("/a"), String::from("/a/0"), String::from("/a/a")] {
                // serde_json takes an escape that does not exist as it is.
                if path.replace("~0", "").replace("~1", "").contains('~') {
                    continue;
                }
                let found = value.pointer(&path);
                let json = arguments.json(&path).map(|json| serde_json::from_str::<Value>(json).unwrap());
                prop_assert_eq!(json.as_ref(), found);
                prop_assert_eq!(arguments.text(&path), found.and_then(Value::as_str));
                prop_assert_eq!(arguments.boolean(&path), found.and_then(Value::as_bool));
                prop_assert_eq!(arguments.number(&path), found.and_then(Value::as_f64));
            }
        }

        #[test]
        fn no_path_panics(path in ".{0,12}", json in r#"\{"[a\\u0]{0,3}":[\[\]1,]{0,4}\}"#) {
            if let Some(json) = Raw::check(&json) {
                let arguments = Arguments::of_json(json.get());
                let _ = (arguments.text(&path), arguments.integer(&path), arguments.count(&path), arguments.name(&path, 0));
            }
        }
    }
}
