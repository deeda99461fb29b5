use super::*;
use proptest::prelude::*;
use serde_json::Value;

const LIMITS: ParseLimits = ParseLimits { nesting: 100, id_bytes: 1024, batch_length: 3 };

/// One line that says all about what was parsed.
fn outcome(line: impl AsRef<[u8]>) -> String {
    let params = |params| match params {
        Params::Absent => "absent".to_owned(),
        Params::Object(raw) => raw.get().to_owned(),
        Params::Array => "array".to_owned(),
        Params::Other => "other".to_owned(),
    };
    let known = |id: Option<RequestId>| id.map_or("-".to_owned(), |id| id.raw().to_owned());
    match parse(line.as_ref(), &LIMITS) {
        Parsed::Request { id, method, params: p } => format!("request {} {method} {}", id.raw(), params(p)),
        Parsed::Notification { method, params: p } => format!("notification {method} {}", params(p)),
        Parsed::Response { id, result: Ok(raw) } => format!("result {} {}", known(id), raw.get()),
        Parsed::Response { id, result: Err(raw) } => format!("error {} {}", known(id), raw.get()),
        Parsed::Array(Some(elements)) => format!("array of {}", elements.len()),
        Parsed::Array(None) => "array too long".to_owned(),
        Parsed::Bad { id, fault: FaultKind::Parse } => format!("not JSON {}", known(id)),
        Parsed::Bad { id, fault: FaultKind::Invalid(_) } => format!("invalid {}", known(id)),
        Parsed::Bad { id, fault: FaultKind::Nesting } => format!("nesting {}", known(id)),
        Parsed::Bad { id, fault: FaultKind::IdTooLong } => format!("long id {}", known(id)),
    }
}

fn assert_outcomes<const N: usize>(cases: [(&str, &str); N]) {
    for (line, expected) in cases {
        assert_eq!(outcome(line), expected, "{line}");
    }
}

#[test]
fn a_message_with_an_id_is_a_request_and_one_without_a_notification() {
    assert_outcomes([
        (r#"{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":[1]}}"#, r#"request 1 a/b {"x":[1]}"#),
        (r#" { "method" : "a" , "id" : "" , "jsonrpc" : "2.0" } "#, r#"request "" a absent"#),
        (r#"{"jsonrpc":"2.0","method":"a"}"#, "notification a absent"),
        (r#"{"jsonrpc":"2.0","method":"","params":{}}"#, "notification  {}"),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"a"}"#, "request 1.0 a absent"),
        (r#"{"jsonrpc":"2.0","id":"\u0061","method":"a"}"#, r#"request "\u0061" a absent"#),
        (r#"{"jsonrpc":"2.0","id":90071992547409931,"method":"a"}"#, "request 90071992547409931 a absent"),
    ]);
}

#[test]
fn other_ids_are_refused_without_an_echo() {
    for id in ["null", "true", "1.5", "1e-1", "[1]", r#"{"a":1}"#, r#""\ud800""#] {
        assert_eq!(outcome(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"a"}}"#)), "invalid -", "{id}");
    }
}

#[test]
fn the_version_must_be_the_string_2_0() {
    assert_outcomes([
        (r#"{"id":1,"method":"a"}"#, "invalid 1"),
        (r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#, "invalid 1"),
        (r#"{"jsonrpc":2.0,"id":1,"method":"a"}"#, "invalid 1"),
        (r#"{"jsonrpc":null,"method":"a"}"#, "invalid -"),
        (r#"{"id":1,"result":{}}"#, "invalid -"),
        (r#"{"jsonrpc":"\u0032.0","id":1,"method":"a"}"#, "request 1 a absent"),
    ]);
}

#[test]
fn a_method_is_a_string() {
    assert_outcomes([
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, "invalid 1"),
        (r#"{"jsonrpc":"2.0","id":"x","method":["a"]}"#, r#"invalid "x""#),
        (r#"{"jsonrpc":"2.0","id":null,"method":1}"#, "invalid -"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, "invalid 1"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "invalid 1"),
        (r"{}", "invalid -"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\u0061\/b"}"#, "request 1 a/b absent"),
    ]);
}

#[test]
fn params_are_distinguished_by_their_type() {
    for (params, expected) in [
        ("null", "absent"),
        ("{}", "{}"),
        ("[]", "array"),
        ("[{}]", "array"),
        (r#""x""#, "other"),
        ("1", "other"),
        ("true", "other"),
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{params}}}"#);
        assert_eq!(outcome(line), format!("request 1 a {expected}"));
    }
}

#[test]
fn responses_carry_a_result_or_an_error() {
    assert_outcomes([
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "result 1 {}"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "result 1 null"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, r#"error 1 {"code":1}"#),
        (r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, "error - {}"),
        (r#"{"jsonrpc":"2.0","result":{}}"#, "result - {}"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1}}"#, r#"error 1 {"code":1}"#),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, "result 1 {}"),
    ]);
}

#[test]
fn a_method_makes_a_request_even_with_a_result() {
    assert_outcomes([(r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#, "request 1 a absent")]);
}

#[test]
fn unknown_members_are_ignored() {
    assert_outcomes([
        (r#"{"x":1,"jsonrpc":"2.0","x":{"id":2},"id":1,"method":"a","i":2,"ids":3}"#, "request 1 a absent"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","\ud800":2}"#, "request 1 a absent"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"ID":1,"id":2,"id":3}}"#,
            r#"request 1 a {"ID":1,"id":2,"id":3}"#,
        ),
    ]);
}

#[test]
fn a_doubtful_envelope_is_refused_and_only_a_certain_id_echoed() {
    assert_outcomes([
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","method":"a"}"#, "invalid 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","Method":"b"}"#, "invalid 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","param\u017f":{}}"#, "invalid 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","paramſ":{}}"#, "invalid 1"),
        (r#"{"JſonRPC":"2.0","jsonrpc":"2.0","id":1,"method":"a"}"#, "invalid 1"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","Reſult":{}}"#, "invalid 1"),
        (r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"a"}"#, "invalid -"),
        (r#"{"jsonrpc":"2.0","id":1,"\u0069d":1,"method":"a"}"#, "invalid -"),
        (r#"{"jsonrpc":"2.0","id":1,"ID":2,"method":"a"}"#, "invalid -"),
        (r#"{"jsonrpc":"2.0","Id":1,"method":"a"}"#, "invalid -"),
        (r#"{"jsonrpc":"2.0","id":null,"METHOD":"a"}"#, "invalid -"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"result":{}}"#, "invalid -"),
        (r#"{"jsonrpc":"2.0","id":1,"error":{},"Params":{}}"#, "invalid -"),
    ]);
}

#[test]
fn an_error_names_the_fault() {
    for (line, expected) in [
        (r#"{"id":1,"id":1}"#, "id occurs twice"),
        (r#"{"jsonrpc":"2.0","PARAMS":{}}"#, "params is written in another case"),
        (r#"{"jsonrpc":"1.0","method":"a"}"#, "jsonrpc must be \"2.0\""),
        (r#"{"jsonrpc":"2.0","method":1}"#, "method must be a string"),
        (r#"{"jsonrpc":"2.0","method":"a","id":null}"#, "id must be a string or an integer"),
        (r"{}", "neither a request, a notification nor a response"),
        ("1", "a message is an object"),
    ] {
        let Parsed::Bad { fault, .. } = parse(line.as_bytes(), &LIMITS) else { panic!("{line} is refused") };
        assert_eq!(fault, FaultKind::Invalid(expected), "{line}");
    }
}

#[test]
fn arrays_are_left_to_the_caller() {
    assert_outcomes([
        ("[]", "array of 0"),
        (r#" [{"jsonrpc":"2.0"},1] "#, "array of 2"),
        ("[1,[2],3]", "array of 3"),
        ("[1,2,3,4]", "array too long"),
        ("[1", "not JSON -"),
        ("[1]x", "not JSON -"),
    ]);
}

#[test]
fn other_json_is_no_message() {
    for line in ["null", "1", r#""{}""#, " true "] {
        assert_eq!(outcome(line), "invalid -", "{line}");
    }
}

#[test]
fn invalid_json_is_a_parse_error() {
    for line in [
        "",
        " ",
        "{",
        "}",
        "{]",
        r#"{"a"}"#,
        "{a:1}",
        r#"{"a":1,}"#,
        r#"{"a":1}{"#,
        r#"{"a":01}"#,
        r#"{"a":"\x"}"#,
        "{\"a\":\"\n\"}",
        "\u{feff}{}",
        "\u{a0}{}",
        "NaN",
    ] {
        assert_eq!(outcome(line), "not JSON -", "{line}");
    }
    assert_eq!(outcome(b"{\"a\":\"\xff\"}"), "not JSON -");
    assert_eq!(outcome(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"\xff\":1}"), "not JSON -");
}

fn nested(depth: usize) -> String {
    let inner = depth - 2;
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"x":{}{}}}}}"#,
        "[".repeat(inner),
        "]".repeat(inner)
    )
}

#[test]
fn nesting_over_the_limit_is_refused_before_the_syntax() {
    assert!(outcome(nested(100)).starts_with("request 1"));
    assert_eq!(outcome(nested(101)), "nesting -");
    assert_eq!(outcome("[".repeat(101)), "nesting -");
    assert_eq!(outcome("\u{feff}{x".repeat(101)), "nesting -");
}

#[test]
fn a_generous_nesting_limit_is_honoured() {
    let limits = ParseLimits { nesting: 100_000, ..LIMITS };
    assert!(matches!(parse(nested(100_000).as_bytes(), &limits), Parsed::Request { .. }));
}

#[test]
fn ids_over_the_limit_are_refused() {
    let line =
        |length: usize| format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"a"}}"#, "x".repeat(length - 2));
    assert!(outcome(line(1024)).starts_with("request"));
    assert_eq!(outcome(line(1025)), "long id -");
    let number = format!(r#"{{"jsonrpc":"2.0","id":{},"method":"a"}}"#, "1".repeat(1025));
    assert_eq!(outcome(number), "long id -");
    assert_eq!(outcome(line(1025).replace("method", "Method")), "invalid -");
}

/// JSON of every kind, with the members of an envelope among others.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        "-?[1-9][0-9]{0,3}(\\.[0-9]{1,3})?(e[+-]?[0-9]{1,2})?",
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        let name = prop_oneof![
            prop::sample::select(MEMBERS.map(|member| format!("\"{}\"", member.name)).to_vec()),
            any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec((name, inner), 0..6).prop_map(|members| {
                let members: Vec<_> =
                    members.iter().map(|(name, value)| format!("{name}: {value}")).collect();
                format!("{{{}}}", members.join(" ,"))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_classified(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = outcome(&bytes);
    }

    #[test]
    fn any_bytes_after_an_envelope_are_classified(
        bytes in prop::collection::vec(prop_oneof![
            prop::sample::select(br#"{}[]",:\u0d8e1.-"#.to_vec()),
            any::<u8>(),
        ], 0..60),
        start in 0..60usize,
    ) {
        let mut line = br#"{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":[1]}}"#.to_vec();
        line.truncate(start);
        line.extend_from_slice(&bytes);
        let _ = outcome(&line);
    }

    #[test]
    fn valid_json_is_never_a_parse_error(text in json()) {
        let kind = outcome(&text);
        prop_assert!(!kind.starts_with("not JSON"), "{}", kind);
        prop_assert_eq!(kind.starts_with("array"), text.starts_with('['));
    }

    #[test]
    fn text_that_serde_json_refuses_is_a_parse_error(
        text in json(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
    ) {
        let mut bytes = text.into_bytes();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        // A reader that decodes every value also stops at these, which are JSON by its grammar.
        let undecodable = ["number out of range", "lone leading surrogate", "unexpected end of hex escape"];
        let refused = match serde_json::from_slice::<Value>(&bytes).map_err(|error| error.to_string()) {
            Ok(_) => false,
            Err(error) => {
                prop_assume!(!undecodable.iter().any(|known| error.starts_with(known)));
                true
            }
        };
        prop_assert_eq!(outcome(&bytes).starts_with("not JSON"), refused);
    }

    #[test]
    fn ids_come_through_as_sent(id in prop_oneof![
        any::<i128>().prop_map(|value| value.to_string()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ]) {
        let line = format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"a"}}"#);
        prop_assert_eq!(outcome(line), format!("request {id} a absent"));
    }

    #[test]
    fn doubt_is_found_wherever_it_stands(
        order in Just(vec!["jsonrpc", "id", "method", "params", "x", "y"]).prop_shuffle(),
        twin in prop::sample::select(MEMBERS.map(|member| member.name).to_vec()),
        upper in any::<prop::sample::Index>(),
        escape in any::<bool>(),
        at in 0..7usize,
    ) {
        let value = |name: &str| match name {
            "jsonrpc" => r#""2.0""#,
            "method" => r#""a""#,
            "params" => "{}",
            _ => "7",
        };
        let mut members: Vec<_> = order.iter().map(|name| format!(r#""{name}":{}"#, value(name))).collect();
        prop_assert_eq!(outcome(format!("{{{}}}", members.join(","))), "request 7 a {}");

        let upper = upper.index(twin.len() + 1);
        let name: String = twin.char_indices().map(|(index, char)| {
            let char = if index == upper { char.to_ascii_uppercase() } else { char };
            if escape { format!("\\u{:04X}", u32::from(char)) } else { char.to_string() }
        }).collect();
        let known = order.contains(&twin) || upper < twin.len();
        members.insert(at, format!(r#""{name}":{}"#, value(twin)));
        let line = format!("{{{}}}", members.join(","));
        if known {
            prop_assert_eq!(outcome(&line), if twin == "id" { "invalid -" } else { "invalid 7" }, "{}", line);
        } else {
            prop_assert_eq!(outcome(&line), "request 7 a {}");
        }
    }
}
