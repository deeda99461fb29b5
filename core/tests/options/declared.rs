//! The declaration of an option in the sources of a language, found by its name in `NAMES.md`.

use crate::sources::Sources;

/// A declaration of an option.
#[derive(Debug)]
pub(crate) struct Declared {
    /// The line, or the part of it that is about the option.
    pub(crate) line: String,
    /// The default in the declaration, if it has one.
    pub(crate) value: Option<String>,
    /// The comment, or the part of the documentation, about the option.
    pub(crate) about: String,
}

/// Returns the declarations of a name: Python's asynchronous functions repeat those of their twins.
pub(crate) fn declared(sources: &Sources, language: &str, name: &str) -> Vec<Declared> {
    sources.of_language(language).flat_map(|text| in_text(text, language, name)).collect()
}

fn in_text(text: &str, language: &str, name: &str) -> Vec<Declared> {
    let (owner, item) = match language {
        "Rust" => name.rsplit_once("::").unwrap_or_default(),
        "C++" => name.split_once("::").unwrap_or_default(),
        "Python" => name.trim_end_matches("=)").split_once('(').unwrap_or_default(),
        _ => name.split_once('.').unwrap_or(("", name)),
    };
    let part = |start: String, end| after(text, &start).map(|rest| before(rest, end));
    let one = match language {
        "Rust" => {
            let owner = owner.rsplit("::").next().unwrap_or_default();
            let part = part(format!("impl {owner} {{"), "\n}");
            let part = part
                .filter(|_| !matches!(owner, "Limits" | "Counters"))
                .or_else(|| after(text, &format!("pub struct {owner} {{")));
            part.and_then(|part| {
                commented(
                    part,
                    &[format!("pub {item}:"), format!("pub fn {item}("), format!("pub fn {item}<")],
                )
            })
        }
        "C" if owner.is_empty() => commented(text, &[format!("pub const {item}:")]),
        "C" => part(format!("pub struct {owner} {{"), "\n}")
            .and_then(|part| commented(part, &[format!("pub {item}:")])),
        "C++" => part(format!("struct {owner} {{"), "\n}").and_then(|part| member(part, item)),
        "Python" if name.contains('.') => {
            let (owner, item) = name.split_once('.').unwrap_or_default();
            let class = part(format!("class {owner}:"), "\n@final");
            class.and_then(|class| property(class, item))
        }
        "Python" => {
            let methods = after(text, "class Server:").unwrap_or_default();
            let class = after(text, &format!("class {owner}:"));
            let twins = ["", "_async"].map(|twin| after(methods, &format!("def {owner}{twin}(")));
            return [class]
                .into_iter()
                .chain(twins)
                .flatten()
                .filter_map(|rest| parameter(rest, item))
                .collect();
        }
        _ => ["{", "extends"]
            .iter()
            .find_map(|next| part(format!("export interface {owner} {next}"), "\n}"))
            .and_then(|part| {
                commented(
                    part,
                    &[format!("{item}?:"), format!("readonly {item}?:"), format!("readonly {item}:")],
                )
            }),
    };
    one.into_iter().collect()
}

fn after<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.split_once(start).map(|(_, rest)| rest)
}

pub(crate) fn before<'a>(text: &'a str, end: &str) -> &'a str {
    text.split_once(end).map_or(text, |(part, _)| part)
}

/// The comment above the line that begins with one of these.
fn commented(part: &str, starts: &[String]) -> Option<Declared> {
    let lines: Vec<&str> = part.lines().map(str::trim).collect();
    let at = lines.iter().position(|line| starts.iter().any(|start| line.starts_with(start)))?;
    let above = lines[..at].iter().rev().take_while(|line| line.starts_with(['/', '*', '#']));
    let mut about: Vec<&str> =
        above.filter(|line| !line.starts_with('#')).map(|line| line.trim_matches(['/', '*', ' '])).collect();
    about.reverse();
    Some(Declared { line: lines[at].to_owned(), value: None, about: about.join(" ") })
}

/// A member of a struct of C++, with its value: several may share a line.
fn member(part: &str, name: &str) -> Option<Declared> {
    let line = part.lines().find(|line| words(line).any(|word| word == name))?;
    let value = line.split_once(&format!(" {name} = ")).and_then(|(_, value)| value.split([',', ';']).next());
    Some(Declared { line: line.trim().to_owned(), value: value.map(str::to_owned), about: String::new() })
}

/// A property of a class of Python, with its docstring.
fn property(class: &str, name: &str) -> Option<Declared> {
    let (line, rest) = after(class, &format!("def {name}"))?.split_once("\"\"\"")?;
    Some(Declared { line: line.trim().to_owned(), value: None, about: before(rest, "\"\"\"").to_owned() })
}

/// The text before the comma that ends a parameter: a type may have commas in brackets.
fn first_parameter(line: &str) -> &str {
    let ends = line.match_indices(", ").map(|(at, _)| &line[..at]);
    let is_whole = |part: &&str| part.matches('[').count() == part.matches(']').count();
    ends.into_iter().find(is_whole).unwrap_or(line)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// A parameter, with what the `Args` of the docstring say.
fn parameter(rest: &str, name: &str) -> Option<Declared> {
    let (signature, body) = rest.split_once("\"\"\"")?;
    // The docstring of a class is above its constructor.
    let of_class = !signature.contains(") ->");
    let signature = if of_class { after(rest, "def __new__(")? } else { signature };
    let (_, line) = before(signature, ") ->").split_once(&format!(" {name}: "))?;
    let line = before(line, "\n").trim_end_matches(',');
    let line = if of_class || signature.starts_with('\n') { line } else { first_parameter(line) };
    let value = line.rsplit_once(" = ").map(|(_, value)| value.to_owned());
    let docs = before(body, "\"\"\"");
    let mut lines = docs.lines().skip_while(|line| !line.trim_start().starts_with(&format!("{name}: ")));
    let first = lines.next().unwrap_or_default();
    let indent = first.len() - first.trim_start().len();
    let further = lines.take_while(|line| line.len() - line.trim_start().len() > indent);
    let about: Vec<&str> = std::iter::once(first).chain(further).map(str::trim).collect();
    Some(Declared { line: line.to_owned(), value, about: about.join(" ") })
}
