//! Commands for those who work on Wellhead.
//!
//! `cargo run -p xtask -- header` writes `include/wellhead.h`; `header --check` says whether it is current.

mod header;

use std::process::ExitCode;

const HEADER: &str = "include/wellhead.h";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let path = header::root().join(HEADER);
    let outcome = match arguments[..] {
        ["header"] => header::generate()
            .and_then(|text| std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))),
        ["header", "--check"] => header::generate().and_then(|text| match std::fs::read_to_string(&path) {
            Ok(committed) if committed == text => Ok(()),
            _ => Err(format!("{HEADER} is not what ffi/src makes; run: cargo run -p xtask -- header")),
        }),
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
