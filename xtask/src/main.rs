//! Commands for those who work on Wellhead.
//!
//! `cargo xtask header` writes the headers in `include`. `cargo xtask manifests` carries the version and the address of the repository from
//! `Cargo.toml` to the other manifests. With `--check` both say whether these are current. `cargo xtask abi` records the ABI of the headers;
//! with `--check` it says whether they break programs of the last release. `cargo xtask release X.Y.Z` raises the version.

mod abi;
mod header;
mod manifests;
mod release;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments[..] {
        ["header"] => header::HEADERS.into_iter().try_for_each(header::write),
        ["header", "--check"] => header::HEADERS.into_iter().try_for_each(header::check),
        ["abi"] => abi::write(),
        ["abi", "--check"] => abi::check(),
        ["manifests"] => manifests::carry(false).map(drop),
        ["manifests", "--check"] => check_manifests(),
        ["release", version] => release::release(version),
        _ => Err("usage: cargo xtask header [--check] | abi [--check] | manifests [--check] | release X.Y.Z"
            .into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn check_manifests() -> Result<(), String> {
    match manifests::carry(true)? {
        stale if stale.is_empty() => Ok(()),
        stale => Err(format!("{}: not as Cargo.toml says; run: cargo xtask manifests", stale.join(", "))),
    }
}
