//! Compares each declaration with the table.

use crate::declared::declared;
use crate::kinds;
use crate::names::{LANGUAGES, rows};
use crate::sources::{NAMES, Sources};
use wellhead::{OPTIONS, OptionEntry, OptionKind};

/// Defaults of a language that differ, with their reasons.
const OTHER_DEFAULTS: &[(&str, &str, OptionKind, &str)] =
    &[("Node", "handle_sigterm", OptionKind::Switch(true), "a service on the main thread is the program")];

/// Options that an asynchronous function of Python does not have.
const SYNCHRONOUS: &[&str] = &["callback_threads"]; // callbacks run on the loop

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
                let names: Vec<_> = own.iter().flat_map(|row| row.names[n].iter().copied()).collect();
                let found = of_language(sources, language, &names, option).into_iter();
                faults
                    .extend(found.map(|fault| format!("{language}: {} {}: {fault}", set.name, option.name)));
            }
        }
        let known = |name: &str| OPTIONS.iter().flat_map(|set| set.options).any(|option| option.name == name);
        let unknown = rows.iter().filter(|row| !known(row.option));
        faults
            .extend(unknown.map(|row| format!("NAMES.md: {} {} is not in the table", set.name, row.option)));
    }
    faults
}

/// Checks the names that a language has for an option: those of its gaps are none.
fn of_language(sources: &Sources, language: &str, names: &[&str], option: &OptionEntry) -> Vec<String> {
    let other = OTHER_DEFAULTS.iter().find(|(l, o, ..)| (*l, *o) == (language, option.name));
    let kind = other.map_or(option.kind, |(_, _, kind, _)| *kind);
    let mut faults = Vec::new();
    for (n, name) in names.iter().enumerate() {
        let declared = declared(sources, language, name);
        let has_twin = language == "Python" && (name.starts_with("run(") || name.starts_with("serve_http("));
        let expected = if has_twin && !SYNCHRONOUS.contains(&option.name) { 2 } else { 1 };
        if declared.len() < expected {
            faults.push(format!("{name} is declared {} of {expected} times", declared.len()));
        }
        // In C the further names are those of counts and of data.
        if language != "C" || n == 0 {
            faults.extend(kinds::faults(sources, language, (option.name, kind), name, &declared));
        }
    }
    faults
}
