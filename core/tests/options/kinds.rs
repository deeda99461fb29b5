//! The rules for the declarations of each kind of option.

use crate::declared::{Declared, before};
use crate::sources::{POLICY, Sources};
use wellhead::{OptionEntry, OptionKind, WordList};

/// Returns what is wrong with the declarations of an option under one name.
pub(crate) fn faults(
    sources: &Sources,
    language: &str,
    (option, kind): (&OptionEntry, OptionKind),
    name: &str,
    declared: &[Declared],
) -> Vec<String> {
    let each = |check: &dyn Fn(&Declared) -> Vec<String>| {
        let faults = |one: &Declared| {
            check(one).into_iter().map(|fault| format!("{fault}: {} {}", one.line, one.about)).collect()
        };
        declared.iter().flat_map::<Vec<_>, _>(faults).collect()
    };
    match kind {
        OptionKind::Number(default) => each(&|one| number(language, one, option.name, default)),
        OptionKind::Switch(default) if language == "C" => flag(sources, name, option.name, default),
        OptionKind::Switch(default) => each(&|one| switch(one, default)),
        OptionKind::Word(words) => each(&|one| word(sources, language, one, words)),
        OptionKind::ByWord(words) => by_word(sources, language, words),
        OptionKind::Text(default)
        | OptionKind::List(default)
        | OptionKind::Object(default)
        | OptionKind::Callback(default) => each(&|one| value(language, one, default)),
        OptionKind::Limit => each(&|one| limit(one, option.name)),
        OptionKind::Counter => each(&|one| counter(one, &about(option))),
    }
}

/// Returns what is wrong with the words of a value in a language.
pub(crate) fn word_faults(sources: &Sources, language: &str, list: &WordList) -> Vec<String> {
    let lines = match (list.name, language) {
        ("severity", "C") => {
            let name = |word: &str| format!("pub const WELLHEAD_SEVERITY_{}: u32", word.to_uppercase());
            list.words.iter().enumerate().map(|(n, word)| format!("{} = {};", name(word), n + 1)).collect()
        }
        // The levels of the protocol have the same words, and more of them.
        ("severity", "Node") => vec![format!("Severity = '{}';", list.words.join("' | '"))],
        ("severity", "Python") => vec![], // the levels of `logging`
        _ => return by_word(sources, language, list.words),
    };
    let all = sources.of_language(language).collect::<String>();
    lines.into_iter().filter(|line| !all.contains(line)).map(|line| format!("no code has {line:?}")).collect()
}

/// The meaning of an option in one line.
pub(crate) fn about(option: &OptionEntry) -> String {
    option.about.join("").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The comment of a counter is that of the table.
fn counter(one: &Declared, about: &str) -> Vec<String> {
    if one.about == about { vec![] } else { vec![format!("its comment is not {about:?}")] }
}

/// A limit that is off by default has no value, or the value 0 where that means so.
fn limit(one: &Declared, name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if let Some(value) = one.value.as_deref().filter(|value| !["0", "None"].contains(value)) {
        faults.push(format!("its default is {value}, in the core it is off"));
    }
    if !one.about.is_empty() && !one.about.to_lowercase().contains(unit(name)) {
        faults.push(format!("its comment does not name the unit, {}", unit(name)));
    }
    faults
}

fn number(language: &str, one: &Declared, name: &str, default: u64) -> Vec<String> {
    let mut faults = Vec::new();
    let words = amount(name, default);
    match one.value.as_deref() {
        // C++ hands the zero to C, whose comment says the default.
        Some("0" | "{}") if language == "C++" => return faults,
        Some("None") | None => {
            if !says(&one.about, &words) {
                faults.push(format!("its default is not said to be {words}"));
            }
        }
        Some(value) => {
            if value.replace('_', "").parse() != Ok(default) {
                faults.push(format!("its default is {value}, in the core {default}"));
            }
        }
    }
    let unit = unit(name);
    // A signature that repeats another has no comment of its own.
    if !one.about.is_empty() && !one.about.to_lowercase().contains(unit) {
        faults.push(format!("its comment does not name the unit, {unit}"));
    }
    faults
}

fn switch(one: &Declared, default: bool) -> Vec<String> {
    let python = if default { "True" } else { "False" };
    match one.value.as_deref() {
        Some(value) if value == python => vec![],
        Some(value) => vec![format!("its default is {value}, in the core {default}")],
        None if says(&one.about, &default.to_string()) => vec![],
        None => vec![format!("its default is not said to be {default}")],
    }
}

/// A switch of C is a bit of `flags`, which means the value that is not the default.
fn flag(sources: &Sources, name: &str, option: &str, default: bool) -> Vec<String> {
    let all = sources.of_language("C").collect::<String>();
    let test = format!("{name} => {option} = {},", !default);
    let mut faults = Vec::new();
    if !all.contains(&test) {
        faults.push(format!("no code has {test:?}"));
    }
    let comments = all.split("pub flags: u32").filter_map(|before| before.rsplit("pub ").next());
    let listed = comments.into_iter().any(|comment| comment.contains(name));
    if !listed {
        faults.push(format!("the comment of `flags` does not list {name}"));
    }
    faults
}

/// The words of a choice, the default first.
fn word(sources: &Sources, language: &str, one: &Declared, words: &[&str]) -> Vec<String> {
    let default = words[0];
    let missing = |text: &str, quote: &str| {
        let missing = words.iter().filter(|word| !text.contains(&format!("{quote}{word}{quote}")));
        missing.map(|word| format!("it does not have the word {word}")).collect::<Vec<_>>()
    };
    let says_default = |quoted: String| {
        if one.about.contains(&quoted) { None } else { Some(format!("{quoted} is missing")) }
    };
    match language {
        "Rust" => {
            let linked = one.about.split_once("Default: [`").and_then(|(_, rest)| rest.split_once("`]"));
            let (owner, variant) = linked.and_then(|(path, _)| path.rsplit_once("::")).unwrap_or_default();
            let owner = owner.strip_prefix("crate::").unwrap_or(owner);
            let (_, rest) =
                sources.text(POLICY).split_once(&format!("pub enum {owner} {{\n")).unwrap_or_default();
            let about = before(rest, &format!("    #[default]\n    {variant},\n"));
            let is_default = about.len() < rest.len() && about.contains(&format!("/// `{default}`"));
            if is_default { vec![] } else { vec![format!("its default is not said to be {default}")] }
        }
        "C" => {
            missing(&one.about, "").into_iter().chain(says_default(format!("{default} (default)"))).collect()
        }
        "Python" => {
            let literal = format!("Literal[\"{}\"] = \"{default}\"", words.join("\", \""));
            // A signature that repeats another has no comment of its own.
            let mut faults = if one.about.is_empty() { vec![] } else { missing(&one.about, "`") };
            if one.line != literal {
                faults.push(format!("it is not {literal}"));
            }
            faults
        }
        "Node" => {
            // A type may stand for all dates.
            let listed = |word: &str| one.line.contains(&format!("'{word}'")) || word.contains('-');
            let further = words
                .iter()
                .filter(|word| !listed(word))
                .map(|word| format!("its type does not have {word}"));
            missing(&one.about, "`")
                .into_iter()
                .chain(says_default(format!("`{default}` (default)")))
                .chain(further)
                .collect()
        }
        _ => vec![],
    }
}

/// The list of words that a language has somewhere for the keys of a map.
fn by_word(sources: &Sources, language: &str, words: &[&str]) -> Vec<String> {
    let (quote, between) = match language {
        "C" => ("", ", "),
        "Python" => ("`", ", "),
        "Node" => ("'", " | "),
        _ => return vec![], // an enumeration
    };
    let all: Vec<String> = words.iter().map(|word| format!("{quote}{word}{quote}")).collect();
    let (last, first) = all.split_last().unwrap();
    let lists = [between, " or ", " and "].map(|joint| format!("{}{joint}{last}", first.join(between)));
    let text = sources.of_language(language).collect::<String>();
    let plain = text.split_whitespace().filter(|word| *word != "///").collect::<Vec<_>>().join(" ");
    if lists.iter().any(|list| plain.contains(list)) {
        vec![]
    } else {
        vec![format!("no text has {}", lists[0])]
    }
}

/// A value whose default people read. Further fields of C, such as counts, have no comment of their own.
fn value(language: &str, one: &Declared, default: &str) -> Vec<String> {
    let given = one.value.as_deref().filter(|value| !matches!(*value, "None" | "()"));
    let says_it = says(&one.about, default);
    match given {
        _ if default.is_empty() || language == "C++" || one.about.is_empty() && given.is_none() => vec![],
        Some(value) if value.trim_matches('"') == default => vec![],
        Some(value) => vec![format!("its default is {value}, in the core {default}")],
        None if says_it => vec![],
        None => vec![format!("its default is not said to be {default}")],
    }
}

pub(crate) fn unit(name: &str) -> &'static str {
    match name.rsplit_once('_').map(|(_, unit)| unit) {
        Some("bytes") => "byte",
        Some("ms") => "millisecond",
        Some("percent") => "percent",
        _ => "",
    }
}

/// A number as people read it: "4 MiB", "10,000".
pub(crate) fn amount(name: &str, value: u64) -> String {
    if unit(name) == "byte" {
        for (shift, word) in [(20, "MiB"), (10, "KiB")] {
            if value > 0 && value.trailing_zeros() >= shift {
                return format!("{} {word}", value >> shift);
            }
        }
    }
    let digits = value.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|three| str::from_utf8(three).unwrap()).collect();
    groups.join(",")
}

/// Returns whether a comment says that this is the default.
fn says(about: &str, words: &str) -> bool {
    let about = about.replace('`', "");
    let ends =
        |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !rest.starts_with(",0");
    let follows = |start: &str| {
        about
            .match_indices(start)
            .any(|(at, _)| about[at + start.len()..].strip_prefix(words).is_some_and(ends))
    };
    let before = ["Default ", "Default: ", "0: ", "NULL: ", "bsent: ", "none: "];
    before.into_iter().any(follows)
        || about.to_lowercase().contains(&format!("{words} by default").to_lowercase())
}
