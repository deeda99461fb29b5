//! The command `wellhead`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(wellhead::run_command(std::env::args_os().skip(1)))
}
