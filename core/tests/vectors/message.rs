//! Messages of a script: how they are written, and how expected lines are compared. See README, "Messages".

use serde_json::Value;
use std::collections::BTreeMap;

const STATELESS: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
const SERVER: &str = r#"{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;

/// The texts that `@{name}` has matched.
pub(crate) type Kept = BTreeMap<String, String>;

/// The line to send.
pub(crate) fn sent(message: &Value, kept: &Kept) -> Result<String, String> {
    let mut line = String::new();
    for token in tokens(&written(message)) {
        match token {
            Token::Literal(text) => line.push_str(&text),
            Token::Name(name) => {
                line.push_str(kept.get(&name).ok_or_else(|| format!("@{{{name}}} has matched nothing yet"))?);
            }
            Token::Any => return Err("@{*} cannot be sent".to_owned()),
        }
    }
    Ok(line)
}

/// Returns whether a line that came out is the expected message; keeps what a name matches for the first time.
pub(crate) fn matches(expected: &Value, line: &str, kept: &mut Kept) -> bool {
    let mut rest = line;
    let mut found = Vec::new();
    for token in tokens(&written(expected)) {
        let literal = match token {
            Token::Literal(text) => text,
            Token::Name(name) if kept.contains_key(&name) => kept[&name].clone(),
            Token::Name(name) => {
                let Some(text) = up_to_quote(&mut rest) else { return false };
                found.push((name, text));
                continue;
            }
            Token::Any => match up_to_quote(&mut rest) {
                Some(_) => continue,
                None => return false,
            },
        };
        match rest.strip_prefix(&*literal) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    kept.extend(found);
    rest.is_empty()
}

/// Returns the part of an expected message that a failure shows.
pub(crate) fn shown(expected: &Value) -> String {
    written(expected)
}

fn up_to_quote(rest: &mut &str) -> Option<String> {
    let (text, after) = rest.split_at(rest.find('"')?);
    *rest = after;
    (!text.is_empty()).then(|| text.to_owned())
}

fn written(message: &Value) -> String {
    let text = match message {
        Value::String(verbatim) => verbatim.clone(),
        object => object.to_string(),
    };
    text.replace("\"$stateless\"", STATELESS).replace("\"$server\"", SERVER)
}

enum Token {
    Literal(String),
    Name(String),
    Any,
}

fn tokens(line: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((before, (inner, after))) =
        rest.split_once("@{").and_then(|(before, tail)| Some((before, tail.split_once('}')?)))
    {
        found.push(Token::Literal(before.to_owned()));
        found.push(match inner.rsplit_once('*') {
            Some(("", "")) => Token::Any,
            Some((text, times)) => {
                Token::Literal(text.repeat(times.parse().expect("rows.py checks the repetitions")))
            }
            None => Token::Name(inner.to_owned()),
        });
        rest = after;
    }
    found.push(Token::Literal(rest.to_owned()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_is_written_compactly_in_its_own_order() {
        let message: Value = serde_json::from_str(r#"{ "b" : "é", "a" : [ 1 ] }"#).unwrap();
        assert_eq!(sent(&message, &Kept::new()).unwrap(), r#"{"b":"é","a":[1]}"#);
    }

    #[test]
    fn a_name_in_a_vector_keeps_its_first_match() {
        let mut kept = Kept::new();
        assert!(matches(&json!({"c": "@{c}"}), r#"{"c":"xyz"}"#, &mut kept));
        assert_eq!(sent(&json!({"d": "@{c}A"}), &kept).unwrap(), r#"{"d":"xyzA"}"#);
        assert!(matches(&json!({"c": "@{c}"}), r#"{"c":"xyz"}"#, &mut kept));
        assert!(!matches(&json!({"c": "@{c}"}), r#"{"c":"xy"}"#, &mut kept));
        assert!(!matches(&json!({"c": "@{new}"}), r#"{"c":""}"#, &mut kept));
        assert!(sent(&json!("@{unknown}"), &kept).is_err());
    }

    #[test]
    fn repetitions_are_written_out() {
        assert_eq!(sent(&json!("@{[*3}x@{]*3}"), &Kept::new()).unwrap(), "[[[x]]]");
        assert!(matches(&json!({"t": "@{a\"*2}"}), r#"{"t":"a\"a\""}"#, &mut Kept::new()));
    }

    #[test]
    fn a_line_must_match_whole() {
        assert!(!matches(&json!("ab"), "abc", &mut Kept::new()));
        assert!(!matches(&json!("abc"), "ab", &mut Kept::new()));
    }
}
