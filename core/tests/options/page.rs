//! The page of all options, as the table makes it.

use crate::check::OTHER_DEFAULTS;
use crate::kinds::{about, amount, unit};
use std::fmt::Write;
use wellhead::{OPTIONS, OptionEntry, OptionKind, OptionSet, WORD_LISTS};

const HEAD: &str = "\
# Options

Each option, limit and counter, with its default and unit. Each language spells the names in its own way: `page_items` is `page_items` in
Rust, C, C++ and Python, and `pageItems` in Node. [`NAMES.md`](NAMES.md) has every name, and says which language lacks an option. C has a
constant for each switch, such as `WELLHEAD_NO_SUBSCRIBE`. A number is at least 1, unless its type says that 0 is allowed; in C and C++ a number that is 0 has its default. Clients of the
handshake era are those of the revisions up to 2025-11-25, which begin with `initialize`.

`make options` writes this page from the tables in `core/src/options.rs`, `core/src/limits.rs` and `core/src/model/tool_limits.rs`.
";

/// Returns the text of the page.
pub(crate) fn written() -> String {
    let mut page = HEAD.to_owned();
    for set in OPTIONS {
        // The first section is the set's own.
        write!(page, "\n## {}\n", set.sections[0]).unwrap();
        if !set.about.is_empty() {
            write!(page, "\n{}\n", set.about).unwrap();
        }
        page.push_str(&table(set));
    }
    page.push_str("\n## Words of values\n\n| value | words | meaning |\n|---|---|---|\n");
    for list in WORD_LISTS {
        writeln!(page, "| {} | {} | {} |", list.name, quoted(list.words), list.about).unwrap();
    }
    page
}

fn table(set: &OptionSet) -> String {
    let counts = set.options.iter().all(|option| option.kind == OptionKind::Counter);
    let head = if counts {
        "\n| counter | meaning |\n|---|---|\n"
    } else {
        "\n| option | type | default | meaning |\n|---|---|---|---|\n"
    };
    let row = |option: &OptionEntry| {
        let (kind, default) = columns(option);
        let between = if counts { String::new() } else { format!(" {kind} | {default} |") };
        format!("| `{}` |{between} {} |\n", option.name, meaning(option))
    };
    head.to_owned() + &set.options.iter().map(row).collect::<String>()
}

/// The type of an option with its unit, and its default.
fn columns(option: &OptionEntry) -> (String, String) {
    let or_dash = |default: &str| if default.is_empty() { "–".to_owned() } else { default.to_owned() };
    match option.kind {
        OptionKind::Number(default) => {
            let kind = match unit(option.name) {
                "" => "number".to_owned(),
                "percent" => "number, in percent".to_owned(),
                unit => format!("number of {unit}s"),
            };
            let kind = if option.or_zero { kind + ", 0 allowed" } else { kind };
            (kind, amount(option.name, default))
        }
        OptionKind::Limit => {
            let unit = unit(option.name);
            (
                if unit.is_empty() { "number".to_owned() } else { format!("number of {unit}s") },
                "no limit".to_owned(),
            )
        }
        OptionKind::Switch(default) => ("switch".to_owned(), on_or_off(default) + &elsewhere(option)),
        OptionKind::Word(words) => (format!("one of {}", quoted(words)), format!("`{}`", words[0])),
        OptionKind::ByWord(words) => (format!("a value for each of {}", quoted(words)), "–".to_owned()),
        OptionKind::Text(default) => ("text".to_owned(), or_dash(default)),
        OptionKind::List(default) => ("list of texts".to_owned(), or_dash(default)),
        OptionKind::Object(default) => ("object".to_owned(), or_dash(default)),
        OptionKind::Callback(default) => ("callback".to_owned(), or_dash(default)),
        OptionKind::Counter => ("number".to_owned(), "0".to_owned()),
    }
}

fn on_or_off(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

/// The default of a language that has another.
fn elsewhere(option: &OptionEntry) -> String {
    let other = OTHER_DEFAULTS.iter().find(|(_, name, ..)| *name == option.name);
    other.map(|(language, _, on, _)| format!("; {} in {language}", on_or_off(*on))).unwrap_or_default()
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The meaning without the default, which has a column.
pub(crate) fn meaning(option: &OptionEntry) -> String {
    let about = about(option);
    let sentence = match option.kind {
        OptionKind::Number(default) => format!(" Default {}.", amount(option.name, default)),
        _ => return about,
    };
    about.replace(&sentence, "")
}
