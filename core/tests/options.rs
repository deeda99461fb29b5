//! The options that are numbers have one table, in the core. Each language declares them by hand, where their docs are.
//! This compares the declarations with the table: the name, the default and the unit.

use std::fmt::Write as _;
use std::path::Path;
use wellhead::{NUMBERS, Number};

/// Where a language declares the options of one set: the files, and in each the line with which the part begins.
type Places = &'static [(&'static str, &'static str)];

/// A set of options, and its places in Rust, C, C++, Python and Node. C++ uses the limits of C.
const SETS: &[(&str, [Places; 5])] = &[
    (
        "limits",
        [
            &[("core/src/limits.rs", "pub struct Limits")],
            &[("ffi/src/server.rs", "pub struct wellhead_limits")],
            &[("ffi/src/server.rs", "pub struct wellhead_limits")],
            &[(PYTHON, "class Limits:")],
            &[(NODE, "export interface Limits")],
        ],
    ),
    (
        "endpoint",
        [
            &[("core/src/http/endpoint.rs", "impl EndpointBuilder")],
            &[("ffi/src/http/options.rs", "pub struct wellhead_endpoint_options")],
            &[(CPP_HTTP, "struct EndpointOptions")],
            &[(PYTHON, "def serve_http("), (PYTHON, "def serve_http_async("), (PYTHON, "def asgi(")],
            &[(NODE_HTTP, "export interface HttpOptions"), (NODE, "export interface ServeHttpOptions")],
        ],
    ),
    (
        "listener",
        [
            &[("core/src/serve/http.rs", "impl Http {")],
            &[("ffi/src/http/serve.rs", "pub struct wellhead_http_options")],
            &[(CPP_HTTP, "struct HttpOptions")],
            &[(PYTHON, "def serve_http("), (PYTHON, "def serve_http_async(")],
            &[(NODE, "export interface ServeHttpOptions")],
        ],
    ),
    (
        "stdio",
        [
            &[("core/src/serve/stdio.rs", "impl Stdio {")],
            &[("ffi/src/stdio.rs", "pub struct wellhead_stdio_options")],
            &[(CPP, "struct StdioOptions")],
            &[(PYTHON, "def run("), (PYTHON, "def run_async(")],
            &[(NODE, "export interface RunOptions")],
        ],
    ),
    (
        "folder",
        [
            &[("core/src/directory/mod.rs", "impl Directory {")],
            &[("ffi/src/directory.rs", "pub struct wellhead_directory")],
            &[(CPP, "struct Directory {")],
            &[(PYTHON, "def directory(")],
            &[(NODE, "export interface DirectoryOptions")],
        ],
    ),
];

const CPP: &str = "include/wellhead.hpp";
const CPP_HTTP: &str = "include/wellhead_http.hpp";
const PYTHON: &str = "bindings/python/python/wellhead/_core.pyi";
const NODE: &str = "bindings/node/lib/options.ts";
const NODE_HTTP: &str = "bindings/node/lib/httpOptions.ts";

const LANGUAGES: [&str; 5] = ["Rust", "C", "C++", "Python", "Node"];

/// Options that a language does not have.
const ABSENT: &[(&str, &str, &str, &str)] = &[
    ("Node", "listener", "callback_threads", "one thread"),
    ("Node", "stdio", "callback_threads", "one thread"),
];

#[test]
fn each_language_has_the_numbers_of_the_table_with_their_defaults_and_units() {
    let mut faults = String::new();
    assert!(NUMBERS.iter().map(|(set, _)| set).eq(SETS.iter().map(|(set, _)| set)));
    for ((set, numbers), (_, places)) in NUMBERS.iter().zip(SETS) {
        for (language, places) in LANGUAGES.iter().zip(places) {
            for number in *numbers {
                let absent =
                    ABSENT.iter().any(|(l, s, name, _)| (l, s, *name) == (language, set, number.name));
                let declared: Vec<Declared> =
                    places.iter().filter_map(|place| declared(language, *place, number.name)).collect();
                if declared.is_empty() != absent {
                    let _ = writeln!(faults, "{language}: {set} {} is declared: {}", number.name, !absent);
                }
                for one in declared {
                    for fault in one.faults(language, number) {
                        let _ =
                            writeln!(faults, "{language}: {set} {}: {fault}: {:?}", number.name, one.about);
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// The declaration of an option.
struct Declared {
    /// The value in the declaration, if it has one.
    value: Option<String>,
    /// Its comment.
    about: String,
}

impl Declared {
    fn faults(&self, language: &str, number: &Number) -> Vec<String> {
        let mut faults = Vec::new();
        let words = words(number);
        match self.value.as_deref() {
            // C++ hands the zero to C, whose comment says the default.
            Some("0" | "{}") if language == "C++" => return faults,
            Some("None") | None => {
                if !says(&self.about, &words) {
                    faults.push(format!("its default is not said to be {words}"));
                }
            }
            Some(value) => {
                if value.replace('_', "").parse() != Ok(number.default) {
                    faults.push(format!("its default is {value}, in the core {}", number.default));
                }
            }
        }
        let unit = unit(number.name);
        // A signature that repeats another has no comment of its own.
        if !self.about.is_empty() && !self.about.to_lowercase().contains(unit) {
            faults.push(format!("its comment does not name the unit, {unit}"));
        }
        faults
    }
}

fn unit(name: &str) -> &'static str {
    match name.rsplit_once('_').map(|(_, unit)| unit) {
        Some("bytes") => "byte",
        Some("ms") => "millisecond",
        Some("percent") => "percent",
        _ => "",
    }
}

/// The default as people read it: "4 MiB", "10,000".
fn words(number: &Number) -> String {
    let value = number.default;
    if unit(number.name) == "byte" {
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

/// The declaration of an option in a place, if it is there.
fn declared(language: &str, (file, start): (&str, &str), name: &str) -> Option<Declared> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("{file} has no \"{start}\""));
    match language {
        "Python" => python(rest, name),
        "Node" => commented(part(rest, "\n}"), &[&format!("{}?:", spelled(name))]),
        "C++" if file.starts_with("include/") => member(part(rest, "\n};"), name),
        // `drain` of Rust takes a `Duration`.
        "Rust" if name == "drain_ms" => commented(part(rest, "\n}"), &["pub fn drain("]),
        _ => commented(part(rest, "\n}"), &[&format!("pub {name}:"), &format!("pub fn {name}(")]),
    }
}

fn part<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or(text, |(part, _)| part)
}

/// A name in Node's spelling.
fn spelled(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |spelled, part| spelled + &part[..1].to_uppercase() + &part[1..])
}

/// The comment above the line that begins with one of these.
fn commented(part: &str, starts: &[&str]) -> Option<Declared> {
    let lines: Vec<&str> = part.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| starts.iter().any(|start| line.starts_with(start)))?;
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with(['/', '*', '#']));
    let mut about: Vec<&str> = above.map(|line| line.trim_matches(['/', '*', ' '])).collect();
    about.reverse();
    Some(Declared { value: None, about: about.join(" ") })
}

/// A member of a struct of C++, with its value: several may share a line.
fn member(part: &str, name: &str) -> Option<Declared> {
    let (_, after) = part.split_once(&format!(" {name} = "))?;
    let value = after.split([',', ';']).next()?.to_owned();
    Some(Declared { value: Some(value), about: String::new() })
}

/// A parameter, with what the `Args` of the docstring say.
fn python(rest: &str, name: &str) -> Option<Declared> {
    let (signature, body) = rest.split_once("\"\"\"")?;
    // The docstring of a class is above its constructor.
    let in_class = !signature.contains('(') && !signature.contains("->");
    let (_, of_init) = if in_class { rest.split_once("def __new__(")? } else { ("", signature) };
    let (_, value) = part(of_init, "->").split_once(&format!(" {name}: int"))?;
    let (_, value) = value.split_once(" = ")?;
    let value = value.split([',', '\n']).next()?.trim().to_owned();
    let docs = part(body, "\"\"\"");
    let mut lines = docs.lines().skip_while(|line| !line.trim_start().starts_with(&format!("{name}: ")));
    let first = lines.next().unwrap_or_default();
    let indent = first.len() - first.trim_start().len();
    let further = lines.take_while(|line| line.len() - line.trim_start().len() > indent);
    let about: Vec<&str> = std::iter::once(first).chain(further).map(str::trim).collect();
    Some(Declared { value: Some(value), about: about.join(" ") })
}
