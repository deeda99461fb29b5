//! Compares each declaration with the table.

use crate::declared::declared;
use crate::names::{LANGUAGES, rows};
use crate::sources::{NAMES, PAGE, Sources};
use crate::{documents, kinds, page, places};
use wellhead::{OPTIONS, OptionEntry, OptionKind, Spelling, WORD_LISTS};

/// Switches whose default differs in a language, with the reason.
pub(crate) const OTHER_DEFAULTS: &[(&str, &str, bool, &str)] =
    &[("Node", "handle_sigterm", true, "a service on the main thread is the program")];

/// Options that an asynchronous function of Python does not have.
pub(crate) const SYNCHRONOUS: &[&str] = &["callback_threads"]; // callbacks run on the loop

/// Returns a line for each difference between the table, `NAMES.md`, the languages, and the documents.
pub(crate) fn faults(sources: &Sources) -> Vec<String> {
    let mut faults = Vec::new();
    for set in OPTIONS {
        let rows = rows(sources.text(NAMES), set);
        for option in set.options {
            let own: Vec<_> = rows.iter().filter(|row| row.option == option.name).collect();
            if own.is_empty() {
                faults.push(format!("NAMES.md: {} {} has no row", set.name, option.name));
            }
            let camel = Spelling::Camel.name(option.name);
            let node = own.iter().flat_map(|row| &row.names[4]);
            if let Some(other) = node
                .filter(|_| !["capability", "extension"].contains(&option.name))
                .find(|name| !name.ends_with(&*camel))
            {
                faults.push(format!("core/src/spelling.rs: {} is {camel}, but {other} in Node", option.name));
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
    for (list, language) in WORD_LISTS.iter().flat_map(|list| LANGUAGES.map(|language| (list, language))) {
        let found = kinds::word_faults(sources, language, list).into_iter();
        faults.extend(found.map(|fault| format!("{language}: {}: {fault}", list.name)));
    }
    if sources.text(PAGE) != page::written() {
        faults.push(format!("{PAGE} is not what the table makes; run `make options`"));
    }
    let stale = places::written(sources);
    faults.extend(stale.keys().map(|file| format!("{file} lacks an option; run `make options`")));
    faults.extend(documents::faults(sources));
    faults
}

/// Checks the names that a language has for an option: those of its gaps are none.
fn of_language(sources: &Sources, language: &str, names: &[&str], option: &OptionEntry) -> Vec<String> {
    let other = OTHER_DEFAULTS.iter().find(|(l, o, ..)| (*l, *o) == (language, option.name));
    let kind = other.map_or(option.kind, |(_, _, on, _)| OptionKind::Switch(*on));
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
            faults.extend(kinds::faults(sources, language, (option, kind), name, &declared));
        }
    }
    faults
}
