//! The places where each language has a line for an option. [`written`] adds what is missing there, and changes nothing else:
//! what is declared already keeps its place and its words.

use crate::check::SYNCHRONOUS;
use crate::kinds::{about, amount, unit};
use crate::names::{LANGUAGES, rows};
use crate::page::meaning;
use crate::sources::{HPP, NAMES, NODE, NODE_HTTP, POLICY, PYTHON, Sources};
use Kind::{Number, Word};
use Line::*;
use std::collections::BTreeMap;
use wellhead::{OPTIONS, OptionEntry, OptionKind, OptionSet, Spelling};

/// A part of a file, with a line for each option that has a name there:
///
/// - The set of the options.
/// - The language, and the text before the option in its name. `NAMES.md` has the names.
/// - The file.
/// - The texts after which the part begins. Each is looked for after the one before.
/// - The text before which the part ends, with a `^` where a new line goes.
/// - The line.
type Place =
    (&'static str, &'static str, &'static str, &'static str, &'static [&'static str], &'static str, Line);

/// A line about an option.
#[derive(Clone, Copy)]
enum Line {
    /// A method of a builder. The values are there.
    Setter(&'static str),
    FieldOfC,
    /// The name among those that are handed on.
    InList(Kind),
    /// The constant of a switch; its name in the comment of `flags`; and how it is handed on.
    Flag,
    NameOfFlag,
    SetByFlag,
    MemberOfCpp,
    /// The statement that copies a member of that value to that struct of C.
    CopyOfCpp(&'static str, &'static str),
    /// A parameter in the signature of Python's native module, and in that of the stub, with a line of its own or without.
    TextSignature,
    Parameter,
    InlineParameter,
    /// A part of `Args`, behind these characters.
    Argument(&'static str),
    /// The getter of a limit: in the native module of Python, or in the stub.
    Getter(bool),
    MemberOfNode,
    /// The member with the kind of its value.
    KindOfNode,
}

/// The options that a list has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Word,
}

/// An option with its name in a language.
struct Named<'a> {
    option: &'a OptionEntry,
    name: &'a str,
    /// The part of the file, and the spaces before what follows it.
    part: &'a str,
    /// The file with the words that an option may be.
    policy: &'a str,
    indent: &'a str,
    /// Python's limits have no default in their signature.
    is_limit: bool,
}

/// The files that have a place.
pub(crate) fn files() -> impl Iterator<Item = &'static str> {
    PLACES.iter().map(|place| place.3)
}

/// Returns the files that lack something, as they have to be.
pub(crate) fn written(sources: &Sources) -> BTreeMap<&'static str, String> {
    let mut texts = BTreeMap::from([(NAMES, sources.text(NAMES).to_owned())]);
    for set in OPTIONS {
        for option in set.options {
            add_names(texts.get_mut(NAMES).unwrap(), set, option);
        }
    }
    let names = texts[NAMES].clone();
    for &(set, language, owner, file, after, before, line) in PLACES {
        let set = OPTIONS.iter().find(|other| other.name == set).unwrap();
        let language = LANGUAGES.iter().position(|other| *other == language).unwrap();
        let text = texts.entry(file).or_insert_with(|| sources.text(file).to_owned());
        let rows = rows(&names, set);
        for option in set.options {
            let own = rows.iter().filter(|row| row.option == option.name);
            let names = own.flat_map(|row| row.names[language].iter());
            if SYNCHRONOUS.contains(&option.name) && after.iter().any(|text| text.contains("_async")) {
                continue;
            }
            for name in names.filter_map(|name| name.strip_prefix(owner)) {
                let name = name.trim_end_matches("=)");
                let (start, end) = part(file, text, after, before);
                let spaces = text[end..].len() - text[end..].trim_start_matches(' ').len();
                let one = Named {
                    option,
                    name,
                    part: &text[start..end],
                    policy: sources.text(POLICY),
                    indent: &text[end..end + spaces],
                    is_limit: set.name == "limits",
                };
                if !line.keys().iter().any(|key| has(one.part, &key.replace('@', name)))
                    && let Some(line) = one.line(line)
                {
                    text.insert_str(end, &line);
                }
            }
        }
    }
    texts.retain(|file, text| sources.text(file) != text);
    texts
}

/// Returns where a part begins, and where a line is added.
fn part(file: &str, text: &str, after: &[&str], before: &str) -> (usize, usize) {
    let find = |from: usize, what: &str| {
        let found = text[from..].find(what);
        from + found
            .unwrap_or_else(|| panic!("{file} has no {what:?}, which core/tests/options/places.rs looks for"))
    };
    let start = after.iter().fold(0, |from, what| find(from, what) + what.len());
    let (last, _) = before.split_once('^').unwrap();
    (start, find(start, &before.replace('^', "")) + last.len())
}

/// Returns whether a text contains a key that is not the end of a longer name.
fn has(text: &str, key: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let text = format!("\n{text}\n");
    let mut found = text.match_indices(key);
    found.any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + key.len()..].chars().next());
        !(key.starts_with(is_name) && before.is_some_and(is_name)
            || key.ends_with(is_name) && after.is_some_and(is_name))
    })
}

/// Adds the row of an option that has none, with the names that follow from its own.
fn add_names(document: &mut String, set: &OptionSet, option: &OptionEntry) {
    if rows(document, set).iter().any(|row| row.option == option.name) {
        return;
    }
    let name = option.name;
    let camel = Spelling::Camel.name(name);
    let flag = |prefix: &str, default| {
        format!("{prefix}{}{}", if default { "NO_" } else { "" }, name.to_uppercase())
    };
    let (rust, c, cpp, flags, node) = match set.name {
        "server" => ("Builder", "wellhead_server_options", "ServerOptions", "WELLHEAD_", "ServerOptions"),
        "limits" => ("Limits", "wellhead_limits", "", "", "Limits"),
        "endpoint" => (
            "http::EndpointBuilder",
            "wellhead_endpoint_options",
            "EndpointOptions",
            "WELLHEAD_",
            "HttpOptions",
        ),
        "listener" => {
            ("serve::Http", "wellhead_http_options", "HttpOptions", "WELLHEAD_HTTP_", "ServeHttpOptions")
        }
        "stdio" => {
            ("serve::Stdio", "wellhead_stdio_options", "StdioOptions", "WELLHEAD_STDIO_", "RunOptions")
        }
        "folder" => ("Directory", "wellhead_directory", "Directory", "WELLHEAD_", "DirectoryOptions"),
        "skills" => ("Skills", "wellhead_skills", "Skills", "WELLHEAD_", "SkillsOptions"),
        _ => return, // limits of a tool are arguments, and counters are results: they are declared by hand
    };
    let python = match set.name {
        "server" => format!("`Server({name}=)`"),
        "limits" => format!("`Limits({name}=)`"),
        "endpoint" => format!("`asgi({name}=)`, `serve_http({name}=)`"),
        "listener" => format!("`serve_http({name}=)`"),
        "stdio" => format!("`run({name}=)`"),
        "skills" => format!("`skills({name}=)`"),
        _ => format!("`directory({name}=)`"),
    };
    let (c, cpp) = match option.kind {
        OptionKind::Switch(default) => (flag(flags, default), "– c".to_owned()),
        _ if cpp.is_empty() => (format!("{c}.{name}"), "– c".to_owned()),
        _ => (format!("{c}.{name}"), format!("`{cpp}::{name}`")),
    };
    let row = format!("| `{name}` | `{rust}::{name}` | `{c}` | {cpp} | {python} | `{node}.{camel}` |\n");
    let section = document.find(&format!("\n## {}\n", set.sections[0])).unwrap();
    let table = section + document[section..].find("\n|").unwrap();
    let end = table + document[table..].find("\n\n").unwrap_or(document.len() - table - 1) + 1;
    document.insert_str(end, &row);
}

// ---- what an option is in a language

impl Line {
    /// Returns the texts by which an option is found, with `@` for its name.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Setter(_) => &["fn @(", "fn @<"],
            FieldOfC => &["pub @:"],
            Flag => &["pub const @:"],
            TextSignature => &["@="],
            Parameter | InlineParameter | KindOfNode => &["@:"],
            Argument(_) | Getter(true) => &["    @: "],
            Getter(false) => &["def @("],
            MemberOfNode => &["@?:"],
            _ => &["@"],
        }
    }
}

impl Named<'_> {
    fn line(&self, line: Line) -> Option<String> {
        match line {
            Setter(values) => self.setter(values),
            FieldOfC => self.field_of_c(),
            InList(Number) => self.is_number().then(|| format!("{}    {},\n", self.indent, self.name)),
            InList(Word) => self.is_word().then(|| format!("{}    {},\n", self.indent, self.name)),
            Flag => self.flag(),
            NameOfFlag => self.is_switch().then(|| format!(", {}", self.name)),
            SetByFlag => self.line_of_flag(),
            MemberOfCpp => self.member_of_cpp(),
            CopyOfCpp(value, c) => self.copy_of_cpp(value, c),
            TextSignature => self.text_signature(),
            Parameter => self.parameter().map(|parameter| format!("        {parameter},\n")),
            InlineParameter => self.parameter().map(|parameter| format!(", {parameter}")),
            Argument(indent) => self.argument(indent),
            Getter(native) => self.getter(native),
            MemberOfNode => self.member_of_node(),
            KindOfNode => self.kind_of_node(),
        }
    }

    /// Its meaning, and its default.
    fn documented(&self) -> String {
        let default = match self.option.kind {
            OptionKind::Number(default) => amount(self.option.name, default),
            OptionKind::Switch(default) => default.to_string(),
            OptionKind::Text(default) => default.to_owned(),
            _ => String::new(),
        };
        let meaning = meaning(self.option);
        if default.is_empty() { meaning } else { format!("{meaning} Default: {default}.") }
    }

    /// Returns the meaning with the words that the option may be.
    fn with_words(&self, quote: &str) -> String {
        let OptionKind::Word(words) = self.option.kind else { return self.documented() };
        let quoted: Vec<_> = words.iter().map(|word| format!("{quote}{word}{quote}")).collect();
        format!("{} {} (default), {}.", self.documented(), quoted[0], quoted[1..].join(", "))
    }

    fn is_number(&self) -> bool {
        matches!(self.option.kind, OptionKind::Number(_))
    }

    fn is_switch(&self) -> bool {
        matches!(self.option.kind, OptionKind::Switch(_))
    }

    fn is_word(&self) -> bool {
        matches!(self.option.kind, OptionKind::Word(_) | OptionKind::Text(_))
    }

    /// The type of a number in Rust and C, by its unit.
    fn number(&self) -> Option<&'static str> {
        self.is_number().then(|| if unit(self.option.name) == "millisecond" { "u64" } else { "usize" })
    }

    /// Rust's setter. The type of a word has the name of the option.
    fn setter(&self, values: &str) -> Option<String> {
        let word = format!("crate::{}", pascal(self.option.name));
        let first = self.policy.split_once(&format!("pub enum {} {{\n", &word[7..]));
        let first = first.and_then(|(_, rest)| rest.split_once("#[default]\n")?.1.split(',').next());
        let (kind, set) = match self.option.kind {
            OptionKind::Number(_) => (self.number()?, " = value"),
            OptionKind::Switch(_) => ("bool", " = value"),
            OptionKind::Word(_) => (&*word, " = value"),
            OptionKind::Text(_) => ("impl Into<String>", ".set(value)"),
            _ => return None,
        };
        let meaning = self.documented();
        let doc = match (self.option.kind, first) {
            (OptionKind::Word(_), Some(first)) => format!("{meaning} Default: [`{word}::{}`].", first.trim()),
            _ => meaning,
        };
        let (name, doc) = (self.name, wrapped("    /// ", "    /// ", &doc, 120));
        Some(format!(
            "\n{doc}    #[must_use]\n    pub fn {name}(mut self, value: {kind}) -> Self {{\n        {values}.{name}{set};\n        self\n    }}\n"
        ))
    }

    fn field_of_c(&self) -> Option<String> {
        let kind = if self.is_word() { "wellhead_str" } else { self.number()? };
        let doc = wrapped("    /// ", "    /// ", &self.with_words(""), 125);
        Some(format!("{doc}    pub {}: {kind},\n", self.name))
    }

    /// The constant for the value of a switch that is not its default: the next bit.
    fn flag(&self) -> Option<String> {
        let OptionKind::Switch(default) = self.option.kind else { return None };
        let about = about(self.option);
        let about = if default { format!("Turns this off: {about}") } else { about };
        let bits = self.part.matches("u32 = ").count();
        let doc = wrapped("/// ", "/// ", &about, 125);
        Some(format!("{doc}pub const {}: u32 = {};\n", self.name, 1_u32 << bits))
    }

    fn line_of_flag(&self) -> Option<String> {
        let OptionKind::Switch(default) = self.option.kind else { return None };
        Some(format!("{}    {} => {} = {},\n", self.indent, self.name, self.option.name, !default))
    }

    fn member_of_cpp(&self) -> Option<String> {
        let kind = match self.number() {
            Some("u64") => "std::uint64_t",
            Some(_) => "std::size_t",
            None if self.is_word() => {
                return Some(format!("    std::optional<std::string> {} = {{}};\n", self.name));
            }
            None => return None,
        };
        Some(format!("    {kind} {} = 0;\n", self.name))
    }

    fn copy_of_cpp(&self, options: &str, c: &str) -> Option<String> {
        let (name, value) = (self.name, format!("{options}.{}", self.name));
        let value = if self.is_word() { format!("optional_str({value})") } else { value };
        (self.is_word() || self.is_number()).then(|| format!("{}{c}.{name} = {value};\n", self.indent))
    }

    /// The default in a signature of Python. That of a text is None.
    fn python_default(&self, quote: &str) -> Option<String> {
        Some(match self.option.kind {
            OptionKind::Number(_) if self.is_limit => "None".to_owned(),
            OptionKind::Number(default) => default.to_string(),
            OptionKind::Switch(default) => if default { "True" } else { "False" }.to_owned(),
            OptionKind::Word(words) => format!("{quote}{}{quote}", words[0]),
            OptionKind::Text(_) => "None".to_owned(),
            _ => return None,
        })
    }

    /// A parameter in the signature that Python's native module tells.
    fn text_signature(&self) -> Option<String> {
        Some(format!(", \\\n                    {}={}", self.name, self.python_default("'")?))
    }

    /// A parameter of a stub.
    fn parameter(&self) -> Option<String> {
        let kind = match self.option.kind {
            OptionKind::Number(_) => "int".to_owned(),
            OptionKind::Switch(_) => "bool".to_owned(),
            OptionKind::Word(words) => format!("Literal[\"{}\"]", words.join("\", \"")),
            _ => "str | None".to_owned(),
        };
        let kind = if self.is_limit { kind + " | None" } else { kind };
        Some(format!("{}: {kind} = {}", self.name, self.python_default("\"")?))
    }

    /// A part of the `Args` of a docstring. The signature tells the default of a number and of a switch.
    fn argument(&self, indent: &str) -> Option<String> {
        self.python_default("")?;
        let doc = match self.option.kind {
            OptionKind::Number(_) | OptionKind::Switch(_) if !self.is_limit => meaning(self.option),
            _ => self.with_words("`"),
        };
        let width = indent.len() + 94;
        Some(wrapped(&format!("{indent}{}:", self.name), &format!("{indent}    "), &doc, width))
    }

    /// The getter of a limit in Python: in the native module, or in the stub.
    fn getter(&self, native: bool) -> Option<String> {
        let (name, kind, doc) = (self.name, self.number()?, meaning(self.option));
        if native {
            return Some(format!("{}    {name}: {kind},\n", wrapped("    ///", "    /// ", &doc, 100)));
        }
        let lines = wrapped("       ", "        ", &doc, 100);
        let end = if lines.matches('\n').count() == 1 { "\"\"\"\n" } else { "\n        \"\"\"\n" };
        let docstring = format!("        \"\"\"{}{end}", lines[8..].trim_end());
        Some(format!("    @property\n    def {name}(self) -> int:\n{docstring}"))
    }

    fn member_of_node(&self) -> Option<String> {
        let kind = match self.option.kind {
            OptionKind::Number(_) => "number".to_owned(),
            OptionKind::Switch(_) => "boolean".to_owned(),
            OptionKind::Text(_) => "string".to_owned(),
            OptionKind::Word(words) => format!("'{}'", words.join("' | '")),
            _ => return None,
        };
        let doc = self.with_words("`");
        let doc = if doc.len() < 120 {
            format!("  /** {doc} */\n")
        } else {
            format!("  /**\n{}   */\n", wrapped("   * ", "   * ", &doc, 128))
        };
        Some(format!("{doc}  {}?: {kind} | undefined;\n", self.name))
    }

    fn kind_of_node(&self) -> Option<String> {
        let kind = match self.option.kind {
            OptionKind::Number(_) => "count",
            OptionKind::Switch(_) => "boolean",
            OptionKind::Text(_) | OptionKind::Word(_) => "string",
            _ => return None,
        };
        Some(format!("  {}: '{kind}',\n", self.name))
    }
}

/// The name of the type of a word.
fn pascal(name: &str) -> String {
    let camel = Spelling::Camel.name(name);
    camel[..1].to_uppercase() + &camel[1..]
}

/// A text in lines of at most that many bytes.
fn wrapped(first: &str, further: &str, text: &str, width: usize) -> String {
    let mut lines = vec![first.trim_end().to_owned()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => *line = format!("{line} {word}"),
            _ => lines.push(format!("{further}{word}")),
        }
    }
    lines.join("\n") + "\n"
}

// ---- the places

const SERVER: &str = "bindings/python/src/server.rs";
const DOCS: &str = "bindings/python/src/server_docs.rs";
const LIMITS: &str = "bindings/python/src/limits.rs";
const HTTP_HPP: &str = "include/wellhead_http.hpp";

#[rustfmt::skip]
const PLACES: &[Place] = &[
    ("server", "Rust", "Builder::", "core/src/server/builder.rs", &["impl Builder {"], "^\n    /// Makes the server.", Setter("self.policy.options")),
    ("endpoint", "Rust", "http::EndpointBuilder::", "core/src/http/endpoint_builder.rs", &["impl EndpointBuilder {"], "^\n    /// Answers only requests with a bearer", Setter("self.options.values")),
    ("listener", "Rust", "serve::Http::", "core/src/serve/http.rs", &["impl Http {"], "^\n    /// Binds an address;", Setter("self.options")),
    ("stdio", "Rust", "serve::Stdio::", "core/src/serve/stdio.rs", &["impl Stdio {"], "^\n    /// Serves, and runs", Setter("self.options")),
    ("folder", "Rust", "Directory::", "core/src/directory.rs", &["impl Directory {"], "\n^}\n\nimpl SetOption", Setter("self.options")),
    ("skills", "Rust", "Skills::", "core/src/directory/skills.rs", &["impl Skills {"], "\n^}\n\nimpl SetOption", Setter("self.options")),

    ("server", "C", "wellhead_server_options.", "ffi/src/server.rs", &["pub struct wellhead_server_options {"], "\n^}", FieldOfC),
    ("server", "C", "wellhead_server_options.", "ffi/src/server.rs", &["impl wellhead_server_options {"], "\n^        );\n        set_numbers!", InList(Word)),
    ("server", "C", "wellhead_server_options.", "ffi/src/server.rs", &["impl wellhead_server_options {"], "\n^        );\n        Ok(builder)", InList(Number)),
    ("server", "C", "", "ffi/src/server.rs", &["pub struct wellhead_limits {"], "^\n/// The application or a client did", Flag),
    ("server", "C", "", "ffi/src/server.rs", &["pub struct wellhead_server_options {"], "^\n    pub flags: u32,", NameOfFlag),
    ("server", "C", "", "ffi/src/server.rs", &["impl wellhead_server_options {"], "\n^        );\n        set_words!", SetByFlag),
    ("limits", "C", "wellhead_limits.", "ffi/src/server.rs", &["pub struct wellhead_limits {"], "\n^}", FieldOfC),
    ("limits", "C", "wellhead_limits.", "ffi/src/server.rs", &["set_numbers!(all, given;"], "\n^    );", InList(Number)),
    ("endpoint", "C", "wellhead_endpoint_options.", "ffi/src/http/options.rs", &["pub struct wellhead_endpoint_options {"], "\n^}", FieldOfC),
    ("endpoint", "C", "wellhead_endpoint_options.", "ffi/src/http/options.rs", &["pub(super) fn builder("], "\n^    );\n    set_numbers!", InList(Word)),
    ("endpoint", "C", "wellhead_endpoint_options.", "ffi/src/http/options.rs", &["pub(super) fn builder("], "\n^    );\n    protected", InList(Number)),
    ("endpoint", "C", "", "ffi/src/http/options.rs", &[], "^\n/// Verifies the bearer token", Flag),
    ("endpoint", "C", "", "ffi/src/http/options.rs", &["pub struct wellhead_endpoint_options {"], "^\n    pub flags: u32,", NameOfFlag),
    ("endpoint", "C", "", "ffi/src/http/options.rs", &["pub(super) fn builder("], "\n^    );\n    set_words!", SetByFlag),
    ("listener", "C", "wellhead_http_options.", "ffi/src/http/serve.rs", &["pub struct wellhead_http_options {"], "\n^}", FieldOfC),
    ("listener", "C", "wellhead_http_options.", "ffi/src/http/serve.rs", &["impl wellhead_http_options {"], "\n^        );\n        set_numbers!", InList(Word)),
    ("listener", "C", "wellhead_http_options.", "ffi/src/http/serve.rs", &["impl wellhead_http_options {"], "\n^        );\n        Ok(http)", InList(Number)),
    ("listener", "C", "", "ffi/src/http/serve.rs", &[], "^\n/// Called with the address that is bound", Flag),
    ("listener", "C", "", "ffi/src/http/serve.rs", &["pub struct wellhead_http_options {"], "^\n    pub flags: u32,", NameOfFlag),
    ("listener", "C", "", "ffi/src/http/serve.rs", &["impl wellhead_http_options {"], "\n^        );\n        set_words!", SetByFlag),
    ("stdio", "C", "wellhead_stdio_options.", "ffi/src/stdio.rs", &["pub struct wellhead_stdio_options {"], "\n^}", FieldOfC),
    ("stdio", "C", "wellhead_stdio_options.", "ffi/src/stdio.rs", &["impl wellhead_stdio_options {"], "\n^        );\n        set_numbers!", InList(Word)),
    ("stdio", "C", "wellhead_stdio_options.", "ffi/src/stdio.rs", &["impl wellhead_stdio_options {"], "\n^        );\n        Ok(stdio)", InList(Number)),
    ("stdio", "C", "", "ffi/src/stdio.rs", &["WELLHEAD_CALLBACKS_INLINE: i32"], "^\n/// Options of the stdio driver", Flag),
    ("stdio", "C", "", "ffi/src/stdio.rs", &["pub struct wellhead_stdio_options {"], "^\n    pub flags: u32,", NameOfFlag),
    ("stdio", "C", "", "ffi/src/stdio.rs", &["impl wellhead_stdio_options {"], "\n^        );\n        set_words!", SetByFlag),
    ("folder", "C", "wellhead_directory.", "ffi/src/directory.rs", &["pub struct wellhead_directory {"], "\n^}", FieldOfC),
    ("folder", "C", "wellhead_directory.", "ffi/src/directory.rs", &["impl wellhead_directory {"], "\n^        );\n        set_numbers!", InList(Word)),
    ("folder", "C", "wellhead_directory.", "ffi/src/directory.rs", &["impl wellhead_directory {"], "\n^        );\n        Ok(directory)", InList(Number)),
    ("folder", "C", "", "ffi/src/directory.rs", &[], "^\n/// A folder to serve.", Flag),
    ("folder", "C", "", "ffi/src/directory.rs", &["pub struct wellhead_directory {"], "^\n    pub flags: u32,", NameOfFlag),
    ("folder", "C", "", "ffi/src/directory.rs", &["impl wellhead_directory {"], "\n^        );\n        set_words!", SetByFlag),
    ("skills", "C", "wellhead_skills.", "ffi/src/skills.rs", &["pub struct wellhead_skills {"], "\n^}", FieldOfC),
    ("skills", "C", "wellhead_skills.", "ffi/src/skills.rs", &["impl wellhead_skills {"], "\n^        );\n        set_numbers!", InList(Word)),
    ("skills", "C", "wellhead_skills.", "ffi/src/skills.rs", &["impl wellhead_skills {"], "\n^        );\n        Ok(skills)", InList(Number)),
    ("skills", "C", "", "ffi/src/directory.rs", &[], "^\n/// A folder to serve.", Flag),
    ("skills", "C", "", "ffi/src/skills.rs", &["pub struct wellhead_skills {"], "^\n    pub flags: u32,", NameOfFlag),
    ("skills", "C", "", "ffi/src/skills.rs", &["impl wellhead_skills {"], "\n^        );\n        set_words!", SetByFlag),

    ("server", "C++", "ServerOptions::", HPP, &["struct ServerOptions {"], "\n^};", MemberOfCpp),
    ("server", "C++", "ServerOptions::", HPP, &["static wellhead_server *make("], "\n^        return detail::call(wellhead_server_new", CopyOfCpp("options", "c")),
    ("endpoint", "C++", "EndpointOptions::", HTTP_HPP, &["struct EndpointOptions {"], "\n^};", MemberOfCpp),
    ("endpoint", "C++", "EndpointOptions::", HTTP_HPP, &["explicit EndpointOptionsOfC("], "\n^        if (options.protection) {", CopyOfCpp("options", "c_")),
    ("listener", "C++", "HttpOptions::", HTTP_HPP, &["struct HttpOptions {"], "\n^};", MemberOfCpp),
    ("listener", "C++", "HttpOptions::", HTTP_HPP, &["wellhead_http_options c = "], "\n^    if (bound.callback) {", CopyOfCpp("options", "c")),
    ("stdio", "C++", "StdioOptions::", HPP, &["struct StdioOptions {"], "\n^};", MemberOfCpp),
    ("stdio", "C++", "StdioOptions::", HPP, &["wellhead_stdio_options c = "], "\n^        detail::call(", CopyOfCpp("options", "c")),
    ("folder", "C++", "Directory::", HPP, &["struct Directory {"], "\n^};", MemberOfCpp),
    ("folder", "C++", "Directory::", HPP, &["void add_directory("], "\n^        detail::call(", CopyOfCpp("directory", "c")),
    ("skills", "C++", "Skills::", HPP, &["struct Skills {"], "\n^};", MemberOfCpp),
    ("skills", "C++", "Skills::", HPP, &["void add_skills("], "\n^        detail::call(", CopyOfCpp("skills", "c")),

    ("server", "Python", "Server(", SERVER, &["text_signature = \"(name, version, *"], "^)\"", TextSignature),
    ("server", "Python", "Server(", DOCS, &["(Server) => {", "\nArgs:"], "\n^\nRaises:", Argument("    ")),
    ("server", "Python", "Server(", PYTHON, &["class Server:", "def __new__("], "\n^    ) -> Self", Parameter),
    ("server", "Python", "Server(", PYTHON, &["class Server:", "    Args:"], "\n^\n    Raises:", Argument("        ")),
    ("limits", "Python", "Limits(", LIMITS, &["text_signature = "], "^)\"", TextSignature),
    ("limits", "Python", "Limits(", LIMITS, &["/// Args:"], "\n^        ///\n        /// Raises:", Argument("        ///     ")),
    ("limits", "Python", "Limits(", LIMITS, &["\nlimits! {"], "\n^}", Getter(true)),
    ("limits", "Python", "Limits(", PYTHON, &["class Limits:", "def __new__("], "\n^    ) -> Self", Parameter),
    ("limits", "Python", "Limits(", PYTHON, &["class Limits:", "    Args:"], "\n^\n    Raises:", Argument("        ")),
    ("limits", "Python", "Limits(", PYTHON, &["class Limits:"], "\n^    def __eq__", Getter(false)),
    ("endpoint", "Python", "asgi(", SERVER, &["docstring!(asgi)", "text_signature = "], "^)\"", TextSignature),
    ("endpoint", "Python", "asgi(", PYTHON, &["    def asgi("], "\n^    ) -> AsgiApp", Parameter),
    ("endpoint", "Python", "asgi(", SERVER, &["docstring!(endpoint)", "text_signature = "], "^)\"", TextSignature),
    ("endpoint", "Python", "asgi(", PYTHON, &["    def endpoint("], "\n^    ) -> HttpEndpoint", Parameter),
    ("endpoint", "Python", "serve_http(", SERVER, &["docstring!(serve_http)", "text_signature = "], "^)\"", TextSignature),
    ("endpoint", "Python", "serve_http(", PYTHON, &["def serve_http("], "\n^    ) -> None", Parameter),
    ("endpoint", "Python", "serve_http(", SERVER, &["docstring!(serve_http_async)", "text_signature = "], "^)\"", TextSignature),
    ("endpoint", "Python", "serve_http(", PYTHON, &["def serve_http_async("], "\n^    ) -> None", Parameter),
    ("endpoint", "Python", "serve_http(", DOCS, &["(serve_http) => {", "\nArgs:"], "\n^\nRaises:", Argument("    ")),
    ("endpoint", "Python", "serve_http(", PYTHON, &["def serve_http(", "        Args:"], "\n^\n        Raises:", Argument("            ")),
    ("listener", "Python", "serve_http(", SERVER, &["docstring!(serve_http)", "text_signature = "], "^)\"", TextSignature),
    ("listener", "Python", "serve_http(", PYTHON, &["def serve_http("], "\n^    ) -> None", Parameter),
    ("listener", "Python", "serve_http(", SERVER, &["docstring!(serve_http_async)", "text_signature = "], "^)\"", TextSignature),
    ("listener", "Python", "serve_http(", PYTHON, &["def serve_http_async("], "\n^    ) -> None", Parameter),
    ("listener", "Python", "serve_http(", DOCS, &["(serve_http) => {", "\nArgs:"], "\n^\nRaises:", Argument("    ")),
    ("listener", "Python", "serve_http(", PYTHON, &["def serve_http(", "        Args:"], "\n^\n        Raises:", Argument("            ")),
    ("stdio", "Python", "run(", SERVER, &["docstring!(run)", "text_signature = "], "^)\"", TextSignature),
    ("stdio", "Python", "run(", PYTHON, &["def run("], "^) -> None", InlineParameter),
    ("stdio", "Python", "run(", SERVER, &["docstring!(run_async)", "text_signature = "], "^)\"", TextSignature),
    ("stdio", "Python", "run(", PYTHON, &["def run_async("], "^) -> None", InlineParameter),
    ("stdio", "Python", "run(", DOCS, &["(run) => {", "\nArgs:"], "\n^\nRaises:", Argument("    ")),
    ("stdio", "Python", "run(", PYTHON, &["def run(", "        Args:"], "\n^\n        Raises:", Argument("            ")),
    ("folder", "Python", "directory(", SERVER, &["docstring!(directory)", "text_signature = "], "^)\"", TextSignature),
    ("folder", "Python", "directory(", DOCS, &["(directory) => {", "\nArgs:"], "\n^\nReturns:", Argument("    ")),
    ("folder", "Python", "directory(", PYTHON, &["def directory("], "\n^    ) -> Handle", Parameter),
    ("folder", "Python", "directory(", PYTHON, &["def directory(", "        Args:"], "\n^\n        Returns:", Argument("            ")),
    ("skills", "Python", "skills(", SERVER, &["docstring!(skills)", "text_signature = "], "^)\"", TextSignature),
    ("skills", "Python", "skills(", DOCS, &["(skills) => {", "\nArgs:"], "\n^\nReturns:", Argument("    ")),
    ("skills", "Python", "skills(", PYTHON, &["def skills("], "\n^    ) -> Handle", Parameter),
    ("skills", "Python", "skills(", PYTHON, &["def skills(", "        Args:"], "\n^\n        Returns:", Argument("            ")),

    ("server", "Node", "ServerOptions.", NODE, &["export interface ServerOptions "], "\n^}", MemberOfNode),
    ("server", "Node", "ServerOptions.", NODE, &["const SERVER: Members<ServerOptions> = {"], "\n^};", KindOfNode),
    ("limits", "Node", "Limits.", NODE, &["export interface Limits "], "\n^}", MemberOfNode),
    ("limits", "Node", "Limits.", NODE, &["const LIMITS: Members<Limits> = {"], "\n^};", KindOfNode),
    ("endpoint", "Node", "HttpOptions.", NODE_HTTP, &["export interface HttpOptions "], "\n^}", MemberOfNode),
    ("endpoint", "Node", "HttpOptions.", NODE_HTTP, &["const HTTP: Members<HttpOptions> = {"], "\n^};", KindOfNode),
    ("listener", "Node", "ServeHttpOptions.", NODE, &["export interface ServeHttpOptions "], "\n^}", MemberOfNode),
    ("listener", "Node", "ServeHttpOptions.", NODE, &["const SERVE_HTTP: Members<ServeHttpOptions> = {"], "\n^};", KindOfNode),
    ("stdio", "Node", "RunOptions.", NODE, &["export interface RunOptions "], "\n^}", MemberOfNode),
    ("stdio", "Node", "RunOptions.", NODE, &["const RUN: Members<RunOptions> = {"], "\n^};", KindOfNode),
    ("folder", "Node", "DirectoryOptions.", NODE, &["export interface DirectoryOptions "], "\n^}", MemberOfNode),
    ("folder", "Node", "DirectoryOptions.", NODE, &["const DIRECTORY: Members<DirectoryOptions> = {"], "\n^};", KindOfNode),
    ("skills", "Node", "SkillsOptions.", NODE, &["export interface SkillsOptions "], "\n^}", MemberOfNode),
    ("skills", "Node", "SkillsOptions.", NODE, &["const SKILLS: Members<SkillsOptions> = {"], "\n^};", KindOfNode),
];
