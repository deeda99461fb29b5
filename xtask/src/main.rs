//! Commands for those who work on Wellhead.
//!
//! `cargo run -p xtask -- header` writes the headers in `include`; `header --check` says whether they are current.

mod header;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["header"] => header::HEADERS.into_iter().try_for_each(write),
        ["header", "--check"] => header::HEADERS.into_iter().try_for_each(check),
        _ => Err("usage: cargo run -p xtask -- header [--check]".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write(header: &str) -> Result<(), String> {
    let path = header::path(header);
    std::fs::write(&path, header::generate(header)?).map_err(|e| format!("{}: {e}", path.display()))
}

fn check(header: &str) -> Result<(), String> {
    match std::fs::read_to_string(header::path(header)) {
        Ok(committed) if committed == header::generate(header)? => Ok(()),
        _ => Err(format!("include/{header} is not what ffi/src makes; run: cargo run -p xtask -- header")),
    }
}
