//! The defaults that the command's help and the guides name.

use crate::kinds::amount;
use crate::sources::{COMMAND, DOCUMENTS, Sources};
use wellhead::{OPTIONS, OptionEntry, OptionKind};

/// The options of the command that show a default, with those of the table that they set.
const OF_COMMAND: &[(&str, &str)] =
    &[("--max-file-size", "max_file_bytes"), ("--settle-ms", "settle_ms"), ("--page-size", "page_items")];

/// Returns a line for each default that is not that of the table.
pub(crate) fn faults(sources: &Sources) -> Vec<String> {
    let of_documents = DOCUMENTS.iter().flat_map(|file| of_document(file, sources.text(file)));
    of_command(sources.text(COMMAND)).into_iter().chain(of_documents).collect()
}

/// The help shows a default in brackets at the end of an option's line.
fn of_command(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let shown = |line: &str| {
        let at = line.rfind(" [")?;
        Some(line[at + 2..].strip_suffix(']')?.to_owned())
    };
    let options = text.lines().filter_map(|line| {
        let flags = line.strip_prefix("  -")?;
        let flag = flags.split(' ').find(|flag| flag.starts_with('-') && flag.len() > 2)?;
        Some((format!("--{}", flag.trim_start_matches('-')), shown(line)))
    });
    let options: Vec<_> = options.collect();
    for (flag, option) in OF_COMMAND {
        if !options.iter().any(|(own, shown)| own == flag && *shown == number(option).map(short)) {
            faults.push(format!(
                "{COMMAND}: {flag} does not show its default, [{:?}]",
                number(option).map(short)
            ));
        }
    }
    for (flag, shown) in options {
        if shown.is_some() && !OF_COMMAND.iter().any(|(own, _)| *own == flag) {
            faults.push(format!("{COMMAND}: {flag} shows a default that no option of the table has"));
        }
    }
    faults
}

/// A guide names a default that is a number in parentheses, after the name of the option.
fn of_document(file: &str, text: &str) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut faults = Vec::new();
    for (at, _) in text.match_indices('(') {
        let inside = text[at + 1..].split(')').next().unwrap_or_default();
        let Some(default) = inside.strip_prefix("default ").or_else(|| inside.strip_suffix(" by default"))
        else {
            continue;
        };
        if !default.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let name = text[..at].rsplit('`').nth(1).unwrap_or_default();
        let name = snake(name.rsplit('.').next().unwrap_or_default());
        let is_near = text[..at].rsplit('`').next().is_some_and(|between| between.len() < 40);
        match number(&name).filter(|_| is_near) {
            Some(value) if default.trim_end_matches(" milliseconds") == amount(&name, value) => {}
            Some(value) => {
                faults.push(format!("{file}: {name} is {} by default: {inside}", amount(&name, value)));
            }
            None => faults.push(format!("{file}: ({inside}) stands after no option of the table")),
        }
    }
    faults
}

/// The default of an option that is a number.
fn number(name: &str) -> Option<u64> {
    let all = || OPTIONS.iter().flat_map(|set| set.options);
    let value = |option: &OptionEntry| match option.kind {
        OptionKind::Number(default) if option.name == name => Some(default),
        _ => None,
    };
    all().find_map(value)
}

/// A number as the command reads it: "64M".
fn short(value: u64) -> String {
    if value > 0 && value.trailing_zeros() >= 20 { format!("{}M", value >> 20) } else { value.to_string() }
}

fn snake(name: &str) -> String {
    let letter = |c: char| if c.is_uppercase() { format!("_{}", c.to_lowercase()) } else { c.to_string() };
    name.chars().map(letter).collect()
}
