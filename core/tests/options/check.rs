//! Compares each declaration with the table.

use crate::declared::{Declared, declared};
use crate::names::{LANGUAGES, rows};
use crate::sources::{NAMES, Sources};
use wellhead::{OPTIONS, OptionEntry, OptionKind};

/// Defaults of a language that differ, with their reasons.
const OTHER_DEFAULTS: &[(&str, &str, OptionKind, &str)] =
    &[("Node", "handle_sigterm", OptionKind::Switch(true), "a service on the main thread is the program")];

/// Returns a line for each difference between the table, `NAMES.md` and the languages.
pub(crate) fn faults(sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    for set in OPTIONS {
        let rows = rows(sources.text(NAMES), set);
        for option in set.options {
            let own: Vec<_> = rows.iter().filter(|row| row.option == option.name).collect();
            if own.is_empty() {
                faults.push(format!("NAMES.md: {} {} has no row", set.name, option.name));
            }
            for (n, language) in LANGUAGES.iter().enumerate() {
                for name in own.iter().flat_map(|row| &row.names[n]) {
                    let found = of_language(sources, language, name, option);
                    faults.extend(
                        found
                            .into_iter()
                            .map(|fault| format!("{language}: {} {}: {fault}", set.name, option.name)),
                    );
                }
            }
        }
    }
    faults
}

fn of_language(sources: &Sources, language: &str, name: &str, option: &OptionEntry) -> Vec<String> {
    let other = OTHER_DEFAULTS.iter().find(|(l, o, ..)| (*l, *o) == (language, option.name));
    let kind = other.map_or(option.kind, |(_, _, kind, _)| *kind);
    let declared = declared(sources, language, name);
    if declared.is_empty() {
        return vec![format!("{name} is not declared")];
    }
    let check = |one: &Declared| match kind {
        OptionKind::Number(default) => number(language, one, option.name, default),
        OptionKind::Switch(default) if language == "C" => flag(sources, name, default),
        OptionKind::Switch(default) => switch(one, default),
    };
    declared
        .iter()
        .flat_map(|one| {
            check(one).into_iter().map(move |fault| format!("{fault}: {} {}", one.line, one.about))
        })
        .collect()
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
fn flag(sources: &Sources, name: &str, default: bool) -> Vec<String> {
    let all = sources.of("C").collect::<String>();
    let test = format!("flags & {name} {} 0", if default { "==" } else { "!=" });
    let mut faults = Vec::new();
    if !all.contains(&test) {
        faults.push(format!("no code has {test:?}"));
    }
    let listed =
        all.lines().any(|line| line.trim_start().starts_with("/// WELLHEAD_") && line.contains(name));
    if !listed {
        faults.push(format!("the comment of `flags` does not list {name}"));
    }
    faults
}

fn unit(name: &str) -> &'static str {
    match name.rsplit_once('_').map(|(_, unit)| unit) {
        Some("bytes") => "byte",
        Some("ms") => "millisecond",
        Some("percent") => "percent",
        _ => "",
    }
}

/// A number as people read it: "4 MiB", "10,000".
fn amount(name: &str, value: u64) -> String {
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

/// Whether a comment says that this is the default.
fn says(about: &str, words: &str) -> bool {
    let before = ["Default ", "Default: ", "0: ", "NULL: "];
    let ends =
        |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !rest.starts_with(",0");
    let follows = |start: &str| {
        about
            .match_indices(start)
            .any(|(at, _)| about[at + start.len()..].strip_prefix(words).is_some_and(ends))
    };
    before.into_iter().any(follows) || about.contains(&format!("{words} by default"))
}
