//! A compiled schema, and its verdict about arguments.

use super::bounds;
use super::cost::Cost;
use super::defaults::SchemaDefaults;
use super::problems::{FieldValues, Problem, find_problems, in_schema};
use super::size::{Size, size};
use crate::jsonrpc::Raw;
use jsonschema::{Draft, PatternOptions, ValidationOptions, Validator};
use serde_json::Value;
use std::fmt::Write;

/// A compiled schema, with the bounds for its checks.
pub(crate) struct Schema {
    /// A validator for each of [`BACKTRACKS`]; the first alone if no pattern backtracks.
    validators: Vec<Validator>,
    defaults: Option<SchemaDefaults>,
    cost: Cost,
}

/// The greatest numbers of times that a pattern may backtrack in a text, each with the greatest length of the whole value
/// for which it holds. Beyond it the text is refused. Each time the pattern may read the rest of the text, as `(?=.*x)` does.
/// So these bound the product, to about two seconds for 4 MiB.
pub(super) const BACKTRACKS: [(usize, usize); 3] =
    [(32 * 1024, 40_000), (256 * 1024, 4_000), (usize::MAX, 250)];
/// The greatest number of parts of arguments. Arguments with more are refused before they are checked.
const MOST_ELEMENTS: usize = 100_000;
/// The greatest number of parts of arguments if the schema has a pattern that may backtrack in each of them.
const MOST_BACKTRACKED: usize = 1_000;
/// The greatest number of bytes that an explanation of a refusal may take. Beyond it the refusal has one line for all
/// fields.
const MOST_EXPLAINED: usize = 64 * 1024 * 1024;
/// The greatest number of looks at one element that an explanation may take: with shapes inside of shapes, a small value may
/// take many.
const MOST_LOOKS: usize = 5_000;
/// The greatest number of lines about fields in a refusal.
const MOST_LINES: usize = 20;

/// The dialects of JSON Schema that `$schema` may name, by their URIs.
const DIALECTS: [(&str, Draft); 5] = [
    ("https://json-schema.org/draft/2020-12/schema", Draft::Draft202012),
    ("https://json-schema.org/draft/2019-09/schema", Draft::Draft201909),
    ("http://json-schema.org/draft-07/schema", Draft::Draft7),
    ("http://json-schema.org/draft-06/schema", Draft::Draft6),
    ("http://json-schema.org/draft-04/schema", Draft::Draft4),
];

/// The values of `contentEncoding` that the crate would check in older dialects. It is only a note, as `format` is.
const ENCODINGS: [&str; 5] = ["base64", "base64url", "base32", "base32hex", "base16"];

impl Schema {
    /// Compiles a schema. Fails with what is wrong with it, and where.
    pub(crate) fn compile(schema: Raw<'_>) -> Result<Schema, String> {
        let document = bounds::parsed(schema.get())?;
        let draft = dialect(&document)?;
        let cost = Cost::measure(&document)?;
        let limits = if cost.backtracks { &BACKTRACKS[..] } else { &BACKTRACKS[..1] };
        let validators = limits.iter().map(|(_, backtracks)| validator(draft, &document, *backtracks));
        let validators = validators.collect::<Result<_, _>>()?;
        let defaults = SchemaDefaults::find(draft, document, schema)?;
        Ok(Schema { validators, defaults, cost })
    }

    /// Returns the validator for a value of this text.
    fn validator_of(&self, text: &str) -> &Validator {
        let at = BACKTRACKS.iter().position(|(longest, _)| text.len() <= *longest);
        &self.validators[at.unwrap_or_default().min(self.validators.len() - 1)]
    }

    /// Checks arguments. Returns them with defaults filled in, or `None` if there is nothing to fill in. Fails with the
    /// text for the client: one line for each wrong field.
    pub(crate) fn check(&self, arguments: Raw<'_>) -> Result<Option<Vec<u8>>, String> {
        let text = arguments.get();
        let size = size(text);
        let most = if self.cost.backtracks { MOST_BACKTRACKED } else { MOST_ELEMENTS };
        if size.elements > most {
            return Err(format!("\n- arguments: has more than {most} elements"));
        }
        let value = bounds::parsed_once(text, &size).map_err(|what| format!("\n- arguments: {what}"))?;
        let validator = self.validator_of(text);
        if !validator.is_valid(&value) {
            return Err(self.explain(validator, &value, text, &size));
        }
        let filled = self.defaults.as_ref().and_then(|defaults| defaults.fill(arguments));
        // A default may make another part of the schema fail, such as `maxProperties`.
        Ok(filled
            .filter(|filled| serde_json::from_slice(filled).is_ok_and(|filled| validator.is_valid(&filled))))
    }

    /// Returns the fields of a value that do not fit, without their values, for the log. `None` if all fit.
    pub(crate) fn wrong_fields(&self, content: Raw<'_>) -> Option<String> {
        self.wrong_among(content, |_| true)
    }

    /// Returns the fields of a value that do not fit if the problems with them count. The problems are `None` if looking
    /// for them costs too much.
    fn wrong_among(
        &self,
        content: Raw<'_>,
        count: impl FnOnce(Option<&[Problem]>) -> bool,
    ) -> Option<String> {
        let text = content.get();
        let size = size(text);
        let value = match bounds::parsed_once(text, &size) {
            Ok(value) => value,
            Err(what) => return Some(what.to_owned()),
        };
        let validator = self.validator_of(text);
        if validator.is_valid(&value) {
            return None;
        }
        if self.is_too_dear_to_explain(text, &size) {
            return count(None).then(|| "it is too large to say where".to_owned());
        }
        let problems = find_problems(validator, &value, FieldValues::Hidden);
        if !count(Some(&problems)) {
            return None;
        }
        let text = lines(&problems).trim_start_matches("\n- ").replace("\n- ", "; ");
        Some(if problems.iter().any(Problem::is_about_all) {
            text.replacen("arguments: ", "it ", 1)
        } else {
            text
        })
    }

    /// Returns the fields of the application's structured content that do not fit, as [`Schema::wrong_fields`] does. Texts
    /// that take too long to compare with their patterns count as fitting, since the content may be right. So does content
    /// that is too large to look for such texts. The bounds hold here, too: such texts may come from the client.
    pub(crate) fn wrong_output(&self, content: Raw<'_>) -> Option<String> {
        self.wrong_among(content, |problems| match problems {
            Some(problems) => !problems.iter().all(Problem::is_undecided),
            None => !self.cost.backtracks,
        })
    }

    /// Returns a line for each field that does not fit, or one line for all if looking for the fields costs too much.
    fn explain(&self, validator: &Validator, value: &Value, text: &str, size: &Size) -> String {
        if self.is_too_dear_to_explain(text, size) {
            return "\n- arguments: do not fit the tool's inputSchema".to_owned();
        }
        let values = if self.cost.has_secrets { FieldValues::Hidden } else { FieldValues::Shown };
        lines(&find_problems(validator, value, values))
    }

    fn is_too_dear_to_explain(&self, text: &str, size: &Size) -> bool {
        let looks = self.cost.looks(size.nesting);
        looks > MOST_LOOKS || size.elements.saturating_mul(text.len()).saturating_mul(looks) > MOST_EXPLAINED
    }
}

/// Compiles a schema of a dialect. A text in which a pattern backtracks more often does not fit.
pub(super) fn validator(draft: Draft, document: &Value, backtracks: usize) -> Result<Validator, String> {
    let options = jsonschema::options()
        .with_draft(draft)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(backtracks))
        .should_validate_formats(false)
        .without_content_media_type_support("application/json")
        .offline();
    ENCODINGS
        .into_iter()
        .fold(options, ValidationOptions::without_content_encoding_support)
        .build(document)
        .map_err(|wrong| in_schema(&wrong, document))
}

/// Returns the dialect that a schema names, or 2020-12, which MCP assumes.
fn dialect(document: &Value) -> Result<Draft, String> {
    let Some(named) = document.get("$schema") else { return Ok(Draft::Draft202012) };
    let uri = named.as_str().ok_or("needs a string as \"$schema\"")?;
    let known = DIALECTS.iter().find(|(known, _)| *known == uri.trim_end_matches('#'));
    known.map(|(_, draft)| *draft).ok_or_else(|| {
        let known = DIALECTS.map(|(known, _)| known).join(", ");
        format!("has the dialect {uri:?} as \"$schema\", which cannot be checked; use one of {known}")
    })
}

/// Writes each problem on a line of its own, and how many more there are.
fn lines(problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems.iter().take(MOST_LINES) {
        let _ = write!(text, "\n- {problem}");
    }
    if problems.len() > MOST_LINES {
        let _ = write!(text, "\n- and {} more", problems.len() - MOST_LINES);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compiled(schema: &str) -> Schema {
        Schema::compile(Raw::check(schema).unwrap()).unwrap()
    }

    fn refused_schema(schema: &str) -> String {
        Schema::compile(Raw::check(schema).unwrap()).err().expect("this schema is refused")
    }

    fn refusal(schema: &str, arguments: &str) -> String {
        compiled(schema).check(Raw::check(arguments).unwrap()).expect_err("these arguments are refused")
    }

    fn filled(schema: &str, arguments: &str) -> Option<String> {
        let filled = compiled(schema).check(Raw::check(arguments).unwrap()).expect("these arguments fit");
        filled.map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn each_problem_is_one_line_with_its_path() {
        let schema = r##"{"type":"object","required":["path","edits"],"additionalProperties":false,"properties":{
            "path":{"type":"string","minLength":1},"mode":{"enum":["a","b"]},"n":{"type":"integer","minimum":1},
            "x y":{"type":["string","null"]},
            "edits":{"type":"array","items":{"$ref":"#/$defs/edit"}}},
            "$defs":{"edit":{"type":"object","required":["newText"]}}}"##;
        for (arguments, lines) in [
            (r"{}", "\n- edits: is missing\n- path: is missing"),
            (r#"{"path":"","edits":[]}"#, "\n- path: must have at least 1 character (got \"\")"),
            (
                r#"{"path":"p","edits":[{"newText":1},{}],"mode":"c"}"#,
                "\n- edits[1].newText: is missing\n- mode: must be one of \"a\", \"b\" (got \"c\")",
            ),
            (r#"{"path":5,"edits":[],"extra":1}"#, "\n- extra: is unknown\n- path: must be a string (got 5)"),
            (r#"{"path":"p","edits":[],"n":0}"#, "\n- n: must be at least 1 (got 0)"),
            (r#"{"path":"p","edits":[],"n":"5"}"#, "\n- n: must be an integer (got \"5\")"),
            (r#"{"path":"p","edits":[],"n":1.5}"#, "\n- n: must be an integer (got 1.5)"),
            (r#"{"path":"p","edits":[],"x y":1}"#, "\n- [\"x y\"]: must be a string or null (got 1)"),
            (
                r#"{"path":[],"edits":{}}"#,
                "\n- edits: must be an array (got an object)\n- path: must be a string (got an array)",
            ),
        ] {
            assert_eq!(refusal(schema, arguments), lines, "{arguments}");
        }
        assert_eq!(filled(schema, r#"{"path":"p","edits":[{"newText":1}],"n":1.0,"x y":null}"#), None);
    }

    #[test]
    fn no_value_is_shown_where_a_part_of_the_schema_is_write_only() {
        let schema = r#"{"properties":{"pw":{"anyOf":[{"type":"string","minLength":8,"writeOnly":true},{"type":"null"}]},
            "n":{"maximum":1}},"oneOf":[{"required":["n"]},{"required":["pw"]}]}"#;
        assert_eq!(refusal(schema, r#"{"pw":"hunter2"}"#), "\n- pw: must have at least 8 characters");
        assert_eq!(refusal(schema, r#"{"n":5}"#), "\n- n: must be at most 1");
        let both = r#"{"n":1,"pw":null}"#;
        assert_eq!(refusal(schema, both), "\n- arguments: fits more than one of the shapes in \"oneOf\"");
    }

    #[test]
    fn a_fault_that_is_too_dear_to_explain_is_refused_in_one_line() {
        let one_line = "\n- arguments: do not fit the tool's inputSchema";
        let tree = r##"{"$ref":"#/$defs/f","$defs":{"f":{"oneOf":[
            {"required":["op"],"properties":{"op":{"const":"and"},"args":{"items":{"$ref":"#/$defs/f"}}}},
            {"required":["op"],"properties":{"op":{"const":"or"},"args":{"items":{"$ref":"#/$defs/f"}}}},
            {"type":"integer"}]}}}"##;
        let nested = format!("{}\"x\"{}", r#"{"op":"and","args":["#.repeat(45), "]}".repeat(45));
        assert_eq!(refusal(tree, &nested), one_line);
        let long = format!(r#"{{"{}":[{}0]}}"#, "n".repeat(500_000), "1,".repeat(50_000));
        assert_eq!(refusal(r#"{"additionalProperties":{"items":{"type":"string"}}}"#, &long), one_line);
    }

    #[test]
    fn wrong_fields_of_a_schema_that_contains_itself_are_named() {
        let tree = r##"{"$ref":"#/$defs/q","$defs":{"q":{"type":"object","required":["n"],"properties":{
            "n":{"type":"integer"},"next":{"anyOf":[{"$ref":"#/$defs/q"},{"type":"null"}]}}}}}"##;
        let deep = format!(r#"{}{{"n":"x"}}{}"#, r#"{"n":1,"next":"#.repeat(30), "}".repeat(30));
        assert_eq!(
            refusal(tree, &deep),
            format!("\n- {}n: must be an integer (got \"x\")", "next.".repeat(30))
        );
        assert_eq!(
            refusal(tree, r#"{"n":1,"next":{"n":"x","next":{"n":2}}}"#),
            "\n- next.n: must be an integer (got \"x\")"
        );
    }

    #[test]
    fn a_schema_with_references_that_multiply_is_refused() {
        let doubled = |n| {
            format!(r##""a{n}":{{"allOf":[{{"$ref":"#/$defs/a{0}"}},{{"$ref":"#/$defs/a{0}"}}]}}"##, n + 1)
        };
        let defs: Vec<_> = (0..30).map(doubled).collect();
        let bomb = format!(r##"{{"$ref":"#/$defs/a0","$defs":{{{},"a30":{{}}}}}}"##, defs.join(","));
        assert!(
            refused_schema(&bomb).contains("when its references are followed"),
            "{}",
            refused_schema(&bomb)
        );
        let linked = |n| format!(r##""a{n}":{{"$ref":"#/$defs/a{}"}}"##, n + 1);
        let defs: Vec<_> = (0..5_000).map(linked).collect();
        let chain = format!(r##"{{"$ref":"#/$defs/a0","$defs":{{{},"a5000":{{}}}}}}"##, defs.join(","));
        assert!(refused_schema(&chain).contains("lead deeper"), "{}", refused_schema(&chain));
    }

    // row: TS-08
    #[test]
    fn a_pattern_may_backtrack_less_in_longer_arguments() {
        let schema = r#"{"properties":{"a":{"pattern":"^(?:(?!--).)*$"}}}"#;
        let arguments =
            |a: usize, b: usize| format!(r#"{{"a":"{}","b":"{}"}}"#, "x".repeat(a), "x".repeat(b));
        for (a, b) in [(30_000, 0), (3_000, 200_000), (200, 300_000)] {
            assert_eq!(filled(schema, &arguments(a, b)), None);
        }
        for (a, b) in [(60_000, 0), (1_000, 300_000)] {
            let line = "\n- a: takes too long to compare with its pattern";
            assert_eq!(refusal(schema, &arguments(a, b)), line);
        }
    }

    // row: TS-08
    #[test]
    fn output_that_takes_too_long_to_compare_with_a_pattern_is_not_called_wrong() {
        let schema = compiled(r#"{"properties":{"a":{"pattern":"^(?:(?!--).)*$"},"n":{"type":"integer"}}}"#);
        let content = |n: &str| format!(r#"{{"a":"{}","n":{n}}}"#, "x".repeat(60_000));
        let (good, wrong) = (content("1"), content("\"1\""));
        assert_eq!(schema.wrong_output(Raw::check(&good).unwrap()), None);
        let what = schema.wrong_output(Raw::check(&wrong).unwrap()).expect("n is wrong");
        assert!(what.contains("n: must be an integer"), "{what}");
        let what = schema.wrong_fields(Raw::check(&good).unwrap());
        assert_eq!(what.as_deref(), Some("a: takes too long to compare with its pattern"), "of a client");
    }

    // row: TS-08
    #[test]
    fn output_with_such_a_text_that_is_too_large_to_explain_is_not_called_wrong() {
        let content = format!(r#"{{"a":"{}","n":[{}1]}}"#, "x".repeat(90_000), "1,".repeat(900));
        let content = Raw::check(&content).unwrap();
        let schema = |pattern: &str, items: &str| {
            compiled(&format!(
                r#"{{"properties":{{"a":{{"pattern":"{pattern}"}},"n":{{"items":{{"type":"{items}"}}}}}}}}"#
            ))
        };
        let backtracking = schema("^(?:(?!--).)*$", "integer");
        assert_eq!(backtracking.wrong_output(content), None);
        let too_large = Some("it is too large to say where");
        assert_eq!(backtracking.wrong_fields(content).as_deref(), too_large, "of a client");
        assert_eq!(
            schema("^x*$", "string").wrong_output(content).as_deref(),
            too_large,
            "it is wrong for sure"
        );
    }

    // row: TS-08
    #[test]
    fn output_with_such_a_text_in_one_of_several_shapes_is_not_called_wrong() {
        let long = r#"{"pattern":"^(?:(?!--).)*$"}"#;
        let content = format!(r#"{{"a":"{}"}}"#, "x".repeat(60_000));
        let content = Raw::check(&content).unwrap();
        for (shapes, is_wrong) in [
            (format!(r#"{{"anyOf":[{{"maxLength":5}},{long}]}}"#), false),
            (format!(r#"{{"oneOf":[{{"const":1}},{long},{{"maxLength":5}}]}}"#), false),
            (format!(r#"{{"anyOf":[{{"maxLength":5}},{{"anyOf":[{{"maxLength":6}},{long}]}}]}}"#), false),
            (format!(r#"{{"anyOf":[{{"maxLength":5}},{{"allOf":[{long},{{"maxLength":6}}]}}]}}"#), true),
        ] {
            let schema = compiled(&format!(r#"{{"properties":{{"a":{shapes}}}}}"#));
            let what = schema.wrong_output(content);
            assert_eq!(what.is_some(), is_wrong, "{shapes}: {what:?}");
        }
    }

    #[test]
    fn a_name_twice_and_a_number_out_of_range_are_refused() {
        assert_eq!(refusal("{}", r#"{"a":"../x","a":"x"}"#), "\n- arguments: has a member twice");
        let out_of_range = "\n- arguments: has a number out of range, or text that is not Unicode";
        assert_eq!(refusal("{}", r#"{"a":1e400}"#), out_of_range);
        assert_eq!(refusal("{}", r#"{"a":"\ud83d"}"#), out_of_range);
    }

    #[test]
    fn a_default_that_makes_another_part_fail_is_not_filled_in() {
        let schema =
            r#"{"properties":{"a":{"default":1},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}"#;
        assert_eq!(filled(schema, r#"{"b":1}"#), None);
        let text = "x".repeat(100_000);
        let large = format!(
            r#"{{"properties":{{"l":{{"items":{{"properties":{{"a":{{"default":"{text}"}}}}}}}}}}}}"#
        );
        assert_eq!(filled(&large, &format!(r#"{{"l":[{}{{}}]}}"#, "{},".repeat(1_000))), None);
    }

    #[test]
    fn of_several_shapes_the_one_that_fits_best_is_explained() {
        let schema = r#"{"type":"object","properties":{"a":{"anyOf":[
            {"type":"object","required":["kind","x"],"properties":{"kind":{"const":"one"}}},
            {"type":"object","required":["kind","y"],"properties":{"kind":{"const":"two"}}},
            {"type":"string"}]}}}"#;
        assert_eq!(refusal(schema, r#"{"a":{"kind":"two"}}"#), "\n- a.y: is missing");
        let one = r#"{"type":"object","properties":{"a":{"oneOf":[{"minimum":1},{"minimum":2}]}}}"#;
        assert_eq!(
            refusal(one, r#"{"a":3}"#),
            "\n- a: fits more than one of the shapes in \"oneOf\" (got 3)"
        );
    }

    #[test]
    fn many_problems_are_counted() {
        let required: Vec<_> = (10..40).map(|n| format!("\"p{n}\"")).collect();
        let schema = format!(r#"{{"type":"object","required":[{}]}}"#, required.join(","));
        let text = refusal(&schema, "{}");
        assert_eq!(text.lines().count(), 22, "{text}");
        assert!(text.ends_with("- p29: is missing\n- and 10 more"), "{text}");
    }

    // row: TA-15
    #[test]
    fn defaults_are_filled_in_after_the_check_and_the_rest_keeps_its_text() {
        let schema = r##"{"type":"object","required":["n"],"properties":{"n":{"type":"number"},"b":{"default":true},
            "a":{"$ref":"#/$defs/a"},"list":{"items":{"properties":{"k":{"default":[1]}}}}},
            "$defs":{"a":{"type":"object","default":{"z":1},"properties":{"z":{"default":2}}}}}"##;
        assert_eq!(
            filled(schema, r#"{"n":1.50, "list":[{},{"k":0}]}"#).as_deref(),
            Some(r#"{"n":1.50,"list":[{"k":[1]},{"k":0}],"a":{"z":1},"b":true}"#)
        );
        assert_eq!(
            filled(schema, r#"{"n":12345678901234567890123,"b":1,"a":{}}"#).as_deref(),
            Some(r#"{"n":12345678901234567890123,"b":1,"a":{"z":2}}"#)
        );
        assert_eq!(refusal(schema, "{}"), "\n- n: is missing");
        assert_eq!(filled(r#"{"properties":{"a":{"default":1}},"anyOf":[{}]}"#, r#"{"a":2}"#), None);
    }

    // row: TA-15
    #[test]
    fn a_default_keeps_each_digit_wherever_it_is_written() {
        let (large, small) = ("12345678901234567890123", "0.1000000000000000055511151231257827");
        let schema = format!(
            r##"{{"properties":{{"a":{{"default":{large}}},"b":{{"default":{{"list":[{small},1.50]}}}},
            "default":{{"default":1E2}},"list":{{"prefixItems":[{{"$ref":"#/$defs/default"}}]}}}},
            "$defs":{{"default":{{"properties":{{"c":{{"default":{small}}}}}}}}}}}"##
        );
        assert_eq!(
            filled(&schema, r#"{"list":[{}]}"#),
            Some(format!(
                r#"{{"list":[{{"c":{small}}}],"a":{large},"b":{{"list":[{small},1.50]}},"default":1E2}}"#
            ))
        );
    }

    #[test]
    fn a_wrong_schema_is_refused_with_the_path_of_its_fault() {
        for (schema, text) in [
            (r#"{"type":"objekt"}"#, "has a wrong schema: type"),
            (
                r#"{"properties":{"a":{"minimum":"1"}}}"#,
                "has a wrong schema: properties.a.minimum must be a number (got \"1\")",
            ),
            (r#"{"properties":{"a":{"pattern":"("}}}"#, "has a wrong schema: properties.a.pattern"),
            (r##"{"$ref":"#/$defs/none"}"##, "has a wrong schema: \"#/$defs/none\""),
            (
                r#"{"$ref":"https://example.com/s.json"}"#,
                "has a wrong schema: \"https://example.com/s.json\"",
            ),
            (
                r#"{"$schema":"https://example.com/dialect"}"#,
                "has the dialect \"https://example.com/dialect\"",
            ),
            (
                r#"{"properties":{"x y":{"type":"string","default":1}}}"#,
                "has a wrong default: properties.x y.default must be a string (got 1)",
            ),
            (
                r#"{"properties":{"a":{"type":"string","default":1}}}"#,
                "has a wrong default: properties.a.default must be a string (got 1)",
            ),
            (
                r##"{"properties":{"a":{"$ref":"#/$defs/n","default":-1}},"$defs":{"n":{"minimum":0}}}"##,
                "has a wrong default: properties.a.default must be at least 0 (got -1)",
            ),
        ] {
            let refused = refused_schema(schema);
            assert!(refused.starts_with(text), "{schema}: {refused}");
        }
        let long = format!(r#"{{"description":"{}"}}"#, "x".repeat(256 * 1024));
        assert!(refused_schema(&long).contains("256 KiB"));
    }

    #[test]
    fn old_dialects_are_read_as_they_are_meant() {
        let schema = r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
            "properties":{"a":{"type":"array","items":[{"type":"string"}]}}}"#;
        assert_eq!(refusal(schema, r#"{"a":[1]}"#), "\n- a[0]: must be a string (got 1)");
    }

    #[test]
    fn a_pattern_that_goes_back_too_often_is_a_problem_and_no_hang() {
        let schema = r#"{"properties":{"a":{"type":"string","pattern":"^(?=(a+)+$)b"}}}"#;
        let arguments = format!(r#"{{"a":"{}c"}}"#, "a".repeat(64));
        assert!(refusal(schema, &arguments).starts_with("\n- a: "));
    }

    // row: TA-14
    #[test]
    fn too_many_elements_are_refused_before_they_are_checked() {
        let arguments = format!(r#"{{"a":[{}0]}}"#, "0,".repeat(MOST_ELEMENTS));
        assert_eq!(refusal("{}", &arguments), "\n- arguments: has more than 100000 elements");
    }

    /// Any JSON whose names and texts are those that schemas use, so that parts of them are valid schemas.
    fn json() -> impl Strategy<Value = Value> {
        let word = prop::sample::select(vec![
            "type",
            "properties",
            "items",
            "anyOf",
            "oneOf",
            "$ref",
            "#",
            "#/properties/a",
            "#/items",
            "$defs",
            "a",
            "b",
            "0",
            "string",
            "object",
            "array",
            "integer",
            "enum",
            "const",
            "default",
            "pattern",
            "^(?=a)a+$",
            "not",
            "required",
            "minimum",
            "maxItems",
            "$id",
            "$anchor",
            "#x",
            "x",
            "if",
            "then",
            "additionalProperties",
            "unevaluatedProperties",
            "dependentRequired",
            "uniqueItems",
            "format",
            "multipleOf",
            "é\u{1F600}",
            "writeOnly",
        ]);
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3_i64..5).prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            word.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 48, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(word.clone().prop_map(str::to_owned), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn no_schema_and_no_arguments_make_it_panic(schema in json(), arguments in json()) {
            let (schema, arguments) = (schema.to_string(), arguments.to_string());
            if let Ok(schema) = Schema::compile(Raw::check(&schema).unwrap())
                && let Err(refusal) = schema.check(Raw::check(&arguments).unwrap())
            {
                prop_assert!(refusal.starts_with("\n- ") && refusal.lines().count() <= MOST_LINES + 2, "{refusal}");
            }
        }
    }
}
