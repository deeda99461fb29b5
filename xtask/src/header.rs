//! Writes the C headers: `ffi/wellhead.h.in` and the like, where every line `@@ module` stands for what cbindgen makes of
//! `ffi/src/module.rs`. So a header keeps the order of its template, and its sections the order of the modules.

use crate::manifests::{self, root};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Each is made from a template of its name in `ffi`.
pub(crate) const HEADERS: [&str; 2] = ["wellhead.h", "wellhead_http.h"];

pub(crate) fn write(header: &str) -> Result<(), String> {
    let path = path(header);
    std::fs::write(&path, generate(header)?).map_err(|e| format!("{}: {e}", path.display()))
}

pub(crate) fn check(header: &str) -> Result<(), String> {
    match std::fs::read_to_string(path(header)) {
        Ok(committed) if committed == generate(header)? => Ok(()),
        _ => Err(format!("include/{header} is not what ffi/src makes; run: cargo xtask header")),
    }
}

fn path(header: &str) -> PathBuf {
    root().join("include").join(header)
}

fn generate(header: &str) -> Result<String, String> {
    let path = root().join(format!("ffi/{header}.in"));
    let template = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let version = manifests::version()?;
    let mut text = String::new();
    for line in template.lines() {
        match line.strip_prefix("@@ ") {
            Some(module) => text.push_str(&section(module)?),
            None => text.push_str(&versioned(line, &version)),
        }
        text.push('\n');
    }
    Ok(text)
}

/// A line of the template with the version of the workspace in it.
fn versioned(line: &str, version: &str) -> String {
    let mut numbers = version.split('.');
    let line = line.replace("@VERSION@", version);
    ["@MAJOR@", "@MINOR@", "@PATCH@"]
        .iter()
        .fold(line, |line, place| line.replace(place, numbers.next().unwrap_or("0")))
}

/// Returns the declarations that cbindgen makes of one module.
fn section(module: &str) -> Result<String, String> {
    let root = root();
    let config = cbindgen::Config::from_file(root.join("ffi/cbindgen.toml"))?;
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(root.join(format!("ffi/src/{module}.rs")))
        .generate()
        .map_err(|e| format!("{module}: {e}"))?;
    let mut raw = Vec::new();
    bindings.write(&mut raw);
    let raw = String::from_utf8(raw).map_err(|e| format!("{module}: {e}"))?;
    Ok(layout(&raw).trim().to_owned())
}

/// Where comments behind a line begin.
const COLUMN: usize = 46;
const WIDTH: usize = 120;

/// Lays cbindgen's text out for people: short comments behind what they are about, long declarations wrapped, and an
/// `_INIT` behind every struct that can grow, which says its size and is zero otherwise.
fn layout(raw: &str) -> String {
    let mut out = String::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut fields: Vec<String> = Vec::new();
    let mut constants = false;
    let mut lines = raw.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        if line.trim() == "/*" {
            comment = lines.by_ref().map(str::trim).take_while(|line| *line != "*/").collect();
            continue;
        }
        let declaration = line.strip_prefix("typedef struct ").is_some_and(|rest| rest.ends_with('{'));
        let line = if declaration { line.to_owned() } else { line.replace("struct wellhead_", "wellhead_") };
        let line = match line.rsplit_once(" -") {
            Some((define, number)) if line.starts_with("#define ") => format!("{define} (-{number})"),
            _ => line,
        };
        let line = line.as_str();
        let indent = &line[..line.len() - line.trim_start().len()];
        let beside = line.starts_with("#define ") || !indent.is_empty();
        // Constants stand together; what follows them apart.
        let constant = line.starts_with("#define ");
        if constants && !constant && !line.is_empty() {
            out.push('\n');
        }
        constants = constant;
        match comment[..] {
            [text] if beside && (line.len() + 1).max(COLUMN) + text.len() + 7 <= WIDTH => {
                let _ = writeln!(out, "{line:0$} /* {text} */", COLUMN - 1);
            }
            _ => {
                write_comment(&mut out, indent, &comment);
                wrap(&mut out, line);
            }
        }
        comment.clear();
        if constant {
            while lines.peek().is_some_and(|line| line.is_empty()) {
                lines.next();
            }
        }
        if declaration {
            fields.clear();
        } else if let Some(name) = line.strip_prefix("} ").and_then(|line| line.strip_suffix(';')) {
            write_initialiser(&mut out, name, &fields);
        } else if !indent.is_empty() {
            fields.push(line.trim().to_owned());
        }
    }
    out
}

fn write_comment(out: &mut String, indent: &str, comment: &[&str]) {
    if let [first, rest @ ..] = comment {
        let _ = write!(out, "{indent}/* {first}");
        for line in rest {
            let _ = write!(out, "\n{indent} * {line}");
        }
        out.push_str(" */\n");
    }
}

/// A declaration that is too long goes on below its first parameter.
fn wrap(out: &mut String, line: &str) {
    let paren = if line.starts_with("typedef ") { line.find(")(").map(|at| at + 1) } else { line.find('(') };
    let declares = line.starts_with("WELLHEAD_API") || line.starts_with("typedef ");
    let Some(paren) = paren.filter(|_| declares && line.len() > WIDTH) else {
        out.push_str(line);
        out.push('\n');
        return;
    };
    let indent = paren + 1;
    let mut here = line[..=paren].to_owned();
    for one in line[paren + 1..].split_inclusive(", ") {
        let column = here.len() - here.rfind('\n').map_or(0, |at| at + 1);
        let fits = column + one.len() <= WIDTH;
        if !fits && column > indent {
            here.truncate(here.trim_end().len());
            let _ = write!(here, "\n{:indent$}", "");
        }
        here.push_str(one);
    }
    out.push_str(here.trim_end());
    out.push('\n');
}

fn write_initialiser(out: &mut String, name: &str, fields: &[String]) {
    if let [first, rest @ ..] = fields
        && first == "size_t struct_size;"
    {
        let zeroes: Vec<&str> = rest.iter().map(|field| zero(field)).collect();
        let (upper, zeroes) = (name.to_uppercase(), zeroes.join(", "));
        let _ = writeln!(out, "#define {upper}_INIT {{ sizeof({name}), {zeroes} }}");
    }
}

fn zero(field: &str) -> &'static str {
    if field.contains('*') || field.contains("_callback ") {
        "NULL"
    } else if field.starts_with("wellhead_str ") {
        "{NULL, 0}"
    } else {
        "0"
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_headers_equal_those_made_from_the_modules() {
        for header in super::HEADERS {
            let committed = std::fs::read_to_string(super::path(header)).unwrap();
            let hint = "is stale; run: cargo run -p xtask -- header";
            assert!(committed == super::generate(header).unwrap(), "include/{header} {hint}");
        }
    }
}
