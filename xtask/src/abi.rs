//! Compares the C headers with the ABI of the last release, which is recorded in `packaging/abi.txt`: programs that were compiled against that
//! release have to work with this library, unless `WELLHEAD_ABI_VERSION` is higher now.

use crate::{header, manifests};
use std::fmt::Write as _;

const RECORD: &str = "packaging/abi.txt";
const HEAD: &str = "\
# What the C headers of the last release declare, without names of parameters: functions, callbacks, types, constants, and structs with
# their fields. `cargo xtask release` writes this file, and `make check-header` compares the headers with it.
";
const VERSION: &str = "WELLHEAD_ABI_VERSION";
/// Begins the line of the record that says for which systems it holds.
const POINTERS: &str = "pointer bits ";
/// How wide the pointers of these systems are. `size` and `alignment`, which find padding, compute with it.
const WIDTH: u32 = 64;

/// Records the ABI of the headers.
pub(crate) fn write() -> Result<(), String> {
    same_width(WIDTH, usize::BITS)?;
    manifests::write(RECORD, &record(&declared()?))
}

/// Fails if a program of the last release would not work with these headers, and says why.
pub(crate) fn check() -> Result<(), String> {
    let record = manifests::read(RECORD)?;
    same_width(width(&record)?, usize::BITS)?;
    let problems = problems(&recorded(&record), &declared()?);
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!(
        "the headers break programs of the last release:\n  {}\nKeep what {RECORD} has, or raise {VERSION} in ffi/src/version.rs. \
         Before the first release, run: cargo xtask abi",
        problems.join("\n  ")
    ))
}

/// Returns whether the version of the ABI is higher than that of the last release.
pub(crate) fn rises() -> Result<bool, String> {
    Ok(version(&declared()?) > version(&recorded(&manifests::read(RECORD)?)))
}

/// Fails on a machine that the record says nothing about: fields and padding lie elsewhere there.
fn same_width(record: u32, machine: u32) -> Result<(), String> {
    if record == machine {
        return Ok(());
    }
    Err(format!(
        "{RECORD} holds for pointers of {record} bits only, and those of this machine have {machine}. \
         Nothing was compared or recorded: run this on a machine with pointers of {record} bits"
    ))
}

/// Returns the width of pointers for which the record holds.
fn width(record: &str) -> Result<u32, String> {
    let bits = record.lines().find_map(|line| line.strip_prefix(POINTERS)?.parse().ok());
    bits.ok_or_else(|| {
        format!("{RECORD} has no line `{POINTERS}{WIDTH}`, so it holds for no machine; run: cargo xtask abi")
    })
}

/// One declaration without comments, such as `function int wellhead_str_equal(wellhead_str, wellhead_str)`.
#[derive(Debug, PartialEq)]
struct Declaration {
    name: String,
    text: String,
    /// Of a struct.
    fields: Vec<String>,
}

impl Declaration {
    fn new(kind: &str, name: &str, text: &str, fields: Vec<String>) -> Self {
        Self { name: name.to_owned(), text: format!("{kind} {text}"), fields }
    }

    /// Returns true if programs say how long their struct is.
    fn may_grow(&self) -> bool {
        self.fields.first().is_some_and(|field| field == "size_t struct_size")
    }
}

fn declared() -> Result<Vec<Declaration>, String> {
    let mut all = Vec::new();
    for header in header::HEADERS {
        all.extend(read(&manifests::read(&format!("include/{header}"))?)?);
    }
    Ok(all)
}

fn record(declarations: &[Declaration]) -> String {
    let mut text = format!("{HEAD}{POINTERS}{WIDTH}\n");
    for one in declarations {
        let _ = writeln!(text, "{}", one.text);
        for field in &one.fields {
            let _ = writeln!(text, "    {field}");
        }
    }
    text
}

fn recorded(record: &str) -> Vec<Declaration> {
    let mut all: Vec<Declaration> = Vec::new();
    for line in record.lines().filter(|line| !line.starts_with('#') && !line.starts_with(POINTERS)) {
        if let (Some(field), Some(last)) = (line.strip_prefix("    "), all.last_mut()) {
            last.fields.push(field.to_owned());
        } else {
            all.push(Declaration { name: name(line).to_owned(), text: line.to_owned(), fields: Vec::new() });
        }
    }
    all
}

/// Returns the name that a line of the record declares: the last word before `=`, or before the parenthesis of the parameters.
fn name(line: &str) -> &str {
    let declared = line.split(" = ").next().unwrap_or(line);
    let declared = match declared.split_once("(*") {
        Some((_, rest)) => rest.split(')').next().unwrap_or(rest),
        None => declared.split('(').next().unwrap_or(declared),
    };
    last_word(declared).1
}

// ---- comparing

fn problems(old: &[Declaration], new: &[Declaration]) -> Vec<String> {
    let Some(recorded) = version(old) else {
        return vec![format!("the record does not have {VERSION}")];
    };
    if version(new).is_some_and(|new| new > recorded) {
        return Vec::new();
    }
    let broken = |was: &Declaration| {
        let Some(is) = new.iter().find(|one| one.name == was.name) else {
            return Some(format!("{} is gone", was.name));
        };
        if is.text != was.text {
            return Some(format!("{} was `{}` and is `{}`", was.name, was.text, is.text));
        }
        changed(was, is).map(|why| format!("{} {why}", was.name))
    };
    old.iter().filter_map(broken).collect()
}

/// Returns the version of the ABI that these declarations have.
fn version(all: &[Declaration]) -> Option<u32> {
    all.iter().find(|one| one.name == VERSION)?.text.rsplit_once(" = ")?.1.parse().ok()
}

/// Says what is wrong with the fields of a struct, if something is.
fn changed(was: &Declaration, is: &Declaration) -> Option<String> {
    if was.fields == is.fields {
        return None;
    }
    if !was.may_grow() {
        return Some("has no struct_size, so its fields may not change".into());
    }
    let kept = was.fields.iter().zip(&is.fields).take_while(|(was, is)| was == is).count();
    match (was.fields.get(kept), is.fields.get(kept)) {
        (Some(field), _) => {
            Some(format!("had `{field}` as its field {}: fields may only be added behind it", kept + 1))
        }
        (None, Some(added)) if !size(&was.fields).is_multiple_of(8) && alignment(added) < 8 => Some(format!(
            "ends in padding, which programs do not set, and `{added}` would lie there: add a field of 8 bytes"
        )),
        _ => None,
    }
}

/// Returns the bytes up to the end of the last field where pointers are `WIDTH` wide.
fn size(fields: &[String]) -> usize {
    fields.iter().fold(0, |end: usize, field| {
        let alignment = alignment(field);
        let bytes = if field.starts_with("wellhead_str ") { 16 } else { alignment };
        end.next_multiple_of(alignment) + bytes
    })
}

fn alignment(field: &str) -> usize {
    let narrow = ["int ", "int32_t ", "uint32_t ", "wellhead_status "];
    if !field.contains('*') && narrow.iter().any(|narrow| field.starts_with(narrow)) { 4 } else { 8 }
}

// ---- reading a header

fn read(header: &str) -> Result<Vec<Declaration>, String> {
    let mut code = String::new();
    let mut all = Vec::new();
    for line in without_comments(header).replace("\\\n", " ").lines() {
        if let Some(constant) = line.strip_prefix("#define ") {
            all.extend(constant_of(constant));
        } else if !line.starts_with('#') {
            code.push_str(line);
            code.push(' ');
        }
    }
    for statement in statements(&code.replace("extern \"C\" {", "")) {
        all.push(declaration(&statement).ok_or_else(|| format!("{RECORD} has no form for `{statement}`"))?);
    }
    Ok(all)
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let mut out = parts.next().unwrap_or_default().to_owned();
    out.extend(parts.filter_map(|part| Some(part.split_once("*/")?.1)));
    out
}

/// Macros with parameters and the `_INIT` of structs are compiled into programs; the version changes with each release.
fn constant_of(define: &str) -> Option<Declaration> {
    let (name, value) = define.split_once(' ')?;
    let value = value.trim();
    let compiled = name.contains('(') || name.ends_with("_INIT") || name == "WELLHEAD_API";
    if compiled || value.is_empty() || name.starts_with("WELLHEAD_VERSION") {
        return None;
    }
    Some(Declaration::new("constant", name, &format!("{name} = {value}"), Vec::new()))
}

/// Splits code at the semicolons outside of braces, and makes white space one space.
fn statements(code: &str) -> Vec<String> {
    let mut all = Vec::new();
    let (mut depth, mut statement) = (0, String::new());
    for c in code.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if c == ';' && depth == 0 {
            all.push(std::mem::take(&mut statement).split_whitespace().collect::<Vec<_>>().join(" "));
        } else {
            statement.push(c);
        }
    }
    all
}

fn declaration(statement: &str) -> Option<Declaration> {
    if let Some(function) = statement.strip_prefix("WELLHEAD_API ") {
        let (before, parameters) = function.strip_suffix(')')?.split_once('(')?;
        return Some(Declaration::new(
            "function",
            last_word(before).1,
            &format!("{before}({})", types(parameters)),
            Vec::new(),
        ));
    }
    let type_of = statement.strip_prefix("typedef ")?;
    if let Some((returned, rest)) = type_of.split_once("(*") {
        let (name, parameters) = rest.strip_suffix(')')?.split_once(")(")?;
        let text = format!("{returned}(*{name})({})", types(parameters));
        return Some(Declaration::new("callback", name, &text, Vec::new()));
    }
    if let Some((_, rest)) = type_of.split_once('{') {
        let (fields, name) = rest.rsplit_once('}')?;
        let fields = fields.split(';').map(|field| field.trim().to_owned()).filter(|field| !field.is_empty());
        return Some(Declaration::new("struct", name.trim(), name.trim(), fields.collect()));
    }
    let (aliased, name) = last_word(type_of);
    Some(Declaration::new("type", name, &format!("{name} = {}", aliased.trim()), Vec::new()))
}

/// Returns the types of a list of parameters, without their names.
fn types(parameters: &str) -> String {
    let one = |parameter: &str| match last_word(parameter.trim()) {
        ("", only) => only.to_owned(), // void
        (before, _) => before.trim().to_owned(),
    };
    parameters.split(',').map(one).collect::<Vec<_>>().join(", ")
}

/// Splits the last word off.
fn last_word(text: &str) -> (&str, &str) {
    text.split_at(text.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "\
#ifdef __cplusplus
extern \"C\" {
#endif
#define WELLHEAD_VERSION \"0.1.0\"
#define WELLHEAD_ABI_VERSION 1
#define WELLHEAD_SEVERITY_ERROR 2 /* A callback failed; the line says which. */
#define WELLHEAD_STR_INIT(literal) {\"\" literal, sizeof(literal) - 1}
typedef struct wellhead_server wellhead_server;
typedef uint32_t wellhead_status;
typedef void (*wellhead_log_callback)(void *log_data, uint32_t level, const wellhead_str *line);
typedef struct wellhead_str {
    const char *ptr;
    size_t len;
} wellhead_str;
typedef struct wellhead_limits {
    size_t struct_size;
    uint64_t call_ms; /* In milliseconds. */
} wellhead_limits;
typedef struct wellhead_skills {
    size_t struct_size;
    wellhead_str path;
    uint32_t flags;
} wellhead_skills;
#define WELLHEAD_SKILLS_INIT { sizeof(wellhead_skills), {NULL, 0}, 0 }
WELLHEAD_API const char *wellhead_version(void);
/* Sets a limit; may be called twice. */
WELLHEAD_API wellhead_status wellhead_limit(wellhead_server *server, const wellhead_limits *limits,
                                            wellhead_error **error);
#ifdef __cplusplus
}
#endif
";

    fn after(from: &str, to: &str) -> Vec<String> {
        assert!(OLD.contains(from), "{from}");
        // By way of the text of the record, which has to be read as it was written.
        problems(&recorded(&record(&read(OLD).unwrap())), &read(&OLD.replace(from, to)).unwrap())
    }

    #[test]
    fn the_record_lists_the_public_declarations() {
        let expected = "\
pointer bits 64
constant WELLHEAD_ABI_VERSION = 1
constant WELLHEAD_SEVERITY_ERROR = 2
type wellhead_server = struct wellhead_server
type wellhead_status = uint32_t
callback void (*wellhead_log_callback)(void *, uint32_t, const wellhead_str *)
struct wellhead_str
    const char *ptr
    size_t len
struct wellhead_limits
    size_t struct_size
    uint64_t call_ms
struct wellhead_skills
    size_t struct_size
    wellhead_str path
    uint32_t flags
function const char *wellhead_version(void)
function wellhead_status wellhead_limit(wellhead_server *, const wellhead_limits *, wellhead_error **)
";
        let old = read(OLD).unwrap();
        assert_eq!(record(&old).strip_prefix(HEAD).unwrap(), expected);
        assert_eq!(recorded(&record(&old)), old);
        assert!(read("WELLHEAD_API int wellhead_errno;").unwrap_err().contains("wellhead_errno"));
    }

    #[test]
    fn additions_and_internal_renames_break_no_program() {
        for (from, to) in [
            ("#define WELLHEAD_ABI", "#define WELLHEAD_SEVERITY_TRACE 3\n#define WELLHEAD_ABI"),
            ("WELLHEAD_API const", "WELLHEAD_API int wellhead_new(void);\nWELLHEAD_API const"),
            ("typedef uint32_t", "typedef struct wellhead_new { int a; } wellhead_new;\ntypedef uint32_t"),
            ("uint64_t call_ms;", "uint64_t call_ms; uint32_t calls;"),
            ("uint32_t flags;", "uint32_t flags; uint64_t files;"),
            ("uint32_t flags;", "uint32_t flags; const char *name;"),
            ("uint32_t level", "uint32_t severity"),
            ("\"0.1.0\"", "\"0.2.0\""),
            ("Sets a limit", "Sets the limits"),
        ] {
            assert_eq!(after(from, to), [""; 0], "{to}");
        }
    }

    #[test]
    fn each_planted_break_is_found() {
        for (from, to, said) in [
            ("#define WELLHEAD_SEVERITY_ERROR 2", "", "WELLHEAD_SEVERITY_ERROR is gone"),
            ("_ERROR 2", "_ERROR 3", "is `constant WELLHEAD_SEVERITY_ERROR = 3`"),
            ("_ABI_VERSION 1", "_ABI_VERSION 0", "WELLHEAD_ABI_VERSION"),
            ("WELLHEAD_API const char *wellhead_version(void);", "", "wellhead_version is gone"),
            ("const char *wellhead_version", "char *wellhead_version", "wellhead_version was"),
            ("wellhead_server *server, const", "const wellhead_server *server, const", "wellhead_limit was"),
            ("wellhead_error **error", "wellhead_error **error, int hard", "wellhead_limit was"),
            ("typedef uint32_t", "typedef uint64_t", "wellhead_status was"),
            ("typedef struct wellhead_server wellhead_server;", "", "wellhead_server is gone"),
            ("uint32_t level", "uint64_t level", "wellhead_log_callback was"),
            ("size_t len;", "size_t len; size_t capacity;", "no struct_size"),
            ("size_t len;", "uint32_t len;", "no struct_size"),
            ("uint64_t call_ms;", "", "had `uint64_t call_ms`"),
            ("uint64_t call_ms;", "uint64_t calls; uint64_t call_ms;", "field 2"),
            ("uint64_t call_ms;", "uint32_t call_ms;", "had `uint64_t call_ms`"),
            ("uint32_t flags;", "uint32_t flags; uint32_t files;", "padding"),
        ] {
            let found = after(from, to);
            assert!(found.len() == 1 && found[0].contains(said), "{to}: {found:?}");
        }
    }

    #[test]
    fn a_higher_version_of_the_abi_permits_everything() {
        let new = OLD.replace("_ABI_VERSION 1", "_ABI_VERSION 2").replace("uint64_t call_ms;", "");
        assert_eq!(problems(&read(OLD).unwrap(), &read(&new).unwrap()), [""; 0]);
    }

    #[test]
    fn a_machine_with_another_pointer_size_gets_an_error() {
        let text = record(&read(OLD).unwrap());
        assert_eq!(width(&text), Ok(64));
        assert_eq!(same_width(64, 64), Ok(()));
        let refusal = same_width(width(&text).unwrap(), 32).unwrap_err();
        assert!(
            refusal.contains("holds for pointers of 64 bits only, and those of this machine have 32"),
            "{refusal}"
        );
        // The record of a version that did not say it, or says something else.
        for line in ["", "pointer bits many\n"] {
            let refusal = width(&text.replace("pointer bits 64\n", line)).unwrap_err();
            assert!(refusal.contains("cargo xtask abi"), "{refusal}");
        }
    }

    #[test]
    fn the_headers_keep_the_abi_of_the_last_release() {
        check().unwrap();
    }
}
